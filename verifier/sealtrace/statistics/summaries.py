"""One column in one number: means, spread, quantiles; or every column of every group, at once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, cast

import numpy as np

from sealtrace.mathematics import Matrix
from sealtrace.statistics.groups import Groups
from sealtrace.statistics.sums import Column, Number, UndefinedError, exact_dot, exact_sum, root, size_of

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


class _Summed:
    """An exact column as `Groups` has many: its size, its sum, and its sum of squared deviations."""

    def __init__(self, column: Column) -> None:
        self.size, self._column = size_of(column), column
        self.total = exact_sum(column)

    @property
    def squares(self) -> Fraction:
        return exact_dot(self._column, self._column) - self.total * self.total / self.size

    @staticmethod
    def divided(above: Fraction, below: int) -> Fraction:
        if not below:
            raise UndefinedError("one value has no deviation with the divisor n-1")
        return above / below


def _summed(values: Any) -> Any:
    return values if isinstance(values, Groups) else _Summed(values)


# Of a column, exact; or of all columns of all groups, in doubles.


def mean(values: Column | Groups) -> Any:
    """The arithmetic mean."""
    summed = _summed(values)
    return summed.divided(summed.total, summed.size)


def geometric_mean(values: Column | Groups) -> Any:
    """The n-th root of the product, as the exponential of the mean logarithm: a product of many values overflows."""
    if isinstance(values, Groups):
        positive = np.where(values.block > 0, values.block, np.nan)
        logs = Groups(np.log(positive), values.starts, values.counts)
        # A group with a value that has no logarithm has no geometric mean, rather than that of the others.
        return np.where(logs.size == values.size, np.exp(mean(logs)), np.nan)
    if not size_of(values) or any(value <= 0 for value in values):
        raise UndefinedError("the geometric mean of values that are not all positive")
    return math.exp(math.fsum(math.log(value) for value in values) / size_of(values))


def total(values: Column | Groups) -> Any:
    """The sum."""
    return _summed(values).total


def count(values: Column | Groups) -> Any:
    """How many values there are."""
    return values.size if isinstance(values, Groups) else len(values)


def negative(values: Column | Groups) -> Any:
    """How many values are below zero."""
    if isinstance(values, Groups):
        return values.count(values.block < 0)
    return sum(value < 0 for value in values)


def variance(values: Column | Groups, divisor: str = "n-1") -> Any:
    """Mean squared deviation. `divisor` is `n-1` (of a sample) or `n` (of a population)."""
    summed = _summed(values)
    return summed.divided(summed.squares, summed.size - {"n-1": 1, "n": 0}[divisor])


def sd(values: Column | Groups, divisor: str = "n-1") -> Any:
    """The standard deviation with the declared divisor."""
    return _rooted(variance(values, divisor))


def sem(values: Column | Groups, divisor: str = "n-1") -> Any:
    """The standard error of the mean: sd / sqrt(n)."""
    return _rooted(variance(values, divisor) / _summed(values).size)


def _rooted(square: Any) -> Any:
    return root(square) if isinstance(square, Fraction) else np.sqrt(square)


def quantile(values: Column | Groups, q: Fraction = Fraction(1, 2), rule: str = "linear") -> Any:
    """The value below which a share `q` lies, by one of numpy's rules."""
    if not 0 <= q <= 1:
        raise UndefinedError("a quantile lies between 0 and 1")
    if isinstance(values, Groups):
        return values.between(_grouped_place(values.size, q, rule))
    size = size_of(values)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and not np.isfinite(values).all():
        raise UndefinedError("a value is not finite")
    ordered = cast("Column", np.sort(values)) if isinstance(values, np.ndarray) else sorted(values)
    # Below the first value and above the last there is nothing to interpolate.
    place = min(max(_place(size, q, rule), Fraction(0)), Fraction(size - 1))
    below, above = _exact(ordered[math.floor(place)]), _exact(ordered[math.ceil(place)])
    if rule == "lower":
        return below
    if rule in ("higher", "inverted_cdf"):
        return above
    if rule == "midpoint":
        return (below + above) / 2
    return below + (above - below) * (place - math.floor(place))


def _place(size: Any, q: Any, rule: str) -> Any:
    """Where the quantile stands among values in order, from zero."""
    if rule in QUANTILE_RULES:
        # Hyndman and Fan (1996): these rules differ in their two plotting parameters only.
        alpha, beta = QUANTILE_RULES[rule]
        return size * q + (alpha + q * (1 - alpha - beta)) - 1
    if rule not in STEP_RULES:
        raise ValueError(f"no rule of quantiles is called {rule!r}")
    return size * q - 1 if rule == "inverted_cdf" else (size - 1) * q


def _grouped_place(size: Matrix, q: Fraction, rule: str) -> Matrix:
    # In doubles, a place that should fall on a value may lie a little above it.
    sizes = np.maximum(size, 1.0)
    place: Matrix = np.clip(np.round(_place(sizes, float(q), rule), 9), 0.0, sizes - 1)
    if rule in STEP_RULES:
        low, high = np.floor(place), np.ceil(place)
        place = {"lower": low, "midpoint": (low + high) / 2}.get(rule, high)
    return place


def median(values: Column | Groups) -> Any:
    """The middle value, or the mean of the two."""
    return quantile(values)


def minimum(values: Column | Groups) -> Any:
    """The least value."""
    return values.extreme(greatest=False) if isinstance(values, Groups) else quantile(values, Fraction(0))


def maximum(values: Column | Groups) -> Any:
    """The greatest value."""
    return values.extreme(greatest=True) if isinstance(values, Groups) else quantile(values, Fraction(1))


def _exact(value: Number) -> Fraction:
    return Fraction(value.item() if isinstance(value, np.generic) else value)
