"""How far a policy is from its teacher."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]


def teacher_kl(teacher: Matrix, policy: Matrix, clip: float) -> Vector:
    """KL(teacher || policy) per state, the policy's mass clipped below."""
    bounded = np.maximum(policy, clip)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(teacher > 0, teacher * np.log(teacher / bounded), 0.0)
    divergence: Vector = terms.sum(axis=1)
    return divergence


def teacher_regret(teacher: Matrix, policy: Matrix, values: Matrix) -> Vector:
    """max(0, V_T - sum_a pi Q_T) per state, with V_T = sum_a pi_T Q_T."""
    with np.errstate(over="ignore", invalid="ignore"):
        regret: Vector = np.maximum(0.0, (teacher * values).sum(axis=1) - (policy * values).sum(axis=1))
    return regret
