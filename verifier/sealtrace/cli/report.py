"""`sealtrace report`."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.cli.progress import progress_bar, quiet_option
from sealtrace.cli.verify import prefix_of, rendered, root_digest

if TYPE_CHECKING:
    from sealtrace.contract.report import Report

FILES = {
    "report.txt": "text",
    "report.json": "json",
    "report.md": "markdown",
    "report.xml": "junit",
    "report.sarif": "sarif",
    "report.tex": "latex",
}
"""File to the format of `verify` that it holds."""
DIFF = "diff.md"
PAGE = "report.html"


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
@click.option("--strict", is_flag=True, help="A warning counts as an error.")
@click.option("--no-timings", is_flag=True, help="Leave out how long checks took: the same files on every run.")
@quiet_option
def command(bundle: Path, output: Path, expect_root: str | None, strict: bool, no_timings: bool) -> int:
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

    drawn = find_spec("jinja2") is not None
    _refuse_bad_directory(output, bundle, drawn)
    with progress_bar() as progress:
        report = verify(bundle, expect_root=expect_root, strict=strict, details=drawn, progress=progress)
    code = report.exit_code
    texts = texts_of(without_timings(report) if no_timings else report, code, prefix_of(bundle))
    _write(output, texts)
    for name in texts:
        click.echo(output / name)
    if not drawn:
        click.echo(f"sealtrace: {PAGE} is left out; it needs Jinja2: pip install 'sealtrace[html]'", err=True)
    return code


def texts_of(report: Report, exit_code: int, prefix: str | None) -> dict[str, str]:
    """File name to content: a page where the report has the details for one, the rest as `verify` writes it."""
    from sealtrace.cli.targets import Target
    from sealtrace.report import markdown

    checks = [check.model_copy(update={"largest": None}) for check in report.checks]
    bare = report.model_copy(update={"details": None, "checks": checks})
    texts = {name: rendered(bare, Target(form, Path(name)), exit_code, prefix) for name, form in FILES.items()}
    texts[DIFF] = markdown.render_cells(bare.cells, everything=False) if bare.cells else "No cell was reported.\n"
    if report.details is not None:
        texts[PAGE] = rendered(report, Target("html", Path(PAGE)), exit_code, prefix)
    return texts


def without_timings(report: Report) -> Report:
    """The same report on every machine."""
    return report.model_copy(update={"checks": [one.model_copy(update={"seconds": 0.0}) for one in report.checks]})


def _refuse_bad_directory(output: Path, bundle: Path, drawn: bool) -> None:
    """Before any work is done: no report inside the bundle or over it, and no file where a directory should be."""
    from sealtrace.bundle.defects import BundleError
    from sealtrace.cli.output import refuse_input

    refuse_input(output, bundle)
    for name in (*FILES, DIFF, PAGE):
        place = output / name
        refuse_input(place, bundle)
        if place.is_symlink() or (place.exists() and not place.is_file()):
            raise BundleError(f"{place}: not a plain file; nothing was written")
    if not drawn and (output / PAGE).exists():
        # Beside new reports, an old page would say what is no longer so.
        raise BundleError(
            f"{output / PAGE}: cannot be drawn anew without Jinja2; install 'sealtrace[html]' or remove it"
        )


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
