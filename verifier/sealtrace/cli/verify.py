"""`sealtrace verify`."""

from __future__ import annotations

import re
from pathlib import Path

import click


def _digest(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise click.BadParameter("a SHA-256 has 64 hexadecimal digits")
    return None if value is None else value.lower()


@click.command()
@click.argument("bundle", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for machines (see `sealtrace schema report`).",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the report to FILE instead of standard output.",
)
@click.option(
    "--check",
    "check",
    multiple=True,
    metavar="ID",
    help="Run only checks with this id or prefix; repeatable.",
)
@click.option(
    "--skip", "skip", multiple=True, metavar="ID", help="Leave out checks with this id or prefix; repeatable."
)
@click.option("--strict", is_flag=True, help="A warning counts as an error.")
@click.option("--expect-root", callback=_digest, metavar="SHA256", help="The root digest that the paper prints.")
@click.option("--every-row", is_flag=True, help="Validate each row with jsonschema and its model too (slow).")
@click.option(
    "--as-expected", is_flag=True, help="Exit 0 if the verdict is the one that the study expects of itself, else 1."
)
def command(
    bundle: Path | None,
    form: str,
    output: Path | None,
    check: tuple[str, ...],
    skip: tuple[str, ...],
    strict: bool,
    expect_root: str | None,
    every_row: bool,
    as_expected: bool,
) -> int:
    """Verify BUNDLE: a directory, a .zip or a .tar.gz.

    Without BUNDLE, the embedded RSD-Poker fixture is verified. A skipped check is reported as
    skipped, and the verdict is then incomplete.

    \b
    Examples:
      sealtrace verify
      sealtrace verify artifact.tar.gz --expect-root 3f2a...
      sealtrace verify artifact/ --check identity --check stage
      sealtrace verify artifact/ --format json -o report.json

    Exit codes: 0 verified; 1 an error was found (or a warning, with --strict); 2 usage, unreadable
    input or internal error; 3 no error, but something is missing or skipped.
    """
    from sealtrace.cli.output import paint, text_width, write_output
    from sealtrace.cli.progress import progress_bar
    from sealtrace.report import json, text
    from sealtrace.verification import select, verify

    try:
        select(check, skip)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    with progress_bar() as progress:
        report = verify(bundle, check=check, skip=skip, expect_root=expect_root, every_row=every_row, progress=progress)
    if form == "json":
        rendered = json.render(report)
    elif output is None:
        rendered = text.render(report, width=text_width(), paint=paint)
    else:
        rendered = text.render(report)
    write_output(rendered, output, bundle)
    if as_expected:
        expected = _expected_verdict(bundle)
        if report.verdict != expected:
            click.echo(f"sealtrace: the study expects {expected or 'no verdict'}, not {report.verdict}", err=True)
        return int(report.verdict != expected)
    if report.failed(strict=strict):
        return 1
    return 0 if report.verdict == "verified" else 3


def _expected_verdict(bundle: Path | None) -> str | None:
    """What the protocol says that the verdict will be."""
    from sealtrace.bundle.reading import read_bundle
    from sealtrace.bundle.resources import default_bundle

    protocol = read_bundle(bundle or default_bundle()).document("protocol")
    return None if protocol is None else protocol.value.get("expects")
