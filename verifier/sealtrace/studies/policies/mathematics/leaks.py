"""Whether one column gives another: a label that a policy was shown under another name.

Any useful feature predicts values better than shuffled labels do, so that alone accuses nobody. A column *gives* a
target where it orders the states as the target does (rank correlation at the declared level, over at least
`MIN_DISTINCT` values of both), or where each of its classes stands for one of the target's, in as large a share of the
states as the level says, and shuffled labels would agree so with a chance that the level leaves. Equality, affine and
monotone functions, rounding and a little noise are of the first kind; names, flags and codes of the second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sealtrace.mathematics import Index, Matrix, Vector

MIN_DISTINCT = 20
"""Fewer values are ordered alike too easily, and by honest fields too."""
USUAL_LEVEL = "0.99"
"""The rank correlation from which a field gives a target. Noise of a tenth of the deviation stays above it; honest
fields of the shipped studies stay below 0.6."""


@dataclass(frozen=True)
class RankedColumn:
    """A column without gaps: its classes of equal values, and their ranks."""

    classes: Index
    counts: Index
    """How many rows each class has."""
    ranks: Vector
    """Average ranks, centred and of length one; zero where all values are equal."""

    @property
    def distinct(self) -> int:
        """How many values differ."""
        return len(self.counts)

    @cached_property
    def log_same(self) -> float:
        """The logarithm of the chance that a shuffled column falls into the same classes."""
        # Thousands of classes have few sizes, so each size's factorial is computed once.
        sizes = zip(*(one.tolist() for one in np.unique(self.counts, return_counts=True)), strict=True)
        within: float = sum(times * math.lgamma(size + 1) + math.lgamma(times + 1) for size, times in sizes)
        return within - math.lgamma(len(self.classes) + 1)


def ranked(column: Vector) -> RankedColumn:
    """Classes and ranks of a column."""
    _, classes, counts = np.unique(column, return_inverse=True, return_counts=True)
    # Ties share the mean of the ranks that they take up; the ranks are then centred.
    average = np.cumsum(counts) - (counts - 1) / 2
    ranks = average[classes] - (len(column) + 1) / 2
    length = math.sqrt(float(ranks @ ranks))
    return RankedColumn(classes, counts, ranks / length if length else ranks)


def rank_correlation(field: RankedColumn, target: RankedColumn) -> float:
    """Spearman's coefficient with average ranks for ties; zero where one of the columns is constant."""
    return float(field.ranks @ target.ranks)


def agreement(field: RankedColumn, target: RankedColumn) -> int:
    """In how many rows a class of the field stands for one of the target; none where two stand for the same."""
    joint, counts = np.unique(field.classes * target.distinct + target.classes, return_counts=True)
    most = np.zeros(field.distinct, np.int64)
    np.maximum.at(most, joint // target.distinct, counts)
    chosen = joint[counts == most[joint // target.distinct]] % target.distinct
    # Not `np.unique`, which without counts imports masked arrays.
    return int(most.sum()) if len(set(chosen.tolist())) == field.distinct == len(chosen) else 0


def log_chance(target: RankedColumn, exceptions: int = 0) -> float:
    """The logarithm of the chance that a shuffled column agrees with the target's classes but for so many rows.

    Shuffling gives n! / (n_1! ... n_k!) columns. Classes may change places, those of equal size only where all rows
    agree; and each exception is one of n rows, which may have any of k classes.
    """
    each = math.log(len(target.classes) * target.distinct)
    wrong = exceptions * each - math.lgamma(exceptions + 1) + math.lgamma(target.distinct + 1)
    return target.log_same + (wrong if exceptions else 0)


def orders(field: RankedColumn, target: RankedColumn, level: float) -> bool:
    """Whether the field orders rows as the target does, or the other way round."""
    enough = min(field.distinct, target.distinct) >= MIN_DISTINCT
    return enough and abs(rank_correlation(field, target)) >= level


def comparable(field: RankedColumn, target: RankedColumn, level: float) -> float | None:
    """The logarithm of the chance that shuffled labels tell as much of the target as the level asks; None where they
    do so too easily, or the two have no classes that can stand for each other."""
    size = len(target.classes)
    if field.distinct != target.distinct or target.distinct < 2 or size < MIN_DISTINCT:
        return None
    chance = log_chance(target, int((1 - level) * size))
    return chance if chance <= math.log(1 - level) else None


def classifies(field: RankedColumn, target: RankedColumn, level: float, comparisons: int) -> bool:
    """Whether the field's classes are the target's, where shuffled labels would not agree so; `comparisons` says how
    many pairs of columns are comparable."""
    chance = comparable(field, target, level)
    # Bonferroni: the chance of one agreement, times how many pairs of columns were compared.
    if chance is None or chance + math.log(max(1, comparisons)) > math.log(1 - level):
        return False
    size = len(target.classes)
    return agreement(field, target) >= size - int((1 - level) * size)


def independent(columns: Matrix) -> list[int]:
    """The columns that are no sum of those before them with weights and a constant."""
    found: list[int] = []
    basis = np.full((len(columns), 1), 1 / math.sqrt(len(columns)))
    for place, column in enumerate(columns.T):
        # Projected away twice: once leaves rounding errors of the size of what is taken away.
        left = column - basis @ (basis.T @ column)
        left -= basis @ (basis.T @ left)
        if (length := float(np.linalg.norm(left))) > _EXACT * float(np.linalg.norm(column)):
            found.append(place)
            basis = np.column_stack([basis, left / length])
    return found


def exact_sum(fields: Matrix, target: Vector) -> Vector | None:
    """The weights with which independent columns give the target up to a constant and rounding; None where none do.

    Each column takes up one equation, so that `MIN_DISTINCT` must be left over.
    """
    if len(target) < fields.shape[1] + MIN_DISTINCT or len(np.unique(target)) < MIN_DISTINCT:
        return None
    spread = fields.std(axis=0)
    scaled, about = (fields - fields.mean(axis=0)) / spread, target - target.mean()
    weights = np.linalg.lstsq(scaled, about, rcond=None)[0]
    size = float(np.abs(about).max())
    if float(np.abs(scaled @ weights - about).max()) > _EXACT * size:
        return None
    # A column that changes nothing has a weight of the size of rounding errors.
    found: Vector = np.where(np.abs(weights) > _EXACT * size, weights / spread, 0.0)
    return found


_EXACT = 1e-9
"""What is left of a sum that is exact, as a share of its size: rounding errors of doubles, and no noise."""


def described(field: Vector, target: Vector, *, numbers: bool) -> str:
    """How the field gives the target, the simplest relation first."""
    if not numbers:
        return "the two tell the same states apart"
    if np.array_equal(field, target):
        return "the two are equal"
    # Least squares of the target on the field; nothing is left over exactly where the relation is affine.
    centred, about = field - field.mean(), target - target.mean()
    slope = float(centred @ about) / float(centred @ centred)
    if float(np.abs(slope * centred - about).max()) <= 1e-9 * max(1.0, float(np.abs(target).max())):
        return f"the value is {slope:.6g} times the field {float(target.mean() - slope * field.mean()):+.6g}"
    steps = np.diff(target[np.argsort(field, kind="stable")])
    if (steps >= 0).all() or (steps <= 0).all():
        return "the value is a monotone function of the field"
    if agreement(ranked(field), ranked(target)) == len(field):
        return "the two tell the same states apart"
    return f"the rank correlation is {rank_correlation(ranked(field), ranked(target)):.4f}"
