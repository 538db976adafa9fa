"""Relations between printed numbers, and claims of a reader: whether they can be read, and whether they can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealtrace.bundle.defects import ended
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check, lacking
from sealtrace.evidence import Evidence, View

if TYPE_CHECKING:
    from sealtrace.checks.sealed_claims import SealedClaims
    from sealtrace.checks.sealed_relations import SealedRelations
    from sealtrace.relations.decision import Decision

SHOWN = 6
"""How many numbers of a relation a finding lists."""


def _lacking(evidence: Evidence | View, outcome: Outcome) -> bool:
    """Nothing is to be checked where neither relations nor claims are sealed."""
    if evidence.bundle.documents_of("claims"):
        return False
    return lacking("relation", "the bundle declares no relation")(evidence, outcome)


@check("relation.formula", "relations", unless=_lacking)
def formula(evidence: Evidence, outcome: Outcome) -> None:
    relations, claims = _sealed(evidence)
    frame = relations.frame("relation")
    outcome.inspected = frame.size + len(claims.decided)
    keys = {frame.place(row): frame.key(row) for row in range(frame.size)}
    for problem in relations.problems:
        at = outcome.at(problem.source, keys.get((problem.source, problem.line)), problem.line)
        expected = "a formula over the bundle's printed numbers"
        at.error("/formula", ended(f"The relation cannot be read: {problem.message}"), expected)
    for path, place, result in claims.decided:
        if result.grade == "refused":
            at = outcome.at(path, {"claim": result.id})
            at.error(f"/claims/{place}", ended(f"The claim is not tied to what is printed: {result.reason}"))


@check("relation.holds", "relations", unless=_lacking)
def holds(evidence: Evidence, outcome: Outcome) -> None:
    relations, claims = _sealed(evidence)
    known = [one for one in claims.decided if one[2].grade != "refused"]
    outcome.inspected = len(relations.decided) + len(known)
    for decision in relations.contradictions:
        _contradicted(decision, outcome)
    for decision in relations.in_doubt:
        claim, assumed = decision.claim, " ".join(decision.claim.assumes)
        source, _, line = (claim.place or "").rpartition(":")
        why = "It cannot hold, but one unit in the last place of each number mends it."
        why = f"It cannot hold if this is so, which the paper states nowhere: {assumed}" if assumed else why
        outcome.at(source, {"relation": claim.name}, int(line)).note("/formula", f"{why} {decision.arithmetic}.")
    for path, place, result in known:
        at, message = outcome.at(path, {"claim": result.id}), ended((result.letter or result.says).rstrip("."))
        if result.grade == "contradiction":
            at.error(f"/claims/{place}", message)
        elif result.grade == "suspicion":
            at.warning(f"/claims/{place}", f"{message} {' '.join(map(ended, result.missing))}")
        elif result.grade != "holds":
            at.note(f"/claims/{place}", f"{result.grade.capitalize()}: {message}")
    left = [f"{one.claim.name}: {one.reason}" for one in relations.undecided]
    left += [f"{result.id}: {result.reason}" for _path, _place, result in known if result.grade == "undecided"]
    if left:
        outcome.missing = f"{len(left)} relations are undecided: {left[0]}"


def _sealed(evidence: Evidence) -> tuple[SealedRelations, SealedClaims]:
    # Here and not above: the engine takes time to import, and most bundles have neither.
    from sealtrace.checks.sealed_claims import SealedClaims
    from sealtrace.checks.sealed_relations import SealedRelations

    return evidence.view(SealedRelations), evidence.view(SealedClaims)


def _contradicted(decision: Decision, outcome: Outcome) -> None:
    claim = decision.together[0] if decision.together else decision.claim
    source, _, line = (claim.place or "").rpartition(":")
    printed = [f"{fact.address} {fact.text}" for fact in decision.cells]
    more = f", and {len(printed) - SHOWN} more" if len(printed) > SHOWN else ""
    message = f"However they were rounded, the printed numbers cannot all be right: {decision.arithmetic}."
    at = outcome.at(source, {"relation": claim.name}, int(line))
    at.error("/formula", message, decision.claim.sentence, ", ".join(printed[:SHOWN]) + more)
