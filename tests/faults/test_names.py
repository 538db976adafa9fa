"""Names that are no UTF-8, and links in a circle: neither spoils what is written or said."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from cli.runner import sealtrace
from sealtrace.bundle.strict_json import parse
from sealtrace.cli.mcp import Tools
from small_study import small_study
from support import ROOT

TEMPLATES = ROOT / "verifier" / "sealtrace" / "templates" / "results"
STRANGE = os.fsdecode(b"n\xff\xfe")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A paper and its results, all of whose names end in bytes that are no UTF-8."""
    shutil.copy(TEMPLATES / "paper.tex", tmp_path / f"{STRANGE}.tex")
    (tmp_path / STRANGE).mkdir()
    for path in (TEMPLATES / "runs").iterdir():
        shutil.copy(path, tmp_path / STRANGE / f"{path.stem}{STRANGE}{path.suffix}")
    return tmp_path


def test_drafts_and_records_spell_names_out(release: Path) -> None:
    """What `check --save` and `extract` write can be read again, and is sealed as any other."""
    paper, results = release / f"{STRANGE}.tex", release / STRANGE
    saved = sealtrace("check", paper, results, "--save", release / "draft")
    assert (saved.code, "internal error" in saved.errors) == (3, False)
    extracted = sealtrace("extract", paper, "-o", release / f"records{STRANGE}")
    assert (extracted.code, "internal error" in extracted.errors) == (0, False)
    written = [path for place in ("draft", f"records{STRANGE}") for path in (release / place).rglob("*.json")]
    assert len(written) > 2
    assert any(b"udcff" in path.read_bytes() for path in written if parse(path.read_bytes()))


def test_names_that_would_become_values_are_refused(release: Path) -> None:
    """An import takes fields of its rows from names of files, and no row can hold such a text."""
    done = sealtrace("import", f"{release}/{STRANGE}/*.csv", "-o", release / "new", "--dataset", "answers")
    assert (done.code, "its name is not UTF-8" in done.errors) == (2, True)
    assert not (release / "new").exists()


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("verify study -o json=circle", 0),  # a report takes the place of a link
        ("verify study --cache circle", 0),
        ("report study -o circle", 2),
        ("init circle", 2),
        ("check paper.tex study --save circle", 2),
        ("check paper.tex circle", 2),
        ("extract paper.tex -o circle", 2),
        ("verify circle", 2),
    ],
)
def test_links_in_a_circle_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, code: int
) -> None:
    """Python's own `resolve` raises what no command expects, so none asks it."""
    monkeypatch.chdir(tmp_path)
    small_study(tmp_path / "study")
    shutil.copy(TEMPLATES / "paper.tex", tmp_path)
    (tmp_path / "circle").symlink_to("circle")
    done = sealtrace(*command.split())
    assert (done.code, "internal error" in done.errors) == (code, False)


def test_a_link_in_a_circle_among_results_stops_no_assistant(tmp_path: Path) -> None:
    """It leads nowhere, so it does not lead outside either."""
    shutil.copytree(TEMPLATES, tmp_path / "study")
    (tmp_path / "study" / "circle").symlink_to("circle")
    assert '"verdict": "incomplete"' in Tools(tmp_path).check("study/paper.tex", "study")


def test_nothing_in_the_package_resolves_links_by_itself() -> None:
    """But where its own files are."""
    package = ROOT / "verifier" / "sealtrace"
    asking = re.compile(r"(?<!__file__\))\.resolve\(\)")
    found = [path.name for path in package.rglob("*.py") if asking.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_an_outline_is_that_of_the_files_as_they_are(tmp_path: Path) -> None:
    """A part that a paper puts in may change while the server runs."""
    (tmp_path / "paper.tex").write_text("\\documentclass{article}\\begin{document}\\input{part}\\end{document}\n")
    part, tools = tmp_path / "part.tex", Tools(tmp_path)
    part.write_text("The share was 10.0\\%.\n")
    assert "10.0%" in tools.outline(["paper.tex"])
    part.write_text("The share was 20.5\\%.\n")
    os.utime(part, ns=(1, 1))
    assert "20.5%" in tools.outline(["paper.tex"])
