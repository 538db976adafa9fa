"""The gate's decision with 80 digits."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.studies.policies.mathematics.policies import at_least, exact_query_score

constants = st.fractions(-3, 3, max_denominator=1000)


@given(st.lists(constants, min_size=1, max_size=6), st.fractions(0, 1, max_denominator=50), constants, constants)
def test_score_in_doubles(logits: list[Fraction], floor: Fraction, weight: Fraction, features: Fraction) -> None:
    """The 80-digit score is the double one, as far as doubles reach."""
    largest = max(logits)
    weights = [math.exp(float(logit - largest)) + float(floor) for logit in logits]
    entropy = -math.fsum(w / math.fsum(weights) * math.log(w / math.fsum(weights)) for w in weights)
    expected = float(weight) * entropy / math.log(max(2, len(logits))) + float(features)
    assert float(exact_query_score(logits, floor, weight, features)) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_uniform_prior_has_entropy_one(size: int) -> None:
    """Equal logits: the normalized entropy is one to 75 digits and more."""
    score = exact_query_score([Fraction(1, 3)] * size, Fraction(1, 50), Fraction(1), Fraction(0))
    assert abs(score - 1) < Decimal("1e-75")


def test_weights_may_vanish() -> None:
    """A logit so low that its weight underflows even here adds no entropy, and no error."""
    logits = [Fraction(0), Fraction(-(10**9))]
    assert exact_query_score(logits, Fraction(0), Fraction(1), Fraction(1, 4)) == Decimal("0.25")


@given(constants, st.integers(1, 59))
def test_near_is_decided(threshold: Fraction, digits: int) -> None:
    """A score that is off by no less than 1e-59 is decided."""
    with localcontext(Context(prec=100)):
        score = Decimal(threshold.numerator) / Decimal(threshold.denominator)
        above, under = score + Decimal(10) ** -digits, score - Decimal(10) ** -digits
    assert at_least(above, threshold) is True
    assert at_least(under, threshold) is False


def test_equal_is_undecided() -> None:
    """What 80 digits cannot separate is not guessed, in either direction."""
    assert at_least(Decimal("0.8"), Fraction("0.80")) is None
    with localcontext(Context(prec=100)):
        near = [Decimal("0.8") + Decimal("1e-61"), Decimal("0.8") - Decimal("1e-61")]
    assert [at_least(score, Fraction("0.80")) for score in near] == [None, None]
