"""One page that needs nothing else, of a report, an audit or a check: no network, no server, no other file."""

from __future__ import annotations

from collections.abc import Mapping

from sealtrace.contract.report import Report


def render(report: Report) -> str:
    """The page of a report; only drawing one needs Jinja2."""
    from sealtrace.report.html import of_report, page

    return page.render(of_report.page_of(report))


def render_index(reports: Mapping[str, Report]) -> str:
    """Several studies on one page: directory to the report whose page lies in it."""
    from markupsafe import Markup

    from sealtrace.report.html import page

    style = page.own_file("style.css")
    verdicts = [report.verdict for report in reports.values()]
    verdict = next((verdict for verdict in ("findings", "incomplete") if verdict in verdicts), "verified")
    return (
        page.environment()
        .from_string(page.own_file("index.html.j2"))
        .render(
            reports=reports,
            settled=verdicts.count("verified"),
            verdict=verdict,
            policy=f"default-src 'none'; style-src {page.hash_of(style)}; base-uri 'none'; form-action 'none'",
            style=Markup(style),
            signs={"verified": "✓", "findings": "✗", "incomplete": "?"},
            looks={"verified": "agree", "findings": "differ", "incomplete": "absent"},
        )
    )
