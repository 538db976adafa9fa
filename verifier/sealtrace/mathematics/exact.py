"""Between doubles and exact numbers: nothing is rounded that a decision depends on."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Index, Matrix, Vector

Integers = npt.NDArray[np.object_]


class Undecided(ArithmeticError):  # noqa: N818 - an outcome that callers report, not a fault
    """No precision tried separates two values, and nothing shows them equal."""


def as_double(value: Fraction) -> float:
    """The nearest double; infinite beyond the range, where no finite double is nearest."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def mean(values: Vector) -> float:
    """The mean; the sum is exact before it is rounded and divided. NaN where a value is not finite."""
    if not np.isfinite(values).all():
        return math.nan
    try:
        return math.fsum(values.tolist()) / len(values)
    except OverflowError:
        # Only the sum left the range of doubles: a mean is no larger than the largest value.
        return float(sum(map(Fraction, values.tolist()), Fraction(0)) / len(values))


def row_products(left: Matrix, right: Matrix) -> tuple[list[int], int]:
    """The sum of left * right of every row with nothing rounded: integers, and the power of two that they count.

    Entries are finite.
    """
    # A double is an integer times a power of two; sums of integers need no common divisors.
    (wholes, powers), (others, more) = as_integers(left), as_integers(right)
    terms, least = shifted(wholes.astype(object) * others.astype(object), powers + more)
    return terms.sum(axis=1).tolist(), least


def as_integers(doubles: npt.NDArray[np.float64]) -> tuple[Index, Index]:
    """Every entry as an integer and the power of two that it is multiplied with; `OverflowError` of infinite ones."""
    if not np.isfinite(doubles).all():
        raise OverflowError("no integer is infinite")
    mantissas, exponents = np.frexp(doubles)
    # A mantissa has 53 bits at most, so that this product is a whole number and nothing is lost.
    return (mantissas * 2.0**53).astype(np.int64), exponents.astype(np.int64) - 53


def shifted(wholes: Index, powers: Index) -> tuple[Integers, int]:
    """Integers that count powers of two, all counted in the least power, and that power."""
    least = int(powers.min(initial=0))
    return wholes.astype(object) << (powers - least).astype(object), least


def scaled(sums: list[int], power: int) -> Fraction:
    """The sum of integers that count a power of two."""
    return Fraction(sum(sums)) * Fraction(2) ** power
