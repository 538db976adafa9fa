"""`sealtrace check`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.cli.output import Target, format_options, progress_bar, quiet_option, root_option, targets_of

if TYPE_CHECKING:
    from sealtrace.contract.checked import Check

FORMS = ("text", "json", "html", "github")
EXIT_CODES = {"explained": 0, "off": 1, "unexplained": 3}


@click.command()
@click.argument("paper", type=click.Path(path_type=Path))
@click.argument("results", required=False, type=click.Path(path_type=Path))
@click.option(
    "--seconds", metavar="N", type=click.FloatRange(1, 3600), default=45.0, show_default=True, help="Take no longer."
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the draft of a bundle to DIR: datasets, tables, recipes to review.",
)
@click.option("--ask", is_flag=True, help="Ask about every binding: accept, reject, next candidate.")
@root_option
@click.option("--allow-unexplained", is_flag=True, help="End with 0 where something is unexplained and nothing is off.")
@click.option("--no-audit", is_flag=True, help="Leave out the audit of the paper's own numbers.")
@click.option("--all", "--verbose", "everything", is_flag=True, help="List every cell with its formula and records.")
@format_options(FORMS)
@quiet_option
def check(
    paper: Path,
    results: Path | None,
    seconds: float,
    save: Path | None,
    ask: bool,
    root: Path | None,
    allow_unexplained: bool,
    no_audit: bool,
    everything: bool,
    forms: tuple[str, ...],
    outputs: tuple[str, ...],
) -> int:
    """Find how each number that PAPER prints follows from RESULTS, and point at those that do not.

    PAPER is a .tex, .md, .csv or .pdf file, or the .tar.gz of a preprint as it comes. RESULTS is a directory of CSV,
    JSON, JSON lines and Parquet files: aggregates, predictions per example, or both. Nothing has to be declared.
    Where one directory holds the paper and its results, it is enough to name that.

    \b
    Examples:
      sealtrace check artifact/
      sealtrace check paper.tex results/
      sealtrace check README.md runs/ --all
      sealtrace check paper.tex results/ -o html=check.html -o json=check.json
      sealtrace check paper.tex results/ --ask --save study/

    Exit codes: 0 results give every number; 1 a number is off; 2 usage or unreadable input; 3 nothing is off, but
    something is unexplained (0 with --allow-unexplained).
    """
    from sealtrace import __version__
    from sealtrace.binding.checking import concluded, examine
    from sealtrace.binding.recipes import draft_of
    from sealtrace.bundle.defects import BundleError
    from sealtrace.cli.bind import ask_about
    from sealtrace.cli.output import refuse_bad_places, write_targets
    from sealtrace.printed.papers import paper_and_results, read_paper
    from sealtrace.report.inert import harmless

    started = time.monotonic()
    targets = targets_of(forms, outputs, FORMS)
    if ask:
        refuse_silent_asking()
    if save is not None and save.exists() and any(save.iterdir()):
        raise BundleError(f"{save}: not empty; nothing is overwritten")
    given, (paper, place) = paper, paper_and_results(paper, results)
    if paper != given:
        click.echo(f"paper: {harmless(str(paper))}", err=True)
    refuse_bad_places(targets, [paper])
    with progress_bar() as progress:
        reported = read_paper(paper, root)
        findings = examine(
            reported,
            paper.name,
            place,
            seconds=seconds,
            started=started,
            audited=not no_audit,
            progress=progress,
        )
    if ask:
        ask_about(findings.bound)
    found = concluded(findings, __version__)
    if save is not None:
        _save(save, draft_of(findings, reported))
    write_targets(targets, lambda target: _rendered(found, target, everything))
    if allow_unexplained and found.verdict == "unexplained":
        return 0
    return EXIT_CODES[found.verdict]


def refuse_silent_asking() -> None:
    """Questions need somebody who answers."""
    if not sys.stdin.isatty():
        raise click.UsageError("--ask needs a terminal")


def _save(directory: Path, files: dict[str, str]) -> None:
    """Writes the draft; the directory is new or empty."""
    from sealtrace.bundle.defects import BundleError
    from sealtrace.bundle.resources import begin_draft

    try:
        for name, text in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        begin_draft(directory)
    except OSError as error:
        raise BundleError(f"{directory}: cannot be written ({error.strerror or error})") from None
    click.echo(
        f"{directory}: a draft of {len(files)} files. Its recipes are proposals: review them with `sealtrace try "
        f"{directory} --all`, then seal it with `sealtrace seal {directory} --empty all=REASON`.",
        err=True,
    )


def _rendered(found: Check, target: Target, everything: bool) -> str:
    match target.form:
        case "json":
            from sealtrace.report.inert import json_text

            return json_text(found.model_dump(mode="json", exclude_none=True))
        case "html":
            from sealtrace.report import check_page

            return check_page.render(found)
        case "github":
            from sealtrace.report import github

            return github.render_check(found)
        case _:
            from sealtrace.cli.output import paint, text_width
            from sealtrace.report import check_text
            from sealtrace.report.formats import plain

            width, colour = (text_width(), paint) if target.path is None else (80, plain)
            return check_text.render(found, everything=everything, width=width, paint=colour)
