"""The best map by cells of thresholds, the most promising first."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from .cell import CAP, LEAST, Cell, Cells, all_groups, everything, narrow, together
from .climb import Choices, climb, utilities_within
from .contest import Contest
from .few import look_at_all
from .groupwise import group_wise, largest, usable_options
from .instance import Instance, Mask, Matrix, Vector
from .labels import follow
from .mixtures import worst_risks, worst_utilities
from .multiplier import Bounds, bound
from .needed import needed_options
from .problem import SIDES, Problem, prepare
from .proof import Covered, Region, Split
from .relaxation import contributions, settled
from .solution import Solution

FEW_MAPS = 20_000
"""So many maps are looked at sooner than bounded."""
SAMPLE = 200
"""So many promising maps of a cell are looked at before the others."""
BATCH = 32
"""So many cells are bounded at a time: alone they are so small that most of the time goes into calls."""
AGAIN = 0.8
"""A cell that keeps more than this share of its options is split sooner than bounded again."""
BEAM = 1_000
"""So many labels per group are followed for a good map before all of them are."""
MOST_LABELS = 1_000_000
"""A cell that needs more labels is beyond the search."""


def best_map(instance: Instance, most_labels: int = MOST_LABELS) -> Solution:
    """The map with the largest worst utility within the budget; among equals the first in order of preference.

    Raises Undecided where the slack leaves the answer open, and TooManyLabels where it is out of reach.
    """
    usable = usable_options(instance)
    found = group_wise(instance, usable)
    if found is not None:
        return found
    needed = needed_options(instance, usable)
    return look_at_all(instance, needed) or _Search(instance, needed, most_labels).run()


class _Search:
    """Cells to look at, the regions of the proof so far, and the best maps so far."""

    def __init__(self, instance: Instance, needed: Mask, most_labels: int) -> None:
        self.instance = instance
        self.problem = prepare(instance, needed)
        self.contest = Contest(instance)
        self.most_labels = most_labels
        self.regions: list[Region] = []
        self.waiting: list[tuple[float, int, Cell]] = []

    def run(self) -> Solution:
        """Looks at cells until none can hold a better or an equal map."""
        best = np.where(self.problem.usable, self.instance.lower, -1.0)
        self.contest.offer([0] * self.instance.groups)
        self.contest.offer(largest(best, self.instance.exact_lower))
        self._wait(everything(self.problem), math.inf)
        while batch := self._next():
            self._bound(list(batch), together(list(batch.values())))
        return Solution(self.contest.decide(), Covered(tuple(self.regions)), self.instance)

    def _wait(self, cell: Cell, ceiling: float) -> int:
        """Keeps a new cell for later, and returns the number of its region."""
        number = len(self.regions)
        self.regions.append(Region())
        heapq.heappush(self.waiting, (-ceiling, number, cell))
        return number

    def _next(self) -> dict[int, Cell]:
        """The most promising cells by region."""
        batch: dict[int, Cell] = {}
        while self.waiting and len(batch) < BATCH and -self.waiting[0][0] >= self._target():
            _, number, cell = heapq.heappop(self.waiting)
            batch[number] = cell
        return batch

    def _target(self) -> float:
        """What a map must reach at least to matter."""
        return float(self.contest.utility) - self.instance.rounding

    def _bound(self, numbers: list[int], cells: Cells) -> None:
        """Bounds cells; those that are not closed by that wait for more, or are finished."""
        numbers, cells = _only(numbers, cells, narrow(self.problem, cells))
        if not numbers:
            return
        parts = contributions(self.problem, cells)
        found = bound(self.problem, cells, parts)
        self._try(found)
        keep = found.hopeful(self._target())
        hopeful = all_groups(keep)
        shrunk = keep.sum(axis=(1, 2)) <= AGAIN * cells.open.sum(axis=(1, 2))
        cells.open = keep
        for row in np.flatnonzero(found.possible).tolist():
            number, multiplier, ceiling = numbers[row], float(found.multipliers[row]), float(found.best[row])
            self.regions[number] = Region((*self.regions[number].multipliers, Fraction(multiplier)))
            if not hopeful[row] or ceiling < self._target():
                continue
            if shrunk[row]:
                heapq.heappush(self.waiting, (-ceiling, number, cells[row]))
            else:
                self._finish(number, cells[row], parts[row], multiplier, ceiling)

    def _try(self, found: Bounds) -> None:
        """Offers the best map that the bounds suggest, improved, if it is better than those known."""
        utilities = utilities_within(self.problem, found.safe)
        row, known = int(utilities.argmax()), float(self.contest.utility)
        if utilities[row] > known or known <= 0:
            start = found.safe[row] if utilities[row] > known else np.zeros_like(found.safe[row])
            self.contest.offer(climb(self.problem, found.losses[row], start).tolist())

    def _finish(self, number: int, cell: Cell, parts: Matrix, multiplier: float, ceiling: float) -> None:
        """A cell whose bound removes little."""
        region = self.regions[number]
        if math.prod(cell.open.sum(axis=1).tolist()) <= FEW_MAPS:
            self.regions[number] = replace(region, maps=self._look(cell, parts))
        elif settled(self.problem, cell):
            self.regions[number] = replace(region, labels=self._follow(cell, parts, multiplier))
        else:
            self._split(number, cell, multiplier, ceiling)

    def _split(self, number: int, cell: Cell, multiplier: float, ceiling: float) -> None:
        """Halves the range that costs the bound most."""
        axis, cut = _widest(self.problem, cell, multiplier)
        below, above = cell.box.copy(), cell.box.copy()
        below[axis, 1], above[axis, 0] = cut, cut + 1
        halves = [self._wait(Cell(box, cell.open), ceiling) for box in (below, above)]
        split = Split(axis, self.problem.exact_value(axis // 2, cut), *halves)
        self.regions[number] = replace(self.regions[number], split=split)

    def _follow(self, cell: Cell, parts: Matrix, multiplier: float) -> int:
        """Follows the labels of a settled cell, and says how many."""
        followed = follow(self.problem, cell, parts, multiplier, self._target(), self.most_labels, BEAM)
        self._offer(followed.maps)
        # So few labels in all were nowhere too many, so that they are all there are.
        if followed.labels > BEAM:
            followed = follow(self.problem, cell, parts, multiplier, self._target(), self.most_labels)
            self._offer(followed.maps)
        return followed.labels

    def _look(self, cell: Cell, parts: Matrix) -> int:
        """Looks at every map of a cell, and says at how many."""
        margin = self.instance.rounding
        columns = [np.flatnonzero(row) for row in cell.open]
        gain, safety = (_sums([row[chosen] for row, chosen in zip(side, columns, strict=True)]) for side in parts)
        safe = np.flatnonzero(safety >= -self.problem.budget - margin)
        # A few promising maps first: what they reach excludes most of the others.
        for limit in (SAMPLE, len(safe)):
            near = safe[gain[safe] >= self._target() - margin]
            if limit < len(near):
                near = near[np.argpartition(-gain[near], limit)[:limit]]
            places = np.unravel_index(near, [len(chosen) for chosen in columns])
            rows = [chosen[place] for chosen, place in zip(columns, places, strict=True)]
            self._offer(np.stack(rows, axis=1))
        return len(gain)

    def _offer(self, choices: Choices) -> None:
        """Offers those of many maps that may be the best of them."""
        values = self.problem.values[:, np.arange(self.instance.groups), choices]
        utilities = worst_utilities(self.instance, values[0])
        room = self.problem.budget - worst_risks(self.instance, -values[1])
        sure = np.where(room > self.instance.rounding, utilities, -1.0).max(initial=-1.0)
        target = max(self._target(), float(sure) - self.instance.rounding)
        for choice in choices[(utilities >= target) & (room >= -self.instance.rounding)].tolist():
            self.contest.offer(choice)


def _only(numbers: list[int], cells: Cells, rows: Mask) -> tuple[list[int], Cells]:
    """Some of the cells with their regions."""
    return [number for number, kept in zip(numbers, rows, strict=True) if kept], cells.only(rows)


def _sums(rows: Sequence[Vector]) -> Vector:
    """The sums of one entry from every row, in order."""
    sums: Vector = rows[0]
    for row in rows[1:]:
        sums = (sums[:, None] + row).ravel()
    return sums


def _widest(problem: Problem, cell: Cell, multiplier: float) -> tuple[int, int]:
    """The axis whose range loosens the bound most, and a rank below its middle."""
    kinds = {LEAST: problem.moved, CAP: problem.moved * (1 - problem.moved)}
    costs: dict[int, float] = {}
    for side in SIDES:
        for kind, share in kinds.items():
            low, high = cell.box[2 * side + kind].tolist()
            if low < high:
                width = float(problem.doubles[side][high] - problem.doubles[side][low])
                costs[2 * side + kind] = share * width * (multiplier if side else 1.0)
    axis = max(costs, key=lambda axis: costs[axis])
    low, high = cell.box[axis].tolist()
    levels = problem.doubles[axis // 2]
    below = int(np.searchsorted(levels, (levels[low] + levels[high]) / 2)) - 1
    return axis, min(max(below, low), high - 1)
