"""`sealtrace convert`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Where to; its ending says the format.  [default: beside FILE, in the other format]")  # fmt: skip
def command(file: Path, output: Path | None) -> int:
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
    from sealtrace.bundle.converting import convert
    from sealtrace.report.inert import harmless

    other = {".jsonl": ".parquet", ".parquet": ".jsonl", ".csv": ".parquet"}
    target = output or file.with_suffix(other.get(file.suffix, ".parquet"))
    done = convert(file, target)
    click.echo(f"{harmless(str(target))}  {done.rows:,} rows")
    click.echo(f"  content  {done.content}")
    return 0
