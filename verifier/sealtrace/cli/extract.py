"""`sealtrace extract`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from sealtrace.cli.targets import root_option


@click.command()
@click.argument("paper", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write one table record per table into DIR; existing files are kept.",
)
@root_option
@click.option("--table", "tables", multiple=True, metavar="LABEL", help="Only this table; repeatable.")
@click.option(
    "--recipes",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help='Fill recipes in: JSON, as in {"tab:main": {"Accuracy": {"sql": "SELECT ..."}}}.',
)
def command(paper: Path, output: Path | None, root: Path | None, tables: tuple[str, ...], recipes: Path | None) -> int:
    """Extract the tables of PAPER as table records with recipes to fill in.

    PAPER is a .tex, .md, .csv or .pdf, or the .tar.gz of a preprint as it comes. Every cell keeps the string
    that was printed, and its line. A table whose rows have more cells than columns is refused, with the line.
    With --recipes they are filled in at once, so that a paper can be extracted again when it has changed.

    \b
    Examples:
      sealtrace extract paper.tex
      sealtrace extract paper.tex -o study/report --table tab:main
      sealtrace extract paper.tex -o study/report --recipes recipes.json

    Exit codes: 0 extracted; 1 a table was refused; 2 usage or unreadable input.
    """
    from sealtrace.bundle.defects import BundleError
    from sealtrace.bundle.nearest import nearest
    from sealtrace.printed.keys import key_columns
    from sealtrace.printed.papers import read_paper
    from sealtrace.printed.recipe_files import fill_in, read_recipes
    from sealtrace.report.inert import harmless

    reported = read_paper(paper, root)
    labels = [record["label"] for record in reported.records]
    records = [record for record in reported.records if not tables or record["label"] in tables]
    for label in tables:
        if label not in labels:
            raise click.UsageError(f"{paper} has no table {label!r}{nearest(label, labels)}")
    for record in records:
        names = key_columns(record)
        for column in record["columns"]:
            # To be filled in: a metric, a query, or a classification. What names rows is known.
            column["recipe"] = {"classification": "name"} if column["label"] in names else {}
    shared = None if recipes is None else fill_in(records, read_recipes(recipes), recipes)
    if output is None:
        click.echo(json.dumps(records, indent=2, ensure_ascii=True))
    else:
        try:
            output.mkdir(parents=True, exist_ok=True)
            for record in records:
                name = re.sub(r"[^A-Za-z0-9-]+", "-", record["label"].removeprefix("tab:")).strip("-") or "unnamed"
                with (output / f"table.{name}.json").open("x", encoding="utf-8", newline="\n") as file:
                    file.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
                click.echo(output / f"table.{name}.json")
            if shared is not None:
                with (output / "queries.json").open("x", encoding="utf-8", newline="\n") as file:
                    file.write(json.dumps(shared, indent=2, ensure_ascii=False) + "\n")
                click.echo(output / "queries.json")
        except FileExistsError as error:
            raise BundleError(f"{error.filename}: exists already; nothing is overwritten") from None
        except OSError as error:
            raise BundleError(f"{output}: {error.strerror or error}") from None
    for problem in reported.problems:
        click.echo(
            f"{harmless(problem.source)}:{problem.line}: {problem.severity}: {harmless(problem.message)}", err=True
        )
    return int(any(problem.severity == "error" for problem in reported.problems))
