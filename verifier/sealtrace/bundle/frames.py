"""The rows of one kind across its files, as numpy columns, with the place of each row kept; actions as matrices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.content import ascending_keys, combined_codes
from sealtrace.bundle.encoding import arrow_array, by_reference, entries, one_chunk, one_dictionary, references, regular
from sealtrace.bundle.shapes import Flag, Integer, NumberShape, RowKind, Text, arrow_schema, row_key, row_shape
from sealtrace.bundle.shards import KeptFile
from sealtrace.bundle.stores import Store, joined

Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
_Number = TypeVar("_Number", np.float64, np.bool_)


class Frame:
    """All rows of one kind that could be read and fit their schema."""

    def __init__(self, kind: str, stores: list[Store], declared: RowKind | None = None) -> None:
        self.kind = kind
        self.form = form = stores[0].form if stores else declared or kind
        self.key_fields = row_key(form)
        self.paths = [store.path for store in stores]
        tables = [store.table for store in stores] or [arrow_schema(form).empty_table()]
        # Chunks are joined a column at a time, when one is asked for: a whole copy would double the memory.
        table = joined(tables, arrow_schema(form))
        columns = [
            one_dictionary(column) if pa.types.is_dictionary(column.type) else column for column in table.columns
        ]
        self.table = pa.table(columns, names=table.column_names).unify_dictionaries()
        self._starts = np.cumsum([0, *(store.table.num_rows for store in stores)])
        self._numbers: list[Index | range] = [store.rows for store in stores]
        self.size: int = self.table.num_rows

    def _of(self, table: pa.Table, paths: list[str], numbers: Sequence[Index | range]) -> Frame:
        """Other rows of the same kind, those of each file with their places; nothing is known of them yet."""
        other = Frame.__new__(Frame)
        other.kind, other.form, other.key_fields, other.paths = self.kind, self.form, self.key_fields, paths
        other.table, other.size, other._numbers = table, table.num_rows, list(numbers)
        other._starts = np.cumsum([0, *map(len, numbers)])
        return other

    def altered(self, table: pa.Table) -> Frame:
        """The same frame with other rows, which stand nowhere: what a recipe gives on them is compared, not shown."""
        return self._of(table, ["altered"], [range(1, table.num_rows + 1)])

    @cached_property
    def matrices(self) -> dict[Hashable, Any]:
        """What was computed of whole columns, by whoever computed it."""
        return {}

    def place(self, row: int) -> tuple[str, int]:
        """File, and line or row in it."""
        file = int(np.searchsorted(self._starts, row, side="right")) - 1
        return self.paths[file], int(self._numbers[file][row - self._starts[file]])

    def extents(self) -> list[tuple[int, int]]:
        """Where the rows of each file start and end."""
        return list(pairwise(self._starts.tolist()))

    def file_of(self) -> Index:
        """The index of each row's file."""
        return np.repeat(np.arange(len(self.paths)), np.diff(self._starts))

    def key(self, row: int) -> dict[str, str]:
        """The composite key of a row."""
        values = {name: self.table.column(name)[row].as_py() for name in self.key_fields}
        return {name: str(value) for name, value in values.items() if value is not None}

    @cached_property
    def repeats(self) -> dict[int, int]:
        """Rows whose key stands before, with the first row of that key."""
        if ascending_keys(self.table, self.key_fields):
            return {}
        codes = combined_codes(self.table, self.key_fields)
        order = np.argsort(codes, kind="stable")
        new = np.r_[True, codes[order][1:] != codes[order][:-1]]
        # The place of the latest new key is the first row of every key that repeats it.
        starts = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
        same = np.flatnonzero(~new)
        return dict(zip(order[same].tolist(), order[starts[same]].tolist(), strict=True))

    def has_single_keys(self) -> None:
        """Whoever looked at all rows saw no key twice."""
        self.repeats = {}

    def stretch(self, start: int, stop: int) -> Frame:
        """Rows that follow each other, each with its place; nothing is copied."""
        numbers = [
            numbers[max(0, start - first) : max(0, stop - first)]
            for numbers, first in zip(self._numbers, self._starts.tolist(), strict=False)
        ]
        return self._of(self.table.slice(start, stop - start), self.paths, numbers)

    @staticmethod
    def concatenated(parts: Sequence[Frame]) -> Frame:
        """Some rows of a frame and then others, as one frame; all have the dictionaries of the frame."""
        if len(parts) == 1:
            return parts[0]
        paths = [path for part in parts for path in part.paths]
        numbers = [numbers for part in parts for numbers in part._numbers]
        return parts[0]._of(pa.concat_tables([part.table for part in parts]), paths, numbers)

    def subset(self, rows: Index) -> Frame:
        """Some rows, in order, each with its place."""
        # Of the stretch that they lie in: Arrow would join all chunks to take a few rows.
        low, high = (int(rows.min()), int(rows.max()) + 1) if len(rows) else (0, 0)
        files = np.searchsorted(self._starts, rows, side="right") - 1
        numbers = [
            np.array([numbers[row] for row in (rows[files == file] - self._starts[file]).tolist()], np.int64)
            for file, numbers in enumerate(self._numbers)
        ]
        return self._of(self.table.slice(low, high - low).take(arrow_array(rows - low)), self.paths, numbers)

    @property
    def names(self) -> list[str]:
        """The fields."""
        names: list[str] = self.table.column_names
        return names

    def columns(self, names: Sequence[str]) -> pa.Table:
        """Some fields of all rows."""
        return self.table.select(list(names))

    def parts(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Some fields of all rows, as many rows at a time as are at hand."""
        yield self.columns(names)

    @property
    def some(self) -> pa.Table:
        """All rows, or enough of them to see what their fields are like."""
        return self.table

    def distinct(self, field: str, most: int | None = None) -> pa.Array:
        """The values of a field, each once; of a field that has more than `most`, more than that suffice."""
        found = pa.array([], arrow_schema(self.form).field(field).type)
        for part in self.parts([field]):
            found = pa.concat_arrays([found, *plain(part.column(0)).chunks]).unique()
            if most is not None and len(found) > most:
                break
        return found

    def taken(self, names: Sequence[str], rows: Index) -> pa.Table:
        """Some fields of some rows."""
        return self.table.select(list(names)).take(arrow_array(rows))

    def where(self, name: str, fits: Callable[[pa.ChunkedArray], Mask], _: Hashable) -> Mask:
        """The rows whose field fits; the last argument names what `fits` asks."""
        column = self.table.column(name)
        if pa.types.is_string(column.type):  # many cells ask: each value is compared once, and not each row
            if name not in self._coded:
                self._coded[name] = pa.chunked_array([by_reference(one_chunk(column))])
            column = self._coded[name]
        return fits(column)

    @cached_property
    def _coded(self) -> dict[str, pa.ChunkedArray]:
        """Columns of texts by reference, where somebody asked for rows by their texts."""
        return {}

    def sample(self, rows: Index, most: int) -> pa.Table:
        """Some of the rows that are named, and some of all others."""
        rows, unnamed = rows[: most // 2], np.ones(self.size, np.bool_)
        unnamed[rows] = False
        others = np.flatnonzero(unnamed)
        return self.table.take(np.sort(np.r_[rows, others[:: 1 + len(others) // (most // 2)]]))

    def column(self, name: str) -> pa.Array:
        """A column as one array. One that is not nested is asked for often, and joined once."""
        column = self.table.column(name)
        if column.num_chunks == 1:
            return column.chunk(0)
        joined = column.combine_chunks()
        if not pa.types.is_nested(column.type):
            self.replace_column(name, joined)
        return joined

    def replace_column(self, name: str, array: pa.Array) -> None:
        """Holds a column in another form, or elsewhere."""
        self.table = self.table.set_column(self.names.index(name), name, array)

    def texts(self, name: str) -> tuple[Index, list[str]]:
        """A text column as codes, -1 for absent, and the texts that they stand for."""
        return coded_texts(self.column(name))

    def says(self, name: str, text: str | None) -> Mask:
        """Which rows hold a text in a text column."""
        codes, texts = self.texts(name)
        held: Mask = codes == (texts.index(text) if text in texts else len(texts))
        return held

    def first_texts(self, name: str) -> tuple[Index, list[str]]:
        """The first item of each list of a column as codes, -1 for absent or empty, and the texts."""
        array = self.column(name)
        offsets, items = array.offsets.to_numpy(), by_reference(array.values)
        filled = (np.diff(offsets) > 0) & array.is_valid().to_numpy(zero_copy_only=False)
        codes = np.full(self.size, -1, np.int64)
        codes[filled] = references(items)[offsets[:-1][filled]]
        return codes, items.dictionary.to_pylist()

    def text(self, name: str, row: int) -> str | None:
        """One text."""
        value: str | None = self.table.column(name)[row].as_py()
        return value

    def numbers(self, name: str) -> Vector:
        """A number column; NaN for absent."""
        array = self.column(name).cast(pa.float64())
        numbers: Vector = array.fill_null(float("nan")).to_numpy(zero_copy_only=False)
        return numbers

    def flags(self, name: str) -> Mask:
        """A flag column without absent values."""
        flags: Mask = self.column(name).to_numpy(zero_copy_only=False).astype(np.bool_)
        return flags

    def lookup(self, name: str, targets: pa.Array) -> Index:
        """The place of each row's text among unique targets; -1 where it is not there."""
        array = self.column(name)
        if pa.types.is_dictionary(array.type) and len(array.dictionary) > len(array):
            array = array.dictionary.take(array.indices)
        # In 32 bits, as Arrow has them: there may be many rows.
        if not self.size or array.equals(targets):
            rows: Index = np.arange(self.size, dtype=np.int32)
            return rows
        if pa.types.is_dictionary(array.type):
            codes = references(array)
            if array.dictionary.equals(targets[: len(array.dictionary)]):
                return codes
            places = pc.index_in(array.dictionary, value_set=targets).fill_null(-1).to_numpy()
            return np.where(codes >= 0, places[codes] if len(places) else -1, -1)
        at = pc.index_in(array, value_set=targets).fill_null(-1).to_numpy()
        return np.where(array.is_null().to_numpy(zero_copy_only=False), -1, at)


def coded_texts(array: pa.Array) -> tuple[Index, list[str]]:
    """Texts as codes, -1 for absent, and the texts that they stand for."""
    coded = by_reference(array)
    return references(coded).astype(np.int64), coded.dictionary.to_pylist()


class StreamedFrame(Frame):
    """Rows that were judged a shard at a time and not kept. What asks for their table has them read again, whole."""

    def __init__(
        self,
        kind: str,
        sizes: dict[str, int],
        again: Callable[[str], list[Store]],
        form: RowKind | None = None,
        values: dict[str, pa.Array] | None = None,
    ) -> None:
        """`values` are those of some fields, where whoever judged the rows knows them."""
        self.kind = kind
        self.form = form or kind
        self.key_fields = row_key(self.form)
        self.paths = list(sizes)
        self._starts = np.cumsum([0, *sizes.values()])
        self._numbers = [range(1, size + 1) for size in sizes.values()]
        self.size = int(self._starts[-1])
        self._again = again
        self._values = values or {}
        self.facts: Any = None
        """What is known of all rows together, by whoever judged them."""

    @cached_property
    def table(self) -> pa.Table:
        """Read again, and proved to be what was judged."""
        return Frame(self.kind, self._again(self.kind)).table

    @cached_property
    def repeats(self) -> dict[int, int]:
        """None: every shard was proved to hold its keys once and in order."""
        return {}

    @property
    def names(self) -> list[str]:
        return [field.name for field in row_shape(self.form).fields]

    def distinct(self, field: str, most: int | None = None) -> pa.Array:
        return self._values[field] if field in self._values else super().distinct(field, most)


class KeptFrame(StreamedFrame):
    """Rows that were judged a row group at a time, and of whose files copies were kept to read columns from."""

    def __init__(
        self,
        kind: str,
        sizes: dict[str, int],
        again: Callable[[str], list[Store]],
        form: RowKind,
        kept: list[KeptFile],
        held: dict[str, pa.ChunkedArray] | None = None,
    ) -> None:
        super().__init__(kind, sizes, again, form)
        self.kept = kept
        """Copies of the files' bytes where single columns are read."""
        self._held = held or {}
        """Columns that take few bytes, by reference to the values that they have, each listed once."""
        self._masks: dict[Hashable, npt.NDArray[np.uint8]] = {}
        self._keys: dict[tuple[int, int], pa.Table] = {}

    @property
    def plain(self) -> bool:
        """Whether every field is a text, a number or a flag, which Parquet holds as declared."""
        return all(
            isinstance(field.shape, Text | NumberShape | Integer | Flag) for field in row_shape(self.form).fields
        )

    def columns(self, names: Sequence[str]) -> pa.Table:
        """What is held comes by reference, and the rest is read again."""
        chunks: dict[str, list[pa.Array]] = {name: [] for name in names if name not in self._held}
        for table in self.parts(list(chunks)) if chunks else ():
            for name, some in chunks.items():
                array = one_chunk(table.column(name))
                some.append(by_reference(array) if pa.types.is_string(array.type) else array)
        read = {name: pa.chunked_array(some).unify_dictionaries() for name, some in chunks.items()}
        return pa.table({name: self._held.get(name, read.get(name)) for name in names})

    def parts(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Some fields of all rows, a row group at a time."""
        if self._held.keys() >= set(names):
            for start in range(0, self.size, HELD_AT_ONCE):
                yield pa.table({name: _as_read(self._held[name].slice(start, HELD_AT_ONCE)) for name in names})
            return
        for file in self.kept:
            yield from file.tables(names)

    def taken(self, names: Sequence[str], rows: Index) -> pa.Table:
        unheld = [name for name in names if name not in self._held]
        held = {name: _as_read(self._held[name].take(arrow_array(rows))) for name in names if name in self._held}
        held |= dict(zip(unheld, self._read_rows(unheld, rows).columns, strict=True)) if unheld else {}
        return pa.table({name: held[name] for name in names})

    def _read_rows(self, names: Sequence[str], rows: Index) -> pa.Table:
        """Some fields of some rows, from the row groups that have them."""
        ordered = bool(np.all(rows[1:] >= rows[:-1]))
        wanted, found = rows if ordered else np.sort(rows), []
        for file, first in zip(self.kept, self._starts, strict=False):
            bounds = np.searchsorted(wanted, first + file.starts)
            groups = np.flatnonzero(np.diff(bounds))
            for group, table in zip(groups, file.tables(names, groups.tolist()), strict=True):
                own = wanted[bounds[group] : bounds[group + 1]] - (first + file.starts[group])
                found.append(table if len(own) == table.num_rows else table.take(arrow_array(own)))
        none = arrow_schema(self.form).empty_table().select(list(names))
        table = (pa.concat_tables(found) if found else none).unify_dictionaries().select(list(names))
        return table if ordered else table.take(arrow_array(np.argsort(np.argsort(rows, kind="stable"))))

    def where(self, name: str, fits: Callable[[pa.ChunkedArray], Mask], asked: Hashable) -> Mask:
        if (name, asked) not in self._masks:
            self._masks[name, asked] = np.packbits(fits(self.columns([name]).column(0)))
        return np.unpackbits(self._masks[name, asked], count=self.size).astype(np.bool_)

    @cached_property
    def some(self) -> pa.Table:
        """Some stretches of the rows, each of whole values of the first key field, spread over all row groups."""
        starts = np.concatenate(
            [first + file.starts[:-1] for file, first in zip(self.kept, self._starts, strict=False)]
        )
        chosen = starts[np.unique(np.linspace(0, len(starts) - 1, STRETCHES).astype(int))].tolist()
        key = self.columns(self.key_fields[:1]).column(0)
        rows = [np.arange(start, start + _whole_values(key.slice(start, 4 * STRETCH))) for start in chosen]
        return self.taken(self.names, np.concatenate(rows))

    def distinct(self, field: str, most: int | None = None) -> pa.Array:
        """Those that a held column refers to, which row groups were proved to have."""
        if field not in self._held:
            return super().distinct(field, most)
        column = self._held[field]
        values = one_chunk(column).dictionary
        return pa.concat_arrays([values, pa.nulls(1, values.type)]) if column.null_count else values

    def sample(self, _: Index, __: int) -> pa.Table:
        """Stretches: whether the named rows are among them is for the recipe to find."""
        return self.some

    def key(self, row: int) -> dict[str, str]:
        """The key fields of a few row groups are kept: the first rows of many cells stand in the same ones."""
        number = int(np.searchsorted(self._starts, row, side="right")) - 1
        file, own = self.kept[number], row - int(self._starts[number])
        group = int(np.searchsorted(file.starts, own, side="right")) - 1
        if (number, group) not in self._keys:
            if len(self._keys) == MOST_GROUPS:
                del self._keys[next(iter(self._keys))]
            (self._keys[number, group],) = file.tables(self.key_fields, [group])
        (values,) = self._keys[number, group].slice(own - int(file.starts[group]), 1).to_pylist()
        return {name: str(values[name]) for name in self.key_fields if values[name] is not None}


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without its dictionary."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _as_read(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts by reference, and numbers and flags as they are."""
    return column if pa.types.is_string(column.type.value_type) else plain(column)


HELD_AT_ONCE = 2**16
"""Rows of held columns that are handed on together, where nobody asks for row groups."""
STRETCHES, STRETCH = 16, 1024
MOST_GROUPS = 8
"""Row groups whose keys are kept."""


def _whole_values(column: pa.ChunkedArray) -> int:
    """About as many rows as a stretch has, up to where the value changes."""
    codes = references(by_reference(column.combine_chunks()))
    changes = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    return int(changes[np.searchsorted(changes, STRETCH) - 1]) if len(changes) and changes[0] <= STRETCH else len(codes)


@dataclass(frozen=True)
class ActionMatrix:
    """A column of action maps: one row per record, one column per declared action."""

    values: Matrix
    """Zero where an action is not named."""
    named: Mask
    unknown: Mask
    """Rows that name an action which the protocol does not declare."""


@dataclass(frozen=True)
class ActionLists:
    """A column of action lists."""

    named: Mask
    unknown: Mask
    repeated: Mask
    ordered: Mask
    """Rows whose actions come in the protocol's order."""


def action_matrix(frame: Frame, name: str, actions: list[str]) -> ActionMatrix:
    """A map column by declared action, computed once for a frame."""
    key = (name, *actions)
    if key not in frame.matrices:
        frame.matrices[key] = _action_matrix(frame, name, actions)
    found: ActionMatrix = frame.matrices[key]
    return found


def _action_matrix(frame: Frame, name: str, actions: list[str]) -> ActionMatrix:
    chunks = [regular(chunk) for chunk in frame.table.column(name).chunks if len(chunk)]
    same = [chunk for chunk in chunks if chunk is not None and chunk[0] == chunks[0][0]] if chunks and chunks[0] else []
    if same and len(same) == len(chunks) and set(same[0][0]) <= set(actions):
        # Most files name the same actions in every record.
        places = [actions.index(action) for action in same[0][0]]
        values, named, start = _by_action(frame, actions), np.zeros(len(actions), np.bool_), 0
        for _, matrix in same:
            for place, numbers in zip(places, matrix.T, strict=True):
                values[start : start + len(matrix), place] = numbers
            start += len(matrix)
        named[places] = True
        return ActionMatrix(values, np.broadcast_to(named, values.shape), np.zeros(frame.size, np.bool_))
    array, owners = _present(frame.column(name))
    offsets, keys, numbers = entries(array)
    codes, items = _action_codes(keys, actions), numbers.to_numpy(zero_copy_only=False)
    values = _by_action(frame, actions)
    named = np.zeros_like(values, np.bool_)
    owners, known = np.repeat(owners, np.diff(offsets)), codes >= 0
    values[owners[known], codes[known]] = items[known]
    named[owners[known], codes[known]] = True
    return ActionMatrix(values, named, _any(owners[~known], frame.size))


def action_lists(frame: Frame, name: str, actions: list[str]) -> ActionLists:
    """A list column by declared action."""
    array, owners = _present(frame.column(name))
    offsets = array.offsets.to_numpy().astype(np.int64)
    codes = _action_codes(array.values.slice(offsets[0], offsets[-1] - offsets[0]), actions)
    named = np.zeros((len(actions), frame.size), np.bool_).T
    owners, known = np.repeat(owners, np.diff(offsets)), codes >= 0
    named[owners[known], codes[known]] = True
    counts = np.bincount(owners[known], minlength=frame.size)
    same = owners[1:] == owners[:-1]
    falling = same & (codes[1:] < codes[:-1])
    return ActionLists(
        named=named,
        unknown=_any(owners[~known], frame.size),
        repeated=counts > named.sum(axis=1),
        ordered=~_any(owners[1:][falling], frame.size),
    )


def _by_action(frame: Frame, actions: list[str]) -> Matrix:
    """Zeros. The numbers of an action lie together: computing across a few actions is then twenty times as fast."""
    return np.zeros((len(actions), frame.size)).T


def some_rows(matrix: npt.NDArray[_Number], rows: Index) -> npt.NDArray[_Number]:
    """Rows of such a matrix, laid out as it is; a view of it where they follow each other in equal steps."""
    if len(rows):
        step = int(rows[1] - rows[0]) if len(rows) > 1 else 1
        if step > 0 <= rows[0] and (rows == np.arange(rows[0], rows[0] + step * len(rows), step)).all():
            return matrix[rows[0] : rows[-1] + 1 : step]
    return matrix.T.take(rows, axis=1).T


def _present(array: pa.Array) -> tuple[pa.Array, Index]:
    """The lists or maps that are present, and the row of each."""
    return array.drop_null(), np.flatnonzero(array.is_valid().to_numpy(zero_copy_only=False))


def _action_codes(names: pa.Array, actions: list[str]) -> Index:
    names = by_reference(names)
    places = pc.index_in(names.dictionary, value_set=pa.array(actions, pa.string())).fill_null(-1).to_numpy()
    return places.astype(np.int64)[names.indices.to_numpy()] if len(names) else np.zeros(0, np.int64)


def _any(rows: Index, size: int) -> Mask:
    mask = np.zeros(size, np.bool_)
    mask[rows] = True
    return mask
