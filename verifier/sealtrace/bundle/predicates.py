"""The schema's demands on rows, decided on whole Arrow columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.encoding import regular
from sealtrace.bundle.json_columns import shown
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
    describe,
)

Rows = npt.NDArray[np.int64]
Misfit = Callable[[int, str, str, str], None]


def check_table(table: pa.Table, shape: Struct, misfit: Misfit) -> None:
    """Reports every value of a table that its schema refuses. Types are right already."""
    owners = np.arange(table.num_rows, dtype=np.int64)
    for field in shape.fields:
        _check_field(table.column(field.name).combine_chunks(), owners, field, f"/{field.name}", misfit)


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
        case Text():
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
        case Flag():
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
            lengths = _lengths(array)
            start, stop = array.offsets[0].as_py(), array.offsets[-1].as_py()
            child_owners = np.repeat(owners, lengths)
            keys = array.keys.slice(start, stop - start)
            _check_items(keys, child_owners, key, pointer, misfit)
            _no_repeats(keys, np.repeat(np.arange(len(array)), lengths), child_owners, pointer, misfit)
            _check_items(array.items.slice(start, stop - start), child_owners, item, pointer, misfit)
        case Struct(fields=fields):
            for field, child in zip(fields, array.flatten(), strict=True):
                _check_field(child, owners, field, f"{pointer}/{field.name}", misfit)


def _refused(key: Text, item: Number, names: list[str], matrix: npt.NDArray[np.float64]) -> bool:
    """Whether the schema refuses anything of maps that all hold the same names."""
    low, high = matrix.min(), matrix.max()
    fits = np.isfinite(low) and np.isfinite(high) and not (item.minimum is not None and low < item.minimum)
    fits &= not (item.maximum is not None and high > item.maximum)
    return not fits or bool(pc.any(_bad_text(pa.array(names, pa.string()), key)).as_py())


def _lengths(array: pa.MapArray) -> Rows:
    offsets: Rows = array.offsets.to_numpy().astype(np.int64)
    return np.diff(offsets)


def _check_items(array: pa.Array, owners: Rows, shape: Shape, pointer: str, misfit: Misfit) -> None:
    _check_field(array, owners, Field("*", shape, required=True), f"{pointer}/*", misfit)


def _no_repeats(keys: pa.Array, maps: Rows, owners: Rows, pointer: str, misfit: Misfit) -> None:
    """Parquet can hold a map with a key twice; JSON, read strictly, cannot. A row may hold several maps."""
    codes = keys if pa.types.is_dictionary(keys.type) else keys.dictionary_encode()
    size = len(codes.dictionary) or 1
    combined = maps * size + codes.indices.to_numpy().astype(np.int64)
    if np.all(combined[1:] > combined[:-1]):
        return
    order = np.argsort(combined, kind="stable")
    repeated = order[1:][combined[order][1:] == combined[order][:-1]]
    for index in repeated.tolist():
        misfit(int(owners[index]), f"{pointer}/*", "each name once", shown(keys[index].as_py()))


_MANY = 4096
"""So many texts are worth being told apart first."""


def _bad_text(array: pa.Array, shape: Text) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        # Few distinct values: decide each once.
        bad = _bad_text(array.dictionary, shape)
        if not pc.any(bad).as_py():
            return pa.array(np.zeros(len(array), bool))
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
