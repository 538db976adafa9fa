"""Strict JSON lines at the speed of columns, with what a fast reader would let pass excluded beside it.

Arrow's reader, given the columns, refuses duplicate keys, fields that are not declared, values of another type and
everything that RFC 8259 refuses, but for a few things: NaN and infinities, integers that a double cannot hold, numbers
too small for one, texts that are not UTF-8, several objects on a line, a byte order mark. Each is cheap to look for in
many lines at once. Where one of these occurs, or anything does not fit, the strict parser reads the lines and says what
is wrong and where.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.parquet import as_declared
from sealtrace.bundle.shapes import Mapping, Sequence, Shape, Struct, arrow_type
from sealtrace.bundle.strict_json import MAX_INTEGER, StrictJSONError, parse

FEW = 16
"""The strict parser is faster for fewer lines than this."""
_TINY = re.compile(rb"[eE]-[0-9]{3}")
"""The exponent of a number that may be too small for a double."""
_SMALL = b"0" * 70
"""A run of zeros that may make it so, too."""


class _LeftError(Exception):
    """The strict parser must read these lines."""


def fast_table(text: bytes, shape: Struct) -> pa.Table | None:
    """The rows of lines that are certainly strict JSON and fit their shape; None where that is not certain."""
    characters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    count = len(ends) + 1
    if count < FEW:
        return None
    try:
        # A line that begins with an object and holds one: as many rows as lines, and none of them blank.
        if not text.startswith(b"{") or ends[-1] == len(text) - 1 or (characters[ends + 1] != ord("{")).any():
            return None
        if _SMALL in text or b"null" in text or _tiny(text, characters):
            return None
        table = _read(text, shape, parse(text[: ends[0]]))
        if table.num_rows != count or any(map(_doubtful, table.columns)):
            return None
        return as_declared(table, shape)
    except (pa.ArrowException, StrictJSONError, _LeftError, TypeError, ValueError):
        return None


def _tiny(text: bytes, characters: npt.NDArray[np.uint8]) -> bool:
    """Whether there is an exponent that may make a number too small for a double."""
    # Small and capital letters differ in one bit.
    places = np.flatnonzero(((characters[:-1] | 0x20) == ord("e")) & (characters[1:] == ord("-")))
    return any(_TINY.match(text, place) for place in places.tolist())


def _read(text: bytes, shape: Struct, first: Any) -> pa.Table:
    import pyarrow.json as reader

    # The names of a map that the first row does not have are not known: should another have it, Arrow refuses that.
    known = [field for field in shape.fields if not isinstance(field.shape, Mapping) or first.get(field.name)]
    schema = pa.schema([pa.field(field.name, _type(field.shape, [first.get(field.name)])) for field in known])
    return reader.read_json(
        pa.BufferReader(text),
        read_options=reader.ReadOptions(use_threads=False, block_size=len(text) + 1),
        parse_options=reader.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
    )


def _type(shape: Shape, samples: list[Any]) -> pa.DataType:
    """How Arrow reads values: a map as an object with the names that the first row has."""
    there = [sample for sample in samples if sample is not None]
    match shape:
        case Mapping(value=item):
            names = dict.fromkeys(chain.from_iterable(there))
            if not names:
                raise _LeftError
            inner = _type(item, list(chain.from_iterable(sample.values() for sample in there)))
            return pa.struct([pa.field(name, inner) for name in names])
        case Sequence(item=item):
            return pa.list_(_type(item, list(chain.from_iterable(there))))
        case Struct(fields=fields):
            inside = {field: [sample.get(field.name) for sample in there] for field in fields}
            return pa.struct([pa.field(field.name, _type(field.shape, some)) for field, some in inside.items()])
        case _:
            return arrow_type(shape)


def _doubtful(column: pa.ChunkedArray | pa.Array) -> bool:
    """Whether a number is not finite, or as large as those that integers of JSON may not be, or a text is not UTF-8."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = array.type
    if pa.types.is_floating(kind) and pc.any(pc.is_nan(array)).as_py():
        return True
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        ends = pc.min_max(array)
        return any(end.is_valid and not -MAX_INTEGER <= end.as_py() <= MAX_INTEGER for end in ends.values())
    if pa.types.is_struct(kind):
        return any(map(_doubtful, array.flatten()))
    if pa.types.is_list(kind):
        return _doubtful(array.values)
    array.validate(full=True)
    return False
