"""Recipe and verifier share no formula; on random studies they must agree, and disagree with any change."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rsd_fixture.build import build
from rsd_fixture.study import Study
from sealtrace import Result, verify
from studies.random_study import random_study
from studies.resealing import as_parquet, reseal
from support import LONG, Row, edit_document, edit_rows, read_rows

STUDIES = 1000 if LONG else 12
STORED_TWICE = 100 if LONG else 4
CHANGED = 1000 if LONG else 8

LACKS = {
    "replay.query-gate": "query",
    "replay.query-policy": "query",
    "replay.top-action": "top-action",
    "replay.student": "student",
    "replay.residual": "student",
}
"""Checks that a bank without the policy does not exercise."""


def built(seed: int, directory: Path) -> tuple[Study, Path]:
    study = random_study(Random(seed))
    bundle = directory / "bundle"
    build(study, bundle)
    return study, bundle


def statuses(report: Result) -> dict[str, str]:
    return {check.id: check.status for check in report.checks}


@pytest.mark.parametrize("seed", range(STUDIES))
def test_random_study_is_verified(seed: int, tmp_path: Path) -> None:
    """What the recipe computes state by state is what the verifier recomputes by columns."""
    study, bundle = built(seed, tmp_path)
    report = verify(bundle)
    assert [finding for finding in report.findings if finding.severity == "error"] == []
    assert report.verdict == "verified"
    policies = {arm.policy for arm in study.arms}
    for check in report.checks:
        if check.id.partition(".")[0] in ("replay", "score", "threshold", "aggregate"):
            lacking = check.id in LACKS and LACKS[check.id] not in policies
            assert check.status == ("not-applicable" if lacking else "pass"), check
            assert bool(check.reason) == lacking
        if check.id.startswith("selection."):
            assert check.status == ("pass" if study.protocol["selectors"] else "not-applicable"), check
    # A warning may only say that a delta is the double nearest to a tau that is no double.
    tau = Fraction(study.protocol["tau"])
    assert {finding.check for finding in report.findings} <= {"threshold.stored"}
    assert not report.findings or float(tau) != tau
    if not study.protocol["selectors"]:
        assert report.summary.selected == []
        return
    reported = json.loads((bundle / "select/selection.json").read_text(encoding="utf-8")).get("choice")
    (selected,) = report.summary.selected
    assert (selected.reported, selected.recomputed) == (reported, reported)


def test_random_studies_exercise_the_edges(tmp_path: Path) -> None:
    """The generator makes what it promises: ties, rows at -tau, refused queries, both kinds of outcome."""
    wanted = {"ratio", "single action", "teacher tie", "at -tau", "accepted", "rejected"}
    seen: set[str] = set()
    for seed in range(60):
        if seen == wanted:
            break
        study = random_study(Random(seed))
        tau = Fraction(study.protocol["tau"])
        seen |= {"ratio" for scale in study.protocol["scale_grid"] if "/" in scale}
        seen |= {"single action" for state in study.states if len(state.legal) == 1}
        for state in study.states:
            best = max(state.teacher.values())
            if list(state.teacher.values()).count(best) > 1:
                seen.add("teacher tie")
            if Fraction(state.strong[state.legal[0]]) == -2 * tau:
                seen.add("at -tau")
        if "query" in study.protocol and study.protocol["query"].get("budget") is not None:
            build(study, tmp_path / str(seed))
            for path in (tmp_path / str(seed)).rglob("trace.*.jsonl"):
                for row in read_rows(path):
                    if (query := row.get("query")) and query["requested"]:
                        seen.add("accepted" if query["accepted"] else "rejected")
    assert seen == wanted


@pytest.mark.parametrize("seed", range(STORED_TWICE))
def test_parquet_is_the_same_study(seed: int, tmp_path: Path) -> None:
    """The file format changes neither the content digests nor a single finding."""
    study, bundle = built(seed, tmp_path)
    _apply(_changes(study, bundle)[seed::97][0], bundle)
    reseal(bundle, study.empty)
    as_lines, lines = verify(bundle), _contents(bundle)
    as_parquet(bundle, study.empty)
    as_columns, columns = verify(bundle), _contents(bundle)
    assert any(path.endswith(".parquet") for path in (str(one) for one in bundle.rglob("*")))
    assert lines == columns
    assert as_lines.verdict == as_columns.verdict == "findings"
    assert statuses(as_lines) == statuses(as_columns)
    assert _findings(as_lines) == _findings(as_columns)


@pytest.mark.parametrize("seed", range(1000, 1000 + STORED_TWICE))
def test_parquet_study_is_verified(seed: int, tmp_path: Path) -> None:
    """A sound study stays sound as Parquet; its scores still name the digest of their traces."""
    study, bundle = built(seed, tmp_path)
    lines = _contents(bundle)
    as_parquet(bundle, study.empty)
    assert verify(bundle).verdict == "verified"
    assert _contents(bundle) == lines


def _contents(bundle: Path) -> dict[str, str | None]:
    """Content digest of every record file, by path without its format. Seals name formats and differ."""
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    return {
        entry["path"].removesuffix(f".{entry['format']}"): entry.get("content_sha256")
        for entry in manifest["files"]
        if entry["kind"] != "seal"
    }


def _findings(report: Result) -> list[tuple[object, ...]]:
    return [
        (
            one.check,
            one.severity,
            (one.source or "").removesuffix(".jsonl").removesuffix(".parquet"),
            one.line,
            one.key,
            one.field,
            one.expected,
            one.found,
            one.message,
        )
        for one in report.findings
    ]


@dataclass(frozen=True)
class Change:
    """One stored value that is made wrong."""

    path: str
    row: int | None
    """None for a document."""
    pointer: tuple[str | int, ...]
    value: Any
    """The wrong value."""
    checks: frozenset[str]
    """At least one of these must fail."""
    state: str | None
    """The state that a finding must name, where the record has one."""


def _wrong(value: bool | int | float) -> bool | int | float:
    """A flag flipped, a count raised, a number moved by a millionth of itself (of one, where it is small)."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return value * (1 + 1e-6) if abs(value) > 1e-3 else value + 1e-6


def _numbers(value: Any, pointer: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], bool | int | float]]:
    """Every flag and number below a value, with its place."""
    if isinstance(value, bool | int | float):
        yield pointer, value
    elif isinstance(value, dict | list):
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _numbers(item, (*pointer, name))


CHECKED = {
    ("teacher", "values"): {"replay.teacher", "replay.teacher-value"},
    ("teacher", "distribution"): {"replay.teacher"},
    ("teacher", "value"): {"replay.teacher-value"},
    ("trace", "query"): {"replay.query-gate"},
    ("trace", "ledger"): {"replay.ledger"},
    ("values", "values"): {"score.utility"},
    ("score", "weak"): {"score.utility"},
    ("score", "strong"): {"score.utility"},
    ("score", "delta"): {"score.delta"},
    ("score", "crossing"): {"threshold.recomputed"},
}
REPLAYED = {
    "anchor": "replay.anchor",
    "residual": "replay.tilt",
    "top-1": "replay.top-action",
    "active-query": "replay.query-policy",
}


def _changes(study: Study, bundle: Path) -> list[Change]:
    """Every value that something else in the bundle determines, made wrong, in a random order."""
    changes = []
    for path in sorted(bundle.rglob("*.jsonl")):
        kind, name = path.name.partition(".")[0], path.relative_to(bundle).as_posix()
        if kind not in ("teacher", "trace", "values", "score", "summary"):
            continue
        for index, row in enumerate(read_rows(path)):
            for pointer, value in _numbers(row, ()):
                checks = {"aggregate.summary"} if kind == "summary" else CHECKED.get((kind, str(pointer[0])))
                if pointer[0] == "probabilities":
                    checks = {REPLAYED[row["arm"]]}
                assert checks, (kind, pointer)
                changes.append(Change(name, index, pointer, _wrong(value), frozenset(checks), row.get("state")))
            if kind == "trace":
                changes.append(_other_action(study, name, index, row))
    if study.protocol["selectors"]:
        changes.extend(_selection_changes(json.loads((bundle / "select/selection.json").read_text(encoding="utf-8"))))
    Random(study.protocol["study"]).shuffle(changes)
    return changes


def _other_action(study: Study, name: str, index: int, row: Row) -> Change:
    actions = [action for action in study.protocol["actions"] if action != row["action"]]
    return Change(name, index, ("action",), actions[0], frozenset({"action.chosen"}), row["state"])


def _selection_changes(record: Row) -> Iterator[Change]:
    path = "select/selection.json"
    for pointer, value in _numbers(record["counts"], ("counts",)):
        yield Change(path, None, pointer, _wrong(value), frozenset({"selection.counts"}), None)
    yield Change(path, None, ("certified",), record["certified"][1:], frozenset({"selection.certified"}), None)
    other = next(scale for scale in record["grid"] if scale != record["choice"])
    yield Change(path, None, ("choice",), other, frozenset({"selection.choice"}), None)
    yield Change(path, None, ("tau",), "12345", frozenset({"selection.grid"}), None)


def _apply(change: Change, bundle: Path) -> None:
    def edit(record: Row) -> None:
        node: Any = record
        for name in change.pointer[:-1]:
            node = node[name]
        assert node[change.pointer[-1]] != change.value
        node[change.pointer[-1]] = change.value

    if change.row is None:
        edit_document(bundle / change.path, edit)
    else:
        row = change.row
        edit_rows(bundle / change.path, lambda rows: edit(rows[row]))


@pytest.mark.parametrize("seed", range(2000, 2000 + CHANGED))
def test_any_changed_number_is_found(seed: int, tmp_path: Path) -> None:
    """No stored number that others determine can be wrong unseen, even when everything is sealed anew."""
    study, bundle = built(seed, tmp_path)
    change = _changes(study, bundle)[0]
    _apply(change, bundle)
    reseal(bundle, study.empty)
    report = verify(bundle)
    assert report.verdict == "findings"
    failed = {check for check, status in statuses(report).items() if status == "fail"}
    assert failed & change.checks, change
    assert not failed & {"identity.bytes", "stage.chain", "score.trace-digest"}
    if change.state is not None:
        found = [one for one in report.findings if one.check in change.checks]
        assert change.state in {(one.key or {}).get("state") for one in found}


def test_wrong_values_differ() -> None:
    """The change itself: never the same value, never lost in rounding."""
    for value in (True, 0, 7, 0.0, -0.0, 1e-9, 0.5, -3.25):
        assert _wrong(value) != value
    assert math.isclose(_wrong(2.0), 2.0, rel_tol=2e-6)
