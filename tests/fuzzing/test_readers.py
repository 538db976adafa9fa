"""Readers of untrusted bytes: what once broke one, and a few seconds of looking for more."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from fuzzing.targets import TARGETS
from support import LONG, ROOT

HERE = Path(__file__).parent
SECONDS = 1


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_what_once_broke_a_reader(name: str) -> None:
    """Fuzzing starts from inputs that a reader reads, to get beyond the first line; what broke one stays mended."""
    seeds = TARGETS[name].seeds()
    assert seeds
    for data in (*seeds, *(path.read_bytes() for path in sorted((HERE / "crashes").glob(f"{name}-*")))):
        TARGETS[name].read(data)


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this platform")
@pytest.mark.parametrize("name", list(TARGETS)[: None if LONG else 1])
def test_a_few_seconds_of_fuzzing(name: str) -> None:
    """Guided by coverage, from the same start each time; `make fuzz-readers` goes on for longer."""
    found = subprocess.run(
        [sys.executable, HERE / "fuzz.py", name, f"-max_total_time={SECONDS}", "-seed=1"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "verifier"), "PATH": "/usr/bin:/bin"},
    )
    assert found.returncode == 0, found.stderr[-3000:]
    assert "Done " in found.stderr
