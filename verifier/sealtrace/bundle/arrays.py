"""Integers between numpy and Arrow, without numpy.ma: importing that costs a tenth of a small run."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def arrow_integers(values: npt.NDArray[np.int32] | npt.NDArray[np.int64]) -> pa.Array:
    """The same integers. `pa.array(ndarray)` would look for masked arrays."""
    plain = np.ascontiguousarray(values)
    kind = pa.int32() if plain.dtype == np.int32 else pa.int64()
    return pa.Array.from_buffers(kind, len(plain), [None, pa.py_buffer(plain)])


def distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The values that occur, ascending."""
    # Asked for indices too, np.unique does not look for masked arrays, which would import numpy.ma.
    return np.unique(values, return_index=True)[0]
