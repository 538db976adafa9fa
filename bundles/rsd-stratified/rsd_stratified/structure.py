"""The best tree of a declared class: every tree is looked at, each box once for each depth that is left.

The objective is a sum over leaves, so the best tree of a box is one leaf or joins the best trees of the two sides of
a cut. Sums are kept in integers, so that only the square roots of the certificate term are ever rounded.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any

from rsd_stratified.states import Values

Box = tuple[tuple[int, int], ...]
"""Per feature the first interval between thresholds, and the one after the last."""
Condition = dict[str, Any]

CLOSE = 1e-9
"""Objectives whose doubles are nearer than this are compared exactly."""
DIGITS = 60
"""Decimal digits that tell apart two objectives with different square roots."""


@dataclass
class Sums:
    """What a leaf needs to know of its states: how many, and sums of d and of its squares, as integers."""

    states: int
    squares: int
    sums: list[int]

    @property
    def scatter(self) -> Fraction:
        """The sum over candidates of n Var[d]; a variance has the denominator n."""
        return self.squares - Fraction(sum(one * one for one in self.sums), self.states)


@dataclass(frozen=True)
class Leaf:
    """A box that is not cut."""

    box: Box
    states: int
    gamma: Fraction
    """Its part of the mean within-group variance."""
    value: float
    """Its part of the objective."""
    text: str
    """The box in words, by which leaves are ordered."""

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return (self,)


@dataclass(frozen=True)
class Cut:
    """A box that is cut at a threshold of one feature."""

    axis: int
    position: int
    below: Leaf | Cut
    above: Leaf | Cut

    @cached_property
    def value(self) -> float:
        return self.below.value + self.above.value

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return self.below.leaves + self.above.leaves


Tree = Leaf | Cut


@dataclass
class Class:
    """A class of trees over the structure states."""

    features: list[str]
    thresholds: list[list[str]]
    """Per feature the allowed thresholds, ascending."""
    minimum: int
    certificate: Fraction
    complexity: Fraction
    states: int
    candidates: int
    unit: int
    """The square of what integers were multiplied by."""
    cells: dict[tuple[int, ...], Sums]
    _sums: dict[Box, Sums | None] = field(default_factory=dict)
    _best: dict[tuple[Box, int], Tree | None] = field(default_factory=dict)

    @property
    def everything(self) -> Box:
        return tuple((0, len(thresholds) + 1) for thresholds in self.thresholds)

    def best(self, box: Box, depth: int) -> Tree | None:
        """The best tree of at most this depth, or None where the box has too few states for a leaf."""
        key = (box, depth)
        if key not in self._best:
            self._best[key] = self._search(box, depth)
        return self._best[key]

    def _search(self, box: Box, depth: int) -> Tree | None:
        sums = self.sums(box)
        if sums is None or sums.states < self.minimum:
            return None
        best: Tree = self._leaf(box, sums)
        for axis, position in self.cuts(box) if depth else []:
            low, high = sides(box, axis, position)
            below, above = self.best(low, depth - 1), self.best(high, depth - 1)
            if below is not None and above is not None:
                tree = Cut(axis, position, below, above)
                best = tree if self._precedes(tree, best) else best
        return best

    def cuts(self, box: Box) -> list[tuple[int, int]]:
        """Feature and threshold of every way to cut a box."""
        return [(axis, position) for axis, (low, high) in enumerate(box) for position in range(low + 1, high)]

    def sums(self, box: Box) -> Sums | None:
        """What the states of a box add up to; None where there are none."""
        if box not in self._sums:
            wide = next((axis for axis, (low, high) in enumerate(box) if high - low > 1), None)
            if wide is None:
                self._sums[box] = self.cells.get(tuple(low for low, _ in box))
            else:
                first, rest = (self.sums(side) for side in sides(box, wide, box[wide][0] + 1))
                self._sums[box] = first if rest is None else _joined(first, rest)
        return self._sums[box]

    def _leaf(self, box: Box, sums: Sums) -> Leaf:
        gamma = sums.scatter / (self.unit * self.candidates * self.states)
        value = math.fsum([float(gamma), float(self.certificate) / math.sqrt(sums.states), float(self.complexity)])
        return Leaf(box, sums.states, gamma, value, self._text(box))

    def _precedes(self, tree: Tree, other: Tree) -> bool:
        """Whether a tree is better: the smaller objective, then fewer leaves, then the earlier text."""
        if abs(tree.value - other.value) > CLOSE:
            return tree.value < other.value
        # The same leaves can be reached by cuts in another order; they need no arithmetic.
        own, known = ({leaf.box: leaf for leaf in one.leaves} for one in (tree, other))
        sign = self._sign([own[box] for box in own.keys() - known], [known[box] for box in known.keys() - own])
        if sign:
            return sign < 0
        return _order(tree) < _order(other)

    def _sign(self, leaves: list[Leaf], others: list[Leaf]) -> int:
        """The sign of the difference of two objectives, exactly.

        1/sqrt(n) is a rational times the root of the squarefree part of n, and roots of different squarefree numbers
        are independent over the rationals: the difference is zero only where every coefficient is.
        """
        roots = {1: self.complexity * (len(leaves) - len(others))}
        for side, sign in ((leaves, 1), (others, -1)):
            for leaf in side:
                factor, free = _squarefree(leaf.states)
                roots[1] += sign * leaf.gamma
                roots[free] = roots.get(free, Fraction(0)) + sign * self.certificate * Fraction(factor, leaf.states)
        terms = {root: coefficient for root, coefficient in roots.items() if coefficient}
        with localcontext() as context:
            context.prec = DIGITS
            total = sum(
                (Decimal(c.numerator) / Decimal(c.denominator) * Decimal(root).sqrt() for root, c in terms.items()),
                Decimal(0),
            )
        if terms and abs(total) < Decimal(10) ** -(DIGITS - 20):
            raise ArithmeticError("two objectives differ by less than the digits that are kept")
        return (total > 0) - (total < 0)

    def _text(self, box: Box) -> str:
        """The bounded features by name, each with its half-open interval."""
        parts = []
        for name, thresholds, (low, high) in sorted(zip(self.features, self.thresholds, box, strict=True)):
            if low > 0 or high <= len(thresholds):
                start = f"[{Fraction(thresholds[low - 1])}" if low > 0 else "(-inf"
                end = f"{Fraction(thresholds[high - 1])})" if high <= len(thresholds) else "inf)"
                parts.append(f"{json.dumps(name)} in {start}, {end}")
        return " and ".join(parts) or "everywhere"

    def paths(self, tree: Tree, above: tuple[Condition, ...] = ()) -> list[list[Condition]]:
        """The conditions of each leaf from the root on, the side below a threshold first."""
        if isinstance(tree, Leaf):
            return [list(above)]
        condition = {
            "feature": self.features[tree.axis],
            "threshold": self.thresholds[tree.axis][tree.position - 1],
        }
        return [
            path
            for side, below in ((tree.below, True), (tree.above, False))
            for path in self.paths(side, (*above, condition | {"below": below}))
        ]


def declared_class(declared: dict[str, Any], features: list[Values], deltas: list[list[float]]) -> Class:
    """A class of the protocol over states with these features, and one list of d for each candidate."""
    names = list(declared["thresholds"])
    thresholds = [sorted(declared["thresholds"][name], key=Fraction) for name in names]
    exact = [[Fraction(text) for text in texts] for texts in thresholds]
    # Denominators of doubles are powers of two, so the largest of them serves all.
    scale = max(delta.as_integer_ratio()[1] for row in deltas for delta in row)
    cells: dict[tuple[int, ...], Sums] = {}
    for place, known in enumerate(features):
        cell = tuple(
            sum(known[name] >= threshold for threshold in column) for name, column in zip(names, exact, strict=True)
        )
        own = [int(Fraction(row[place]) * scale) for row in deltas]
        cells[cell] = _joined(cells.get(cell), Sums(1, sum(one * one for one in own), own))
    return Class(
        features=names,
        thresholds=thresholds,
        minimum=max(1, declared["minimum_support"]),
        certificate=Fraction(declared["lambda_cert"]),
        complexity=Fraction(declared["lambda_comp"]),
        states=len(features),
        candidates=len(deltas),
        unit=scale * scale,
        cells=cells,
    )


def sides(box: Box, axis: int, position: int) -> tuple[Box, Box]:
    """The two parts of a box that is cut."""
    low, high = box[axis]
    return (
        (*box[:axis], (low, position), *box[axis + 1 :]),
        (*box[:axis], (position, high), *box[axis + 1 :]),
    )


def _joined(one: Sums | None, other: Sums) -> Sums:
    if one is None:
        return other
    return Sums(
        one.states + other.states,
        one.squares + other.squares,
        [first + second for first, second in zip(one.sums, other.sums, strict=True)],
    )


def _order(tree: Tree) -> tuple[int, list[str]]:
    return len(tree.leaves), sorted(leaf.text for leaf in tree.leaves)


def _squarefree(number: int) -> tuple[int, int]:
    """f and m with number = f f m, and no square in m."""
    factor, free, divisor = 1, number, 2
    while divisor * divisor <= free:
        while free % (divisor * divisor) == 0:
            free //= divisor * divisor
            factor *= divisor
        divisor += 1
    return factor, free
