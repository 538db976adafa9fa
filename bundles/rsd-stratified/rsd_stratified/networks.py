"""Small networks, run forward from stored weights: one state, plain Python."""

from __future__ import annotations

import math

from rsd_stratified.states import Row

_ACTIVATIONS = {"identity": lambda value: value, "tanh": math.tanh}


def forward(layers: list[Row], inputs: list[float]) -> list[float]:
    """The outputs of the last layer."""
    values = inputs
    for layer in layers:
        activation = _ACTIVATIONS[layer["activation"]]
        columns = zip(*layer["weights"], strict=True)
        values = [
            activation(math.fsum([bias, *(value * weight for value, weight in zip(values, column, strict=True))]))
            for column, bias in zip(columns, layer["bias"], strict=True)
        ]
    return values
