"""`sealtrace audit`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.bundle.budget import reading_within
from sealtrace.bundle.defects import BundleError
from sealtrace.cli.options import (
    PATH,
    Seconds,
    budget_options,
    claims_option,
    refuse_unknown,
    seconds_option,
    several,
    strict_option,
)
from sealtrace.cli.output import Outputs, output_options, paint, progress_bar, root_option, text_width, way_down
from sealtrace.report.formats import Showing
from sealtrace.report.sheet import TextSheet

if TYPE_CHECKING:
    from sealtrace.contract.result import Result


def _list_families(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Prints what the automatic families look for, and ends."""
    if not wanted or context.resilient_parsing:
        return
    from sealtrace.relations.families.registry import FAMILIES

    sheet = TextSheet(text_width(), paint)
    for family in FAMILIES:
        sheet.titled(family.name, "cyan")
        sheet.say(family.sentence, "  ")
        sheet.say(f"Needs: {family.trigger}", "  ")
    click.echo(str(sheet), nl=False)
    context.exit()


@click.command()
@click.argument("papers", metavar="PAPER...", type=PATH, nargs=-1, required=True)
@claims_option
@several("--relations", metavar="FILE", type=PATH, help="Decide the relations that FILE declares, too; repeatable.")
@several("--family", "families", metavar="NAME", help="Use only this automatic family; repeatable.")
@click.option(
    "--families",
    "listing",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_families,
    help="List the automatic families, and what each of them needs.",
)
@click.option("--no-automatic", is_flag=True, help="Use no automatic family.")
@click.option("--suggest", is_flag=True, help="Show what the families read, as a relations file takes it.")
@strict_option
@seconds_option(120.0, Seconds(0.1, 86_400), "For the whole audit; what they do not suffice for is left out, and said.")
@root_option
@output_options("List the relations that can hold, too.")
@budget_options
def audit(
    papers: tuple[Path, ...],
    claims: tuple[Path, ...],
    relations: tuple[Path, ...],
    families: tuple[str, ...],
    no_automatic: bool,
    suggest: bool,
    strict: bool,
    seconds: float,
    everything: bool,
    root: Path | None,
    outputs: Outputs,
) -> int:
    """Decide whether the numbers that a PAPER prints can all be true. No records are needed.

    PAPER is a .tex, .md, .html, .docx, .csv or .pdf, or the .tar.gz of a preprint as it comes; or a bundle with
    table and relation records; or a directory of table records (`sealtrace extract PAPER -o DIR`) and .relations
    files. A printed number stands for all values that round to it. A relation is a formula over such
    numbers. It can hold, or cannot, or is undecided. One that the paper states and that cannot hold is a
    contradiction: a proof, with the arithmetic in one line. One that was only read by rule, from a sentence
    or from what holds in the other rows, is a suspicion, with its evidence.

    Automatic families need no relations file: they read what headers and captions say. A relations file
    states what else the paper implies, such as

    \b
      relation half
        says    Exploitability is half of NashConv.
        because definition 3
        for r in tab:leduc
        holds   tab:leduc[{r}, Exploit.] == tab:leduc[{r}, NashConv] / 2
        ask     Is exploitability the mean or the sum over players?

    \b
    Examples:
      sealtrace audit paper.tex
      sealtrace audit paper.tex --relations paper.relations --all
      sealtrace audit paper.tex --no-automatic --relations paper.relations
      sealtrace audit paper.tex --suggest
      sealtrace audit paper.tex supplement.tex --claims paper.claims
      sealtrace audit paper.tex -o html=audit.html
      sealtrace audit study/bundle -o markdown=audit.md -o json=audit.json

    A claims file (`sealtrace schema claims`, docs/read-a-paper.md) states what a reader read: a quotation, and
    formulas over numbers at the addresses that `sealtrace outline` prints. A claim that is not tied to the paper
    is refused, with the reason. Several papers, such as a paper and its supplement, are read as one.

    FORMATS html shows the paper's tables with what is wrong on the cells. `sealtrace schema result` describes the JSON.

    Exit codes: 0 no contradiction; 1 a contradiction (with --strict: or a warning, such as a suspicion); 2 usage or
    unreadable input; 3 no contradiction, but a claim is refused, a declared relation is undecided, something could not
    be read, or the seconds were used up. Automatic relations that stay undecided do not change it.
    """
    from sealtrace.claims.deciding import decide_claims, with_claims
    from sealtrace.claims.reading import read_claims
    from sealtrace.claims.tying import Ground
    from sealtrace.relations.auditing import audit
    from sealtrace.relations.subjects import read_source, read_subject

    chosen = _families(families, no_automatic)
    outputs.refuse(*papers, *relations, *claims)
    stated = [written for file in claims for written in read_claims(file)]
    started = time.process_time()
    with progress_bar() as progress:
        with reading_within(seconds, papers[0].name):
            subject, beside = read_subject(papers, progress, root)
        seconds = max(0.1, seconds - (time.process_time() - started))
        sources = [*beside, *map(read_source, relations)]
        found = audit(
            subject, sources, families=chosen, suggest=suggest, strict=strict, progress=progress, seconds=seconds
        )
        if stated:
            found = with_claims(found, decide_claims(stated, Ground(subject.paper)))
    _refuse_unreadable(found, [source.name for source in sources])
    prefix = way_down(papers[0].parent) if papers[0].is_file() else None
    outputs.write(found, Showing(everything=everything, exit_code=found.exit_code, prefix=prefix))
    return found.exit_code


@click.command()
@click.argument("papers", metavar="PAPER...", type=PATH, nargs=-1, required=True)
@several("--claims", metavar="FILE", type=PATH, help="List only what no claim of FILE speaks of; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with the values that each number can stand for.")
@root_option
def outline(papers: tuple[Path, ...], claims: tuple[Path, ...], as_json: bool, root: Path | None) -> int:
    """List a PAPER's tables, sentences and numbers with the addresses by which claims speak of them.

    Each table has its rows and columns with every cell as printed; each sentence has an id (s214), and so has every
    number in it (s214.n3), number words included. Several papers, such as a paper and its supplement, are read as one.

    \b
    Examples:
      sealtrace outline paper.tex
      sealtrace outline paper.tex supplement.pdf --json
      sealtrace outline paper.tex --claims paper.claims

    Exit codes: 0 listed; 2 usage or unreadable input.
    """
    import json

    from sealtrace.claims.deciding import decide_claims
    from sealtrace.claims.outline import outline_of, outline_text, read_papers, uncovered, uncovered_text
    from sealtrace.claims.reading import read_claims
    from sealtrace.claims.tying import Ground

    stated = [written for file in claims for written in read_claims(file)]
    ground = Ground(read_papers(papers, root))
    if stated:
        left = uncovered(ground, decide_claims(stated, ground).touched)
        text = json.dumps(left, indent=1, ensure_ascii=False) + "\n" if as_json else uncovered_text(left)
    else:
        text = json.dumps(outline_of(ground), ensure_ascii=False) + "\n" if as_json else outline_text(ground)
    click.echo(text, nl=False)
    return 0


def explain_paper(paper: Path, cell: str) -> int:
    """Prints what an audit says of one cell of a paper, or of the numbers on one line of it."""
    from sealtrace.relations.auditing import SECONDS, audit
    from sealtrace.relations.subjects import read_subject
    from sealtrace.report.text import render_number

    with progress_bar() as progress:
        with reading_within(SECONDS, paper.name):
            subject, _ = read_subject([paper], progress)
        found = audit(subject, progress=progress)
    text, code = render_number(found, cell, text_width())
    if text is None:
        raise click.UsageError(f"{paper.name} has no cell {cell!r} of which a relation speaks")
    click.echo(text, nl=False)
    return code


def _families(families: tuple[str, ...], no_automatic: bool) -> tuple[str, ...] | None:
    """The automatic families to use; None for all."""
    if no_automatic and families:
        raise click.UsageError("choose families, or none, not both")
    from sealtrace.relations.families.registry import FAMILIES

    refuse_unknown("there is no family", families, [family.name for family in FAMILIES])
    return () if no_automatic else families or None


def _refuse_unreadable(found: Result, sources: list[str]) -> None:
    """A file of which nothing could be read is unreadable input, not a finding."""
    from sealtrace.relations.auditing import READING
    from sealtrace.report.findings import finding_lines

    for name in sources:
        problems = [one for one in found.findings if one.check == READING and one.source == name]
        read = any((claim.place or "").rpartition(":")[0] == name for claim in found.claims)
        if problems and not read:
            told = [finding_lines(problem) for problem in problems]
            raise BundleError("\n".join(f"{place}: {message}" for place, message, *_ in told))
