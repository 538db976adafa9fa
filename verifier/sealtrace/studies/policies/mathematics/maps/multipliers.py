"""Multipliers on the budget, one per domain, the bounds that they give, and good maps found on the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .domains import SIDES, Domains, Ranked, inside_ranges
from .instance import Mask, Matrix, Vector, worst_risks, worst_utilities

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
    least_losses: Vector
    """What every map of the domain loses at least, because its thresholds are values of its options."""
    safe: Maps
    """By domain and group: the best map on the safe side of the multiplier."""

    @cached_property
    def best(self) -> Vector:
        """What no map of the domain surpasses."""
        return self.ceilings - self.least_losses

    def hopeful(self, target: float) -> Mask:
        """The options that a map may use and still reach the target."""
        mask: Mask = self.losses <= (self.ceilings - target)[:, None, None]
        return mask


def bound(ranked: Ranked, domains: Domains, contributed: Matrix) -> Bounds:
    """The bounds of the best multipliers."""
    margin = ranked.instance.rounding
    gain, safety = (np.where(domains.open, contributed[:, side], -np.inf) for side in SIDES)
    lines = _Lines(gain, contributed[:, 1], ranked.budget, margin)
    safe = lines.sums(safety.argmax(axis=2))
    possible = safe.safety >= -ranked.budget - margin
    multipliers = lines.best_multipliers(safe, possible)
    scores = gain + multipliers[:, None, None] * contributed[:, 1]
    top = scores.max(axis=2)
    losses = top[:, :, None] - scores
    ceilings = top.sum(axis=1) + multipliers * ranked.budget + margin * (1 + multipliers)
    return Bounds(possible, multipliers, ceilings, losses, _least_losses(ranked, domains, losses), safe.columns)


@dataclass
class _Maps:
    """One map per domain with its gain and its safety: a line in the multiplier."""

    columns: Maps
    gain: Vector
    safety: Vector

    def replace(self, rows: Mask, other: _Maps) -> None:
        """Takes the maps of another in some domains."""
        np.copyto(self.columns, other.columns, where=rows[:, None])
        np.copyto(self.gain, other.gain, where=rows)
        np.copyto(self.safety, other.safety, where=rows)


class _Lines:
    """All maps of many domains as lines in the multiplier: the minimum of their maximum is the best bound."""

    def __init__(self, gain: Matrix, safety: Matrix, budget: float, margin: float) -> None:
        self.gain, self.safety, self.budget, self.margin = gain, safety, budget, margin
        domains, groups, width = gain.shape
        self._starts = (np.arange(domains * groups) * width).reshape(domains, groups)

    def sums(self, columns: Maps) -> _Maps:
        """Maps with their gain and safety."""
        places = self._starts + columns
        return _Maps(columns, self.gain.take(places).sum(axis=1), self.safety.take(places).sum(axis=1))

    def best_multipliers(self, safe: _Maps, active: Mask) -> Vector:
        """Where the lines of a risky and a safe map cross, until no map is above; leaves the last safe maps."""
        risky = self.sums(self.gain.argmax(axis=2))
        multipliers = np.zeros(len(self.gain))
        idle = (risky.safety >= -self.budget) | (risky.safety >= safe.safety)
        safe.replace(idle, risky)
        active = active & ~idle
        for _ in range(STEPS):
            if not active.any():
                break
            steeper = np.where(active, safe.safety - risky.safety, 1.0)
            crossing = np.maximum((risky.gain - safe.gain) / steeper, 0.0)
            multipliers = np.where(active, crossing, multipliers)
            best = self.sums((self.gain + multipliers[:, None, None] * self.safety).argmax(axis=2))
            above = best.gain + multipliers * best.safety > risky.gain + multipliers * risky.safety + self.margin
            active &= above
            keeps = best.safety >= -self.budget
            safe.replace(active & keeps, best)
            risky.replace(active & ~keeps, best)
            active &= risky.safety < safe.safety
        return multipliers


def _least_losses(ranked: Ranked, domains: Domains, losses: Matrix) -> Vector:
    """The loss of the best option that can set a threshold, for the threshold where that is largest."""
    if ranked.moved == 0:
        return np.zeros(len(losses))
    # A closed option's loss is infinite, so that it sets no threshold.
    setting = np.where(inside_ranges(ranked, domains.ranges), losses[:, None], np.inf)
    least: Vector = setting.min(axis=(2, 3)).max(axis=1)
    return least


NEIGHBOURS = 4
"""How many options per group, those that lose least, take part in exchanges."""


def climb(ranked: Ranked, losses: Matrix, start: Maps) -> Maps:
    """Changes one or two groups at a time for as long as the worst utility rises within the budget."""
    groups, options = _promising(losses)
    first, second = np.nonzero(groups[:, None] < groups[None, :])
    choice, utility = start, utilities_within(ranked, start[None])[0]
    while True:
        singles = np.repeat(choice[None], len(groups), axis=0)
        singles[np.arange(len(groups)), groups] = options
        better, reached = _best(ranked, singles)
        if reached <= utility and len(first):
            pairs = np.repeat(choice[None], len(first), axis=0)
            pairs[np.arange(len(first)), groups[first]] = options[first]
            pairs[np.arange(len(first)), groups[second]] = options[second]
            better, reached = _best(ranked, pairs)
        if reached <= utility:
            return choice
        choice, utility = better, reached


def _promising(losses: Matrix) -> tuple[Maps, Maps]:
    """Groups and options that lose least against the bound of a domain."""
    groups, options = np.nonzero(np.isfinite(losses))
    nearest = np.argsort(losses[groups, options], kind="stable")[: NEIGHBOURS * len(losses)]
    return groups[nearest], options[nearest]


def _best(ranked: Ranked, choices: Maps) -> tuple[Maps, float]:
    """The first best of many maps that surely keep the budget."""
    utilities = utilities_within(ranked, choices)
    position = int(utilities.argmax())
    return choices[position], float(utilities[position])


def utilities_within(ranked: Ranked, choices: Maps) -> Vector:
    """The worst utilities, minus one where the budget is not surely kept."""
    values: Matrix = ranked.values[:, np.arange(choices.shape[1]), choices]
    utilities = worst_utilities(ranked.instance, values[0])
    risks = worst_risks(ranked.instance, -values[1])
    return np.where(risks <= ranked.budget - ranked.instance.rounding, utilities, -1.0)
