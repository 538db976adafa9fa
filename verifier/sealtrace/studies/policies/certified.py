"""Certificates and maps, recomputed: what `sealtrace certify` found, and its form for machines.

The JSON is stable. Constants are exact text; bounds are doubles; null stands for what was not computed or not declared.

    sealtrace      version
    bundle         name, root_sha256
    verdict        of the bundle as a whole, as `sealtrace verify` gives it
    exploratory    whether a what-if option changed the declared setting
    changed        setting -> {declared, explored}
    setting        tau, epsilon_group, epsilon_global, zeta_risk, zeta_util, rho, utility_range, utility and risk
                   (evaluators), split, states
    partitions     name, groups: [group, states, epsilon (null: the setting's), candidates: [candidate, crossings,
                   risk_upper, utility_mean (normalized), utility_lower, certified]]
    selectors      selector, rule, partition (null: no groups), map: [group, candidate, outcome] (empty: not computed),
                   risk_upper, utility_lower, radius, reason, global_budget (robust: idle | can-bind),
                   sealed (same | differs | none), differences, declared (the declared setting's map, where a what-if
                   changed it), counts (without groups: [candidate, crossings, states])
    assumptions    what the certificates assume
    missing        what could not be computed, and why
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from sealtrace import __version__
from sealtrace.report.inert import json_text

Outcome = Literal["selected", "no-certified-candidate"]


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
class Group:
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
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Assigned:
    """What a map deploys in one group."""

    group: str | None
    """None where the selector has no partition."""
    candidate: str
    outcome: Outcome


@dataclass(frozen=True)
class Count:
    """Crossings of one candidate over all calibration states."""

    candidate: str
    crossings: int
    states: int


@dataclass(frozen=True)
class Choice:
    """What one selector chooses."""

    selector: str
    rule: str
    partition: str | None
    map: tuple[Assigned, ...] = ()
    risk_upper: float | None = None
    utility_lower: float | None = None
    radius: str | None = None
    reason: str | None = None
    global_budget: Literal["idle", "can-bind"] | None = None
    sealed: Literal["same", "differs", "none"] = "none"
    differences: tuple[str, ...] = ()
    declared: tuple[Assigned, ...] | None = None
    counts: tuple[Count, ...] = ()


@dataclass(frozen=True)
class Change:
    """A constant that a what-if option replaced."""

    declared: str | None
    explored: str


@dataclass(frozen=True)
class Certified:
    """Everything that the command says of a bundle."""

    name: str
    root_sha256: str | None
    verdict: str = "verified"
    """Of the bundle as a whole: certificates of records that fail elsewhere are worth nothing."""
    setting: dict[str, Any] = field(default_factory=dict)
    changed: dict[str, Change] = field(default_factory=dict)
    partitions: tuple[PartitionTable, ...] = ()
    selectors: tuple[Choice, ...] = ()
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def exploratory(self) -> bool:
        """Whether anything but the declared setting was asked about."""
        return bool(self.changed)

    @property
    def exit_code(self) -> int:
        """1 where the bundle fails or a sealed map is another one, 3 where something is missing."""
        if self.verdict == "findings":
            return 1
        if not self.exploratory and any(one.sealed == "differs" for one in self.selectors):
            return 1
        return 3 if self.missing else 0


def render_json(found: Certified) -> str:
    """The stable form, as the module describes it."""
    document = {
        "sealtrace": __version__,
        "bundle": {"name": found.name, "root_sha256": found.root_sha256},
        "verdict": found.verdict,
        "exploratory": found.exploratory,
        "changed": {name: asdict(change) for name, change in found.changed.items()},
        "setting": found.setting,
        "partitions": [asdict(one) for one in found.partitions],
        "selectors": [asdict(one) for one in found.selectors],
        "assumptions": list(found.assumptions),
        "missing": list(found.missing),
    }
    return json_text(document)


def constant_text(value: Fraction | tuple[Fraction, Fraction] | None) -> str | None:
    """A constant as a decimal where it has a short one, otherwise as a ratio."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return ",".join(constant_text(one) or "" for one in value)
    mantissa, power = _decimal(value)
    if mantissa is None or len(str(mantissa)) > LONGEST:
        return str(value)
    return f"{Decimal(mantissa).scaleb(power):f}" if -LONGEST < power < 6 else f"{mantissa}e{power}"


LONGEST = 18
"""Digits of a decimal that is still easier to read than a ratio."""


def _decimal(value: Fraction) -> tuple[int | None, int]:
    """The mantissa and the power of ten of a constant; no mantissa where it has no finite decimal."""
    power, rest = 0, value.denominator
    for prime in (2, 5):
        times = 0
        while rest % prime == 0:
            rest, times = rest // prime, times + 1
        power = max(power, times)
    if rest != 1:
        return None, 0
    mantissa, power = int(value * 10**power), -power
    while mantissa and mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return mantissa, power
