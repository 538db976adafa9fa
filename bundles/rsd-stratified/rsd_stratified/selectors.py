"""The declared selection rules, and the maps that they choose on the calibration split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from rsd_stratified.cases import Case, case_of
from rsd_stratified.certification import Certificate, certificates
from rsd_stratified.mixtures import Mixtures, Option, Problem, robust_map
from rsd_stratified.population import CLOSE, Population, mean_at
from rsd_stratified.states import Row, Traced

__all__ = ["Chosen", "ChosenMap", "choose", "map_records", "robust_map", "robust_problem", "selection_record"]

ANCHORED = Option(0.0, 0.0, lambda: Decimal(0))
STATES_RISK = {"anchor", "empirical-zero", "risk-only", "dual", "robust"}
"""Rules whose map has a risk bound."""
STATES_UTILITY = {"anchor", "dual", "robust"}
"""Rules whose map has a utility bound."""
WITHIN_BUDGET = (
    "Every certified risk bound is within the global budget, so no mixture exceeds it, and the largest utility bound "
    "of each group gives the largest worst mixture."
)


@dataclass(frozen=True)
class Chosen:
    """What a rule gave in one group."""

    group: str
    certificate: Certificate | None
    """Of the candidate that is deployed; None for the anchor."""
    fell_back: bool = False

    @property
    def name(self) -> str:
        return self.certificate.name if self.certificate else "anchor"

    @property
    def scale(self) -> Fraction:
        return Fraction(self.certificate.candidate.scale or 0) if self.certificate else Fraction(0)


@dataclass(frozen=True)
class ChosenMap:
    """A group-to-candidate map, and the bounds that can be stated of it."""

    case: Case
    choices: list[Chosen]
    mixtures: Mixtures
    stated: list[Certificate | None]
    """Per group whose bounds count; None where the anchor's known ones do, which are zero."""

    @property
    def certified(self) -> bool:
        return not any(one.fell_back for one in self.choices)

    @property
    def risk_upper(self) -> float | None:
        """R over the selector's radius."""
        return self._risk(self.mixtures) if self.case.selector["rule"] in STATES_RISK else None

    @property
    def nominal_risk(self) -> float:
        """R at the calibration mixture."""
        return self._risk(Mixtures(self.mixtures.observed, Fraction(0)))

    @property
    def utility_lower(self) -> float | None:
        """W over the selector's radius."""
        if self.case.selector["rule"] not in STATES_UTILITY:
            return None
        return self.mixtures.least([one.lower if one else 0.0 for one in self.stated])

    def _risk(self, mixtures: Mixtures) -> float:
        return mixtures.largest([one.upper if one else 0.0 for one in self.stated])


def choose(case: Case, population: Population, places: list[int]) -> ChosenMap:
    """The map that a selector chooses on these calibration states."""
    listed = certificates(case, population, places)
    mixtures = _mixtures(case, listed, len(places))
    rule = case.selector["rule"]
    if rule == "robust":
        choices = _robust(case, listed, mixtures)
    else:
        choices = [RULES[rule](case.selector, group, ones) for group, ones in listed.items()]
    stated = [choice.certificate for choice in choices]
    if rule == "anchor":
        # The anchor's sampled bounds are those of the first candidate that is the anchor by another name.
        stated = [
            next((one for one in ones if not Fraction(one.candidate.scale or 0)), None) for ones in listed.values()
        ]
    return ChosenMap(case, choices, mixtures, stated)


def robust_problem(protocol: Row, partitions: list[Row], population: Population, variant: str | None = None) -> Problem:
    """What the robust selector searches on the calibration split, bounds computed, ready to be timed."""
    selector = next(one["name"] for one in protocol["selectors"] if one["rule"] == "robust")
    case = case_of(protocol, partitions, selector, variant)
    listed = certificates(case, population, population.everyone)
    return _problem(case, listed, _mixtures(case, listed, len(population.everyone)))


def _mixtures(case: Case, listed: dict[str, list[Certificate]], states: int) -> Mixtures:
    return Mixtures(tuple(Fraction(len(ones[0].members), states) for ones in listed.values()), case.radius)


def _problem(case: Case, listed: dict[str, list[Certificate]], mixtures: Mixtures) -> Problem:
    options = tuple(
        (ANCHORED, *(Option(one.upper, one.lower, _precise(one)) for one in ones if one.certified))
        for ones in listed.values()
    )
    setting = case.setting
    # What is certified has U <= epsilon of its group, whatever the double nearest to U says.
    within = setting.epsilon_group <= setting.epsilon_global or all(
        one.upper <= setting.epsilon_global for ones in options for one in ones
    )
    return Problem(options, mixtures, within, setting.epsilon_global)


def _precise(one: Certificate) -> Callable[[], Decimal]:
    return lambda: one.precise_lower


def _robust(case: Case, listed: dict[str, list[Certificate]], mixtures: Mixtures) -> list[Chosen]:
    places = robust_map(_problem(case, listed, mixtures))
    choices = []
    for (group, ones), place in zip(listed.items(), places, strict=True):
        certified = [one for one in ones if one.certified]
        choices.append(Chosen(group, certified[place - 1] if place else None, fell_back=not certified))
    return choices


def _first(group: str, allowed: list[Certificate], larger: Callable[[Certificate, Certificate], bool]) -> Chosen:
    """The largest of the certificates, the first among equals, or the anchor where there are none."""
    if not allowed:
        return Chosen(group, None, fell_back=True)
    best = allowed[0]
    for one in allowed[1:]:
        best = one if larger(one, best) else best
    return Chosen(group, best)


def _anchor(_: Row, group: str, __: list[Certificate]) -> Chosen:
    return Chosen(group, None)


def _fixed(selector: Row, group: str, ones: list[Certificate]) -> Chosen:
    named = (selector["arm"], Fraction(selector["scale"]))
    return Chosen(group, next(one for one in ones if (one.candidate.arm, Fraction(one.candidate.scale or 0)) == named))


def _empirical_zero(selector: Row, group: str, ones: list[Certificate]) -> Chosen:
    clean = [one for one in ones if one.candidate.arm == selector["arm"] and not one.crossings]
    return Chosen(group, clean[-1]) if clean else Chosen(group, None, fell_back=True)


def _mean_strong(selector: Row, group: str, ones: list[Certificate]) -> Chosen:
    limit = Fraction(selector["limit"])
    return _first(group, [one for one in ones if one.members and _degrades_little(one, limit)], _utility)


def _degrades_little(one: Certificate, limit: Fraction) -> bool:
    """Whether mean d is at least -limit."""
    risk = one.case.setting.risk
    mean = mean_at(one.population.deltas(one.name, risk), one.members)
    if abs(mean + float(limit)) > CLOSE:
        return mean > -limit
    exact = sum((one.population.exact_delta(one.name, risk, place) for place in one.members), Fraction(0))
    return exact >= -limit * len(one.members)


def _kl_budget(selector: Row, group: str, ones: list[Certificate]) -> Chosen:
    limit, clip = Fraction(selector["limit"]), Fraction(selector["clip"])
    allowed = []
    for one in ones:
        mean = mean_at(one.population.divergences(one.name, clip), one.members) if one.members else None
        if mean is not None and abs(mean - float(limit)) < CLOSE:
            raise ArithmeticError(f"the mean divergence of {one.name} is too close to its limit")
        if mean is not None and mean < limit:
            allowed.append(one)
    return _first(group, allowed, _utility)


def _risk_only(_: Row, group: str, ones: list[Certificate]) -> Chosen:
    return _first(group, [one for one in ones if one.certified], _utility)


def _dual(_: Row, group: str, ones: list[Certificate]) -> Chosen:
    return _first(group, [one for one in ones if one.certified], _lower)


def _utility(one: Certificate, other: Certificate) -> bool:
    return one.has_more_utility(other)


def _lower(one: Certificate, other: Certificate) -> bool:
    return one.has_more_lower(other)


RULES: dict[str, Callable[[Row, str, list[Certificate]], Chosen]] = {
    "anchor": _anchor,
    "fixed": _fixed,
    "empirical-zero": _empirical_zero,
    "mean-strong": _mean_strong,
    "kl-budget": _kl_budget,
    "risk-only": _risk_only,
    "dual": _dual,
}
"""Rules that look at one group at a time; candidates come in the order that breaks ties."""


def map_records(protocol: Row, partitions: list[Row], traced_calibration: list[Traced]) -> list[Row]:
    """What every selector chose, before any held-out score was joined."""
    population = Population(traced_calibration)
    return [
        _map_record(protocol, choose(case, population, population.everyone))
        for case in (case_of(protocol, partitions, one["name"]) for one in protocol["selectors"])
    ]


def _map_record(protocol: Row, chosen: ChosenMap) -> Row:
    record: Row = {
        "selector": chosen.case.selector["name"],
        "partition": chosen.case.partition["name"],
        "split": _split(protocol, "calibration"),
        "assignments": [_assigned(one) for one in chosen.choices],
        "held_out": {"split": _split(protocol, "held-out"), "status": "not-joined"},
    }
    bounds = {"risk_upper": chosen.risk_upper, "utility_lower": chosen.utility_lower}
    record |= {name: bound for name, bound in bounds.items() if bound is not None}
    setting = chosen.case.setting
    if chosen.case.selector["rule"] == "robust" and setting.epsilon_group <= setting.epsilon_global:
        record["reason"] = WITHIN_BUDGET
    return record


def _assigned(choice: Chosen) -> Row:
    row: Row = {"group": choice.group, "outcome": "no-certified-candidate" if choice.fell_back else "selected"}
    if choice.certificate is None:
        return row | {"arm": "anchor"}
    return row | {"arm": choice.certificate.candidate.arm, "scale": choice.certificate.candidate.scale}


def selection_record(protocol: Row, traced_calibration: list[Traced]) -> dict[str, Any]:
    """The counts behind empirical-zero: the arm's largest scale of the grid without a crossing."""
    selector = next(one for one in protocol["selectors"] if one["rule"] == "empirical-zero")
    population = Population(traced_calibration)
    counts = [
        {
            "scale": scale,
            "crossings": sum(
                population.crossings(
                    f"{selector['arm']}@{scale}", protocol["evaluators"]["risk"], Fraction(protocol["tau"])
                )
            ),
            "states": len(population.traced),
        }
        for scale in protocol["scale_grid"]
    ]
    clean = [one["scale"] for one in counts if not one["crossings"]]
    record: Row = {
        "selector": selector["name"],
        "split": _split(protocol, "calibration"),
        "grid": protocol["scale_grid"],
        "tau": protocol["tau"],
        "counts": counts,
        "certified": clean,
        "outcome": "selected" if clean else "no-certified-candidate",
        "held_out": {"split": _split(protocol, "held-out"), "status": "not-joined"},
    }
    return record | ({"choice": max(clean, key=Fraction)} if clean else {})


def _split(protocol: Row, role: str) -> str:
    """The first split of a role; shifted splits come after the matched one."""
    return next(str(one["name"]) for one in protocol["splits"] if one["role"] == role)
