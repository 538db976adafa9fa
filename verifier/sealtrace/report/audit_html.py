"""The audit as a page: the paper's tables with what is wrong on the cells, and each finding with its arithmetic."""

from __future__ import annotations

from collections.abc import Iterable

from sealtrace.contract.audit import Audit, AuditDecision, AuditFact
from sealtrace.contract.details import DrawnTable
from sealtrace.contract.report import Cell, Severity
from sealtrace.paper.model import Table
from sealtrace.report.audit_report import as_report, check_id
from sealtrace.report.audit_text import (
    bare,
    checked,
    counted,
    distance_text,
    place_text,
    problem_text,
    repair_text,
    steps_of,
)
from sealtrace.report.findings import times
from sealtrace.report.html.page import Address, Cause, Item, Page, Steps, Tile
from sealtrace.report.html.page import render as render_page

LISTED = 200
_HEADLINES = {
    "contradiction": ("Contradiction", "Numbers that the paper prints cannot all be true together."),
    "suspicion": ("Suspicion", "Nothing is proved wrong; some numbers break what the others keep."),
    "incomplete": ("Incomplete", "Nothing is proved wrong so far, but not everything could be decided."),
    "nothing-found": ("Nothing found", "No relation between the printed numbers is broken."),
}
_SEVERITIES: dict[str, Severity] = {"contradiction": "error", "suspicion": "warning"}
_STATUSES = {"contradiction": "contradicted", "suspicion": "suspected", "holds": "constrained"}
LIMITS = [
    "That the numbers are right: an audit sees only numbers that disagree with one another. Wrong numbers that agree "
    "pass.",
    "That numbers without a relation are right: they are counted as attested.",
    "That a suspicion is an error: a sentence was read by rule, or what holds in the other rows is broken in one.",
]


def render(audit: Audit, tables: Iterable[Table]) -> str:
    """The whole page; `tables` are those that were audited, in their order."""
    drawn = [DrawnTable.of(table) for table in tables]
    statuses = statuses_of(audit)
    facts = {(fact.table or "", fact.row or "", fact.column or ""): fact for fact in audit.facts if fact.table}
    cells = [
        _cell(address, text, statuses.get(address), facts.get(address))
        for table in drawn
        for row in table.rows
        for column, text in zip(table.columns, row.cells, strict=False)
        if (address := (table.label, row.label, column)) in facts or any(letter.isdigit() for letter in text)
    ]
    headline, lead = _HEADLINES[audit.verdict]
    report, coverage = as_report(audit), audit.coverage
    return render_page(
        Page(
            over="What the printed numbers say of each other in",
            name=audit.paper,
            tool=audit.sealtrace,
            verdict="incomplete" if audit.verdict == "suspicion" else report.verdict,
            headline=headline,
            lead=f"{lead} {checked(audit)}.",
            steps=_steps(audit),
            tiles=[
                Tile("Relations", f"{len(audit.decisions):,}", counted(audit)),
                Tile(
                    "Cells checked",
                    f"{coverage.constrained:,} of {coverage.cells:,}",
                    "by a relation that a wrong number could break",
                ),
                Tile("Numbers of the text", f"{coverage.text_constrained:,} of {coverage.text:,}", "checked so"),
            ],
            causes=causes_of(audit),
            checks=report.checks,
            limits=LIMITS,
            tables=drawn,
            cells=cells,
            fields=("Printed at", "Stands for"),
            lineages=[_lineage(facts.get((cell.table, cell.row, cell.column))) for cell in cells],
            command="sealtrace explain PAPER '{}'",
            checks_title="Families of relations",
            root=audit.root_sha256,
            notes=[problem_text(problem) for problem in [*audit.problems, *audit.left_out]][:LISTED],
        )
    )


def causes_of(audit: Audit) -> list[Cause]:
    """Contradictions, then suspicions, by family."""
    facts = {fact.address: fact for fact in audit.facts}
    found: dict[tuple[str, str], list[Item]] = {}
    for decision in [decision for decision in audit.decisions if decision.status in _SEVERITIES][:LISTED]:
        found.setdefault((decision.status, decision.family), []).append(_item(decision, facts))
    return [
        Cause(check_id(family), f"{status.capitalize()}s: {family}", items)
        for (status, family), items in sorted(found.items(), key=lambda entry: entry[0][0])
    ]


def statuses_of(audit: Audit) -> dict[Address, str]:
    """The worst that a relation says of each cell; only relations that a wrong number could break cover one."""
    facts = {fact.address: fact for fact in audit.facts}
    statuses: dict[Address, str] = {}
    for status in reversed(_STATUSES):
        for decision in audit.decisions:
            if decision.status == status and (decision.telling or status != "holds"):
                statuses |= dict.fromkeys(_addresses(decision, facts), _STATUSES[status])
    return statuses


def _addresses(decision: AuditDecision, facts: dict[str, AuditFact]) -> list[Address]:
    known = (facts[address] for address in decision.facts)
    return list(dict.fromkeys((fact.table, fact.row or "", fact.column or "") for fact in known if fact.table))


def _item(decision: AuditDecision, facts: dict[str, AuditFact]) -> Item:
    nearest = next((facts[each] for each in (decision.nearest, *decision.facts) if each in facts), None)
    chance = "" if decision.chance is None else f" ({decision.chance:.1g} expected by chance)"
    known = [
        ("printed", "\n".join(f"{facts[each].printed}  {place_text(facts[each])}" for each in decision.facts[:20])),
        ("because", decision.source),
        ("arithmetic", "\n".join(steps_of(decision))),
        ("evidence", decision.evidence + chance if decision.evidence else ""),
        ("off by", distance_text(decision) or ""),
        ("assumes", "\n".join(decision.assumes)),
        ("perhaps", "\n".join(repair_text(repair.says, repair.works) for repair in decision.repairs)),
        ("to ask", decision.letter or ""),
    ]
    place = f"{nearest.source}:{nearest.line}" if nearest and nearest.source else decision.place or ""
    return Item(
        severity=_SEVERITIES[decision.status],
        check=check_id(decision.family),
        place=place,
        message=decision.sentence,
        facts=[(name, text) for name, text in known if text],
        cells=_addresses(decision, facts),
    )


def _cell(address: Address, text: str, status: str | None, fact: AuditFact | None) -> Cell:
    table, row, column = address
    source, line = (None, None) if fact is None else (fact.source, fact.line)
    place = {"table": table, "row": row, "column": column, "source": source, "line": line}
    return Cell.model_validate({**place, "reported": text, "status": status or "attested", "sentence": ""})


def _lineage(fact: AuditFact | None) -> tuple[str, ...]:
    if fact is None:
        return ("", "")
    place = f"{fact.source}:{fact.line}" if fact.source and fact.line else fact.source or ""
    return (place, f"{fact.low} to {fact.high}, as {bare(fact.address)}")


def _steps(audit: Audit) -> Steps:
    steps = Steps()
    counts = {status: [decision for decision in audit.decisions if decision.status == status] for status in _SEVERITIES}
    if proved := counts["contradiction"]:
        told = times(len(proved), "contradiction")
        steps.add(
            (f"Correct {told}", "Each names the number that would have to move least."),
            (
                f"Write to the authors about {told}",
                "Each ends with a sentence to send; each is a proof from the printed numbers.",
            ),
            check_id(proved[0].family),
        )
    if doubted := counts["suspicion"]:
        told = times(len(doubted), "suspicion")
        steps.add(
            (f"Look at {told}", "Correct the number, or the sentence that was read."),
            (f"Judge {told} yourself", "They are no proofs: read the sentence or the other rows first."),
            check_id(doubted[0].family),
        )
    if audit.problems:
        unread = f"{times(len(audit.problems), 'problem')} below: numbers in them were not audited."
        steps.both("Read what could not be read", unread)
    steps.add(
        (
            "State more relations",
            "A relations file beside the paper says what must hold; sealtrace audit --suggest proposes some.",
        ),
        ("Ask for the records", "Only records show that a number is right: sealtrace check PAPER RESULTS."),
    )
    return steps
