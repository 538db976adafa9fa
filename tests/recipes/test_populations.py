"""Which rows a table is about: declared populations, printed names, and bundles that declare neither."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import sealtrace
from sealtrace.bundle.content import document_digest
from sealtrace.bundle.sealing import seal
from sealtrace.contract.result import Result
from support import ROOT, copy_of

MEAN = {"metric": "mean", "of": "score", "where": {"system": "{System}"}}
PART = {"name": "rest", "where": {"part": "rest"}, "sentence": "The two questions that were kept back."}


def study(directory: Path, cell: str, recipe: dict[str, Any] = MEAN, **more: Any) -> Path:
    """The study of three systems with one table of one row."""
    bundle = copy_of(ROOT / "tests" / "conformance" / "grades", directory)
    columns = [{"label": "System"}, {"label": "Score", "recipe": recipe}]
    table = {"label": "tab:results", "columns": columns, "rows": [{"label": "ours", "cells": ["ours", cell]}], **more}
    (bundle / "report" / "table.results.json").write_text(json.dumps(table))
    return bundle


def declared(bundle: Path, **more: Any) -> Path:
    path = bundle / "declare" / "dataset.answers.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **more}))
    return bundle


def judged(bundle: Path) -> Result:
    seal(bundle, empty={"all": "Nothing belongs here."})
    return sealtrace.verify(bundle)


def test_a_declared_population_is_listed_with_the_number_without_it(tmp_path: Path) -> None:
    report = judged(declared(study(tmp_path, "0.665", population="rest"), populations=[PART]))
    assert report.verdict == "verified"
    (note,) = [one.message for one in report.findings if one.check == "table.recipes"]
    assert "population rest (part is rest): 12 of 48 rows of answers; without it ours has 0.64125." in note
    assert "The two questions that were kept back." in note
    (formula,) = report.formulas
    assert formula.subject == "Score"
    assert "mean of score in answers where system is {System} and part is rest" in formula.formula
    assert "12 of 48 rows of answers; without it ours has 0.64125" in formula.formula


def test_what_a_row_stands_for_is_shown_beside_the_table(tmp_path: Path) -> None:
    """A declared name is not taken for the entity that it looks like."""
    bundle = study(tmp_path, "0.641", rows=[{"label": "Our method", "cells": ["Our method", "0.641"]}])
    recipe = {**MEAN, "where": {"system": "{s}"}}
    table = json.loads((bundle / "report/table.results.json").read_text())
    table["columns"][1]["recipe"], table["rows"][0]["arguments"] = recipe, {"s": "ours"}
    (bundle / "report/table.results.json").write_text(json.dumps(table))
    (bundle / "declare/names.json").write_text(json.dumps({"printed": {"system": {"Our method": "ours"}}}))
    report = judged(bundle)
    assert report.verdict == "verified"
    assert report.formulas[0].formula.endswith("Our method is system ours")


def test_a_population_reads_no_result(tmp_path: Path) -> None:
    by_result = {**PART, "where": {"bucket": "1"}}
    report = judged(declared(study(tmp_path, "0.643", population="rest"), populations=[by_result]))
    assert report.verdict == "findings"
    assert any("reads bucket, which is a result" in one.message for one in report.findings)


def test_queries_see_the_rows_of_the_population(tmp_path: Path) -> None:
    recipe = {"sql": "SELECT avg(score) FROM answers"}
    report = judged(declared(study(tmp_path, "0.665", recipe, population="rest"), populations=[PART]))
    assert report.verdict == "verified"


def test_queries_see_the_rows_that_the_table_prints(tmp_path: Path) -> None:
    assert judged(study(tmp_path, "0.641", {"sql": "SELECT avg(score) FROM answers"})).verdict == "verified"


def test_a_caption_may_say_which_seed_is_meant(tmp_path: Path) -> None:
    recipe = {**MEAN, "where": {"system": "{System}", "seed": "2"}}
    assert judged(study(tmp_path / "with", "0.655", recipe, caption="Scores with seed 2.")).verdict == "verified"
    assert judged(study(tmp_path / "without", "0.655", recipe, caption="Scores.")).verdict == "findings"


def test_a_declared_name_stands_for_its_entity(tmp_path: Path) -> None:
    bundle = study(tmp_path, "0.641", {**MEAN, "where": {"system": "ours"}})
    path = bundle / "report" / "table.results.json"
    path.write_text(path.read_text().replace('"ours", "0.641"', '"Ours (large)", "0.641"'))
    assert judged(copy_of(bundle, tmp_path / "undeclared")).verdict == "findings"
    names = {"printed": {"system": {"Ours (large)": "ours"}}}
    (bundle / "declare" / "names.json").write_text(json.dumps(names))
    assert judged(bundle).verdict == "verified"


def test_a_declared_constant_may_be_compared_with(tmp_path: Path) -> None:
    recipe = {"sql": "SELECT avg((score > 0.6)::INT) FROM answers"}
    assert judged(study(tmp_path / "undeclared", "0.875", recipe)).verdict == "findings"
    bundle = study(tmp_path / "declared", "0.875", recipe)
    (bundle / "declare" / "names.json").write_text(json.dumps({"printed": {}, "constants": {"threshold": "0.6"}}))
    assert judged(bundle).verdict == "verified"


def test_undeclared_restrictions_of_an_older_bundle_are_open(tmp_path: Path) -> None:
    """A bundle of contract 0.1 is read; what its recipes restrict without a declaration is not verified."""
    recipe = {**MEAN, "where": {"system": "{System}", "part": "rest"}}
    bundle = study(tmp_path, "0.665", recipe)
    assert judged(bundle).verdict == "findings"
    manifest = json.loads((bundle / "manifest.json").read_text())
    older = {name: value for name, value in manifest.items() if name not in ("contract", "root_sha256")}
    older["root_sha256"] = document_digest(older)
    sums, data = bundle / "SHA256SUMS", (bundle / "manifest.json").read_bytes()
    (bundle / "manifest.json").write_text(json.dumps(older))
    new = hashlib.sha256((bundle / "manifest.json").read_bytes()).hexdigest()
    sums.write_text(sums.read_text().replace(hashlib.sha256(data).hexdigest(), new))
    report = sealtrace.verify(bundle)
    assert report.verdict == "incomplete"
    assert [cell.status for cell in report.numbers if cell.column == "Score"] == ["missing"]
