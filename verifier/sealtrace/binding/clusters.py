"""Numbers that stand together in a sentence and together in results: `ρ = +0.41, CI [+0.16, +0.61], q = 0.008`.

Each of them could be found anywhere; all of them in one object, or in one object and those inside it, could not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sealtrace.binding.frames import Frame
from sealtrace.binding.names import words
from sealtrace.binding.series import Slot

MOST_VALUES = 400_000
_LARGEST = 60
"""Values that one neighbourhood may hold."""


class Neighbourhoods:
    """Values by where they stand: each row, each object, and each object with those inside it."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        ids: dict[str, int] = {}
        values: list[np.ndarray] = []
        owners: list[np.ndarray] = []
        total = 0
        for frame in frames:
            if frame.derived or total + frame.numbers.size > MOST_VALUES:
                continue
            total += frame.numbers.size
            for level in (0, 1):
                named = [_above(place, level) for place in frame.places]
                owner = np.array([ids.setdefault(name, len(ids)) if name else -1 for name in named], np.int64)
                values.append(frame.numbers.reshape(-1))
                owners.append(np.repeat(owner, frame.numbers.shape[1]))
        flat = np.concatenate(values) if values else np.zeros(0)
        owner = np.concatenate(owners) if owners else np.zeros(0, np.int64)
        sizes = np.bincount(owner[owner >= 0], minlength=len(ids))
        keep = np.isfinite(flat) & (owner >= 0)
        keep &= np.append(sizes <= _LARGEST, False)[owner]
        self._values, self._owners = np.abs(flat[keep]), owner[keep]
        self._names = list(ids)
        self._words = [words(name) for name in ids]

    def holding(self, slots: Sequence[Slot], told: Mapping[str, float]) -> tuple[str, float] | None:
        """The place that holds all the numbers and that the words name, with how unlikely an accident is, in bits."""
        if not self._names:
            return None
        together: set[int] | None = None
        chance = 0.0
        for slot in slots:
            held = self._holders(slot)
            chance += math.log2(max(1, len(held)) / len(self._names))
            together = set(held) if together is None else together & set(held)
            if not together:
                return None
        assert together is not None
        named = sum(_said(one, told) for one in self._words)
        best = [place for place in sorted(together) if _said(self._words[place], told)]
        if not best:
            return None
        # The smallest place that holds them all is what is meant.
        place = max(best, key=lambda one: len(self._names[one]))
        return self._names[place], -chance - math.log2(max(1, named))

    def _holders(self, slot: Slot) -> list[int]:
        target, half = abs(float(slot.value)), float(slot.unit) / 2 * (1 + 1e-9)
        hit = np.abs(self._values - target) <= half
        if slot.percent:
            hit |= np.abs(100 * self._values - target) <= half
        found: list[int] = np.unique(self._owners[hit]).tolist()
        return found


def _above(place: str, level: int) -> str:
    """The place, or the object around it; empty where there is none."""
    if not level:
        return place
    file, mark, pointer = place.partition("#")
    outer = pointer.rpartition("/")[0]
    return f"{file}{mark}{outer}" if outer else ""


def _said(named: tuple[str, ...], told: Mapping[str, float]) -> bool:
    """Whether a third of the words of a place are said."""
    return bool(named) and sum(told.get(word, 0.0) > 0 for word in set(named)) * 3 >= len(set(named))
