"""`sealtrace show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sealtrace.cli.budget import budget_options


@click.command()
@click.argument("bundle", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for machines.",
)
@click.option("--digests", is_flag=True, help="Show each file's content digest and SHA-256 in full.")
@budget_options
def command(bundle: Path | None, form: str, digests: bool) -> int:
    """Show what BUNDLE holds: kinds, rows, stages, digests.

    The figures are those of the manifest; `sealtrace verify` checks them. Without BUNDLE, the embedded
    fixture is shown.

    \b
    Examples:
      sealtrace show
      sealtrace show artifact.zip --digests

    Exit codes: 0 shown; 2 there is no bundle, or its manifest cannot be read.
    """
    from sealtrace.bundle.reading import read_manifest
    from sealtrace.bundle.resources import default_bundle

    manifest = read_manifest(bundle or default_bundle())
    if form == "json":
        click.echo(json.dumps(manifest, indent=2, ensure_ascii=True))
    else:
        _print(manifest, digests)
    return 0


def _print(manifest: dict[str, Any], digests: bool) -> None:
    from sealtrace.cli.output import paint, text_width
    from sealtrace.contract.kinds import STAGES
    from sealtrace.report.inert import harmless

    files = manifest["files"]
    click.echo(paint(harmless(manifest["name"]), "cyan"))
    click.echo(f"root {manifest['root_sha256']}")
    click.echo(f"{len(files)} files, {sum(file['bytes'] for file in files):,} bytes")
    click.echo("digests as listed, not verified")
    seals = {file["stage"]: file for file in files if file["kind"] == "seal"}
    width = text_width()
    for stage in STAGES:
        click.echo("")
        seal = seals.get(stage)
        click.echo(f"{paint(stage, 'cyan')}  {'seal ' + seal['content_sha256'] if seal else 'not sealed'}")
        members = [file for file in files if file["stage"] == stage and file["kind"] != "seal"]
        if not members and seal:
            click.echo("  empty")
        for file in members:
            rows = f"{file['rows']:,} rows" if "rows" in file else ""
            name = harmless(file["path"])
            figures = f"{file['kind']:<11} {rows:>14} {_size(file['bytes']):>9}"
            room = width - len(figures) - 3
            if len(name) > room:
                click.echo(f"  {name}")
                name = ""
            click.echo(f"  {name:<{room}} {figures}")
            if digests:
                click.echo(f"    sha256   {file['sha256']}")
                click.echo(f"    content  {file.get('content_sha256', 'none: kept as bytes')}")


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
