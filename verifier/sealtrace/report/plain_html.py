"""HTML without a script: how notebooks show a report and a cell, and several studies on one page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from urllib.parse import quote

from sealtrace.contract.report import Report
from sealtrace.report.inert import harmless

SHOWN = 20
_COLOURS = {"verified": "#1a7f37", "exact": "#1a7f37", "findings": "#b42318", "mismatch": "#b42318", "error": "#b42318"}


def report_html(headline: str, name: str, counts: str, findings: Sequence[tuple[str, str, str, str]]) -> str:
    """A headline, counts, and findings as severity, check, place and message."""
    more = f"<p>and {len(findings) - SHOWN} more findings</p>" if len(findings) > SHOWN else ""
    head = f"<p><b style='color:{_colour(headline)}'>{_text(headline.upper())}</b> {_text(name)}<br>{_text(counts)}</p>"
    return head + _table(("", "check", "where", "what"), findings[:SHOWN]) + more


def cell_html(name: str, status: str, rows: Iterable[tuple[str, str | None]]) -> str:
    """A cell's name and status, and what is known of it."""
    head = f"<p><b>{_text(name)}</b> <b style='color:{_colour(status)}'>{_text(status)}</b></p>"
    return head + _table((), [(label, value) for label, value in rows if value])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    first = "".join(f"<th style='text-align:left'>{_text(one)}</th>" for one in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{_text(one)}</td>" for one in row) + "</tr>" for row in rows
    )
    return f"<table>{f'<tr>{first}</tr>' if head else ''}{body}</table>"


def _colour(word: str) -> str:
    return _COLOURS.get(word, "#9a6700")


def _text(value: str) -> str:
    return escape(harmless(value))


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8884; vertical-align: top; }}
code {{ overflow-wrap: anywhere; font-size: .8rem; }}
:root {{ color-scheme: light dark; }}
</style>
<h1>{title}</h1>
<table>
<tr><th>study<th>verdict<th>printed cells<th>findings<th>root digest
{rows}
</table>
<p>Written by sealtrace {version}.</p>
</html>
"""


def render_index(reports: Mapping[str, Report]) -> str:
    """Directory to the report whose page lies in it."""
    rows = [_row(directory, report) for directory, report in reports.items()]
    settled = sum(report.verdict == "verified" for report in reports.values())
    title = f"{settled} of {len(reports)} bundles verified"
    version = next(iter(reports.values())).sealtrace
    return _PAGE.format(title=_text(title), rows="\n".join(rows), version=_text(version))


def _row(directory: str, report: Report) -> str:
    kinds = {kind: sum(one.severity == kind for one in report.findings) for kind in ("error", "warning", "note")}
    findings = ", ".join(f"{count} {kind}{'s' * (count > 1)}" for kind, count in kinds.items() if count) or "none"
    cells = f"{report.coverage.recomputed} of {report.coverage.cells} recomputed"
    name = _text(report.bundle.name or directory)
    return (
        f'<tr><td><a href="{_text(quote(directory))}/report.html">{name}</a><td>{_text(report.headline)}'
        f"<td>{_text(cells)}<td>{_text(findings)}<td><code>{_text(report.bundle.root_sha256 or '')}</code>"
    )
