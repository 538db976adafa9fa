"""`sealtrace disclose`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.bundle.budget import Budget
from sealtrace.bundle.defects import BundleError, real_path, refusing
from sealtrace.bundle.placing import place_new_file
from sealtrace.bundle.resources import json_file
from sealtrace.bundle.strict_json import parse
from sealtrace.cli.options import FILE, several, to_file
from sealtrace.cli.output import write_output
from sealtrace.contract.kinds import KINDS, Form
from sealtrace.report.inert import json_text
from sealtrace.witnesses.signatures import read_bytes

if TYPE_CHECKING:
    from sealtrace.witnesses.disclosure import Withheld


@click.group("disclose")
def disclose() -> None:
    """Seal rows that may not be redistributed as a tree, and disclose some of them later.

    \b
    Examples:
      sealtrace disclose tree --help
      sealtrace disclose rows --help
      sealtrace verify study/ --partial sample.json --seed "reviewer 2" \\
        --count 200
    """


@disclose.command("tree")
@click.argument("rows", type=FILE)
@click.option("--kind", required=True, metavar="KIND", help="The record kind of the rows.")
@click.option("--name", metavar="NAME", help="The tree's name.  [default: after the file of -o]")
@click.option("--reason", metavar="TEXT", help="Why the rows are withheld.")
@click.option("--keep", required=True, type=FILE, metavar="SECRET", help="Where rows and salts go that you keep.")
@to_file(required=True, help="The tree: STAGE/tree.X.json.")
def tree(rows: Path, kind: str, name: str | None, reason: str | None, keep: Path, output: Path) -> int:
    """Make a tree of ROWS (JSON lines), to be sealed in their place.

    Whoever has SECRET can disclose any row; whoever loses it can disclose none. A SECRET of these very rows that is
    there already is used: its tree is the same.

    \b
    Examples:
      sealtrace disclose tree answers.jsonl --kind prediction \\
        --keep answers.secret.jsonl -o study/report/tree.answers.json

    Exit codes: 0 written; 2 the rows do not fit their schema, or a file is there already.
    """
    from sealtrace.bundle.stores import read_rows
    from sealtrace.witnesses.disclosure import salted, tree_of

    if kind not in KINDS or KINDS[kind].form is not Form.ROWS:
        raise click.UsageError(f"--kind {kind}: not a kind of rows; `sealtrace schema` lists them")
    if real_path(keep) == real_path(output):
        raise click.UsageError("--keep and -o name one file: what is kept secret is never what is sealed")
    data, records = _lines(rows)
    store = read_rows(data, rows.name, kind, "jsonl")
    if defects := [*store.syntax.listed, *store.misfits.listed]:
        first = defects[0]
        raise BundleError(
            f"{rows}:{first.row}{first.field or ''}: {first.message.removesuffix('.')}: expected {first.expected}"
        )
    withheld = _kept(keep, records) or salted(records)
    document = tree_of(name or output.name.removeprefix("tree.").removesuffix(".json"), kind, withheld, reason)
    lines = "".join(json.dumps({"salt": row.salt.hex(), "row": row.row}, ensure_ascii=False) + "\n" for row in withheld)
    with refusing(output):
        if output.exists():
            raise BundleError(f"{output}: exists already; nothing is overwritten")
        if not keep.exists():
            place_new_file(keep, lines.encode())
        place_new_file(output, json_file(document.model_dump(exclude_none=True)))
    click.echo(f"{document.leaves} rows  {document.root_sha256}")
    return 0


@disclose.command("rows")
@click.argument("secret", type=FILE)
@click.option("--tree", "sealed", required=True, type=FILE, metavar="TREE", help="The sealed tree.")
@several("--row", "chosen", type=click.IntRange(min=1), metavar="N", help="This row; repeatable.")
@click.option("--seed", metavar="TEXT", help="Draw rows by these words of a reviewer.")
@click.option("--count", type=click.IntRange(min=1), metavar="N", help="How many to draw.")
@to_file(help="Write to FILE.")
def rows(
    secret: Path, sealed: Path, chosen: tuple[int, ...], seed: str | None, count: int | None, output: Path | None
) -> int:
    """Disclose rows of SECRET with their proofs: those named with --row, or a random sample.

    The sample follows from the seed and the sealed root, so that nobody can choose it.

    \b
    Examples:
      sealtrace disclose rows answers.secret.jsonl \\
        --tree study/report/tree.answers.json \\
        --seed "reviewer 2" --count 200 -o sample.json

    Exit codes: 0 written; 2 the rows are not those of the tree.
    """
    from sealtrace.bundle.documents import fitted
    from sealtrace.contract.sealing import Tree
    from sealtrace.witnesses.disclosure import DisclosureError, disclosed, drawn

    if bool(chosen) == (seed is not None) or (seed is None) != (count is None):
        raise click.UsageError("name rows with --row, or have them drawn with --seed and --count")
    with refusing(sealed):
        document = parse(read_bytes(sealed, 2**20))
    misfits, tree = fitted("tree", document)
    if not isinstance(tree, Tree):
        pointer, expected, found = misfits[0]
        raise BundleError(f"{sealed}{pointer}: expected {expected}, found {found}")
    withheld = [_withheld(secret, number, line) for number, line in enumerate(_lines(secret)[1], 1)]
    try:
        if seed is None:
            places = sorted({number - 1 for number in chosen})
        else:
            places = drawn(seed, tree.root_sha256, tree.leaves, count or 0)
        text = json_text(disclosed(tree, withheld, places, seed))
    except DisclosureError as error:
        raise BundleError(f"{secret}: {error}") from None
    write_output(text, output, None)
    return 0


def _kept(keep: Path, records: Sequence[object]) -> list[Withheld]:
    """The rows with their salts that an earlier run kept; a file of other rows is refused."""
    if not keep.exists():
        return []
    kept = [_withheld(keep, number, line) for number, line in enumerate(_lines(keep)[1], 1)]
    if [row.row for row in kept] != records:
        raise BundleError(f"{keep}: exists already, with other rows; nothing is overwritten")
    return kept


def _withheld(path: Path, number: int, record: object) -> Withheld:
    from sealtrace.witnesses.disclosure import Withheld

    match record:
        case {"salt": str(salt), "row": dict(row)} if len(salt) == 32 and set(salt) <= set("0123456789abcdef"):
            return Withheld(bytes.fromhex(salt), row)
    raise BundleError(f"{path}:{number}: not a row with its salt, as `sealtrace disclose tree` keeps them")


def _lines(path: Path) -> tuple[bytes, list[dict[str, object]]]:
    """The bytes of a file of JSON lines, and the value of each line."""

    with refusing(path):
        Budget().require_memory(12 * path.stat().st_size, str(path))
        data = path.read_bytes()
        return data, [parse(line, first_line=number) for number, line in enumerate(data.rstrip().split(b"\n"), 1)]
