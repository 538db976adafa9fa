"""Closed intervals with exact rational ends, rounded outwards only where a function is irrational.

An end may be infinite; that is the only use of floats here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from flint import arb

Bound = Fraction | float
"""A rational, or an infinite float."""
AnyBound = TypeVar("AnyBound", bound=Bound)

INFINITY = math.inf
MAX_BITS = 1 << 15
"""Numbers longer than this are refused: no printed relation needs them."""
MAX_STATES = 10**6
"""The largest sample of which a bound is computed."""
_BITS = 256
_USUAL_BITS = 512
"""Ends of intervals may have denominators of this length before they are rounded outwards."""
_BOUND_BITS = 160
_STEEPEST = Fraction(10_000)
"""The exponential is not computed further out."""


class TooLargeError(ArithmeticError):
    """A number has grown beyond what is worth computing with."""


class EmptyError(Exception):
    """Nothing is left: no number lies in both intervals, or a function has no value there."""


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers between two ends, both included."""

    low: Bound
    high: Bound

    @property
    def is_point(self) -> bool:
        """Whether it holds one number only."""
        return self.low == self.high

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are finite."""
        return isinstance(self.low, Fraction) and isinstance(self.high, Fraction)

    @property
    def width(self) -> Bound:
        """The distance of the ends."""
        return self.high - self.low if self.is_bounded else INFINITY

    def holds(self, value: Bound) -> bool:
        """Whether a number lies in it."""
        return self.low <= value <= self.high

    def within(self, other: Interval) -> bool:
        """Whether every number of it lies in the other."""
        return other.low <= self.low and self.high <= other.high

    def touches(self, other: Interval) -> bool:
        """Whether two intervals share a number."""
        return self.low <= other.high and other.low <= self.high

    def meet(self, other: Interval) -> Interval:
        """What two intervals share."""
        if not self.touches(other):
            raise EmptyError
        return Interval(max(self.low, other.low), min(self.high, other.high))

    def middle(self) -> Fraction:
        """A number well inside: the centre, or near the finite end."""
        low, high = self.low, self.high
        if isinstance(low, Fraction) and isinstance(high, Fraction):
            return (low + high) / 2
        if isinstance(low, Fraction):
            return low + 1
        return high - 1 if isinstance(high, Fraction) else Fraction(0)

    def __add__(self, other: Interval) -> Interval:
        return Interval(_plus(self.low, other.low), _plus(self.high, other.high))

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        if other.is_point and isinstance(other.low, Fraction):
            return self.scaled(other.low)
        ends = [_times(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def scaled(self, factor: Fraction) -> Interval:
        """Every number of it times an exact factor."""
        if factor == 1:
            return self
        ends = _times(self.low, factor), _times(self.high, factor)
        return Interval(*ends) if factor >= 0 else Interval(ends[1], ends[0])

    def inverse(self) -> Interval:
        """One over every number of it but zero."""
        if self == ZERO:
            raise EmptyError
        if self.low < 0 < self.high:
            return WHOLE
        return Interval(_over(self.high) if self.high else -INFINITY, _over(self.low) if self.low else INFINITY)

    def power(self, exponent: int) -> Interval:
        """Every number of it to a positive whole power."""
        low, high = (checked(end, exponent) ** exponent for end in (self.low, self.high))
        if exponent % 2:
            return Interval(low, high)
        return Interval(Fraction(0) if self.holds(Fraction(0)) else min(low, high), max(low, high))

    def root(self, exponent: int) -> Interval:
        """The root of every number of it that has one."""
        inside = self if exponent % 2 else self.meet(NOT_NEGATIVE)
        return Interval(_root(inside.low, exponent, up=False), _root(inside.high, exponent, up=True))

    def logarithm(self) -> Interval:
        """The natural logarithm of every number of it that has one."""
        if self.high <= 0:
            raise EmptyError
        low = enclosed(self.low, "log", up=False) if self.low > 0 else -INFINITY
        return Interval(low, enclosed(self.high, "log", up=True) if self.high < INFINITY else INFINITY)

    def exponential(self) -> Interval:
        """Euler's number to every number of it."""
        low = enclosed(min(self.low, _STEEPEST), "exp", up=False) if self.low > -_STEEPEST else Fraction(0)
        high = enclosed(max(self.high, -_STEEPEST), "exp", up=True) if self.high < _STEEPEST else INFINITY
        return Interval(low, high)


WHOLE = Interval(-INFINITY, INFINITY)
ZERO = Interval(Fraction(0), Fraction(0))
NOT_NEGATIVE = Interval(Fraction(0), INFINITY)
_UNIT = Interval(Fraction(0), Fraction(1))


def point(value: Fraction) -> Interval:
    """The interval that holds one number."""
    return Interval(value, value)


def whole_numbers(interval: Interval) -> Interval:
    """The interval between the integers that lie in it."""
    low = Fraction(math.ceil(interval.low)) if isinstance(interval.low, Fraction) else interval.low
    high = Fraction(math.floor(interval.high)) if isinstance(interval.high, Fraction) else interval.high
    return Interval(low, INFINITY).meet(Interval(-INFINITY, high))


def shortened(interval: Interval) -> Interval:
    """The same interval, or one slightly wider where its ends have become long."""
    low, high = interval.low, interval.high
    if isinstance(low, Fraction) and low.denominator.bit_length() > _USUAL_BITS:
        low = Fraction(math.floor(low * 2**_USUAL_BITS), 2**_USUAL_BITS)
    if isinstance(high, Fraction) and high.denominator.bit_length() > _USUAL_BITS:
        high = Fraction(math.ceil(high * 2**_USUAL_BITS), 2**_USUAL_BITS)
    return Interval(low, high)


def length_of(interval: Interval) -> int:
    """How much longer arithmetic takes than on numbers of a usual length."""
    return 1 + sum(
        (end.numerator.bit_length() + end.denominator.bit_length()) // _USUAL_BITS
        for end in (interval.low, interval.high)
        if isinstance(end, Fraction)
    )


def checked(value: AnyBound, times: int = 1) -> AnyBound:
    """The number, unless it, or something so many times as long, is too long to compute with."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length()) if isinstance(value, Fraction) else 0
    if bits * times > MAX_BITS:
        raise TooLargeError("the numbers grow too long")
    return value


def _plus(a: Bound, b: Bound) -> Bound:
    # A long fraction is no float, so that nothing is added to infinity.
    return checked(a + b) if isinstance(a, Fraction) and isinstance(b, Fraction) else a if isinstance(a, float) else b


def _times(a: Bound, b: Bound) -> Bound:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return checked(a * b)
    # Zero times infinity is the limit of zero times larger and larger numbers.
    return Fraction(0) if a == 0 or b == 0 else INFINITY if (a > 0) == (b > 0) else -INFINITY


def _over(value: Bound) -> Bound:
    return 1 / value if isinstance(value, Fraction) else Fraction(0)


# What is irrational: flint's balls, rounded outwards


def ends_of(ball: arb) -> Interval:
    """A ball as an interval."""
    ends = (end.man_exp() for end in (ball.lower(), ball.upper()))
    return Interval(*(Fraction(int(mantissa)) * Fraction(2) ** int(exponent) for mantissa, exponent in ends))


def enclosed(value: Bound, function: str, *arguments: int | arb, up: bool, bits: int = _BITS) -> Bound:
    """An end of a tiny interval that holds a function of a rational."""
    from flint import arb, ctx, fmpq

    with ctx.workprec(bits):
        ball = ends_of(getattr(arb(fmpq(*Fraction(value).as_integer_ratio())), function)(*arguments))
        return ball.high if up else ball.low


def _root(value: Bound, exponent: int, *, up: bool) -> Bound:
    """A root, outwards; exact where it is rational."""
    if not isinstance(value, Fraction) or not value:
        return value
    if value < 0:
        return -_root(-value, exponent, up=not up)
    from flint import fmpz

    near = Fraction(*(int(fmpz(whole).root(exponent)) for whole in value.as_integer_ratio()))
    return near if near**exponent == value else enclosed(value, "root", exponent, up=up)


# Clopper-Pearson bounds: U rises with the count, and falls with the size and with the share


def cost(sizes: Interval) -> int:
    """Steps that one bound is worth."""
    return 300 + int(min(sizes.high, MAX_STATES)) // 20


def upper_range(counts: Interval, sizes: Interval, shares: Interval, *, total: bool) -> Interval:
    """All values of U, or more; where `total`, only of a count and a size that are known, and shares that are some."""
    k, n = whole_numbers(counts), whole_numbers(sizes)
    known = counts == k and sizes == n and k.is_point and n.is_point and 0 <= k.low <= n.low
    if total and not (known and shares.low > 0 and shares.high < 1):
        raise EmptyError
    if k.high < 0 or k.low > n.high or n.high < 0 or shares.high <= 0 or shares.low >= 1:
        raise EmptyError
    if n.low > MAX_STATES:
        raise TooLargeError(f"a sample of more than {MAX_STATES} states")
    low = _upper(max(k.low, 0), n.high, shares.high, up=False) if n.high <= MAX_STATES else Fraction(0)
    return Interval(low, _upper(min(k.high, n.high), max(n.low, 0), shares.low, up=True))


def share_range(count: Interval, size: Interval, target: Interval) -> Interval:
    """The shares whose bound, with this count and size, lies in the target, or a few more."""
    k, n = int(count.low), int(size.low)
    inside = target.meet(_UNIT)
    if k >= n:
        # Every state crosses, or there is none: U is 1 whatever the share.
        inside.meet(point(Fraction(1)))
        return _UNIT
    high = Fraction(1) if inside.low <= 0 else _tail(k, n, Fraction(inside.low), up=True)
    low = Fraction(0) if inside.high >= 1 else _tail(k, n, Fraction(inside.high), up=False)
    return Interval(low, min(high, Fraction(1)))


@lru_cache(maxsize=4096)
def _upper(k: Bound, n: Bound, share: Bound, *, up: bool) -> Fraction:
    """U, outwards."""
    from sealtrace.mathematics.bounds import risk_upper_ball  # start-up: only certificates need it

    if k >= n or share <= 0:
        return Fraction(1)
    if share >= 1:
        return Fraction(0)
    middle, radius = risk_upper_ball(int(k), int(n), Fraction(share), _BOUND_BITS), Fraction(1, 2**_BOUND_BITS)
    return min(middle + radius, Fraction(1)) if up else max(middle - radius, Fraction(0))


def _tail(k: int, n: int, x: Fraction, *, up: bool) -> Fraction:
    """P(Bin(n, x) <= k), outwards: it is the share for which U is x."""
    from flint import arb

    try:
        tail = enclosed(1 - x, "beta_lower", arb(n - k), arb(k + 1), True, up=up, bits=_BOUND_BITS + 64)
    except ValueError:
        # Too far out for a finite ball.
        return Fraction(up)
    return max(Fraction(0), min(Fraction(1), Fraction(tail)))
