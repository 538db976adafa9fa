"""What the checks of results say of a few labels, predictions, measurements, runs and rows of datasets."""

from __future__ import annotations

from typing import Any

import pytest

from checks.few_records import bundle_of, outcome_of, told
from sealtrace.bundle.content import document_digest
from sealtrace.bundle.identity import file_digest
from support import Row

TEST, DEV, PREDICTIONS = "declare/label.test.jsonl", "declare/label.dev.jsonl", "report/prediction.jsonl"
MEASUREMENTS, RUNS = "report/measurement.jsonl", "bank/run.jsonl"

# Predictions


def labels(split: str, *items: str) -> list[Row]:
    return [{"item": item, "split": split, "label": "cat"} for item in items]


def predictions(model: str, items: str, run: str | None = None) -> list[Row]:
    of_run = {} if run is None else {"run": run}
    return [{"item": item, "model": model, "predicted": "cat", **of_run} for item in items]


LABELS = {TEST: labels("test", "a", "b", "c"), DEV: labels("dev", "x", "y")}


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (predictions("m", "abc"), []),
        (predictions("m", "abcxy") + predictions("n", "abcxy"), []),
        (
            predictions("m", "abz") + predictions("n", "abc"),
            [
                ("error", "z m", "/item", "one label", "z"),
                ("error", "m test", "/item", "3 items, c among them", "2 items"),
            ],
        ),
        (predictions("m", "xyb"), [("error", "m test", "/item", "3 items, a among them", "1 items")]),
        (
            predictions("m", "abc") + predictions("n", "abcxy"),
            [("warning", "", "/item", "the same splits", "m: test; n: test, dev")],
        ),
        (
            predictions("m", "abc") + predictions("n", "z"),
            [
                ("error", "z n", "/item", "one label", "z"),
                ("warning", "", "/item", "the same splits", "m: test; n: none"),
            ],
        ),
    ],
)
def test_predictions(predicted: list[Row], expected: list[tuple[Any, ...]]) -> None:
    """A model predicts a split wholly or not at all, and all models the same splits."""
    outcome = outcome_of("result.predictions", {**LABELS, PREDICTIONS: predicted})
    assert told(outcome) == expected
    assert outcome.inspected == len(predicted)


def test_files_that_are_named_after_another_split() -> None:
    """Rows of another split, or all of them where none has that split."""
    mixed = [*labels("test", "a"), *labels("dev", "b"), *labels("test", "c")]
    outcome = outcome_of("result.predictions", {TEST: mixed, PREDICTIONS: predictions("m", "abc")})
    assert told(outcome, "source", "line", "field", "expected", "found") == [(TEST, 2, "/split", "test", "dev")]
    entries = bundle_of({**LABELS, PREDICTIONS: predictions("m", "abcxy")}).entries
    renamed = [
        type(entry)(**{**vars(entry), "split": "gone" if entry.path == DEV else entry.split}) for entry in entries
    ]
    outcome = outcome_of("result.predictions", {**LABELS, PREDICTIONS: predictions("m", "abcxy")}, entries=renamed)
    assert told(outcome, "source", "line", "expected") == [(DEV, 1, "gone"), (DEV, 2, "gone")]


# Measurements


def measured(quantity: str, subject: str, *repeats: int, unit: str = "ms") -> list[Row]:
    return [
        {"quantity": quantity, "subject": subject, "repeat": repeat, "value": 1.0, "unit": unit} for repeat in repeats
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (measured("time", "a", 0, 1) + measured("time", "b", 1, 0) + measured("size", "a", 0), []),
        (
            measured("time", "a", 0, 1, 2) + measured("time", "b", 0, 2),
            [("time b", "/repeat", "repeats 0 to 2", "2 of them")],
        ),
        (
            measured("time", "a", 1, 2) + measured("time", "b", 0),
            [
                ("time a", "/repeat", "repeats 0 to 2", "2 of them"),
                ("time b", "/repeat", "repeats 0 to 2", "1 of them"),
            ],
        ),
        (
            measured("size", "a", 0) + measured("time", "a", 0, 1) + measured("time", "a", 2, unit="s"),
            [("time a 2", "/unit", "ms", "s")],
        ),
        (measured("time", "a", 0) + measured("size", "a", 0, unit="kB"), []),
    ],
)
def test_measurements(rows: list[Row], expected: list[tuple[Any, ...]]) -> None:
    """One unit for each quantity, and the same repeats, from zero, of each subject."""
    outcome = outcome_of("result.measurements", {MEASUREMENTS: rows})
    assert told(outcome, "key", "field", "expected", "found") == expected
    assert outcome.inspected == len(rows)


def test_the_file_of_what_was_not_measured_as_often() -> None:
    """The first one of that quantity."""
    files = {MEASUREMENTS: measured("size", "a", 0), "select/measurement.jsonl": measured("time", "a", 1)}
    assert told(outcome_of("result.measurements", files), "source") == [("select/measurement.jsonl",)]


# Runs


def run(name: str, **more: Any) -> Row:
    return {"run": name, "arm": "m", **more}


def test_checkpoints() -> None:
    """A run names the bytes of a file, or the content of a document, that is in the bundle."""
    protocol = {"study": "s", "title": "t"}
    there = [file_digest(b"weights"), document_digest(protocol)]
    files = {
        "declare/protocol.json": protocol,
        "bank/attachments/weights": "weights",
        RUNS: [run("a"), *(run(f"r{digest}", checkpoint_sha256=digest) for digest in [there[0], "0" * 64, there[1]])],
    }
    outcome = outcome_of("result.runs", files)
    assert told(outcome, "line", "field", "found") == [(3, "/checkpoint_sha256", "0" * 64)]
    assert outcome.inspected == 4


MIXED: dict[str, tuple[list[Row], list[Row], list[tuple[Any, ...]]]] = {
    "one run": ([run("m-1")], predictions("m", "abcxy", "m-1"), []),
    "a run for each model": (
        [run("m-1"), run("n-1")],
        predictions("m", "abc", "m-1") + predictions("n", "abc", "n-1"),
        [],
    ),
    "a run for each split": (
        [run("m-1"), run("m-2")],
        predictions("m", "abc", "m-1") + predictions("m", "xy", "m-2"),
        [],
    ),
    "another run": (
        [run("m-1"), run("m-2")],
        predictions("n", "abc", "m-1") + predictions("m", "a", "m-2") + predictions("m", "bc", "m-1"),
        [(4, "m-1", "m-2")],
    ),
    "none": ([run("m-1")], predictions("m", "ab", "m-1") + predictions("m", "c"), [(3, "m-1", "nothing")]),
    "mostly none": (
        [run("m-1")],
        predictions("m", "ab") + predictions("m", "c", "m-1"),
        [(1, "m-1", "nothing"), (2, "m-1", "nothing")],
    ),
    "no runs at all": ([run("m-1")], predictions("m", "abc"), []),
    "a run that is not there": (
        [run("m-1")],
        predictions("m", "abc", "m-2"),
        [(1, "a run record", "m-2"), (2, "a run record", "m-2"), (3, "a run record", "m-2")],
    ),
    "runs without records": ([], predictions("m", "a", "m-2"), [(1, "a run record", "m-2")]),
    "items without labels": (
        [run("m-1"), run("m-2")],
        predictions("m", "pq", "m-1") + predictions("m", "r", "m-2"),
        [(3, "m-1", "m-2")],
    ),
}


@pytest.mark.parametrize(("runs", "predicted", "expected"), MIXED.values(), ids=MIXED)
def test_runs(runs: list[Row], predicted: list[Row], expected: list[tuple[Any, ...]]) -> None:
    """Every run is there, and the predictions of a model on a split are of one."""
    files = {**LABELS, PREDICTIONS: predicted} | ({RUNS: runs} if runs else {})
    outcome = outcome_of("result.runs", files)
    assert told(outcome, "line", "expected", "found") == expected
    assert (outcome.inspected, outcome.not_applicable) == (len(runs), None)


def test_runs_that_cannot_be_read() -> None:
    """Which of them are there is not known then."""
    files = {**LABELS, PREDICTIONS: predictions("m", "ab", "m-1") + predictions("m", "c", "m-2"), RUNS: [run("m-1")]}
    bundle = bundle_of(files)
    digests = {path: digest for path, digest in bundle.digests.items() if path != RUNS}
    stores = [store for store in bundle.stores if store.path != RUNS]
    outcome = outcome_of("result.runs", files, stores=stores, digests=digests)
    assert told(outcome, "line", "expected", "found") == [(3, "m-1", "m-2")]


def test_predictions_without_labels() -> None:
    """They are of no split, and still of one run."""
    predicted = predictions("m", "ab", "m-1") + predictions("m", "c", "m-2")
    outcome = outcome_of("result.runs", {RUNS: [run("m-1"), run("m-2")], PREDICTIONS: predicted})
    assert told(outcome, "line", "expected", "found") == [(3, "m-1", "m-2")]


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ("result.predictions", "the bundle holds no predictions"),
        ("result.measurements", "the bundle holds no measurements"),
        ("result.runs", "the bundle holds no run records"),
        ("dataset.declared", "the bundle declares no dataset"),
        ("dataset.counts", "the bundle declares no dataset"),
    ],
)
def test_nothing_to_look_at(check: str, reason: str) -> None:
    """That is said, and nothing passes; labels alone are none of it."""
    outcome = outcome_of(check, LABELS)
    assert (outcome.not_applicable, outcome.inspected) == (reason, 0)


# Datasets

ANSWERS, ITEMS = "report/rows.answers.jsonl", "report/rows.items.jsonl"
DECLARED, OTHER = "declare/dataset.answers.json", "declare/dataset.items.json"


def declaration(
    name: str = "answers", fields: str = "item system gold answer", key: str = "item system", **more: Any
) -> Row:
    """A dataset of texts."""
    kinds: Row = {"right": {"type": "boolean"}}
    properties = {field: kinds.get(field, {"type": "string"}) for field in fields.split()}
    row = {"type": "object", "properties": properties, "required": list(properties)}
    return {"dataset": name, "row": row, "key": key.split(), **more}


def answers(*texts: str) -> list[Row]:
    """Rows such as `q1 ours a b`: item, system, right answer, answer."""
    return [dict(zip(("item", "system", "gold", "answer", "right"), text.split(), strict=False)) for text in texts]


FULL = answers("q1 ours a a", "q2 ours b b", "q1 weak a b", "q2 weak b a")
ALL = {"complete": [{"every": [["item"], ["system"]]}]}


def dataset(rows: list[Row], more: dict[str, Any] | None = None, /, **declared: Any) -> dict[str, Any]:
    """A declaration with its rows, and other files."""
    return {DECLARED: declaration(**declared), ANSWERS: rows, **(more or {})}


def test_declarations() -> None:
    """There are rows; references lead somewhere; fields look different; and what must be there is said."""
    outcome = outcome_of("dataset.declared", dataset(FULL, **ALL))
    assert (told(outcome), outcome.inspected) == ([], 1)
    outcome = outcome_of("dataset.declared", dataset(FULL))
    assert told(outcome, "severity", "field") == [("note", "/complete")]
    outcome = outcome_of("dataset.declared", dataset(FULL, key="item"))
    assert told(outcome) == []
    outcome = outcome_of(
        "dataset.declared", {DECLARED: declaration(key="item"), OTHER: declaration("items", key="item")}
    )
    assert told(outcome, "source", "key", "field") == [(DECLARED, "answers", "/dataset"), (OTHER, "items", "/dataset")]
    assert outcome.inspected == 2
    rows = [{**row, "Gold": "a"} for row in FULL]
    outcome = outcome_of("dataset.declared", dataset(rows, fields="item system gold answer Gold", key="item"))
    assert told(outcome, "field", "expected", "found") == [("/row/properties", "'gold'", "'Gold'")]


@pytest.mark.parametrize(
    ("reference", "wanted"),
    [
        ({"fields": ["item"], "dataset": "items"}, None),
        ({"fields": ["item"], "dataset": "items", "to": ["item"]}, None),
        ({"fields": ["item"], "dataset": "nothing"}, "nothing (its key)"),
        ({"fields": ["item"], "dataset": "items", "to": ["name"]}, "items (name)"),
        ({"fields": ["item", "system"], "dataset": "items"}, "items (its key)"),
    ],
)
def test_references_that_lead_nowhere(reference: Row, wanted: str | None) -> None:
    """A dataset, and as many fields of it as are named."""
    more = {OTHER: declaration("items", "item gold", "item"), ITEMS: [{"item": "q1", "gold": "a"}]}
    first = {"fields": ["item"], "dataset": "items"}
    outcome = outcome_of("dataset.declared", dataset(FULL, more, references=[first, reference], **ALL))
    expected = [] if wanted is None else [("/references/1", wanted)]
    assert told(outcome, "field", "found") == expected


def test_references() -> None:
    """Rows that name nothing, and rows that nothing names, where each must be named."""
    more = {OTHER: declaration("items", "name", "name"), ITEMS: [{"name": "q1"}, {"name": "q3"}]}
    for every in (False, True):
        reference = {"fields": ["item"], "dataset": "items", "every": every}
        outcome = outcome_of("dataset.references", dataset(FULL, more, references=[reference], **ALL))
        lost = [(ANSWERS, 2, "/item", "a row of items", "q2"), (ANSWERS, 4, "/item", "a row of items", "q2")]
        unnamed = [(ITEMS, 2, "/name", "a row of answers", "q3")] if every else []
        assert told(outcome, "source", "line", "field", "expected", "found") == lost + unnamed
        assert (outcome.inspected, outcome.not_applicable) == (4, None)
    outcome = outcome_of("dataset.references", dataset(FULL, more, **ALL))
    assert outcome.not_applicable == "no declaration says that its rows name rows of another dataset"
    assert outcome.inspected == 0


def test_completeness() -> None:
    """A row that is absent is told with where its system is; declarations that demand nothing are not counted."""
    more = {OTHER: declaration("items", "item", "item"), ITEMS: [{"item": "q1"}]}
    rows = FULL[:3] + answers("q3 ours a a", "q3 weak a a")
    outcome = outcome_of("dataset.complete", dataset(rows, more, **ALL))
    assert told(outcome, "source", "line", "key", "field") == [(ANSWERS, 3, "weak", "/item")]
    assert (outcome.inspected, outcome.not_applicable) == (5, None)
    outcome = outcome_of("dataset.complete", dataset(FULL, more))
    assert (outcome.not_applicable, outcome.inspected) == ("no declaration says which combinations must be there", 0)


TABLE: Row = {
    "label": "t",
    "columns": [{"label": "S", "recipe": {"metric": "accuracy", "of": "answer", "where": {"system": "{label}"}}}],
    "rows": [{"label": "ours", "cells": ["1.0"]}],
}


def test_tables_compare_the_same_rows() -> None:
    """Where nothing is declared, what recipes select by has the same rows; each such field is counted."""
    rows = FULL[:3] + answers("q3 ours a a", "q3 weak a a")
    outcome = outcome_of("dataset.complete", dataset(rows, {"report/table.t.json": TABLE}))
    assert told(outcome, "source", "key", "field", "found") == [(DECLARED, "answers weak", "/complete", "2")]
    assert (outcome.inspected, outcome.not_applicable) == (1, None)


NESTED: Row = {"nested": [{"field": "item", "within": ["system"]}]}


@pytest.mark.parametrize(
    "declared", [NESTED, {"depends": [{"on": ["item"], "fields": ["system"]}]}], ids=["nested", "determined"]
)
def test_what_belongs_to_one(declared: Row) -> None:
    """Items of one system each need not be there for the other; the report says so, and nothing else is asked."""
    rows = answers("q1 ours a a", "q2 ours b b", "q3 weak a b")
    files = dataset(rows, {"report/table.t.json": TABLE}, key="item system", **declared)
    assert told(outcome_of("dataset.complete", files)) == []
    found = told(outcome_of("dataset.declared", files), "severity", "field", "message")
    words = "Each item belongs to one system: what tables compare by system is of different ones."
    assert found == [("note", "/nested", words)]
    without = dataset(rows, {"report/table.t.json": TABLE}, key="item system")
    assert told(outcome_of("dataset.complete", without), "field") == [("/complete",)]


def test_numbers_that_begin_anew_in_each_group() -> None:
    """Groups of other sizes, combined apart with another field, are complete; they may have other right answers."""
    rows = [
        {**row, "visit": visit}
        for row in answers(*(f"p{n} ours a a" for n in range(3)), *(f"p{n} weak {'ab'[n % 2]} a" for n in range(9)))
        for visit in "12"
    ]
    more = {"complete": [{"every": [["item"], ["visit"]], "by": ["system"]}], "key": "item system visit"}
    fields = {"fields": "item system gold answer visit", "truth": "gold"}
    files = dataset(rows, {"report/table.t.json": TABLE}, **more, **fields, **NESTED)
    assert told(outcome_of("dataset.complete", files)) == []
    assert told(outcome_of("dataset.depends", files)) == []
    without = dataset(rows, {"report/table.t.json": TABLE}, **more, **fields)
    assert told(outcome_of("dataset.complete", without), "field") == [("/complete",)]


@pytest.mark.parametrize(
    ("field", "values", "found"),
    [
        ("trust", (4, None, 2), [("note", "/absent")]),
        ("trust", (4, 1, 2), []),
        ("trust", (1, None, 0), [("error", "/absent/trust")]),
        ("answer", (4, None, 2), [("error", "/absent/answer")]),
        ("nothing", (4, None, 2), [("error", "/absent/nothing")]),
    ],
)
def test_numbers_that_rows_may_lack(field: str, values: tuple[int | None, ...], found: list[tuple[str, str]]) -> None:
    """A measured number may be left out, and the report says in how many rows; answers and flags may not."""
    rows: list[Row] = answers("q1 ours a a", "q2 ours a a", "q3 ours a a")
    for row, value in zip(rows, values, strict=True):
        row.update({} if value is None else {"trust": value})
    files = dataset(rows, key="item", absent={field: "no answer"})
    files[DECLARED]["row"]["properties"]["trust"] = {"type": "integer"}
    outcome = outcome_of("dataset.declared", files)
    assert told(outcome, "severity", "field") == found
    if found and found[0][0] == "note":
        assert outcome.findings[0].message == "1 of 3 rows lack trust (no answer); queries take means of the others."


def test_what_is_no_part_of_the_key_is_not_nested() -> None:
    """A nesting names fields of the key."""
    files = dataset(FULL, **ALL, nested=[{"field": "answer", "within": ["system"]}])
    outcome = outcome_of("dataset.declared", files)
    assert told(outcome, "field", "found") == [("/nested/0", "answer")]


def test_the_same_items_are_not_nested() -> None:
    """Equal items with equal right answers in each system are the same items, whatever is declared."""
    rows = answers(*(f"q{n} {system} {'ab'[n % 2]} a" for n in range(5) for system in ("ours", "weak")))
    files = dataset(rows, {"report/table.t.json": TABLE}, key="item system", truth="gold", **NESTED)
    outcome = outcome_of("dataset.declared", files)
    assert told(outcome, "severity", "field") == [("note", "/nested"), ("error", "/nested")]


def test_dependencies() -> None:
    """One right answer for each item; and each as declared."""
    rows = FULL[:3] + answers("q2 weak a a")
    for declared in ({"truth": "gold"}, {"depends": [{"on": ["item"], "fields": ["gold"]}]}):
        outcome = outcome_of("dataset.depends", dataset(rows, **ALL, **declared))
        assert told(outcome, "source", "line", "key", "field", "found") == [(ANSWERS, 2, "q2", "/gold", "a, b")]
        assert (outcome.inspected, outcome.not_applicable) == (4, None)
    outcome = outcome_of("dataset.depends", dataset(rows, **ALL))
    assert (told(outcome), outcome.inspected) == ([], 0)
    assert outcome.not_applicable == "no declaration says which fields others determine, and none has right answers"


def test_answers_that_are_called_right() -> None:
    """A flag that agrees with the answers but for a few rows flatters these."""
    rows = [
        {**row, "right": row["answer"] == row["gold"]}
        for number in range(4)
        for row in answers(f"q{number} ours a {'ab'[number % 2]}", f"q{number} weak a a")
    ]
    fields = {"fields": "item system gold answer right", "truth": "gold"}
    assert told(outcome_of("dataset.depends", dataset(rows, **ALL, **fields))) == []
    rows[2]["right"] = rows[6]["right"] = True
    outcome = outcome_of("dataset.depends", dataset(rows, **ALL, **fields))
    assert told(outcome, "severity", "line", "field") == [("warning", 3, "/right")]
    assert "in 2 rows" in outcome.findings[0].message


@pytest.mark.parametrize(("items", "severity"), [(1, "warning"), (2, "error")])
def test_right_answers_by_system(items: int, severity: str) -> None:
    """Few that differ by what tables compare are wrong; many may be meant."""
    rows = answers("q0 ours a a", "q0 weak b a")
    rows += answers(*(f"q{number} {system} a a" for number in range(1, items) for system in ("ours", "weak")))
    depends = [{"on": ["item", "system"], "fields": ["gold"]}]
    declared = {"truth": "gold", "depends": depends, "key": "item system gold"}
    outcome = outcome_of("dataset.depends", dataset(rows, {"report/table.t.json": TABLE}, **declared))
    assert (DECLARED, severity, "answers q0", "/gold") in told(outcome, "source", "severity", "key", "field")
    assert outcome.findings[-1].message.startswith("Most" if severity == "warning" else "Few")


COUNTS: dict[str, tuple[Row, int, list[tuple[Any, ...]]]] = {
    "nothing": ({}, 0, []),
    "rows": ({"rows": 4}, 1, []),
    "no rows": ({"rows": 0}, 1, [("/rows", "0", "4")]),
    "more rows": ({"rows": 5}, 1, [("/rows", "5", "4")]),
    "values": ({"counts": {"item": 2, "system": 2, "answer": 2}}, 3, []),
    "more values": ({"counts": {"item": 3, "system": 2}}, 2, [("/counts/item", "3", "2")]),
    "names": ({"printed": {"system": {"ours": "Ours", "weak": "Theirs"}}}, 1, []),
    "names of nobody": (
        {"printed": {"system": {"z": "Z", "ours": "O", "gone": "G"}}},
        1,
        [("/printed/system/gone", "a value of the rows", "gone")],
    ),
    "the name of another": (
        {"printed": {"system": {"ours": "**weak**"}}},
        1,
        [("/printed/system/ours", "not 'weak'", "'**weak**'")],
    ),
    "a name of its own": ({"printed": {"system": {"ours": "**ours**"}}}, 1, []),
}


@pytest.mark.parametrize(("declared", "inspected", "expected"), COUNTS.values(), ids=COUNTS)
def test_counts(declared: Row, inspected: int, expected: list[tuple[Any, ...]]) -> None:
    """Rows, values of fields, and names of values that are there."""
    outcome = outcome_of("dataset.counts", dataset(FULL, **declared))
    assert told(outcome, "field", "expected", "found") == expected
    assert outcome.inspected == inspected
    assert outcome.not_applicable == (None if inspected else "no declaration counts anything")


def test_a_name_that_several_others_have() -> None:
    """One of them is told."""
    rows = FULL + answers("q1 Weak a a", "q2 Weak a a")
    outcome = outcome_of("dataset.counts", dataset(rows, printed={"system": {"ours": "weak"}}))
    assert told(outcome, "field", "expected") == [("/printed/system/ours", "not 'Weak'")]


def test_what_cannot_be_read_is_not_counted() -> None:
    """Of another dataset it is."""
    more = {OTHER: declaration("items", "item", "item", rows=2), ITEMS: [{"item": "q1"}]}
    files = dataset(FULL, more, rows=9)
    digests = {path: digest for path, digest in bundle_of(files).digests.items() if path != ANSWERS}
    outcome = outcome_of("dataset.counts", files, digests=digests)
    assert told(outcome, "source", "field") == [(OTHER, "/rows")]
