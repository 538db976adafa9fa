"""What a frozen map does on states that were not used to choose it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rsd_stratified.population import Population
from rsd_stratified.selectors import ChosenMap


@dataclass(frozen=True)
class Deployment:
    """A map on some states of a population."""

    chosen: ChosenMap
    population: Population
    places: list[int]

    @cached_property
    def members(self) -> list[tuple[str, list[int]]]:
        """Per group the deployed candidate and the states."""
        members = self.population.members(self.chosen.case.partition, self.places)
        return [(choice.name, members[choice.group]) for choice in self.chosen.choices]

    def utility(self, evaluator: str) -> float:
        """Mean E_u of the deployed policy."""
        return self._mean({name: self.population.expected(name, evaluator) for name, _ in self.members})

    def delta(self, risk: str) -> float:
        """Mean d of the deployed policy."""
        return self._mean({name: self.population.deltas(name, risk) for name, _ in self.members})

    def divergence(self, clip: Fraction) -> float:
        """Mean KL(teacher || policy)."""
        return self._mean({name: self.population.divergences(name, clip) for name, _ in self.members})

    def latency(self) -> float:
        """Mean latency that the ledger charges."""
        return self._mean({name: self.population.latencies(name) for name, _ in self.members})

    def crossings(self, risk: str) -> list[tuple[int, int]]:
        """Per group how many states cross, of how many."""
        tau = self.chosen.case.setting.tau
        counts = []
        for name, members in self.members:
            crossed = self.population.crossings(name, risk, tau)
            counts.append((sum([crossed[place] for place in members]), len(members)))
        return counts

    def _mean(self, values: dict[str, list[float]]) -> float:
        return math.fsum([values[name][place] for name, members in self.members for place in members]) / len(
            self.places
        )


def rate(counts: list[tuple[int, int]]) -> Fraction:
    """The share of states that cross."""
    return Fraction(sum(crossed for crossed, _ in counts), sum(states for _, states in counts))


def worst_rate(counts: list[tuple[int, int]]) -> Fraction:
    """The largest share of a group that has states."""
    return max(Fraction(crossed, states) for crossed, states in counts if states)
