"""Scores and probabilities against what happened: ranking, calibration, proper scores."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Vector
from sealtrace.statistics.association import average_ranks
from sealtrace.statistics.sums import UndefinedError, exact_dot, exact_sum, size_of

Flags = npt.NDArray[np.bool_]


def auroc(positive: Flags, scores: Vector) -> Fraction:
    """The chance that a positive is scored above a negative, ties counting half; exact, from ranks."""
    positives, negatives = _both(positive, scores)
    doubled = int(average_ranks(scores)[positive].sum())
    # Mann and Whitney: the rank sum of the positives less what they would have among themselves counts the pairs won.
    return (Fraction(doubled, 2) - Fraction(positives * (positives + 1), 2)) / (positives * negatives)


def average_precision(positive: Flags, scores: Vector) -> float:
    """Mean of the precision at each threshold, weighted by the recall that it adds. Equal scores are one threshold."""
    positives, _ = _both(positive, scores, needs_negatives=False)
    order = np.argsort(-scores, kind="stable")
    # The last place of each run of equal scores: a threshold cannot tell them apart.
    last = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    hits = np.cumsum(positive[order])[last]
    added = np.diff(hits, prepend=0)
    return math.fsum((added * (hits / (last + 1))).tolist()) / positives


def brier(positive: Flags, probabilities: Vector) -> Fraction:
    """Mean squared difference between a probability and what happened, exact."""
    _probable(probabilities)
    size = size_of(positive)
    # (p - y)^2 = p^2 - 2 p y + y for y of 0 and 1.
    square, happened = exact_dot(probabilities, probabilities), exact_dot(probabilities, positive)
    return (square - 2 * happened + int(positive.sum())) / size


def log_loss(probability_of_truth: Vector, clip: Fraction | None = None) -> float:
    """Mean negative logarithm of the probability given to what happened.

    A probability of zero has no logarithm; `clip` says what it counts as, where it counts at all.
    """
    _probable(probability_of_truth)
    size = size_of(probability_of_truth)
    values = probability_of_truth
    if clip is not None:
        values = np.clip(values, float(clip), 1 - float(clip))
    if (values == 0).any():
        raise UndefinedError("what happened was given the probability zero, and no clip is declared")
    return -math.fsum(np.log(values).tolist()) / size


def calibration_error(right: Flags, confidence: Vector, bins: int = 10, rule: str = "width") -> Fraction:
    """Expected calibration error: by bin, |share right - mean confidence|, weighted by the bin's size; exact.

    Bins have equal width (edges `numpy.linspace(0, 1, bins + 1)`) or, by the rule `count`, edges at the percentiles
    of the confidences; each is open below and closed above, the first closed at both ends.
    """
    _probable(confidence)
    size = size_of(confidence)
    if bins < 1:
        raise UndefinedError("there is at least one bin")
    shares = np.linspace(0.0, 1.0, bins + 1)
    if rule not in ("width", "count"):
        raise ValueError(f"no rule of bins is called {rule!r}")
    edges = shares if rule == "width" else np.percentile(confidence, shares * 100)
    place = np.searchsorted(edges[1:-1], confidence)
    gaps = (abs(int(right[mine].sum()) - exact_sum(confidence[mine])) for mine in (place == k for k in range(bins)))
    return sum(gaps, Fraction(0)) / size


def _both(positive: Flags, scores: Vector, *, needs_negatives: bool = True) -> tuple[int, int]:
    if len(positive) != len(scores):
        raise ValueError("two columns of one table have the same length")
    if not np.isfinite(scores).all():
        raise UndefinedError("a score is not finite")
    positives = int(np.count_nonzero(positive))
    negatives = len(positive) - positives
    if not positives or (needs_negatives and not negatives):
        raise UndefinedError("a ranking needs positives and negatives")
    return positives, negatives


def _probable(values: Vector) -> None:
    if not ((values >= 0) & (values <= 1)).all():
        raise UndefinedError("a probability lies outside of [0, 1]")
