"""`sealtrace check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.cli.progress import progress_bar, quiet_option
from sealtrace.cli.targets import Target, format_options, targets_of

if TYPE_CHECKING:
    from sealtrace.contract.checked import Check

FORMS = ("text", "json")
EXIT_CODES = {"explained": 0, "off": 1, "unexplained": 3}


@click.command()
@click.argument("paper", type=click.Path(path_type=Path))
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--seconds", type=click.FloatRange(1, 3600), default=45.0, show_default=True, help="Search no longer.")
@click.option("--no-audit", is_flag=True, help="Leave out the audit of the paper's own numbers.")
@click.option("--all", "--verbose", "everything", is_flag=True, help="List every cell with its formula and records.")
@format_options(FORMS)
@quiet_option
def command(
    paper: Path,
    results: Path,
    seconds: float,
    no_audit: bool,
    everything: bool,
    forms: tuple[str, ...],
    outputs: tuple[str, ...],
) -> int:
    """Find how each number that PAPER prints follows from RESULTS, and point at those that do not.

    PAPER is a .tex, .md or .csv file. RESULTS is a directory of CSV, JSON, JSON lines and Parquet files: aggregates,
    predictions per example, or both. Nothing has to be declared, and nothing is written.

    \b
    Examples:
      sealtrace check paper.tex results/
      sealtrace check README.md runs/ --all

    Exit codes: 0 results give every number; 1 a number is off; 2 usage or unreadable input; 3 nothing is off, but
    something is unexplained.
    """
    from sealtrace import __version__
    from sealtrace.binding.checking import concluded, examine
    from sealtrace.bundle.defects import BundleError
    from sealtrace.cli.printed import read_file
    from sealtrace.cli.subjects import read_subject
    from sealtrace.cli.targets import refuse_bad_places, write_targets
    from sealtrace.relations.auditing import audit

    targets = targets_of(forms, outputs, FORMS)
    if not results.exists():
        raise BundleError(f"{results}: there is no such directory")
    refuse_bad_places(targets, [paper])
    with progress_bar() as progress:
        reported = read_file(paper)
        findings = examine(reported, paper.name, results, seconds=seconds, progress=progress)
        audited = None
        if not no_audit:
            subject, sources = read_subject(paper, progress)
            audited = audit(subject, sources, version=__version__, progress=progress)
    found = concluded(findings, __version__, audited)
    write_targets(targets, lambda target: _rendered(found, target, everything))
    return EXIT_CODES[found.verdict]


def _rendered(found: Check, target: Target, everything: bool) -> str:
    match target.form:
        case "json":
            from sealtrace.report.inert import json_text

            return json_text(found.model_dump(mode="json", exclude_none=True))
        case _:
            from sealtrace.cli.output import paint, text_width
            from sealtrace.report import check_text
            from sealtrace.report.text import plain

            width, colour = (text_width(), paint) if target.path is None else (80, plain)
            return check_text.render(found, everything=everything, width=width, paint=colour)
