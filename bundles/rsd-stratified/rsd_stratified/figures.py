"""The numbers that tables print, under the names by which a recipe asks the verifier for the same ones."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from rsd_stratified.cases import Case, case_of, setting_of
from rsd_stratified.evaluation import Deployment, rate, worst_rate
from rsd_stratified.partitions import competing
from rsd_stratified.population import Population, mean_at
from rsd_stratified.resampling import Repeat, repeated
from rsd_stratified.selectors import ChosenMap, choose
from rsd_stratified.states import Row, Traced

Figure = float | Fraction | int | str | tuple[Any, ...] | None
"""A number, a declared text, several numbers, or nothing where there is none to print."""
MATCHED = "held-out"


class Figures:
    """Every quantity of the study that a table prints."""

    def __init__(
        self, protocol: Row, partitions: list[Row], traced: dict[str, list[Traced]], measurements: list[Row]
    ) -> None:
        self._protocol = protocol
        self._partitions = partitions
        self._traced = traced
        self._measurements = measurements
        self._maps: dict[tuple[str, str | None], ChosenMap] = {}
        self._repeats: dict[tuple[str, str | None], list[Repeat]] = {}
        self._populations: dict[tuple[str, ...], Population] = {}

    def of(self, metric: str, arguments: dict[str, str]) -> Figure:
        """The quantity of a recipe."""
        figure: Callable[..., Figure] = getattr(self, metric)
        return figure(**arguments)

    # What was declared

    def constant(self, path: str) -> str:
        node: Any = self._protocol
        for part in path.split("/"):
            node = node[part]
        return str(node)

    def bank_families(self, variant: str) -> int:
        return len({one.family for one in self._competing(variant)})

    def bank_scales(self, variant: str) -> int:
        return len({one.scale for one in self._competing(variant)})

    def bank_size(self, variant: str) -> int:
        return len(self._competing(variant))

    def utility_range(self, variant: str) -> tuple[Any, ...]:
        return tuple(self._protocol["variants"][variant]["utility_range"])

    def partition_groups(self, partition: str) -> int:
        return len(self._partition(partition)["leaves"])

    def partition_support(self, partition: str) -> int:
        population = self._population("calibration")
        members = population.members(self._partition(partition), population.everyone)
        return min(map(len, members.values()))

    # One policy

    def weak_ev(self, policy: str, population: str) -> float:
        states = self._population(population)
        return mean_at(states.expected(policy, self._protocol["evaluators"]["utility"]), states.everyone)

    def crossing_rate(self, policy: str, population: str) -> Fraction:
        states = self._population(population)
        crossed = states.crossings(policy, self._protocol["evaluators"]["risk"], Fraction(self._protocol["tau"]))
        return Fraction(sum(crossed), len(crossed))

    def teacher_kl(self, policy: str, population: str, clip: str) -> float:
        states = self._population(population)
        return mean_at(states.divergences(policy, Fraction(clip)), states.everyone)

    # The map that was chosen on the calibration split

    def map_name(self, selector: str, variant: str | None = None) -> str:
        return " / ".join(one.name for one in self._map(selector, variant).choices)

    def map_scale(self, selector: str, variant: str | None = None) -> Fraction:
        (choice,) = self._map(selector, variant).choices
        return choice.scale

    def map_risk_upper(self, selector: str, variant: str | None = None) -> float | None:
        return self._map(selector, variant).risk_upper

    def map_utility_lower(self, selector: str, variant: str | None = None) -> float | None:
        return self._map(selector, variant).utility_lower

    def map_nominal_risk(self, selector: str, variant: str | None = None) -> float:
        return self._map(selector, variant).nominal_risk

    def map_utility(
        self, selector: str, variant: str | None = None, population: str = MATCHED, utility: str | None = None
    ) -> float:
        deployment = self._deployed(selector, variant, population)
        return deployment.utility(utility or deployment.chosen.case.setting.utility)

    def map_delta(
        self, selector: str, variant: str | None = None, population: str = MATCHED, risk: str | None = None
    ) -> float:
        deployment = self._deployed(selector, variant, population)
        return deployment.delta(risk or deployment.chosen.case.setting.risk)

    def map_crossing_rate(
        self, selector: str, variant: str | None = None, population: str = MATCHED, risk: str | None = None
    ) -> Fraction:
        deployment = self._deployed(selector, variant, population)
        return rate(deployment.crossings(risk or deployment.chosen.case.setting.risk))

    def map_worst_group_rate(self, selector: str, variant: str | None = None) -> Fraction:
        deployment = self._deployed(selector, variant, MATCHED)
        return worst_rate(deployment.crossings(deployment.chosen.case.setting.risk))

    def map_teacher_kl(self, selector: str, clip: str, variant: str | None = None) -> float:
        return self._deployed(selector, variant, MATCHED).divergence(Fraction(clip))

    def map_cost_ratio(self, selector: str, base: str, variant: str | None = None) -> float:
        population = self._population(MATCHED)
        return self._deployed(selector, variant, MATCHED).latency() / mean_at(
            population.latencies(base), population.everyone
        )

    # Repeated splits

    def repeated_crossing_rate(self, selector: str, variant: str | None = None) -> Fraction:
        return _mean([one.crossing_rate for one in self._repeated(selector, variant)])

    def repeated_worst_group_rate(self, selector: str, variant: str | None = None) -> Fraction:
        return _mean([one.worst_rate for one in self._repeated(selector, variant)])

    def repeated_utility(self, selector: str, variant: str | None = None) -> float:
        repeats = self._repeated(selector, variant)
        return math.fsum(one.utility for one in repeats) / len(repeats)

    def repeated_coverage(self, selector: str, variant: str | None = None) -> Fraction:
        budget = setting_of(self._protocol, variant).epsilon_group
        repeats = self._repeated(selector, variant)
        return Fraction(sum(one.crossing_rate <= budget for one in repeats), len(repeats))

    def repeated_uncertified(self, selector: str, variant: str | None = None) -> tuple[Any, ...]:
        repeats = self._repeated(selector, variant)
        return sum(not one.certified for one in repeats), len(repeats)

    def repeated_certification_rate(self, selector: str, variant: str | None = None) -> Fraction:
        repeats = self._repeated(selector, variant)
        return Fraction(sum(one.certified for one in repeats), len(repeats))

    def repeated_median_scale(self, selector: str, variant: str | None = None) -> Fraction:
        return statistics.median([one.scales[0] for one in self._repeated(selector, variant)])

    def repeated_risk_upper(self, selector: str, variant: str | None = None) -> float | None:
        return _bound([one.risk_upper for one in self._repeated(selector, variant) if one.certified])

    def repeated_utility_lower(self, selector: str, variant: str | None = None) -> float | None:
        return _bound([one.utility_lower for one in self._repeated(selector, variant) if one.certified])

    # Measurements

    def measured_median(self, quantity: str, subject: str) -> float:
        wanted = (quantity, subject)
        values = [float(one["value"]) for one in self._measurements if (one["quantity"], one["subject"]) == wanted]
        return statistics.median(values)

    def _competing(self, variant: str) -> list[Any]:
        return list(competing(self._protocol, setting_of(self._protocol, variant).families))

    def _partition(self, name: str) -> Row:
        return next(one for one in self._partitions if one["name"] == name)

    def _population(self, *splits: str) -> Population:
        if splits not in self._populations:
            self._populations[splits] = Population([one for split in splits for one in self._traced[split]])
        return self._populations[splits]

    def _case(self, selector: str, variant: str | None) -> Case:
        return case_of(self._protocol, self._partitions, selector, variant)

    def _map(self, selector: str, variant: str | None) -> ChosenMap:
        if (selector, variant) not in self._maps:
            population = self._population("calibration")
            chosen = choose(self._case(selector, variant), population, population.everyone)
            self._maps[selector, variant] = chosen
        return self._maps[selector, variant]

    def _deployed(self, selector: str, variant: str | None, population: str) -> Deployment:
        states = self._population(population)
        return Deployment(self._map(selector, variant), states, states.everyone)

    def _repeated(self, selector: str, variant: str | None) -> list[Repeat]:
        if (selector, variant) not in self._repeats:
            rule = self._protocol["resampling"]
            pool = self._population(*rule["pool"])
            self._repeats[selector, variant] = repeated(rule, self._case(selector, variant), pool)
        return self._repeats[selector, variant]


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _bound(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
