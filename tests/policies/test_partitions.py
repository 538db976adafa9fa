"""Partitions against every tree of small classes and against the formula written out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from oracles.trees import Matrix, Study, ranking_of
from sealtrace.mathematics.exact import Undecided
from sealtrace.studies.policies.mathematics.partitions import exact, rules, search
from sealtrace.studies.policies.mathematics.partitions.exact import objective
from sealtrace.studies.policies.mathematics.partitions.grid import SplitGrid
from sealtrace.studies.policies.mathematics.partitions.rules import (
    PartitionTooLargeError,
    Side,
    TreeClass,
    assign,
    canonical,
    held,
    in_class,
)
from sealtrace.studies.policies.mathematics.partitions.search import NoPartitionError, best_partition
from support import LONG


def is_below(feature: str, threshold: Fraction | int) -> Side:
    return Side(feature, Fraction(threshold), below=True)


def is_from(feature: str, threshold: Fraction | int) -> Side:
    return Side(feature, Fraction(threshold), below=False)


def declared(
    depth: int,
    thresholds: Mapping[str, Sequence[Fraction | int]],
    *,
    support: int = 1,
    cert: Fraction | int = 0,
    comp: Fraction | int = 0,
) -> TreeClass:
    exactly = {name: [Fraction(value) for value in values] for name, values in thresholds.items()}
    return TreeClass(depth, exactly, support, Fraction(cert), Fraction(comp))


def random_study(seed: int, depth: int, features: int, levels: int) -> Study:
    """A study with many ties: coarse features and degradations, thresholds without data between them."""
    rng = np.random.default_rng(seed)
    states = int(rng.integers(3, 14))
    names = [f"f{place}" for place in range(features)]
    columns = {name: rng.integers(0, levels, states) / 2 for name in names}
    if rng.random() < 0.2:
        columns[names[-1]] = columns[names[0]]
    candidates = int(rng.integers(1, 4))
    degradations = rng.integers(-1, 2, (states, candidates)).astype(np.float64)
    kind = rng.integers(6)
    if kind == 0:
        degradations += rng.integers(-1, 2, degradations.shape) * 2.0**-46
    elif kind == 1:
        degradations = degradations * 0.1 + 0.3
    elif kind == 2:
        degradations = rng.normal(size=degradations.shape)
    elif kind == 3:
        degradations *= 10.0 ** rng.choice([-310, -200, 200, 305])
    steps = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 5), Fraction(7, 10), Fraction(1), Fraction(10, 7)]
    thresholds = {
        name: [steps[place] for place in rng.choice(len(steps), int(rng.integers(1, levels + 1)))] for name in names
    }
    penalties = [Fraction(0), Fraction(1, 20), Fraction(1, 3), Fraction(0)]
    return Study(
        columns,
        degradations,
        TreeClass(
            depth,
            thresholds,
            int(rng.integers(0, 4)),
            penalties[rng.integers(4)],
            penalties[rng.integers(4)],
        ),
    )


def agree(study: Study) -> None:
    trees, ranking = ranking_of(study)
    found = best_partition(study.features, study.degradations, study.declared)
    best = ranking[0]
    assert canonical(found.leaves) == best[2]
    assert math.isclose(found.objective, float(best[0]), rel_tol=1e-15)
    assert found.proof.trees == trees
    groups = assign(study.features, found.leaves, len(study.degradations))
    assert found.counts == tuple(np.bincount(groups, minlength=len(found.leaves)).tolist())
    assert in_class(found.leaves, study.declared) is None


@pytest.mark.parametrize("first", range(0, 300, 50 if LONG else 150))
def test_every_tree_of_depth_two(first: int) -> None:
    """Partition, tie rule, and number of trees are those of plain enumeration."""
    for seed in range(first, first + 50):
        agree(random_study(seed, 2, 3, 3))


@pytest.mark.parametrize("first", range(1000, 1060, 20))
def test_every_tree_of_depth_three(first: int) -> None:
    """The same where the best tree has up to eight leaves."""
    for seed in range(first, first + 20):
        agree(random_study(seed, 3, 2, 2))


def test_degradations_whose_squares_are_no_ordinary_doubles() -> None:
    """Where squares keep a few bits only, doubles decide nothing."""
    for seed in range(60):
        study = random_study(seed, 2, 3, 3)
        degradations = np.random.default_rng(seed).normal(size=study.degradations.shape) * 2.0 ** (seed % 6 - 536)
        still = replace(study.declared, lambda_cert=Fraction(0), lambda_comp=Fraction(0))
        agree(replace(study, degradations=degradations, declared=still))


def test_small_depths() -> None:
    """Depth nought has one partition, depth one a split."""
    for seed in range(40):
        agree(random_study(seed, seed % 2, 2, 3))


@pytest.mark.parametrize(("states", "candidates", "depth"), [(100_000, 1, 1), (2, 20_000, 4), (30_000, 8, 10)])
def test_doubles_decide_only_beyond_their_errors(states: int, candidates: int, depth: int) -> None:
    """Sums err by as many units as they have terms, and by the root of that many more at each level of a tree."""
    degradations = np.random.default_rng(0).normal(size=(states, candidates))
    scale = degradations.var(axis=0).mean() + min(2**depth, states) * (1 / 3 + 1 / 4)
    bound = (depth + 1) * (states + candidates) ** 1.5 * 2.0**-53 * scale
    allowed = declared(depth, {}, cert=Fraction(1, 3), comp=Fraction(1, 4))
    assert bound <= SplitGrid({}, degradations, allowed).margin <= 100 * bound
    for size in (1e200, 1e-200):
        assert SplitGrid({}, degradations * size, declared(depth, {})).margin == math.inf


def xor_study(comp: Fraction) -> Study:
    """Degradations that no single split explains."""
    x, y = np.array([0.0, 0.0, 1.0, 1.0] * 5), np.array([0.0, 1.0, 0.0, 1.0] * 5)
    half = [Fraction(1, 2)]
    degradations = np.where(x == y, 1.0, -1.0)[:, None]
    return Study({"x": x, "y": y}, degradations, declared(2, {"x": half, "y": half}, comp=comp))


def test_greedy_search_would_fail() -> None:
    """The first split gains nothing, so a greedy search stops where the exact one goes on."""
    study = xor_study(Fraction(1, 10))
    stump = best_partition(study.features, study.degradations, replace(study.declared, depth=1))
    assert (len(stump.leaves), stump.objective) == (1, 1.1)
    found = best_partition(study.features, study.degradations, study.declared)
    assert (len(found.leaves), found.objective) == (4, 0.4)
    assert found.counts == (5, 5, 5, 5)


def test_fewer_leaves_win_a_tie() -> None:
    """At a price per leaf that equals the gain, one leaf stays."""
    study = xor_study(Fraction(1, 3))
    found = best_partition(study.features, study.degradations, study.declared)
    assert found.leaves == ((),)
    assert found.counts == (20,)


def test_serialization_decides_between_thresholds_without_data_between() -> None:
    """Three thresholds split the states alike; as text 1/2 comes first, then 3/10, then 9."""
    features = {"x": np.array([0.0, 10.0])}
    thresholds = {"x": [Fraction(9), Fraction(3, 10), Fraction(1, 2)]}
    found = best_partition(features, np.array([[0.0], [1.0]]), declared(1, thresholds))
    assert canonical(found.leaves) == '"x" in (-inf, 1/2)\n"x" in [1/2, inf)'
    assert found.proof.exactly == 0


def test_support() -> None:
    """A leaf has the declared number of states and never none; too few states have no partition."""
    features = {"x": np.arange(6.0)}
    degradations = np.array([[5.0], [0.0], [0.0], [0.0], [0.0], [0.0]])
    thresholds = {"x": [-7, 1, 2, 3]}
    for support, counts in ((0, (1, 5)), (1, (1, 5)), (2, (2, 4)), (3, (3, 3)), (4, (6,)), (6, (6,))):
        found = best_partition(features, degradations, declared(1, thresholds, support=support))
        assert found.counts == counts
    with pytest.raises(NoPartitionError, match="6 structure states, 7 needed"):
        best_partition(features, degradations, declared(1, thresholds, support=7))


def test_only_partition() -> None:
    """A class of one partition gives the fixed group, without features."""
    found = best_partition({}, np.array([[1.0], [3.0]]), declared(3, {}, cert=1, comp=1))
    assert found.leaves == ((),)
    assert math.isclose(found.objective, 2 + 1 / math.sqrt(2), rel_tol=1e-15)
    assert found.proof.trees == 1
    assert assign({}, found.leaves, 2).tolist() == [0, 0]


def test_differences_that_doubles_do_not_show() -> None:
    """Two splits whose objectives differ by less than any double near them, in both directions."""
    features = {"a": np.array([0.0, 0.0, 1.0, 1.0]), "b": np.array([0.0, 1.0, 0.0, 1.0])}
    half = [Fraction(1, 2)]
    for tiny, winner in ((2.0**-40, "a"), (-(2.0**-40), "b")):
        degradations = np.array([[0.0], [1.0], [1.0 + tiny], [2.0]])
        found = best_partition(features, degradations, declared(1, {"a": half, "b": half}))
        assert {condition.feature for leaf in found.leaves for condition in leaf} == {winner}
        assert found.proof.exactly == 1


def test_weights_beyond_doubles() -> None:
    """Weights that no double holds are exact all the same."""
    features = {"x": np.array([0.0, 0.0, 1.0])}
    degradations = np.array([[0.0], [0.0], [1.0]])
    for comp, leaves in ((Fraction(10) ** 400, 1), (Fraction(10) ** -400, 2), (-(Fraction(10) ** 400), 2)):
        assert len(best_partition(features, degradations, declared(2, {"x": [1]}, comp=comp)).leaves) == leaves
    still = best_partition(features, 0 * degradations, declared(2, {"x": [1]}, comp=-(Fraction(10) ** -400)))
    assert len(still.leaves) == 2


def test_square_roots_are_compared_exactly() -> None:
    """Two leaves of eight states cost what one of two costs: 2/sqrt(8) = 1/sqrt(2)."""
    zeros = np.zeros((18, 1))
    eights = np.array([0] * 8 + [1] * 8 + [-1] * 2)
    two = np.array([0] * 2 + [-1] * 16)
    for comp, sign in ((Fraction(0), 0), (Fraction(1), 1), (Fraction(1, 10**400), 1)):
        found = exact.Degradations(zeros, Fraction(1), comp)
        costs = [found.partition(groups, leaves) for groups, leaves in ((eights, 2), (two, 1))]
        assert exact.sign_of(exact.total(costs[:1], minus=costs[1:])) == sign


def test_signs_of_sums_of_square_roots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs agree with many digits; what the allowed digits do not show is not guessed."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        value = {m: Fraction(int(rng.integers(-9, 10)), int(rng.integers(1, 9))) for m in (1, 2, 3, 5, 6, 7, 30)}
        value = exact.total([value])
        plain = sum(float(coefficient) * math.sqrt(m) for m, coefficient in value.items())
        assert math.isclose(exact.as_float(value), plain, rel_tol=1e-9, abs_tol=1e-12)
        assert abs(plain) < 1e-9 or exact.sign_of(value) == math.copysign(1, plain)
    close = {2: Fraction(1), 1: -Fraction(math.isqrt(2 << 2000), 1 << 1000)}
    assert exact.sign_of(close) == 1
    monkeypatch.setattr(exact, "_PRECISION_LIMIT", 512)
    with pytest.raises(Undecided, match="512 bits"):
        exact.sign_of(close)


def test_a_rational_value_is_rounded_as_it_is() -> None:
    """Half between two doubles the even one is taken, and beyond doubles infinity with the sign of the value."""
    assert exact.as_float({1: 1 + Fraction(1, 2**53)}) == 1.0
    assert exact.as_float({1: 1 + Fraction(3, 2**53)}) == 1 + 2.0**-51
    assert exact.as_float({2: Fraction(10**400)}) == math.inf
    assert exact.as_float({2: -Fraction(10**400)}) == -math.inf


def plain_objective(groups: list[int], degradations: Matrix, cert: float, comp: float, leaves: int) -> float:
    """The formula, term by term."""
    states, candidates = degradations.shape
    result = 0.0
    for leaf in range(leaves):
        members = [state for state, group in enumerate(groups) if group == leaf]
        for b in range(candidates):
            column = [float(degradations[state, b]) for state in members]
            if column:
                mean = math.fsum(column) / len(column)
                variance = math.fsum((value - mean) ** 2 for value in column) / len(column)
                result += len(column) / states * variance / candidates
        result += cert / math.sqrt(max(len(members), 1)) + comp
    return result


def test_objective_is_the_formula() -> None:
    """For any assignment, with states in no leaf and with leaves that hold nothing."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        states, leaves = int(rng.integers(1, 40)), int(rng.integers(1, 7))
        groups = rng.integers(-1, leaves, states)
        degradations = rng.normal(size=(states, int(rng.integers(1, 5)))) * 10.0 ** rng.integers(-5, 6)
        found = objective(groups, leaves, degradations, Fraction(1, 8), Fraction(1, 64))
        expected = plain_objective(groups.tolist(), degradations, 1 / 8, 1 / 64, leaves)
        assert math.isclose(found, expected, rel_tol=1e-12)
    empty_last = objective(np.array([0, 0]), 2, np.array([[1.0], [1.0]]), Fraction(1), Fraction(1))
    assert math.isclose(empty_last, 3 + 1 / math.sqrt(2), rel_tol=1e-15)
    assert objective(np.array([0, 1]), 2, np.array([[-1.7e308], [1.7e308]]), Fraction(0), Fraction(0)) == 0
    assert objective(np.array([0, 0]), 1, np.array([[-1.7e308], [1.7e308]]), Fraction(0), Fraction(0)) == math.inf


@pytest.mark.parametrize("degradations", [np.empty((0, 2)), np.empty((2, 0)), np.array([[1.0], [math.nan]])])
def test_degradations_must_be_numbers(degradations: Matrix) -> None:
    """Nothing to average and no number at all are refused."""
    with pytest.raises(ValueError, match="degradation"):
        objective(np.zeros(len(degradations), np.int64), 1, degradations, Fraction(0), Fraction(0))
    with pytest.raises(ValueError, match="degradation"):
        best_partition({}, degradations, declared(1, {}))


def test_features_must_be_known() -> None:
    """A feature that cannot be computed, is not given or has other states is refused where it is used."""
    degradations = np.array([[0.0], [1.0]])
    for features, reason in (
        ({"x": np.array([1.0, math.nan])}, "'x' cannot be computed in state 1"),
        ({"y": np.zeros(2)}, "'x' is not given"),
        ({"x": np.zeros(3)}, "'x' has 3 states"),
    ):
        with pytest.raises(ValueError, match=reason):
            best_partition(features, degradations, declared(1, {"x": [1]}))
    unknown = {"x": np.array([1.0, math.nan])}
    for function in (assign, held):
        with pytest.raises(ValueError, match="cannot be computed"):
            function(unknown, [[is_below("x", 1)]], 2)
    assert assign(unknown, [[]], 2).tolist() == [0, 0]
    assert best_partition(unknown, degradations, declared(1, {"x": []})).leaves == ((),)


def test_assignment_with_gaps_and_overlaps() -> None:
    """The first leaf that holds a state is taken; gaps and overlaps show in the numbers of leaves."""
    features = {"x": np.array([0.0, 1.0, 2.0, 3.0]), "y": np.array([0.0, 0.0, 0.0, 9.0])}
    leaves = [[is_below("x", 2)], [is_from("x", 1), is_below("x", 3)], [is_from("y", 10)]]
    assert assign(features, leaves, 4).tolist() == [0, 0, 1, -1]
    assert held(features, leaves, 4).tolist() == [1, 2, 1, 0]
    assert assign(features, [], 4).tolist() == [-1] * 4


def test_thresholds_are_exact() -> None:
    """A double at a threshold is not below it; the double nearest to 3/10 is, that nearest to 1/10 is not."""
    leaves = [[is_below("x", Fraction(3, 10))], [is_from("x", Fraction(3, 10))]]
    stored = np.array([math.nextafter(0.3, 0), 0.3, math.nextafter(0.3, 1)])
    assert assign({"x": stored}, leaves, 3).tolist() == [0, 0, 1]
    leaves = [[is_below("x", Fraction(1, 10))], [is_from("x", Fraction(1, 10))]]
    assert assign({"x": np.array([math.nextafter(0.1, 0), 0.1])}, leaves, 2).tolist() == [0, 1]
    halves = {"x": np.array([0.25, math.nextafter(0.5, 0), 0.5])}
    assert assign(halves, [[is_below("x", Fraction(1, 2))]], 3).tolist() == [0, 0, -1]
    thresholds = {"x": [Fraction(3, 10)]}
    found = best_partition({"x": stored}, np.array([[0.0], [0.0], [1.0]]), declared(1, thresholds))
    assert found.counts == (2, 1)


def test_canonical_text_depends_on_boxes_alone() -> None:
    """Order, redundant conditions and the tree that was used do not show; odd names are quoted."""
    quadrants = [[is_below("x", 1), is_below("y", 2)], [is_below("x", 1), is_from("y", 2)], [is_from("x", 1)]]
    shuffled = [
        [is_from("x", 1), is_from("x", 0)],
        [is_from("y", 2), is_below("x", 3), is_below("x", 1)],
        [*reversed(quadrants[0])],
    ]
    assert canonical(quadrants) == canonical(shuffled)
    assert canonical(quadrants).splitlines() == [
        '"x" in (-inf, 1) and "y" in (-inf, 2)',
        '"x" in (-inf, 1) and "y" in [2, inf)',
        '"x" in [1, inf)',
    ]
    assert canonical([[]]) == "everywhere"
    assert canonical([[is_below('a"\nü', Fraction(-4, 6))]]) == '"a\\"\\n\\u00fc" in (-inf, -2/3)'


CHAIN = [
    [is_below("x", 1)],
    [is_from("x", 1), is_below("y", 1)],
    [is_from("x", 1), is_from("y", 1), is_below("x", 2)],
    [is_from("x", 2), is_from("y", 1)],
]
MIRRORED_CHAIN = [
    [is_from("x", 2)],
    [is_below("x", 2), is_from("y", 1)],
    [is_below("x", 2), is_below("y", 1), is_from("x", 1)],
    [is_below("x", 1), is_below("y", 1)],
]
STRIPES = [
    [is_below("x", 1)],
    [is_from("x", 1), is_below("x", 2)],
    [is_from("x", 2), is_below("x", 3)],
    [is_from("x", 3)],
]
EIGHTHS = [[*([is_from("x", low)] if low else []), *([is_below("x", low + 1)] if low < 7 else [])] for low in range(8)]
PINWHEEL = [
    [is_below("x", 2), is_below("y", 1)],
    [is_from("x", 2), is_below("y", 2)],
    [is_from("x", 1), is_from("y", 2)],
    [is_below("x", 1), is_from("y", 1)],
    [is_from("x", 1), is_below("x", 2), is_from("y", 1), is_below("y", 2)],
]


@pytest.mark.parametrize(
    ("leaves", "depth", "reason"),
    [
        ([[]], 0, None),
        (STRIPES, 2, None),
        (CHAIN, 3, None),
        (CHAIN, 10**6, None),
        (CHAIN, 2, "no tree of depth 2 has these leaves"),
        (MIRRORED_CHAIN, 3, None),
        (MIRRORED_CHAIN, 2, "no tree of depth 2 has these leaves"),
        (EIGHTHS, 3, None),
        (STRIPES, 1, "no tree of depth 1 has 4 leaves"),
        ([*STRIPES[:2], [is_from("x", 2)]], 1, "no tree of depth 1 has 3 leaves"),
        (PINWHEEL, 9, "no tree has these leaves: every split crosses a leaf"),
        ([[is_below("z", 1)], [is_from("z", 1)]], 1, "leaf 1 splits on 'z', which is not declared"),
        ([[is_below("x", 9)], [is_from("x", 9)]], 1, "leaf 1 splits 'x' at 9, which is not declared"),
        ([[is_below("x", 1)], [is_from("x", 2)]], 1, "the leaves do not cover the feature space"),
        ([[is_below("x", 2)], [is_from("x", 1)]], 1, "leaves 1 and 2 overlap"),
        ([[], []], 1, "leaves 1 and 2 overlap"),
        ([[is_below("x", 1), is_from("x", 1)], []], 1, "the conditions of leaf 1 exclude each other"),
        ([], 1, "there is no leaf"),
    ],
)
def test_in_class(leaves: list[list[Side]], depth: int, reason: str | None) -> None:
    """A rule is in the class, or the reason why not is given."""
    assert in_class(leaves, declared(depth, {"x": [3, 1, 2, 2, 4, 5, 6, 7], "y": [1, 2], "w": []})) == reason


def test_limits_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that would take too long says so."""
    study = xor_study(Fraction(0))
    monkeypatch.setattr(search, "SUBPROBLEM_LIMIT", 2)
    with pytest.raises(PartitionTooLargeError, match="more than 2 subproblems"):
        best_partition(study.features, study.degradations, study.declared)
    monkeypatch.setattr(search, "DEPTH_LIMIT", 1)
    with pytest.raises(PartitionTooLargeError, match="depth 2"):
        best_partition(study.features, study.degradations, study.declared)
    monkeypatch.setattr(rules, "DEPTH_LIMIT", 2)
    with pytest.raises(PartitionTooLargeError, match="too long"):
        in_class(CHAIN, declared(3, {"x": [1, 2, 3], "y": [1, 2]}))


def large_study(depth: int, thresholds: int) -> Study:
    rng = np.random.default_rng(11)
    features = {f"f{place}": rng.random(2048) for place in range(6)}
    degradations = rng.normal(size=(2048, 20)) * 0.1
    degradations[(features["f0"] < 0.5) & (features["f3"] < 0.5)] -= 0.2
    allowed = [Fraction(step, thresholds + 1) for step in range(1, thresholds + 1)]
    penalties = Fraction(1, 1000), Fraction(1, 10000)
    return Study(features, degradations, TreeClass(depth, dict.fromkeys(features, allowed), 32, *penalties))


def test_a_study_of_the_papers_size() -> None:
    """Two thousand states, six features, twenty candidates: the objective is that of the leaves, and is proven."""
    study = large_study(3, 5)
    found = best_partition(study.features, study.degradations, study.declared)
    groups = assign(study.features, found.leaves, len(study.degradations))
    weights = study.declared.lambda_cert, study.declared.lambda_comp
    assert found.objective == objective(groups, len(found.leaves), study.degradations, *weights)
    assert f"{len(found.leaves)} leaves attain the least objective" in found.describe()


def test_nothing_varies() -> None:
    """Where every partition ties, one leaf wins without opening them all exactly."""
    study = large_study(3, 3)
    still = np.full((2048, 20), 0.1)
    found = best_partition(
        study.features, still, replace(study.declared, lambda_cert=Fraction(0), lambda_comp=Fraction(0))
    )
    assert found.leaves == ((),)
    assert found.objective == 0
