"""Recipes in SQL that prove nothing are attested; those that read records are judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sealtrace
from sealtrace.bundle.sealing import seal
from sealtrace.recipes.sql import SqlRecords
from sealtrace.recipes.sql_syntax import SqlUnfinishedError
from support import ROOT, copy_of

EMPTY_PROOFS = [
    "WITH label AS (SELECT 99.9 AS x) SELECT x FROM label",
    "SELECT 99.9 FROM label LIMIT 1",
    "SELECT max(99.9) FROM label",
    "SELECT CASE WHEN count(*) > 0 THEN 99.9 ELSE 0 END FROM label",
    "SELECT count(*) * 0 + 99.9 FROM label",
    "SELECT CAST('{label}' AS DOUBLE) FROM label LIMIT 1",
    "SELECT CAST('{Other}' AS DOUBLE) FROM label LIMIT 1",
    "SELECT list_max([avg(score), 99.9]) FROM prediction",
]
READING = {
    "SELECT count(*) FROM label": "400",
    "SELECT count(DISTINCT label) FROM label": "4",
    "SELECT max(score) FROM prediction": "1.000",
}


SELF = "SELECT CAST('{itself}' AS DOUBLE) FROM label LIMIT 1"


@pytest.fixture(scope="module")
def statuses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The status of a cell with each recipe, all in one row, in a copy of the shipped study of predictions."""
    bundle = copy_of(ROOT / "bundles" / "classification" / "bundle", tmp_path_factory.mktemp("queries"))
    (bundle / "report" / "table.results.json").unlink()
    printed = {**dict.fromkeys(EMPTY_PROOFS, "99.9"), **READING, SELF: "99.9"}
    columns = [{"label": "itself" if sql == SELF else sql, "recipe": {"sql": sql}} for sql in printed]
    table = {
        "label": "tab:asked",
        "columns": [*columns, {"label": "Other"}],
        "rows": [{"label": "99.9", "cells": [*printed.values(), "99.9"]}],
    }
    (bundle / "report" / "table.per-class.json").write_text(json.dumps(table))
    cells = sealtrace.verify(bundle, check=["table"]).numbers
    return {cell.column or "": cell.status for cell in cells}


@pytest.mark.parametrize("sql", EMPTY_PROOFS)
def test_a_query_that_gives_the_same_whatever_the_records_hold_is_attested(sql: str, statuses: dict[str, str]) -> None:
    """It names records and computes with none."""
    assert statuses[sql] == "attested"


@pytest.mark.parametrize("sql", READING)
def test_a_query_that_reads_records_is_judged(sql: str, statuses: dict[str, str]) -> None:
    """Counts, distinct counts and extremes move with the records."""
    assert statuses[sql] in ("exact", "mismatch")


def test_a_result_may_not_select_itself(statuses: dict[str, str]) -> None:
    """A cell that is read by its own recipe is no evidence."""
    assert statuses["itself"] == "missing"


def test_a_query_whose_records_are_gone_is_told_so(tmp_path: Path) -> None:
    """A file that the bundle lost makes cells missing, with its name; nobody has to mend a recipe."""
    bundle = copy_of(ROOT / "bundles" / "classification" / "bundle", tmp_path)
    (bundle / "bank" / "run.jsonl").unlink()
    report = sealtrace.verify(bundle)
    assert {finding.check for finding in report.findings if finding.severity == "error"} == {"identity.listing"}
    cells = next(check for check in report.checks if check.id == "table.cells")
    assert (cells.status, "bank/run.jsonl cannot be read" in (cells.reason or "")) == ("missing", True)


def test_a_query_that_the_clock_ends_leaves_its_cell_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others on a machine may leave a verdict incomplete, but never turn it into an error of the authors."""

    def late(*_: object, **__: object) -> None:
        raise SqlUnfinishedError("the query took longer than 30 s, and was ended")

    monkeypatch.setattr(SqlRecords, "query", late)
    bundle = copy_of(ROOT / "bundles" / "classification" / "bundle", tmp_path)
    report = sealtrace.verify(bundle)
    assert report.verdict == "incomplete"
    assert "missing" in {cell.status for cell in report.numbers}


BUT_ONE = "SELECT avg(score) FROM answers WHERE system <> 'ours'"


@pytest.mark.parametrize("row", ["ours", "w/o ours", "base"])
def test_a_query_that_leaves_out_a_value_is_refused(row: str, tmp_path: Path) -> None:
    """What a query leaves out is a restriction that no label prints: it is declared as a population."""
    bundle = copy_of(ROOT / "tests" / "conformance" / "answers", tmp_path)
    columns = [{"label": "System"}, {"label": "Score", "recipe": {"sql": BUT_ONE}}]
    table = {"label": "tab:results", "columns": columns, "rows": [{"label": row, "cells": [row, "0.58"]}]}
    (bundle / "report" / "table.results.json").write_text(json.dumps(table))
    seal(bundle, empty={"all": "Nothing belongs here."})
    assert sealtrace.verify(bundle).verdict == "findings"
