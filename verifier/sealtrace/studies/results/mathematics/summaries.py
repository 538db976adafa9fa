"""One column in one number: counts, rates, means, spread, quantiles, entropy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sealtrace.studies.results.mathematics.sums import (
    Column,
    Number,
    UndefinedError,
    exact_dot,
    exact_sum,
    root,
    size_of,
)

Codes = npt.NDArray[np.int64]
"""Labels as places in a list of names."""

QUANTILE_RULES: dict[str, tuple[Fraction, Fraction]] = {
    "linear": (Fraction(1), Fraction(1)),
    "weibull": (Fraction(0), Fraction(0)),
    "hazen": (Fraction(1, 2), Fraction(1, 2)),
    "median_unbiased": (Fraction(1, 3), Fraction(1, 3)),
    "normal_unbiased": (Fraction(3, 8), Fraction(3, 8)),
}
"""Rules that interpolate, with numpy's names and their two plotting parameters."""
STEP_RULES = ("lower", "higher", "midpoint", "inverted_cdf")
"""Rules that take a value of the column, or the middle of two."""


def rate(count: int, total: int) -> Fraction:
    """count / total."""
    if not total:
        raise UndefinedError("a rate over nothing")
    return Fraction(count, total)


def mean(column: Column) -> Fraction:
    """The arithmetic mean, exact."""
    return exact_sum(column) / size_of(column)


def variance(column: Column, divisor: str) -> Fraction:
    """Mean squared deviation, exact. `divisor` is `n-1` (of a sample) or `n` (of a population)."""
    size = size_of(column)
    free = {"n-1": size - 1, "n": size}[divisor]
    if not free:
        raise UndefinedError("one value has no deviation with the divisor n-1")
    total = exact_sum(column)
    return (exact_dot(column, column) - total * total / size) / free


def sd(column: Column, divisor: str = "n-1") -> Fraction | float:
    """The standard deviation with the declared divisor."""
    return root(variance(column, divisor))


def sem(column: Column, divisor: str = "n-1") -> Fraction | float:
    """The standard error of the mean: sd / sqrt(n)."""
    return root(variance(column, divisor) / size_of(column))


def quantile(column: Column, q: Fraction = Fraction(1, 2), rule: str = "linear") -> Fraction:
    """The value below which a share `q` of the column lies, by one of numpy's rules, exact."""
    size = size_of(column)
    if not 0 <= q <= 1:
        raise UndefinedError("a quantile lies between 0 and 1")
    if isinstance(column, np.ndarray) and column.dtype.kind == "f" and not np.isfinite(column).all():
        raise UndefinedError("a value is not finite")
    ordered: Column = np.sort(column) if isinstance(column, np.ndarray) else sorted(column)
    if rule in QUANTILE_RULES:
        alpha, beta = QUANTILE_RULES[rule]
        place = size * q + alpha + q * (1 - alpha - beta) - 1
    elif rule in STEP_RULES:
        place = size * q - 1 if rule == "inverted_cdf" else (size - 1) * q
    else:
        raise ValueError(f"no rule of quantiles is called {rule!r}")
    place = min(max(place, Fraction(0)), Fraction(size - 1))
    below, above = _exact(ordered[math.floor(place)]), _exact(ordered[math.ceil(place)])
    if rule == "lower":
        return below
    if rule in ("higher", "inverted_cdf"):
        return above
    if rule == "midpoint":
        return (below + above) / 2
    return below + (above - below) * (place - math.floor(place))


def median(column: Column) -> Fraction:
    """The middle value, or the mean of the two."""
    return quantile(column)


def extremes(column: Column) -> tuple[Fraction, Fraction]:
    """The least and the greatest value."""
    size_of(column)
    return quantile(column, Fraction(0)), quantile(column, Fraction(1))


def entropy(counts: Sequence[int], base: str = "e", *, normalized: bool = False) -> float:
    """Shannon entropy of label counts: in nats (`e`) or bits (`2`), or as a share of that of equal counts."""
    total = sum(counts)
    if not total:
        raise UndefinedError("the entropy of no labels")
    value = math.log(total) - math.fsum(count * math.log(count) for count in counts if count) / total
    if normalized:
        if len(counts) < 2:
            raise UndefinedError("a single label has no normalized entropy")
        return max(0.0, value / math.log(len(counts)))
    return max(0.0, value / (math.log(2) if base == "2" else 1.0))


def _exact(value: Number) -> Fraction:
    return Fraction(value.item() if isinstance(value, np.generic) else value)
