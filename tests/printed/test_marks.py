"""Best and second best."""

from __future__ import annotations

from typing import Any

from sealtrace.printed.cells import cells_of, wrong_marks


def problems(direction: str | None, rows: list[tuple[str, str | None]], among: list[str] | None = None) -> list[str]:
    """Rows whose mark is wrong, in a table of one column."""
    column: dict[str, Any] = {"label": "x"} | ({"direction": direction} if direction else {})
    record = {
        "label": "t",
        "columns": [column],
        "rows": [
            {"label": str(place), "cells": [text]}
            | ({"marks": {"x": mark}} if mark else {})
            | ({"among": among[place]} if among else {})
            for place, (text, mark) in enumerate(rows)
        ],
    }
    return [f"{problem.cell.row}: {problem.expected}" for problem in wrong_marks(list(cells_of(record, "t.json")))]


def test_right_marks() -> None:
    """Best, second, and no mark at all."""
    assert problems("higher", [("1.0", None), ("3.0", "best"), ("2.0", "second")]) == []
    assert problems("lower", [("1.0", "best"), ("3.0", None), ("2.0", None)]) == []
    assert problems("higher", [("1.0", None), ("3.0", None)]) == []
    assert problems(None, [("1.0", "best"), ("3.0", None)]) == []


def test_ties_share_a_mark() -> None:
    """Equal strings deserve the same mark."""
    assert problems("lower", [("0/24", "best"), ("0/24", "best"), ("3/24", None)]) == []
    assert problems("lower", [("0/24", "best"), ("0/24", None), ("3/24", None)]) == ["1: best"]
    assert problems("higher", [("2", "second"), ("3", "best"), ("2", "second")]) == []


def test_wrong_marks() -> None:
    """Both the undeserved and the missing mark are named."""
    assert problems("higher", [("1.0", "best"), ("3.0", None)]) == ["0: no mark", "1: best"]


def test_subsets_and_cells_without_numbers() -> None:
    """A declared subset is ranked by itself; n/a takes no part."""
    rows: list[tuple[str, str | None]] = [("1.0", "best"), ("0.5", None), ("9.0", None), ("n/a", None)]
    assert problems("higher", rows, ["a", "a", "b", "a"]) == []
