"""Figures of a ledger that fits on a page, counted by hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from games.small_games import Parts, small_games
from sealtrace.bundle.reading import read_bundle
from sealtrace.evidence import Evidence
from sealtrace.recipes.metrics import MissingEvidenceError, RecipeError, compute


def ledger(directory: Path, retry_unit: str = "attempts") -> Evidence:
    """Per arm: a success in 3.5 ms; a timeout of 50.5 ms and a success of 2 ms, 1 ms apart; two failures."""

    def change(parts: Parts) -> None:
        parts["service"]["retry_unit"] = retry_unit

    return Evidence(read_bundle(small_games(directory / "bundle", change)))


@pytest.mark.parametrize(
    ("quantity", "due"),
    [
        ("requests", Fraction(3)),
        ("attempts", Fraction(5)),
        ("legality", Fraction(2, 5)),
        ("retry_rate", Fraction(2, 5)),
        ("failure_rate", Fraction(1, 3)),
        ("tokens", Fraction(50, 3)),
        ("total_tokens", Fraction(50)),
        ("total_ms", Fraction("3.5") + Fraction("53.5") + Fraction("3.5")),
        ("mean_ms", Fraction("60.5") / 3),
        ("median_ms", Fraction("3.5")),
        ("p95_ms", Fraction("53.5")),
        ("throughput", 3000 / Fraction("62.5")),
    ],
)
def test_by_hand(quantity: str, due: Fraction, tmp_path: Path) -> None:
    """Failed attempts stay in every denominator; the warm-up enters none."""
    value = compute(ledger(tmp_path), "service", {"quantity": quantity, "arms": "s/1"})
    assert value.numbers == (due,)


def test_calls_by_requests(tmp_path: Path) -> None:
    """Calls of failed attempts count, too: five attempts at three requests, each with two."""

    def change(parts: Parts) -> None:
        parts["service"]["tool_calls"] = 2
        for attempt in parts["attempt"]:
            attempt["tool_calls"] = 2

    study = Evidence(read_bundle(small_games(tmp_path / "bundle", change)))
    assert compute(study, "service", {"quantity": "tool_calls", "arms": "s/1"}).numbers == (Fraction(10, 3),)


def test_uncounted_calls_are_missing(tmp_path: Path) -> None:
    """An attempt that counts no calls is not one without calls."""

    def change(parts: Parts) -> None:
        del parts["attempt"][-1]["tool_calls"]

    study = Evidence(read_bundle(small_games(tmp_path / "bundle", change)))
    with pytest.raises(MissingEvidenceError, match="does not count its calls"):
        compute(study, "service", {"quantity": "tool_calls", "arms": "s/"})


def test_retries_by_requests(tmp_path: Path) -> None:
    """The declared unit decides: two of three requests needed a retry."""
    value = compute(ledger(tmp_path, "requests"), "service", {"quantity": "retry_rate", "arms": "s/1"})
    assert value.numbers == (Fraction(2, 3),)


def test_beside_other_arms(tmp_path: Path) -> None:
    """A relative cost is the ratio of two quantities; nothing is divided by zero."""
    study = ledger(tmp_path)
    for quantity, base, due in (("mean_ms", "s/1", 1), ("attempts", "s/2", 1), ("attempts", "s/", Fraction(1, 2))):
        value = compute(study, "service", {"quantity": quantity, "arms": "s/1", "base": base})
        assert value.numbers == (due,)


def test_several_beginnings(tmp_path: Path) -> None:
    """Arms are named by how they begin, one or several, each counted once."""
    study = ledger(tmp_path)
    for arms, due in (("s/1,s/2", 6), ("s/,s/1", 6), ("s/2,t", 3)):
        assert compute(study, "service", {"quantity": "requests", "arms": arms}).numbers == (Fraction(due),)


def test_over_seeds(tmp_path: Path) -> None:
    """Two arms alike have no deviation."""
    value = compute(ledger(tmp_path), "service_over_seeds", {"quantity": "legality", "arms": "s/"})
    assert [float(number) for number in value.numbers] == [0.4, 0.0]


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    """An unknown quantity or arm is the recipe's mistake; a request that is not there is missing evidence."""
    evidence = ledger(tmp_path)
    with pytest.raises(RecipeError, match="no quantity"):
        compute(evidence, "service", {"quantity": "speed", "arms": "s/1"})
    with pytest.raises(RecipeError, match="no arm"):
        compute(evidence, "service", {"quantity": "requests", "arms": "z"})

    def leave_out(parts: Parts) -> None:
        parts["attempt"] = [row for row in parts["attempt"] if row["request"] != "s/1/t0"]

    damaged = Evidence(read_bundle(small_games(tmp_path / "damaged", leave_out)))
    with pytest.raises(MissingEvidenceError):
        compute(damaged, "service", {"quantity": "legality", "arms": "s/1"})
