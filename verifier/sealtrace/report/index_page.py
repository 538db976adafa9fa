"""Several studies on one page: the verdict on each, and the way to its own page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import quote

from sealtrace.contract.report import Report
from sealtrace.report.inert import harmless
from sealtrace.report.places import times

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


def render(reports: Mapping[str, Report]) -> str:
    """Directory to the report whose page lies in it."""
    rows = [_row(directory, report) for directory, report in reports.items()]
    settled = sum(report.verdict == "verified" for report in reports.values())
    title = f"{settled} of {times(len(reports), 'bundle')} verified"
    version = next(iter(reports.values())).sealtrace
    return _PAGE.format(title=_text(title), rows="\n".join(rows), version=_text(version))


def _row(directory: str, report: Report) -> str:
    kinds = {kind: sum(one.severity == kind for one in report.findings) for kind in ("error", "warning", "note")}
    findings = ", ".join(times(count, kind) for kind, count in kinds.items() if count) or "none"
    cells = f"{report.coverage.recomputed} of {report.coverage.cells} recomputed"
    name = _text(report.bundle.name or directory)
    return (
        f'<tr><td><a href="{_text(quote(directory))}/report.html">{name}</a><td>{_text(report.headline)}'
        f"<td>{_text(cells)}<td>{_text(findings)}<td><code>{_text(report.bundle.root_sha256 or '')}</code>"
    )


def _text(value: str) -> str:
    return escape(harmless(value))
