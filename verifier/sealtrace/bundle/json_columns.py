"""JSON rows to Arrow columns, column by column, with every misfit named, and the schema's demands on whole columns.

pyarrow's own JSON reader merges duplicate keys and coerces types silently, so it cannot be used on
evidence. Types are looked at a column at a time (`set(map(type, column))`), not a row at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.encoding import arrow_array, by_reference, bytes_of, entries, regular, text_bounds
from sealtrace.bundle.shapes import (
    Field,
    Flag,
    Integer,
    Mapping,
    Number,
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
    Number: frozenset({float, int, _NULL}),
    Integer: frozenset({int, float, _NULL}),
    Flag: frozenset({bool, _NULL}),
    Sequence: frozenset({list, _NULL}),
    Mapping: frozenset({dict, _NULL}),
    Struct: frozenset({dict, _NULL}),
}


def table_from_rows(rows: list[Any], shape: Struct, misfit: Misfit) -> pa.Table:
    """A table of the rows. What does not fit is reported and left null."""
    array = array_of(rows, shape, misfit)
    return pa.Table.from_arrays(array.flatten(), schema=pa.schema(list(arrow_type(shape))))


def array_of(values: list[Any], shape: Shape, misfit: Misfit) -> pa.Array:
    """The values as one column."""
    return _build(values, np.arange(len(values), dtype=np.int64), shape, "", misfit)


def _build(values: list[Any], owners: Rows, shape: Shape, pointer: str, misfit: Misfit) -> pa.Array:
    if not set(map(type, values)) <= _ACCEPTED[type(shape)]:
        values = list(_fitting(values, owners, shape, pointer, misfit))
    match shape:
        case Integer():
            return pa.array(list(_integral(values, owners, shape, pointer, misfit)), pa.int64())
        case Text() | Number() | Flag():
            return pa.array(values, arrow_type(shape))
        case Sequence(item=item):
            offsets, mask, child_owners = _offsets(values, owners)
            children = list(chain.from_iterable(value for value in values if value is not None))
            _no_null_items(children, child_owners, item, pointer, misfit)
            return pa.ListArray.from_arrays(
                offsets, _build(children, child_owners, item, f"{pointer}/*", misfit), mask=mask
            )
        case Mapping(key=key, value=item):
            offsets, mask, child_owners = _offsets(values, owners)
            keys = list(chain.from_iterable(value for value in values if value is not None))
            items = list(chain.from_iterable(value.values() for value in values if value is not None))
            _no_null_items(items, child_owners, item, pointer, misfit)
            return pa.MapArray.from_arrays(
                offsets,
                _build(keys, child_owners, key, f"{pointer}/*", misfit),
                _build(items, child_owners, item, f"{pointer}/*", misfit),
                mask=mask,
            )
        case Struct(fields=fields):
            _no_unknown_fields(values, owners, shape, pointer, misfit)
            arrays = [
                _build(
                    [None if value is None else value.get(field.name) for value in values],
                    owners,
                    field.shape,
                    f"{pointer}/{field.name}",
                    misfit,
                )
                for field in fields
            ]
            mask = pa.array([value is None for value in values], pa.bool_())
            return pa.StructArray.from_arrays(arrays, fields=list(arrow_type(shape)), mask=mask)


def _fitting(values: list[Any], owners: Rows, shape: Shape, pointer: str, misfit: Misfit) -> Iterator[Any]:
    accepted = _ACCEPTED[type(shape)]
    for value, owner in zip(values, owners.tolist(), strict=True):
        if type(value) in accepted:
            yield value
        else:
            misfit(owner, pointer, describe(shape), shown(value))
            yield None


def _integral(values: list[Any], owners: Rows, shape: Shape, pointer: str, misfit: Misfit) -> Iterator[int | None]:
    """JSON Schema counts 1.0 as an integer."""
    for value, owner in zip(values, owners.tolist(), strict=True):
        if type(value) is not float:
            yield value
        elif value.is_integer() and abs(value) < 2**63:
            yield int(value)
        else:
            misfit(owner, pointer, describe(shape), shown(value))
            yield None


def _offsets(values: list[Any], owners: Rows) -> tuple[pa.Array, pa.Array, Rows]:
    lengths = np.fromiter((0 if value is None else len(value) for value in values), np.int64, len(values))
    offsets = np.zeros(len(values) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    mask = pa.array([value is None for value in values], pa.bool_())
    return arrow_array(offsets), mask, np.repeat(owners, lengths)


def _no_null_items(values: list[Any], owners: Rows, shape: Shape, pointer: str, misfit: Misfit) -> None:
    if None in values:
        for value, owner in zip(values, owners.tolist(), strict=True):
            if value is None:
                misfit(owner, f"{pointer}/*", describe(shape), "null")


def _no_unknown_fields(values: list[Any], owners: Rows, shape: Struct, pointer: str, misfit: Misfit) -> None:
    known = {field.name for field in shape.fields}
    if set().union(*(value for value in values if value is not None)) <= known:
        return
    for value, owner in zip(values, owners.tolist(), strict=True):
        for name in sorted(set(value or ()) - known):
            misfit(owner, f"{pointer}/{name}", "no such field", shown(value[name]))


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
            _check_field(chunk, owners[start : start + len(chunk)], field, f"/{field.name}", misfit)
            start += len(chunk)


def _check_field(array: pa.Array, owners: Rows, field: Field, pointer: str, misfit: Misfit) -> None:
    if array.null_count:
        missing = array.is_null().to_numpy(zero_copy_only=False)
        if field.required:
            for owner in owners[missing].tolist():
                misfit(owner, pointer, describe(field.shape), "nothing")
        array, owners = array.drop_null(), owners[~missing]
    _check(array, owners, field.shape, pointer, misfit)


def _check(array: pa.Array, owners: Rows, shape: Shape, pointer: str, misfit: Misfit) -> None:
    """Checks present values. `owners` gives the row of each."""
    if len(array) == 0:
        return
    match shape:
        case Text() if not _plainly_good(array, shape):
            _report(array, owners, _bad_text(array, shape), shape, pointer, misfit)
        case Number(minimum=low, maximum=high):
            bad = pc.invert(pc.is_finite(array))
            if low is not None:
                bad = pc.or_(bad, pc.less(array, low))
            if high is not None:
                bad = pc.or_(bad, pc.greater(array, high))
            _report(array, owners, bad, shape, pointer, misfit)
        case Integer(minimum=minimum, maximum=maximum):
            bad = pc.or_(pc.less(array, minimum), pc.greater(array, maximum))
            _report(array, owners, bad, shape, pointer, misfit)
        case Text() | Flag():
            pass
        case Sequence(item=item, min_items=least, max_items=most):
            lengths = pc.list_value_length(array).to_numpy(zero_copy_only=False)
            bad = lengths < least
            if most is not None:
                bad |= lengths > most
            for owner, length in zip(owners[bad].tolist(), lengths[bad].tolist(), strict=True):
                misfit(owner, pointer, _size(least, most), f"{length} items")
            _check_items(array.flatten(), np.repeat(owners, lengths), item, pointer, misfit)
        case Mapping(key=key, value=Number() as item) if (same := regular(array)) is not None and not _refused(
            key, item, *same
        ):
            pass
        case Mapping(key=key, value=item):
            offsets, keys, items = entries(array)
            lengths = np.diff(offsets)
            child_owners = np.repeat(owners, lengths)
            _check_items(keys, child_owners, key, pointer, misfit)
            _no_repeats(keys, np.repeat(np.arange(len(array)), lengths), child_owners, pointer, misfit)
            _check_items(items, child_owners, item, pointer, misfit)
        case Struct(fields=fields):
            for field, child in zip(fields, array.flatten(), strict=True):
                _check_field(child, owners, field, f"{pointer}/{field.name}", misfit)


def _refused(key: Text, item: Number, names: list[str], matrix: npt.NDArray[np.float64]) -> bool:
    """Whether the schema refuses anything of maps that all hold the same names."""
    low, high = matrix.min(), matrix.max()
    fits = np.isfinite(low) and np.isfinite(high) and not (item.minimum is not None and low < item.minimum)
    fits &= not (item.maximum is not None and high > item.maximum)
    return not fits or bool(pc.any(_bad_text(pa.array(names, pa.string()), key)).as_py())


def _check_items(array: pa.Array, owners: Rows, shape: Shape, pointer: str, misfit: Misfit) -> None:
    _check_field(array, owners, Field("*", shape, required=True), f"{pointer}/*", misfit)


def _no_repeats(keys: pa.Array, maps: Rows, owners: Rows, pointer: str, misfit: Misfit) -> None:
    """Parquet can hold a map with a key twice; JSON, read strictly, cannot. A row may hold several maps."""
    codes = by_reference(keys)
    size = len(codes.dictionary) or 1
    combined = maps * size + codes.indices.to_numpy().astype(np.int64)
    if np.all(combined[1:] > combined[:-1]):
        return
    order = np.argsort(combined, kind="stable")
    repeated = order[1:][combined[order][1:] == combined[order][:-1]]
    for index in repeated.tolist():
        misfit(int(owners[index]), f"{pointer}/*", "each name once", shown(keys[index].as_py()))


def _plainly_good(array: pa.Array, shape: Text) -> bool:
    """Whether texts are seen to fit all at once: printable ASCII, of which each byte is a character."""
    array = array.dictionary if pa.types.is_dictionary(array.type) else array
    if not len(array) or array.null_count or shape.allowed is not None or shape.pattern not in (None, PRINTABLE):
        return False
    text, lengths = np.frombuffer(bytes_of(array), np.uint8), np.diff(text_bounds(array))
    fits = lengths.min() >= shape.min_length and not (shape.max_length is not None and lengths.max() > shape.max_length)
    ends = (0, 127) if shape.pattern is None else (ord(" "), ord("~"))
    return bool(fits) and text.min(initial=127) >= ends[0] and text.max(initial=0) <= ends[1]


_MANY = 4096
"""So many texts are worth being told apart first."""


def _bad_text(array: pa.Array, shape: Text) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        # Few distinct values: decide each once.
        bad = _bad_text(array.dictionary, shape)
        if not pc.any(bad).as_py():
            return pa.repeat(False, len(array))
        return bad.take(array.indices)
    if len(array) > _MANY and len(coded := array.dictionary_encode()) > 2 * len(coded.dictionary):
        return _bad_text(coded, shape)
    bad = pc.less(pc.utf8_length(array), shape.min_length)
    if shape.max_length is not None:
        bad = pc.or_(bad, pc.greater(pc.utf8_length(array), shape.max_length))
    if shape.allowed is not None:
        bad = pc.or_(bad, pc.invert(pc.is_in(array, value_set=pa.array(shape.allowed))))
    if shape.pattern is not None:
        bad = pc.or_(bad, pc.invert(pc.match_substring_regex(array, shape.pattern)))
    return bad


def _report(array: pa.Array, owners: Rows, bad: pa.Array, shape: Shape, pointer: str, misfit: Misfit) -> None:
    flags = bad.to_numpy(zero_copy_only=False)
    if not flags.any():
        return
    for index in np.flatnonzero(flags).tolist():
        misfit(int(owners[index]), pointer, describe(shape), shown(array[index].as_py()))


def _size(least: int, most: int | None) -> str:
    return f"at least {least} items" if most is None else f"{least} to {most} items"
