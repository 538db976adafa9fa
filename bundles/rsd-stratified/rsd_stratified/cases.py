"""What a selector works with: its settings after a declared variant, its partition, candidates and shares."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rsd_stratified.partitions import competing
from rsd_stratified.states import Candidate, Row

STANDS_FOR = {"epsilon": ("epsilon_group", "epsilon_global"), "zeta": ("zeta_risk", "zeta_util")}
"""What a variant names once and the certification twice."""


@dataclass(frozen=True)
class Setting:
    """The constants of a selection."""

    tau: Fraction
    epsilon_group: Fraction
    epsilon_global: Fraction
    zeta_risk: Fraction
    zeta_util: Fraction
    rho: Fraction
    low: Fraction
    high: Fraction
    """q_min and q_max."""
    utility: str
    risk: str
    families: tuple[str, ...] | None
    calibration: int


@dataclass(frozen=True)
class Case:
    """A selector under one setting."""

    selector: Row
    setting: Setting
    partition: Row
    candidates: list[Candidate]
    """Those that compete, in the order that breaks ties."""
    shares: dict[tuple[str, str], tuple[Fraction, Fraction]]
    """Group and candidate to their shares of both failure probabilities, these multiplied in."""

    @property
    def radius(self) -> Fraction:
        """The radius over which the map's one bound is stated."""
        if "radius" in self.selector:
            return Fraction(self.selector["radius"])
        return self.setting.rho if self.selector["rule"] == "robust" else Fraction(0)


def setting_of(protocol: Row, variant: str | None = None) -> Setting:
    """The study's constants, and what a variant puts in their place."""
    used: Row = {name: protocol[name] for name in ("tau", "evaluators")} | protocol["certification"]
    used |= {"families": None, "calibration": protocol["resampling"]["calibration"]}
    for name, value in protocol["variants"][variant].items() if variant else ():
        used |= dict.fromkeys(STANDS_FOR.get(name, (name,)), value)
    low, high = used["utility_range"]
    return Setting(
        tau=Fraction(used["tau"]),
        epsilon_group=Fraction(used["epsilon_group"]),
        epsilon_global=Fraction(used["epsilon_global"]),
        zeta_risk=Fraction(used["zeta_risk"]),
        zeta_util=Fraction(used["zeta_util"]),
        rho=Fraction(used["rho"]),
        low=Fraction(low),
        high=Fraction(high),
        utility=used["evaluators"]["utility"],
        risk=used["evaluators"]["risk"],
        families=None if used["families"] is None else tuple(used["families"]),
        calibration=used["calibration"],
    )


def case_of(protocol: Row, partitions: list[Row], selector: str, variant: str | None = None) -> Case:
    """A declared selector, under a declared variant where one is named."""
    rule = next(one for one in protocol["selectors"] if one["name"] == selector)
    changed: Row = protocol["variants"][variant] if variant else {}
    partition = (rule | changed)["partition"]
    return make_case(protocol, partitions, rule, partition, setting_of(protocol, variant))


def make_case(protocol: Row, partitions: list[Row], selector: Row, partition: str, setting: Setting) -> Case:
    """A selector in a partition under a setting."""
    record = next(one for one in partitions if one["name"] == partition)
    candidates = competing(protocol, setting.families)
    groups = [leaf["group"] for leaf in record["leaves"]]
    equal = Fraction(1, len(candidates) * len(groups))
    weights = {(group, one.name): (equal, equal) for group in groups for one in candidates}
    if setting.families is None:
        weights = {
            (one["group"], f"{one['arm']}@{one['scale']}"): (Fraction(one["risk"]), Fraction(one["utility"]))
            for one in record["allocations"]
        }
    shares = {key: (setting.zeta_risk * risk, setting.zeta_util * util) for key, (risk, util) in weights.items()}
    return Case(selector, setting, record, candidates, shares)
