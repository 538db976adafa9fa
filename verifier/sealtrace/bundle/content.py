"""Content identity: what records say, whatever file format carries them.

A JSON document: SHA-256 of its RFC 8785 form.

A table (`sha256-columns-1`): one SHA-256 over the columns of the rows, sorted by key.

1. Rows are sorted by their key fields in order: absent first, then text by UTF-8 bytes and integers
   by value. Rows with equal keys are sorted by their own encoding as a table of one row.
2. The stream begins with `sealtrace-columns-1`, NUL, the kind, NUL, and the number of rows.
3. Then each field of the kind, in schema order, as a column. A column in which every value is
   absent adds nothing: absent equals null, and a field added to the contract later changes no digest.
4. A column is its name, NUL, a type letter, then `1` if all values are present, or `0` and one byte
   per value (1 present, 0 absent); then the present values only:
   - text `t`: the byte lengths, then the UTF-8 bytes;
   - number `n`: binary64, with one zero;
   - integer `i`: 64 bits, signed;
   - flag `f`: one byte;
   - list `l`: the lengths, then the items of all lists as a column with the name `*`;
   - map `m`: the sizes, then the names and the values as columns `k` and `v`, each map's entries
     in order of their names' UTF-8 bytes;
   - object `o`: its fields as columns, in schema order.
Numbers, lengths and counts are 64 bits, little-endian.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import rfc8785

from sealtrace.bundle.arrays import arrow_integers, distinct
from sealtrace.bundle.shapes import (
    Declared,
    Flag,
    Integer,
    Mapping,
    Number,
    RowKind,
    Sequence,
    Shape,
    Struct,
    Text,
    row_key,
    row_shape,
)

_DOUBLE = struct.Struct("<d")
_INTEGER = struct.Struct("<q")

Index = npt.NDArray[np.int64]
Sink = Callable[[Any], object]


def document_digest(document: dict[str, Any], *, without: str | None = None) -> str:
    """Content digest of a JSON document, without the field that holds its own digest."""
    bare = {key: value for key, value in document.items() if key != without}
    return hashlib.sha256(rfc8785.dumps(bare)).hexdigest()


def table_digest(table: pa.Table, kind: RowKind) -> str:
    """Content digest of a table of records."""
    shape = row_shape(kind)
    codes = combined_codes(table, row_key(kind))
    if not np.all(codes[1:] > codes[:-1]):
        order = np.argsort(codes, kind="stable")
        table = table.take(arrow_integers(_settle_equal_keys(table, kind, order, codes[order])))
    digest = hashlib.sha256()
    _write(table, kind, shape, digest.update)
    return digest.hexdigest()


def combined_codes(table: pa.Table, key: tuple[str, ...]) -> Index:
    """One integer per row, ordered as the keys are; equal exactly where keys are equal."""
    combined = np.zeros(table.num_rows, np.int64)
    size = 1
    for name in key:
        ranks, distinct = _ranks(table.column(name))
        if size * distinct >= 2**62:
            # Too many combinations for one integer: renumber what is there.
            combined = np.unique(combined, return_inverse=True)[1].astype(np.int64)
            size = int(combined.max(initial=0)) + 1
        combined = combined * distinct + ranks
        size *= distinct
    return combined


def _ranks(column: pa.ChunkedArray) -> tuple[Index, int]:
    """Each value's place among the distinct values, absent first, and how many places there are."""
    array = column.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    order = pc.sort_indices(array.dictionary).to_numpy()
    places = np.empty(len(order) + 1, np.int64)
    places[order] = np.arange(1, len(order) + 1)
    places[-1] = 0
    codes = array.indices.fill_null(-1).to_numpy().astype(np.int64)
    return places[codes], len(order) + 1


def _settle_equal_keys(table: pa.Table, kind: RowKind, order: Index, codes: Index) -> Index:
    """Rows with equal keys in the order of their own encoding. `codes` are sorted."""
    repeats = np.flatnonzero(codes[1:] == codes[:-1])
    if not len(repeats):
        return order
    shape = row_shape(kind)
    settled = order.copy()
    starts = np.searchsorted(codes, distinct(codes[repeats]))
    stops = np.searchsorted(codes, codes[starts], side="right")
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        rows = order[start:stop]
        encodings: list[bytes] = []
        for first in range(0, len(rows), _ENCODED_AT_ONCE):
            some = table.take(arrow_integers(rows[first : first + _ENCODED_AT_ONCE]))
            encodings.extend(_encodings(some, shape))
        settled[start:stop] = rows[sorted(range(len(rows)), key=encodings.__getitem__)]
    return settled


_ENCODED_AT_ONCE = 2**14


def _encodings(table: pa.Table, shape: Struct) -> list[bytes]:
    """Each row's encoding as a table of one row, without the head, which is the same for all.

    Arrow takes a third of a millisecond for a table of one row, so rows become plain values here.
    """
    columns = [(field, table.column(field.name).to_pylist()) for field in shape.fields]
    return [
        b"".join(_plain_column(field.name, field.shape, [values[row]]) for field, values in columns)
        for row in range(table.num_rows)
    ]


def _plain_column(name: str, shape: Shape, values: list[Any]) -> bytes:
    """`_column` of plain values: lists, pairs of a map, dictionaries of an object."""
    present = [value for value in values if value is not None]
    if not present:
        return b""
    head = name.encode() + b"\0" + _LETTERS[type(shape)]
    head += b"1" if len(present) == len(values) else b"0" + bytes(value is not None for value in values)
    match shape:
        case Text():
            texts = [value.encode() for value in present]
            return b"".join([head, *(_count(len(text)) for text in texts), *texts])
        case Number():
            return head + b"".join(_DOUBLE.pack(value + 0.0) for value in present)
        case Integer():
            return head + b"".join(_INTEGER.pack(value) for value in present)
        case Flag():
            return head + bytes(present)
        case Sequence(item=item):
            items = [one for value in present for one in value]
            return head + b"".join(_count(len(value)) for value in present) + _plain_column("*", item, items)
        case Mapping(value=item):
            pairs = [pair for value in present for pair in sorted(value, key=lambda pair: pair[0].encode())]
            names = _plain_column("k", Text(), [name for name, _ in pairs])
            sizes = b"".join(_count(len(value)) for value in present)
            return head + sizes + names + _plain_column("v", item, [value for _, value in pairs])
        case Struct(fields=fields):
            parts = (_plain_column(one.name, one.shape, [value[one.name] for value in present]) for one in fields)
            return head + b"".join(parts)


def _write(table: pa.Table, kind: RowKind, shape: Struct, sink: Sink) -> None:
    name = f"rows.{kind.name}" if isinstance(kind, Declared) else kind
    sink(b"sealtrace-columns-1\0" + name.encode() + b"\0" + _count(table.num_rows))
    for field in shape.fields:
        _column(table.column(field.name).combine_chunks(), field.name, field.shape, sink)


def _count(value: int) -> bytes:
    return value.to_bytes(8, "little")


def _lengths(offsets: pa.Array) -> Index:
    lengths: Index = np.diff(offsets.to_numpy().astype("<i8"))
    return lengths


def _column(array: pa.Array, name: str, shape: Shape, sink: Sink) -> None:
    if array.null_count == len(array):
        return
    sink(name.encode() + b"\0" + _LETTERS[type(shape)])
    if array.null_count:
        sink(b"0")
        sink(array.is_valid().to_numpy(zero_copy_only=False).astype(np.uint8).data)
        array = array.drop_null()
    else:
        sink(b"1")
    match shape:
        case Text():
            _text(array, sink)
        case Number():
            # Adding zero turns the negative zero into the positive one and changes nothing else.
            sink((array.to_numpy().astype("<f8", copy=False) + 0.0).data)
        case Integer():
            sink(np.ascontiguousarray(array.to_numpy().astype("<i8", copy=False)).data)
        case Flag():
            sink(array.to_numpy(zero_copy_only=False).astype(np.uint8).data)
        case Sequence(item=item):
            sink(_lengths(array.offsets).data)
            _column(array.flatten(), "*", item, sink)
        case Mapping(value=item):
            lengths = _lengths(array.offsets)
            sink(lengths.data)
            start, stop = array.offsets[0].as_py(), array.offsets[-1].as_py()
            keys = array.keys.slice(start, stop - start)
            values = array.items.slice(start, stop - start)
            order = _by_name(keys, lengths)
            if order is not None:
                keys, values = keys.take(order), values.take(order)
            _column(keys, "k", Text(), sink)
            _column(values, "v", item, sink)
        case Struct(fields=fields):
            for field, child in zip(fields, array.flatten(), strict=True):
                _column(child, field.name, field.shape, sink)


_LETTERS: dict[type, bytes] = {
    Text: b"t",
    Number: b"n",
    Integer: b"i",
    Flag: b"f",
    Sequence: b"l",
    Mapping: b"m",
    Struct: b"o",
}


def _text(array: pa.Array, sink: Sink) -> None:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary.take(array.indices)
    _, offsets, data = array.buffers()
    bounds = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
    sink(np.diff(bounds.astype("<i8")).data)
    if data is not None:
        sink(memoryview(data)[bounds[0] : bounds[-1]])


def _by_name(keys: pa.Array, lengths: Index) -> pa.Array | None:
    """The permutation that sorts each map's entries by name; None where they are sorted."""
    ranks, distinct = _ranks(pa.chunked_array([keys]))
    owners = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    combined = owners * distinct + ranks
    if np.all(combined[1:] >= combined[:-1]):
        return None
    return arrow_integers(np.argsort(combined, kind="stable"))
