"""Declarations that weaken what is checked: each is found, or said in the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sealtrace
from checks.mutations import MAIN, PROTOCOL
from checks.test_attacks import protocol, resealed
from sealtrace.contract.result import Result
from sealtrace.paper.model import Table
from sealtrace.recipes.cells import cells_of, undirected, wrong_marks
from sealtrace.report import markdown, text
from support import Row, edit_document, edit_rows

# Marks


def marked(direction: str | None, among: list[str | None], best: int) -> list[Any]:
    """The cells of a column of three numbers, of which one is marked."""
    column: Row = {"label": "EV"} | ({"direction": direction} if direction else {})
    rows = [
        {"label": name, "cells": [text]}
        | ({"among": subset} if subset else {})
        | ({"marks": {"EV": "best"}} if place == best else {})
        for place, (name, text, subset) in enumerate(zip("abc", ["1.0", "2.0", "3.0"], among, strict=True))
    ]
    return list(cells_of(Table.of({"label": "tab:t", "columns": [column], "rows": rows}, "table.t.json")))


def test_a_subset_of_one_row_has_no_best() -> None:
    """A cell is not best because it is compared with no other."""
    (problem,) = wrong_marks(marked("higher", [None, "ours", None], 1))
    assert (problem.cell.row, "no other" in problem.message) == ("b", True)


def test_a_best_cell_without_a_direction() -> None:
    """Nothing can tell whether it is, so its column is named, and `table.marks` is missing."""
    unsaid = marked(None, [None] * 3, 1)
    assert (undirected(unsaid), list(wrong_marks(unsaid))) == (["tab:t[EV]"], [])


# Tolerances


def warnings(report: Result, check: str) -> list[str]:
    """What a check warns of."""
    return [one.message for one in report.findings if (one.check, one.severity) == (check, "warning")]


def test_a_loosened_tolerance_is_named_with_what_it_changes(tmp_path: Path) -> None:
    """Scores that are off by 1e-6 pass by it, and the report says how many and where."""

    def edit(bundle: Path) -> None:
        edit_document(bundle / PROTOCOL, lambda one: one["tolerances"].update(replay="1e-5"))

        def shift(rows: list[Row]) -> None:
            rows[3]["weak"] += 1e-6

        edit_rows(bundle / "calibrate/score.calibration.jsonl", shift)

    report = sealtrace.verify(resealed(tmp_path, edit))
    assert [one.field for one in report.findings if one.check == "protocol.domain"] == ["/tolerances/replay"]
    assert warnings(report, "score.utility") == [
        "1 numbers agree only because the declared tolerance is loose: at 1e-09 they would be wrong."
    ]


# Constants and rules


def test_a_constant_that_nothing_uses_proves_nothing(tmp_path: Path) -> None:
    """A protocol may declare whatever a table prints; only what something depends on is an input."""

    def edit(bundle: Path) -> None:
        edit_document(bundle / PROTOCOL, lambda one: one.update(variants={"unused": {"tau": "9.99"}}))

        def cite(table: Row) -> None:
            table["rows"][2]["cells"][1] = "9.99"
            recipe = {"metric": "constant", "arguments": {"path": "/variants/unused/tau"}}
            table["rows"][2]["recipes"] = {"Weak EV": recipe}

        edit_document(bundle / MAIN, cite)

    report = sealtrace.verify(resealed(tmp_path, edit))
    (cell,) = [one for one in report.numbers if one.printed == "9.99"]
    assert cell.status == "attested"
    said = "which comes from a constant of the protocol that nothing else uses: nothing checks it."
    assert cell.says == f"The paper prints 9.99, {said}"


def test_what_a_protocol_turns_off_is_listed(tmp_path: Path) -> None:
    """Checks that do not apply are named with the reason, in text and in Markdown."""

    def gut(bundle: Path) -> None:
        edit_document(bundle / PROTOCOL, lambda one: one.pop("selectors"))
        (bundle / "select/selection.json").unlink()

    report = sealtrace.verify(resealed(tmp_path, gut, {"all": "nothing is selected"}))
    turned = {one.id for one in report.checks if one.status == "not-applicable"}
    assert {"selection.grid", "selection.choice"} <= turned
    for shown in (text.render(report, everything=True, width=1000), markdown.render(report)):
        assert "the protocol declares no selector over a grid of scales" in shown
        for one in turned:
            assert one in shown or f"{one.partition('.')[0]}.*" in shown.replace("\\", "")


def test_the_good_bundle_stays_good(tmp_path: Path) -> None:
    """What is found above is not found without the change."""
    assert sealtrace.verify(resealed(tmp_path, protocol(lambda one: one))).verdict == "verified"
