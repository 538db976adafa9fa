"""`sealtrace diff`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.argument("other", required=False, type=click.Path(path_type=Path))
@click.option(
    "--reported",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Take printed numbers from this .tex, .md or .csv instead of the bundle's table records; repeatable.",
)
@click.option("--table", "tables", multiple=True, metavar="LABEL", help="Only this table; repeatable.")
@click.option("--all", "everything", is_flag=True, help="Show the cells that agree, too.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv", "markdown"]),
    default="text",
    show_default=True,
    help="For people, machines, spreadsheets or a pull request.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to FILE instead of standard output.",
)
def command(
    bundle: Path,
    other: Path | None,
    reported: tuple[Path, ...],
    tables: tuple[str, ...],
    everything: bool,
    form: str,
    output: Path | None,
) -> int:
    """Reported beside recomputed, cell by cell, differences first.

    With OTHER, the printed numbers of two bundles, or of two files, are compared with each other.

    \b
    Examples:
      sealtrace diff artifact/
      sealtrace diff artifact/ --reported paper.tex --table tab:main
      sealtrace diff artifact/ --all --format csv -o cells.csv
      sealtrace diff submitted.tex camera-ready.tex

    Exit codes: 0 everything agrees; 1 a cell differs; 2 usage or unreadable input; 3 nothing differs,
    but a cell is missing or nobody classified it.
    """
    from sealtrace.cli.output import paint, text_width, write_output
    from sealtrace.cli.printed import compare_printed, recomputed_cells
    from sealtrace.report import diff
    from sealtrace.report.text import plain

    if other is not None and reported:
        raise click.UsageError("compare a bundle with reported files, or two things with each other, not both")
    found = compare_printed(bundle, other) if other is not None else recomputed_cells(bundle, list(reported))
    labels = {cell.table for cell in found.cells} | set(found.labels)
    for label in tables:
        if label not in labels:
            raise click.UsageError(f"there is no table {label!r}; there are {', '.join(sorted(labels)) or 'none'}")
    found = found.only(tables) if tables else found
    match form:
        case "json":
            rendered = diff.render_json(found.cells, found.coverage)
        case "csv":
            rendered = diff.render_csv(found.cells)
        case "markdown":
            rendered = diff.render_markdown(found.cells, everything=everything)
        case _:
            width, colour = (text_width(), paint) if output is None else (80, plain)
            rendered = diff.render_text(found.cells, found.coverage, everything=everything, width=width, paint=colour)
    write_output(rendered, output, bundle)
    for line in found.remarks:
        click.echo(line, err=True)
    return found.exit_code
