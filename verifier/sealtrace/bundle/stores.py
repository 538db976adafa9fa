"""Files of rows: JSON lines for people, Parquet for size, one Arrow table either way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sealtrace.bundle.defects import Defect
from sealtrace.bundle.json_columns import shown, table_from_rows
from sealtrace.bundle.predicates import check_table
from sealtrace.bundle.shapes import Declared, Mapping, RowKind, Sequence, Struct, Text, arrow_schema, row_key, row_shape
from sealtrace.bundle.strict_json import StrictJSONError, parse

LISTED_DEFECTS = 1000
"""How many defects of one file are kept in full; all are counted."""


@dataclass
class Defects:
    """Defects of one file: all counted, the first kept."""

    listed: list[Defect] = field(default_factory=list)
    total: int = 0

    def add(self, defect: Defect) -> None:
        """Count one more."""
        self.total += 1
        if len(self.listed) < LISTED_DEFECTS:
            self.listed.append(defect)


@dataclass(frozen=True)
class Store:
    """The rows of one file."""

    path: str
    kind: str
    """The record kind; of a dataset, its name."""
    table: pa.Table
    """The rows that fit the schema."""
    rows: npt.NDArray[np.int64]
    """Line or row number of each, from one."""
    whole: pa.Table | None
    """All rows, for the content digest; None where a row could not be read."""
    syntax: Defects
    """Text that is not strict JSON, or bytes that are not Parquet."""
    misfits: Defects
    """Rows that their schema refuses."""
    count: int
    """Rows in the file, readable or not."""
    refused: pa.Table
    """Rows that their schema refuses, with nothing where a value has no place in its column."""
    form: RowKind
    """What its rows are: the kind, or the dataset's declaration."""


class _Misfits:
    """Collects what the schema refuses in one file, and which rows are spoilt by it."""

    def __init__(
        self, path: str, kind: RowKind, numbers: npt.NDArray[np.int64], key_of: Callable[[int, str], Any]
    ) -> None:
        self.defects = Defects()
        self.spoilt: set[int] = set()
        self._known: set[tuple[int, str]] = set()
        self._path, self._kind, self._numbers, self._key_of = path, kind, numbers, key_of

    def of_type(self, row: int, pointer: str, expected: str, found: str) -> None:
        """A value that has no place in its column. It becomes null there."""
        self._known.add((row, pointer))
        self._add(row, pointer, expected, found)

    def of_value(self, row: int, pointer: str, expected: str, found: str) -> None:
        """A value that its column holds but its schema refuses; a null left by `of_type` is known already."""
        if (row, pointer) not in self._known:
            self._add(row, pointer, expected, found)

    def sound(self, count: int) -> npt.NDArray[np.int64]:
        """The rows, of so many, that nothing was said against."""
        keep = np.ones(count, bool)
        keep[sorted(self.spoilt)] = False
        return np.flatnonzero(keep)

    def _add(self, row: int, pointer: str, expected: str, found: str) -> None:
        self.spoilt.add(row)
        if self.defects.total >= LISTED_DEFECTS:
            # Counted only: looking up the key of every bad row of a million takes minutes.
            self.defects.total += 1
            return
        values = {name: self._key_of(row, name) for name in row_key(self._kind)}
        key = {name: value for name, value in values.items() if isinstance(value, str)}
        self.defects.add(
            Defect(
                "the schema refuses this value",
                self._path,
                int(self._numbers[row]),
                key=key or None,
                field=pointer,
                expected=expected,
                found=found,
            )
        )


def read_rows(data: bytes | pa.Buffer, path: str, kind: RowKind, file_format: str, *, every_row: bool = False) -> Store:
    """Reads a file of rows. Nothing raises: what is wrong is in the store's defects."""
    syntax = Defects()
    shape = row_shape(kind)
    if file_format == "parquet":
        table, columns = _parquet(data, path, kind, syntax)
        count = table.num_rows
        numbers = np.arange(1, count + 1, dtype=np.int64)
        misfits = _Misfits(path, kind, numbers, lambda row, name: table.column(name)[row].as_py())
        for defect in columns:
            misfits.defects.add(defect)
    elif file_format == "csv":
        from sealtrace.bundle.csv_rows import table_from_csv

        read = table_from_csv(bytes(data), path, shape, syntax)
        table, numbers, count = read.table, read.numbers, read.count
        misfits = _Misfits(path, kind, numbers, lambda row, name: table.column(name)[row].as_py())
        for misfit in read.misfits:
            misfits.of_type(*misfit)
    else:
        rows, numbers, count = _json_lines(bytes(data), path, syntax)
        misfits = _Misfits(
            path,
            kind,
            numbers,
            lambda row, name: rows[row].get(name) if isinstance(rows[row], dict) else None,
        )
        table = table_from_rows(rows, shape, misfits.of_type)
    lossless = not (misfits.defects.total or syntax.total)
    check_table(table, shape, misfits.of_value)
    if every_row:
        _judge_each(table, kind, misfits)
    good, refused = table, table.slice(0, 0)
    if misfits.spoilt:
        sound = misfits.sound(table.num_rows)
        refused = table.take(pa.array(sorted(misfits.spoilt)))
        good, numbers = table.take(pa.array(sound)), numbers[sound]
    name = kind.name if isinstance(kind, Declared) else kind
    whole = table if lossless else None
    return Store(path, name, good, numbers, whole, syntax, misfits.defects, count, refused, kind)


def _judge_each(table: pa.Table, kind: RowKind, misfits: _Misfits) -> None:
    """Puts each row that the predicates let pass before jsonschema and the model too."""
    from sealtrace.bundle.documents import misfits_of

    if isinstance(kind, Declared):
        return  # it has neither a published schema nor a model: the predicates are its only judge
    sound = misfits.sound(table.num_rows)
    # Only sound rows have a form in JSON: Parquet can hold a map with a key twice.
    records = table.take(pa.array(sound)).to_pylist(maps_as_pydicts="strict")
    for row, record in zip(sound.tolist(), records, strict=True):
        for pointer, expected, found in misfits_of(kind, without_nulls(record)):
            misfits.of_value(row, pointer, expected, found)


def without_nulls(value: Any) -> Any:
    """A record as JSON would carry it: what is absent is not written."""
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def _json_lines(data: bytes, path: str, syntax: Defects) -> tuple[list[Any], npt.NDArray[np.int64], int]:
    rows: list[Any] = []
    numbers: list[int] = []
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for number, line in enumerate(lines, 1):
        try:
            rows.append(parse(line, first_line=number))
            numbers.append(number)
        except StrictJSONError as error:
            place = error.position
            syntax.add(Defect(place.message, path, place.line, place.column))
    return rows, np.array(numbers, np.int64), len(lines)


def _parquet(data: bytes | pa.Buffer, path: str, kind: RowKind, syntax: Defects) -> tuple[pa.Table, list[Defect]]:
    """The table with its declared columns, and what is wrong with the columns it has."""
    import pyarrow.parquet as pq

    wanted = arrow_schema(kind)
    try:
        metadata = pq.read_metadata(pa.BufferReader(data))
        there = {metadata.schema.column(index).path for index in range(metadata.num_columns)}
        leaves = [leaf for leaf in _text_leaves(row_shape(kind)) if leaf in there]
        file = pq.ParquetFile(pa.BufferReader(data), metadata=metadata, read_dictionary=leaves)
        # Arrow cannot read nested dictionaries across row groups, so each is read by itself.
        # One thread: Arrow's pool saves no CPU time, and was seen to abort a process that was just ending.
        groups = [file.read_row_group(index, use_threads=False) for index in range(file.num_row_groups)]
        table = pa.concat_tables(groups) if groups else file.schema_arrow.empty_table()
        # Arrow takes a file's word that its text is UTF-8.
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        syntax.add(Defect(f"not a readable Parquet file: {_first_line(error)}", path))
        return wanted.empty_table(), []
    defects = [
        Defect(
            "the schema has no such column, or it is there twice",
            path,
            field=f"/{name}",
            expected="no such field",
        )
        for name in dict.fromkeys(table.column_names)
        if name not in wanted.names or table.column_names.count(name) > 1
    ]
    columns = []
    for field_ in wanted:
        if table.column_names.count(field_.name) != 1:
            # An absent column is a column of nulls; the predicates say where that is wrong.
            columns.append(pa.chunked_array([pa.nulls(table.num_rows, field_.type)]))
            continue
        column = table.column(field_.name)
        try:
            columns.append(_as_declared(column, field_.type))
        except (pa.ArrowException, TypeError) as error:
            defects.append(
                Defect(
                    f"the column's type does not fit: {_first_line(error)}",
                    path,
                    field=f"/{field_.name}",
                    expected=str(field_.type),
                    found=str(column.type),
                )
            )
            columns.append(pa.chunked_array([pa.nulls(table.num_rows, field_.type)]))
    return pa.table(columns, names=wanted.names), defects


def _as_declared(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    """The column in its declared type, text left dictionary-encoded; only casts that lose nothing."""
    if _plain(column.type) == wanted:
        return column
    _same_sort(column.type, wanted)
    return column.cast(wanted)


def _same_sort(found: pa.DataType, wanted: pa.DataType) -> None:
    """Refuses what Arrow would cast by changing values rather than their width: text to numbers, say."""
    if pa.types.is_null(found):
        return
    if pa.types.is_dictionary(found):
        found = found.value_type
    if pa.types.is_list(wanted) and _is_list(found):
        _same_sort(found.value_type, wanted.value_type)
    elif pa.types.is_map(wanted) and pa.types.is_map(found):
        _same_sort(found.key_type, wanted.key_type)
        _same_sort(found.item_type, wanted.item_type)
    elif pa.types.is_struct(wanted) and pa.types.is_struct(found):
        names = [child.name for child in found]
        for child in found:
            if wanted.get_field_index(child.name) < 0 or names.count(child.name) > 1:
                raise TypeError(f"the schema has no such field, or it is there twice: {child.name}")
            _same_sort(child.type, wanted.field(child.name).type)
    elif pa.types.is_floating(wanted) and pa.types.is_integer(found):
        # JSON writes 4 for 4.0 as well; the cast refuses integers that a double cannot hold.
        return
    elif not any(sort(wanted) and sort(found) for sort in _SORTS):
        raise TypeError(f"{found} is not {wanted}")


def _is_list(data_type: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(data_type) or pa.types.is_large_list(data_type) or pa.types.is_fixed_size_list(data_type)
    )


def _is_text(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_string(data_type) or pa.types.is_large_string(data_type))


_SORTS = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean, _is_text)


def _plain(data_type: pa.DataType) -> pa.DataType:
    """A type with its dictionary encodings taken away."""
    if pa.types.is_dictionary(data_type):
        return _plain(data_type.value_type)
    if pa.types.is_map(data_type):
        return pa.map_(_plain(data_type.key_type), _plain(data_type.item_type))
    if pa.types.is_list(data_type):
        return pa.list_(_plain(data_type.value_type))
    if pa.types.is_struct(data_type):
        return pa.struct([pa.field(child.name, _plain(child.type)) for child in data_type])
    return data_type


def _text_leaves(shape: Struct) -> list[str]:
    leaves = []
    for child in shape.fields:
        match child.shape:
            case Text():
                leaves.append(child.name)
            case Sequence(item=Text()):
                leaves.append(f"{child.name}.list.element")
            case Mapping():
                leaves.append(f"{child.name}.key_value.key")
    return leaves


def _first_line(error: Exception) -> str:
    return shown(str(error).splitlines()[0] if str(error) else type(error).__name__, 160)


def write_parquet(table: pa.Table, sink: Any, row_group_size: int = 2**17) -> None:
    """Writes a table of records as Parquet."""
    import pyarrow.parquet as pq

    pq.write_table(table, sink, compression="zstd", row_group_size=row_group_size)
