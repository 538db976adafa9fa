"""Numbers that follow from others of the same table: a mean of the row, a difference to the baseline, a ratio.

They are computed from what results give, before rounding, and believed by the same rule as everything else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.candidates import Binding, Bound, Composed
from sealtrace.binding.frames import Numbers
from sealtrace.binding.operations import AGGREGATES, COMPARISONS, SHARES, Operation
from sealtrace.binding.series import Grid, Series, Spot
from sealtrace.binding.tally import Tally
from sealtrace.binding.weighing import Truths, bits_of, weighed

Line = tuple[int, int]
"""A column or a row, and which number of its cells."""
Stand = tuple[Line, int]
"""A line, and a place in it."""

LEAST_NAMED = 2
"""Different numbers that must follow as a header says, for another one to differ from that."""
MOST_LINES = 40
"""Lines of a table that are compared with each other."""


def compose(grid: Grid, series: list[Series], bound: Bound, tally: Tally) -> None:
    """Binds columns and rows that follow from bound numbers of their table."""
    for line in series:
        if tally.late(f"{grid.name}: some numbers from numbers"):
            return
        line.fresh = np.array([spot not in bound.numbers for spot in line.spots])
        if line.kind == "block" or line.fresh.sum() < 2:
            continue
        found = _best(line, list(_hypotheses(_Lines(grid, line, bound), tally)), bound)
        if found is not None:
            bound.add(Binding(found, found.score))


def _best(series: Series, hypotheses: list[_Hypothesis], bound: Bound) -> Composed | None:
    known = bits_of(series)
    said = sum(hypothesis.operation.said(series.constant[0]) for hypothesis in hypotheses)
    # A header that names the operation leaves only the numbers to choose that it is of.
    choices = {True: math.log2(max(2, said)), False: math.log2(max(2, len(hypotheses)))}
    best: Composed | None = None
    # A row of means may hold the sum of the counts above it: what one of them gives is not off from another.
    given: dict[str, Truths] = {}
    for hypothesis in hypotheses:
        if hypothesis.of:
            hit = scoring.hits(hypothesis.expected, series.low, series.high)
            given[hypothesis.of] = given.get(hypothesis.of, False) | hit
    for hypothesis in hypotheses:
        agrees = scoring.hits(hypothesis.expected, series.low, series.high)
        if hypothesis.of:
            hypothesis = replace(
                hypothesis, expected=np.where(given[hypothesis.of] & ~agrees, np.nan, hypothesis.expected)
            )
        if agrees.sum() * 2 < np.isfinite(hypothesis.expected).sum() or not agrees.any():
            continue
        named = hypothesis.operation.said(series.constant[0])
        cost = 1.0 if named and hypothesis.spelled else choices[named] + hypothesis.operation.cost(series.constant[0])
        if float(known[agrees].sum()) - cost < scoring.ACCEPTED:
            continue
        found = weighed(series, known, hypothesis.expected, agrees, hypothesis.expected)
        if found is None:
            continue
        # What a header says needs no proof by each number: one that departs is what is looked for.
        departs = int((np.isfinite(hypothesis.expected) & ~agrees).sum())
        expected_of_all = named and departs == 1 and len(np.unique(series.value[agrees])) >= LEAST_NAMED
        if found.evidence - cost < scoring.ACCEPTED and not expected_of_all:
            continue
        if best is None or found.digits - cost > best.rank:
            stands = [
                part if there else []
                for part, there in zip(hypothesis.parts, np.isfinite(hypothesis.expected), strict=True)
            ]
            parts = [[bound.numbers[hypothesis.lines.spot(stand)].part for stand in part] for part in stands]
            composed = Composed(
                series=series, expected=hypothesis.expected, agrees=agrees, weighed=found, cost=cost,
                operation=hypothesis.operation, parts=parts, of=hypothesis.of,
            )  # fmt: skip
            if not composed.off or not composed.unsaid:
                best = composed
    return best


class _Lines:
    """The bound numbers of a table as lines beside a series: other columns of a column, other rows of a row."""

    def __init__(self, grid: Grid, series: Series, bound: Bound) -> None:
        self.column, self.header = series.kind == "column", series.constant[0]
        self.grid = grid
        self.places = [spot.row if self.column else spot.column for spot in series.spots]
        own = {(spot.column if self.column else spot.row, spot.slot) for spot in series.spots}
        self.values: dict[Line, dict[int, float]] = {}
        for (row, column), cell in grid.cells.items():
            line, place = (column, row) if self.column else (row, column)
            for slot in range(len(cell.slots)):
                number = bound.numbers.get(Spot(grid.number, row, column, slot))
                if number is not None:
                    value = float(number.binding.candidate.expected[number.place])
                    self.values.setdefault((line, slot), {})[place] = value
        self.own = {line: values for line, values in self.values.items() if line in own}
        complete = {
            line: values
            for line, values in self.values.items()
            if line not in own and 2 * sum(place in values for place in self.places) >= len(self.places)
        }
        self.lines = list(complete)[:MOST_LINES]

    def beside(self, line: Line) -> list[Stand]:
        """Where its numbers stand beside those of the series."""
        return [(line, place) for place in self.places]

    def at(self, stands: list[Stand]) -> Numbers:
        """The bound values at some places; NaN where there is none."""
        return np.array([self.values[line].get(place, np.nan) for line, place in stands])

    def spot(self, stand: Stand) -> Spot:
        """Where a number is printed."""
        (line, slot), place = stand
        row, column = (place, line) if self.column else (line, place)
        return Spot(self.grid.number, row, column, slot)

    def name(self, line: Line) -> str:
        """The line as a reader calls it."""
        return self.grid.headers[line[0]] if self.column else self.grid.row_name(line[0])

    def group(self, place: int) -> str:
        """What numbers that share a baseline have in common: the part of the table."""
        if not self.column:
            return self.grid.headers[place].rpartition(" ")[0]
        return self.grid.titles.get(place) or (self.grid.row_labels[place][0] if self.grid.row_labels[place] else "")


@dataclass
class _Hypothesis:
    lines: _Lines
    operation: Operation
    expected: Numbers
    parts: list[list[Stand]]
    """The numbers behind each of the series."""
    of: str = ""
    spelled: bool = False
    """Whether the header says both lines: `Change 2005 to 2020`."""


def _hypotheses(lines: _Lines, tally: Tally) -> Iterator[_Hypothesis]:
    beside = {line: lines.beside(line) for line in lines.lines}
    for first in lines.lines:
        if tally.late():
            return
        for second in lines.lines:
            if first != second:
                own = {lines.name(first), lines.name(second)}
                spelled = len(own) == 2 and own <= set(lines.header.split())
                for found in _compared(lines, beside[first], beside[second]):
                    yield replace(found, spelled=spelled)
    for line in lines.lines:
        for bases in _bases(lines, line):
            floors = [(line, base) for base in bases]
            yield from _compared(lines, beside[line], floors)
            yield from _compared(lines, floors, beside[line])
    for line in lines.lines:
        values = lines.at(beside[line])
        if np.isfinite(values).all() and len(values) > 1:
            # A number of a line, then all of them.
            parts = [[value, *beside[line]] for value in beside[line]]
            for operation in SHARES:
                yield _Hypothesis(lines, operation, operation.function(values), parts, f"{lines.name(line)} among all")
    for chosen in _sets(lines):
        table = np.column_stack([lines.at(beside[line]) for line in chosen])
        parts = [list(values) for values in zip(*(beside[line] for line in chosen), strict=True)]
        names = ", ".join(lines.name(line) for line in chosen[:4]) + (" …" if len(chosen) > 4 else "")
        for operation in AGGREGATES:
            of = f"the {'columns' if lines.column else 'rows'} {names}"
            yield _Hypothesis(lines, operation, operation.function(table), parts, of)


def _compared(lines: _Lines, tops: list[Stand], floors: list[Stand]) -> Iterator[_Hypothesis]:
    """Each number beside another one; what is compared with itself says nothing."""
    above, below = lines.at(tops), lines.at(floors)
    parts = [list(pair) for pair in zip(tops, floors, strict=True)]
    for operation in COMPARISONS:
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = operation.function(above, below)
        told = np.isfinite(expected) & [top != floor for top, floor in parts]
        yield _Hypothesis(lines, operation, np.where(told, expected, np.nan), parts)


def _bases(lines: _Lines, line: Line) -> Iterator[list[int]]:
    """For each number, the place of its baseline: one for all, or the first or last of its part of the table."""
    there = sorted(lines.values[line])
    for base in there[:MOST_LINES]:
        yield [base] * len(lines.places)
    groups: dict[str, list[int]] = {}
    for place in there:
        groups.setdefault(lines.group(place), []).append(place)
    if len(groups) > 1:
        for end in (0, -1):
            yield [groups[lines.group(place)][end] if lines.group(place) in groups else -1 for place in lines.places]


def _sets(lines: _Lines) -> Iterator[list[Line]]:
    """Lines that a mean or a sum could be over: all, those before, those of one kind of number."""
    seen: set[tuple[Line, ...]] = set()
    slots = sorted({slot for _, slot in lines.lines})
    for slot in slots:
        members = [line for line in lines.lines if line[1] == slot]
        options = [members]
        heads: dict[str, list[Line]] = {}
        for line in members:
            for head in {lines.name(line).partition(" ")[0], lines.name(line).rpartition(" ")[2]}:
                heads.setdefault(head, []).append(line)
        options += heads.values()
        options += [members[:end] for end in range(2, len(members))] + [members[end:] for end in range(1, len(members))]
        for option in options:
            if len(option) > 1 and tuple(option) not in seen:
                seen.add(tuple(option))
                yield option
