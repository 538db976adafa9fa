"""What was read: files that are there or not, records that can be read in one way only, and queries over them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.few_records import bundle_of, evidence_of, outcome_of, told
from sealtrace.bundle.budget import Asked
from sealtrace.bundle.defects import Defect, Defects
from sealtrace.checks.identity import expected_root
from sealtrace.checks.outcome import Outcome
from support import Row

LABELS, MORE = "declare/label.test.jsonl", "declare/label.dev.jsonl"
PROTOCOL, NOTES = "declare/protocol.json", "declare/attachments/notes.txt"


def label(item: str, split: str = "test") -> Row:
    return {"item": item, "split": split, "label": "cat"}


FILES: dict[str, Any] = {PROTOCOL: {"study": "s", "title": "t"}, LABELS: [label("a"), label("b")], NOTES: "abc"}
SHA = "5" * 64

# Identity


@pytest.mark.parametrize(
    ("check", "given", "inspected", "missing"),
    [
        ("identity.manifest", {}, 1, None),
        ("identity.listing", {}, 3, None),
        ("identity.listing", {"unseen": "nobody can list them"}, 3, "nobody can list them"),
        ("identity.bytes", {}, 3, None),
        ("identity.bytes", {"digests": {NOTES: SHA}}, 1, "files that could not be read: 2 of those listed"),
        ("identity.sums", {}, 0, None),
        ("identity.sums", {"digests": {"SHA256SUMS": SHA}}, 1, None),
        ("identity.content", {"contents": {PROTOCOL: SHA, LABELS: SHA}}, 2, None),
        ("identity.content", {"contents": {PROTOCOL: SHA}}, 1, "1 record file could not be read whole"),
        ("identity.content", {"contents": {}}, 0, "2 record files could not be read whole"),
        ("identity.root", {"root_sha256": SHA, "declared_root": SHA}, 1, None),
        ("witness.later", {}, 3, None),
    ],
)
def test_files(check: str, given: dict[str, Any], inspected: int, missing: str | None) -> None:
    """How many were looked at, and what could not be."""
    outcome = outcome_of(check, FILES, **given)
    assert (outcome.inspected, outcome.missing, told(outcome)) == (inspected, missing, [])


@pytest.mark.parametrize(
    "check",
    [
        "identity.manifest",
        "identity.listing",
        "identity.bytes",
        "identity.sums",
        "identity.content",
        "schema.documents",
        "schema.rows",
        "hygiene.anonymous",
        "witness.later",
    ],
)
def test_what_reading_found_is_told(check: str) -> None:
    """Each check tells of what is its own."""
    outcome = outcome_of(check, FILES, found={check: [Defect("Wrong.", NOTES)]})
    assert told(outcome, "source", "message") == [(NOTES, "Wrong.")]


@pytest.mark.parametrize(
    ("expected", "found", "counts"), [(None, SHA, (0, 0)), (SHA, SHA, (1, 0)), (SHA, "6" * 64, (1, 1))]
)
def test_the_root_that_somebody_names(expected: str | None, found: str, counts: tuple[int, int]) -> None:
    """Where nobody names one, that is said."""
    evidence = evidence_of(FILES, root_sha256=found, asked=Asked(root=expected))
    outcome = Outcome("identity.expected-root", "digests")
    expected_root(evidence, outcome)
    assert (outcome.inspected, outcome.counts["error"]) == counts
    assert (outcome.not_applicable is None) == (expected is not None)


def test_another_root() -> None:
    """The manifest names another digest than its own."""
    outcome = outcome_of("identity.root", FILES, root_sha256=SHA, declared_root="6" * 64)
    assert told(outcome, "source", "expected", "found") == [("manifest.json", SHA, "6" * 64)]


# Schemas and keys


def test_syntax() -> None:
    """Documents and files of rows are counted, and every error, though few are listed."""
    syntax = Defects(listed=[Defect("Not JSON.", LABELS, 1)], total=3)
    outcome = outcome_of("schema.json", FILES, syntax=syntax)
    assert (outcome.inspected, outcome.counts["error"], len(outcome.findings)) == (2, 3, 1)
    assert outcome_of("schema.documents", FILES).inspected == 1


def test_rows_that_their_schema_refuses() -> None:
    """All are counted, though few are listed; what no worker read is missing."""
    bundle = bundle_of({**FILES, MORE: [label("a", "dev")]})
    misfits = Defects(listed=[Defect("No label.", LABELS, 2)], total=4)
    stores = [replace(store, misfits=misfits) if store.path == LABELS else store for store in bundle.stores]
    outcome = outcome_of("schema.rows", FILES, stores=stores, lost={LABELS: "no worker"})
    assert (outcome.inspected, outcome.counts["error"], len(outcome.findings)) == (3, 4, 1)
    assert outcome.missing == "no worker"
    assert outcome_of("join.unique-key", FILES, lost={LABELS: "no worker"}).missing == "no worker"


def test_keys_that_are_there_twice() -> None:
    """In one file or in two, each with both places; rows of a dataset by its declared key."""
    dataset = {
        "dataset": "runs",
        "row": {"type": "object", "properties": {"seed": {"type": "integer"}}, "required": ["seed"]},
        "key": ["seed"],
    }
    files = {
        LABELS: [label("a"), label("b"), label("a")],
        MORE: [label("b", "dev")],
        "declare/dataset.runs.json": dataset,
        "report/rows.runs.jsonl": [{"seed": 1}, {"seed": 2}, {"seed": 2}],
    }
    outcome = outcome_of("join.unique-key", files)
    assert told(outcome, "source", "line", "field", "expected", "found") == [
        (LABELS, 3, "/item", f"only {LABELS}:1", f"{LABELS}:3"),
        (MORE, 1, "/item", f"only {LABELS}:2", f"{MORE}:1"),
        ("report/rows.runs.jsonl", 3, "/seed", "only report/rows.runs.jsonl:2", "report/rows.runs.jsonl:3"),
    ]
    assert [finding.message for finding in outcome.findings] == [
        "Duplicate: item=a is on lines 1 and 3. Keep one.",
        f"Duplicate: item=b is at {LABELS}:2 and {MORE}:1. Keep one.",
        "Duplicate: seed=2 is on lines 2 and 3. Keep one.",
    ]
    assert outcome.inspected == 7


def test_a_table_file_has_rows_and_no_lines() -> None:
    """Which is said as people would look for it."""
    (store,) = bundle_of({LABELS: [label("a"), label("a")]}).stores
    stored = replace(store, path="declare/label.test.parquet")
    outcome = outcome_of("join.unique-key", {}, stores=[stored])
    assert [finding.message for finding in outcome.findings] == ["Duplicate: item=a is on rows 1 and 2. Keep one."]


def test_every_kind_is_known() -> None:
    """How many kinds a bundle holds; attachments are one."""
    outcome = outcome_of("schema.meaning", FILES)
    assert (outcome.inspected, outcome.missing) == (3, None)


# Queries that must return no rows


def asked(**named: str) -> Asked:
    return Asked(must_be_empty=tuple(named.items()))


@pytest.mark.parametrize(
    ("sql", "errors", "said"),
    [
        ("SELECT item FROM label WHERE label = 'dog'", 0, None),
        ("SELECT item, split FROM label", 2, "must return no rows, and returns item=a, split=test."),
        ("SELECT item FROM nothing", 1, "The query cannot be run"),
    ],
)
def test_queries(sql: str, errors: int, said: str | None) -> None:
    """Each row is a finding, and a query that cannot be run is one."""
    outcome = outcome_of("query.empty", FILES, asked=asked(mine=sql, good="SELECT item FROM label WHERE item = 'z'"))
    assert (outcome.inspected, outcome.counts["error"]) == (2, errors)
    assert said is None or said in outcome.findings[0].message


def test_many_rows_of_a_query() -> None:
    """The first ones are findings, and all are counted; the bundle's own queries are named with their file."""
    rows = [label(str(number)) for number in range(22)]
    own = {"must_be_empty": {"own": "SELECT item FROM label WHERE item IN ('0', '1')"}}
    files = {LABELS: rows, "report/queries.json": own, "report/queries.more.json": {"views": {}}}
    outcome = outcome_of("query.empty", files, asked=asked(mine="SELECT item FROM label"))
    assert told(outcome, "source", "key") == [("report/queries.json", "own")] * 2 + [(None, "mine")] * 20
    assert outcome.counts["error"] == 24


def test_long_rows_and_queries_are_cut() -> None:
    """Nobody reads more than a few lines of either."""
    wide = asked(
        mine="SELECT repeat('x', 999) AS y, item FROM label WHERE item = 'a'", bad="SELECT nothing" + " " * 999
    )
    row, query = outcome_of("query.empty", FILES, asked=wide).findings
    assert row.message == f"The query mine must return no rows, and returns y={'x' * 298}."
    assert query.found == "SELECT nothing" + " " * 186


def test_what_a_query_lacks_is_missing() -> None:
    """Rows that could not be read answer nothing; other queries do."""
    mine = asked(mine="SELECT item FROM label", bad="SELECT 1 FROM nothing")
    outcome = outcome_of("query.empty", FILES, asked=mine, digests={})
    assert outcome.missing == f"mine: {LABELS} cannot be read"
    assert told(outcome, "key") == [("bad",)]


def test_no_query() -> None:
    """That is said, and nothing passes."""
    outcome = outcome_of("query.empty", FILES)
    assert (outcome.not_applicable, outcome.inspected) == ("no query is declared that must return no rows", 0)
