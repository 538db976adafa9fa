"""Content identity: what records say, whatever file format carries them.

A JSON document: SHA-256 of its RFC 8785 form.

A table of more than 131,072 rows (`sha256-columns-2`): see `blocks`.

Any other table (`sha256-columns-1`): one SHA-256 over the columns of the rows, sorted by key.

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
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import rfc8785

from sealtrace.bundle import blocks
from sealtrace.bundle.encoding import Index, arrow_array, column, count, distinct, one_chunk, plain_column, ranks
from sealtrace.bundle.shapes import Declared, RowKind, row_key, row_shape

WHOLE, BLOCKS = "sha256-columns-1", "sha256-columns-2"
"""The two conventions. They differ for tables of more than `blocks.SMALL` rows only."""


def document_digest(document: dict[str, Any], *, without: str | None = None) -> str:
    """Content digest of a JSON document, without the field that holds its own digest."""
    # No digest can cover itself.
    bare = {key: value for key, value in document.items() if key != without}
    return hashlib.sha256(rfc8785.dumps(bare)).hexdigest()


def table_digest(table: pa.Table, kind: RowKind, convention: str = BLOCKS) -> str:
    """Content digest of a table of records."""
    table, shape, name = in_order(table, kind), row_shape(kind), row_name(kind)
    if convention == BLOCKS and table.num_rows > blocks.SMALL:
        digests = [blocks.of_block(block, shape) for block in blocks.cut(table, table.column(row_key(kind)[0]))]
        return blocks.of_blocks(name, table.num_rows, digests)
    digest = hashlib.sha256(b"sealtrace-columns-1\0" + name.encode() + b"\0" + count(table.num_rows))
    for field in shape.fields:
        column(one_chunk(table.column(field.name)), field.name, field.shape, digest.update)
    return digest.hexdigest()


def row_name(kind: RowKind) -> str:
    """What digests call a kind of rows."""
    return f"rows.{kind.name}" if isinstance(kind, Declared) else kind


def in_order(table: pa.Table, kind: RowKind) -> pa.Table:
    """The rows sorted by key, rows with equal keys by their encoding."""
    if ascending_keys(table, row_key(kind)):
        return table
    codes = combined_codes(table, row_key(kind))
    order = np.argsort(codes, kind="stable")
    return table.take(arrow_array(_settle_equal_keys(table, kind, order, codes[order])))


def ascending_keys(table: pa.Table, key: tuple[str, ...]) -> bool:
    """Whether each key comes after that of the row before: most tables are written so, and it is cheap to see."""
    if table.num_rows < 2:
        return True
    equal = np.ones(table.num_rows - 1, np.bool_)
    for name in key:
        column = table.column(name)
        if pa.types.is_string(column.type) and not column.null_count:
            array = one_chunk(column)
            left, right = array[:-1], array[1:]
            after = pc.less(left, right).to_numpy(zero_copy_only=False)
            same = pc.equal(left, right).to_numpy(zero_copy_only=False) if not after.all() else ~after
        else:
            places = ranks(column)[0]
            after, same = places[1:] > places[:-1], places[1:] == places[:-1]
        if not (after | same | ~equal).all():
            return False
        equal &= same
    return not equal.any()


def combined_codes(table: pa.Table, key: tuple[str, ...]) -> Index:
    """One integer per row, ordered as the keys are; equal exactly where keys are equal."""
    combined = np.zeros(table.num_rows, np.int64)
    size = 1
    for name in key:
        places, distinct = ranks(table.column(name))
        if size * distinct >= 2**62:
            # Too many combinations for one integer: renumber what is there.
            combined = np.unique(combined, return_inverse=True)[1].astype(np.int64)
            size = int(combined.max(initial=0)) + 1
        combined = combined * distinct + places
        size *= distinct
    return combined


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
            some = table.take(arrow_array(rows[first : first + _ENCODED_AT_ONCE]))
            # Arrow takes a third of a millisecond for a table of one row, so rows become plain values here.
            columns = [(field, some.column(field.name).to_pylist()) for field in shape.fields]
            encodings.extend(
                b"".join(plain_column(field.name, field.shape, [values[row]]) for field, values in columns)
                for row in range(some.num_rows)
            )
        settled[start:stop] = rows[sorted(range(len(rows)), key=encodings.__getitem__)]
    return settled


_ENCODED_AT_ONCE = 2**14
