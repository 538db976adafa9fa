"""Exact sums of columns: doubles are taken apart into integers and powers of two, and added as integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from sealtrace.mathematics import Index, Numbers
from sealtrace.mathematics.exact import as_integers

Number: TypeAlias = int | float | Fraction
Column: TypeAlias = Numbers | Sequence[Number]
"""Numbers of a column: an array of integers, booleans or doubles, or a short list of exact numbers."""

_LOW = 27
"""A significand of 53 bits is cut here, so that products of two halves fit in 64 bits."""


class UndefinedError(ValueError):
    """The quantity does not exist for these numbers: an empty column, a missing class, no variation."""


def size_of(column: Column) -> int:
    """How many numbers there are, of which there must be some."""
    if not len(column):
        raise UndefinedError("there are no values")
    return len(column)


def exact_sum(column: Column) -> Fraction:
    """The sum, without rounding."""
    if not isinstance(column, np.ndarray):
        return sum((Fraction(value) for value in column), Fraction(0))
    if column.dtype.kind in "iub":
        return Fraction(_whole(column))
    significands, exponents = _parts(column)
    return _weighted((_sums_by(exponents, significands), 0))


def exact_dot(left: Column, right: Column) -> Fraction:
    """The sum of products, without rounding."""
    if len(left) != len(right):
        raise ValueError("two columns of one table have the same length")
    if not isinstance(left, np.ndarray) or not isinstance(right, np.ndarray):
        return sum((Fraction(a) * Fraction(b) for a, b in zip(left, right, strict=True)), Fraction(0))
    if left.dtype == right.dtype == np.bool_:
        return Fraction(int(np.count_nonzero(np.logical_and(left, right))))
    (a, a_exponents), (b, b_exponents) = _parts(left), _parts(right)
    # 53-bit significands have products of 106 bits, so each is cut in two, and four products of halves are added apart.
    exponents = a_exponents + b_exponents
    high_a, low_a, high_b, low_b = a >> _LOW, a & (2**_LOW - 1), b >> _LOW, b & (2**_LOW - 1)
    return _weighted(
        (_sums_by(exponents, high_a * high_b), 2 * _LOW),
        (_sums_by(exponents, high_a * low_b), _LOW),
        (_sums_by(exponents, low_a * high_b), _LOW),
        (_sums_by(exponents, low_a * low_b), 0),
    )


def root(square: Fraction) -> Fraction | float:
    """The square root: exact where it is rational, the nearest double otherwise."""
    above, below = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if above * above == square.numerator and below * below == square.denominator:
        return Fraction(above, below)
    # Scaled so that the integer root has 64 bits or more, whatever the size of the number.
    shift = max(0, 130 - square.numerator.bit_length() + square.denominator.bit_length())
    shift += shift % 2
    return float(Fraction(math.isqrt((square.numerator << shift) // square.denominator), 1 << (shift // 2)))


def _parts(column: Numbers) -> tuple[Index, Index]:
    """Integers and exponents with `value = integer * 2**exponent`."""
    if column.dtype.kind in "iu" and len(column) and max(-int(column.min()), int(column.max())) > 2**53:
        raise UndefinedError("an integer is beyond 2^53")
    doubles = column.astype(np.float64)
    if not np.isfinite(doubles).all():
        raise UndefinedError("a value is not finite")
    return as_integers(doubles)


def _sums_by(exponents: Index, integers: Index) -> dict[int, int]:
    kinds, place = np.unique(exponents, return_inverse=True)
    if len(kinds) > 1:
        order = np.argsort(place, kind="stable")
        starts = np.searchsorted(place[order], np.arange(len(kinds)))
        return {
            int(kind): _whole(part) for kind, part in zip(kinds, np.split(integers[order], starts[1:]), strict=True)
        }
    return {int(kind): _whole(integers) for kind in kinds}


def _whole(integers: Numbers) -> int:
    """The sum of integers of up to 64 bits; halves are added apart, so that no sum overflows."""
    wide = integers.view(np.uint64) if integers.dtype == np.uint64 else integers.astype(np.int64)
    return (int((wide >> 32).sum()) << 32) + int((wide & (2**32 - 1)).sum())


def _weighted(*sums: tuple[dict[int, int], int]) -> Fraction:
    least = min((exponent for by, _ in sums for exponent in by), default=0)
    total = sum(value << (exponent - least + shift) for by, shift in sums for exponent, value in by.items())
    return total * Fraction(2) ** least
