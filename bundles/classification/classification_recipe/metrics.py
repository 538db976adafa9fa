"""What the paper's tables report, computed from the predictions of one run, one prediction at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass

BINS = 10


@dataclass(frozen=True)
class Answer:
    """What one run said of one item, beside the right label."""

    label: str
    predicted: str
    score: float


def errors(answers: list[Answer]) -> int:
    """Wrong predictions."""
    return sum(answer.predicted != answer.label for answer in answers)


def accuracy(answers: list[Answer]) -> float:
    """The part of predictions that are right."""
    return (len(answers) - errors(answers)) / len(answers)


def recall(answers: list[Answer], name: str) -> float:
    """The part of a class that was found."""
    return accuracy([answer for answer in answers if answer.label == name])


def macro_f1(answers: list[Answer], classes: tuple[str, ...]) -> float:
    """The mean over classes of 2 TP / (2 TP + FP + FN)."""
    scores = []
    for name in classes:
        hits = sum(answer.predicted == name == answer.label for answer in answers)
        misses = sum((answer.predicted == name) != (answer.label == name) for answer in answers)
        scores.append(2 * hits / (2 * hits + misses))
    return mean(scores)


def calibration_error(answers: list[Answer]) -> float:
    """Over ten bins of equal width, the weighted distance of mean confidence and accuracy."""
    bins: list[list[Answer]] = [[] for _ in range(BINS)]
    for answer in answers:
        bins[min(math.floor(answer.score * BINS), BINS - 1)].append(answer)
    gaps = [len(one) * abs(accuracy(one) - mean([answer.score for answer in one])) for one in bins if one]
    return math.fsum(gaps) / len(answers)


def mean(values: list[float]) -> float:
    """The arithmetic mean."""
    return math.fsum(values) / len(values)


def deviation(values: list[float]) -> float:
    """The standard deviation of a sample."""
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) * (value - centre) for value in values) / (len(values) - 1))
