"""The elementary cells between thresholds, and what sets of them cost as leaves, in doubles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sealtrace.mathematics import Index, Matrix, Vector
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.mathematics.partitions.rules import Box, Side, TreeClass, known
from sealtrace.studies.policies.mathematics.thresholds import below

_MARGIN = 1e-9
_RANGE = 2.0**970
_PRODUCT = 1 << 18


@dataclass(frozen=True)
class Cut:
    """A split at one threshold: the cells of one axis before a position, and the others."""

    axis: int
    position: int

    def sides(self, box: Box) -> tuple[Box, Box]:
        """The two parts of a box."""
        first, end = box[self.axis]
        head, tail = box[: self.axis], box[self.axis + 1 :]
        return (*head, (first, self.position), *tail), (*head, (self.position, end), *tail)


class SplitGrid:
    """The elementary cells between thresholds that hold states, and sums over sets of them in doubles."""

    def __init__(self, features: Mapping[str, Vector], degradations: Matrix, declared: TreeClass) -> None:
        self.thresholds = {name: sorted(set(allowed)) for name, allowed in declared.thresholds.items() if allowed}
        self.space: Box = tuple((0, len(allowed) + 1) for allowed in self.thresholds.values())
        self.cuts = [Cut(axis, at) for axis, (_, end) in enumerate(self.space) for at in range(1, end)]
        states, candidates = degradations.shape
        codes = self._codes(features, states)
        # A column of zeros, so that there is a cell even without features.
        cells, cell_of = np.unique(np.column_stack([codes, np.zeros(states, np.int64)]), axis=0, return_inverse=True)
        self.cell_of: Index = cell_of.reshape(-1)
        before = np.array([cells[:, cut.axis] < cut.position for cut in self.cuts], np.bool_).reshape(-1, len(cells))
        # A set of cells as an integer, the first cell in the lowest bit.
        packed = np.packbits(before, axis=1, bitorder="little")
        self.masks = [int.from_bytes(row.tobytes(), "little") for row in packed]
        self.everything = (1 << len(cells)) - 1
        # The last column is no split: everything lies before it.
        self._before = np.vstack([before, np.ones((1, len(cells)))]).T.astype(np.float64, order="C")
        self._bytes = (len(cells) + 7) // 8
        self._weight = 1 / (states * candidates)
        self._penalties = as_double(declared.lambda_cert), as_double(declared.lambda_comp)
        with np.errstate(all="ignore"):
            # Variances do not move with the mean, and without it they lose fewer digits.
            centred = degradations - degradations.mean(axis=0)
            columns = np.column_stack([np.ones(states), centred])
            self._sums = np.array([np.bincount(self.cell_of, column, len(cells)) for column in columns.T]).T
            self.margin = self._error_bound(float((centred * centred).sum()) * self._weight, candidates, declared)

    def _codes(self, features: Mapping[str, Vector], states: int) -> Index:
        """The cell of every state along every axis: how many thresholds it is not below."""
        codes: Index = np.zeros((states, len(self.thresholds)), np.int64)
        for axis, (name, allowed) in enumerate(self.thresholds.items()):
            column = known(features, name)
            if len(column) != states:
                raise ValueError(f"feature {name!r} has {len(column)} states, the degradations have {states}")
            for threshold in allowed:
                codes[:, axis] += ~below(column, threshold)
        return codes

    def _error_bound(self, spread: float, candidates: int, declared: TreeClass) -> float:
        """A bound on the error of an objective in doubles, of degradations of that spread.

        A sum of n doubles errs by at most n units of the sum of their sizes; squared and divided by the size of a
        leaf that was obtained by subtraction, by at most the square root of n times more, at each level of the tree.
        Where squares could leave the range of doubles nothing is known and everything is decided exactly.
        """
        states = len(self.cell_of)
        leaves = 2 ** min(declared.depth, states.bit_length())
        scale = spread + leaves * sum(map(abs, self._penalties))
        units = 16 * (declared.depth + 1) * (states + candidates + 64) ** 1.5 * 2.0**-53
        return max(_MARGIN, units) * scale if 1 / _RANGE < scale < _RANGE else math.inf

    def members(self, mask: int) -> Index:
        """The cells of a set."""
        packed = np.frombuffer(mask.to_bytes(self._bytes, "little"), np.uint8)
        cells: Index = np.unpackbits(packed, bitorder="little").nonzero()[0]
        return cells

    def states(self, mask: int) -> Index:
        """The states of a set of cells."""
        chosen = np.zeros(len(self._before), np.bool_)
        chosen[self.members(mask)] = True
        return np.flatnonzero(chosen[self.cell_of])

    def costs(self, mask: int, support: int) -> tuple[float, Index, Vector, Vector]:
        """The cost of a set as a leaf, the splits whose sides have support, and the costs of these sides."""
        cells = self.members(mask)
        with np.errstate(all="ignore"):
            sums = self._sums_before(cells)
            whole, left = sums[-1:], sums[:-1]
            cuts = ((left[:, 0] >= support) & (whole[0, 0] - left[:, 0] >= support)).nonzero()[0]
            left = left.take(cuts, axis=0)
            costs = self._cost(np.concatenate([whole, left, whole - left]))
        number = len(cuts)
        return float(costs[0]), cuts, costs[1 : number + 1], costs[number + 1 :]

    def _sums_before(self, cells: Index) -> Matrix:
        """The sums over the cells before every split, and over all of them in the last row."""
        before, sums = self._before.take(cells, axis=0), self._sums.take(cells, axis=0)
        # Larger products are shared among threads, which costs a hundred times what it saves where cores are busy.
        rows = max(1, _PRODUCT // (before.shape[1] * sums.shape[1]))
        result: Matrix = before[:rows].T @ sums[:rows]
        for start in range(rows, len(cells), rows):
            result += before[start : start + rows].T @ sums[start : start + rows]
        return result

    def _cost(self, sums: Matrix) -> Vector:
        """The costs of leaves from their number of states and sums.

        The squares of the states add up to the same in every partition of a set, and are left out.
        """
        count, linear = sums[:, 0], sums[:, 1:]
        cert, comp = self._penalties
        explained = np.einsum("hb,hb->h", linear, linear) / count
        cost: Vector = cert / np.sqrt(count) + comp - explained * self._weight
        return cost

    def conditions(self, box: Box) -> tuple[Side, ...]:
        """The bounds of a box."""
        found = []
        for (first, end), (name, allowed) in zip(box, self.thresholds.items(), strict=True):
            if first > 0:
                found.append(Side(name, allowed[first - 1], below=False))
            if end <= len(allowed):
                found.append(Side(name, allowed[end - 1], below=True))
        return tuple(found)
