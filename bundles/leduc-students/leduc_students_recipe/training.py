"""`python -m leduc_students_recipe.training` trains the students anew and stores their weights.

Matrix products are not the same to the last bit on every machine, so the weights are kept and the build reads them.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from leduc_students_recipe.players import SETS, WEIGHTS, features, teacher_and_opponents
from leduc_students_recipe.settings import SEEDS

Matrix = npt.NDArray[np.float64]
HIDDEN = {"base": 3, "residual": 10}
STEPS = {"base": 40, "residual": 150}
"""Epochs: the base is stopped early, so that the residual has something left to correct."""
BATCH = 32
RATE = 0.02
DIGITS = 6
"""Decimals that are kept of a weight."""


def main() -> None:
    teacher, _ = teacher_and_opponents()
    inputs = np.array([features(state) for state in SETS.values()])
    legal = np.array([[action in state.legal for action in "fcr"] for state in SETS.values()])
    targets = np.zeros(legal.shape)
    targets[legal] = np.concatenate([teacher[name] for name in SETS])
    WEIGHTS.mkdir(exist_ok=True)
    for seed in SEEDS:
        generator = np.random.default_rng(seed)
        base = train(inputs, np.zeros(legal.shape), legal, targets, "base", generator)
        residual = train(inputs, forward(inputs, base), legal, targets, "residual", generator)
        record = {"run": f"s{seed}", "base": stored(base), "residual": stored(residual)}
        (WEIGHTS / f"s{seed}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def train(
    inputs: Matrix,
    start: Matrix,
    legal: npt.NDArray[np.bool_],
    targets: Matrix,
    head: str,
    generator: np.random.Generator,
) -> list[Matrix]:
    """Cross-entropy to the teacher by Adam, from logits that the head is added to."""
    width, outputs = inputs.shape[1], targets.shape[1]
    hidden = HIDDEN[head]
    weights = [
        generator.normal(0, width**-0.5, (width, hidden)),
        np.zeros(hidden),
        generator.normal(0, 0.1, (hidden, outputs)),
        np.zeros(outputs),
    ]
    first = [np.zeros_like(each) for each in weights]
    second = [np.zeros_like(each) for each in weights]
    step = 0
    for _ in range(STEPS[head]):
        order = generator.permutation(len(inputs))
        for at in range(0, len(order), BATCH):
            rows = order[at : at + BATCH]
            step += 1
            for place, slope in enumerate(slopes(inputs[rows], start[rows], legal[rows], targets[rows], weights)):
                first[place] = 0.9 * first[place] + 0.1 * slope
                second[place] = 0.999 * second[place] + 0.001 * slope**2
                move = first[place] / (1 - 0.9**step) / (np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8)
                weights[place] = weights[place] - RATE * move
    return [np.round(each, DIGITS) for each in weights]


def forward(inputs: Matrix, weights: list[Matrix]) -> Matrix:
    result: Matrix = np.tanh(inputs @ weights[0] + weights[1]) @ weights[2] + weights[3]
    return result


def slopes(
    inputs: Matrix, start: Matrix, legal: npt.NDArray[np.bool_], targets: Matrix, weights: list[Matrix]
) -> list[Matrix]:
    """The gradient of the mean cross-entropy."""
    hidden = np.tanh(inputs @ weights[0] + weights[1])
    logits = np.where(legal, start + hidden @ weights[2] + weights[3], -np.inf)
    policy = np.exp(logits - logits.max(axis=1, keepdims=True))
    policy /= policy.sum(axis=1, keepdims=True)
    wrong = (policy - targets) / len(inputs)
    back = wrong @ weights[2].T * (1 - hidden**2)
    return [inputs.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum(axis=0)]


def stored(weights: list[Matrix]) -> list[dict[str, Any]]:
    """Layers as records have them."""
    return [
        {"weights": weights[0].tolist(), "bias": weights[1].tolist(), "activation": "tanh"},
        {"weights": weights[2].tolist(), "bias": weights[3].tolist(), "activation": "identity"},
    ]


if __name__ == "__main__":
    main()
