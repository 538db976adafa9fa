"""A multiplier on the budget, and the bound that it gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .cell import CAP, LEAST, Cell
from .instance import Mask, Matrix
from .problem import SIDES, Problem

STEPS = 60
"""More than the search for a multiplier ever needs; a worse multiplier is valid too."""


@dataclass
class Bound:
    """No map of a cell is better than its ceiling, and none that uses an option than ceiling less its loss."""

    multiplier: float
    ceiling: float
    """Rounding errors included."""
    losses: Matrix
    """By group and option: infinite where the option is closed."""
    least_loss: float
    """What every map of the cell loses at least, because its thresholds are values of its options."""
    safe: npt.NDArray[np.intp]
    """The columns of the best map on the safe side of the multiplier."""

    def hopeful(self, target: float) -> Mask:
        """The options that a map may use and still reach the target."""
        mask: Mask = self.losses <= self.ceiling - target
        return mask


def bound(problem: Problem, cell: Cell, parts: Matrix) -> Bound | None:
    """The bound of the best multiplier; None where no map of the cell keeps the budget."""
    margin = problem.instance.rounding
    gain, safety = np.where(cell.open, parts[0], -np.inf), np.where(cell.open, parts[1], 0.0)
    found = _best_multiplier(gain, safety, np.where(cell.open, parts[1], -np.inf), problem.budget, margin)
    if found is None:
        return None
    multiplier, safe = found
    scores = gain + multiplier * safety
    top = scores.max(axis=1)
    losses = top[:, None] - scores
    ceiling = float(top.sum()) + multiplier * problem.budget + margin * (1 + multiplier)
    return Bound(multiplier, ceiling, losses, _least_loss(problem, cell, losses), safe)


def _best_multiplier(
    gain: Matrix, safety: Matrix, reach: Matrix, budget: float, margin: float
) -> tuple[float, npt.NDArray[np.intp]] | None:
    """The minimum of a convex function: where the lines of an unsafe and a safe map cross, until no map is above."""
    rows = np.arange(len(gain))
    safe = reach.argmax(axis=1)
    safe_sum, safe_gain = float(safety[rows, safe].sum()), float(gain[rows, safe].sum())
    if safe_sum < -budget - margin:
        return None
    risky = gain.argmax(axis=1)
    risky_sum, risky_gain = float(safety[rows, risky].sum()), float(gain[rows, risky].sum())
    if risky_sum >= -budget or risky_sum >= safe_sum:
        return 0.0, risky
    multiplier = 0.0
    for _ in range(STEPS):
        multiplier = max((risky_gain - safe_gain) / (safe_sum - risky_sum), 0.0)
        best = (gain + multiplier * safety).argmax(axis=1)
        best_sum, best_gain = float(safety[rows, best].sum()), float(gain[rows, best].sum())
        if best_gain + multiplier * best_sum <= risky_gain + multiplier * risky_sum + margin:
            break
        if best_sum >= -budget:
            safe, safe_sum, safe_gain = best, best_sum, best_gain
        else:
            risky_sum, risky_gain = best_sum, best_gain
        if risky_sum >= safe_sum:
            break
    return multiplier, safe


def _least_loss(problem: Problem, cell: Cell, losses: Matrix) -> float:
    """The loss of the best option that can set a threshold, for the threshold where that is largest."""
    if problem.moved == 0:
        return 0.0
    least = []
    for side in SIDES:
        ranks = cell.ranks[side]
        low, high = cell.box[2 * side + CAP]
        least.append(losses[ranks <= cell.box[2 * side + LEAST][1]].min())
        least.append(losses[(ranks >= low) & (ranks <= high)].min())
    return float(max(least))
