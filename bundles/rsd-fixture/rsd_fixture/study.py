"""What a study of this shape is: states with their action values, and the declared constants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Values = dict[str, float]


@dataclass(frozen=True)
class State:
    """One state with everything that evaluators know of it."""

    observation: dict[str, Any]
    """The observation record: state, split, legal and what the player sees."""
    teacher: Values
    weak: Values
    strong: Values

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
class Arm:
    """One policy of the bank."""

    name: str
    policy: str
    scale: str | None = None


@dataclass(frozen=True)
class Study:
    """A whole study before anything is computed."""

    protocol: dict[str, Any]
    direction: dict[str, Any]
    arms: list[Arm]
    states: list[State]
    names: dict[str, Any] = field(default_factory=lambda: {"printed": {}})
    """What the names that its tables print stand for."""
    tables: list[dict[str, Any]] = field(default_factory=list)
    """Printed tables, as records."""
    empty: dict[str, str] = field(default_factory=dict)
    """Stages that seal nothing, with the reason."""
