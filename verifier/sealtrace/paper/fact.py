"""A printed number in its place: its address, and the closed interval of values that print so."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from sealtrace.paper.number_grammar import PrintedNumber


def cell_id(table: object, row: object, column: object) -> str:
    """How a cell is addressed, in every command and format."""
    return f"{table}[{row}, {column}]"


class Rule(StrEnum):
    """How a number came to be printed."""

    ROUNDED = "rounded"
    """To nearest, also where an integer would be read as a count."""
    TRUNCATED = "truncated"
    """Cut off towards zero."""
    UP = "up"
    DOWN = "down"
    LOOSELY = "loosely"
    """Rounded or cut off in any direction."""
    EXACT = "exact"
    """A count or a declared constant."""


_HALF = Fraction(1, 2)
_ROOM: dict[Rule, tuple[Fraction | int, Fraction | int]] = {
    Rule.ROUNDED: (_HALF, _HALF),
    Rule.UP: (1, 0),
    Rule.DOWN: (0, 1),
    Rule.LOOSELY: (1, 1),
    Rule.EXACT: (0, 0),
}
"""How many units below and above it a number may be; where it was cut off, that depends on its sign."""


@dataclass(frozen=True)
class Fact:
    """A printed number in its place: what a string stands for (`PrintedNumber`) once its header or its unit tells
    whether it was counted or rounded. Relations are between these."""

    address: str
    """As `explain` takes it, with the part behind a dot where the cell has several numbers."""
    text: str
    """As printed."""
    # Address and text nearly always tell two of them apart; hashing fractions takes long.
    value: Fraction = field(hash=False)
    low: Fraction = field(hash=False)
    high: Fraction = field(hash=False)
    unit: Fraction = field(hash=False)
    """One unit in the last printed place; one where the number is a count."""
    source: str | None = None
    line: int | None = None
    table: str | None = None
    """None for a number of the running text."""
    row: str = ""
    column: str = ""
    part: str | None = None

    @property
    def exact(self) -> bool:
        """Whether the number was not rounded."""
        return self.low == self.high

    def touches(self, other: Fact) -> bool:
        """Whether some value prints as both."""
        return self.low <= other.high and other.low <= self.high

    def read_as(self, rule: Rule) -> Fact:
        """A copy of the number, read under another rule of printing."""
        below, above = _ROOM.get(rule, (int(self.value <= 0), int(self.value >= 0)))
        return replace(self, low=self.value - self.unit * below, high=self.value + self.unit * above)

    def rounded(self) -> Fact:
        """The number read as rounded even if it is an integer, as an unknown of its own."""
        return self if self.address.startswith("rounded(") else self._rounded

    @cached_property
    def _rounded(self) -> Fact:
        return replace(self.read_as(Rule.ROUNDED), address=f"rounded({self.address})")


def fact_of(
    number: PrintedNumber,
    address: str,
    source: str | None,
    line: int | None,
    table: str | None = None,
    row: str = "",
    column: str = "",
    part: str | None = None,
    *,
    measured: bool = False,
) -> Fact:
    """A number of a sentence, or of a cell by its table, row and column: one with decimals was rounded, and so was an
    integer that was measured; others are counts."""
    rounded = number.unit and (measured or number.relation == "≈" or is_rounded(number))
    low, high = (number.low, number.high) if rounded else (number.value, number.value)
    unit = number.unit or Fraction(1)
    return Fact(address, number.text, number.value, low, high, unit, source, line, table, row, column, part)


def is_rounded(number: PrintedNumber) -> bool:
    """Whether a number shows by itself that it was rounded."""
    return number.unit not in (0, 1) or not is_whole(number.text)


def is_whole(text: str) -> bool:
    """Whether a text is a whole number and nothing else; thousands may be parted by commas or thin spaces."""
    return "".join(text.lstrip("+-").replace(",", "").split()).isdecimal()


def plain_address(fact: Fact) -> str:
    """The address of a number, the same whether it is read as a count, as rounded or as printed."""
    address = fact.address
    while address.startswith(("rounded(", "printed(")):
        address = address[8:-1]
    return address
