"""The maps that may be the best one, decided exactly at the end."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sealtrace.mathematics.exact import Undecided

from .instance import Instance
from .mixtures import worst_risk, worst_utility

Choice = tuple[int, ...]


class Contest:
    """Keeps the maps that no other is surely better than."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.utility = Fraction(-1)
        """The largest worst utility of a map within the budget so far."""
        self._rivals: dict[tuple[Fraction, Fraction], Choice] = {}

    def offer(self, choice: Sequence[int]) -> None:
        """Looks at a map exactly."""
        risk = worst_risk(self.instance, choice)
        if self.instance.may_keep_budget(risk):
            self.enter(worst_utility(self.instance, choice), risk, tuple(choice))

    def enter(self, utility: Fraction, risk: Fraction, choice: Choice) -> None:
        """Takes part with exact worst values that may keep the budget."""
        budget, slack = self.instance.budget, self.instance.slack
        if utility != self.utility and utility <= self.utility - slack:
            return
        if (budget is None or risk <= budget) and utility > self.utility:
            self.utility = utility
            self._rivals = {key: rival for key, rival in self._rivals.items() if key[0] > utility - slack}
        self._rivals[utility, risk] = min(choice, self._rivals.get((utility, risk), choice))

    def decide(self) -> Choice:
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
