"""The best map by cells of thresholds, the most promising first."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .cell import CAP, LEAST, Cell, everything, narrow
from .climb import Choices, climb, utilities_within
from .contest import Contest
from .groupwise import group_wise, largest, usable_options
from .instance import Instance, Mask, Matrix, Vector
from .labels import follow
from .mixtures import worst_risks, worst_utilities
from .multiplier import Bound, bound
from .problem import SIDES, Problem, prepare
from .proof import Covered, Region, Split
from .relaxation import contributions, settled
from .solution import Solution

FEW_MAPS = 20_000
"""So many maps are looked at sooner than bounded."""
SAMPLE = 200
"""So many promising maps of a cell are looked at before the others."""
BEAM = 1_000
"""So many labels per group are followed for a good map before all of them are."""
MOST_LABELS = 1_000_000
"""A cell that needs more labels is beyond the search."""


def best_map(instance: Instance, most_labels: int = MOST_LABELS) -> Solution:
    """The map with the largest worst utility within the budget; among equals the first in order of preference.

    Raises Undecided where the slack leaves the answer open, and TooManyLabels where it is out of reach.
    """
    usable = usable_options(instance)
    return group_wise(instance, usable) or _Search(instance, usable, most_labels).run()


class _Search:
    """Cells to look at, the regions of the proof so far, and the best maps so far."""

    def __init__(self, instance: Instance, usable: Mask, most_labels: int) -> None:
        self.instance = instance
        self.problem = prepare(instance, usable)
        self.contest = Contest(instance)
        self.most_labels = most_labels
        self.regions = [Region()]
        self.waiting: list[tuple[float, int, Cell]] = []

    def run(self) -> Solution:
        """Looks at cells until none can hold a better or an equal map."""
        best = np.where(self.problem.usable, self.instance.lower, -1.0)
        self.contest.offer([0] * self.instance.groups)
        self.contest.offer(largest(best, self.instance.exact_lower))
        heapq.heappush(self.waiting, (-math.inf, 0, everything(self.problem)))
        while self.waiting:
            ceiling, region, cell = heapq.heappop(self.waiting)
            if -ceiling < self._target():
                break
            self.regions[region] = self._region(cell)
        return Solution(*self.contest.decide(), Covered(tuple(self.regions)))

    def _target(self) -> float:
        """What a map must reach at least to matter."""
        return float(self.contest.utility) - self.instance.rounding

    def _region(self, cell: Cell) -> Region:
        """Bounds a cell; if that is not enough, looks at its maps or splits it."""
        multipliers: list[Fraction] = []
        while narrow(self.problem, cell):
            parts = contributions(self.problem, cell)
            found = bound(self.problem, cell, parts)
            if found is None:
                break
            if not multipliers:
                self._try(cell, found)
            multipliers.append(Fraction(found.multiplier))
            if found.ceiling - found.least_loss < self._target():
                break
            keep = cell.open & found.hopeful(self._target())
            if np.array_equal(keep, cell.open):
                return self._finish(cell, parts, found, tuple(multipliers))
            if not keep.any(axis=1).all():
                break
            cell.close(keep)
        return Region(tuple(multipliers))

    def _try(self, cell: Cell, found: Bound) -> None:
        """Offers the map that the bound suggests, improved where looking at all maps is not an option."""
        choice, known = cell.options[np.arange(self.instance.groups), found.safe], float(self.contest.utility)
        if utilities_within(self.problem, choice[None])[0] <= known:
            if known > 0:
                return
            choice = np.zeros_like(choice)
        if _size(cell) > FEW_MAPS:
            choice = climb(self.problem, cell, found, choice)
        self.contest.offer(choice.tolist())

    def _finish(self, cell: Cell, parts: Matrix, found: Bound, multipliers: tuple[Fraction, ...]) -> Region:
        """A cell whose bound removes nothing more."""
        if _size(cell) <= FEW_MAPS:
            return Region(multipliers, maps=self._look(cell, parts))
        if not settled(self.problem, cell):
            return self._split(cell, found, multipliers)
        return Region(multipliers, labels=self._follow(cell, parts, found))

    def _follow(self, cell: Cell, parts: Matrix, found: Bound) -> int:
        """Follows the labels of a settled cell, and says how many."""
        followed = follow(self.problem, cell, parts, found.multiplier, self._target(), self.most_labels, BEAM)
        self._offer(followed.maps)
        # So few labels in all were nowhere too many, so that they are all there are.
        if followed.labels > BEAM:
            followed = follow(self.problem, cell, parts, found.multiplier, self._target(), self.most_labels)
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
            rows = [row[chosen[place]] for row, chosen, place in zip(cell.options, columns, places, strict=True)]
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

    def _split(self, cell: Cell, found: Bound, multipliers: tuple[Fraction, ...]) -> Region:
        """Halves the range that costs the bound most."""
        axis, cut = _widest(self.problem, cell, found.multiplier)
        children = []
        for low, high in ((cell.box[axis][0], cut), (cut + 1, cell.box[axis][1])):
            child = cell.copy()
            child.box[axis] = (low, high)
            children.append(len(self.regions))
            self.regions.append(Region())
            heapq.heappush(self.waiting, (found.least_loss - found.ceiling, children[-1], child))
        return Region(multipliers, Split(axis, self.problem.exact_value(axis // 2, cut), *children))


def _size(cell: Cell) -> int:
    """How many maps the open options of a cell make."""
    return math.prod(cell.open.sum(axis=1).tolist())


def _sums(rows: Sequence[Vector]) -> Vector:
    """The sums of one entry from every row, in order."""
    sums: Vector = rows[0]
    for row in rows[1:]:
        sums = (sums[:, None] + row).ravel()
    return sums


def _widest(problem: Problem, cell: Cell, multiplier: float) -> tuple[int, int]:
    """The axis whose range loosens the bound most, and a rank in its middle."""
    kinds = {LEAST: problem.moved, CAP: problem.moved * (1 - problem.moved)}
    costs: dict[int, float] = {}
    for side in SIDES:
        for kind, share in kinds.items():
            low, high = cell.box[2 * side + kind]
            if low < high:
                width = float(problem.doubles[side][high] - problem.doubles[side][low])
                costs[2 * side + kind] = share * width * (multiplier if side else 1.0)
    axis = max(costs, key=lambda axis: costs[axis])
    low, high = cell.box[axis]
    levels = problem.doubles[axis // 2]
    present = np.unique(cell.ranks[axis // 2][cell.open])
    inside = present[(present >= low) & (present < high)]
    middle = (levels[low] + levels[high]) / 2
    return axis, int(inside[np.abs(levels[inside] - middle).argmin()])
