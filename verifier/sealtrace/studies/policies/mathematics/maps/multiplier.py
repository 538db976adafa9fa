"""Multipliers on the budget, one per cell, and the bounds that they give."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .cell import Cells, inside_ranges
from .instance import Mask, Matrix, Vector
from .problem import Problem

Columns = npt.NDArray[np.intp]

STEPS = 60
"""More than the search for a multiplier ever needs; a worse multiplier is valid too."""


@dataclass
class Bounds:
    """By cell: no map is better than the ceiling, and none that uses an option than ceiling less its loss."""

    possible: Mask
    """Whether a map of the cell may keep the budget; the rest is meaningless where none does."""
    multipliers: Vector
    ceilings: Vector
    """Rounding errors included."""
    losses: Matrix
    """By cell, group and option: infinite where the option is closed."""
    least_losses: Vector
    """What every map of the cell loses at least, because its thresholds are values of its options."""
    safe: Columns
    """By cell and group: the best map on the safe side of the multiplier."""

    @cached_property
    def best(self) -> Vector:
        """What no map of the cell surpasses."""
        return self.ceilings - self.least_losses

    def hopeful(self, target: float) -> Mask:
        """The options that a map may use and still reach the target."""
        mask: Mask = self.losses <= (self.ceilings - target)[:, None, None]
        return mask


def bound(problem: Problem, cells: Cells, parts: Matrix) -> Bounds:
    """The bounds of the best multipliers."""
    margin = problem.instance.rounding
    gain, safety = np.where(cells.open, parts[:, 0], -np.inf), np.where(cells.open, parts[:, 1], -np.inf)
    lines = _Lines(gain, parts[:, 1], problem.budget, margin)
    safe = lines.sums(safety.argmax(axis=2))
    possible = safe.safety >= -problem.budget - margin
    multipliers = lines.best_multipliers(safe, possible)
    scores = gain + multipliers[:, None, None] * parts[:, 1]
    top = scores.max(axis=2)
    losses = top[:, :, None] - scores
    ceilings = top.sum(axis=1) + multipliers * problem.budget + margin * (1 + multipliers)
    return Bounds(possible, multipliers, ceilings, losses, _least_losses(problem, cells, losses), safe.columns)


@dataclass
class _Maps:
    """One map per cell with its gain and its safety: a line in the multiplier."""

    columns: Columns
    gain: Vector
    safety: Vector

    def replace(self, rows: Mask, other: _Maps) -> None:
        """Takes the maps of another in some cells."""
        np.copyto(self.columns, other.columns, where=rows[:, None])
        np.copyto(self.gain, other.gain, where=rows)
        np.copyto(self.safety, other.safety, where=rows)


class _Lines:
    """All maps of many cells as lines in the multiplier: the minimum of their maximum is the best bound."""

    def __init__(self, gain: Matrix, safety: Matrix, budget: float, margin: float) -> None:
        self.gain, self.safety, self.budget, self.margin = gain, safety, budget, margin
        cells, groups, width = gain.shape
        self._starts = (np.arange(cells * groups) * width).reshape(cells, groups)

    def sums(self, columns: Columns) -> _Maps:
        """Maps with their gain and safety."""
        places = self._starts + columns
        return _Maps(columns, self.gain.take(places).sum(axis=1), self.safety.take(places).sum(axis=1))

    def best_multipliers(self, safe: _Maps, active: Mask) -> Vector:
        """Where the lines of a risky and a safe map cross, until no map is above; leaves the last safe maps."""
        risky = self.sums(self.gain.argmax(axis=2))
        multipliers = np.zeros(len(self.gain))
        idle = (risky.safety >= -self.budget) | (risky.safety >= safe.safety)
        safe.replace(idle, risky)
        active = active & ~idle
        for _ in range(STEPS):
            if not active.any():
                break
            steeper = np.where(active, safe.safety - risky.safety, 1.0)
            crossing = np.maximum((risky.gain - safe.gain) / steeper, 0.0)
            multipliers = np.where(active, crossing, multipliers)
            best = self.sums((self.gain + multipliers[:, None, None] * self.safety).argmax(axis=2))
            above = best.gain + multipliers * best.safety > risky.gain + multipliers * risky.safety + self.margin
            active &= above
            keeps = best.safety >= -self.budget
            safe.replace(active & keeps, best)
            risky.replace(active & ~keeps, best)
            active &= risky.safety < safe.safety
        return multipliers


def _least_losses(problem: Problem, cells: Cells, losses: Matrix) -> Vector:
    """The loss of the best option that can set a threshold, for the threshold where that is largest."""
    if problem.moved == 0:
        return np.zeros(len(losses))
    # A closed option's loss is infinite, so that it sets no threshold.
    setting = np.where(inside_ranges(problem, cells.boxes), losses[:, None], np.inf)
    least: Vector = setting.min(axis=(2, 3)).max(axis=1)
    return least
