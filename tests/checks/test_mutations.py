"""Every check can fail, names the right place when it does, and drags down only what it says it does."""

from __future__ import annotations

from pathlib import Path

import pytest

import sealtrace
from checks.certified_mutations import CERTIFIED_MUTATIONS, CertifiedMutation
from checks.dataset_mutations import DATASET_MUTATIONS, DatasetMutation
from checks.game_mutations import GAME_MUTATIONS, GameMutation
from checks.mutations import MUTATIONS, Mutation
from checks.result_mutations import RESULT_MUTATIONS, ResultMutation
from sealtrace.checks.catalogue import BY_ID, CATALOGUE
from sealtrace.report.text import render

AnyMutation = Mutation | CertifiedMutation | ResultMutation | GameMutation | DatasetMutation

ALL: dict[str, AnyMutation] = {
    **MUTATIONS,
    **RESULT_MUTATIONS,
    **DATASET_MUTATIONS,
    **{f"{name} (certified)": one for name, one in CERTIFIED_MUTATIONS.items()},
    **{f"{name} (game)": one for name, one in GAME_MUTATIONS.items()},
}


def test_every_check_has_a_mutation() -> None:
    """A check that nobody has seen fail is not a check."""
    mutated = {mutation.check for mutation in ALL.values()}
    # A kind that no check knows is missing, not wrong: tests/checks/test_statuses.py sees that.
    mutated.add("schema.meaning")
    assert [check.id for check in CATALOGUE if check.id not in mutated] == []
    assert mutated <= set(BY_ID)


def test_needs_and_consequences_are_checks_and_needs_come_first() -> None:
    """The order of the catalogue is the order of verification."""
    order = [check.id for check in CATALOGUE]
    assert len(set(order)) == len(order)
    for check in CATALOGUE:
        assert all(order.index(need) < order.index(check.id) for need in check.needs), check.id
        assert all(consequence in BY_ID for consequence in check.consequences), check.id


@pytest.mark.parametrize("mutation", ALL.values(), ids=ALL)
def test_mutation_is_found(mutation: AnyMutation, tmp_path: Path) -> None:
    """The mutated check fails with the right file, key and field; others go missing or are listed.

    The text leads with the verdict, names check and file, and fits 80 columns.
    """
    report = sealtrace.verify(mutation.broken(tmp_path), **mutation.options)

    assert report.verdict == "findings"
    failed = {check.id for check in report.checks if check.status == "fail"}
    assert mutation.check in failed
    assert failed - {mutation.check} <= set(BY_ID[mutation.check].consequences)
    findings = [finding for finding in report.findings if finding.check == mutation.check]
    first = next(finding for finding in findings if finding.severity == "error")
    assert (first.source, first.field, first.key) == (mutation.source, mutation.pointer, mutation.key)
    assert first.message

    text = render(report)
    assert text.startswith("FINDINGS")
    assert f"{mutation.check}: " in text
    assert mutation.source in text
    assert [line for line in text.splitlines() if len(line) > 80] == []
