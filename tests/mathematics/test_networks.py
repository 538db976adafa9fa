"""Networks give what the same sums give one state at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sealtrace.mathematics.networks import NetworkLayer, forward, layers_of, misfit
from sealtrace.studies.policies.records.policies import Layer


def _activated(activation: str, value: float) -> float:
    if activation == "tanh":
        return math.tanh(value)
    if activation == "logistic":
        return 1 / (1 + math.exp(-value))
    return max(0.0, value) if activation == "relu" else value


def _plain(inputs: list[float], layers: list[NetworkLayer]) -> list[float]:
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
        NetworkLayer(draw.normal(size=(5, 16)), draw.normal(size=16), activation),
        NetworkLayer(draw.normal(size=(16, 3)), draw.normal(size=3), "identity"),
    ]
    inputs = draw.normal(size=(40, 5))
    expected = [_plain(row, layers) for row in inputs.tolist()]
    assert forward(inputs, layers) == pytest.approx(np.array(expected), abs=1e-13)


def test_what_is_unknown_stays_unknown() -> None:
    """A state without a feature has no direction; the others keep theirs."""
    layers = [NetworkLayer(np.ones((1, 2)), np.array([0.0, 1.0]), "relu")]
    outputs = forward(np.array([[np.nan], [2.0], [-2.0]]), layers)
    assert np.isnan(outputs[0]).all()
    assert outputs[1:].tolist() == [[2.0, 3.0], [0.0, 0.0]]


def _record(inputs: int, outputs: int) -> Layer:
    return Layer(weights=[[0.5] * outputs] * inputs, bias=[1.0] * outputs, activation="tanh")


def test_layers_as_records_hold_them() -> None:
    """Each record is one layer, its weights inputs by outputs."""
    (layer,) = layers_of([Layer(weights=[[1, 2], [3, 4], [5, 6]], bias=[7, 8], activation="relu")])
    assert layer.weights.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert (layer.bias.tolist(), layer.activation) == ([7.0, 8.0], "relu")


def test_layers_that_do_not_fit() -> None:
    """The first place where the numbers of inputs and outputs disagree is named."""
    assert misfit([_record(2, 3), _record(3, 1)], 2, 1) is None
    assert misfit([], 2, 2) is None
    assert misfit([_record(2, 3), _record(4, 1)], 2, 1) == ("/1/weights", "3 inputs", "4")
    assert misfit([_record(2, 3)], 2, 1) == ("", "1 outputs at the end", "3")
    ragged = Layer(weights=[[0.0] * 3, [0.0] * 2], bias=[1.0] * 3, activation="tanh")
    assert misfit([ragged], 2, 3) == ("/0/weights/1", "3 outputs", "2")
