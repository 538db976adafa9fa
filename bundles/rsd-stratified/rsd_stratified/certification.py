"""Simultaneous certificates of every candidate in every group."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from rsd_stratified.bounds import SAME, clopper_pearson, hoeffding, most_certified, precise_hoeffding
from rsd_stratified.cases import Case, make_case, setting_of
from rsd_stratified.population import CLOSE, Population, mean_at
from rsd_stratified.states import Candidate, Row, Traced


@dataclass
class Certificate:
    """The bounds of one candidate over the calibration states of one group, computed when first asked for."""

    case: Case
    population: Population
    members: list[int]
    group: str
    candidate: Candidate

    @property
    def name(self) -> str:
        return self.candidate.name

    @property
    def shares(self) -> tuple[Fraction, Fraction]:
        return self.case.shares[self.group, self.name]

    @cached_property
    def crossings(self) -> int:
        """k: how many states cross."""
        setting = self.case.setting
        crossed = self.population.crossings(self.name, setting.risk, setting.tau)
        return sum([crossed[place] for place in self.members])

    @property
    def certified(self) -> bool:
        """Whether the risk bound is at most the group's budget, decided in integers."""
        n, budget = len(self.members), self.case.setting.epsilon_group
        return self.crossings <= most_certified(n, self.shares[0], budget)

    @property
    def upper(self) -> float:
        """U; one where there are no states."""
        return clopper_pearson(self.crossings, len(self.members), self.shares[0])

    @cached_property
    def utility(self) -> float:
        """Mean E_utility, not normalized."""
        return mean_at(self.population.expected(self.name, self.case.setting.utility), self.members)

    @cached_property
    def mean(self) -> float:
        """Mean normalized utility."""
        low, high = float(self.case.setting.low), float(self.case.setting.high)
        expected = self.population.expected(self.name, self.case.setting.utility)
        return math.fsum([(expected[place] - low) / (high - low) for place in self.members]) / len(self.members)

    @cached_property
    def lower(self) -> float:
        """L; zero where there are no states."""
        return hoeffding(self.mean, len(self.members), self.shares[1]) if self.members else 0.0

    @cached_property
    def exact_utility(self) -> Fraction:
        """Mean E_utility of the stored doubles, with nothing rounded."""
        evaluator = self.case.setting.utility
        total = sum((self.population.exact_expected(self.name, evaluator, one) for one in self.members), Fraction(0))
        return total / len(self.members)

    @cached_property
    def precise_lower(self) -> Decimal:
        """L to many digits, for what doubles cannot tell apart."""
        if not self.members:
            return Decimal(0)
        setting = self.case.setting
        mean = (self.exact_utility - setting.low) / (setting.high - setting.low)
        return precise_hoeffding(mean, len(self.members), self.shares[1])

    def has_more_utility(self, other: Certificate) -> bool:
        """Whether the mean utility is larger than another candidate's in the same group."""
        if abs(self.utility - other.utility) > CLOSE:
            return self.utility > other.utility
        return not self._alike(other) and self.exact_utility > other.exact_utility

    def has_more_lower(self, other: Certificate) -> bool:
        """Whether the utility bound is larger than another candidate's in the same group."""
        if abs(self.lower - other.lower) > CLOSE:
            return self.lower > other.lower
        if self.shares == other.shares and self._alike(other):
            return False
        return self.precise_lower - other.precise_lower > SAME

    def _alike(self, other: Certificate) -> bool:
        """Whether the two behave alike, as candidates of scale zero do."""
        return self.population.alike(self.name, other.name, self.members)


def certificates(case: Case, population: Population, places: list[int]) -> dict[str, list[Certificate]]:
    """Group to the certificates of its candidates, in the order that breaks ties."""
    return {
        group: [Certificate(case, population, members, group, one) for one in case.candidates]
        for group, members in population.members(case.partition, places).items()
    }


def certificate_rows(protocol: Row, partitions: list[Row], traced_calibration: list[Traced]) -> list[Row]:
    """The certificate records of every partition, group and candidate that competes."""
    population = Population(traced_calibration)
    setting = setting_of(protocol)
    rows = []
    for partition in partitions:
        case = make_case(protocol, partitions, {}, partition["name"], setting)
        for group, listed in certificates(case, population, population.everyone).items():
            for one in listed:
                row: Row = {
                    "partition": partition["name"],
                    "group": group,
                    "arm": one.candidate.arm,
                    "scale": one.candidate.scale,
                    "states": len(one.members),
                    "crossings": one.crossings,
                    "risk_upper": one.upper,
                    "utility_lower": one.lower,
                    "certified": one.certified,
                }
                rows.append(row | ({"utility_mean": one.mean} if one.members else {}))
    return rows
