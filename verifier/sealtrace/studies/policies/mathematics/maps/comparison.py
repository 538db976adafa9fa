"""Maps compared one by one: the contest that decides exactly, few maps all at once, and equal maps by another rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Mask, Matrix, Vector
from sealtrace.mathematics.exact import Undecided

from .instance import Instance, worst_risk, worst_risks, worst_utilities, worst_utility
from .proof import Covered, Refuted, Region, Settled, Solution

Index = npt.NDArray[np.intp]


class MapContest:
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
        # Within the slack below the best a map stays: it may turn out to be as good.
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
        # What is still here differs by less than the inputs tell; only a later map of the same utility is harmless.
        for (utility, _), rival in self._rivals.items():
            if utility != best or rival < choice:
                raise Undecided("another map cannot be told apart from the best one")
        return choice


MOST_MAPS = 250_000
MOST_NUMBERS = 2_000_000
"""Where there are more maps, or more differences between their values, they are bounded sooner than looked at."""
MOST_RIVALS = 500
"""Where more maps than these come close to the best one, whole numbers tell them apart sooner than fractions."""
SAMPLE = 1_000
"""The most promising maps, this many, are looked at first: what they reach excludes most others."""


def look_at_all(instance: Instance, needed: Mask) -> Solution | None:
    """The best map where there are few; None where there are many, or many that come close to it.

    The calibration mixture is one of those allowed, so that a map's means there bound its worst means.
    """
    columns = [np.flatnonzero(row) for row in needed]
    sizes = [len(chosen) for chosen in columns]
    if math.prod(sizes) > MOST_MAPS:
        return None
    assert instance.budget is not None, "without a budget there is nothing to look for"
    budget, margin, groups = float(instance.budget), instance.margin, np.arange(instance.groups)
    gain, risk = (_sums(values * instance.shares[:, None], columns) for values in (instance.lower, instance.upper))
    left, known = np.flatnonzero(risk <= budget + margin), -1.0
    for limit in (SAMPLE, len(left)):
        left = left[gain[left] >= known - margin]
        if limit > SAMPLE and len(left) * instance.groups**2 > MOST_NUMBERS:
            return None
        tried = left if len(left) <= limit else np.sort(left[np.argpartition(-gain[left], limit)[:limit]])
        places = np.unravel_index(tried, sizes)
        choices = np.stack([chosen[place] for chosen, place in zip(columns, places, strict=True)], axis=1)
        risks = worst_risks(instance, instance.upper[groups, choices])
        utilities = worst_utilities(instance, instance.lower[groups, choices])
        # The largest worst utility of a map that surely keeps the budget so far.
        known = max(known, float(utilities[risks <= budget - margin].max(initial=-1.0)))
    rivals = choices[(risks <= budget + margin) & (utilities >= known - margin)].tolist()
    if len(rivals) > MOST_RIVALS:
        return None
    contest = MapContest(instance)
    for choice in rivals:
        contest.offer(choice)
    # What the riskiest good map gains over the best one per risk: a check by bounds is short with it.
    top = groups, np.where(needed, instance.lower, -1.0).argmax(axis=1)
    excess = float(worst_risks(instance, instance.upper[top][None])[0]) - budget
    more = max(float(worst_utilities(instance, instance.lower[top][None])[0]) - known, 0.0)
    region = Region(Fraction(more / excess if excess > 0 else 0), maps=math.prod(sizes))
    return Solution(contest.decide(), Covered((region,)), instance)


def _sums(values: Matrix, columns: Sequence[Index]) -> Vector:
    """The sums of one entry from every row, in order."""
    sums = np.zeros(1)
    for row, chosen in zip(values, columns, strict=True):
        sums = (sums[:, None] + row[chosen]).ravel()
    return sums


# Among maps of the same worst utility: the largest utility at the calibration mixture, then the first in order.
# Few maps tie, so they are walked group by group. A partial map is left as soon as the best that other groups could add
# keeps it from the worst utility, from the budget, or from the utility at the calibration mixture that is sought. That
# utility is a plain sum, kept exactly; the two worst means are bounded in doubles, and decided exactly for whole maps.

MOST_STEPS = 200_000
"""More steps than these are refused: then nearly all maps tie."""


def settled(instance: Instance, solution: Solution) -> Solution:
    """The map that the nominal rule takes among those of the best worst utility."""
    walk = _TieWalk(instance, solution)
    best = walk.largest()
    return Solution(walk.first(best), Settled(solution.proof, solution.choice, walk.steps), instance)


def check_settled(instance: Instance, solution: Solution, known: Solution) -> None:
    """Raises Refuted unless the map ties with the known best one, and no map goes before it."""
    if instance.compare(solution.utility, known.utility) != 0:
        raise Refuted("the map has another worst utility than the best one")
    found = settled(instance, known)
    if found.choice != solution.choice:
        raise Refuted("another map of the same worst utility goes before it")


class _TieWalk:
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
        """Whole maps in the given order of options, without those whose beginnings cannot reach the target."""
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
