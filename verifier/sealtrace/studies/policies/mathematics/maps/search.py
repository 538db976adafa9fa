"""The best map by sets of maps, the most promising first: each is bounded, split by a threshold, or emptied."""

from __future__ import annotations

import heapq
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from sealtrace.mathematics import Mask, Matrix, Vector

from .comparison import MapContest, look_at_all
from .domains import (
    CAP,
    LEAST,
    SIDES,
    Bounds,
    Domains,
    Maps,
    Ranked,
    Ranks,
    all_groups,
    bound,
    concatenated,
    contributions,
    everything,
    narrow,
    rank_values,
    settled,
)
from .groupwise import group_wise, largest, needed_options, usable_options
from .instance import Instance, worst_risks, worst_utilities
from .labels import follow
from .proof import Covered, Region, Solution, SplitProof

BATCH = 32
"""Domains bounded at a time: one alone is so small that most of the time goes into calls."""
FEW_MAPS = 1_000
"""A domain with at most this many maps is enumerated instead of split."""
BEAM = 1_000
"""Labels per group in a first, narrow pass for a good map, before all of them are followed."""
MOST_LABELS = 1_000_000
"""A domain that needs more labels is beyond the search."""


def best_map(instance: Instance, most_labels: int = MOST_LABELS) -> Solution:
    """The map with the largest worst utility within the budget; among equals the first in order of preference.

    Raises Undecided where the slack leaves the answer open, and TooManyLabels where it is out of reach.
    """
    # Cheapest first: where the budget cannot bind, groups decide alone; where few options are left, all maps are
    # compared; only the rest is searched.
    usable = usable_options(instance)
    found = group_wise(instance, usable)
    if found is not None:
        return found
    needed = needed_options(instance, usable)
    return look_at_all(instance, needed) or _MapSearch(instance, needed, most_labels).run()


class _MapSearch:
    """Domains to look at, the regions of the proof so far, and the best maps so far."""

    def __init__(self, instance: Instance, needed: Mask, most_labels: int) -> None:
        self.instance = instance
        self.ranked = rank_values(instance, needed)
        self.contest = MapContest(instance)
        self.most_labels = most_labels
        self.regions: list[Region] = []
        self.waiting: list[tuple[float, int, Domains]] = []

    def run(self) -> Solution:
        """Looks at domains, the most promising first, until none can hold a better or an equal map."""
        best = np.where(self.ranked.usable, self.instance.lower, -1.0)
        # The anchor everywhere always keeps the budget, so there is a map to beat from the start. The largest L of each
        # group is the optimum where it keeps the budget, and a good ceiling where it does not.
        self.contest.offer([0] * self.instance.groups)
        self.contest.offer(largest(best, self.instance.exact_lower))
        self._wait(everything(self.ranked), math.inf)
        # heapq takes the least first, so ceilings are kept with their sign turned. `>=` and not `>`: a map of the same
        # utility may come first in order of preference.
        while self.waiting and -self.waiting[0][0] >= self._target():
            _, numbers, domains = zip(
                *(heapq.heappop(self.waiting) for _ in range(min(BATCH, len(self.waiting)))), strict=True
            )
            self._bound(np.array(numbers), concatenated(domains))
        return Solution(self.contest.decide(), Covered(tuple(self.regions)), self.instance)

    def _wait(self, domain: Domains, ceiling: float) -> int:
        """Keeps a new domain for later, and returns the number of its region."""
        number = len(self.regions)
        self.regions.append(Region())
        heapq.heappush(self.waiting, (-ceiling, number, domain))
        return number

    def _target(self) -> float:
        """What a map must reach at least to matter."""
        # Less what doubles may be off by: a domain is given up only where it surely holds nothing as good.
        return float(self.contest.utility) - self.instance.rounding

    def _bound(self, numbers: Maps, domains: Domains) -> None:
        """Bounds domains; those that are not closed by that are followed to their maps, or split."""
        left = narrow(self.ranked, domains)
        if not left.any():
            return
        numbers, domains = numbers[left], domains[left]
        contributed = contributions(self.ranked, domains)
        found = bound(self.ranked, domains, contributed)
        self._try(found)
        domains.open = found.hopeful(self._target())
        hopeful = all_groups(domains.open)
        for row in np.flatnonzero(found.possible).tolist():
            number, multiplier, ceiling = int(numbers[row]), float(found.multipliers[row]), float(found.ceilings[row])
            self.regions[number] = region = Region(Fraction(multiplier))
            # The multiplier alone closes it, by weak duality; `recheck` repeats that in whole numbers.
            if not hopeful[row] or ceiling < self._target():
                continue
            domain = domains[[row]]
            maps = math.prod(domain.open.sum(axis=2)[0].tolist())
            # With fixed thresholds worst means are sums over groups, so that one partial map can make another needless.
            if settled(self.ranked, domain):
                labels = self._follow(domain, contributed[row], multiplier)
                self.regions[number] = replace(region, labels=labels)
            elif maps <= FEW_MAPS:
                self._follow(domain, contributed[row], multiplier)
                self.regions[number] = replace(region, maps=maps)
            else:
                self.regions[number] = replace(region, split=self._split(domain, multiplier, ceiling))

    def _try(self, found: Bounds) -> None:
        """Offers the best map that the bounds suggest, if it is better than those known."""
        utilities, room = self._worst(found.safe)
        # Only maps whose room in the budget is beyond doubt: what is offered here becomes what others must beat.
        within = np.where(room >= self.instance.rounding, utilities, -1.0)
        if within.max() > float(self.contest.utility):
            self.contest.offer(found.safe[within.argmax()].tolist())

    def _split(self, domain: Domains, multiplier: float, ceiling: float) -> SplitProof:
        """Halves the range that costs the bound most."""
        axis, cut = _widest(self.ranked, domain.ranges[0], multiplier)
        below, above = domain.ranges.copy(), domain.ranges.copy()
        below[:, axis, 1], above[:, axis, 0] = cut, cut + 1
        halves = [self._wait(Domains(ranges, domain.open), ceiling) for ranges in (below, above)]
        return SplitProof(axis, self.ranked.exact_value(axis // 2, cut), *halves)

    def _follow(self, domain: Domains, contributed: Matrix, multiplier: float) -> int:
        """Follows the labels of a domain to its maps, and says how many."""
        # A narrow beam first: a good map found early raises the target, and the full pass then keeps fewer labels.
        for width in (BEAM, None):
            maps, labels = follow(self.ranked, domain, contributed, multiplier, self._target(), self.most_labels, width)
            self._offer(maps)
            # So few labels in all were nowhere too many, so that they are all there are.
            if labels <= BEAM:
                break
        return labels

    def _offer(self, choices: Maps) -> None:
        """Offers those of many maps that may be the best of them."""
        utilities, room = self._worst(choices)
        sure = np.where(room > self.instance.rounding, utilities, -1.0).max(initial=-1.0)
        target = max(self._target(), float(sure) - self.instance.rounding)
        for choice in choices[(utilities >= target) & (room >= -self.instance.rounding)].tolist():
            self.contest.offer(choice)

    def _worst(self, choices: Maps) -> tuple[Vector, Vector]:
        """The worst utilities of maps, and what their worst risks leave of the budget."""
        values = self.ranked.values[:, np.arange(self.instance.groups), choices]
        return worst_utilities(self.instance, values[0]), self.ranked.budget - worst_risks(self.instance, -values[1])


def _widest(ranked: Ranked, ranges: Ranks, multiplier: float) -> tuple[int, int]:
    """The axis whose range loosens the bound most, and a rank below its middle."""
    # Worst mean = moved * least + sum of q * min(L, cap) - moved * cap. These weights only estimate how much each
    # range loosens the bound: a split by any axis is right, a good one is quick.
    kinds = {LEAST: ranked.moved, CAP: ranked.moved * (1 - ranked.moved)}
    costs: dict[int, float] = {}
    for side in SIDES:
        for kind, share in kinds.items():
            low, high = ranges[2 * side + kind].tolist()
            if low < high:
                width = float(ranked.doubles[side][high] - ranked.doubles[side][low])
                costs[2 * side + kind] = share * width * (multiplier if side else 1.0)
    axis = max(costs, key=lambda axis: costs[axis])
    low, high = ranges[axis].tolist()
    levels = ranked.doubles[axis // 2]
    # The middle of the values, not of the ranks: many options may lie close together at one end.
    below = int(np.searchsorted(levels, (levels[low] + levels[high]) / 2)) - 1
    return axis, min(max(below, low), high - 1)
