"""Expected utilities and their aggregates against rational arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.mathematics.exact import mean
from sealtrace.studies.policies.mathematics.scores import (
    Aggregate,
    ScaleChoice,
    aggregate,
    empirical_zero,
    expected_utility,
    teacher_kl,
    teacher_regret,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
ordinary = st.floats(-100, 100)


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(*(st.lists(ordinary, min_size=n, max_size=n) for _ in "pq"))))
def test_expected_utility(row: tuple[list[float], list[float]]) -> None:
    """The sum of probability times value, per row."""
    policy, values = row
    exact = sum((Fraction(p) * Fraction(q) for p, q in zip(policy, values, strict=True)), Fraction(0))
    found = expected_utility(np.array([policy, policy]), np.array([values, [0.0] * len(values)]))
    assert found.tolist() == [pytest.approx(float(exact), abs=1e-10), 0.0]


@given(st.lists(finite, min_size=1, max_size=8))
def test_mean(values: list[float]) -> None:
    """The mean is within two roundings of the exact one, even where the sum is beyond doubles."""
    exact = sum(map(Fraction, values), Fraction(0)) / len(values)
    found = mean(np.array(values))
    assert abs(Fraction(found) - exact) <= abs(exact) / 2**51 + Fraction(5e-324)


def test_mean_does_not_cancel() -> None:
    """Large terms that cancel leave the small one, as no running sum in doubles does."""
    assert mean(np.array([1e100, 1.0, -1e100, 1.0])) == 0.5


def test_mean_of_what_is_not_finite() -> None:
    """An overflowed utility has no mean, and asking for it is no error."""
    assert math.isnan(mean(np.array([math.inf, -math.inf])))
    assert math.isnan(mean(np.array([1.0, math.nan])))


def test_overflow_is_silent() -> None:
    """A product beyond doubles is infinite, which the comparison then reports."""
    assert expected_utility(np.array([[1e308]]), np.array([[1e308]])).tolist() == [math.inf]


def test_aggregate() -> None:
    """Means, extremes and the count, each from its own column."""
    found = aggregate(
        np.array([1.0, 2.0, 6.0]),
        np.array([0.0, -1.0, 1.0]),
        np.array([-0.5, 0.25, 1.0]),
        np.array([True, False, False]),
    )
    assert found == Aggregate(states=3, weak=3.0, strong=0.0, delta=0.25, delta_min=-0.5, delta_max=1.0, crossings=1)


def test_divergence_from_the_teacher() -> None:
    """What the teacher never does counts nothing, and what the policy never does counts as the clip."""
    teacher = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]])
    policy = np.array([[0.25, 0.5, 0.25], [1.0, 0.0, 0.0]])
    expected = [0.5 * math.log(2), 0.5 * math.log(0.5) + 0.5 * math.log(50)]
    assert teacher_kl(teacher, policy, 0.01).tolist() == pytest.approx(expected, abs=1e-15)


def test_regret_is_never_negative() -> None:
    """What the teacher would have gained over the policy, and nothing where the policy gains more."""
    teacher, values = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[3.0, 1.0], [1.0, 3.0]])
    assert teacher_regret(teacher, np.array([[0.5, 0.5], [0.5, 0.5]]), values).tolist() == [1.0, 0.0]


def test_the_largest_scale_without_a_crossing() -> None:
    """All that have none are listed in the order of the grid; where all cross, none is chosen."""
    grid = [Fraction(1, 5), Fraction(0), Fraction(1, 10)]
    assert empirical_zero(grid, [1, 0, 0]) == ScaleChoice((Fraction(0), Fraction(1, 10)), Fraction(1, 10))
    assert empirical_zero(grid, [1, 2, 1]) == ScaleChoice((), None)
