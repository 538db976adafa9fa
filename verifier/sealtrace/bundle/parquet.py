"""Parquet files of rows: what a file declares is looked at before anything of it is decoded.

Arrow would read the footer too, but ends the whole process on footers that are damaged in certain ways (a column that
claims to be encrypted, for one). So the few fields that matter here are read from the bytes, which are in Thrift's
compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from sealtrace.bundle.budget import Budget
from sealtrace.bundle.defects import Defect
from sealtrace.bundle.encoding import arrow_integers, one_chunk, one_dictionary
from sealtrace.bundle.json_columns import array_of, shown
from sealtrace.bundle.shapes import Mapping, RowKind, Sequence, Shape, Struct, Text, arrow_schema, row_shape, width
from sealtrace.bundle.strict_json import StrictJSONError, parse

_TYPES = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_REPEATING = {2, 8, 7}
"""Numbers of the encodings in which a long text takes a few bytes each time that it is repeated."""
_DELTAS = {6, 7}
_DEEPEST = 16
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 12


@dataclass(frozen=True)
class Leaf:
    """A column of values within a row group."""

    path: str
    type: str
    values: int
    bytes: int
    repeats: bool
    """Whether it is text that may repeat at next to no cost."""
    deltas: bool
    """Whether its values or their lengths are written as differences."""


def leaves(data: memoryview) -> list[Leaf]:
    """Every column of every row group; `ValueError` where the footer is damaged."""
    length = int.from_bytes(data[-8:-4], "little")
    if len(data) < 12 or bytes(data[-4:]) != b"PAR1" or length > len(data) - 8:
        raise ValueError("there is no footer")
    try:
        footer = _structure(bytes(data[len(data) - 8 - length : len(data) - 8]))
        return list(_columns(footer))
    except (KeyError, IndexError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise ValueError(f"the footer is damaged ({type(error).__name__})") from None


def _columns(footer: dict[int, Any]) -> Iterator[Leaf]:
    for group in footer[4]:
        for chunk in group[1]:
            column = chunk[3]
            text = _TYPES[column[1]] == "BYTE_ARRAY"
            yield Leaf(
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

    def struct(depth: int) -> dict[int, Any]:
        nonlocal at
        if depth > _DEEPEST:
            raise ValueError("the footer is damaged (nested too deeply)")
        fields: dict[int, Any] = {}
        number = 0
        while (head := data[at]) & 0x0F != _STOP:
            at += 1
            number = number + (head >> 4) if head >> 4 else _signed(varint())
            fields[number] = value(head & 0x0F, depth)
        at += 1
        return fields

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
        if kind in (_LIST, _SET):
            return items(depth)
        if kind == _STRUCT:
            return struct(depth + 1)
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return text(1)[0]
        if kind == _DOUBLE:
            return text(8)
        raise ValueError("the footer is damaged (an unknown type)")

    def items(depth: int) -> list[Any]:
        nonlocal at
        if depth > _DEEPEST:
            raise ValueError("the footer is damaged (nested too deeply)")
        head = data[at]
        at += 1
        count = varint() if head >> 4 == 15 else head >> 4
        if count > len(data) - at:
            raise ValueError("the footer is damaged (a list longer than the file)")
        kind = head & 0x0F
        if kind in (_TRUE, _FALSE):
            return [byte == _TRUE for byte in text(count)]
        return [value(kind, depth + 1) for _ in range(count)]

    return struct(0)


def _signed(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


_ROW_OVERHEAD = 48
"""Bytes per row that numbering and sorting take besides the columns."""
_BATCH = 2**26
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "BYTE_ARRAY": 4}
"""Bytes of a decoded value by physical type, eight for the others; text is held once and named by number."""


@dataclass(frozen=True)
class ParquetRead:
    """What a Parquet file gives."""

    table: pa.Table
    """Its declared columns; one that is absent or of another type is null."""
    unreadable: list[Defect] = field(default_factory=list)
    columns: list[Defect] = field(default_factory=list)
    """What is wrong with the columns that it has."""
    footer: bytes = b""
    """What it says besides its records: names of columns, who wrote it, comments."""


def read_parquet(data: bytes | pa.Buffer, path: str, kind: RowKind, budget: Budget) -> ParquetRead:
    """The table with its declared columns. Only the budget raises."""
    import pyarrow.parquet as pq

    wanted, shape = arrow_schema(kind), row_shape(kind)
    footer = b""
    try:
        metadata = pq.read_metadata(pa.BufferReader(data))
        found = leaves(memoryview(data))
        numbered = _numbered(shape, metadata.schema, found)
        file = pq.ParquetFile(pa.BufferReader(data), metadata=metadata, read_dictionary=numbered)
        names = file.schema_arrow.names
        footer = footer_texts(metadata, file.schema_arrow)
        decoded = sum(max(leaf.values * _WIDTHS.get(leaf.type, 8), leaf.bytes) for leaf in found)
        budget.hold(2 * decoded + metadata.num_rows * (width(shape) + _ROW_OVERHEAD), path)
        expanding = [leaf.bytes for leaf in found if leaf.path not in numbered and leaf.repeats]
        there = [name for name in wanted.names if names.count(name) == 1]
        declared = _Declared(kind, path)
        for index in range(file.num_row_groups):
            for group in _group(file, index, there, max(expanding, default=0), path, budget):
                # Arrow takes a file's word that its text is UTF-8.
                group.validate(full=True)
                declared.add(group)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        unreadable = Defect(f"The file cannot be read as Parquet: {_first_line(error)}.", path)
        return ParquetRead(wanted.empty_table(), [unreadable], footer=footer)
    defects = [
        Defect(
            "The schema has no such column, or it is there twice.",
            path,
            field=f"/{name}",
            expected="no such field",
        )
        for name in dict.fromkeys(names)
        if name not in there
    ]
    return ParquetRead(declared.table(metadata.num_rows), columns=[*defects, *declared.defects.values()], footer=footer)


class _Declared:
    """Columns as their kind declares them, put together from row groups, each of which is let go."""

    def __init__(self, kind: RowKind, path: str) -> None:
        self._fields = list(zip(arrow_schema(kind), row_shape(kind).fields, strict=True))
        self._path = path
        self._chunks: dict[str, list[pa.Array]] = {field.name: [] for field, _ in self._fields}
        self.defects: dict[str, Defect] = {}
        """Columns that do not fit."""

    def add(self, group: pa.Table) -> None:
        for field_, declared in self._fields:
            if field_.name not in group.column_names or field_.name in self.defects:
                continue
            column = group.column(field_.name)
            try:
                self._chunks[field_.name] += as_declared_column(column, field_.type, declared.shape).chunks
            except (pa.ArrowException, TypeError) as error:
                self.defects[field_.name] = Defect(
                    f"The column's type does not fit: {_first_line(error)}.",
                    self._path,
                    field=f"/{field_.name}",
                    expected=str(field_.type),
                    found=str(column.type),
                )

    def table(self, count: int) -> pa.Table:
        """All rows; what is absent or does not fit is a column of nulls, and the predicates say where that is wrong."""
        columns = {}
        nothing: dict[str, pa.Array] = {}
        for field_, declared in self._fields:
            chunks = self._chunks.pop(field_.name)
            if field_.name in self.defects or not chunks:
                nothing = nothing or _nothing(count, [field for field, _ in self._fields])
                columns[field_.name] = pa.chunked_array([nothing[field_.name]])
                continue
            column = pa.chunked_array(chunks)
            numbered = pa.types.is_dictionary(column.type) and isinstance(declared.shape, Text)
            columns[field_.name] = _numbered_once(column) if numbered else column
        return pa.table(columns)


def _nothing(count: int, fields: list[pa.Field]) -> dict[str, pa.Array]:
    """Columns without a value, which share their memory: Arrow makes one piece of zeros for a struct's nulls."""
    nulls = pa.nulls(count, pa.struct(fields))
    return {field.name: nulls.field(place) for place, field in enumerate(fields)}


def as_declared(table: pa.Table, kind: RowKind, fields: list[str] | None = None) -> pa.Table:
    """The rows of a laid-out file with columns as their kind declares them; `TypeError` where one does not fit."""
    declared = [
        (field, wanted.type)
        for field, wanted in zip(row_shape(kind).fields, arrow_schema(kind), strict=True)
        if fields is None or field.name in fields
    ]
    columns = [
        as_declared_column(table.column(field.name), wanted, field.shape)
        if field.name in table.column_names
        else pa.chunked_array([pa.nulls(table.num_rows, wanted)])
        for field, wanted in declared
    ]
    return pa.table(columns, names=[field.name for field, _ in declared])


def _numbered(shape: Struct, schema: Any, found: list[Leaf]) -> list[str]:
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
    if _has_struct_for_map(column.type, wanted):
        column = pa.chunked_array([_mapped(one_chunk(column), wanted)])
    if _plain(column.type) == wanted:
        return column
    _same_sort(column.type, wanted)
    return column.cast(wanted)


def _numbered_once(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text with one dictionary instead of one for each row group; as plain text where hardly any text is repeated."""
    distinct = sum(len(chunk.dictionary) for chunk in column.chunks)
    if len(column) >= _MANY and 4 * distinct > 3 * len(column):
        column = pa.chunked_array([chunk.dictionary.take(chunk.indices) for chunk in column.chunks])
        return pa.chunked_array([one_chunk(column)])
    return column if column.num_chunks == 1 else pa.chunked_array([one_chunk(one_dictionary(column))])


_MANY = 4096


def _from_texts(column: pa.ChunkedArray, shape: Shape) -> pa.ChunkedArray:
    """Lists from their JSON texts, each distinct text read once, and strictly; texts in them stay by reference."""
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    coded = one_chunk(one_dictionary(coded))
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


def _has_struct_for_map(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a struct stands, at any depth, where names and values are declared."""
    if pa.types.is_map(wanted):
        return bool(pa.types.is_struct(found))
    if pa.types.is_list(wanted) and pa.types.is_list(found):
        return _has_struct_for_map(found.value_type, wanted.value_type)
    if pa.types.is_struct(wanted) and pa.types.is_struct(found):
        return any(
            _has_struct_for_map(child.type, wanted.field(child.name).type)
            for child in found
            if wanted.get_field_index(child.name) >= 0
        )
    return False


def _mapped(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """The array with names and values where it has a struct with a field per name, as DuckDB writes objects."""
    if not _has_struct_for_map(array.type, wanted):
        return array
    if pa.types.is_list(wanted):
        return pa.ListArray.from_arrays(array.offsets, _mapped(array.values, wanted.value_type), mask=array.is_null())
    names = [child.name for child in array.type]
    if len(set(names)) < len(names):
        raise TypeError("a name is there twice")
    if pa.types.is_struct(wanted):
        children = [
            _mapped(child, wanted.field(name).type) if wanted.get_field_index(name) >= 0 else child
            for name, child in zip(names, array.flatten(), strict=True)
        ]
        return pa.StructArray.from_arrays(children, names, mask=array.is_null())
    return _entries(array, names, wanted)


def _entries(array: pa.StructArray, names: list[str], wanted: pa.MapType) -> pa.MapArray:
    """Names to values from a struct with a field per name; what is null is not there."""
    children = []
    for child in array.flatten():
        _same_sort(child.type, wanted.item_type)
        children.append(child.cast(wanted.item_type))
    if children and not any(child.null_count for child in children) and pa.types.is_float64(wanted.item_type):
        matrix = np.empty((len(array), len(children)))
        for place, child in enumerate(children):
            matrix[:, place] = child.to_numpy()
        items = pa.Array.from_buffers(pa.float64(), matrix.size, [None, pa.py_buffer(matrix)])
        return pa.MapArray.from_arrays(*_same_names(tuple(names), len(array)), items)
    texts = pa.array(names, pa.string())
    there = np.zeros((len(children), len(array)), bool)
    for row, child in zip(there, children, strict=True):
        row[:] = child.is_valid().to_numpy(zero_copy_only=False)
    rows, fields = (index.astype(np.int64) for index in np.nonzero(there.T))
    offsets = np.zeros(len(array) + 1, np.int32)
    np.cumsum(there.sum(axis=0), out=offsets[1:])
    values = pa.concat_arrays(children) if children else pa.array([], wanted.item_type)
    return pa.MapArray.from_arrays(
        arrow_integers(offsets),
        pa.DictionaryArray.from_arrays(arrow_integers(fields.astype(np.int32)), texts),
        values.take(arrow_integers(fields * len(array) + rows)),
        mask=array.is_null(),
    )


@lru_cache(maxsize=4)
def _same_names(names: tuple[str, ...], count: int) -> tuple[pa.Array, pa.Array]:
    """Where maps begin and what they name, if all name the same: columns of a length share this."""
    codes = np.tile(np.arange(len(names), dtype=np.int32), count)
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(len(names))
    return arrow_integers(offsets), pa.DictionaryArray.from_arrays(arrow_integers(codes), pa.array(names, pa.string()))


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
