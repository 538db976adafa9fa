"""The map search against plain enumeration, on instances small enough for it."""

from __future__ import annotations

import random
from contextlib import suppress
from fractions import Fraction

import pytest

from map_instances import enumerate_maps, instance_of
from sealtrace.mathematics.exact import Undecided
from sealtrace.studies.policies.mathematics.maps import comparison, search
from sealtrace.studies.policies.mathematics.maps.instance import Instance, worst_risk, worst_utility
from sealtrace.studies.policies.mathematics.maps.labels import TooManyLabels
from sealtrace.studies.policies.mathematics.maps.proof import Covered, GroupWise, Solution, describe
from sealtrace.studies.policies.mathematics.maps.recheck import recheck
from sealtrace.studies.policies.mathematics.maps.search import best_map
from support import LONG

RADII = ("0", "0.1", "0.5", "0.5", "1", "1", "1.5", "2")


def small_instance(source: random.Random) -> Instance:
    """Coarse values, so that ties abound; groups without weight; a budget that binds, often at equality."""
    groups = source.choice([1, 2, 2, 3, 3, 4])
    width = source.randint(1, 5 if groups < 4 else 3)
    steps = source.choice([2, 4, 10, 30])
    counts = [source.choice([0, 1, 2, 3, 5]) for _ in range(groups)]
    counts[source.randrange(groups)] += 1
    upper, lower = [], []
    for _ in range(groups):
        risks = [Fraction(source.randint(0, steps), steps) for _ in range(width)]
        rising = [min(risk + Fraction(source.randint(0, 3), steps), Fraction(1)) for risk in risks]
        other = [Fraction(source.randint(0, steps), steps) for _ in range(width)]
        upper.append([Fraction(0), *risks])
        lower.append([Fraction(0), *(a if source.random() < 0.7 else b for a, b in zip(rising, other, strict=True))])
    admissible = [[True, *(source.random() < 0.95 for _ in range(width))] for _ in range(groups)]
    radius = Fraction(source.choice(RADII))
    budget = Fraction(source.randint(1, 2 * steps), 3 * steps) if source.random() < 0.95 else None
    instance = instance_of(counts, upper, lower, admissible, budget, radius)
    if budget is not None and source.random() < 0.5:
        some = [source.choice(row.nonzero()[0].tolist()) for row in instance.admissible]
        return instance_of(counts, upper, lower, admissible, worst_risk(instance, some), radius)
    return instance


def found(solution: Solution) -> tuple[tuple[int, ...], Fraction, Fraction]:
    """What two ways must agree on."""
    return solution.choice, solution.utility, solution.risk


def allow(monkeypatch: pytest.MonkeyPatch, in_all: int, in_a_domain: int) -> None:
    """How many maps may be looked at instead of searched: fewer force every step of the search."""
    monkeypatch.setattr(comparison, "MOST_MAPS", in_all)
    monkeypatch.setattr(search, "FEW_MAPS", in_a_domain)


WAYS = [(comparison.MOST_MAPS, 0)] * 13 + [(0, search.FEW_MAPS)] * 3 + [(0, 0)] * 3 + [(0, 4)]


@pytest.mark.parametrize(("in_all", "few_maps", "seed"), [(*way, seed) for seed, way in enumerate(WAYS)])
def test_search_equals_enumeration(monkeypatch: pytest.MonkeyPatch, in_all: int, few_maps: int, seed: int) -> None:
    """Map, values and tie rule are those of enumeration, and the proof holds, whichever way is taken."""
    allow(monkeypatch, in_all, few_maps)
    source = random.Random(100_000 * seed + few_maps)
    kinds = set()
    for _ in range(500 if LONG else 60):
        instance = small_instance(source)
        solution = best_map(instance)
        assert found(solution) == found(enumerate_maps(instance))
        recheck(instance, solution)
        kinds.add(type(solution.proof))
        if isinstance(solution.proof, Covered) and not few_maps:
            assert all((region.maps is None) == (in_all == 0) for region in solution.proof.regions)
    assert kinds == {GroupWise, Covered}


def fine_value(source: random.Random) -> Fraction:
    """A number with 256 binary digits, as a bound that is no rational is given."""
    return Fraction(source.getrandbits(256), 2**256)


@pytest.mark.parametrize("seed", range(60))
def test_fine_values_with_ties(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Numbers far finer than doubles, some repeated and some apart by less than a double shows."""
    source = random.Random(seed)
    allow(monkeypatch, *source.choice([(comparison.MOST_MAPS, 0), (0, 0), (0, search.FEW_MAPS)]))
    groups, width = source.choice([(2, 5), (3, 4), (4, 3)])
    pool = [fine_value(source) for _ in range(4)]
    pool += [value + Fraction(1, 2**200) for value in pool] + [Fraction(0)]
    upper = [[Fraction(0), *(source.choice(pool) for _ in range(width))] for _ in range(groups)]
    lower = [[Fraction(0), *(source.choice(pool) for _ in range(width))] for _ in range(groups)]
    counts = [source.choice([0, 2, 2, 3]) for _ in range(groups - 1)] + [2]
    radius = Fraction(source.choice(RADII))
    everything = [[True] * (width + 1)] * groups
    instance = instance_of(counts, upper, lower, everything, None, radius)
    some = [source.randint(0, width) for _ in range(groups)]
    budget = worst_risk(instance, some) - Fraction(source.choice([0, 0, 1]), 2**210)
    instance = instance_of(counts, upper, lower, everything, max(budget, Fraction(0)), radius, Fraction(1, 2**240))
    solution = best_map(instance)
    assert found(solution) == found(enumerate_maps(instance))
    recheck(instance, solution)


def test_tie_rule_without_weight() -> None:
    """With the whole simplex only the smallest L counts: the others take their earliest option that keeps it."""
    half, whole = Fraction(1, 2), Fraction(1)
    lower = [[Fraction(0), half, whole], [Fraction(0), whole, half], [Fraction(0), Fraction(0), half]]
    upper = [[Fraction(0)] * 3] * 3
    instance = instance_of([1, 1, 1], upper, lower, [[True] * 3] * 3, half, Fraction(2))
    solution = best_map(instance)
    assert solution.choice == (1, 1, 2)
    assert solution.utility == half
    assert "cannot bind" in describe(solution.proof)
    # A group without weight and no mass to move: the anchor comes first.
    assert best_map(instance_of([1, 0, 1], upper, lower, [[True] * 3] * 3, half, Fraction(0))).choice == (2, 0, 2)


def test_many_ties_are_no_burden() -> None:
    """Exponentially many best maps, with a budget that binds, are decided by the tie rule."""
    groups, width = 12, 10
    upper = [[Fraction(0), *(Fraction(1, 10) for _ in range(width))] for _ in range(groups)]
    lower = [[Fraction(0), *(Fraction(1, 2) for _ in range(width))] for _ in range(groups)]
    everything = [[True] * (width + 1)] * groups
    instance = instance_of([1] * groups, upper, lower, everything, Fraction(1, 20), Fraction(0))
    solution = best_map(instance)
    assert solution.choice == (0,) * 6 + (1,) * 6
    recheck(instance, solution)


def two_options(slack: Fraction, lower: Fraction, upper: Fraction, budget: Fraction) -> Instance:
    """One group: an option with U = 1/2 and L = 1/2, and another."""
    half = Fraction(1, 2)
    return instance_of(
        [1], [[Fraction(0), half, upper]], [[Fraction(0), half, lower]], [[True] * 3], budget, Fraction(0), slack
    )


TINY = Fraction(1, 2**250)


def test_slack_on_utility() -> None:
    """A difference in W below the slack is refused, equality and larger differences are decided."""
    half, budget = Fraction(1, 2), Fraction(1)
    assert best_map(two_options(2 * TINY, half, Fraction(0), budget)).choice == (1,)
    assert best_map(two_options(TINY, half + TINY, Fraction(0), budget)).choice == (2,)
    for solve in (best_map, enumerate_maps):
        for sign in (-1, 1):
            with pytest.raises(Undecided):
                solve(two_options(2 * TINY, half + sign * TINY, Fraction(0), budget))


@pytest.mark.parametrize("sign", [-1, 1])
def test_slack_on_risk(sign: int) -> None:
    """A risk closer to the budget than the slack is refused if the map would be the best one."""
    half, better = Fraction(1, 2), Fraction(3, 4)
    near = two_options(2 * TINY, better, half + sign * TINY, half)
    for solve in (best_map, enumerate_maps):
        with pytest.raises(Undecided):
            solve(near)
    assert best_map(two_options(TINY, better, half + sign * TINY, half)).choice == ((1,) if sign > 0 else (2,))
    # The same risk does not matter where the option is worse anyway.
    assert best_map(two_options(2 * TINY, Fraction(1, 4), half + TINY, half)).choice == (1,)


@pytest.mark.parametrize("seed", range(6 if LONG else 2))
def test_slack_never_guesses(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """With a coarse slack an answer is the exact one, and an open question is never answered."""
    allow(monkeypatch, *[(comparison.MOST_MAPS, 0), (0, 0), (0, search.FEW_MAPS)][seed % 3])
    source = random.Random(seed)
    answered = refused = 0
    for _ in range(200):
        exact = small_instance(source)
        instance = Instance(
            exact.counts, exact.upper, exact.lower, exact.admissible, exact.exact_upper, exact.exact_lower,
            exact.budget, exact.radius, Fraction(1, source.choice([50, 200, 1000])),
        )  # fmt: skip
        try:
            solution = best_map(instance)
        except Undecided:
            refused += 1
            continue
        answered += 1
        assert found(solution) == found(best_map(exact))
        recheck(instance, solution)
        # Enumeration compares values alone, so that it may refuse where an option is no worse than another.
        with suppress(Undecided):
            assert found(solution) == found(enumerate_maps(instance))
    assert answered > 50
    assert refused > 5


def test_exact_values_are_asked_for_rarely() -> None:
    """Where doubles decide nothing is made exact until the worst values are asked for."""
    source = random.Random(5)
    groups, width = 4, 21
    upper = [[Fraction(0), *(fine_value(source) / 3 for _ in range(width - 1))] for _ in range(groups)]
    lower = [[Fraction(0), *(fine_value(source) for _ in range(width - 1))] for _ in range(groups)]
    full = instance_of((40, 60, 33, 120), upper, lower, [[True] * width] * groups, Fraction(1, 2), Fraction(1, 10))
    asked: list[tuple[int, int]] = []

    def counted(table: list[list[Fraction]], group: int, option: int) -> Fraction:
        asked.append((group, option))
        return table[group][option]

    lazy = Instance(
        full.counts, full.upper, full.lower, full.admissible,
        lambda group, option: counted(upper, group, option), lambda group, option: counted(lower, group, option),
        full.budget, full.radius,
    )  # fmt: skip
    solution = best_map(lazy)
    assert not asked
    assert found(solution) == found(best_map(full))
    assert set(asked) == set(enumerate(solution.choice))
    assert len(asked) == 2 * groups


def test_labels_are_limited() -> None:
    """What would need more labels than allowed is refused and not guessed."""
    source = random.Random(1)
    groups, width = 8, 12
    upper = [[Fraction(0), *(fine_value(source) for _ in range(width))] for _ in range(groups)]
    instance = instance_of([1] * groups, upper, upper, [[True] * (width + 1)] * groups, Fraction(1, 3), Fraction(0))
    with pytest.raises(TooManyLabels):
        best_map(instance, most_labels=100)
    assert issubclass(TooManyLabels, Undecided)


def test_few_maps_make_few_values_exact() -> None:
    """Where doubles decide, a binding budget too asks only for the options of the best map."""
    source = random.Random(2)
    groups, width = 4, 12
    upper, lower = (
        [[Fraction(0), *sorted(fine_value(source) for _ in range(width))] for _ in range(groups)] for _ in range(2)
    )
    asked: set[tuple[int, int]] = set()

    def counted(group: int, option: int) -> Fraction:
        asked.add((group, option))
        return lower[group][option]

    full = instance_of((3, 4, 5, 6), upper, lower, [[True] * (width + 1)] * groups, Fraction(1, 3), Fraction(1, 2))
    lazy = Instance(
        full.counts, full.upper, full.lower, full.admissible, full.exact_upper, counted, full.budget, full.radius
    )
    solution = best_map(lazy)
    assert isinstance(solution.proof, Covered)
    assert asked == set(enumerate(solution.choice))
    recheck(full, solution)


def test_many_equal_maps_are_left_to_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more maps tie than fractions should compare, the search by cells decides the same."""
    upper = [[Fraction(0), Fraction(1, 4), Fraction(1, 5), Fraction(1, 6)]] * 4
    lower = [[Fraction(0), Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)]] * 3 + [[Fraction(0)] + [Fraction(1, 9)] * 3]
    instance = instance_of([1, 1, 1, 1], upper, lower, [[True] * 4] * 4, Fraction(6, 25), Fraction(19, 10))
    looked = best_map(instance)
    monkeypatch.setattr(comparison, "MOST_RIVALS", 1)
    searched = best_map(instance)
    assert found(looked) == found(searched) == found(enumerate_maps(instance))
    recheck(instance, looked)
    recheck(instance, searched)


def test_enumeration_is_limited() -> None:
    """Enumeration refuses what it would not finish."""
    rows = [[Fraction(0)] * 11] * 8
    instance = instance_of([1] * 8, rows, rows, [[True] * 11] * 8, Fraction(0), Fraction(0))
    with pytest.raises(ValueError, match="too many"):
        enumerate_maps(instance)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": [1]}, "same groups"),
        ({"counts": [0, 0]}, "counts"),
        ({"counts": [-1, 2]}, "counts"),
        ({"radius": Fraction(3)}, "radius"),
        ({"budget": Fraction(-1)}, "budget"),
        ({"slack": Fraction(-1)}, "slack"),
        ({"upper": [[Fraction(1), Fraction(1)]] * 2}, "anchor"),
        ({"admissible": [[False, True]] * 2}, "anchor"),
    ],
)
def test_nonsense_is_refused(change: dict[str, object], message: str) -> None:
    """An instance that breaks its own contract is not built."""
    rows = [[Fraction(0), Fraction(1)]] * 2
    sound = {"counts": [1, 1], "upper": rows, "lower": rows, "admissible": [[True, True]] * 2,
             "budget": Fraction(1), "radius": Fraction(1), "slack": Fraction(0)}  # fmt: skip
    with pytest.raises(ValueError, match=message):
        instance_of(**{**sound, **change})  # type: ignore[arg-type]


def test_ragged_groups() -> None:
    """Groups may have different numbers of options."""
    upper = [[Fraction(0), Fraction(1, 2)], [Fraction(0), Fraction(1, 4), Fraction(1, 8)]]
    lower = [[Fraction(0), Fraction(1, 2)], [Fraction(0), Fraction(1, 4), Fraction(1, 2)]]
    instance = instance_of([1, 1], upper, lower, [[True] * 2, [True] * 3], Fraction(1, 8), Fraction(0))
    assert best_map(instance).choice == (0, 2)
    assert worst_utility(instance, (0, 2)) == Fraction(1, 4)
