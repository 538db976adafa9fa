"""Maps whose thresholds lie in given ranges, and the options that they can still use."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .instance import Mask, Matrix
from .problem import SIDES, Problem, Ranks

LEAST, CAP = 0, 1
"""The two thresholds of a side: its smallest value, and the value above which moved mass is taken away."""

Range = tuple[int, int]
"""The smallest and the largest rank that a threshold may have."""


@dataclass
class Cell:
    """Options in columns, those that are still open first; thresholds by side and kind at 2 * side + kind."""

    box: list[Range]
    options: npt.NDArray[np.int64]
    open: Mask
    ranks: Ranks
    values: Matrix

    def copy(self) -> Cell:
        """A cell to be narrowed on its own: the arrays are replaced and never written to."""
        return replace(self, box=list(self.box))

    def close(self, keep: Mask) -> None:
        """Keeps some of the open options, and drops the columns that no group needs any more."""
        counts = keep.sum(axis=1)
        width = int(counts.max())
        if width == keep.shape[1]:
            self.open = keep
            return
        order = np.argsort(~keep, axis=1, kind="stable")[:, :width]
        self.options = np.take_along_axis(self.options, order, axis=1)
        self.ranks = np.take_along_axis(self.ranks, order[None], axis=2)
        self.values = np.take_along_axis(self.values, order[None], axis=2)
        self.open = np.arange(width) < counts[:, None]


def everything(problem: Problem) -> Cell:
    """The cell of all maps."""
    groups, width = problem.usable.shape
    box = [(0, len(problem.levels[side]) - 1) for side in SIDES for _ in (LEAST, CAP)]
    options = np.broadcast_to(np.arange(width), (groups, width))
    cell = Cell(box, options, problem.usable, problem.ranks, problem.values)
    cell.close(problem.usable)
    return cell


def narrow(problem: Problem, cell: Cell) -> bool:
    """Drops options outside the ranges and tightens the ranges to the options; False where no map is left."""
    # Once is enough: a tightened range never excludes an option that is still open.
    keep = cell.open & (cell.ranks[0] >= cell.box[LEAST][0]) & (cell.ranks[1] >= cell.box[2 + LEAST][0])
    if not keep.any(axis=1).all():
        return False
    lowest = np.where(keep, cell.ranks, np.iinfo(np.int64).max).min(axis=2)
    highest = np.where(keep, cell.ranks, -1).max(axis=2)
    caps = _caps(problem, np.concatenate([lowest, highest]))
    for side in SIDES:
        present = cell.ranks[side][keep]
        least = (int(lowest[side].min()), int(highest[side].min()))
        for axis, bounds in ((2 * side + LEAST, least), (2 * side + CAP, (caps[side], caps[2 + side]))):
            tight = _tightened(present, cell.box[axis], bounds)
            if tight is None:
                return False
            cell.box[axis] = tight
    cell.close(keep)
    return True


def _caps(problem: Problem, ranks: Ranks) -> list[int]:
    """The caps of many maps: in each the smallest value above which there is no more than the moved mass."""
    order = np.argsort(-ranks, axis=1)
    beyond = np.cumsum(problem.masses[order], axis=1) > problem.moved_mass
    first = np.where(beyond.any(axis=1), beyond.argmax(axis=1), ranks.shape[1] - 1)
    rows = np.arange(len(ranks))
    caps: list[int] = ranks[rows, order[rows, first]].tolist()
    return caps


def _tightened(present: Ranks, old: Range, bounds: Range) -> Range | None:
    """The smallest range around the present ranks in two ranges; a threshold is always some option's value."""
    inside = present[(present >= max(old[0], bounds[0])) & (present <= min(old[1], bounds[1]))]
    return (int(inside.min()), int(inside.max())) if len(inside) else None
