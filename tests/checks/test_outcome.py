"""What a check says of numbers: tolerances are relative to what is compared."""

from __future__ import annotations

import numpy as np
import pytest

from sealtrace.bundle.frames import Frame
from sealtrace.bundle.reading import read_bundle
from sealtrace.checks.outcome import Outcome
from support import FIXTURE

SCALES = {
    "tiny numbers differ": (7.24e-13, 9.24e-13, 0.0, 1),
    "almost nothing is not nothing": (1e-300, 0.0, 0.0, 1),
    "the last digits of large numbers may differ": (1e6, 1e6 + 1e-9, 0.0, 0),
    "a difference of large numbers is as exact as they are": (4e-13, 9e-13, 10.0, 0),
}


@pytest.mark.parametrize(("replayed", "stored", "scale", "errors"), SCALES.values(), ids=SCALES)
def test_tolerances_follow_the_size(replayed: float, stored: float, scale: float, errors: int) -> None:
    """1e-12 of the larger number, or of what was added up."""
    frame = Frame("score", read_bundle(FIXTURE).of_kind("score"))
    outcome = Outcome("score.delta", "scores")
    one = np.array([0])
    outcome.compare(frame, one, "/delta", np.array([replayed]), np.array([stored]), 1e-12, "differs", scale)
    assert outcome.counts["error"] == errors


@pytest.mark.parametrize(
    ("tolerance", "counts"), [("1e-12", (3, 0)), ("1e-9", (2, 0)), ("1e-5", (1, 1)), ("1e-3", (0, 1))]
)
def test_what_passes_only_by_a_loose_tolerance_is_told(tolerance: str, counts: tuple[int, int]) -> None:
    """Sums that miss one by 1e-10, 1e-6 and 1e-4: errors beyond the tolerance, one warning for what it lets pass."""
    frame = Frame("score", read_bundle(FIXTURE).of_kind("score"))
    sums, rows = np.array([1 - 1e-10, 1 - 1e-6, 1 - 1e-4]), np.arange(3)
    outcome = Outcome("probability.normalized", "distributions")
    outcome.normalized(frame, rows, "/delta", sums, tolerance)
    assert (outcome.counts["error"], outcome.counts["warning"]) == counts
    same = Outcome("score.delta", "scores")
    same.compare(frame, rows, "/delta", np.ones(3), sums, float(tolerance), "differs")
    assert same.counts["error"] == counts[0]
    assert same.counts["warning"] == (1 if counts[0] == 0 else 0)
    assert outcome.largest is not None
    assert outcome.largest.value == pytest.approx(1e-4)


def test_a_name_of_a_million_letters_is_not_repeated_whole() -> None:
    """A thousand findings about it would not fit into memory."""
    outcome = Outcome("join.unique-key", "rows")
    outcome.at("rows.jsonl", {"item": "x" * 10**6}, 1).error("/item", "y" * 10**6, "a", "z" * 10**6)
    (found,) = outcome.findings
    assert found.key is not None
    assert [len(one or "") < 2100 for one in (found.key["item"], found.message, found.found)] == [True] * 3
    assert found.message.endswith("y… (1000000 characters)")
