"""The chain of seals: its links, its members, and what may be sealed when."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from checks.few_records import bundle_of, evidence_of, outcome_of, told
from sealtrace.bundle.content import document_digest
from sealtrace.bundle.identity import ListedFile, seal_path
from sealtrace.checks.stages import stage_links
from sealtrace.contract.kinds import STAGES
from support import Row

PROTOCOL, NOTES, LATE = "declare/protocol.json", "declare/attachments/notes.txt", "report/attachments/late.txt"
SPLITS = [{"name": "held-out", "role": "held-out", "size": 4}]
FILES: dict[str, Any] = {PROTOCOL: {"study": "s", "title": "t", "splits": SPLITS}, NOTES: "abc", LATE: "de"}
Seals = dict[str, Row]


def seals(files: dict[str, Any], edit: Callable[[Seals], None] = lambda _: None) -> Seals:
    """The seals of these files, edited before each is given the digest of the one before; by their stage."""
    made: Seals = {}
    for position, stage in enumerate(STAGES, 1):
        entries = [entry.as_json() for entry in bundle_of(files).entries if entry.stage == stage]
        made[stage] = {"sealtrace": "1", "stage": stage, "position": position, "files": entries}
        if not entries:
            made[stage]["empty_reason"] = "Nothing belongs here."
    edit(made)
    previous = None
    for seal in made.values():
        if previous:
            seal.setdefault("previous", previous)
        previous = document_digest(seal)
    return made


def sealed(edit: Callable[[Seals], None] = lambda _: None) -> dict[str, Any]:
    """The files and their seals."""
    return {**FILES, **{seal_path(stage): seal for stage, seal in seals(FILES, edit).items()}}


def changed(stage: str, **values: Any) -> Callable[[Seals], None]:
    """Gives a seal other values."""
    return lambda seals: seals[stage].update(values)


def in_file(number: int, **values: Any) -> Callable[[Seals], None]:
    """Gives a file of the first seal other values there."""
    return lambda seals: seals["declare"]["files"][number].update(values)


def test_a_whole_chain() -> None:
    """Eight seals, whose files are all those that are listed."""
    for check, inspected in (("stage.chain", 8), ("stage.members", 3), ("stage.chronology", 11)):
        outcome = outcome_of(check, sealed())
        assert (told(outcome), outcome.missing, outcome.inspected) == ([], None, inspected)


LINKS: dict[str, tuple[Callable[[Seals], None], list[tuple[str, str, Any, str]]]] = {
    "another place": (changed("bank", position=3), [("bank", "/position", "2", "3")]),
    "another seal before": (changed("bank", previous="0" * 64), [("bank", "/previous", "", "0" * 64)]),
    "a seal before the first": (changed("declare", previous="0" * 64), [("declare", "/previous", "nothing", "0" * 64)]),
    "no reason": (changed("bank", empty_reason=""), [("bank", "/empty_reason", "a reason", "nothing")]),
    "a reason that is none": (
        changed("declare", empty_reason="None."),
        [("declare", "/empty_reason", "nothing", "None.")],
    ),
}


@pytest.mark.parametrize(("edit", "expected"), LINKS.values(), ids=LINKS)
def test_links(edit: Callable[[Seals], None], expected: list[tuple[str, str, Any, str]]) -> None:
    """Each seal names its place, the one before it, and why it holds nothing."""
    files = sealed(edit)
    due = document_digest(files[seal_path("declare")])
    found = told(outcome_of("stage.chain", files), "key", "field", "expected", "found")
    assert found == [(key, field, wanted or due, there) for key, field, wanted, there in expected]


def test_stages_that_are_not_sealed() -> None:
    """They are missing. The first seal names none before it, wherever the chain begins."""
    files = sealed()
    for stage in ("bank", "report"):
        del files[seal_path(stage)]
    outcome = outcome_of("stage.chain", files)
    assert outcome.missing == "not sealed yet: bank, report"
    assert told(outcome, "key", "field") == [("structure", "/previous")]


def test_a_study_without_splits_seals_two_stages() -> None:
    """The first and the last; others count where they are sealed, and the chain links those that are."""

    def two(seals: Seals) -> None:
        for stage in STAGES[1:-1]:
            del seals[stage]

    plain = {**FILES, PROTOCOL: {"study": "s", "title": "t"}}
    files = {**plain, **{seal_path(stage): seal for stage, seal in seals(plain, two).items()}}
    outcome = outcome_of("stage.chain", files)
    assert (told(outcome), outcome.missing, outcome.inspected) == ([], None, 2)
    assert [link.stage for link in stage_links(evidence_of(files), {})] == ["declare", "report"]
    del files[seal_path("report")]
    assert outcome_of("stage.chain", files).missing == "not sealed yet: report"


def test_a_stage_that_is_sealed_twice() -> None:
    """However the second one lies and links."""
    files = sealed()
    again = "seals/9-bank.json"
    files[again] = {**files[seal_path("bank")], "previous": document_digest(files[seal_path("bank")])}
    files[seal_path("structure")]["previous"] = document_digest(files[again])
    found = told(outcome_of("stage.chain", files), "source", "field", "expected", "found")
    assert found[0] == (seal_path("bank"), None, "one seal", "2")
    assert (again, "/stage", seal_path("bank"), f"{again} of bank") in told(
        outcome_of("stage.members", files), "source", "field", "expected", "found"
    )


def doubly(seals: Seals) -> None:
    seals["bank"].update(files=seals["declare"]["files"][:1])


def swapped(seals: Seals) -> None:
    first = seals["declare"]["files"]
    seals["declare"]["files"], seals["report"]["files"] = seals["report"]["files"], first


MEMBERS: dict[str, tuple[Callable[[Seals], None], list[tuple[Any, ...]]]] = {
    "left out": (changed("report", files=[]), [(LATE, "report", None, "a file of seals/8-report.json", "nothing")]),
    "not listed": (
        in_file(1, path="declare/attachments/gone.txt"),
        [
            (seal_path("declare"), "declare declare/attachments/gone.txt", "/files", "listed", "not listed"),
            (NOTES, "declare", None, "a file of seals/1-declare.json", "nothing"),
        ],
    ),
    "another length": (in_file(1, bytes=4), [(seal_path("declare"), f"declare {NOTES}", "/files/*/bytes", "3", "4")]),
    "rows of bytes": (in_file(1, rows=4), [(seal_path("declare"), f"declare {NOTES}", "/files/*/rows", None, "4")]),
    "a stage that is not its own": (
        in_file(1, stage="bank"),
        [
            (seal_path("declare"), f"declare {NOTES}", "/files/*/stage", "declare", "bank"),
            (seal_path("declare"), f"declare {NOTES}", "/files/*/stage", "declare", "bank"),
        ],
    ),
    "twice": (
        doubly,
        [
            (seal_path("bank"), f"bank {PROTOCOL}", "/files", "only declare", "bank"),
            (seal_path("bank"), f"bank {PROTOCOL}", "/files/*/stage", "bank", "declare"),
        ],
    ),
    "in the seal of another stage": (
        swapped,
        [
            (seal_path("declare"), f"declare {LATE}", "/files/*/stage", "declare", "report"),
            (seal_path("report"), f"report {PROTOCOL}", "/files/*/stage", "report", "declare"),
            (seal_path("report"), f"report {NOTES}", "/files/*/stage", "report", "declare"),
        ],
    ),
}


@pytest.mark.parametrize(("edit", "expected"), MEMBERS.values(), ids=MEMBERS)
def test_members(edit: Callable[[Seals], None], expected: list[tuple[Any, ...]]) -> None:
    """Every listed file is in the one seal of its stage, as it is listed."""
    outcome = outcome_of("stage.members", sealed(edit))
    assert told(outcome, "source", "key", "field", "expected", "found") == expected


def test_a_file_in_the_folder_of_another_stage() -> None:
    """A seal that says its own stage of it is not believed: the place says another."""

    def moved(seals: Seals) -> None:
        (file,) = seals["report"]["files"]
        seals["report"].update(files=[])
        seals["bank"].update(files=[file | {"stage": "bank"}])

    files = sealed(moved)
    found = told(outcome_of("stage.members", files), "source", "field", "expected", "found")
    assert found[0] == (seal_path("bank"), "/files/*/stage", "bank", LATE)


def test_a_seal_in_another_place() -> None:
    """The name says the stage; so does the manifest."""
    files = sealed()
    files["seals/3-bank.json"] = files.pop(seal_path("bank"))
    outcome = outcome_of("stage.members", files)
    assert told(outcome, "source", "expected", "found") == [
        ("seals/3-bank.json", seal_path("bank"), "seals/3-bank.json of bank")
    ]
    files = sealed()
    files[seal_path("bank")]["stage"] = "trace"
    assert (seal_path("bank"), seal_path("trace"), f"{seal_path('bank')} of bank") in told(
        outcome_of("stage.members", files), "source", "expected", "found"
    )


ROLES = ("training", "structure", "calibration", "held-out")
PLACED: dict[str, tuple[list[str], list[tuple[str, str, str, str]]]] = {
    "traces and scores": (
        [
            "bank/trace.structure",
            "structure/score.structure",
            "trace/trace.calibration",
            "calibrate/values.calibration",
        ],
        [],
    ),
    "traces of another role": (
        ["trace/trace.held-out", "bank/trace.training"],
        [("trace/trace.held-out.jsonl", "trace held-out", "replay", "trace")],
    ),
    "scores beside their traces": (
        ["replay/trace.held-out", "replay/score.held-out"],
        [("replay/score.held-out.jsonl", "score held-out", "report", "replay")],
    ),
    "values beside the traces that they value": (
        ["bank/trace.training", "bank/values.training", "bank/teacher.training"],
        [("bank/values.training.jsonl", "values training", "after bank", "bank")],
    ),
    "values before any trace": (["bank/values.training"], []),
    "a split that nobody declares": (
        ["trace/trace.other"],
        [("trace/trace.other.jsonl", "trace other", "a split that the protocol declares", "trace")],
    ),
    "no split": (["report/label", "bank/summary"], [("bank/summary.jsonl", "summary ", "report", "bank")]),
}


@pytest.mark.parametrize(("places", "expected"), PLACED.values(), ids=PLACED)
def test_what_may_be_sealed_when(places: list[str], expected: list[tuple[str, str, str, str]]) -> None:
    """By kind and by the role of the split; scores after what they score."""
    protocol = {"study": "s", "title": "t", "splits": [{"name": role, "role": role} for role in ROLES]}
    entries = []
    for place in places:
        kind, _, split = place.partition("/")[2].partition(".")
        stage = place.partition("/")[0]
        entries.append(ListedFile(f"{place}.jsonl", kind, stage, "jsonl", 1, "0" * 64, split or None))
    strange = ListedFile("bank/strange.jsonl", "strange", "bank", "jsonl", 1, "0" * 64)
    outcome = outcome_of("stage.chronology", {PROTOCOL: protocol}, entries=[*entries, strange])
    assert told(outcome, "source", "key", "expected", "found") == expected
    assert outcome.inspected == len(places)


def test_what_a_page_draws() -> None:
    """Every stage with its files, whether it links, and who saw it."""
    files = sealed(changed("structure", previous="0" * 64))
    del files[seal_path("bank")]
    links = {link.stage: link for link in stage_links(evidence_of(files), {"declare": ["somebody"]})}
    assert list(links) == list(STAGES)
    first, absent, broken = links["declare"], links["bank"], links["structure"]
    assert (first.sealed, first.files, first.linked, first.witnesses) == (True, 2, True, ["somebody"])
    assert (first.bytes, first.kinds) == (len(json.dumps(FILES[PROTOCOL])) + 3, {"protocol": 1, "attachment": 1})
    assert (first.digest, first.previous) == (document_digest(files[seal_path("declare")]), None)
    assert (absent.sealed, absent.files, absent.bytes, absent.kinds, absent.linked) == (False, 0, 0, {}, False)
    assert (broken.linked, broken.previous, broken.empty_reason) == (False, "0" * 64, "Nothing belongs here.")
    assert (links["trace"].linked, links["trace"].witnesses) == (True, [])
