"""Ways to get the numbers of a series: from rows that its labels select, or from other numbers that are bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.frames import Numbers, ResultFrame
from sealtrace.binding.hypotheses import Selection
from sealtrace.binding.operations import Operation
from sealtrace.binding.series import Grid, Series, Spot
from sealtrace.binding.transformations import Transformation
from sealtrace.binding.weighing import Truths, Weighed
from sealtrace.paper.names.words import likeness, stems
from sealtrace.paper.numbers import PrintedNumber
from sealtrace.recipes.judgement import WARNINGS, Judgement, judge_number
from sealtrace.statistics.entries import TRIED

SURE, SHOWN = 20.0, 5.0
"""Odds from which a cell differs, which is an error, and from which it is said to differ probably, a warning."""
ORDERED = frozenset({"min", "max", *(name for name, one in TRIED["values"].items() if one.quantile)})
"""Statistics that pick one of several values, or nearly so."""


@dataclass(kw_only=True)
class Candidate:
    """One way to get the numbers of a series."""

    series: Series
    expected: Numbers
    """What it gives for each number; NaN where it says nothing."""
    agrees: Truths
    weighed: Weighed
    cost: float
    shared: float = 0.0
    """The part of the cost that further bindings of the same table in the same frame need not pay again."""
    where: float = 0.0
    """The part of the cost that says which values the fixed fields have."""
    left_out: float = 0.0
    """Bits less, in choosing, for numbers of which it says nothing."""

    @property
    def score(self) -> float:
        """Evidence less costs, for deciding whether to believe it."""
        return self.weighed.evidence - self.cost

    @property
    def beside(self) -> float:
        """The same where other bindings of the table live in the same frame."""
        return self.weighed.beside - self.cost

    @property
    def rank(self) -> float:
        """The same with evidence from printed digits only, and less for numbers left out, for choosing."""
        return self.weighed.digits - self.cost - self.left_out

    @property
    def covered(self) -> Truths:
        """The numbers that it says something of."""
        return np.isfinite(self.expected)

    @property
    def off(self) -> int:
        """How many of them it does not give."""
        return int((self.covered & ~self.agrees).sum())

    @property
    def unsaid(self) -> bool:
        """Whether it takes a median, an extreme or a sum that no label mentions: nothing is off from such a rule."""
        used = [(TRIED["values"][selected.statistic], selected.words) for selected in self.selected]
        return any(not statistic.everyday and not statistic.said(words) for statistic, words in used)

    @property
    def chosen_by_order(self) -> bool:
        """Whether it picks one of several values by their order, which no label says: where a filter was not found,
        some order nearly always gives a value that is there."""
        return self.unsaid and any(selected.statistic in ORDERED for selected in self.selected)

    @property
    def left_open(self) -> bool:
        """Whether it says nothing of a number although its labels select rows."""
        return any(
            bool(((selected.sizes > 0) & ~self.covered).any())
            for selected in self.selected
            if selected.series is self.series
        )

    @property
    def picked(self) -> bool:
        """Whether a number that is off is one of its label's rows, too, and few others show which row is meant."""
        return False

    def behind(self, place: int) -> list[tuple[Selected, int]]:
        """The selections of rows that give one number, and its place in the series of each."""
        raise NotImplementedError

    @property
    def selected(self) -> list[Selected]:
        """All selections of rows that it reads."""
        found = {
            id(selected): selected for place in np.nonzero(self.covered)[0] for selected, _ in self.behind(int(place))
        }
        return list(found.values())

    @property
    def files(self) -> list[str]:
        """The files that it reads."""
        return list(dict.fromkeys(file for selected in self.selected for file in selected.frame.files))


@dataclass(kw_only=True)
class Selected(Candidate):
    """A statistic of one measure over the rows of a frame that the labels select."""

    frame: ResultFrame
    selection: Selection
    fixed: tuple[tuple[str, str], ...]
    """Field and value, for the whole series."""
    measure: str
    statistic: str
    transformation: Transformation
    sizes: Numbers
    """Rows behind each number."""
    words: tuple[str, ...] = ()
    """Those of its labels by which a statistic may be named."""

    @property
    def picked(self) -> bool:
        """One row of so many for each number that agrees: the bits of these choices speak for the rule."""
        if (self.sizes[self.agrees] > 1).any():
            return False
        values = self.frame.numbers[:, self.frame.measures.index(self.measure)]
        wrong = np.nonzero(self.covered & ~self.agrees)[0]
        held = [
            scoring.hits(own[None], self.series.low[place : place + 1], self.series.high[place : place + 1]).any()
            for place in wrong
            if len(own := self.transformation(values[self.selection.chosen[place]], int(place)))
        ]
        return any(held) and self.choices() < scoring.ACCEPTED

    def choices(self, told: tuple[tuple[str, str], ...] = ()) -> float:
        """Bits by which the numbers that agree tell their rows from the others that labels and filters select which
        are said: a rule that few of them chose may be another one."""
        chosen = self.selection.chosen[self.agrees] & self.frame.having(told)
        rows = chosen.sum(axis=1) / np.maximum(1, self.sizes[self.agrees])
        return float(np.log2(np.maximum(1, rows)).sum())

    def behind(self, place: int) -> list[tuple[Selected, int]]:
        """Itself."""
        return [(self, place)]

    @property
    def selected(self) -> list[Selected]:
        """Itself."""
        return [self]


Part = tuple[Candidate, int]
"""A bound number: its candidate, and its place in that candidate's series."""


@dataclass(kw_only=True)
class Composed(Candidate):
    """Numbers that follow from other numbers of the paper that results give."""

    operation: Operation
    parts: list[list[Part]]
    """Of each number; empty where it says nothing."""
    of: str = ""
    """What is put together, for people, where it is more than two."""

    @property
    def unsaid(self) -> bool:
        """Also where it puts together other numbers of the table in a way that its header does not mention."""
        rare = self.operation.name in ("sum", "greatest", "least")
        return (rare and not self.operation.said(self.series.constant[0])) or super().unsaid

    def behind(self, place: int) -> list[tuple[Selected, int]]:
        """Those of its parts."""
        return [found for part, at in self.parts[place] for found in part.behind(at)]


@dataclass
class Binding:
    """A candidate that is believed."""

    candidate: Candidate
    score: float
    """Bits, with what other bindings of the table paid already."""
    others: list[Candidate] = field(default_factory=list)
    """Candidates that give the same numbers and cost about as much."""
    note: str = ""
    """What a person who accepted it noted."""


@dataclass
class BoundNumber:
    """What became of one number of a table."""

    binding: Binding
    place: int
    """In its series."""
    odds: float | None = None
    """Of a number that labels contradict: how much likelier it is wrong than that the labels mean something else."""
    exchanged: str = ""
    """What the printed digits are instead, in words, where a formula of several cells says so."""

    @property
    def part(self) -> Part:
        """The number as a part of others."""
        return self.binding.candidate, self.place

    @property
    def agrees(self) -> bool:
        """Whether the paper prints what the binding gives."""
        return bool(self.binding.candidate.agrees[self.place])

    @property
    def value(self) -> float:
        """What the binding gives, in the unit of print."""
        return float(self.binding.candidate.expected[self.place])

    @property
    def slot(self) -> PrintedNumber:
        """What the paper prints."""
        return self.binding.candidate.series.slots[self.place]

    @property
    def rounding(self) -> Judgement | None:
        """How a number was rounded that only follows if it was rounded twice, or cut off; as `verify` judges it."""
        judged = None if self.agrees else judge_number(self.slot, Fraction(self.value))
        return judged if judged is not None and judged.status in WARNINGS else None

    @property
    def status(self) -> str:
        """Its exact status."""
        if self.agrees:
            return "explained"
        if self.rounding is not None:
            return self.rounding.status.value
        sure = (self.odds is None or self.odds >= SURE) and self.fewer_rows is None
        return "off" if sure else "probably-off"

    @property
    def fewer_rows(self) -> tuple[int, int] | None:
        """How many rows are behind it, and behind each of the others, where it has fewer and these have equally many:
        a seed or a fold is missing in the results, and the paper may be right."""
        given = self.binding.candidate
        if not isinstance(given, Selected):
            return None
        own, beside = given.sizes[self.place], given.agrees
        if not beside.any():  # the labels alone name it: the numbers beside it have as many rows, if they are there
            beside = (given.sizes > 0) & (np.arange(len(given.sizes)) != self.place)
        usual = np.unique(given.sizes[beside])
        enough = beside.sum() >= 2 and len(usual) == 1
        return (int(own), int(usual[0])) if enough and 0 < own < usual[0] else None


@dataclass(frozen=True)
class Doubt:
    """What is said of a table, a column or a row as a whole; it is never an error, since the file may be what was left
    behind."""

    grid: Grid
    accident: str
    message: str
    spots: frozenset[Spot] = frozenset()
    """The numbers that probably differ; they are no findings of their own."""


@dataclass
class Bound:
    """Bindings of all tables."""

    numbers: dict[Spot, BoundNumber] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)
    meant: dict[tuple[int, str, int], dict[str, str]] = field(default_factory=dict)
    """Table, kind of series and row or column to what its label means, where the numbers beside it say so."""

    doubts: list[Doubt] = field(default_factory=list)
    """Tables and rows none of whose numbers is what the file says that their labels name."""
    perhaps: dict[Spot, tuple[Selected, int, float]] = field(default_factory=dict)
    """Numbers that are left open to what their labels name best, as a formula and a place in it, with its odds."""

    def add(self, binding: Binding) -> None:
        """Takes a binding in; a number that is given already stays as it is."""
        candidate = binding.candidate
        self.bindings.append(binding)
        for selected in candidate.selected:
            if selected.selection.by_value is not None:
                self._learn(selected)
            elif selected.series.kind == "row" and selected.fixed:
                self._learn_row(selected)
            elif selected.series.kind == "column":
                # A header that names nothing of it, `(2)`, means what all rows of its column share.
                column = selected.series.grid.number, "row", selected.series.spots[0].column
                shared = {name: value for name, value in selected.fixed if value}
                if not any(likeness(stems(selected.series.constant[0]), value) for value in shared.values()):
                    self.meant.setdefault(column, {}).update(shared)
        for place in np.nonzero(candidate.covered)[0]:
            spot = candidate.series.spots[place]
            known = self.numbers.get(spot)
            found = BoundNumber(binding, int(place))
            if known is None or (found.agrees and not known.agrees):
                self.numbers[spot] = found

    def _learn(self, selected: Selected) -> None:
        """What labels mean that were read by value: every field that their rows have one value of."""
        for spot, rows in zip(selected.series.spots, selected.selection.chosen, strict=True):
            if rows.any():
                own = [(field, np.unique(field.codes[rows])) for field in selected.frame.dimensions]
                meant = {
                    field.name: field.values[codes[0]] for field, codes in own if len(codes) == 1 and codes[0] >= 0
                }
                self.meant.setdefault(selected.series.line(spot), {}).update(meant)

    def _learn_row(self, selected: Selected) -> None:
        """What a row means that follows as a whole, for the numbers in it whose header names nothing."""
        fields = {field.name: field for field in selected.frame.dimensions}
        meant = {name: value for name, value in selected.fixed if value}
        for name, value in selected.fixed:
            whole = name.partition("/")[0]
            if whole in fields and value in fields[name].code_of:
                codes = np.unique(fields[whole].codes[fields[name].codes == fields[name].code_of[value]])
                meant |= {whole: fields[whole].values[codes[0]]} if len(codes) == 1 and codes[0] >= 0 else {}
        for spot in selected.series.spots[:1]:
            self.meant.setdefault((selected.series.grid.number, "column", spot.row), {}).update(meant)

    def remove(self, bindings: list[Binding]) -> None:
        """Takes bindings out, with the numbers that they gave."""
        gone = {id(binding) for binding in bindings}
        self.bindings = [binding for binding in self.bindings if id(binding) not in gone]
        self.numbers = {spot: number for spot, number in self.numbers.items() if id(number.binding) not in gone}
