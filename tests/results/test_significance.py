"""Tests of significance against scipy and statsmodels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.oracles import contingency, stats
from sealtrace.statistics import significance
from sealtrace.statistics.sums import UndefinedError

SIDES = {"two": "two-sided", "less": "less", "greater": "greater"}
COUNTS = st.integers(0, 40)
SAMPLE = st.lists(st.floats(-50, 50), min_size=4, max_size=25).filter(lambda values: np.ptp(values) > 1e-2)


@pytest.mark.parametrize("sides", SIDES)
@given(left=SAMPLE, right=SAMPLE)
def test_t(sides: str, left: list[float], right: list[float]) -> None:
    """One sample, two samples by Welch and by Student, pairs."""
    a, b = np.array(left), np.array(right)
    for ours, theirs in (
        (significance.t_test(a, None, sides, mu=Fraction(1)), stats.ttest_1samp(a, 1, alternative=SIDES[sides])),
        (
            significance.t_test(a, b, sides),
            stats.ttest_ind(a, b, equal_var=False, alternative=SIDES[sides]),
        ),
        (
            significance.t_test(a, b, sides, equal_variances=True),
            stats.ttest_ind(a, b, alternative=SIDES[sides]),
        ),
    ):
        assert (float(ours.statistic), float(ours.p)) == pytest.approx(
            (theirs.statistic, theirs.pvalue), rel=1e-7, abs=1e-7
        )
    size = min(len(a), len(b))
    if np.ptp(a[:size] - b[:size]) > 1e-2:
        theirs = stats.ttest_rel(a[:size], b[:size], alternative=SIDES[sides])
        ours = significance.paired_t_test(a[:size], b[:size], sides)
        assert (float(ours.statistic), float(ours.p)) == pytest.approx(
            (theirs.statistic, theirs.pvalue), rel=1e-7, abs=1e-7
        )


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("size", [5, 12, 30, 50])
def test_wilcoxon_exact(sides: str, size: int) -> None:
    """Without ties the p-value is counted out, as a fraction."""
    rng = np.random.default_rng(size)
    left, right = rng.normal(size=size), rng.normal(0.3, size=size)
    theirs = stats.wilcoxon(left, right, alternative=SIDES[sides], method="exact")
    ours = significance.wilcoxon(left, right, sides)
    assert isinstance(ours.p, Fraction)
    assert (float(ours.statistic), float(ours.p)) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("correction", [False, True])
@given(differences=st.lists(st.integers(-4, 4), min_size=2, max_size=60).filter(any))
def test_wilcoxon_normal(sides: str, correction: bool, differences: list[int]) -> None:
    """With ties and zeros, approximated."""
    left = np.array(differences, float)
    right = np.zeros(len(left))
    theirs = stats.wilcoxon(left, alternative=SIDES[sides], method="asymptotic", correction=correction)
    ours = significance.wilcoxon(left, right, sides, method="normal", correction=correction)
    assert (float(ours.statistic), float(ours.p)) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    if not correction:
        assert ours == significance.wilcoxon(left, right, sides, method="normal")


def test_wilcoxon_with_ties_is_counted_over_signs() -> None:
    """Few pairs with ties: all signs of the shared ranks, as scipy's permutations give it."""
    left = np.array([1.0, 2, 2, -1, 3, -2, 4, 4])
    theirs = stats.wilcoxon(left, method=stats.PermutationMethod())
    ours = significance.wilcoxon(left, np.zeros(8))
    assert float(ours.p) == pytest.approx(theirs.pvalue)
    assert significance.wilcoxon(np.array([1.0, -1.0]), np.zeros(2)).p == 1
    with pytest.raises(UndefinedError, match="no pair"):
        significance.wilcoxon(left, left)


@given(COUNTS, COUNTS)
def test_mcnemar(only_left: int, only_right: int) -> None:
    """The exact test is a fraction; the approximations are statsmodels'."""
    table = [[10, only_left], [only_right, 20]]
    exact = significance.mcnemar(only_left, only_right)
    assert isinstance(exact.p, Fraction)
    if only_left + only_right:
        assert float(exact.p) == pytest.approx(contingency.mcnemar(table, exact=True).pvalue)
    else:
        assert exact.p == 1
    if only_left != only_right:  # statsmodels corrects where there is nothing to correct
        for method, correction in (("chi2", False), ("corrected", True)):
            theirs = contingency.mcnemar(table, exact=False, correction=correction)
            ours = significance.mcnemar(only_left, only_right, method)
            assert (float(ours.statistic), float(ours.p)) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_mcnemar_far_out() -> None:
    """A tiny p-value keeps its digits, and so does one of very many items."""
    assert float(significance.mcnemar(900, 0).p) == 2.0**-899
    many = significance.mcnemar(50_000, 51_000)
    assert float(many.p) == pytest.approx(stats.binomtest(50_000, 101_000).pvalue, rel=1e-9)


@given(st.lists(st.lists(st.integers(1, 30), min_size=3, max_size=3), min_size=2, max_size=4))
def test_chi_squared(table: list[list[int]]) -> None:
    theirs = stats.chi2_contingency(table)
    ours = significance.chi_squared(table)
    assert (float(ours.statistic), float(ours.p)) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-12)
    assert ours.freedom == theirs.dof


@pytest.mark.parametrize("sides", SIDES)
@given(a=COUNTS, b=COUNTS, c=COUNTS, d=COUNTS)
def test_two_by_two(sides: str, a: int, b: int, c: int, d: int) -> None:
    """Fisher's exact test, and the corrected and plain chi-squared."""
    table = [[a, b], [c, d]]
    if not (a + b and c + d and a + c and b + d):
        with pytest.raises(UndefinedError):
            significance.fisher(a, b, c, d)
        with pytest.raises(UndefinedError):
            significance.chi_squared(table)
        return
    theirs = stats.fisher_exact(table, alternative=SIDES[sides])
    ours = significance.fisher(a, b, c, d, sides)
    assert isinstance(ours.p, Fraction)
    assert (float(ours.statistic), float(ours.p)) == pytest.approx((theirs.statistic, theirs.pvalue))
    for correction in ("yates", "none"):
        chi2 = stats.chi2_contingency(table, correction=correction == "yates")
        found = significance.chi_squared(table, correction)
        assert (float(found.statistic), float(found.p)) == pytest.approx((chi2.statistic, chi2.pvalue), abs=1e-12)


def test_refusals() -> None:
    """No variation, no pairs, tables too large to count out, methods that nobody knows."""
    with pytest.raises(UndefinedError, match="vary"):
        significance.t_test(np.ones(4))
    with pytest.raises(UndefinedError, match="counted out"):
        significance.fisher(10**6, 10**6, 10**6, 10**6)
    with pytest.raises(UndefinedError):
        significance.mcnemar(0, 0, "chi2")
    with pytest.raises(ValueError, match="no method"):
        significance.mcnemar(1, 2, "guess")
    with pytest.raises(ValueError, match="no method"):
        significance.wilcoxon(np.array([1.0]), np.array([0.0]), method="guess")
    with pytest.raises(UndefinedError, match="neither sample varies"):
        significance.t_test(np.ones(4), np.zeros(3))
    with pytest.raises(ValueError, match="pairs have two sides"):
        significance.paired_t_test(np.array([1.0, 2.0]), np.array([1.0]))
    with pytest.raises(UndefinedError, match="one pair"):
        significance.paired_t_test(np.array([1.0]), np.array([2.0]))
    with pytest.raises(UndefinedError, match="not negative"):
        significance.mcnemar(3, -1)
    for thin in ([[1, 2]], [[1], [2]]):
        with pytest.raises(UndefinedError, match="two rows and two columns"):
            significance.chi_squared(thin)
    for empty in ([[1, 0], [2, 0]], [[0, 0], [1, 2]]):
        with pytest.raises(UndefinedError, match="a row or a column"):
            significance.chi_squared(empty)
    with pytest.raises(UndefinedError, match="a row or a column"):
        significance.fisher(-1, 2, 3, 4)
    with pytest.raises(UndefinedError, match="2,000 pairs"):
        significance.wilcoxon(np.arange(1.0, 2002), np.zeros(2001), method="exact")


def test_freedom() -> None:
    """Degrees of freedom, as they are printed beside a statistic: n - 1, m + n - 2, Welch's, and one of two counts."""
    a, b = np.array([1.0, 2, 4, 9]), np.array([3.0, 1, 1, 2, 8, 5])
    single = significance.t_test(a)
    assert single.freedom == 3
    assert float(single.p) == pytest.approx(stats.ttest_1samp(a, 0).pvalue)
    assert significance.t_test(a, b, equal_variances=True).freedom == 8
    assert float(significance.t_test(a, b).freedom or 0) == pytest.approx(stats.ttest_ind(a, b, equal_var=False).df)
    assert significance.paired_t_test(a[:2], b[:2]).freedom == 1
    assert significance.mcnemar(1, 4, "chi2").freedom == 1


def test_equal_counts_need_no_correction() -> None:
    """Where the two differ nowhere more than elsewhere, nothing is significant, corrected or not."""
    for method in ("chi2", "corrected"):
        found = significance.mcnemar(3, 3, method)
        assert (found.statistic, found.p) == (0, 1.0)


@pytest.mark.parametrize(
    ("differences", "counted"),
    [
        ([float(place) for place in range(1, 51)], True),
        ([float(place) for place in range(1, 52)], False),
        ([1.0, *map(float, range(1, 13))], True),
        ([1.0, *map(float, range(1, 14))], False),
        ([0.0, *map(float, range(1, 14))], True),
        ([0.0, *map(float, range(1, 15))], False),
    ],
)
def test_how_many_pairs_are_counted_out(differences: list[float], counted: bool) -> None:
    """Fifty without ties and thirteen with ties or with pairs that do not differ, as in scipy."""
    found = significance.wilcoxon(np.array(differences), np.zeros(len(differences)))
    assert isinstance(found.p, Fraction) == counted


def test_how_many_items_are_counted_out() -> None:
    """Up to 20,000 items a p-value is a fraction; beyond, McNemar's is a double, and Fisher's is refused."""
    assert isinstance(significance.mcnemar(2, 19_998).p, Fraction)
    assert isinstance(significance.mcnemar(2, 19_999).p, float)
    assert isinstance(significance.fisher(1, 2, 1, 19_996).p, Fraction)
    with pytest.raises(UndefinedError, match="counted out"):
        significance.fisher(1, 2, 1, 19_997)
