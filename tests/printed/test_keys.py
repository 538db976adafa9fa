"""Which columns name rows: labels are no results."""

from __future__ import annotations

from typing import Any

import pytest

from sealtrace.printed.cells import cells_of, key_columns


def record(columns: list[str], *rows: list[str], labels: list[str] | None = None) -> dict[str, Any]:
    """A table record."""
    names = labels or [row[0] for row in rows]
    return {
        "label": "tab:t",
        "columns": [{"label": label} for label in columns],
        "rows": [{"label": label, "cells": row} for label, row in zip(names, rows, strict=True)],
    }


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        (record(["Model", "Acc."], ["0.5B", "0.61"], ["3B", "0.74"]), {"Model"}),
        (record(["Year", "Yield"], ["2023", "3.2"], ["2024", "3.4"]), {"Year"}),
        (record(["Scale", "EV"], ["0.00", "4.2"], ["0.04", "4.1"], ["0.08", "4.3"]), {"Scale"}),
        (record(["", "EV"], ["0.12", "4.2"], ["0.04", "4.1"]), {""}),
        (record(["Field", "Tons"], ["North", "3.2"], ["South", "4.5"]), {"Field"}),
        (
            record(["Task", "Model", "Acc."], ["A", "0.5B", "0.6"], ["A", "3B", "0.7"], labels=["A / 0.5B", "A / 3B"]),
            {"Task", "Model"},
        ),
        (
            record(["Task", "Acc.", "F1"], ["A", "0.6", "0.5"], ["A", "0.7", "0.4"], labels=["A / 0.6", "A / 0.7"]),
            {"Task"},
        ),
        (record(["Accuracy", "F1"], ["0.91", "0.88"]), set()),
        (record(["Accuracy", "F1"], ["91%", "88%"], ["92%", "89%"]), set()),
        (record(["Field", "n", "Tons"], ["North", "12", "3.2"], ["South", "30", "4.5"]), {"Field"}),
    ],
    ids=["size", "year", "scale", "blank", "words", "two-keys", "result-tells-apart", "one-row", "percent", "count"],
)
def test_key_columns(table: dict[str, Any], keys: set[str]) -> None:
    """Sizes, years and settings at the left name rows; results do not, even where only they tell rows apart."""
    assert key_columns(table) == keys
    assert {cell.column for cell in cells_of(table, "table.t.json") if cell.key} == keys
