"""Declarations that weaken what is checked: each is found, or said in the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sealtrace
from checks.mutations import PROTOCOL, TRACES
from checks.test_attacks import failed, main_table, protocol, resealed
from sealtrace.contract.report import Report
from sealtrace.printed.cells import cells_of
from sealtrace.printed.marks import undirected, wrong_marks
from support import Row, edit_document, edit_rows, read_rows

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
    return list(cells_of({"label": "tab:t", "columns": [column], "rows": rows}, "table.t.json"))


def test_a_subset_of_one_row_has_no_best() -> None:
    """A cell is not best because it is compared with no other."""
    (problem,) = wrong_marks(marked("higher", [None, "ours", None], 1))
    assert (problem.cell.row, problem.severity) == ("b", "error")
    assert "no other" in problem.message


def test_a_best_cell_without_a_direction() -> None:
    """Nothing can tell whether it is; where it is neither the largest nor the smallest, that is said."""
    neither = marked(None, [None] * 3, 1)
    assert undirected(neither) == ["tab:t[EV]"]
    assert {problem.severity for problem in wrong_marks(neither)} == {"warning"}
    largest = marked(None, [None] * 3, 2)
    assert undirected(largest) == ["tab:t[EV]"]
    assert list(wrong_marks(largest)) == []


def test_a_bundle_whose_marks_have_no_direction_is_not_verified(tmp_path: Path) -> None:
    """What nobody can tell is missing."""
    report = sealtrace.verify(
        resealed(tmp_path, main_table(lambda table: [one.pop("direction", 0) for one in table["columns"]]))
    )
    assert report.verdict == "incomplete"
    assert [check.id for check in report.checks if check.status == "missing"] == ["table.marks"]


# Splits


def test_one_of_two_calibration_splits(tmp_path: Path) -> None:
    """A selection may not take the calibration split that suits it."""

    def edit(bundle: Path) -> None:
        edit_document(
            bundle / PROTOCOL,
            lambda one: one["splits"].append({"name": "calibration-2", "role": "calibration", "states": 0}),
        )

    assert "selection.grid" in failed(resealed(tmp_path, edit))


# Tolerances


def warnings(report: Report, check: str) -> list[str]:
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
        "1 numbers agree only by the declared tolerance: at 1e-09 they would be wrong"
    ]


def test_a_tolerance_does_not_move_a_crossing(tmp_path: Path) -> None:
    """A distribution within the tolerance of its replay must decide as the replay does."""
    bundle = resealed(tmp_path, _nudged)
    # The new tau changes which scores cross; those are reported at the scores.
    found = [one for one in sealtrace.verify(bundle).findings if one.field == "/probabilities"]
    assert [(one.check, one.source) for one in found] == [("threshold.recomputed", TRACES)]
    assert (found[0].key or {})["state"] == "0000"


def _nudged(bundle: Path) -> None:
    """Puts tau just above a delta, loosens the tolerance, and moves the distribution so that it no longer crosses."""
    scores = read_rows(bundle / "calibrate/score.calibration.jsonl")
    (score,) = [one for one in scores if one["state"] == "0000" and one.get("scale") == "0.16"]
    edit_document(
        bundle / PROTOCOL,
        lambda one: one.update(
            tau=f"{-score['delta'] - 1e-6:.9f}", tolerances={"normalization": "1e-12", "replay": "1e-4"}
        ),
    )
    values = {
        row["state"]: row["values"]
        for row in read_rows(bundle / "calibrate/values.calibration.jsonl")
        if row["evaluator"] == "strong"
    }["0000"]
    order = sorted(values, key=lambda action: values[action])

    def nudge(rows: list[Row]) -> None:
        (row,) = [one for one in rows if one["state"] == "0000" and one.get("scale") == "0.16"]
        shift = 4e-6 / (values[order[-1]] - values[order[0]])
        row["probabilities"][order[-1]] += shift
        row["probabilities"][order[0]] -= shift
        total = sum(row["probabilities"].values())
        assert np.isclose(total, 1, atol=1e-12)

    edit_rows(bundle / TRACES, nudge)


# Legal actions


def test_a_legal_action_listed_twice_in_a_trace(tmp_path: Path) -> None:
    """A trace names each action once, as the observation does."""

    def edit(bundle: Path) -> None:
        edit_rows(bundle / TRACES, lambda rows: rows[0]["legal"].append(rows[0]["legal"][-1]))

    assert "action.order" in failed(resealed(tmp_path, edit))


def test_the_good_bundle_stays_good(tmp_path: Path) -> None:
    """What is found above is not found without the change."""
    assert sealtrace.verify(resealed(tmp_path, protocol(lambda one: one))).verdict == "verified"
