"""Files of rows: JSON lines for people, Parquet for size, CSV as others have it, one Arrow table either way."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Several
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.budget import Budget
from sealtrace.bundle.defects import Defect, Defects, RowsReading
from sealtrace.bundle.fast_json import fast_table
from sealtrace.bundle.json_columns import check_table, shown, table_from_rows
from sealtrace.bundle.parquet import read_parquet
from sealtrace.bundle.shapes import (
    INTEGER,
    NUMBER,
    Declared,
    Field,
    Flag,
    Integer,
    NumberShape,
    RowKind,
    Text,
    arrow_schema,
    arrow_type,
    describe,
    row_key,
    row_shape,
    width,
)
from sealtrace.bundle.strict_json import StrictJSONError, parse


@dataclass(frozen=True)
class Store:
    """The rows of one file."""

    path: str
    kind: str
    """The record kind; of a dataset, its name."""
    table: pa.Table
    """The rows that fit the schema."""
    rows: npt.NDArray[np.int64] | range
    """Line or row number of each, from one; all that follow each other as a range, which takes no memory."""
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
    footer: bytes = b""
    """What a Parquet file says besides its records."""

    @property
    def defects(self) -> list[Defect]:
        """What is wrong with the file, as far as it is kept."""
        return self.syntax.listed + self.misfits.listed

    @classmethod
    def streamed(cls, path: str, kind: str, form: RowKind, count: int) -> Store:
        """Rows that were judged a shard at a time and are not held."""
        none = arrow_schema(form).empty_table()
        return cls(path, kind, none, range(0), none, Defects(), Defects(), count, none, form)


def read_rows(
    data: bytes, path: str, kind: RowKind, file_format: str, *, every_row: bool = False, budget: Budget | None = None
) -> Store:
    """Reads a file of rows. What is wrong is in the store's defects; only the budget raises."""
    reading = RowsReading(path, row_key(kind))
    reader = {"parquet": read_parquet, "csv": _read_csv}.get(file_format, _read_json)
    table = reader(data, kind, reading, budget or Budget())
    reading.value_of = lambda row, name: table.column(name)[row].as_py()
    count = table.num_rows + (reading.syntax.total if reader is _read_json else 0)
    # The content digest is over all rows, so that one row which cannot be read leaves none.
    whole = None if reading.misfits.total or reading.syntax.total else table
    check_table(table, row_shape(kind), reading.of_value)
    if every_row:
        _judge_each(table, kind, reading)
    good, refused = table, table.slice(0, 0)
    numbers = range(1, count + 1) if isinstance(reading.numbers, range) else np.asarray(reading.numbers, np.int64)
    if reading.spoilt:
        sound = _sound(table, reading)
        refused = table.take(pa.array(sorted(reading.spoilt)))
        good, numbers = table.take(pa.array(sound)), np.asarray(numbers)[sound]
    name = kind.name if isinstance(kind, Declared) else kind
    return Store(
        path, name, good, numbers, whole, reading.syntax, reading.misfits, count, refused, kind, reading.footer
    )


def _sound(table: pa.Table, reading: RowsReading) -> npt.NDArray[np.int64]:
    """The places of the rows without a defect."""
    keep = np.ones(table.num_rows, bool)
    keep[sorted(reading.spoilt)] = False
    return np.flatnonzero(keep)


def _judge_each(table: pa.Table, kind: RowKind, reading: RowsReading) -> None:
    """Puts each row that the predicates let pass before jsonschema too, and before the model where there is one."""
    from sealtrace.bundle.documents import misfits_of  # start-up: jsonschema, only with --every-row

    sound = _sound(table, reading)
    # Only sound rows have a form in JSON: Parquet can hold a map with a key twice.
    records = table.take(pa.array(sound)).to_pylist(maps_as_pydicts="strict")
    for row, record in zip(sound.tolist(), records, strict=True):
        for misfit in misfits_of(kind, without_nulls(record), by_library=True):
            reading.of_value(row, *misfit)


def without_nulls(value: Any) -> Any:
    """A record as JSON would carry it: what is absent is not written."""
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


_STRETCH = 2**23
"""Bytes of JSON lines that are parsed before they become columns: Python objects take many times their text."""


def _read_json(data: bytes, kind: RowKind, reading: RowsReading, budget: Budget) -> pa.Table:
    """The rows that are strict JSON."""
    shape, wanted = row_shape(kind), arrow_schema(kind)
    tables: list[pa.Table] = [wanted.empty_table()]
    reading.numbers = numbers = list[int]()
    count = 0
    # A number of two characters becomes a double, and an absent field takes its place in its column.
    budget.hold(4 * len(data) + (_line_ends(data) + 1) * width(shape), reading.path)
    for text in _stretches(data):
        budget.on_time(reading.path)
        # The fast reader is sure or says nothing: what it leaves is read strictly, with the place of what is wrong.
        if (fast := fast_table(text, shape)) is not None:
            tables.append(fast)
            numbers.extend(range(count + 1, count + fast.num_rows + 1))
            count += fast.num_rows
            continue
        rows: list[Any] = []
        start = len(numbers)
        for line in text.split(b"\n"):
            count += 1
            try:
                rows.append(parse(line, first_line=count))
                numbers.append(count)
            except StrictJSONError as error:
                reading.syntax.add(Defect.of_json(error, reading.path))
        reading.value_of = lambda row, name: (
            rows[row - start].get(name) if isinstance(rows[row - start], dict) else None
        )
        tables.append(table_from_rows(rows, shape, lambda row, *misfit: reading.of_type(start + row, *misfit)))
    return joined(tables[1:] or tables, wanted)


def joined(tables: Several[pa.Table], wanted: pa.Schema) -> pa.Table:
    """Tables below each other. Names of maps, and texts, may be by reference in some of them and not in others."""
    if len({str(table.schema) for table in tables}) > 1:
        tables = [table.cast(wanted) for table in tables]
    return pa.concat_tables(tables)


def _line_ends(data: bytes) -> int:
    """How many there are; `bytes.count` takes several times as long where there are many."""
    characters = np.frombuffer(data, np.uint8)
    starts = range(0, len(data), 2**20)
    return sum(int(np.count_nonzero(characters[start : start + 2**20] == ord("\n"))) for start in starts)


def _stretches(data: bytes) -> Iterator[bytes]:
    """The lines, some at a time, without the end of the last. Blank lines at the end are no rows."""
    end = len(data)
    while end and not (tail := data[max(0, end - 2**16) : end]).rstrip():
        end -= len(tail)
    end -= len(tail) - len(tail.rstrip()) if end else 0
    if not end and data:
        yield b""  # nothing but blank lines is no file of rows
    start = 0
    while start < end:
        found = data.find(b"\n", start + _STRETCH, end) if end - start > _STRETCH else -1
        stop = end if found < 0 else found
        yield data[start:stop]
        start = stop + 1


def _read_csv(data: bytes, kind: RowKind, reading: RowsReading, budget: Budget) -> pa.Table:
    """Cells as the types of their fields: commas, one header, an empty cell for what is absent, `true` and `false`.

    Rows are counted from one, below the header.
    """
    import pyarrow.csv as reader

    budget.hold(4 * len(data), reading.path)
    schema = arrow_schema(kind)
    try:
        header = reader.open_csv(pa.BufferReader(data)).schema.names
        table = reader.read_csv(
            pa.BufferReader(data),
            read_options=reader.ReadOptions(use_threads=False),
            parse_options=reader.ParseOptions(newlines_in_values=True),
            convert_options=reader.ConvertOptions(
                column_types={name: pa.string() for name in header},
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
    except (pa.ArrowException, OSError, ValueError) as error:
        message = f"The file cannot be read as CSV: {shown(str(error).splitlines()[0], 160)}."
        reading.syntax.add(Defect(message, reading.path))
        return schema.empty_table()
    names = table.column_names
    if bad := [name for name in names if name not in schema.names or names.count(name) > 1]:
        message = f"The dataset declares no column {shown(bad[0])}, or the file has it twice."
        reading.syntax.add(Defect(message, reading.path, 1))
        return schema.empty_table()
    columns = [
        _csv_column(table.column(field.name), field, reading)
        if field.name in names
        else pa.nulls(table.num_rows, arrow_type(field.shape))
        for field in row_shape(kind).fields
    ]
    return pa.table(columns, schema=schema)


def _csv_column(column: pa.ChunkedArray, field: Field, reading: RowsReading) -> pa.ChunkedArray:
    """A column as what its field is; what it cannot be is noted and becomes absent."""
    match field.shape:
        case Text():
            return column
        case Flag():
            good = pc.is_in(column, pa.array(["true", "false"]))
        case Integer():
            good = pc.match_substring_regex(column, INTEGER)
        case NumberShape():
            good = pc.match_substring_regex(column, NUMBER)
        case _:
            good = pc.is_null(column)
    good = pc.fill_null(pc.or_(good, pc.is_null(column)), True)
    if not pc.all(good).as_py():
        for row in np.flatnonzero(~good.combine_chunks().to_numpy(zero_copy_only=False)).tolist():
            reading.of_type(row, f"/{field.name}", describe(field.shape), shown(column[row].as_py()))
        column = pc.if_else(good, column, pa.scalar(None, pa.string()))
    return pc.equal(column, "true") if isinstance(field.shape, Flag) else column.cast(arrow_type(field.shape))
