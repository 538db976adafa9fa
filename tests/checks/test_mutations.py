"""Every check can fail, names the right place when it does, and drags down only what it says it does."""

from __future__ import annotations

from pathlib import Path

import pytest

import sealtrace
from checks.mutations import MUTATIONS
from sealtrace.checks.catalogue import BY_ID, CATALOGUE
from support import copy_of_fixture


def test_every_check_has_a_mutation() -> None:
    """A check that nobody has seen fail is not a check."""
    assert [check.id for check in CATALOGUE if check.id not in MUTATIONS] == []
    assert [check_id for check_id in MUTATIONS if check_id not in BY_ID] == []


def test_needs_and_consequences_are_checks_and_needs_come_first() -> None:
    """The order of the catalogue is the order of verification."""
    order = [check.id for check in CATALOGUE]
    assert len(set(order)) == len(order)
    for check in CATALOGUE:
        assert all(order.index(need) < order.index(check.id) for need in check.needs), check.id
        assert all(consequence in BY_ID for consequence in check.consequences), check.id


@pytest.mark.parametrize("check_id", MUTATIONS)
def test_mutation_is_found(check_id: str, tmp_path: Path) -> None:
    """The mutated check fails with the right file, key and field; others go missing or are listed."""
    mutation = MUTATIONS[check_id]
    bundle = copy_of_fixture(tmp_path)
    mutation.break_bundle(bundle)

    report = sealtrace.verify(bundle, **mutation.options)

    assert report.verdict == "findings"
    failed = {check.id for check in report.checks if check.status == "fail"}
    assert check_id in failed
    assert failed - {check_id} <= set(BY_ID[check_id].consequences)
    first = next(finding for finding in report.findings if finding.check == check_id)
    assert (first.source, first.field, first.key) == (mutation.source, mutation.pointer, mutation.key)
    assert first.severity == "error"
    assert first.message
