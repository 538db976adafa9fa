"""Relations between printed numbers: whether they can be read, and whether they can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealtrace.bundle.defects import ended
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.printed import PrintedNumbers, printed_numbers
from sealtrace.checks.registry import check, lacking

if TYPE_CHECKING:
    from sealtrace.relations.decision import Decision

SHOWN = 6
"""How many numbers of a relation a finding lists."""


_no_relations = lacking("relation", "the bundle declares no relation")


@check("relation.formula", "relations", unless=_no_relations, of=printed_numbers)
def formula(printed: PrintedNumbers, outcome: Outcome) -> None:
    frame = printed.frame("relation")
    outcome.inspected = frame.size
    keys = {frame.place(row): frame.key(row) for row in range(frame.size)}
    for problem in printed.relation_problems:
        at = outcome.at(problem.source, keys.get((problem.source, problem.line)), problem.line)
        expected = "a formula over the bundle's printed numbers"
        at.error("/formula", ended(f"The relation cannot be read: {problem.message}"), expected)


@check("relation.holds", "relations", unless=_no_relations, of=printed_numbers)
def holds(printed: PrintedNumbers, outcome: Outcome) -> None:
    from sealtrace.relations.decision import Status

    outcome.inspected = len(printed.decided)
    for decision in printed.decided_together:
        if decision.status is Status.CONTRADICTION:
            _contradicted(decision, outcome)
    if left := [decision for decision in printed.decided_together if decision.status is Status.UNDECIDED]:
        outcome.missing = f"{len(left)} relations are undecided: {left[0].claim.name}: {left[0].reason}"


def _contradicted(decision: Decision, outcome: Outcome) -> None:
    claim = decision.together[0] if decision.together else decision.claim
    source, _, line = (claim.place or "").rpartition(":")
    printed = [f"{fact.address} {fact.text}" for fact in decision.cells]
    more = f", and {len(printed) - SHOWN} more" if len(printed) > SHOWN else ""
    message = f"However they were rounded, the printed numbers cannot all be right: {decision.arithmetic}."
    at = outcome.at(source, {"relation": claim.name}, int(line))
    at.error("/formula", message, decision.claim.sentence, ", ".join(printed[:SHOWN]) + more)
