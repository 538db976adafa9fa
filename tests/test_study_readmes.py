"""Pages of studies: their commands run, and they say which numbers are the paper's and which are this project's."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cli.runner import sealtrace
from support import ROOT

pytestmark = pytest.mark.usefixtures("kept_examinations")

STUDIES = ("leduc", "leduc-students", "behaviour", "rsd-operating", "push-fold")
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def commands(study: str) -> list[str]:
    """The commands that the page shows, in order."""
    text = (ROOT / "bundles" / study / "README.md").read_text(encoding="utf-8")
    return [line.removeprefix("$ ") for block in BLOCK.findall(text) for line in block.splitlines()]


@pytest.mark.parametrize("study", STUDIES)
def test_commands(study: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each runs as written; a build is asked for its usage only, since other tests rebuild and compare the studies."""
    monkeypatch.chdir(ROOT)
    kinds = set()
    for command in commands(study):
        words = shlex.split(command)
        if words[0] == "sealtrace":
            assert sealtrace(*words[1:]).code == 0, command
        elif words[0].startswith("PYTHONPATH="):
            paths = [*words[0].removeprefix("PYTHONPATH=").split(":"), "verifier"]
            assert all(Path(path).is_dir() for path in paths), command
            assert words[1:3] == ["python", "-m"]
            assert words[4:] == ["rebuilt"], command
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
            asked = subprocess.run(
                [sys.executable, "-m", words[3]], env=environment, capture_output=True, text=True, check=False
            )
            assert asked.returncode in (1, 2)
            assert f"usage: python -m {words[3]} " in asked.stderr
        else:
            assert words == ["diff", "-r", "rebuilt", f"bundles/{study}/bundle"], command
        kinds.add(words[0].partition("=")[0])
    assert kinds == {"sealtrace", "PYTHONPATH", "diff"}


@pytest.mark.parametrize("study", STUDIES)
def test_says_whose_numbers_these_are(study: str) -> None:
    """A table of the page sets the paper apart from this project."""
    text = (ROOT / "bundles" / study / "README.md").read_text(encoding="utf-8")
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert any("the paper" in head and ("study's" in head or "departs" in head) for head in heads)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) >= 5
