"""A new statistic is one entry: it is listed, recipes compute it, and `check` finds it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from cli.runner import sealtrace as command
from results.small_results import write_study
from sealtrace.binding.checking import concluded, examine
from sealtrace.bundle.sealing import seal
from sealtrace.paper.names.statistics import named_in
from sealtrace.paper.papers import read_paper
from sealtrace.statistics.entries import OF_ROWS
from sealtrace.statistics.table import OF_PACKS, STATISTICS, TRIED, Statistic, StatisticKind, register, variants_of

MIDRANGE = Statistic(
    "midrange",
    "middle between the least and the greatest value",
    StatisticKind.ORDER,
    "values",
    ("of",),
    OF_ROWS,
    ("midrange", "mid-range"),
    exact=lambda values: (Fraction(min(values)) + Fraction(max(values))) / 2,
    sql="(min({x}) + max({x})) / 2",
)
HITS_TWICE = Statistic(
    "doubled_hits",
    "twice the rows whose label is the true one",
    StatisticKind.ITEMS,
    "labels",
    ("of",),
    (*OF_ROWS, "against"),
    ("doubled hits",),
    unit="count",
    exact=lambda counts: 2 * counts.hits.sum(),
    sql="2 * count(*) FILTER ({true} = {given})",
)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    register(MIDRANGE, HITS_TWICE)
    yield
    for entry in (MIDRANGE, HITS_TWICE):
        del OF_PACKS[entry.pack, entry.name], STATISTICS[entry.name]
        for variant in variants_of(entry):
            del TRIED[entry.reads][variant.key]


def test_it_is_listed_and_named_by_headings() -> None:
    """`metrics` lists it, and a heading with its word names it."""
    listed = {one["name"]: one["formula"] for one in json.loads(command("metrics", "--format", "json").output)}
    assert listed["midrange"] == MIDRANGE.formula
    assert named_in("Mid-range of the loss") == [MIDRANGE]


def test_a_recipe_computes_it(tmp_path: Path) -> None:
    """As a metric over the rows of a dataset; ours has confidences from 0.60 to 0.79, and 52 of 60 answers right."""
    study = write_study(tmp_path / "study")
    recipes: list[tuple[dict[str, Any], str]] = [
        ({"metric": "midrange", "of": "confidence", "where": {"system": "ours"}}, "0.695"),
        ({"metric": "doubled_hits", "of": "answer", "where": {"system": "ours"}}, "104"),
    ]
    rows = [
        {"label": f"r{n}", "cells": [text], "recipes": {"Value": recipe}} for n, (recipe, text) in enumerate(recipes)
    ]
    document = {"label": "tab:new", "columns": [{"label": "Value"}], "rows": rows}
    (study / "report/table.new.json").write_text(json.dumps(document))
    seal(study, empty={"all": "Only results are reported."})
    found = [cell for cell in sealtrace.verify(study).numbers if cell.table == "tab:new"]
    assert [(cell.printed, cell.status) for cell in found] == [(text, "exact") for _, text in recipes]


def test_check_finds_it(tmp_path: Path) -> None:
    """A column that its word heads is explained by it, although no other statistic gives these numbers."""
    losses = {
        "alder": [0.4312, 0.5127, 0.9871], "birch": [0.2213, 0.7719, 0.3345],
        "cedar": [0.6123, 0.1458, 0.1999], "elm": [0.8417, 0.3391, 0.7003],
    }  # fmt: skip
    (tmp_path / "results").mkdir()
    lines = [f"{name},{seed},{value}" for name, values in losses.items() for seed, value in enumerate(values)]
    (tmp_path / "results/runs.csv").write_text("\n".join(["model,seed,loss", *lines]) + "\n")
    cells = [f"{name} & {(min(values) + max(values)) / 2:.4f} \\\\" for name, values in losses.items()]
    paper = tmp_path / "paper.tex"
    paper.write_text(
        "\\begin{table}\\caption{Losses.}\\label{tab:l}\\begin{tabular}{lr}\n Model & Midrange loss \\\\ \\hline\n"
        + "\n".join(cells)
        + "\n\\end{tabular}\\end{table}\n"
    )
    check = concluded(examine(read_paper(paper), "paper.tex", tmp_path / "results", seconds=600))
    assert [one.status for one in check.numbers] == ["explained"] * 4
    assert [(one.statistic, one.formula) for one in check.formulas] == [
        ("midrange", "midrange of loss in runs.csv, by model")
    ]
