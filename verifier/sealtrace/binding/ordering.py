"""Which tables of results a printed table is looked for in first: those that hold its numbers as they are."""

from __future__ import annotations

import numpy as np

from sealtrace.binding.frames import Frame, Numbers
from sealtrace.binding.hypotheses import FrameView
from sealtrace.binding.series import Grid
from sealtrace.binding.tally import Tally

_AROUND = 64
"""Units of the last place around a number in which values of a frame are counted."""


def likeliest_first(grid: Grid, views: list[FrameView], tally: Tally) -> list[FrameView]:
    """Views by the numbers of the table that stand in them, beyond what chance would put there; then the small ones."""
    slots = [slot for cell in grid.cells.values() if not cell.wordy for slot in cell.slots if not slot.side]
    telling = [slot for slot in slots if len(slot.text.strip("+-−0.%").replace(".", "").replace(",", "")) >= 2]
    values = np.array([float(slot.value) for slot in telling])
    units = np.array([float(slot.unit) or 1.0 for slot in telling])
    gains: dict[int, float] = {}
    for view in views:
        frame = view.frame.whole or view.frame
        if id(frame) not in gains and tally.late():
            return views
        if id(frame) not in gains:
            gains[id(frame)] = max(_gain(frame, values / scale, units / scale) for scale in (1.0, 100.0))
    return sorted(views, key=lambda view: -gains[id(view.frame.whole or view.frame)])


def _gain(frame: Frame, values: Numbers, units: Numbers) -> float:
    """Bits that the numbers of a table which stand in a frame give, fewer where it is full of numbers like them."""
    known = frame.distinct
    if not len(values) or not len(known):
        return 0.0

    def between(low: Numbers, high: Numbers) -> Numbers:
        return np.asarray(np.searchsorted(known, high, "right") - np.searchsorted(known, low, "left"), float)

    there = between(values - units / 2 * (1 + 1e-9), values + units / 2 * (1 + 1e-9)) > 0
    near = np.minimum(between(values - _AROUND * units, values + _AROUND * units), 2 * _AROUND)
    bits = np.log2(2 * _AROUND / np.maximum(near, 1.0))
    return float(bits[there].sum())
