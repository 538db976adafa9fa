"""Damage is local: what does not need a lost or doubtful record is judged, and errors are found wherever they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from sealtrace.contract.result import CheckResult, Result
from studies.certified_study import certified_study

Parts = dict[str, Any]
SMALL = "s002"
"""A calibration state of the group `small`."""


def lose_a_value(parts: Parts) -> None:
    """A calibration state of one group has no strong action values any more."""
    rows = parts["values"]["calibration"]
    rows.remove(next(row for row in rows if (row["state"], row["evaluator"]) == (SMALL, "strong")))


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
