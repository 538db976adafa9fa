"""Rows at -tau and one double to either side, decided in whole bundles."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from rsd_fixture.build import build
from rsd_fixture.study import Arm, Study
from sealtrace import Result, verify
from studies.random_study import threshold_state
from studies.resealing import reseal
from support import edit_document, edit_rows, read_rows

pytestmark = pytest.mark.usefixtures("kept_examinations")

EMPTY = {"structure": "Nothing is learned.", "select": "Nothing is selected."}
CALIBRATION, HELD_OUT = "calibrate/score.calibration.jsonl", "report/score.held-out.jsonl"
SUMMARY = "report/summary.jsonl"


def threshold_study(tau: str, calibration: int, held_out: int) -> Study:
    """One state per split, whose top-1 delta lies so many doubles above -tau (below, if negative)."""
    protocol: dict[str, Any] = {
        "study": "knife-edge",
        "title": "Two rows at the threshold",
        "anonymous": True,
        "actions": ["stay", "move"],
        "splits": [
            {"name": "calibration", "role": "calibration", "states": 1},
            {"name": "held-out", "role": "held-out", "states": 1},
        ],
        "tau": tau,
        "scale_grid": ["0"],
        "evaluators": {"utility": "weak", "risk": "strong"},
        "teacher": {"temperature": "2.5"},
        "anchor": {"teacher": "0.92", "uniform": "0.08"},
        "charges": {
            "policy": {"tokens": 1, "latency_ms": "0.1", "tool_calls": 0},
            "residual": {"tokens": 2, "latency_ms": "0.3", "tool_calls": 0},
        },
        "interfaces": {"teacher-backed": ["pot", "legal", "teacher.distribution"]},
        "selectors": [],
        "ties": {"action": "earliest-legal"},
        "tolerances": {"normalization": "1e-12", "replay": "1e-12"},
    }
    states = [
        threshold_state(
            {"state": name, "split": split, "legal": protocol["actions"], "pot": pot},
            float(Fraction(tau)),
            steps,
        )
        for name, split, pot, steps in (("a", "calibration", 1, calibration), ("b", "held-out", 2, held_out))
    ]
    direction = {"stay": {"constant": "0"}, "move": {"constant": "0"}}
    arms = [Arm("anchor", "anchor"), Arm("residual", "tilt", "0"), Arm("top-1", "top-action")]
    return Study(protocol, direction, arms, states, empty=EMPTY)


def reported(bundle: Path, path: str) -> tuple[float, bool]:
    """Delta and crossing of the top-1 row."""
    row = next(row for row in read_rows(bundle / path) if row["arm"] == "top-1")
    return row["delta"], row["crossing"]


def claim(bundle: Path, path: str, crossing: bool) -> None:
    """Reports a crossing otherwise, with its summaries, and seals again."""
    old = reported(bundle, path)[1]
    population = "calibration" if path == CALIBRATION else "held-out"

    def rewrite(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["arm"] == "top-1" and "crossing" in row:
                row["crossing"] = crossing
            elif row["arm"] == "top-1" and row["population"] in ("all", population):
                row["crossings"] += int(crossing) - int(old)

    edit_rows(bundle / path, rewrite)
    edit_rows(bundle / SUMMARY, rewrite)
    reseal(bundle, EMPTY)


def failures(report: Result) -> dict[str, set[tuple[str | None, str | None]]]:
    """Failed check to the states and arms that its errors name."""
    named: dict[str, set[tuple[str | None, str | None]]] = {}
    for one in report.findings:
        if one.severity == "error":
            key = one.key or {}
            named.setdefault(one.check, set()).add((key.get("state"), key.get("arm")))
    return named


@pytest.mark.parametrize(("steps", "crosses"), [(-1, True), (0, False), (1, False)])
def test_dyadic_tau(steps: int, crosses: bool, tmp_path: Path) -> None:
    """With tau a double, the row at -tau is no crossing and the next double below is one."""
    bundle = tmp_path / "bundle"
    build(threshold_study("0.0625", steps, 1), bundle)
    delta, crossing = reported(bundle, CALIBRATION)
    expected = {-1: math.nextafter(-0.0625, -1), 0: -0.0625, 1: math.nextafter(-0.0625, 0)}[steps]
    assert (delta, crossing) == (expected, crosses)
    report = verify(bundle)
    assert report.verdict == "verified"
    assert report.findings == []

    claim(bundle, CALIBRATION, not crosses)
    report = verify(bundle)
    assert report.verdict == "findings"
    wrong = failures(report)
    assert wrong.pop("aggregate.summary") == {(None, "top-1")}
    assert wrong == {
        "threshold.stored": {("a", "top-1")},
        "threshold.recomputed": {("a", "top-1")},
    }
    assert report.summary.threshold_agreement is not None
    assert (report.summary.threshold_agreement.agree, report.summary.threshold_agreement.total) == (5, 6)


def test_same_tau_written_otherwise(tmp_path: Path) -> None:
    """1/16 and 0.0625 are one number: the decision does not depend on how tau is written."""
    build(threshold_study("1/16", 0, -1), tmp_path / "bundle")
    assert reported(tmp_path / "bundle", CALIBRATION)[1] is False
    assert reported(tmp_path / "bundle", HELD_OUT)[1] is True
    assert verify(tmp_path / "bundle").verdict == "verified"


def test_tau_between_doubles(tmp_path: Path) -> None:
    """The double -0.05 lies below minus one twentieth: a crossing, with a warning. The next one is none."""
    bundle = tmp_path / "bundle"
    build(threshold_study("0.05", 0, 1), bundle)
    assert reported(bundle, CALIBRATION) == (-0.05, True)
    assert reported(bundle, HELD_OUT) == (math.nextafter(-0.05, 0), False)
    report = verify(bundle)
    assert report.verdict == "verified"
    (warning,) = report.findings
    assert (warning.check, warning.severity) == ("threshold.stored", "warning")
    assert warning.key == {"state": "a", "arm": "top-1", "split": "calibration"}
    assert (warning.found, warning.expected) == ("-0.05", "crossing true")

    claim(bundle, CALIBRATION, False)
    assert failures(verify(bundle))["threshold.recomputed"] == {("a", "top-1")}


def test_tau_between_doubles_denied_above(tmp_path: Path) -> None:
    """The double above -0.05 called a crossing is an error, and not a matter of tolerance."""
    bundle = tmp_path / "bundle"
    build(threshold_study("0.05", 1, 1), bundle)
    assert verify(bundle).findings == []
    claim(bundle, HELD_OUT, True)
    wrong = failures(verify(bundle))
    assert wrong["threshold.stored"] == wrong["threshold.recomputed"] == {("b", "top-1")}


def test_warning_counts_under_strict(tmp_path: Path) -> None:
    """The exit code is 0 with the warning, and 1 with --strict."""
    bundle = tmp_path / "bundle"
    build(threshold_study("0.05", 0, 1), bundle)

    def run(*options: str) -> int:
        command = [sys.executable, "-m", "sealtrace", "verify", str(bundle), *options]
        return subprocess.run(command, check=False, capture_output=True).returncode

    assert run() == 0
    assert run("--strict") == 1


@pytest.mark.parametrize(("tau", "crossing"), [("1e400", False), ("1e-400", True)])
def test_tau_beyond_doubles(tau: str, crossing: bool, tmp_path: Path) -> None:
    """A declared tau that no double comes near is still compared exactly."""
    bundle = tmp_path / "bundle"
    build(threshold_study("0.0625", 0, 0), bundle)
    edit_document(bundle / "declare/protocol.json", lambda protocol: protocol.update(tau=tau))
    for path in (CALIBRATION, HELD_OUT):
        claim(bundle, path, crossing)
    report = verify(bundle)
    assert report.findings == []
    assert report.verdict == "verified"
