"""Intervals against statsmodels and scipy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.oracles import proportion, stats
from sealtrace.statistics import intervals
from sealtrace.statistics.intervals import BootstrapRule
from sealtrace.statistics.sums import UndefinedError

NINETY_FIVE = Fraction(95, 100)


@given(st.integers(1, 400), st.data(), st.sampled_from([Fraction(9, 10), NINETY_FIVE, Fraction(99, 100)]))
def test_rates(total: int, data: st.DataObject, confidence: Fraction) -> None:
    """Wilson, Clopper-Pearson and the normal interval."""
    count = data.draw(st.integers(0, total))
    for name, ours in (("wilson", intervals.wilson), ("beta", intervals.clopper_pearson), ("normal", intervals.wald)):
        low, high = proportion.proportion_confint(count, total, float(1 - confidence), method=name)
        found = ours(count, total, confidence)
        if name == "normal":
            found = (max(0.0, found[0]), min(1.0, found[1]))  # statsmodels cuts it
        assert found == pytest.approx((low, high), abs=1e-12)


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=30).filter(lambda values: np.ptp(values) > 1e-3))
def test_means(values: list[float]) -> None:
    """Student's interval."""
    column = np.array(values)
    error = stats.sem(column)
    student = stats.t.interval(0.95, len(values) - 1, column.mean(), error)
    assert intervals.mean_interval(column, NINETY_FIVE) == pytest.approx(student, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rule", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("seed", [0, 42])
def test_bootstrap_draws_as_scipy_does(rule: str, seed: int) -> None:
    """The same seed and rule give the same interval, to the last digits."""
    values = np.random.default_rng(7).gamma(2.0, size=80)
    method = {"bca": "BCa"}.get(rule, rule)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=500, method=method, rng=np.random.default_rng(seed), vectorized=True
    ).confidence_interval
    how = BootstrapRule(500, seed, rule)
    mean = lambda rows: float(np.mean(values[rows]))  # noqa: E731
    assert intervals.bootstrap(len(values), mean, NINETY_FIVE, how) == pytest.approx(tuple(expected), rel=1e-9)


def test_bootstrap_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn block by block, the resamples are those of one draw; both generators."""
    values = np.arange(37.0) ** 2
    mean = lambda rows: float(np.mean(values[rows]))  # noqa: E731
    for generator in ("pcg64", "mt19937"):
        how = BootstrapRule(101, 3, "percentile", generator)
        at_once = intervals.bootstrap(len(values), mean, NINETY_FIVE, how)
        with monkeypatch.context() as patch:
            patch.setattr(intervals, "_BLOCK", 100)
            assert intervals.bootstrap(len(values), mean, NINETY_FIVE, how) == at_once
    old = np.random.RandomState(3)
    loop = [values[old.choice(37, 37)].mean() for _ in range(101)]
    assert at_once == pytest.approx(tuple(np.quantile(loop, [0.025, 0.975])))


def test_the_normal_rule_is_centred_on_the_statistic() -> None:
    """Its interval lies evenly about what all items give."""
    low, high = intervals.bootstrap(10, lambda rows: float(rows.mean()), NINETY_FIVE, BootstrapRule(50, 1, "normal"))
    assert (low + high) / 2 == pytest.approx(4.5)


def test_refusals() -> None:
    """Counts that are no rate, a confidence of one, work without end, unknown rules."""
    with pytest.raises(UndefinedError):
        intervals.wilson(3, 2, NINETY_FIVE)
    with pytest.raises(UndefinedError):
        intervals.wilson(0, 0, NINETY_FIVE)
    with pytest.raises(UndefinedError):
        intervals.clopper_pearson(1, 2, Fraction(1))
    with pytest.raises(UndefinedError, match="draws"):
        intervals.bootstrap(10**5, np.mean, NINETY_FIVE, BootstrapRule(10**5, 1))
    with pytest.raises(ValueError, match="no rule"):
        intervals.bootstrap(10, np.mean, NINETY_FIVE, BootstrapRule(10, 1, "studentized"))
    with pytest.raises(ValueError, match="no generator"):
        intervals.bootstrap(10, np.mean, NINETY_FIVE, BootstrapRule(10, 1, generator="dice"))
    for confidence in (Fraction(0), Fraction(-1, 2), Fraction(3, 2)):
        with pytest.raises(UndefinedError, match="between 0 and 1"):
            intervals.wald(1, 2, confidence)
    with pytest.raises(UndefinedError, match="-1 of 2"):
        intervals.wilson(-1, 2, NINETY_FIVE)
    with pytest.raises(UndefinedError, match="draws"):
        intervals.bootstrap(10, np.mean, NINETY_FIVE, BootstrapRule(0, 1))
    with pytest.raises(UndefinedError, match="no value"):
        intervals.bootstrap(10, lambda rows: np.inf if rows[0] else 1.0, NINETY_FIVE, BootstrapRule(20, 1))
    with pytest.raises(UndefinedError, match="any single item"):
        intervals.bootstrap(10, lambda _rows: 1.0, NINETY_FIVE, BootstrapRule(20, 1, "bca"))


def test_the_normal_rule_uses_the_deviation_of_the_resamples() -> None:
    """With the divisor n - 1, and the normal quantile."""
    low, high = intervals.bootstrap(10, lambda rows: float(rows.mean()), NINETY_FIVE, BootstrapRule(50, 1, "normal"))
    resampled = np.random.default_rng(1).integers(0, 10, (50, 10)).mean(axis=1)
    assert (high - low) / 2 == pytest.approx(1.959963984540054 * resampled.std(ddof=1), rel=1e-12)


def test_one_draw_is_a_bootstrap() -> None:
    """A single item drawn once gives itself."""
    assert intervals.bootstrap(1, lambda rows: float(rows[0]) + 7, NINETY_FIVE, BootstrapRule(1, 1)) == (7.0, 7.0)


def test_a_rate_of_one_has_no_bound_beyond() -> None:
    """Wilson's interval ends at 1 and begins at 0, whatever doubles say."""
    for total in range(1, 200):
        assert intervals.wilson(total, total, NINETY_FIVE)[1] <= 1.0
        assert intervals.wilson(0, total, NINETY_FIVE)[0] >= 0.0


@pytest.mark.parametrize("values", [[0.0, 3.0, 6.0, 9.0], [0.0, 0.0, 1.0, 1.0, 1.0]])
def test_resamples_that_equal_the_statistic(values: list[float]) -> None:
    """Where many resamples give the statistic itself they count half, and without skewness nothing is accelerated."""
    column = np.array(values)
    expected = stats.bootstrap(
        (column,), np.mean, n_resamples=300, method="BCa", rng=np.random.default_rng(2), vectorized=True
    ).confidence_interval
    mean = lambda rows: float(np.mean(column[rows]))  # noqa: E731
    found = intervals.bootstrap(len(column), mean, NINETY_FIVE, BootstrapRule(300, 2, "bca"))
    assert found == pytest.approx(tuple(expected), rel=1e-9)
