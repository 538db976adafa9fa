"""The steps of the map search, each against its definition."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from map_instances import KINDS, instance_of, make
from sealtrace.studies.policies.mathematics.maps import comparison, search
from sealtrace.studies.policies.mathematics.maps.domains import (
    SIDES,
    Ranked,
    bound,
    concatenated,
    contributions,
    everything,
    exact_contribution,
    narrow,
    rank_values,
    settled,
)
from sealtrace.studies.policies.mathematics.maps.groupwise import needed_options
from sealtrace.studies.policies.mathematics.maps.instance import (
    Instance,
    worst_risk,
    worst_risks,
    worst_utilities,
    worst_utility,
)
from sealtrace.studies.policies.mathematics.maps.labels import undominated
from sealtrace.studies.policies.mathematics.maps.recheck import recheck

RADII = ("0", "0.05", "0.1", "0.5", "1", "1.9", "2")


def random_instance(source: random.Random, groups: int, width: int) -> Instance:
    """Values with ties, weights with zeros."""
    counts = [source.choice([0, 1, 2, 5, 9]) for _ in range(groups - 1)] + [3]
    steps = source.choice([3, 20, 1000])
    upper, lower = (
        [[Fraction(0), *(Fraction(source.randint(0, steps), steps) for _ in range(width))] for _ in range(groups)]
        for _ in range(2)
    )
    admissible = [[True] * (width + 1)] * groups
    return instance_of(counts, upper, lower, admissible, Fraction(1, 2), Fraction(source.choice(RADII)))


def by_linear_program(values: list[float], instance: Instance, sign: int) -> float:
    """The extreme mean over q = centre + up - down with up, down >= 0 and sum(up + down) <= radius."""
    groups = instance.groups
    centre = instance.shares
    ones = np.ones(groups)
    found = linprog(
        sign * np.concatenate([values, np.negative(values)]),
        A_ub=np.vstack([np.ones(2 * groups), np.hstack([-np.eye(groups), np.eye(groups)])]),
        b_ub=np.concatenate([[float(instance.radius)], centre]),
        A_eq=np.concatenate([ones, -ones])[None],
        b_eq=[0.0],
        bounds=(0, None),
    )
    assert found.fun is not None
    return sign * float(found.fun) + float(centre @ values)


@pytest.mark.parametrize("seed", range(150))
def test_worst_values_are_those_of_the_linear_programs(seed: int) -> None:
    """The closed forms attain the optima of both inner programs, at every radius and with empty groups."""
    source = random.Random(seed)
    instance = random_instance(source, source.randint(1, 7), 3)
    choice = [source.randint(0, 3) for _ in range(instance.groups)]
    lower, upper = ([float(value) for value in side(choice)] for side in (instance.lowers, instance.uppers))
    utility, risk = worst_utility(instance, choice), worst_risk(instance, choice)
    assert float(utility) == pytest.approx(by_linear_program(lower, instance, 1), abs=1e-9)
    assert float(risk) == pytest.approx(by_linear_program(upper, instance, -1), abs=1e-9)
    assert worst_utilities(instance, np.array([lower]))[0] == pytest.approx(float(utility), abs=instance.rounding)
    assert worst_risks(instance, np.array([upper]))[0] == pytest.approx(float(risk), abs=instance.rounding)


def test_the_whole_simplex_and_the_centre() -> None:
    """At radius 2 only the extreme values count, at radius 0 only the centre."""
    lower = [[Fraction(0), Fraction(1, 3)], [Fraction(0), Fraction(3, 4)]]
    for radius, utility in (("2", Fraction(1, 3)), ("0", Fraction(1, 3) / 4 + Fraction(9, 16))):
        instance = instance_of([1, 3], lower, lower, [[True, True]] * 2, None, Fraction(radius))
        assert worst_utility(instance, (1, 1)) == utility
    assert worst_risk(instance_of([1, 0], lower, lower, [[True, True]] * 2, None, Fraction(2)), (1, 1)) == Fraction(
        3, 4
    )


def thresholds(ranked: Ranked, ranks: list[int]) -> tuple[int, int]:
    """Least and cap of a map on one side, from their definitions."""
    counts, moved = ranked.instance.counts, ranked.instance.moved * ranked.instance.states
    caps = [
        rank
        for rank in ranks
        if sum(count for other, count in zip(ranks, counts, strict=True) if other > rank) <= moved
    ]
    return min(ranks), min(caps)


@pytest.mark.parametrize("seed", range(200))
def test_a_domain_keeps_its_maps_and_bounds_them(seed: int) -> None:
    """Narrowing loses no map of the ranges; contributions bound its worst means, and meet them at points."""
    source = random.Random(seed)
    instance = random_instance(source, source.randint(1, 5), 4)
    ranked = rank_values(instance, needed_options(instance, instance.admissible))
    choice = [source.choice(row.nonzero()[0].tolist()) for row in ranked.usable]
    domain = everything(ranked)
    tight = source.random() < 0.4
    for side in SIDES:
        ranks = [int(ranked.ranks[side, group, option]) for group, option in enumerate(choice)]
        for kind, rank in enumerate(thresholds(ranked, ranks)):
            low, high = domain.ranges[0, 2 * side + kind].tolist()
            domain.ranges[0, 2 * side + kind] = (
                (rank, rank) if tight else (source.randint(low, rank), source.randint(rank, high))
            )
    domains = concatenated([everything(ranked), domain])
    assert narrow(ranked, domains).all()
    domain = domains[[1]]
    rows = np.arange(instance.groups)
    assert domain.open[0, rows, choice].all()
    sums = contributions(ranked, domains)[1][:, rows, choice].sum(axis=1)
    exact = worst_utility(instance, choice), -worst_risk(instance, choice)
    moved = instance.moved.numerator, instance.moved.denominator
    for side in SIDES:
        least, cap = domain.ranges[0, 2 * side : 2 * side + 2].tolist()
        levels = ranked.levels[side]
        whole = sum(
            exact_contribution(
                levels[int(ranked.ranks[side, group, option])],
                instance.counts[group],
                moved,
                (levels[cap[0]], levels[cap[1]]),
                levels[least[1]],
            )
            for group, option in enumerate(choice)
        )
        mean = Fraction(whole, ranked.scale * instance.states * moved[1])
        assert sums[side] == pytest.approx(float(mean), abs=instance.rounding)
        assert mean >= exact[side]
        if settled(ranked, domain):
            assert mean == exact[side]
    assert settled(ranked, domain) or not tight


@pytest.mark.parametrize("seed", range(100))
def test_domains_are_bounded_each_for_itself(seed: int) -> None:
    """A domain's bound is the same alone and among others, its multiplier is best, and no map surpasses it."""
    source = random.Random(seed)
    instance = random_instance(source, source.randint(2, 4), 4)
    ranked = rank_values(instance, instance.admissible)
    whole, part = everything(ranked), everything(ranked)
    part.ranges[0, source.randrange(4), 1] = source.randint(0, 3)
    domains = concatenated([whole, part, whole])
    domains = domains[narrow(ranked, domains)]
    contributed = contributions(ranked, domains)
    found = bound(ranked, domains, contributed)
    alone = concatenated([whole])
    assert narrow(ranked, alone).all()
    single = bound(ranked, alone, contributions(ranked, alone))
    assert single.possible.all()
    assert single.multipliers[0] == found.multipliers[0] == found.multipliers[-1]
    assert single.ceilings[0] == found.ceilings[0] == found.ceilings[-1]
    for row in np.flatnonzero(found.possible).tolist():
        gain, safety = np.where(domains.open[row], contributed[row], [[[-np.inf]], [[0.0]]])
        for other in (0.0, found.multipliers[row] / 2, 2 * found.multipliers[row], 5.0):
            ceiling = (gain + other * safety).max(axis=1).sum() + other * ranked.budget
            assert found.ceilings[row] <= ceiling + 1e-9
    for _ in range(20):
        choice = [source.choice(row.nonzero()[0].tolist()) for row in ranked.usable]
        if instance.may_keep_budget(worst_risk(instance, choice)):
            assert float(worst_utility(instance, choice)) <= single.ceilings[0]


@pytest.mark.parametrize("seed", range(60))
def test_needed_options_are_their_definition(seed: int) -> None:
    """An option goes exactly if an earlier one is no worse; close doubles are told apart by exact values."""
    source = random.Random(seed)
    pool = [Fraction(source.randint(0, 5), 5) for _ in range(3)]
    pool += [value + Fraction(1, 2**60) for value in pool]
    upper, lower = ([[Fraction(0), *(source.choice(pool) for _ in range(7))] for _ in range(3)] for _ in range(2))
    usable = np.array([[True, *(source.random() < 0.8 for _ in range(7))] for _ in range(3)])
    instance = instance_of([1, 2, 3], upper, lower, usable.tolist(), Fraction(1, 2), Fraction(1, 2))
    needed = needed_options(instance, usable)
    for group, option in np.argwhere(usable).tolist():
        # A difference that doubles do not show is kept: the search may do more than it must, never less.
        surpassed = any(
            all(
                one == other or one - other > instance.margin
                for one, other in (
                    (lower[group][earlier], lower[group][option]),
                    (-upper[group][earlier], -upper[group][option]),
                )
            )
            for earlier in range(option)
            if usable[group, earlier]
        )
        assert needed[group, option] == (not surpassed)


@pytest.mark.parametrize("slack", [0, 1, 3])
def test_undominated_is_its_definition(slack: int) -> None:
    """A label goes exactly if another one that stays makes it needless."""

    def at_least(one: int, other: int) -> bool:
        return one == other or one >= other + max(slack, 1)

    source = random.Random(slack)
    for _ in range(400):
        labels = [(source.randint(0, 9), source.randint(0, 9)) for _ in range(source.randint(0, 12))]

        def needless(label: int, rivals: list[int]) -> bool:
            safety, gain = labels[label]
            return any(
                at_least(labels[rival][0], safety)
                and (labels[rival][1] >= gain + max(slack, 1) or (labels[rival][1] == gain and rival < label))
                for rival in rivals
                if rival != label
            )

        kept = undominated([label[0] for label in labels], [label[1] for label in labels], slack)
        assert kept == sorted(kept)
        assert not any(needless(label, kept) for label in kept)
        assert all(needless(label, kept) for label in range(len(labels)) if label not in kept)


@pytest.mark.parametrize("kind", KINDS)
def test_a_narrow_beam_loses_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the labels of a beam are not all there are, all of them are followed."""
    monkeypatch.setattr(comparison, "MOST_MAPS", 0)
    monkeypatch.setattr(search, "FEW_MAPS", 0)
    instance = make(kind, 5, 9, "0", 2)
    wide = search.best_map(instance)
    monkeypatch.setattr(search, "BEAM", 1)
    narrow = search.best_map(instance)
    assert narrow.choice == wide.choice
    recheck(instance, narrow)


@pytest.mark.parametrize("digits", [1, 17, 18, 20])
def test_masses_of_any_radius_are_whole(digits: int) -> None:
    """In 64 bits where they fit, and in Python's integers where they do not."""
    radius = Fraction(2, 10**digits + 1)
    values = [[Fraction(0), Fraction(1, 3)], [Fraction(0), Fraction(1, 2)]]
    instance = instance_of([4, 9], values, values, [[True, True]] * 2, Fraction(1, 4), radius)
    ranked = rank_values(instance, instance.admissible)
    assert ranked.masses.tolist() == [4 * (10**digits + 1), 9 * (10**digits + 1)]
    assert ranked.moved_mass == 13
    assert narrow(ranked, everything(ranked)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_instances_are_reproducible_and_bind(kind: str) -> None:
    """The benchmark's instances come from their seed, and their budget excludes the group-wise best map."""
    one, other = (make(kind, 5, 9, "0.1", 3) for _ in range(2))
    assert np.array_equal(one.lower, other.lower)
    assert one.budget is not None
    assert worst_risk(one, one.lower.argmax(axis=1).tolist()) > one.budget
