"""The bootstrap draws what Python's own generator draws."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from sealtrace.mathematics.resampling import draws, percentile_interval


@pytest.mark.parametrize("size", [1, 2, 3, 12, 16, 24, 31, 32, 1000])
@pytest.mark.parametrize("seed", [0, 13, 2**40])
def test_draws_are_randrange(size: int, seed: int) -> None:
    """Word for word, also where almost half of the words are refused."""
    generator = random.Random(seed)
    assert draws(seed, size, 2000).tolist() == [generator.randrange(size) for _ in range(2000)]


@pytest.mark.parametrize("seed", [392, 4365, 758])
def test_draws_go_on_where_too_many_words_are_refused(seed: int) -> None:
    """Seeds that refuse so many of their first words that those give no more draws than are wanted, or too few."""
    generator = random.Random(seed)
    assert draws(seed, 1025, 2000).tolist() == [generator.randrange(1025) for _ in range(2000)]


@pytest.mark.parametrize(("resamples", "first", "last"), [(400, 9, 389), (41, 1, 39)])
def test_interval_is_that_of_a_plain_loop(resamples: int, first: int, last: int) -> None:
    """One generator for all replicates; positions floor(p (R - 1)), also where that is a whole number."""
    values = np.random.default_rng(5).normal(size=12)
    generator = random.Random(33)
    means = sorted(sum(values[generator.randrange(12)] for _ in range(12)) / 12 for _ in range(resamples))
    low, high = percentile_interval(values, resamples, Fraction("0.95"), 33)
    assert [low, high] == pytest.approx([means[first], means[last]], abs=1e-15)


@pytest.mark.parametrize("size", [0, 2**32])
def test_impossible_population(size: int) -> None:
    """There is nothing to draw from, or more than one word of the generator tells apart."""
    with pytest.raises(ValueError, match="population"):
        draws(1, size, 1)
