"""Maps compared one by one: the contest that decides exactly, plain enumeration, and few maps by halves.

With few maps all are looked at, as pairs of partial maps of two halves of the groups. A mixture that moves half
of the mass within each half of the groups is one of those allowed, so the worst means of the two halves sum to a
bound on the map's: from above for utility, from below for risk. Few maps pass both, and fewer come close to the
best one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics.exact import Undecided

from .instance import (
    Instance,
    Mask,
    Matrix,
    Vector,
    least_means,
    worst_risk,
    worst_risks,
    worst_utilities,
    worst_utility,
)
from .proof import Covered, Enumerated, Refuted, Region, Settled, Solution


class Contest:
    """Keeps the maps that no other is surely better than."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.utility = Fraction(-1)
        """The largest worst utility of a map within the budget so far."""
        self._rivals: dict[tuple[Fraction, Fraction], tuple[int, ...]] = {}

    def offer(self, choice: Sequence[int]) -> None:
        """Looks at a map exactly."""
        risk = worst_risk(self.instance, choice)
        if self.instance.may_keep_budget(risk):
            self.enter(worst_utility(self.instance, choice), risk, tuple(choice))

    def enter(self, utility: Fraction, risk: Fraction, choice: tuple[int, ...]) -> None:
        """Takes part with exact worst values that may keep the budget."""
        budget, slack = self.instance.budget, self.instance.slack
        if utility != self.utility and utility <= self.utility - slack:
            return
        if (budget is None or risk <= budget) and utility > self.utility:
            self.utility = utility
            self._rivals = {key: rival for key, rival in self._rivals.items() if key[0] > utility - slack}
        self._rivals[utility, risk] = min(choice, self._rivals.get((utility, risk), choice))

    def decide(self) -> tuple[int, ...]:
        """The best map, unless the slack leaves another one possible."""
        instance, best = self.instance, self.utility
        within = {
            key: choice for key, choice in self._rivals.items() if instance.budget is None or key[1] <= instance.budget
        }
        choice, risk = min((choice, risk) for (utility, risk), choice in within.items() if utility == best)
        instance.keeps_budget(risk)
        for (utility, _), rival in self._rivals.items():
            if utility != best or rival < choice:
                raise Undecided("another map cannot be told apart from the best one")
        return choice


MOST_ENUMERATED = 2_000_000
"""More maps than this are refused."""


def enumerate_maps(instance: Instance) -> Solution:
    """The best map by looking at all of them in order of preference."""
    options: list[list[int]] = [row.nonzero()[0].tolist() for row in instance.admissible]
    size = math.prod(map(len, options))
    if size > MOST_ENUMERATED:
        raise ValueError(f"{size:,} maps are too many to enumerate")
    contest = Contest(instance)
    for choice in product(*options):
        contest.offer(choice)
    return Solution(contest.decide(), Enumerated(size), instance)


Positions = npt.NDArray[np.intp]

MOST_MAPS = 250_000
"""More maps are bounded sooner than looked at."""
MOST_RIVALS = 500
"""Where more maps than these come close to the best one, whole numbers tell them apart sooner than fractions."""
MOST_PROMISING = 40
"""So many partial maps of each half make the maps to start with."""
MAPS_AT_A_TIME = 32_768
"""So many maps at a time stay near the processor."""


def look_at_all(instance: Instance, needed: Mask) -> Solution | None:
    """The best map where there are few; None where there are many, or many that come close to it."""
    sizes: list[int] = needed.sum(axis=1).tolist()
    if math.prod(sizes) > MOST_MAPS:
        return None
    look = _Look(instance, needed, sizes)
    rivals = look.rivals()
    if len(rivals) > MOST_RIVALS:
        return None
    contest = Contest(instance)
    for choice in rivals.tolist():
        contest.offer(choice)
    region = Region((look.multiplier(),), maps=math.prod(sizes))
    return Solution(contest.decide(), Covered((region,)), instance)


@dataclass
class _Half:
    """The partial maps of some groups in order of preference, one per column."""

    options: Positions
    lower: Matrix
    upper: Matrix
    gain: Vector
    """What each adds to the worst utility of a map at most."""
    risk: Vector
    """What each adds to the worst risk of a map at least."""

    def promising(self) -> Positions:
        """Some of the partial maps that none surpasses in both."""
        order = np.argsort(self.risk, kind="stable")
        gain = self.gain[order]
        rising: Positions = order[np.concatenate([[True], gain[1:] > np.maximum.accumulate(gain)[:-1]])]
        return rising[:: math.ceil(len(rising) / MOST_PROMISING)]


class _Look:
    """All maps of an instance; a map is a pair of positions in the two halves."""

    def __init__(self, instance: Instance, needed: Mask, sizes: Sequence[int]) -> None:
        assert instance.budget is not None, "without a budget there is nothing to look for"
        self.instance, self.needed = instance, needed
        self.budget, self.margin = float(instance.budget), instance.margin
        products = [max(math.prod(sizes[:cut]), math.prod(sizes[cut:])) for cut in range(len(sizes) + 1)]
        cut = products.index(min(products))
        self.halves = self._half(range(cut)), self._half(range(cut, len(sizes)))
        self.known = -1.0
        """The largest worst utility of a map that surely keeps the budget so far."""

    def _half(self, groups: range) -> _Half:
        """The partial maps of some groups."""
        instance, rows = self.instance, np.array(groups, dtype=np.intp)
        if not groups:
            return _Half(np.zeros((0, 1), dtype=np.intp), *np.zeros((2, 0, 1)), *np.zeros((2, 1)))
        columns = [np.flatnonzero(self.needed[group]) for group in groups]
        options = np.array(np.meshgrid(*columns, indexing="ij")).reshape(len(groups), -1)
        lower, upper = (values[rows[:, None], options] for values in (instance.lower, instance.upper))
        shares = instance.shares[rows]
        moved = min(float(instance.moved) / 2, float(shares.sum()))
        return _Half(options, lower, upper, least_means(lower.T, shares, moved), -least_means(-upper.T, shares, moved))

    def rivals(self) -> npt.NDArray[np.int64]:
        """The maps, one per row, of which the best is one."""
        left, right = (half.promising() for half in self.halves)
        self._close(*self._within(left, right))
        pairs = self._within(np.arange(len(self.halves[0].gain)), np.arange(len(self.halves[1].gain)))
        left, right = self._close(*pairs)
        return np.vstack([self.halves[0].options[:, left], self.halves[1].options[:, right]]).T

    def _within(self, left: Positions, right: Positions) -> tuple[Positions, Positions]:
        """The pairs, in order, whose bounds leave them hope."""
        one, other = self.halves
        needed = self.known - self.margin - one.gain[left], self.budget + self.margin - one.risk[left]
        gain, risk = other.gain[right], other.risk[right]
        rows = max(MAPS_AT_A_TIME // len(right), 1)
        found = []
        for start in range(0, len(left), rows):
            least, most = (side[start : start + rows, None] for side in needed)
            found.append(np.flatnonzero((gain >= least) & (risk <= most)) + start * len(right))
        first, second = np.divmod(np.concatenate(found), len(right))
        return left[first], right[second]

    def _close(self, left: Positions, right: Positions) -> tuple[Positions, Positions]:
        """The pairs, in order, that no known map is surely better than."""
        one, other = self.halves
        utilities = worst_utilities(self.instance, np.vstack([one.lower[:, left], other.lower[:, right]]).T)
        near = np.flatnonzero(utilities >= self.known - self.margin)
        upper = np.vstack([one.upper[:, left[near]], other.upper[:, right[near]]])
        risks = worst_risks(self.instance, upper.T)
        safe = utilities[near[risks <= self.budget - self.margin]]
        self.known = max(self.known, float(safe.max(initial=-1.0)))
        near = near[(risks <= self.budget + self.margin) & (utilities[near] >= self.known - self.margin)]
        return left[near], right[near]

    def multiplier(self) -> Fraction:
        """What the riskiest good map gains over the best one per risk: a check by bounds is short with it."""
        tops = [(half, half.gain.argmax()) for half in self.halves]
        gain = sum(float(half.gain[top]) for half, top in tops) - self.known
        excess = sum(float(half.risk[top]) for half, top in tops) - self.budget
        return Fraction(max(gain, 0.0) / excess) if excess > 0 else Fraction(0)


# Among maps of the same worst utility: the largest utility at the calibration mixture, then the first in order.
# Few maps tie, so they are walked group by group. A partial map is left as soon as the best that other groups could add
# keeps it from the worst utility, from the budget, or from the utility at the calibration mixture that is sought. That
# utility is a plain sum, kept exactly; the two worst means are bounded in doubles, and decided exactly for whole maps.

MOST_STEPS = 200_000
"""More steps than these are refused: then nearly all maps tie."""


def nominal_utility(instance: Instance, choice: Sequence[int]) -> Fraction:
    """The mean of L at the calibration mixture, exactly."""
    total = sum((count * low for count, low in zip(instance.counts, instance.lowers(choice), strict=True)), Fraction(0))
    return total / instance.states


def settled(instance: Instance, solution: Solution) -> Solution:
    """The map that the nominal rule takes among those of the best worst utility."""
    walk = _Walk(instance, solution)
    best = walk.largest()
    return Solution(walk.first(best), Settled(solution.proof, solution.choice, walk.steps), instance)


def check_settled(instance: Instance, solution: Solution, known: Solution) -> None:
    """Raises Refuted unless the map ties with the known best one, and no map goes before it."""
    if instance.compare(solution.utility, known.utility) != 0:
        raise Refuted("the map has another worst utility than the best one")
    found = settled(instance, known)
    if found.choice != solution.choice:
        raise Refuted("another map of the same worst utility goes before it")


class _Walk:
    """All maps that may have the best worst utility within the budget."""

    def __init__(self, instance: Instance, solution: Solution) -> None:
        self.instance, self.solution = instance, solution
        self.steps = 0
        self._options: list[list[int]] = [row.nonzero()[0].tolist() for row in instance.admissible]
        self._adds = [
            {option: instance.counts[group] * instance.exact_lower(group, option) for option in options}
            for group, options in enumerate(self._options)
        ]
        """What an option adds to the nominal utility, times the number of states."""
        self._rest = [Fraction(0)]
        for adds in reversed(self._adds):
            self._rest.append(self._rest[-1] + max(adds.values()))
        self._rest.reverse()
        self._tallest = np.where(instance.admissible, instance.lower, -1.0).max(axis=1)
        self._target = float(solution.utility)

    def largest(self) -> Fraction:
        """The largest nominal utility, times the number of states."""
        best = sum((adds[option] for adds, option in zip(self._adds, self.solution.choice, strict=True)), Fraction(0))
        orders = [sorted(adds, key=lambda option: (-adds[option], option)) for adds in self._adds]
        states = self.instance.states
        for choice, total in self._maps(orders, lambda bound: bound > best):
            if self._ties(choice) and self.instance.compare(total / states, best / states) > 0:
                best = total
        return best

    def first(self, best: Fraction) -> tuple[int, ...]:
        """The first map, in order of preference, of the best worst utility and the given nominal one."""
        for choice, total in self._maps(self._options, lambda bound: bound >= best):
            if total == best and self._ties(choice):
                return choice
        raise Undecided("no map attains the largest nominal utility")

    def _maps(
        self, orders: Sequence[Sequence[int]], hopeful: Callable[[Fraction], bool]
    ) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        """Whole maps in the given order of options, but for those that no completion makes hopeful."""
        groups = self.instance.groups
        stack: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(0))]
        while stack:
            chosen, total = stack.pop()
            place = len(chosen)
            if place == groups:
                yield chosen, total
                continue
            for option in reversed(orders[place]):
                self.steps += 1
                if self.steps > MOST_STEPS:
                    raise Undecided(f"more than {MOST_STEPS:,} steps to tell equal maps apart")
                longer, sum_so_far = (*chosen, option), total + self._adds[place][option]
                if hopeful(sum_so_far + self._rest[place + 1]) and self._within_reach(longer):
                    stack.append((longer, sum_so_far))

    def _within_reach(self, chosen: tuple[int, ...]) -> bool:
        """Whether some completion may keep the budget and reach the worst utility, in doubles with their margin."""
        instance, rows = self.instance, np.arange(len(chosen))
        lower = self._tallest.copy()
        lower[: len(chosen)] = instance.lower[rows, list(chosen)]
        if float(worst_utilities(instance, lower[None])[0]) < self._target - instance.margin:
            return False
        if instance.budget is None:
            return True
        upper = np.zeros(instance.groups)
        upper[: len(chosen)] = instance.upper[rows, list(chosen)]
        return float(worst_risks(instance, upper[None])[0]) <= float(instance.budget) + instance.margin

    def _ties(self, choice: tuple[int, ...]) -> bool:
        """Whether a whole map keeps the budget and has the best worst utility, decided exactly."""
        instance = self.instance
        if not instance.keeps_budget(worst_risk(instance, choice)):
            return False
        return instance.compare(worst_utility(instance, choice), self.solution.utility) == 0
