"""Forms of the records: the same rows with other values, names or levels, or fewer of them.

What a recipe gives on them tells whether its number comes from the records at all. A value that is the same on all of
`FORMS`, or nothing at all, is what the recipe says: the records do not give such a value, whatever they hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from random import Random

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.encoding import arrow_array

Altering = Callable[[pa.Table, Collection[str]], pa.Table]
"""From a table, and the columns that select rows, which stay as they are."""


def _shuffled(seed: int) -> Altering:
    """Every column in an order of its own, with other values."""

    def alter(table: pa.Table, kept: Collection[str]) -> pa.Table:
        chance = Random(seed)
        orders = [_order(chance, table.num_rows) for _ in table.columns]
        columns = [
            column if name in kept else _moved(column.take(order), seed, texts=seed > 1)
            for name, column, order in zip(table.column_names, table.columns, orders, strict=True)
        ]
        return pa.table(columns, names=table.column_names)

    return alter


def _order(chance: Random, size: int) -> pa.Array:
    """Some permutation; numpy's own generators take longer to import than most bundles take to verify."""
    return arrow_array(np.argsort(np.frombuffer(chance.randbytes(8 * size), np.uint64)))


def _each(change: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> Altering:
    """Every column changed."""

    def alter(table: pa.Table, kept: Collection[str]) -> pa.Table:
        columns = [
            column if name in kept or not table.num_rows else change(column)
            for name, column in zip(table.column_names, table.columns, strict=True)
        ]
        return pa.table(columns, names=table.column_names)

    return alter


FORMS: dict[str, Altering] = {
    "shuffled": _shuffled(1),
    "shuffled otherwise": _shuffled(2),
    "with other numbers": _each(lambda column: _moved(column, 3, texts=False)),
    "some rows twice": lambda table, _: table.take(
        arrow_array(np.r_[np.arange(table.num_rows), np.arange(0, table.num_rows, 2)])
    ),
    "without every third row": lambda table, _: table.take(
        arrow_array(np.flatnonzero(np.arange(table.num_rows) % 3 != 1))
    ),
    "one row": lambda table, _: table.slice(0, 1),
    "no row": lambda table, _: table.slice(0, 0),
}
"""Each form's name and how it is made; those that mostly tell come first."""
ROW_BY_ROW = tuple(form for form in FORMS if form not in ("one row", "no row"))
"""Forms that can be made of some rows at a time."""


def _with_other_results(seed: int, *, texts: bool, longest: bool) -> Altering:
    """Other numbers, or texts; and, of what a list holds, as much for all rows as for one, or nothing."""

    def change(column: pa.ChunkedArray) -> pa.ChunkedArray:
        if pa.types.is_list(column.type) and pa.types.is_struct(column.type.value_type):
            return _alike_for_all(column, most=longest)
        if pa.types.is_struct(column.type):
            held = _flags_set(column)
            row = int(held.argmax() if longest else held.argmin())
            return column.take(arrow_array(np.full(len(column), row)))
        flags = pa.types.is_boolean(column.type)
        return _moved(pc.fill_null(column, longest) if flags else column, seed, texts=texts)

    return _each(change)


def _alike_for_all(column: pa.ChunkedArray, *, most: bool) -> pa.ChunkedArray:
    """Lists that all hold whatever one of them holds, each thing once; or nothing."""
    items = {json.dumps(value, default=str): value for held in column.to_pylist() if most for value in held or ()}
    return pa.chunked_array([pa.array([list(items.values())] * len(column), column.type)])


def _flags_set(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Of each struct: whether it is there, and how many of its flags are set."""
    struct = column.combine_chunks()
    flags = [struct.field(one.name) for one in column.type if pa.types.is_boolean(one.type)]
    numbers = [pc.fill_null(flag, False).to_numpy(zero_copy_only=False) for flag in (struct.is_valid(), *flags)]
    held: npt.NDArray[np.int64] = np.sum(numbers, axis=0)
    return held


RESULTS: dict[str, Altering] = {
    "with other numbers": _with_other_results(3, texts=False, longest=True),
    "with other numbers and less": _with_other_results(4, texts=False, longest=False),
    "with other texts": _with_other_results(2, texts=True, longest=True),
}
"""Forms whose rows are called as they were: what joins still does, and only results differ."""


def _moved(column: pa.ChunkedArray, seed: int, *, texts: bool) -> pa.ChunkedArray:
    """Other numbers, some flags turned, and, where asked, some texts that no record has."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_map(column.type):
        maps = column.combine_chunks()
        items = _moved(pa.chunked_array([maps.items]), seed, texts=texts).combine_chunks()
        if seed % 2 == 0:  # what is best differs, and otherwise in records that hold more or less
            items = items.take(_order(Random(seed), len(items)))
        return pa.chunked_array([pa.MapArray.from_arrays(maps.offsets, maps.keys, items, column.type)])
    steps = np.arange(len(column)) % 7
    some = pc.equal(arrow_array(steps % 3), seed % 3)
    if pa.types.is_floating(column.type):
        added = arrow_array(0.0113 * seed * (1 + steps)).cast(column.type)
        return pc.add(pc.multiply(column, 1.0 + 0.37 * seed), added)
    if pa.types.is_integer(column.type):
        return pc.add(column, arrow_array(seed + steps).cast(column.type))
    if pa.types.is_boolean(column.type):
        return pc.xor(column, some)
    if texts and pa.types.is_string(column.type):
        return pc.if_else(some, pc.binary_join_element_wise(column, "~", ""), column)
    return column
