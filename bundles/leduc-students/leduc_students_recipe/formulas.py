"""The statistics of the tables, as they are stated."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """With the divisor n - 1."""
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def interval(values: Sequence[float], z: float) -> tuple[float, float]:
    """The mean and z standard errors on both sides."""
    middle, error = mean(values), deviation(values) / math.sqrt(len(values))
    return middle - z * error, middle + z * error


def nearest_rank(values: Sequence[float], percent: int) -> float:
    """The smallest value that at least so many percent do not exceed."""
    return sorted(values)[max(1, -(-percent * len(values) // 100)) - 1]


def ranks(values: Sequence[float]) -> list[float]:
    """From one; equal values share the mean of their ranks."""
    result = [0.0] * len(values)
    order = sorted(range(len(values)), key=lambda place: values[place])
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in order[start : end + 1]:
            result[place] = (start + end) / 2 + 1
        start = end + 1
    return result


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """The correlation of ranks."""
    left, right = ranks(one), ranks(other)
    a, b = mean(left), mean(right)
    above = sum((x - a) * (y - b) for x, y in zip(left, right, strict=True))
    return above / math.sqrt(sum((x - a) ** 2 for x in left) * sum((y - b) ** 2 for y in right))


def kendall(one: Sequence[float], other: Sequence[float]) -> float:
    """Kendall's tau-b."""
    above = untied_left = untied_right = 0
    for i in range(len(one)):
        for j in range(i):
            left = (one[i] > one[j]) - (one[i] < one[j])
            right = (other[i] > other[j]) - (other[i] < other[j])
            above += left * right
            untied_left += left != 0
            untied_right += right != 0
    return above / math.sqrt(untied_left * untied_right)


def spearman_interval(
    one: Sequence[float], other: Sequence[float], resamples: int, confidence: float, seed: int
) -> tuple[float, float]:
    """Pairs drawn with replacement; the sorted values at floor(p (R - 1))."""
    generator = random.Random(seed)
    found = []
    for _ in range(resamples):
        places = [generator.randrange(len(one)) for _ in one]
        found.append(spearman([one[place] for place in places], [other[place] for place in places]))
    found.sort()
    tail = (1 - confidence) / 2
    return found[math.floor(tail * (resamples - 1))], found[math.floor((1 - tail) * (resamples - 1))]


def spearman_shuffled(one: Sequence[float], other: Sequence[float], permutations: int, seed: int) -> float:
    """The share of shuffles that lie at least as far from zero, the observed order among them."""
    generator = random.Random(seed)
    places = list(range(len(one)))
    observed, reached = abs(spearman(one, other)), 0
    for _ in range(permutations):
        generator.shuffle(places)
        reached += abs(spearman([one[place] for place in places], other)) >= observed - 1e-12
    return (1 + reached) / (1 + permutations)
