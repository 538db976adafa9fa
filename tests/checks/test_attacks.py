"""Bundles made to look right: each is sealed anew without a complaint, and must not be green.

Every case here was once verified, or once crashed the verifier. Attacks that edit records only are in conformance/.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import sealtrace
from checks.mutations import (
    MAIN,
    OBSERVATIONS,
    PROTOCOL,
    TEACHER,
    TRACES,
    change,
    name_the_traces,
    one,
    restamp,
)
from sealtrace.bundle.content import document_digest
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.stores import read_rows as read_store
from sealtrace.contract.kinds import STAGES
from sealtrace.studies.policies.records.protocol import POLICY_FIELDS
from support import EMPTY, Row, copy_of_fixture, copy_of_small_fixture, edit_document, edit_rows, unseal

Edit = Callable[[Path], None]


def resealed(
    tmp_path: Path,
    edit: Edit,
    empty: dict[str, str] | None = None,
    copy: Callable[[Path], Path] = copy_of_small_fixture,
) -> Path:
    """The fixture, edited and sealed anew."""
    bundle = copy(tmp_path)
    edit(bundle)
    name_the_traces(bundle)
    unseal(bundle)
    seal(bundle, empty=empty or EMPTY, lenient=True)
    return bundle


def failed(bundle: Path) -> set[str]:
    """The checks that fail."""
    return {check.id for check in sealtrace.verify(bundle).checks if check.status == "fail"}


def protocol(edit: Callable[[Row], Any]) -> Edit:
    """Edits the protocol."""
    return lambda bundle: edit_document(bundle / PROTOCOL, edit)


def main_table(edit: Callable[[Row], Any]) -> Edit:
    """Edits the main table."""
    return lambda bundle: edit_document(bundle / MAIN, edit)


def recipe(**settings: Any) -> Edit:
    """Gives the cell that prints 4.2889 its own recipe, and prints 9.99 there."""

    def edit(table: Row) -> None:
        table["rows"][2]["cells"][1] = "9.99"
        table["rows"][2]["recipes"] = {"Weak EV": settings}

    return main_table(edit)


def test_all_files_in_the_last_seal(tmp_path: Path) -> None:
    """A chain whose last link holds everything shows no order at all."""
    bundle = copy_of_small_fixture(tmp_path)
    seals = sorted((bundle / "seals").iterdir())
    files = [file for path in seals for file in json.loads(path.read_text())["files"]]
    previous = None
    for path, stage in zip(seals, STAGES, strict=True):
        document = json.loads(path.read_text())
        document["files"] = files if stage == "report" else []
        document.pop("empty_reason", None)
        if stage != "report":
            document["empty_reason"] = "moved"
        document["previous"] = previous
        document = {name: value for name, value in document.items() if value is not None}
        previous = document_digest(document)
        path.write_text(json.dumps(document, indent=2) + "\n")
    restamp(bundle)
    assert "stage.members" in failed(bundle)


@pytest.mark.parametrize(
    ("wanted", "change_entry"),
    [
        ("report/summary.jsonl", {"kind": "attachment", "format": "bytes"}),
        ("report/summary.jsonl", {"format": "parquet"}),
        ("declare/attachments/environment.json", {"rows": 3}),
    ],
)
def test_entries_that_do_not_fit_their_place(wanted: str, change_entry: Row, tmp_path: Path) -> None:
    """A record cannot be hidden as an attachment, nor a file be called what it is not."""
    bundle = copy_of_small_fixture(tmp_path)
    restamp(bundle, lambda files: one(files, path=wanted).update(change_entry))
    assert "identity.listing" in failed(bundle)


def test_another_name_in_the_manifest(tmp_path: Path) -> None:
    """The headline names the study that the protocol declares."""
    bundle = copy_of_small_fixture(tmp_path)
    manifest = json.loads((bundle / "manifest.json").read_text())
    (bundle / "manifest.json").write_text(json.dumps({**manifest, "name": "famous-paper"}))
    restamp(bundle)
    assert "protocol.domain" in failed(bundle)


def test_a_split_that_was_never_traced_is_missing(tmp_path: Path) -> None:
    """Held-out states without traces are not verified, whatever the reason of the empty stage."""

    def edit(bundle: Path) -> None:
        for stage in ("replay", "report"):
            for path in sorted((bundle / stage).glob("*.json*")):
                path.unlink()

    bundle = resealed(tmp_path, edit, {"all": "not done"})
    report = sealtrace.verify(bundle)
    assert report.verdict == "incomplete"
    assert "held-out was not traced" in {check.reason for check in report.checks}


@pytest.mark.parametrize(
    "rule", ["anchor", "teacher", "prior", "query", "features", "charges", "bootstrap", *POLICY_FIELDS]
)
def test_rules_that_are_null_are_absent(rule: str, tmp_path: Path) -> None:
    """Null equals absent in a protocol too; what needs the rule is missing or fails, and nothing crashes."""
    # These two are needed by cells of the large tables alone.
    copy = copy_of_fixture if rule in ("teacher", "bootstrap") else copy_of_small_fixture
    bundle = resealed(tmp_path, protocol(lambda one: one.update({rule: None})), copy=copy)
    assert sealtrace.verify(bundle).verdict != "verified"


def test_a_teacher_record_without_values_is_missing(tmp_path: Path) -> None:
    """A distribution that nothing gives is not replayed, and that is said."""
    bundle = resealed(tmp_path, lambda bundle: change(bundle / TEACHER, lambda row: row.pop("values"), state="0004"))
    report = sealtrace.verify(bundle)
    statuses = {check.id: check.status for check in report.checks}
    assert (statuses["replay.teacher"], statuses["replay.teacher-value"]) == ("missing", "missing")
    assert report.verdict != "verified"


def test_constrained_without_a_relation_is_unclassified(tmp_path: Path) -> None:
    """Nothing binds such a cell."""
    report = sealtrace.verify(resealed(tmp_path, recipe(classification="constrained")))
    assert (report.verdict, report.coverage.statuses.get("unclassified")) == ("incomplete", 1)


def test_an_observation_that_differs_by_an_empty_board_is_the_same(tmp_path: Path) -> None:
    """Absent and empty look the same to a player."""

    def edit(bundle: Path) -> None:
        seen = one([json.loads(line) for line in (bundle / OBSERVATIONS).read_text().splitlines()], state="0002")
        copied = {name: seen[name] for name in ("hero", "position", "pot", "stack", "history")}
        edit_rows(bundle / OBSERVATIONS, lambda rows: one(rows, state="0002").pop("board"))
        change(bundle / "declare/observation.held-out.jsonl", lambda row: row.update(copied, board=[]), state="0023")

    assert "split.duplicates" in failed(resealed(tmp_path, edit))


def test_a_manifest_that_is_no_plain_file(tmp_path: Path) -> None:
    """A link to the manifest is not the manifest."""
    bundle = copy_of_small_fixture(tmp_path)
    (bundle / "manifest.json").rename(tmp_path / "elsewhere.json")
    (bundle / "manifest.json").symlink_to(tmp_path / "elsewhere.json")
    assert failed(bundle) == {"identity.manifest"}


def test_a_long_run_of_letters_is_scanned_at_once(tmp_path: Path) -> None:
    """A megabyte of hexadecimal digits is no reason to wait."""
    bundle = copy_of_small_fixture(tmp_path)
    attachment = bundle / "report/attachments/dump.txt"
    attachment.parent.mkdir()
    attachment.write_text("0123456789abcdef" * 65536)
    unseal(bundle)
    seal(bundle, empty=EMPTY)
    assert sealtrace.verify(bundle).verdict == "verified"


def test_a_legal_action_that_a_trace_lists_twice(tmp_path: Path) -> None:
    """The same set of actions is not the same list: what the policy was given is not what it could do."""

    def edit(bundle: Path) -> None:
        edit_rows(bundle / TRACES, lambda rows: rows[0]["legal"].append(rows[0]["legal"][-1]))

    assert "action.vocabulary" in failed(resealed(tmp_path, edit))


@pytest.mark.parametrize("text", [r'{"cwd": "\/home\/jane"}', r'{"cwd": "\u002fhome\u002fjane"}'])
def test_an_escaped_machine_path(tmp_path: Path, text: str) -> None:
    """JSON may write a slash in other ways; an attachment that names a person is found however it is written."""

    def edit(bundle: Path) -> None:
        attachment = bundle / "report/attachments/settings.json"
        attachment.parent.mkdir()
        attachment.write_text(text)

    assert failed(resealed(tmp_path, edit)) == {"hygiene.anonymous"}


def test_a_machine_path_in_the_footer_of_a_parquet_file(tmp_path: Path) -> None:
    """Libraries write comments there that no column shows."""

    def edit(bundle: Path) -> None:
        path = bundle / TRACES
        table = read_store(path.read_bytes(), TRACES, "trace", "jsonl").table
        path.unlink()
        pq.write_table(table.replace_schema_metadata({"cwd": "/home/jane/study"}), path.with_suffix(".parquet"))

    assert "hygiene.anonymous" in failed(resealed(tmp_path, edit))


def test_a_release_that_is_not_anonymous_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not hide need not pay for the search."""
    bundle = resealed(tmp_path, protocol(lambda document: document.update(anonymous=False)))
    searched: list[str] = []

    def search(_: object, path: str) -> list[str]:
        searched.append(path)
        return []

    monkeypatch.setattr("sealtrace.bundle.reading.marks_in", search)
    report = sealtrace.verify(bundle)
    assert [check.status for check in report.checks if check.id == "hygiene.anonymous"] == ["not-applicable"]
    assert searched == []
