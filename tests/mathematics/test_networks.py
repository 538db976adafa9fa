"""Networks give what the same sums give one state at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sealtrace.mathematics.networks import Layer, forward


def _activated(activation: str, value: float) -> float:
    if activation == "tanh":
        return math.tanh(value)
    if activation == "logistic":
        return 1 / (1 + math.exp(-value))
    return max(0.0, value) if activation == "relu" else value


def _plain(inputs: list[float], layers: list[Layer]) -> list[float]:
    values = inputs
    for layer in layers:
        sums = [
            math.fsum([bias, *(value * row[place] for value, row in zip(values, layer.weights, strict=True))])
            for place, bias in enumerate(layer.bias.tolist())
        ]
        values = [_activated(layer.activation, value) for value in sums]
    return values


@pytest.mark.parametrize("activation", ["identity", "tanh", "relu", "logistic"])
def test_forward_is_the_plain_loop(activation: str) -> None:
    """Two layers, random weights."""
    draw = np.random.default_rng(3)
    layers = [
        Layer(draw.normal(size=(5, 16)), draw.normal(size=16), activation),
        Layer(draw.normal(size=(16, 3)), draw.normal(size=3), "identity"),
    ]
    inputs = draw.normal(size=(40, 5))
    expected = [_plain(row, layers) for row in inputs.tolist()]
    assert forward(inputs, layers) == pytest.approx(np.array(expected), abs=1e-13)


def test_what_is_unknown_stays_unknown() -> None:
    """A state without a feature has no direction; the others keep theirs."""
    layers = [Layer(np.ones((1, 2)), np.array([0.0, 1.0]), "relu")]
    outputs = forward(np.array([[np.nan], [2.0], [-2.0]]), layers)
    assert np.isnan(outputs[0]).all()
    assert outputs[1:].tolist() == [[2.0, 3.0], [0.0, 0.0]]
