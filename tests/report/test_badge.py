"""The badge: one line of a README, which says what the verdict says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.runner import sealtrace
from support import ROOT

FIXTURE = ROOT / "bundles/rsd-fixture/bundle"


def badge(*arguments: str | Path, at: Path) -> dict[str, object]:
    """The badge that a command writes."""
    sealtrace(*arguments, "-o", f"badge={at}")
    found: dict[str, object] = json.loads(at.read_text())
    return found


def test_a_verified_bundle_is_green(tmp_path: Path) -> None:
    """The four fields of shields.io's endpoint."""
    assert badge("verify", FIXTURE, at=tmp_path / "badge.json") == {
        "schemaVersion": 1,
        "label": "sealtrace",
        "message": "verified with 2 warnings",
        "color": "brightgreen",
    }


@pytest.mark.parametrize(("printed", "message", "colour"), [("61.4", "all follow", "brightgreen"), ("63.2", "", "red")])
def test_a_paper_that_differs_is_red(tmp_path: Path, printed: str, message: str, colour: str) -> None:
    """A checked paper has a badge, too."""
    rows = {"alpha": "70.3", "beta": "65.9", "gamma": printed, "delta": "58.8", "epsilon": "77.1"}
    lines = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
    (tmp_path / "paper.md").write_text(f"| Model | Accuracy |\n|---|---|\n{lines}\n")
    (tmp_path / "results").mkdir()
    held = "\n".join(f"{name},{'61.4' if name == 'gamma' else value}" for name, value in rows.items())
    (tmp_path / "results/scores.csv").write_text(f"model,accuracy\n{held}\n")
    found = badge("check", tmp_path / "paper.md", tmp_path / "results", at=tmp_path / "badge.json")
    assert found["color"] == colour
    assert message in str(found["message"])
