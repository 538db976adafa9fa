"""Parquet files of rows: what a file declares is looked at before anything of it is decoded.

Arrow would read the footer too, but ends the whole process on footers that are damaged in certain ways (a column that
claims to be encrypted, for one). So the few fields that matter here are read from the bytes, which are in Thrift's
compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from sealtrace.bundle.budget import Budget
from sealtrace.bundle.defects import Defect, RowsReading
from sealtrace.bundle.encoding import arrow_array, by_reference, one_chunk, one_dictionary
from sealtrace.bundle.json_columns import array_of, shown
from sealtrace.bundle.shapes import (
    Mapping,
    RowKind,
    Sequence,
    Shape,
    Struct,
    Text,
    arrow_schema,
    arrow_type,
    row_shape,
    width,
)
from sealtrace.bundle.strict_json import StrictJSONError, parse

_TYPES = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_REPEATING = {2, 8, 7}
"""Numbers of the encodings in which a long text takes a few bytes each time that it is repeated."""
_DELTAS = {6, 7}
_DEEPEST = 16
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 12


@dataclass(frozen=True)
class LeafColumn:
    """A column of values within a row group."""

    path: str
    type: str
    values: int
    bytes: int
    repeats: bool
    """Whether it is text that may repeat at next to no cost."""
    deltas: bool
    """Whether its values or their lengths are written as differences."""


def leaves(data: memoryview) -> list[LeafColumn]:
    """Every column of every row group; `ValueError` where the footer is damaged."""
    length = int.from_bytes(data[-8:-4], "little")
    if len(data) < 12 or bytes(data[-4:]) != b"PAR1" or length > len(data) - 8:
        raise ValueError("there is no footer")
    try:
        footer = _structure(bytes(data[len(data) - 8 - length : len(data) - 8]))
        return list(_columns(footer))
    except (KeyError, IndexError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise ValueError(f"the footer is damaged ({type(error).__name__})") from None


def _columns(footer: dict[int, Any]) -> Iterator[LeafColumn]:
    for group in footer[4]:
        for chunk in group[1]:
            if 8 in chunk:
                raise ValueError("a column is encrypted")
            column = chunk[3]
            text = _TYPES[column[1]] == "BYTE_ARRAY"
            yield LeafColumn(
                ".".join(part.decode() for part in column[3]),
                _TYPES[column[1]],
                _count(column[5]),
                _count(column[6]),
                repeats=text and not _REPEATING.isdisjoint(column[2]),
                deltas=not _DELTAS.isdisjoint(column[2]),
            )


def _count(value: int) -> int:
    if value < 0:
        raise ValueError("the footer is damaged (a negative count)")
    return value


def _structure(data: bytes) -> dict[int, Any]:
    """Thrift's compact protocol: fields by number, without their names.

    A large file has hundreds of row groups, so the commonest values, short integers, are read where they are met.
    """
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while shift < 70:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise ValueError("the footer is damaged (a number without end)")

    def text(count: int) -> bytes:
        nonlocal at
        if count > len(data) - at:
            raise ValueError("the footer is damaged (a text longer than the file)")
        at += count
        return data[at - count : at]

    def value(kind: int, depth: int) -> Any:
        nonlocal at
        if _BYTE < kind < _DOUBLE:
            byte = data[at]
            if byte < 0x80:
                at += 1
                return (byte >> 1) ^ -(byte & 1)
            return _signed(varint())
        if kind == _BINARY:
            return text(varint())
        if depth > _DEEPEST:
            raise ValueError("the footer is damaged (nested too deeply)")
        if kind == _STRUCT:
            fields: dict[int, Any] = {}
            number = 0
            while (head := data[at]) & 0x0F != _STOP:
                at += 1
                # A field is numbered by its distance from the one before; by a number of its own where that distance
                # is zero.
                number = number + (head >> 4) if head >> 4 else _signed(varint())
                fields[number] = value(head & 0x0F, depth + 1)
            at += 1
            return fields
        if kind in (_LIST, _SET):
            head = data[at]
            at += 1
            count = varint() if head >> 4 == 15 else head >> 4
            # Every item takes a byte at least, so a longer list is a lie: refused before room is made for it.
            if count > len(data) - at:
                raise ValueError("the footer is damaged (a list longer than the file)")
            if head & 0x0F in (_TRUE, _FALSE):
                return [byte == _TRUE for byte in text(count)]
            return [value(head & 0x0F, depth + 1) for _ in range(count)]
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in (_BYTE, _DOUBLE):
            return text(1)[0] if kind == _BYTE else text(8)
        raise ValueError("the footer is damaged (an unknown type)")

    footer: dict[int, Any] = value(_STRUCT, 0)
    return footer


def _signed(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


_ROW_OVERHEAD = 48
"""Bytes per row that numbering and sorting take besides the columns."""
_BATCH = 2**26
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "BYTE_ARRAY": 4}
"""Bytes of a decoded value by physical type, eight for the others; text is held once and named by number."""


def read_parquet(data: bytes, kind: RowKind, reading: RowsReading, budget: Budget) -> pa.Table:
    """The table with its declared columns; one that is absent or of another type is null. Only the budget raises."""
    import pyarrow.parquet as pq

    shape, path = row_shape(kind), reading.path
    chunks: dict[str, list[pa.Array]] = {field.name: [] for field in shape.fields}
    misfits: dict[str, Defect] = {}
    try:
        metadata = pq.read_metadata(pa.BufferReader(data))
        found = leaves(memoryview(data))
        numbered = _numbered(shape, metadata.schema, found)
        file = pq.ParquetFile(pa.BufferReader(data), metadata=metadata, read_dictionary=numbered)
        names = file.schema_arrow.names
        reading.footer = footer_texts(metadata, file.schema_arrow)
        decoded = sum(max(leaf.values * _WIDTHS.get(leaf.type, 8), leaf.bytes) for leaf in found)
        # Twice: as Arrow decodes the values, and as the columns that the schema declares.
        budget.hold(2 * decoded + metadata.num_rows * (width(shape) + _ROW_OVERHEAD), path)
        expanding = [leaf.bytes for leaf in found if leaf.path not in numbered and leaf.repeats]
        there = [name for name in chunks if names.count(name) == 1]
        for index in range(file.num_row_groups):
            for group in _group(file, index, there, max(expanding, default=0), path, budget):
                # Arrow takes a file's word that its text is UTF-8.
                group.validate(full=True)
                _add_declared(group, shape, path, chunks, misfits)
        # The predicates say where what is absent is wrong. Nulls of a struct share their memory.
        absent = {name for name, some in chunks.items() if name in misfits or not some}
        nulls = pa.nulls(metadata.num_rows if absent else 0, arrow_type(shape))
        columns = [
            nulls.field(place)
            if field.name in absent
            else _numbered_once(pa.chunked_array(chunks.pop(field.name)), field.shape)
            for place, field in enumerate(shape.fields)
        ]
        table = pa.table(columns, names=[field.name for field in shape.fields])
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        reading.syntax.add(Defect(f"The file cannot be read as Parquet: {_first_line(error)}.", path))
        return arrow_schema(kind).empty_table()
    for name in dict.fromkeys(names):
        if name not in there:
            message = "The schema has no such column, or it is there twice."
            reading.misfits.add(Defect(message, path, field=f"/{name}", expected="no such field"))
    reading.misfits.add(*misfits.values())
    return table


def _add_declared(
    group: pa.Table, shape: Struct, path: str, chunks: dict[str, list[pa.Array]], misfits: dict[str, Defect]
) -> None:
    """Adds the columns of a row group, which is let go; notes those that are not what is declared."""
    for field in shape.fields:
        if field.name not in group.column_names or field.name in misfits:
            continue
        column, wanted = group.column(field.name), arrow_type(field.shape)
        try:
            chunks[field.name] += as_declared_column(column, wanted, field.shape).chunks
        except (pa.ArrowException, TypeError) as error:
            message, place = f"The column's type does not fit: {_first_line(error)}.", f"/{field.name}"
            misfits[field.name] = Defect(message, path, field=place, expected=str(wanted), found=str(column.type))


def as_declared(table: pa.Table, shape: Struct) -> pa.Table:
    """The rows with columns as declared, nulls for those that are not there; `TypeError` where one does not fit."""
    columns = [
        as_declared_column(table.column(field.name), arrow_type(field.shape), field.shape)
        if field.name in table.column_names
        else pa.chunked_array([pa.nulls(table.num_rows, arrow_type(field.shape))])
        for field in shape.fields
    ]
    return pa.table(columns, names=[field.name for field in shape.fields])


def _numbered(shape: Struct, schema: Any, found: list[LeafColumn]) -> list[str]:
    """The columns of text that are read as numbers into a list of distinct texts; Arrow cannot do so for deltas."""
    there = {schema.column(index).path for index in range(len(schema))}
    there -= {leaf.path for leaf in found if leaf.deltas}
    return [path for path in text_leaves(shape) if path in there]


def _group(file: Any, index: int, columns: list[str], longest: int, path: str, budget: Budget) -> Iterator[pa.Table]:
    """One row group. `longest` bounds a text that may stand in many rows at next to no cost in the file."""
    budget.on_time(path)
    # Arrow cannot read nested dictionaries across row groups, so each is read by itself.
    # One thread: Arrow's pool saves no CPU time, and was seen to abort a process that was just ending.
    if not longest:
        yield file.read_row_group(index, columns=columns, use_threads=False)
        return
    rows = max(1, min(2**16, _BATCH // longest))
    for batch in file.iter_batches(batch_size=rows, row_groups=[index], columns=columns, use_threads=False):
        budget.hold(batch.nbytes, path)
        yield pa.Table.from_batches([batch])


def footer_texts(metadata: Any, schema: pa.Schema) -> bytes:
    """Every text that the file holds besides its records, for the search for marks of people."""
    parts = [str(metadata.created_by).encode(), *map(str.encode, map(str, schema.names))]
    pending = [metadata.metadata, schema.metadata, *(child.metadata for child in schema)]
    fields = [schema.field(index).type for index in range(len(schema))]
    while fields:
        data_type = fields.pop()
        for index in range(data_type.num_fields):
            child = data_type.field(index)
            parts.append(child.name.encode())
            pending.append(child.metadata)
            fields.append(child.type)
    for pairs in pending:
        parts.extend(text for pair in (pairs or {}).items() for text in pair)
    return b"\n".join(parts) + b"\n"


def as_declared_column(column: pa.ChunkedArray, wanted: pa.DataType, shape: Shape) -> pa.ChunkedArray:
    """The column in its declared type, text left dictionary-encoded; only casts that lose nothing."""
    if pa.types.is_list(wanted) and _is_text(_plain(column.type)):
        return _from_texts(column, shape)
    if _plain(column.type) == wanted:
        return column
    if pa.types.is_nested(column.type):
        column = pa.chunked_array([_mapped(one_chunk(column), wanted)])
        if _plain(column.type) == wanted:
            return column
    _same_sort(column.type, wanted)
    return column.cast(wanted)


def _numbered_once(column: pa.ChunkedArray, shape: Shape) -> pa.ChunkedArray:
    """Text with one dictionary instead of one for each row group; as plain text where hardly any text is repeated."""
    if not (pa.types.is_dictionary(column.type) and isinstance(shape, Text)):
        return column
    distinct = sum(len(chunk.dictionary) for chunk in column.chunks)
    # References to texts that hardly repeat take more room than the texts themselves.
    if len(column) >= _MANY and 4 * distinct > 3 * len(column):
        column = pa.chunked_array([chunk.dictionary.take(chunk.indices) for chunk in column.chunks])
        return pa.chunked_array([one_chunk(column)])
    return column if column.num_chunks == 1 else pa.chunked_array([one_chunk(one_dictionary(column))])


_MANY = 4096


def _from_texts(column: pa.ChunkedArray, shape: Shape) -> pa.ChunkedArray:
    """Lists from their JSON texts, each distinct text read once, and strictly; texts in them stay by reference."""
    coded = one_chunk(one_dictionary(by_reference(column)))
    lists = values_of_texts(coded.dictionary.to_pylist(), shape)
    if pa.types.is_string(lists.type.value_type):
        lists = pa.ListArray.from_arrays(lists.offsets, lists.values.dictionary_encode(), mask=lists.is_null())
    return pa.chunked_array([lists.take(coded.indices)])


def values_of_texts(texts: list[str | None], shape: Shape) -> pa.Array:
    """What JSON texts say; `TypeError` where one is not strict JSON or does not fit."""

    def misfit(_: int, pointer: str, expected: str, found: str) -> None:
        raise TypeError(f"the JSON text does not fit at {pointer or '/'}: expected {expected}, found {found}")

    try:
        values = [None if text is None else parse(text.encode()) for text in texts]
    except StrictJSONError as error:
        raise TypeError(f"the text is not strict JSON: {error}") from None
    return array_of(values, shape, misfit)


def _mapped(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """The array with names and values where it has, at any depth, a struct with a field per name, as DuckDB writes."""
    if pa.types.is_list(wanted) and pa.types.is_list(array.type):
        items = _mapped(values := array.values, wanted.value_type)
        return array if items is values else pa.ListArray.from_arrays(array.offsets, items, mask=array.is_null())
    if not pa.types.is_struct(array.type) or not (pa.types.is_map(wanted) or pa.types.is_struct(wanted)):
        return array
    names, children = [child.name for child in array.type], array.flatten()
    if pa.types.is_map(wanted):
        return _entries(array, names, wanted)
    mapped = [
        _mapped(child, wanted.field(name).type) if wanted.get_field_index(name) >= 0 else child
        for name, child in zip(names, children, strict=True)
    ]
    if all(new is old for new, old in zip(mapped, children, strict=True)):
        return array
    return pa.StructArray.from_arrays(mapped, names, mask=array.is_null())


def _entries(array: pa.StructArray, names: list[str], wanted: pa.MapType) -> pa.MapArray:
    """Names to values from a struct with a field per name; what is null is not there."""
    if len(set(names)) < len(names):
        raise TypeError("a name is there twice")
    children = []
    for child in array.flatten():
        _same_sort(child.type, wanted.item_type)
        children.append(child.cast(wanted.item_type))
    if children and not any(child.null_count for child in children) and pa.types.is_float64(wanted.item_type):
        matrix = np.empty((len(array), len(children)))
        for place, child in enumerate(children):
            matrix[:, place] = child.to_numpy()
        return pa.MapArray.from_arrays(*_same_names(tuple(names), len(array)), arrow_array(matrix.ravel()))
    texts = pa.array(names, pa.string())
    there = np.zeros((len(children), len(array)), bool)
    for row, child in zip(there, children, strict=True):
        row[:] = child.is_valid().to_numpy(zero_copy_only=False)
    rows, fields = (index.astype(np.int64) for index in np.nonzero(there.T))
    offsets = np.zeros(len(array) + 1, np.int32)
    np.cumsum(there.sum(axis=0), out=offsets[1:])
    values = pa.concat_arrays(children) if children else pa.array([], wanted.item_type)
    return pa.MapArray.from_arrays(
        arrow_array(offsets),
        pa.DictionaryArray.from_arrays(arrow_array(fields.astype(np.int32)), texts),
        values.take(arrow_array(fields * len(array) + rows)),
        mask=array.is_null(),
    )


@lru_cache(maxsize=4)
def _same_names(names: tuple[str, ...], count: int) -> tuple[pa.Array, pa.Array]:
    """Where maps begin and what they name, if all name the same: columns of a length share this."""
    codes = np.tile(np.arange(len(names), dtype=np.int32), count)
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(len(names))
    return arrow_array(offsets), pa.DictionaryArray.from_arrays(arrow_array(codes), pa.array(names, pa.string()))


def _same_sort(found: pa.DataType, wanted: pa.DataType) -> None:
    """Refuses what Arrow would cast by changing values rather than their width: text to numbers, say."""
    if pa.types.is_null(found):
        return
    if pa.types.is_dictionary(found):
        found = found.value_type
    lists = pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list
    if pa.types.is_list(wanted) and any(test(found) for test in lists):
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


def text_leaves(shape: Struct) -> list[str]:
    """The paths of columns that hold text, as Parquet names them."""
    leaves = []
    for child in shape.fields:
        match child.shape:
            case Text():
                leaves.append(child.name)
            case Sequence(item=item):
                # A list is there as such, or as JSON text.
                leaves.append(child.name)
                if isinstance(item, Text):
                    leaves.append(f"{child.name}.list.element")
            case Mapping():
                leaves.append(f"{child.name}.key_value.key")
    return leaves


def _first_line(error: Exception) -> str:
    return shown(str(error).splitlines()[0] if str(error) else type(error).__name__, 160)
