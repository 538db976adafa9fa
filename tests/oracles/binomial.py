"""Clopper-Pearson bounds by other means: term by term, by flint's incomplete beta function, and by statsmodels."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, ctx, fmpq
from statsmodels.stats.proportion import proportion_confint


def tail(k: int, n: int, x: Fraction) -> Fraction:
    """P(Bin(n, x) <= k), term by term."""
    return sum((math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(k + 1)), Fraction(0))


def ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def encloses(k: int, n: int, share: Fraction, low: Fraction, high: Fraction, bits: int) -> bool:
    """Whether low < U < high, from the incomplete beta function of flint, which the module does not use."""
    with ctx.workprec(bits):

        def beta_tail(x: Fraction) -> arb:
            return ball(1 - x).beta_lower(n - k, k + 1, regularized=True)

        return bool((low <= 0 or beta_tail(low) > ball(share)) and (high >= 1 or beta_tail(high) < ball(share)))


def statsmodels_upper(k: int, n: int, share: float) -> float:
    """The one-sided bound is the upper end of the two-sided interval at twice the share."""
    return float(proportion_confint(k, n, alpha=2 * share, method="beta")[1])
