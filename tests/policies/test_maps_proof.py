"""Proofs of best maps: larger instances, and proofs that do not hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from map_instances import KINDS, instance_of, make
from map_program import solve
from sealtrace.studies.policies.mathematics.maps import comparison, search
from sealtrace.studies.policies.mathematics.maps.instance import (
    Instance,
    worst_risk,
    worst_risks,
    worst_utilities,
    worst_utility,
)
from sealtrace.studies.policies.mathematics.maps.proof import (
    Covered,
    GroupWise,
    Refuted,
    Region,
    Solution,
    SplitProof,
    describe,
)
from sealtrace.studies.policies.mathematics.maps.recheck import recheck
from sealtrace.studies.policies.mathematics.maps.search import best_map


def by_chunks(instance: Instance) -> tuple[tuple[int, ...], Fraction]:
    """The best map of all, by doubles in chunks and exact arithmetic for those that doubles leave close."""
    assert instance.budget is not None
    rows, width = np.arange(instance.groups), instance.lower.shape[1]
    rest = np.array(list(product(range(width), repeat=instance.groups - 2)))
    close: list[tuple[float, tuple[int, ...]]] = []
    for first in product(range(width), repeat=2):
        choices = np.hstack([np.broadcast_to(first, (len(rest), 2)), rest])
        within = choices[
            worst_risks(instance, instance.upper[rows, choices]) <= float(instance.budget) + instance.margin
        ]
        utilities = worst_utilities(instance, instance.lower[rows, within])
        best = max([utility for utility, _ in close] + [0.0])
        near = utilities >= best - 1e-3
        close += zip(utilities[near].tolist(), map(tuple, within[near].tolist()), strict=True)
        top = max(utility for utility, _ in close)
        close = [entry for entry in close if entry[0] >= top - 1e-3]
    kept = [choice for _, choice in close if worst_risk(instance, choice) <= instance.budget]
    loss, choice = min((-worst_utility(instance, choice), choice) for choice in kept)
    return choice, -loss


@pytest.mark.parametrize(("kind", "radius"), [("realistic", "0.5"), ("correlated", "0.1"), ("adversarial", "0.5")])
def test_half_a_million_maps(kind: str, radius: str) -> None:
    """Six groups of eight options: the search finds what looking at all 531,441 maps finds."""
    instance = make(kind, 6, 8, radius, 1)
    solution = best_map(instance)
    assert (solution.choice, solution.utility) == by_chunks(instance)
    recheck(instance, solution)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("radius", ["0", "0.1", "0.5"])
def test_a_general_solver_agrees(kind: str, radius: str) -> None:
    """The optimum is that of the mixed-integer program, and its proof holds."""
    instance = make(kind, 6, 10, radius, 0)
    solution = best_map(instance)
    recheck(instance, solution)
    found = solve(instance, 20.0)
    assert found.utility is not None
    assert found.utility <= float(solution.utility) + 1e-7
    if found.gap <= 1e-8:
        assert found.utility >= float(solution.utility) - 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_sixteen_groups_of_a_hundred(kind: str) -> None:
    """The largest size is solved, and its proof holds."""
    instance = make(kind, 16, 100, "0", 0)
    solution = best_map(instance)
    recheck(instance, solution)
    assert isinstance(solution.proof, Covered)


def covered(monkeypatch: pytest.MonkeyPatch, radius: str = "0.5", few_maps: int = 50) -> tuple[Instance, Solution]:
    """A solution whose proof has splits, multipliers and more."""
    monkeypatch.setattr(comparison, "MOST_MAPS", 0)
    monkeypatch.setattr(search, "FEW_MAPS", few_maps)
    instance = make("adversarial", 5, 9, radius, 2)
    return instance, best_map(instance)


def claim(instance: Instance, solution: Solution, choice: tuple[int, ...]) -> Solution:
    """The same proof for another map, with that map's own values."""
    return Solution(choice, solution.proof, instance)


def test_a_worse_map_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other map within the budget passes with the best one's proof."""
    instance, solution = covered(monkeypatch)
    recheck(instance, solution)
    tried = 0
    for group, option in product(range(5), range(10)):
        choice = (*solution.choice[:group], option, *solution.choice[group + 1 :])
        if choice != solution.choice and worst_risk(instance, choice) <= (instance.budget or 0):
            tried += 1
            with pytest.raises(Refuted):
                recheck(instance, claim(instance, solution, choice))
    assert tried > 5
    with pytest.raises(Refuted):
        recheck(instance, claim(instance, solution, (0,) * 5))


def test_false_values_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that are not the map's, a map beyond the budget and an option that is none do not pass."""
    instance, solution = covered(monkeypatch)
    for other in (
        replace(instance, exact_lower=lambda group, option: instance.exact_lower(group, option) + Fraction(1, 10**30)),
        replace(instance, exact_upper=lambda group, option: instance.exact_upper(group, option) - Fraction(1, 10**30)),
    ):
        with pytest.raises(Refuted, match="stated"):
            recheck(instance, replace(solution, instance=other))
    greedy = tuple(instance.lower.argmax(axis=1).tolist())
    with pytest.raises(Refuted, match="budget"):
        recheck(instance, claim(instance, solution, greedy))
    for choice in ((10, *solution.choice[1:]), (-1, *solution.choice[1:]), solution.choice[1:]):
        with pytest.raises(Refuted, match="admissible"):
            recheck(instance, replace(solution, choice=choice))


def with_regions(solution: Solution, regions: list[Region]) -> Solution:
    """The same claim with other regions."""
    return replace(solution, proof=Covered(tuple(regions)))


def regions_of(solution: Solution) -> list[Region]:
    """The regions of a proof that has some."""
    assert isinstance(solution.proof, Covered)
    return list(solution.proof.regions)


def test_wrong_multipliers_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Multipliers that bound nothing leave regions open."""
    instance, solution = covered(monkeypatch)
    regions = regions_of(solution)
    for multiplier in (Fraction(0), Fraction(1000)):
        with pytest.raises(Refuted):
            recheck(instance, with_regions(solution, [replace(r, multiplier=multiplier) for r in regions]))
    with pytest.raises(Refuted, match="negative"):
        recheck(instance, with_regions(solution, [replace(r, multiplier=Fraction(-1)) for r in regions]))


def test_missing_work_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A region whose maps or labels are not looked at, or whose numbers are too small, does not pass."""
    for few_maps, radius in ((50, "0.5"), (0, "0.5"), (0, "0")):
        instance, solution = covered(monkeypatch, radius, few_maps)
        regions = regions_of(solution)
        bare = [replace(region, maps=None, labels=None) for region in regions]
        assert bare != regions
        with pytest.raises(Refuted, match="open"):
            recheck(instance, with_regions(solution, bare))
    instance, solution = covered(monkeypatch)
    fewer = [replace(r, maps=None if r.maps is None else 1) for r in regions_of(solution)]
    with pytest.raises(Refuted, match="more maps"):
        recheck(instance, with_regions(solution, fewer))
    labelled = [replace(r, maps=None, labels=None if r.maps is None else r.maps) for r in regions_of(solution)]
    with pytest.raises(Refuted, match="not fixed"):
        recheck(instance, with_regions(solution, labelled))


def test_regions_must_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that loops, shares a branch, leaves the list or splits by nothing does not pass."""
    instance, solution = covered(monkeypatch)
    regions = regions_of(solution)
    first = regions[0].split
    assert first is not None
    for split in (
        SplitProof(first.axis, first.cut, 0, first.above),
        SplitProof(first.axis, first.cut, first.below, first.below),
        SplitProof(first.axis, first.cut, first.below, len(regions)),
        SplitProof(first.axis, first.cut, -1, first.above),
        SplitProof(4, first.cut, first.below, first.above),
    ):
        with pytest.raises(Refuted):
            recheck(instance, with_regions(solution, [replace(regions[0], split=split), *regions[1:]]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("radius", ["0", "0.5"])
def test_all_maps_of_a_small_instance(kind: str, radius: str) -> None:
    """Four groups of twenty options are looked at as one region; its proof holds, and fails for any other map."""
    instance = make(kind, 4, 20, radius, 0)
    solution = best_map(instance)
    recheck(instance, solution)
    (region,) = regions_of(solution)
    assert region.maps is not None
    with pytest.raises(Refuted, match="more maps"):
        recheck(instance, with_regions(solution, [replace(region, maps=0)]))
    for group in range(4):
        other = (*solution.choice[:group], 0, *solution.choice[group + 1 :])
        if other != solution.choice:
            with pytest.raises(Refuted):
                recheck(instance, claim(instance, solution, other))


def test_other_proofs_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A group-wise proof where the budget binds, and a group-wise map that is not the first."""
    instance, solution = covered(monkeypatch)
    with pytest.raises(Refuted, match="can bind"):
        recheck(instance, replace(solution, proof=GroupWise()))
    half = Fraction(1, 2)
    row = [Fraction(0), half, half, Fraction(1, 4)]
    idle = instance_of([1, 1], [[Fraction(0)] * 4] * 2, [row, row], [[True] * 4] * 2, half, Fraction(0))
    assert best_map(idle).choice == (1, 1)
    with pytest.raises(Refuted, match="earlier"):
        recheck(idle, claim(idle, best_map(idle), (1, 2)))
    with pytest.raises(Refuted, match="better"):
        recheck(idle, claim(idle, best_map(idle), (1, 3)))


def test_descriptions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every proof has one sentence."""
    _, solution = covered(monkeypatch)
    text = describe(solution.proof)
    leaves = [region for region in regions_of(solution) if region.split is None]
    listed = [region.maps for region in leaves if region.maps is not None]
    assert text == (
        "every better map is excluded, by regions of thresholds: "
        f"{len(leaves) - len(listed)} by multipliers, {len(listed)} by comparing {sum(listed):,} maps"
    )
    assert "Pareto labels" in describe(covered(monkeypatch, "0", 0)[1].proof)
    assert describe(GroupWise()).endswith("; among equal maps the earlier options stand")
