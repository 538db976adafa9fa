"""The benchmarks run and are right about what they measure. What they find out about time, no test asserts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import constructs
import growth
import sealtrace
from large_bundle import make
from planted import KINDS, Study, make_study, measured
from ratios import ATTEMPTS, QUOTIENTS, Ratio, usually
from ratios import main as judge
from support import ROOT


def test_large_shape_verifies(tmp_path: Path) -> None:
    """Twenty candidates at two hundred states, everything scored, as Parquet."""
    make(tmp_path / "bundle", 200)
    report = sealtrace.verify(tmp_path / "bundle")
    assert report.verdict == "verified"
    assert report.summary.traces == 4000


def test_benchmark_reports_time_memory_and_floor() -> None:
    """Two thousandths of the million; memory is bounded whatever the machine does."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "million.py", "100"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "2,000 traces" in done.stdout
    assert "verdict verified" in done.stdout
    figures = re.search(r"verify +[0-9.]+ s CPU +[0-9.]+ s +([0-9]+) MiB +[0-9.]+ x the floor", done.stdout)
    assert figures is not None
    assert int(figures[1]) <= 1000


def test_map_searches_are_never_worse_than_the_solver() -> None:
    """The small form of the map benchmark: every search proven, none worse than the solver."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "maps.py", "--quick", "--solver-seconds", "0.1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()[1:] if line.strip()]
    assert {(row[0], row[1], row[2]) for row in rows} >= {
        (kind, groups, "20") for kind in ("realistic", "correlated", "adversarial") for groups in ("4", "10")
    }
    for row in rows:
        assert float(row[-1]) <= 1e-6, f"the solver found a better map: {row}"


def test_every_change_of_a_small_module_is_noticed_or_explained() -> None:
    """The small form of `make mutants`."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "mutants.py", "mathematics/networks.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    counts = re.search(r"`mathematics/networks.py` \| (\d+) \| (\d+) \| (\d+) \| 0 \|", done.stdout)
    assert counts is not None, done.stdout + done.stderr
    assert int(counts[1]) == int(counts[2]) + int(counts[3]) > 20
    assert done.returncode == 0


def test_a_cost_that_doubled_fails_and_a_busy_minute_does_not() -> None:
    """One odd quotient of some changes no median, and a whole odd attempt is made up for by the next; twice stays."""
    odd, minute = iter([9.0, 1.0, 1.0]), iter([9.0, 9.0, 1.0, 1.0, 1.0, 1.0])
    judge([usually("odd", 1.0, lambda: next(odd)), usually("a busy minute", 1.0, lambda: next(minute))])
    assert list(minute) == []
    asked: list[float] = []

    def doubled() -> float:
        asked.append(2.0 + 0.3 * (-1) ** len(asked))
        return asked[-1]

    with pytest.raises(SystemExit, match="beyond the limit 4 times: slow"):
        judge([usually("fast", 1.0, lambda: 1.0), usually("slow", 1.0, doubled)])
    assert len(asked) == ATTEMPTS * QUOTIENTS


def test_growth_is_measured_again_only_where_it_is_too_much() -> None:
    """A family with one quotient an attempt: the median of three leaves out the odd one."""
    found = iter([9.0, 4.0, 4.0])
    judge([Ratio("growth", 6.5, lambda: next(found), quotients=1)])


def test_constructs_are_those_that_the_readers_know() -> None:
    """Names of tables and of code, one for each way to be read; patterns give texts that they find, and beginnings."""
    assert {"verb", "multicolumn", "newcommand", "tabular", "iffalse"} <= set(constructs.latex_names())
    found = dict(constructs.patterns())
    assert constructs.beginnings(found["markdown._MATH"]) == ["$", "$a", "$a$"]
    assert constructs.beginnings(re.compile(r"a(?:bc|defg){2,9}[^h](?=\d)")) == [
        "a",
        "adefgdefg",
        "adefgdefga",
        "adefgdefga7",
    ]
    whole = [constructs.beginnings(pattern)[-1:] for pattern in found.values()]
    seen = sum(bool(text and pattern.search(text[0])) for text, pattern in zip(whole, found.values(), strict=True))
    assert seen > 0.85 * len(found) > 80
    assert len(list(growth.of_constructs())) > 5_000


def test_planted_errors_of_every_kind_are_named_with_the_right_value(tmp_path: Path) -> None:
    """The small form of `benchmarks/planted.py`: two errors of each kind; the untouched paper names nothing."""
    missed: list[str] = []
    found = measured(Study.read(*make_study(tmp_path), 10.0), [*KINDS, "sentence"], 2, 0, missed.append)
    untouched = found.pop("untouched")
    assert (untouched.planted, untouched.alarms) == (45, 0)
    assert all(counted.planted for counted in found.values())
    planted, right = (sum(getattr(one, name) for one in found.values()) for name in ("planted", "right"))
    assert right * 10 >= planted * 9, missed
    assert sum(counted.alarms for counted in found.values()) == 0, missed
