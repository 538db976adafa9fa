"""Content identity of large tables (`sha256-columns-2`): a digest over blocks of whole states.

One SHA-256 over whole columns cannot be computed a part at a time, nor by several workers. So a table of more than
`SMALL` rows is cut, and each block has a digest of its own:

1. Rows are sorted by key, as for small tables. A block ends where it has at least `BLOCK` rows and the first key
   field changes, so that it holds whole states; blocks depend on the records and not on the file.
2. The digest of a table is the SHA-256 of `sealtrace-columns-2`, NUL, the kind, NUL, the number of rows, the number of
   blocks, and the digests of the blocks.
3. The digest of a block is the SHA-256 of its number of rows and of each field of the kind, in schema order. A column
   in which every value is absent adds nothing. Otherwise: its name, NUL, a letter, and
   - number `n`, integer `i`, flag `f`: `1` if all values are present, or `0` and one byte per value; then the present
     values: binary64 with one zero, 64 bits signed, or one byte;
   - map to numbers `m`: presence, then each name that occurs, in byte order, as a number column of the present maps;
   - object `o`: presence, then its fields as columns of the present objects;
   - anything else `r`, by reference: the number of distinct present values, their lengths and their encodings in byte
     order (text: UTF-8; other: as in a small table); then, unless every row has the same value, a code for each row,
     0 for absent and from 1 for the values, in as few bytes of 1, 2, 4 and 8 as hold the largest.
Numbers, lengths and counts are little-endian, of 64 bits unless said otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle import encoding
from sealtrace.bundle.encoding import arrow_array
from sealtrace.bundle.shapes import Flag, Integer, Mapping, NumberShape, Shape, Struct, Text

SMALL = 2**17
"""Tables with at most this many rows have one digest over whole columns."""
BLOCK = 2**16

Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Sink = encoding.Sink


def starts_of(states: Index) -> list[int]:
    """Where blocks start, and the end, given codes of the first key field in sorted order."""
    changes = np.flatnonzero(states[1:] != states[:-1]) + 1
    starts = [0]
    while len(states) - starts[-1] > BLOCK:
        place = int(np.searchsorted(changes, starts[-1] + BLOCK))
        if place == len(changes):
            break
        starts.append(int(changes[place]))
    return [*starts, len(states)]


def of_blocks(name: str, rows: int, digests: Sequence[bytes]) -> str:
    """The digest of a table from those of its blocks."""
    head = b"sealtrace-columns-2\0" + name.encode() + b"\0" + encoding.count(rows) + encoding.count(len(digests))
    return hashlib.sha256(head + b"".join(digests)).hexdigest()


def of_block(table: pa.Table, shape: Struct) -> bytes:
    """The digest of the rows of one block, sorted."""
    digest = hashlib.sha256(encoding.count(table.num_rows))
    for field in shape.fields:
        write_column(encoding.one_chunk(table.column(field.name)), field.name, field.shape, digest.update)
    return digest.digest()


def write_column(array: pa.Array, name: str, shape: Shape, sink: Sink) -> None:
    """One column of a block."""
    if array.null_count == len(array):
        return
    match shape:
        case NumberShape() | Integer() | Flag():
            encoding.column(array, name, shape, sink)
        case Struct(fields=fields):
            array = encoding.present(array, name.encode() + b"\0o", sink)
            for field, child in zip(fields, array.flatten(), strict=True):
                write_column(child, field.name, field.shape, sink)
        case Mapping(value=NumberShape()) if (columns := by_name(array)) is not None:
            encoding.present(array, name.encode() + b"\0m", sink)
            for key, values in columns.items():
                encoding.column(values, key, NumberShape(), sink)
        case _:
            codes, kept = distinct(array)
            if isinstance(shape, Text):
                write_texts(name, codes, kept, sink)
            else:
                write_references(name, codes, encoded(kept, shape), sink)


def write_texts(
    name: str, codes: npt.NDArray[Any], texts: pa.StringArray, sink: Sink, *, ordered: bool = False
) -> None:
    """A column by reference to distinct texts, each of which occurs; -1 for absent."""
    order = None
    if not ordered and not encoding.ascending(texts):
        order = pc.sort_indices(texts).to_numpy()
        texts = texts.take(arrow_array(order.astype(np.int64)))
    lengths = np.diff(encoding.text_bounds(texts).astype("<i8"))
    _write_sorted(name, codes, order, lengths, encoding.bytes_of(texts), sink)


def write_references(name: str, codes: npt.NDArray[Any], values: Sequence[bytes], sink: Sink) -> None:
    """A column by reference: -1 for absent, or a place among distinct encodings, each of which occurs."""
    if len(places := {value: place for place, value in enumerate(values)}) < len(values):
        # Two maps that differ in the order of their names only: the later stands for both.
        codes = np.array([*(places[value] for value in values), -1])[codes]
        used = np.unique(codes[codes >= 0])
        renumbered = np.full(len(values) + 1, -1, np.int64)
        renumbered[used] = np.arange(len(used))
        values, codes = [values[place] for place in used.tolist()], renumbered[codes]
    order = sorted(range(len(values)), key=values.__getitem__)
    lengths = np.array([len(values[place]) for place in order], "<i8")
    _write_sorted(name, codes, np.array(order), lengths, b"".join(values[place] for place in order), sink)


def _write_sorted(
    name: str, codes: npt.NDArray[Any], order: npt.NDArray[Any] | None, lengths: Index, data: bytes, sink: Sink
) -> None:
    """A column by reference to sorted encodings, given by their lengths and bytes; `order` is how they were sorted."""
    count = len(lengths)
    sink(name.encode() + b"\0r" + encoding.count(count))
    sink(lengths.data)
    sink(data)
    if count == 1 and not codes.any():
        return
    width = next(width for width in (1, 2, 4, 8) if count < 1 << (8 * width))
    if order is None:
        sink((codes + 1).astype(f"<u{width}").data)
        return
    written = np.zeros(count + 1, f"<u{width}")
    written[order] = np.arange(1, count + 1)
    sink(written.take(codes, mode="wrap").data)  # -1 is the last


def encoded(kept: pa.Array, shape: Shape) -> list[bytes]:
    """The encodings of distinct values."""
    return [encoding.plain_column("*", shape, [value]) for value in kept.to_pylist()]


def by_name(array: pa.MapArray) -> dict[str, pa.Array] | None:
    """The values of present maps by name, in byte order; None where a map holds a name twice."""
    if (same := encoding.regular(array)) is not None:
        names, matrix = same
        order = sorted(range(len(names)), key=lambda place: names[place].encode())
        return {names[place]: arrow_array(matrix[:, place]) for place in order}
    array = array.drop_null()
    offsets, keys, values = encoding.entries(array)
    if values.null_count:
        return None
    keys, numbers = encoding.by_reference(keys), values.to_numpy()
    codes, owners = keys.indices.to_numpy(), np.repeat(np.arange(len(array)), np.diff(offsets))
    found: dict[str, pa.Array] = {}
    for code, name in sorted(enumerate(keys.dictionary.to_pylist()), key=lambda pair: pair[1].encode()):
        places = np.flatnonzero(codes == code)
        if not len(places):
            continue
        if (np.diff(owners[places]) == 0).any() or name in found:
            return None
        column, there = np.zeros(len(array)), np.zeros(len(array), np.bool_)
        column[owners[places]], there[owners[places]] = numbers[places], True
        found[name] = arrow_array(column, there)
    return found


def distinct(array: pa.Array) -> tuple[Index, pa.Array]:
    """Codes, -1 for absent, and the distinct values that they stand for, whatever the type."""
    # Nearly all tables are in order, so that a block is a stretch of the distinct values.
    if pa.types.is_dictionary(array.type) and not array.null_count and len(array):
        codes = array.indices.to_numpy().astype(np.int64)
        codes -= (low := int(codes.min()))
        texts = array.dictionary.slice(low, int(codes.max()) + 1)
        if encoding.ascending(texts) and not texts.null_count and np.bincount(codes).all():
            return codes, texts
    elif pa.types.is_string(array.type) and not array.null_count and encoding.ascending(array):
        return np.arange(len(array)), array
    codes = codes_of(array)
    there = np.flatnonzero(codes >= 0)
    _, first, places = np.unique(codes[there], return_index=True, return_inverse=True)
    result = np.full(len(array), -1, np.int64)
    result[there] = places
    kept = array.take(arrow_array(there[first]))
    return result, kept.dictionary.take(kept.indices) if pa.types.is_dictionary(kept.type) else kept


def codes_of(array: pa.Array) -> Index:
    """Integers that are equal where values are; -1 for absent."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        # A dictionary may hold a text twice.
        texts = array.dictionary
        ordered = pa.types.is_string(texts.type) and not texts.null_count and encoding.ascending(texts)
        again = np.arange(len(texts)) if ordered else codes_of(texts)
        codes = encoding.references(array).astype(np.int64)
        return np.where(codes >= 0, again[codes] if len(again) else -1, -1)
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        offsets = array.offsets.to_numpy().astype(np.int64)
        items = (
            pa.StructArray.from_arrays([array.keys, array.items], ["k", "v"]) if pa.types.is_map(kind) else array.values
        )
        items = items.slice(offsets[0], offsets[-1] - offsets[0])
        return np.where(valid, _of_lists(offsets - offsets[0], codes_of(items)), -1)
    if pa.types.is_struct(kind):
        codes = np.zeros(len(array), np.int64)
        for child in array.flatten():
            codes = paired(codes, codes_of(child))
        return np.where(array.is_valid().to_numpy(zero_copy_only=False), codes, -1)
    if pa.types.is_floating(kind):
        array = pc.add(array, 0.0)  # one zero
        if not array.null_count and len(array):
            # Measurements mostly differ, and to sort them takes less than to look each up.
            ordered = np.sort(array.to_numpy())
            if not np.isnan(ordered[-1]) and (ordered[1:] != ordered[:-1]).all():
                return np.arange(len(array))
    return encoding.references(array.dictionary_encode()).astype(np.int64)


def _of_lists(offsets: Index, items: Index) -> Index:
    """Codes of lists from those of their items, an item of every list at a time."""
    lengths = np.diff(offsets)
    width = int(lengths[0]) if len(lengths) else 0
    if width and (lengths == width).all():
        lists = items[offsets[0] : offsets[-1]].reshape(-1, width)
        if (lists == lists[0]).all():  # as legal actions mostly are
            return np.zeros(len(lengths), np.int64)
    codes = paired(np.zeros(len(lengths), np.int64), lengths)
    for place in range(int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > place)
        nth = np.full(len(lengths), -2, np.int64)
        nth[longer] = items[offsets[longer] + place]
        codes = paired(codes, nth + 2)
    return codes


def paired(left: Index, right: Index) -> Index:
    """Codes of pairs: small integers, so that pairs of pairs stay within 64 bits."""
    right = right + 1
    if not left.any():
        return right
    pairs = arrow_array(left * (int(right.max(initial=0)) + 1) + right).dictionary_encode().indices
    codes: Index = pairs.to_numpy().astype(np.int64)
    return codes


def cut(table: pa.Table, states: pa.ChunkedArray) -> Iterator[pa.Table]:
    """The blocks of sorted rows, given their first key field."""
    if pa.types.is_string(states.type) and not states.null_count:
        array = encoding.one_chunk(states)
        changes = pc.not_equal(array[1:], array[:-1]).to_numpy(zero_copy_only=False)
        starts = starts_of(np.concatenate([[0], np.cumsum(changes)]))
    else:
        starts = starts_of(encoding.ranks(states)[0])
    for start, stop in pairwise(starts):
        yield table.slice(start, stop - start)
