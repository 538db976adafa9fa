"""Relations between printed numbers: whether they can be read, and whether they can hold.

The engine is imported only where a bundle has relations: most have none, and should not wait for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.printed.cells import CellResult
from sealtrace.printed.judgement import Judgement, Status
from sealtrace.studies.policies.evidence.study import Study

if TYPE_CHECKING:
    from sealtrace.relations.decision import Decision

SHOWN = 6
"""How many numbers of a relation a finding lists."""


def _no_relations(study: Study, outcome: Outcome) -> bool:
    if study.bundle.of_kind("relation"):
        return False
    outcome.not_applicable = "the bundle declares no relation"
    return True


@check("relation.formula", "relations")
def formula(study: Study, outcome: Outcome) -> None:
    if _no_relations(study, outcome):
        return
    from sealtrace.checks.sealed_relations import problems_of

    frame = study.frame("relation")
    outcome.inspected = frame.size
    keys = {frame.place(row): frame.key(row) for row in range(frame.size)}
    for problem in problems_of(study):
        outcome.add(
            f"the relation cannot be read: {problem.message}",
            source=problem.source,
            row=problem.line,
            key=keys.get((problem.source, problem.line)),
            field="/formula",
            expected="a formula over the bundle's printed numbers",
        )


@check("relation.holds", "relations")
def holds(study: Study, outcome: Outcome) -> None:
    if _no_relations(study, outcome):
        return
    from sealtrace.checks.sealed_relations import contradictions, decided, decided_together, undecided

    outcome.inspected = len(decided(study))
    decisions = decided_together(study)
    for decision in contradictions(decisions):
        _contradicted(decision, outcome)
    if left := undecided(decisions):
        outcome.missing = f"{len(left)} relations are undecided: {left[0].claim.name}: {left[0].reason}"


def _contradicted(decision: Decision, outcome: Outcome) -> None:
    claim = decision.together[0] if decision.together else decision.claim
    source, _, line = (claim.place or "").rpartition(":")
    printed = [f"{fact.address} {fact.text}" for fact in decision.cells]
    more = f", and {len(printed) - SHOWN} more" if len(printed) > SHOWN else ""
    outcome.add(
        f"no values that print so can satisfy it: {decision.arithmetic}",
        source=source,
        row=int(line),
        key={"relation": claim.name},
        field="/formula",
        expected=decision.claim.sentence,
        found=", ".join(printed[:SHOWN]) + more,
    )


def bound_by_relations(study: Study, results: Iterable[CellResult]) -> list[CellResult]:
    """Cells called constrained stay so only where a relation that can hold speaks of them."""
    cells = list(results)
    if not any(cell.status is Status.CONSTRAINED for cell in cells):
        return cells
    from sealtrace.checks.sealed_relations import bound

    spoken_of = bound(study)
    unbound = Judgement(Status.UNCLASSIFIED, "called constrained, but no relation that can hold speaks of it")
    return [
        replace(one, judgement=unbound)
        if one.status is Status.CONSTRAINED and (one.cell.table, one.cell.row, one.cell.column) not in spoken_of
        else one
        for one in cells
    ]
