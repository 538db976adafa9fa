"""Clopper-Pearson and Hoeffding bounds: as doubles to print, as dyadic rationals of any precision, and as decisions.

Counts satisfy 0 <= crossings <= states; a share is the failure probability of one bound, 0 < share < 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Mask, Vector
from sealtrace.mathematics.exact import Undecided

if TYPE_CHECKING:
    from flint import arb

Counts = npt.NDArray[np.int64]

_UNIT = 2.0**-53
_GUARD = 64
_PRECISIONS = (64, 128, 256, 512, 1024, 2048, 4096)

# Against balls, betaincc was found off by at most 3e-14 of its value for n up to 10^6, 3e-11 up to 10^12. This is
# generous by design: what it leaves unsure is rare and is decided exactly.
_EVALUATION = 1e-6
# Nothing this small is told apart in doubles.
_UNDERFLOW = 1e-290
# Between these, a budget and its complement are both doubles with a relative error of about one unit.
_LEAST_BUDGET, _GREATEST_BUDGET = Fraction(1, 10**200), 1 - Fraction(1, 10**9)
# Between these, the double nearest to a share determines the bound to the last digits.
_LEAST_SHARE, _GREATEST_SHARE = Fraction(1, 10**200), Fraction(1, 2)


def risk_upper(crossings: Counts, states: Counts | int, shares: Vector | float) -> Vector:
    """U in doubles, to about 14 digits for shares up to one half; the arguments broadcast."""
    counts, sizes, levels = np.broadcast_arrays(crossings, states, np.asarray(shares, dtype=np.float64))
    _require(bool(((counts >= 0) & (counts <= sizes)).all()), bool(((levels > 0) & (levels < 1)).all()))
    # Equation 4 of the paper: one where every state crosses, so also without states; else a Beta quantile.
    upper = np.ones(counts.shape)
    inside = counts < sizes
    upper[inside] = _beta_quantiles(counts[inside] + 1.0, (sizes - counts)[inside].astype(np.float64), levels[inside])
    return upper


def _beta_quantiles(a: Vector, b: Vector, shares: Vector) -> Vector:
    """The points above which Beta(a, b) has the given shares."""
    from scipy.special import betaincc, betainccinv, betaln, xlog1py, xlogy

    # Not the quantile at 1 - share, as the paper writes it: the subtraction would lose the digits of a small share.
    found = np.asarray(betainccinv(a, b, shares), dtype=np.float64)
    # For small k and n near 10^6, betainccinv was found off by up to 3e-11 of its value. One Newton step on the
    # logarithm of the tail leaves 2e-14; where the step is no number, the tail is too thin to be improved upon.
    with np.errstate(all="ignore"):
        tails = betaincc(a, b, found)
        log_density = xlogy(a - 1, found) + xlog1py(b - 1, -found) - betaln(a, b)
        steps = np.log(tails / shares) * tails * np.exp(-log_density)
        polished: Vector = np.where(np.isfinite(steps), np.clip(found + steps, 0.0, 1.0), found)
    return polished


def risk_uppers(crossings: Counts, states: Counts, shares: Sequence[Fraction]) -> Vector:
    """U of many pairs as doubles, whatever their shares."""
    ordinary = [_LEAST_SHARE <= share <= _GREATEST_SHARE for share in shares]
    levels = [float(share) if near else 0.5 for share, near in zip(shares, ordinary, strict=True)]
    upper = risk_upper(crossings, states, np.array(levels))
    for place in np.flatnonzero(~np.array(ordinary)).tolist():
        upper[place] = float(risk_upper_ball(int(crossings[place]), int(states[place]), shares[place], 128))
    return upper


def risk_upper_of(crossings: int, states: int, share: Fraction) -> float:
    """U of one pair as a double, whatever the share."""
    return float(risk_uppers(np.array([crossings]), np.array([states]), [share])[0])


def risk_at_most(crossings: int, states: int, share: Fraction, budget: Fraction) -> bool:
    """U <= budget, exactly."""
    return bool(risks_at_most(np.array([crossings]), states, share, budget)[0])


def risks_at_most(
    crossings: Counts, states: Counts | int, shares: Sequence[Fraction] | Fraction, budget: Fraction
) -> Mask:
    """U <= budget, exactly, for each of many pairs; the other arguments broadcast."""
    given = np.asarray(shares, dtype=np.object_)
    counts, sizes, exact = np.broadcast_arrays(crossings, states, given)
    _require(bool(((counts >= 0) & (counts <= sizes)).all()), bool(((given > 0) & (given < 1)).all()))
    if not 0 < budget < 1:
        return np.full(counts.shape, budget >= 1)
    levels = np.broadcast_to(given.astype(np.float64), counts.shape)
    within = np.zeros(counts.shape, dtype=np.bool_)
    # Where every state crosses, or there is none, U is 1: not within.
    inside = counts < sizes
    within[inside], unsure = _compare_tails(counts[inside], sizes[inside], levels[inside], budget)
    # Remembered for this call only: its pairs share few counts and shares, and another call has others.
    decide = cache(_tail_at_most)
    for place in map(tuple, np.argwhere(inside)[unsure].tolist()):
        within[place] = decide(int(counts[place]), int(sizes[place]), exact[place], budget)
    return within


def _compare_tails(counts: Counts, sizes: Counts, levels: Vector, budget: Fraction) -> tuple[Mask, Mask]:
    """P(Bin(n, budget) <= k) <= share in doubles, and where that is unsure. It says the same as U <= budget."""
    from scipy.special import betaincc

    tails = np.asarray(betaincc(counts + 1.0, sizes - counts, float(budget)), dtype=np.float64)
    error = np.ones(counts.shape)
    if _LEAST_BUDGET <= budget <= _GREATEST_BUDGET:
        # The logarithm of the tail changes by at most (n - k) / (1 - x) per unit of x, and x is rounded to a double.
        error = (sizes - counts).astype(np.float64) * (float(budget / (1 - budget)) * _UNIT) + _EVALUATION
    margin = error * np.maximum(tails, levels) + _UNDERFLOW
    # Written so that a tail that is no number is unsure too.
    return tails < levels, ~(np.abs(tails - levels) > margin)


def _tail_at_most(k: int, n: int, share: Fraction, x: Fraction) -> bool:
    """P(Bin(n, x) <= k) <= share for k < n and 0 < x < 1: by balls, and by integers where balls cannot."""
    from flint import ctx

    # Nearly all pairs are told apart at the first precision; the last costs about as much as all before it.
    for precision in _PRECISIONS:
        with ctx.workprec(precision):
            sign = _sign(_tail(k, n, _ball(x)) - _ball(share))
        if sign:
            return sign < 0
    return _exact_tail_at_most(k, n, share, x)


def _exact_tail_at_most(k: int, n: int, share: Fraction, x: Fraction) -> bool:
    """P(Bin(n, x) <= k) <= share with nothing rounded."""
    # Horner: the sum of C(n, j) hit^j miss^(k - j) over j up to k, so that every number on the way is whole.
    hit, whole = x.numerator, x.denominator
    miss = whole - hit
    term = total = 1
    for j in range(k):
        term = term * (n - j) // (j + 1) * hit
        total = total * miss + term
    within: bool = total * miss ** (n - k) * share.denominator <= share.numerator * whole**n
    return within


def _tail(k: int, n: int, x: arb) -> arb:
    """A ball around P(Bin(n, x) <= k), k < n: the terms from j = k downwards, and a bound on those left out."""
    from flint import arb, ctx

    if x * n < k:
        # The terms would rise first; those of the other side fall from the start.
        return 1 - _tail(n - k - 1, n, 1 - x)
    odds = (1 - x) / x
    negligible = arb(2) ** -ctx.prec
    term = total = arb(1)
    for j in range(k, 0, -1):
        ratio = odds * j / (n - j + 1)
        term *= ratio
        total += term
        if term < total * negligible:
            # The ratios fall with j, and are below 1 once a term is small: a geometric series bounds those left out.
            total += (term * ratio / (1 - ratio)).union(arb(0))
            break
    return arb.bin_uiui(n, k) * x**k * (1 - x) ** (n - k) * total


def risk_upper_ball(crossings: int, states: int, share: Fraction, bits: int) -> Fraction:
    """A dyadic rational within 2^-bits of U, shown to be so by the tails on both sides of it."""
    from flint import ctx

    _require(0 <= crossings <= states, 0 < share < 1)
    if crossings == states:
        return Fraction(1)
    radius = Fraction(1, 2**bits)
    precision = bits + _GUARD
    while True:
        with ctx.workprec(precision):
            found = _tail_root(crossings, states, share, bits)
            if found.is_finite():
                middle = _dyadic(found, bits)
                if _is_near(crossings, states, share, middle, radius):
                    return middle
        precision *= 2


def _is_near(k: int, n: int, share: Fraction, x: Fraction, radius: Fraction) -> bool:
    """Whether |U - x| < radius is certain at this precision."""
    # The tail falls as x rises, so that a sign on each side encloses the root.
    low, high = x - radius, x + radius
    return (low <= 0 or _tail(k, n, _ball(low)) > _ball(share)) and (
        high >= 1 or _tail(k, n, _ball(high)) < _ball(share)
    )


def _tail_root(k: int, n: int, share: Fraction, bits: int) -> arb:
    """Where P(Bin(n, x) <= k) = share, nearly: Newton's method, not yet shown to be right.

    The logarithm of the tail is concave, so from the second iterate on Newton's method comes from the right.
    """
    from flint import arb, ctx
    from scipy.special import betainccinv, betaincinv

    # Each of the two is accurate where the other's argument would be close to 1.
    if share <= _GREATEST_SHARE:
        start = float(betainccinv(k + 1.0, n - k, max(float(share), _UNDERFLOW)))
    else:
        start = float(betaincinv(k + 1.0, n - k, max(float(1 - share), _UNDERFLOW)))
    # A root above this is near enough to it.
    ceiling = 1 - arb(2) ** -(bits + 2)
    enough = arb(2) ** (_GUARD // 2 - ctx.prec)
    x = min(arb(start), ceiling)
    # Far more steps than it ever takes; a caller who finds the root wanting comes back with more precision.
    for _ in range(ctx.prec):
        tail = _tail(k, n, x)
        density = arb.bin_uiui(n, k) * (n - k) * x**k * (1 - x) ** (n - k - 1)
        step = (tail / _ball(share)).log() * tail / density
        before, x = x, min((x + step).mid(), ceiling)
        if not abs(x - before) > enough:
            break
    return x


def utility_radius(states: int, share: Fraction) -> float:
    """r = sqrt(log(1/share) / (2n)); infinite without states."""
    # Equation 5: Hoeffding, for means of numbers between 0 and 1.
    _require(states >= 0, 0 < share < 1)
    return math.sqrt(_log_inverse(share) / (2 * states)) if states else math.inf


def _log_inverse(share: Fraction) -> float:
    """log(1/share), also where no double is near the share or its distance from 1."""
    if share > _GREATEST_SHARE:
        return -math.log1p(float(share - 1))
    # By powers of two: a share may be smaller than any double, and its logarithm is an ordinary number.
    shift = share.denominator.bit_length() - share.numerator.bit_length()
    return shift * math.log(2) - math.log(share * 2**shift)


def utility_radius_ball(states: int, share: Fraction, bits: int) -> Fraction:
    """A dyadic rational within 2^-bits of r. There must be states."""
    from flint import arb, ctx

    _require(states > 0, 0 < share < 1)
    precision = bits + _GUARD
    while True:
        with ctx.workprec(precision):
            radius = _radius(states, share)
            if radius.rad() < arb(2) ** -(bits + 1):
                return _dyadic(radius.mid(), bits)
        precision *= 2


def _radius(states: int, share: Fraction) -> arb:
    """A ball around r."""
    return (-_ball(share).log() / (2 * states)).sqrt()


@dataclass(frozen=True)
class Lower:
    """L = max(0, mean - r(states, share)) as an exact object."""

    mean: Fraction
    states: int
    share: Fraction


def clipped(lower: Lower) -> bool:
    """mean <= r, exactly, so that L = 0; so it is without states."""
    from flint import ctx

    _require(lower.states >= 0, 0 < lower.share < 1)
    if lower.mean <= 0 or not lower.states:
        return True
    # Ends: mean = r would make the logarithm of a rational rational, which only log 1 is.
    precision = _PRECISIONS[0]
    while True:
        with ctx.workprec(precision):
            sign = _sign(_ball(2 * lower.states * lower.mean**2) + _ball(lower.share).log())
        if sign:
            return sign < 0
        precision *= 2


def lower_value(lower: Lower, bits: int) -> Fraction:
    """A rational within 2^-bits of L, and 0 where L is."""
    if clipped(lower):
        return Fraction(0)
    return max(Fraction(0), lower.mean - utility_radius_ball(lower.states, lower.share, bits))


def compare_lower(a: Lower, b: Lower) -> int:
    """The sign of L_a - L_b, exactly; Undecided where no precision tried shows it."""
    from flint import ctx

    if a == b:
        return 0
    zero_a, zero_b = clipped(a), clipped(b)
    if zero_a or zero_b:
        return zero_b - zero_a
    if _same_radius(a, b):
        return (a.mean > b.mean) - (a.mean < b.mean)
    for precision in _PRECISIONS:
        with ctx.workprec(precision):
            sign = _sign(_ball(a.mean - b.mean) - _radius(a.states, a.share) + _radius(b.states, b.share))
        if sign:
            return sign
    raise Undecided(f"{_PRECISIONS[-1]} bits do not separate L of {a} from L of {b}")


def _same_radius(a: Lower, b: Lower) -> bool:
    """log(1/share) / n is the same: share_a^n_b = share_b^n_a, with the exponents in lowest terms."""
    common = math.gcd(a.states, b.states)
    power_a, power_b = b.states // common, a.states // common
    # Each denominator would be a power with the other's exponent, and 2 is the least base: larger ones cannot agree.
    if power_b > a.share.denominator.bit_length() or power_a > b.share.denominator.bit_length():
        return False
    return a.share**power_a == b.share**power_b


def _require(counts: bool, shares: bool) -> None:
    """Refuse what the formulas do not define."""
    if not counts:
        raise ValueError("counts must satisfy 0 <= crossings <= states, and a radius needs states")
    if not shares:
        raise ValueError("a share must lie strictly between 0 and 1")


def _ball(value: Fraction) -> arb:
    """The ball around a rational at the working precision."""
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


def _sign(ball: arb) -> int:
    """The sign of every number in the ball; 0 if it is not the same for all."""
    return (ball > 0) - (ball < 0)


def _dyadic(exact: arb, bits: int) -> Fraction:
    """The multiple of 2^-(bits + 2) nearest to an exact number."""
    mantissa, exponent = exact.man_exp()
    scale = 2 ** (bits + 2)
    return Fraction(round(Fraction(int(mantissa)) * Fraction(2) ** int(exponent) * scale), scale)
