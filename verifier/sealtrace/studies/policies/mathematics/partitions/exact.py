"""The structure objective as an exact number: a rational and rational multiples of square roots."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sealtrace.mathematics import Index, Matrix
from sealtrace.mathematics.exact import Integers, Undecided, as_double, as_integers, shifted

Value = dict[int, Fraction]
"""Squarefree n to the coefficient of sqrt(n); sqrt(1) carries the rational part."""

_PRECISION_LIMIT = 1 << 16
_ROUNDING_PRECISION = 1 << 12


@lru_cache(maxsize=1 << 16)
def _squarefree(number: int) -> tuple[int, int]:
    """The factors f and m of number = f^2 m with m squarefree."""
    # From above, so that the first square that divides is the largest. Numbers are counts of states, and so small.
    root = next(root for root in range(math.isqrt(number), 0, -1) if number % (root * root) == 0)
    return root, number // (root * root)


def total(values: Iterable[Value], minus: Iterable[Value] = ()) -> Value:
    """The sum of the values less the sum of the others, without zero terms."""
    result: Value = {}
    for sign, terms in ((1, values), (-1, minus)):
        for value in terms:
            for radicand, coefficient in value.items():
                result[radicand] = result.get(radicand, Fraction(0)) + sign * coefficient
    return {radicand: coefficient for radicand, coefficient in result.items() if coefficient}


def sign_of(value: Value) -> int:
    """-1, 0 or 1, from a value without zero terms.

    Square roots of different squarefree numbers are linearly independent over the rationals, so such a value is
    zero only where it has no terms, and otherwise enough digits give its sign.
    """
    if not value:
        return 0
    precision = 64
    while precision <= _PRECISION_LIMIT:
        lower, upper = _enclosed(value, precision)
        if lower > 0 or upper < 0:
            return 1 if lower > 0 else -1
        precision *= 2
    raise Undecided(f"{_PRECISION_LIMIT} bits do not tell the sign of a difference of objectives")


def as_float(value: Value) -> float:
    """The nearest double, except for ties beyond a thousand digits."""
    lower, upper = _enclosed(value, _ROUNDING_PRECISION)
    return as_double((lower + upper) / 2)


def _enclosed(value: Value, precision: int) -> tuple[Fraction, Fraction]:
    """Bounds of a value, with square roots to `precision` binary places."""
    lower = upper = Fraction(0)
    for radicand, coefficient in value.items():
        scaled = math.isqrt(radicand << 2 * precision)
        # The integer root lies below the root by less than one unit, unless the number is a square.
        exact = scaled * scaled == radicand << 2 * precision
        ends = sorted(
            (
                coefficient * Fraction(scaled, 1 << precision),
                coefficient * Fraction(scaled + (not exact), 1 << precision),
            )
        )
        lower, upper = lower + ends[0], upper + ends[1]
    return lower, upper


class Degradations:
    """The degradations as integers times one power of two, which every set of doubles is."""

    def __init__(self, degradations: Matrix, lambda_cert: Fraction, lambda_comp: Fraction) -> None:
        require_degradations(degradations)
        self._rows, power = shifted(*as_integers(degradations))
        self._squares: Integers = (self._rows * self._rows).sum(axis=1)
        self._unit = Fraction(4) ** power / degradations.size
        self._cert, self._comp = lambda_cert, lambda_comp

    def leaf(self, states: Index) -> Value:
        """What one leaf with these states adds to the objective."""
        count = len(states)
        root, radicand = _squarefree(max(count, 1))
        # 1 / sqrt(n) = 1 / (f sqrt(m)) = sqrt(m) / (f m) for n = f^2 m. An empty leaf is penalised as one of one state.
        terms = [{radicand: self._cert / (root * radicand)}, {1: self._comp}]
        if count:
            sums = self._rows[states].sum(axis=0)
            # n * sum of squares - (sum)^2 is n times the sum of squared deviations, without a division.
            spread = count * int(self._squares[states].sum()) - int((sums * sums).sum())
            terms.append({1: self._unit * spread / count})
        return total(terms)

    def partition(self, groups: Index, leaves: int) -> Value:
        """The objective of an assignment, where -1 is no leaf."""
        return total(self.leaf(np.flatnonzero(groups == group)) for group in range(leaves))


def require_degradations(degradations: Matrix) -> None:
    """At least one state, at least one candidate, and finite numbers."""
    if not degradations.size:
        raise ValueError("there are no degradations")
    if not np.isfinite(degradations).all():
        raise ValueError("a degradation is not finite")


def objective(groups: Index, leaves: int, degradations: Matrix, lambda_cert: Fraction, lambda_comp: Fraction) -> float:
    """The structure objective of an assignment, rounded once.

    Groups are numbered from zero; a state of group -1 is in no leaf and still counts among the structure states.
    An empty leaf has a penalty and no variance.
    """
    exact = Degradations(degradations, lambda_cert, lambda_comp)
    return as_float(exact.partition(groups, leaves))
