"""Rank correlations beside SciPy's, and resampling beside a plain loop."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from leduc_students_recipe import formulas
from sealtrace.studies.games.mathematics import association

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=25).filter(
    lambda pairs: len({one for one, _ in pairs}) > 1 and len({other for _, other in pairs}) > 1
)


@given(PAIRS)
def test_equal_to_scipy(pairs: list[tuple[int, int]]) -> None:
    """With many ties too."""
    one, other = (np.array(column, float) for column in zip(*pairs, strict=True))
    assert float(association.spearman(one, other)) == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-12)
    assert float(association.kendall(one, other)) == pytest.approx(stats.kendalltau(one, other).statistic, abs=1e-12)


@given(PAIRS)
def test_recipe_and_verifier_agree(pairs: list[tuple[int, int]]) -> None:
    """Written apart, one pair at a time and on arrays, down to the resampling."""
    left, right = ([float(value) for value in column] for column in zip(*pairs, strict=True))
    one, other = np.array(left), np.array(right)
    assert formulas.spearman(left, right) == pytest.approx(float(association.spearman(one, other)), abs=1e-12)
    assert formulas.kendall(left, right) == pytest.approx(float(association.kendall(one, other)), abs=1e-12)
    shuffled = association.permutation_share("spearman", one, other, 20, 7)
    assert formulas.spearman_shuffled(left, right, 20, 7) == shuffled


@pytest.mark.parametrize(("measure", "oracle"), [("spearman", stats.spearmanr), ("kendall", stats.kendalltau)])
def test_resampling_draws_as_python_does(measure: str, oracle: Callable[..., Any]) -> None:
    """Replicates are those of `randrange`, shuffles those of `shuffle`, drawn one by one."""
    generator = np.random.default_rng(0)
    one, other = generator.random(12), generator.random(12)
    plain = random.Random(3)
    found = []
    for _ in range(101):
        places = [plain.randrange(12) for _ in range(12)]
        found.append(oracle(one[places], other[places]).statistic)
    found.sort()
    low, high = association.bootstrap_interval(measure, one, other, 101, Fraction(9, 10), 3)
    assert (low, high) == pytest.approx((found[5], found[95]), abs=1e-12)

    plain, order, reached = random.Random(3), list(range(12)), 0
    for _ in range(40):
        plain.shuffle(order)
        reached += abs(oracle(one[order], other).statistic) >= abs(oracle(one, other).statistic) - 1e-12
    assert association.permutation_share(measure, one, other, 40, 3) == (1 + reached) / 41


def test_no_correlation_without_variation() -> None:
    """A constant has no ranks to correlate: the answer is no number."""
    assert np.isnan(association.spearman(np.ones(4), np.arange(4.0)))
    assert np.isnan(association.kendall(np.ones(4), np.arange(4.0)))


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    """From one, in a column and in every row of a table."""
    assert association.ranks(np.array([3.0, 1.0, 3.0])).tolist() == [2.5, 1.0, 2.5]
    assert association.ranks(np.array([[5.0, 4.0], [0.0, 0.0]])).tolist() == [[2.0, 1.0], [1.5, 1.5]]
