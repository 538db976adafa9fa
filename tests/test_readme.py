"""What the README shows is what happens: every command runs, and shown output is the output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from support import ROOT

BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
ALLOWED_TO_FAIL = ("sealtrace check", "sealtrace verify wrong", "sealtrace audit bundles/rsd-paper")
"""The README breaks a bundle on purpose, and audits a paper that contradicts itself."""


@dataclass(frozen=True)
class Command:
    """One command of the README and the output that follows it."""

    line: str
    shown: str


def commands() -> list[Command]:
    """The README's commands in order."""
    found: list[Command] = []
    for block in BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            found.append(Command(line, shown))
    return found


def comparable(text: str) -> str:
    """The largest rounding difference, and where it is, depend on the machine's arithmetic; a rate on its load."""
    text = re.sub(r"hypotheses in [^)]*\)", "hypotheses", text)
    return re.sub(r"Discrepancy  at most.*?\n(?=\S)", "Discrepancy\n", text, flags=re.DOTALL)


def test_readme_commands(tmp_path: Path) -> None:
    """A reader may type every command as written, in a checkout, one after the other."""
    for room in ("bundles", "examples"):
        shutil.copytree(ROOT / room, tmp_path / room)
    shown = commands()
    assert [command.line for command in shown if command.line.startswith("make")] == ["make verify", "make test"]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for command in shown:
        if command.line.startswith("make"):
            continue  # This test runs inside of them.
        done = subprocess.run(
            command.line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        expected = 1 if command.line.startswith(ALLOWED_TO_FAIL) else 0
        assert (command.line, done.returncode, done.stderr) == (command.line, expected, "")
        if command.shown:
            assert comparable(done.stdout) == comparable(command.shown), command.line


def test_make_targets_of_the_readme_exist() -> None:
    """The two make commands are targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    for command in commands():
        if command.line.startswith("make "):
            assert f"\n{command.line.removeprefix('make ')}: " in makefile
