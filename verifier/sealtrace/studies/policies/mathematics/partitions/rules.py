"""Rules from features to groups: who falls where, and which rules a declared class contains."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from sealtrace.mathematics import Index, Mask, Vector
from sealtrace.studies.policies.mathematics.thresholds import below

SUBPROBLEM_LIMIT = 400_000
"""The most subproblems that one search may open, about half a minute of work."""
DEPTH_LIMIT = 64
"""The deepest recursion that a search may need."""


class PartitionTooLargeError(Exception):
    """The class or the rule is too large to be searched exactly."""


@dataclass(frozen=True)
class Side:
    """One side of a split: feature < threshold where below, feature >= threshold otherwise."""

    feature: str
    threshold: Fraction
    below: bool


Leaves = Sequence[Sequence[Side]]
Interval = tuple[Fraction | None, Fraction | None]
"""From the first bound, included, to the second, excluded; None is no bound."""


@dataclass(frozen=True)
class TreeClass:
    """The partitions that may be chosen from, and the weights of the objective."""

    depth: int
    thresholds: Mapping[str, Sequence[Fraction]]
    minimum_support: int
    lambda_cert: Fraction
    lambda_comp: Fraction


def known(features: Mapping[str, Vector], name: str) -> Vector:
    """The column of a feature that is known in every state."""
    if name not in features:
        raise ValueError(f"feature {name!r} is not given")
    column = features[name]
    unknown = np.flatnonzero(np.isnan(column))
    if len(unknown):
        raise ValueError(f"feature {name!r} cannot be computed in state {unknown[0]}")
    return column


def assign(features: Mapping[str, Vector], leaves: Leaves, states: int) -> Index:
    """The first leaf that holds each state, -1 where none does."""
    holds = _holds(features, leaves, states)
    first: Index = np.where(holds.any(axis=0), holds.argmax(axis=0), -1).astype(np.int64)
    return first


def held(features: Mapping[str, Vector], leaves: Leaves, states: int) -> Index:
    """How many leaves hold each state: 0 is a gap, 2 or more an overlap."""
    count: Index = _holds(features, leaves, states).sum(axis=0, dtype=np.int64)
    return count


def _holds(features: Mapping[str, Vector], leaves: Leaves, states: int) -> Mask:
    """Which leaf holds which state. A last row of nothing keeps the rows from being none at all."""
    holds: Mask = np.ones((len(leaves) + 1, states), dtype=np.bool_)
    holds[-1] = False
    for row, leaf in zip(holds, leaves, strict=False):
        for condition in leaf:
            row &= below(known(features, condition.feature), condition.threshold) == condition.below
    return holds


def intervals(leaf: Iterable[Side]) -> dict[str, Interval]:
    """The tightest bounds of the features that a leaf bounds."""
    box: dict[str, Interval] = {}
    for condition in leaf:
        lower, upper = box.get(condition.feature, (None, None))
        threshold = condition.threshold
        if condition.below:
            upper = threshold if upper is None else min(upper, threshold)
        else:
            lower = threshold if lower is None else max(lower, threshold)
        box[condition.feature] = (lower, upper)
    return box


def leaf_text(leaf: Iterable[Side]) -> str:
    """A leaf as text: its bounded features by name, each with its interval."""
    return (
        " and ".join(
            f"{json.dumps(name)} in {'(-inf' if lower is None else f'[{lower}'}, {'inf' if upper is None else upper})"
            for name, (lower, upper) in sorted(intervals(leaf).items())
        )
        or "everywhere"
    )


def canonical(leaves: Leaves) -> str:
    """The one text of a partition, which depends on the boxes of its leaves alone.

    A leaf is the features that it bounds, sorted by name, joined by " and ": the name as an ASCII JSON string,
    " in ", and the interval that its conditions leave, such as [1/4, 1/2), (-inf, 3) or [-2, inf); a threshold is an
    integer or a ratio in lowest terms. A leaf without bounds is "everywhere". Leaves are sorted as text by code
    points and stand one per line.

    A line break sorts before every character of a leaf, so comparing two such texts is comparing the sorted leaves
    one by one. Of two partitions with equally many leaves the one that owns the smallest leaf that they do not share
    is smaller; leaves that both gain or lose change nothing.
    """
    return "\n".join(sorted(map(leaf_text, leaves)))


Box = tuple[tuple[int, int], ...]
"""A range of elementary cells per feature: the first, and the one after the last."""
Boxes = frozenset[Box]


def in_class(leaves: Leaves, declared: TreeClass) -> str | None:
    """Why no tree of the declared class has exactly these leaves; None where one has."""
    thresholds = {name: sorted(set(allowed)) for name, allowed in declared.thresholds.items()}
    undeclared = _undeclared(leaves, thresholds)
    if undeclared:
        return undeclared
    if len(leaves) > 2 ** min(declared.depth, DEPTH_LIMIT):
        return f"no tree of depth {declared.depth} has {len(leaves)} leaves"
    boxes = [_box(leaf, thresholds) for leaf in leaves]
    untiled = _untiled(boxes, [len(allowed) + 1 for allowed in thresholds.values()])
    if untiled:
        return untiled
    if not _some_tree(boxes):
        return "no tree has these leaves: every split crosses a leaf"
    depth = min(declared.depth, len(boxes) - 1)
    return None if _Depths().fits(frozenset(boxes), depth) else f"no tree of depth {declared.depth} has these leaves"


def _undeclared(leaves: Leaves, thresholds: Mapping[str, Sequence[Fraction]]) -> str | None:
    """The first feature or threshold that the class does not declare."""
    for number, leaf in enumerate(leaves, start=1):
        for condition in leaf:
            if condition.feature not in thresholds:
                return f"leaf {number} splits on {condition.feature!r}, which is not declared"
            if condition.threshold not in thresholds[condition.feature]:
                return f"leaf {number} splits {condition.feature!r} at {condition.threshold}, which is not declared"
    return None


def _box(leaf: Sequence[Side], thresholds: Mapping[str, Sequence[Fraction]]) -> Box:
    """A leaf in elementary cells, which the sorted thresholds bound."""
    bounds = intervals(leaf)
    ranges = []
    for name, allowed in thresholds.items():
        lower, upper = bounds.get(name, (None, None))
        first = 0 if lower is None else allowed.index(lower) + 1
        ranges.append((first, len(allowed) + 1 if upper is None else allowed.index(upper) + 1))
    return tuple(ranges)


def _untiled(boxes: Sequence[Box], cells: Sequence[int]) -> str | None:
    """Why the boxes are no partition of the feature space."""
    if not boxes:
        return "there is no leaf"
    for number, box in enumerate(boxes, start=1):
        if any(first >= end for first, end in box):
            return f"the conditions of leaf {number} exclude each other"
    for (one, box), (other, second) in combinations(enumerate(boxes, start=1), 2):
        if all(max(a[0], b[0]) < min(a[1], b[1]) for a, b in zip(box, second, strict=True)):
            return f"leaves {one} and {other} overlap"
    covered = sum(math.prod(end - first for first, end in box) for box in boxes)
    # Disjoint boxes cover everything if and only if they have all the cells.
    return None if covered == math.prod(cells) else "the leaves do not cover the feature space"


def _splits(boxes: Iterable[Box]) -> list[tuple[Boxes, Boxes]]:
    """The two sides of every split that crosses no box."""
    boxes = list(boxes)
    sides = []
    for axis in range(len(boxes[0])):
        for position in sorted({box[axis][0] for box in boxes})[1:]:
            if all(box[axis][1] <= position or box[axis][0] >= position for box in boxes):
                left = frozenset(box for box in boxes if box[axis][1] <= position)
                sides.append((left, frozenset(boxes) - left))
    return sides


def _some_tree(boxes: Iterable[Box]) -> bool:
    """Whether some tree has these leaves. Any split that crosses no leaf may come first: its sides stay trees."""
    waiting = [frozenset(boxes)]
    while waiting:
        part = waiting.pop()
        if len(part) > 1:
            splits = _splits(part)
            if not splits:
                return False
            waiting.extend(splits[0])
    return True


class _Depths:
    """Which sets of leaves some tree of a given depth has."""

    def __init__(self) -> None:
        self._known: dict[tuple[Boxes, int], bool] = {}

    def fits(self, boxes: Boxes, depth: int) -> bool:
        """Whether a tree of at most this depth has these leaves."""
        if len(boxes) == 1:
            return True
        if len(boxes) > 2 ** min(depth, len(boxes)):
            return False
        if depth > DEPTH_LIMIT or len(self._known) > SUBPROBLEM_LIMIT:
            raise PartitionTooLargeError("the depth of these leaves takes too long to determine")
        key = boxes, depth
        if key not in self._known:
            self._known[key] = any(
                self.fits(left, depth - 1) and self.fits(right, depth - 1) for left, right in _splits(boxes)
            )
        return self._known[key]
