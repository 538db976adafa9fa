"""Annotations for GitHub Actions: errors first, a line each, and the verdict at the end.

GitHub shows the first few of each level beside the code; all of them stand in the log.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealtrace.contract.checked import Check, CheckCell, CheckText
from sealtrace.contract.report import Cell, Finding, Report
from sealtrace.report.check_text import counted
from sealtrace.report.findings import (
    Address,
    Place,
    finding_lines,
    in_bundle,
    in_paper,
    missing_by_reason,
    printed_cells,
    times,
)
from sealtrace.report.inert import harmless

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, *, prefix: str | None = None) -> str:
    """`prefix` leads from the repository to the bundle; None where the bundle's files are not in the repository."""
    printed = printed_cells(report)
    lines: list[str] = []
    for severity in _COMMANDS:
        lines.extend(
            _annotation(finding, printed, prefix) for finding in report.findings if finding.severity == severity
        )
        if severity == "warning":
            lines.extend(_missing(report))
    lines.append(_command("notice", _verdict(report), {"title": f"sealtrace: {report.as_draft(report.headline)}"}))
    return "\n".join(lines) + "\n"


def _annotation(finding: Finding, printed: dict[Address, Cell], prefix: str | None) -> str:
    properties: dict[str, str] = {}
    place = in_paper(finding, printed)
    if place is None and prefix is not None and (record := in_bundle(finding)):
        place = Place(prefix + record.path, record.line, record.column)
    if place is not None:
        properties["file"] = place.path
        properties |= {"line": str(place.line)} if place.line else {}
        properties |= {"col": str(place.column)} if place.column else {}
    properties["title"] = finding.check
    where, message, *values = finding_lines(finding)
    return _command(_COMMANDS[finding.severity], "\n".join(map(harmless, (message, *values, where))), properties)


def _missing(report: Report) -> Iterator[str]:
    """One for each reason: a reason may stop many checks, and GitHub shows few annotations."""
    for reason, ids in missing_by_reason(report):
        message = "\n".join(map(harmless, (f"missing: {reason or 'no reason is known'}", ", ".join(ids))))
        yield _command("warning", message, {"title": ids[0] if len(ids) == 1 else f"{ids[0]} and {len(ids) - 1} more"})


def _verdict(report: Report) -> str:
    counts = [
        times(sum(finding.severity == severity for finding in report.findings), severity) for severity in _COMMANDS
    ]
    undecided = sum(check.status in ("missing", "skipped") for check in report.checks)
    return harmless(
        f"{report.bundle.name or 'unnamed bundle'}: {report.as_draft(report.headline)}; {', '.join(counts)}; "
        f"{times(undecided, 'check')} missing or skipped"
    )


def _command(name: str, message: str, properties: dict[str, str]) -> str:
    """A workflow command; the message was made harmless line by line."""
    pairs = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {pairs}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(harmless(text)).replace(":", "%3A").replace(",", "%2C")


def render_check(check: Check) -> str:
    """Of a check: one command per number that is off, then how the numbers came out."""
    numbers: list[CheckCell | CheckText] = [*check.cells, *check.text]
    lines = [
        _command(
            "error",
            harmless(cell.message or cell.printed),
            {"file": cell.source, "line": str(cell.line), "title": "sealtrace check"},
        )
        for cell in numbers
        if cell.status == "off"
    ]
    lines += [
        _command("error", harmless(accident.message), {"title": f"sealtrace {accident.kind}"})
        for accident in check.accidents
    ]
    return "\n".join([*lines, *counted(check)]) + "\n"
