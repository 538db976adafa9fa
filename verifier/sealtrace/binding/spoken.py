"""What a sentence names for each of its numbers, whatever the number says: the labels' witness of running text.

A *source* holds named values: a table that results give, or the records of results. A sentence reads it for a number
where it names the measure in full and so much else that only one value is left. Where several rows or measures are
named, each number takes those of its own part of the sentence: `A reaches 61, B 58` and `61 for A and 58 for B` name in
turn. A number that speaks of two rows of one measure, as in `2.3 points over B`, is read as their difference or ratio.

The value is compared with the printed number by the caller: they agree, or the sentence says something else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np

from sealtrace.binding.candidates import Bound
from sealtrace.binding.derived import REPEAT
from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.frames import Dimension, Numbers, ResultFrame
from sealtrace.binding.records import MAX_VALUES, primary
from sealtrace.binding.series import Grid, GridCell, Spot
from sealtrace.binding.slots import HALF, gaps, scales
from sealtrace.paper.names.index import APART, LETTERS, WORDS, Group, Names, Resolved, Thing
from sealtrace.paper.names.words import Word, squeezed, stems, words
from sealtrace.paper.numbers import PrintedNumber
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.statistics.entries import STATISTICS, TRIED

_PLAIN = re.compile(r"(?<=.)[ _.-](?:mean|avg|average|value|score)$|^(?:mean|avg|average)[ _.-](?=.)", re.IGNORECASE)
"""What field names have before or behind a measure that sentences leave out."""
_CHANGES = (
    r"higher|lower|larger|smaller|greater|better|worse|faster|slower|gains?|gained|improv\w+|outperform\w*|exceed\w*|"
    r"increas\w+|decreas\w+|reduc\w+|drops?|dropped|rises?|rose|falls?|fell|gap|differ\w*|ratio|change\w*|loses?|lost|"
    r"beats?|margin|relative|speed-?ups?|fold"
)
_COMPARED = re.compile(
    rf"\b(?:{_CHANGES}|more|less|fewer|over|above|below|than|versus|vs|ahead|behind)\b", re.IGNORECASE
)
"""Words of a sentence that compares: its number may be a difference or a ratio."""
_CHANGE_BEFORE = re.compile(rf"\b(?:by|factor of|{_CHANGES})(?: of| by)?(?: about| up to)?\s+[+−-]?$", re.IGNORECASE)
_CHANGE_BEHIND = re.compile(rf"[\s-]*(?:\(?(?:relative|absolute)\)?\s+)?(?:{_CHANGES})\b", re.IGNORECASE)
"""What stands beside a number that is a difference or a ratio itself: `by 3.4`, `a 34 % reduction`."""


@dataclass(frozen=True)
class NamedAxis:
    """Names by which the values of a source are told apart: the values of a field, row labels, headers, measures."""

    group: Group[int]
    codes: np.ndarray
    """The name of each value; -1 where it has none."""
    repeats: bool = False
    """Whether it numbers repeats, which are printed as their mean."""


@dataclass(frozen=True)
class NamedValues:
    """Named values of one table of the paper or of results."""

    files: tuple[str, ...]
    axes: tuple[NamedAxis, ...]
    """The last is what is measured: a sentence must name it, unless it has one name."""
    values: Numbers
    where: Callable[[int], str]
    """Where a value stands, for people."""
    grid: Grid | None = None
    """The table of the paper that it is."""
    derived: bool = False
    """Whether its values are made of those of files: a sentence that speaks of them says what they measure."""


@dataclass(frozen=True)
class SentenceReading:
    """What a source gives for a number of the text."""

    source: NamedValues
    values: tuple[float, ...]
    """What the number may be: a value, or what two values differ by in several views."""
    text: str
    exact: bool
    """Whether all names are said in full, and nothing says that it is not the value itself."""
    measure: int
    """Its place among the names of what the source measures."""
    heard: frozenset[tuple[int, int]]
    """Where the sentence says what the source knows: its names, and words of the table's caption."""
    place: int = -1
    """Where the value stands among those of its source; -1 for what two values differ by."""
    listed: bool = False
    """Whether only numbers beside it, of its record or its measure, show that the value itself is meant."""

    def is_beside(self, other: SentenceReading) -> bool:
        """Whether another reading is of the same record, or the same measure, of the same results."""
        if self.measure == other.measure or min(self.place, other.place) < 0:
            return self.measure == other.measure and self.source.files == other.source.files
        names = (axis.codes for axis in self.source.axes[:-1])
        return self.source is other.source and all(codes[self.place] == codes[other.place] for codes in names)

    def prints(self, slot: PrintedNumber) -> bool:
        """Whether the number says so, its sign aside where the text has none."""
        return says(slot, self.values)


def says(slot: PrintedNumber, values: Sequence[float]) -> bool:
    """Whether a number prints one of some values, its sign aside where the text has none."""
    return bool(np.any([gaps(slot, np.array(values), scale) <= HALF for scale in scales(slot)]))


def sources_of(grids: Iterable[Grid], bound: Bound, frames: list[ResultFrame]) -> list[NamedValues]:
    """Tables with what results give of them, then the results themselves, no file's values twice."""
    printed = [(grid, frame) for grid in grids if (frame := as_results(grid, bound, first=True)) is not None]
    found = [_of_frame(frame, grid) for grid, frame in printed if np.isfinite(frame.numbers).sum() > 1]
    found += [_of_frame(frame) for frame in frames if 0 < frame.numbers.size <= MAX_VALUES]
    many = [frame for frame in frames if frame.rows >= _MANY and not frame.derived and frame.numbers.size <= MAX_VALUES]
    return found + [described for frame in many[:_MOST_DESCRIBED] for described in _described(frame)]


def as_results(grid: Grid, bound: Bound, *, first: bool = False) -> ResultFrame | None:
    """A table of the paper as one of results, or the `first` numbers of its cells; None where nothing gives any.

    What nothing gives has its place all the same, so that nothing else is taken for it.
    """
    rows, columns = _shape(grid, first)
    given = [[bound.numbers.get(Spot(grid.number, row, *place)) for place in columns] for row in rows]
    followed = [number for own in given for number in own if number is not None and number.agrees]
    if not followed:
        return None
    numbers = [[float(number.slot.value) if number is not None and number.agrees else np.nan for number in own]
               for own in given]  # fmt: skip
    headers = [grid.headers[column] for column in grid.labels]
    labels = [Dimension.of(header if header and headers.count(header) == 1 else f"label {place}",
                           [grid.row_labels[row][place] for row in rows])
              for place, header in enumerate(headers)]  # fmt: skip
    return ResultFrame(
        grid.name, list(dict.fromkeys(file for number in followed for file in number.binding.candidate.files)),
        # Sentences name a group of rows rarely, and tell nothing apart by it where they name the row.
        [*labels, Dimension.of("group", [grid.titles.get(row, "") if first else "" for row in rows])],
        [grid.headers[column] for column, _ in columns], np.array(numbers),
        [f"{grid.name}, row {grid.row_name(row)}" for row in rows],
    )  # fmt: skip


def _shape(grid: Grid, first: bool) -> tuple[list[int], list[tuple[int, int]]]:
    """The rows of a table that print numbers, and its columns with which of a cell's numbers it is."""
    places = {(column, at) for (_, column), cell in grid.cells.items() for at in range(1 if first else len(cell.slots))}
    return sorted({row for row, _ in grid.cells}), sorted(places)


def place_of(grid: Grid, row: int, column: int) -> tuple[Grid, GridCell, int]:
    """The cell of a table that a value of it as results is, and which of its numbers."""
    rows, columns = _shape(grid, first=False)
    return grid, grid.cells[rows[row], columns[column][0]], columns[column][1]


def _of_frame(frame: ResultFrame, grid: Grid | None = None) -> NamedValues:
    """The values of results or of a table, by the fields that tell rows apart and by their measures."""
    fields = primary(frame)
    frame = frame.only(set(frame.measures) - {field.name for field in fields})
    rows, width = frame.numbers.shape
    axes = [
        NamedAxis(
            Group.of_values(tuple(field.values), field.name),
            np.repeat(field.codes, width),
            REPEAT.search(field.name) is not None,
        )
        for field in fields
    ]
    measures = _measures(tuple(frame.measures))
    axes.append(NamedAxis(measures, np.tile(np.arange(width, dtype=np.int32), rows)))

    def where(at: int) -> str:
        row, column = divmod(at, width)
        return f"{frame.measures[column]} at {frame.places[row]}"

    return NamedValues(
        tuple(frame.files), tuple(axes), frame.numbers.reshape(-1), where, grid, bool(frame.derived),
    )  # fmt: skip


_MANY, _MOST_DESCRIBED, _FEW_VALUES = 8, 40, 12
"""Rows from which a file is described as a sample, files that are, and values of a field that tell groups apart."""
_DESCRIBING = {"mean": "mean", "sd": "sd", "median": "median", "min": "minimum", "max": "maximum"}
"""How samples are described: names of what `evaluate` gives, and their entries among the statistics."""
_CALLED = Group(
    (Thing("statistic", at, (name, *STATISTICS[name].words)) for at, name in enumerate(_DESCRIBING.values())),
    verbatim=True,
)


def _described(frame: ResultFrame) -> Iterator[NamedValues]:
    """A sample as sentences describe it, `aged 18 to 79 years (mean 49.7, SD 18.7)`: all rows, and by one field."""
    telling = primary(frame)
    fields = [at for at, field in enumerate(frame.dimensions)
              if any(field is one for one in telling) and 1 < len(field.values) <= _FEW_VALUES]  # fmt: skip
    whole = np.ones((1, frame.rows), dtype=bool)
    for fixed in ([], *([at] for at in fields)):
        evaluated = evaluate(frame, whole, fixed, statistics=_DESCRIBING)
        if evaluated is None:
            continue
        values = evaluated.values[:, 0]
        statistic, group, measure = np.indices(values.shape).reshape(3, -1)
        known = np.array([[*_DESCRIBING].index(name) for name in evaluated.statistics])
        chosen = [frame.dimensions[at] for at in fixed]
        axes = [NamedAxis(Group.of_values(tuple(field.values), field.name), evaluated.filters[group, place])
                for place, field in enumerate(chosen)]  # fmt: skip
        axes += [NamedAxis(_CALLED, known[statistic]), NamedAxis(_measures(tuple(frame.measures)), measure)]

        def where(at: int, shape: tuple[int, ...] = values.shape, names: Sequence[str] = evaluated.statistics) -> str:
            which, _, column = np.unravel_index(at, shape)
            return f"{TRIED['values'][names[int(which)]].text} of {frame.measures[int(column)]} in {frame.name}"

        yield NamedValues(tuple(frame.files), tuple(axes), values.reshape(-1), where, derived=True)


@lru_cache(maxsize=4096)
def _measures(names: tuple[str, ...]) -> Group[int]:
    """Measures by their names, also without a mean or a score."""
    told = [tuple(dict.fromkeys((name, _PLAIN.sub("", name)))) for name in names]
    return Group(Thing("measure", at, texts) for at, texts in enumerate(told))


class SentenceWitness:
    """Sources, ready to be asked what sentences name in them."""

    def __init__(self, sources: list[NamedValues], names: Names) -> None:
        self._sources = sources
        self._names = names
        self._groups = tuple({id(axis.group): axis.group for source in sources for axis in source.axes}.values())
        self._owner = {id(thing): group for group in self._groups for thing in group.things}

    def _apart(self, sentence: Sentence) -> Iterator[tuple[Group[int], Resolved[int]]]:
        """Labels of tables that a sentence says, but no passage of it: `on parsing … an accuracy of` says
        `Parsing Accuracy`. The last of them stands for all; longer labels come first."""
        given = {word.stem: word for word in words(sentence.text)}
        for group, thing, told in self._labels:
            if told <= given.keys():
                last = max((given[word] for word in told), key=lambda word: word.start)
                yield group, Resolved(thing, WORDS, (last,))

    @cached_property
    def _labels(self) -> list[tuple[Group[int], Thing[int], frozenset[str]]]:
        """Labels of several words of tables; a single letter is no word that could stand apart."""
        of_tables = {id(axis.group): axis.group for source in self._sources if source.grid for axis in source.axes}
        labels = [
            (group, thing, frozenset(stems(thing.texts[0]))) for group in of_tables.values() for thing in group.things
        ]
        labels = [label for label in labels if len(label[2]) > 1 < min(map(len, label[2]))]
        return sorted(labels, key=lambda label: -len(label[2]))

    def readings(self, sentence: Sentence, numbers: Sequence[TextNumber]) -> dict[str, list[SentenceReading]]:
        """For each number of a sentence, by its id, what sources give."""
        said: dict[int, list[Resolved[int]]] = defaultdict(list)
        for named in self._names.resolve(sentence.text, self._groups, running=True):
            if named.strength >= APART:
                said[id(self._owner[id(named.thing)])].append(named)
        for group, named in self._apart(sentence):
            if id(group) not in said:
                said[id(group)].append(named)
        found: dict[str, list[SentenceReading]] = defaultdict(list)
        if not said:
            return found
        text = _without_asides(sentence.text, chain.from_iterable(said.values()))
        numbers = [number for number in numbers if text[number.start] != " "]
        everything = {one.span: one for named in said.values() for one in named}
        for source in self._sources:
            measure = source.axes[-1].group
            chosen = len(measure.things) > 1 or source.derived
            if chosen and id(measure) not in said and "=" not in text:
                continue
            mentions = [sorted(said.get(id(axis.group), ()), key=lambda one: one.span) for axis in source.axes]
            if not any(mentions):
                continue
            # `The mean age of the 212 patients was 61.3`: a count of what has no name here takes no name from others.
            spans = [one.span for own in mentions for one in own]
            meant = [number for number in numbers
                     if _symbol_before(text, number.start) or _speaks_of(text, number, spans)]  # fmt: skip
            told = _in_caption(source.grid, everything)
            # `A gains 3.4 points over B (71.2 vs. 67.8)`: names are those of the values in turn, and of the change.
            changes = [number for number in meant if _is_change(text, number)]
            values = [number for number in meant if number not in changes]
            for own in (values, changes):
                for at, number in enumerate(own):
                    reading = _reading(source, mentions, text, own, at)
                    if reading is not None:
                        found[number.id].append(replace(reading, heard=reading.heard | told))
        # One value is not several numbers: a name that leaves the same for two of them does not tell which is meant.
        slots = {number.id: number.number for number in numbers}
        printed: dict[str, set[Fraction]] = defaultdict(set)
        for key, readings in found.items():
            for reading in readings:
                printed[reading.text].add(slots[key].value)

        def is_its_own(key: str, one: SentenceReading) -> bool:
            """Whether no other number of the sentence says the value: the 71 of `71 of 120 (59.2 %)` is no share."""
            others = [other.number for other in sentence.numbers if other.id != key]
            return one.prints(slots[key]) or not any(float(other.value) in one.values for other in others)

        return {
            key: [replace(one, exact=one.exact and len(printed[one.text]) == 1 and is_its_own(key, one))
                  for one in readings]
            for key, readings in found.items()
        }  # fmt: skip


_BRACKETS = re.compile(r"(?<=[\d%] )\([^()=]*[A-Za-z][^()=]*\)")


def _without_asides(text: str, named: Iterable[Resolved[int]]) -> str:
    """A sentence with blanks for brackets that name nothing behind numbers, as `(SD 0.04)` before the number's name."""
    starts = [one.span[0] for one in named]

    def blank(match: re.Match[str]) -> str:
        return match[0] if any(match.start() < start < match.end() for start in starts) else " " * len(match[0])

    return _BRACKETS.sub(blank, text)


_SEVERAL = -2
"""The code of an axis of which several names are said, and none of them is the number's."""


@dataclass(frozen=True)
class _Meant:
    """Which name of an axis is a number's."""

    code: int
    """-1 where none is said."""
    own: bool = False
    """Whether it is said in the number's own part of the sentence."""
    sure: bool = True
    """Whether it is said in full, before the number or right behind it."""
    said: tuple[Resolved[int], ...] = ()


_RIGHT_BEHIND = re.compile(r"[\s=:,(~≈]{0,3}[+−-]?\d")


def _meant(mentions: list[Resolved[int]], text: str, numbers: Sequence[TextNumber], at: int) -> _Meant:
    """The name of an axis that is a number's: the one of its part of the sentence, or that of the number before it."""
    if not mentions:
        return _Meant(-1)
    starts, ends = [number.start for number in numbers], [number.end for number in numbers]
    # `61 for A and 58 for B` names behind its numbers; `148 people (mean 49.7, SD 18.7)` right before them.
    before = mentions[0].span[0] < starts[0] or all(_RIGHT_BEHIND.match(text, one.span[1]) for one in mentions)
    low, high = (([0, *ends])[at], starts[at]) if before else (ends[at], ([*starts, len(text)])[at + 1])
    near = [one for one in mentions if low <= one.span[0] < high]
    inside = {one.thing.id for one in near}
    ordered = list(dict.fromkeys(one.thing.id for one in mentions))
    after = ends[at], ([*starts, len(text)])[at + 1]
    reached = [one for one in mentions if one.span[1] <= starts[at] or after[0] <= one.span[0] < after[1]]

    def found(code: int) -> _Meant:
        said = tuple(one for one in mentions if one.thing.id == code)
        sure = any(one.strength >= WORDS and one in reached and not _is_part(text, one.span) for one in said)
        return _Meant(code, code in inside, sure, said)

    if len(ordered) == 1:
        return found(ordered[0])
    outside = all(one.span[1] <= starts[0] for one in mentions) or all(one.span[0] >= ends[-1] for one in mentions)
    if outside and len(ordered) == len(numbers) > 1:
        return replace(found(ordered[at]), own=True, sure=all(one.strength >= WORDS for one in mentions))
    if len(inside) == 1 and not (outside and len(numbers) > 1):
        return found(min(inside))
    if outside or inside or at == 0 or not before:
        return _Meant(_SEVERAL, sure=False, said=tuple(mentions))
    # What follows may speak of something that has no name here, unless it goes on with `, SD = 0.7`.
    last = _meant(mentions, text, numbers, at - 1)
    return replace(last, own=False, sure=last.sure and _GOES_ON.fullmatch(text, ends[at - 1], starts[at]) is not None)


_GOES_ON = re.compile(r"[,;]\s*\S+\s*=\s*[+−-]?")


def _in_caption(grid: Grid | None, mentions: Mapping[tuple[int, int], Resolved[int]]) -> set[tuple[int, int]]:
    """Which mentions a table's caption makes as well: an accuracy is one of each of its columns."""
    told = {*stems(grid.caption)} if grid is not None else set()
    return {span for span, one in mentions.items() if told and {word.stem for word in one.words} <= told}


def _is_part(text: str, span: tuple[int, int]) -> bool:
    """Whether a hyphen joins a mention to another word: `reproductive-age` is no age."""
    return text[span[0] - 1 : span[0]] == "-" or text[span[1] : span[1] + 1] == "-"


def _is_change(text: str, number: TextNumber) -> bool:
    """Whether a number is called a difference or a ratio by what stands beside it."""
    beside = _CHANGE_BEFORE.search(text[: number.start]) or _CHANGE_BEHIND.match(text, number.end)
    return number.unit in ("pp", "×") or beside is not None


def _symbol_before(text: str, place: int) -> re.Match[str] | None:
    """The symbol that an equals sign right before a place defines."""
    return _SYMBOL.search(text, max(0, place - _LONGEST_SYMBOL), place)


def _reading(
    source: NamedValues, mentions: list[list[Resolved[int]]], text: str, numbers: Sequence[TextNumber], at: int
) -> SentenceReading | None:
    number, change = numbers[at], _is_change(text, numbers[at])
    partner, is_range = _partner(text, numbers, at)
    # The second end of a range has no names of its own.
    meant = [_meant(own, text, numbers, at - 1 if is_range and partner < at else at) for own in mentions]
    symbol = _symbol_before(text, number.start)
    if symbol is not None and (signed := _signs(source.axes[-1].group).get(_sign(symbol[1]))) is not None:
        word = Word(symbol[1], *symbol.span(1))
        said = (Resolved(signed, LETTERS, (word,)),)
        meant[-1] = _Meant(signed.id, own=True, said=said)
    measure = meant[-1]
    if measure.code == -1 and (len(source.axes[-1].group.things) > 1 or source.derived):
        return None
    named = np.ones(len(source.values), dtype=bool)
    several = any(one.code == _SEVERAL for one in meant)
    for axis, one in zip(source.axes, meant, strict=True):
        if one.code >= 0:
            named &= axis.codes == one.code
    chosen = named & np.isfinite(source.values)
    spans = [one.span for own in meant for one in own.said]
    if not chosen.any() or not _speaks_of(text, number, spans):
        return None
    compared = symbol is None and (change or _COMPARED.search(text) is not None)
    sides = _sides(source, mentions, meant) if compared else []
    apart = _apart(source, sides, meant, text, numbers, at) if sides else None
    if apart is not None and (apart.prints(number.number) or (change and apart.exact)):
        return apart
    value = None if several or not any(one.own for one in meant) else _one(source, chosen)
    made = value is None
    if made and not several and any(one.own for one in meant):
        values = source.values[chosen]
        by_name = not source.derived and any(one.code >= 0 for one in meant[:-1])
        mean = float(values.mean()) if by_name and _MEANS.search(text) else None
        value = float(values.min() if partner > at else values.max()) if is_range else mean
    if partner >= 0 and sides and not change:
        # `from 12.3 to 8.1`: each is what the other is not.
        rest = [end for end in sides if says(number.number, end[:1])]
        rest = rest or [end for end in sides if not says(numbers[partner].number, end[:1])]
        value, chosen = rest[0] if len(rest) == 1 else (None, chosen)
        made = True
    if value is None:
        return None
    called = [one.span for axis, own in zip(source.axes, mentions, strict=True) if axis.group is _CALLED for one in own]
    varies = number.number.role == "sd" and not called and symbol is None  # `(SE = 0.31)` names it itself
    loose = number.loose or text[: number.start].rstrip().endswith("±") or varies
    sure = (
        measure.code >= 0
        and all(one.sure or (made and one.code == _SEVERAL) for one in meant)
        # A cell that nothing gives is a cell all the same, and may be the one that is meant.
        and (source.grid is None or several or bool(np.array_equal(named, chosen)))
        and not change
        and not loose
        and (made or not _is_statistic(source, measure.code, text, [*spans, *called], value))
    )
    place = int(np.nonzero(chosen)[0][0])
    # A letter has many meanings: `r` is the correlation of any two things.
    listed = compared or made or (symbol is not None and len(squeezed(symbol[1])) == 1)
    what = ("an end of the range of " if is_range else "the mean ") * (made and not several)
    return SentenceReading(
        source, (value,), what + source.where(place), sure, measure.code, frozenset(spans), place, listed,
    )  # fmt: skip


_SYMBOL = re.compile(r"([^\s(,;=]{1,60})\s{0,9}=\s{0,9}[+−-]?$")
_LONGEST_SYMBOL = 150
CALLED_P = frozenset({"p", "pval", "pvalue"})


def _sign(name: str) -> str:
    """A name as a symbol before an equals sign would be written."""
    plain = squeezed(name)
    return "p" if plain in CALLED_P else plain


@lru_cache(maxsize=4096)
def _signs(group: Group[int]) -> dict[str, Thing[int]]:
    """Measures by what would stand before an equals sign, as `p` in `p = 0.03`."""
    signs = {_sign(text): thing for thing in group.things for text in thing.texts}
    # `Pearson r` and `Cohen's d` are written with their letter.
    letters = [(text.rpartition(" ")[2], thing) for thing in group.things for text in thing.texts]
    alone = Counter(letter for letter, _ in letters)
    known = {letter: thing for letter, thing in letters if len(letter) == alone[letter] == 1} | signs
    return {"m": known["mean"], **known} if "mean" in known else known


_NOUN = re.compile(r"[\s-]?([A-Za-z]{3,})")
_LINKS = frozenset({"and", "for", "with", "the", "versus", "from", "but", "while", "under", "when", "respectively"})


def _speaks_of(text: str, number: TextNumber, spans: list[tuple[int, int]]) -> bool:
    """Whether nothing says that a number is something else than what is named: the symbol before its equals sign, or
    the noun behind a count, must be among the names."""
    if (symbol := _symbol_before(text, number.start)) is not None:
        return any(start < symbol.end(1) and symbol.start(1) < end for start, end in spans)
    noun = _NOUN.match(text, number.end)
    if number.unit or number.decimals or noun is None or noun[1] in _LINKS:
        return True
    return any(start < noun.end(1) and noun.start(1) < end for start, end in spans)


_STATISTIC = re.compile(
    r"\b(?:mean|average|median|max(?:imum)?|min(?:imum)?|largest|smallest|highest|lowest|best|worst|peak|total|sum|overall|"
    r"range|ranging|sd|standard|between|most|least|each|every|all|both|any|only)\b",
    re.IGNORECASE,
)


_EXTREME = re.compile(r"max(?:imum)?|min(?:imum)?|largest|smallest|highest|lowest|best|worst|peak", re.IGNORECASE)


def _is_statistic(source: NamedValues, measure: int, text: str, spans: list[tuple[int, int]], value: float) -> bool:
    """Whether a sentence speaks of an extreme, a mean or a group outside the names: then it may not be one record,
    unless that is the extreme itself, as in `A has the largest share (0.61)`, or the measure's name or the caption says
    so as well."""
    known = {*stems(source.axes[-1].group.things[measure].texts[0]), *stems(source.grid.caption if source.grid else "")}
    values = source.values[(source.axes[-1].codes == measure) & np.isfinite(source.values)]
    extreme = len(values) > 2 and value in (values.min(), values.max())
    said = [word[0] for word in _STATISTIC.finditer(text) if not any(a <= word.start() < b for a, b in spans)]
    said = [word for word in said if known.isdisjoint(stems(word))]
    return any(not extreme or _EXTREME.fullmatch(word) is None for word in said)


_BETWEEN = re.compile(r"\s{0,3}\S{0,4}\s*(?:and|to|vs\.?|versus|against|compared (?:with|to)|[–-]{1,3})\s*[+−-]?")
_RANGE = re.compile(r"\b(?:between|rang\w+(?: between| from)?)\s*[+−-]?$")
_MEANS = re.compile(r"\b(?:mean|averag\w*|overall)\b", re.IGNORECASE)


def _partner(text: str, numbers: Sequence[TextNumber], at: int) -> tuple[int, bool]:
    """The other one of two numbers, -1 where there is none; whether they are the ends of a range."""
    for low, high, partner in ((at, at + 1, at + 1), (at - 1, at, at - 1)):
        if low >= 0 and high < len(numbers) and _BETWEEN.fullmatch(text, numbers[low].end, numbers[high].start):
            return partner, _RANGE.search(text[: numbers[low].start]) is not None
    return -1, False


def _sides(
    source: NamedValues, mentions: list[list[Resolved[int]]], meant: list[_Meant]
) -> list[tuple[float, np.ndarray]]:
    """The two values of one measure that a sentence names, and where they stand; nothing where it names no two."""
    pairs = [{one.thing.id for one in own if one.strength >= WORDS} for own in mentions]
    two = [place for place, codes in enumerate(pairs) if len(codes) == 2]
    if len(two) != 1 or any(one.code == _SEVERAL for place, one in enumerate(meant) if place != two[0]):
        return []
    chosen = np.isfinite(source.values)
    for place, (axis, one) in enumerate(zip(source.axes, meant, strict=True)):
        if one.code >= 0 and place != two[0]:
            chosen &= axis.codes == one.code
    both = [chosen & (source.axes[two[0]].codes == code) for code in pairs[two[0]]]
    found = [(value, side) for side in both if side.any() and (value := _one(source, side)) is not None]
    return found if len({value for value, _ in found}) == 2 else []


def _apart(
    source: NamedValues,
    sides: list[tuple[float, np.ndarray]],
    meant: list[_Meant],
    text: str,
    numbers: Sequence[TextNumber],
    at: int,
) -> SentenceReading | None:
    """What two named values differ by, in the views that the number's unit allows."""
    number, measure = numbers[at], meant[-1]
    first, second = (value for value, _ in sides)
    gap = abs(first - second)
    ratios = [a / b for a, b in ((first, second), (second, first)) if b]
    relative = [100 * gap / abs(value) for value in (first, second) if value]
    unit = "×" if text[: number.start].rstrip().endswith("factor of") else number.unit
    views = {"pp": [gap, 100 * gap], "×": ratios, "%": [*relative, 100 * gap, gap], "": [gap]}[unit]
    where = " and ".join(source.where(int(np.nonzero(side)[0][0])) for _, side in sides)
    # With a unit of differences, and no other number beside it, nothing else can be meant.
    named = measure.code >= 0 and measure.sure and not number.loose
    exact = named and unit in ("pp", "×") and len(numbers) == 1 and (source.grid is None or unit == "pp")
    heard = frozenset(one.span for own in meant for one in own.said)
    return SentenceReading(source, tuple(views), f"what {where} differ by", exact, measure.code, heard)


def _one(source: NamedValues, chosen: np.ndarray) -> float | None:
    """The one value that is left, or the mean of repeats."""
    values = source.values[chosen]
    if np.ptp(values) <= 1e-9 * max(1.0, float(np.abs(values).max())):
        return float(values[0])
    free = [axis for axis in source.axes if len(np.unique(axis.codes[chosen])) > 1]
    if free and all(axis.repeats for axis in free):
        return float(values.mean())
    return None
