"""What printed numbers are: each with its value, its last printed place, and what it is in its cell."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

Form = Literal["number", "plus-minus", "ratio", "tuple", "interval", "compound", "map", "not-available"]
Role = Literal[
    "", "value", "mean", "sd", "k", "n", "low", "high", "from", "to", "change", "above", "below", "rate", "aside"
]
Relation = Literal["", "<", "≤", ">", "≥", "≈"]


@dataclass(frozen=True)
class PrintedNumber:
    """One number of a cell."""

    text: str
    value: Fraction
    unit: Fraction
    """One unit in the last printed place; zero where the number is a count and exact."""
    role: Role = ""
    """What it is in its cell; nothing where it stands alone or nothing tells."""
    suffix: str = ""
    """The unit or word behind it, such as ms, pp or yes. A scale such as k or B is in the value already."""
    relation: Relation = ""
    """The cell gives a bound (<0.001) or says "about", not the number itself."""
    percent: bool = False

    @cached_property
    def low(self) -> Fraction:
        """The least value that prints so."""
        return self.value - self.unit * (1 if self.relation == "≈" else Fraction(1, 2))

    @cached_property
    def high(self) -> Fraction:
        """The greatest value that prints so."""
        return self.value + self.unit * (1 if self.relation == "≈" else Fraction(1, 2))

    @property
    def is_bound(self) -> bool:
        """Whether only one side of the number is printed."""
        return self.relation not in ("", "≈")


@dataclass(frozen=True)
class Printed:
    """What a cell says."""

    text: str
    form: Form
    parts: tuple[PrintedNumber, ...]
    marks: str = ""
    """Daggers and the like that stand before or after the numbers."""
    percent: bool = False
    """All its numbers are in percent, by a sign in the cell."""

    @property
    def numeric(self) -> bool:
        """Whether there is a number to account for."""
        return bool(self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """What to call each number of several: by its role where roles differ, else by its place."""
        if len(self.parts) < 2:
            return ()
        roles = tuple(part.role for part in self.parts)
        numbered = tuple(str(place) for place in range(1, len(roles) + 1))
        return roles if all(roles) and len(set(roles)) == len(roles) else numbered
