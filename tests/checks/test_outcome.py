"""What a check says of numbers: tolerances are relative to what is compared."""

from __future__ import annotations

import numpy as np
import pytest

from sealtrace.bundle.frames import Frame
from sealtrace.bundle.reading import read_bundle
from sealtrace.checks.outcome import Outcome, cut, text
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
    if not scale:
        outcome.compare(frame, one, "/delta", np.array([replayed]), np.array([stored]), 1e-12, "differs")
        assert outcome.counts["error"] == 2 * errors


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
    said = [found.message for found in same.findings if found.severity == "warning"]
    assert [message[:15] for message in said] == (["2 numbers agree"] if counts[0] == 0 else [])
    assert outcome.largest is not None
    assert outcome.largest.value == pytest.approx(1e-4)


def test_nothing_is_the_same_as_nothing() -> None:
    """Zero lies within any tolerance of zero, and a number that is none within no tolerance of anything."""
    outcome = Outcome("score.delta", "scores")
    outcome.compare(_scores(), np.arange(2), "/delta", np.zeros(2), np.array([0.0, np.nan]), 1e-12, "Differs.")
    assert [found.line for found in outcome.findings] == [2]


def test_a_sum_may_miss_one_by_its_tolerance() -> None:
    """By exactly that, and by no more."""
    outcome = Outcome("probability.normalized", "distributions")
    sums = np.array([1 + 2.0**-20, 1 - 2.0**-20, 1 + 2.0**-20 + 2.0**-52])
    outcome.normalized(_scores(), np.arange(3), "/delta", sums, "0.00000095367431640625")
    assert [found.line for found in outcome.findings if found.severity == "error"] == [3]


def test_a_name_of_a_million_letters_is_not_repeated_whole() -> None:
    """A thousand findings about it would not fit into memory."""
    outcome = Outcome("join.unique-key", "rows")
    outcome.at("rows.jsonl", {"item": "x" * 10**6}, 1).error("/item", "y" * 10**6, "a", "z" * 10**6)
    (found,) = outcome.findings
    assert found.key is not None
    assert [len(one or "") < 2100 for one in (found.key["item"], found.message, found.found)] == [True] * 3
    assert found.message.endswith("y… (1000000 characters)")


def _scores() -> Frame:
    return Frame("score", read_bundle(FIXTURE).of_kind("score"))


def test_all_findings_are_counted_and_the_first_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of any severity, from rows and from places, and where two outcomes of one check come together."""
    monkeypatch.setattr("sealtrace.checks.outcome.LISTED", 3)
    frame, outcome = _scores(), Outcome("score.delta", "scores")
    outcome.at("a.json").warning("/a", "Doubtful.")
    outcome.rows(frame, np.arange(5), "/delta", "Wrong.")
    outcome.at("b.json").note("/b", "Worth knowing.")
    assert outcome.counts == {"error": 5, "warning": 1, "note": 1}
    assert [(found.severity, found.line) for found in outcome.findings] == [
        ("warning", None),
        ("error", 1),
        ("error", 2),
    ]
    more = Outcome("score.delta", "scores", inspected=4)
    more.rows(frame, np.arange(2), "/delta", "Wrong.")
    more.add(outcome)
    assert (more.inspected, len(more.findings), more.counts["error"]) == (4, 3, 7)
    assert [found.severity for found in more.findings] == ["error", "error", "warning"]


def test_why_nothing_is_said_is_kept_when_outcomes_come_together() -> None:
    """The first reason stands; a reason is not lost beside an outcome that has none."""
    first, second = Outcome("a.b", "rows"), Outcome("a.b", "rows", missing="no rows", not_applicable="no need")
    first.add(second)
    second.add(Outcome("a.b", "rows", missing="other", not_applicable="another"))
    assert (first.missing, first.not_applicable) == (second.missing, second.not_applicable) == ("no rows", "no need")


def test_the_largest_difference_is_the_first_of_equals() -> None:
    """In whatever order parts of one file come back, and never one that is no number."""
    frame = _scores()

    def at(row: int, *values: float) -> Outcome:
        outcome = Outcome("score.delta", "scores")
        outcome.farthest(frame, np.arange(row, row + len(values)), "/delta", np.array(values))
        return outcome

    assert at(0, np.nan, np.inf).largest is None
    assert at(0).largest is None
    for parts in ([(4, (0.0, 2.0)), (1, (2.0, 1.0))], [(1, (2.0, 1.0)), (4, (0.0, 2.0))]):
        whole = Outcome("score.delta", "scores")
        for row, values in parts:
            whole.add(at(row, *values))
        assert whole.largest is not None
        assert (whole.largest.value, whole.largest.line) == (2.0, 2)
        whole.add(at(7, 3.0))
        whole.add(at(0, 1.0))
        assert (whole.largest.value, whole.largest.line) == (3.0, 8)
    seen = at(3, 0.0)
    assert seen.largest is not None
    seen.difference(0.0, frame, 0, "/delta")
    assert (seen.largest.line, seen.largest.key) == (4, dict(frame.key(3)))


@pytest.mark.parametrize(
    ("declared", "severity"),
    [("0", "error"), ("1e-12", None), ("1e-9", None), ("1.1e-9", "warning"), ("1e-4", "warning"), ("1.1e-4", "error")],
)
def test_declared_tolerances(declared: str, severity: str | None) -> None:
    """Above zero and at most 1e-4; a word beyond 1e-9."""
    outcome = Outcome("protocol.domains", "values")
    outcome.at("protocol.json").tolerance("/tolerances/replay", declared)
    assert [found.severity for found in outcome.findings] == ([] if severity is None else [severity])


def test_values_as_findings_print_them() -> None:
    """Truth in words of JSON, doubles with all their digits, lists as people write them, rows' own values."""
    assert [text(value) for value in (True, np.bool_(False), np.float64(0.1), 3, "x")] == [
        "true",
        "false",
        "0.1",
        "3",
        "x",
    ]
    frame, outcome = _scores(), Outcome("score.delta", "scores")
    mask = np.zeros(len(frame.table), np.bool_)
    mask[[1, 3]] = True
    expected = np.arange(len(mask))
    outcome.rows(frame, mask, "/crossing", lambda row: f"Row {row}.", expected)
    outcome.rows(frame, np.array([3, 1]), "/crossing", "Listed.", np.array([7, 8]), ["a", "b"])
    own = [text(frame.table.column("crossing")[row].as_py()) for row in (1, 3)]
    assert [(found.line, found.message, found.expected, found.found) for found in outcome.findings] == [
        (2, "Row 1.", "1", own[0]), (4, "Row 3.", "3", own[1]), (4, "Listed.", "7", "a"), (2, "Listed.", "8", "b"),
    ]  # fmt: skip
    outcome.at("a.json").expect("/x", "Same.", 1, 1)
    assert outcome.counts["error"] == 4
    assert [cut("x" * size)[-17:] for size in (2000, 2001)] == ["x" * 17, "… (2001 characters)"[-17:]]


def test_what_a_row_holds_is_shown_as_people_write_it() -> None:
    """A list with commas, and nothing in words."""
    frame, outcome = Frame("observation", read_bundle(FIXTURE).of_kind("observation")), Outcome("a.b", "states")
    for field in ("/legal", "/block"):
        outcome.rows(frame, np.array([0]), field, "Wrong.")
    assert [found.found for found in outcome.findings] == ["fold, call, raise", "nothing"]
