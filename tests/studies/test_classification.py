"""A study without policies: its bundle comes from its recipe, and its SQL gives its printed tables."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sealtrace
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.sealing import seal
from sealtrace.paper.numbers import read_printed
from sealtrace.recipes.judgement import CellStatus, judge
from sealtrace.recipes.sql import SqlRecords, numbers
from shown import commands
from studies.test_rebuild import different_bytes
from support import ROOT, copy_of, edit_rows, shipped_report, unseal

STUDY = ROOT / "bundles" / "classification"
BUNDLE = STUDY / "bundle"
TABLES = {
    table["label"]: table
    for table in (json.loads(path.read_bytes()) for path in sorted((BUNDLE / "report").glob("table.*.json")))
}
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def rebuild(directory: Path) -> None:
    """Builds the bundle as its README says: the recipe is no part of the installed package."""
    command = [sys.executable, "-m", "classification_recipe", str(directory)]
    subprocess.run(command, env=ENVIRONMENT | {"PYTHONPATH": str(STUDY)}, check=True)


def test_rebuild(tmp_path: Path) -> None:
    """The recipe uses no function that platforms round differently, so it gives the sealed bytes everywhere."""
    rebuild(tmp_path / "bundle")
    assert different_bytes(BUNDLE, tmp_path / "bundle") == set()


def test_rebuild_refuses_to_overwrite() -> None:
    """A sealed bundle is not written over."""
    with pytest.raises(subprocess.CalledProcessError):
        rebuild(BUNDLE)


@pytest.fixture(scope="module")
def records() -> Iterator[SqlRecords]:
    """The sealed rows of the study, by kind."""
    stores = read_bundle(BUNDLE).stores
    kinds = {store.kind for store in stores}
    tables = {kind: pa.concat_tables(store.table for store in stores if store.kind == kind) for kind in kinds}
    with SqlRecords(tables) as opened:
        yield opened


def filled(sql: str, texts: dict[str, str]) -> str:
    """A query with the row's texts in place of columns in braces."""
    return re.sub(r"\{(\w+)\}", lambda match: texts[match.group(1)].replace("'", "''"), sql)


def cells() -> Iterator[Any]:
    """Every cell that has a recipe: its table, its place, its text and the recipe."""
    for label, table in TABLES.items():
        names = [column["label"] for column in table["columns"]]
        for place, row in enumerate(table["rows"]):
            texts = dict(zip(names, row["cells"], strict=True))
            for column in table["columns"]:
                recipe = row.get("recipes", {}).get(column["label"]) or column.get("recipe")
                if recipe:
                    name = f"{label}-{row['label']}-{column['label']}"
                    yield pytest.param(table, place, texts, column["label"], recipe, id=name)


@pytest.mark.parametrize(("table", "place", "texts", "column", "recipe"), list(cells()))
def test_sql_gives_the_printed_cell(
    table: dict[str, Any],
    place: int,
    texts: dict[str, str],
    column: str,
    recipe: dict[str, Any],
    records: SqlRecords,
) -> None:
    """SQL and plain Python, written apart, agree to the last printed digit."""
    result = records.query(filled(recipe["sql"], texts))
    rows = numbers(result)
    assert len(rows) in (1, len(table["rows"]))
    row = rows[place] if len(rows) > 1 else rows[0]
    values = tuple(value * (100 if recipe.get("percent") else 1) for value in row if value is not None)
    printed = read_printed(texts[column])
    assert printed is not None
    assert judge(printed, values).status is CellStatus.EXACT
    assert result.reads <= {"label", "prediction", "run"}
    assert result.reads


def test_every_form_of_recipe_is_shown() -> None:
    """The tables are an example for others: each form of answer occurs, and so does a quote in a name."""
    assert len(list(cells())) == 35
    recipes = [column.get("recipe", {}) for table in TABLES.values() for column in table["columns"]]
    assert any(recipe.get("percent") for recipe in recipes)
    assert any("{" in recipe.get("sql", "") for recipe in recipes)
    assert any("sql" in recipe and "{" not in recipe["sql"] for recipe in recipes)
    assert any("'" in row["label"] for row in TABLES["tab:per-class"]["rows"])
    marks = {mark for row in TABLES["tab:results"]["rows"] for mark in row.get("marks", {}).values()}
    assert marks == {"best", "second"}


def test_verified() -> None:
    """The verifier follows every recipe."""
    report = shipped_report("classification")
    assert report.verdict == "verified"
    assert [cell.status for cell in report.numbers] == ["exact"] * 35


def test_one_changed_prediction_is_found(tmp_path: Path) -> None:
    """Sealed anew, so that only the tables can tell: one wrong answer more among 720."""
    unseal(copy_of(BUNDLE, tmp_path))

    def spoil(rows: list[dict[str, Any]]) -> None:
        right = {
            row["item"]: row["label"]
            for row in map(json.loads, (BUNDLE / "declare/label.test.jsonl").read_text(encoding="utf-8").splitlines())
        }
        row = next(row for row in rows if row["model"] == "linear/seed-1" and row["predicted"] == right[row["item"]])
        row["predicted"] = "oak" if row["predicted"] != "oak" else "pine"

    edit_rows(tmp_path / "bundle" / "report" / "prediction.jsonl", spoil)
    seal(tmp_path / "bundle", empty={"all": "A benchmark of classifiers."})
    report = sealtrace.verify(tmp_path / "bundle")
    assert report.verdict == "findings"
    changed = {(cell.table, cell.row, cell.column) for cell in report.numbers if cell.status != "exact"}
    assert ("tab:results", "linear", "Errors") in changed
    assert {"linear"} == {row if table == "tab:results" else column for table, row, column in changed}


def test_readme_commands(tmp_path: Path) -> None:
    """A reader may type every command of the study's README, one after the other."""
    (tmp_path / "bundles").symlink_to(ROOT / "bundles")
    shown = commands(STUDY / "README.md")
    assert len(shown) == 7
    for command in shown:
        command.run(tmp_path)
