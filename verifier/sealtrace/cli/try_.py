"""`sealtrace try`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from sealtrace.cli.progress import progress_bar, quiet_option


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--recipes", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Recipes as `extract` takes them.",
)  # fmt: skip
@click.option("--table", "tables", multiple=True, metavar="LABEL", help="Only this table; repeatable.")
@click.option("--reported", type=click.Path(path_type=Path), metavar="FILE", help="Take the tables from this paper.")
@click.option("--all", "everything", is_flag=True, help="Show the cells that agree, too.")
@quiet_option
def command(bundle: Path, recipes: Path, tables: tuple[str, ...], reported: Path | None, everything: bool) -> int:
    """Try the recipes in FILE on BUNDLE, a directory that may be sealed or not; nothing is written.

    \b
    Examples:
      sealtrace try study/ --recipes recipes.json --table tab:main
      sealtrace try study/ --recipes recipes.json --reported paper.tex --all

    Exit codes: 0 every cell agrees; 1 a cell differs or a recipe cannot be followed; 2 usage or unreadable input;
    3 nothing differs, but a cell is missing or nobody classified it.
    """
    from sealtrace.bundle.drafts import draft_bundle
    from sealtrace.bundle.nearest import nearest
    from sealtrace.cli.targets import Target
    from sealtrace.cli.verify import shown_at
    from sealtrace.comparison import compare
    from sealtrace.examination import examine
    from sealtrace.printed.papers import read_paper
    from sealtrace.printed.recipe_files import fill_in, read_recipes
    from sealtrace.report.formats import OF_CELLS
    from sealtrace.report.inert import harmless

    wanted = read_recipes(recipes)
    places = {json.loads(path.read_bytes())["label"]: path for path in sorted(bundle.glob("report/table*.json"))}
    records = (
        [json.loads(path.read_bytes()) for path in places.values()]
        if reported is None
        else read_paper(reported).records
    )
    for number, record in enumerate(records):
        for column in record["columns"]:
            column.setdefault("recipe", {})
        places.setdefault(record["label"], bundle / "report" / f"table.tried-{number}.json")
    shared = fill_in(records, wanted, recipes)
    for label in tables:
        if label not in {record["label"] for record in records}:
            raise click.UsageError(f"there is no table {label!r}{nearest(label, places)}")
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
    found = replace(found.only(tables or tuple(record["label"] for record in records)), bundle_code=0)
    click.echo(OF_CELLS["text"](found, shown_at(Target("text", None), everything=everything)), nl=False)
    for result in found.results:
        if result.problem is not None:
            click.echo(harmless(f"{result.cell.name}: {result.problem}"), err=True)
    return 1 if any(result.problem for result in found.results) else found.exit_code
