"""What could give a series: rows that its labels select, fields that are fixed besides, changes of unit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import COLUMN, OTHER_HALF, PLACE, Dimension, Numbers, ResultFrame
from sealtrace.binding.scoring import rank_cost, ranks
from sealtrace.binding.series import IN_CELL, CellLabel, Series
from sealtrace.paper.names.index import AROUND, INSIDE, LETTERS, Group, Names, unambiguous
from sealtrace.paper.names.words import distinguishing, likeness, same_word, squeezed, stems, telling, tells, vocabulary

LEAST_NAMED = 3
"""Labels of a series that must name values of a field, where these are less than half of them."""
MAX_FREE = 7
MAX_FIXED = 2
MOST_PAIRED = 5
"""Fields that labels name, of which every two are fixed together before others are."""
CONTRADICTED = 8.0
"""Bits for fixing a field to another value than the nearest label names."""
NEVER = 1e6
"""Bits of what is never believed."""


SETTING = re.compile(
    r"(?:^|[^a-z])(?:seed|fold|run|trial|rep|repeat|epoch|step|iter|layer|depth|width|dim|size|k|len|length|batch|level|order|"
    r"rank|bits|shots?|temp\w*|lr|alpha|beta|gamma|lambda|budget|year|month|day|round|stage|phase|split|version|[dnhk])(?:s?$|[^a-z])",
    re.IGNORECASE,
)
"""Names of whole numbers that were set and not measured."""


_COUNTED = re.compile(r"\(\d+\)")
_CONDITIONS = re.compile(r"[,;|]\s+|\s/\s")
NAMED = 0.45
"""Strength from which a label names a value."""
LEFT_OVER = 0.7
"""Strength of a label that names, in part, the one value which the other labels leave."""
_UNLIKE = 0.22
"""How much less surely than the others a label may name its rows."""


class ValueMatch(NamedTuple):
    """The one value of a field that a label names."""

    code: int
    strength: float


Named = dict[int, ValueMatch]
"""Field to the value that labels name."""
EVERY = -2
"""The code of a label that means all values of a field together."""
_EVERY = re.compile(
    r"\W*(?:all|overall|totals?|pooled|combined|aggregated?|average|avg\.?|mean)(?:\s++[a-z]+)?[^\w(]*+(?:\(.*\))?\W*+",
    re.IGNORECASE,
)


def says_every(label: str) -> bool:
    """Whether a label stands for all values of a field: `Overall`, `Total`."""
    return _EVERY.fullmatch(label) is not None


@dataclass
class Selection:
    """Rows of a frame that the labels of each number select."""

    fields: list[int]
    """Places of the fields that labels name."""
    codes: npt.NDArray[np.int32]
    """[number, field]; -1 where a number's labels say nothing."""
    chosen: npt.NDArray[np.bool_]
    """[number, row]"""
    cost: float
    sure: npt.NDArray[np.bool_] | None = None
    """The numbers whose labels name their rows about as well as the others' do."""
    by_value: Numbers | None = None
    """Where labels were read by the numbers beside them, not by names: what they were chosen from, [group, measure]."""
    score: float = 0.0
    """How well the labels name values of the field that they name best."""

    @cached_property
    def twins(self) -> npt.NDArray[np.int64]:
        """A number for each set of rows, so that numbers which select the same rows are seen."""
        _, twins = np.unique(self.codes, axis=0, return_inverse=True)
        return twins.reshape(-1)

    def telling(self, agrees: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The numbers that a disagreement would speak of: no other label that selects the same rows agrees."""
        taken = np.isin(self.twins, self.twins[agrees])
        return ~taken if self.sure is None else self.sure & ~taken


_TOGETHER = 0.75
"""Strength from which labels name a value together: all its words are said, one of them perhaps in part."""
_MOST_COMPARED = 2000
"""Values of a field up to which it is asked whether several labels name one of them together."""


@dataclass
class FrameView:
    """A frame with what is needed to look labels up in it."""

    frame: ResultFrame
    melted: bool
    names: Names
    _costs: dict[tuple[str, ...], Numbers] = field(default_factory=dict)
    read: dict[object, list[Selection]] = field(default_factory=dict)
    """Labels of series to the ways to read them."""
    _matches: dict[tuple[int, tuple[CellLabel, ...]], ValueMatch | None] = field(default_factory=dict)
    _spoken: dict[tuple[int, frozenset[str]], bool] = field(default_factory=dict)
    _words: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def _groups(self) -> list[Group[int]]:
        """The values of each field."""
        return [Group.of_values(tuple(dimension.values)) for dimension in self.frame.dimensions]

    def _find(self, place: int, text: str) -> ValueMatch | None:
        """The one value of a field that a text names best; what only counts columns, `(2)`, names none."""
        if _COUNTED.fullmatch(text):
            return None
        named = unambiguous(self.names.resolve(text, (self._groups[place],)))
        return None if named is None else ValueMatch(named.thing.id, named.strength)

    def measure_told(self, text: str) -> ValueMatch | None:
        """The measure that a text names by the words which tell it from the others: `female` of shares of each sex."""
        measures = Group.of_values(tuple(self.frame.measures))
        text = f"share of {text.replace('%', '')}" if "%" in text else text
        named = unambiguous(self.names.resolve(text, (measures,)))
        return None if named is None else ValueMatch(named.thing.id, named.strength)

    def nearly(self, place: int, labels: tuple[CellLabel, ...], line: str) -> set[int]:
        """The values of a field that hold more than a label says, and all of that; with what its line is called, those
        that hold the letters of a label."""
        group, values = (self._groups[place],), self.frame.dimensions[place].values
        if all(map(str.isdecimal, values)):
            return set()  # A number is said, or it is not.

        def holds(value: str, label: str) -> bool:
            own = telling(stems(label))
            said = all(any(same_word(word, piece) for piece in vocabulary(value)) for word in own)
            return squeezed(label) in squeezed(value) if line else bool(own) and said

        return {
            named.thing.id
            for label in labels
            for named in self.names.resolve(f"{label.text} {line}", group)
            if holds(values[named.thing.id], label.text)
        }

    def is_spoken_of(self, place: int, texts: frozenset[str]) -> bool:
        """Whether any of the texts names a value well; most fields are not spoken of in a table at all."""
        key = (place, texts)
        if key not in self._spoken:
            found = (self._find(place, text) for text in texts)
            self._spoken[key] = any(match is not None and match.strength >= NAMED for match in found)
        return self._spoken[key]

    def tells_apart_by(self, place: int, texts: frozenset[str]) -> bool:
        """Whether texts name several values of a field, one by one; a number among words is no value of it."""
        least = LETTERS if all(map(str.isdecimal, self.frame.dimensions[place].values)) else NAMED
        found = (self._find(place, text) for text in texts)
        return len({match.code for match in found if match is not None and match.strength >= least}) > 1

    @cached_property
    def measured(self) -> frozenset[str]:
        """What its rows measure, also where that was melted into one column."""
        return frozenset((self.frame.whole or self.frame).measures)

    @cached_property
    def rowed(self) -> FrameView:
        """The same with a field that names each row by where it stands, for labels that are read by value."""
        rows = Dimension(PLACE, self.frame.places, np.arange(self.frame.rows, dtype=np.int32))
        unique = len(set(self.frame.places)) == self.frame.rows and not self.melted
        frame = replace(self.frame, dimensions=[*self.frame.dimensions, rows]) if unique else self.frame
        return FrameView(frame, self.melted, self.names)

    def best(self, place: int, labels: tuple[CellLabel, ...]) -> ValueMatch | None:
        """The value of a field that one of the labels names best; a label under the field's own name goes first."""
        key = (place, labels)
        if key not in self._matches:
            own = tuple(label for label in labels if self.heads(place, label))
            found = None
            for label in own or labels:
                match = self._find(place, self._own_part(place, label.text))
                if match is not None and (found is None or match.strength > found.strength):
                    found = match
            self._matches[key] = found
        return self._matches[key]

    @cached_property
    def _composed(self) -> list[dict[str, list[frozenset[str]]]]:
        """Of each field, the words of its values of several words, with the words of these."""
        found: list[dict[str, list[frozenset[str]]]] = []
        for dimension in self.frame.dimensions:
            found.append({})
            for own in map(vocabulary, dimension.values if len(dimension.values) <= _MOST_COMPARED else ()):
                for word in own if len(own) > 1 else ():
                    found[-1].setdefault(word, []).append(own)
        return found

    def completed_by(self, header: frozenset[str], labels: frozenset[str]) -> frozenset[str]:
        """The words of a header that make, with labels of its numbers, whole names of values: `flores` of
        `gemini_flores`, and none of them alone does."""
        return frozenset(
            word
            for field in self._composed
            for word in header & field.keys()
            for own in field[word]
            if (rest := own - header) and all(any(same_word(label, piece) for label in labels) for piece in rest)
        )

    def composes(self, place: int, words: frozenset[str]) -> bool:
        """Whether values of a field are composed with some words."""
        return not words.isdisjoint(self._composed[place])

    def named_together(self, place: int, series: Series, number: int) -> ValueMatch | None:
        """The value that the labels of a number and of its line name together and in full, and none of them alone."""
        told = series.beside & self._composed[place].keys()
        if not told:
            return None
        own = [label.text for label in series.varying[number] if label.role != IN_CELL]
        match = self._find(place, " ".join((*own, series.constant[0])))
        if match is None or match.strength < _TOGETHER:
            return None
        words = vocabulary(self.frame.dimensions[place].values[match.code])
        alone = any(words <= vocabulary(text) for text in (*own, series.constant[0]))
        return match if words & told and not alone else None

    def _own_part(self, place: int, text: str) -> str:
        """What of a label of several conditions, `64×64, 5 %, 128 agents`, may speak of a field: the one that says its
        name; else those that say no other field's.

        What stands in brackets is no list of conditions, and what columns measure is named by the words of fields.
        """
        parts = _CONDITIONS.split(text)
        is_list = len(parts) > 1 and all(part.count("(") == part.count(")") for part in parts)
        if not is_list or self.frame.dimensions[place].name == COLUMN:
            return text
        told = [frozenset(stems(part)) for part in parts]
        own = [part for part, words in zip(parts, told, strict=True) if words & self._field_words[place]]
        others = frozenset().union(*self._field_words[:place], *self._field_words[place + 1 :])
        free = [part for part, words in zip(parts, told, strict=True) if not words & others]
        return own[0] if len(own) == 1 else ", ".join(free)

    @cached_property
    def _field_words(self) -> list[frozenset[str]]:
        """The words that tell the name of each field from the others."""
        return [frozenset(filter(tells, name)) for name in distinguishing([one.name for one in self.frame.dimensions])]

    def said(self, place: int, texts: tuple[str, ...]) -> ValueMatch | None:
        """The value of a field that labels of a whole series name; a number is named with its field only."""
        dimension = self.frame.dimensions[place]
        if dimension.name in self.measured:
            told = set(stems(dimension.name))
            texts = tuple(text for text in texts if told & set(stems(text)))
        return self.best(place, tuple(map(CellLabel, texts)))

    def known(self, place: int, values: dict[str, str]) -> ValueMatch | None:
        """The value of a field that is known of a label already."""
        field = self.frame.dimensions[place]
        code = field.code_of.get(values[field.name]) if field.name in values else None
        return None if code is None else ValueMatch(code, LETTERS)

    def heads(self, place: int, label: CellLabel) -> bool:
        """Whether a label stands under the name of a field."""
        name = self.frame.dimensions[place].name.partition("/")[0]
        return bool(label.under) and likeness(stems(label.under), name) >= 0.5

    def near_words(self, series: Series) -> tuple[str, ...]:
        """The words of the nearest label by which a statistic may be named.

        What is the name of a field or of its value is no statistic: `min` where a unit is minutes, `Median` over a
        column of that name.
        """
        if series.constant not in self._words:
            label = self.names.glossary.widened(series.constant[0])
            names = [measure for measure in self.measured if likeness(label, measure) >= AROUND]
            for place, dimension in enumerate(self.frame.dimensions):
                match = self.said(place, series.constant[:1])
                names += [dimension.values[match.code]] if match is not None and match.strength >= AROUND else []
            taken = {stem for name in names for stem in stems(name)}
            self._words[series.constant] = tuple(word for word in series.near_words if not set(stems(word)) <= taken)
        return self._words[series.constant]

    def words(self, series: Series) -> tuple[str, ...]:
        """The same of all labels."""
        return (*self.near_words(series), *series.far_words)

    def tells_apart(self, place: int, series: Series, number: int) -> int | None:
        """The code of the value of a field that the header, or a label of a number, is letter by letter.

        Less would not do: the 1 of `Dogwood 1B` is no seed.
        """
        match = self.said(place, series.constant[:1]) or self.best(place, series.varying[number])
        return None if match is None or match.strength < LETTERS else match.code

    def measure_costs(self, context: tuple[str, ...]) -> Numbers:
        """Bits to name each measure, given the labels around the numbers."""
        if context not in self._costs:
            scores = np.zeros(len(self.frame.measures))
            for weight, text in zip((1.0, 0.5, 0.3, 0.3), context, strict=False):
                label = self.names.glossary.widened(text)
                scores += weight * np.array([likeness(label, measure) for measure in self.frame.measures])
            self._costs[context] = rank_cost(ranks(np.round(scores, 3)))
        return self._costs[context]


def frame_costs(views: list[FrameView], series: Series) -> Numbers:
    """Bits to name each frame: few for those whose fields the labels name best, and whose files the caption names.

    Values are not looked at, so that the order says nothing of what agrees.
    """
    told = frozenset(stems(f"{series.grid.name} {series.grid.caption}"))
    scores = np.zeros(len(views))
    for place, view in enumerate(views):
        read = selections(view, series)
        file = [word for word in stems(view.frame.name) if not word.isdecimal()]
        named = sum(any(same_word(word, piece) for word in told) for piece in file) / max(1, len(file))
        scores[place] = max((selection.score for selection in read), default=-1.0) + 0.5 * named
    costs: Numbers = np.minimum(np.log2(max(2, len(views))), rank_cost(ranks(np.round(scores, 2))))
    return costs


@dataclass
class _Matched:
    """A field whose values labels name."""

    score: float
    place: int
    codes: npt.NDArray[np.int32]
    sure: npt.NDArray[np.bool_]


def selections(view: FrameView, series: Series) -> list[Selection]:
    """Ways to read the labels as values of fields: all fields that match, and all but one."""
    known = tuple(tuple(known.items()) for known in series.known)
    key = (tuple(series.varying), known, series.beside)
    if key not in view.read:
        view.read[key] = _selections(view, series)
    return view.read[key]


def hear_headers(lines: Iterable[Series], views: list[FrameView]) -> None:
    """Keeps, of each series, the words of its nearest label that name records together with those of its numbers."""
    for series in lines:
        labels = frozenset(word for labels in series.varying for label in labels for word in stems(label.text))
        header = frozenset(stems(series.constant[0]))
        series.beside = frozenset().union(*(view.completed_by(header, labels) for view in views))


def _selections(view: FrameView, series: Series) -> list[Selection]:
    frame = view.frame
    matched: list[_Matched] = []
    for place, dimension in enumerate(frame.dimensions):
        if len(dimension.values) < 2:
            continue
        told = any(dimension.name in known for known in series.known) or view.composes(place, series.beside)
        if not told and not view.is_spoken_of(place, series.texts):
            continue
        for found in _readings(view, place, series):
            match = _matched(view, place, series, found)
            matched += [match] if match is not None else []
    matched.sort(key=lambda match: (-match.score, match.place))
    matched = matched[:6]
    if not matched or (view.melted and not any(_is_column(frame, match.place) for match in matched)):
        return []
    found_selections: list[Selection] = []
    seen: set[bytes] = set()
    wholes = [
        matched,
        *([match for match in matched if match is not left] for left in matched),
        *([match] for match in matched),
    ]
    for option in wholes:
        selection = _selection(frame, option, len(series.slots))
        if selection is None or (view.melted and not any(_is_column(frame, place) for place in selection.fields)):
            continue
        key = np.packbits(selection.chosen).tobytes()
        if key not in seen:
            seen.add(key)
            selection.cost = 1.0 + math.log2(1 + len(found_selections))
            found_selections.append(selection)
    return found_selections[:6]


def _matched(view: FrameView, place: int, series: Series, found: list[ValueMatch | None]) -> _Matched | None:
    """A reading of a field, if it names enough."""
    codes = np.array([-1 if match is None else match.code for match in found], np.int32)
    known = codes >= 0
    few = known.mean() < 0.5 and known.sum() < LEAST_NAMED
    if few or (len(series.slots) > 1 and len(np.unique(codes[known])) < 2):
        return None
    scores = np.array([0.0 if match is None else match.strength for match in found])
    sure = scores >= min(AROUND, np.median(scores[known]) - _UNLIKE)
    if not _is_column(view.frame, place):
        # What such a label means is not sure: a mean over all rows, or over the rows of the table.
        every = [any(says_every(label.text) for label in labels) for labels in series.varying]
        codes[~known & every] = EVERY
    return _Matched(float(scores.mean()), place, codes, sure)


_ALONE = 0.95
"""Share of what all labels say of a field from which one part of them, as the first column, is taken to name it."""


def _readings(view: FrameView, place: int, series: Series) -> list[list[ValueMatch | None]]:
    """The values of a field that the labels of each number name: those of one part of the table, if these say enough.

    Where rows are named `base | test` and both words are values of a field, it must not be read now by one and now by
    the other; where both parts name it in full, each is a reading of its own.
    """
    roles = dict.fromkeys(label.role for labels in series.varying for label in labels)
    if any(view.heads(place, label) for labels in series.varying for label in labels):
        roles = {}
    readings: list[list[ValueMatch | None]] = []
    for wanted in (None, *(roles if len(roles) > 1 else ())):
        parts = [tuple(label for label in labels if wanted in (None, label.role)) for labels in series.varying]
        found = [view.known(place, known) or view.best(place, labels)
                 for labels, known in zip(parts, series.known, strict=True)]  # fmt: skip
        readings.append([match if match is not None and match.strength >= NAMED else None for match in found])
    whole, *single = [sum(match.strength for match in found if match is not None) for found in readings]
    alone = [found for found, said in zip(readings[1:], single, strict=True) if said >= _ALONE * whole] or readings[:1]
    together = [view.named_together(place, series, number) for number in range(len(series.slots))]
    together = _with_the_rest(view, place, series, together, series.constant[0])
    rest = [_with_the_rest(view, place, series, found, "") for found in alone]
    return [found for found in (together, *rest) if any(found) and found not in alone] + alone


def _with_the_rest(
    view: FrameView, place: int, series: Series, found: list[ValueMatch | None], line: str
) -> list[ValueMatch | None]:
    """The same with labels that name only one of the values which the other labels leave, and that only partly."""
    known = {match.code for match in found if match is not None}
    open_ones = [number for number, match in enumerate(found) if match is None]
    if not open_ones or len(known) < max(2, len(open_ones)):
        return found
    left: dict[int, list[int]] = {}
    for number in open_ones:
        near = view.nearly(place, series.varying[number], line) - known
        if len(near) == 1:
            left.setdefault(near.pop(), []).append(number)
    meant = {numbers[0]: ValueMatch(code, LEFT_OVER) for code, numbers in left.items() if len(numbers) == 1}
    others = set(range(len(view.frame.dimensions[place].values))) - known
    if not meant and not line and len(others) == len(open_ones) == 1:
        meant = {open_ones[0]: ValueMatch(others.pop(), NAMED)}  # enough to follow, too little to differ
    return [meant.get(number, match) for number, match in enumerate(found)]


def _is_column(frame: ResultFrame, place: int) -> bool:
    """Whether a field of a melted frame names the measure, or a half of it."""
    return frame.dimensions[place].name.partition("/")[0] == COLUMN


def _half_left(frame: ResultFrame, fields: list[int]) -> set[int] | None:
    """Fields of which one must be fixed, so that a measure is named whole; None where nothing is left to name."""
    names = [frame.dimensions[place].name for place in fields]
    named = [name.removeprefix(f"{COLUMN}/") for name in names if name.startswith(f"{COLUMN}/")]
    halves = [place for place in named if place in OTHER_HALF]  # a file may have a field that is called so
    if COLUMN in names or not halves or any(OTHER_HALF[half] in halves for half in halves):
        return None
    wanted = {f"{COLUMN}/{OTHER_HALF[half]}" for half in halves}
    return {place for place, dimension in enumerate(frame.dimensions) if dimension.name in wanted}


def rows_named(field: Dimension, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """The rows that have the value of each code: [code, row]."""
    rows: npt.NDArray[np.bool_] = field.codes[None, :] == codes[:, None]
    rows[codes == -1] = False
    rows[codes == EVERY] = field.codes >= 0
    return rows


def _selection(frame: ResultFrame, matched: list[_Matched], numbers: int) -> Selection | None:
    """The rows that all the fields select together; a field that leaves most numbers without a row is not used."""
    chosen = np.ones((numbers, frame.rows), dtype=bool)
    covered = np.ones(numbers, dtype=bool)
    fields: list[int] = []
    columns: list[npt.NDArray[np.int32]] = []
    sure = np.ones(numbers, dtype=bool)
    for match in matched:
        if match.place in fields:
            continue
        narrowed = chosen & rows_named(frame.dimensions[match.place], match.codes)
        left: npt.NDArray[np.bool_] = np.any(narrowed, axis=1)
        if not left.any() or (fields and left.sum() < 0.8 * covered.sum()):
            continue
        chosen, covered = narrowed, left
        fields.append(match.place)
        columns.append(match.codes)
        sure &= match.sure
    if not fields:
        return None
    score = max(match.score for match in matched if match.place in fields)
    return Selection(fields, np.column_stack(columns), chosen, 1.0, sure, score=score)


def fixed_sets(
    view: FrameView, group: list[Series], selection: Selection, *, deep: bool
) -> Iterator[tuple[list[int], list[Named]]]:
    """Sets of fields to fix to one value for a whole series, with the values that the labels of each name for them."""
    frame = view.frame
    rows = np.nonzero(selection.chosen.any(axis=0))[0]
    matches: dict[int, list[ValueMatch | None]] = {}
    alike: dict[bytes, list[int]] = {}
    for place, dimension in enumerate(frame.dimensions):
        if place in selection.fields or not 1 < len(np.unique(dimension.codes[rows])) <= 60:
            continue
        found = [view.said(place, series.constant) for series in group]
        if dimension.name in view.measured and not any(found) and not SETTING.search(dimension.name):
            # A whole number that is measured selects rows only where labels say so.
            continue
        matches[place] = found
        alike.setdefault(_relabelled(dimension.codes[rows]), []).append(place)

    def spoken(place: int) -> float:
        return sum(match.strength for match in matches[place] if match is not None)

    # Of fields that cut the rows alike, the one that labels name best will do.
    free = [max(same, key=lambda place: (spoken(place), -place)) for same in alike.values()]
    free.sort(key=lambda place: (not spoken(place), len(np.unique(frame.dimensions[place].codes[rows])), place))
    named: list[Named] = [
        {place: match for place in free if (match := matches[place][at]) is not None} for at in range(len(group))
    ]
    places = free[:MAX_FREE]
    said = sum(spoken(place) > 0 for place in places)
    close = places if deep else places[: max(2, min(said, MOST_PAIRED))]
    half = _half_left(frame, selection.fields) if view.melted else None
    for size in range(MAX_FIXED + 1):
        for chosen in combinations(places if size < 2 else close, size):
            if half is None or half & set(chosen):
                yield list(chosen), named


def _relabelled(codes: npt.NDArray[np.int32]) -> bytes:
    """Codes numbered in the order of their first row, so that two fields that cut rows alike are the same."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[inverse.reshape(-1)].tobytes()


def filter_costs(view: FrameView, fixed: list[int], filters: npt.NDArray[np.int32], named: Named) -> Numbers:
    """Bits to say which values the fixed fields have."""
    costs = np.zeros(len(filters))
    fields = max(2, len(view.frame.dimensions))
    for column, place in enumerate(fixed):
        values = max(2, len(view.frame.dimensions[place].values))
        blind = 1.0 + math.log2(fields) + math.log2(values)
        costs += np.where(filters[:, column] < 0, 1.0, 0.0)
        if place in named:
            said = 1.5 if named[place].strength >= AROUND else 3.0
            # A value that a label plainly contradicts would be a swap, which columns show better.
            other = blind + (CONTRADICTED if named[place].strength >= INSIDE else 0.0)
            name = view.frame.dimensions[place].name
            if name in view.measured and not SETTING.search(name):
                # What is measured selects by the value that labels say, and by no other.
                other = NEVER
            costs += np.where(filters[:, column] == named[place].code, min(blind, said), other)
        else:
            costs += blind
    return costs
