"""Rank correlations with ties, their bootstrap intervals, and their permutation tests."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

from sealtrace.mathematics import Vector
from sealtrace.mathematics.resampling import draws


def ranks(values: Vector) -> Vector:
    """Ranks from one; equal values share the mean of their ranks. The last axis is ranked."""
    ascending = np.sort(values, axis=-1)
    if values.ndim == 1:
        low = np.searchsorted(ascending, values, "left")
        high = np.searchsorted(ascending, values, "right")
        return (low + high + 1) / 2
    return np.stack([ranks(row) for row in values])


def spearman(first: Vector, other: Vector) -> Vector:
    """The correlation of ranks along the last axis; NaN where one side does not vary."""
    left, right = (each - each.mean(axis=-1, keepdims=True) for each in (ranks(first), ranks(other)))
    with np.errstate(invalid="ignore", divide="ignore"):
        value: Vector = (left * right).sum(axis=-1) / np.sqrt((left**2).sum(axis=-1) * (right**2).sum(axis=-1))
    return value


def kendall(first: Vector, other: Vector) -> Vector:
    """Kendall's tau-b along the last axis: concordant less discordant pairs, with ties in the denominator."""
    if first.ndim > 1:
        return np.array([float(kendall(left, right)) for left, right in zip(first, other, strict=True)])
    left, right = (np.sign(each[:, None] - each[None, :]) for each in (first, other))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((left * right).sum() / np.sqrt((left**2).sum() * (right**2).sum()))


MEASURES = {"spearman": spearman, "kendall": kendall}


def bootstrap_interval(
    measure: str, first: Vector, other: Vector, resamples: int, confidence: Fraction, seed: int
) -> tuple[float, float]:
    """Pairs drawn with replacement by `random.Random(seed).randrange`; sorted values at floor(p (R - 1))."""
    size = len(first)
    chosen = draws(seed, size, resamples * size).reshape(resamples, size)
    found = np.sort(MEASURES[measure](first[chosen], other[chosen]))
    tail = (1 - confidence) / 2
    low, high = ((share * (resamples - 1)).__floor__() for share in (tail, 1 - tail))
    return float(found[low]), float(found[high])


def permutation_share(measure: str, first: Vector, other: Vector, permutations: int, seed: int) -> float:
    """(1 + shuffles at least as far from zero) / (1 + shuffles); each shuffles the places of the one before it."""
    generator = random.Random(seed)
    places = list(range(len(first)))
    orders = []
    for _ in range(permutations):
        generator.shuffle(places)
        orders.append(list(places))
    observed = abs(float(MEASURES[measure](first, other)))
    shuffled = first[np.array(orders, np.int64)]
    found = np.abs(MEASURES[measure](shuffled, np.broadcast_to(other, shuffled.shape)))
    # Rounding must not decide whether a shuffle that gives the same value counts.
    return (1 + int((found >= observed - 1e-12).sum())) / (1 + permutations)
