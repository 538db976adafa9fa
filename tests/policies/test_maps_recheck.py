"""Proofs of best maps that nobody searched for: what passes is the best map of a plain enumeration."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from map_instances import instance_of
from policies.test_maps import small_instance
from sealtrace.mathematics.exact import Undecided
from sealtrace.studies.policies.mathematics.maps.instance import Instance, worst_risk, worst_utility
from sealtrace.studies.policies.mathematics.maps.proof import Covered, GroupWise, Refuted, Region, Solution, SplitProof
from sealtrace.studies.policies.mathematics.maps.recheck import (
    Goal,
    check_regions,
    follow_exactly,
    recheck,
    usable_exactly,
)

ENOUGH = 10**6
MULTIPLIERS = [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)]


def ranked(instance: Instance) -> list[tuple[int, ...]]:
    """All maps within the budget, the best one first."""
    options = [row.nonzero()[0].tolist() for row in instance.admissible]
    within = [choice for choice in product(*options) if instance.keeps_budget(worst_risk(instance, choice))]
    return sorted(within, key=lambda choice: (-worst_utility(instance, choice), choice))


def some_tree(source: random.Random, depth: int, leaf: Region) -> tuple[Region, ...]:
    """Regions split anywhere, by any threshold; every leaf is given."""
    regions: list[Region] = []

    def grow(depth: int) -> int:
        place = len(regions)
        regions.append(replace(leaf, multiplier=source.choice(MULTIPLIERS)))
        if depth:
            axis = source.randrange(4)
            cut = Fraction(source.randint(0, 12), 12) * (1 if axis < 2 else -1)
            split = SplitProof(axis, cut, grow(depth - 1), grow(depth - 1))
            regions[place] = Region(regions[place].multiplier, split)
        return place

    grow(depth)
    return tuple(regions)


@pytest.mark.parametrize("depth", range(4))
def test_any_regions_show_the_best_map_and_no_other(depth: int) -> None:
    """However thresholds are split and whatever the multipliers, where all maps that are left are looked at."""
    source = random.Random(depth)
    tried = 0
    while tried < 40:
        instance = small_instance(source)
        if instance.budget is None:
            continue
        tried += 1
        best, *others = ranked(instance)
        regions = Covered(some_tree(source, depth, Region(maps=ENOUGH)))
        recheck(instance, Solution(best, regions, instance))
        for other in others[:2] + source.sample(others, min(len(others), 2)):
            with pytest.raises(Refuted, match=r"another map is better|an earlier map does as well") as refused:
                recheck(instance, Solution(other, regions, instance))
            better = worst_utility(instance, best) > worst_utility(instance, other)
            assert better or "earlier" in str(refused.value)


def test_labels_are_enough_where_no_mass_moves() -> None:
    """One region whose partial maps are compared shows the best map, and no other."""
    source = random.Random(9)
    for _ in range(60):
        some = small_instance(source)
        instance = replace(some, radius=Fraction(0), budget=some.budget or Fraction(1, 2))
        best, *others = ranked(instance)
        proof = Covered((Region(source.choice(MULTIPLIERS), labels=1),))
        recheck(instance, Solution(best, proof, instance))
        for other in others[:3]:
            with pytest.raises(Refuted):
                recheck(instance, Solution(other, proof, instance))


def test_each_group_for_itself() -> None:
    """Where no map breaks the budget the proof without regions shows the best map alone, and else none."""
    source = random.Random(10)
    idle = 0
    for _ in range(150):
        instance = small_instance(source)
        best, *others = ranked(instance)
        usable = usable_exactly(instance)
        if all(instance.keeps_budget(worst_risk(instance, choice)) for choice in product(*usable)):
            idle += 1
            recheck(instance, Solution(best, GroupWise(), instance))
        else:
            with pytest.raises(Refuted, match="can bind"):
                recheck(instance, Solution(best, GroupWise(), instance))
        for other in others[:3]:
            with pytest.raises(Refuted):
                recheck(instance, Solution(other, GroupWise(), instance))
    assert 20 < idle < 130


def test_usable_options_keep_the_budget_alone() -> None:
    """With the anchor everywhere else."""
    source = random.Random(11)
    for _ in range(50):
        instance = small_instance(source)
        for group, options in enumerate(usable_exactly(instance)):
            for option in range(instance.admissible.shape[1]):
                alone = [option if place == group else 0 for place in range(instance.groups)]
                usable = bool(instance.admissible[group, option]) and (
                    instance.budget is None or worst_risk(instance, alone) <= instance.budget
                )
                assert (option in options) == usable


def a_pair(slack: Fraction, lower: Fraction, upper: Fraction) -> Instance:
    """One group, a budget of one half, and after the anchor two options: U = L = 1/4, and another."""
    quarter = Fraction(1, 4)
    rows = [[Fraction(0), quarter, upper]], [[Fraction(0), quarter, lower]]
    return instance_of([1], *rows, [[True] * 3], Fraction(1, 2), Fraction(0), slack)


@pytest.mark.parametrize("leaf", [Region(maps=3), Region(labels=3), Region(Fraction(1, 2), maps=3)])
def test_what_lies_within_the_slack_is_not_told_apart(leaf: Region) -> None:
    """A rival that is closer than the slack leaves the proof undecided; at the slack it is better, or worse."""
    slack, quarter = Fraction(1, 64), Fraction(1, 4)
    proof = Covered((leaf,))
    for gap in (slack / 2, -slack / 2):
        instance = a_pair(slack, quarter + gap, Fraction(3, 8))
        with pytest.raises(Undecided):
            recheck(instance, Solution((1,), proof, instance))
    instance = a_pair(slack, quarter + slack, Fraction(3, 8))
    with pytest.raises(Refuted, match="better"):
        recheck(instance, Solution((1,), proof, instance))
    recheck(instance, Solution((2,), proof, instance))
    instance = a_pair(slack, quarter - slack, Fraction(1, 8))
    recheck(instance, Solution((1,), proof, instance))
    instance = a_pair(slack, Fraction(3, 8), Fraction(1, 2) + slack / 2)
    with pytest.raises(Undecided):
        recheck(instance, Solution((1,), proof, instance))
    instance = a_pair(slack, Fraction(3, 8), Fraction(1, 2) + slack)
    recheck(instance, Solution((1,), proof, instance))
    instance = a_pair(slack, Fraction(3, 8), Fraction(1, 2))
    with pytest.raises(Refuted, match="better"):
        recheck(instance, Solution((1,), proof, instance))


def test_a_region_holds_as_many_maps_as_it_states() -> None:
    """Options that an earlier one equals, that break the budget, or that a multiplier excludes are not counted."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    upper = [[Fraction(0), quarter, quarter, Fraction(1)], [Fraction(0), half, Fraction(1, 8), Fraction(0)]]
    lower = [[Fraction(0), half, half, Fraction(1)], [Fraction(0), half, quarter, Fraction(0)]]
    instance = instance_of([1, 1], upper, lower, [[True] * 4] * 2, quarter, Fraction(0))
    best = ranked(instance)[0]
    assert best == (1, 2)
    for multiplier, maps in ((Fraction(0), 2), (Fraction(1), 3), (Fraction(2), 4)):
        region = Region(multiplier, maps=maps)
        recheck(instance, Solution(best, Covered((region,)), instance))
        with pytest.raises(Refuted, match="more maps than stated"):
            recheck(instance, Solution(best, Covered((replace(region, maps=maps - 1),)), instance))


def test_an_earlier_option_that_is_better_by_the_slack_is_enough() -> None:
    """The later one, as risky, is not among the maps that are counted."""
    slack, quarter = Fraction(1, 64), Fraction(1, 4)
    instance = a_pair(slack, quarter - slack, quarter)
    recheck(instance, Solution((1,), Covered((Region(maps=1),)), instance))


def test_labels_need_every_threshold_fixed() -> None:
    """Where mass moves: here no option has a risk, so that two thresholds are fixed and two are not."""
    half = Fraction(1, 2)
    rows = [[Fraction(0)] * 3] * 2, [[Fraction(0), half, Fraction(1)]] * 2
    instance = instance_of([1, 1], *rows, [[True] * 3] * 2, half, half)
    with pytest.raises(Refuted, match="not fixed"):
        recheck(instance, Solution((1, 1), Covered((Region(labels=99),)), instance))
    # Only the best options are left by the best map itself.
    recheck(instance, Solution((2, 2), Covered((Region(labels=99),)), instance))


def test_regions_need_a_budget() -> None:
    """Without one each group decides for itself."""
    instance = replace(a_pair(Fraction(0), Fraction(1, 8), Fraction(1, 8)), budget=None)
    solution = Solution((1,), Covered((Region(maps=9),)), instance)
    with pytest.raises(Refuted, match="without a budget"):
        check_regions(instance, [[0, 1, 2]], solution, [Region(maps=9)])
    recheck(instance, replace(solution, proof=GroupWise()))


def test_maps_that_reach_the_target_are_all_followed() -> None:
    """Those of plain enumeration, in order; fewer only where another is as safe and gains as much."""
    source = random.Random(12)
    for _ in range(60):
        safeties = source.choice([(-9, 4), (2, 9)])
        contributions = [
            {option: (source.randint(-4, 9), source.randint(*safeties)) for option in source.sample(range(6), 3)}
            for _ in range(source.randint(1, 4))
        ]
        goal = Goal(source.randint(-5, 15), source.randint(-5, 20), None)
        multiplier = source.choice(MULTIPLIERS)
        totals = {}
        for choice in product(*(sorted(row) for row in contributions)):
            pairs = [row[option] for row, option in zip(contributions, choice, strict=True)]
            totals[choice] = sum(gain for gain, _ in pairs), sum(safety for _, safety in pairs)
        reaching = [
            choice for choice, (gain, safety) in totals.items() if gain >= goal.target and safety >= -goal.budget
        ]
        assert follow_exactly(contributions, goal, multiplier, None) == reaching
        unsurpassed = [
            choice
            for choice in reaching
            if not any(
                (totals[rival][1] >= totals[choice][1] and totals[rival][0] > totals[choice][0])
                or (totals[rival][1] >= totals[choice][1] and totals[rival][0] == totals[choice][0] and rival < choice)
                for rival in reaching
            )
        ]
        assert follow_exactly(contributions, replace(goal, slack=0), multiplier, None) == unsurpassed


def test_far_more_labels_than_stated_are_refused() -> None:
    """A hundred times as many and ten thousand more are not."""
    row = {option: (option, -option) for option in range(104)}
    goal = Goal(-(10**6), 10**6, 0)
    contributions = [{0: (0, 0), 1: (104, -104)}] * 97 + [row]
    needed = sum(range(2, 99)) + 98 * 104
    assert 10_000 < needed < 20_000
    enough = -(-(needed - 10_000) // 100)
    follow_exactly(contributions, goal, Fraction(1), enough)
    with pytest.raises(Refuted, match="more labels"):
        follow_exactly(contributions, goal, Fraction(1), enough - 1)
