"""`sealtrace import`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from sealtrace.contract.kinds import KINDS, Form

ROW_KINDS = tuple(name for name, kind in KINDS.items() if kind.form is Form.ROWS)


def _pairs(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for value in values:
        field, equals, rest = value.partition("=")
        if not field or not equals or not rest:
            raise click.BadParameter(f"{value!r} is not {parameter.make_metavar(_)}")
        if field in pairs:
            raise click.BadParameter(f"{field} is given twice")
        pairs[field] = rest
    return pairs


@click.command()
@click.argument("csv", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--kind", type=click.Choice(ROW_KINDS), required=True, metavar="KIND", help="What the rows are, such as prediction."
)
@click.option(
    "--map",
    "columns",
    multiple=True,
    callback=_pairs,
    metavar="FIELD=COLUMN",
    help="Take FIELD from COLUMN; repeatable. A column named after a field needs none.",
)
@click.option(
    "--set",
    "constants",
    multiple=True,
    callback=_pairs,
    metavar="FIELD=VALUE",
    help="Give FIELD this value in each row; repeatable.",
)
@click.option("--distinct", is_flag=True, help="Keep equal records once.")
@click.option("--delimiter", metavar="CHARACTER", help="What separates cells.  [default: a comma; a tab in .tsv]")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE",
    help="A new .jsonl or .parquet file.",
)
def command(
    csv: Path,
    kind: str,
    columns: dict[str, str],
    constants: dict[str, str],
    distinct: bool,
    delimiter: str | None,
    output: Path,
) -> int:
    """Turn the rows of CSV, a file with a header, into records of a KIND.

    Types are those of the schema (`sealtrace schema KIND`). An empty cell is an absent field. Whatever does not fit
    is listed with its line, and then nothing is written; an existing file is never overwritten.

    \b
    Examples:
      sealtrace import results.csv --kind prediction --map item=example \\
        -o study/report/prediction.jsonl
      sealtrace import results.csv --kind label --map label=gold --distinct \\
        --set split=test -o study/declare/label.test.jsonl

    Exit codes: 0 written; 2 refused, and nothing was written.
    """
    from sealtrace.bundle.defects import BundleError
    from sealtrace.bundle.from_csv import MappingError, rows_from_csv
    from sealtrace.bundle.replacing import place_new_file
    from sealtrace.bundle.writing import write_rows
    from sealtrace.report.inert import harmless

    if output.suffix not in (".jsonl", ".parquet"):
        raise click.UsageError(f"-o {output}: records are written as .jsonl or .parquet")
    mark = delimiter or ("\t" if csv.suffix.lower() in (".tsv", ".tab") else ",")
    if len(mark) != 1 or mark in '"\r\n':
        raise click.UsageError(f"--delimiter {mark!r}: one character is needed, and no quotation mark or line end")
    try:
        found = rows_from_csv(csv.read_bytes(), csv.name, kind, columns, constants, delimiter=mark, distinct=distinct)
        with tempfile.TemporaryDirectory() as work:
            written = Path(work) / f"rows{output.suffix}"
            write_rows(written, kind, found.rows)
            output.parent.mkdir(parents=True, exist_ok=True)
            place_new_file(output, written.read_bytes())
    except MappingError as error:
        raise click.UsageError(f"{csv}: {harmless(str(error))}") from None
    except FileExistsError:
        raise BundleError(f"{output}: exists already; nothing is overwritten") from None
    except OSError as error:
        raise BundleError(f"{error.filename or csv}: {error.strerror or error}") from None
    taken = ", ".join(f"{field} from {column}" for field, column in found.columns.items())
    click.echo(harmless(f"{output}: {len(found.rows)} records: {taken}"))
    if found.unused:
        click.echo(harmless(f"columns left out: {', '.join(found.unused)}"))
    return 0
