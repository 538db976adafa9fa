"""Numbers that follow from others of the same table: a mean of the row, a difference to the baseline, a ratio.

They are computed from what results give, before rounding, and believed by the same rule as everything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.candidates import Binding, Bound, Composed, Part
from sealtrace.binding.frames import Numbers
from sealtrace.binding.operations import AGGREGATES, COMPARISONS, SHARES, Operation
from sealtrace.binding.series import Grid, Series, Spot
from sealtrace.binding.tally import Tally
from sealtrace.binding.weighing import Truths, bits_of, weighed

Line = tuple[int, int]
"""A column or a row, and which number of its cells."""

MOST_LINES = 40
"""Lines of a table that are compared with each other."""


@dataclass
class _Hypothesis:
    operation: Operation
    expected: Numbers
    parts: Callable[[int], list[Spot]]
    """The numbers behind one of the series, by its place; worked out only for what is believed."""
    of: str = ""


def compose(grid: Grid, series: list[Series], bound: Bound, tally: Tally) -> None:
    """Binds columns and rows that follow from bound numbers of their table."""
    for one in series:
        if tally.late(f"{grid.name}: some numbers from numbers"):
            return
        one.fresh = np.array([spot not in bound.numbers for spot in one.spots])
        if one.kind == "block" or one.fresh.sum() < 2:
            continue
        found = _best(one, list(_hypotheses(_Lines(grid, one, bound), tally)), bound)
        if found is not None:
            bound.add(Binding(found, found.score))


def _best(series: Series, hypotheses: list[_Hypothesis], bound: Bound) -> Composed | None:
    known = bits_of(series)
    choice = math.log2(max(2, len(hypotheses)))
    best: Composed | None = None
    # A row of means may hold the sum of the counts above it: what one of them gives is not off from another.
    given: dict[str, Truths] = {}
    for one in hypotheses:
        if one.of:
            hit = scoring.hits(one.expected, series.low, series.high)
            given[one.of] = given.get(one.of, False) | hit
    for one in hypotheses:
        agrees = scoring.hits(one.expected, series.low, series.high)
        if one.of:
            one = replace(one, expected=np.where(given[one.of] & ~agrees, np.nan, one.expected))
        if agrees.sum() * 2 < np.isfinite(one.expected).sum() or not agrees.any():
            continue
        cost = choice + one.operation.cost(series.constant[0])
        if float(known[agrees].sum()) - cost < scoring.ACCEPTED:
            continue
        found = weighed(series, known, one.expected, agrees, one.expected)
        if found is None or found.evidence - cost < scoring.ACCEPTED:
            continue
        if best is None or found.digits - cost > best.rank:
            given_by = [one.parts(at) if there else [] for at, there in enumerate(np.isfinite(one.expected))]
            parts: list[list[Part]] = [[bound.numbers[spot].part for spot in spots] for spots in given_by]
            composed = Composed(
                series=series, expected=one.expected, agrees=agrees, weighed=found, cost=cost,
                operation=one.operation, parts=parts, of=one.of,
            )  # fmt: skip
            if not composed.off or not composed.unsaid:
                best = composed
    return best


class _Lines:
    """The bound numbers of a table as lines beside a series: other columns of a column, other rows of a row."""

    def __init__(self, grid: Grid, series: Series, bound: Bound) -> None:
        self.column = series.kind == "column"
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

    def vector(self, line: Line) -> Numbers:
        """Its values beside the numbers of the series."""
        return np.array([self.values[line].get(place, np.nan) for place in self.places])

    def spot(self, line: Line, place: int) -> Spot:
        """Where one of its values is printed."""
        row, column = (place, line[0]) if self.column else (line[0], place)
        return Spot(self.grid.number, row, column, line[1])

    def name(self, line: Line) -> str:
        """The line as a reader calls it."""
        return self.grid.headers[line[0]] if self.column else self.grid.row_name(line[0])

    def group(self, place: int) -> str:
        """What numbers that share a baseline have in common: the part of the table."""
        if not self.column:
            return self.grid.headers[place].rpartition(" ")[0]
        return self.grid.titles.get(place) or (self.grid.row_labels[place][0] if self.grid.row_labels[place] else "")


def _hypotheses(lines: _Lines, tally: Tally) -> Iterator[_Hypothesis]:
    vectors = {line: lines.vector(line) for line in lines.lines}
    for first, above in vectors.items():
        if tally.late():
            return
        for second, below in vectors.items():
            if first != second:
                yield from _compared(lines, [(first, place) for place in lines.places],
                                     [(second, place) for place in lines.places], above, below)  # fmt: skip
    for line, above in vectors.items():
        for bases in _bases(lines, line):
            below = np.array([lines.values[line].get(base, np.nan) if base >= 0 else np.nan for base in bases])
            same = np.array([base == place for base, place in zip(bases, lines.places, strict=True)])
            tops = [(line, place) for place in lines.places]
            floors = [(line, base) for base in bases]
            yield from _compared(lines, tops, floors, above, np.where(same, np.nan, below))
            yield from _compared(lines, floors, tops, np.where(same, np.nan, below), above)
    for line, above in vectors.items():
        if np.isfinite(above).all() and len(above) > 1:
            for operation in SHARES:
                parts = partial(_share, lines, line)
                yield _Hypothesis(operation, operation.function(above), parts, f"{lines.name(line)} among all")
    for chosen in _sets(lines):
        table = np.column_stack([vectors[line] for line in chosen])
        for operation in AGGREGATES:
            expected = operation.function(table)
            parts = partial(_beside, lines, chosen)
            names = ", ".join(lines.name(line) for line in chosen[:4]) + (" …" if len(chosen) > 4 else "")
            yield _Hypothesis(operation, expected, parts, f"the {'columns' if lines.column else 'rows'} {names}")


def _compared(
    lines: _Lines, tops: list[tuple[Line, int]], floors: list[tuple[Line, int]], above: Numbers, below: Numbers
) -> Iterator[_Hypothesis]:
    for operation in COMPARISONS:
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = operation.function(above, below)
        expected = np.where(np.isfinite(expected), expected, np.nan)
        yield _Hypothesis(operation, expected, lambda at: [lines.spot(*tops[at]), lines.spot(*floors[at])])


def _share(lines: _Lines, line: Line, at: int) -> list[Spot]:
    """A number of a line, then all of them."""
    return [lines.spot(line, place) for place in (lines.places[at], *lines.places)]


def _beside(lines: _Lines, chosen: list[Line], at: int) -> list[Spot]:
    return [lines.spot(line, lines.places[at]) for line in chosen]


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
