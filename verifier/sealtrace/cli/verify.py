"""`sealtrace verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.resources import default_bundle
from sealtrace.cli.options import (
    DIRECTORY,
    PATH,
    beside_option,
    budget_options,
    expect_root_option,
    several,
    strict_option,
    witness_options,
)
from sealtrace.cli.output import Outputs, complain, examined, output_options, way_down
from sealtrace.report.formats import Showing

if TYPE_CHECKING:
    from sealtrace.bundle.budget import Asked
    from sealtrace.cache import Cache
    from sealtrace.settings import Settings


@click.command()
@click.argument("bundle", required=False, type=PATH)
@output_options("List every finding, and the checks that do not apply.")
@several("--check", "check", metavar="ID", help="Run only checks with this id or prefix; repeatable.")
@several("--skip", "skip", metavar="ID", help="Leave out checks with this id or prefix; repeatable.")
@strict_option
@expect_root_option
@click.option("--draft", is_flag=True, help="Judge a directory that is not sealed; the verdict says so.")
@several(
    "--reported",
    metavar="FILE",
    type=PATH,
    help="A paper (.tex, .md, .html, .docx, .csv) that must print what the bundle's tables say; repeatable.",
)
@beside_option
@click.option("--every-row", is_flag=True, help="Validate each row with jsonschema and its model too (slow).")
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    metavar="N",
    show_default=True,
    help="Threads for tables and for the shards of large files; the report is the same.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Have the workers of a dask cluster look at the shards of large files; the report is the same.",
)
@click.option(
    "--cache",
    type=DIRECTORY,
    metavar="DIR",
    help="Keep reports in DIR, and take one from there if not a byte of the bundle or the verifier differs.",
)
@click.option(
    "--as-expected",
    is_flag=True,
    help="Exit 0 if the verdict and the findings are those that the study expects of itself, else 1.",
)
@click.option("--allow-waived", is_flag=True, help="Exit 0 where nothing but waived findings is in the way.")
@click.option("--timings", is_flag=True, help="Say on standard error how long each check took.")
@witness_options
@budget_options
@click.pass_obj
def verify(
    settings: Settings,
    /,
    bundle: Path | None,
    outputs: Outputs,
    everything: bool,
    cache: Path | None,
    as_expected: bool,
    allow_waived: bool,
    timings: bool,
    asked: Asked,
    **chosen: Any,
) -> int:
    """Verify BUNDLE: a directory, a .zip or a .tar.gz, here or at an address (https://, s3://, file://).

    Without BUNDLE, the embedded RSD-Poker fixture is verified. A skipped check is reported as
    skipped, and the verdict is then incomplete.

    FORMATS `sealtrace schema result` describes the JSON.

    \b
    Examples:
      sealtrace verify
      sealtrace verify artifact.tar.gz --expect-root 3f2a...
      sealtrace verify https://example.org/artifact.zip
      sealtrace verify artifact/ --check identity --check stage
      sealtrace verify artifact/ --format json -o report.json
      sealtrace verify artifact/ -o sarif=found.sarif -o junit=found.xml
      sealtrace verify artifact/ -o html=report.html
      sealtrace verify study/ --draft
      sealtrace verify study/ --reported paper.tex
      sealtrace verify paper/ --beside artifact/
      sealtrace verify large/ --jobs 8
      sealtrace verify /shared/large --scheduler tcp://10.0.0.1:8786
      sealtrace verify artifact/ --require-signature pub.pem
      sealtrace verify artifact/ --require-timestamp declare --tsa-root ca.pem
      sealtrace verify artifact/ --partial rows.json --seed "my words" --count 200

    Exit codes: 0 verified; 1 an error was found (or a warning, with --strict); 2 usage, unreadable
    input or internal error; 3 no error, but something is missing, skipped or waived (docs/in-your-project.md).
    """
    from sealtrace.checks.catalogue import select
    from sealtrace.examination import unexpected

    try:
        select(chosen["check"], chosen["skip"])
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    others = [*chosen["reported"], *chosen["beside"]]
    outputs.refuse(bundle or default_bundle(), *others)
    page = outputs.details
    known: Cache | None = None
    # Files of the reader's own are not hashed, so what depends on them is not kept.
    own = chosen["draft"] or others or as_expected or settings.waivers or settings.must_be_empty
    if cache is not None and not own and asked == type(asked)():
        from sealtrace.bundle.remote import address_of
        from sealtrace.cache import Cache

        if bundle is not None and address_of(bundle) is not None:
            raise click.UsageError("--cache hashes a bundle before it is read, so it takes none at an address")
        telling = ("check", "skip", "strict", "expect_root", "every_row")
        known = Cache(cache, bundle or default_bundle(), {"page": page, **{name: chosen[name] for name in telling}})
    differences: list[str] = []
    if known is None or (report := known.report()) is None:
        examination = examined(bundle, asked, **chosen)
        for check, seconds in examination.seconds.items() if timings else ():
            click.echo(f"{seconds:9.3f} s  {check}", err=True)
        report = examination.full_report if page else examination.report
        differences = unexpected(examination) if as_expected else []
        if known is not None:
            # Whatever becomes of what is remembered for the next time: this verdict stands.
            try:
                known.keep(examination, report)
            except BundleError as error:
                complain(f"{error}; the report was not kept")
    code = int(bool(differences)) if as_expected else report.exit_code
    if allow_waived and report.only_waived:
        code = 0
    papers = {
        paper.name: way + paper.name for paper in chosen["reported"] if (way := way_down(paper.parent)) is not None
    }
    outputs.write(report, Showing(everything=everything, exit_code=code, prefix=prefix_of(bundle), papers=papers))
    for difference in differences[:20]:
        complain(difference)
    return code


def prefix_of(bundle: Path | None) -> str | None:
    """The way from the working directory down to the bundle; None where it is an archive, or elsewhere."""
    return None if bundle is None or not bundle.is_dir() else way_down(bundle)
