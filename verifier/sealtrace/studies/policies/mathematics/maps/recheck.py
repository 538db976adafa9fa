"""A solution's proof checked in whole numbers, without the search: slowly, and with no doubles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .comparison import check_settled
from .domains import exact_contribution
from .groupwise import check_rivals
from .instance import Instance, whole_mean, worst_risk, worst_utility
from .labels import undominated
from .proof import Covered, GroupWise, Refuted, Region, Settled, Solution, SplitProof


def recheck(instance: Instance, solution: Solution) -> None:
    """Raises Refuted unless the proof shows that the map is the best one and the first among equals."""
    _check_map(instance, solution)
    match solution.proof:
        case Settled(proof, known):
            # Two proofs: that nothing is better than `known`, and that this map goes before all equal ones.
            first = Solution(known, proof, instance)
            recheck(instance, first)
            check_settled(instance, solution, first)
        case GroupWise():
            _check_group_wise(instance, solution)
        case Covered(regions):
            check_regions(instance, _needed(instance, usable_exactly(instance)), solution, regions)


def usable_exactly(instance: Instance) -> list[list[int]]:
    """The admissible options that may keep the global budget with the anchor everywhere else."""
    anchors = [0] * instance.groups
    return [
        [
            option
            for option in row.nonzero()[0].tolist()
            if instance.may_keep_budget(worst_risk(instance, [*anchors[:group], option, *anchors[group + 1 :]]))
        ]
        for group, row in enumerate(instance.admissible)
    ]


def _needed(instance: Instance, usable: list[list[int]]) -> list[list[int]]:
    """The options that no earlier one of their group equals or surpasses in both L and U."""

    def at_least(one: Fraction, other: Fraction) -> bool:
        return one == other or (one > other and one - other >= instance.slack)

    needed: list[list[int]] = []
    for group, row in enumerate(usable):
        needed.append([])
        for option in row:
            upper, lower = instance.exact_upper(group, option), instance.exact_lower(group, option)
            if not any(
                at_least(instance.exact_lower(group, earlier), lower)
                and at_least(upper, instance.exact_upper(group, earlier))
                for earlier in needed[-1]
            ):
                needed[-1].append(option)
    return needed


def _check_map(instance: Instance, solution: Solution) -> None:
    """The map is one of the instance's, and its worst values are as stated."""
    choice = solution.choice
    width = instance.admissible.shape[1]
    if len(choice) != instance.groups or not all(
        0 <= option < width and instance.admissible[group, option] for group, option in enumerate(choice)
    ):
        raise Refuted("the map uses an option that is not admissible")
    if (worst_utility(instance, choice), worst_risk(instance, choice)) != (solution.utility, solution.risk):
        raise Refuted("the stated worst values are not those of the map")
    if not instance.keeps_budget(solution.risk):
        raise Refuted("the map breaks the global budget")


def _check_group_wise(instance: Instance, solution: Solution) -> None:
    """The budget cannot bind, the largest L attain the stated utility, and no earlier map does."""
    usable = usable_exactly(instance)
    riskiest = [max(row, key=lambda option: instance.exact_upper(group, option)) for group, row in enumerate(usable)]
    if not instance.keeps_budget(worst_risk(instance, riskiest)):
        raise Refuted("the global budget can bind")
    best = [max(row, key=lambda option: instance.exact_lower(group, option)) for group, row in enumerate(usable)]
    if worst_utility(instance, best) != solution.utility:
        raise Refuted("the best options of the groups are better")
    check_rivals(instance, [(group, option) for group, row in enumerate(usable) for option in row], best)
    for group, row in enumerate(usable):
        for option in row[: row.index(solution.choice[group])]:
            earlier = [*solution.choice[:group], option, *best[group + 1 :]]
            if instance.compare(worst_utility(instance, earlier), solution.utility) == 0:
                raise Refuted("an earlier map does as well")


Values = tuple[int, int]
"""L and -U over the common denominator."""
Options = list[dict[int, Values]]
"""By group: the options that a map may use."""
Ranges = list[tuple[int, int]]
"""The ranges of the four thresholds, over the common denominator."""


def check_regions(
    instance: Instance, usable: Sequence[Sequence[int]], solution: Solution, regions: Sequence[Region]
) -> None:
    """Every map is in some region, and no region holds a better map or an equal one that comes first."""
    check = _Check(instance, usable, solution)
    waiting, seen = [(0, check.options, check.ranges)], set[int]()
    while waiting:
        number, options, ranges = waiting.pop()
        if number in seen or not 0 <= number < len(regions):
            raise Refuted("the regions are no tree")
        seen.add(number)
        waiting += check.region(regions[number], options, ranges)


@dataclass
class _Remaining:
    """What is left of a region: options, ranges, and each option's contributions to gain and safety."""

    options: Options
    ranges: Ranges
    contributions: Options


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
        # Everything over one denominator: from here on there are only whole numbers, and nothing is rounded.
        scale = math.lcm(*{value.denominator for value in [*fractions, *limits]})
        self.instance, self.solution, self.scale = instance, solution, scale
        self.moved = instance.moved.numerator, instance.moved.denominator
        unit = scale * instance.states * instance.moved.denominator
        # The slack always widens what must be excluded: budgets up, targets down.
        self.budget = int((instance.budget + instance.slack) * unit)
        self.target = int((solution.utility - instance.slack) * unit)
        self.slack = int(instance.slack * unit)
        self.options: Options = [
            {option: (int(pair[0] * scale), int(pair[1] * scale)) for option, pair in row.items()} for row in exact
        ]
        spans = [[pair[side] for row in self.options for pair in row.values()] for side in (0, 1)]
        self.ranges: Ranges = [(min(span), max(span)) for span in spans for _ in range(2)]

    def region(self, region: Region, options: Options, ranges: Ranges) -> list[tuple[int, Options, Ranges]]:
        """Checks one region, and returns the two that it is split into, if it is."""
        if region.multiplier < 0:
            raise Refuted("a multiplier is negative")
        remaining = self._remaining(options, ranges)
        hopeful = None if remaining is None else self._hopeful(remaining, region.multiplier)
        # Options that go narrow the ranges, and narrower ranges tighten the bound: once more is what the search did.
        remaining = None if remaining is None or hopeful is None else self._remaining(hopeful, remaining.ranges)
        if remaining is None:
            return []
        if region.split is not None:
            return self._halves(region.split, remaining)
        if region.maps is None and region.labels is None:
            raise Refuted("the multiplier leaves a region open")
        self._exhaust(region, remaining)
        return []

    def _remaining(self, options: Options, ranges: Ranges) -> _Remaining | None:
        """Narrows options and ranges to each other; None where no map is left that keeps the budget."""
        # An option below the least value of a region cannot be part of its maps, by what "least" means.
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
        return _Remaining(kept, tight, contributions) if safest >= -self.budget else None

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

    def _hopeful(self, remaining: _Remaining, multiplier: Fraction) -> Options | None:
        """The options that a map can use and still reach the target; None where no map can."""
        times, weight = multiplier.denominator, multiplier.numerator
        scores = [
            {option: times * gain + weight * safety for option, (gain, safety) in row.items()}
            for row in remaining.contributions
        ]
        tops = [max(row.values()) for row in scores]
        # Weak duality in whole numbers: times * gain + weight * (safety + budget) bounds every map within the budget.
        # An option that is below its group's top by more than the spare is part of no map that reaches the target.
        spare = sum(tops) + weight * self.budget - times * self.target
        kept = [
            {option: pair for option, pair in row.items() if top - score[option] <= spare}
            for row, score, top in zip(remaining.options, scores, tops, strict=True)
        ]
        return kept if all(kept) else None

    def _halves(self, split: SplitProof, remaining: _Remaining) -> list[tuple[int, Options, Ranges]]:
        """The two sides of a cut; a value between two options' values belongs to neither map."""
        if not 0 <= split.axis < len(remaining.ranges):
            raise Refuted("a region is split by no threshold")
        low, high = remaining.ranges[split.axis]
        cut = math.floor(split.cut * self.scale)
        below, above = list(remaining.ranges), list(remaining.ranges)
        below[split.axis], above[split.axis] = (low, min(high, cut)), (max(low, cut + 1), high)
        return [(split.below, remaining.options, below), (split.above, remaining.options, above)]

    def _exhaust(self, region: Region, remaining: _Remaining) -> None:
        """Looks at every map that may reach the target, except those that another map makes needless."""
        # Labels may be dropped only where worst means are sums over groups, which needs fixed thresholds.
        if region.labels is not None and self.moved[0] and any(low < high for low, high in remaining.ranges):
            raise Refuted("labels are compared in a region whose thresholds are not fixed")
        if region.maps is not None and math.prod(map(len, remaining.options)) > region.maps:
            raise Refuted("a region holds more maps than stated")
        goal = Goal(self.target, self.budget, None if region.labels is None else self.slack)
        for choice in follow_exactly(remaining.contributions, goal, region.multiplier, region.labels):
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


Contributions = Sequence[dict[int, tuple[int, int]]]
"""By group and option: the contributions to gain and safety."""


@dataclass(frozen=True)
class Goal:
    """What a map must reach, and whether partial maps may be dropped because another surpasses them."""

    target: int
    budget: int
    slack: int | None
    """How close two numbers may be without being told apart; None where no partial map may be dropped."""


def follow_exactly(
    contributions: Contributions, goal: Goal, multiplier: Fraction, stated: int | None
) -> list[tuple[int, ...]]:
    """The maps in order of preference; Refuted where far more labels than stated are needed."""
    sums = [(0, 0)]
    trail: list[list[tuple[int, int]]] = []
    labels = 0
    for row, rest in zip(contributions, _rests(contributions, multiplier), strict=True):
        steps = _steps(row, sums, goal, multiplier, rest)
        totals = [(sums[parent][0] + row[option][0], sums[parent][1] + row[option][1]) for parent, option in steps]
        if goal.slack is not None:
            kept = undominated([safety for _, safety in totals], [gain for gain, _ in totals], goal.slack)
            steps, totals = [steps[label] for label in kept], [totals[label] for label in kept]
        labels += len(steps)
        # Generous: it only keeps a forged proof from running for days.
        if stated is not None and labels > 100 * stated + 10_000:
            raise Refuted("a region needs far more labels than stated")
        sums = totals
        trail.append(steps)
    return [_walk_back(trail, last) for last in range(len(sums))]


def _rests(contributions: Contributions, multiplier: Fraction) -> list[tuple[int, int, int]]:
    """For every group the largest score, gain and safety of the groups after it."""
    rests = [(0, 0, 0)]
    for row in reversed(contributions[1:]):
        top = max(multiplier.denominator * gain + multiplier.numerator * safety for gain, safety in row.values())
        gains, safeties = zip(*row.values(), strict=True)
        score, gain, safety = rests[-1]
        rests.append((score + top, gain + max(gains), safety + max(safeties)))
    return rests[::-1]


def _steps(
    row: dict[int, tuple[int, int]],
    sums: Sequence[tuple[int, int]],
    goal: Goal,
    multiplier: Fraction,
    rest: tuple[int, int, int],
) -> list[tuple[int, int]]:
    """Pairs of label and option, in order, from which the target can still be reached within the budget."""
    times, weight = multiplier.denominator, multiplier.numerator
    scores = sorted(((times * gain + weight * safety, option) for option, (gain, safety) in row.items()), reverse=True)
    needed = times * goal.target - weight * goal.budget - rest[0]
    steps = []
    for label, (gain, safety) in enumerate(sums):
        score = needed - times * gain - weight * safety
        least, safest = goal.target - rest[1] - gain, -goal.budget - rest[2] - safety
        for reached, option in scores:
            # Scores are in falling order: no later option reaches it either.
            if reached < score:
                break
            if row[option][0] >= least and row[option][1] >= safest:
                steps.append((label, option))
    return sorted(steps)


def _walk_back(trail: Sequence[list[tuple[int, int]]], label: int) -> tuple[int, ...]:
    """The map of a label of the last group."""
    choice = []
    for steps in reversed(trail):
        label, option = steps[label]
        choice.append(option)
    return tuple(reversed(choice))
