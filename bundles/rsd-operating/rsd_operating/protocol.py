"""What the second operating point declares: the stratified study's protocol, and what differs from it."""

from __future__ import annotations

from typing import Any

from rsd_stratified import protocol as stratified
from rsd_stratified.protocol import UTILITY_RANGES

GRID = stratified.GRID[1:]
"""Without scale 0: the anchor is a fallback, and a certificate has to be earned."""
REPEATS, CALIBRATION, HELD_OUT = 20, 512, 128
SHIFTS = ["deep-betting", "small-pots", "worse-tempers"]
FRESH = dict.fromkeys(["fresh-1", "fresh-2"], REPEATS // 2 * (CALIBRATION + HELD_OUT))
"""The states of all repeats, in two splits of moderate size."""
DRAWN = {"calibration": 512, "held-out": 512} | FRESH
"""Splits that are drawn as the population is, in the order in which they take their states."""
SHIFT_STATES = 512
SPLITS = DRAWN | dict.fromkeys(SHIFTS, SHIFT_STATES)
RADII = ("0", "0.05", "0.10", "0.20", "0.30", "0.50")
SIZES = (32, 64, 128, 256, 512)
BUDGETS = ("0.10", "0.12", "0.15", "0.20")
SWEPT = "linear"
"""The family of the sweeps: its smallest scale crosses often enough to be refused sometimes."""


def protocol() -> dict[str, Any]:
    """The protocol record."""
    shared = stratified.protocol()
    unused = ("assignment", "partition_classes")
    features = {name: rule for name, rule in shared["features"].items() if name != "stack_depth"}
    charges = {name: rule for name, rule in shared["charges"].items() if name != "student"}
    return {
        **{name: value for name, value in shared.items() if name not in unused},
        "study": "rsd-operating",
        "title": "A second operating point of the stratified study, at which its method has work to do",
        "splits": [
            {"name": name, "role": "calibration" if name == "calibration" else "held-out", "states": states}
            for name, states in SPLITS.items()
        ],
        "scale_grid": GRID,
        "features": features,
        "charges": charges,
        "boundary": shared["boundary"],
        "interfaces": {"teacher-backed": shared["interfaces"]["teacher-backed"]},
        "selectors": [
            {"name": "anchor", "rule": "anchor", "partition": "global"},
            {"name": "global-risk-only", "rule": "risk-only", "partition": "global"},
            {"name": "global-dual", "rule": "dual", "partition": "global"},
            {"name": "group-risk-only", "rule": "risk-only", "partition": "manual"},
            {"name": "group-dual", "rule": "dual", "partition": "manual"},
            {"name": "robust-group", "rule": "robust", "partition": "manual"},
        ],
        "ties": {name: rule for name, rule in shared["ties"].items() if name != "partition"},
        "certification": {
            **shared["certification"],
            "epsilon_group": "0.20",
            "epsilon_global": "0.10",
            "utility_range": UTILITY_RANGES["weak"],
            "partition": "manual",
        },
        "resampling": {
            "pool": list(FRESH),
            "repeats": REPEATS,
            "generator": "blocks",
            "calibration": CALIBRATION,
            "held_out": HELD_OUT,
        },
        "variants": {
            **{f"rho-{radius}": {"rho": radius} for radius in RADII},
            **{f"calibration-{states}": {"calibration": states, "families": [SWEPT]} for states in SIZES},
            **{f"epsilon-{budget}": {"epsilon": budget} for budget in BUDGETS},
            **{f"{SWEPT}-{budget}": {"epsilon": budget, "families": [SWEPT]} for budget in BUDGETS},
        },
    }
