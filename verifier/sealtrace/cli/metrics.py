"""`sealtrace metrics`."""

from __future__ import annotations

import json
import textwrap

import click


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for machines.",
)
def command(form: str) -> int:
    """List the named metrics that a table's recipes can ask for.

    \b
    Examples:
      sealtrace metrics
    """
    from sealtrace.cli.output import paint, text_width
    from sealtrace.printed.metrics import all_metrics

    if form == "json":
        listed = [
            {"name": one.name, "formula": one.formula, "source": one.source, "arguments": list(one.arguments),
             "optional": list(one.optional)}
            for one in all_metrics().values()
        ]  # fmt: skip
        click.echo(json.dumps(listed, indent=2))
        return 0
    for one in all_metrics().values():
        optional = "".join(f" [{name}]" for name in one.optional)
        head = f"{one.name} {' '.join(one.arguments)}{optional}".strip()
        click.echo(paint(textwrap.fill(head, text_width(), subsequent_indent="    "), "cyan"))
        for text in (one.formula, f"[{one.source}]"):
            click.echo(textwrap.fill(text, text_width(), initial_indent="  ", subsequent_indent="  "))
    return 0
