"""Small networks, run forward from their frozen weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Layer:
    """activation(inputs . weights + bias)."""

    weights: Matrix
    """Inputs by outputs."""
    bias: Vector
    activation: str


def forward(inputs: Matrix, layers: Sequence[Layer]) -> Matrix:
    """The outputs of the last layer, one row per row of inputs; NaN where an input is NaN."""
    values = inputs
    for layer in layers:
        # What overflows is infinite, which the checks name.
        with np.errstate(over="ignore", invalid="ignore"):
            values = values @ layer.weights + layer.bias
        if layer.activation == "tanh":
            values = np.tanh(values)
        elif layer.activation == "logistic":
            # One formula for either sign: nothing overflows, and NaN stays NaN.
            values = 0.5 * (1 + np.tanh(values / 2))
        elif layer.activation == "relu":
            # NaN stays NaN: what cannot be computed is not zero.
            values = np.where(values < 0, 0.0, values)
    return values
