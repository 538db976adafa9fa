"""`sealtrace seal`."""

from __future__ import annotations

from pathlib import Path

import click

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
def command(directory: Path, stage: str | None, empty: dict[str, str]) -> int:
    """Seal the records in DIRECTORY.

    Records lie in a directory per stage, in files named after their kind:

    \b
      declare/protocol.json               declare/observation.calibration.jsonl
      bank/candidate.jsonl                bank/teacher.calibration.jsonl
      trace/trace.calibration.parquet     calibrate/score.calibration.parquet
      select/selection.json               report/attachments/anything.pdf

    Sealing writes seals/, manifest.json and SHA256SUMS. A sealed stage is never sealed again, and
    nothing is sealed while a sealed file has changed, or scores before the traces that they score.

    \b
    Examples:
      sealtrace seal study/ --stage declare     while the experiment runs
      sealtrace seal study/                     all stages that are left
      sealtrace seal study/ --empty structure="no partition is learned"
      sealtrace seal study/ --empty all="the study trains nothing"

    Exit codes: 0 sealed; 2 refused, and nothing was written.
    """
    from sealtrace.bundle.sealing import seal

    done = seal(directory, None if stage is None else [stage], empty)
    for one in done:
        click.echo(f"{one.stage:<10} {one.files:>4} files  {one.seal_sha256}")
    click.echo(f"{'root':<10} {'':>10}  {done[-1].root_sha256}")
    return 0
