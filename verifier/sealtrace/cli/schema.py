"""`sealtrace schema`."""

from __future__ import annotations

import json
import textwrap

import click

from sealtrace.contract.kinds import SCHEMA_KINDS


@click.command()
@click.argument("kind", required=False, type=click.Choice(SCHEMA_KINDS), metavar="[KIND]")
def command(kind: str | None) -> int:
    """Print the JSON Schema (2020-12) of a record KIND, or list the kinds.

    \b
    Examples:
      sealtrace schema
      sealtrace schema trace > trace.schema.json
    """
    from sealtrace.bundle.resources import schema_document
    from sealtrace.cli.output import text_width

    if kind is not None:
        click.echo(json.dumps(schema_document(kind), indent=2, ensure_ascii=False))
        return 0
    for name in SCHEMA_KINDS:
        description = schema_document(name)["description"]
        click.echo(textwrap.fill(f"{name:<12} {description}", text_width(), subsequent_indent=" " * 13))
    return 0
