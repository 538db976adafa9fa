"""How often selected maps break their certificates, over many worlds whose truth is known.

A world is a fresh calibration draw, and where a partition is learned a fresh structure draw before it, from the
population of the stratified study: true group risks and utilities are means over that population. With probability at
least 1 - zeta_risk - zeta_util no certificate is broken, so more breaks than a binomial count at that level explains
are a fault of the bounds, of the selection or of the theorem. Seeds are fixed: a verdict is the same on every run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.special import bdtrc, ndtri

from sealtrace.mathematics.bounds import risk_upper_of, utility_radius
from studies.worlds import (
    Budgets,
    Certified,
    Index,
    Partition,
    Truth,
    Vector,
    certify,
    clopper_pearson,
    coin_truth,
    coins,
    declared_budgets,
    declared_class,
    dual_maps,
    equal_weights,
    generated,
    graded_weights,
    group_wise,
    learned_partitions,
    manual_partition,
    map_breaks,
    robust_maps,
    some_choice_breaks,
    some_pair_breaks,
    tallies,
    undivided,
)
from support import LONG

LEVEL = 1e-6
"""The probability with which a sound certificate may fail a test."""
TIMES = 10 if LONG else 1
FIXED_WORLDS = 800 * TIMES
LEARNED_WORLDS = 1500 if LONG else 60
FIXED_CONTROLS = 200 * TIMES
LEARNED_CONTROLS = 50 * TIMES
STRESS_WORLDS = 20_000 * TIMES
CALIBRATION, STRUCTURE = 512, 2_048

RADII = [Fraction(0), Fraction(1, 10), Fraction(2)]
COMPETED_FOR = Fraction(8, 100)
"""A global budget below the groups' own: groups compete for it, and the best map must be searched for."""
WORST_SHARE = 0.01
"""The part of each group to which deployment is confined in the negative control."""

ZETA = Fraction(1, 20)
STRESS = Budgets(ZETA, ZETA, epsilon_group=Fraction(1, 2), epsilon_global=Fraction(1, 2))
"""Budgets of stress worlds, in which only one of the two kinds of bounds can break."""
TIGHT_RISK = risk_upper_of(20, CALIBRATION, ZETA) * (1 + 1e-9)
"""A risk that the bound misses if 20 or fewer of all states cross, which has the probability zeta almost exactly."""

Batch = tuple[Partition, Certified]
Worlds = Callable[[int, int], list[Batch]]


def exceeds(breaks: int, worlds: int, allowed: float) -> bool:
    """Whether so many breaks, or more, have a probability below LEVEL at the allowed frequency."""
    return bool(bdtrc(breaks - 1, worlds, allowed) < LEVEL)


def fixed_worlds(seed: int, worlds: int) -> list[Batch]:
    """Certificates in the groups that the study names by hand."""
    law, partition = generated(), manual_partition()
    weights = equal_weights(partition.groups, law.candidates)
    drawn = tallies(law, partition, np.random.default_rng(seed), worlds, CALIBRATION)
    return [(partition, certify(tally, weights, declared_budgets())) for tally in drawn]


@cache
def learned_worlds(seed: int, worlds: int) -> list[Batch]:
    """Certificates in groups that are learned from structure states of their own."""
    law, random = generated(), np.random.default_rng(seed)
    return [
        (partition, certify(tally, graded_weights(partition.groups), declared_budgets()))
        for partition, number in learned_partitions(law, random, worlds, STRUCTURE, declared_class())
        for tally in tallies(law, partition, random, number, CALIBRATION)
    ]


CONTROLS = pytest.mark.parametrize(
    ("drawn", "worlds"),
    [
        pytest.param(fixed_worlds, FIXED_CONTROLS, id="fixed partition"),
        pytest.param(learned_worlds, LEARNED_CONTROLS, id="learned partition"),
    ],
)


def breaks_of_choices(
    batches: list[Batch], truth_of: Callable[[Partition], Truth], epsilon_global: Fraction
) -> dict[str, int]:
    """Broken worlds by claim: about the candidates that groups chose, and about whole maps at every radius."""
    broken: Counter[str] = Counter()
    for partition, certified in batches:
        truth = truth_of(partition)
        broken["choices"] += int(some_choice_breaks(certified, truth).sum())
        for radius in RADII:
            dual, robust = dual_maps(certified, radius), robust_maps(certified, radius, epsilon_global)
            broken[f"group-wise map, rho = {radius}"] += int(map_breaks(dual, truth, radius).sum())
            broken[f"robust map, rho = {radius}"] += int(map_breaks(robust, truth, radius, epsilon_global).sum())
    return broken


@pytest.mark.parametrize(
    ("drawn", "worlds"),
    [
        pytest.param(fixed_worlds, FIXED_WORLDS if LONG else 300, id="fixed partition"),
        pytest.param(learned_worlds, LEARNED_WORLDS, id="learned partition"),
    ],
)
def test_selected_maps_keep_their_certificates(drawn: Worlds, worlds: int) -> None:
    batches = drawn(1, worlds)
    assert sum(len(certified.counts) for _, certified in batches) == worlds
    broken = breaks_of_choices(batches, lambda partition: partition.truth(generated()), COMPETED_FOR)
    broken["pairs, selected or not"] = sum(
        int(some_pair_breaks(certified, partition.truth(generated())).sum()) for partition, certified in batches
    )
    zeta = declared_budgets().zeta
    assert not {cell: breaks for cell, breaks in broken.items() if exceeds(breaks, worlds, zeta)}


@CONTROLS
def test_there_is_something_to_break(drawn: Worlds, worlds: int) -> None:
    """In most worlds some group chooses a candidate that degrades somewhere, and groups do compete for the budget."""
    risky, searched = 0, 0
    for partition, certified in drawn(2, worlds):
        assert partition.groups > 1
        risks = partition.truth(generated()).risk[np.arange(partition.groups), group_wise(certified)]
        risky += int((risks > 0).any(axis=1).sum())
        searched += robust_maps(certified, Fraction(1, 10), COMPETED_FOR).searched
    assert risky > worlds / 2
    assert searched > worlds / 10


@CONTROLS
def test_a_shift_within_groups_breaks_certificates(drawn: Worlds, worlds: int) -> None:
    """The negative control: the mixture of groups stays, and what happens within groups does not.

    It is confined to so few states because robust maps at rho = 2 mostly retreat to candidates of scale zero, which
    degrade nowhere: the worst tenth of each learned group breaks every other claim, and not that one.
    """
    budgets = declared_budgets()
    broken = breaks_of_choices(
        drawn(2, worlds),
        lambda partition: partition.shifted_truth(generated(), WORST_SHARE),
        budgets.epsilon_global,
    )
    assert not {cell: breaks for cell, breaks in broken.items() if not exceeds(breaks, worlds, budgets.zeta)}


def test_a_nearly_tight_bound_on_a_generated_candidate_holds() -> None:
    """One candidate, one group, and a budget just below its true risk: every certificate is a broken one."""
    law = generated()
    pooled = law.crossings.mean(axis=0)
    law = law.only(int(np.where(pooled > 0.01, pooled, 1.0).argmin()))
    partition = undivided(law)
    truth = partition.truth(law)
    budgets = replace(STRESS, epsilon_group=Fraction(float(truth.risk[0, 1])) - Fraction(1, 10**9))
    breaks = 0
    for tally in tallies(law, partition, np.random.default_rng(4), STRESS_WORLDS, CALIBRATION):
        certified = certify(tally, [Fraction(1)], budgets)
        broken = some_choice_breaks(certified, truth)
        assert np.array_equal(broken, certified.admissible[:, 0, 1])
        breaks += int(broken.sum())
    assert_tight(breaks, STRESS_WORLDS)


def test_nearly_tight_bounds_in_learned_groups_hold() -> None:
    """The riskiest candidate alone, certified many times over in each partition that is learned."""
    law, random = generated(), np.random.default_rng(10)
    law = law.only(int(law.crossings.mean(axis=0).argmax()))
    structures = 20
    breaks = 0
    for partition, number in learned_partitions(law, random, structures, STRUCTURE, declared_class()):
        weights, truth = equal_weights(partition.groups, 1), partition.truth(law)
        # No lower bound is above one: only risk bounds are left to break.
        truth = replace(truth, utility=np.ones_like(truth.utility))
        for tally in tallies(law, partition, random, number * STRESS_WORLDS // structures, CALIBRATION):
            breaks += int(some_pair_breaks(certify(tally, weights, STRESS), truth).sum())
    assert_tight(breaks, STRESS_WORLDS)


@pytest.mark.parametrize(
    ("groups", "candidates"), [(1, 1), (2, 1), pytest.param(4, 20, id="as many pairs as the study has")]
)
def test_nearly_tight_risk_bounds_hold(groups: int, candidates: int) -> None:
    """Independent candidates whose risk is just above the budget, so that every certificate is a broken one."""
    assert_tight(breaks_of_risk(groups, equal_weights(groups, candidates)), STRESS_WORLDS)


def test_a_nearly_tight_utility_bound_holds() -> None:
    """Two coins that rarely come up: if both do, the lower bound is just above the truth."""
    # Two states without a crossing do not keep a budget of one half, and what is not chosen breaks nothing.
    lenient = replace(STRESS, epsilon_group=Fraction(1))
    truth = coin_truth([[0.0]], [[1 - utility_radius(2, ZETA) - 1e-9]])
    certified = certify(coins(np.random.default_rng(6), STRESS_WORLDS, 2, [1.0], truth), [Fraction(1)], lenient)
    assert_tight(int(some_choice_breaks(certified, truth).sum()), STRESS_WORLDS)


@pytest.mark.parametrize(("radius", "second"), [(Fraction(0), 1.0), (Fraction(1, 10), 1.0), (Fraction(2), 0.0)])
def test_a_nearly_tight_bound_of_a_robust_map_holds(radius: Fraction, second: float) -> None:
    """Two groups, of which the first one's bound is the map's.

    Where the second always falls back to the anchor, the first alone has a risk; at rho = 2, where one fallback would
    leave nothing to gain, the second has no risk and the worst mixture is all in the first.
    """
    truth = coin_truth([[TIGHT_RISK], [second]], [[1.0], [1.0]])
    tally = coins(np.random.default_rng(7), FIXED_WORLDS, CALIBRATION, [0.5, 0.5], truth)
    chosen = robust_maps(certify(tally, equal_weights(2, 1), STRESS), radius, STRESS.epsilon_global)
    assert (chosen.options == [1, second == 0.0]).all()
    assert_tight(int(map_breaks(chosen, truth, radius).sum()), FIXED_WORLDS)


def test_twice_the_failure_budget_is_noticed() -> None:
    assert exceeds(breaks_of_risk(1, [Fraction(2)]), STRESS_WORLDS, float(ZETA))


def test_a_missing_union_bound_is_noticed() -> None:
    """Each pair has the whole budget, and selection finds the pair that was lucky."""
    assert exceeds(breaks_of_risk(4, [Fraction(1)] * 20), STRESS_WORLDS, STRESS.zeta)


def test_a_missing_union_bound_is_noticed_in_the_bank_of_the_study() -> None:
    law, partition = generated(), manual_partition()
    weights = [Fraction(1)] * law.candidates
    breaks = 0
    for tally in tallies(law, partition, np.random.default_rng(8), FIXED_WORLDS, CALIBRATION):
        certified = certify(tally, weights, declared_budgets())
        breaks += int(some_pair_breaks(certified, partition.truth(law)).sum())
    assert exceeds(breaks, FIXED_WORLDS, declared_budgets().zeta)


def test_a_normal_approximation_is_noticed() -> None:
    """It has no width where nothing crosses, so rare crossings are too often certified away."""

    def wald(crossings: Index, states: Index, share: Fraction) -> Vector:
        rate = crossings / np.maximum(states, 1)
        deviation: Vector = np.sqrt(rate * (1 - rate) / np.maximum(states, 1))
        upper: Vector = rate + ndtri(1 - float(share)) * deviation
        return upper

    truth = coin_truth([[0.0052]], [[1.0]])
    tally = coins(np.random.default_rng(9), STRESS_WORLDS, CALIBRATION, [1.0], truth)
    sound, unsound = (certify(tally, [Fraction(1)], STRESS, bound) for bound in (clopper_pearson, wald))
    assert not exceeds(int(some_choice_breaks(sound, truth).sum()), STRESS_WORLDS, float(ZETA))
    assert exceeds(int(some_choice_breaks(unsound, truth).sum()), STRESS_WORLDS, float(ZETA))


def assert_tight(breaks: int, worlds: int) -> None:
    """Breaks are as rare as zeta says, and not so much rarer that nothing was tested."""
    assert breaks > worlds * ZETA / 5
    assert not exceeds(breaks, worlds, float(ZETA))


def breaks_of_risk(groups: int, weights: list[Fraction]) -> int:
    """Broken worlds where all candidates have one risk, just above the groups' budget."""
    # The risk is tuned to the bound that is used, so that an unsound bound is at its worst.
    states = CALIBRATION // groups
    risk = risk_upper_of(20, states, ZETA * weights[0]) * (1 + 1e-9)
    budgets = replace(STRESS, epsilon_group=Fraction(risk) - Fraction(1, 10**12))
    truth = coin_truth([[risk] * len(weights)] * groups, [[1.0] * len(weights)] * groups)
    tally = coins(np.random.default_rng(5), STRESS_WORLDS, CALIBRATION, [1 / groups] * groups, truth)
    return int(some_choice_breaks(certify(tally, weights, budgets), truth).sum())
