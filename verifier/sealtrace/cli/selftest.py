"""`sealtrace selftest`."""

from __future__ import annotations

import math
from pathlib import Path

import click

from sealtrace.bundle.resources import default_bundle
from sealtrace.cli.options import PATH, Seconds, backstop_time, budget_options
from sealtrace.cli.output import progress_bar, quiet_option
from sealtrace.report.inert import harmless

SHOWN = 20
"""How many unnoticed changes are printed."""


@click.command()
@click.argument("bundle", required=False, type=PATH)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=300,
    show_default=True,
    metavar="N",
    help="Judge so many changes, drawn at random.",
)
@click.option(
    "--seconds",
    type=Seconds(0),
    default=120,
    show_default=True,
    metavar="S",
    help="Stop after so long, with a smaller sample.",
)
@click.option("--all", "every", is_flag=True, help="Judge every change; may take hours.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="NUMBER", help="Draws another sample.")
@quiet_option
@budget_options
def selftest(bundle: Path | None, sample: int, seconds: float, every: bool, seed: int) -> int:
    """Change the records of BUNDLE one field at a time, and see whether the verifier notices.

    Every field of every record may be changed in every way that its type allows; the changed bundle counts as sealed
    anew, so that no digest gives it away. Nothing is written. What may be changed without notice is either on the
    reviewed list of what records do not determine, which is printed, or a hole, which is printed too. Records that
    are only written otherwise must raise no complaint.

    \b
    Examples:
      sealtrace selftest
      sealtrace selftest artifact.zip --sample 2000 --seed 7

    Exit codes: 0 every change was noticed or is known not to matter; 1 one was not; 2 usage or unreadable input.
    """
    from sealtrace.bundle.reading import read_bundle
    from sealtrace.selftest.campaign import Campaign

    backstop_time(math.inf if every else seconds)
    with progress_bar() as progress:
        read = read_bundle(bundle or default_bundle(), progress=progress)
        survey = Campaign(read).run(None if every else sample, seed, None if every else seconds, progress)
    noticed = sum(change.found_by is not None for change in survey.judged)
    click.echo(f"{len(survey.judged)} of {survey.possible} changes were judged: {noticed} noticed")
    if survey.undetermined:
        click.echo("\nwhat this bundle does not determine:")
        for field, (count, reason) in survey.undetermined.items():
            click.echo(harmless(f"  {field} ({count}): {reason}"))
    for title, names in (
        ("changed without notice:", [mutant.name for mutant in survey.survivors]),
        ("complained of, though only written otherwise:", [change.mutant.name for change in survey.false_alarms]),
    ):
        if names:
            click.echo(f"\n{title}")
            for name in names[:SHOWN]:
                click.echo(harmless(f"  {name}"))
            if len(names) > SHOWN:
                click.echo(f"  ... and {len(names) - SHOWN} more")
    return int(bool(survey.survivors or survey.false_alarms))
