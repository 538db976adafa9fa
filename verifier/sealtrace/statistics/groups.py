"""Columns of doubles by group, so that a statistic of all groups is computed at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Index, Matrix
from sealtrace.statistics.sums import UndefinedError


class Groups:
    """A block of numbers, [row, column], whose rows of each group stand together; what is not finite is missing.

    Every result is [group, column], and NaN where a group has no value of the column.
    """

    def __init__(self, block: Matrix, starts: Index, counts: Index) -> None:
        """`starts` are the first rows of groups, none of which is empty, and `counts` their sizes."""
        self.block, self.starts, self.counts = block, starts, counts

    @cached_property
    def finite(self) -> npt.NDArray[np.bool_]:
        return np.isfinite(self.block)

    @cached_property
    def size(self) -> Matrix:
        """How many values there are."""
        return np.add.reduceat(self.finite, self.starts, axis=0, dtype=float)

    @cached_property
    def total(self) -> Matrix:
        sums: Matrix = np.add.reduceat(np.where(self.finite, self.block, 0.0), self.starts, axis=0)
        return np.where(self.size > 0, sums, np.nan)

    @cached_property
    def squares(self) -> Matrix:
        """Sums of squared deviations from the mean, of two values or more: one by itself does not deviate."""
        # Two passes: the difference of large squares would lose all digits of a small spread.
        mean = np.repeat(self.divided(self.total, self.size), self.counts, axis=0)
        centred = np.where(self.finite, self.block - mean, 0.0)
        return np.where(self.size > 1, np.add.reduceat(centred * centred, self.starts, axis=0), np.nan)

    @staticmethod
    def divided(above: Matrix, below: Matrix) -> Matrix:
        """above / below; NaN where nothing is below."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(below > 0, above / below, np.nan)

    def count(self, which: npt.NDArray[np.bool_]) -> Matrix:
        """How many values are so."""
        found: Matrix = np.add.reduceat(self.finite & which, self.starts, axis=0, dtype=float)
        return found

    def extreme(self, *, greatest: bool) -> Matrix:
        """The greatest value, or the least."""
        chosen, nothing = (np.maximum, -np.inf) if greatest else (np.minimum, np.inf)
        # What is missing counts as the worst value, so that it is never the extreme one.
        found = chosen.reduceat(np.where(self.finite, self.block, nothing), self.starts, axis=0)
        return np.where(self.size > 0, found, np.nan)

    @cached_property
    def _ordered(self) -> list[Matrix]:
        """Each column in order within its groups, what is missing last."""
        group = np.repeat(np.arange(len(self.starts)), self.counts)
        return [values[np.lexsort((values, group))] for values in self.block.T]

    def between(self, places: Matrix) -> Matrix:
        """The values at places of the groups in order, from zero; between two of them, in between."""
        found = np.full(places.shape, np.nan)
        for column, ordered in enumerate(self._ordered):
            some = self.size[:, column] > 0
            begin, at = self.starts[some], places[some, column]
            low, high = (ordered[begin + place.astype(np.int64)] for place in (np.floor(at), np.ceil(at)))
            found[some, column] = low + (high - low) * (at - np.floor(at))
        return found

    def each(self) -> list[list[npt.NDArray[np.float64]]]:
        """The values of each group and column."""
        ends = self.starts + self.counts
        return [
            [column[start:end][np.isfinite(column[start:end])] for column in self.block.T]
            for start, end in zip(self.starts, ends, strict=True)
        ]

    @property
    def moments(self) -> Moments:
        """What each group comes to, so that groups can be put together later."""
        squares = np.where(self.size > 1, self.squares, 0.0)
        mean = self.divided(self.total, self.size)
        return Moments(self.size, mean, squares, self.extreme(greatest=False), self.extreme(greatest=True))


@dataclass(frozen=True)
class Moments:
    """Values that were summed up, by cell and column: each array is [cell, column]."""

    size: Matrix
    mean: Matrix
    """NaN where a cell has no value, as are the extremes."""
    squares: Matrix
    """Sums of squared deviations from the mean of the cell."""
    least: Matrix
    greatest: Matrix

    def at(self, cells: npt.NDArray[np.generic] | slice, columns: list[int] | slice = slice(None)) -> Moments:
        """Some cells and columns."""
        parts = (self.size, self.mean, self.squares, self.least, self.greatest)
        return Moments(*(part[cells][:, columns] for part in parts))

    def flat(self, chosen: npt.NDArray[np.bool_]) -> Moments:
        """Some values, one below the other in a single column."""
        parts = (self.size, self.mean, self.squares, self.least, self.greatest)
        return Moments(*(part[chosen][:, None] for part in parts))

    @staticmethod
    def joined(parts: list[Moments]) -> Moments:
        """Cells of several, one after the other."""
        return Moments(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("size", "mean", "squares", "least", "greatest")
            )
        )


class SummedGroups(Groups):
    """Groups of cells that each sum up values: everything that follows from counts, means, spreads and extremes.

    What needs the values themselves, a quantile or how many are negative, is undefined.
    """

    def __init__(self, cells: Moments, starts: Index, counts: Index) -> None:
        super().__init__(cells.mean, starts, counts)
        self._cells = cells

    @cached_property
    def size(self) -> Matrix:
        return np.add.reduceat(self._cells.size, self.starts, axis=0)

    @cached_property
    def total(self) -> Matrix:
        sums: Matrix = np.add.reduceat(np.where(self.finite, self.block * self._cells.size, 0.0), self.starts, axis=0)
        return np.where(self.size > 0, sums, np.nan)

    @cached_property
    def squares(self) -> Matrix:
        # The deviations inside the cells, and those of their means from the mean of the group.
        mean = np.repeat(self.divided(self.total, self.size), self.counts, axis=0)
        between = np.where(self.finite, self._cells.size * (self.block - mean) ** 2, 0.0)
        return np.where(self.size > 1, np.add.reduceat(self._cells.squares + between, self.starts, axis=0), np.nan)

    def count(self, which: npt.NDArray[np.bool_]) -> Matrix:  # noqa: ARG002 - as in Groups
        raise UndefinedError("the values were summed up")

    def extreme(self, *, greatest: bool) -> Matrix:
        values = self._cells.greatest if greatest else self._cells.least
        return Groups(values, self.starts, self.counts).extreme(greatest=greatest)

    def between(self, places: Matrix) -> Matrix:  # noqa: ARG002 - as in Groups
        raise UndefinedError("the values were summed up")
