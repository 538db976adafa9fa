"""Mathematics that every kind of study may use, pure: numbers and arrays in, numbers and arrays out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
