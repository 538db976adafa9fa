"""Recipes in SQL that prove nothing are attested; those that read records are judged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import sealtrace
from support import ROOT

EMPTY_PROOFS = [
    "WITH label AS (SELECT 99.9 AS x) SELECT x FROM label",
    "SELECT 99.9 FROM label LIMIT 1",
    "SELECT max(99.9) FROM label",
    "SELECT CASE WHEN count(*) > 0 THEN 99.9 ELSE 0 END FROM label",
    "SELECT count(*) * 0 + 99.9 FROM label",
    "SELECT CAST('{label}' AS DOUBLE) FROM label LIMIT 1",
    "SELECT CAST('{Other}' AS DOUBLE) FROM label LIMIT 1",
]
READING = {
    "SELECT count(*) FROM label": "400",
    "SELECT count(DISTINCT label) FROM label": "4",
    "SELECT max(score) FROM prediction": "1.000",
}


def judged(tmp_path: Path, sql: str, printed: str) -> str:
    """The status of one cell with this recipe, in a copy of the shipped study of predictions."""
    bundle = tmp_path / "bundle"
    shutil.copytree(ROOT / "bundles" / "classification" / "bundle", bundle)
    path = bundle / "report" / "table.per-class.json"
    table = json.loads(path.read_text())
    table.pop("recipe", None)
    table["columns"] = [{"label": "Asked", "recipe": {"sql": sql}}, {"label": "Other"}]
    table["rows"] = [{"label": "99.9", "cells": [printed, "99.9"]}]
    path.write_text(json.dumps(table))
    cells = sealtrace.verify(bundle, check=["table"]).cells
    return next(cell.status for cell in cells if cell.table == table["label"] and cell.column == "Asked")


@pytest.mark.parametrize("sql", EMPTY_PROOFS)
def test_a_query_that_gives_the_same_whatever_the_records_hold_is_attested(sql: str, tmp_path: Path) -> None:
    """It names records and computes with none."""
    assert judged(tmp_path, sql, "99.9") == "attested"


@pytest.mark.parametrize(("sql", "printed"), READING.items())
def test_a_query_that_reads_records_is_judged(sql: str, printed: str, tmp_path: Path) -> None:
    """Counts, distinct counts and extremes move with the records."""
    assert judged(tmp_path, sql, printed) in ("exact", "mismatch")


def test_a_result_may_not_select_itself(tmp_path: Path) -> None:
    """A cell that is read by its own recipe is no evidence."""
    assert judged(tmp_path, "SELECT CAST('{Asked}' AS DOUBLE) FROM label LIMIT 1", "99.9") == "missing"
