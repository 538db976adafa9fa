"""Sums, means, spread, quantiles and entropy against numpy and scipy, and against plain fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.oracles import numbers, stats
from sealtrace.statistics import labels, summaries
from sealtrace.statistics.sums import UndefinedError, exact_dot, exact_sum, root

DOUBLES = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30)
INTEGERS = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=30)
MODEST = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


@given(DOUBLES)
def test_sums_of_doubles_are_not_rounded(values: list[float]) -> None:
    """Any doubles, subnormal and huge ones together, add up as the rational numbers that they are."""
    column = np.array(values)
    assert exact_sum(column) == sum(map(Fraction, values))
    assert exact_dot(column, column) == sum(Fraction(value) ** 2 for value in values)
    assert exact_sum(values) == exact_sum(column)


@given(INTEGERS)
def test_sums_of_integers_do_not_overflow(values: list[int]) -> None:
    """64-bit integers, signed and not, whose sum has more bits."""
    assert exact_sum(np.array(values, np.int64)) == sum(values)
    unsigned = [value + 2**63 for value in values]
    assert exact_sum(np.array(unsigned, np.uint64)) == sum(unsigned)


def test_products_of_mixed_columns() -> None:
    """Booleans, integers and doubles may be multiplied with each other; what a double cannot hold is refused."""
    flags, numbers = np.array([True, False, True]), np.array([0.1, 0.2, 0.3])
    assert exact_dot(flags, numbers) == Fraction(0.1) + Fraction(0.3)
    assert exact_dot(flags, flags) == 2
    assert exact_dot(flags, ~flags) == 0
    assert exact_dot([Fraction(1, 3)], np.array([3.0])) == exact_dot(np.array([3.0]), [Fraction(1, 3)]) == 1
    assert exact_dot(np.array([2**53]), np.array([-3])) == -3 * 2**53
    with pytest.raises(UndefinedError, match="beyond"):
        exact_dot(np.array([1, 2**53 + 1]), np.array([1.0, 1.0]))
    with pytest.raises(UndefinedError, match="finite"):
        exact_sum(np.array([1.0, math.nan]))


@given(st.fractions(min_value=0, max_value=10**30))
def test_roots(square: Fraction) -> None:
    """A rational root is exact, and any other the nearest double or its neighbour."""
    assert root(square * square) == square
    assert float(root(square)) == pytest.approx(math.sqrt(square), rel=1e-15)


@given(MODEST)
def test_moments(values: list[float]) -> None:
    """Mean, deviation and standard error with both divisors."""
    column = np.array(values)
    assert float(summaries.mean(column)) == pytest.approx(column.mean(), rel=1e-9, abs=1e-9)
    for divisor, freedom in (("n", 0), ("n-1", 1)):
        assert float(summaries.sd(column, divisor)) == pytest.approx(column.std(ddof=freedom), rel=1e-9, abs=1e-6)
        expected = stats.sem(column, ddof=freedom)
        assert float(summaries.sem(column, divisor)) == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_means_over_seeds_stay_fractions() -> None:
    """Three rates give an exact mean, and an exact deviation where it is rational."""
    rates = [Fraction(64, 100), Fraction(61, 100), Fraction(70, 100)]
    assert summaries.mean(rates) == Fraction(65, 100)
    assert summaries.variance(rates, "n-1") == Fraction(21, 10_000)
    assert summaries.sd([Fraction(1), Fraction(3)], "n") == 1
    with pytest.raises(UndefinedError, match="n-1"):
        summaries.sd([Fraction(1)], "n-1")
    with pytest.raises(UndefinedError, match="no values"):
        summaries.mean([])


@pytest.mark.parametrize("rule", [*summaries.QUANTILE_RULES, *summaries.STEP_RULES])
@given(values=MODEST, share=st.integers(0, 100))
def test_quantiles(rule: str, values: list[float], share: int) -> None:
    """Each rule gives what numpy gives under the same name."""
    found = summaries.quantile(np.array(values), Fraction(share, 100), rule)
    # Where the place falls on a value, numpy's doubles may fall on either side of it.
    close = {
        float(numbers.quantile(values, min(max(share / 100 + nudge, 0), 1), method=rule))
        for nudge in (-1e-12, 0, 1e-12)
    }
    assert min(abs(float(found) - value) for value in close) <= 1e-5


def test_order() -> None:
    """Median, extremes, a rule that nobody knows, a share that is none."""
    values = np.array([3, 1, 2, 10])
    assert summaries.rate(3, 4) == Fraction(3, 4)
    assert summaries.median(values) == Fraction(5, 2)
    assert (summaries.minimum(values), summaries.maximum(values)) == (Fraction(1), Fraction(10))
    with pytest.raises(ValueError, match="no rule"):
        summaries.quantile(values, Fraction(1, 2), "by feel")
    with pytest.raises(UndefinedError):
        summaries.quantile(values, Fraction(3, 2))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=50))
def test_entropy(codes: list[int]) -> None:
    """Natural, binary and normalized entropy."""
    counts = [codes.count(label) for label in range(5)]
    assert labels.entropy(counts) == pytest.approx(stats.entropy(counts), abs=1e-12)
    assert labels.entropy(counts, "2") == pytest.approx(stats.entropy(counts, base=2), abs=1e-12)
    normalized = stats.entropy(counts) / math.log(5)
    assert labels.entropy(counts, normalized="true") == pytest.approx(normalized, abs=1e-12)


def test_nothing_has_no_entropy() -> None:
    with pytest.raises(UndefinedError):
        labels.entropy([0, 0])
    with pytest.raises(UndefinedError):
        labels.entropy([7], normalized="true")
    with pytest.raises(UndefinedError):
        summaries.rate(0, 0)


def test_quantiles_of_what_is_no_number() -> None:
    """One value that is not finite spoils the order; whole numbers beyond doubles keep it."""
    with pytest.raises(UndefinedError, match="finite"):
        summaries.quantile(np.array([1.0, math.inf]))
    assert summaries.quantile(np.array([2**60, 2**60 + 1, 2**60 + 2])) == 2**60 + 1
    assert summaries.quantile([Fraction(1, 3), Fraction(1, 7)], Fraction(1, 4)) == Fraction(4, 21)


def test_the_entropy_of_one_label_is_zero() -> None:
    """Never below it by rounding; two labels have a normalized one."""
    assert labels.entropy([7, 0], normalized="true") == 0.0
    assert labels.entropy([3, 3], normalized="true") == pytest.approx(1.0)
    single = [labels.entropy([count]) for count in range(1, 60)]
    assert single == pytest.approx([0.0] * 59, abs=1e-15)
    assert min(single) == 0.0


def test_products_of_columns_of_different_length() -> None:
    """They are no pairs."""
    with pytest.raises(ValueError, match="same length"):
        exact_dot(np.array([1.0, 2.0]), np.array([1.0]))
    assert exact_dot([Fraction(1, 3), 2], [3, Fraction(1, 2)]) == 2
    with pytest.raises(UndefinedError, match="beyond"):
        exact_dot(np.array([-(2**53) - 1, 1]), np.array([1.0, 1.0]))
