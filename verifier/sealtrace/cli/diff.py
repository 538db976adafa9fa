"""`sealtrace diff`."""

from __future__ import annotations

from pathlib import Path

import click

from sealtrace.cli.budget import budget_options
from sealtrace.cli.progress import examined, quiet_option
from sealtrace.cli.targets import format_options, targets_of
from sealtrace.cli.verify import shown_at
from sealtrace.report.formats import OF_CELLS


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
@format_options(tuple(OF_CELLS))
@quiet_option
@budget_options
def command(
    bundle: Path,
    other: Path | None,
    reported: tuple[Path, ...],
    tables: tuple[str, ...],
    everything: bool,
    forms: tuple[str, ...],
    outputs: tuple[str, ...],
) -> int:
    """Reported beside recomputed, cell by cell, differences first.

    With OTHER, the printed numbers of two bundles, or of two files, are compared with each other.

    Formats: text for people, json for machines, csv for spreadsheets, markdown for a pull request, latex
    for a reproducibility appendix.

    \b
    Examples:
      sealtrace diff artifact/
      sealtrace diff artifact/ --reported paper.tex --table tab:main
      sealtrace diff artifact/ --all --format csv -o cells.csv
      sealtrace diff artifact/ -o latex=appendix.tex
      sealtrace diff submitted.tex camera-ready.tex

    Exit codes: 0 everything agrees; 1 a cell differs, or the bundle fails; 2 usage or unreadable input;
    3 nothing else differs, but a cell is missing or waived, or nobody classified it.
    """
    from sealtrace.bundle.nearest import nearest
    from sealtrace.cli.targets import refuse_bad_places, write_targets
    from sealtrace.comparison import compare, compare_printed
    from sealtrace.report.inert import harmless

    targets = targets_of(forms, outputs, tuple(OF_CELLS))
    if other is not None and reported:
        raise click.UsageError("compare a bundle with reported files, or two things with each other, not both")
    refuse_bad_places(targets, [bundle, *([other] if other else []), *reported])
    found = compare_printed(bundle, other) if other else compare(examined(bundle), list(reported))
    labels = {cell.table for cell in found.cells} | set(found.labels)
    for label in tables:
        if label not in labels:
            raise click.UsageError(f"there is no table {label!r}{nearest(label, sorted(labels))}")
    found = found.only(tables) if tables else found
    write_targets(targets, lambda target: OF_CELLS[target.form](found, shown_at(target, everything=everything)))
    for line in found.remarks:
        click.echo(harmless(line), err=True)
    if found.bundle_code == 1:
        click.echo("The bundle fails; `sealtrace verify` says why.", err=True)
    return found.exit_code
