"""Expected utilities, and their aggregates over a population."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def expected_utility(policy: Matrix, values: Matrix) -> Vector:
    """E_g(pi, s) = sum_a pi(a|s) Q_g(s, a). What overflows is infinite, which the checks name."""
    with np.errstate(over="ignore", invalid="ignore"):
        utility: Vector = (policy * values).sum(axis=1)
    return utility


def mean(values: Vector) -> float:
    """The mean; the sum is exact before it is rounded and divided. NaN where a value is not finite."""
    if not np.isfinite(values).all():
        return math.nan
    try:
        return math.fsum(values.tolist()) / len(values)
    except OverflowError:
        return float(sum(map(Fraction, values.tolist()), Fraction(0)) / len(values))


@dataclass(frozen=True)
class Aggregate:
    """One policy over one population."""

    states: int
    weak: float
    strong: float
    delta: float
    delta_min: float
    delta_max: float
    crossings: int


def aggregate(weak: Vector, strong: Vector, delta: Vector, crossed: Mask) -> Aggregate:
    """The summary of one policy's rows. There must be at least one."""
    return Aggregate(
        states=len(weak),
        weak=mean(weak),
        strong=mean(strong),
        delta=mean(delta),
        delta_min=float(delta.min()),
        delta_max=float(delta.max()),
        crossings=int(crossed.sum()),
    )
