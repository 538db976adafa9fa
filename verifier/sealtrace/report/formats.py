"""Every output format: its name, the ending of its files, what it is for, and what renders a result in it.

Every format can show every result, of `verify`, `check`, `audit` and `diff` alike. Commands, help, the reference, the
action and tests read this list; a new format is one entry here and one module beside it. Renderers are imported when
they are used, so that listing formats costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sealtrace.contract.result import Result

Paint = Callable[[str, str], str]
"""Takes text and a colour's name."""


def plain(text: str, _: str) -> str:
    """No colour."""
    return text


@dataclass(frozen=True)
class Showing:
    """How to show something; a renderer takes from it what it needs."""

    everything: bool = False
    """Whether numbers that need no look, or relations that hold, are listed too."""
    exit_code: int = 0
    """What the process will say."""
    prefix: str | None = None
    """The way from the working directory to what is shown; None where its files are elsewhere, or in an archive."""
    papers: Mapping[str, str] = field(default_factory=dict)
    """Papers that were compared with a bundle, by the names that findings have: where the workspace has them."""
    width: int = 80
    paint: Paint = plain
    """Colours text, where somebody sees it."""
    beside: tuple[str, ...] = ()
    """Files that have the whole report, where a summary of it is enough."""


@dataclass(frozen=True)
class Format:
    name: str
    extension: str | None
    """The ending of its files; None where no ending means it: a log has no file, a badge ends as any JSON."""
    description: str
    module: str
    """The module of this package whose `render` makes it."""
    taken: tuple[str, ...] = ()
    """What the renderer takes of a `Showing`, by name."""
    whole: bool = False
    """Whether it holds everything for people, so that the terminal beside it needs only a summary."""
    details: bool = False
    """Whether it needs the details, which `verify` collects only when asked."""
    in_report: bool = True
    """Whether `sealtrace report` writes it, where it has an ending."""

    def render(self, result: Result, showing: Showing | None = None) -> str:
        showing = showing or Showing()
        options = {name: getattr(showing, name) for name in self.taken}
        text: str = import_module(f"sealtrace.report.{self.module}").render(result, **options)
        return text


FORMATS = (
    Format("text", "txt", "for people, on a terminal", "text", ("everything", "width", "paint", "beside")),
    Format("json", "json", "for machines, stable", "machine"),
    Format("junit", "xml", "JUnit XML for build services", "junit", ("prefix", "papers")),
    Format("sarif", "sarif", "SARIF 2.1.0 for code scanning", "sarif", ("exit_code", "prefix", "papers")),
    Format("github", None, "annotations in GitHub Actions", "github", ("prefix", "papers")),
    Format("markdown", "md", "for a pull request or an evaluation form", "markdown", ("everything",), whole=True),
    Format("latex", "tex", "the numbers that differ, for an appendix", "latex", ("everything",)),
    Format("html", "html", "one page for readers, which needs nothing else", "html.render", whole=True, details=True),
    Format("csv", "csv", "one line per number, for spreadsheets", "spreadsheet", in_report=False),
    Format("badge", None, "a shields.io endpoint for a README, as badge=FILE", "badge"),
)
"""In the order in which help lists them."""

BY_NAME = {known.name: known for known in FORMATS}


def sentence() -> str:
    """What the formats are for, in one sentence of a command's help."""
    return ", ".join(f"{known.name} ({known.description})" for known in FORMATS)
