"""The best map by sets of maps, the most promising first: each is bounded, split by a threshold, or emptied."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from .comparison import Contest, look_at_all
from .domains import (
    CAP,
    LEAST,
    SIDES,
    Bounds,
    Domain,
    Domains,
    Maps,
    Ranked,
    all_groups,
    bound,
    climb,
    contributions,
    everything,
    narrow,
    rank_values,
    settled,
    together,
    utilities_within,
)
from .groupwise import group_wise, largest, needed_options, usable_options
from .instance import Instance, Mask, Matrix, Vector, worst_risks, worst_utilities
from .labels import follow
from .proof import Covered, Region, Solution, Split

FEW_MAPS = 20_000
"""So many maps are looked at sooner than bounded."""
SAMPLE = 200
"""So many promising maps of a domain are looked at before the others."""
BATCH = 32
"""So many domains are bounded at a time: alone they are so small that most of the time goes into calls."""
AGAIN = 0.8
"""A domain that keeps more than this share of its options is split sooner than bounded again."""
BEAM = 1_000
"""So many labels per group are followed for a good map before all of them are."""
MOST_LABELS = 1_000_000
"""A domain that needs more labels is beyond the search."""


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
    """Domains to look at, the regions of the proof so far, and the best maps so far."""

    def __init__(self, instance: Instance, needed: Mask, most_labels: int) -> None:
        self.instance = instance
        self.ranked = rank_values(instance, needed)
        self.contest = Contest(instance)
        self.most_labels = most_labels
        self.regions: list[Region] = []
        self.waiting: list[tuple[float, int, Domain]] = []

    def run(self) -> Solution:
        """Looks at domains until none can hold a better or an equal map."""
        best = np.where(self.ranked.usable, self.instance.lower, -1.0)
        self.contest.offer([0] * self.instance.groups)
        self.contest.offer(largest(best, self.instance.exact_lower))
        self._wait(everything(self.ranked), math.inf)
        while batch := self._next():
            self._bound(list(batch), together(list(batch.values())))
        return Solution(self.contest.decide(), Covered(tuple(self.regions)), self.instance)

    def _wait(self, domain: Domain, ceiling: float) -> int:
        """Keeps a new domain for later, and returns the number of its region."""
        number = len(self.regions)
        self.regions.append(Region())
        heapq.heappush(self.waiting, (-ceiling, number, domain))
        return number

    def _next(self) -> dict[int, Domain]:
        """The most promising domains by region."""
        batch: dict[int, Domain] = {}
        while self.waiting and len(batch) < BATCH and -self.waiting[0][0] >= self._target():
            _, number, domain = heapq.heappop(self.waiting)
            batch[number] = domain
        return batch

    def _target(self) -> float:
        """What a map must reach at least to matter."""
        return float(self.contest.utility) - self.instance.rounding

    def _bound(self, numbers: list[int], domains: Domains) -> None:
        """Bounds domains; those that are not closed by that wait for more, or are finished."""
        numbers, domains = _only(numbers, domains, narrow(self.ranked, domains))
        if not numbers:
            return
        contributed = contributions(self.ranked, domains)
        found = bound(self.ranked, domains, contributed)
        self._try(found)
        keep = found.hopeful(self._target())
        hopeful = all_groups(keep)
        shrunk = keep.sum(axis=(1, 2)) <= AGAIN * domains.open.sum(axis=(1, 2))
        domains.open = keep
        for row in np.flatnonzero(found.possible).tolist():
            number, multiplier, ceiling = numbers[row], float(found.multipliers[row]), float(found.best[row])
            self.regions[number] = Region((*self.regions[number].multipliers, Fraction(multiplier)))
            if not hopeful[row] or ceiling < self._target():
                continue
            if shrunk[row]:
                heapq.heappush(self.waiting, (-ceiling, number, domains[row]))
            else:
                self._finish(number, domains[row], contributed[row], multiplier, ceiling)

    def _try(self, found: Bounds) -> None:
        """Offers the best map that the bounds suggest, improved, if it is better than those known."""
        utilities = utilities_within(self.ranked, found.safe)
        row, known = int(utilities.argmax()), float(self.contest.utility)
        if utilities[row] > known or known <= 0:
            start = found.safe[row] if utilities[row] > known else np.zeros_like(found.safe[row])
            self.contest.offer(climb(self.ranked, found.losses[row], start).tolist())

    def _finish(self, number: int, domain: Domain, contributed: Matrix, multiplier: float, ceiling: float) -> None:
        """A domain whose bound removes little."""
        region = self.regions[number]
        if math.prod(domain.open.sum(axis=1).tolist()) <= FEW_MAPS:
            self.regions[number] = replace(region, maps=self._look(domain, contributed))
        elif settled(self.ranked, domain):
            self.regions[number] = replace(region, labels=self._follow(domain, contributed, multiplier))
        else:
            self._split(number, domain, multiplier, ceiling)

    def _split(self, number: int, domain: Domain, multiplier: float, ceiling: float) -> None:
        """Halves the range that costs the bound most."""
        axis, cut = _widest(self.ranked, domain, multiplier)
        below, above = domain.ranges.copy(), domain.ranges.copy()
        below[axis, 1], above[axis, 0] = cut, cut + 1
        halves = [self._wait(Domain(ranges, domain.open), ceiling) for ranges in (below, above)]
        split = Split(axis, self.ranked.exact_value(axis // 2, cut), *halves)
        self.regions[number] = replace(self.regions[number], split=split)

    def _follow(self, domain: Domain, contributed: Matrix, multiplier: float) -> int:
        """Follows the labels of a settled domain, and says how many."""
        followed = follow(self.ranked, domain, contributed, multiplier, self._target(), self.most_labels, BEAM)
        self._offer(followed.maps)
        # So few labels in all were nowhere too many, so that they are all there are.
        if followed.labels > BEAM:
            followed = follow(self.ranked, domain, contributed, multiplier, self._target(), self.most_labels)
            self._offer(followed.maps)
        return followed.labels

    def _look(self, domain: Domain, contributed: Matrix) -> int:
        """Looks at every map of a domain, and says at how many."""
        margin = self.instance.rounding
        columns = [np.flatnonzero(row) for row in domain.open]
        gain, safety = (_sums([row[chosen] for row, chosen in zip(side, columns, strict=True)]) for side in contributed)
        safe = np.flatnonzero(safety >= -self.ranked.budget - margin)
        # A few promising maps first: what they reach excludes most of the others.
        for limit in (SAMPLE, len(safe)):
            near = safe[gain[safe] >= self._target() - margin]
            if limit < len(near):
                near = near[np.argpartition(-gain[near], limit)[:limit]]
            places = np.unravel_index(near, [len(chosen) for chosen in columns])
            rows = [chosen[place] for chosen, place in zip(columns, places, strict=True)]
            self._offer(np.stack(rows, axis=1))
        return len(gain)

    def _offer(self, choices: Maps) -> None:
        """Offers those of many maps that may be the best of them."""
        values = self.ranked.values[:, np.arange(self.instance.groups), choices]
        utilities = worst_utilities(self.instance, values[0])
        room = self.ranked.budget - worst_risks(self.instance, -values[1])
        sure = np.where(room > self.instance.rounding, utilities, -1.0).max(initial=-1.0)
        target = max(self._target(), float(sure) - self.instance.rounding)
        for choice in choices[(utilities >= target) & (room >= -self.instance.rounding)].tolist():
            self.contest.offer(choice)


def _only(numbers: list[int], domains: Domains, rows: Mask) -> tuple[list[int], Domains]:
    """Some of the domains with their regions."""
    return [number for number, kept in zip(numbers, rows, strict=True) if kept], domains.only(rows)


def _sums(rows: Sequence[Vector]) -> Vector:
    """The sums of one entry from every row, in order."""
    sums: Vector = rows[0]
    for row in rows[1:]:
        sums = (sums[:, None] + row).ravel()
    return sums


def _widest(ranked: Ranked, domain: Domain, multiplier: float) -> tuple[int, int]:
    """The axis whose range loosens the bound most, and a rank below its middle."""
    kinds = {LEAST: ranked.moved, CAP: ranked.moved * (1 - ranked.moved)}
    costs: dict[int, float] = {}
    for side in SIDES:
        for kind, share in kinds.items():
            low, high = domain.ranges[2 * side + kind].tolist()
            if low < high:
                width = float(ranked.doubles[side][high] - ranked.doubles[side][low])
                costs[2 * side + kind] = share * width * (multiplier if side else 1.0)
    axis = max(costs, key=lambda axis: costs[axis])
    low, high = domain.ranges[axis].tolist()
    levels = ranked.doubles[axis // 2]
    below = int(np.searchsorted(levels, (levels[low] + levels[high]) / 2)) - 1
    return axis, min(max(below, low), high - 1)
