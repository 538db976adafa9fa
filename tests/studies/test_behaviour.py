"""Recorded behaviour: sealed as verified, rebuilt, built from other hands, and without names."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

import behaviour_recipe.__main__
import sealtrace
from behaviour_recipe.reading_hands import read, split
from behaviour_recipe.writing_hands import HANDS
from studies.test_rebuild import different_bytes, different_records
from support import ROOT, shipped_report

BUNDLE = ROOT / "bundles" / "behaviour" / "bundle"
PATHS = ":".join(str(ROOT / name) for name in ("verifier", "bundles/behaviour"))


def test_verified() -> None:
    """Every number is refitted from the sealed hands."""
    report = shipped_report("behaviour")
    assert report.verdict == "verified"
    assert {cell.status for cell in report.numbers} == {"exact"}
    assert len(report.numbers) == 17


def test_predictors_are_drawn() -> None:
    """The page shows what each predictor expected, street by street; top-1 as often right as its table says."""
    details = sealtrace.verify(BUNDLE, details=True).details
    assert details is not None
    (plot,) = details.plots
    assert [series.name for series in plot.series] == ["prior", "frequency", "top-1"]
    top = {point.label: point for point in plot.series[2].points}
    assert len(top) == 4
    snapshots = {label: int(point.note.removesuffix(" snapshots")) for label, point in top.items()}
    right = sum(point.y * snapshots[label] for label, point in top.items()) / sum(snapshots.values())
    assert f"{right:.4f}" == "0.5852"


def test_rebuild(tmp_path: Path) -> None:
    """The recipe gives the sealed records, and the sealed bytes where Parquet is written alike."""
    behaviour_recipe.__main__.rebuild(tmp_path / "bundle")
    assert different_records(BUNDLE, tmp_path / "bundle") == set()
    different = different_bytes(BUNDLE, tmp_path / "bundle")
    assert different == set() or any(path.endswith(".parquet") for path in different)


def test_no_name_is_released() -> None:
    """The hands have names, and no file of the bundle repeats one."""
    names = {name for hands in read(HANDS).values() for hand in hands for name in hand["players"]}
    assert len(names) == 24
    for path in BUNDLE.rglob("*"):
        if path.suffix == ".parquet":
            text = str(parquet.read_table(path).to_pylist())
        elif path.is_file():
            text = path.read_text(encoding="utf-8")
        else:
            continue
        assert [name for name in names if name in text] == [], path


def test_players_stay_in_one_split() -> None:
    """Entries that share a player go together, through a chain of them too."""
    seats = {"starting_stacks": [1, 1]}
    entries = {
        "a": [{"players": ["x", "y"], **seats}],
        "b": [{"players": ["z", "w"], **seats}],
        "c": [{"players": ["y", "z"], **seats}],
        "d": [{"players": ["q", "r"], **seats}],
    }
    splits = split(entries)
    assert splits["a"] == splits["b"] == splits["c"]
    assert splits["d"] != splits["a"]


def test_other_hands(tmp_path: Path) -> None:
    """`--hands` takes any directory of PHH files; what it cannot read it leaves out."""
    other = tmp_path / "hands"
    (other / "year").mkdir(parents=True)
    for number in (1, 2, 5):
        shutil.copy(HANDS / f"table-{number}.phhs", other / "year" / f"{number}.phhs")
    (other / "stud.phh").write_text('variant = "F7S"\nactions = []\n', encoding="utf-8")
    made = tmp_path / "bundle"
    command = [sys.executable, "-m", "behaviour_recipe", str(made), "--hands", str(other)]
    subprocess.run(command, check=True, env={"PYTHONPATH": PATHS})
    report = sealtrace.verify(made)
    assert report.verdict == "verified"
    assert report.summary.inspected[-1].endswith("33 recorded hands")


@pytest.mark.parametrize("hands", ["nothing-there", "empty"])
def test_no_hands_are_refused(hands: str, tmp_path: Path) -> None:
    """A clear message, no bundle."""
    (tmp_path / "empty").mkdir()
    command = [sys.executable, "-m", "behaviour_recipe", str(tmp_path / "new"), "--hands", str(tmp_path / hands)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PYTHONPATH": PATHS})
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert hands in done.stderr
    assert not (tmp_path / "new").exists()
