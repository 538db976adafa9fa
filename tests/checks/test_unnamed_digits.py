"""Numbers that vanish: whatever holds a digit is accounted for, unless it is declared a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sealtrace
from sealtrace.bundle.sealing import seal
from sealtrace.contract.result import Result
from sealtrace.paper.model import Table
from sealtrace.recipes.cells import cells_of
from small_study import small_study
from support import Row, unseal


def printing(directory: Path, *rows: list[str], columns: list[Row] | None = None, names: Row | None = None) -> Result:
    """What is said of the smallest study with a table of these rows, of which the first cell is the label."""
    bundle = small_study(directory / "bundle")
    record = {
        "label": "tab:t",
        "columns": columns or [{"label": "System"}, {"label": "Score"}],
        "rows": [{"label": row[0], "cells": row} for row in rows],
    }
    (bundle / "report").mkdir()
    (bundle / "report" / "table.t.json").write_text(json.dumps(record))
    if names is not None:
        (bundle / "declare/names.json").write_text(json.dumps({"printed": names}))
    unseal(bundle)
    seal(bundle, empty={"all": "Only labels are kept."})
    return sealtrace.verify(bundle)


@pytest.mark.parametrize(
    "text",
    [
        "99.9 pts",
        "p=0.001",
        "N=500",
        r"\textbf{99.9}",
        "score 99.9",
        "v99.9-final",
        "l.08/m.12",
        "ten of 12",
        "½",
        "９９",
    ],
)
def test_a_digit_is_accounted_for(text: str, tmp_path: Path) -> None:
    """Nobody said how it follows from records, whatever stands around it."""
    report = printing(tmp_path, ["ours", text])
    assert (report.verdict, report.coverage.statuses.get("unclassified")) == ("incomplete", 1)


def test_words_are_counted_as_text(tmp_path: Path) -> None:
    """Nothing is owed for them, and they are counted."""
    report = printing(tmp_path, ["ours", "yes"], ["theirs", "n/a"], ["others", ""])
    assert (report.coverage.numbers, report.coverage.wordy, report.coverage.names) == (0, 4, 0)


def test_a_declared_name_is_counted_as_such(tmp_path: Path) -> None:
    """A version is a name where the bundle's names have it; one that nothing has is owed."""
    columns: list[Row] = [{"label": "System"}, {"label": "Version", "recipe": {"classification": "name"}}]
    names = {"version": {"v1.2": "1.2"}}
    report = printing(tmp_path, ["ours-2B", "v1.2"], ["theirs", "3.4"], columns=columns, names=names)
    coverage = report.coverage
    assert (coverage.numbers, coverage.names, coverage.declared_names, coverage.wordy) == (1, 2, 1, 1)
    assert coverage.statuses == {"unclassified": 1}


def test_a_name_is_not_the_best(tmp_path: Path) -> None:
    """What the paper calls better or worse is a result."""
    columns: list[Row] = [
        {"label": "System"},
        {"label": "Score", "direction": "higher", "recipe": {"classification": "name"}},
    ]
    report = printing(tmp_path, ["ours", "99.9"], columns=columns)
    assert {one.id for one in report.checks if one.status == "fail"} == {"table.recipes"}


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("GPT-4", "name"),
        ("99.9", "number"),
        (r"\textbf{99.9}", "number"),
        ("97 %", "number"),
        ("12 13", "number"),
        ("p=0.001", "number"),
    ],
)
def test_a_label_with_words_is_a_name(label: str, role: str) -> None:
    """The row's label declares what the row is called; a bare number in front of a row is no name by itself."""
    record = {
        "label": "tab:t",
        "columns": [{"label": "Model"}, {"label": "Score"}],
        "rows": [{"label": label, "cells": [label, "1"]}],
    }
    assert next(cells_of(Table.of(record, "t.json"))).role == role
