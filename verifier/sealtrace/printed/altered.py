"""The same records altered: what a recipe gives on them tells whether it depends on records at all.

A value that any of these forms turns into another number was computed. One that is the same on all of them, or
nothing at all, is what the recipe says and not what the records give.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Altering = Callable[[pa.Table, Collection[str]], pa.Table]
"""From a table, and the columns that select rows, which stay as they are."""


def _shuffled(seed: int) -> Altering:
    """Every column in an order of its own, with other values."""

    def alter(table: pa.Table, kept: Collection[str]) -> pa.Table:
        random = np.random.default_rng(seed)
        orders = [pa.array(random.permutation(table.num_rows)) for _ in table.columns]
        columns = [
            column if name in kept else _moved(column.take(order), seed, texts=seed > 1)
            for name, column, order in zip(table.column_names, table.columns, orders, strict=True)
        ]
        return pa.table(columns, names=table.column_names)

    return alter


def _with_other_numbers(table: pa.Table, kept: Collection[str]) -> pa.Table:
    columns = [
        column if name in kept else _moved(column, 3, texts=False)
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return pa.table(columns, names=table.column_names)


FORMS: dict[str, Altering] = {
    "shuffled": _shuffled(1),
    "shuffled otherwise": _shuffled(2),
    "with other numbers": _with_other_numbers,
    "some rows twice": lambda table, _: table.take(
        pa.array(np.r_[np.arange(table.num_rows), np.arange(0, table.num_rows, 2)])
    ),
    "without every third row": lambda table, _: table.take(
        pa.array(np.flatnonzero(np.arange(table.num_rows) % 3 != 1))
    ),
    "one row": lambda table, _: table.slice(0, 1),
    "no row": lambda table, _: table.slice(0, 0),
}
"""Each form's name and how it is made; those that mostly tell come first."""
ROW_BY_ROW = tuple(form for form in FORMS if form not in ("one row", "no row"))
"""Forms that can be made of some rows at a time."""


def _moved(column: pa.ChunkedArray, seed: int, *, texts: bool) -> pa.ChunkedArray:
    """Other numbers, some flags turned, and, where asked, some texts that no record has."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    steps = np.arange(len(column)) % 7
    some = pa.array(steps % 3 == seed % 3)
    if pa.types.is_floating(column.type):
        return pc.add(pc.multiply(column, 1.0 + 0.37 * seed), pa.array(0.0113 * seed * (1 + steps)).cast(column.type))
    if pa.types.is_integer(column.type):
        return pc.add(column, pa.array(seed + steps).cast(column.type))
    if pa.types.is_boolean(column.type):
        return pc.xor(column, some)
    if texts and pa.types.is_string(column.type):
        return pc.if_else(some, pc.binary_join_element_wise(column, "~", ""), column)
    return column
