"""Which rows are one run: combinations of the fields that vary between answers to the same example.

A field that the example fixes (its subject, its difficulty) is a slice instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import Codes, Dimension, Frame

GOLD = re.compile(r"gold|true|truth|target|label|answer|reference|expected|actual|correct_?(label|answer)", re.I)
GUESS = re.compile(r"pred|guess|output|response|hypothesis|model_?answer|choice|verdict", re.I)
"""Names of true values, and of what was said of them."""


@dataclass
class Runs:
    """Rows by run."""

    codes: Codes
    count: int
    dimensions: list[Dimension]
    """One code per run."""
    first: npt.NDArray[np.int64]


def run_fields(frame: Frame, others: list[Dimension]) -> tuple[list[Dimension], list[Dimension]]:
    """Fields that tell runs apart, and fields that slice the examples."""
    running: list[Dimension] = []
    slices: list[Dimension] = []
    for one in others:
        if one.name.startswith(("file", "directory")):
            running.append(one)
        elif len(one.values) <= 40 and "/" not in one.name:
            (slices if _fixed_by_example(one, frame) else running).append(one)
    return running, slices


def _fixed_by_example(field: Dimension, frame: Frame) -> bool:
    """Whether a field repeats in the same order in every file: then it is the examples' and not the runs'."""
    source = next((one for one in frame.dimensions if one.name == "file"), None)
    if source is None:
        changes = int(np.count_nonzero(np.diff(field.codes)))
        return changes > 0.5 * frame.rows * (1 - 1 / max(2, len(field.values)))
    varying = [len(np.unique(field.codes[source.codes == code])) for code in range(min(40, len(source.values)))]
    return max(varying, default=0) > 1


def runs_of(fields: list[Dimension], rows: int) -> Runs:
    if not fields:
        return Runs(np.zeros(rows, np.int32), 1, [], np.zeros(1, np.int64))
    table = np.column_stack([one.codes for one in fields])
    _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    dimensions = [Dimension(one.name, one.values, one.codes[first]) for one in fields]
    return Runs(inverse.reshape(-1).astype(np.int32), len(first), dimensions, first)
