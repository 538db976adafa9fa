"""Hypotheses of one selection evaluated on columns at once: groups × measures × statistics."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import Numbers, ResultFrame
from sealtrace.statistics.entries import TRIED
from sealtrace.statistics.groups import Groups, SummedGroups
from sealtrace.statistics.sums import UndefinedError
from sealtrace.statistics.table import TriedForm

MOST_SORTED = 400_000
"""Values up to which medians are computed."""

Rows = tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""How many numbers there are, and the number and the row of each choice."""


def rows_chosen(chosen: npt.NDArray[np.bool_]) -> Rows:
    """The places of [number, row], once for many evaluations."""
    cell, row = np.nonzero(chosen)
    return chosen.shape[0], cell, row


_FEWEST = 3
"""Rows of which an interval is computed: of two, which are often its own ends, nobody does."""


@dataclass
class Evaluated:
    """Values of every statistic for every number of a series, filter and measure."""

    statistics: list[str]
    values: Numbers
    """[statistic, number, filter, measure]"""
    sizes: Numbers
    """Rows behind each: [number, filter, measure]."""
    covered: npt.NDArray[np.int64]
    """How many numbers have a value: [statistic, filter, measure]."""
    filters: npt.NDArray[np.int32]
    """Codes of the fixed fields: [filter, field]; -1 where the field has no value."""

    def of(self, statistic: str) -> Numbers:
        """Values of one statistic: [number, filter, measure]."""
        return np.asarray(self.values[self.statistics.index(statistic)])


def evaluate(
    frame: ResultFrame,
    chosen: npt.NDArray[np.bool_] | Rows,
    fixed: list[int],
    limit: int = 400,
    *,
    statistics: Iterable[str] = ("mean",),
) -> Evaluated | None:
    """Statistics over the rows that each number selects, for every combination of values of the fixed fields.

    `chosen` is [number, row], or its places; `fixed` are places of fields. None where there are no rows or too many
    combinations.
    """
    cells, cell, row = chosen if isinstance(chosen, tuple) else rows_chosen(chosen)
    if not len(row) or not frame.measures:
        return None
    if fixed:
        filters, combination = _combinations(frame, row, fixed)
    else:
        filters, combination = np.zeros((1, 0), np.int32), np.zeros(len(row), np.int64)
    if len(filters) > limit:
        return None
    group = cell * len(filters) + combination
    order = np.argsort(group, kind="stable")
    group, row = group[order], row[order]
    known, starts, counts = np.unique(group, return_index=True, return_counts=True)
    cells_of = frame.moments
    groups = (
        Groups(frame.numbers[row], starts, counts)
        if cells_of is None
        else SummedGroups(cells_of.at(row), starts, counts)
    )
    shape = (cells * len(filters), len(frame.measures))

    def spread(values: Numbers) -> Numbers:
        whole = np.full(shape, np.nan)
        whole[known] = values
        return whole.reshape(cells, len(filters), -1)

    # A single record is its own mean, and nothing else can be said of it.
    several = groups.size.max() > 1
    if cells_of is not None and frame.weights is None:
        several = False  # Counts that are pooled give a mean; no file has the rows of which they could give more.
    tried = ["mean", *(name for name in statistics if name != "mean" and several)]
    values = {
        name: spread(_computed(TRIED["values"][name], groups))
        for name in tried
        if groups.block.size <= MOST_SORTED or not TRIED["values"][name].quantile
    }
    sizes = groups.size
    for name in values:
        if TRIED["values"][name].said(("ci",)):
            values[name] = np.where(spread(sizes) < _FEWEST, np.nan, values[name])
    stacked = np.stack(list(values.values()))
    return Evaluated(list(values), stacked, spread(sizes), np.isfinite(stacked).sum(axis=1), filters.astype(np.int32))


def _combinations(
    frame: ResultFrame, row: npt.NDArray[np.int64], fixed: list[int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The combinations of values that occur, and which of them each row has; codes are joined into one number."""
    joined = np.zeros(len(row), np.int64)
    sizes = [len(frame.dimensions[dimension].values) + 1 for dimension in fixed]
    for dimension, size in zip(fixed, sizes, strict=True):
        joined = joined * size + frame.dimensions[dimension].codes[row] + 1
    present = np.bincount(joined, minlength=1) > 0
    known = np.nonzero(present)[0]
    place = np.cumsum(present) - 1
    filters = np.empty((len(known), len(fixed)), np.int32)
    rest = known.copy()
    for column in range(len(fixed) - 1, -1, -1):
        filters[:, column] = rest % sizes[column] - 1
        rest //= sizes[column]
    return filters, place[joined]


def _computed(variant: TriedForm, groups: Groups) -> Numbers:
    """A statistic of every group; of one group after the other where it cannot take all at once."""
    assert variant.function is not None
    found: Numbers
    found = np.full(groups.size.shape, np.nan)
    if variant.at_once:
        # Of what was summed up, no order of values is known.
        with suppress(UndefinedError):
            found = variant.function(groups)
        return found
    if isinstance(groups, SummedGroups):
        return found
    for group, columns in enumerate(groups.each()):
        for column, values in enumerate(columns):
            with suppress(ValueError, ArithmeticError):
                found[group, column] = float(variant.function(values))
    return found
