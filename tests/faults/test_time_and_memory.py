"""Reading is a part of the time that a command may take, and a process that verifies again and again stays as it is."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import sealtrace
from cli.runner import process
from sealtrace import process as own
from sealtrace.bundle.budget import BudgetError, reading_within
from sealtrace.paper.papers import read_paper
from sealtrace.relations import auditing
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.registry import FAMILIES
from small_study import small_study
from support import LONG

HOSTILE = {
    "delimited arguments without an end": r"\def\x#1\stop{#1}" + r"\x a " * 15_000,
    "optional arguments without an end": r"\cite[" * 10_000,
    "names without an end": r"\csname " * 8_000,
    "an own macro's argument without an end": r"\newcommand{\y}[1][]{#1}" + r"\y[" * 15_000,
}


@pytest.fixture(params=HOSTILE.values(), ids=list(HOSTILE))
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A paper of some ten thousand bytes on which readers may spend minutes."""
    path = tmp_path / "hostile.tex"
    path.write_text("\\begin{document}\n" + request.param + "\n\\end{document}\n", encoding="utf-8")
    return path


def test_readers_ask_how_much_time_is_left(hostile: Path) -> None:
    """Wherever they are called from: in a thread of a server, too."""
    with pytest.raises(BudgetError, match="were up while the paper was read"), reading_within(0.0, "the paper"):
        read_paper(hostile)


def test_the_seconds_of_an_audit_cover_reading(tmp_path: Path) -> None:
    """The command ends with a sentence; what no reader asks for, an alarm ends."""
    path = tmp_path / "hostile.tex"
    path.write_text("\\begin{document}\n" + HOSTILE["names without an end"], encoding="utf-8")
    done = process("audit", path, "--seconds", "0.1")
    assert done.returncode in (2, 3)
    assert "internal error" not in done.stderr
    with pytest.raises(BudgetError):
        sealtrace.audit(path, seconds=0.0)


def test_numbers_of_the_text_are_read_within_the_time_for_reading(tmp_path: Path) -> None:
    """They are read when they are asked for; a megabyte of them would take a minute after the seconds were over."""
    path = tmp_path / "paper.md"
    path.write_text("1.5 " * 20_000, encoding="utf-8")
    with pytest.raises(BudgetError, match=re.escape("the seconds were up while paper.md was read (--seconds)")):
        sealtrace.audit(path, seconds=0.2)
    done = process("audit", path, "--seconds", "0.2")
    assert (done.returncode, "the seconds were up while paper.md was read" in done.stderr) == (2, True)


def test_a_sentence_of_very_many_numbers_is_left_out(tmp_path: Path) -> None:
    """Families try pairs of a sentence's numbers: a page of them in one sentence would take hours, and is no prose."""
    table = "| Name | Value |\n|---|---|\n| ours | 12.5 |\n| theirs | 14.5 |\n\n"
    path = tmp_path / "paper.md"
    path.write_text(f"{table}Ours is 12.5% " + "above theirs by 12.5% " * 2_000, encoding="utf-8")
    result = sealtrace.audit(path, seconds=3600.0)
    assert any("a sentence has 2001 numbers" in one.why for one in result.not_looked_at)
    assert len(result.numbers) > 2_000


def test_an_alarm_ends_a_family_that_does_not_look_at_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it found until then counts, and the result says that the seconds were used up."""

    def endless(_: object) -> Iterator[Claim]:
        while True:
            pass
        yield

    monkeypatch.setattr(own, "OWN_PROCESS", True)
    monkeypatch.setattr(auditing, "FAMILIES", (replace(FAMILIES[0], find=endless),))
    path = tmp_path / "paper.md"
    path.write_text("| Name | Value |\n|---|---|\n| ours | 12.5 |\n", encoding="utf-8")
    result = sealtrace.audit(path, seconds=0.2)
    assert any("the seconds were used up" in one.why for one in result.not_looked_at)


SLOW_TO_EXPLAIN = """
import sys, time
from sealtrace.cli import main
explain = main._explain
def slowly(error):
    time.sleep(1.5)
    return explain(error)
main._explain = slowly
main.program()
"""


def test_the_alarm_of_max_seconds_does_not_ring_while_the_command_says_why_it_ended(tmp_path: Path) -> None:
    """It rings once a second, and a busy machine may need longer than that to print a sentence."""
    bundle = small_study(tmp_path / "bundle")
    command = [sys.executable, "-c", SLOW_TO_EXPLAIN, "verify", str(bundle), "--max-seconds", "0.01"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "0.01 seconds were up" in done.stderr


SOAK = """
import json, os, sys
from pathlib import Path
import sealtrace
bundle, times = sys.argv[1], int(sys.argv[2])
def used():
    memory = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    return memory, len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
seen = []
for number in range(times):
    assert sealtrace.verify(bundle).verdict == "verified"
    seen.append(used())
print(json.dumps(seen))
"""


def test_a_process_that_verifies_again_and_again_stays_as_it_is(tmp_path: Path) -> None:
    """Memory, open files and threads after the last run are those after the first few."""
    bundle = small_study(tmp_path / "bundle", items=50)
    times = 200 if LONG else 30
    done = subprocess.run([sys.executable, "-c", SOAK, bundle, str(times)], capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    early, late = seen[times // 3], seen[-1]
    assert late[0] - early[0] < 4 * 2**20
    assert late[1:] == early[1:]
