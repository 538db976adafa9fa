"""Between numpy and Arrow, without numpy.ma, whose import costs a tenth of a small run; and the texts of columns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

import sealtrace.bundle


class _NoPandas:
    """Refuses to find pandas."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def leave_pandas_out() -> None:
    """Lets Arrow find no pandas: it would import it, for a third of a second, when first given a list."""
    refusal = _NoPandas()
    sys.meta_path.insert(0, refusal)
    try:
        pa.array([], pa.int8())  # Arrow looks for it once
    finally:
        sys.meta_path.remove(refusal)


if sealtrace.bundle.OWN_PROCESS:
    leave_pandas_out()


def arrow_integers(values: npt.NDArray[np.int32] | npt.NDArray[np.int64]) -> pa.Array:
    """The same integers. `pa.array(ndarray)` would look for masked arrays."""
    plain = np.ascontiguousarray(values)
    kind = pa.int32() if plain.dtype == np.int32 else pa.int64()
    return pa.Array.from_buffers(kind, len(plain), [None, pa.py_buffer(plain)])


def distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The values that occur, ascending."""
    # Asked for indices too, np.unique does not look for masked arrays, which would import numpy.ma.
    return np.unique(values, return_index=True)[0]


def text_lines(columns: Iterable[pa.ChunkedArray], worth: Callable[[pa.Array], pa.Array]) -> Iterator[bytes]:
    """The texts of columns, each value of a column once and on a line of its own; only those that are `worth` it."""
    for column in columns:
        for chunk in column.chunks:
            for leaf in _text_leaves(chunk):
                if len(kept := worth(leaf)):
                    # Each text and the end of its line, one after the other: what Arrow's buffer holds then.
                    yield bytes_of(pc.binary_join_element_wise(kept.unique().drop_null(), "", "\n")) + b"\n"


def bytes_of(texts: pa.StringArray) -> bytes:
    """All texts of a column, one after the other."""
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return bytes(memoryview(texts.buffers()[2] or b"")[offsets[0] : offsets[-1]])


def as_long_as_digests(texts: pa.StringArray) -> pa.StringArray:
    """The texts that may be a SHA-256 in hexadecimal digits."""
    return texts.filter(pc.equal(pc.binary_length(texts), 64))


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
