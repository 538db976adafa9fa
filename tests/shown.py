"""What documentation shows in blocks of console: commands, each with the output that follows it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cli.runner import Run, sealtrace

_SHELL = re.compile(r"\|+|&&|[<>&;].*|\d>.*")
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Command:
    """One command, and what the page says that it prints; nothing where it says nothing."""

    line: str
    shown: str

    def run(self, directory: Path, expected: int = 0) -> str:
        """Runs it and compares: it ends as expected, complains of nothing, and prints what is shown; what it prints.

        A plain command of ours runs in this process, any other in a shell.
        """
        program, *words = shlex.split(self.line)
        if program == "sealtrace" and not any(_SHELL.fullmatch(word) for word in words):
            with contextlib.chdir(directory):
                done = sealtrace(*words)
        else:
            done = _in_a_shell(self.line, directory)
        assert (self.line, done.code, done.errors) == (self.line, expected, "")
        if self.shown:
            shown = _comparable(self.shown)
            assert re.fullmatch(_with_gaps(shown), _comparable(done.output)), f"{self.line}\n{done.output}"
        return done.output


def _in_a_shell(line: str, directory: Path) -> Run:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        line,
        shell=True,
        cwd=directory,
        env={**os.environ, "PATH": programs},
        capture_output=True,
        text=True,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)


def commands(page: Path) -> list[Command]:
    """The commands of a page, in order."""
    found = []
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            found.append(Command(line, shown))
    return found


def _with_gaps(shown: str) -> str:
    """A pattern for the output: a line that is nothing but `…` stands for any number of lines."""
    parts = re.split(r"^…\n", shown, flags=re.MULTILINE)
    return r"(?:.*\n)*?".join(re.escape(part) for part in parts)


def _comparable(text: str) -> str:
    """The largest rounding difference, and where it is, depend on the machine's arithmetic; a rate on its load."""
    text = re.sub(r"[\d,]+\s+formulas\s+in\s+[^)]*\)", "formulas", text)
    return re.sub(r"Discrepancy  at most.*?\n(?=\S)", "Discrepancy\n", text, flags=re.DOTALL)
