"""Every tree of a small class, one by one, in plain rational arithmetic: the oracle of the search for partitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, cmp_to_key

import numpy as np
import numpy.typing as npt

from sealtrace.studies.policies.mathematics.partitions.rules import Side, TreeClass

Vector = npt.NDArray[np.float64]


Matrix = npt.NDArray[np.float64]


Leaf = tuple[Side, ...]


Tree = tuple[Leaf, ...]


@dataclass(frozen=True)
class Study:
    """Features and degradations of structure states, and a declared class."""

    features: Mapping[str, Vector]
    degradations: Matrix
    declared: TreeClass


def holds(leaf: Leaf, study: Study, state: int) -> bool:
    return all(
        (Fraction(float(study.features[condition.feature][state])) < condition.threshold) == condition.below
        for condition in leaf
    )


def trees_below(study: Study, leaf: Leaf, states: tuple[int, ...], depth: int) -> Iterator[Tree]:
    """Every tree below a path whose leaves have support, a tree per choice of splits."""
    if len(states) < max(study.declared.minimum_support, 1):
        return
    yield (leaf,)
    if depth == 0:
        return
    for name, allowed in study.declared.thresholds.items():
        for threshold in sorted(set(allowed)):
            sides = [(*leaf, Side(name, threshold, side)) for side in (True, False)]
            left, right = (tuple(state for state in states if holds(side, study, state)) for side in sides)
            if left and right:
                rights = list(trees_below(study, sides[1], right, depth - 1))
                for head in trees_below(study, sides[0], left, depth - 1):
                    yield from (head + tail for tail in rights)


def text_of(leaves: Tree) -> str:
    """The serialization by its definition."""
    lines = []
    for leaf in leaves:
        parts = []
        for name in sorted({condition.feature for condition in leaf}):
            lower = max((c.threshold for c in leaf if c.feature == name and not c.below), default=None)
            upper = min((c.threshold for c in leaf if c.feature == name and c.below), default=None)
            start = "(-inf" if lower is None else f"[{lower}"
            parts.append(f'"{name}" in {start}, {"inf" if upper is None else upper})')
        lines.append(" and ".join(parts) or "everywhere")
    return "\n".join(sorted(lines))


def ranking_of(study: Study) -> tuple[int, list[tuple[Decimal, int, str]]]:
    """The number of trees, and all partitions as (objective, leaves, text) from the best to the worst."""
    count, candidates = study.degradations.shape
    rows = [[Fraction(value) for value in row] for row in study.degradations.tolist()]

    @cache
    def cost(states: tuple[int, ...]) -> Decimal:
        size = len(states)
        spread = Fraction(0)
        for b in range(candidates):
            mean = sum((rows[s][b] for s in states), Fraction(0)) / size
            spread += sum(((rows[s][b] - mean) ** 2 for s in states), Fraction(0)) / size
        gamma = spread * size / count / candidates + study.declared.lambda_comp
        cert = study.declared.lambda_cert
        return decimal(gamma) + decimal(cert) / Decimal(size).sqrt()

    with localcontext() as context:
        context.prec = 1200
        found, trees = {}, 0
        for tree in trees_below(study, (), tuple(range(count)), study.declared.depth):
            trees += 1
            text = text_of(tree)
            if text not in found:
                value = sum(cost(tuple(s for s in range(count) if holds(leaf, study, s))) for leaf in tree)
                found[text] = (Decimal(value), len(tree), text)

        def order(first: tuple[Decimal, int, str], second: tuple[Decimal, int, str]) -> int:
            apart = first[0] - second[0]
            largest = max(abs(first[0]), abs(second[0]))
            if abs(apart) > largest * Decimal(10) ** -1000:
                return 1 if apart > 0 else -1
            return 1 if first[1:] > second[1:] else -1

        return trees, sorted(found.values(), key=cmp_to_key(order))


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
