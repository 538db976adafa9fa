"""Every output format: its name, the ending of its files, what it is for, and what it can show.

A format can show a report (`verify`, `report`), printed cells beside recomputed ones (`diff`), an audit (`audit`), or
some of these. Commands, help, the reference, the action and tests read this list; a new format is one entry here and
one module beside it. Renderers are imported when they are used, so that listing formats costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from sealtrace.contract.audit import Audit
    from sealtrace.contract.report import Cell, Coverage, Report
    from sealtrace.report.text import Paint


class Cells(Protocol):
    """Printed cells with their coverage; a report is one."""

    @property
    def cells(self) -> list[Cell]:
        """Each cell with its status."""

    @property
    def coverage(self) -> Coverage:
        """How many cells of each status."""


@dataclass(frozen=True)
class Showing:
    """How to show something; a renderer takes from it what it needs."""

    everything: bool = False
    """Whether cells that agree, or relations that hold, are listed too."""
    exit_code: int = 0
    """What the process will say."""
    prefix: str | None = None
    """The way from the working directory to what is shown; None where its files are elsewhere, or in an archive."""
    width: int = 80
    paint: Paint | None = None
    """Colours text, where somebody sees it."""


_Shown = TypeVar("_Shown", contravariant=True)
_Renderer = Callable[[_Shown, Showing], str]


@dataclass(frozen=True)
class Format:
    """One output format, with a renderer for each thing that it can show."""

    name: str
    extension: str | None
    """The ending of its files; None where it only makes sense in a log."""
    description: str
    report: _Renderer[Report] | None = None
    cells: _Renderer[Cells] | None = None
    audit: _Renderer[Audit] | None = None
    details: bool = False
    """Whether it shows the evidence behind the verdict, which `verify` collects only when asked."""


def _text_report(report: Report, showing: Showing) -> str:
    from sealtrace.report import text

    return text.render(report, everything=showing.everything, width=showing.width, paint=showing.paint or text.plain)


def _text_cells(found: Cells, showing: Showing) -> str:
    from sealtrace.report import diff, text

    paint = showing.paint or text.plain
    return diff.render_text(
        found.cells, found.coverage, everything=showing.everything, width=showing.width, paint=paint
    )


def _text_audit(audit: Audit, showing: Showing) -> str:
    from sealtrace.report import audit_text, text

    paint = showing.paint or text.plain
    return audit_text.render(audit, everything=showing.everything, width=showing.width, paint=paint)


def _json_report(report: Report, _: Showing) -> str:
    from sealtrace.report import json

    return json.render(report)


def _json_cells(found: Cells, _: Showing) -> str:
    from sealtrace.report import diff

    return diff.render_json(found.cells, found.coverage)


def _json_audit(audit: Audit, _: Showing) -> str:
    from sealtrace.report import audit_json

    return audit_json.render(audit)


def _junit_report(report: Report, _: Showing) -> str:
    from sealtrace.report import junit

    return junit.render(report)


def _junit_audit(audit: Audit, _: Showing) -> str:
    from sealtrace.report import audit_report, junit

    return junit.render(audit_report.as_report(audit, absent=True))


def _sarif_report(report: Report, showing: Showing) -> str:
    from sealtrace.report import sarif

    return sarif.render(report, exit_code=showing.exit_code, prefix=showing.prefix)


def _sarif_audit(audit: Audit, showing: Showing) -> str:
    from sealtrace.report import audit_report, sarif

    report = audit_report.as_report(audit, prefix=showing.prefix or "")
    return sarif.render(report, exit_code=showing.exit_code, prefix=None if showing.prefix is None else "")


def _github_report(report: Report, showing: Showing) -> str:
    from sealtrace.report import github

    return github.render(report, prefix=showing.prefix)


def _github_audit(audit: Audit, showing: Showing) -> str:
    from sealtrace.report import audit_report, github

    report = audit_report.as_report(audit, prefix=showing.prefix or "")
    return github.render(report, prefix=None if showing.prefix is None else "")


def _markdown_report(report: Report, _: Showing) -> str:
    from sealtrace.report import markdown

    return markdown.render(report)


def _markdown_cells(found: Cells, showing: Showing) -> str:
    from sealtrace.report import markdown

    return markdown.render_cells(found.cells, everything=showing.everything)


def _markdown_audit(audit: Audit, showing: Showing) -> str:
    from sealtrace.report import audit_markdown

    return audit_markdown.render(audit, everything=showing.everything)


def _latex_cells(found: Cells, showing: Showing) -> str:
    from sealtrace.report import latex
    from sealtrace.report.inert import harmless

    draft = getattr(found, "draft", False)
    # A comment says what the table of cells has no room for.
    waived = [f"% Waived: {one.name}".replace("\n", " ") for one in getattr(found, "findings", []) if one.waived]
    return "\n".join([*map(harmless, waived), latex.render(found.cells, everything=showing.everything, draft=draft)])


def _html_report(report: Report, _: Showing) -> str:
    from sealtrace.report import html

    return html.render(report)


def _csv_cells(found: Cells, _: Showing) -> str:
    from sealtrace.report import diff

    return diff.render_csv(found.cells)


FORMATS = (
    Format("text", "txt", "for people, on a terminal", _text_report, _text_cells, _text_audit),
    Format("json", "json", "for machines, stable", _json_report, _json_cells, _json_audit),
    Format("junit", "xml", "JUnit XML for build services", _junit_report, audit=_junit_audit),
    Format("sarif", "sarif", "SARIF 2.1.0 for code scanning", _sarif_report, audit=_sarif_audit),
    Format("github", None, "annotations in GitHub Actions", _github_report, audit=_github_audit),
    Format(
        "markdown", "md", "for a pull request or an evaluation form", _markdown_report, _markdown_cells, _markdown_audit
    ),
    Format("latex", "tex", "the cells that differ, for an appendix", _latex_cells, _latex_cells),
    Format("html", "html", "one page for readers, which needs nothing else", _html_report, details=True),
    Format("csv", "csv", "one line per cell, for spreadsheets", cells=_csv_cells),
)
"""In the order in which help lists them."""

BY_NAME = {one.name: one for one in FORMATS}
OF_REPORTS = {one.name: one.report for one in FORMATS if one.report is not None}
"""Format to what renders a report in it."""
OF_CELLS = {one.name: one.cells for one in FORMATS if one.cells is not None}
"""Format to what renders printed cells in it."""
OF_AUDITS = {one.name: one.audit for one in FORMATS if one.audit is not None}
"""Format to what renders an audit in it."""


def sentence(names: list[str] | tuple[str, ...]) -> str:
    """What some formats are for, in one sentence of a command's help."""
    return ", ".join(f"{name} ({BY_NAME[name].description})" for name in names)
