"""Between numpy and Arrow, without numpy.ma, whose import costs a tenth of a small run; and the texts of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc


def arrow_integers(values: npt.NDArray[np.int32] | npt.NDArray[np.int64]) -> pa.Array:
    """The same integers. `pa.array(ndarray)` would look for masked arrays."""
    plain = np.ascontiguousarray(values)
    kind = pa.int32() if plain.dtype == np.int32 else pa.int64()
    return pa.Array.from_buffers(kind, len(plain), [None, pa.py_buffer(plain)])


def distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The values that occur, ascending."""
    # Asked for indices too, np.unique does not look for masked arrays, which would import numpy.ma.
    return np.unique(values, return_index=True)[0]


def text_lines(columns: Iterable[pa.ChunkedArray]) -> Iterator[bytes]:
    """The texts of columns, each value of a column once and on a line of its own."""
    for column in columns:
        for chunk in column.chunks:
            for leaf in _text_leaves(chunk):
                # Each text and the end of its line, one after the other: what Arrow's buffer holds then.
                lines = pc.binary_join_element_wise(leaf.unique().drop_null(), "", "\n")
                offsets = np.frombuffer(lines.buffers()[1], np.int32)[lines.offset : lines.offset + len(lines) + 1]
                yield bytes(memoryview(lines.buffers()[2] or b"")[offsets[0] : offsets[-1]]) + b"\n"


def _text_leaves(array: pa.Array) -> Iterator[pa.Array]:
    """The texts of a column, however deep they lie."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        yield from _text_leaves(array.dictionary)
    elif pa.types.is_string(kind):
        yield array
    elif pa.types.is_map(kind):
        yield from _text_leaves(array.keys)
        yield from _text_leaves(array.items)
    elif pa.types.is_list(kind):
        yield from _text_leaves(array.values)
    elif pa.types.is_struct(kind):
        for child in array.flatten():
            yield from _text_leaves(child)
