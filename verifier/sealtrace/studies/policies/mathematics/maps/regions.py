"""Regions of thresholds, checked one by one in whole numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .exhaustion import Goal, follow_exactly
from .instance import Instance
from .mixtures import whole_mean, worst_risk, worst_utility
from .proof import Region, Split
from .refuted import Refuted
from .relaxation import exact_contribution
from .solution import Solution

Values = tuple[int, int]
"""L and -U over the common denominator."""
Options = list[dict[int, Values]]
"""By group: the options that a map may use."""
Box = list[tuple[int, int]]
"""The ranges of the four thresholds, over the common denominator."""


def check_regions(
    instance: Instance, usable: Sequence[Sequence[int]], solution: Solution, regions: Sequence[Region]
) -> None:
    """Every map is in some region, and no region holds a better map or an equal one that comes first."""
    check = _Check(instance, usable, solution)
    waiting, seen = [(0, check.options, check.box)], set[int]()
    while waiting:
        number, options, box = waiting.pop()
        if number in seen or not 0 <= number < len(regions):
            raise Refuted("the regions are no tree")
        seen.add(number)
        waiting += check.region(regions[number], options, box)


@dataclass
class _Room:
    """What is left of a region: options, ranges, and each option's contributions to gain and safety."""

    options: Options
    box: Box
    parts: Options


class _Check:
    """The instance in whole numbers, and the map that nothing may surpass."""

    def __init__(self, instance: Instance, usable: Sequence[Sequence[int]], solution: Solution) -> None:
        if instance.budget is None:
            raise Refuted("without a budget there are no regions")
        exact = [
            {option: (instance.exact_lower(group, option), -instance.exact_upper(group, option)) for option in row}
            for group, row in enumerate(usable)
        ]
        limits = [instance.budget, instance.slack, solution.utility]
        fractions = [value for row in exact for pair in row.values() for value in pair]
        scale = math.lcm(*{value.denominator for value in [*fractions, *limits]})
        self.instance, self.solution, self.scale = instance, solution, scale
        self.moved = instance.moved.numerator, instance.moved.denominator
        unit = scale * instance.states * instance.moved.denominator
        self.budget = int((instance.budget + instance.slack) * unit)
        self.target = int((solution.utility - instance.slack) * unit)
        self.slack = int(instance.slack * unit)
        self.options: Options = [
            {option: (int(pair[0] * scale), int(pair[1] * scale)) for option, pair in row.items()} for row in exact
        ]
        spans = [[pair[side] for row in self.options for pair in row.values()] for side in (0, 1)]
        self.box: Box = [(min(span), max(span)) for span in spans for _ in range(2)]

    def region(self, region: Region, options: Options, box: Box) -> list[tuple[int, Options, Box]]:
        """Checks one region, and returns the two that it is split into, if it is."""
        room = self._room(options, box)
        for multiplier in region.multipliers:
            if multiplier < 0:
                raise Refuted("a multiplier is negative")
            if room is None:
                return []
            left = self._hopeful(room, multiplier)
            room = None if left is None else self._room(left, room.box)
        if room is None:
            return []
        if region.split is not None:
            return self._halves(region.split, room)
        if region.maps is None and region.labels is None:
            raise Refuted("the multipliers leave a region open")
        self._exhaust(region, room)
        return []

    def _room(self, options: Options, box: Box) -> _Room | None:
        """Narrows options and ranges to each other; None where no map is left that keeps the budget."""
        floors = box[0][0], box[2][0]
        kept = [{o: x for o, x in row.items() if x[0] >= floors[0] and x[1] >= floors[1]} for row in options]
        if not all(kept):
            return None
        tight: Box = []
        for side in (0, 1):
            present = {pair[side] for row in kept for pair in row.values()}
            lowest = [min(pair[side] for pair in row.values()) for row in kept]
            highest = [max(pair[side] for pair in row.values()) for row in kept]
            least, cap = (min(lowest), min(highest)), (self._cap(lowest), self._cap(highest))
            for (low, high), bounds in ((box[2 * side], least), (box[2 * side + 1], cap)):
                # A threshold is always the value of some option.
                inside = [value for value in present if max(low, bounds[0]) <= value <= min(high, bounds[1])]
                if not inside:
                    return None
                tight.append((min(inside), max(inside)))
        parts = [
            {option: self._parts(pair, count, tight) for option, pair in row.items()}
            for row, count in zip(kept, self.instance.counts, strict=True)
        ]
        safest = sum(max(part[1] for part in row.values()) for row in parts)
        return _Room(kept, tight, parts) if safest >= -self.budget else None

    def _cap(self, values: list[int]) -> int:
        """The smallest value of a map above which there is no more than the moved mass."""
        part, unit = self.moved
        above = 0
        for value, count in sorted(zip(values, self.instance.counts, strict=True), reverse=True):
            above += count * unit
            if above > part * self.instance.states:
                return value
        return min(values)

    def _parts(self, pair: Values, count: int, box: Box) -> Values:
        """An option's contributions to gain and safety."""
        gain, safety = (
            exact_contribution(pair[side], count, self.moved, box[2 * side + 1], box[2 * side][1]) for side in (0, 1)
        )
        return gain, safety

    def _hopeful(self, room: _Room, multiplier: Fraction) -> Options | None:
        """The options that a map can use and still reach the target; None where no map can."""
        losses, ceiling = self._losses(room, multiplier)
        spare = ceiling - self.target * multiplier.denominator
        if spare < self._least_loss(room, losses):
            return None
        kept = [
            {option: pair for option, pair in row.items() if loss[option] <= spare}
            for row, loss in zip(room.options, losses, strict=True)
        ]
        return kept if all(kept) else None

    def _losses(self, room: _Room, multiplier: Fraction) -> tuple[list[dict[int, int]], int]:
        """What each option loses against the best of its group, and what no map surpasses."""
        times, weight = multiplier.denominator, multiplier.numerator
        losses, ceiling = [], weight * self.budget
        for row in room.parts:
            scores = {option: times * gain + weight * safety for option, (gain, safety) in row.items()}
            top = max(scores.values())
            losses.append({option: top - score for option, score in scores.items()})
            ceiling += top
        return losses, ceiling

    def _least_loss(self, room: _Room, losses: list[dict[int, int]]) -> int:
        """The least that a map loses because each of its thresholds is the value of one of its options."""
        if not self.moved[0]:
            return 0
        return max(
            min(
                loss[option]
                for row, loss in zip(room.options, losses, strict=True)
                for option, pair in row.items()
                if low <= pair[axis // 2] <= high
            )
            for axis, (low, high) in enumerate(room.box)
        )

    def _halves(self, split: Split, room: _Room) -> list[tuple[int, Options, Box]]:
        """The two sides of a cut; a value between two options' values belongs to neither map."""
        if not 0 <= split.axis < len(room.box):
            raise Refuted("a region is split by no threshold")
        low, high = room.box[split.axis]
        cut = math.floor(split.cut * self.scale)
        below, above = list(room.box), list(room.box)
        below[split.axis], above[split.axis] = (low, min(high, cut)), (max(low, cut + 1), high)
        return [(split.below, room.options, below), (split.above, room.options, above)]

    def _exhaust(self, region: Region, room: _Room) -> None:
        """Looks at every map that may reach the target, but for those that another one makes needless."""
        if region.labels is not None and self.moved[0] and any(low < high for low, high in room.box):
            raise Refuted("labels are compared in a region whose thresholds are not fixed")
        if region.maps is not None and math.prod(map(len, room.options)) > region.maps:
            raise Refuted("a region holds more maps than stated")
        multiplier = region.multipliers[-1] if region.multipliers else Fraction(0)
        goal = Goal(self.target, self.budget, None if region.labels is None else self.slack)
        for choice in follow_exactly(room.parts, goal, multiplier, region.labels):
            self._check_rival(choice)

    def _check_rival(self, choice: tuple[int, ...]) -> None:
        """Compares a map with the solution exactly."""
        instance, solution = self.instance, self.solution
        lowers = [row[option][0] for row, option in zip(self.options, choice, strict=True)]
        if whole_mean(lowers, instance.counts, instance.moved) < self.target:
            return
        utility = worst_utility(instance, choice)
        worse = utility < solution.utility and utility <= solution.utility - instance.slack
        if worse or (utility == solution.utility and choice >= solution.choice):
            return
        if instance.keeps_budget(worst_risk(instance, choice)):
            better = instance.compare(utility, solution.utility) > 0
            raise Refuted("another map is better" if better else "an earlier map does as well")
