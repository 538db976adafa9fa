"""Scores over a list of states: expected utilities, degradations, crossings and divergences, one state at a time."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from rsd_stratified.groups import group_of
from rsd_stratified.states import Traced, Values

ANCHOR = "anchor"
CLOSE = 1e-9
"""Doubles that are nearer than this are compared as the rational numbers they stand for."""


class Population:
    """States in order of their ids, and what is known of each candidate at each of them, computed when first asked."""

    def __init__(self, traced: list[Traced]) -> None:
        self.traced = sorted(traced, key=lambda one: one.state.id.encode())
        self._expected: dict[tuple[str, str], list[float]] = {}
        self._deltas: dict[tuple[str, str], list[float]] = {}
        self._crossings: dict[tuple[str, str, Fraction], list[bool]] = {}
        self._divergences: dict[tuple[str, Fraction], list[float]] = {}
        self._groups: dict[str, list[str]] = {}

    @property
    def everyone(self) -> list[int]:
        """The places of all states."""
        return list(range(len(self.traced)))

    def expected(self, candidate: str, evaluator: str) -> list[float]:
        """E_g(pi, s) = sum over actions of pi Q_g, at every state."""
        if (candidate, evaluator) not in self._expected:
            self._expected[candidate, evaluator] = [
                _expected(one.policies[candidate], one.state.values[evaluator]) for one in self.traced
            ]
        return self._expected[candidate, evaluator]

    def deltas(self, candidate: str, risk: str) -> list[float]:
        """d: the risk evaluator's expectation less that of the anchor, at every state."""
        if (candidate, risk) not in self._deltas:
            pairs = zip(self.expected(candidate, risk), self.expected(ANCHOR, risk), strict=True)
            self._deltas[candidate, risk] = [own - anchor for own, anchor in pairs]
        return self._deltas[candidate, risk]

    def crossings(self, candidate: str, risk: str, tau: Fraction) -> list[bool]:
        """v: whether d is strictly below -tau, at every state."""
        key = (candidate, risk, tau)
        if key not in self._crossings:
            limit = -float(tau)
            self._crossings[key] = [
                delta < limit if abs(delta - limit) > CLOSE else self.exact_delta(candidate, risk, place) < -tau
                for place, delta in enumerate(self.deltas(candidate, risk))
            ]
        return self._crossings[key]

    def divergences(self, candidate: str, clip: Fraction) -> list[float]:
        """KL(teacher || policy), the policy's mass clipped below, at every state."""
        if (candidate, clip) not in self._divergences:
            self._divergences[candidate, clip] = [
                _divergence(one.teacher, one.policies[candidate], float(clip)) for one in self.traced
            ]
        return self._divergences[candidate, clip]

    def latencies(self, candidate: str) -> list[float]:
        """Milliseconds that the ledger charges, at every state."""
        return [one.latency[candidate] for one in self.traced]

    def groups(self, partition: dict[str, Any]) -> list[str]:
        """The group of every state."""
        name = str(partition["name"])
        if name not in self._groups:
            self._groups[name] = [group_of(partition, one.features) for one in self.traced]
        return self._groups[name]

    def members(self, partition: dict[str, Any], places: list[int]) -> dict[str, list[int]]:
        """Group to those of the places that are in it, in the partition's order of groups."""
        groups = self.groups(partition)
        members: dict[str, list[int]] = {leaf["group"]: [] for leaf in partition["leaves"]}
        for place in places:
            members[groups[place]].append(place)
        return members

    def exact_expected(self, candidate: str, evaluator: str, place: int) -> Fraction:
        """E_g(pi, s) of the stored doubles, with nothing rounded."""
        one = self.traced[place]
        values = one.state.values[evaluator]
        return sum((Fraction(p) * Fraction(values[a]) for a, p in one.policies[candidate].items()), Fraction(0))

    def exact_delta(self, candidate: str, risk: str, place: int) -> Fraction:
        """d of the stored doubles, with nothing rounded."""
        return self.exact_expected(candidate, risk, place) - self.exact_expected(ANCHOR, risk, place)

    def alike(self, one: str, other: str, places: list[int]) -> bool:
        """Whether two candidates have the same distribution at all of these states."""
        return all(self.traced[place].policies[one] == self.traced[place].policies[other] for place in places)


def mean_at(values: list[float], places: list[int]) -> float:
    """The mean over some of the states."""
    return math.fsum([values[place] for place in places]) / len(places)


def _expected(policy: Values, values: Values) -> float:
    return math.fsum(probability * values[action] for action, probability in policy.items())


def _divergence(teacher: Values, policy: Values, clip: float) -> float:
    return math.fsum(p * math.log(p / max(policy[action], clip)) for action, p in teacher.items() if p > 0)
