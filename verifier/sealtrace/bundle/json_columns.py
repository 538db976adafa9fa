"""JSON rows to Arrow columns, column by column, with every misfit named, and the schema's demands on whole columns.

pyarrow's own JSON reader merges duplicate keys and coerces types silently, so it cannot be used on
evidence. Types are looked at a column at a time (`set(map(type, column))`), not a row at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.encoding import arrow_array, by_reference, bytes_of, entries, regular, text_bounds
from sealtrace.bundle.shapes import (
    Flag,
    Integer,
    Mapping,
    NumberShape,
    Sequence,
    Shape,
    Struct,
    Text,
    arrow_type,
    describe,
)
from sealtrace.contract.scalars import PRINTABLE

Rows = npt.NDArray[np.int64]
Misfit = Callable[[int, str, str, str], None]
"""Called with row index, JSON pointer, expected and found."""

_NULL = type(None)
_ACCEPTED: dict[type, frozenset[type]] = {
    Text: frozenset({str, _NULL}),
    NumberShape: frozenset({float, int, _NULL}),
    Integer: frozenset({int, float, _NULL}),
    Flag: frozenset({bool, _NULL}),
    Sequence: frozenset({list, _NULL}),
    Mapping: frozenset({dict, _NULL}),
    Struct: frozenset({dict, _NULL}),
}


@dataclass(frozen=True)
class _Place:
    """Where values stand: the row of each, their JSON pointer, and whom to tell what does not fit there."""

    owners: Rows
    pointer: str
    misfit: Misfit

    def refuse(self, index: int, expected: str, found: str) -> None:
        """The value of this index does not fit."""
        self.misfit(int(self.owners[index]), self.pointer, expected, found)

    def inside(self, name: str) -> _Place:
        """The place of a field of each."""
        return replace(self, pointer=f"{self.pointer}/{name}")

    def items(self, lengths: Rows) -> _Place:
        """The place of the items of each, of which there are so many."""
        return replace(self.inside("*"), owners=np.repeat(self.owners, lengths))


def table_from_rows(rows: list[Any], shape: Struct, misfit: Misfit) -> pa.Table:
    """A table of the rows. What does not fit is reported and left null."""
    array = array_of(rows, shape, misfit)
    return pa.Table.from_arrays(array.flatten(), schema=pa.schema(list(arrow_type(shape))))


def array_of(values: list[Any], shape: Shape, misfit: Misfit) -> pa.Array:
    """The values as one column."""
    return _build(values, shape, _Place(np.arange(len(values), dtype=np.int64), "", misfit))


def _build(values: list[Any], shape: Shape, place: _Place) -> pa.Array:
    # The set of types clears a whole column at once; values are asked one by one only where a stranger is among them.
    accepted, types = _ACCEPTED[type(shape)], set(map(type, values))
    if not types <= accepted:
        values = _fitting(values, shape, place, lambda value: type(value) in accepted)
    match shape:
        case Integer() if float in types:
            # JSON Schema counts 1.0 as an integer.
            whole = _fitting(values, shape, place, lambda value: value is None or _is_whole(value))
            return pa.array([None if value is None else int(value) for value in whole], pa.int64())
        case Text() | NumberShape() | Integer() | Flag():
            return pa.array(values, arrow_type(shape))
        case Sequence(item=item):
            offsets, mask, inner = _offsets(values, place)
            children = list(chain.from_iterable(value for value in values if value is not None))
            _no_null_items(children, item, inner)
            return pa.ListArray.from_arrays(offsets, _build(children, item, inner), mask=mask)
        case Mapping(key=key, value=item):
            offsets, mask, inner = _offsets(values, place)
            names = list(chain.from_iterable(value for value in values if value is not None))
            items = list(chain.from_iterable(value.values() for value in values if value is not None))
            _no_null_items(items, item, inner)
            return pa.MapArray.from_arrays(offsets, _build(names, key, inner), _build(items, item, inner), mask=mask)
        case Struct(fields=fields):
            _no_unknown_fields(values, shape, place)
            arrays = []
            for field in fields:
                children = [None if value is None else value.get(field.name) for value in values]
                arrays.append(_build(children, field.shape, place.inside(field.name)))
            return pa.StructArray.from_arrays(arrays, fields=list(arrow_type(shape)), mask=_absent(values))


def _fitting(values: list[Any], shape: Shape, place: _Place, fits: Callable[[Any], bool]) -> list[Any]:
    """The values, with nothing for those that do not fit, which are reported."""
    kept = []
    for index, value in enumerate(values):
        if not fits(value):
            place.refuse(index, describe(shape), shown(value))
            value = None
        kept.append(value)
    return kept


def _is_whole(value: float) -> bool:
    return type(value) is not float or (value.is_integer() and abs(value) < 2**63)


def _absent(values: list[Any]) -> pa.Array:
    return pa.array([value is None for value in values], pa.bool_())


def _offsets(values: list[Any], place: _Place) -> tuple[pa.Array, pa.Array, _Place]:
    """Where the items of each list or map begin, which of them are absent, and the place of the items."""
    lengths = np.fromiter((0 if value is None else len(value) for value in values), np.int64, len(values))
    offsets = np.zeros(len(values) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return arrow_array(offsets), _absent(values), place.items(lengths)


def _no_null_items(values: list[Any], shape: Shape, place: _Place) -> None:
    if None in values:
        for index, value in enumerate(values):
            if value is None:
                place.refuse(index, describe(shape), "null")


def _no_unknown_fields(values: list[Any], shape: Struct, place: _Place) -> None:
    known = {field.name for field in shape.fields}
    if set().union(*(value for value in values if value is not None)) <= known:
        return
    for index, value in enumerate(values):
        for name in sorted(set(value or ()) - known):
            place.inside(name).refuse(index, "no such field", shown(value[name]))


def shown(value: Any, limit: int = 80) -> str:
    """A value for a message: short, and harmless on a terminal."""
    if isinstance(value, str):
        text = '"' + value.encode("unicode_escape").decode("ascii").replace('"', '\\"') + '"'
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif value is None:
        text = "null"
    else:
        text = repr(value).encode("unicode_escape").decode("ascii")
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def check_table(table: pa.Table, shape: Struct, misfit: Misfit) -> None:
    """Reports every value of a table that its schema refuses. Types are right already."""
    owners = np.arange(table.num_rows, dtype=np.int64)
    for field in shape.fields:
        start = 0
        for chunk in table.column(field.name).chunks:
            place = _Place(owners[start : start + len(chunk)], f"/{field.name}", misfit)
            _check_field(chunk, field.shape, place, required=field.required)
            start += len(chunk)


def _check_field(array: pa.Array, shape: Shape, place: _Place, *, required: bool = True) -> None:
    if array.null_count:
        missing = array.is_null().to_numpy(zero_copy_only=False)
        if required:
            for index in np.flatnonzero(missing).tolist():
                place.refuse(index, describe(shape), "nothing")
        array, place = array.drop_null(), replace(place, owners=place.owners[~missing])
    if len(array):
        _check(array, shape, place)


def _check(array: pa.Array, shape: Shape, place: _Place) -> None:
    """Checks the values that are present; there is at least one."""
    match shape:
        case Text():
            if not _plainly_good(array, shape) and (bad := _bad_text(array, shape)) is not None:
                _report(array, bad, shape, place)
        case NumberShape() | Integer() if _within(array.to_numpy(), shape):
            pass
        case NumberShape(minimum=low, maximum=high):
            bad = pc.invert(pc.is_finite(array))
            if low is not None:
                bad = pc.or_(bad, pc.less(array, low))
            if high is not None:
                bad = pc.or_(bad, pc.greater(array, high))
            _report(array, bad, shape, place)
        case Integer(minimum=minimum, maximum=maximum):
            _report(array, pc.or_(pc.less(array, minimum), pc.greater(array, maximum)), shape, place)
        case Flag():
            pass
        case Sequence(item=item, min_items=least, max_items=most):
            lengths = pc.list_value_length(array).to_numpy(zero_copy_only=False)
            wanted = f"at least {least} items" if most is None else f"{least} to {most} items"
            for index in np.flatnonzero((lengths < least) | (lengths > (np.inf if most is None else most))).tolist():
                place.refuse(index, wanted, f"{lengths[index]} items")
            _check_field(array.flatten(), item, place.items(lengths))
        case Mapping(key=key, value=item):
            # Most maps of a column name the same actions, and are judged as one matrix.
            same = regular(array) if isinstance(item, NumberShape) else None
            if same is not None and isinstance(item, NumberShape) and not _refused(key, item, *same):
                return
            offsets, names, items = entries(array)
            inner = place.items(np.diff(offsets))
            _check_field(names, key, inner)
            _no_repeats(names, np.repeat(np.arange(len(array)), np.diff(offsets)), inner)
            _check_field(items, item, inner)
        case Struct(fields=fields):
            for field, child in zip(fields, array.flatten(), strict=True):
                _check_field(child, field.shape, place.inside(field.name), required=field.required)


def _refused(key: Text, item: NumberShape, names: list[str], matrix: npt.NDArray[np.float64]) -> bool:
    """Whether the schema refuses anything of maps that all hold the same names."""
    return not _within(matrix, item) or _bad_text(pa.array(names, pa.string()), key) is not None


def _within(numbers: npt.NDArray[np.number], shape: NumberShape | Integer) -> bool:
    """Whether numbers are finite and within their bounds, as all are if the least and the greatest of them are."""
    low, high = numbers.min(), numbers.max()
    least = -np.inf if shape.minimum is None else shape.minimum
    most = np.inf if shape.maximum is None else shape.maximum
    return bool(np.isfinite(low) and np.isfinite(high) and least <= low and high <= most)


def _no_repeats(names: pa.Array, maps: Rows, place: _Place) -> None:
    """Parquet can hold a map with a key twice; JSON, read strictly, cannot. A row may hold several maps."""
    # One integer for each pair of map and name: where these rise, no name is there twice.
    codes = by_reference(names)
    combined = maps * (len(codes.dictionary) or 1) + codes.indices.to_numpy().astype(np.int64)
    if np.all(combined[1:] > combined[:-1]):
        return
    order = np.argsort(combined, kind="stable")
    for index in order[1:][combined[order][1:] == combined[order][:-1]].tolist():
        place.refuse(index, "each name once", shown(names[index].as_py()))


def _plainly_good(array: pa.Array, shape: Text) -> bool:
    """Whether all texts fit at a glance: they are printable ASCII, where each byte is one character."""
    array = array.dictionary if pa.types.is_dictionary(array.type) else array
    if not len(array) or array.null_count or shape.allowed is not None or shape.pattern not in (None, PRINTABLE):
        return False
    text, lengths = np.frombuffer(bytes_of(array), np.uint8), np.diff(text_bounds(array))
    fits = lengths.min() >= shape.min_length and not (shape.max_length is not None and lengths.max() > shape.max_length)
    ends = (0, 127) if shape.pattern is None else (ord(" "), ord("~"))
    return bool(fits) and text.min(initial=127) >= ends[0] and text.max(initial=0) <= ends[1]


_MANY = 4096
"""So many texts are worth being told apart first."""


def _bad_text(array: pa.Array, shape: Text) -> pa.Array | None:
    """Which texts the schema refuses; None where it refuses none."""
    if pa.types.is_dictionary(array.type):
        # Few distinct values: decide each once.
        bad = _bad_text(array.dictionary, shape)
        return None if bad is None else bad.take(array.indices)
    if len(array) > _MANY and len(coded := array.dictionary_encode()) > 2 * len(coded.dictionary):
        return _bad_text(coded, shape)
    bad = pc.less(pc.utf8_length(array), shape.min_length)
    if shape.max_length is not None:
        bad = pc.or_(bad, pc.greater(pc.utf8_length(array), shape.max_length))
    if shape.allowed is not None:
        bad = pc.or_(bad, pc.invert(pc.is_in(array, value_set=pa.array(shape.allowed))))
    if shape.pattern is not None:
        bad = pc.or_(bad, pc.invert(pc.match_substring_regex(array, shape.pattern)))
    return bad if pc.any(bad).as_py() else None


def _report(array: pa.Array, bad: pa.Array, shape: Shape, place: _Place) -> None:
    for index in np.flatnonzero(bad.to_numpy(zero_copy_only=False)).tolist():
        place.refuse(index, describe(shape), shown(array[index].as_py()))
