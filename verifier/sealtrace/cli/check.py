"""`sealtrace check` and `bind`: which results give the printed numbers, and `--ask` about each binding."""

from __future__ import annotations

import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.bundle.defects import BundleError, real_path
from sealtrace.bundle.placing import recover, write_together
from sealtrace.bundle.resources import first_protocol
from sealtrace.cli.options import DIRECTORY, PATH, Seconds, ask_option, claims_option, seconds_option, several, to_file
from sealtrace.cli.output import (
    Outputs,
    output_options,
    paint,
    progress_bar,
    quiet_option,
    root_option,
    text_width,
    way_down,
    write_output,
)
from sealtrace.report.formats import Showing
from sealtrace.report.inert import harmless

if TYPE_CHECKING:
    from sealtrace.binding.candidates import Bound
    from sealtrace.binding.checking import Findings
    from sealtrace.binding.decisions import FormulaDecision
    from sealtrace.bundle.model import Bundle
    from sealtrace.paper.table_records import RecipeRecord


@click.command()
@click.argument("paper", type=PATH)
@click.argument("results", required=False, type=PATH)
@seconds_option(45.0, Seconds(1, 3600), "Take no longer, in seconds of the processor's time.")
@click.option(
    "--save",
    type=DIRECTORY,
    metavar="DIR",
    help="Write the draft of a bundle to DIR: datasets, tables, recipes to review.",
)
@ask_option
@click.option(
    "--decisions",
    type=PATH,
    metavar="FILE",
    help="Accept and reject formulas as FILE says, which the page of a check gives (Download decisions); with --ask, "
    "write the answers to FILE.",
)
@root_option
@claims_option
@several(
    "--propose",
    metavar="LABEL=NAME",
    help="Say which value or field of the results a label means; tested by the numbers beside it; repeatable.",
)
@click.option("--allow-unexplained", is_flag=True, help="End with 0 where a number is open and nothing is wrong.")
@click.option("--no-audit", is_flag=True, help="Leave out the audit of the paper's own numbers.")
@output_options("List every number with its formula.")
def check(
    paper: Path,
    results: Path | None,
    seconds: float,
    save: Path | None,
    ask: bool,
    decisions: Path | None,
    root: Path | None,
    claims: tuple[Path, ...],
    propose: tuple[str, ...],
    allow_unexplained: bool,
    no_audit: bool,
    everything: bool,
    outputs: Outputs,
) -> int:
    """Find how each number that PAPER prints follows from RESULTS, and point at those that do not.

    PAPER is a .tex, .md, .html, .docx, .csv or .pdf file, or the .tar.gz of a preprint as it comes. RESULTS is a
    directory of CSV, JSON, Parquet, Excel and other files: aggregates, predictions per example, or both. Nothing has
    to be declared. Where one directory holds the paper and its results, it is enough to name that.

    \b
    Examples:
      sealtrace check artifact/
      sealtrace check paper.tex results/
      sealtrace check README.md runs/ --all
      sealtrace check paper.tex results/ -o html=check.html -o json=check.json
      sealtrace check paper.tex results/ --claims paper.claims
      sealtrace check paper.tex results/ --propose "Ours=resnet_aug"
      sealtrace check paper.tex results/ --ask --decisions decisions.json
      sealtrace check paper.tex results/ --decisions decisions.json --save study/

    FORMATS `sealtrace schema result` describes the JSON.

    Exit codes: 0 every number follows; 1 a number differs, or numbers contradict each other; 2 usage or unreadable
    input; 3 nothing is wrong, but a number is open (0 with --allow-unexplained), or a claim is refused.
    """
    from sealtrace.binding.checking import concluded, examine_files
    from sealtrace.binding.decisions import decide, read_decisions, write_decisions
    from sealtrace.binding.drafting import Draft
    from sealtrace.claims.deciding import decide_claims, with_claims
    from sealtrace.claims.reading import read_claims
    from sealtrace.claims.tying import Ground
    from sealtrace.paper.papers import paper_and_results

    started = time.process_time()
    stated = [written for file in claims for written in read_claims(file)]
    if ask:
        refuse_silent_asking()
    decided = [] if decisions is None or ask else read_decisions(decisions)
    if save is not None and save.exists():
        recover(save)
        if any(save.iterdir()):
            raise BundleError(f"{save}: not empty; nothing is overwritten")
    given, (paper, place) = paper, paper_and_results(paper, results)
    if paper != given:
        click.echo(f"paper: {harmless(str(paper))}", err=True)
    outputs.refuse(paper, *claims)
    refuse_results(outputs, place)
    with progress_bar() as progress:
        findings, reported = examine_files(
            paper, place, root, seconds=seconds, started=started, audited=not no_audit, progress=progress,
            propose=_proposed(propose),
        )  # fmt: skip
    for proposal in findings.proposals:
        click.echo(harmless(str(proposal)), err=True)
    if decisions is not None and not ask:
        for problem in decide(findings.bound, decided):
            click.echo(f"{decisions}: {harmless(problem)}", err=True)
    if ask:
        answers = ask_about(findings.bound)
        if decisions is not None:
            write_output(write_decisions(answers), decisions, paper)
    found = concluded(findings)
    if stated:
        found = with_claims(found, decide_claims(stated, Ground(reported)))
    if save is not None:
        _save(save, Draft(findings, reported).files(), found.subject.title)
    unheard = any(claim.grade == "refused" for claim in found.claims)
    code = 0 if allow_unexplained and found.verdict == "incomplete" and not unheard else found.exit_code
    outputs.write(found, Showing(everything=everything, exit_code=code, prefix=way_down(paper.parent)))
    return code


def _proposed(pairs: tuple[str, ...]) -> dict[str, str]:
    """What labels are said to mean."""
    cut = [pair.partition("=") for pair in pairs]
    if wrong := next((pair for pair, (label, _, name) in zip(pairs, cut, strict=True) if not (label and name)), None):
        raise click.UsageError(f"--propose {wrong}: expected LABEL=NAME")
    return {label.strip(): name.strip() for label, _, name in cut}


def refuse_results(outputs: Outputs, results: Path) -> None:
    """No report replaces a file of results; an older report it may."""
    from sealtrace.binding.files import is_result

    for _, path in outputs.places:
        if path is not None and real_path(path).is_relative_to(real_path(results)) and is_result(path):
            raise BundleError(f"{path}: that is among what the report is made from")


def refuse_silent_asking() -> None:
    """Questions need somebody who answers."""
    if not sys.stdin.isatty():
        raise click.UsageError("--ask needs a terminal")


def _save(directory: Path, files: dict[str, str], title: str | None) -> None:
    """Writes the draft; the directory is new or empty."""
    from sealtrace.drafting import settled

    try:
        drafted = {name: text.encode() for name, text in files.items()}
        if not (protocol := first_protocol(directory, title)):  # another run was quicker
            raise BundleError(f"{directory}: not empty; nothing is overwritten")
        write_together(directory, settled({**protocol, **drafted}), new=True)
    except OSError as error:
        raise BundleError(f"{directory}: cannot be written ({error.strerror or error})") from None
    click.echo(
        f"{directory}: a draft of {len(files)} files. Its recipes are proposals: review them with `sealtrace verify "
        f"{directory} --draft`, then seal it with `sealtrace seal {directory}`.",
        err=True,
    )


@click.command()
@click.argument("bundle", type=PATH)
@seconds_option(45.0, Seconds(1, 3600), "Search no longer.")
@to_file(help="Write the recipes to this file, to review.")
@ask_option
@quiet_option
def bind(bundle: Path, seconds: float, output: Path | None, ask: bool) -> int:
    """Propose recipes for the cells of BUNDLE, sealed or a draft, that have none, from its own records.

    A proposal changes nothing: read it, put it into the table records, and seal them.

    \b
    Examples:
      sealtrace bind study/bundle
      sealtrace bind study/bundle -o recipes.json

    Exit codes: 0 every such cell follows; 1 a cell differs; 2 usage or unreadable input; 3 a cell is open.
    """
    from sealtrace.binding.checking import concluded, find
    from sealtrace.binding.sealed import open_grids, rows_of
    from sealtrace.bundle.reading import read_bundle
    from sealtrace.bundle.sealing import draft_bundle
    from sealtrace.report import text

    if ask:
        refuse_silent_asking()
    # A draft has no manifest yet: it is read as sealing it would leave it.
    sealed = (bundle / "manifest.json").exists() or not bundle.is_dir()
    with nullcontext(bundle) if sealed else draft_bundle(bundle) as place, progress_bar() as progress:
        read = read_bundle(place, progress=progress)
        if not read.manifest_readable:
            raise BundleError("manifest.json cannot be read; `sealtrace verify` says why")
        grids = open_grids(read)
        if not grids:
            click.echo("Every cell of the bundle's tables has a recipe; there is nothing to propose.")
            return 0
        findings = find(grids, [], rows_of(read), read.name, bundle.name, seconds=seconds, progress=progress)
    if ask:
        ask_about(findings.bound)
    found = concluded(findings)
    write_output(text.render(found, width=text_width(), paint=paint), None, None)
    if output is not None:
        recipes = _recipes(findings, read)
        write_output(json.dumps(recipes, indent=2, ensure_ascii=False) + "\n", output, bundle)
    return found.exit_code


def _recipes(findings: Findings, read: Bundle) -> dict[str, dict[str, dict[str, RecipeRecord]]]:
    """Table, row and column to the recipe that was found."""
    from sealtrace.binding.frames import ResultFrame
    from sealtrace.binding.recipes import DraftDataset, recipe_of
    from sealtrace.bundle.identity import dataset_of

    names = {store.path: dataset_of(store.path) if store.kind == "rows" else store.kind for store in read.stores}

    columns = {store.path: store.table.column_names for store in read.stores}

    def named(frame: ResultFrame) -> DraftDataset | None:
        first = frame.files[0]
        return DraftDataset(names[first], columns[first]) if len({names[file] for file in frame.files}) == 1 else None

    recipes: dict[str, dict[str, dict[str, RecipeRecord]]] = {}
    for grid in findings.grids:
        for row, column in grid.cells:
            if (recipe := recipe_of(findings.bound, grid, row, column, named)) is not None:
                own = recipes.setdefault(grid.name, {}).setdefault(grid.table.rows[row].label, {})
                own[grid.table.headers[column]] = recipe
    return recipes


def ask_about(bound: Bound) -> list[FormulaDecision]:
    """Asks about every binding, the least sure first, and does what is answered; the answers."""
    from sealtrace.binding.decisions import ACCEPT, REJECT, FormulaDecision, address_of, decide
    from sealtrace.binding.wording import formula_of

    answers: list[FormulaDecision] = []
    for binding in sorted(bound.bindings, key=lambda binding: binding.score):
        options = [binding.candidate, *binding.others]
        place = 0
        while True:
            candidate = options[place]
            series = candidate.series
            click.echo(
                f"{harmless(series.grid.name)}, {series.kind} {harmless(series.constant[0][:60])}: "
                f"{int(candidate.agrees.sum())} of {int(candidate.covered.sum())} numbers, {binding.score:.0f} bits\n"
                f"  {harmless(formula_of(candidate))}",
                err=True,
            )
            more = f", [n]ext of {len(options)}" if len(options) > 1 else ""
            answer = click.prompt(
                f"[a]ccept, [r]eject{more}, [q]uit asking",
                type=click.Choice(["a", "r", *(["n"] if more else []), "q"]),
                default="a",
                show_choices=False,
                err=True,
            )
            if answer != "n":
                break
            place = (place + 1) % len(options)
        if answer == "q":
            break
        said = REJECT if answer == "r" else ACCEPT
        answers.append(FormulaDecision(*address_of(binding), said, "" if said == REJECT else formula_of(candidate)))
    decide(bound, answers)
    return answers
