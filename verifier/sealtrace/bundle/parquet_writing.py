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
from sealtrace.bundle.content import combined_codes, in_order, row_name, table_digest
from sealtrace.bundle.encoding import arrow_array, by_reference
from sealtrace.bundle.shapes import (
    Mapping,
    NumberShape,
    RowKind,
    Sequence,
    Shape,
    Text,
    arrow_schema,
    row_key,
    row_shape,
)
from sealtrace.bundle.stores import without_nulls

MOST_NAMES = 64
"""Maps with more names than this stay maps: a column for each would be nearly empty."""


def write_parquet(table: pa.Table, kind: RowKind, sink: Any, *, laid_out: bool | None = None) -> None:
    """Writes a table of records; large ones laid out, unless it is said which."""
    import pyarrow.parquet as pq

    if not (table.num_rows > blocks.SMALL if laid_out is None else laid_out):
        for place, field in enumerate(arrow_schema(kind)):
            # The names of maps may be numbered in memory; in a small file they are plain.
            if pa.types.is_map(field.type) and table.column(place).type != field.type:
                table = table.set_column(place, field, table.column(place).cast(field.type))
        pq.write_table(table, sink, compression="zstd", row_group_size=2**17)
        return
    writer = RowWriter(sink, kind)
    writer.declare(table)
    writer.write(in_order(table, kind))
    writer.close()


class RowWriter:
    """Writes more records than can be held: tables of them in the order of their key, one after the other.

    What the first block says of its columns holds for all: which are there, and which may be absent in some rows.
    """

    def __init__(self, sink: Any, kind: RowKind) -> None:
        self._sink, self._kind = sink, kind
        self._shape, self._key = row_shape(kind), row_key(kind)
        self._pending: pa.Table | None = None
        self._names: list[str] = []
        self._writer: Any = None
        self._schema: pa.Schema | None = None
        self._held: list[pa.Table] = []
        """What a small table's digest is over; nothing once it is large."""
        self._digests: list[bytes] = []
        self.rows = 0

    def declare(self, table: pa.Table) -> None:
        """Takes the columns of a table for those of all records, before any is written."""
        self._names = [
            field.name
            for field in self._shape.fields
            if table.column(field.name).null_count < table.num_rows or not table.num_rows
        ]
        self._schema = pa.schema([_field(*column) for column in self._columns(table).items()])

    def write(self, table: pa.Table) -> None:
        """More records, all after those that came before."""
        whole = table if self._pending is None else pa.concat_tables([self._pending, table]).unify_dictionaries()
        codes = combined_codes(whole, self._key)
        if not np.all(codes[1:] >= codes[:-1]):
            raise ValueError("records are not in the order of their key")
        # A block ends where the first key field changes, which the last one here may not have reached.
        *done, self._pending = blocks.cut(whole, whole.column(self._key[0]))
        for block in done:
            self._emit(block)

    def close(self) -> str:
        """Writes what is left, and returns the content digest of everything."""
        if self._pending is not None:
            self._emit(self._pending)
        self._writer.close()
        if self.rows <= blocks.SMALL:
            return table_digest(pa.concat_tables(self._held), self._kind)
        return blocks.of_blocks(row_name(self._kind), self.rows, self._digests)

    def _columns(self, table: pa.Table) -> dict[str, pa.Array]:
        shapes = {field.name: field.shape for field in self._shape.fields}
        forms = {name: self._schema.field(name).type for name in self._names} if self._schema is not None else {}
        return {
            name: _laid_out(table.column(name).combine_chunks(), shapes[name], forms.get(name)) for name in self._names
        }

    def _emit(self, block: pa.Table) -> None:
        if self._schema is None:
            self.declare(block)
        assert self._schema is not None
        for field in self._shape.fields:
            if field.name not in self._names and block.column(field.name).null_count < block.num_rows:
                raise ValueError(f"{field.name} is in no record of the first block, and in a later one")
        columns = self._columns(block)
        for name, array in columns.items():
            field = self._schema.field(name)
            if array.type != field.type or (array.null_count and not field.nullable):
                raise ValueError(f"{name} has another form than in the first block")
        group = _compact(pa.table(columns, schema=self._schema))
        if self._writer is None:
            self._writer = _writer(self._sink, self._schema, self._key)
        self._writer.write_table(group, row_group_size=max(1, block.num_rows))
        self.rows += block.num_rows
        self._digests.append(blocks.of_block(block, self._shape))
        self._held = [*self._held, block] if self.rows <= blocks.SMALL else []


def _writer(sink: Any, schema: pa.Schema, key: tuple[str, ...]) -> Any:
    import pyarrow.parquet as pq

    texts = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    leaves = _leaves(schema)
    return pq.ParquetWriter(
        sink,
        schema,
        use_dictionary=texts,
        # Doubles of measurements hardly shrink, and unpacking them would cost more than hashing them.
        compression={leaf: "zstd" if leaf in texts else "none" for leaf in leaves},
        write_statistics=False,
        sorting_columns=[pq.SortingColumn(leaves.index(name), nulls_first=True) for name in key if name in leaves],
        store_schema=False,
    )


def _compact(group: pa.Table) -> pa.Table:
    """The rows with dictionaries that hold what stands in them and nothing else."""
    for place, field in enumerate(group.schema):
        if pa.types.is_dictionary(field.type):
            texts = group.column(place).cast(field.type.value_type).combine_chunks().dictionary_encode()
            group = group.set_column(place, field.with_type(texts.type), texts)
    return group


def _laid_out(array: pa.Array, shape: Shape, form: pa.DataType | None) -> pa.Array:
    """A column as it is stored; in the form that earlier blocks have, where there are any."""
    match shape:
        case Text():
            return by_reference(array)
        case Sequence():
            codes, kept = blocks.distinct(array)
            values = kept.to_pylist(maps_as_pydicts="strict")
            texts = [json.dumps(without_nulls(value), ensure_ascii=False) for value in values]
            indices = arrow_array(codes.astype(np.int32), codes >= 0)
            return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))
        case Mapping(value=NumberShape()):
            return _a_column_per_name(array, form)
        case _:
            return array


def _a_column_per_name(array: pa.MapArray, form: pa.DataType | None) -> pa.Array:
    """Maps as a struct of numbers; as they are where one is absent, names are too many, or earlier blocks have maps."""
    if not len(array) or array.null_count or not (form is None or pa.types.is_struct(form)):
        return array
    if (found := blocks.by_name(array)) is None:
        return array
    fields = [_field(*column) for column in found.items()] if form is None else list(form)
    if not 0 < len(fields) <= MOST_NAMES or not found.keys() <= {field.name for field in fields}:
        return array
    # A name that earlier blocks have need not stand in this one.
    children = [found.get(field.name, pa.nulls(len(array), field.type)) for field in fields]
    if any(child.null_count and not field.nullable for child, field in zip(children, fields, strict=True)):
        return array
    return pa.StructArray.from_arrays(children, fields=fields)


def _field(name: str, array: pa.Array) -> pa.Field:
    return pa.field(name, array.type, nullable=bool(array.null_count))


def _leaves(schema: pa.Schema) -> list[str]:
    """The paths of columns as Parquet has them."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink, store_schema=False)
    columns = pq.read_metadata(pa.BufferReader(sink.getvalue())).schema
    return [columns.column(index).path for index in range(len(columns))]
