"""Results as they lie around: CSV, JSON lines, JSON and Parquet files, read by DuckDB into one table.

Fields come from the rows and from the names of files. Types are decided on whole columns, and text stays text unless
every value of its column is plainly a number: `007` is a name, and a date is what was written.
"""

from __future__ import annotations

import csv
import glob
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.defects import BundleError, as_text, nearest, nearest_path
from sealtrace.bundle.shapes import INTEGER, NUMBER
from sealtrace.bundle.strict_json import MAX_INTEGER

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FORMATS = {".csv": "csv", ".tsv": "csv", ".tab": "csv", ".jsonl": "json", ".ndjson": "json", ".json": "json"}
FORMATS |= {".parquet": "parquet", ".pq": "parquet"}
MOST_FILES = 100_000
_FILE = "__file__"


class UnreadableResultsError(BundleError):
    """The files cannot be read as asked. Nothing was written."""


@dataclass(frozen=True)
class Wanted:
    """What to make of the rows, as the options of `sealtrace import` say."""

    names: Sequence[str] = ()
    """Patterns of file names whose fields become fields of the rows; the first that fits is taken."""
    renamed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Field to the columns that it is taken from: the first that has a value."""
    constants: Mapping[str, str] = field(default_factory=dict)
    dropped: Sequence[str] = ()
    where: str | None = None
    distinct: bool = False
    delimiter: str | None = None
    records: str | None = None
    """Where in a JSON document its rows lie: names with dots."""


@dataclass(frozen=True)
class ImportedResults:
    """The rows of all files."""

    table: pa.Table
    files: int
    bytes: int
    from_names: tuple[str, ...]
    """Fields that file names gave."""
    empty: tuple[str, ...]
    """Columns without a value, which were left out."""
    dropped: int = 0
    """Rows that the filter left out."""


def files_of(patterns: Sequence[str]) -> list[Path]:
    """The files that patterns name, each once, in order. A directory stands for all result files below it."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        here, there = Path(pattern), list[Path]()
        if here.is_dir():
            paths = [path for path in sorted(here.rglob("*")) if _format(path) and path.is_file()]
        else:
            there = [Path(name) for name in sorted(glob.glob(pattern, recursive=True))]
            paths = [path for path in there if path.is_file()]
        if not paths:
            why = "neither a file nor a directory" if there else f"there is no such file{nearest_path(Path(pattern))}"
            raise UnreadableResultsError(f"{pattern}: {why}")
        for path in paths:
            if as_text(str(path)) != str(path):
                raise UnreadableResultsError(f"{path}: its name is not UTF-8; give it another")
            if not _format(path):
                raise UnreadableResultsError(f"{path}: not a CSV, JSON, JSON lines or Parquet file, by its name")
        found |= dict.fromkeys(paths)
    if len(found) > MOST_FILES:
        raise UnreadableResultsError(f"more than {MOST_FILES} files")
    return list(found)


def read_results(paths: Sequence[Path], wanted: Wanted) -> ImportedResults:
    """All rows of all files as one table."""
    import duckdb

    fields = {path: _fields_of(path, wanted.names) for path in paths}
    with duckdb.connect(":memory:") as connection:
        # So that a row that is refused later can be found in its file.
        connection.execute("SET preserve_insertion_order = true")
        tables = []
        for file_format, reader in _READERS.items():
            if some := [path for path in paths if _format(path) == file_format]:
                tables.append(reader(connection, some, wanted))
        table, dropped = _chosen(connection, _with_names(united(tables), fields), wanted)
    if not table.num_rows:
        raise UnreadableResultsError("there is no row" + (" that the filter keeps" if wanted.where else ""))
    empty = tuple(name for name in table.column_names if table.column(name).null_count == table.num_rows)
    table = table.drop_columns(list(empty))
    if not table.num_columns:
        raise UnreadableResultsError("no column has a value")
    names = tuple(name for name in dict.fromkeys(chain.from_iterable(fields.values())) if name in table.column_names)
    size = sum(path.stat().st_size for path in paths)
    return ImportedResults(table, len(paths), size, names, empty, dropped)


def _format(path: Path) -> str | None:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    return FORMATS.get(suffixes[-1]) if suffixes else None


# Fields from file names


def _fields_of(path: Path, patterns: Sequence[str]) -> dict[str, str]:
    """The fields of a file's name by the first pattern that fits all of it."""
    for pattern in patterns:
        depth = pattern.count("/") + 1
        name = PurePath(*path.parts[-depth:]).as_posix()
        bare = name[: -len("".join(path.suffixes))] if path.suffixes else name
        if found := _name_pattern(pattern).fullmatch(bare) or _name_pattern(pattern).fullmatch(name):
            return found.groupdict()
    if patterns:
        raise UnreadableResultsError(f"{path}: its name does not fit {' or '.join(patterns)}")
    return {}


def _name_pattern(pattern: str) -> re.Pattern[str]:
    """`{field}` takes some text without a slash, `{field:a|b}` one of these words, and `*` anything."""
    parts = []
    for part in re.split(r"(\{[^{}]*\}|\*)", pattern):
        if part == "*":
            parts.append("[^/]*")
        elif part.startswith("{"):
            name, _, words = part[1:-1].partition(":")
            if not re.fullmatch(r"[A-Za-z_]\w*", name):
                raise UnreadableResultsError(f"--name {pattern}: {part} names no field")
            parts.append(f"(?P<{name}>{'|'.join(map(re.escape, words.split('|'))) if words else '[^/]+?'})")
        else:
            parts.append(re.escape(part))
    try:
        return re.compile("".join(parts))
    except re.error as error:
        raise UnreadableResultsError(f"--name {pattern}: {error}") from None


def _with_names(table: pa.Table, fields: dict[Path, dict[str, str]]) -> pa.Table:
    files = table.column(_FILE).combine_chunks().dictionary_encode()
    table = table.drop_columns([_FILE])
    by_text = {str(path): values for path, values in fields.items()}
    for name in dict.fromkeys(chain.from_iterable(fields.values())):
        if name in table.column_names:
            raise UnreadableResultsError(f"{name}: a field of file names and a column of the rows")
        values = pa.array([by_text[file].get(name) for file in files.dictionary.to_pylist()], pa.string())
        table = table.append_column(name, typed(pa.chunked_array([values.take(files.indices)])))
    return table


# Readers


def _csv(connection: DuckDBPyConnection, paths: list[Path], wanted: Wanted) -> pa.Table:
    by_mark: dict[str, list[Path]] = {}
    for path in paths:
        mark = wanted.delimiter or _delimiter(path)
        _one_header(path, mark)
        by_mark.setdefault(mark, []).append(path)
    sql = (
        "SELECT * FROM read_csv(?, delim = ?, quote = '\"', escape = '\"', header = true, skip = 0, comment = '', "
        f"all_varchar = true, strict_mode = true, union_by_name = true, filename = '{_FILE}')"
    )
    tables = []
    for mark, some in by_mark.items():
        tables.append(_run(connection, sql, [[str(path) for path in some], mark], lambda some=some: _bad_line(some)))
    table = united(tables)
    return pa.table(
        {name: table.column(name) if name == _FILE else typed(table.column(name)) for name in table.column_names}
    )


def _delimiter(path: Path) -> str:
    """The mark that the first line has most of."""
    if path.suffixes[0].lower() in (".tsv", ".tab"):
        return "\t"
    return max(",;\t|", key=re.sub(r'"[^"]*"', "", _first_line(path)).count)


def _first_line(path: Path) -> str:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig") as file:
            return str(file.readline(1_000_000))
    except UnicodeDecodeError:
        raise UnreadableResultsError(f"{path}: not UTF-8 text; save the file in that encoding") from None


def _one_header(path: Path, mark: str) -> None:
    try:
        header = next(csv.reader([_first_line(path)], delimiter=mark), [])
    except csv.Error as error:
        raise UnreadableResultsError(f"{path}: its header cannot be read ({error})") from None
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise UnreadableResultsError(f"{path}: the header names the column {twice!r} twice")
    if not all(header) or not header:
        raise UnreadableResultsError(f"{path}: a column has no name in the header")


def _bad_line(paths: list[Path]) -> str | None:
    """The line that DuckDB stumbled over, found again: its own messages speak of dialects."""
    for path in paths:
        if path.suffix == ".gz":
            continue
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                reader = csv.reader(file, delimiter=_delimiter(path), strict=True)
                header = next(reader, [])
                for row in reader:
                    if row and len(row) != len(header):
                        return f"{path}:{reader.line_num}: {len(row)} cells, where the header has {len(header)}"
        except csv.Error as error:
            return f"{path}:{reader.line_num}: not a readable CSV row ({error})"
        except UnicodeDecodeError:
            return f"{path}: not UTF-8 text; save the file in that encoding"
    return None


def _json(connection: DuckDBPyConnection, paths: list[Path], wanted: Wanted) -> pa.Table:
    options = f"format = 'auto', maximum_object_size = 268435456, filename = '{_FILE}'"
    source = f"read_json_objects(?, {options})"
    names = [str(path) for path in paths]
    sql = (
        f"SELECT json_group_structure(json)::VARCHAR, count(*), count(DISTINCT {_FILE}), "
        "coalesce(bool_or(json_type(json) <> 'OBJECT'), false), "
        f"coalesce(bool_or(len(json_keys(json)) <> len(list_distinct(json_keys(json)))), false) FROM {source}"
    )
    ((text, rows, files, other, twice),) = _run(connection, sql, [names]).to_pylist()[0].values(),  # fmt: skip
    if not rows:
        raise UnreadableResultsError(f"{names[0]}: there is no record")
    if other:
        raise UnreadableResultsError(f"{names[0]}: a record is an object with fields; some are not")
    if twice:
        raise UnreadableResultsError("a record names a field twice")
    structure = json.loads(text)
    where = wanted.records
    if where is None and rows == files:
        lists = [name for name, form in structure.items() if isinstance(form, list) and isinstance(form[0], dict)]
        where = lists[0] if len(lists) == 1 else None
    if where is not None:
        path = "$" + "".join(f'."{name}"' for name in where.split("."))
        records = f"unnest(json_extract(json, '{path.replace(chr(39), '')}')::JSON[])"
        source = f"(SELECT {records} AS json, {_FILE} FROM {source})"
        for name in where.split("."):
            structure = structure.get(name) if isinstance(structure, dict) else None
        if not isinstance(structure, list) or not isinstance(structure[0], dict):
            raise UnreadableResultsError(f"--records {where}: there is no list of records")
        structure = structure[0]
    form = json.dumps(_plain_structure(structure))
    sql = f"SELECT unnest(json_transform(json, ?)), {_FILE} FROM {source}"
    return flattened(_run(connection, sql, [form, names]))


def _plain_structure(form: Any) -> Any:
    """Values of several types, and those that are always null, are read as text."""
    if isinstance(form, dict):
        return {name: _plain_structure(value) for name, value in form.items()}
    if isinstance(form, list):
        return [_plain_structure(form[0])]
    return {"JSON": "VARCHAR", "NULL": "VARCHAR"}.get(form, form)


def _parquet(connection: DuckDBPyConnection, paths: list[Path], _: Wanted) -> pa.Table:
    sql = f"SELECT * FROM read_parquet(?, union_by_name = true, filename = '{_FILE}')"
    return flattened(_run(connection, sql, [[str(path) for path in paths]]))


_READERS = {"csv": _csv, "json": _json, "parquet": _parquet}


def _run(connection: DuckDBPyConnection, sql: str, values: list[Any], explain: Any = None) -> pa.Table:
    import duckdb

    try:
        found = connection.sql(sql, params=values).to_arrow_table()
    except (duckdb.Error, pa.ArrowException, MemoryError) as error:
        told = explain() if explain is not None else None
        raise UnreadableResultsError(told or str(error).splitlines()[0]) from None
    return found


def _chosen(connection: DuckDBPyConnection, table: pa.Table, wanted: Wanted) -> tuple[pa.Table, int]:
    """Fields renamed, set and dropped; then the rows that are kept."""
    for name, sources in wanted.renamed.items():
        for source in sources:
            if source not in table.column_names:
                raise UnreadableResultsError(f"there is no column {source!r}{nearest(source, table.column_names)}")
        if name in table.column_names and name not in sources:
            raise UnreadableResultsError(f"{name}: a column already; --drop it, or take the field from it too")
        columns = [table.column(source) for source in sources]
        form = common_type({column.type for column in columns})
        whole = pc.coalesce(*(cast_to(column, form) for column in columns)) if len(columns) > 1 else columns[0]
        place = min(table.column_names.index(source) for source in sources)
        table = table.drop_columns(list(sources)).add_column(min(place, table.num_columns - len(sources)), name, whole)
    for name, text in wanted.constants.items():
        if name in table.column_names:
            raise UnreadableResultsError(f"{name}: a column already; a constant would hide it")
        table = table.append_column(name, typed(pa.chunked_array([pa.repeat(pa.scalar(text), table.num_rows)])))
    for name in wanted.dropped:
        if name not in table.column_names:
            raise UnreadableResultsError(f"there is no column {name!r}{nearest(name, table.column_names)}")
    table = table.drop_columns(list(wanted.dropped))
    rows = table.num_rows
    if wanted.where is not None:
        connection.register("rows", table)
        table = _run(connection, f"SELECT * FROM rows WHERE ({wanted.where}\n)", [])
    dropped = rows - table.num_rows
    if wanted.distinct:
        connection.register("rows", table)
        table = _run(connection, "SELECT DISTINCT * FROM rows ORDER BY ALL", [])
    return table, dropped


# Columns as the types that a record can have


def united(tables: list[pa.Table]) -> pa.Table:
    """Tables below each other; a column that is text in one is text in all."""
    if len(tables) == 1:
        return tables[0]
    kinds: dict[str, set[pa.DataType]] = {}
    for column in chain.from_iterable(table.schema for table in tables):
        kinds.setdefault(column.name, set()).add(column.type)
    several = {name: common_type(found) for name, found in kinds.items() if len(found) > 1}
    parts = []
    for table in tables:
        for place, name in enumerate(table.column_names):
            if name in several:
                table = table.set_column(place, name, cast_to(table.column(name), several[name]))
        parts.append(table)
    return pa.concat_tables(parts, promote_options="default")


def common_type(kinds: set[pa.DataType]) -> pa.DataType:
    if len(kinds) == 1:
        return next(iter(kinds))
    if all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds):
        return pa.float64()
    return pa.string()


def cast_to(column: pa.ChunkedArray, form: pa.DataType) -> pa.ChunkedArray:
    try:
        return column.cast(form)
    except pa.ArrowException as error:
        raise UnreadableResultsError(f"a column differs from file to file: {str(error).splitlines()[0]}") from None


def flattened(table: pa.Table) -> pa.Table:
    """Objects within rows become fields with dots; the types that a record can have, or text."""
    while any(pa.types.is_struct(column.type) for column in table.schema):
        table = table.flatten()
    if len(set(table.column_names)) < table.num_columns:
        raise UnreadableResultsError("a field with a dot in its name and a field of an object are the same")
    return pa.table({name: _settled(name, table.column(name)) for name in table.column_names})


def _settled(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _settled(name, column.cast(kind.value_type))
    if pa.types.is_string(kind) or pa.types.is_boolean(kind) or kind == pa.float64() or pa.types.is_list(kind):
        return column
    if pa.types.is_integer(kind):
        bounds = pc.min_max(column).as_py()
        fits = bounds["min"] is None or (bounds["min"] >= -MAX_INTEGER and bounds["max"] <= MAX_INTEGER)
        # A double could not hold it: a name rather than a number.
        return column.cast(pa.int64() if fits else pa.string())
    if pa.types.is_floating(kind):
        return column.cast(pa.float64())
    if pa.types.is_decimal(kind):
        doubles = column.cast(pa.float64())
        return doubles if doubles.cast(kind, safe=False).equals(column) else column.cast(pa.string())
    texts = str(kind) in ("null", "large_string", "string_view", "extension<arrow.uuid>")
    if texts or pa.types.is_temporal(kind):
        return column.cast(pa.string())
    raise UnreadableResultsError(f"{name}: a column of {kind}, which no record holds; leave it out with --drop {name}")


def typed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text as what all of it plainly is: flags, integers, numbers, or text."""
    text = pc.if_else(pc.equal(column, ""), None, column.cast(pa.string()))
    # Patterns over distinct values cost a fraction of patterns over all rows, and decide the same.
    seen = text.unique().drop_null()
    if not len(seen):
        return text
    for true, false in (("true", "false"), ("True", "False")):
        if pc.all(pc.is_in(seen, pa.array([true, false]))).as_py():
            return pc.equal(text, true)
    if pc.all(pc.match_substring_regex(seen, INTEGER)).as_py():
        if pc.max(pc.abs(seen.cast(pa.int64()))).as_py() <= MAX_INTEGER:
            return text.cast(pa.int64())
    elif pc.all(pc.match_substring_regex(seen, NUMBER)).as_py():
        # An integer that no double holds is a name rather than a number.
        too_long = pc.any(pc.match_substring_regex(seen, "^-?[0-9]{17,}$")).as_py()
        numbers = text.cast(pa.float64())
        if not too_long and pc.all(pc.is_finite(numbers)).as_py():
            return numbers
    return text
