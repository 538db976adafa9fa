"""`sealtrace digest`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
def command(files: tuple[Path, ...]) -> int:
    """Print the digests of record files as sealing will compute them, before anything is sealed.

    `file` is the SHA-256 of the bytes. `content` is that of what the records say, the same in every format: what
    `trace_sha256` of scores and `checkpoint_sha256` of runs name. The file's name says its kind, such as
    trace.calibration.jsonl; rows.NAME.parquet needs dataset.NAME.json beside it or in ../declare.

    \b
    Examples:
      sealtrace digest study/trace/trace.calibration.parquet
      sealtrace digest study/report/rows.answers.jsonl

    Exit codes: 0 printed; 2 unreadable, or refused by its schema.
    """
    from sealtrace.bundle.digests import digests_of
    from sealtrace.report.inert import harmless

    for path in files:
        found = digests_of(path)
        click.echo(harmless(str(path)))
        click.echo(f"  file     {found.file}")
        if found.content is not None:
            rows = "" if found.rows is None else f"  {found.rows:,} rows"
            click.echo(f"  content  {found.content}{rows}")
    return 0
