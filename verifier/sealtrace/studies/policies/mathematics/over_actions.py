"""The formulas over actions, once for all rows: actions are the first axis, and the others may be any.

Rows that are held have their actions side by side and pass transposes; shards have a column per action. Sums run over
actions in order, so that both get the same doubles. What overflows or is undefined becomes inf or NaN: callers ignore
numpy's warnings, and name those states.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Mask, Matrix, Vector

UNIT = 2.0**-53
"""The relative rounding error of one operation on doubles."""


def total(parts: Sequence[Matrix] | Matrix) -> Matrix:
    """The sum over actions, in order."""
    result: Matrix = parts[0] + parts[1] if len(parts) > 1 else parts[0].copy()
    for part in parts[2:]:
        result += part
    return result


def exponentials(logits: Matrix, legal: Mask | None) -> Matrix:
    """exp(z - max z) over legal actions, all where None, zero elsewhere; NaN where there is no finite maximum."""
    # Appendix A.3: what is subtracted from every logit cancels, and exp of at most 0 cannot overflow.
    bounded = logits if legal is None else np.where(legal, logits, -np.inf)
    weights: Matrix = bounded - reduce(np.maximum, bounded)
    return np.exp(weights, out=weights)


def top_actions(values: Sequence[Vector] | Matrix, legal: Sequence[Mask | None] | Mask) -> npt.NDArray[np.int8]:
    """The place of the largest legal value; the earliest legal action among equals. All are legal where None."""
    masked = [
        value if allowed is None else np.where(allowed, value, -np.inf)
        for value, allowed in zip(values, legal, strict=True)
    ]
    best = masked[0]
    chosen = np.zeros(best.shape, np.int8)
    for place, value in enumerate(masked[1:], 1):
        np.putmask(chosen, value > best, place)
        best = np.maximum(best, value)
    return chosen


def expected(policy: Matrix, values: Matrix) -> Matrix:
    """E = sum_a pi(a|s) Q(s, a). Given pi - pi_0 instead of pi, d."""
    found = total(policy * values)
    # A sum of negative zeros is zero without a sign, as numpy's own sums are.
    found += 0.0
    return found


def difference_error(size: Vector, actions: int) -> Vector:
    """How far sum_a (pi - pi_0) Q may be rounded, where `size` is sum_a (|pi| + |pi_0|) |Q| or more."""
    # Each difference, each product and each addition rounds once; the bound is generous by design.
    return (actions + 3) * UNIT * size + np.finfo(np.float64).tiny * actions
