"""The labels' witness: what the records that a cell's labels name say, whatever the cell prints.

The search of `choosing` asks which formula gives the printed digits. This module asks the other question. A *reading*
says which rows of a frame the labels name, which measure the header names and which statistic the words name; it gives
a value for every cell whose labels it can read. Parts that no label says (a split, a unit) are taken from what other
cells of the table have established. A reading is heard only where other cells, of different values, follow from the
same rows; then it speaks of the remaining cells too, and contradicts those that print something else.

(1) Readings of every series: rows, fixed fields, measure, statistic, unit.
(2) What each reading gives, and which cells agree.
(3) How sure a prediction is, as odds: a column's formula is established by other rows, what a row's label means by
    other columns, and both together predict the cell where they cross.
(4) For each cell the reading that is best established; every value that the words leave open is heard before a cell
    is said to differ.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.candidates import Binding, Bound, BoundNumber, Candidate, Composed, Doubt, Selected
from sealtrace.binding.evaluation import Evaluated, evaluate
from sealtrace.binding.exchanges import EXCHANGED, bind_exchanges
from sealtrace.binding.frames import Numbers
from sealtrace.binding.hypotheses import EVERY, NAMED, FrameView, Selection, frame_costs, selections
from sealtrace.binding.series import Grid, Series, Spot, series_of, without_marks
from sealtrace.binding.tally import Tally
from sealtrace.binding.transformations import Transformation, transformations
from sealtrace.binding.weighing import Truths, Weighed, bits_of, printed_as, swapped_pair
from sealtrace.binding.wording import plain_field, rows_behind
from sealtrace.paper.names.words import likeness, same_word, squeezed, stems
from sealtrace.statistics.entries import TRIED

LITERAL = 0.9
"""Strength from which a label is the name itself, not something like it."""
STRONG = 0.75
"""Strength from which a header names a measure, or a caption a value."""
MOST_VIEWS = 4
"""Frames that no cell of the table follows from yet, in which labels are read all the same."""
USUAL_UNITS = 2.6
"""Cost up to which a change of unit needs no word."""
SURE, SHOWN = 20.0, 5.0
"""Odds from which a cell differs, which is an error, and from which it is said to differ probably, a warning."""
LEAST_BESIDE = 2
"""Other cells of different values that must follow by the same file, reading and statistic for an error."""
WEIGHTS = {
    "constant": -1.72, "label": 0.55, "line follows": 2.45, "measure": 0.22, "one beside": 0.76, "two beside": 0.37,
    "three beside": 0.43, "one departs": -1.85, "half depart": -0.84, "two, none departs": 1.22,
    "three, none departs": 1.66, "line departs": -0.42, "mixed": -1.14, "shared": -1.37, "alone": -0.53,
}  # fmt: skip
"""Logarithms of odds, fitted by `benchmarks/odds.py` (docs/adr/0022)."""
LEAST_STALE = 4
"""Numbers of a table that must all be something else for it to be called stale."""
_ALL_OF = 2
"""Numbers of a row that must all disagree to be those of another run."""
_NOT_BY_ACCIDENT = 3
"""Different numbers that a formula must give which labels do not name."""
_PLACES = frozenset({"mean", "median", "min", "max"})
"""Statistics of one unit that stand for each other where somebody took the wrong one."""
_OPEN = 8.0
"""How much better established a reading must be than one that prints as printed, to contradict it."""
_SPREADS = ("sd", "sd0", "sem", "ci95")
"""What a number behind ± may be; papers seldom say which."""


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
        texts = frozenset(label for labels in grid.row_labels.values() for label in labels if label)
        fields = [dimension for at, dimension in enumerate(reading.view.frame.dimensions)
                  if at not in reading.selection.fields and len(dimension.values) > 1
                  and reading.view.is_spoken_of(at, texts)]  # fmt: skip
        if fields and (self.sizes > 1).any():
            rows = _rows_of(reading.view, reading.selection, reading.fixed)
            for place in np.nonzero(self.sizes > 1)[0]:
                found[place] = any(len(np.unique(dimension.codes[rows[place]])) > 1 for dimension in fields)
        return found

    def line(self, place: int) -> object:
        """The files, the fields and the values of these that the labels of a number name."""
        frame, selection = self.reading.view.frame, self.reading.selection
        fields = tuple(frame.dimensions[at].name for at in selection.fields)
        return tuple(frame.files), fields, selection.codes[place].tobytes()

    def beside(self, cell: Spot, spot: Spot) -> bool:
        """Whether a cell stands in the line that the same labels name: its row, or its column where these vary."""
        if cell == spot:
            return False
        return cell.column == spot.column if self.series.kind == "row" else cell.row == spot.row

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


def hear_labels(grids: list[Grid], views: list[FrameView], bound: Bound, tally: Tally, work: float) -> None:
    """Adds the cells that follow from what their labels name, or differ from it, with their odds; `work` bounds it."""
    limit = tally.work + work
    for grid in grids:
        if tally.over(limit) and not tally.late():
            tally.too_much.append(f"{grid.name}: what its labels name")
            continue
        if tally.late(f"{grid.name}: what its labels name"):
            break
        told = predictions(grid, views, bound, tally, limit)
        stale: list[Doubt] = []
        if told and not any(spot in bound.numbers for spot in told):
            stale = _stale(grid, told)
            bound.doubts += stale
        ordered = _set_aside(grid, bound)
        for spot, options in told.items() if not stale else ():
            _compare(spot, options, bound, ordered.get(spot))  # (4)
        for spot, number in list(bound.numbers.items()):
            if spot.table == grid.number and spot not in told and not number.agrees:
                _weigh(spot, number, [], bound)
        for spot, options in told.items():
            _with_its_half(spot, options, bound)
        if views:
            bind_exchanges(grid, bound, views[0].names.glossary)
        _other_runs(grid, bound)
    for grid in grids:
        _set_aside(grid, bound)  # those of tables that there was no time for


def _set_aside(grid: Grid, bound: Bound) -> dict[Spot, Candidate]:
    """Takes out the numbers that only an order which nobody names explains; they say what a number is instead."""
    gone = [binding for binding in bound.bindings
            if binding.candidate.series.grid is grid and binding.candidate.chosen_by_order]  # fmt: skip
    ids = {id(binding) for binding in gone}
    found = {spot: number.binding.candidate for spot, number in bound.numbers.items() if id(number.binding) in ids}
    bound.remove(gone)
    return found


def _stale(grid: Grid, told: dict[Spot, list[LabelPrediction]]) -> list[Doubt]:
    """What is said of a table none of whose numbers is what the file says that its labels name outright.

    Values that are near what is printed are another run of the same thing; others are another thing.
    """
    files: dict[str, list[LabelPrediction]] = {}
    for options in told.values():
        for name in {option.said.reading.view.frame.name for option in options}:
            own = [option for option in options if option.said.reading.view.frame.name == name]
            literal = [one for one in own if one.named and one.evidence.label >= LITERAL <= one.evidence.measure
                       and not (one.evidence.mixed or one.evidence.shared)]  # fmt: skip
            if literal and not any(option.agrees for option in own):
                files.setdefault(name, []).append(min(literal, key=lambda option: option.far))
    name, found = max(files.items(), key=lambda pair: len(pair[1]), default=("", []))
    rows = {one.said.series.spots[one.place].row for one in found}
    near = [one for one in found if one.far <= math.log10(2)]
    if 2 * len({one.value for one in found}) < len(found):
        return []  # A mean over all rows is nothing that labels tell apart.
    if len(found) < LEAST_STALE or 2 * len(found) < len(told) or len(rows) < 2 or 4 * len(near) < 3 * len(found):
        return []
    slots = [(one, one.said.series.slots[one.place]) for one in found[:3]]
    shown = ", ".join(f"{slot.text} where it says {printed_as(one.value, slot)}" for one, slot in slots)
    return [Doubt(grid, "stale-table", f"{grid.name}: none of {len(found)} numbers is what {name} says, whose rows and "
                  f"columns its labels name ({shown}); the table is probably stale, or the file is")]  # fmt: skip


# (1) Readings


def _heard(series: Series, views: list[FrameView], bound: Bound, tally: Tally) -> Iterator[Heard]:
    series.fresh = np.ones(len(series.slots), bool)
    series.known = [bound.meant.get(series.line(spot), {}) for spot in series.spots]
    known = _established(series.grid, bound)
    for view in _views(series, views, known, tally):
        for selection in selections(view, series):
            if selection.by_value is not None:
                continue
            for fixed in _fixed(view, series, selection, known):
                tally.work += selection.chosen.size + 8 * len(series.slots) * len(view.frame.measures)
                evaluated = _evaluated(view, selection, fixed, _statistics(view, series, known))
                if evaluated is not None:
                    yield from _given(view, series, selection, fixed, evaluated, known)


def _established(grid: Grid, bound: Bound) -> list[Selected]:
    """Formulas that other cells of the table follow from, those of most cells first."""
    found = [
        selected
        for binding in bound.bindings
        if binding.candidate.series.grid is grid
        for selected in binding.candidate.selected
    ]
    return sorted(found, key=lambda selected: -int(selected.agrees.sum()))


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
    named: dict[str, str] = {}
    outright = False
    for place, dimension in enumerate(view.frame.dimensions):
        if place in selection.fields or len(dimension.values) < 2:
            continue
        match = view.said(place, series.constant)
        if match is not None and match.strength >= STRONG:
            named[dimension.name] = dimension.values[match.code]
            outright |= match.strength >= LITERAL
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


def _evaluated(
    view: FrameView, selection: Selection, fixed: tuple[tuple[str, str], ...], statistics: list[str]
) -> Evaluated | None:
    return evaluate(view.frame, _rows_of(view, selection, fixed), [], statistics=statistics)


def _rows_of(view: FrameView, selection: Selection, fixed: tuple[tuple[str, str], ...]) -> Truths:
    """The rows behind each number: [number, row]."""
    chosen = selection.chosen
    for name, value in fixed:
        dimension = next(one for one in view.frame.dimensions if one.name == name)
        chosen = chosen & (dimension.codes == (dimension.code_of.get(value, -2) if value else -1))[None, :]
    return chosen


def _single(view: FrameView, series: Series, whole: Truths, part: Truths) -> str:
    """The one run that a part of the rows belongs to, where words say a mean over such runs."""
    if "mean" not in _named_statistics(view, series) or not part.any():
        return ""
    told = frozenset(stems(" ".join(series.constant)))
    place = int(np.nonzero(part.any(axis=1))[0][0])
    for dimension in view.frame.dimensions:
        name = stems(dimension.name)
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
) -> Iterator[Heard]:
    strengths = _strengths(view, series, selection)
    measures, named = _measures(view, series, known), _named_statistics(view, series)
    label = view.names.glossary.widened(series.constant[0])
    outright = max((likeness(label, measure) for measure, _ in measures), default=0.0) >= LITERAL
    single = bool(_single(view, series, selection.chosen, _rows_of(view, selection, fixed)))
    for measure, strength in measures:
        other = outright and not view.melted and likeness(label, measure) < NAMED
        column = view.frame.measures.index(measure)
        sizes = evaluated.sizes[:, 0, column]
        for statistic in evaluated.statistics:
            values = evaluated.of(statistic)[:, 0, column]
            for change in _changes(series, known):
                expected = change(values)
                agrees = scoring.hits(expected, series.low, series.high)
                chosen = other or single or (bool(named) and statistic not in named and statistic in _PLACES)
                reading = LabelReading(view, selection, fixed, measure, statistic, change, strength, chosen)
                yield Heard(reading, series, expected, agrees, sizes, strengths)


def _strengths(view: FrameView, series: Series, selection: Selection) -> Numbers:
    """How well the labels of each number name the values by which its rows are selected."""
    found = np.ones(len(series.slots))
    for number, (labels, meant) in enumerate(zip(series.varying, series.known, strict=True)):
        for column, place in enumerate(selection.fields):
            match = view.known(place, meant) or view.best(place, labels)
            own = match is not None and match.code == selection.codes[number, column]
            found[number] = min(found[number], min(1.0, match.strength) if match is not None and own else 0.5)
    return found


def _measures(view: FrameView, series: Series, known: list[Selected]) -> list[tuple[str, float]]:
    """The measure that the nearest labels name, and those that cells of the series follow from."""
    if view.melted:
        return [(view.frame.measures[0], 1.0)]
    found: dict[str, float] = {}
    label = view.names.glossary.widened(series.constant[0])
    scores = [likeness(label, measure) for measure in view.frame.measures]
    best = max(scores, default=0.0)
    if best >= STRONG and sum(score >= best - 0.05 for score in scores) == 1:
        found[view.frame.measures[scores.index(best)]] = best
    here = [selected for selected in known if selected.measure in view.frame.measures]
    for selected in here:
        if selected.series.spots == series.spots:
            found.setdefault(selected.measure, STRONG)
        # Both halves of a ± cell are of one measure.
        if (
            series.constant[0].endswith(" sd")
            and selected.series.kind == series.kind
            and _cells(selected.series) == _cells(series)
        ):
            found.setdefault(selected.measure, 1.0)
    if not found and len({selected.measure for selected in here}) == 1:
        # A table of one measure says it nowhere, or in its caption: it is what the other cells follow from.
        found[here[0].measure] = 0.9
    return list(found.items())


def _cells(series: Series) -> set[tuple[int, int]]:
    return {(spot.row, spot.column) for spot in series.spots}


def _statistics(view: FrameView, series: Series, known: list[Selected]) -> list[str]:
    """What the words name; else what cells of the series follow from, and the mean, which needs no word."""
    role = series.constant[0].rpartition(" ")[2]
    if series.spots[0].slot and role == "sd":
        return list(_SPREADS)
    if series.spots[0].slot and role == "n":
        return ["count"]
    named = _named_statistics(view, series)
    own = [selected.statistic for selected in known if selected.series.spots == series.spots]
    # An extreme that no label mentions may give printed digits; nothing differs from it.
    usual = [key for key in own if key in named or TRIED["values"][key].everyday]
    return list(dict.fromkeys([*named, *usual, "mean"]))


def _named_statistics(view: FrameView, series: Series) -> list[str]:
    """The statistics that the nearest label names which names any: a header speaks before the caption."""
    caption = series.grid.caption
    texts = (without_marks(text) if text == caption else text for text in series.constant[1:])
    told = [" ".join(view.near_words(series)), *texts]
    return next((found for found in map(_named, told) if found), [])


def _named(text: str) -> list[str]:
    """The statistics that a text names."""
    context = frozenset(re.sub(r"[()_]", " ", text.lower()).split())
    return [key for key, statistic in TRIED["values"].items() if statistic.said(context)]


def _changes(series: Series, known: list[Selected]) -> list[Transformation]:
    own = [selected.transformation for selected in known if selected.series.spots == series.spots]
    usual = [change for change in transformations(series) if change.cost <= USUAL_UNITS]
    return list({change.name: change for change in (*own, *usual)}.values())


# (3) How sure a prediction is


@dataclass(frozen=True)
class LabelEvidence:
    """What speaks for a prediction and against it, of which nothing is the cell's own value."""

    label: float
    """How well the cell's labels name the rows of results."""
    measure: float
    """How well they name what is measured."""
    series: int
    """Different values beside it that agree with the same reading."""
    line: int
    """Cells of its row, or of its column in a series that is a row, that follow from the same rows of results."""
    table: int
    """Different values elsewhere in the table that follow from the same file, by the same fields and statistic."""
    against: int
    """Numbers of the series that do not agree with the reading."""
    line_against: int
    """Cells of its row whose measure is named as well, and that print something else."""
    mixed: bool
    """A mean over things that other rows of the table name one by one: what its label means is open."""
    shared: bool
    """Another label that selects the same rows agrees: that one may name them."""
    alone: bool
    """No other column of several follows from the frame: it is like the one that the table was made of."""

    @property
    def features(self) -> tuple[float, ...]:
        """What the odds are fitted on, in the order of `WEIGHTS`."""
        steps = (self.series >= 1, self.series >= 2, self.series >= 3, self.against > 0,
                 self.against >= max(1, self.series), self.series >= 2 and not self.against,
                 self.series >= 3 and not self.against, self.line_against > 0)  # fmt: skip
        flags = (self.mixed, self.shared, self.alone)
        return (1.0, self.label, float(self.line > 0), self.measure, *map(float, (*steps, *flags)))

    @property
    def odds(self) -> float:
        """How much likelier the results' value is what the cell should print than not."""
        return math.exp(sum(weight * value for weight, value in zip(WEIGHTS.values(), self.features, strict=True)))


class _Table:
    """What agrees in a table and what does not, by where it follows from."""

    def __init__(self, heard: list[Heard]) -> None:
        self.values: dict[Home, set[float]] = {}
        self.columns: dict[str, set[int]] = {}
        """Columns in which something follows from a frame."""
        self.lines: dict[object, set[Spot]] = {}
        self.wrong: dict[object, set[Spot]] = {}
        for said in heard:
            frame = said.reading.view.frame
            self.values.setdefault(said.reading.home, set()).update(said.agreeing)
            named = said.reading.strength >= STRONG and not said.reading.unnamed
            for place in map(int, np.nonzero(said.covered)[0]):
                spot, key = said.series.spots[place], said.line(place)
                if said.agrees[place]:
                    self.columns.setdefault(frame.name, set()).add(spot.column)
                    self.lines.setdefault(key, set()).add(spot)
                elif named:
                    self.wrong.setdefault(key, set()).add(spot)

    def evidence(self, said: Heard) -> Iterator[tuple[int, LabelEvidence]]:
        """What is known of a reading without the cell at each of its places."""
        departs = said.covered & ~said.agrees
        alone = self._alone(said)
        around = self.values[said.reading.home]
        for place in map(int, np.nonzero(said.covered)[0]):
            spot, own, key = said.series.spots[place], float(said.series.value[place]), said.line(place)
            right, wrong = self.lines.get(key, set()), self.wrong.get(key, set())
            yield (
                place,
                LabelEvidence(
                    label=float(said.strengths[place]),
                    measure=said.reading.strength,
                    series=len(said.agreeing) - (own in said.agreeing),
                    line=sum(said.beside(cell, spot) for cell in right),
                    table=len(around) - (own in around),
                    against=int(departs.sum()) - int(departs[place]),
                    line_against=sum(said.beside(cell, spot) for cell in wrong - right),
                    mixed=bool(said.mixed[place]),
                    shared=bool(said.shared[place]),
                    alone=alone,
                ),
            )

    def _alone(self, said: Heard) -> bool:
        if said.series.kind != "column":
            return False
        own = {spot.column for spot in said.series.spots}
        beside = {column for _, column in said.series.grid.cells} - own
        return len(beside) > 1 and not self.columns.get(said.reading.view.frame.name, set()) & beside


@dataclass(frozen=True)
class LabelPrediction:
    """What one reading says of one cell."""

    said: Heard
    place: int
    evidence: LabelEvidence
    odds: float

    @property
    def value(self) -> float:
        """What the results give."""
        return float(self.said.expected[self.place])

    @property
    def agrees(self) -> bool:
        """Whether the cell prints it."""
        return bool(self.said.agrees[self.place])

    @property
    def bits(self) -> float:
        """How unlikely it is that it agrees by accident."""
        return math.log2(self.odds) + float(bits_of(self.said.series)[self.place])

    @property
    def named(self) -> bool:
        """Whether labels and words chose its measure and statistic, not printed digits."""
        return not self.said.reading.unnamed

    @property
    def far(self) -> float:
        """How far it is from what is printed, in powers of ten: words leave the unit open, and the nearest is meant."""
        printed = abs(float(self.said.series.value[self.place]))
        return abs(math.log10(max(abs(self.value), 1e-12) / max(printed, 1e-12)))


def predictions(
    grid: Grid, views: list[FrameView], bound: Bound, tally: Tally, limit: float = math.inf
) -> dict[Spot, list[LabelPrediction]]:
    """What the labels of each number name, the best established first."""
    heard: list[Heard] = []
    for series in series_of(grid):
        if not tally.over(limit):
            heard += _heard(series, views, bound, tally)  # (1), (2)
    table = _Table(heard)  # (3)
    found: dict[Spot, list[LabelPrediction]] = {}
    for said in heard:
        for place, evidence in table.evidence(said):
            found.setdefault(said.series.spots[place], []).append(LabelPrediction(said, place, evidence, evidence.odds))
    for options in found.values():
        options.sort(key=lambda option: (-round(math.log2(option.odds), 1), round(option.far)))
    return found


# (4) Cells that differ


def _compare(spot: Spot, options: list[LabelPrediction], bound: Bound, ordered: Candidate | None) -> None:
    """Binds a number to what its labels name, where it follows from that or differs."""
    known = bound.numbers.get(spot)
    if known is not None and not known.agrees:
        _weigh(spot, known, options, bound)
        return
    instead = known.binding.candidate if known is not None else ordered
    # Words leave a unit, a split or a kind of spread open: what is nearly as well established is heard, too.
    best = options[0].odds
    agreeing = [option for option in options if option.agrees and option.odds >= best / _OPEN and option.named]
    if agreeing:
        if known is None and agreeing[0].odds >= SHOWN and agreeing[0].bits >= scoring.ACCEPTED:
            _bind(spot, agreeing[0].said, agreeing[0].place, bound)
        return
    for option in (option for option in options if option.named):
        said, place, sure, other = option.said, option.place, option.odds, ""
        if instead is not None:
            rows = _other_rows(said, place, instead)
            other = rows or _departure(said, place, instead)
            if not other:
                continue
            # A formula of several cells that has another measure or statistic than labels name, or the rows of another
            # header, is an exchange of whole columns, of which no other cell follows as named; rows that are exchanged
            # leave the other rows in place.
            whole = not rows or said.series.kind != instead.series.kind
            sure = max(sure, EXCHANGED if whole and _several(instead) else 0.0)
        # Where labels select several rows and one of them is printed, it is open which of them is meant.
        if option.evidence.shared or option.evidence.mixed or (not other and said.candidate().picked):
            return
        if sure >= SHOWN and not option.agrees:
            enough = max(option.evidence.series, option.evidence.table) >= LEAST_BESIDE and not _filtered_unsaid(
                said.candidate()
            )
            enough = enough or sure == EXCHANGED
            _bind(spot, said, place, bound, sure if enough else min(sure, SURE - 1), other, instead)
        if sure >= SHOWN or instead is None:
            return


def _weigh(spot: Spot, known: BoundNumber, options: list[LabelPrediction], bound: Bound) -> None:
    """Hears the labels on a number that the search has pointed at: what they name follows, or gives its odds."""
    named = [option for option in options if option.named]
    best = max((option.odds for option in options), default=0.0)
    agreeing = [option for option in named if option.agrees and option.odds >= max(SHOWN, best / _OPEN)]
    if agreeing:
        _bind(spot, agreeing[0].said, agreeing[0].place, bound)
        return
    given = known.binding.candidate
    if swapped_pair(given.series, given.expected, given.covered & ~given.agrees):
        known.odds = EXCHANGED
        return
    slot, value = given.series.slots[known.place], float(given.expected[known.place])
    same = [option.odds for option in named if printed_as(option.value, slot) == printed_as(value, slot)]
    agreeing_values = np.unique(given.series.value[given.agrees])
    plain = _is_literal(known) and len(agreeing_values) >= LEAST_BESIDE
    if isinstance(given, Composed):
        plain = plain and given.operation.said(given.series.constant[0])
    # What no label predicts is only like what is printed, unless rows and columns are named letter by letter, or the
    # header says how the number is made of others.
    odds = max(SHOWN, SURE if plain else SHOWN, *same)
    known.odds = min(odds, SURE - 1) if any(map(_filtered_unsaid, given.selected)) else odds


def _filtered_unsaid(given: Selected) -> bool:
    """Whether a field is fixed to a value that no label says: digits of too few numbers to be a rule chose it, and
    labels may mean another."""
    told = tuple((name, value) for name, value in given.fixed if not value or any(
        squeezed(value) in squeezed(text) or likeness(stems(text), value) >= STRONG for text in given.series.constant
    ))  # fmt: skip
    return told != given.fixed and given.choices(told) < scoring.ACCEPTED


def _other_runs(grid: Grid, bound: Bound) -> None:
    """Takes back what differs in rows all of whose numbers do, where the label is only like the record's name.

    `Ours [7]` beside a record `ours` with two other numbers is another run, as likely as not.
    """
    rows: dict[int, list[tuple[Spot, BoundNumber]]] = {}
    for spot, number in bound.numbers.items():
        if spot.table == grid.number:
            rows.setdefault(spot.row, []).append((spot, number))
    for row, members in rows.items():
        if len({spot.column for spot, _ in members}) < _ALL_OF or any(
            number.agrees or number.exchanged or _is_literal(number) for _, number in members
        ):
            continue
        slots = [(number.binding.candidate, number.place) for _, number in members]
        shown = ", ".join(f"{given.series.slots[place].text} where it says "
                          f"{printed_as(float(given.expected[place]), given.series.slots[place])}"
                          for given, place in slots[:3])  # fmt: skip
        bound.doubts.append(
            Doubt(grid, "another-run", f"{grid.name}: none of {len(members)} numbers of row {grid.row_name(row)} is "
                  f"what {slots[0][0].selected[0].frame.name} says ({shown}); it is probably another run")
        )  # fmt: skip
        for spot, _ in members:
            del bound.numbers[spot]


def _is_literal(number: BoundNumber) -> bool:
    """Whether the labels of a number are the values by which its rows are selected, letter by letter."""
    given, place = number.part
    if not isinstance(given, Selected):
        return True
    labels = {squeezed(label.text) for label in given.series.varying[place]}
    pairs = zip(given.selection.fields, given.selection.codes[place], strict=True)
    named = [squeezed(given.frame.dimensions[field].values[code]) in labels for field, code in pairs if code >= 0]
    return any(named)


def _with_its_half(spot: Spot, options: list[LabelPrediction], bound: Bound) -> None:
    """A number behind ± has the measure and the rows of the number before it, also where that was exchanged."""
    known, first = bound.numbers.get(spot), bound.numbers.get(replace(spot, slot=0))
    if not spot.slot or known is None or not known.agrees or first is None or not first.exchanged:
        return
    whole, instead = first.binding.candidate, known.binding.candidate
    if not isinstance(whole, Selected) or not isinstance(instead, Selected):
        return
    for option in options:
        reading = option.said.reading
        # Which spread it is, the others behind ± say: another one of the same rows is no sign of an exchange.
        own = reading.measure, reading.fixed, reading.statistic
        if own == (whole.measure, whole.fixed, instead.statistic) and option.named:
            if not option.agrees:
                _bind(spot, option.said, option.place, bound, first.odds, first.exchanged, instead)
            return


def _several(given: Candidate | None) -> bool:
    """Whether a formula gives numbers of different values, so that it is no accident."""
    return given is not None and len(np.unique(given.series.value[given.agrees])) >= _NOT_BY_ACCIDENT


def _is_alike(said: Heard, place: int, given: Candidate) -> bool:
    """Whether a formula that gives the printed digits reads the same file in the same unit, by its labels' names: the
    same thing may be released twice, and labels that were read by value name nothing."""
    reading = said.reading
    return (
        isinstance(given, Selected)
        and said.strengths[place] >= LITERAL
        and given.selection.by_value is None
        and given.frame is reading.view.frame
        and given.transformation.name == reading.transformation.name
    )


def _other_rows(said: Heard, place: int, given: Candidate) -> str:
    """The rows that give the printed digits, where the cell's labels name others outright."""
    spot = said.series.spots[place]
    if not isinstance(given, Selected) or not _is_alike(said, place, given) or spot not in given.series.spots:
        return ""
    behind = rows_behind(given, given.series.spots.index(spot))
    for wanted, name in zip(said.reading.selection.codes[place], said.reading.selection.fields, strict=True):
        field = said.reading.view.frame.dimensions[name]
        found = np.unique(field.codes[behind])
        if wanted >= 0 and len(found) and wanted not in found:
            return f"{field.name} = {', '.join(field.values[code] for code in found[:3] if code >= 0)}"
    return ""


def _departure(said: Heard, place: int, given: Candidate) -> str:
    """The measure or statistic of a formula that gives the printed digits, where labels name another one outright."""
    reading = said.reading
    if not isinstance(given, Selected) or not _is_alike(said, place, given) or said.series.spots[0].slot:
        return ""
    if given.measure != reading.measure:
        # Exchanged columns: this header is the name of one measure, and another header that of the other.
        headers = {squeezed(header) for header in said.series.grid.headers}
        outright = squeezed(said.series.constant[0]) == squeezed(reading.measure) != squeezed(given.measure)
        plain = given.statistic == reading.statistic == "mean"
        return given.measure if outright and plain and squeezed(given.measure) in headers else ""
    view = reading.view
    told = dict(reading.fixed)
    for name, value in given.fixed:
        # Exchanged columns whose headers are values of a field.
        own = view.said([one.name for one in view.frame.dimensions].index(name), said.series.constant[:1])
        if name in told and told[name] != value and own is not None and own.strength >= LITERAL:
            return f"{plain_field(name)} = {value}"
    if given.statistic == reading.statistic:
        return _single(view, said.series, _rows_of(view, reading.selection, reading.fixed),
                       _rows_of(view, given.selection, given.fixed))  # fmt: skip
    named = _named_statistics(view, said.series)
    if reading.statistic in named and given.statistic not in named and {reading.statistic, given.statistic} <= _PLACES:
        return f"the {TRIED['values'][given.statistic].text}"
    return ""


def _bind(
    spot: Spot,
    said: Heard,
    place: int,
    bound: Bound,
    chance: float | None = None,
    exchanged: str = "",
    instead: Candidate | None = None,
) -> None:
    """Binds a number to what its labels name, in the formula that says so already where there is one."""
    candidate = said.candidate()
    for binding in bound.bindings:
        other = binding.candidate
        if isinstance(other, Selected) and _formula(other) == _formula(candidate):
            other.expected[place], other.agrees[place] = candidate.expected[place], candidate.agrees[place]
            break
    else:
        here = np.arange(len(said.expected)) == place
        candidate.expected = np.where(here, said.expected, np.nan)
        candidate.agrees = candidate.agrees & here
        binding = Binding(candidate, said.bits())
        bound.bindings.append(binding)
    bound.numbers[spot] = BoundNumber(binding, place, odds=chance, exchanged=exchanged, instead=instead)


def _formula(candidate: Selected) -> tuple[object, ...]:
    rows = candidate.selection.codes.tobytes(), tuple(candidate.selection.fields)
    spots = tuple((spot.table, spot.row, spot.column, spot.slot) for spot in candidate.series.spots)
    return (
        spots, candidate.frame.name, candidate.measure, candidate.statistic, candidate.transformation.name,
        tuple(sorted(candidate.fixed)), rows,
    )  # fmt: skip
