"""The best tree of a declared class, found exactly.

What is minimised is a sum over leaves, so the best partition of a box is one leaf or the best partitions of the two
sides of a split. This holds for the tie rule as well: objectives and numbers of leaves add up, and of two partitions
of a box with equally many leaves the one with the smaller text keeps the smaller text whatever leaves outside the
box are added to both (see canonical). One best partition per box and remaining depth is therefore enough.

The search has two layers. The objective depends on which states are in a box and not on the box, so the first has sets
of states for subproblems: doubles leave the options that are too close to tell. Only these are built as boxes, and
compared exactly: by objective, number of leaves, and text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from functools import reduce

from sealtrace.mathematics import Matrix, Vector
from sealtrace.studies.policies.mathematics.partitions.exact import (
    Degradations,
    Value,
    as_float,
    require_degradations,
    sign_of,
    total,
)
from sealtrace.studies.policies.mathematics.partitions.grid import SplitGrid
from sealtrace.studies.policies.mathematics.partitions.rules import (
    DEPTH_LIMIT,
    SUBPROBLEM_LIMIT,
    Box,
    PartitionTooLargeError,
    Side,
    TreeClass,
    leaf_text,
)

Groups = frozenset[int]
"""Sets of states, each an integer with a bit per cell."""


class NoPartitionError(ValueError):
    """There are fewer structure states than a single leaf needs."""


@dataclass(frozen=True)
class Proof:
    """What the search did, for a reader who repeats it."""

    trees: int
    """Admissible trees of the class. A partition that several trees describe is counted as often."""
    subproblems: int
    """Sets of states with a remaining depth that were solved."""
    exactly: int
    """Comparisons that doubles could not decide."""


@dataclass(frozen=True)
class Found:
    """The best partition of a class."""

    leaves: tuple[tuple[Side, ...], ...]
    """In the order of their texts."""
    objective: float
    counts: tuple[int, ...]
    """Structure states by leaf."""
    proof: Proof

    def describe(self) -> str:
        """Why this is the best, in one sentence."""
        return (
            f"{len(self.leaves)} leaves attain the least objective, {self.objective:.6g}, of {self.proof.trees} "
            f"admissible trees ({self.proof.subproblems} subproblems, {self.proof.exactly} exact comparisons)"
        )


def best_partition(features: Mapping[str, Vector], degradations: Matrix, declared: TreeClass) -> Found:
    """The partition of least objective; among equals the one of fewest leaves, then of smallest canonical text.

    Degradations have a row per structure state and a column per candidate. A leaf holds at least one state.
    """
    require_degradations(degradations)
    if len(degradations) < declared.minimum_support:
        raise NoPartitionError(f"{len(degradations)} structure states, {declared.minimum_support} needed in a leaf")
    return _TreeSearch(SplitGrid(features, degradations, declared), degradations, declared).found()


@dataclass(frozen=True)
class _Options:
    """What can be done with a set of states: nothing, or one of some splits."""

    leaf: float
    cuts: list[int]
    splits: list[float]
    trees: int

    def least(self) -> float:
        """The least of them in doubles."""
        return min([self.leaf, *self.splits])


@dataclass(frozen=True)
class _Leaf:
    """A leaf under its text, by which it sorts."""

    text: str
    box: Box
    mask: int


@dataclass(frozen=True)
class _Partial:
    """A partition of a box."""

    leaves: tuple[_Leaf, ...]
    """Sorted by text."""

    def joined(self, other: _Partial) -> _Partial:
        """This partition and that of another box."""
        leaves = sorted((*self.leaves, *other.leaves), key=lambda leaf: leaf.text)
        return _Partial(tuple(leaves))

    def groups(self) -> Groups:
        """The sets of states of the leaves."""
        return frozenset(leaf.mask for leaf in self.leaves)

    def texts(self) -> list[str]:
        """What decides between equally many leaves; joined by line breaks, the canonical text."""
        return [leaf.text for leaf in self.leaves]


class _TreeSearch:
    """The memoised subproblems of one class on one set of states."""

    def __init__(self, grid: SplitGrid, degradations: Matrix, declared: TreeClass) -> None:
        self._grid = grid
        self._degradations = degradations
        self._exact = Degradations(degradations, declared.lambda_cert, declared.lambda_comp)
        self._penalised = declared.lambda_cert >= 0 and declared.lambda_comp >= 0
        self._support = max(declared.minimum_support, 1)
        # No tree is deeper than there are splits, or leaves with support less one.
        self._depth = min(declared.depth, len(grid.cuts), len(degradations) // self._support - 1)
        if self._depth > DEPTH_LIMIT:
            raise PartitionTooLargeError(f"trees of depth {self._depth} are too deep to be searched")
        self._solved: dict[tuple[int, int], tuple[float, int]] = {}
        self._best: dict[tuple[Box, int], _Partial] = {}
        self._values: dict[int, Value] = {}
        self._exactly = 0

    def found(self) -> Found:
        """The best partition of everything."""
        space, everything = self._grid.space, self._grid.everything
        _, trees = self._solve(everything, self._depth)
        best = self._choose(space, everything, self._depth)
        return Found(
            leaves=tuple(self._grid.conditions(leaf.box) for leaf in best.leaves),
            objective=as_float(total(self._leaf_values(best.groups()))),
            counts=tuple(len(self._grid.states(leaf.mask)) for leaf in best.leaves),
            proof=Proof(trees, len(self._solved), self._exactly),
        )

    def _solve(self, mask: int, depth: int) -> tuple[float, int]:
        """The least objective of a set of states in doubles, and the number of its admissible trees."""
        key = mask, depth
        if key not in self._solved:
            _require_room(self._solved)
            options = self._options(mask, depth)
            self._solved[key] = options.least(), options.trees
        return self._solved[key]

    def _options(self, mask: int, depth: int) -> _Options:
        """What a tree of at most this depth can begin with."""
        leaf, cuts, left, right = self._grid.costs(mask, self._support)
        if depth == 0:
            return _Options(leaf, [], [], trees=1)
        if depth == 1:
            return _Options(leaf, cuts.tolist(), (left + right).tolist(), trees=1 + len(cuts))
        splits, trees = [], 1
        for cut in cuts.tolist():
            inner = mask & self._grid.masks[cut]
            left_value, left_trees = self._solve(inner, depth - 1)
            right_value, right_trees = self._solve(mask ^ inner, depth - 1)
            splits.append(left_value + right_value)
            trees += left_trees * right_trees
        return _Options(leaf, cuts.tolist(), splits, trees)

    def _choose(self, box: Box, mask: int, depth: int) -> _Partial:
        """The best partition of a box by a tree of at most this depth."""
        key = box, depth
        if key not in self._best:
            _require_room(self._best)
            built = [self._leaf(box, mask)] if self._is_final(mask) else self._near(box, mask, depth)
            self._best[key] = reduce(self._better, built)
        return self._best[key]

    def _near(self, box: Box, mask: int, depth: int) -> Iterator[_Partial]:
        """A box as one leaf, and by each split that it may begin with: those that doubles leave."""
        options = self._options(mask, depth)
        # Both sides of a comparison may be off by the margin; written so that no number at all excludes nothing.
        limit = options.least() + 2 * self._grid.margin
        if not options.leaf > limit:
            yield self._leaf(box, mask)
        for cut, value in zip(options.cuts, options.splits, strict=True):
            if not value > limit:
                yield self._split(box, mask, depth, cut)

    def _split(self, box: Box, mask: int, depth: int, cut: int) -> _Partial:
        """The best partition of a box that begins with a split."""
        left, right = self._sides(box, mask, cut)
        return self._choose(*left, depth - 1).joined(self._choose(*right, depth - 1))

    def _sides(self, box: Box, mask: int, cut: int) -> tuple[tuple[Box, int], tuple[Box, int]]:
        """The boxes and the sets of states on the two sides of a split."""
        left, right = self._grid.cuts[cut].sides(box)
        inner = mask & self._grid.masks[cut]
        return (left, inner), (right, mask ^ inner)

    def _leaf(self, box: Box, mask: int) -> _Partial:
        """A box as one leaf."""
        return _Partial((_Leaf(leaf_text(self._grid.conditions(box)), box, mask),))

    def _is_final(self, mask: int) -> bool:
        """Whether no split can help: nothing varies, and more or smaller leaves are not rewarded."""
        rows = self._degradations[self._grid.states(mask)]
        return self._penalised and bool((rows == rows[0]).all())

    def _better(self, first: _Partial, second: _Partial) -> _Partial:
        """The better of two partitions of one box."""
        order = self._order(first.groups(), second.groups())
        return first if order < 0 or (order == 0 and first.texts() <= second.texts()) else second

    def _order(self, first: Groups, second: Groups) -> int:
        """Negative, zero or positive where the first groups are better, equal or worse, apart from their texts."""
        # Partitions that differ in empty space only are equal without any arithmetic.
        if first == second:
            return 0
        self._exactly += 1
        return sign_of(self._difference(first, second)) or len(first) - len(second)

    def _difference(self, first: Groups, second: Groups) -> Value:
        """The objective of the first less that of the second; what they share cancels."""
        return total(self._leaf_values(first - second), minus=self._leaf_values(second - first))

    def _leaf_values(self, masks: Iterable[int]) -> list[Value]:
        """What leaves with these sets of states add to the objective."""
        for mask in masks:
            if mask not in self._values:
                self._values[mask] = self._exact.leaf(self._grid.states(mask))
        return [self._values[mask] for mask in masks]


def _require_room(subproblems: Sized) -> None:
    """Refuse one more subproblem beyond the limit."""
    if len(subproblems) >= SUBPROBLEM_LIMIT:
        raise PartitionTooLargeError(f"the class has more than {SUBPROBLEM_LIMIT} subproblems")
