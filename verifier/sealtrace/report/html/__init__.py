"""One page that needs nothing else, of any result: no network, no server, no other file."""

from __future__ import annotations

from collections.abc import Mapping

from sealtrace.contract.result import Result


def render(result: Result) -> str:
    """The page of a result; only drawing one needs Jinja2."""
    from sealtrace.report.html import of_result, page  # start-up: Jinja2

    return page.render(of_result.page_of(result))


def render_index(reports: Mapping[str, Result]) -> str:
    """Several studies on one page: directory to the report whose page lies in it."""
    from markupsafe import Markup

    from sealtrace.report.html import page  # start-up: Jinja2

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
