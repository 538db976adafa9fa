"""Sets of maps in whole numbers: what is left of one, what a multiplier on the budget excludes, and its two halves.

Utility and risk are two sides of one kind: the worst risk within the budget is the worst mean of -U at least -budget.
Side 0 holds L and side 1 holds -U. The worst mean of a side is moved * least + sum of share * min(value, cap) - moved *
cap at the map's own thresholds, least and cap. Since shares sum to one, moved * least and moved * cap can be spread
over the groups; each group then takes the best that the ranges allow. Where the ranges are points nothing is lost.

The search decides what to do with a set, and the check of its proof does it again; either way it is done here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .instance import Instance
from .labels import Goal, follow
from .proof import Refuted, Split

Values = tuple[int, int]
"""L and -U over the common denominator."""
Options = list[dict[int, Values]]
"""By group: the options that a map may use."""
Ranges = list[tuple[int, int]]
"""The ranges of the four thresholds, over the common denominator."""


@dataclass
class Remaining:
    """What is left of a set of maps: options, ranges, and each option's contributions to gain and safety."""

    options: Options
    ranges: Ranges
    contributions: Options

    @property
    def maps(self) -> int:
        """How many maps there are."""
        return math.prod(map(len, self.options))


class Regions:
    """The options of an instance in whole numbers over one denominator, and sets of maps of them."""

    def __init__(self, instance: Instance, usable: Sequence[Sequence[int]]) -> None:
        if instance.budget is None:
            raise Refuted("without a budget there are no regions")
        exact = [
            {option: (instance.exact_lower(group, option), -instance.exact_upper(group, option)) for option in row}
            for group, row in enumerate(usable)
        ]
        fractions = [value for row in exact for pair in row.values() for value in pair]
        scale = math.lcm(*{value.denominator for value in [*fractions, instance.budget, instance.slack]})
        self.instance, self.scale = instance, scale
        self.moved = instance.moved.numerator, instance.moved.denominator
        self.unit = scale * instance.states * instance.moved.denominator
        self.budget = int((instance.budget + instance.slack) * self.unit)
        self.options: Options = [
            {option: (int(pair[0] * scale), int(pair[1] * scale)) for option, pair in row.items()} for row in exact
        ]
        spans = [[pair[side] for row in self.options for pair in row.values()] for side in (0, 1)]
        self.ranges: Ranges = [(min(span), max(span)) for span in spans for _ in range(2)]

    def target(self, utility: Fraction) -> int:
        """What a map must reach that is not surely worse than one of a worst utility."""
        return math.floor((utility - self.instance.slack) * self.unit)

    def remaining(self, options: Options, ranges: Ranges) -> Remaining | None:
        """Narrows options and ranges to each other; None where no map is left that keeps the budget."""
        floors = ranges[0][0], ranges[2][0]
        kept = [{o: x for o, x in row.items() if x[0] >= floors[0] and x[1] >= floors[1]} for row in options]
        if not all(kept):
            return None
        tight: Ranges = []
        for side in (0, 1):
            present = {pair[side] for row in kept for pair in row.values()}
            lowest = [min(pair[side] for pair in row.values()) for row in kept]
            highest = [max(pair[side] for pair in row.values()) for row in kept]
            least, cap = (min(lowest), min(highest)), (self._cap(lowest), self._cap(highest))
            for (low, high), bounds in ((ranges[2 * side], least), (ranges[2 * side + 1], cap)):
                # A threshold is always the value of some option.
                inside = [value for value in present if max(low, bounds[0]) <= value <= min(high, bounds[1])]
                if not inside:
                    return None
                tight.append((min(inside), max(inside)))
        contributions = [
            {option: self._contributions(pair, count, tight) for option, pair in row.items()}
            for row, count in zip(kept, self.instance.counts, strict=True)
        ]
        safest = sum(max(contribution[1] for contribution in row.values()) for row in contributions)
        return Remaining(kept, tight, contributions) if safest >= -self.budget else None

    def _cap(self, values: list[int]) -> int:
        """The smallest value of a map above which there is no more than the moved mass."""
        moved, unit = self.moved
        above = 0
        for value, count in sorted(zip(values, self.instance.counts, strict=True), reverse=True):
            above += count * unit
            if above > moved * self.instance.states:
                return value
        return min(values)

    def _contributions(self, pair: Values, count: int, ranges: Ranges) -> Values:
        """An option's contributions to gain and safety."""
        ends = (ranges[1], ranges[0][1]), (ranges[3], ranges[2][1])
        gain, safety = (exact_contribution(pair[side], count, self.moved, *ends[side]) for side in (0, 1))
        return gain, safety

    def hopeful(self, remaining: Remaining, multiplier: Fraction, target: int) -> Remaining | None:
        """What is left without the options that no map of the target uses; None where no map reaches it."""
        times, weight = multiplier.denominator, multiplier.numerator
        scores = [
            {option: times * gain + weight * safety for option, (gain, safety) in row.items()}
            for row in remaining.contributions
        ]
        tops = [max(row.values()) for row in scores]
        spare = sum(tops) + weight * self.budget - times * target
        kept = [
            {option: pair for option, pair in row.items() if top - score[option] <= spare}
            for row, score, top in zip(remaining.options, scores, tops, strict=True)
        ]
        return self.remaining(kept, remaining.ranges) if all(kept) else None

    def halves(self, split: Split, remaining: Remaining) -> list[tuple[int, Options, Ranges]]:
        """The two sides of a cut; a value between two options' values belongs to neither map."""
        if not 0 <= split.axis < len(remaining.ranges):
            raise Refuted("a region is split by no threshold")
        low, high = remaining.ranges[split.axis]
        cut = math.floor(split.cut * self.scale)
        below, above = list(remaining.ranges), list(remaining.ranges)
        below[split.axis], above[split.axis] = (low, min(high, cut)), (max(low, cut + 1), high)
        return [(split.below, remaining.options, below), (split.above, remaining.options, above)]

    def settled(self, remaining: Remaining) -> bool:
        """Whether the contributions of a map sum to its very worst means."""
        return not self.moved[0] or all(low == high for low, high in remaining.ranges)

    def maps(
        self, remaining: Remaining, multiplier: Fraction, target: int, most: int | None, width: int | None = None
    ) -> tuple[list[tuple[int, ...]], int]:
        """The maps that may reach the target, and how many labels led to them; see `follow`.

        Where contributions sum to the very worst means, maps are left out that another one makes needless.
        """
        slack = int(self.instance.slack * self.unit) if self.settled(remaining) else None
        return follow(remaining.contributions, Goal(target, self.budget, slack), multiplier, most, width)


def exact_contribution(value: int, mass: int, moved: tuple[int, int], cap: tuple[int, int], least: int) -> int:
    """What an option contributes to one side, scaled by the denominator of the moved mass."""
    part, unit = moved
    clipped = min(max(value, cap[0]), cap[1])
    return mass * (unit * min(value, cap[1]) + part * (min(value, least) - clipped))
