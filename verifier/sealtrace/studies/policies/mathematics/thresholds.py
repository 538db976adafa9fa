"""Strict thresholds, decided exactly. A stored double is a rational number, and so is tau."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sealtrace.mathematics import Mask, Matrix, Vector
from sealtrace.mathematics.exact import as_double, row_products, scaled
from sealtrace.studies.policies.mathematics.over_actions import UNIT, difference_error, expected


def below(stored: Vector, bound: Fraction) -> Mask:
    """stored < bound, exactly.

    Only the double nearest to the bound can be misjudged by comparing doubles: every smaller double
    is below the bound, every larger one is not.
    """
    nearest = as_double(bound)
    crossed: Mask = stored < nearest
    if math.isfinite(nearest) and Fraction(nearest) < bound:
        crossed |= stored == nearest
    return crossed


def read_differently(stored: Vector, bound: Fraction) -> Mask:
    """Where comparing with the double nearest to the bound decides otherwise than the bound itself."""
    differs: Mask = below(stored, bound) != (stored < as_double(bound))
    return differs


def expected_difference(policy: Matrix, base: Matrix, values: Matrix) -> tuple[Vector, Vector]:
    """sum_a (pi - pi_0) Q in doubles, and a bound on its rounding error: infinite where it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        size = expected((np.abs(policy) + np.abs(base)).T, np.abs(values).T)
        return expected((policy - base).T, values.T), difference_error(size, policy.shape[1])


def exact_difference(policy: Vector, base: Vector, values: Vector) -> Fraction:
    """sum_a (pi - pi_0) Q with nothing rounded."""
    # Each sum by itself: the difference of two stored probabilities need not be a double.
    gained, lost = (scaled(*row_products(one[None], values[None])) for one in (policy, base))
    return gained - lost


@dataclass(frozen=True)
class Crossings:
    """d and v of many rows."""

    delta: Vector
    crossed: Mask
    exactly: int
    """How many rows needed rational arithmetic."""


def crossings(policy: Matrix, base: Matrix, values: Matrix, tau: Fraction) -> Crossings:
    """d = sum_a (pi - pi_0) Q and v = 1{d < -tau}, from finite distributions and action values."""
    delta, error = expected_difference(policy, base, values)
    crossed: Mask = below(delta, -tau)
    nearest = as_double(tau)
    with np.errstate(over="ignore", invalid="ignore"):
        # tau is rounded once to its double, and the sum with it once more.
        margin = error + 2 * UNIT * abs(nearest)
        # Written so that a delta that is no number is unsure too.
        unsure = np.flatnonzero(~(np.abs(delta + nearest) > margin))
    for row in unsure.tolist():
        crossed[row] = exact_difference(policy[row], base[row], values[row]) < -tau
    return Crossings(delta, crossed, len(unsure))
