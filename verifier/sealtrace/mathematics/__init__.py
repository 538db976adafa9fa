"""Mathematics that every kind of study may use, pure: numbers and arrays in, numbers and arrays out."""

import numpy as np
import numpy.typing as npt

Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64] | npt.NDArray[np.uint64] | npt.NDArray[np.float64] | npt.NDArray[np.bool_]
"""A column of whole numbers, of doubles, or of flags."""
