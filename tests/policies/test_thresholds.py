"""Strict thresholds against plain rational arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sealtrace.studies.policies.mathematics.thresholds import (
    below,
    crossings,
    exact_difference,
    expected_difference,
    read_differently,
)

LARGEST, SMALLEST = 1.7976931348623157e308, 5e-324
doubles = st.floats(allow_nan=False, allow_infinity=False)
bounds = st.one_of(
    st.fractions(),
    st.decimals(allow_nan=False, allow_infinity=False, places=4).map(Fraction),
    doubles.map(Fraction),
    st.sampled_from(["-0.05", "0.05", "-1/3", "1e400", "-1e400", "1e-400", "-1e-400", "0"]).map(Fraction),
)


def around(bound: Fraction) -> list[float]:
    """The doubles next to a bound, and the ends of the range."""
    try:
        nearest = float(bound)
    except OverflowError:
        nearest = LARGEST if bound > 0 else -LARGEST
    near = [nearest, math.nextafter(nearest, math.inf), math.nextafter(nearest, -math.inf)]
    return [value for value in [*near, 0.0, -0.0, SMALLEST, -SMALLEST, LARGEST, -LARGEST] if math.isfinite(value)]


@given(st.lists(doubles), bounds)
@example([], Fraction("-0.05"))
def test_below_is_exact(values: list[float], bound: Fraction) -> None:
    """A double is compared with the bound itself and not with the double nearest to it."""
    stored = np.array(values + around(bound))
    assert below(stored, bound).tolist() == [Fraction(value) < bound for value in stored.tolist()]


@given(st.lists(doubles), bounds)
def test_read_differently_is_one_double(values: list[float], bound: Fraction) -> None:
    """Comparing doubles errs on the double nearest to the bound and only if that lies below it."""
    stored = np.array(values + around(bound))
    try:
        nearest = float(bound)
    except OverflowError:
        nearest = math.inf if bound > 0 else -math.inf
    naive = [value < nearest for value in stored.tolist()]
    expected = [(Fraction(value) < bound) != found for value, found in zip(stored.tolist(), naive, strict=True)]
    assert read_differently(stored, bound).tolist() == expected
    assert all(value == nearest for value, differs in zip(stored.tolist(), expected, strict=True) if differs)


def test_one_twentieth() -> None:
    """The paper's tau is no double: -0.05 as stored is a crossing, the next double up is none."""
    stored = np.array([math.nextafter(-0.05, -1), -0.05, math.nextafter(-0.05, 0)])
    assert below(stored, Fraction("-0.05")).tolist() == [True, True, False]
    assert read_differently(stored, Fraction("-0.05")).tolist() == [False, True, False]


def rows_of(width: int) -> st.SearchStrategy[list[list[float]]]:
    entry = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]), doubles)
    return st.lists(st.lists(entry, min_size=width, max_size=width), min_size=3, max_size=3)


@given(st.integers(1, 6).flatmap(rows_of), bounds.map(abs))
def test_crossings_are_exact(rows: list[list[float]], tau: Fraction) -> None:
    """d < -tau is decided as rational arithmetic decides it, whatever the size of the numbers."""
    policy, base, values = (np.array([row]) for row in rows)
    expected = sum(
        ((Fraction(p) - Fraction(b)) * Fraction(q) for p, b, q in zip(*rows, strict=True)),
        Fraction(0),
    )
    assert exact_difference(policy[0], base[0], values[0]) == expected
    found = crossings(policy, base, values, tau)
    assert found.crossed.tolist() == [expected < -tau]
    delta, error = expected_difference(policy, base, values)
    if math.isfinite(delta[0]) and math.isfinite(error[0]):
        assert abs(Fraction(float(delta[0])) - expected) <= Fraction(float(error[0]))


@given(st.integers(1, 6).flatmap(rows_of), st.integers(-2, 2))
def test_crossings_at_the_bound(rows: list[list[float]], steps: int) -> None:
    """With tau at d itself, or a hair to either side, rational arithmetic is called and decides."""
    policy, base, values = (np.array([row]) for row in rows)
    delta = exact_difference(policy[0], base[0], values[0])
    tau = -delta * (1 + Fraction(steps, 10**40))
    found = crossings(policy, base, values, tau)
    assert found.crossed.tolist() == [delta < -tau]
    assert found.exactly == 1


def test_few_rows_need_rational_arithmetic() -> None:
    """Ordinary rows are decided in doubles; the rows at the bound are counted."""
    policy = np.array([[1.0, 0.0]] * 5)
    base = np.full((5, 2), 0.5)
    first = [-2.0, -0.125, math.nextafter(-0.125, -1), math.nextafter(-0.125, 0), 3.0]
    values = np.array([[value, 0.0] for value in first])
    found = crossings(policy, base, values, Fraction(1, 16))
    assert found.delta.tolist() == [value / 2 for value in first]
    assert found.crossed.tolist() == [True, False, True, False, False]
    assert found.exactly == 3


def test_overflow_is_decided() -> None:
    """Where doubles give infinity or no number at all, the decision is still right and silent."""
    huge = LARGEST
    policy = np.array([[huge, huge, 0.0], [huge, 0.0, 0.0], [1.0, 0.0, 0.0]])
    base = np.zeros((3, 3))
    values = np.array([[huge, -huge, 0.0], [-huge, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    found = crossings(policy, base, values, Fraction("0.05"))
    assert found.crossed.tolist() == [False, True, True]
    assert found.exactly == 2


@pytest.mark.parametrize("bound", [Fraction("-0.05"), Fraction(-1, 3), Fraction(-1, 16)])
def test_below_is_monotone(bound: Fraction) -> None:
    """Along the doubles around the bound the answer changes once, from below to not below."""
    start = float(bound)
    for _ in range(5):
        start = math.nextafter(start, -math.inf)
    stored = [start]
    for _ in range(10):
        stored.append(math.nextafter(stored[-1], math.inf))
    found = below(np.array(stored), bound).tolist()
    assert sum(one != other for one, other in pairwise(found)) == 1
    assert found[0]
