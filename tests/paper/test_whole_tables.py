"""One query may fill a whole table."""

from __future__ import annotations

import json
from pathlib import Path

import sealtrace
from sealtrace.bundle.sealing import seal
from support import ROOT, copy_of, unseal

QUERY = """
SELECT label AS "Class", count(*) AS "Items", count(*) / sum(count(*)) OVER () AS "Share"
FROM label WHERE split = 'test' GROUP BY label ORDER BY label
"""


def with_table(tmp_path: Path, sql: str, rows: list[list[str]]) -> Path:
    """The records of the classification bundle with a table of ours."""
    bundle = copy_of(ROOT / "bundles" / "classification" / "bundle", tmp_path)
    for other in bundle.glob("report/table.*.json"):
        other.unlink()
    record = {
        "label": "tab:whole",
        "caption": "Classes of the test split.",
        "recipe": {"sql": sql},
        "columns": [{"label": "Class"}, {"label": "Items"}, {"label": "Share"}],
        "rows": [{"label": row[0], "cells": row} for row in rows],
    }
    (bundle / "report/table.whole.json").write_text(json.dumps(record))
    unseal(bundle)
    seal(bundle, empty={"all": "nothing to freeze"})
    return bundle


def counted() -> list[list[str]]:
    """What the labels give, counted without SQL."""
    lines = (ROOT / "bundles/classification/bundle/declare/label.test.jsonl").read_text().splitlines()
    labels = [json.loads(line)["label"] for line in lines]
    return [
        [name, str(labels.count(name)), f"{labels.count(name) / len(labels):.3f}"]
        for name in sorted(set(labels), key=str.encode)
    ]


def test_a_query_fills_a_table(tmp_path: Path) -> None:
    """Cells without a recipe of their own take their row and the column of their name."""
    rows = counted()
    report = sealtrace.verify(with_table(tmp_path, QUERY, rows))
    statuses = [cell.status for cell in report.numbers if cell.table == "tab:whole"]
    assert len(statuses) == 2 * len(rows)
    assert set(statuses) <= {"exact", "tie"}
    assert report.verdict == "verified"


def test_a_wrong_cell_is_found(tmp_path: Path) -> None:
    """And only that one."""
    rows = counted()
    rows[1][1] = str(int(rows[1][1]) + 1)
    report = sealtrace.verify(with_table(tmp_path, QUERY, rows))
    assert [(cell.row, cell.column) for cell in report.numbers if cell.status == "mismatch"] == [(rows[1][0], "Items")]


def test_a_query_of_another_shape_is_refused(tmp_path: Path) -> None:
    """Too few rows, or no column of that name."""
    for sql in (f"{QUERY} LIMIT 2", QUERY.replace('"Items"', '"Number"')):
        report = sealtrace.verify(with_table(tmp_path / str(len(sql)), sql, counted()))
        assert "table.recipes" in {check.id for check in report.checks if check.status == "fail"}
