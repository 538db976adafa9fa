"""Recipe and verifier share no formula; on random problems they must agree, ties and tie rules included."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from map_instances import instance_of
from rsd_stratified import bounds as plain_bounds
from rsd_stratified import drawing, mixtures, structure
from sealtrace.mathematics import bounds, resampling
from sealtrace.studies.policies.mathematics.maps.search import best_map
from sealtrace.studies.policies.mathematics.partitions.rules import Side, TreeClass, canonical
from sealtrace.studies.policies.mathematics.partitions.search import best_partition
from support import LONG

TIMES = 10 if LONG else 1
SHARES = [Fraction(1, 20), Fraction(1, 1600), Fraction(1, 10), Fraction(5, 6000), Fraction(1, 3)]


@pytest.mark.parametrize("seed", range(60 * TIMES))
def test_bounds_agree(seed: int) -> None:
    """Upper bounds, which counts are certified, and lower bounds."""
    draw = random.Random(seed)
    states, share = draw.randint(1, 400), draw.choice(SHARES)
    count = draw.randint(0, states)
    budget = Fraction(draw.randint(1, 99), 100)
    assert bounds.risk_upper_of(count, states, share) == pytest.approx(
        plain_bounds.clopper_pearson(count, states, share), rel=1e-12
    )
    within = count <= plain_bounds.most_certified(states, share, budget)
    assert bounds.risk_at_most(count, states, share, budget) == within
    mean = draw.random()
    lower = max(0.0, mean - bounds.utility_radius(states, share))
    assert lower == pytest.approx(plain_bounds.hoeffding(mean, states, share), abs=1e-14)


def test_equality_is_within_the_budget() -> None:
    """Where U is the budget itself, both sides call the count certified."""
    budget, states, count = Fraction(1, 4), 9, 2
    share = sum(
        (Fraction(coefficient) * budget**k * (1 - budget) ** (states - k) for k, coefficient in enumerate([1, 9, 36])),
        Fraction(0),
    )
    assert plain_bounds.most_certified(states, share, budget) == count
    assert bounds.risk_at_most(count, states, share, budget)
    assert not bounds.risk_at_most(count, states, share - Fraction(1, 10**60), budget)


@pytest.mark.parametrize("seed", range(40 * TIMES))
def test_partitions_agree(seed: int) -> None:
    """The best tree of a random class; coarse degradations make many partitions equal."""
    draw = random.Random(seed)
    size, candidates = draw.randint(6, 60), draw.randint(1, 3)
    names = ["pot", "seat", "rank"][: draw.randint(1, 3)]
    features = [{name: draw.choice([0.0, 0.25, 0.5, 0.75]) for name in names} for _ in range(size)]
    deltas = [[draw.choice([-0.5, 0.0, 0.25]) for _ in range(size)] for _ in range(candidates)]
    declared: dict[str, Any] = {
        "depth": draw.randint(0, 3),
        "thresholds": {
            name: sorted(draw.sample(["0.2", "0.3", "0.5", "0.6", "0.75"], draw.randint(1, 3))) for name in names
        },
        "minimum_support": draw.randint(0, 5),
        "lambda_cert": draw.choice(["0", "0.01", "0.1"]),
        "lambda_comp": draw.choice(["0", "0.001", "0.02"]),
    }
    tree_class = structure.declared_class(declared, features, deltas)
    tree = tree_class.best(tree_class.everything, declared["depth"])
    assert tree is not None
    plain = [
        [Side(one["feature"], Fraction(one["threshold"]), one["below"]) for one in path]
        for path in tree_class.paths(tree)
    ]
    found = best_partition(
        {name: np.array([one[name] for one in features]) for name in names},
        np.array(deltas).T,
        TreeClass(
            declared["depth"],
            {name: [Fraction(text) for text in texts] for name, texts in declared["thresholds"].items()},
            declared["minimum_support"],
            Fraction(declared["lambda_cert"]),
            Fraction(declared["lambda_comp"]),
        ),
    )
    assert canonical(found.leaves) == canonical(plain)
    assert found.objective == pytest.approx(tree.value, abs=1e-12)


@pytest.mark.parametrize("seed", range(60 * TIMES))
def test_maps_agree(seed: int) -> None:
    """The best map under the worst mixture; coarse bounds make many maps equal, and budgets bind."""
    draw = random.Random(seed)
    groups, options = draw.randint(1, 3), draw.randint(1, 4)
    counts = [draw.randint(1, 6) for _ in range(groups)]
    upper = [[Fraction(0), *(Fraction(draw.randint(1, 8), 8) for _ in range(options))] for _ in range(groups)]
    lower = [[Fraction(0), *(Fraction(draw.randint(0, 8), 8) for _ in range(options))] for _ in range(groups)]
    radius, budget = Fraction(draw.choice([0, 1, 5, 10, 20]), 10), Fraction(draw.randint(1, 7), 8)
    found = best_map(instance_of(counts, upper, lower, [[True] * (options + 1)] * groups, budget, radius))

    def option(group: int, place: int) -> mixtures.Option:
        exact = lower[group][place]
        precise = Decimal(exact.numerator) / Decimal(exact.denominator)
        return mixtures.Option(float(upper[group][place]), float(exact), lambda: precise)

    problem = mixtures.Problem(
        options=tuple(tuple(option(group, place) for place in range(options + 1)) for group in range(groups)),
        mixtures=mixtures.Mixtures(tuple(Fraction(count, sum(counts)) for count in counts), radius),
        within_budget=False,
        # Plain enumeration compares doubles, so equality gets a little room; eighths are never so near otherwise.
        budget=budget + Fraction(1, 10**9),
    )
    assert found.choice == mixtures.robust_map(problem)


@pytest.mark.parametrize("seed", range(20 * TIMES))
def test_deals_agree(seed: int) -> None:
    """Which state goes to which split."""
    draw = random.Random(seed)
    names = [f"s{number:03d}" for number in range(draw.randint(4, 120))]
    seen = {name: {"rank": float(draw.randint(0, 3)), "seat": draw.choice([0.0, 0.5])} for name in names}
    first = draw.randint(1, len(names) // 2)
    sizes = {"a": first, "b": len(names) - first}
    rule = {"seed": seed * 7, "strata": ["rank", "seat"], "order": ["a", "b"]}
    plain = drawing.deal(rule, seen, sizes)
    strata = [np.array([seen[name][stratum] for name in names]) for stratum in ("rank", "seat")]
    parts = resampling.deal(resampling.stratified_order(seed * 7, strata, len(names)), list(sizes.values()))
    dealt = {names[place]: split for split, places in zip(sizes, parts, strict=True) for place in places.tolist()}
    assert dealt == plain
