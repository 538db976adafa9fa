"""The verdict trusts no map search: the proof of every sealed robust map is checked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealtrace import verify
from sealtrace.studies.policies.evidence import choice
from sealtrace.studies.policies.mathematics.maps.instance import Instance
from sealtrace.studies.policies.mathematics.maps.proof import GroupWise, Solution
from sealtrace.studies.policies.mathematics.maps.recheck import recheck
from studies.certified_study import certified_study


def _choice(bundle: Path) -> tuple[str, int]:
    report = verify(bundle)
    found = {check.id: check for check in report.checks}["map.choice"]
    return found.status, found.findings


def test_a_proof_that_holds_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every robust map of the study is re-checked once, and the check passes."""
    checked: list[Solution] = []

    def counted(instance: Instance, solution: Solution) -> None:
        checked.append(solution)
        recheck(instance, solution)

    monkeypatch.setattr(choice, "recheck", counted)
    assert _choice(certified_study(tmp_path / "bundle")) == ("pass", 0)
    assert len(checked) == 1


def test_a_search_that_errs_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that returns the anchors everywhere gives no verdict on the sealed map, right or wrong."""
    monkeypatch.setattr(choice, "best_map", lambda instance: Solution((0,) * instance.groups, GroupWise(), instance))
    assert _choice(certified_study(tmp_path / "bundle"))[0] == "missing"
