"""`sealtrace explain`."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sealtrace.printed.cells import CellResult, TableCell


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.argument("cell", metavar="'TABLE[ROW, COLUMN]'")
def command(bundle: Path, cell: str) -> int:
    """Show where a printed cell comes from: formula, population, records, unrounded value, rounding.

    \b
    Examples:
      sealtrace explain artifact/ 'tab:main[0.08, Weak EV]'

    Exit codes: 0 the cell agrees; 1 it differs; 2 there is no such cell; 3 it is missing or unclassified.
    """
    from sealtrace.bundle.reading import read_bundle
    from sealtrace.checks.relations import bound_by_relations
    from sealtrace.printed.cells import bundle_cells, evaluate_tables
    from sealtrace.printed.judgement import AGREEING, WARNINGS, Status
    from sealtrace.studies.policies.evidence.study import Study

    study = Study(read_bundle(bundle))
    found = _find(bundle_cells(study), cell)
    results = bound_by_relations(study, evaluate_tables(study, [found]))
    if not results:
        raise click.UsageError(f"{cell} holds {found.text!r}, which is no number")
    _print(results[0])
    status = results[0].status
    if status is Status.MISMATCH:
        return 1
    return 0 if status in AGREEING | WARNINGS else 3


def _find(cells: list[TableCell], address: str) -> TableCell:
    """The cell of an address. Labels may hold commas, so the whole address is compared."""
    wanted = "".join(address.split())
    for cell in cells:
        if "".join(cell.name.split()) == wanted:
            return cell
    tables = sorted({cell.table for cell in cells})
    table = address.partition("[")[0]
    if table not in tables:
        raise click.UsageError(f"there is no table {table!r}; there are {', '.join(tables) or 'none'}")
    members = [cell for cell in cells if cell.table == table]
    rows = ", ".join(dict.fromkeys(cell.row for cell in members))
    columns = ", ".join(dict.fromkeys(cell.column for cell in members))
    raise click.UsageError(f"{table} has no such cell; rows: {rows}; columns: {columns}")


def _print(result: CellResult) -> None:
    from sealtrace.cli.output import paint, text_width
    from sealtrace.printed.judgement import DEFINITIONS
    from sealtrace.printed.metrics import METRICS
    from sealtrace.report.inert import harmless

    cell = result.cell
    metric = METRICS.get((cell.recipe or {}).get("metric") or "")
    place = f"{cell.source}:{cell.line}" if cell.line else cell.source or cell.record
    lines = [
        ("printed", f"{cell.text}  ({place})"),
        ("recipe", result.recipe or "none"),
    ]
    if metric is not None:
        lines.append(("formula", f"{metric.formula}  [{metric.source}]"))
        if "population" in metric.optional and "state=" not in (result.recipe or ""):
            given = re.search(r"population=([^,)]*)", result.recipe or "")
            lines.append(("population", given.group(1) if given else "all"))
    if result.value is not None:
        lines.append(("value", ", ".join(_number(number) for number in result.value.numbers)))
        if result.value.count:
            lines.append(("records", f"{result.value.count}, the first of them:"))
            lines.extend(("", record) for record in result.value.records())
    lines.append(("rounding", result.judgement.sentence))
    lines.append(("status", f"{result.status.value}: {DEFINITIONS[result.status]}"))
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
