"""Readings of labels: which rows, measure and statistic the labels of a series name, and what these give.

The cell's own value is never looked at. Parts that no label says (a split, a unit) are taken from what other cells of
the table have established.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.candidates import Bound, Selected
from sealtrace.binding.evaluation import Evaluated, evaluate
from sealtrace.binding.frames import COLUMN, SHARE_OF, Dimension, Numbers
from sealtrace.binding.hypotheses import (
    EVERY,
    LEFT_OVER,
    NAMED,
    FrameView,
    Selection,
    ValueMatch,
    frame_costs,
    hear_headers,
    says_every,
    selections,
)
from sealtrace.binding.operations import DIFFERENCE, compares
from sealtrace.binding.series import Grid, Series, Spot, without_marks, without_settings
from sealtrace.binding.tally import Tally
from sealtrace.binding.transformations import Transformation, transformations
from sealtrace.binding.weighing import Truths, Weighed, bits_of
from sealtrace.paper.names.index import AROUND
from sealtrace.paper.names.words import likeness, same_word, squeezed, stems, telling
from sealtrace.statistics.entries import STATISTICS, TRIED

LITERAL = 0.9
"""Strength from which a label is the name itself, not something like it."""
STRONG = 0.75
"""Strength from which a header names a measure, or a caption a value."""
MOST_VIEWS = 4
"""Frames that no cell of the table follows from yet, in which labels are read all the same."""
USUAL_UNITS = 2.6
"""Cost up to which a change of unit needs no word."""
PLACES = frozenset({"mean", "median", "min", "max"})
"""Statistics of one unit that stand for each other where somebody took the wrong one."""
_SEVERAL = 3
"""Different numbers that a formula must give in another table, for its header to say what one like it means."""
_SPREADS = ("sd", "sd0", "sem", "ci95")
"""What a number behind ± may be; papers seldom say which."""
_SPREAD_NAMES = [stems(text) for name, key in (("sd", "sd"), ("sem", "sem"), ("sem", "ci95"))
                 for text in (key, *STATISTICS[name].words, *TRIED["values"][key].words)]  # fmt: skip
_SPREAD_WORDS = {name[0] for name in _SPREAD_NAMES if len(name) == 1} | {*stems("ci95")}
"""What fields are called that hold such a number."""
_WITH_SPREAD = _SPREAD_WORDS | {word for name in _SPREAD_NAMES if len(name) == 2 for word in name}
"""The same, with what stands beside such a word: `std_error`."""


_SHARE_WORDS = frozenset(word for name in ("%", "(%)", "rate", *STATISTICS["rate"].words) for word in name.split())
"""Words of headers under which shares of a total stand."""


Home = tuple[str, tuple[int, ...], str]


@dataclass(frozen=True)
class LabelReading:
    """One way to read the labels of a series."""

    view: FrameView
    selection: Selection
    fixed: tuple[tuple[str, str], ...]
    measure: str
    statistic: str
    transformation: Transformation
    strength: float
    """How well labels name the measure; the rows' own strength differs from cell to cell."""
    unnamed: bool = False
    """Whether printed digits chose its measure or statistic, where labels name another one outright."""
    determined: bool = False
    """Whether the rows leave nothing to choose: how many they are, or, for a number behind ±, the spread that is
    released beside the measure of the number before it."""
    told: float = 0.0
    """Share of the words of the nearest label that say its file, measure, statistic or fixed values."""

    @property
    def home(self) -> Home:
        """The frame, the fields by which labels select in it, and the statistic: what cells that follow alike share."""
        return self.view.frame.name, tuple(sorted(self.selection.fields)), self.statistic


@dataclass
class Heard:
    """What a reading gives for the numbers of its series."""

    reading: LabelReading
    series: Series
    expected: Numbers
    agrees: Truths
    sizes: Numbers
    strengths: Numbers
    """How well the labels of each number name its rows."""

    @property
    def covered(self) -> Truths:
        return np.isfinite(self.expected)

    @cached_property
    def agreeing(self) -> set[float]:
        """Different values that agree."""
        return set(self.series.value[self.agrees].tolist())

    @cached_property
    def shared(self) -> Truths:
        """The numbers whose labels leave open which rows they mean: another one that selects the same rows agrees, the
        label names them less surely than others do, or it says all of them (`Both`), of which a mean or a sum is meant.
        """
        selection = self.reading.selection
        twins = selection.twins
        agreeing = np.bincount(twins[self.agrees], minlength=int(twins.max()) + 1)[twins] - self.agrees
        every: Truths = (selection.codes == EVERY).any(axis=1)
        if selection.sure is not None:
            every = every | ~selection.sure
        return every | (agreeing > 0)

    @cached_property
    def mixed(self) -> Truths:
        """The numbers that are means over things which other rows of the table name one by one."""
        reading, grid = self.reading, self.series.grid
        found = np.zeros(len(self.expected), bool)
        if self.series.kind == "row" and says_every(self.series.constant[0]):
            return found  # A row of totals is made of what the other rows name.
        texts = frozenset(label for labels in grid.row_labels.values() for label in labels if label)
        if measures := self._named_by_rows():
            # Of what a row measures, only rows that measure the same name parts: `Female` is no part of `Age`.
            texts = frozenset(text for text in texts if self._says(text, measures))
        fields = [dimension for at, dimension in enumerate(reading.view.frame.dimensions)
                  if at not in reading.selection.fields and len(dimension.values) > 1
                  and reading.view.tells_apart_by(at, texts)]  # fmt: skip
        if fields and (self.sizes > 1).any():
            rows = reading.selection.chosen & reading.view.frame.having(reading.fixed)
            for place in np.nonzero(self.sizes > 1)[0]:
                found[place] = any(len(np.unique(dimension.codes[rows[place]])) > 1 for dimension in fields)
        return found

    def _named_by_rows(self) -> list[str]:
        """What the rows measure, where it is their labels that say so."""
        reading = self.reading
        if self.series.kind == "row":
            return [reading.measure] if self._says(self.series.constant[0], [reading.measure]) else []
        fields = [reading.view.frame.dimensions[at] for at in reading.selection.fields]
        return [value for field in fields if field.name == COLUMN for value in field.values]

    def _says(self, text: str, measures: list[str]) -> bool:
        """Whether a text names one of some measures."""
        told, own = self.reading.view.measure_told(text), self.reading.view.frame.measures
        return (told is not None and own[told.code] in measures) or any(
            likeness(stems(text), one) >= STRONG for one in measures
        )

    def line(self, place: int) -> object:
        """The files, the fields and the values of these that the labels of a number name."""
        frame, selection = self.reading.view.frame, self.reading.selection
        fields = tuple(frame.dimensions[at].name for at in selection.fields)
        return tuple(frame.files), fields, selection.codes[place].tobytes()

    def beside(self, cell: Spot, spot: Spot) -> bool:
        """Whether a cell stands in the line that the same labels name: its row, or its column where these vary."""
        if cell == spot:
            return False
        own, other = self.series.grid.home(spot), self.series.grid.home(cell)
        return own[1] == other[1] if self.series.kind == "row" else own[0] == other[0]

    def bits(self) -> float:
        """Evidence of the numbers that agree."""
        return float(bits_of(self.series)[self.agrees].sum())

    def candidate(self) -> Selected:
        """The same as the search would have found it."""
        reading, bits = self.reading, self.bits()
        return Selected(
            series=self.series, expected=self.expected, agrees=self.agrees, weighed=Weighed(bits, bits, bits), cost=0.0,
            frame=reading.view.frame, selection=reading.selection, fixed=reading.fixed, measure=reading.measure,
            statistic=reading.statistic, transformation=reading.transformation, sizes=self.sizes,
            words=reading.view.words(self.series),
        )  # fmt: skip


def heard_in(series: Series, views: list[FrameView], bound: Bound, tally: Tally) -> Iterator[Heard]:
    series.fresh = np.ones(len(series.slots), bool)
    hear_headers([series], views)
    series.known = [bound.meant.get(series.line(spot), {}) for spot in series.spots]
    known, elsewhere = _established(series.grid, bound), _called_elsewhere(series, bound)
    for view in _views(series, views, known, tally):
        for selection in selections(view, series):
            if selection.by_value is not None:
                continue
            for fixed in _fixed(view, series, selection, known):
                tally.work += selection.chosen.size + 8 * len(series.slots) * len(view.frame.measures)
                rows = selection.chosen & view.frame.having(fixed)
                evaluated = evaluate(view.frame, rows, [], statistics=_statistics(view, series, known))
                if evaluated is not None:
                    yield from _given(view, series, selection, fixed, evaluated, known, elsewhere)


def _established(grid: Grid, bound: Bound) -> list[Selected]:
    """Formulas that other cells of the table follow from, those of most cells first."""
    found = [
        selected
        for binding in bound.bindings
        if binding.candidate.series.grid is grid
        for selected in binding.candidate.selected
    ]
    return sorted(found, key=lambda selected: -int(selected.agrees.sum()))


def _called_elsewhere(series: Series, bound: Bound) -> dict[str, float]:
    """Measures from which columns of other tables follow that have nearly the same header, with how alike they are:
    tables of one layout, one for each dataset, name their columns alike."""
    found: dict[str, float] = {}
    header = stems(series.constant[0])
    for binding in bound.bindings:
        given = binding.candidate
        if isinstance(given, Selected) and given.series.grid is not series.grid and given.series.kind == series.kind:
            alike = likeness(header, given.series.constant[0])
            if alike >= AROUND and len(np.unique(given.series.value[given.agrees])) >= _SEVERAL:
                found[given.measure] = max(found.get(given.measure, 0.0), alike)
    return found


def _views(series: Series, views: list[FrameView], known: list[Selected], tally: Tally) -> list[FrameView]:
    """The frames that other cells follow from, then those whose fields and files the labels name best."""
    names = {selected.frame.name for selected in known}
    # Labels that other numbers of their rows explain may mean a row as it stands.
    placed = {selected.frame.name for selected in known if selected.selection.by_value is not None}
    here = [view.rowed if view.frame.name in placed else view for view in views if view.frame.name in names]
    rest = [view for view in views if view.frame.name not in names]
    if tally.late() or not rest:
        return here
    costs = frame_costs(rest, series)
    return here + [rest[place] for place in np.argsort(costs, kind="stable")[:MOST_VIEWS]]


def _fixed(
    view: FrameView, series: Series, selection: Selection, known: list[Selected]
) -> Iterator[tuple[tuple[str, str], ...]]:
    """Values of further fields that hold for the whole series: named by its labels, or else established by others."""
    # What a caption names and another row is called is not this row's.
    rows = [label for labels in series.grid.row_labels.values() for label in labels] if series.kind == "row" else []
    others = {squeezed(label) for label in rows if label} - {squeezed(text) for text in series.constant}
    named: dict[str, str] = {}
    outright = False
    for place, dimension in enumerate(view.frame.dimensions):
        if place in selection.fields or len(dimension.values) < 2:
            continue
        match = view.said(place, series.constant)
        if match is not None and match.strength >= STRONG and squeezed(dimension.values[match.code]) not in others:
            named[dimension.name] = dimension.values[match.code]
            outright |= match.strength >= LITERAL
        elif value := _headed(series, dimension):
            named[dimension.name], outright = value, True
    options: dict[tuple[tuple[str, str], ...], None] = {}
    # What labels of single numbers name is selected by them, and has no one value for all.
    selecting = {dimension.name for place, dimension in enumerate(view.frame.dimensions)
                 if place in selection.fields or view.is_spoken_of(place, series.texts)}  # fmt: skip
    fields = {dimension.name for dimension in view.frame.dimensions}
    for selected in known:
        # Two frames of one file may have one name, and other fields.
        if selected.frame.name == view.frame.name and fields >= {name for name, _ in selected.fixed}:
            kept = {name: value for name, value in selected.fixed if name not in selecting}
            options[tuple(sorted({**kept, **named}.items()))] = None
    options[tuple(sorted(named.items()))] = None
    if not outright:
        options[()] = None
    yield from list(options)[:4]


def _headed(series: Series, field: Dimension) -> str:
    """The value of a field that heads a column, where others of it head other columns: `2021` beside `2022`."""
    values = {squeezed(value): value for value in field.values} if series.kind == "column" else {}
    headers = list(map(squeezed, series.grid.headers))
    own = headers[series.spots[0].column]
    return values[own] if own in values and len(values.keys() & set(headers)) > 1 else ""


def one_run(view: FrameView, series: Series, whole: Truths, part: Truths) -> str:
    """The one run that a part of the rows belongs to, where words say a mean over such runs."""
    if "mean" not in named_statistics(view, series) or not part.any():
        return ""
    told = frozenset(stems(" ".join(series.constant)))
    place = int(np.nonzero(part.any(axis=1))[0][0])
    said = {squeezed(text) for text in (*series.constant, *series.texts)}
    for at, dimension in enumerate(view.frame.dimensions):
        name = stems(dimension.name)
        # A header `Low` or `2021` is that value of the field: `means by treatment and year` are no means over it there.
        if view.said(at, series.constant) is not None or not said.isdisjoint(map(squeezed, dimension.values)):
            continue
        if dimension.name in view.measured and not all(map(str.isdecimal, dimension.values)):
            continue  # What is measured numbers no runs.
        if name and all(any(same_word(word, piece) for word in told) for piece in name):
            all_codes, codes = np.unique(dimension.codes[whole[place]]), np.unique(dimension.codes[part[place]])
            if len(all_codes) > 1 and len(codes) == 1 and codes[0] >= 0:
                return f"{dimension.name} = {dimension.values[codes[0]]} alone"
    return ""


def _given(
    view: FrameView,
    series: Series,
    selection: Selection,
    fixed: tuple[tuple[str, str], ...],
    evaluated: Evaluated,
    known: list[Selected],
    elsewhere: dict[str, float],
) -> Iterator[Heard]:
    strengths = _strengths(view, series, selection)
    label = view.names.glossary.widened(series.constant[0])
    # What says a value of a field is no part of a measure's name: `Tuned Acc.` is the accuracy of what was tuned.
    fixed_words = {word for _, value in fixed for word in stems(value)}
    short = tuple(word for word in label if word not in fixed_words) or label
    measures, named = _measures(view, series, known, elsewhere, short), named_statistics(view, series)
    outright = max((likeness(short, measure) for measure, _ in measures), default=0.0) >= LITERAL
    single = bool(one_run(view, series, selection.chosen, selection.chosen & view.frame.having(fixed)))
    spreads = _released_spreads(view, series, known)
    told_apart = _own_statistics(view, series, selection)
    for measure, strength in measures:
        other = outright and not view.melted and likeness(short, measure) < NAMED
        column = view.frame.measures.index(measure)
        sizes = evaluated.sizes[:, 0, column]
        # How many have a flag is its sum; how many rows there are is not what the flag's label asks.
        # A measure that is called so, `pearson_ci_low`, is what was asked for; nothing is left to compute.
        called = frozenset(stems(measure))
        asked_of = [key for key in named if not TRIED["values"][key].said(called)]
        flagged = named == ["count"] and strength >= STRONG and _is_flag(view.frame.numbers[:, column])
        for statistic in evaluated.statistics:
            if statistic == ("count" if flagged else "sum") and named == ["count"]:
                continue
            counted = statistic == ("sum" if flagged else "count") and named == ["count"]
            determined = (measure in spreads and statistic == "mean") or counted
            asked = np.array([not own or statistic in own for own in told_apart])
            values = np.where(asked, evaluated.of(statistic)[:, 0, column], np.nan)
            for change in _changes(series, known):
                expected = change(values)
                agrees = scoring.hits(expected, series.low, series.high)
                chosen = other or single or (bool(asked_of) and statistic not in asked_of and statistic in PLACES)
                told = _share_explained(label, view.frame.name, measure, statistic, *(value for _, value in fixed))
                reading = LabelReading(
                    view, selection, fixed, measure, statistic, change, strength, chosen and not determined, determined,
                    told,
                )  # fmt: skip
                yield Heard(reading, series, expected, agrees, sizes, strengths)


def _is_flag(values: Numbers) -> bool:
    """Whether values say yes or no."""
    return set(np.unique(values[np.isfinite(values)]).tolist()) == {0.0, 1.0}


def _own_statistics(view: FrameView, series: Series, selection: Selection) -> list[frozenset[str]]:
    """The statistics that each number's own row names, where rows differ in that: `Age, mean` above `Female, n`."""
    if series.kind == "row":
        return [frozenset()] * len(series.slots)
    found = []
    for number, labels in enumerate(series.varying):
        values = [view.frame.dimensions[at].values[code] for at, code in zip(selection.fields, selection.codes[number],
                  strict=True) if code >= 0]  # fmt: skip
        taken = {word for value in values for word in stems(value)}
        rest = " ".join(word for label in labels if label.role >= 0 for word in re.split(r"[\s,;]+", label.text)
                        if not set(stems(word)) & taken)  # fmt: skip
        named = set(_named(rest)) or ({"mean"} if "%" in rest.split() else set())
        found.append(frozenset(named | set(_SPREADS) if named & set(_SPREADS) else named))
    return found if len(set(found)) > 1 else [frozenset()] * len(series.slots)


def _share_explained(label: tuple[str, ...], *names: str) -> float:
    """Share of the words of a label that are words of some names."""
    own, said = telling(label), {word for name in names for word in stems(name)}
    return sum(any(same_word(word, other) for other in said) for word in own) / max(1, len(own))


def _strengths(view: FrameView, series: Series, selection: Selection) -> Numbers:
    """How well the labels of each number name the values by which its rows are selected."""
    found = np.ones(len(series.slots))
    for number, (labels, meant) in enumerate(zip(series.varying, series.known, strict=True)):
        for column, place in enumerate(selection.fields):
            match = view.known(place, meant) or view.best(place, labels)
            match, code = view.named_together(place, series, number) or match, int(selection.codes[number, column])
            if match is None and code in view.nearly(place, labels, "") | view.nearly(
                place, labels, series.constant[0]
            ):
                match = ValueMatch(code, LEFT_OVER)
            own = match is not None and match.code == code
            found[number] = min(found[number], min(1.0, match.strength) if match is not None and own else 0.5)
    return found


def _measures(
    view: FrameView, series: Series, known: list[Selected], elsewhere: dict[str, float], label: tuple[str, ...]
) -> list[tuple[str, float]]:
    """The measure that the nearest label names, or that gives a column of the same header in another table; and those
    that cells of the series follow from."""
    if view.melted:
        return [(view.frame.measures[0], 1.0)]
    found: dict[str, float] = {}
    scores = [likeness(label, measure) for measure in view.frame.measures]
    best = max(scores, default=0.0)
    match = view.measure_told(series.constant[0])
    told = view.frame.measures[match.code] if match is not None and match.strength >= STRONG else ""
    if told and compares(series) and not DIFFERENCE.said(told):
        told = ""  # `Δ accuracy` is no accuracy.
    if match is not None and told and "%" in series.constant[0] and "share" in stems(told):
        found[told] = match.strength
    elif best >= STRONG and sum(score >= best - 0.05 for score in scores) == 1:
        found[view.frame.measures[scores.index(best)]] = best
    elif match is not None and told:
        found[told] = match.strength
    else:
        found |= {measure: alike for measure, alike in elsewhere.items() if measure in view.frame.measures}
    here = [selected for selected in known if selected.measure in view.frame.measures]
    found |= dict.fromkeys(_released_spreads(view, series, known), 1.0)
    for selected in here:
        if selected.series.spots == series.spots:
            found.setdefault(selected.measure, STRONG)
        if _is_first_half(selected, series):  # Both halves of a ± cell are of one measure.
            found.setdefault(selected.measure, 1.0)
    if not found and named_statistics(view, series) == ["count"]:
        # Rows are counted, whatever they measure.
        found[here[0].measure if here else view.frame.measures[0]] = 1.0
    if not found and not _SHARE_WORDS.isdisjoint(without_settings(series.constant[0]).lower().split()):
        counted = {selected.measure for selected in known if selected.frame.files == view.frame.files}
        shares = [measure for measure in view.frame.measures if measure.partition(SHARE_OF)[0] in counted
                  and SHARE_OF in measure]  # fmt: skip
        found |= dict.fromkeys(shares if len(shares) == 1 else (), STRONG)
    alike = {selected.measure for selected in here if selected.series.spots[0].slot == series.spots[0].slot}
    if not found and len(alike) == 1:
        # A table of one measure says it nowhere, or in its caption: it is what the other cells follow from.
        found[alike.pop()] = 0.9
    return list(found.items())


def _is_first_half(selected: Selected, series: Series) -> bool:
    """Whether a formula gives the numbers before ±, of which a series has those behind."""
    behind = series.constant[0].endswith(" sd") and selected.series.kind == series.kind
    first = selected.series.spots[0]
    return (
        behind and not first.slot and first.row not in series.grid.above and _homes(selected.series) == _homes(series)
    )


def _released_spreads(view: FrameView, series: Series, known: list[Selected]) -> list[str]:
    """For numbers behind ±, the fields that are called a spread of the measure before, or a spread and nothing else."""
    halves = [
        selected for selected in known if selected.frame.name == view.frame.name and _is_first_half(selected, series)
    ]
    own = {word for selected in halves for word in stems(selected.measure)}
    return [measure for measure in view.frame.measures
            if halves and (told := {*stems(measure)}) & _SPREAD_WORDS and told <= own | _WITH_SPREAD]  # fmt: skip


def _homes(series: Series) -> set[tuple[int, int]]:
    return {series.grid.home(spot) for spot in series.spots}


def _statistics(view: FrameView, series: Series, known: list[Selected]) -> list[str]:
    """What the words name; else what cells of the series follow from, and the mean, which needs no word."""
    role, first = series.constant[0].rpartition(" ")[2], series.spots[0]
    behind = first.slot or first.row in series.grid.above
    if behind and role == "sd":
        return list(_SPREADS)
    if behind and role == "n":
        return ["count"]
    named = named_statistics(view, series)
    named += ["sum"] if named == ["count"] else []
    own = [selected.statistic for selected in known if selected.series.spots == series.spots]
    # An extreme that no label mentions may give printed digits; nothing differs from it.
    usual = [key for key in own if key in named or TRIED["values"][key].everyday]
    return list(dict.fromkeys([*named, *usual, "mean"]))


def named_statistics(view: FrameView, series: Series) -> list[str]:
    """The statistics that the nearest label names which names any: a header speaks before the caption."""
    caption = series.grid.caption
    texts = (without_marks(text) if text == caption else text for text in series.constant[1:])
    told = [" ".join(view.near_words(series)), *texts]
    found = next((found for found in map(_named, told) if found), [])
    # `Biomass (± SD)` names what stands behind ±, not what stands before it.
    cells = [series.grid.cells[spot.row, spot.column] for spot in series.spots if not spot.slot]
    before = any(slot.role == "sd" for cell in cells for slot in cell.slots[1:])
    return [key for key in found if key not in _SPREADS] if before else found


def _named(text: str) -> list[str]:
    """The statistics that a text names."""
    context = frozenset(re.sub(r"[()_]", " ", without_settings(text).lower()).split())
    return [key for key, statistic in TRIED["values"].items() if statistic.said(context)]


def _changes(series: Series, known: list[Selected]) -> list[Transformation]:
    own = [selected.transformation for selected in known if selected.series.spots == series.spots]
    usual = [change for change in transformations(series) if change.cost <= USUAL_UNITS]
    return list({change.name: change for change in (*own, *usual)}.values())
