"""`sealtrace report`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.cli.budget import budget_options
from sealtrace.cli.progress import progress_bar, quiet_option
from sealtrace.cli.verify import beside_option, prefix_of, root_digest
from sealtrace.report.formats import BY_NAME, OF_CELLS, OF_REPORTS, Showing

if TYPE_CHECKING:
    from sealtrace.contract.report import Report

FILES = {f"report.{BY_NAME[form].extension}": form for form in OF_REPORTS if BY_NAME[form].extension}
"""File to the format of `verify` that it holds."""
DIFF = "diff.md"


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="Write into DIR, which is made where it is not there.",
)
@click.option("--expect-root", callback=root_digest, metavar="SHA256", help="The root digest that the paper prints.")
@beside_option
@click.option("--strict", is_flag=True, help="A warning counts as an error.")
@click.option("--no-timings", is_flag=True, help="Leave out how long checks took: the same files on every run.")
@quiet_option
@budget_options
def command(
    bundle: Path, output: Path, expect_root: str | None, beside: tuple[Path, ...], strict: bool, no_timings: bool
) -> int:
    """Verify BUNDLE once, and write every report about it into a directory.

    \b
      report.html   for readers: one page, without network
      report.txt    what `sealtrace verify` prints
      report.md     for a pull request or an evaluation form
      report.json   for machines (`sealtrace schema report`)
      report.xml    JUnit, for build services
      report.sarif  SARIF 2.1.0, for code scanning
      report.tex    printed beside recomputed, for an appendix
      diff.md       the same, table by table

    Files of these names are replaced; everything else in DIR is left alone.

    \b
    Examples:
      sealtrace report artifact/ -o reports/
      sealtrace report artifact.zip -o reports/ --no-timings

    Exit codes: those of `sealtrace verify`.
    """
    from sealtrace.api import verify

    _refuse_bad_directory(output, bundle)
    with progress_bar() as progress:
        report = verify(bundle, expect_root=expect_root, beside=beside, strict=strict, details=True, progress=progress)
    code = report.exit_code
    texts = texts_of(without_timings(report) if no_timings else report, code, prefix_of(bundle))
    _write(output, texts)
    for name in texts:
        click.echo(output / name)
    return code


def texts_of(report: Report, exit_code: int, prefix: str | None) -> dict[str, str]:
    """File name to content, as `verify` and `diff` write it; a page where the report has the details for one."""
    checks = [check.model_copy(update={"largest": None}) for check in report.checks]
    bare = report.model_copy(update={"details": None, "checks": checks})
    showing = Showing(exit_code=exit_code, prefix=prefix)
    texts = {
        name: OF_REPORTS[form](report if BY_NAME[form].details else bare, showing)
        for name, form in FILES.items()
        if report.details is not None or not BY_NAME[form].details
    }
    texts[DIFF] = OF_CELLS["markdown"](bare, showing) if bare.cells else "No cell was reported.\n"
    return texts


def without_timings(report: Report) -> Report:
    """The same report on every machine."""
    return report.model_copy(update={"checks": [one.model_copy(update={"seconds": 0.0}) for one in report.checks]})


def _refuse_bad_directory(output: Path, bundle: Path) -> None:
    """Before any work is done: no report inside the bundle or over it, and no file where a directory should be."""
    from sealtrace.bundle.defects import BundleError
    from sealtrace.cli.output import refuse_input

    refuse_input(output, bundle)
    for name in (*FILES, DIFF):
        place = output / name
        refuse_input(place, bundle)
        if place.is_symlink() or (place.exists() and not place.is_file()):
            raise BundleError(f"{place}: not a plain file; nothing was written")


def _write(output: Path, texts: dict[str, str]) -> None:
    """A new directory appears whole; in one that is there, each file is replaced whole."""
    from sealtrace.bundle.defects import BundleError
    from sealtrace.bundle.replacing import replace_file

    try:
        if output.exists():
            for name, text in texts.items():
                replace_file(output / name, text.encode())
            return
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}.") as work:
            # Inside of it, because the temporary directory itself is for its owner only.
            fresh = Path(work) / "reports"
            fresh.mkdir()
            for name, text in texts.items():
                replace_file(fresh / name, text.encode())
            fresh.rename(output)
    except OSError as error:
        raise BundleError(f"{output}: cannot be written ({error.strerror or error})") from None
