"""Runs the command line in this process, as the script would."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sealtrace.cli.main import main

SCRIPT = [sys.executable, "-m", "sealtrace"]


@dataclass(frozen=True)
class Run:
    """What a command did."""

    code: int
    output: str
    errors: str


def sealtrace(*arguments: str | Path) -> Run:
    """Runs a command with its output caught."""
    output, errors = io.StringIO(), io.StringIO()
    before = sys.argv
    sys.argv = ["sealtrace", *map(str, arguments)]
    code = 0
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    finally:
        sys.argv = before
    return Run(code, output.getvalue(), errors.getvalue())


def process(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in a process of its own."""
    return subprocess.run(
        [*SCRIPT, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
