"""Studies as authors write them from the documentation: what they print is verified, and nothing is excused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from sealtrace.bundle.sealing import seal

_NAMES = {"printed": {"arm": {"Drug": "drug", "Placebo": "placebo"}, "sex": {"Women": "female", "Men": "male"}}}
_PATIENTS = [
    {"patient": f"P{place}", "arm": ("drug", "placebo")[place % 2], "sex": ("female", "male")[place // 2 % 2],
     "change": round(-3.0 - 1.5 * (place % 2 == 0) + 0.7 * (place % 5), 1), "dose": 100 + 50 * (place % 3)}
    for place in range(24)
]  # fmt: skip


def verified(directory: Path, columns: list[dict[str, Any]], rows: list[list[str]], caption: str) -> Any:
    """The verdict on a trial with one table, whose numbers are those that its recipes give."""
    types = {name: {"type": "string" if isinstance(value, str) else "number"} for name, value in _PATIENTS[0].items()}
    types["dose"] = {"type": "integer"}
    fixed = ["arm", "sex", "dose"]
    for path, value in {
        "declare/protocol.json": {"study": "trial", "title": "A trial", "anonymous": False},
        "declare/names.json": _NAMES,
        "declare/dataset.patients.json": {
            "dataset": "patients", "row": {"type": "object", "properties": types, "required": list(types)},
            "key": ["patient"], "depends": [{"on": ["patient"], "fields": fixed}],
        },
        "report/table.t.json": {
            "label": "tab:t", "caption": caption, "columns": columns,
            "rows": [{"label": row[0], "cells": row} for row in rows],
        },
    }.items():  # fmt: skip
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    (directory / "report/rows.patients.jsonl").write_text("".join(json.dumps(row) + "\n" for row in _PATIENTS))
    seal(directory, empty={"all": "Nothing belongs here."})
    return sealtrace.verify(directory)


def of_arm(metric: str, arm: str, **more: object) -> dict[str, Any]:
    """A recipe for the patients of an arm."""
    return {"metric": metric, "of": "change", "where": {"arm": arm}, **more}


def test_subgroups_restrict_metrics_as_they_restrict_queries(tmp_path: Path) -> None:
    """One recipe for each column serves every subgroup, and `All`."""
    columns: list[dict[str, Any]] = [
        {"label": "Subgroup"},
        {"label": "n, Drug", "recipe": {"metric": "count", "where": {"arm": "drug"}}},
        {"label": "Mean change, Drug", "recipe": of_arm("mean", "drug")},
        {"label": "Difference, Drug − Placebo", "recipe": of_arm("mean", "drug", minus={"arm": "placebo"})},
        {
            "label": "Median change, Placebo",
            "recipe": {"sql": "SELECT median(change) FROM patients WHERE arm = 'placebo'"},
        },
    ]
    rows = [
        ["All", "12", "-3.22", "-1.61", "-1.6"],
        ["Women", "6", "-3.22", "-1.55", "-1.6"],
        ["Men", "6", "-3.22", "-1.67", "-1.6"],
    ]
    report = verified(tmp_path, columns, rows, "Change by subgroup.")
    given = {(one.row, one.column): one.given for one in report.numbers}
    assert given["All", "n, Drug"] == "12"
    assert given["Women", "n, Drug"] == "6"
    assert not [one for one in report.findings if one.check == "table.recipes"]


@pytest.mark.parametrize(
    ("heading", "recipe", "printed"),
    [
        ("Women (%)", {"metric": "rate", "of": "sex", "arguments": {"is": "female"}, "percent": True}, "50.0"),
        ("Total change", {"sql": "SELECT sum(change) FROM patients"}, "-57.2"),
        ("Variance of change", {"sql": "SELECT var_samp(change) FROM patients"}, "1.5"),
        ("Variance of change", {"metric": "variance", "of": "change"}, "1.5"),
        ("Mean log dose", {"sql": "SELECT avg(ln(dose)) FROM patients"}, "4.97"),
        ("χ² test p of sex and arm", {"metric": "chi_squared", "of": "sex", "against": "arm"}, "1.00"),
    ],
)
def test_headings_of_honest_recipes(tmp_path: Path, heading: str, recipe: dict[str, Any], printed: str) -> None:
    """No heading is said to name another statistic than its recipe computes."""
    report = verified(
        tmp_path, [{"label": "Group"}, {"label": heading, "recipe": recipe}], [["All", printed]], "Trial."
    )
    assert not [one.message for one in report.findings if one.check == "table.recipes"]


def test_numbers_that_are_declared_names_name_rows(tmp_path: Path) -> None:
    """A column of doses says which patients a row is of."""
    columns: list[dict[str, Any]] = [
        {"label": "Group"},
        {"label": "Dose (mg)", "recipe": {"classification": "name"}},
        {"label": "Patients", "recipe": {"sql": "SELECT count(*) FROM patients WHERE dose = '{Dose (mg)}'"}},
        {"label": "Mean change", "recipe": {"metric": "mean", "of": "change", "where": {"dose": "{Dose (mg)}"}}},
    ]
    rows = [[f"Dose {place}", str(dose), "8", "-2.30"] for place, dose in enumerate((100, 150, 200))]
    report = verified(tmp_path, columns, rows, "Change by dose.")
    assert not [one.message for one in report.findings if one.check == "table.recipes"]
