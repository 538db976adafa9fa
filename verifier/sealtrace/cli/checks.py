"""`sealtrace checks`."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict

import click

from sealtrace.checks.catalogue import BY_ID, CATALOGUE, Check


@click.command()
@click.argument("id", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for machines.",
)
def command(id: str | None, form: str) -> int:
    """List every check with its sentence and source, or explain the check ID.

    ID may be a family, such as replay.

    \b
    Examples:
      sealtrace checks
      sealtrace checks replay
      sealtrace checks threshold.stored
    """
    chosen = [check for check in CATALOGUE if id is None or id in (check.id, check.family)]
    if not chosen:
        from sealtrace.bundle.nearest import nearest

        known = [name for check in CATALOGUE for name in (check.id, check.family)]
        raise click.UsageError(f"no check has the id {id!r}{nearest(id or '', known)}")
    if form == "json":
        click.echo(json.dumps([asdict(check) for check in chosen], indent=2))
    elif id in BY_ID:
        _explain(chosen[0])
    else:
        for check in chosen:
            _list(check)
    return 0


def _list(check: Check) -> None:
    from sealtrace.cli.output import paint, text_width

    click.echo(paint(check.id, "cyan"))
    for text in (check.title, f"[{check.source}]"):
        click.echo(textwrap.fill(text, text_width(), initial_indent="  ", subsequent_indent="  "))


def _explain(check: Check) -> None:
    from sealtrace.cli.output import paint, text_width

    click.echo(paint(check.id, "cyan"))
    for name, text in (
        ("says", check.title),
        ("enforces", check.source),
        ("broken by", f"for example: {check.breaks}"),
        ("reads", ", ".join(check.reads) or "the bundle's bytes and listing"),
        ("needs", ", ".join(check.needs) or "nothing"),
        ("may fail", ", ".join(check.consequences) or "no other check with it"),
    ):
        click.echo(
            textwrap.fill(f"{name:<10} {text}", text_width(), subsequent_indent=" " * 11, break_on_hyphens=False)
        )
    if check.whole:
        click.echo(
            textwrap.fill("Where a need fails it is not computed at all, and its status is missing.", text_width())
        )
