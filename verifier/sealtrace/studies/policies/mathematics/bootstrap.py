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

    Python takes the top bits of one 32-bit word and draws again while they are not below `size`. Many words
    at once come from `getrandbits`, least significant first; shifted and sifted, they are the same draws.
    """
    if not 0 < size < 2**32:
        raise ValueError("a population has between one and 2^32 - 1 members")
    generator = random.Random(seed)
    bits = size.bit_length()
    accepted: list[Index] = []
    found = 0
    while found < count:
        wanted = int((count - found) * 2**bits / size * 1.02) + 64
        data = generator.getrandbits(32 * wanted).to_bytes(4 * wanted, "little")
        values = np.frombuffer(data, "<u4").astype(np.int64) >> (32 - bits)
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
