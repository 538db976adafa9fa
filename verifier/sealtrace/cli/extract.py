"""`sealtrace extract`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click


@click.command()
@click.argument("paper", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write one table record per table into DIR; existing files are kept.",
)
@click.option("--table", "tables", multiple=True, metavar="LABEL", help="Only this table; repeatable.")
def command(paper: Path, output: Path | None, tables: tuple[str, ...]) -> int:
    """Extract the tables of PAPER (.tex, .md, .csv) as table records with recipes to fill in.

    Every cell keeps the string that was printed, and its line. A table whose rows do not add up to its
    columns is refused, with the line.

    \b
    Examples:
      sealtrace extract paper.tex
      sealtrace extract paper.tex -o study/report --table tab:main

    Exit codes: 0 extracted; 1 a table was refused; 2 usage or unreadable input.
    """
    from sealtrace.bundle.defects import BundleError
    from sealtrace.cli.printed import read_file
    from sealtrace.report.inert import harmless

    reported = read_file(paper)
    records = [record for record in reported.records if not tables or record["label"] in tables]
    for label in tables:
        if not any(record["label"] == label for record in records):
            raise click.UsageError(f"{paper} has no table {label!r}")
    for record in records:
        for column in record["columns"]:
            # To be filled in: a metric, a query, or a classification.
            column["recipe"] = {}
    if output is None:
        click.echo(json.dumps(records, indent=2, ensure_ascii=True))
    else:
        try:
            output.mkdir(parents=True, exist_ok=True)
            for record in records:
                name = re.sub(r"[^A-Za-z0-9-]+", "-", record["label"].removeprefix("tab:")).strip("-") or "unnamed"
                with (output / f"table.{name}.json").open("x", encoding="utf-8") as file:
                    file.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
                click.echo(output / f"table.{name}.json")
        except FileExistsError as error:
            raise BundleError(f"{error.filename}: exists already; nothing is overwritten") from None
        except OSError as error:
            raise BundleError(f"{output}: {error.strerror or error}") from None
    for problem in reported.problems:
        click.echo(
            f"{harmless(problem.source)}:{problem.line}: {problem.severity}: {harmless(problem.message)}", err=True
        )
    return int(any(problem.severity == "error" for problem in reported.problems))
