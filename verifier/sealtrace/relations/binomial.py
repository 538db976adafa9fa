"""Clopper-Pearson bounds over intervals of counts, sizes and shares.

U rises with the count, and falls with the size and with the share.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from sealtrace.relations.intervals import Interval, TooLargeError, UndefinedError, whole_numbers

_BITS = 160
_RADIUS = Fraction(1, 2**_BITS)
_UNIT = Interval(Fraction(0), Fraction(1))
MAX_STATES = 10**6


def cost(sizes: Interval) -> int:
    """Steps that one bound is worth."""
    return 300 + int(min(sizes.high, MAX_STATES)) // 20


def upper_range(counts: Interval, sizes: Interval, shares: Interval, *, total: bool) -> Interval | None:
    """All values of U, or more; None where it is nowhere defined."""
    if total and not (counts.is_point and sizes.is_point and shares.low > 0 and shares.high < 1):
        raise UndefinedError("a count, a size or a share that is not known")
    k, n = whole_numbers(counts), whole_numbers(sizes)
    if k is None or n is None:
        return None
    if total and (k != counts or n != sizes or not 0 <= k.low <= n.low):
        raise UndefinedError("a count that is no count")
    if k.high < 0 or k.low > n.high or n.high < 0 or shares.high <= 0 or shares.low >= 1:
        return None
    least_count, most_count = _count(max(k.low, Fraction(0))), min(k.high, n.high)
    if n.low > MAX_STATES:
        raise TooLargeError(f"a sample of more than {MAX_STATES} states")
    low = Fraction(0) if n.high > MAX_STATES else _upper(least_count, _count(n.high), shares.high, up=False)
    few = _count(max(n.low, Fraction(0)))
    high = Fraction(1) if most_count >= few else _upper(_count(most_count), few, shares.low, up=True)
    return Interval(low, high) if low <= high else None


def useful_counts(counts: Interval, sizes: Interval, shares: Interval, target: Interval) -> Interval | None:
    """The counts whose bound can lie in the target; None where there is none."""
    k, n = whole_numbers(counts), whole_numbers(sizes)
    if k is None or n is None:
        return None
    k = k.meet(Interval(Fraction(0), n.high))
    if k is None or target.meet(_UNIT) is None:
        return None
    if n.high > MAX_STATES:
        return k
    few, many = _count(max(n.low, Fraction(0))), _count(n.high)

    def enough(count: int) -> bool:
        return count >= few or _upper(count, few, shares.low, up=True) >= target.low

    def too_much(count: int) -> bool:
        return _upper(count, many, shares.high, up=False) > target.high

    low, high = _count(k.low), _count(k.high)
    first = _first(low, high, enough)
    last = _first(low, high, too_much) - 1
    return Interval(Fraction(first), Fraction(last)) if first <= last else None


def share_range(count: Interval, size: Interval, target: Interval) -> Interval | None:
    """The shares whose bound, with this count and size, lies in the target, or a few more."""
    k, n = _count(count.low), _count(size.low)
    if k >= n:
        # Every state crosses, or there is none: U is 1 whatever the share.
        return Interval(Fraction(0), Fraction(1)) if target.holds(Fraction(1)) else None
    inside = target.meet(_UNIT)
    if inside is None:
        return None
    high = Fraction(1) if inside.low <= 0 else _tail(k, n, inside.low, up=True)
    low = Fraction(0) if inside.high >= 1 else _tail(k, n, inside.high, up=False)
    return Interval(low, min(high, Fraction(1)))


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least count for which a condition that stays true holds; one past the end where none does."""
    high += 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _count(value: Fraction | float) -> int:
    return math.floor(value)


@lru_cache(maxsize=4096)
def _upper(k: int, n: int, share: Fraction | float, *, up: bool) -> Fraction:
    """U, outwards."""
    from sealtrace.mathematics.bounds import risk_upper_ball

    if k >= n or share <= 0:
        return Fraction(1)
    if share >= 1:
        return Fraction(0)
    assert isinstance(share, Fraction)
    middle = risk_upper_ball(k, n, share, _BITS)
    return min(middle + _RADIUS, Fraction(1)) if up else max(middle - _RADIUS, Fraction(0))


def _tail(k: int, n: int, x: Fraction | float, *, up: bool) -> Fraction:
    """P(Bin(n, x) <= k), outwards: it is the share for which U is x."""
    from flint import arb, ctx, fmpq

    assert isinstance(x, Fraction)
    with ctx.workprec(_BITS + 64):
        miss = 1 - arb(fmpq(x.numerator, x.denominator))
        tail = miss.beta_lower(arb(n - k), arb(k + 1), True)
        if not tail.is_finite():
            return Fraction(1 if up else 0)
        mantissa, exponent = (tail.upper() if up else tail.lower()).man_exp()
        return max(Fraction(0), min(Fraction(1), Fraction(int(mantissa)) * Fraction(2) ** int(exponent)))
