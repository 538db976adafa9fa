"""Archived originals, anonymity, and what a manuscript's source and log say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from checks.few_records import outcome_of, told
from sealtrace.bundle.identity import file_digest

PAPER, APPENDIX, LOG = "report/manuscript.tex", "report/manuscript.appendix.tex", "report/manuscript.log"
ORIGINAL, SOURCES = "declare/attachments/paper.txt", "declare/source.jsonl"


def original(**changed: Any) -> dict[str, Any]:
    """The record of an original that says `abc`."""
    return {"path": ORIGINAL, "role": "original", "bytes": 3, "sha256": file_digest(b"abc"), **changed}


@pytest.mark.parametrize(
    ("text", "record", "expected"),
    [
        ("abc", original(), []),
        ("abc", original(path="declare/attachments/gone.txt"), [(SOURCES, "/path", "an attachment", "nothing")]),
        ("abc", original(bytes=4), [(ORIGINAL, "/bytes", "4", "3")]),
        ("abd", original(), [(ORIGINAL, "/sha256", file_digest(b"abc"), file_digest(b"abd"))]),
    ],
)
def test_archived_originals(text: str, record: dict[str, Any], expected: list[tuple[Any, ...]]) -> None:
    """Each is there with its length and digest; one that is not there hides no other."""
    other = "declare/attachments/second.txt"
    second = original(path=other, sha256="0" * 64)
    outcome = outcome_of("source.preserved", {ORIGINAL: text, other: "abc", SOURCES: [record, second]})
    changed = (other, "/sha256", "0" * 64, file_digest(b"abc"))
    assert told(outcome, "source", "field", "expected", "found") == [*expected, changed]
    assert outcome.inspected == 2


@pytest.mark.parametrize(("said", "off"), [({"anonymous": False}, True), ({"anonymous": True}, False), ({}, False)])
def test_a_release_is_anonymous_unless_it_says_otherwise(said: dict[str, Any], off: bool) -> None:
    """Marks of people are looked for in every file."""
    files = {"declare/protocol.json": {"study": "s", "title": "t", **said}, ORIGINAL: "abc"}
    outcome = outcome_of("hygiene.anonymous", files)
    assert outcome.not_applicable == ("the release is not anonymous" if off else None)
    assert outcome.inspected == (0 if off else 2)


UNRESOLVED: dict[str, tuple[dict[str, str], list[tuple[Any, ...]]]] = {
    "all defined": ({PAPER: "\\label{a}\n\\ref{a} \\eqref{b}", APPENDIX: "\\label{b} \\Cref{a,b}"}, []),
    "not defined": ({PAPER: "\\label{a}\n\n\\cref{a, gone}"}, [(PAPER, 3, "gone", "a label", "none")]),
    "in the first line": ({PAPER: "\\ref{gone}"}, [(PAPER, 1, "gone", "a label", "none")]),
    "defined in a comment": ({PAPER: "%\\label{a}\n\\ref{a}"}, [(PAPER, 2, "a", "a label", "none")]),
    "referred to in a comment": ({PAPER: "% \\ref{a}\n5\\% \\label{b}\\ref{b}"}, []),
    "defined twice": (
        {PAPER: "\n\\label{a}", APPENDIX: "\n\n\\label{a}\\label{a}"},
        [
            (APPENDIX, 3, "a", f"only {PAPER}:2", f"{APPENDIX}:3"),
            (APPENDIX, 3, "a", f"only {PAPER}:2", f"{APPENDIX}:3"),
        ],
    ),
    "undefined in the log": (
        {
            LOG: "LaTeX Warning: Reference `a' on page 1 undefined on input line 3.\n"
            "LaTeX Warning: Citation 'b' on page 1 undefined on input line 4.\n"
        },
        [(LOG, None, "a", "a definition", "none"), (LOG, None, "b", "a definition", "none")],
    ),
    "a log that breaks its lines": (
        {LOG: f"LaTeX Warning: Reference `{'a' * 53}\n{'b' * 9}' on page 1 undefined on input line 3.\n"},
        [(LOG, None, "a" * 53 + "b" * 9, "a definition", "none")],
    ),
    "a log beside a source that quotes one": (
        {PAPER: "LaTeX Warning: Reference `a' undefined", LOG: "no warning"},
        [],
    ),
}


@pytest.mark.parametrize(("texts", "expected"), UNRESOLVED.values(), ids=UNRESOLVED)
def test_references(texts: dict[str, str], expected: list[tuple[Any, ...]]) -> None:
    """Sources are read together, without their comments; logs tell of themselves."""
    outcome = outcome_of("manuscript.references", texts)
    assert told(outcome, "source", "line", "key", "expected", "found") == expected
    assert outcome.inspected == len(texts)
    logged = [finding.message for finding in outcome.findings if finding.source == LOG]
    assert logged == ["An undefined reference.", "An undefined citation."][: len(logged)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fine\n", []),
        ("Overfull \\hbox (3.1pt too wide) in paragraph\n", [(1, "in paragraph", "3.1pt too wide")]),
        ("\n\nOverfull \\vbox (12pt too high) has occurred", [(3, "has occurred", "12pt too high")]),
    ],
)
def test_overfull_boxes(text: str, expected: list[tuple[Any, ...]]) -> None:
    """Each with its line in the log, and how far it runs over."""
    outcome = outcome_of("manuscript.overfull", {LOG: text, PAPER: "Overfull \\hbox (1pt too wide) is quoted"})
    assert told(outcome, "line", "key", "found") == expected
    assert outcome.inspected == 1


@pytest.mark.parametrize(
    ("check", "files", "reason"),
    [
        ("manuscript.references", {}, "the bundle holds no manuscript source or log"),
        ("manuscript.overfull", {PAPER: "text"}, "the bundle holds no manuscript log"),
        ("source.preserved", {}, "the bundle archives no originals"),
    ],
)
def test_nothing_to_look_at(check: str, files: dict[str, str], reason: str) -> None:
    """That is said, and nothing passes."""
    outcome = outcome_of(check, files)
    assert (outcome.not_applicable, outcome.inspected) == (reason, 0)
