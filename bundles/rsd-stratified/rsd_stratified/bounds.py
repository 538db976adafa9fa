"""The two certificates of one candidate in one group: Clopper-Pearson above its risk, Hoeffding below its utility."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

DIGITS = 60
"""Decimal digits where doubles cannot tell two bounds apart."""
SAME = Decimal("1e-40")
"""Bounds of so many digits that are no further apart are equal."""


@cache
def most_certified(n: int, share: Fraction, epsilon: Fraction) -> int:
    """The most crossings k whose upper bound is at most epsilon, in integers; -1 where there are none.

    U <= epsilon says P(Bin(n, epsilon) <= k) <= share.
    """
    if epsilon >= 1:
        return n
    hit, whole = epsilon.numerator, epsilon.denominator
    allowed = share.numerator * whole**n
    tail, most = 0, -1
    for k in range(n):
        tail += math.comb(n, k) * hit**k * (whole - hit) ** (n - k) * share.denominator
        if tail > allowed:
            break
        most = k
    return most


@cache
def clopper_pearson(k: int, n: int, share: Fraction) -> float:
    """U: the p at which k crossings or fewer have the probability `share`. With n = 0 or k = n nothing is excluded."""
    if k == n:
        return 1.0
    target = math.log(share)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _log_tail(k, n, middle)[0] > target:
            low = middle
        else:
            high = middle
    p = (low + high) / 2
    for _ in range(3):
        # Bisection leaves an absolute error; Newton's steps on the logarithm make the error relative.
        value, slope = _log_tail(k, n, p)
        p -= (value - target) / slope
    return p


def _log_tail(k: int, n: int, p: float) -> tuple[float, float]:
    """log P(Bin(n, p) <= k) and its derivative in p. Terms are relative to the k-th one."""
    last = math.log(math.comb(n, k)) + k * math.log(p) + (n - k) * math.log1p(-p)
    terms = [1.0]
    for i in range(k, 0, -1):
        terms.append(terms[-1] * i * (1 - p) / ((n - i + 1) * p))
    total = math.fsum(terms)
    return last + math.log(total), -(n - k) / ((1 - p) * total)


@cache
def hoeffding_radius(n: int, share: Fraction) -> float:
    """How far below the mean of n utilities in [0, 1] the lower bound lies."""
    return math.sqrt(math.log(1 / share) / (2 * n))


def hoeffding(mean: float, n: int, share: Fraction) -> float:
    """L: the mean less the radius, clipped at zero."""
    return max(0.0, mean - hoeffding_radius(n, share))


def precise_hoeffding(mean: Fraction, n: int, share: Fraction) -> Decimal:
    """L from an exact mean, to many digits."""
    with localcontext() as context:
        context.prec = DIGITS
        logarithm = (Decimal(share.denominator) / Decimal(share.numerator)).ln()
        radius = (logarithm / (2 * n)).sqrt()
        return max(Decimal(0), Decimal(mean.numerator) / Decimal(mean.denominator) - radius)
