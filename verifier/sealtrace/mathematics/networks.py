"""Small networks, run forward from their frozen weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sealtrace.mathematics import Matrix, Vector


@dataclass(frozen=True)
class NetworkLayer:
    """activation(inputs . weights + bias)."""

    weights: Matrix
    """Inputs by outputs."""
    bias: Vector
    activation: str


class WrittenLayer(Protocol):
    """A layer as records hold it."""

    @property
    def weights(self) -> list[list[float]]: ...

    @property
    def bias(self) -> list[float]: ...

    @property
    def activation(self) -> str: ...


def layers_of(records: Sequence[WrittenLayer]) -> list[NetworkLayer]:
    """Layers as arrays."""
    return [
        NetworkLayer(np.array(layer.weights, np.float64), np.array(layer.bias, np.float64), layer.activation)
        for layer in records
    ]


def misfit(records: Sequence[WrittenLayer], inputs: int, outputs: int) -> tuple[str, str, str] | None:
    """(pointer, expected, found) where layers do not lead from these inputs to these outputs; None where they do."""
    width = inputs
    for place, layer in enumerate(records):
        if len(layer.weights) != width:
            return f"/{place}/weights", f"{width} inputs", str(len(layer.weights))
        width = len(layer.bias)
        for row, numbers in enumerate(layer.weights):
            if len(numbers) != width:
                return f"/{place}/weights/{row}", f"{width} outputs", str(len(numbers))
    return None if width == outputs else ("", f"{outputs} outputs at the end", str(width))


def forward(inputs: Matrix, layers: Sequence[NetworkLayer]) -> Matrix:
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
