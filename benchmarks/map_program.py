"""The map problem as a mixed-integer program, for a general solver to be compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from sealtrace.studies.policies.mathematics.maps.instance import Instance


@dataclass(frozen=True)
class Found:
    """What the solver reached within its time."""

    utility: float | None
    """The best worst utility found, if any."""
    gap: float
    """The relative gap that it could not close."""


def solve(instance: Instance, seconds: float) -> Found:
    """Maximizes the worst utility within the budget, to a relative gap of 1e-9 or until the time is up.

    Beside one binary per option there are, for utility and risk each: the least (most) value, the cap
    (floor), and one capped (floored) value per group.
    """
    assert instance.budget is not None, "without a budget there is nothing to solve"
    groups, width = instance.lower.shape
    binaries, moved = groups * width, float(instance.moved)
    least, cap, most, floor = binaries, binaries + 1, binaries + 2, binaries + 3
    capped, floored = binaries + 4, binaries + 4 + groups
    variables = binaries + 4 + 2 * groups

    rows: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []
    lows: list[float] = []
    highs: list[float] = []

    def add(entries: dict[int, float], low: float, high: float, options: tuple[int, object] | None = None) -> None:
        row = np.zeros(variables)
        if options is not None:
            row[options[0] * width : (options[0] + 1) * width] = options[1]
        for variable, weight in entries.items():
            row[variable] += weight
        rows.append(row)
        lows.append(low)
        highs.append(high)

    for group in range(groups):
        lower, upper = instance.lower[group], instance.upper[group]
        add({}, 1, 1, (group, np.ones(width)))
        add({least: -1}, 0, np.inf, (group, lower))
        add({capped + group: -1}, 0, np.inf, (group, lower))
        add({capped + group: -1, cap: 1}, 0, np.inf)
        add({most: -1}, -np.inf, 0, (group, upper))
        add({floored + group: -1}, -np.inf, 0, (group, upper))
        add({floored + group: -1, floor: 1}, -np.inf, 0)
    shares = instance.shares.tolist()
    risk = {floored + group: share for group, share in enumerate(shares)}
    add({**risk, most: moved, floor: -moved}, -np.inf, float(instance.budget))

    cost = np.zeros(variables)
    cost[capped : capped + groups] = instance.shares
    cost[least], cost[cap] = moved, -moved
    highest = np.ones(variables)
    highest[:binaries] = instance.admissible.ravel()
    found = milp(
        -cost,
        integrality=np.arange(variables) < binaries,
        bounds=Bounds(np.zeros(variables), highest),
        constraints=LinearConstraint(np.array(rows), np.array(lows), np.array(highs)),
        options={"time_limit": seconds, "mip_rel_gap": 1e-9},
    )
    return Found(None if found.x is None else -float(found.fun), float(found.mip_gap or 0.0))
