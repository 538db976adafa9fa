"""The result of `certify`: certificates by partition, choices by selector, and what is missing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from typing import Literal, TypedDict

from sealtrace import __version__
from sealtrace.report.inert import json_text


@dataclass(frozen=True)
class Competitor:
    """The bounds of one candidate in one group."""

    candidate: str
    crossings: int
    risk_upper: float | None
    utility_mean: float | None
    """Normalized to the utility range."""
    utility_lower: float | None
    certified: bool | None


@dataclass(frozen=True)
class GroupTable:
    """One group with everything that competes in it."""

    group: str
    states: int
    candidates: tuple[Competitor, ...]
    epsilon: str | None = None
    """The group's own budget; None where it is the setting's."""


@dataclass(frozen=True)
class PartitionTable:
    """The certificates of one partition."""

    name: str
    groups: tuple[GroupTable, ...]


@dataclass(frozen=True)
class ChosenCandidate:
    """What a map deploys in one group."""

    group: str | None
    """None where the selector has no partition."""
    candidate: str
    outcome: Literal["selected", "no-certified-candidate"]


@dataclass(frozen=True)
class Count:
    """Crossings of one candidate over all calibration states."""

    candidate: str
    crossings: int
    states: int


@dataclass(frozen=True)
class RemovedOption:
    """A certified candidate of a group that alone breaks the global budget: risk_upper * share = risk > budget."""

    group: str
    candidate: str
    risk_upper: float
    share: float
    """The largest share of the group in a mixture within the radius."""
    risk: float


@dataclass(frozen=True)
class SelectorChoice:
    """What one selector chooses."""

    selector: str
    rule: str
    partition: str | None
    map: tuple[ChosenCandidate, ...] = ()
    risk_upper: float | None = None
    utility_lower: float | None = None
    radius: str | None = None
    reason: str | None = None
    global_budget: Literal["idle", "removes", "can-bind"] | None = None
    """idle: no map of admissible options breaks it. removes: no map of what it leaves does. can-bind: some map does."""
    removed: tuple[RemovedOption, ...] = ()
    """What the global budget removes before anything is chosen."""
    largest_risk: float | None = None
    """The worst risk of the riskiest options left; the global budget cannot bind where it is within the budget."""
    sealed: Literal["same", "differs", "none"] = "none"
    differences: tuple[str, ...] = ()
    declared: tuple[ChosenCandidate, ...] | None = None
    counts: tuple[Count, ...] = ()


@dataclass(frozen=True)
class Change:
    """A constant that a what-if option replaced."""

    declared: str | None
    explored: str


class StatedSetting(TypedDict):
    """The constants that everything was computed with, as text, and the calibration states."""

    tau: str | None
    epsilon_group: str | None
    epsilon_global: str | None
    zeta_risk: str | None
    zeta_util: str | None
    rho: str | None
    utility_range: list[str | None] | None
    utility: str
    risk: str
    split: str | None
    states: int | None


@dataclass(frozen=True)
class Certified:
    """The result of the command for one bundle."""

    name: str
    root_sha256: str | None
    title: str | None = None
    """What the study is, in a line."""
    verdict: str = "verified"
    """Of the bundle as a whole: certificates of records that fail elsewhere are worth nothing."""
    waived: int = 0
    """How many findings of the bundle the reader accepts for now."""
    changed: dict[str, Change] = field(default_factory=dict)
    setting: StatedSetting | None = None
    """None where nothing could be computed."""
    partitions: tuple[PartitionTable, ...] = ()
    selectors: tuple[SelectorChoice, ...] = ()
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def exploratory(self) -> bool:
        """Whether anything but the declared setting was asked about."""
        return bool(self.changed)

    @property
    def exit_code(self) -> int:
        """1 where the bundle fails or a sealed map is another one, 3 where something is missing or waived."""
        if self.verdict == "findings":
            return 1
        if not self.exploratory and any(choice.sealed == "differs" for choice in self.selectors):
            return 1
        return 3 if self.missing or self.waived else 0


def render_json(found: Certified) -> str:
    """The stable form, as the module describes it."""
    known = {
        name: value for name, value in asdict(found).items() if name not in ("name", "title", "root_sha256", "waived")
    }
    bundle = {"name": found.name, "root_sha256": found.root_sha256}
    first = {"sealtrace": __version__, "bundle": bundle, "verdict": found.verdict, "exploratory": found.exploratory}
    return json_text({**first, **known, "setting": found.setting or {}})


def constant_text(value: Fraction | tuple[Fraction, Fraction] | None) -> str | None:
    """A constant as a decimal where it has a short one, otherwise as a ratio."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return ",".join(constant_text(end) or "" for end in value)
    with localcontext(Context(prec=LONGEST, traps=[Inexact])):
        try:
            decimal = (Decimal(value.numerator) / Decimal(value.denominator)).normalize()
        except Inexact:
            return str(value)
    _, digits, power = decimal.as_tuple()
    plain = isinstance(power, int) and -LONGEST < power < 6
    return f"{decimal:f}" if plain else f"{int(''.join(map(str, digits))) * (-1 if value < 0 else 1)}e{power}"


LONGEST = 18
"""Digits of a decimal that is still easier to read than a ratio."""
