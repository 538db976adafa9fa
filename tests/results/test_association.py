"""Errors and correlations against scikit-learn and scipy; tries, contests and ranks against enumeration and scipy."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.oracles import learn, stats
from sealtrace.statistics import association, trials
from sealtrace.statistics.sums import UndefinedError

PAIRS = st.lists(
    st.tuples(*[st.one_of(st.integers(-5, 5).map(float), st.floats(-1e3, 1e3))] * 2), min_size=2, max_size=50
).filter(lambda rows: all(np.ptp(side) > 1e-3 for side in zip(*rows, strict=True)))


@given(PAIRS)
def test_errors(rows: list[tuple[float, float]]) -> None:
    """MAE, RMSE and the coefficient of determination."""
    truth, predicted = (np.array(side) for side in zip(*rows, strict=True))
    assert float(association.mean_absolute_error(truth, predicted)) == pytest.approx(
        learn.mean_absolute_error(truth, predicted), rel=1e-9, abs=1e-9
    )
    assert float(association.root_mean_squared_error(truth, predicted)) == pytest.approx(
        learn.root_mean_squared_error(truth, predicted), rel=1e-9, abs=1e-9
    )
    assert float(association.r_squared(truth, predicted)) == pytest.approx(
        learn.r2_score(truth, predicted), rel=1e-7, abs=1e-7
    )


@given(PAIRS)
def test_correlations(rows: list[tuple[float, float]]) -> None:
    """Pearson, Spearman and Kendall's tau-b, with ties."""
    left, right = (np.array(side) for side in zip(*rows, strict=True))
    assert float(association.pearson(left, right)) == pytest.approx(stats.pearsonr(left, right)[0], rel=1e-7, abs=1e-7)
    assert float(association.spearman(left, right)) == pytest.approx(
        stats.spearmanr(left, right)[0], rel=1e-7, abs=1e-7
    )
    assert float(association.kendall(left, right)) == pytest.approx(
        stats.kendalltau(left, right)[0], rel=1e-7, abs=1e-7
    )
    signs = [np.sign(a - c) * np.sign(b - d) for (a, b), (c, d) in itertools.combinations(rows, 2)]
    assert association.kendall(left, right, "a") == Fraction(int(sum(signs)), len(signs))


def test_exact_correlations() -> None:
    """A perfect correlation is one, not nearly one."""
    values = np.array([0.1, 0.2, 0.7])
    assert association.pearson(values, values * 2) == 1
    assert association.pearson(values, -values) == -1
    with pytest.raises(UndefinedError, match="vary"):
        association.pearson(values, np.ones(3))
    with pytest.raises(UndefinedError, match="vary"):
        association.kendall(values, np.ones(3))
    with pytest.raises(UndefinedError, match="vary"):
        association.r_squared(np.ones(3), values)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(1, 6))
def test_pass_at_k(passed: list[int], k: int) -> None:
    """The share of all choices of k tries with a passing one among them, counted out."""
    shares = []
    for count in passed:
        tries = [place < count for place in range(6)]
        choices = [any(choice) for choice in itertools.combinations(tries, k)]
        shares.append(Fraction(sum(choices), len(choices)))
    assert trials.pass_at_k([6] * len(passed), passed, k) == sum(shares) / len(shares)


def test_too_few_tries() -> None:
    with pytest.raises(UndefinedError, match="fewer than 7"):
        trials.pass_at_k([6], [3], 7)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_win_rate(rows: list[tuple[int, int]]) -> None:
    """By the Mann-Whitney idea on pairs: wins, with ties as declared."""
    left, right = zip(*rows, strict=True)
    wins, level = sum(a > b for a, b in rows), sum(a == b for a, b in rows)
    assert trials.win_rate(left, right) == (wins + Fraction(level, 2)) / len(rows)
    assert trials.win_rate(left, right, "loss") == Fraction(wins, len(rows))
    assert trials.win_rate(left, right, better="lower") == 1 - trials.win_rate(left, right)
    if level < len(rows):
        assert trials.win_rate(left, right, "drop") == Fraction(wins, len(rows) - level)
    else:
        with pytest.raises(UndefinedError):
            trials.win_rate(left, right, "drop")


@pytest.mark.parametrize("rule", ["min", "max", "average", "dense"])
@given(values=st.lists(st.integers(0, 5), min_size=1, max_size=10))
def test_ranks(rule: str, values: list[int]) -> None:
    """scipy ranks from the smallest; ours from the best."""
    expected = stats.rankdata(values, method=rule)
    lower = [float(trials.rank(value, values, rule, higher=False)) for value in values]
    assert lower == expected.tolist()
    higher = [float(trials.rank(value, values, rule)) for value in values]
    assert higher == stats.rankdata([-value for value in values], method=rule).tolist()


def test_ranks_of_what_is_not_there() -> None:
    """A value that is not among the others has no place."""
    with pytest.raises(UndefinedError):
        trials.rank(3, [1, 2])
    with pytest.raises(ValueError, match="no rule of ranks"):
        trials.rank(1, [1, 2], "best")


def test_what_cannot_be_compared() -> None:
    """Columns of different lengths, one value, no problem, rules that nobody knows."""
    short, long = np.array([1.0]), np.array([1.0, 2.0])
    for measure in (association.mean_absolute_error, association.mean_squared_error, trials.win_rate):
        with pytest.raises(ValueError, match="same"):
            measure(short, long)
    with pytest.raises(UndefinedError, match="one value has no order"):
        association.kendall(short, short)
    assert association.kendall(long, -long) == -1
    with pytest.raises(ValueError, match="no variant"):
        association.kendall(long, long, "c")
    with pytest.raises(UndefinedError, match="vary"):
        association.kendall(np.ones(3), np.arange(3.0))
    with pytest.raises(UndefinedError, match="no problems"):
        trials.pass_at_k([], [], 1)
    with pytest.raises(UndefinedError, match="fewer than 0"):
        trials.pass_at_k([6], [3], 0)
    with pytest.raises(UndefinedError, match="fewer than 3"):
        trials.pass_at_k([6, 2], [3, 1], 3)
    assert trials.pass_at_k([6, 2], [3, 1], 2) == (Fraction(4, 5) + 1) / 2
    with pytest.raises(ValueError, match="no rule of ties"):
        trials.win_rate(long, long, "win")
    with pytest.raises(UndefinedError, match="no item"):
        trials.win_rate([], [])


def test_correlations_of_whole_numbers_are_fractions() -> None:
    """Exact where they are rational: also of ranks with ties, and negative ones."""
    left, right = np.array([1.0, 1, 2, 3]), np.array([4.0, 4, 2, 1])
    assert association.average_ranks(left).tolist() == [3, 3, 6, 8]
    assert association.spearman(left, right) == -1
    assert association.kendall(left, right) == -1
    assert association.kendall(left, right, "a") == Fraction(-5, 6)


def test_more_values_on_one_side_than_on_the_other() -> None:
    """Four against two: ties of both columns are counted apart from those of one."""
    left, right = np.array([0.0, 1, 2, 3, 2, 0]), np.array([1.0, 0, 0, 1, 0, 1])
    assert float(association.kendall(left, right)) == pytest.approx(stats.kendalltau(left, right)[0], rel=1e-12)
