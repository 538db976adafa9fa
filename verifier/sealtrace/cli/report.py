"""`sealtrace report`."""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.placing import write_together
from sealtrace.cli.options import PATH, beside_option, budget_options, expect_root_option, strict_option, to_directory
from sealtrace.cli.output import examined, quiet_option, refuse_input
from sealtrace.cli.verify import prefix_of
from sealtrace.report.formats import BY_NAME, FORMATS, Showing

if TYPE_CHECKING:
    from sealtrace.contract.result import Result

FILES = {f"report.{known.extension}": known.name for known in FORMATS if known.extension and known.in_report}
"""File to the format of `verify` that it holds; a spreadsheet says nothing that the JSON does not."""
INDEX = "index.html"


@click.command()
@click.argument("bundles", nargs=-1, required=True, metavar="BUNDLE...", type=PATH)
@to_directory(required=True, help="Write into DIR, which is made where it is not there.")
@expect_root_option
@beside_option
@strict_option
@quiet_option
@budget_options
def report(
    bundles: tuple[Path, ...], output: Path, expect_root: str | None, beside: tuple[Path, ...], strict: bool
) -> int:
    """Verify each BUNDLE once, and write every report about it into a directory.

    \b
      report.html   for readers: one page, without network
      report.txt    what `sealtrace verify` prints
      report.md     for a pull request or an evaluation form
      report.json   for machines (`sealtrace schema result`)
      report.xml    JUnit, for build services
      report.sarif  SARIF 2.1.0, for code scanning
      report.tex    printed beside recomputed, for an appendix

    Of several bundles, each has a directory of its own in DIR, and index.html leads to their pages. Files of these
    names are replaced; everything else in DIR is left alone.

    \b
    Examples:
      sealtrace report artifact/ -o reports/
      sealtrace report artifact.zip -o reports/
      sealtrace report first/ second.zip -o reports/

    Exit codes: those of `sealtrace verify`; of several bundles, an error (1) before what is missing (3).
    """
    from sealtrace.report.html.render import render_index

    if len(bundles) > 1 and expect_root is not None:
        raise click.UsageError("--expect-root is the digest of one bundle")
    reports: dict[str, Result] = {}
    written: dict[Path, dict[str, str]] = {}
    for bundle in bundles:
        _refuse_bad_directory(output, bundle)
        report = examined(bundle, expect_root=expect_root, strict=strict, beside=beside).full_report
        name = _directory(report.subject.name or bundle.stem, reports)
        place = output / name if len(bundles) > 1 else output
        _refuse_bad_directory(place, bundle)
        reports[name] = report
        written[place] = texts_of(report, prefix_of(bundle))
    if len(bundles) > 1:
        written[output] = {INDEX: render_index(reports)}
    texts = {place / name: text for place, files in written.items() for name, text in files.items()}
    try:
        write_together(output, {path.relative_to(output).as_posix(): text.encode() for path, text in texts.items()})
    except OSError as error:
        raise BundleError(f"{output}: cannot be written ({error.strerror or error})") from None
    for path in texts:
        click.echo(path)
    codes = {report.exit_code for report in reports.values()}
    return 1 if 1 in codes else max(codes)


def _directory(name: str, taken: Container[str]) -> str:
    """A study's name as that of a directory, which no other study has."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:80] or "bundle"
    names = chain([plain], (f"{plain}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def texts_of(result: Result, prefix: str | None) -> dict[str, str]:
    """File name to content; a page where the result has the details for one."""
    showing = Showing(exit_code=result.exit_code, prefix=prefix)
    return {
        name: BY_NAME[form].render(result, showing)
        for name, form in FILES.items()
        if result.details is not None or not BY_NAME[form].details
    }


def _refuse_bad_directory(output: Path, bundle: Path) -> None:
    """Before any work is done: no report inside the bundle or over it, and no file where a directory should be."""
    refuse_input(output, bundle)
    for name in (*FILES, INDEX):
        place = output / name
        refuse_input(place, bundle)
        if place.is_symlink() or (place.exists() and not place.is_file()):
            raise BundleError(f"{place}: not a plain file; nothing was written")
