"""Annotations for GitHub Actions: errors first, a line each, and the verdict at the end.

GitHub shows the first few of each level beside the code; all of them stand in the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sealtrace.contract.result import Finding, Result
from sealtrace.report.findings import NO_PAPERS, Places, finding_lines, in_subject, missing_by_reason, times
from sealtrace.report.inert import harmless
from sealtrace.report.numbers import headline

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(result: Result, *, prefix: str | None = None, papers: Mapping[str, str] = NO_PAPERS) -> str:
    """`prefix` leads from the repository to the bundle or paper; None where its files are not in the repository."""
    places = Places(result, prefix, papers)
    lines: list[str] = []
    for severity in _COMMANDS:
        found = [finding for finding in result.findings if finding.severity == severity]
        lines.extend(_annotation(finding, places, prefix is not None or finding.source in papers) for finding in found)
        if severity == "warning":
            lines.extend(_missing(result))
    lines.append(_command("notice", _verdict(result), {"title": f"sealtrace: {result.as_draft(headline(result))}"}))
    return "\n".join(lines) + "\n"


def _annotation(finding: Finding, places: Places, known: bool) -> str:
    """`known` says whether the workspace has the finding's own file."""
    properties: dict[str, str] = {}
    place = places.in_paper(finding)
    if place is None and known and (record := in_subject(finding)):
        place = places.in_workspace(record)
    if place is not None:
        properties["file"] = place.path
        properties |= {"line": str(place.line)} if place.line else {}
        properties |= {"col": str(place.column)} if place.column else {}
    properties["title"] = finding.check
    where, message, *values = finding_lines(finding)
    return _command(_COMMANDS[finding.severity], "\n".join(map(harmless, (message, *values, where))), properties)


def _missing(result: Result) -> Iterator[str]:
    """One for each reason: a reason may stop many checks, and GitHub shows few annotations."""
    for reason, ids in missing_by_reason(result):
        message = "\n".join(map(harmless, (f"missing: {reason or 'no reason is known'}", ", ".join(ids))))
        yield _command("warning", message, {"title": ids[0] if len(ids) == 1 else f"{ids[0]} and {len(ids) - 1} more"})


def _verdict(result: Result) -> str:
    counts = [
        times(sum(finding.severity == severity for finding in result.findings), severity) for severity in _COMMANDS
    ]
    undecided = sum(check.status in ("missing", "skipped") for check in result.checks)
    return harmless(
        f"{result.subject.name or 'unnamed bundle'}: {result.as_draft(headline(result))}; {', '.join(counts)}; "
        f"{times(undecided, 'check')} missing or skipped; numbers: {result.coverage.in_words}"
    )


def _command(name: str, message: str, properties: dict[str, str]) -> str:
    """A workflow command; the message was made harmless line by line."""
    pairs = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {pairs}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(harmless(text)).replace(":", "%3A").replace(",", "%2C")
