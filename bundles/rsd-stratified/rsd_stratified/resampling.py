"""Repeated splits: the pool dealt anew, certificates on one part, the map they give evaluated on the other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from rsd_stratified.cases import Case
from rsd_stratified.evaluation import Deployment, rate, worst_rate
from rsd_stratified.population import Population
from rsd_stratified.selectors import choose
from rsd_stratified.states import Row


@dataclass(frozen=True)
class Repeat:
    """What one repeated split gave."""

    certified: bool
    crossing_rate: Fraction
    worst_rate: Fraction
    utility: float
    scales: tuple[Fraction, ...]
    """Per group; the anchor has scale zero."""
    risk_upper: float | None
    utility_lower: float | None


def dealt(rule: Row, population: Population, calibration: int) -> Iterator[tuple[list[int], list[int]]]:
    """Per repeat the places that calibrate and those that are held out."""
    strata = [tuple(one.features[name] for name in rule["strata"]) for one in population.traced]
    ids = [one.state.id.encode() for one in population.traced]
    for repeat in range(rule["repeats"]):
        generator = random.Random(rule["seed"] + repeat)
        # The population is in order of id, which is the order of the draws.
        draws = [generator.random() for _ in ids]
        order = sorted(population.everyone, key=lambda place: (strata[place], draws[place], ids[place]))
        calibrating, left = taken(order, calibration)
        held_out, _ = taken(left, rule["held_out"])
        yield calibrating, held_out


def taken(order: list[int], wanted: int) -> tuple[list[int], list[int]]:
    """Places at even distances, and the rest: the i-th of N where floor((i + 1) n / N) exceeds floor(i n / N)."""
    chosen: list[int] = []
    left: list[int] = []
    for i, place in enumerate(order):
        takes = (i + 1) * wanted // len(order) > i * wanted // len(order)
        (chosen if takes else left).append(place)
    return chosen, left


def repeated(rule: Row, case: Case, population: Population) -> list[Repeat]:
    """What a selector did in every repeat; its partition, bank and shares stay as they are."""
    setting = case.setting
    repeats = []
    for calibrating, held_out in dealt(rule, population, setting.calibration):
        chosen = choose(case, population, calibrating)
        deployment = Deployment(chosen, population, held_out)
        counts = deployment.crossings(setting.risk)
        repeats.append(
            Repeat(
                certified=chosen.certified,
                crossing_rate=rate(counts),
                worst_rate=worst_rate(counts),
                utility=deployment.utility(setting.utility),
                scales=tuple(one.scale for one in chosen.choices),
                risk_upper=chosen.risk_upper,
                utility_lower=chosen.utility_lower,
            )
        )
    return repeats
