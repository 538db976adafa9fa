"""Threshold decisions about transcendental numbers, where doubles come too close to tell."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction

_DIGITS = 80
_UNDECIDED = Decimal(10) ** -60


def exact_query_score(
    logits: Sequence[Fraction], floor: Fraction, entropy_weight: Fraction, features: Fraction
) -> Decimal:
    """q(s) before clipping, to 80 digits, for one state. `features` is their weighted sum."""
    with localcontext(Context(prec=_DIGITS)):
        exact = [_decimal(logit) for logit in logits]
        largest = max(exact)
        weights = [(logit - largest).exp() + _decimal(floor) for logit in exact]
        total = sum(weights, Decimal(0))
        # 0 log 0 = 0: a weight may underflow even here.
        entropy = -sum(((w / total) * (w / total).ln() for w in weights if w), Decimal(0))
        size = Decimal(max(2, len(logits))).ln()
        return _decimal(entropy_weight) * entropy / size + _decimal(features)


def at_least(score: Decimal, threshold: Fraction) -> bool | None:
    """score >= threshold; None where 80 digits do not tell."""
    with localcontext(Context(prec=_DIGITS)):
        distance = score - _decimal(threshold)
        return None if abs(distance) < _UNDECIDED else distance > 0


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
