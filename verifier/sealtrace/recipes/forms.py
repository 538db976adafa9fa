"""Forms of the records: the same rows with other values, names or levels, or fewer of them.

What a recipe gives on them tells whether its number comes from the records at all, what it chooses of them, and whether
it is the mean that its heading says. A value that is the same on all of `FORMS`, or nothing at all, is what the recipe
says: the records do not give such a value, whatever they hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.frames import plain

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


def _with_other_results(seed: int, *, texts: bool, longest: bool) -> Altering:
    """Other numbers, or texts; and, of what a list holds, as much for all rows as for one, or nothing."""

    def change(column: pa.ChunkedArray) -> pa.ChunkedArray:
        if pa.types.is_list(column.type) and pa.types.is_struct(column.type.value_type):
            return _alike_for_all(column, most=longest)
        if pa.types.is_struct(column.type):
            held = _flags_set(column)
            row = int(held.argmax() if longest else held.argmin())
            return column.take(pa.array(np.full(len(column), row)))
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
            items = items.take(pa.array(np.random.default_rng([seed, len(items)]).permutation(len(items))))
        return pa.chunked_array([pa.MapArray.from_arrays(maps.offsets, maps.keys, items, column.type)])
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


# Forms that tell what a query chooses, and what it means


@dataclass(frozen=True)
class Told:
    """What is known of the fields of some records."""

    keys: Collection[str] = ()
    """Those that identify a row."""
    values: Mapping[str, pa.Array] = field(default_factory=dict)
    """The values of such a field in order, whatever kind of record they are of."""
    given: Collection[str] = ()
    """Others that are no results: right answers, and what other fields determine."""


@dataclass(frozen=True)
class Renamed:
    """Rows are called in a field what others are called, so many places on."""

    field: str
    shift: int

    def of(self, table: pa.Table, told: Told) -> pa.Table:
        if self.field not in table.column_names:
            return table
        values, column = told.values[self.field], plain(table.column(self.field))
        others = pa.concat_arrays([values[self.shift :], values[: self.shift]])
        renamed = others.take(pc.index_in(column, value_set=values))
        return table.set_column(table.column_names.index(self.field), self.field, renamed)


@dataclass(frozen=True)
class Spoilt:
    """One repeat has the worst results, or the best, in one of two ways; and it may be the only one that is there."""

    field: str
    value: str
    lower: bool
    again: bool = False
    """With other numbers; and, where nothing is lower than wrong, with some that are right."""
    alone: bool = False

    def of(self, table: pa.Table, told: Told) -> pa.Table:
        if self.field not in table.column_names:
            return table
        mine = _called(table, self.field, self.value)
        changed = table
        for place, name in enumerate(table.column_names):
            if name not in told.keys and name not in told.given:
                changed = changed.set_column(place, name, self._spoilt(plain(table.column(name)), mine))
        return changed.filter(mine) if self.alone else changed

    def _spoilt(self, column: pa.ChunkedArray, where: pa.ChunkedArray) -> pa.ChunkedArray:
        """Results of some rows, all lower than any, or higher; texts that no record has."""
        new: pa.Scalar | None = None
        if _is_number(column.type):
            least, greatest = (float(bound or 0) for bound in pc.min_max(column).as_py().values())
            step = max(1.0, greatest - least) * (2 if self.again else 1)
            new = pa.scalar(least - step if self.lower else greatest + step).cast(column.type, safe=False)
        elif pa.types.is_boolean(column.type) or pa.types.is_string(column.type):
            flags = pa.types.is_boolean(column.type)
            new = pa.scalar(not self.lower) if flags else pa.scalar("~" if self.lower else "~~")
            if self.again:
                spared = np.cumsum(where.to_numpy()) % 4 == 0
                column = pc.if_else(pc.and_(where, spared), not new.as_py(), column) if flags else column
                where = pc.and_(where, ~spared)
        return column if new is None else pc.if_else(where, new, column)


@dataclass(frozen=True)
class Without:
    """The rows that a field calls so are left out."""

    field: str
    value: str

    def of(self, table: pa.Table, _: Told) -> pa.Table:
        if self.field not in table.column_names:
            return table
        return table.filter(pc.invert(_called(table, self.field, self.value)))


HALVES = (("even", "odd"), ("some", "rest"))
"""Every other row, and rows in no order."""


@dataclass(frozen=True)
class Level:
    """A field has one `more`, or `twice` as much, everywhere; or all rows are right, none, or one of the `HALVES`.

    What is `right` answers with a text; what is `false` answers with what is right elsewhere.
    """

    what: str
    of_what: str = ""
    kept: frozenset[str] = frozenset()
    """Fields by which rows are taken, besides their keys."""

    def of(self, table: pa.Table, told: Told) -> pa.Table:
        kept = self.kept.union(map(str.casefold, told.keys))
        of, rows = self.of_what, table.num_rows
        others = _others(table, of) if self.what == "false" and of in table.column_names else None
        right = [self.what == "right"] * rows
        if self.what in ("even", "odd"):
            right = ((np.arange(rows) + (self.what == "odd")) % 2 == 0).tolist()
        if self.what in ("some", "rest"):
            right = ((np.random.default_rng(rows).random(rows) < 0.5) == (self.what == "some")).tolist()
        columns: dict[str, pa.ChunkedArray] = {}
        for name, column in zip(table.column_names, map(plain, table.columns), strict=True):
            kind = column.type
            if self.what in ("more", "twice"):
                if name.casefold() == of and (_is_number(kind) or pa.types.is_decimal(kind)):
                    column = pc.add(column, column if self.what == "twice" else pa.scalar(1).cast(kind))
            elif name.casefold() not in kept:
                there = pa.array(right, pa.bool_(), mask=column.is_null().to_numpy())
                if pa.types.is_boolean(kind):
                    column = pa.chunked_array([there])
                elif pa.types.is_string(kind):
                    answers = others is not None and name != of and _share_a_value(column, others)
                    column = others if answers else pa.chunked_array([pc.if_else(there, of, f"~{name}")])
            columns[name] = column
        return pa.table(columns)


Form: TypeAlias = str | Renamed | Spoilt | Without | Level
"""A form of the records, by its name or by what it is."""


def _called(table: pa.Table, field: str, value: str) -> pa.ChunkedArray:
    return pc.fill_null(pc.equal(plain(table.column(field)).cast(pa.string()), value), False)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _share_a_value(column: pa.ChunkedArray, others: pa.ChunkedArray) -> bool:
    return bool(pc.any(pc.is_in(column, value_set=others.unique())).as_py())


def _others(table: pa.Table, truth: str) -> pa.ChunkedArray:
    """For each row, an answer that some row has and that is not its own right one."""
    column = plain(table.column(truth))
    known = pc.unique(column).drop_null()
    known = known.take(pc.sort_indices(known))
    turned = pa.concat_arrays([known[1:], known[:1]])
    return pa.chunked_array([turned.take(pc.index_in(column.combine_chunks(), value_set=known))])
