"""What an option contributes to the worst mean of its side, at most, for every map of a cell.

The worst mean is moved * least + sum of share * min(value, cap) - moved * cap at the map's own
thresholds. Since shares sum to one, moved * least and moved * cap can be spread over the groups; each
group then takes the best that the ranges allow. Where the ranges are points nothing is lost.
"""

from __future__ import annotations

import numpy as np

from .cell import CAP, LEAST, Cell
from .instance import Matrix
from .problem import SIDES, Problem


def contributions(problem: Problem, cell: Cell) -> Matrix:
    """The contributions of side, group and option in doubles; meaningless where an option is closed."""
    shares = problem.instance.shares[:, None]
    parts = []
    for side in SIDES:
        level, values = problem.doubles[side], cell.values[side]
        low, high = (level[rank] for rank in cell.box[2 * side + CAP])
        least = level[cell.box[2 * side + LEAST][1]]
        part = np.minimum(values, high) + problem.moved * (np.minimum(values, least) - np.clip(values, low, high))
        parts.append(shares * part)
    return np.stack(parts)


def exact_contribution(value: int, mass: int, moved: tuple[int, int], cap: tuple[int, int], least: int) -> int:
    """The same for one option in whole numbers: scaled by the denominator of the moved mass."""
    part, unit = moved
    clipped = min(max(value, cap[0]), cap[1])
    return mass * (unit * min(value, cap[1]) + part * (min(value, least) - clipped))


def settled(problem: Problem, cell: Cell) -> bool:
    """Whether the contributions of a map of the cell sum to its very worst means."""
    return problem.moved == 0 or all(low == high for low, high in cell.box)
