"""Maps whose thresholds lie in given ranges, and the options that they can still use; many cells at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .instance import Mask
from .problem import SIDES, Problem, Ranks

LEAST, CAP = 0, 1
"""The two thresholds of a side: its smallest value, and the value above which moved mass is taken away."""
AXES = tuple(2 * side + kind for side in SIDES for kind in (LEAST, CAP))


@dataclass
class Cell:
    """The range of ranks of every threshold, of side and kind at 2 * side + kind, and the open options."""

    box: Ranks
    open: Mask


@dataclass
class Cells:
    """The same for many cells, one per row."""

    boxes: Ranks
    open: Mask

    def __getitem__(self, row: int) -> Cell:
        return Cell(self.boxes[row], self.open[row])

    def only(self, rows: Mask) -> Cells:
        """Some of the cells."""
        return Cells(self.boxes[rows], self.open[rows])


def together(cells: Sequence[Cell]) -> Cells:
    """Cells to be worked on at the same time."""
    return Cells(np.stack([cell.box for cell in cells]), np.stack([cell.open for cell in cells]))


def everything(problem: Problem) -> Cell:
    """The cell of all maps."""
    ranges = [(0, len(problem.levels[axis // 2]) - 1) for axis in AXES]
    return Cell(np.array(ranges, dtype=np.int32), problem.usable)


def narrow(problem: Problem, cells: Cells) -> Mask:
    """Drops options outside the ranges and tightens the ranges to the options; False where no map is left."""
    # Once is enough: a tightened range never excludes an option that is still open.
    floors = cells.boxes[:, LEAST::2, 0, None, None]
    keep = cells.open & (problem.ranks >= floors).all(axis=1)
    alive = all_groups(keep)
    sides = keep[:, None]
    lowest = np.where(sides, problem.ranks, problem.beyond).min(axis=3)
    highest = np.where(sides, problem.ranks, -1).max(axis=3)
    boxes = np.empty_like(cells.boxes)
    for end, ranks in enumerate((lowest, highest)):
        boxes[:, LEAST::2, end] = ranks.min(axis=2)
        boxes[:, CAP::2, end] = _caps(problem, ranks)
    boxes[:, :, 0] = np.maximum(boxes[:, :, 0], cells.boxes[:, :, 0])
    boxes[:, :, 1] = np.minimum(boxes[:, :, 1], cells.boxes[:, :, 1])
    # A threshold is always some option's value.
    inside = inside_ranges(problem, boxes) & sides
    boxes[:, :, 0] = np.where(inside, problem.axis_ranks, problem.beyond).min(axis=(2, 3))
    boxes[:, :, 1] = np.where(inside, problem.axis_ranks, -1).max(axis=(2, 3))
    cells.boxes, cells.open = boxes, keep
    left: Mask = alive & np.all(boxes[:, :, 1] >= 0, axis=1)
    return left


def all_groups(open_options: Mask) -> Mask:
    """By cell: whether every group has an open option."""
    every: Mask = np.all(np.any(open_options, axis=2), axis=1)
    return every


def inside_ranges(problem: Problem, boxes: Ranks) -> Mask:
    """By cell, axis, group and option: whether the option's value lies in the range."""
    ranks = problem.axis_ranks
    inside: Mask = (ranks >= boxes[:, :, 0, None, None]) & (ranks <= boxes[:, :, 1, None, None])
    return inside


def _caps(problem: Problem, ranks: Ranks) -> Ranks:
    """The caps of many maps: in each the smallest value above which there is no more than the moved mass."""
    order = np.argsort(-ranks, axis=-1)
    beyond = np.cumsum(problem.masses[order], axis=-1) > problem.moved_mass
    # All the mass is moved where nothing lies beyond: then the cap is the smallest value.
    first = np.where(beyond.any(axis=-1), beyond.argmax(axis=-1), ranks.shape[-1] - 1)
    chosen = np.take_along_axis(order, first[..., None], axis=-1)
    caps: Ranks = np.take_along_axis(ranks, chosen, axis=-1)[..., 0]
    return caps
