"""`sealtrace seal`."""

from __future__ import annotations

from pathlib import Path

import click

from sealtrace.cli.budget import budget_options
from sealtrace.contract.kinds import STAGES


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
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--stage", type=click.Choice(STAGES), help="Seal this stage only: the next link of the chain.")
@click.option(
    "--empty",
    multiple=True,
    callback=_reasons,
    metavar='STAGE="REASON"',
    help="Seal STAGE although it holds nothing, and say why; repeatable. STAGE may be all: those without files.",
)
@click.option("--redo", is_flag=True, help="Seal a bundle anew that was not published; asks first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@budget_options
def command(directory: Path, stage: str | None, empty: dict[str, str], redo: bool, yes: bool) -> int:
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

    With --redo, the seals of a bundle that nobody else has are removed and made anew; reasons of empty stages are kept.

    \b
    Examples:
      sealtrace seal study/ --stage declare     while the experiment runs
      sealtrace seal study/                     all stages that are left
      sealtrace seal study/ --empty structure="no partition is learned"
      sealtrace seal study/ --empty all="the study trains nothing"
      sealtrace seal study/ --redo              after a change, before publication

    Exit codes: 0 sealed; 2 refused or over its budget, and nothing was written.
    """
    from sealtrace.bundle.drafts import draft_bundle
    from sealtrace.bundle.sealing import reasons_of, seal, unseal

    if redo:
        if stage is not None:
            raise click.UsageError("--redo seals every stage anew; leave --stage out")
        kept = {name: reason for name, reason in reasons_of(directory).items() if not _files(directory / name)}
        empty = {**kept, **empty}
    if stage in (None, STAGES[-1]):
        _refuse_recipes(directory)
    if redo and any(directory.glob("seals/*.json")):
        if not yes:
            click.confirm(
                f"{directory}: whoever has this bundle could no longer compare it with yours. Seal anew?", abort=True
            )
        # All that could be refused is refused before anything is removed.
        with draft_bundle(directory):
            unseal(directory)
    done = seal(directory, None if stage is None else [stage], empty)
    for one in done:
        click.echo(f"{one.stage:<10} {one.files:>4} files  {one.seal_sha256}")
    click.echo(f"{'root':<10} {'':>10}  {done[-1].root_sha256}")
    return 0


def _files(stage: Path) -> bool:
    return any(path.is_file() for path in stage.rglob("*"))


def _refuse_recipes(directory: Path) -> None:
    """Broken recipes, unknown metrics and placeholders, with the sentences of `verify`."""
    from sealtrace.bundle.defects import BundleError
    from sealtrace.examination import examine

    if not any(directory.glob("report/table*.json")):
        return
    examination = examine(directory, check=["table.shape", "table.recipes"], draft=True)
    wrong = [one for one in examination.report.findings if one.severity == "error" and one.check == "table.recipes"]
    if wrong:
        lines = [f"{one.source}{one.field or ''}: {one.message}" for one in wrong[:20]]
        more = [f"... and {len(wrong) - 20} more"] if len(wrong) > 20 else []
        raise BundleError("\n".join([*lines, *more]))
