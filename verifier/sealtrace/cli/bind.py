"""`sealtrace bind`, and `--ask`: bindings shown one by one, to be accepted, rejected or replaced."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.cli.output import progress_bar, quiet_option
from sealtrace.report.inert import harmless

if TYPE_CHECKING:
    from sealtrace.binding.candidates import Bound
    from sealtrace.binding.checking import Findings
    from sealtrace.bundle.reading import Bundle


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--seconds", metavar="N", type=click.FloatRange(1, 3600), default=45.0, show_default=True, help="Search no longer."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the recipes to this file, to review."
)
@click.option("--ask", is_flag=True, help="Ask about every binding: accept, reject, next candidate.")
@quiet_option
def bind(bundle: Path, seconds: float, output: Path | None, ask: bool) -> int:
    """Propose recipes for the cells of BUNDLE, sealed or a draft, that have none, from its own records.

    A proposal changes nothing: read it, put it into the table records, and seal them.

    \b
    Examples:
      sealtrace bind study/bundle
      sealtrace bind study/bundle -o recipes.json

    Exit codes: 0 every such cell is explained; 1 a cell is off; 2 usage or unreadable input; 3 something is
    unexplained.
    """
    from sealtrace import __version__
    from sealtrace.binding.checking import concluded, find
    from sealtrace.binding.sealed import open_grids, rows_of
    from sealtrace.bundle.defects import BundleError
    from sealtrace.bundle.reading import read_bundle
    from sealtrace.bundle.sealing import draft_bundle
    from sealtrace.cli.check import EXIT_CODES, refuse_silent_asking
    from sealtrace.cli.output import paint, text_width, write_output
    from sealtrace.report import check_text

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
    found = concluded(findings, __version__)
    write_output(check_text.render(found, width=text_width(), paint=paint), None, None)
    if output is not None:
        recipes = _recipes(findings, read)
        write_output(json.dumps(recipes, indent=2, ensure_ascii=False) + "\n", output, bundle)
    return EXIT_CODES[found.verdict]


def _recipes(findings: Findings, read: Bundle) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    """Table, row and column to the recipe that was found."""
    from sealtrace.binding.frames import Frame
    from sealtrace.binding.recipes import Dataset, recipe_of
    from sealtrace.bundle.identity import dataset_of

    names = {store.path: dataset_of(store.path) if store.kind == "rows" else store.kind for store in read.stores}

    columns = {store.path: store.table.column_names for store in read.stores}

    def named(frame: Frame) -> Dataset | None:
        first = frame.files[0]
        return Dataset(names[first], columns[first]) if len({names[file] for file in frame.files}) == 1 else None

    recipes: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    for grid in findings.grids:
        for row, column in grid.cells:
            if (recipe := recipe_of(findings.bound, grid, row, column, named)) is not None:
                recipes.setdefault(grid.name, {}).setdefault(grid.row_name(row), {})[grid.headers[column]] = recipe
    return recipes


def ask_about(bound: Bound) -> None:
    """Asks about every binding, the least sure first; what is rejected is taken out."""
    from sealtrace.binding.wording import formula_of

    rejected = []
    for binding in sorted(bound.bindings, key=lambda one: one.score):
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
                type=click.Choice(["a", "r", "n", "q"]),
                default="a",
                show_choices=False,
                err=True,
            )
            if answer != "n":
                break
            place = (place + 1) % len(options)
        if answer == "q":
            break
        if answer == "r":
            rejected.append(binding)
        else:
            binding.others = [one for one in options if one is not candidate]
            binding.candidate = candidate
    bound.remove(rejected)
