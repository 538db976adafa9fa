"""Draws of Python's own generator, as protocols declare them: the bootstrap, and states dealt into splits."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Index, Vector


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
        # The expected number of words and two per cent, so that one round nearly always is enough.
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
    # In fractions: in doubles 0.025 * 9999 and the like may fall on the wrong side of a whole number.
    low = (tail * (resamples - 1)).__floor__()
    high = ((1 - tail) * (resamples - 1)).__floor__()
    return float(means[low]), float(means[high])


def stratified_order(seed: int, strata: Sequence[Vector], size: int) -> Index:
    """Places 0..size-1 ordered by stratum, then by one draw per place; the earlier place among equal draws."""
    generator = random.Random(seed)
    draws = np.array([generator.random() for _ in range(size)])
    # lexsort is stable and takes the last key first.
    return np.lexsort((draws, *reversed(strata)))


def systematic(size: int, wanted: int) -> npt.NDArray[np.bool_]:
    """Which of `size` ordered places a split of `wanted` takes: where floor((i + 1) n / N) steps up."""
    steps = np.arange(size + 1, dtype=np.int64) * wanted // max(size, 1)
    return np.diff(steps) > 0


def deal(order: Index, sizes: Sequence[int]) -> list[Index]:
    """The places that each split takes, one split after the other, from those that are left."""
    taken = []
    for wanted in sizes:
        if wanted > len(order):
            raise ValueError(f"{wanted} states are wanted, and {len(order)} are left")
        mask = systematic(len(order), wanted)
        taken.append(order[mask])
        order = order[~mask]
    return taken
