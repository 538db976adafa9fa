"""Hypotheses of one selection evaluated on columns at once: groups × measures × statistics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import Frame, Numbers
from sealtrace.binding.statistics import QUANTILES

MOST_SORTED = 400_000
"""Values up to which medians are computed."""

Rows = tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""How many numbers there are, and the number and the row of each choice."""


def rows_chosen(chosen: npt.NDArray[np.bool_]) -> Rows:
    """The places of [number, row], once for many evaluations."""
    cell, row = np.nonzero(chosen)
    return chosen.shape[0], cell, row


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
    frame: Frame,
    chosen: npt.NDArray[np.bool_] | Rows,
    fixed: list[int],
    limit: int = 400,
    *,
    simple: bool = False,
    quantiles: Iterable[str] = ("median",),
) -> Evaluated | None:
    """Statistics over the rows that each number selects, for every combination of values of the fixed fields.

    `chosen` is [number, row], or its places; `fixed` are places of fields; `simple` wants means only. None where there
    are no rows or too many combinations.
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
    block = frame.numbers[row]
    finite = np.isfinite(block)
    filled = np.where(finite, block, 0.0)
    sizes = np.add.reduceat(finite, starts, axis=0, dtype=float)
    sums = np.add.reduceat(filled, starts, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(sizes > 0, sums / sizes, np.nan)
    shape = (cells * len(filters), len(frame.measures))

    def spread(values: Numbers) -> Numbers:
        whole = np.full(shape, np.nan)
        whole[known] = values
        return whole.reshape(cells, len(filters), -1)

    values = {"mean": spread(mean)}
    if counts.max() > 1 and not simple:
        centred = np.where(finite, block - np.repeat(mean, counts, axis=0), 0.0)
        squares = np.add.reduceat(centred**2, starts, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            values["sd"] = spread(np.where(sizes > 1, np.sqrt(squares / (sizes - 1)), np.nan))
            values["sd0"] = spread(np.where(sizes > 1, np.sqrt(squares / sizes), np.nan))
            values["sem"] = values["sd"] / np.sqrt(spread(sizes))
            values["ci95"] = 1.96 * values["sem"]
        nothing = sizes == 0
        least = np.minimum.reduceat(np.where(finite, block, np.inf), starts, axis=0)
        most = np.maximum.reduceat(np.where(finite, block, -np.inf), starts, axis=0)
        values["min"] = spread(np.where(nothing, np.nan, least))
        values["max"] = spread(np.where(nothing, np.nan, most))
        if block.size <= MOST_SORTED:
            values |= {
                name: spread(values) for name, values in _quantiles(block, starts, counts, sizes, quantiles).items()
            }
        values["sum"] = spread(np.where(nothing, np.nan, sums))
        values["count"] = spread(sizes)
        values["negative"] = spread(np.add.reduceat(finite & (block < 0), starts, axis=0, dtype=float))
    stacked = np.stack(list(values.values()))
    return Evaluated(list(values), stacked, spread(sizes), np.isfinite(stacked).sum(axis=1), filters.astype(np.int32))


def _combinations(
    frame: Frame, row: npt.NDArray[np.int64], fixed: list[int]
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


def _quantiles(
    block: Numbers, starts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], sizes: Numbers, names: Iterable[str]
) -> dict[str, Numbers]:
    """Quantiles of the groups, NaN aside: one sort by group and value for each measure."""
    found = {name: np.full(sizes.shape, np.nan) for name in names}
    group = np.repeat(np.arange(len(starts)), counts)
    for column in range(block.shape[1]) if found else ():
        values = block[:, column]
        ordered = values[np.lexsort((values, group))]
        some = sizes[:, column] > 0
        begin, last = starts[some], sizes[some, column] - 1
        for name, quantile in found.items():
            share, rank = QUANTILES[name]
            at = np.maximum(0, np.ceil(share * (last + 1) - 1e-9) - 1) if rank else share * last
            below = np.floor(at).astype(int)
            low, high = ordered[begin + below], ordered[begin + np.ceil(at).astype(int)]
            quantile[some, column] = low + (high - low) * (at - below)
    return found
