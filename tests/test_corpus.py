"""The lists of public releases, and how answers are held against judgements; nothing is fetched or run here."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
TRUTHS = {"follows", "differs", "given", "unknown"}


def module(name: str) -> ModuleType:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def answers() -> ModuleType:
    return module("corpus_answers")


def listed(name: str, key: str) -> list[dict[str, Any]]:
    return list(tomllib.loads((BENCHMARKS / "corpus" / name).read_text(encoding="utf-8"))[key])


@pytest.mark.parametrize(("name", "key"), [("releases.toml", "release"), ("papers.toml", "paper")])
def test_a_third_is_held_out_by_the_name_of_the_repository(answers: ModuleType, name: str, key: str) -> None:
    entries = listed(name, key)
    for entry in entries:
        assert entry["part"] == ("held-out" if answers.is_held_out(entry["repository"]) else "development")
    held_out = sum(entry["part"] == "held-out" for entry in entries)
    assert 0.2 < held_out / len(entries) < 0.45


def test_the_lists_are_as_large_and_as_wide_as_the_page_says() -> None:
    releases, papers, cases = (
        listed("releases.toml", "release"),
        listed("papers.toml", "paper"),
        listed("drift.toml", "case"),
    )
    assert len(releases) >= 40
    assert len({release["field"] for release in releases}) >= 8
    assert len(papers) >= 100
    assert len(cases) >= 20
    assert all(len(entry["commit"]) == 40 for entry in [*releases, *papers])


def test_every_release_has_judgements_with_a_truth_and_a_place() -> None:
    for release in listed("releases.toml", "release"):
        path = BENCHMARKS / "corpus" / "judgements" / f"{release['repository'].replace('/', '+')}.toml"
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        assert document["commit"] == release["commit"]
        for number in document["number"]:
            assert number["truth"] in TRUTHS
            assert number["line"] > 0
            assert number["printed"]
            if number["truth"] == "differs":
                assert number["value"]
                assert number["from"]


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (0, 0, 0, 1)],
)
def test_intervals_are_wilsons(answers: ModuleType, hits: int, total: int, low: float, high: float) -> None:
    assert answers.wilson(hits, total) == pytest.approx((low, high), abs=1e-4)


def test_a_judged_number_is_found_by_file_line_and_string(answers: ModuleType) -> None:
    numbers = [
        {"printed": "0.412", "table": "tab:a", "source": "paper/main.tex", "line": 7, "word": "differs"},
        {"printed": "0.412", "table": "tab:a", "source": "paper/main.tex", "line": 9, "word": "follows"},
        {"printed": "41.2%", "source": "main.tex", "line": 20, "word": "open"},
    ]
    at = answers.number_at
    assert at(numbers, {"file": "main.tex", "line": 7, "printed": "0.412"}, 0)["word"] == "differs"
    assert at(numbers, {"file": "main.tex", "line": 22, "printed": "41.2"}, 4)["word"] == "open"
    assert at(numbers, {"file": "main.tex", "line": 30, "printed": "41.2"}, 4) is None
    assert at(numbers, {"file": "other.tex", "line": 7, "printed": "0.412"}, 0) is None


def test_one_string_with_two_answers_on_a_line_is_passed_over(answers: ModuleType) -> None:
    twice = [
        {"printed": "1.0", "table": "tab:a", "source": "main.tex", "line": 7, "word": word}
        for word in ("differs", "follows")
    ]
    assert answers.number_at(twice, {"file": "main.tex", "line": 7, "printed": "1.0"}, 0) is None


HELD_OUT, DEVELOPMENT = "rpatrik96/hallmark", "19PINE-AI/rlvp"


@pytest.fixture
def clones(answers: ModuleType, tmp_path: Path) -> Any:
    for name in (HELD_OUT, DEVELOPMENT):
        (tmp_path / "clones" / name.replace("/", "+")).mkdir(parents=True)
    return answers.Clones(tmp_path / "clones", tmp_path / "work")


def test_what_was_answered_is_not_asked_again(clones: Any) -> None:
    asked: list[str] = []

    def compute() -> dict[str, int]:
        asked.append("once")
        return {"read": 3}

    assert clones.keep("check", DEVELOPMENT, "a", compute=compute) == {"read": 3}
    assert clones.keep("check", DEVELOPMENT, "a", compute=compute) == {"read": 3}
    assert asked == ["once"]
    clones.keep("check", DEVELOPMENT, "b", compute=compute)
    assert asked == ["once", "once"]


def test_another_program_is_asked_anew(clones: Any, answers: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    clones.keep("check", DEVELOPMENT, compute=lambda: 1)
    monkeypatch.setattr(answers, "program", lambda: "changed")
    again = answers.Clones(clones.directory, clones.work)
    assert again.keep("check", DEVELOPMENT, compute=lambda: 2) == 2


def test_the_held_out_part_is_asked_only_for_a_version_and_not_kept(clones: Any, answers: ModuleType) -> None:
    with pytest.raises(answers.NotAskedError, match="held out"):
        clones.find(HELD_OUT)
    clones.held_out = True
    assert clones.find(HELD_OUT).is_dir()
    for name in (HELD_OUT, DEVELOPMENT):
        clones.keep("check", name, compute=lambda: 1)
    clones.forget_held_out()
    kept = [json.loads(path.read_text())["key"][1] for path in clones.known.glob("*.json")]
    assert kept == [DEVELOPMENT]


def test_nothing_new_is_asked_once_the_time_is_up(clones: Any, answers: ModuleType) -> None:
    clones.keep("check", DEVELOPMENT, compute=lambda: 1)
    clones.until = 0.0
    assert clones.keep("check", DEVELOPMENT, compute=lambda: 2) == 1
    with pytest.raises(answers.NotAskedError):
        clones.keep("audit", DEVELOPMENT, compute=lambda: 3)


def test_a_paper_is_read_at_its_commit_and_a_failure_has_a_cause(answers: ModuleType, tmp_path: Path) -> None:
    clone = tmp_path / "clones" / "some+release"
    (clone / "results").mkdir(parents=True)
    (clone / "paper.md").write_text("The rate was 0.25.\n", encoding="utf-8")
    (clone / "results" / "rates.csv").write_text("name,rate\nours,0.25\n", encoding="utf-8")
    git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "as published"]):
        subprocess.run([*git, *command], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    (clone / "paper.md").write_text("The rate was 0.35.\n", encoding="utf-8")
    clones = answers.Clones(clone.parent, tmp_path / "work", held_out=True)
    answer = clones.ask("check", "some/release", commit, "paper.md", "results")
    assert [number["printed"] for number in answer.document["numbers"]] == ["0.25"]
    assert answer.seconds > 0
    with pytest.raises(answers.NoAnswerError) as failure:
        clones.ask("check", "some/release", commit, "absent.md", "results")
    assert failure.value.cause == "unreadable"


def judged(word: str, truth: str, **more: Any) -> dict[str, Any]:
    return {
        "word": word, "truth": truth, "part": "development", "field": "physics", "place": "table", "drawn": True,
        "from": "a.csv", "value": "1", "why": "stale", "odds": None, "same file": True, **more,
    }  # fmt: skip


def test_the_page_counts_both_errors_and_keeps_the_parts_apart() -> None:
    page = module("corpus_page")
    rows = [
        judged("follows", "follows"),
        judged("open", "follows"),
        judged("follows", "differs"),
        judged("differs", "differs", odds=99.0),
        judged("differs", "follows", part="held-out", odds=1.0),
    ]
    everything = page.Measured("sealtrace", "2026-01-01", judged=rows)
    everything.runs = [
        {"command": "check", "repository": "a/b", "paper": "p", "field": "physics", "part": "development",
         "cause": "crash", "message": "it fell"},
        {"command": "check", "repository": "c/d", "paper": "p", "field": "physics", "part": "held-out",
         "cause": "unreadable", "message": "not to be shown"},
    ]  # fmt: skip
    everything.absent = [("check", "e/f (no clone)")]
    text, plot = page.written(everything)
    lines = {line.split(" | ")[0].strip("| "): line for line in text.splitlines() if line.startswith("| ")}
    assert "| 1 of 2, 50 % (9–91) | 0 of 1" in lines["follows, recall: of those that follow, said to"]
    assert "| 1 of 2, 50 % (9–91) | – |" in lines["follows, precision: of those said to, do"]
    assert "| 1 of 2, 50 % (9–91) | – |" in lines["differs, recall: of those that differ, said to"]
    assert "| 1 of 1, 100 % (21–100) | 0 of 1" in lines["differs, precision: of the judged ones pointed at, do"]
    assert "| 1 of 1, 100 % (21–100) | 0 of 1" in lines["check: crashed"]
    assert "a/b, p: it fell" in text
    assert "not to be shown" not in text
    assert "e/f (no clone)" in text
    assert plot.count("<circle") == 2
