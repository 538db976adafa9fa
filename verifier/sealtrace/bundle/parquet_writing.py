"""Writes Parquet: small tables plainly, large ones laid out for reading.

Laid out, a file holds the same records in the columns that people mean: a number column for each name of a map, such
as one per action; lists, which repeat from row to row, as JSON text by reference to a dictionary; texts by reference
too; rows in the order of their key; and a row group for each block of the content digest, so that it holds whole states
and can be verified by itself. Columns in which nothing is absent are declared so, and columns without a value are left
out. `parquet` reads either layout.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from sealtrace.bundle import blocks
from sealtrace.bundle.arrays import arrow_integers
from sealtrace.bundle.content import in_order
from sealtrace.bundle.encoding import ranks
from sealtrace.bundle.shapes import Mapping, Number, RowKind, Sequence, Shape, Text, row_key, row_shape
from sealtrace.bundle.stores import without_nulls

MOST_NAMES = 64
"""Maps with more names than this stay maps: a column for each would be nearly empty."""


def write_parquet(table: pa.Table, kind: RowKind, sink: Any, *, laid_out: bool | None = None) -> None:
    """Writes a table of records; large ones laid out, unless it is said which."""
    import pyarrow.parquet as pq

    if not (table.num_rows > blocks.SMALL if laid_out is None else laid_out):
        pq.write_table(table, sink, compression="zstd", row_group_size=2**17)
        return
    table = in_order(table, kind)
    key = row_key(kind)
    groups = list(blocks.cut(table, ranks(table.column(key[0]))[0]))
    shape = row_shape(kind)
    columns = {
        field.name: _laid_out(table.column(field.name).combine_chunks(), field.shape)
        for field in shape.fields
        if table.column(field.name).null_count < table.num_rows or not table.num_rows
    }
    whole = pa.table(columns, schema=pa.schema([_field(name, array) for name, array in columns.items()]))
    texts = [name for name, array in columns.items() if pa.types.is_dictionary(array.type)]
    leaves = _leaves(whole.schema)
    writer = pq.ParquetWriter(
        sink,
        whole.schema,
        use_dictionary=texts,
        # Doubles of measurements hardly shrink, and unpacking them would cost more than hashing them.
        compression={leaf: "zstd" if leaf in texts else "none" for leaf in leaves},
        write_statistics=False,
        sorting_columns=[pq.SortingColumn(leaves.index(name), nulls_first=True) for name in key if name in columns],
        store_schema=False,
    )
    with writer:
        start = 0
        for group in groups:
            writer.write_table(_compact(whole.slice(start, group.num_rows)), row_group_size=max(1, group.num_rows))
            start += group.num_rows


def _compact(group: pa.Table) -> pa.Table:
    """The rows with dictionaries that hold what stands in them and nothing else."""
    for place, field in enumerate(group.schema):
        if pa.types.is_dictionary(field.type):
            texts = group.column(place).cast(field.type.value_type).combine_chunks().dictionary_encode()
            group = group.set_column(place, field.with_type(texts.type), texts)
    return group


def _laid_out(array: pa.Array, shape: Shape) -> pa.Array:
    match shape:
        case Text():
            return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        case Sequence():
            codes, kept = blocks.distinct(array)
            values = kept.to_pylist(maps_as_pydicts="strict")
            texts = [json.dumps(without_nulls(value), ensure_ascii=False) for value in values]
            indices = arrow_integers(codes.astype(np.int32))
            if array.null_count:
                indices = pa.array(codes.astype(np.int32), mask=codes < 0)
            return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))
        case Mapping(value=Number()):
            columns = blocks.by_name(array) if len(array) > array.null_count else None
            if columns is None or array.null_count or not 0 < len(columns) <= MOST_NAMES:
                return array
            fields = [(name, pa.array(values, mask=None if there.all() else ~there)) for name, values, there in columns]
            return pa.StructArray.from_arrays([one for _, one in fields], fields=[_field(*one) for one in fields])
        case _:
            return array


def _field(name: str, array: pa.Array) -> pa.Field:
    return pa.field(name, array.type, nullable=bool(array.null_count))


def _leaves(schema: pa.Schema) -> list[str]:
    """The paths of columns as Parquet has them."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink, store_schema=False)
    columns = pq.read_metadata(pa.BufferReader(sink.getvalue())).schema
    return [columns.column(index).path for index in range(len(columns))]
