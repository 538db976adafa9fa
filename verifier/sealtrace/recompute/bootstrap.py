"""Percentile bootstrap with the draws of Python's own generator, made in blocks."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import numpy.typing as npt

Index = npt.NDArray[np.int64]
Vector = npt.NDArray[np.float64]


def draws(seed: int, size: int, count: int) -> Index:
    """The first `count` values of `random.Random(seed).randrange(size)`, all at once.

    Python takes the top bits of one 32-bit word and draws again while they are not below `size`. numpy
    has the same Mersenne twister, so its words, shifted and sifted, are the same draws.
    """
    if not 0 < size < 2**32:
        raise ValueError("a population has between one and 2^32 - 1 members")
    _, state, _ = random.Random(seed).getstate()
    generator = np.random.MT19937()
    generator.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(state[:-1], np.uint32), "pos": state[-1]},
    }
    bits = size.bit_length()
    accepted: list[Index] = []
    found = 0
    while found < count:
        words = generator.random_raw(int((count - found) * 2**bits / size * 1.02) + 64)
        values = (words >> np.uint64(32 - bits)).astype(np.int64)
        accepted.append(values[values < size])
        found += len(accepted[-1])
    return np.concatenate(accepted)[:count]


def percentile_interval(values: Vector, resamples: int, confidence: Fraction, seed: int) -> tuple[float, float]:
    """The percentile interval of the mean: sorted means at floor(p (R - 1)), counted from zero."""
    size = len(values)
    means = np.empty(resamples)
    chosen = draws(seed, size, resamples * size).reshape(resamples, size)
    # Blocks: a replicate of a large population is large itself.
    block = max(1, 2**20 // size)
    for start in range(0, resamples, block):
        means[start : start + block] = values[chosen[start : start + block]].sum(axis=1) / size
    means.sort()
    tail = (1 - confidence) / 2
    low = (tail * (resamples - 1)).__floor__()
    high = ((1 - tail) * (resamples - 1)).__floor__()
    return float(means[low]), float(means[high])
