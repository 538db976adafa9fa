"""A solution's proof checked again, in whole numbers: what the search decided to do with each set of maps is enough."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .comparison import check_settled
from .groupwise import check_rivals
from .instance import Instance, whole_mean, worst_risk, worst_utility
from .labels import TooManyLabels
from .proof import Covered, GroupWise, Refuted, Region, Settled, Solution
from .regions import Options, Ranges, Regions, Remaining


def recheck(instance: Instance, solution: Solution) -> None:
    """Raises Refuted unless the proof shows that the map is the best one and the first among equals."""
    _check_map(instance, solution)
    match solution.proof:
        case Settled(proof, known):
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


def check_regions(
    instance: Instance, usable: Sequence[Sequence[int]], solution: Solution, regions: Sequence[Region]
) -> None:
    """Every map is in some region, and no region holds a better map or an equal one that comes first."""
    check = _Check(instance, usable, solution)
    waiting, seen = [(0, check.regions.options, check.regions.ranges)], set[int]()
    while waiting:
        number, options, ranges = waiting.pop()
        if number in seen or not 0 <= number < len(regions):
            raise Refuted("the regions are no tree")
        seen.add(number)
        waiting += check.region(regions[number], options, ranges)


class _Check:
    """The regions of an instance, and the map that nothing may surpass."""

    def __init__(self, instance: Instance, usable: Sequence[Sequence[int]], solution: Solution) -> None:
        self.instance, self.solution, self.regions = instance, solution, Regions(instance, usable)
        self.target = self.regions.target(solution.utility)

    def region(self, region: Region, options: Options, ranges: Ranges) -> list[tuple[int, Options, Ranges]]:
        """Checks one region, and returns the two that it is split into, if it is."""
        if region.multiplier < 0:
            raise Refuted("a multiplier is negative")
        remaining = self.regions.remaining(options, ranges)
        if remaining is not None:
            remaining = self.regions.hopeful(remaining, region.multiplier, self.target)
        if remaining is None:
            return []
        if region.split is not None:
            return self.regions.halves(region.split, remaining)
        if region.maps is None and region.labels is None:
            raise Refuted("the multiplier leaves a region open")
        self._exhaust(region, remaining)
        return []

    def _exhaust(self, region: Region, remaining: Remaining) -> None:
        """Looks at every map that may reach the target, but for those that another one makes needless."""
        if region.labels is not None and not self.regions.settled(remaining):
            raise Refuted("labels are compared in a region whose thresholds are not fixed")
        if region.maps is not None and remaining.maps > region.maps:
            raise Refuted("a region holds more maps than stated")
        most = None if region.labels is None else 100 * region.labels + 10_000
        try:
            choices, _ = self.regions.maps(remaining, region.multiplier, self.target, most)
        except TooManyLabels:
            raise Refuted("a region needs far more labels than stated") from None
        for choice in choices:
            self._check_rival(choice)

    def _check_rival(self, choice: tuple[int, ...]) -> None:
        """Compares a map with the solution exactly."""
        instance, solution = self.instance, self.solution
        lowers = [row[option][0] for row, option in zip(self.regions.options, choice, strict=True)]
        if whole_mean(lowers, instance.counts, instance.moved) < self.target:
            return
        utility = worst_utility(instance, choice)
        worse = utility < solution.utility and utility <= solution.utility - instance.slack
        if worse or (utility == solution.utility and choice >= solution.choice):
            return
        if instance.keeps_budget(worst_risk(instance, choice)):
            better = instance.compare(utility, solution.utility) > 0
            raise Refuted("another map is better" if better else "an earlier map does as well")
