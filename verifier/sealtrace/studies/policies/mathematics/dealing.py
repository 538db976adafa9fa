"""States dealt to splits at random, in strata: Python's own generator, then systematic sampling."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Index = npt.NDArray[np.int64]
Vector = npt.NDArray[np.float64]


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
