"""What is exact has nothing rounded; what is rounded is rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sealtrace.mathematics.exact import as_double, as_integers, mean, row_products, scaled

_ENTRIES = st.floats(min_value=-1e12, max_value=1e12, allow_subnormal=False)


@given(arrays(np.float64, (3, 4), elements=_ENTRIES), arrays(np.float64, (3, 4), elements=_ENTRIES))
def test_products_are_those_of_fractions(left: np.ndarray, right: np.ndarray) -> None:
    """Every row's sum of products, and the sum of all rows, as rationals give them."""
    sums, power = row_products(left, right)
    expected = [
        sum((Fraction(a) * Fraction(b) for a, b in zip(one, other, strict=True)), Fraction(0))
        for one, other in zip(left.tolist(), right.tolist(), strict=True)
    ]
    assert [count * Fraction(2) ** power for count in sums] == expected
    assert scaled(sums, power) == sum(expected)


@pytest.mark.parametrize(("value", "due"), [(10**400, math.inf), (-(10**400), -math.inf), (Fraction(1, 4), 0.25)])
def test_nearest_double(value: Fraction, due: float) -> None:
    """Beyond the range there is no nearest double, and the sign is kept."""
    assert as_double(Fraction(value)) == due


def test_mean_of_a_sum_beyond_doubles() -> None:
    """A sum that no double holds still has a mean."""
    assert mean(np.array([1.5e308, 1.5e308, 1.5e308])) == 1.5e308
    assert mean(np.array([1.0, 2.0, 6.0])) == 3.0


def test_mean_where_only_sums_on_the_way_are_beyond_doubles() -> None:
    """Large values that cancel leave the small ones, to the last digit."""
    assert mean(np.array([1.5e308, 1.5e308, -1.5e308, -1.5e308, 3.0])) == 0.6


def test_one_value_that_is_not_finite() -> None:
    """There is no mean then, and no integer."""
    assert math.isnan(mean(np.array([1.0, math.inf])))
    with pytest.raises(OverflowError, match="no integer is infinite"):
        as_integers(np.array([1.0, math.inf]))
