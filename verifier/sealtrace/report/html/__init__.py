"""The report as one page that needs nothing else: no network, no server, no other file."""

from __future__ import annotations

from sealtrace.contract.report import Report


def render(report: Report) -> str:
    """The whole page; only drawing one needs Jinja2."""
    from sealtrace.report.html import page

    return page.render(report)
