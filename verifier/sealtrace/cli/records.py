"""`sealtrace seal`, `show`, `digest` and `convert`: files of records, and bundles of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.resources import FIRST_PROTOCOL, default_bundle
from sealtrace.cli.options import FILE, PATH, budget_options, form_option, several, to_file
from sealtrace.cli.output import paint, text_width
from sealtrace.contract.kinds import STAGES
from sealtrace.report.inert import harmless


def _reasons(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    reasons = {}
    for value in values:
        stage, equals, reason = value.partition("=")
        if stage not in (*STAGES, "all") or not equals or not reason.strip():
            raise click.BadParameter(f'{value!r} is not STAGE="reason"; stages are {", ".join(STAGES)}, or all')
        if len(reason) > 4000 or not reason.isprintable():
            raise click.BadParameter(f"the reason of {stage} is not a line of at most 4000 printable characters")
        reasons[stage] = reason.strip()
    return reasons


@click.command()
@click.argument("directory", type=PATH)
@click.option("--stage", type=click.Choice(STAGES), help="Seal this stage only: the next link of the chain.")
@several(
    "--empty",
    callback=_reasons,
    metavar='STAGE="REASON"',
    help="Seal STAGE although it holds nothing, and say why; repeatable. STAGE may be all: those without files.",
)
@click.option("--redo", is_flag=True, help="Seal a bundle anew that was not published; asks first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@budget_options
def seal(directory: Path, stage: str | None, empty: dict[str, str], redo: bool, yes: bool) -> int:
    """Seal the records in DIRECTORY.

    Records lie in a directory per stage, in files named after their kind:

    \b
      declare/protocol.json               declare/observation.calibration.jsonl
      bank/candidate.jsonl                bank/teacher.calibration.jsonl
      trace/trace.calibration.parquet     calibrate/score.calibration.parquet
      select/selection.json               report/attachments/anything.pdf

    Sealing writes seals/, manifest.json and SHA256SUMS. A sealed stage is never sealed again, and
    nothing is sealed while a sealed file has changed, or scores before the traces that they score. Recipes that
    the records cannot follow are refused with the sentences that `verify` has for them.

    With --redo, the seals of a bundle that nobody else has are made anew; reasons of empty stages are kept.

    \b
    Examples:
      sealtrace seal study/ --stage declare     while the experiment runs
      sealtrace seal study/                     all stages that are left
      sealtrace seal study/ --empty structure="no partition is learned"
      sealtrace seal study/ --empty all="the study trains nothing"
      sealtrace seal study/ --redo              after a change, before publication

    Exit codes: 0 sealed; 2 refused or over its budget, and nothing was written.
    """
    from sealtrace.bundle.sealing import reasons_of, seal

    if redo:
        if stage is not None:
            raise click.UsageError("--redo seals every stage anew; leave --stage out")
        kept = {name: reason for name, reason in reasons_of(directory).items() if not _files(directory / name)}
        empty = {**kept, **empty}
    if stage in (None, STAGES[-1]):
        _refuse_recipes(directory)
    if redo and not yes and any(directory.glob("seals/*.json")):
        click.confirm(
            f"{directory}: whoever has this bundle could no longer compare it with yours. Seal anew?", abort=True
        )
    done = seal(directory, None if stage is None else [stage], empty, redo=redo)
    for record in done:
        click.echo(
            f"{record.stage:<10} {record.files:>4} {'file ' if record.files == 1 else 'files'}  {record.seal_sha256}"
        )
    click.echo(f"{'root':<10} {'':>10}  {done[-1].root_sha256}")
    return 0


def _files(stage: Path) -> bool:
    return any(path.is_file() for path in stage.rglob("*"))


def _refuse_recipes(directory: Path) -> None:
    """Broken recipes, unknown metrics and placeholders, with the sentences of `verify`."""
    from sealtrace.drafting import recipe_problems
    from sealtrace.examination import examine

    if not any(directory.glob("report/table*.json")):
        return
    wrong = recipe_problems(examine(directory, check=["table.shape", "table.recipes"], draft=True).report)
    if wrong:
        more = [f"... and {len(wrong) - 20} more"] if len(wrong) > 20 else []
        raise BundleError("\n".join([*wrong[:20], *more]))


@click.command()
@click.argument("bundle", required=False, type=PATH)
@form_option
@click.option("--digests", is_flag=True, help="Show each file's content digest and SHA-256 in full.")
@budget_options
def show(bundle: Path | None, form: str, digests: bool) -> int:
    """Show what BUNDLE holds: kinds, rows, stages, digests.

    The figures are those of the manifest; `sealtrace verify` checks them. Without BUNDLE, the embedded
    fixture is shown.

    \b
    Examples:
      sealtrace show
      sealtrace show artifact.zip --digests

    Exit codes: 0 shown; 2 there is no bundle, or its manifest cannot be read.
    """
    from sealtrace.bundle.members import read_document

    place = bundle or default_bundle()
    manifest = read_document(place)
    if form == "json":
        click.echo(json.dumps(manifest, indent=2, ensure_ascii=True))
        return 0
    try:
        protocol = read_document(place, FIRST_PROTOCOL, "protocol")
    except BundleError:
        protocol = {}  # what is wrong with it, `verify` says
    _print(manifest, [protocol[name] for name in ("title", "about", "field") if protocol.get(name)], digests)
    return 0


def _print(manifest: dict[str, Any], about: list[str], digests: bool) -> None:
    from sealtrace.report.findings import size_text

    files = manifest["files"]
    click.echo(paint(harmless(manifest["name"]), "cyan"))
    for line in about:
        click.echo(harmless(line))
    counts = Counter[str]()
    for file in files:
        counts[file["kind"]] += file.get("rows", 0)
    if held := [
        f"{count:,} {kind}{'' if kind == 'rows' else ' rows'}" for kind, count in counts.most_common(3) if count
    ]:
        click.echo(", ".join(held))
    click.echo(f"root {manifest['root_sha256']}")
    click.echo(f"{len(files)} files, {sum(file['bytes'] for file in files):,} bytes")
    click.echo("digests as listed, not verified")
    seals = {file["stage"]: file for file in files if file["kind"] == "seal"}
    width = text_width()
    due = STAGES if any(file["kind"] == "trace" for file in files) else (STAGES[0], STAGES[-1], *seals)
    for stage in (stage for stage in STAGES if stage in due):
        click.echo("")
        seal = seals.get(stage)
        click.echo(f"{paint(stage, 'cyan')}  {'seal ' + seal['content_sha256'] if seal else 'not sealed'}")
        members = [file for file in files if file["stage"] == stage and file["kind"] != "seal"]
        if not members and seal:
            click.echo("  empty")
        for file in members:
            rows = f"{file['rows']:,} rows" if "rows" in file else ""
            name = harmless(file["path"])
            figures = f"{file['kind']:<11} {rows:>14} {size_text(file['bytes']):>9}"
            space = width - len(figures) - 3
            if len(name) > space:
                click.echo(f"  {name}")
                name = ""
            click.echo(f"  {name:<{space}} {figures}")
            if digests:
                click.echo(f"    sha256   {file['sha256']}")
                click.echo(f"    content  {file.get('content_sha256', 'none: kept as bytes')}")


@click.command()
@click.argument("files", nargs=-1, required=True, type=FILE)
def digest(files: tuple[Path, ...]) -> int:
    """Print the digests of record files as sealing will compute them, before anything is sealed.

    `file` is the SHA-256 of the bytes. `content` is that of what the records say, the same in every format: what
    `trace_sha256` of scores and `checkpoint_sha256` of runs name. The file's name says its kind, such as
    trace.calibration.jsonl; rows.NAME.parquet needs dataset.NAME.json beside it or in ../declare.

    \b
    Examples:
      sealtrace digest study/trace/trace.calibration.jsonl
      sealtrace digest study/report/rows.answers.jsonl

    Exit codes: 0 printed; 2 unreadable, or refused by its schema.
    """
    from sealtrace.bundle.writing import digests_of

    for path in files:
        found = digests_of(path)
        click.echo(harmless(str(path)))
        click.echo(f"  file     {found.file}")
        if found.content is not None:
            rows = "" if found.rows is None else f"  {found.rows:,} rows"
            click.echo(f"  content  {found.content}{rows}")
    return 0


@click.command()
@click.argument("file", type=FILE)
@to_file(help="Where to; its ending says the format.  [default: beside FILE, in the other format]")
def convert(file: Path, output: Path | None) -> int:
    """Turn a file of records from JSON lines into Parquet, or back. What it says, and so its content digest, stays.

    Parquet is laid out for reading: a column for each action, lists and texts by reference, rows in the order of their
    key, whole states in each row group. JSON lines are for people. Nothing is overwritten. Files of a sealed bundle are
    converted in a copy, which is then sealed anew: scores go on naming the same trace table.

    \b
    Examples:
      sealtrace convert study/trace/trace.calibration.jsonl
      sealtrace convert trace/trace.calibration.parquet -o readable/traces.jsonl

    Exit codes: 0 written; 2 unreadable, refused by its schema, or there already.
    """
    from sealtrace.bundle.writing import convert

    other = {".jsonl": ".parquet", ".parquet": ".jsonl", ".csv": ".parquet"}
    target = output or file.with_suffix(other.get(file.suffix, ".parquet"))
    done = convert(file, target)
    click.echo(f"{harmless(str(target))}  {done.rows:,} rows")
    click.echo(f"  content  {done.content}")
    return 0
