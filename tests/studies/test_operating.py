"""The second operating point: its method has work to do there, and its recipe gives its records again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rsd_operating.__main__
from rsd_operating.build import Build
from sealtrace.contract.result import Result
from studies.test_rebuild import close, files_of, rows_about
from support import LONG, OPERATING, shipped_report

ENVIRONMENT = "declare/attachments/environment.json"
ONE_IN = 250 if LONG else 1000
"""Of how many states of the fresh draws and of the shifts one is rebuilt."""


@pytest.fixture(scope="module")
def report() -> Result:
    return shipped_report("rsd-operating")


def column(report: Result, table: str, label: str) -> dict[str, str]:
    """Row to what a column prints."""
    return {cell.row or "": cell.printed for cell in report.numbers if (cell.table, cell.column) == (table, label)}


def test_verified(report: Result) -> None:
    """Every cell is recomputed, or declared beforehand."""
    assert report.verdict == "verified"
    assert {cell.status for cell in report.numbers} == {"exact", "input"}


def test_maps_change_with_the_radius(report: Result) -> None:
    """The budget of the mixture binds, so larger mixture sets get other maps; and none exceeds the budget."""
    assert len(set(column(report, "tab:mixture-radius", "Map").values())) == 5
    assert all(float(bound) <= 0.10 for bound in column(report, "tab:mixture-radius", "Worst-case UCB").values())
    assert float(column(report, "tab:primary", "UCB ↓")["Group Dual-Certified"]) > 0.10


def test_selectors_differ(report: Result) -> None:
    """In every draw dual takes another map than risk-only, and robust another than dual."""
    assert set(column(report, "tab:work", "Other map").values()) == {"20/20"}


def test_certificates_are_earned(report: Result) -> None:
    """Without scale 0 in the bank, certification rates rise with states and budgets, from below a third to one."""
    for table, rows in (("tab:calibration-size", ""), ("tab:risk-validity", "linear")):
        found = column(report, table, "Cert. rate")
        rates = [float(text) for row, text in found.items() if row.endswith(rows)]
        assert rates == sorted(rates)
        assert rates[0] < 1 / 3 < rates[1] < 2 / 3 < rates[-1] == 1


def test_shifts_hurt(report: Result) -> None:
    """Each of them costs crossings and strong value."""
    for label, worse in (("Violation", 1), ("Strong Δ", -1)):
        found = {row: worse * float(text) for row, text in column(report, "tab:shifts", label).items()}
        assert all(value > found["Matched"] for row, value in found.items() if row != "Matched"), label


def test_some_of_it_is_rebuilt(tmp_path: Path) -> None:
    """Sealed sources are today's; certificates, maps and sampled states are what the recipe gives."""
    attached = rsd_operating.__main__.sources() | {"environment.json": (OPERATING / ENVIRONMENT).read_bytes()}
    build = Build(tmp_path, attached)
    build._declare()
    whole = {"calibration", "held-out"}
    build._states = {split: states[:: 1 if split in whole else ONE_IN] for split, states in build._states.items()}
    for stage in (build._bank, build._structure, build._trace, build._calibrate, build._select, build._replay):
        stage()
    build._adapt()
    for split in build._held_out():
        build._write_scores("report", split)
    rebuilt = files_of(tmp_path)
    assert set(files_of(OPERATING)) - set(rebuilt) == {
        path for path in files_of(OPERATING) if path.startswith(("seals/", "report/table.", "manifest", "SHA256SUMS"))
    }
    for name, file in rebuilt.items():
        sealed = OPERATING / name
        if file.suffix in (".parquet", ".jsonl"):
            parts = name.split("/")[1].split(".")
            some = {state.id for state in build._states.get(parts[1], [])}
            assert rows_about(sealed, some), name
            assert close(rows_about(sealed, some), rows_about(file, some)), name
        elif file.suffix == ".json":
            assert close(json.loads(sealed.read_bytes()), json.loads(file.read_bytes())), name
        else:
            assert sealed.read_bytes() == file.read_bytes(), name
