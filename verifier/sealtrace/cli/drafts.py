"""`sealtrace init`, `import` and `extract`: how a study begins, from templates, result files and a paper."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.bundle.defects import BundleError, real_path, refusing
from sealtrace.bundle.placing import recover, write_together
from sealtrace.bundle.resources import directories_of, files_of, json_file
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.cli.options import DIRECTORY, FILE, PATH, refuse_unknown, several, tables_option, to_directory
from sealtrace.cli.output import root_option
from sealtrace.report.inert import harmless

if TYPE_CHECKING:
    from sealtrace.paper.model import Paper
    from sealtrace.paper.table_records import TableRecord

KINDS = ("results", "policies")
QUERIES = "queries.json"


@click.command()
@click.argument("directory", type=DIRECTORY)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="results",
    show_default=True,
    help="A CSV of per-example results and a paper; or policies that are traced, calibrated and selected.",
)
def init(directory: Path, kind: str) -> int:
    """Start a study in DIRECTORY, which must be new or empty.

    Its README.md says what to put where; protocol.notes.md explains every field of the protocol, because JSON has no
    comments; bundle/ is what will be sealed. The templates of `results` are a whole small study, which can be imported,
    extracted, sealed and verified before anything of it is replaced.

    \b
    Examples:
      sealtrace init my-study
      sealtrace init my-study --kind policies

    Exit codes: 0 started; 2 refused, and nothing was written.
    """
    with refusing(directory):
        recover(directory)
        if directory.is_dir() and any(directory.iterdir()):
            raise BundleError(f"{directory}: not empty; a study is started in a directory of its own")
        files = files_of(kind, real_path(directory).name)
        write_together(directory, files, new=True, folders=directories_of(kind))
        for name in files:
            click.echo(harmless(str(directory / name)))
    return 0


def _pairs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for value in values:
        field, equals, rest = value.partition("=")
        if not field or not equals or not rest:
            raise click.BadParameter(f"{value!r} is not {parameter.make_metavar(context)}")
        if field in pairs:
            raise click.BadParameter(f"{field} is given twice")
        pairs[field] = rest
    return pairs


@click.command()
@click.argument("results", nargs=-1, required=True)
@several(
    "--name",
    "names",
    metavar="PATTERN",
    help="Fields in file names, such as '{model}_seed{seed}'; repeatable, and the first that fits is taken.",
)
@several(
    "--map",
    "renamed",
    callback=_pairs,
    metavar="FIELD=COLUMN[,COLUMN...]",
    help="Take FIELD from the first of these columns that has a value; repeatable.",
)
@several("--set", "constants", callback=_pairs, metavar="FIELD=VALUE", help="Give FIELD this value.")
@several("--drop", "dropped", metavar="COLUMN", help="Leave COLUMN out; repeatable.")
@click.option("--where", metavar="SQL", help="Keep the rows for which this holds, such as \"split = 'test'\".")
@click.option("--distinct", is_flag=True, help="Keep equal rows once.")
@click.option("--key", metavar="FIELD[,FIELD...]", help="The fields that identify a row.  [default: proposed]")
@several(
    "--printed",
    callback=_pairs,
    metavar="FIELD:VALUE=LABEL",
    help="How tables print a value, where they print another name; repeatable.",
)
@click.option("--records", metavar="FIELD", help="Where in a JSON document its list of rows lies; dots lead inside.")
@click.option("--delimiter", metavar="CHARACTER", help="What separates cells of CSV files.  [default: found out]")
@click.option("--dataset", metavar="NAME", help="The dataset's name.  [default: after the files]")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["parquet", "jsonl", "csv"]),
    help="How the rows are written.  [default: jsonl up to 10,000 rows]",
)
@to_directory(required=True, help="The draft of a bundle, begun where there is none.")
def import_(
    results: tuple[str, ...],
    names: tuple[str, ...],
    renamed: dict[str, str],
    constants: dict[str, str],
    dropped: tuple[str, ...],
    where: str | None,
    distinct: bool,
    key: str | None,
    printed: dict[str, str],
    records: str | None,
    delimiter: str | None,
    dataset: str | None,
    file_format: str | None,
    output: Path,
) -> int:
    """Turn result files into a dataset of the bundle draft DIR, and propose its declaration.

    RESULTS are files, directories or patterns ('results/**/*.jsonl'): CSV with any delimiter, JSON lines, JSON and
    Parquet. Objects within rows become fields with dots in their names. What the declaration proposes (types, key,
    complete combinations, dependencies) holds of the rows, unless a file seems to be lost: then every combination is
    declared, and you are asked. Review it in DIR/declare/dataset.NAME.json before sealing. A datapackage.json or a
    Croissant description beside the files, or given as RESULTS, is heeded.

    \b
    Examples:
      sealtrace import results.csv -o study
      sealtrace import 'runs/**/*.jsonl' -o study --dataset answers \\
        --name '{model}_{arm}_seed{seed}_{task}' --name '{model}_{arm}_{task}'

    Exit codes: 0 written; 2 refused, and nothing was written.
    """
    from sealtrace.bundle.importing import Wanted, files_of, read_results
    from sealtrace.bundle.proposing import absent_files, described, proposed, referring
    from sealtrace.bundle.writing import write_dataset

    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise click.UsageError("--delimiter: one character is needed, and no quotation mark or line end")
    columns = {field: text.split(",") for field, text in renamed.items()}
    wanted = Wanted(names, columns, constants, dropped, where, distinct, delimiter, records)
    described_files = described(results)
    paths = files_of(results) if described_files is None else described_files.paths
    found = read_results(paths, wanted)
    name = dataset or _name_of(paths)
    known = None if described_files is None else described_files.key_within(found.table.column_names)
    declaration = proposed(name, found.table, found.from_names, key.split(",") if key else known)
    if labels := _labels(printed):
        declaration["printed"] = labels
    if found.dropped:
        declaration["dropped"] = [{"where": where, "rows": found.dropped}]
    if references := referring(declaration, found.table, output):
        declaration["references"] = references
    chosen = file_format or ("jsonl" if found.table.num_rows <= 10_000 else "parquet")
    written = write_dataset(output, declaration, found.table, chosen)
    click.echo(harmless(f"{written[1]}: {found.table.num_rows:,} rows of {found.files} files"))
    click.echo(harmless(f"{written[0]}: key {', '.join(declaration['key'])}"))
    for demand in declaration.get("complete", []):
        combined = " x ".join("+".join(group) for group in demand["every"])
        click.echo(
            harmless(f"  complete: every {combined}" + (f" of each {demand['by'][0]}" if demand.get("by") else ""))
        )
    for absent in absent_files(found.table, declaration, found.from_names):
        named = " ".join(f"{field}={value}" for field, value in absent.items())
        advice = f"add it and import again, or delete `complete` in {written[0]} if there was no such run"
        click.echo(harmless(f"  no file has {named}; {advice}"))
    for rule in declaration.get("depends", []):
        click.echo(harmless(f"  {', '.join(rule['on'])} determines {', '.join(rule['fields'])}"))
    for reference in declaration.get("references", []):
        click.echo(harmless(f"  {', '.join(reference['fields'])} refers to {reference['dataset']}"))
    if found.empty:
        click.echo(harmless(f"  left out, because nowhere filled in: {', '.join(found.empty)}"))
    for begun in written[2:]:
        click.echo(harmless(f"{begun}: says what the study is; a line about it is yours to write"))
    if not declaration.get("complete") and len(declaration["key"]) > 1:
        click.echo("  not complete: some combinations of the key's fields are absent, so a deleted row would not show;")
        click.echo("  declare `nested` where values belong to one of the others, as each patient to one arm")
    return 0


def _name_of(paths: list[Path]) -> str:
    """After the one file, or after the directory of several."""
    stem = paths[0].name.partition(".")[0] if len(paths) == 1 else real_path(paths[0]).parent.name
    name = re.sub(r"\W+", "_", stem, flags=re.ASCII).strip("_").lower()
    return (name if name and not name[0].isdigit() else f"rows_{name}")[:60]


def _labels(printed: dict[str, str]) -> dict[str, dict[str, str]]:
    labels: dict[str, dict[str, str]] = {}
    for place, label in printed.items():
        field, colon, value = place.partition(":")
        if not colon or not value:
            raise click.UsageError(f"--printed {place}={label}: not FIELD:VALUE=LABEL")
        labels.setdefault(field, {})[value] = label
    return labels


@click.command()
@click.argument("paper", type=PATH)
@to_directory(help="Write one table record per table into DIR; existing files are kept.")
@root_option
@tables_option
@click.option(
    "--recipes",
    type=FILE,
    metavar="FILE",
    help='Fill recipes in: JSON, as in {"tab:main": {"Accuracy": {"sql": "SELECT ..."}}}.',
)
@click.option(
    "--update",
    is_flag=True,
    help="Follow a changed paper: records in DIR take its strings; rows and columns that are still there keep their "
    "recipes.",
)
def extract(
    paper: Path, output: Path | None, root: Path | None, tables: tuple[str, ...], recipes: Path | None, update: bool
) -> int:
    """Extract the tables of PAPER as table records with recipes to fill in.

    PAPER is a .tex, .md, .html, .docx, .csv or .pdf, or the .tar.gz of a preprint as it comes. Every cell keeps the
    string that was printed, and its line. A table whose rows have more cells than columns is refused, with the line.
    With --recipes they are filled in at once. When the paper has changed, --update follows it, and lists what is new
    or gone; a directory that is sealed is never changed.

    \b
    Examples:
      sealtrace extract paper.tex
      sealtrace extract paper.tex -o study/report --update
      sealtrace extract paper.tex -o study/report --table tab:main
      sealtrace extract paper.tex -o study/report --recipes recipes.json

    Exit codes: 0 extracted; 1 a table was refused; 2 usage or unreadable input.
    """
    from sealtrace.paper.papers import read_paper
    from sealtrace.recipes.recipe_files import fill_in, read_recipes

    if update and output is None:
        raise click.UsageError("--update follows the records of a directory: name it with -o DIR")
    reported = read_paper(paper, root)
    refuse_unknown(f"{paper} has no table", tables, [table.label for table in reported.tables])
    records = [table.with_names.record() for table in reported.tables if not tables or table.label in tables]
    for column in (column for record in records for column in record["columns"]):
        column.setdefault("recipe", {})  # to be filled in: a metric, a query, or a classification
    written: dict[str, TableRecord] = {reported.file_names[record["label"]]: record for record in records}
    with refusing(output or paper):
        found = _follow(output, reported, written) if update and output is not None else None
        shared = None if recipes is None else fill_in(list(written.values()), read_recipes(recipes), recipes)
        documents: dict[str, Mapping[str, object]] = {**written, **({} if shared is None else {QUERIES: shared})}
        if output is None:
            click.echo(json.dumps(records, indent=2, ensure_ascii=True))
        else:
            files = {name: json_file(document) for name, document in documents.items()}
            write_together(output, files, new=not update, found=found)
            for name in documents:
                click.echo(output / name)
    for problem in reported.problems:
        click.echo(
            f"{harmless(problem.source)}:{problem.line}: {problem.severity}: {harmless(problem.message)}", err=True
        )
    return int(any(problem.severity == "error" for problem in reported.problems))


def _follow(directory: Path, reported: Paper, written: dict[str, TableRecord]) -> dict[str, bytes | None]:
    """Replaces records by those of the directory with the paper's strings, and lists what is new or gone.

    Numbers of the running text are found again by their quotations, or by most of the words. What the directory held
    is returned, so that nothing is written where somebody else changes it meanwhile.
    """
    from sealtrace.paper.model import Table
    from sealtrace.paper.quoted import quoted_numbers, with_found
    from sealtrace.paper.reported import with_printed

    if real_path(directory / "../seals").is_dir() or (directory / "seals").is_dir():
        raise BundleError(f"{directory}: sealed already; follow the paper in the draft, and seal that")
    found: dict[str, bytes | None] = {}
    tables = {table.label: table.with_names for table in reported.tables}
    found[QUERIES] = (directory / QUERIES).read_bytes() if (directory / QUERIES).is_file() else None
    for path in sorted(directory.glob("table*.json")):
        if path.name not in written:
            data = path.read_bytes()
            sealed = Table.of(_table_record(path, data))
            if sealed.is_text:
                numbers = list(quoted_numbers(sealed, [reported], follow=True))
                found[path.name], written[path.name] = data, with_found(sealed, numbers).record()
                for one in numbers:
                    if one.problem:
                        click.echo(f"{path}: {one.row.label} ({one.sealed.text}): {one.problem}", err=True)
    for name, record in written.items():
        path = directory / name
        if name in found:
            continue
        found[name] = path.read_bytes() if path.is_file() else None
        if found[name] is None or (label := str(record.get("label"))) not in tables:
            continue
        known = Table.of(_table_record(path, found[name] or b""))
        now = with_printed(known, tables[label])
        now = replace(now, caption=tables[label].caption or known.caption)
        written[name] = now.record()
        for noun, before, after in (
            ("row", [row.label for row in known.rows], [row.label for row in now.rows]),
            ("column", known.headers, now.headers),
        ):
            for label in (label for label in after if label not in before):
                click.echo(f"{path}: {noun} {label!r} is new: say how it follows", err=True)
            for label in (label for label in before if label not in after):
                click.echo(f"{path}: {noun} {label!r} is no longer printed: its recipes are gone", err=True)
    return found


def _table_record(path: Path, data: bytes) -> dict[str, object]:
    from sealtrace.bundle.documents import misfits_of

    try:
        record: dict[str, object] = parse(data)
    except StrictJSONError as error:
        raise BundleError(f"{path}: {error}") from None
    if misfits := misfits_of("table", record):
        pointer, expected, found = misfits[0]
        raise BundleError(f"{path}: no table record ({pointer}: {expected}, not {found}); nothing was written")
    return record
