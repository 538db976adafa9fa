"""One page that needs nothing else, of a report, an audit or a check: no network, no server, no other file."""

from __future__ import annotations

from sealtrace.contract.report import Report


def render(report: Report) -> str:
    """The page of a report; only drawing one needs Jinja2."""
    from sealtrace.report.html import of_report, page

    return page.render(of_report.page_of(report))
