"""The audit as a report, for the formats that know checks and findings: a check per family of relations."""

from __future__ import annotations

import re

from sealtrace.contract.audit import Audit, AuditDecision, AuditFact, AuditTally
from sealtrace.contract.report import (
    BundleIdentity,
    Chain,
    CheckResult,
    Coverage,
    Finding,
    Report,
    Severity,
    Status,
    Summary,
    Verdict,
)
from sealtrace.report.audit_text import distance_text
from sealtrace.report.findings import times

_VERDICTS: dict[str, Verdict] = {
    "contradiction": "findings",
    "incomplete": "incomplete",
    "suspicion": "verified",
    "nothing-found": "verified",
}
READING = "relation.reading"


def as_report(audit: Audit, *, absent: bool = False, prefix: str = "") -> Report:
    """A report with a finding per contradiction, undecided relation and problem.

    With `absent`, declared relations that are undecided make their check missing, for formats that count outcomes; the
    others see findings. `prefix` leads from the working directory to the paper's.
    """
    facts = {fact.address: fact for fact in audit.facts}
    of_paper = {audit.paper} | {fact.source for fact in audit.facts}
    findings = [_finding(decision, facts, prefix) for decision in audit.decisions if decision.status != "holds"]
    findings += [
        Finding(
            check=READING,
            severity=problem.severity,
            source=prefix + problem.source if problem.source in of_paper else problem.source,
            row=problem.line,
            column=problem.column,
            message=problem.message,
        )
        for problem in audit.problems
    ]
    nothing = dict.fromkeys(("recomputed", "inputs", "contradicted", "unclassified", "missing"), 0)
    coverage = audit.coverage
    return Report(
        sealtrace=audit.sealtrace,
        bundle=BundleIdentity(name=audit.paper, root_sha256=audit.root_sha256),
        verdict=_VERDICTS[audit.verdict],
        summary=Summary(chain=Chain(seals=0, stages=0, signatures=0, timestamps=0)),
        checks=[*(_family(tally, absent) for tally in audit.tallies), _reading(audit)],
        findings=findings,
        cells=[],
        coverage=Coverage(
            cells=coverage.cells,
            constrained=coverage.constrained,
            attested=coverage.unconstrained,
            statuses={},
            **nothing,
        ),
    )


def _finding(decision: AuditDecision, facts: dict[str, AuditFact], prefix: str) -> Finding:
    """A finding at the number that would have to move, or else at the first one, or where it was declared."""
    where = next((facts[fact] for fact in (decision.nearest, *decision.facts) if fact in facts), None)
    source, line = (where.source, where.line) if where else (None, None)
    if source is not None:
        source = prefix + source
    elif decision.place is not None:
        source, _, number = decision.place.rpartition(":")
        line = int(number)
    severity: Severity = "note"
    message = f"undecided: {decision.sentence} {decision.reason or ''}".rstrip()
    if decision.status in ("contradiction", "suspicion"):
        severity = "error" if decision.status == "contradiction" else "warning"
        message = decision.letter or decision.sentence
    elif decision.family == "declared":
        severity = "warning"
    return Finding(
        check=check_id(decision.family),
        severity=severity,
        source=source,
        row=line,
        key={"relation": decision.relation},
        expected=decision.formula if decision.letter else None,
        found=distance_text(decision),
        message=message,
    )


def check_id(family: str) -> str:
    """A family's name as the id of a check."""
    return f"relation.{re.sub('[^a-z]+', '-', family.lower()).strip('-')}"


def _family(tally: AuditTally, absent: bool) -> CheckResult:
    total = tally.holds + tally.contradiction + tally.suspicion + tally.undecided
    status: Status = "fail" if tally.contradiction else "pass"
    reason = None
    if absent and tally.undecided and tally.family == "declared" and not tally.contradiction:
        status, reason = "missing", f"{times(tally.undecided, 'relation')} undecided"
    return CheckResult(
        id=check_id(tally.family),
        title=f"Relations between printed numbers can hold: {tally.family}",
        status=status,
        reason=reason,
        inspected=total,
        unit="relations",
        findings=tally.contradiction + tally.suspicion + tally.undecided,
        seconds=0.0,
    )


def _reading(audit: Audit) -> CheckResult:
    errors = any(problem.severity == "error" for problem in audit.problems)
    return CheckResult(
        id=READING,
        title="The paper and its relations can be read",
        status="fail" if errors else "pass",
        inspected=audit.coverage.cells,
        unit="cells",
        findings=len(audit.problems),
        seconds=0.0,
    )
