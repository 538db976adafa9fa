"""`sealtrace explain`."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.cli.budget import budget_options
from sealtrace.cli.progress import examined, quiet_option

if TYPE_CHECKING:
    from sealtrace.printed.evaluation import CellResult


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.argument("cell", metavar="'TABLE[ROW, COLUMN]'")
@quiet_option
@budget_options
def command(bundle: Path, cell: str) -> int:
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
    from sealtrace.printed.papers import is_paper

    if bundle.is_file() and is_paper(bundle):
        from sealtrace.cli.audit import explain

        return explain(bundle, cell)
    from sealtrace.comparison import compare

    examination = examined(bundle)
    try:
        result = examination.explain(cell)
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None
    report = examination.report
    found = replace(compare(examination), results=[result])
    _print(result, *examination.records_behind(result), found.cells[0].waived)
    if report.exit_code:
        click.echo(f"The bundle as a whole: {report.headline}; `sealtrace verify` says why.", err=True)
    return found.exit_code


def _print(result: CellResult, count: int, records: list[str], waived: str | None) -> None:
    from sealtrace.cli.output import paint, text_width
    from sealtrace.printed.judgement import DEFINITIONS
    from sealtrace.report.inert import harmless

    cell, metric = result.cell, result.metric
    place = f"{cell.source}:{cell.line}" if cell.line else cell.source or cell.record
    lines = [
        ("printed", f"{cell.text}  ({place})"),
        ("recipe", result.recipe or "none"),
    ]
    if metric is not None:
        lines.append(("formula", f"{metric.formula}  [{metric.source}]"))
        if result.population is not None:
            lines.append(("population", result.population))
    if result.value is not None:
        numbers = ", ".join(_number(number) for number in result.value.numbers)
        lines.append(("value", result.value.text or numbers))
        if count:
            lines.append(("records", f"{count}, the first of them:"))
            lines.extend(("", record) for record in records)
    lines.append(("rounding", result.judgement.sentence))
    lines.append(("status", f"{result.status.value}: {DEFINITIONS[result.status]}"))
    if result.relation is not None:
        lines.append(("relation", result.relation))
    if waived is not None:
        lines.append(("waived", f"{waived} It is not settled."))
    lines.extend(("not stated", setting) for setting in result.undisclosed)
    click.echo(paint(harmless(cell.name), "cyan"))
    for name, text in lines:
        click.echo(
            textwrap.fill(
                f"{name:<10} {harmless(text)}", text_width(), subsequent_indent=" " * 11, break_on_hyphens=False
            )
        )


def _number(number: object) -> str:
    from fractions import Fraction

    assert isinstance(number, Fraction)
    return str(number.numerator) if number.denominator == 1 else repr(float(number))
