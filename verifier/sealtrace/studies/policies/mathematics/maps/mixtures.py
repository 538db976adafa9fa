"""The worst mixture, in closed form.

Within the radius a mixture may move the mass delta = radius / 2 wherever it likes. The worst utility
takes it from the groups with the largest values and gives it to the smallest; the worst risk mirrors that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .instance import Instance, Matrix, Vector

PIECE = 65_536
"""So many numbers are worked on at a time."""


def worst_utility(instance: Instance, choice: Sequence[int]) -> Fraction:
    """The smallest mean of L over all mixtures, exactly."""
    return least_mean(instance.lowers(choice), instance.counts, instance.moved)


def worst_risk(instance: Instance, choice: Sequence[int]) -> Fraction:
    """The largest mean of U over all mixtures, exactly."""
    return least_mean(instance.uppers(choice), instance.counts, instance.moved, sign=-1)


def least_mean(values: Sequence[Fraction], counts: Sequence[int], moved: Fraction, sign: int = 1) -> Fraction:
    """The smallest mean over all mixtures that move at most the given mass; the largest with sign -1."""
    # Integers over one denominator: a sum of fractions would look for common divisors at every step.
    scale = math.lcm(*[value.denominator for value in values])
    whole = [sign * value.numerator * (scale // value.denominator) for value in values]
    return Fraction(sign * whole_mean(whole, counts, moved), scale * moved.denominator * sum(counts))


def whole_mean(values: Sequence[int], counts: Sequence[int], moved: Fraction) -> int:
    """The smallest mean of whole numbers, times the denominator of the moved mass and the number of states."""
    unit, left = moved.denominator, moved.numerator * sum(counts)
    total = left * min(values)
    for value, count in sorted(zip(values, counts, strict=True), reverse=True):
        taken = min(left, count * unit)
        left -= taken
        total += (count * unit - taken) * value
    return total


def least_means(values: Matrix, shares: Vector, moved: float) -> Vector:
    """The same in doubles for many maps at once: one map per row, one group per column."""
    maps, groups = values.shape
    # So many at a time stay near the processor.
    piece = max(PIECE // groups**2, 1)
    means = np.empty(maps)
    for start in range(0, maps, piece):
        # Maps last, so that every operation runs along many of them.
        part = np.ascontiguousarray(values[start : start + piece].T)
        capped = shares @ np.minimum(part[:, None], part).reshape(groups, -1)
        # The best cap is one of the values: above it lies no more than the moved mass.
        best = (capped.reshape(part.shape) - moved * part).max(axis=0)
        means[start : start + piece] = best + moved * part.min(axis=0)
    return means


def worst_utilities(instance: Instance, lower: Matrix) -> Vector:
    """The worst utilities of many maps in doubles, within the instance's margin."""
    return least_means(lower, instance.shares, float(instance.moved))


def worst_risks(instance: Instance, upper: Matrix) -> Vector:
    """The worst risks of many maps in doubles, within the instance's margin."""
    return -least_means(-upper, instance.shares, float(instance.moved))
