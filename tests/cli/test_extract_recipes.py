"""Recipes that `sealtrace extract` fills in."""

from __future__ import annotations

import json
from pathlib import Path

from cli.runner import sealtrace

PAPER = "| Model | Accuracy |\n|---|---|\n| one | 0.50 |\n"


def test_extract_fills_recipes_in(tmp_path: Path) -> None:
    """By table and column; one without a place, or one that the schema refuses, is a mistake."""
    paper, recipes = tmp_path / "paper.md", tmp_path / "recipes.json"
    paper.write_text(PAPER)
    label = json.loads(sealtrace("extract", paper).output)[0]["label"]
    recipe = {"sql": "SELECT 1 FROM label"}
    recipes.write_text(json.dumps({label: {"Accuracy": recipe}}))
    (record,) = json.loads(sealtrace("extract", paper, "--recipes", recipes).output)
    assert [column["recipe"] for column in record["columns"]] == [{"classification": "name"}, recipe]
    for wrong, said in (
        ({"tab:other": {}}, "the paper has no table 'tab:other'"),
        ({label: {"Precision": recipe}}, "has no column 'Precision'; there are 'Model', 'Accuracy'"),
        ({label: {"Accuracy": {"query": "SELECT 1"}}}, "Accuracy: a recipe has no field 'query'"),
        ([], "an object of tables"),
    ):
        recipes.write_text(json.dumps(wrong))
        run = sealtrace("extract", paper, "--recipes", recipes, "-o", tmp_path / "report")
        assert (run.code, run.output) == (2, "")
        assert said in run.errors
    assert not (tmp_path / "report").exists()
    recipes.write_text("{")
    assert sealtrace("extract", paper, "--recipes", recipes).code == 2
    assert sealtrace("extract", paper, "--recipes", tmp_path / "nowhere").code == 2
