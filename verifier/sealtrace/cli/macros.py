"""`sealtrace macros`."""

from __future__ import annotations

from pathlib import Path

import click

from sealtrace.cli.budget import budget_options
from sealtrace.cli.progress import examined, quiet_option


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE.")
@quiet_option
@budget_options
def command(bundle: Path, output: Path | None) -> int:
    r"""Write the numbers that BUNDLE's records give as LaTeX commands, so that a paper cannot print others.

    \b
    Put \input{sealed} into the preamble, and print a number with
      \sealed{tab:main}{ours}{Accuracy}

    Names are those of `sealtrace diff --all`, without characters that LaTeX acts on.

    \b
    Examples:
      sealtrace macros artifact/ -o sealed.tex

    Exit codes: 0 written, and the bundle verifies; 1 or 3 written, and `sealtrace verify` says what is wrong;
    2 usage or unreadable input.
    """
    from sealtrace.cli.output import write_output
    from sealtrace.report.inert import harmless
    from sealtrace.report.macros import render
    from sealtrace.report.places import times

    examination = examined(bundle)
    report = examination.report
    text, left_out = render(examination.cells, report.bundle.name, report.bundle.root_sha256 or "unknown")
    write_output(text, output, bundle)
    if left_out:
        left = f"{times(len(left_out), 'cell')}, first {harmless(left_out[0])}"
        click.echo(f"left out, because no records give them: {left}", err=True)
    return report.exit_code
