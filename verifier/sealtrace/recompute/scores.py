"""Expected utilities, and their aggregates over a population."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def expected_utility(policy: Matrix, values: Matrix) -> Vector:
    """E_g(pi, s) = sum_a pi(a|s) Q_g(s, a)."""
    utility: Vector = (policy * values).sum(axis=1)
    return utility


def mean(values: Vector) -> float:
    """The mean, rounded once: the sum is exact before the division."""
    return math.fsum(values.tolist()) / len(values)


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
