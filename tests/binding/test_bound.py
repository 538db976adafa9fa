"""`--seconds` holds for everything that a check does, and what there was no time for is said."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from binding.random_studies import latex, study, write_csv
from binding.told import counts
from sealtrace.binding.checking import concluded, examine
from sealtrace.binding.tally import Tally
from sealtrace.cli.check import check as command
from sealtrace.contract.result import Result
from sealtrace.paper.papers import read_paper

SECONDS = 30.0


@dataclass
class Clock:
    """A clock that moves when it is looked at, and when somebody sets it."""

    now: float = 1000.0
    tick: float = 0.0
    looks: int = 0
    stop_at: str = ""
    """The step at whose beginning the time is suddenly over."""

    def process_time(self) -> float:
        """What the modules that keep time ask in place of the machine."""
        self.now += self.tick
        self.looks += 1
        return self.now

    def progress(self, step: str, *_: int) -> None:
        """A progress bar that lets a step take very long."""
        if self.stop_at and step.startswith(self.stop_at):
            self.now += 10 * SECONDS


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (
        "binding.tally",
        "binding.files",
        "binding.columns",
        "binding.checking",
        "relations.work",
        "cli.check",
    ):
        monkeypatch.setattr(f"sealtrace.{module}.time", made)
    return made


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests, which only read it."""
    return _release(tmp_path_factory.mktemp("release"))


def _release(directory: Path, tables: int = 2, files: int = 40) -> Path:
    """A paper with long tables and a text, its results, and many files beside them."""
    papers = []
    for seed in range(tables):
        made = study(seed)
        write_csv(directory / f"results/study{seed}/runs.csv", made.rows)
        papers.append(made.paper)
    for number in range(files):
        document = {f"part{number}": {f"value{place}": place + number / 7 for place in range(4)}}
        (directory / f"results/extra{number}.json").write_text(json.dumps(document))
    long = [["Item", *(f"c{column}" for column in range(12))]]
    long += [
        [f"item{row}", *(f"{(row * 37 + column * 11) % 97 + 0.5:.1f}" for column in range(12))] for row in range(30)
    ]
    bodies = [paper.split(r"\begin{document}")[-1].split(r"\end{document}")[0] for paper in papers]
    paper = latex(
        long,
        "A long table.",
        "\n".join([*bodies, "On item1 the score of c1 was 0.4321, and 71.25 before. In all, 71 + 10 + 2 = 83."]),
    )
    (directory / "paper.tex").write_text(paper)
    return directory / "paper.tex"


def _checked(paper: Path, clock: Clock) -> Result:
    results = paper.parent / "results"
    findings = examine(read_paper(paper), "paper.tex", results, seconds=SECONDS, audited=True, progress=clock.progress)
    return concluded(findings)


def test_with_time_enough_nothing_is_left_out(release: Path, clock: Clock) -> None:
    """The release that the tests below cut short is one that a check gets through."""
    check = _checked(release, clock)
    assert check.summary.inspected[0] == "42 data files"
    assert check.not_looked_at == []
    assert counts(check)["explained"]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("deciding", "the seconds were used up"),
        ("reading results", "not read for want of time"),
        ("binding columns", "some columns"),
        ("binding blocks", "some blocks"),
        ("binding the text", "some numbers of the text"),
    ],
)
def test_what_there_was_no_time_for_is_said(release: Path, clock: Clock, step: str, said: str) -> None:
    """Whichever step takes all of the time, those after it are left out, and the report names them."""
    clock.stop_at = step
    check = _checked(release, clock)
    left = [f"{one.what}: {one.why}" for one in check.not_looked_at]
    assert any(said in one for one in left), left
    assert "some numbers of the text: not tried for want of time" in left
    assert counts(check)["off"] == 0


def test_every_step_ends_on_one_clock(tmp_path: Path, clock: Clock) -> None:
    """When each look at the clock takes a second, few looks are left after the end: no loop goes on without looking."""
    paper = _release(tmp_path, files=400)
    clock.tick, clock.looks = 1.0, 0
    reported = read_paper(paper)
    started = clock.process_time()
    findings = examine(reported, "paper.tex", tmp_path / "results", seconds=SECONDS, started=started, audited=True)
    took = clock.now - started
    assert findings.audit is not None
    assert findings.audit.not_looked_at
    assert any("for want of time" in one for one in findings.listing.problems)
    assert findings.tally.untried
    # Each of a few tables and steps looks once more to see that it is over; no file and no number does.
    assert took < 3 * SECONDS


def test_the_audit_takes_a_third_at_most(release: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left after reading the paper is passed on: a third of the whole, or less where less is left."""
    allowed: list[float] = []

    def audit(*_: object, seconds: float, **__: object) -> None:
        allowed.append(seconds)

    monkeypatch.setattr("sealtrace.relations.auditing.audit", audit)
    reported, results = read_paper(release), release.parent / "results"
    for late in (0.0, 0.9 * SECONDS):
        examine(reported, "paper.tex", results, seconds=SECONDS, started=clock.now - late, audited=True)
    assert allowed == pytest.approx([SECONDS / 3, 0.1 * SECONDS])


def test_a_long_file_is_given_up_in_the_middle(tmp_path: Path, clock: Clock) -> None:
    """Neither lines nor a document that cannot be read in time stops the check; each is named."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results/lines.jsonl").write_text('{"a": 1}\n' * 60_000)
    (tmp_path / "results/rows.csv").write_text("a,b\n" + "1,2\n" * 200_000)
    (tmp_path / "results/whole.json").write_text(json.dumps({"a": "x" * 5_000_000}))
    (tmp_path / "paper.md").write_text("| a | b |\n|---|---|\n| x | 1.5 |\n")
    clock.tick = 0.4
    findings = examine(read_paper(tmp_path / "paper.md"), "paper.md", tmp_path / "results", seconds=5.0)
    unread = {one.split(":")[0] for one in findings.listing.problems if "for want of time" in one}
    assert unread == {"lines.jsonl", "rows.csv", "whole.json"}


def test_the_command_says_what_was_left_out(release: Path, clock: Clock) -> None:
    """The text names what was not tried, of the audit as well, and a check without time explains nothing."""
    clock.tick = 2.0
    arguments = [str(release), str(release.parent / "results"), "--seconds", "10"]
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert result.return_value == 3, result.output
    told = " ".join(result.output.split())
    assert "not tried for want of time" in told
    assert "the seconds were used up" in told


def test_a_step_is_late_by_its_own_share(clock: Clock) -> None:
    """What a tally leaves out is named once."""
    tally = Tally(clock.now + 100)
    tally.begin(0.5)
    assert not tally.late("columns")
    clock.now += 51
    assert tally.late("columns")
    assert tally.late("columns")
    tally.begin(1.0)
    assert not tally.late("text")
    assert tally.untried == ["columns"]
