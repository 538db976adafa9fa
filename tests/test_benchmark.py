"""The small form of the benchmark: a bundle of the large shape, in Parquet, verifies in bounded time and memory."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import sealtrace
from large_bundle import make
from support import ROOT


def test_large_shape_verifies(tmp_path: Path) -> None:
    """Twenty candidates at two hundred states, everything scored, as Parquet."""
    make(tmp_path / "bundle", 200)
    report = sealtrace.verify(tmp_path / "bundle")
    assert report.verdict == "verified"
    assert report.summary.traces == 4000


def test_benchmark_reports_time_memory_and_floor() -> None:
    """A hundredth of the million, within a tenth of its budget of time and the whole of its memory."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "million.py", "500"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "10,000 traces" in done.stdout
    assert "verdict verified" in done.stdout
    figures = re.search(r"verify +([0-9.]+) s CPU +[0-9.]+ s +([0-9]+) MiB +[0-9.]+ x the floor", done.stdout)
    assert figures is not None
    assert float(figures[1]) <= 2.0
    assert int(figures[2]) <= 1000


def test_map_searches_keep_within_their_targets() -> None:
    """The small form of the map benchmark: every search proven, none worse than the solver, all of them quick."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "maps.py", "--quick"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()[1:] if line.strip()]
    assert {(row[0], row[1], row[2]) for row in rows} >= {
        (kind, groups, "20") for kind in ("realistic", "correlated", "adversarial") for groups in ("4", "10")
    }
    for row in rows:
        # The targets are 5 ms and 100 ms on a quiet machine.
        assert float(row[4]) <= (0.03 if row[1] == "4" else 0.6), row
        assert float(row[-1]) <= 1e-6, f"the solver found a better map: {row}"
