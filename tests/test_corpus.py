"""The lists of public releases, and how answers are held against judgements; nothing is fetched or run here."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
TRUTHS = {"follows", "differs", "given", "unknown"}


@pytest.fixture(scope="module")
def answers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("corpus_answers", BENCHMARKS / "corpus_answers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


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
