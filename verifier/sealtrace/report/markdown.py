"""The report as Markdown, for a pull request comment or an artifact evaluation form.

What a comment may hold is limited, so lists are cut short, and say so.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealtrace.contract.report import NOT_SEALED, Cell, Finding, Report
from sealtrace.report.diff import agrees, in_order
from sealtrace.report.findings import by_cause, finding_lines, missing_by_reason, times, turned_off
from sealtrace.report.inert import clipped, fenced, harmless, markdown
from sealtrace.report.text import (
    TRANSCRIBED,
    counted_checks,
    disclosed_in_words,
    evidence_of,
    transcribed,
    witnesses_of,
)

BLOCKS = 8
"""How many checks have their findings unfolded."""
FEW = 3
"""How many findings of one check are shown."""
CELLS = 25
"""How many differing cells are shown."""
LONG = 120
"""How many characters of one value are shown."""

_VERDICTS = {"verified": "Verified", "findings": "Findings", "incomplete": "Incomplete", "waived": "Waived"}


def render(report: Report) -> str:
    """The verdict and what to do first; then counts, checks, findings and cells."""
    lines = [
        f"## {report.as_draft(_VERDICTS[report.headline])}: {_short(report.bundle.name or 'unnamed bundle')}",
        "",
        *([f"{NOT_SEALED[0].upper()}{NOT_SEALED[1:]}.", ""] if report.draft else []),
        _first_step(report),
        "",
        f"{counted_checks(report)}.",
        "",
        *_checks(report),
        *_findings(report),
        *_cells(report),
        *_evidence(report),
        *_turned_off(report),
        _signature(report),
    ]
    return "\n".join(lines) + "\n"


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


def _short(text: str) -> str:
    return markdown(clipped(harmless(text), LONG))


def _first_step(report: Report) -> str:
    if report.verdict == "verified":
        return "Nothing is left to do: all the evidence was there, and every check that applies holds."
    causes = by_cause(report)
    if causes:
        check, consequences = causes[0]
        finding = next((one for one in report.findings if one.check == check.id and one.severity == "error"), None)
        where = "" if finding is None else f", at {_short(finding_lines(finding)[0])}"
        after = f" {times(len(consequences), 'other failed check')} may follow from it." if consequences else ""
        return f"**Start with {markdown(check.id)}**{where}: {markdown(check.title)}.{after}"
    missing = next((check for check in report.checks if check.status == "missing"), None)
    if missing is None:
        return "**Run the skipped checks, too**: nothing is wrong so far, but not everything was looked at."
    return (
        f"**Start with what is missing**: {_short(missing.reason or '')} ({markdown(missing.id)}). "
        "Nothing contradicts the records, but not everything could be decided."
    )


def _evidence(report: Report) -> Iterator[str]:
    """Who but the authors saw what: tables, stages, and rows that are withheld."""
    chain = report.summary.chain
    if transcribed(report):
        yield f"- Tables: {TRANSCRIBED}"
    yield f"- Stages: {chain.seals} of {chain.stages} sealed; {evidence_of(chain)}"
    for line in witnesses_of(chain):
        yield f"  - {_short(line)}"
    for seen in report.summary.disclosed:
        yield f"- Disclosed: {_short(disclosed_in_words(seen))}"
    yield ""


def _turned_off(report: Report) -> Iterator[str]:
    """What the study's declarations turn off."""
    reasons = turned_off(report)
    if not reasons:
        return
    yield "<details><summary>checks that do not apply, and why</summary>"
    yield ""
    yield "| checks | why they do not apply |"
    yield "|---|---|"
    for reason, ids in reasons:
        yield f"| {markdown(', '.join(ids))} | {_short(reason)} |"
    yield ""
    yield "</details>"
    yield ""


def _checks(report: Report) -> Iterator[str]:
    """What does not hold: each failed check, and what is missing by its reason."""
    rows = [
        f"| {markdown(check.id)} | fail | {check.findings} in {check.inspected} {markdown(check.unit)} "
        f"| {_short(check.title)} |"
        for check in report.checks
        if check.status == "fail"
    ]
    rows += [
        f"| {markdown(', '.join(ids))} | missing | | {_short(reason)} |" for reason, ids in missing_by_reason(report)
    ]
    if rows:
        yield "| check | status | findings | why |"
        yield "|---|---|---|---|"
        yield from rows
        yield ""


def _findings(report: Report) -> Iterator[str]:
    """The first findings of each failed check, then those that fail nothing."""
    failed = [check for check in report.checks if check.status == "fail"]
    for check in failed[:BLOCKS]:
        findings = [one for one in report.findings if one.check == check.id]
        errors = [one for one in findings if one.severity == "error"]
        # A check counts what it does not list, and also what fails nothing.
        total = check.findings - len(findings) + len(errors)
        yield from _block(f"{check.id}: {times(total, 'error')}", errors, total)
    if len(failed) > BLOCKS:
        yield f"The findings of {times(len(failed) - BLOCKS, 'other failed check')} are in the full report."
        yield ""
    for severity in ("warning", "note"):
        others = [one for one in report.findings if one.severity == severity]
        if others:
            yield from _block(times(len(others), severity), others, len(others))


def _block(summary: str, findings: list[Finding], total: int) -> Iterator[str]:
    lines = [clipped(harmless(line), LONG) for one in findings[:FEW] for line in _indented(one)]
    if total > len(findings[:FEW]):
        lines.append(f"... and {total - len(findings[:FEW])} more")
    yield f"<details><summary>{markdown(summary)}</summary>"
    yield ""
    yield fenced("\n".join(lines))
    yield ""
    yield "</details>"
    yield ""


def _indented(finding: Finding) -> list[str]:
    place, *rest = finding_lines(finding)
    return [place, *(f"  {line}" for line in rest)]


def _cells(report: Report) -> Iterator[str]:
    coverage = report.coverage
    if not coverage.cells:
        return
    statuses = ", ".join(f"{count} {markdown(status)}" for status, count in coverage.statuses.items())
    names = f"; {coverage.declared_names} more are declared names" if coverage.declared_names else ""
    yield f"{coverage.recomputed} of {times(coverage.cells, 'printed cell')} recomputed: {statuses}{names}"
    yield ""
    differing = [cell for cells in in_order(report.cells).values() for cell in cells if not agrees(cell)]
    if not differing:
        return
    yield "| cell | reported | recomputed | status | line |"
    yield "|---|---|---|---|---|"
    for cell in differing[:CELLS]:
        place = f"{cell.source or ''}:{cell.line}" if cell.line else ""
        yield (
            f"| {_short(f'{cell.table}[{cell.row}, {cell.column}]')} | {_short(cell.reported)} "
            f"| {_short(cell.recomputed or '')} | {markdown(cell.standing)} | {_short(place)} |"
        )
    if len(differing) > CELLS:
        yield ""
        yield f"... and {len(differing) - CELLS} more, which the full report lists"
    yield ""


def _signature(report: Report) -> str:
    root = f" of root {markdown(report.bundle.root_sha256)}" if report.bundle.root_sha256 else ""
    return f"sealtrace {markdown(report.sealtrace)}{root}"
