"""Tests of significance. Where the distribution is one of counts, the p-value is an exact fraction."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sealtrace.statistics.association import average_ranks
from sealtrace.statistics.summaries import mean, variance
from sealtrace.statistics.sums import Column, Number, UndefinedError, exact_dot, root, size_of

MOST_EXACT = 20_000
"""Up to so many items a p-value is counted out; beyond, a tail function of doubles gives it."""
_WILCOXON_EXACT, _WILCOXON_TIED = 50, 13
"""Up to so many pairs, without and with ties, `auto` counts out; as scipy does."""


@dataclass(frozen=True)
class Tested:
    """A test's statistic and p-value."""

    statistic: Number
    p: Number
    freedom: Number | None = None


def t_test(
    column: Column,
    other: Column | None = None,
    sides: str = "two",
    *,
    mu: Fraction = Fraction(0),
    equal_variances: bool = False,
) -> Tested:
    """One sample against a constant; or two samples, by Welch's test or, with equal variances, by Student's."""
    m, a = size_of(column), variance(column, "n-1")
    if other is None:
        return _by_t(mean(column) - mu, a / m, Fraction(m - 1), sides)
    n, b = size_of(other), variance(other, "n-1")
    difference = mean(column) - mean(other)
    if equal_variances:
        pooled = ((m - 1) * a + (n - 1) * b) / (m + n - 2)
        return _by_t(difference, pooled * (Fraction(1, m) + Fraction(1, n)), Fraction(m + n - 2), sides)
    spread = a / m + b / n
    if not spread:
        raise UndefinedError("neither sample varies")
    # Welch and Satterthwaite: the freedom of the chi-square that has the variance of the estimated spread.
    freedom = spread**2 / ((a / m) ** 2 / (m - 1) + (b / n) ** 2 / (n - 1))
    return _by_t(difference, spread, freedom, sides)


def paired_t_test(left: Column, right: Column, sides: str = "two") -> Tested:
    """Two measurements of the same items: the differences against zero, exact up to the root."""
    if len(left) != len(right):
        raise ValueError("pairs have two sides")
    size = size_of(left)
    if size < 2:
        raise UndefinedError("one pair has no deviation")
    difference = mean(left) - mean(right)
    # The sum of squared differences from three exact products: differences of doubles would be rounded.
    squares = exact_dot(left, left) - 2 * exact_dot(left, right) + exact_dot(right, right)
    spread = (squares - size * difference * difference) / (size - 1)
    return _by_t(difference, spread / size, Fraction(size - 1), sides)


def wilcoxon(
    left: npt.NDArray[np.float64],
    right: npt.NDArray[np.float64],
    sides: str = "two",
    *,
    method: str = "auto",
    correction: bool = False,
) -> Tested:
    """Wilcoxon's signed-rank test; pairs without a difference are left out.

    `exact` counts, over all signs, the sums of the ranks that were given; `normal` approximates. `auto` is exact up to
    50 pairs without ties, and up to 13 with them.
    """
    difference = left - right
    difference = difference[difference != 0]
    size = len(difference)
    if not size:
        raise UndefinedError("no pair differs")
    doubled = average_ranks(np.abs(difference))
    positive, total = int(doubled[difference > 0].sum()), int(doubled.sum())
    tied = len(np.unique(np.abs(difference))) < size
    statistic = Fraction(min(positive, total - positive) if sides == "two" else positive, 2)
    if method == "auto":
        exact = size <= (_WILCOXON_TIED if tied or size < len(left) else _WILCOXON_EXACT)
        method = "exact" if exact else "normal"
    if method == "exact":
        if size > 2000:
            raise UndefinedError("more than 2,000 pairs are not counted out")
        return Tested(statistic, _signed_rank_tail(doubled.tolist(), positive, sides))
    if method != "normal":
        raise ValueError(f"no method is called {method!r}")
    counts = np.unique(np.abs(difference), return_counts=True)[1].astype(object)
    # The variance of the rank sum under random signs, n(n + 1)(2n + 1)/24; each group of t ties takes (t^3 - t)/48.
    spread = Fraction(size * (size + 1) * (2 * size + 1), 24) - Fraction(int((counts**3 - counts).sum()), 48)
    shift = Fraction(positive, 2) - Fraction(size * (size + 1), 4)
    if correction:
        half = Fraction(1, 2)
        shift -= {"two": half if shift > 0 else -half if shift < 0 else 0, "greater": half, "less": -half}[sides]
    from scipy.special import ndtr

    return Tested(statistic, _tail(ndtr, float(shift) / float(root(spread)), sides))


def mcnemar(only_left: int, only_right: int, method: str = "exact") -> Tested:
    """Paired right and wrong answers: how uneven are the items that only one of the two got right?

    `exact` is the binomial test; `chi2` and `corrected` approximate, the latter with the continuity correction.
    """
    if min(only_left, only_right) < 0:
        raise UndefinedError("counts are not negative")
    discordant, least = only_left + only_right, min(only_left, only_right)
    if method == "exact":
        return Tested(least, min(Fraction(1), 2 * _half_tail(least, discordant)) if discordant else Fraction(1))
    if not discordant:
        raise UndefinedError("the two never differ")
    gap = abs(only_left - only_right)
    if method not in ("chi2", "corrected"):
        raise ValueError(f"no method is called {method!r}")
    # Without a difference there is nothing to correct.
    statistic = Fraction((gap - (1 if method == "corrected" and gap else 0)) ** 2, discordant)
    return Tested(statistic, _chi2_tail(statistic, 1), 1)


def chi_squared(table: list[list[int]], correction: str = "yates") -> Tested:
    """Pearson's test that rows and columns are independent. `yates` corrects tables of two by two; `none` never."""
    counts = np.array(table, dtype=object)
    if counts.ndim != 2 or min(counts.shape) < 2:
        raise UndefinedError("a table has at least two rows and two columns")
    rows, columns, total = counts.sum(axis=1), counts.sum(axis=0), int(counts.sum())
    if not all(rows) or not all(columns):
        raise UndefinedError("a row or a column of the table is empty")
    freedom = (len(rows) - 1) * (len(columns) - 1)
    statistic = Fraction(0)
    for row, across in zip(counts, rows, strict=True):
        for count, down in zip(row, columns, strict=True):
            expected = Fraction(int(across) * int(down), total)
            gap = abs(expected - int(count))
            if correction == "yates" and freedom == 1:
                gap -= min(Fraction(1, 2), gap)
            statistic += gap * gap / expected
    return Tested(statistic, _chi2_tail(statistic, freedom), freedom)


def fisher(a: int, b: int, c: int, d: int, sides: str = "two") -> Tested:
    """Fisher's exact test of a table of two by two; the statistic is the odds ratio.

    Two-sided: the chance of all tables with these margins that are no likelier than this one.
    """
    if min(a, b, c, d) < 0 or not (a + b and c + d and a + c and b + d):
        raise UndefinedError("a row or a column of the table is empty")
    if a + b + c + d > MOST_EXACT:
        raise UndefinedError(f"tables of more than {MOST_EXACT} items are not counted out")
    first, drawn, total = a + b, a + c, a + b + c + d
    ways: list[int] = []
    low, high = max(0, drawn - (c + d)), min(first, drawn)
    # Hypergeometric ways, each from the one before, in whole numbers: equal tables are then equal to the last digit,
    # which the two-sided test depends on.
    way = math.comb(first, low) * math.comb(c + d, drawn - low)
    for count in range(low, high + 1):
        ways.append(way)
        way = way * (first - count) * (drawn - count) // ((count + 1) * (c + d - drawn + count + 1))
    chosen = {
        "two": sum(way for way in ways if way <= ways[a - low]),
        "less": sum(ways[: a - low + 1]),
        "greater": sum(ways[a - low :]),
    }[sides]
    odds: Number = Fraction(a * d, b * c) if b * c else math.inf
    return Tested(odds, Fraction(chosen, math.comb(total, drawn)))


def _by_t(difference: Fraction, spread: Fraction, freedom: Fraction, sides: str) -> Tested:
    from scipy.special import stdtr

    if not spread:
        raise UndefinedError("the values do not vary")
    statistic = float(root(difference * difference / spread)) * (1 if difference >= 0 else -1)
    return Tested(statistic, _tail(lambda t: float(stdtr(float(freedom), t)), statistic, sides), freedom)


def _tail(below: Callable[[float], float], statistic: float, sides: str) -> float:
    """The chance of a value so far out, of a distribution that is symmetric about zero."""
    return float({"two": 2 * below(-abs(statistic)), "less": below(statistic), "greater": below(-statistic)}[sides])


def _chi2_tail(statistic: Fraction, freedom: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(freedom, float(statistic)))


def _half_tail(count: int, total: int) -> Number:
    """P(Bin(total, 1/2) <= count)."""
    if total > MOST_EXACT:
        from scipy.special import bdtr

        return float(bdtr(count, total, 0.5))
    way = ways = 1
    for k in range(count):
        way = way * (total - k) // (k + 1)
        ways += way
    return Fraction(ways, 2**total)


def _signed_rank_tail(doubled: list[int], positive: int, sides: str) -> Fraction:
    """Counted over all signs: how many give a rank sum so far out. Integers in a list, so that none overflows."""
    # Without ties all doubled ranks are even, so that half as many sums are kept.
    step = math.gcd(*doubled)
    ways = [1] + [0] * (sum(doubled) // step)
    reach = 0
    for rank in (value // step for value in doubled):
        # From above, so that no rank is used twice: subsets are counted as in the knapsack problem.
        for place in range(reach, -1, -1):
            if ways[place]:
                ways[place + rank] += ways[place]
        reach += rank
    at = positive // step
    below, above = sum(ways[: at + 1]), sum(ways[at:])
    chosen = {"two": min(2 * min(below, above), 2 ** len(doubled)), "less": below, "greater": above}[sides]
    return Fraction(chosen, 2 ** len(doubled))
