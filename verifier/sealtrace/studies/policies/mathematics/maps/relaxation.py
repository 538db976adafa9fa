"""What an option contributes to the worst mean of its side, at most, for every map of a cell.

The worst mean is moved * least + sum of share * min(value, cap) - moved * cap at the map's own
thresholds. Since shares sum to one, moved * least and moved * cap can be spread over the groups; each
group then takes the best that the ranges allow. Where the ranges are points nothing is lost.
"""

from __future__ import annotations

import numpy as np

from .cell import CAP, LEAST, Cell, Cells
from .instance import Matrix
from .problem import SIDES, Problem


def contributions(problem: Problem, cells: Cells) -> Matrix:
    """The contributions of cell, side, group and option in doubles; meaningless where an option is closed."""
    limits = np.stack([problem.doubles[side][cells.boxes[:, 2 * side : 2 * side + 2]] for side in SIDES], axis=1)
    low, high, least = (limits[:, :, kind, end, None, None] for kind, end in ((CAP, 0), (CAP, 1), (LEAST, 1)))
    capped = np.minimum(problem.values, high)
    parts: Matrix = np.minimum(problem.values, least)
    parts -= np.maximum(capped, low)
    parts *= problem.moved
    parts += capped
    parts *= problem.instance.shares[:, None]
    return parts


def exact_contribution(value: int, mass: int, moved: tuple[int, int], cap: tuple[int, int], least: int) -> int:
    """The same for one option in whole numbers: scaled by the denominator of the moved mass."""
    part, unit = moved
    clipped = min(max(value, cap[0]), cap[1])
    return mass * (unit * min(value, cap[1]) + part * (min(value, least) - clipped))


def settled(problem: Problem, cell: Cell) -> bool:
    """Whether the contributions of a map of the cell sum to its very worst means."""
    return problem.moved == 0 or bool((cell.box[:, 0] == cell.box[:, 1]).all())
