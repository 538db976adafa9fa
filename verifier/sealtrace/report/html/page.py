"""Puts the page together from its own files and what was made of the report.

Everything from a bundle is made harmless and escaped, and a content security policy lets only the page's own
script and styles act.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from sealtrace.contract.report import Report
from sealtrace.report.html.certificates import certificate_plots, certified_pairs
from sealtrace.report.html.data import island, layouts
from sealtrace.report.html.discrepancies import discrepancy_plot
from sealtrace.report.html.frontier import frontier_plot
from sealtrace.report.html.mixtures import mixture_plots
from sealtrace.report.html.plots import drawn
from sealtrace.report.html.stages import stage_chain
from sealtrace.report.html.statuses import CHECK_SIGNS, CHECK_WORDS
from sealtrace.report.html.view import VERDICTS, check_families, coverage_parts, steps, table_heads, tiles
from sealtrace.report.inert import harmless


def render(report: Report) -> str:
    """The whole page."""
    style, script = own_file("style.css"), own_file("page.js")
    tables = layouts(report)
    details = report.details
    severities = {name: sum(one.severity == name for one in report.findings) for name in ("error", "warning", "note")}
    return (
        environment()
        .from_string(own_file("template.html.j2"))
        .render(
            report=report,
            policy=f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(style)}; img-src data:; "
            "base-uri 'none'; form-action 'none'",
            # The page's own files: nothing of a bundle is in them.
            style=Markup(style),
            script=Markup(script),
            island=Markup(island(report, tables)),
            verdict=VERDICTS[report.verdict],
            steps=steps(report),
            tiles=tiles(report),
            tables=table_heads(report, tables),
            coverage=coverage_parts(report),
            severities=severities,
            unlisted=sum(check.findings for check in report.checks) - len(report.findings),
            families=check_families(report),
            check_signs=CHECK_SIGNS,
            check_words=CHECK_WORDS,
            stages=stage_chain(details.stages) if details else None,
            certificates=[(one, certified_pairs(one), certificate_plots(one)) for one in details.certificates]
            if details
            else [],
            mixtures=mixture_plots(details) if details else None,
            frontier=frontier_plot(details.frontier) if details and details.frontier else None,
            plots=[drawn(each) for each in details.plots] if details else [],
            discrepancies=discrepancy_plot(report),
            maps={one.selector: one for one in details.maps} if details else {},
        )
    )


def environment() -> Environment:
    """Templates that print nothing of a bundle or a paper but harmless text."""
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Whatever a template prints of a bundle is harmless, without asking for it.
        finalize=lambda value: harmless(value) if type(value) is str else value,
    )


def own_file(name: str) -> str:
    """One of the files that the pages are made of."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def hash_of(text: str) -> str:
    """How a content security policy names an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
