"""Checks a solution's proof in exact arithmetic, without the search: slowly, and with no doubles."""

from __future__ import annotations

from fractions import Fraction

from .enumeration import enumerate_maps
from .groupwise import check_rivals
from .instance import Instance
from .mixtures import worst_risk, worst_utility
from .proof import Covered, Enumerated, GroupWise
from .refuted import Refuted
from .regions import check_regions
from .solution import Solution


def recheck(instance: Instance, solution: Solution) -> None:
    """Raises Refuted unless the proof shows that the map is the best one and the first among equals."""
    _check_map(instance, solution)
    match solution.proof:
        case GroupWise():
            _check_group_wise(instance, solution)
        case Enumerated(maps):
            found = enumerate_maps(instance)
            if (found.choice, found.utility, found.proof) != (solution.choice, solution.utility, Enumerated(maps)):
                raise Refuted("enumeration finds another map")
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
