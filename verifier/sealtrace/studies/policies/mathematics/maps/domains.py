"""The maps whose thresholds lie in given ranges, many sets of them at a time, and what their options contribute.

Utility and risk are two sides of one kind: the worst risk within the budget is the worst mean of -U at least
-budget. Side 0 holds L and side 1 holds -U, and every function serves both. The worst mean of a side is
moved * least + sum of share * min(value, cap) - moved * cap at the map's own thresholds, least and cap. Since
shares sum to one, moved * least and moved * cap can be spread over the groups; each group then takes the best
that the ranges allow. Where the ranges are points nothing is lost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Mask, Matrix, Vector

from .instance import Instance

Ranks = npt.NDArray[np.int32]
SIDES = (0, 1)


@dataclass(frozen=True, eq=False)
class Ranked:
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


def rank_values(instance: Instance, usable: Mask) -> Ranked:
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
    return Ranked(instance, usable, scale, (levels[0], levels[1]), np.array(ranks, dtype=np.int32))


LEAST, CAP = 0, 1
"""The two thresholds of a side: its smallest value, and the value above which moved mass is taken away."""
AXES = tuple(2 * side + kind for side in SIDES for kind in (LEAST, CAP))


@dataclass
class Domains:
    """Sets of maps, one per row."""

    ranges: Ranks
    """The range of ranks of every threshold, of side and kind at 2 * side + kind."""
    open: Mask
    """The options that a map may use."""

    def __getitem__(self, rows: Mask | list[int]) -> Domains:
        return Domains(self.ranges[rows], self.open[rows])


def concatenated(domains: Sequence[Domains]) -> Domains:
    """Domains to be worked on at the same time."""
    return Domains(np.concatenate([one.ranges for one in domains]), np.concatenate([one.open for one in domains]))


def everything(ranked: Ranked) -> Domains:
    """The domain of all maps."""
    ranges = [(0, len(ranked.levels[axis // 2]) - 1) for axis in AXES]
    return Domains(np.array([ranges], dtype=np.int32), ranked.usable[None])


def narrow(ranked: Ranked, domains: Domains) -> Mask:
    """Drops options outside the ranges and tightens the ranges to the options; False where no map is left."""
    # Once is enough: a tightened range never excludes an option that is still open.
    floors = domains.ranges[:, LEAST::2, 0, None, None]
    keep = domains.open & (ranked.ranks >= floors).all(axis=1)
    alive = all_groups(keep)
    sides = keep[:, None]
    lowest = np.where(sides, ranked.ranks, ranked.beyond).min(axis=3)
    highest = np.where(sides, ranked.ranks, -1).max(axis=3)
    ranges = np.empty_like(domains.ranges)
    for end, ranks in enumerate((lowest, highest)):
        ranges[:, LEAST::2, end] = ranks.min(axis=2)
        ranges[:, CAP::2, end] = _caps(ranked, ranks)
    ranges[:, :, 0] = np.maximum(ranges[:, :, 0], domains.ranges[:, :, 0])
    ranges[:, :, 1] = np.minimum(ranges[:, :, 1], domains.ranges[:, :, 1])
    # A threshold is always some option's value.
    inside = inside_ranges(ranked, ranges) & sides
    ranges[:, :, 0] = np.where(inside, ranked.axis_ranks, ranked.beyond).min(axis=(2, 3))
    ranges[:, :, 1] = np.where(inside, ranked.axis_ranks, -1).max(axis=(2, 3))
    domains.ranges, domains.open = ranges, keep
    left: Mask = alive & np.all(ranges[:, :, 1] >= 0, axis=1)
    return left


def all_groups(open_options: Mask) -> Mask:
    """By domain: whether every group has an open option."""
    every: Mask = np.all(np.any(open_options, axis=2), axis=1)
    return every


def inside_ranges(ranked: Ranked, ranges: Ranks) -> Mask:
    """By domain, axis, group and option: whether the option's value lies in the range."""
    ranks = ranked.axis_ranks
    inside: Mask = (ranks >= ranges[:, :, 0, None, None]) & (ranks <= ranges[:, :, 1, None, None])
    return inside


def _caps(ranked: Ranked, ranks: Ranks) -> Ranks:
    """The caps of many maps: in each the smallest value above which there is no more than the moved mass."""
    order = np.argsort(-ranks, axis=-1)
    beyond = np.cumsum(ranked.masses[order], axis=-1) > ranked.moved_mass
    # All the mass is moved where nothing lies beyond: then the cap is the smallest value.
    first = np.where(beyond.any(axis=-1), beyond.argmax(axis=-1), ranks.shape[-1] - 1)
    chosen = np.take_along_axis(order, first[..., None], axis=-1)
    caps: Ranks = np.take_along_axis(ranks, chosen, axis=-1)[..., 0]
    return caps


def contributions(ranked: Ranked, domains: Domains) -> Matrix:
    """The contributions of domain, side, group and option in doubles; meaningless where an option is closed."""
    limits = np.stack([ranked.doubles[side][domains.ranges[:, 2 * side : 2 * side + 2]] for side in SIDES], axis=1)
    low, high, least = (limits[:, :, kind, end, None, None] for kind, end in ((CAP, 0), (CAP, 1), (LEAST, 1)))
    capped = np.minimum(ranked.values, high)
    contributed: Matrix = np.minimum(ranked.values, least)
    contributed -= np.maximum(capped, low)
    contributed *= ranked.moved
    contributed += capped
    contributed *= ranked.instance.shares[:, None]
    return contributed


def exact_contribution(value: int, mass: int, moved: tuple[int, int], cap: tuple[int, int], least: int) -> int:
    """The contribution of one option in whole numbers, scaled by the denominator of the moved mass."""
    part, unit = moved
    clipped = min(max(value, cap[0]), cap[1])
    return mass * (unit * min(value, cap[1]) + part * (min(value, least) - clipped))


def settled(ranked: Ranked, domain: Domains) -> bool:
    """Whether the contributions of a map of the domain sum to its very worst means."""
    return ranked.moved == 0 or bool((domain.ranges[..., 0] == domain.ranges[..., 1]).all())


# Multipliers on the budget, one per domain, and the bounds that they give

Maps = npt.NDArray[np.int64]
"""Maps, one per row: the option of each group."""

STEPS = 60
"""More than the search for a multiplier ever needs; a worse multiplier is valid too."""


@dataclass
class Bounds:
    """By domain: no map is better than the ceiling, and none that uses an option than ceiling less its loss."""

    possible: Mask
    """Whether a map of the domain may keep the budget; the rest is meaningless where none does."""
    multipliers: Vector
    ceilings: Vector
    """Rounding errors included."""
    losses: Matrix
    """By domain, group and option: infinite where the option is closed."""
    safe: Maps
    """By domain and group: the best map on the safe side of the multiplier."""

    def hopeful(self, target: float) -> Mask:
        """The options that a map may use and still reach the target."""
        mask: Mask = self.losses <= (self.ceilings - target)[:, None, None]
        return mask


def bound(ranked: Ranked, domains: Domains, contributed: Matrix) -> Bounds:
    """The bounds of the best multipliers.

    A map is a line in the multiplier, gain + multiplier * (safety + budget), and the least maximum of all lines is the
    best bound: it lies where those of a risky and of a safe map cross, once no other map is above.
    """
    margin, budget = ranked.instance.rounding, ranked.budget
    gain, safety = np.where(domains.open, contributed[:, 0], -np.inf), contributed[:, 1]

    def sums(columns: Maps) -> Matrix:
        """Gain and safety of maps, one per domain."""
        chosen = columns[:, :, None]
        return np.array([np.take_along_axis(side, chosen, axis=2).sum(axis=(1, 2)) for side in (gain, safety)])

    safe, risky = np.where(domains.open, safety, -np.inf).argmax(axis=2), gain.argmax(axis=2)
    low, high = sums(safe), sums(risky)
    possible = low[1] >= -budget - margin
    idle = (high[1] >= -budget) | (high[1] >= low[1])
    safe, low = np.where(idle[:, None], risky, safe), np.where(idle, high, low)
    multipliers, active = np.zeros(len(gain)), possible & ~idle
    for _ in range(STEPS):
        if not active.any():
            break
        steeper = np.where(active, low[1] - high[1], 1.0)
        multipliers = np.where(active, np.maximum((high[0] - low[0]) / steeper, 0.0), multipliers)
        best = (gain + multipliers[:, None, None] * safety).argmax(axis=2)
        reached = sums(best)
        active &= reached[0] + multipliers * reached[1] > high[0] + multipliers * high[1] + margin
        # The map above the crossing takes the place of the safe or of the risky one, whichever it is.
        keeps = active & (reached[1] >= -budget)
        safe, low = np.where(keeps[:, None], best, safe), np.where(keeps, reached, low)
        high = np.where(active & ~keeps, reached, high)
        active &= high[1] < low[1]
    scores = gain + multipliers[:, None, None] * safety
    top = scores.max(axis=2)
    ceilings = top.sum(axis=1) + multipliers * budget + margin * (1 + multipliers)
    return Bounds(possible, multipliers, ceilings, top[:, :, None] - scores, safe)
