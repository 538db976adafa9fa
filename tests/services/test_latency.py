"""Percentiles under both rules, beside numpy's."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.statistics.summaries import mean, quantile
from sealtrace.studies.services.metrics import PERCENTILES


def percentile(times: npt.NDArray[np.float64], share: Fraction, rule: str) -> Fraction:
    """The percentile under a rule that a service declares."""
    return Fraction(quantile(times, share, PERCENTILES[rule]))


TIMES = st.lists(st.floats(0, 1e6), min_size=1, max_size=60)


@given(TIMES, st.integers(1, 100))
def test_equal_to_numpy(times: list[float], percent: int) -> None:
    """`nearest-rank` is numpy's inverted distribution function, `linear` its default."""
    values, share = np.array(times), Fraction(percent, 100)
    linear = float(percentile(values, share, "linear"))
    assert linear == pytest.approx(float(np.percentile(values, percent)), rel=1e-9, abs=1e-9)
    # numpy multiplies in doubles, so its rank may slip by one where n times the share is whole.
    if (share * len(times)).denominator != 1:
        due = float(np.percentile(values, percent, method="inverted_cdf"))
        assert float(percentile(values, share, "nearest-rank")) == due


def test_nearest_rank_is_a_time_that_was_measured() -> None:
    """The 95th percentile of twenty times is the nineteenth, of twenty-one the twentieth."""
    assert percentile(np.arange(1.0, 21), Fraction(95, 100), "nearest-rank") == 19
    assert percentile(np.arange(1.0, 22), Fraction(95, 100), "nearest-rank") == 20


def test_mean_is_exact() -> None:
    """A mean of doubles is a ratio: nothing is rounded."""
    assert mean(np.array([0.1, 0.2])) == (Fraction(0.1) + Fraction(0.2)) / 2
