"""What the checks of an attempt ledger say of a few attempts, each spoilt in one way."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from checks.few_records import outcome_of, told
from support import Row

SERVICE, ATTEMPTS = "declare/service.json", "report/attempt.jsonl"


def service(**changed: Any) -> Row:
    """Three attempts at most, two requests of one arm after a warm-up."""
    return {
        "service": "s",
        "arms": ["a"],
        "actions": ["fold", "call", "raise"],
        "warm_up": 1,
        "requests": 2,
        "concurrency": 1,
        "batch": 1,
        "attempts": 3,
        "retried": ["illegal-action", "parser-failure", "service-timeout"],
        "timeout_ms": "50",
        "percentile": "nearest-rank",
        "retry_unit": "attempts",
        "boundary": "b",
        "queue": "q",
        "failure": "f",
        **changed,
    }


def attempt(request: str, number: int, trigger: str, began: float, answer: str | None, outcome: str) -> Row:
    """One attempt that takes two milliseconds, or the whole time where nothing is answered."""
    return {
        "request": request,
        "attempt": number,
        "arm": "a",
        "phase": "warm-up" if request == "w" else "timed",
        "trigger": trigger,
        "started_ms": began,
        "elapsed_ms": 50.0 if answer is None else 2.0,
        "legal": ["call", "raise"],
        **({} if answer is None else {"answer": answer}),
        "outcome": outcome,
    }


LEDGER = [
    attempt("w", 0, "first", 0.0, "call", "ok"),
    attempt("x", 0, "first", 10.0, None, "service-timeout"),
    attempt("x", 1, "service-timeout", 60.0, "raise", "ok"),
    attempt("y", 0, "first", 70.0, "fold", "illegal-action"),
    attempt("y", 1, "illegal-action", 72.0, "what?", "parser-failure"),
    attempt("y", 2, "parser-failure", 74.0, None, "solver-timeout"),
]
W, X0, X1, Y0, Y1, Y2 = range(6)


def judged(check: str, rows: list[Row], declared: Row | None = None) -> Any:
    """What a check says of a ledger."""
    return outcome_of(check, {SERVICE: declared or service(), ATTEMPTS: rows})


def spoilt(edits: dict[int, Row | None]) -> list[Row]:
    """The ledger with other values in some rows, or without them; None takes a value away."""
    rows: list[Row | None] = deepcopy([*LEDGER])
    for place, values in edits.items():
        changed = None if values is None else {**LEDGER[place], **values}
        rows[place] = changed and {name: value for name, value in changed.items() if value is not None}
    return [row for row in rows if row is not None]


@pytest.mark.parametrize(
    ("check", "inspected"),
    [("requests", 3), ("contiguous", 3), ("trigger", 6), ("sequence", 3), ("outcome", 6), ("times", 6)],
)
def test_a_whole_ledger(check: str, inspected: int) -> None:
    """Nothing is said of it, whatever the order of its rows; requests are counted, or attempts."""
    for rows in (LEDGER, LEDGER[::-1]):
        outcome = judged(f"attempt.{check}", rows)
        assert (told(outcome), outcome.missing, outcome.inspected) == ([], None, inspected)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"arms": ["a", "b", "a"]}, [("/arms", "names that differ", "a, b, a")]),
        ({"actions": ["call", "call"]}, [("/actions", "names that differ", "call, call")]),
        ({"retried": ["ok"]}, [("/retried", "failures", "ok")]),
        ({"timeout_ms": "0"}, [("/timeout_ms", "more than 0", "0")]),
        ({"timeout_ms": "0.5"}, []),
        ({"timeout_ms": "-1"}, [("/timeout_ms", "more than 0", "-1")]),
    ],
)
def test_declarations(changed: Row, expected: list[tuple[str, ...]]) -> None:
    """Names differ, a success is not tried again, and a timeout is positive."""
    outcome = judged("service.declared", LEDGER, service(**changed))
    assert told(outcome, "field", "expected", "found") == expected
    assert outcome.inspected == 4


GAP = ("x 1", "/attempt", "0", "1")
SPOILT: dict[str, tuple[str, dict[int, Row | None], list[tuple[Any, ...]]]] = {
    "an arm that nothing declares": (
        "requests",
        {W: {"arm": "b"}},
        [("w 0", "/arm", "a declared arm", "b"), ("a warm-up", "/request", "1", "0")],
    ),
    "a slow request called a warm-up": (
        "requests",
        {X0: {"phase": "warm-up"}, X1: {"phase": "warm-up"}},
        [("a warm-up", "/request", "1", "2"), ("a timed", "/request", "2", "1")],
    ),
    "a phase that is not said is timed": (
        "requests",
        {W: {"phase": None}},
        [("a warm-up", "/request", "1", "0"), ("a timed", "/request", "2", "3")],
    ),
    "a first attempt left out": ("contiguous", {X0: None}, [GAP]),
    "an attempt in the middle left out": ("contiguous", {Y1: None}, [("y 2", "/attempt", "1", "2")]),
    "a retry of another arm": (
        "contiguous",
        {X1: {"arm": "b"}},
        [("x 1", "/arm", "the arm of the attempt before", "b")],
    ),
    "a retry of another phase": (
        "contiguous",
        {Y2: {"phase": "warm-up"}},
        [("y 2", "/phase", "the phase of the attempt before", "warm-up")],
    ),
    "a first attempt that follows something": (
        "trigger",
        {W: {"trigger": "parser-failure"}},
        [("w 0", "/trigger", "first", "parser-failure")],
    ),
    "a retry that follows nothing": (
        "trigger",
        {Y1: {"trigger": "first"}},
        [("y 1", "/trigger", "illegal-action", "first")],
    ),
    "what lies before a gap is not known": ("trigger", {Y1: None}, []),
    "nor before a request that lacks its first attempt": ("trigger", {X0: None}, []),
    "a retry after a success": (
        "sequence",
        {X0: {"outcome": "ok"}},
        [("x 1", "/attempt", "nothing after ok", "1")],
    ),
    "an outcome that is not tried again": (
        "sequence",
        {Y1: {"outcome": "solver-timeout"}},
        [("y 2", "/attempt", "nothing after solver-timeout", "2")],
    ),
    "a request that gives up": (
        "sequence",
        {Y2: None},
        [("y 1", "/outcome", "another attempt, up to 3", "parser-failure")],
    ),
    "a request that used its attempts": ("sequence", {Y2: {"outcome": "service-timeout"}}, []),
    "an attempt too many": ("sequence", {Y2: {"attempt": 3}}, [("y 3", "/attempt", "3 at most", "3")]),
    "an illegal answer called a success": (
        "outcome",
        {Y0: {"outcome": "ok"}},
        [("y 0", "/outcome", "illegal-action", "ok")],
    ),
    "a success called illegal": (
        "outcome",
        {X1: {"outcome": "illegal-action"}},
        [("x 1", "/outcome", "ok", "illegal-action")],
    ),
    "words called illegal": (
        "outcome",
        {Y1: {"outcome": "illegal-action"}},
        [("y 1", "/outcome", "parser-failure", "illegal-action")],
    ),
    "words made legal": (
        "outcome",
        {Y1: {"outcome": "ok", "legal": ["what?"]}},
        [("y 1", "/outcome", "parser-failure", "ok")],
    ),
    "silence called a failure to read": (
        "outcome",
        {X0: {"outcome": "parser-failure"}},
        [("x 0", "/outcome", "service-timeout or solver-timeout", "parser-failure")],
    ),
    "a time below zero": (
        "times",
        {W: {"elapsed_ms": -1.0}, X1: {"elapsed_ms": 0.0}},
        [("w 0", "/elapsed_ms", "0 or more", "-1.0")],
    ),
    "a start that is not said, or before the run": (
        "times",
        {W: {"started_ms": None}, Y0: {"started_ms": -1.0}, X0: {"started_ms": 0.0}},
        [("w 0", "/started_ms", "0 or more", "nothing"), ("y 0", "/started_ms", "0 or more", "-1.0")],
    ),
    "given up early": ("times", {X0: {"elapsed_ms": 49.9}}, [("x 0", "/elapsed_ms", "50 or more", "49.9")]),
    "slow and answered": ("times", {X1: {"elapsed_ms": 49.9}}, []),
    "a retry before its request had ended": (
        "times",
        {Y1: {"started_ms": 71.9}},
        [("y 1", "/started_ms", "72.0 or later", "71.9")],
    ),
    "a retry earlier by a rounding": ("times", {Y1: {"started_ms": 71.9985}}, []),
    "earlier by just a rounding": ("times", {Y1: {"started_ms": 71.998}}, []),
    "earlier by more than a rounding": (
        "times",
        {Y1: {"started_ms": 71.9975}},
        [("y 1", "/started_ms", "72.0 or later", "71.9975")],
    ),
}


@pytest.mark.parametrize(("check", "edits", "expected"), SPOILT.values(), ids=SPOILT)
def test_a_spoilt_ledger(check: str, edits: dict[int, Row | None], expected: list[tuple[Any, ...]]) -> None:
    """Each is found at its attempt, and nothing else is said."""
    outcome = judged(f"attempt.{check}", spoilt(edits))
    assert told(outcome, "key", "field", "expected", "found") == expected


def test_attempts_that_do_not_say_what_was_legal() -> None:
    """Whether an answer was legal is not known of them, and the check does not pass; words are no action either way."""
    rows = spoilt({X1: {"legal": None}, Y1: {"legal": None}, Y2: {"legal": None}})
    outcome = judged("attempt.outcome", rows)
    assert (outcome.missing, outcome.inspected) == ("1 attempts do not say which actions were legal", 5)
    rows[Y1]["outcome"] = "ok"
    assert told(judged("attempt.outcome", rows), "key") == [("y 1",)]


@pytest.mark.parametrize(
    ("declared", "counted", "expected"),
    [
        ({"tokens": 20}, {"prompt_tokens": 12, "generated_tokens": 8}, []),
        (
            {"tokens": 20},
            {"prompt_tokens": 12, "generated_tokens": 9},
            [("/generated_tokens", "20 at most, read and written", "21")],
        ),
        ({"tokens": 20}, {"prompt_tokens": 12}, [("/generated_tokens", "a count", "nothing")]),
        ({"tokens": 20}, {"generated_tokens": 8}, [("/generated_tokens", "a count", "nothing")]),
        (
            {"tokens": 20},
            {"generated_tokens": 30},
            [("/generated_tokens", "a count", "nothing"), ("/generated_tokens", "20 at most, read and written", "30")],
        ),
        ({"tool_calls": 1}, {"tool_calls": 1}, []),
        ({"tool_calls": 1}, {"tool_calls": 2}, [("/tool_calls", "1 at most", "2")]),
        ({"tool_calls": 1}, {}, [("/tool_calls", "1 at most", "nothing")]),
    ],
)
def test_budgets(declared: Row, counted: Row, expected: list[tuple[str, ...]]) -> None:
    """What an attempt reads and writes counts together; under a budget, what is not counted is an error."""
    outcome = judged("attempt.budget", [LEDGER[W] | counted], service(**declared))
    assert told(outcome, "field", "expected", "found") == expected
    assert outcome.inspected == 1


def test_no_budget() -> None:
    """Then there is nothing to keep."""
    outcome = judged("attempt.budget", LEDGER)
    assert (outcome.not_applicable, outcome.inspected) == ("the service declares no budget", 0)
