"""What a printed certificate allows: which counts, shares and means can give it, and what no sample of a size can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sealtrace.mathematics.bounds import risk_at_most, risk_upper_ball, utility_radius_ball
from sealtrace.relations.binomial import share_range, useful_counts
from sealtrace.relations.intervals import Interval

_BITS = 160
_RADIUS = Fraction(1, 2**_BITS)
_ANY_SHARE = (Fraction(0), Fraction(1))


@dataclass(frozen=True)
class RiskExplanation:
    """A count and the failure probabilities with which it gives a printed Clopper-Pearson bound."""

    crossings: int
    share_low: Fraction
    share_high: Fraction
    """Both outwards by less than 2^-150, so that no share that fits is left out."""


def explain_risk_bound(
    low: Fraction, high: Fraction, states: int, shares: tuple[Fraction, Fraction] | None = None
) -> list[RiskExplanation]:
    """Every count of a sample whose Clopper-Pearson upper bound lies between two ends, with the shares that do it.

    Shares are the failure probability of one bound; where a range is given, only shares in it count.
    """
    least, most = shares or _ANY_SHARE
    target, size = Interval(low, high), Interval(Fraction(states), Fraction(states))
    counts = useful_counts(Interval(Fraction(0), Fraction(states)), size, Interval(least, most), target)
    found = []
    if counts is not None:
        for crossings in range(int(counts.low), int(counts.high) + 1):
            one = share_range(Interval(Fraction(crossings), Fraction(crossings)), size, target)
            fitting = None if one is None else one.meet(Interval(least, most))
            if fitting is not None:
                assert isinstance(fitting.low, Fraction)
                assert isinstance(fitting.high, Fraction)
                found.append(RiskExplanation(crossings, fitting.low, fitting.high))
    return found


def smallest_risk_bound(states: int, share: Fraction) -> Interval:
    """The Clopper-Pearson bound without a crossing, 1 - share^(1/n): no sample of the size gives less."""
    middle = risk_upper_ball(0, states, share, _BITS)
    return Interval(max(middle - _RADIUS, Fraction(0)), min(middle + _RADIUS, Fraction(1)))


def certifiable(states: int, share: Fraction, epsilon: Fraction) -> bool:
    """Whether some sample of the size can certify a risk of at most epsilon: (1 - epsilon)^n <= share."""
    return states > 0 and risk_at_most(0, states, share, epsilon)


def least_certifiable_size(share: Fraction, epsilon: Fraction) -> int:
    """The size of the smallest sample that can certify a risk of at most epsilon."""
    if not (0 < share < 1 and epsilon > 0):
        raise ValueError("a share lies strictly between 0 and 1, and no sample certifies a risk of 0")
    high = 1
    while not certifiable(high, share, epsilon):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if certifiable(middle, share, epsilon) else (middle, high)
    return high


def needed_mean(low: Fraction, high: Fraction, states: int, share: Fraction) -> Interval:
    """The means whose Hoeffding lower bound lies between two ends; any mean up to the radius gives zero."""
    radius = utility_radius_ball(states, share, _BITS)
    least = Fraction(0) if low <= 0 else low + radius - _RADIUS
    return Interval(least, high + radius + _RADIUS)


@dataclass(frozen=True)
class Option:
    """What a group may be given: a risk bound and a utility bound, each an interval of what was printed."""

    name: str
    risk: Interval
    utility: Interval


@dataclass(frozen=True)
class GroupWise:
    """The options of each group that may be its best, where choosing group by group is optimal."""

    best: tuple[tuple[str, ...], ...]
    binding: bool
    """Whether the global budget could bind; then nothing follows for the map as a whole."""

    def allows(self, chosen: Sequence[str]) -> bool:
        """Whether a printed map can be an optimal one."""
        return self.binding or all(name in names for name, names in zip(chosen, self.best, strict=True))


def group_wise_optimal(groups: Sequence[Sequence[Option]], epsilon_group: Fraction, epsilon: Fraction) -> GroupWise:
    """For each group the options that may have the greatest utility bound among those within the group's budget.

    Every mixture of risks within the group budget is within it too: where that is at most the global budget, the
    global one cannot bind, and the best option of each group attains the optimum whatever the mixtures allowed.
    """
    best = []
    allowed = [[one for one in options if one.risk.low <= epsilon_group] for options in groups]
    for possible in allowed:
        # What certainly is within the budget sets what any choice must reach; the fallback reaches zero.
        sure = [one.utility.low for one in possible if one.risk.high <= epsilon_group]
        reached = max(sure, default=Fraction(0))
        best.append(tuple(one.name for one in possible if one.utility.high >= reached))
    risks = [min(one.risk.high, epsilon_group) for possible in allowed for one in possible]
    return GroupWise(tuple(best), any(risk > epsilon for risk in risks))
