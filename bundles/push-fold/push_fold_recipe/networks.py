"""Small networks that use no function whose last bit depends on the machine: sums, products, quotients and roots."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from random import Random

from push_fold_recipe.game import RANKS

RATE = 0.05
Example = tuple[list[float], float, float, float]
"""What is seen, the target, its weight, and what stands before the network's own output."""


def seen(name: str) -> list[float]:
    """What the acting player sees of an information set, as numbers, and a constant."""
    rank, _, history = name.partition(":")
    return [
        RANKS.index(rank) / 6 - 1,
        float(rank in "QKA"),
        float(rank == "2"),
        float(history.endswith("r")),
        float(len(history) % 2),
        float(history == "cr"),
        1.0,
    ]


def bend(total: float) -> float:
    """From the whole line to (-1, 1)."""
    return total / (1.0 + abs(total))


def share(output: float) -> float:
    """The chance of the bolder action."""
    return (1.0 + bend(output)) / 2


@dataclass
class Network:
    """One hidden layer; its last unit is constant."""

    hidden: list[list[float]]
    last: list[float]

    @classmethod
    def drawn(cls, units: int, random: Random, inputs: int | None = None) -> Network:
        inputs = inputs or len(seen("2:"))
        hidden = [[2 * random.random() - 1 for _ in range(inputs)] for _ in range(units)]
        return cls(hidden, [0.0] * (units + 1))

    def units(self, values: list[float]) -> list[float]:
        found = []
        for weights in self.hidden:
            total = 0.0
            for weight, value in zip(weights, values, strict=True):
                total += weight * value
            found.append(bend(total))
        return [*found, 1.0]

    def output(self, values: list[float]) -> float:
        total = 0.0
        for weight, unit in zip(self.last, self.units(values), strict=True):
            total += weight * unit
        return total


def train(network: Network, examples: list[Example], epochs: int) -> Network:
    """Adam on the weighted squared error of the share."""
    places = [(unit, at) for unit, row in enumerate(network.hidden) for at in range(len(row))]
    size = len(places) + len(network.last)
    first, second = [0.0] * size, [0.0] * size
    left = [1.0, 1.0]
    for _ in range(epochs):
        slopes = [0.0] * size
        for values, target, weight, before in examples:
            units = network.units(values)
            total = before
            for one, unit in zip(network.last, units, strict=True):
                total += one * unit
            flat = 1.0 / (1.0 + abs(total))
            back = weight * (share(total) - target) * flat * flat
            for unit, activity in enumerate(units):
                slopes[len(places) + unit] += back * activity
            for at, (unit, place) in enumerate(places):
                rest = 1.0 - abs(units[unit])
                slopes[at] += back * network.last[unit] * rest * rest * values[place]
        left = [left[0] * 0.9, left[1] * 0.999]
        for at, slope in enumerate(slopes):
            first[at] = 0.9 * first[at] + 0.1 * slope
            second[at] = 0.999 * second[at] + 0.001 * slope * slope
            move = RATE * (first[at] / (1.0 - left[0])) / (sqrt(second[at] / (1.0 - left[1])) + 1e-8)
            if at < len(places):
                unit, place = places[at]
                network.hidden[unit][place] -= move
            else:
                network.last[at - len(places)] -= move
    return network
