"""Damage is local: what does not need a lost or doubtful record is judged, and errors are found wherever they are."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from sealtrace import examination
from sealtrace.bundle import blocks
from sealtrace.contract.result import CheckResult, Result
from sealtrace.recipes.populations import field_types
from studies.certified_study import certified_study
from studies.resealing import large_form

Parts = dict[str, Any]
SMALL = "s002"
"""A calibration state of the group `small`."""


def lose_a_value(parts: Parts) -> None:
    """A calibration state of one group has no strong action values any more."""
    rows = parts["values"]["calibration"]
    rows.remove(next(row for row in rows if (row["state"], row["evaluator"]) == (SMALL, "strong")))


def lose_a_weak_value(parts: Parts) -> None:
    """The same state has no weak ones."""
    rows = parts["values"]["calibration"]
    rows.remove(next(row for row in rows if (row["state"], row["evaluator"]) == (SMALL, "weak")))


def repeat_a_trace(parts: Parts) -> None:
    """A trace of an arm that does not compete is there twice."""
    rows = parts["trace"]["calibration"]
    rows.append(dict(next(row for row in rows if row["arm"] == "free")))


def falsify(field: str, value: object, group: str = "large") -> Callable[[Parts], None]:
    """The certificate of one candidate in a group says something else."""

    def change(parts: Parts) -> None:
        row = next(
            row for row in parts["certificate"] if (row["group"], row["arm"], row["scale"]) == (group, "bold", "1")
        )
        row[field] = value

    return change


def verified(tmp_path: Path, *changes: Callable[[Parts], None]) -> Result:
    """What is said of the study after these changes."""

    def change(parts: Parts) -> None:
        for each in changes:
            each(parts)

    return sealtrace.verify(certified_study(tmp_path / "bundle", change))


def statuses(report: Result) -> dict[str, CheckResult]:
    return {result.id: result for result in report.checks}


FALSE = {
    "certificate.counts": ("crossings", 7),
    "certificate.risk": ("risk_upper", 0.875),
    "certificate.utility": ("utility_lower", 0.125),
}


@pytest.mark.parametrize("check", FALSE)
@pytest.mark.parametrize("damage", [lose_a_value, repeat_a_trace])
def test_a_false_bound_is_found_beside_damage_elsewhere(
    check: str, damage: Callable[[Parts], None], tmp_path: Path
) -> None:
    """The damage is in one group, or in an arm that does not compete; the false bound is in another group."""
    report = verified(tmp_path, damage, falsify(*FALSE[check]))
    found = [(one.key or {}).get("group") for one in report.findings if one.check == check and one.severity == "error"]
    assert found == ["large"]


def test_a_bound_that_needs_the_lost_value_is_missing_and_not_wrong(tmp_path: Path) -> None:
    """A count over the states that are left would be smaller than the truth."""
    report = verified(tmp_path, lose_a_value, falsify("risk_upper", 0.875, "small"))
    results = statuses(report)
    assert [one.check for one in report.findings if one.severity == "error"] == ["join.values"]
    risk = results["certificate.risk"]
    assert (risk.status, risk.inspected) == ("missing", 9)
    assert "cannot be scored at 1 calibration states" in (risk.reason or "")


OF_RISK = {
    "certificate.counts", "certificate.risk", "certificate.certified", "selection.counts", "selection.certified",
    "selection.choice", "score.delta", "threshold.recomputed",
}  # fmt: skip
"""What utilities have no part in."""


def test_a_lost_utility_leaves_what_risk_decides_alone(tmp_path: Path) -> None:
    """In the very group of the lost value: a false count and a false bound are errors, and only utilities missing."""
    results = statuses(verified(tmp_path, lose_a_weak_value))
    missing = {name for name, result in results.items() if result.status == "missing"}
    assert not OF_RISK & missing
    assert {"certificate.utility", "score.utility"} <= missing
    report = verified(tmp_path / "again", lose_a_weak_value, falsify("risk_upper", 0.875, "small"))
    assert [one.check for one in report.findings if one.severity == "error"] == ["join.values", "certificate.risk"]


def test_a_lost_risk_value_leaves_utilities_judged(tmp_path: Path) -> None:
    """A false bound on the utility of the same group is found."""
    report = verified(tmp_path, lose_a_value, falsify("utility_lower", 0.125, "small"))
    assert [one.check for one in report.findings if one.severity == "error"] == ["join.values", "certificate.utility"]
    results = statuses(report)
    assert results["certificate.range"].status == "pass"
    assert {name for name, result in results.items() if result.status == "missing"} >= OF_RISK


@pytest.mark.parametrize(("evaluator", "lost"), [("weak", "Weak EV"), ("strong", "Viol.")])
def test_a_cell_needs_its_own_evaluator(evaluator: str, lost: str, tmp_path: Path) -> None:
    """One held-out state lacks the values of one evaluator; what the other gives is compared."""

    def lose(parts: Parts) -> None:
        rows = parts["values"]["held-out"]
        rows.remove(next(row for row in rows if row["evaluator"] == evaluator))

    numbers = [one for one in verified(tmp_path, lose).numbers if one.column in ("Weak EV", "Viol.")]
    assert {one.column for one in numbers if one.status == "missing"} == {lost}
    assert len({one.column for one in numbers}) == 2


def test_a_trace_twice_touches_what_needs_it_and_nothing_else(tmp_path: Path) -> None:
    """The arm does not compete: everything but the checks of that very trace passes."""
    results = statuses(verified(tmp_path, repeat_a_trace))
    assert {name for name, result in results.items() if result.status == "fail"} == {"join.unique-key"}
    missing = {name for name, result in results.items() if result.status == "missing"}
    assert missing == {"join.trace", "join.score"}


def test_a_lost_value_leaves_other_groups_and_other_splits_judged(tmp_path: Path) -> None:
    """Maps whose groups were all calibrated, the structure of partitions, and every replay are judged."""
    results = statuses(verified(tmp_path, lose_a_value))
    assert {name for name, result in results.items() if result.status == "fail"} == {"join.values"}
    for name in ("replay.tilt", "partition.objective", "partition.optimal", "map.groups", "map.selector"):
        assert results[name].status == "pass", name
    assert results["certificate.counts"].inspected == 27 + 9
    assert results["map.choice"].status == "missing"
    assert results["map.choice"].inspected > 0


# The same in the large form


def without_students(parts: Parts) -> None:
    """An arm without a teacher is not screened, so that a study with one is never streamed."""
    parts["candidate"] = [row for row in parts["candidate"] if row["arm"] != "free"]
    for kind in ("trace", "score"):
        parts[kind] = {split: [row for row in rows if row["arm"] != "free"] for split, rows in parts[kind].items()}


def repeat_a_mild_trace(parts: Parts) -> None:
    """A trace of another family than that of the false bound is there twice."""
    rows = parts["trace"]["calibration"]
    rows.append(dict(next(row for row in rows if (row["arm"], row.get("scale")) == ("meek", "1"))))


def judged_in_both_forms(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[examination.Examination, examination.Examination]:
    """The bundle in its large form, streamed where it can be, and held whole."""
    with monkeypatch.context() as patched:
        patched.setattr(blocks, "SMALL", 50)
        patched.setattr(blocks, "BLOCK", 60)
        large_form(bundle)
        streamed = examination.examine(bundle)
        patched.setattr(examination, "_streams", lambda _: [])
        return streamed, examination.examine(bundle)


def said(found: examination.Examination) -> dict[str, Any]:
    """The whole report without what differs between two runs."""
    report: dict[str, Any] = found.full_report.model_dump()
    notes = [one for one in report["findings"] if "read whole" not in one["message"]]
    checks = [one | {"seconds": 0, "findings": 0} for one in report["checks"]]
    return report | {"findings": sorted(notes, key=str), "checks": checks, "summary": None}


def test_a_streamed_study_with_tables_and_certificates_is_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which values its tables may print is known without reading the rows again."""
    bundle = certified_study(tmp_path / "bundle", without_students)
    streamed, held = judged_in_both_forms(bundle, monkeypatch)
    assert (bool(streamed.bundle.streamed), streamed.full_report.verdict) == (True, "verified")
    assert said(streamed) == said(held)
    for kind in ("trace", "score"):
        alone, whole = copy(streamed.bundle.streamed["policies"].frames[kind]), held.evidence.frame(kind)
        # Exact comparisons of twins may have read the rows of this study again.
        vars(alone).pop("table", None)
        assert field_types(alone) == field_types(whole)
        for name in alone.key_fields:
            assert set(alone.distinct(name, 1000).to_pylist()) == set(whole.distinct(name, 1000).to_pylist())
        assert "table" not in vars(alone)


@pytest.mark.parametrize("check", FALSE)
@pytest.mark.parametrize(("damage", "streams"), [(lose_a_value, True), (repeat_a_mild_trace, False)])
def test_damage_is_as_local_in_the_large_form(
    check: str,
    damage: Callable[[Parts], None],
    streams: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A false bound of another group is found, and the streamed report says what the held one says."""

    def change(parts: Parts) -> None:
        for each in (without_students, damage, falsify(*FALSE[check])):
            each(parts)

    streamed, held = judged_in_both_forms(certified_study(tmp_path / "bundle", change), monkeypatch)
    assert bool(streamed.bundle.streamed) is streams
    found = streamed.full_report.findings
    assert [(one.key or {})["group"] for one in found if (one.check, one.severity) == (check, "error")] == ["large"]
    assert said(streamed) == said(held)
