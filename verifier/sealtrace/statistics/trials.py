"""Repeated tries and contests between systems: pass@k, win rates, ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sealtrace.statistics.sums import Column, Number, UndefinedError

TIES = ("half", "loss", "drop")


def pass_at_k(tries: Sequence[int], passed: Sequence[int], k: int) -> Fraction:
    """The chance that one of k tries passes, estimated without bias and averaged over problems, exact.

    Of n tries at a problem c passed: 1 - C(n - c, k) / C(n, k).
    """
    if not len(tries):
        raise UndefinedError("there are no problems")
    if k < 1 or min(tries) < k:
        raise UndefinedError(f"a problem has fewer than {k} tries")
    # Problems with equal counts share one fraction: their binomials are long numbers.
    chances: dict[tuple[int, int], int] = {}
    for problem in zip(tries, passed, strict=True):
        chances[problem] = chances.get(problem, 0) + 1
    # Chen et al. (2021): the chance that a draw of k tries without replacement holds none that passed, from one.
    total = sum(
        (times * (1 - Fraction(math.comb(n - c, k), math.comb(n, k))) for (n, c), times in chances.items()), Fraction(0)
    )
    return total / len(tries)


def win_rate(left: Column, right: Column, ties: str = "half", better: str = "higher") -> Fraction:
    """How often the left one is better, item by item. A tie counts half, as a loss, or is dropped."""
    if ties not in TIES:
        raise ValueError(f"no rule of ties is called {ties!r}")
    x, y = np.asarray(left), np.asarray(right)
    if len(x) != len(y):
        raise ValueError("the two are compared on the same items")
    wins = int(np.count_nonzero(x > y if better == "higher" else x < y))
    level = int(np.count_nonzero(x == y))
    total = len(x) - (level if ties == "drop" else 0)
    if not total:
        raise UndefinedError("there is no item to compare")
    return (wins + (Fraction(level, 2) if ties == "half" else 0)) / Fraction(total)


def rank(own: Number, all_values: Sequence[Number], rule: str = "min", *, higher: bool = True) -> Fraction:
    """The place of a value among all, from one; `rule` says what equal values share."""
    values = [Fraction(value) for value in all_values]
    mine = Fraction(own)
    if mine not in values:
        raise UndefinedError("the value is not among those that it is ranked with")
    better = [value for value in values if (value > mine if higher else value < mine)]
    level = values.count(mine)
    match rule:
        case "min":
            return Fraction(len(better) + 1)
        case "max":
            return Fraction(len(better) + level)
        case "average":
            return Fraction(2 * len(better) + level + 1, 2)
        case "dense":
            return Fraction(len(set(better)) + 1)
    raise ValueError(f"no rule of ranks is called {rule!r}")
