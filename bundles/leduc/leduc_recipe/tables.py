"""The paper's table as it printed it, and this study's own tables."""

from __future__ import annotations

from typing import Any

from leduc_recipe.profiles import CHECKPOINTS, DIGITS, ORDERS, PRINTED, Checkpoint
from leduc_recipe.values import worth

PAPER = {
    "Uniform": ("2.0875", "2.6597", "-0.0781", "4.7472", "2.3736"),
    "1": ("2.8555", "2.3022", "-0.8533", "5.1577", "2.5789"),
    "10": ("0.5747", "0.7484", "-0.1307", "1.3231", "0.6615"),
    "100": ("-0.0394", "0.1270", "-0.0813", "0.0876", "0.0438"),
    "1000": ("-0.0787", "0.0924", "-0.0853", "0.0136", "0.0068"),
}
"""The 25 numbers of the paper's table, as strings."""

COLUMNS: dict[str, dict[str, Any]] = {
    "BR0": {"metric": "best_response", "arguments": {"profile": "{profile}", "player": "0"}},
    "BR1": {"metric": "best_response", "arguments": {"profile": "{profile}", "player": "1"}},
    "u_0": {"metric": "profile_value", "arguments": {"profile": "{profile}"}},
    "NashConv": {"metric": "nash_conv", "arguments": {"profile": "{profile}"}},
    "Exploit.": {"metric": "exploitability", "arguments": {"profile": "{profile}"}},
}
VARIANT = (
    "the variant of CFR+: both players updated in one sweep, regrets floored once a sweep, and update t's own policy "
    "averaged with the weight t under the player's reach"
)
ORDER = (
    "the order of floating-point operations, on which the fourth decimal depends after a thousand updates: "
    "six orders of adding up the same nine deals give a NashConv between 0.013623 and 0.013861, which print as 0.0136, "
    "0.0137, 0.0138 or 0.0139, and runs with 77 and with 154 decimal digits both give 0.013868 (tab:arithmetic)"
)


def paper_table() -> dict[str, Any]:
    """The paper's cells. What its text leaves out is named beside each cell that needs it."""
    rows: list[dict[str, Any]] = []
    for label, cells in PAPER.items():
        row = _row(label, "uniform" if label == "Uniform" else f"cfr+{label}", list(cells))
        if label == "Uniform":
            row["recipes"] = {"Profile": {}}
        else:
            unstated = [VARIANT, ORDER] if label == str(max(PRINTED)) else [VARIANT]
            row["recipes"] = {name: _recipe(name, row["arguments"]["profile"], unstated) for name in COLUMNS}
        rows.append(row)
    rows[-1]["marks"] = {"NashConv": "best", "Exploit.": "best"}
    return {
        "label": "tab:leduc",
        "caption": "The paper's numbers, judged against the profiles of this study: best responses, the value of the "
        "profile for player 0, NashConv, and half of it. Profiles are named by CFR+ iterations.",
        "columns": [{"label": "Profile", "recipe": ITERATIONS}, *_columns(marked=True)],
        "rows": rows,
    }


def curve_table(made: dict[str, Checkpoint]) -> dict[str, Any]:
    """This study's own: more checkpoints of the same run, with two more digits."""
    return {
        "label": "tab:curve",
        "caption": "This study's: checkpoints of the run that gave the profiles of tab:leduc.",
        "columns": [{"label": "Iterations", "recipe": ITERATIONS}, *_columns()],
        "rows": [_row(str(done), f"cfr+{done}", _computed(made[f"cfr+{done}"], 6)) for done in CHECKPOINTS],
    }


def arithmetic_table(made: dict[str, Checkpoint]) -> dict[str, Any]:
    """This study's own: what a thousand iterations give when only the arithmetic differs."""
    last = max(PRINTED)
    labels = {"doubles, deals in the order J Q K": f"cfr+{last}"}
    labels |= {f"doubles, deals in the order {' '.join(order)}": f"cfr+{last} {order}" for order in ORDERS}
    labels |= {f"{digits} decimal digits": f"cfr+{last} {digits} digits" for digits in DIGITS}
    return {
        "label": "tab:arithmetic",
        "caption": f"This study's: the average after {last} iterations of the same algorithm. Rows differ in the order "
        "in which the nine deals are added up, or in the number of digits.",
        "columns": [{"label": "Arithmetic"}, *_columns()],
        "rows": [_row(label, profile, _computed(made[profile], 6)) for label, profile in labels.items()],
    }


ITERATIONS = {"metric": "run_setting", "arguments": {"run": "{profile}", "setting": "iterations"}}


def _columns(*, marked: bool = False) -> list[dict[str, Any]]:
    lower = {"direction": "lower"} if marked else {}
    return [
        {"label": name, "recipe": recipe, **(lower if name in ("NashConv", "Exploit.") else {})}
        for name, recipe in COLUMNS.items()
    ]


def _row(label: str, profile: str, cells: list[str]) -> dict[str, Any]:
    return {"label": label, "cells": [label, *cells], "arguments": {"profile": profile}}


def _recipe(column: str, profile: str, unstated: list[str]) -> dict[str, Any]:
    recipe = COLUMNS[column]
    return {**recipe, "arguments": {**recipe["arguments"], "profile": profile}, "undisclosed": unstated}


def _computed(checkpoint: Checkpoint, decimals: int) -> list[str]:
    found = worth(checkpoint.policy)
    values = (found.best_response_0, found.best_response_1, found.value, found.nash_conv, found.nash_conv / 2)
    return [f"{value:.{decimals}f}" for value in values]
