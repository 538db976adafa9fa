"""Relations found by search: the planted ones come first, and their text is ready for a relations file."""

from __future__ import annotations

import random

import pytest

from relations.families.small_papers import read, table
from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Status
from sealtrace.relations.families import suggestions
from sealtrace.relations.families.suggestions import suggest
from sealtrace.relations.reading import read_relations

PARTS = table(
    "",
    "Arm | Left | Right | Both | Half | Share",
    [
        "one | 1.237 | 2.418 | 3.655 | 1.8275 | 0.5116",
        "two | 7.113 | 0.904 | 8.017 | 4.0085 | 7.8684",
        "three, more | 3.391 | 4.772 | 8.163 | 4.0815 | 0.7106",
        "four | 0.558 | 6.649 | 7.207 | 3.6035 | 0.0839",
    ],
    "tab:parts",
)
AGAIN = table("", "Method | Both", ["first | 3.655", "second | 8.017"], "tab:again")


def test_sums_halves_ratios_and_repeated_numbers_are_suggested() -> None:
    """Each with a sentence for readers."""
    sentences = [one.sentence for one in suggest(read(PARTS, AGAIN))]
    assert "Both is the sum of Left and Right (columns of tab:parts)." in sentences
    assert "Half is the half of Both (columns of tab:parts)." in sentences
    assert "Share is the ratio of Left and Right (columns of tab:parts)." in sentences
    assert any(one.startswith("3.655 is one number in 2 tables") for one in sentences)


def test_suggestions_are_ready_for_a_relations_file() -> None:
    """Read back, they hold, since they were found in the same numbers."""
    paper = read(PARTS, AGAIN)
    found = suggest(paper)
    reading = read_relations("\n".join(one.text for one in found), "suggested.relations", paper.facts)
    assert reading.problems == []
    assert len(reading.claims) >= len(found)
    assert {decide(claim).status for claim in reading.claims} == {Status.HOLDS}
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def _chance(columns: int, rows: int) -> str:
    draw = random.Random(5)
    body = [f"r{row} | " + " | ".join(f"{draw.uniform(0, 90):.2f}" for _ in range(columns)) for row in range(rows)]
    return table("", "Arm | " + " | ".join(f"C{column}" for column in range(columns)), body)


def test_numbers_without_relations_suggest_nothing() -> None:
    """Chance alone is not reported."""
    assert suggest(read(_chance(8, 6))) == []


def test_the_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the table, no more is tried than the limit says."""
    whole = {one.name for one in suggest(read(PARTS))}
    monkeypatch.setattr(suggestions, "MOST_CHECKS", 20)
    assert {one.name for one in suggest(read(PARTS))} < whole
