"""Trains the learned families on the training split, from teacher and weak values alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rsd_stratified import policies
from rsd_stratified.protocol import ACTIONS, NETWORK_FEATURES
from rsd_stratified.runs import BATCH, DIGITS, HIDDEN, MLP_SEED, RATE, REACH, STEPS, STUDENT_BASE_SEED, STUDENT_SEED
from rsd_stratified.states import Row, State, Values

Matrix = npt.NDArray[np.float64]
Gradient = Callable[[Matrix, Matrix], Matrix]


def train(protocol: Row, states: list[State]) -> dict[str, Row]:
    """Learned family to its checkpoint record.

    A direction is the weak advantage over the anchor, in chips. The student learns its negative half: what to avoid.
    """
    inputs = np.array([_inputs(protocol, state) for state in states])
    teacher = [policies.teacher(protocol, state.teacher) for state in states]
    weak = _matrix([state.values["weak"] for state in states])
    anchored = _matrix([policies.anchor(protocol, distribution) for distribution in teacher])
    reach = float(REACH)
    advantage = np.clip(weak - (anchored * weak).sum(axis=1, keepdims=True), -reach, reach)
    return {
        "linear": _checkpoint("linear", residual=_least_squares(inputs, advantage)),
        "mlp": _checkpoint("mlp", residual=_fit(inputs, advantage, _squared, MLP_SEED)),
        "student": _checkpoint(
            "student",
            residual=_fit(inputs, np.minimum(advantage, 0.0), _squared, STUDENT_SEED),
            base=_fit(inputs, _matrix(teacher), _cross_entropy, STUDENT_BASE_SEED),
        ),
    }


def write(checkpoints: dict[str, Row], folder: Path) -> None:
    """Stores checkpoints where the build reads them."""
    folder.mkdir(exist_ok=True)
    for family, record in checkpoints.items():
        (folder / f"{family}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _inputs(protocol: Row, state: State) -> list[float]:
    seen = policies.features(protocol, state.observation)
    return [seen[name] for name in NETWORK_FEATURES]


def _matrix(rows: list[Values]) -> Matrix:
    return np.array([[row[action] for action in ACTIONS] for row in rows])


def _least_squares(inputs: Matrix, targets: Matrix) -> list[Row]:
    augmented = np.hstack([inputs, np.ones((len(inputs), 1))])
    solution: Matrix = np.linalg.lstsq(augmented, targets, rcond=None)[0].astype(np.float64)
    return [_layer(solution[:-1], solution[-1], "identity")]


def _squared(outputs: Matrix, targets: Matrix) -> Matrix:
    """The gradient of half the mean squared error."""
    return (outputs - targets) / len(targets)


def _cross_entropy(outputs: Matrix, targets: Matrix) -> Matrix:
    """The gradient of the mean cross-entropy of the outputs' softmax."""
    weights = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    gradient: Matrix = (weights / weights.sum(axis=1, keepdims=True) - targets) / len(targets)
    return gradient


def _fit(inputs: Matrix, targets: Matrix, gradient: Gradient, seed: int) -> list[Row]:
    """One hidden layer, trained by Adam on shuffled batches at a rate that falls to zero."""
    generator = np.random.default_rng(seed)
    width = inputs.shape[1]
    parameters = [
        generator.normal(0.0, width**-0.5, (width, HIDDEN)),
        np.zeros(HIDDEN),
        generator.normal(0.0, HIDDEN**-0.5, (HIDDEN, targets.shape[1])),
        np.zeros(targets.shape[1]),
    ]
    means = [np.zeros_like(one) for one in parameters]
    squares = [np.zeros_like(one) for one in parameters]
    order = np.zeros(0, np.int64)
    for step in range(STEPS):
        if len(order) < BATCH:
            order = generator.permutation(len(inputs))
        rows, order = order[:BATCH], order[BATCH:]
        slopes = _slopes(parameters, inputs[rows], targets[rows], gradient)
        rate = float(RATE) * (1 - step / STEPS)
        for one, mean, square, slope in zip(parameters, means, squares, slopes, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            direction = mean / (1 - 0.9 ** (step + 1))
            one -= rate * direction / (np.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8)
    return [_layer(parameters[0], parameters[1], "tanh"), _layer(parameters[2], parameters[3], "identity")]


def _slopes(parameters: list[Matrix], inputs: Matrix, targets: Matrix, gradient: Gradient) -> list[Matrix]:
    """The loss's derivative by every parameter."""
    first, first_bias, last, last_bias = parameters
    hidden = np.tanh(inputs @ first + first_bias)
    outer = gradient(hidden @ last + last_bias, targets)
    inner = (outer @ last.T) * (1 - hidden**2)
    return [inputs.T @ inner, inner.sum(axis=0), hidden.T @ outer, outer.sum(axis=0)]


def _layer(weights: Matrix, bias: Matrix, activation: str) -> Row:
    return {
        "weights": [[_rounded(value) for value in row] for row in weights.tolist()],
        "bias": [_rounded(value) for value in bias.tolist()],
        "activation": activation,
    }


def _rounded(value: float) -> float:
    """Few enough digits to be read, and kept alike by every reader."""
    return float(f"{value:.{DIGITS}g}")


def _checkpoint(family: str, **parts: list[Row]) -> Row:
    return {"family": family, "features": NETWORK_FEATURES, "actions": ACTIONS, **parts}
