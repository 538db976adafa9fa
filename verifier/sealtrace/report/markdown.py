"""Reports, audits and cells as Markdown, for a pull request comment, an artifact evaluation form or a letter.

What a comment may hold is limited, so lists are cut short, and say so. The templates print nothing of a bundle or a
paper but inert text of a bounded length, without asking for it.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from sealtrace.contract.audit import Audit
from sealtrace.contract.report import NOT_SEALED, Cell, Finding, Report
from sealtrace.report import audit_text, text
from sealtrace.report.diff import agrees, in_order
from sealtrace.report.findings import by_cause, finding_lines, missing_by_reason, times, turned_off
from sealtrace.report.inert import clipped, fenced, harmless, markdown

BLOCKS = 8
"""How many checks have their findings unfolded."""
FEW = 3
"""How many findings of one check are shown."""
CELLS = 25
"""How many differing cells are shown."""
LISTED = 100
"""How many relations of an audit are shown."""

_VERDICTS = {"verified": "Verified", "findings": "Findings", "incomplete": "Incomplete", "waived": "Waived"}
_TITLES = {
    "contradiction": "some of these numbers cannot all be true",
    "incomplete": "not everything could be decided",
    "suspicion": "nothing is contradicted, but something looks wrong",
    "nothing-found": "nothing found",
}


def _rendered(name: str, longest: int, **shown: Any) -> str:
    """A template of this directory; texts are shown up to so many characters, unless `whole` is asked for."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def whole(value: str) -> Markup:
        return Markup(markdown(value))

    def inert(value: Any) -> Any:
        return markdown(clipped(harmless(value), longest)) if type(value) is str else value

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=inert)
    template = environment.from_string(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return template.render(whole=whole, times=times, **shown) + "\n"


def _code(lines: list[str], longest: int) -> Any:
    """Lines as a block of code."""
    from markupsafe import Markup

    return Markup(fenced("\n".join(clipped(harmless(line), longest) for line in lines)))


def render(report: Report) -> str:
    """The verdict and what to do first; then counts, checks, findings and cells."""
    causes = by_cause(report)
    check = causes[0][0].id if causes else None
    return _rendered(
        "report.md.j2",
        120,
        report=report,
        verdicts=_VERDICTS,
        not_sealed=NOT_SEALED,
        causes=causes,
        first=next(
            (finding for finding in report.findings if finding.check == check and finding.severity == "error"), None
        ),
        failed=[result for result in report.checks if result.status == "fail"],
        missing=next((result for result in report.checks if result.status == "missing"), None),
        blocks=_blocks(report),
        unfolded=BLOCKS,
        differing=[cell for cells in in_order(report.cells).values() for cell in cells if not agrees(cell)],
        most_cells=CELLS,
        code=_code_of_findings,
        lines=finding_lines,
        place=lambda cell: f"{cell.source or ''}:{cell.line}" if cell.line else "",
        missing_by_reason=missing_by_reason,
        turned_off=turned_off,
        **{name: getattr(text, name) for name in text.SAID},
    )


def _blocks(report: Report) -> list[tuple[str, list[Finding], int]]:
    """The findings of each failed check, then those that fail nothing: what they are, they, and how many there are."""
    blocks = []
    for check in [result for result in report.checks if result.status == "fail"][:BLOCKS]:
        findings = [finding for finding in report.findings if finding.check == check.id]
        errors = [finding for finding in findings if finding.severity == "error"]
        # A check counts what it does not list, and also what fails nothing.
        total = check.findings - len(findings) + len(errors)
        blocks.append((f"{check.id}: {times(total, 'error')}", errors, total))
    others = {
        severity: [finding for finding in report.findings if finding.severity == severity]
        for severity in ("warning", "note")
    }
    return blocks + [(times(len(found), severity), found, len(found)) for severity, found in others.items() if found]


def _code_of_findings(findings: list[Finding], total: int) -> Any:
    lines = []
    for place, *rest in map(finding_lines, findings[:FEW]):
        lines += [place, *(f"  {line}" for line in rest)]
    more = total - len(findings[:FEW])
    return _code([*lines, *([f"... and {more} more"] if more else [])], 120)


def render_audit(audit: Audit, *, everything: bool = False) -> str:
    """Contradictions, each with what to write; then what is undecided, counts and coverage."""
    statuses = ("contradiction", "suspicion", "undecided", "holds")
    decided = {status: [decision for decision in audit.decisions if decision.status == status] for status in statuses}
    return _rendered(
        "audit.md.j2",
        2000,
        audit=audit,
        titles=_TITLES,
        decided=decided,
        undecided=[
            decision for decision in decided["undecided"] if everything or decision.family in ("declared", "group")
        ],
        everything=everything,
        facts={fact.address: fact for fact in audit.facts},
        listed=LISTED,
        numbers=12,
        code=lambda lines: _code(lines, 2000),
        **{name: getattr(audit_text, name) for name in audit_text.SAID},
    )


def render_cells(cells: list[Cell], *, everything: bool) -> str:
    """A table for each table of the paper."""
    parts: list[str] = []
    for table, members in in_order(cells).items():
        parts.append(f"### {markdown(table)}\n\n{sum(map(agrees, members))} of {len(members)} cells agree.\n")
        shown = [cell for cell in members if everything or not agrees(cell)]
        if shown:
            parts.append("| row | column | reported | recomputed | status | line |\n|---|---|---|---|---|---|")
            parts.extend(
                f"| {markdown(cell.row)} | {markdown(cell.column)} | {markdown(cell.reported)} "
                f"| {markdown(cell.recomputed or '')} | {markdown(cell.standing)} | {cell.line or ''} |"
                for cell in shown
            )
            parts.append("")
    return "\n".join(parts) + "\n"
