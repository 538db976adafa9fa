"""Names that are no UTF-8, as old archives leave them: shown spelled out, and spoiling nothing that is written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from cli.runner import sealtrace
from sealtrace.bundle.strict_json import parse
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
