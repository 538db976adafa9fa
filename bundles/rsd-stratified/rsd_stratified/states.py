"""What the study is made of: states with their action values, candidates, and what candidates did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
Values = dict[str, float]


@dataclass(frozen=True)
class State:
    """One state with everything that evaluators know of it."""

    observation: Row
    """The observation record: state, split, legal and what the player sees."""
    teacher: Values
    values: dict[str, Values]
    """Evaluator to its action values."""

    @property
    def id(self) -> str:
        return str(self.observation["state"])

    @property
    def split(self) -> str:
        return str(self.observation["split"])

    @property
    def legal(self) -> list[str]:
        return list(self.observation["legal"])


@dataclass(frozen=True)
class Candidate:
    """One policy of the bank."""

    arm: str
    scale: str | None
    policy: str
    family: str | None
    family_index: int | None

    @property
    def name(self) -> str:
        return self.arm if self.scale is None else f"{self.arm}@{self.scale}"


@dataclass(frozen=True)
class Traced:
    """One state with what every candidate of its split did there."""

    state: State
    features: Values
    """By the protocol's feature names."""
    teacher: Values
    """The teacher's distribution."""
    policies: dict[str, Values]
    """Candidate name to its distribution, as the trace stores it."""
    latency: dict[str, float]
    """Candidate name to its latency, as the ledger charges it."""
