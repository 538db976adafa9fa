"""Three models. Each learns from items with a seed, and then gives a label and a confidence for any features."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from classification_recipe.items import CLASSES, Item, Vector

Model = Callable[[Vector], tuple[str, float]]
SHARE = 0.8
"""The part of the training items that a run sees, where its seed chooses them."""
NEIGHBOURS = 15
EPOCHS = 6
SOFTNESS = 3.0


def centroid(training: list[Item], seed: int) -> Model:
    """The class whose mean is nearest. Its confidence is its share of the fourth powers of inverse distances."""
    seen = _shuffled(training, Random(seed))[: math.floor(SHARE * len(training))]
    means = {name: _mean([item.features for item in seen if item.label == name]) for name in CLASSES}

    def predict(features: Vector) -> tuple[str, float]:
        squares = {name: _squared_distance(features, mean) for name, mean in means.items()}
        nearest = min(CLASSES, key=lambda name: squares[name])
        ratios = [squares[nearest] / square for square in squares.values()]
        return nearest, 1 / math.fsum(ratio * ratio for ratio in ratios)

    return predict


def neighbours(training: list[Item], seed: int) -> Model:
    """The most frequent class among the nearest items. Its confidence is its share of them."""
    seen = _shuffled(training, Random(seed))[: math.floor(SHARE * len(training))]

    def predict(features: Vector) -> tuple[str, float]:
        nearest = sorted(seen, key=lambda item: _squared_distance(features, item.features))[:NEIGHBOURS]
        votes = {name: sum(item.label == name for item in nearest) for name in CLASSES}
        chosen = max(CLASSES, key=lambda name: votes[name])
        return chosen, votes[chosen] / NEIGHBOURS

    return predict


def linear(training: list[Item], seed: int) -> Model:
    """An averaged perceptron with one output per class, its items in an order of the seed's choice."""
    random = Random(seed)
    weights = {name: [0.0] * 5 for name in CLASSES}
    totals = {name: [0.0] * 5 for name in CLASSES}
    steps = EPOCHS * len(training)
    for _ in range(EPOCHS):
        for item in _shuffled(training, random):
            inputs = (*item.features, 1.0)
            guess = max(CLASSES, key=lambda name: _dot(weights[name], inputs))
            if guess != item.label:
                for name, sign in ((item.label, 1.0), (guess, -1.0)):
                    weights[name] = [weight + sign * x for weight, x in zip(weights[name], inputs, strict=True)]
            for name in CLASSES:
                totals[name] = [total + weight for total, weight in zip(totals[name], weights[name], strict=True)]

    def predict(features: Vector) -> tuple[str, float]:
        outputs = {name: _dot(totals[name], (*features, 1.0)) / steps for name in CLASSES}
        chosen = max(CLASSES, key=lambda name: outputs[name])
        gaps = [outputs[chosen] - output for output in outputs.values()]
        return chosen, 1 / math.fsum(1 / (1 + SOFTNESS * gap) for gap in gaps)

    return predict


MODELS: dict[str, Callable[[list[Item], int], Model]] = {
    "centroid": centroid,
    "neighbours": neighbours,
    "linear": linear,
}
SETTINGS = {
    "centroid": {"share": "0.8"},
    "neighbours": {"share": "0.8", "neighbours": "15"},
    "linear": {"epochs": "6", "softness": "3"},
}
SEEDS = (1, 2, 3)


def _shuffled(training: list[Item], random: Random) -> list[Item]:
    """Only `random()` promises the same numbers in every version of Python; `shuffle` does not."""
    return sorted(training, key=lambda _: random.random())


def _mean(vectors: list[Vector]) -> Vector:
    return tuple(math.fsum(column) / len(vectors) for column in zip(*vectors, strict=True))


def _squared_distance(one: Vector, other: Vector) -> float:
    return math.fsum((x - y) * (x - y) for x, y in zip(one, other, strict=True))


def _dot(weights: list[float], inputs: Vector) -> float:
    return math.fsum(weight * x for weight, x in zip(weights, inputs, strict=True))
