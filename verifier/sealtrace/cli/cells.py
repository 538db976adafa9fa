"""`sealtrace diff`, `explain`, `try` and `macros`: printed cells beside what records give."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.cli.options import (
    FILE,
    PATH,
    agreeing_option,
    budget_options,
    refuse_unknown,
    several,
    tables_option,
    to_file,
)
from sealtrace.cli.output import (
    Outputs,
    examined,
    output_options,
    paint,
    progress_bar,
    quiet_option,
    text_width,
    write_output,
)
from sealtrace.recipes.judgement import DEFINITIONS
from sealtrace.report.findings import times
from sealtrace.report.formats import Showing
from sealtrace.report.inert import harmless
from sealtrace.report.sheet import TextSheet

if TYPE_CHECKING:
    from sealtrace.recipes.cell_results import CellResult


@click.command()
@click.argument("bundle", type=PATH)
@click.argument("other", required=False, type=PATH)
@several(
    "--reported",
    metavar="FILE",
    type=PATH,
    help="Take printed numbers from this .tex, .md, .html, .docx or .csv, not from the bundle's tables; repeatable.",
)
@tables_option
@output_options("Show the numbers that need no look, too.")
@budget_options
def diff(
    bundle: Path,
    other: Path | None,
    reported: tuple[Path, ...],
    tables: tuple[str, ...],
    everything: bool,
    outputs: Outputs,
) -> int:
    """Reported beside recomputed, cell by cell, differences first.

    With OTHER, the printed numbers of two bundles, or of two files, are compared with each other.

    FORMATS `sealtrace schema result` describes the JSON.

    \b
    Examples:
      sealtrace diff artifact/
      sealtrace diff artifact/ --reported paper.tex --table tab:main
      sealtrace diff artifact/ --all --format csv -o cells.csv
      sealtrace diff artifact/ -o latex=appendix.tex
      sealtrace diff submitted.tex camera-ready.tex

    Exit codes: 0 nothing differs; 1 a number differs or contradicts others, or the bundle fails; 2 usage or
    unreadable input; 3 nothing else differs, but a number is missing or waived, or nobody classified it.
    """
    from sealtrace.comparison import compare, compare_printed

    if other is not None and reported:
        raise click.UsageError("compare a bundle with reported files, or two things with each other, not both")
    outputs.refuse(bundle, other, *reported)
    found = compare_printed(bundle, other) if other else compare(examined(bundle), list(reported))
    known = {result.cell.table for result in found.results} | set(found.labels)
    refuse_unknown("there is no table", tables, sorted(known))
    result = (found.of_tables(tables) if tables else found).result
    outputs.write(result, Showing(everything=everything, exit_code=result.exit_code))
    if found.bundle_code == 1:
        click.echo("The bundle fails; `sealtrace verify` says why.", err=True)
    return result.exit_code


@click.command()
@click.argument("bundle", type=PATH)
@click.argument("cell", metavar="'TABLE[ROW, COLUMN]'")
@quiet_option
@budget_options
def explain(bundle: Path, cell: str) -> int:
    """Show where a printed cell comes from: formula, population, records, unrounded value, rounding.

    Of a paper instead of a bundle: what `sealtrace audit` says of the cell, or of the numbers on a line.

    \b
    Examples:
      sealtrace explain artifact/ 'tab:main[0.08, Weak EV]'
      sealtrace explain paper.tex 'tab:main[0.08, Weak EV]'
      sealtrace explain paper.tex paper.tex:62

    Exit codes: 0 the cell agrees, and the bundle verifies; 1 the cell differs, or the bundle fails; 2 there is
    no such cell; 3 the cell or something else is missing, waived or unclassified.
    """
    from sealtrace.paper.papers import is_paper

    if bundle.is_file() and is_paper(bundle):
        from sealtrace.cli.audit import explain_paper

        return explain_paper(bundle, cell)
    from sealtrace.comparison import compare

    examination = examined(bundle)
    try:
        result = examination.explain(cell)
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None
    report = examination.report
    found = replace(compare(examination), results=[result]).result
    _print(result, *examination.records_behind(result), found.numbers[0].waived)
    if report.exit_code:
        click.echo(f"The bundle as a whole: {report.headline}; `sealtrace verify` says why.", err=True)
    return found.exit_code


def _print(result: CellResult, count: int, records: list[str], waived: str | None) -> None:

    cell, metric = result.cell, result.metric
    place = f"{cell.source}:{cell.line}" if cell.line else cell.source or cell.record
    lines = [("printed", f"{cell.text}  ({place})"), ("recipe", result.recipe or "none")]
    if metric is not None:
        lines.append(("formula", f"{metric.formula}  [{metric.source}]"))
        if "where" in metric.optional and result.meaning:
            lines.append(("here", result.meaning))
        if result.about is not None:
            lines.append(("population", result.about))
    if result.value is not None:
        numbers = ", ".join(_number(number) for number in result.value.numbers)
        lines.append(("value", result.value.text or numbers))
        if count:
            lines.append(("records", f"{count}, the first of them:"))
            lines.extend(("", record) for record in records)
    lines.append(("rounding", result.judgement.sentence))
    lines.append(("word", f"{result.number.word} ({result.status.value}): {DEFINITIONS[result.status]}"))
    if result.relation is not None:
        lines.append(("relation", result.relation))
    if waived is not None:
        lines.append(("waived", f"{waived} It is not settled."))
    lines.extend(("not stated", setting) for setting in result.undisclosed)
    sheet = TextSheet(text_width(), paint)
    sheet.titled(cell.name, "cyan")
    for name, text in lines:
        sheet.figure(name, text, 10)
    click.echo(str(sheet), nl=False)


def _number(number: object) -> str:
    from fractions import Fraction

    assert isinstance(number, Fraction)
    return str(number.numerator) if number.denominator == 1 else repr(float(number))


@click.command()
@click.argument("bundle", type=PATH)
@click.option(
    "--recipes",
    type=FILE,
    metavar="FILE",
    help="Recipes as `extract` takes them; by default, those that the tables of BUNDLE have.",
)
@tables_option
@click.option("--reported", type=PATH, metavar="FILE", help="Take the tables from this paper.")
@agreeing_option
@quiet_option
def try_(bundle: Path, recipes: Path | None, tables: tuple[str, ...], reported: Path | None, everything: bool) -> int:
    """Try the recipes in FILE on BUNDLE, a directory that may be sealed or not; nothing is written.

    \b
    Examples:
      sealtrace try draft/ --all
      sealtrace try study/ --recipes recipes.json --table tab:main
      sealtrace try study/ --recipes recipes.json --reported paper.tex --all

    Exit codes: 0 every cell agrees; 1 a cell differs or a recipe cannot be followed; 2 usage or unreadable input;
    3 nothing differs, but a cell is missing or nobody classified it.
    """
    from sealtrace.bundle.sealing import draft_bundle
    from sealtrace.comparison import compare
    from sealtrace.drafting import recipe_problems
    from sealtrace.examination import examine
    from sealtrace.paper.papers import read_paper
    from sealtrace.recipes.recipe_files import fill_in, read_recipes

    places = {json.loads(path.read_bytes())["label"]: path for path in sorted(bundle.glob("report/table*.json"))}
    records = (
        [json.loads(path.read_bytes()) for path in places.values()]
        if reported is None
        else [table.record() for table in read_paper(reported).tables]
    )
    for number, record in enumerate(records):
        for column in record["columns"]:
            column.setdefault("recipe", {})
        places.setdefault(record["label"], bundle / "report" / f"table.tried-{number}.json")
    shared = None if recipes is None else fill_in(records, read_recipes(recipes), recipes)
    refuse_unknown("there is no table", tables, [record["label"] for record in records])
    changed = {
        places[record["label"]].relative_to(bundle).as_posix(): json.dumps(record).encode()
        for record in records
    }  # fmt: skip
    if shared is not None:
        changed["report/queries.json"] = json.dumps(shared).encode()
    with progress_bar() as progress, draft_bundle(bundle, changed) as draft:
        examination = examine(draft, check=["table"], progress=progress)
        found = compare(examination)
    # Only cells are looked at: what else the bundle lacks is for `verify` to say.
    unsealed = found.subject.model_copy(update={"root_sha256": None})
    found = replace(
        found.of_tables(tables or tuple(record["label"] for record in records)), subject=unsealed, bundle_code=0
    )
    told = found.result
    chosen = {result.cell.record for result in found.results}
    problems = recipe_problems(examination.report)
    refused = [problem for problem in problems if not tables or problem.partition("/rows")[0] in chosen]
    if refused:
        click.echo(f"{paint('REFUSED', 'red')}: {times(len(refused), 'recipe')}, which `seal` would refuse as well")
    for problem in refused:
        click.echo(harmless(problem), err=True)
    Outputs([("text", None)]).write(told, Showing(everything=everything))
    return 1 if refused else told.exit_code


@click.command()
@click.argument("bundle", type=PATH)
@to_file(help="Write to FILE.")
@quiet_option
@budget_options
def macros(bundle: Path, output: Path | None) -> int:
    """Write the numbers that BUNDLE's records give as LaTeX commands, so that a paper cannot print others.

    \b
    Put \\input{sealed} into the preamble, and print a number with
      \\sealed{tab:main}{ours}{Accuracy}
      \\sealed{tab:main}{ours}{Accuracy:sd}   of 81.2 ± 0.4: mean, sd;
                                             of 3/20: k, n; of [1, 2]: low, high
      \\sealed{text}{s1.n3}{Printed}          a number of the running text

    Names are those of `sealtrace diff --all`, without characters that LaTeX acts on.

    \b
    Examples:
      sealtrace macros artifact/ -o sealed.tex

    Exit codes: 0 written, and the bundle verifies; 1 or 3 written, and `sealtrace verify` says what is wrong;
    2 usage or unreadable input.
    """
    from sealtrace.report.findings import times
    from sealtrace.report.latex import render_macros

    examination = examined(bundle)
    report = examination.report
    text, left_out = render_macros(examination.cells, report.subject.name, report.subject.root_sha256 or "unknown")
    write_output(text, output, bundle)
    if left_out:
        left = f"{times(len(left_out), 'cell')}, first {harmless(left_out[0])}"
        click.echo(f"left out, because nothing in the records decides them: {left}", err=True)
    return report.exit_code
