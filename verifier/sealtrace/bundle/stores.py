"""Files of rows: JSON lines for people, Parquet for size, CSV as others have it, one Arrow table either way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.budget import Budget
from sealtrace.bundle.defects import Defect
from sealtrace.bundle.fast_json import fast_table
from sealtrace.bundle.json_columns import check_table, shown, table_from_rows
from sealtrace.bundle.parquet import read_parquet
from sealtrace.bundle.plain_columns import INTEGER, NUMBER
from sealtrace.bundle.shapes import (
    Declared,
    Field,
    Flag,
    Integer,
    Number,
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


class _Misfits:
    """Collects what the schema refuses in one file, and which rows are spoilt by it."""

    def __init__(self, path: str, kind: RowKind) -> None:
        self.defects = Defects()
        self.spoilt: set[int] = set()
        self.numbers: list[int] | npt.NDArray[np.int64] | range = []
        self.key_of: Callable[[int, str], Any] = lambda _row, _name: None
        """The value of a field of a row, as far as it is known when a misfit is met."""
        self._known: set[tuple[int, str]] = set()
        self._path, self._kind = path, kind

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
        values = {name: self.key_of(row, name) for name in row_key(self._kind)}
        key = {name: value for name, value in values.items() if isinstance(value, str)}
        self.defects.add(
            Defect(
                "The value does not fit the schema.",
                self._path,
                int(self.numbers[row]),
                key=key or None,
                field=pointer,
                expected=expected,
                found=found,
            )
        )


def read_rows(
    data: bytes | pa.Buffer,
    path: str,
    kind: RowKind,
    file_format: str,
    *,
    every_row: bool = False,
    budget: Budget | None = None,
) -> Store:
    """Reads a file of rows. What is wrong is in the store's defects; only the budget raises."""
    budget = budget or Budget()
    syntax = Defects()
    misfits = _Misfits(path, kind)
    footer = b""
    if file_format == "parquet":
        read = read_parquet(data, path, kind, budget)
        table, footer, count = read.table, read.footer, read.table.num_rows
        for defect in read.unreadable:
            syntax.add(defect)
        for defect in read.columns:
            misfits.defects.add(defect)
        misfits.numbers = range(1, count + 1)
    elif file_format == "csv":
        budget.hold(4 * len(data), path)
        table = _csv_table(bytes(data), path, kind, syntax, misfits)
        count = table.num_rows
    else:
        table, count = _json_table(bytes(data), path, kind, syntax, misfits, budget)
    misfits.key_of = lambda row, name: table.column(name)[row].as_py()
    numbers = misfits.numbers if isinstance(misfits.numbers, range) else np.asarray(misfits.numbers, np.int64)
    lossless = not (misfits.defects.total or syntax.total)
    check_table(table, row_shape(kind), misfits.of_value)
    if every_row:
        _judge_each(table, kind, misfits)
    good, refused = table, table.slice(0, 0)
    if misfits.spoilt:
        sound = misfits.sound(table.num_rows)
        refused = table.take(pa.array(sorted(misfits.spoilt)))
        good, numbers = table.take(pa.array(sound)), np.asarray(numbers)[sound]
    whole = table if lossless else None
    name = kind.name if isinstance(kind, Declared) else kind
    return Store(path, name, good, numbers, whole, syntax, misfits.defects, count, refused, kind, footer)


def _judge_each(table: pa.Table, kind: RowKind, misfits: _Misfits) -> None:
    """Puts each row that the predicates let pass before jsonschema too, and before the model where there is one."""
    from sealtrace.bundle.documents import misfits_of

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


_STRETCH = 2**23
"""Bytes of JSON lines that are parsed before they become columns: Python objects take many times their text."""


def _json_table(
    data: bytes, path: str, kind: RowKind, syntax: Defects, misfits: _Misfits, budget: Budget
) -> tuple[pa.Table, int]:
    """The rows that are strict JSON, and how many lines there are."""
    shape = row_shape(kind)
    tables: list[pa.Table] = []
    numbers: list[int] = []
    misfits.numbers = numbers
    count = 0
    # A number of two characters becomes a double, and an absent field takes its place in its column.
    budget.hold(4 * len(data) + (_line_ends(data) + 1) * width(shape), path)
    for text in _stretches(data):
        budget.on_time(path)
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
                syntax.add(Defect.of_json(error, path))
        misfits.key_of = lambda row, name: rows[row - start].get(name) if isinstance(rows[row - start], dict) else None
        tables.append(table_from_rows(rows, shape, lambda row, *misfit: misfits.of_type(start + row, *misfit)))
    wanted = arrow_schema(kind)
    if len({str(table.schema) for table in tables}) > 1:
        # Some lines were read by Arrow, which numbers the names of maps.
        tables = [table.cast(wanted) for table in tables]
    return pa.concat_tables(tables) if tables else pa.table([pa.nulls(0, one.type) for one in wanted], wanted), count


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


def _csv_table(data: bytes, path: str, kind: RowKind, syntax: Defects, misfits: _Misfits) -> pa.Table:
    """Cells as the types of their fields: commas, one header, an empty cell for what is absent, `true` and `false`.

    Rows are counted from one, below the header.
    """
    import pyarrow.csv as reader

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
        syntax.add(Defect(f"The file cannot be read as CSV: {shown(str(error).splitlines()[0], 160)}.", path))
        return schema.empty_table()
    names = table.column_names
    for name in dict.fromkeys(names):
        if name not in schema.names or names.count(name) > 1:
            syntax.add(Defect(f"The dataset declares no column {shown(name)}, or the file has it twice.", path, 1))
            return schema.empty_table()
    misfits.numbers = range(1, table.num_rows + 1)
    columns = [
        _csv_column(table.column(one.name), one, misfits)
        if one.name in names
        else pa.nulls(table.num_rows, arrow_type(one.shape))
        for one in row_shape(kind).fields
    ]
    return pa.table(columns, schema=schema)


def _csv_column(column: pa.ChunkedArray, field: Field, misfits: _Misfits) -> pa.ChunkedArray:
    """A column as what its field is; what it cannot be is noted and becomes absent."""
    match field.shape:
        case Text():
            return column
        case Flag():
            good = pc.is_in(column, pa.array(["true", "false"]))
        case Integer():
            good = pc.match_substring_regex(column, INTEGER)
        case Number():
            good = pc.match_substring_regex(column, NUMBER)
        case _:
            good = pc.is_null(column)
    good = pc.fill_null(pc.or_(good, pc.is_null(column)), True)
    if not pc.all(good).as_py():
        for row in np.flatnonzero(~good.combine_chunks().to_numpy(zero_copy_only=False)).tolist():
            misfits.of_type(row, f"/{field.name}", describe(field.shape), shown(column[row].as_py()))
        column = pc.if_else(good, column, pa.scalar(None, pa.string()))
    return pc.equal(column, "true") if isinstance(field.shape, Flag) else column.cast(arrow_type(field.shape))
