"""Two columns of numbers: errors of one as a prediction of the other, correlations, ranks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Index, Numbers
from sealtrace.statistics.sums import Column, UndefinedError, exact_dot, exact_sum, root, size_of

Ranks = npt.NDArray[np.int64]


def mean_absolute_error(truth: Column, predicted: Column) -> Fraction:
    """MAE, exact."""
    left, right = _pair(truth, predicted)
    # |a - b| = s a - s b with s the sign of the difference, so that both sums are exact.
    signs = np.where(left > right, 1, -1)
    return (exact_dot(signs, left) - exact_dot(signs, right)) / size_of(left)


def mean_squared_error(truth: Column, predicted: Column) -> Fraction:
    """MSE, exact."""
    left, right = _pair(truth, predicted)
    return (exact_dot(left, left) - 2 * exact_dot(left, right) + exact_dot(right, right)) / size_of(left)


def root_mean_squared_error(truth: Column, predicted: Column) -> Fraction | float:
    """RMSE."""
    return root(mean_squared_error(truth, predicted))


def r_squared(truth: Column, predicted: Column) -> Fraction:
    """One minus squared error over the variation of the truth, exact."""
    size = size_of(truth)
    total = exact_sum(truth)
    variation = exact_dot(truth, truth) - total * total / size
    if not variation:
        raise UndefinedError("the true values do not vary")
    return 1 - mean_squared_error(truth, predicted) * size / variation


def pooled_ratio(below: Column, above: Column) -> Fraction:
    """The sum of the second column by that of the first, exact."""
    if not (total := exact_sum(below)):
        raise UndefinedError("the sum that is divided by is zero")
    return exact_sum(above) / total


def pearson(left: Column, right: Column) -> Fraction | float:
    """Correlation of two columns."""
    size = size_of(left)
    sum_left, sum_right = exact_sum(left), exact_sum(right)
    together = exact_dot(left, right) - sum_left * sum_right / size
    spread = (exact_dot(left, left) - sum_left**2 / size) * (exact_dot(right, right) - sum_right**2 / size)
    if not spread:
        raise UndefinedError("a column does not vary")
    # The root of the exact square, so that perfect correlations are exactly 1 and -1.
    size_of_it = root(together * together / spread)
    return size_of_it if together >= 0 else -size_of_it


def spearman(left: Column, right: Column) -> Fraction | float:
    """Correlation of ranks; equal values share the mean of their ranks."""
    return pearson(average_ranks(left), average_ranks(right))


def kendall(left: Column, right: Column, variant: str = "b") -> Fraction | float:
    """Kendall's tau, from exact counts of concordant and discordant pairs: `b` corrects for ties, `a` does not."""
    size = size_of(left)
    if size < 2:
        raise UndefinedError("one value has no order")
    x, y = (np.unique(np.asarray(column), return_inverse=True)[1] for column in (left, right))
    # In order of x and, within ties of x, of y: what is then in the wrong order in y is discordant, and no tie is.
    order = np.lexsort((y, x))
    discordant = _inversions(y[order])
    pairs = size * (size - 1) // 2
    tied_x, tied_y = _tied_pairs(x), _tied_pairs(y)
    # Pairs tied in both columns were taken away twice.
    tied_both = _tied_pairs(x * (int(y.max()) + 1) + y)
    surplus = pairs - tied_x - tied_y + tied_both - 2 * discordant
    if variant == "a":
        return Fraction(surplus, pairs)
    if variant != "b":
        raise ValueError(f"no variant of Kendall's tau is called {variant!r}")
    if pairs in (tied_x, tied_y):
        raise UndefinedError("a column does not vary")
    tau = root(Fraction(surplus * surplus, (pairs - tied_x) * (pairs - tied_y)))
    return tau if surplus >= 0 else -tau


def average_ranks(column: Column) -> Ranks:
    """Twice the rank of each value, from 2; equal values share the mean of theirs, which is why it is doubled."""
    _, place, counts = np.unique(np.asarray(column), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    doubled: Ranks = (2 * last - counts + 1)[place].astype(np.int64)
    return doubled


def _pair(truth: Column, predicted: Column) -> tuple[Numbers, Numbers]:
    if len(truth) != len(predicted):
        raise ValueError("two columns of one table have the same length")
    return np.asarray(truth), np.asarray(predicted)


def _tied_pairs(codes: Index) -> int:
    counts = np.unique(codes, return_counts=True)[1].astype(object)
    return int((counts * (counts - 1) // 2).sum())


def _inversions(codes: Index) -> int:
    """How many pairs stand in the wrong order. Each is counted at the highest bit in which its codes differ."""
    total = 0
    for bit in reversed(range(int(codes.max()).bit_length())):
        # Grouped by the higher bits, in the given order within each group.
        ordered = codes[np.argsort(codes >> (bit + 1), kind="stable")]
        group, high = ordered >> (bit + 1), (ordered >> bit) & 1
        before = np.cumsum(high) - high
        start = np.searchsorted(group, group)
        total += int((before - before[start])[high == 0].sum())
    return total
