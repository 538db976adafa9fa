"""The audit as one page: the paper's tables with what is wrong on the cells, and each finding with its arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from sealtrace.contract.audit import Audit, AuditDecision, AuditFact
from sealtrace.report.audit_text import bare, checked, counted, distance_text, problem_text, repair_text, steps_of
from sealtrace.report.html.page import environment, hash_of, own_file

LISTED = 200
_HEADLINES = {
    "contradiction": "Contradiction",
    "suspicion": "Suspicion",
    "incomplete": "Incomplete",
    "nothing-found": "Nothing found",
}


def render(audit: Audit, tables: Iterable[dict[str, Any]], captions: dict[str, str] | None = None) -> str:
    """The whole page; `tables` are the records that were audited, in their order."""
    facts = {fact.address: fact for fact in audit.facts}
    style = own_file("audit.css")
    found = [one for one in audit.decisions if one.status in ("contradiction", "suspicion")][:LISTED]
    places = _Places(facts, found, audit)
    drawn = [places.table(record, captions or {}) for record in tables]
    numbered = list(enumerate(found, 1))
    return (
        environment()
        .from_string(own_file("audit.html.j2"))
        .render(
            audit=audit,
            policy=f"default-src 'none'; style-src {hash_of(style)}; base-uri 'none'; form-action 'none'",
            style=Markup(style),
            headline=f"{_HEADLINES[audit.verdict]}: {checked(audit)}",
            counted=counted(audit),
            grades=[
                (name, [places.finding(number, one) for number, one in numbered if one.status == status])
                for status, name in (("contradiction", "Contradictions"), ("suspicion", "Suspicions"))
            ],
            tables=drawn,
            notes=[problem_text(one) for one in [*audit.problems, *audit.left_out]][:LISTED],
        )
    )


class _Places:
    """Which cells findings speak of, and what the page calls the cells."""

    def __init__(self, facts: dict[str, AuditFact], found: list[AuditDecision], audit: Audit) -> None:
        self.facts = facts
        self.labels: dict[str, int] = {}
        self.anchors: dict[tuple[str, str, str], str] = {}
        self.findings: dict[tuple[str, str, str], list[int]] = {}
        self.statuses: dict[tuple[str, str, str], str] = {}
        self.counts = {one.table: f"{one.constrained} of {one.cells} checked" for one in audit.tables}
        for one in audit.decisions:
            if one.telling and one.status == "holds":
                for place in self.of(one):
                    self.statuses.setdefault(place, "checked")
        for number, one in reversed(list(enumerate(found, 1))):
            for place in self.of(one):
                self.findings.setdefault(place, []).insert(0, number)
                if self.statuses.get(place) != "contradiction":
                    self.statuses[place] = one.status

    def of(self, one: AuditDecision) -> list[tuple[str, str, str]]:
        known = (self.facts[address] for address in one.facts)
        return list(dict.fromkeys((fact.table, fact.row or "", fact.column or "") for fact in known if fact.table))

    def table(self, record: dict[str, Any], captions: dict[str, str]) -> dict[str, Any]:
        """One table as the template draws it."""
        label = record["label"]
        while label in self.labels:
            # As the audit names a label that is defined twice.
            label += "'"
        number = self.labels[label] = len(self.labels) + 1
        columns = [column["label"] for column in record["columns"]]
        rows = []
        for r, row in enumerate(record["rows"]):
            cells = []
            for c, text in enumerate(row["cells"]):
                place = (label, row["label"], columns[c])
                anchor = self.anchors[place] = f"cell-{number}-{r}-{c}"
                findings = self.findings.get(place, [])
                cells.append(
                    {
                        "text": text,
                        "status": self.statuses.get(place),
                        "findings": findings,
                        "anchor": anchor if findings else "",
                    }
                )
            rows.append(cells)
        return {
            "label": label,
            "anchor": f"table-{number}",
            "caption": captions.get(label) or record.get("caption") or "",
            "checked": self.counts.get(label, "no numbers"),
            "columns": columns,
            "rows": rows,
        }

    def finding(self, number: int, one: AuditDecision) -> dict[str, Any]:
        """One finding as the template draws it."""
        numbers = []
        for address in one.facts[:20]:
            fact = self.facts[address]
            place = (fact.table or "", fact.row or "", fact.column or "")
            where = bare(fact.address) + (f", line {fact.line}" if fact.line else "")
            numbers.append({"printed": fact.printed, "where": where, "link": self.anchors.get(place)})
        return {
            "number": number,
            "status": one.status,
            "sentence": one.sentence,
            "family": one.family,
            "source": one.source,
            "numbers": numbers,
            "arithmetic": "\n".join(steps_of(one)),
            "evidence": one.evidence,
            "chance": None if one.chance is None else f"{one.chance:.1g}",
            "distance": distance_text(one),
            "assumes": one.assumes,
            "repairs": [repair_text(repair.says, repair.works) for repair in one.repairs],
            "letter": one.letter,
        }
