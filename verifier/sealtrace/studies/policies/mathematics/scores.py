"""What policies reach at states and over populations, how far they are from their teacher, and which scales pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sealtrace.mathematics import Mask, Matrix, Vector
from sealtrace.mathematics.exact import mean
from sealtrace.studies.policies.mathematics.over_actions import expected


def expected_utility(policy: Matrix, values: Matrix) -> Vector:
    """E_g(pi, s) = sum_a pi(a|s) Q_g(s, a). What overflows is infinite, which the checks name."""
    with np.errstate(over="ignore", invalid="ignore"):
        return expected(policy.T, values.T)


def teacher_kl(teacher: Matrix, policy: Matrix, clip: float) -> Vector:
    """KL(teacher || policy) per state, the policy's mass clipped below."""
    # Without the clip one action that the policy never takes would make the whole mean infinite.
    bounded = np.maximum(policy, clip)
    with np.errstate(divide="ignore", invalid="ignore"):
        # 0 log 0 is 0: what the teacher never does costs nothing.
        terms = np.where(teacher > 0, teacher * np.log(teacher / bounded), 0.0)
    divergence: Vector = terms.sum(axis=1)
    return divergence


def teacher_regret(teacher: Matrix, policy: Matrix, values: Matrix) -> Vector:
    """max(0, V_T - sum_a pi Q_T) per state, with V_T = sum_a pi_T Q_T."""
    with np.errstate(over="ignore", invalid="ignore"):
        regret: Vector = np.maximum(0.0, expected(teacher.T, values.T) - expected(policy.T, values.T))
    return regret


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
        # Of the differences, not a difference of the means: that would be rounded three times.
        delta=mean(delta),
        delta_min=float(delta.min()),
        delta_max=float(delta.max()),
        crossings=int(crossed.sum()),
    )


@dataclass(frozen=True)
class ScaleChoice:
    """What a rule admits and what it takes."""

    certified: tuple[Fraction, ...]
    """In order of the grid."""
    chosen: Fraction | None
    """None: NO-CERTIFIED-CANDIDATE."""


def empirical_zero(grid: Sequence[Fraction], crossings: Sequence[int]) -> ScaleChoice:
    """alpha_zero = max{alpha in G : k_alpha = 0}."""
    # Section 3.4: the largest scale, whatever its utility, since this baseline knows none.
    certified = tuple(scale for scale, count in zip(grid, crossings, strict=True) if count == 0)
    return ScaleChoice(certified, max(certified, default=None))
