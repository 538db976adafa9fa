"""An instance prepared for the search: integers over one denominator, ranks, doubles.

Utility and risk are two sides of one kind: the worst risk within the budget is the worst mean of -U at
least -budget. Side 0 holds L and side 1 holds -U, and every function serves both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .instance import Instance, Mask, Matrix

Ranks = npt.NDArray[np.int32]
SIDES = (0, 1)


@dataclass(frozen=True, eq=False)
class Problem:
    """The options of an instance that a best map may need, in three forms."""

    instance: Instance
    usable: Mask
    scale: int
    """The denominator of every whole number below."""
    levels: tuple[list[int], list[int]]
    """The distinct exact values of each side in ascending order."""
    ranks: Ranks
    """The position of side, group and option among the levels."""

    @cached_property
    def doubles(self) -> tuple[Matrix, Matrix]:
        """The levels in doubles."""
        scale = self.scale
        utility, risk = (np.array([level / scale for level in side]) for side in self.levels)
        return utility, risk

    @cached_property
    def values(self) -> Matrix:
        """The doubles of side, group and option."""
        return np.stack([self.doubles[side][self.ranks[side]] for side in SIDES])

    @cached_property
    def axis_ranks(self) -> Ranks:
        """The ranks for each of the two thresholds of both sides."""
        return np.repeat(self.ranks, 2, axis=0)

    @cached_property
    def beyond(self) -> int:
        """More than any rank."""
        return max(map(len, self.levels))

    @cached_property
    def budget(self) -> float:
        """The bound on the risk in doubles."""
        assert self.instance.budget is not None, "without a budget there is nothing to search"
        return float(self.instance.budget)

    @cached_property
    def moved(self) -> float:
        """The mass that a mixture may move, in doubles."""
        return float(self.instance.moved)

    @cached_property
    def masses(self) -> npt.NDArray[np.generic]:
        """The groups' masses in units in which the moved mass is whole too."""
        unit = self.instance.moved.denominator
        # Beyond 62 bits Python's integers do the same more slowly.
        kind = np.int64 if self.instance.states * unit < 2**62 else object
        return np.array([count * unit for count in self.instance.counts], dtype=kind)

    @cached_property
    def moved_mass(self) -> int:
        """The moved mass in the unit of the masses."""
        return self.instance.moved.numerator * self.instance.states

    def exact_value(self, side: int, rank: int) -> Fraction:
        """A level as a rational number."""
        return Fraction(self.levels[side][rank], self.scale)


def prepare(instance: Instance, usable: Mask) -> Problem:
    """The exact values of all usable options, over one denominator and ranked."""
    width = usable.shape[1]
    exact: list[dict[tuple[int, int], Fraction]] = [{}, {}]
    for group, option in np.argwhere(usable).tolist():
        exact[0][group, option] = instance.exact_lower(group, option)
        exact[1][group, option] = -instance.exact_upper(group, option)
    scale = math.lcm(*{value.denominator for side in exact for value in side.values()})
    levels, ranks = [], []
    for side in exact:
        table = [[0] * width for _ in instance.counts]
        for (group, option), value in side.items():
            table[group][option] = value.numerator * (scale // value.denominator)
        ascending = sorted({value for row in table for value in row})
        position = {value: rank for rank, value in enumerate(ascending)}
        levels.append(ascending)
        ranks.append([[position[value] for value in row] for row in table])
    return Problem(instance, usable, scale, (levels[0], levels[1]), np.array(ranks, dtype=np.int32))
