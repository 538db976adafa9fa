"""Every output format: its name, the ending of its files, what it is for, and what it can show.

A format can show a report (`verify`, `report`), printed cells beside recomputed ones (`diff`), an audit (`audit`), what
`check` found, or some of these. Commands, help, the reference, the action and tests read this list; a new format is one
entry here and one module beside it. Renderers are imported when they are used, so that listing formats costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from sealtrace.contract.audit import Audit
    from sealtrace.contract.checked import Check
    from sealtrace.contract.report import Cell, Coverage, Report

Paint = Callable[[str, str], str]
"""Takes text and a colour's name."""


def plain(text: str, _: str) -> str:
    """No colour."""
    return text


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
    paint: Paint = plain
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
    check: _Renderer[Check] | None = None
    details: bool = False
    """Whether it shows the evidence behind the verdict, which `verify` collects only when asked."""


def _renderer(reference: str, *taken: str, of: str = "") -> _Renderer[Any]:
    """`module:function` of this package, imported when it is used, with what it takes of a `Showing` by name.

    `of` is the way to what it renders: `cells` for a list of cells, `report` for an audit as a report.
    """

    def render(shown: Any, showing: Showing) -> str:
        module, _, name = reference.partition(":")
        options = {known: getattr(showing, known) for known in taken}
        if of == "cells":
            shown = shown.cells
        elif of == "report":
            from sealtrace.report.audit_report import as_report

            # Formats that count outcomes see undecided relations as missing; the others see findings in the paper.
            shown = as_report(shown, absent="prefix" not in taken, prefix=showing.prefix or "")
            options |= {"prefix": None if showing.prefix is None else ""} if "prefix" in taken else {}
        text: str = getattr(import_module(f"sealtrace.report.{module}"), name)(shown, **options)
        return text

    return render


def _json(shown: Any, _: Showing) -> str:
    """The machine interface, in ASCII. What only pages show of a report is left to them."""
    from sealtrace.report.inert import json_text

    only_pages = {"details": True, "checks": {"__all__": {"largest"}}}
    return json_text(shown.model_dump(mode="json", exclude_none=True, exclude=only_pages))


_SEEN = ("everything", "width", "paint")
FORMATS = (
    Format(
        "text",
        "txt",
        "for people, on a terminal",
        _renderer("text:render", *_SEEN),
        _renderer("diff:render_text", *_SEEN),
        _renderer("audit_text:render", *_SEEN),
        _renderer("check_text:render", *_SEEN),
    ),
    Format("json", "json", "for machines, stable", _json, _renderer("diff:render_json"), _json, _json),
    Format(
        "junit", "xml", "JUnit XML for build services", _renderer("junit:render"),
        audit=_renderer("junit:render", of="report"),
    ),
    Format(
        "sarif", "sarif", "SARIF 2.1.0 for code scanning", _renderer("sarif:render", "exit_code", "prefix"),
        audit=_renderer("sarif:render", "exit_code", "prefix", of="report"),
    ),
    Format(
        "github", None, "annotations in GitHub Actions", _renderer("github:render", "prefix"),
        audit=_renderer("github:render", "prefix", of="report"), check=_renderer("github:render_check"),
    ),
    Format(
        "markdown",
        "md",
        "for a pull request or an evaluation form",
        _renderer("markdown:render"),
        _renderer("markdown:render_cells", "everything", of="cells"),
        _renderer("markdown:render_audit", "everything"),
    ),
    Format(
        "latex", "tex", "the cells that differ, for an appendix", _renderer("latex:render", "everything"),
        _renderer("latex:render", "everything"),
    ),
    Format(
        "html", "html", "one page for readers, which needs nothing else", _renderer("html:render"),
        check=_renderer("check_page:render"), details=True,
    ),
    Format("csv", "csv", "one line per cell, for spreadsheets", cells=_renderer("diff:render_csv", of="cells")),
)  # fmt: skip
"""In the order in which help lists them."""

BY_NAME = {known.name: known for known in FORMATS}
OF_REPORTS = {known.name: known.report for known in FORMATS if known.report is not None}
"""Format to what renders a report in it."""
OF_CELLS = {known.name: known.cells for known in FORMATS if known.cells is not None}
"""Format to what renders printed cells in it."""
OF_AUDITS = {known.name: known.audit for known in FORMATS if known.audit is not None}
"""Format to what renders an audit in it."""
OF_CHECKS = {known.name: known.check for known in FORMATS if known.check is not None}
"""Format to what renders a check in it."""


def sentence(names: list[str] | tuple[str, ...]) -> str:
    """What some formats are for, in one sentence of a command's help."""
    return ", ".join(f"{name} ({BY_NAME[name].description})" for name in names)
