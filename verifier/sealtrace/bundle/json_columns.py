"""JSON rows to Arrow columns, column by column, with every misfit named.

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

from sealtrace.bundle.arrays import arrow_integers
from sealtrace.bundle.shapes import (
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
    return arrow_integers(offsets), mask, np.repeat(owners, lengths)


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
