"""The worst mixture of groups within an l1 distance of the calibration mixture, and the map that does best in it.

With delta = min(radius / 2, 1), the least mixture of L is delta min L plus the largest sum of q min(L, theta) less
delta theta; the largest mixture of U is its mirror image. Both are piecewise linear in theta, with corners at L or U.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeVar

from rsd_stratified.bounds import DIGITS, SAME
from rsd_stratified.population import CLOSE

Real = TypeVar("Real", float, Decimal)

LARGEST_ENUMERATION = 1_000_000


def least_mixture(bounds: Sequence[Real], weights: Sequence[Real], delta: Real) -> Real:
    """The smallest mixture: delta of the mass goes from the largest bounds to the smallest."""
    best = max(
        sum((q * min(one, theta) for q, one in zip(weights, bounds, strict=True)), start=-delta * theta)
        for theta in bounds
    )
    return delta * min(bounds) + best


def largest_mixture(bounds: Sequence[Real], weights: Sequence[Real], delta: Real) -> Real:
    """The largest mixture: delta of the mass goes from the smallest bounds to the largest."""
    return -least_mixture([-one for one in bounds], weights, delta)


@dataclass(frozen=True)
class Mixtures:
    """All mixtures within a radius of the observed one."""

    observed: tuple[Fraction, ...]
    radius: Fraction

    @property
    def delta(self) -> Fraction:
        """The mass that may move."""
        return min(self.radius / 2, Fraction(1))

    def least(self, bounds: Sequence[float]) -> float:
        return least_mixture(bounds, [float(one) for one in self.observed], float(self.delta))

    def largest(self, bounds: Sequence[float]) -> float:
        return largest_mixture(bounds, [float(one) for one in self.observed], float(self.delta))

    def precise_least(self, bounds: Sequence[Decimal]) -> Decimal:
        """The smallest mixture to many digits."""
        with localcontext() as context:
            context.prec = DIGITS
            weights = [_decimal(one) for one in self.observed]
            return least_mixture(bounds, weights, _decimal(self.delta))


@dataclass(frozen=True)
class Option:
    """What a map may do in one group."""

    upper: float
    lower: float
    precise_lower: Callable[[], Decimal]


@dataclass(frozen=True)
class Problem:
    """The options of every group in the order of the tie rule, the anchor first, and what limits them."""

    options: tuple[tuple[Option, ...], ...]
    mixtures: Mixtures
    within_budget: bool
    """Whether every option keeps within the global budget, so that no mixture can exceed it."""
    budget: Fraction


def robust_map(problem: Problem) -> tuple[int, ...]:
    """The place of each group's option in the first map, in lexicographic order, of the best worst mixture of L."""
    return _group_by_group(problem) if problem.within_budget else _enumerated(problem)


def _group_by_group(problem: Problem) -> tuple[int, ...]:
    """Raising any L never lowers the mixture, so the largest of each group are optimal together.

    An earlier option is as good where the mixture does not notice the difference.
    """
    best = tuple(map(_largest, problem.options))
    chosen = list(best)
    for group, place in enumerate(best):
        for earlier in range(place):
            trial = (*chosen[:group], earlier, *chosen[group + 1 :])
            if not _loses(problem, trial, best):
                chosen[group] = earlier
                break
    return tuple(chosen)


def _largest(options: tuple[Option, ...]) -> int:
    """The place of the largest L, the first among equals."""
    top = max(one.lower for one in options)
    near = [place for place, one in enumerate(options) if one.lower > top - CLOSE]
    best = near[0]
    for place in near[1:]:
        if options[place].precise_lower() - options[best].precise_lower() > SAME:
            best = place
    return best


def _enumerated(problem: Problem) -> tuple[int, ...]:
    """Every map, one after the other."""
    if math.prod(map(len, problem.options)) > LARGEST_ENUMERATION:
        raise ValueError("too many maps to look at each")
    best: tuple[int, ...] | None = None
    for trial in itertools.product(*(range(len(options)) for options in problem.options)):
        upper = problem.mixtures.largest([options[place].upper for options, place in _paired(problem, trial)])
        if upper <= float(problem.budget) and (best is None or _loses(problem, best, trial)):
            best = trial
    assert best is not None, "the anchor everywhere has no risk"
    return best


def _loses(problem: Problem, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the first map's worst mixture of L is strictly below the second's."""
    values = [
        problem.mixtures.least([options[place].lower for options, place in _paired(problem, each)])
        for each in (one, other)
    ]
    if abs(values[0] - values[1]) > CLOSE:
        return values[0] < values[1]
    precise = [
        problem.mixtures.precise_least([options[place].precise_lower() for options, place in _paired(problem, each)])
        for each in (one, other)
    ]
    return precise[1] - precise[0] > SAME


def _paired(problem: Problem, trial: tuple[int, ...]) -> zip[tuple[tuple[Option, ...], int]]:
    return zip(problem.options, trial, strict=True)


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)
