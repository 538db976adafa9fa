"""The fixture's printed tables as records: the strings of the paper, and how records give each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]

POLICIES = {
    "Top-1": "top-1",
    "Anchor": "anchor",
    "Active query": "active-query",
    "Residual (1.00)": "residual@1",
    "Residual (0.08)": "residual@0.08",
    "Res. (1.00)": "residual@1",
    "Res. (0.08)": "residual@0.08",
    "T1": "top-1",
    "A": "anchor",
    "AQ": "active-query",
    "R1": "residual@1",
    "R.08": "residual@0.08",
}
SPLITS = {"C": "calibration", "H": "held-out", "All": "all"}
ACTIONS = {"F": "fold", "C": "call", "Raise": "raise"}

SEEDS = "the seed of each row: 13 plus ten for each place in the table's order, and two more for held-out rows"
PERCENTILE = "which order statistics of the sorted means are the interval's ends"
CLIP = "the clip of the policy's probabilities in the divergence, 1e-12"
KL_DIRECTION = "that the divergence is from teacher to policy"
REGRET = "that regret is clipped at zero state by state"
QUERY = "that an accepted query gives the anchor"
CHARGES = "the charge of each ledger event"


def recipe(metric: str, *undisclosed: str, **arguments: str) -> Row:
    """A named metric with its arguments."""
    result: Row = {"metric": metric, "arguments": arguments}
    return result | ({"undisclosed": list(undisclosed)} if undisclosed else {})


def columns() -> dict[str, list[Row]]:
    """Label of a table to its columns' recipes and directions, in order."""
    grid, named = "residual@{Scale}", "{policy}"
    return {
        "tab:state-inventory": [
            {"recipe": recipe("state", state="{ID}")},
            *({} for _ in range(3)),
            {"recipe": recipe("observation", state="{ID}", field="pot")},
            {"recipe": recipe("observation", state="{ID}", field="stack")},
            *({} for _ in range(2)),
        ],
        "tab:main": [
            {"recipe": recipe("scale", policy=grid)},
            {"recipe": recipe("weak_ev", policy=grid), "direction": "higher"},
            {"recipe": recipe("strong_delta", policy=grid)},
            {"recipe": recipe("crossings", policy=grid, population="calibration")},
            {"recipe": recipe("crossings", policy=grid, population="held-out")},
            {"recipe": recipe("strong_delta", policy=grid, population="held-out")},
        ],
        "tab:scale-full": [
            {"recipe": recipe("scale", policy=grid)},
            {"recipe": recipe("weak_ev", policy=grid)},
            {"recipe": recipe("strong_ev", policy=grid)},
            {"recipe": recipe("strong_delta", policy=grid)},
            {"recipe": recipe("delta_min", policy=grid)},
            {"recipe": recipe("delta_max", policy=grid)},
            {"recipe": recipe("crossings", policy=grid)},
        ],
        "tab:scale-split": [
            {"recipe": recipe("scale", policy=grid)},
            {},
            {"recipe": recipe("strong_delta", policy=grid, population="{population}")},
            {"recipe": recipe("crossings", policy=grid, population="{population}")},
            {"recipe": recipe("crossing_rate", policy=grid, population="{population}")},
            {
                "recipe": recipe(
                    "delta_interval", SEEDS, PERCENTILE, policy=grid, population="{population}", schedule="split"
                )
            },
        ],
        "tab:controls": [
            {},
            {"recipe": recipe("weak_ev", QUERY, policy=named), "direction": "higher"},
            {"recipe": recipe("teacher_kl", CLIP, KL_DIRECTION, policy=named, clip="1e-12"), "direction": "lower"},
            {"recipe": recipe("teacher_regret", REGRET, policy=named), "direction": "lower"},
            {"recipe": recipe("strong_delta", policy=named)},
            {"recipe": recipe("crossings", policy=named), "direction": "lower"},
        ],
        "tab:policy-ci": [
            {},
            {"recipe": recipe("strong_delta", policy=named)},
            {"recipe": recipe("delta_interval", SEEDS, PERCENTILE, policy=named, schedule="full-fixture")},
            {"recipe": recipe("crossings", policy=named)},
        ],
        "tab:costs": [
            {},
            {"recipe": recipe("query_rate", policy=named)},
            {"recipe": recipe("tokens", CHARGES, policy=named)},
            {"recipe": recipe("latency_ms", CHARGES, policy=named)},
            {"recipe": recipe("tool_calls", policy=named)},
        ],
        "tab:rows-delta": [
            {"recipe": recipe("state", state="{ID}")},
            {},
            *(
                {"recipe": recipe("marked_delta", policy=POLICIES[name], state="{ID}")}
                for name in ("Top-1", "Anchor", "Active query", "Res. (1.00)", "Res. (0.08)")
            ),
        ],
        "tab:rows-ev": [
            {"recipe": recipe("state", state="{ID}")},
            {},
            *(
                {"recipe": recipe(metric, policy=POLICIES[name], state="{ID}")}
                for metric in ("weak_ev", "strong_ev")
                for name in ("T1", "A", "AQ", "R1", "R.08")
            ),
        ],
        "tab:probabilities": [
            {"recipe": recipe("state", state="{ID}")},
            *(
                {"recipe": recipe("probability", policy=policy, state="{ID}", action=action)}
                for policy in ("anchor", "residual@0.08")
                for action in ("fold", "call", "raise")
            ),
        ],
    }


def summary_recipe(row: str, column: Row) -> Row | None:
    """The mean and count rows below the per-state tables."""
    if "recipe" not in column or row not in ("Mean", "Count"):
        return None
    policy = column["recipe"]["arguments"].get("policy")
    if policy is None:
        return {}
    if row == "Count":
        return recipe("crossings", policy=policy)
    metric = {"marked_delta": "strong_delta"}.get(column["recipe"]["metric"], column["recipe"]["metric"])
    return recipe(metric, policy=policy)


def table_records() -> list[Row]:
    """Every printed table of the fixture, and the numbers of the text about it."""
    printed = json.loads((Path(__file__).parent / "printed.json").read_text(encoding="utf-8"))
    by_label = columns()
    return [_table(label, table, by_label[label]) for label, table in printed["tables"].items()] + [
        _passage(printed["source"], printed["text"])
    ]


def _table(label: str, table: Row, settings: list[Row]) -> Row:
    rows = []
    for printed in table["rows"]:
        row = dict(printed)
        first, second = row["cells"][:2]
        own = {
            name: found
            for name, column in zip(table["columns"], settings, strict=True)
            if (found := summary_recipe(first, column)) is not None
        }
        if own:
            row["recipes"] = own
        if first in POLICIES:
            row["arguments"] = {"policy": POLICIES[first]}
        if label == "tab:scale-split":
            row["arguments"] = {"population": SPLITS[second]}
        if label == "tab:main":
            # The caption marks the best only among scales without a calibration crossing.
            row["among"] = "no crossing" if row["cells"][3] == "0/12" else "crossing"
        rows.append(row)
    return {
        "label": label,
        "source": table["source"],
        "columns": [{"label": name} | column for name, column in zip(table["columns"], settings, strict=True)],
        "rows": rows,
    }


def _passage(source: str, text: list[Row]) -> Row:
    return {
        "label": "text",
        "caption": "Numbers of the running text about the fixture.",
        "source": source,
        "columns": [{"label": "Number"}],
        "rows": [
            {
                "label": one["label"],
                "cells": [one["printed"]],
                "line": one["line"],
                "recipes": {"Number": one["recipe"]},
            }
            for one in text
        ],
    }
