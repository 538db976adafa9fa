"""`sealtrace report`: every format in one directory."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from checks.mutations import MUTATIONS
from cli.runner import sealtrace
from small_study import small_study
from support import FIXTURE

pytestmark = pytest.mark.usefixtures("kept_examinations")

NAMES = {
    "report.txt",
    "report.json",
    "report.md",
    "report.xml",
    "report.sarif",
    "report.tex",
    "report.html",
}


def contents(directory: Path) -> dict[str, str]:
    """Name to text."""
    return {path.name: path.read_text(encoding="utf-8") for path in directory.iterdir()}


def test_all_formats_say_the_same(tmp_path: Path) -> None:
    """A bundle with a wrong cell: each file is what `verify` and `diff` write, and the exit code is theirs."""
    bundle = MUTATIONS["table.cells"].broken(tmp_path)
    run = sealtrace("report", bundle, "-o", tmp_path / "new" / "reports")
    assert (run.code, run.errors) == (1, "")
    files = contents(tmp_path / "new" / "reports")
    assert set(files) == NAMES
    assert sorted(run.output.split()) == sorted(str(tmp_path / "new" / "reports" / name) for name in NAMES)
    assert files["report.txt"] == sealtrace("verify", bundle).output
    assert json.loads(files["report.json"])["verdict"] == "findings"
    assert files["report.md"].startswith("## Findings")
    root = Xml.fromstring(files["report.xml"])
    assert (root.get("failures"), root.get("time")) == ("2", None)
    assert json.loads(files["report.sarif"])["runs"][0]["invocations"][0]["exitCode"] == 1
    assert r"\begin{tabular}" in files["report.tex"]
    assert "4.28" in files["report.md"]
    assert files["report.html"].startswith("<!doctype html>")


def test_the_same_files_every_time_and_others_left_alone(tmp_path: Path) -> None:
    """In a directory that is there, files of these names are replaced, and nothing else is touched."""
    study, reports = small_study(tmp_path / "study"), tmp_path / "reports"
    assert sealtrace("report", study, "-o", reports).code == 0
    first = contents(reports)
    (reports / "notes.txt").write_text("mine")
    (reports / "report.txt").write_text("old")
    assert sealtrace("report", study, "-o", reports).code == 0
    assert contents(reports) == {**first, "notes.txt": "mine"}


def test_a_warning_under_strict(tmp_path: Path) -> None:
    """The exit code of `verify --strict`."""
    assert sealtrace("report", FIXTURE, "-o", tmp_path / "reports", "--strict").code == 1


def test_refused_places(tmp_path: Path) -> None:
    """Not in the bundle, not over it, not where a file or a link lies; and then nothing is written at all."""
    study = small_study(tmp_path / "study")
    before = sorted(study.rglob("*"))
    (tmp_path / "file").write_text("old")
    linked, blocked = tmp_path / "linked", tmp_path / "blocked"
    linked.mkdir()
    (linked / "report.md").symlink_to(study / "manifest.json")
    (blocked / "report.tex").mkdir(parents=True)
    (tmp_path / "way").symlink_to(study)
    for place in (study, study / "reports", tmp_path / "way" / "reports", tmp_path / "file", linked, blocked):
        assert sealtrace("report", study, "-o", place).code == 2
    assert sorted(study.rglob("*")) == before
    assert os.listdir(linked) == ["report.md"]
    assert os.listdir(blocked) == ["report.tex"]
    assert sealtrace("report", tmp_path / "nowhere", "-o", tmp_path / "reports").code == 2
    assert not (tmp_path / "reports").exists()
    assert sealtrace("report", study).code == 2
