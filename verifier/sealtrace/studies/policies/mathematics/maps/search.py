"""The best map by sets of maps, the most promising first: each is bounded, split by a threshold, or emptied.

What is done with a set is decided here, in doubles and by rules of thumb. It is done in whole numbers (`regions`), so
that a bad decision costs time and nothing else.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from sealtrace.mathematics import Index, Mask

from .comparison import Contest, look_at_all
from .groupwise import group_wise, largest, needed_options, usable_options
from .instance import Instance, worst_risks, worst_utilities
from .proof import Covered, Region, Solution, Split
from .regions import Options, Ranges, Regions, Remaining

FEW_MAPS = 1_000
"""So many maps of a set are looked at sooner than it is split."""
BEAM = 100
"""So many labels per group are followed for a good map before all of them are."""
MOST_LABELS = 1_000_000
"""A set that needs more labels is beyond the search."""
STEPS = 60
"""More than the search for a multiplier ever needs; a worse multiplier is valid too."""

MOST_WEIGHT = 1e100
"""A larger multiplier than any that helps: one that is no number is none."""


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
    """Sets of maps to look at, the regions of the proof so far, and the best maps so far."""

    def __init__(self, instance: Instance, needed: Mask, most_labels: int) -> None:
        self.instance, self.needed, self.most_labels = instance, needed, most_labels
        self.sets = Regions(instance, [np.flatnonzero(row).tolist() for row in needed])
        self.contest = Contest(instance)
        self.regions: list[Region] = []
        self.waiting: list[tuple[float, int, Options, Ranges]] = []

    def run(self) -> Solution:
        """Looks at sets, the most promising first, until none is left."""
        self.contest.offer([0] * self.instance.groups)
        self.contest.offer(largest(np.where(self.needed, self.instance.lower, -1.0), self.instance.exact_lower))
        self._wait(self.sets.options, self.sets.ranges, math.inf)
        while self.waiting:
            _, number, options, ranges = heapq.heappop(self.waiting)
            self._look(number, options, ranges)
        return Solution(self.contest.decide(), Covered(tuple(self.regions)), self.instance)

    def _wait(self, options: Options, ranges: Ranges, ceiling: float) -> int:
        """Keeps a new set for later, and returns the number of its region."""
        number = len(self.regions)
        self.regions.append(Region())
        heapq.heappush(self.waiting, (-ceiling, number, options, ranges))
        return number

    def _look(self, number: int, options: Options, ranges: Ranges) -> None:
        """Bounds a set; if that does not empty it, it is followed to its maps, or split."""
        remaining = self.sets.remaining(options, ranges)
        if remaining is None:
            return
        multiplier, ceiling, good = self._bound(remaining)
        self.contest.offer(good)
        region = self.regions[number] = Region(Fraction(multiplier))
        remaining = self.sets.hopeful(remaining, region.multiplier, self.sets.target(self.contest.utility))
        if remaining is None:
            return
        if self.sets.settled(remaining):
            self.regions[number] = replace(region, labels=self._follow(remaining, region.multiplier))
        elif remaining.maps <= FEW_MAPS:
            self.regions[number] = replace(region, maps=remaining.maps)
            self._follow(remaining, region.multiplier)
        else:
            split = self._widest(remaining, multiplier)
            (_, options, below), (_, _, above) = self.sets.halves(split, remaining)
            halves = [self._wait(options, half, ceiling) for half in (below, above)]
            self.regions[number] = replace(region, split=replace(split, below=halves[0], above=halves[1]))

    def _bound(self, remaining: Remaining) -> tuple[float, float, list[int]]:
        """A multiplier on the budget, the bound that it gives, and the best map on its safe side.

        A map is a line in the multiplier, gain + multiplier * (safety + budget), and the least maximum of all lines is
        the best bound: it lies where those of a risky and of a safe map cross, once no other map is above.
        """
        unit, width = self.sets.unit, max(map(len, remaining.options))
        names = [list(row) for row in remaining.options]
        gain, safety = (
            np.array(
                [
                    [pair[side] / unit for pair in row.values()] + [-math.inf] * (width - len(row))
                    for row in remaining.contributions
                ]
            )
            for side in (0, 1)
        )
        rows, budget = np.arange(len(names)), self.sets.budget / unit

        def line(columns: Index) -> tuple[float, float]:
            return float(gain[rows, columns].sum()), float(safety[rows, columns].sum())

        safe, risky = safety.argmax(axis=1), gain.argmax(axis=1)
        low, high = line(safe), line(risky)
        safety[safety == -math.inf] = 0.0
        multiplier = 0.0
        if high[1] >= -budget or high[1] >= low[1]:
            safe, low = risky, high
        for _ in range(STEPS):
            if high[1] >= low[1]:
                break
            multiplier = min(max((high[0] - low[0]) / (low[1] - high[1]), 0.0), MOST_WEIGHT)
            best = (gain + multiplier * safety).argmax(axis=1)
            reached = line(best)
            if reached[0] + multiplier * reached[1] <= high[0] + multiplier * high[1] + self.instance.rounding:
                break
            if reached[1] >= -budget:
                safe, low = best, reached
            else:
                high = reached
        ceiling = float((gain + multiplier * safety).max(axis=1).sum()) + multiplier * budget
        return multiplier, ceiling, [names[group][column] for group, column in enumerate(safe.tolist())]

    def _widest(self, remaining: Remaining, multiplier: float) -> Split:
        """A cut in the middle of the range that loosens the bound most."""
        moved = float(self.instance.moved)
        weights = [side * share for side in (1.0, multiplier) for share in (moved, moved * (1 - moved))]
        costs = [
            weight * ((high - low) / self.sets.scale) if low < high else -1.0
            for weight, (low, high) in zip(weights, remaining.ranges, strict=True)
        ]
        axis = costs.index(max(costs))
        low, high = remaining.ranges[axis]
        values = {pair[axis // 2] for row in remaining.options for pair in row.values()}
        cut = max(value for value in values if value == low or low < value <= (low + high) // 2 < high)
        return Split(axis, Fraction(cut, self.sets.scale), -1, -1)

    def _follow(self, remaining: Remaining, multiplier: Fraction) -> int:
        """Follows the labels of a set to its maps, and says how many."""
        for width in (BEAM, None):
            target = self.sets.target(self.contest.utility)
            maps, labels = self.sets.maps(remaining, multiplier, target, self.most_labels, width)
            self._offer(np.array(maps, np.int64).reshape(-1, self.instance.groups))
            # So few labels in all were nowhere too many, so that they are all there are.
            if labels <= BEAM:
                break
        return labels

    def _offer(self, choices: Index) -> None:
        """Offers those of many maps that may be the best of them."""
        instance, groups = self.instance, np.arange(self.instance.groups)
        utilities = worst_utilities(instance, instance.lower[groups, choices])
        room = self.sets.budget / self.sets.unit - worst_risks(instance, instance.upper[groups, choices])
        sure = float(np.where(room > instance.margin, utilities, -1.0).max(initial=-1.0))
        target = max(float(self.contest.utility), sure) - instance.margin
        for choice in choices[(utilities >= target) & (room >= -instance.margin)].tolist():
            self.contest.offer(choice)
