"""Columns of numbers side by side, computed with as intervals: one for each row, in floating point.

What is found so is only looked for; whether it is true is decided by the engine, in exact numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sealtrace.paper.fact import Fact
from sealtrace.relations.facts import PrintedCell
from sealtrace.relations.families.paper import MAIN, Sheet
from sealtrace.relations.syntax import Expression, Given, call

MOST_COLUMNS = 36
_MOST_PARTS = 6

Floats = npt.NDArray[np.float64]
Scalar = float | Fraction
Value = TypeVar("Value", "Span", Expression)
"""A span or an expression: a formula is written once, and gives the one of columns and the other of cells."""


@dataclass(frozen=True, eq=False)
class Span:
    """An interval for each row; nan where there is no number."""

    low: Floats
    high: Floats

    @property
    def middle(self) -> Floats:
        """The printed values."""
        return (self.low + self.high) / 2

    def at(self, rows: Sequence[int]) -> Span:
        """Some of its rows."""
        return Span(self.low[rows], self.high[rows])

    def touches(self, other: Span) -> npt.NDArray[np.bool_]:
        """In which rows the two share a number."""
        return (self.low <= other.high) & (self.high >= other.low)

    def size(self) -> Span:
        """It without its sign."""
        least, most = np.minimum(abs(self.low), abs(self.high)), np.maximum(abs(self.low), abs(self.high))
        return Span(np.where((self.low <= 0) & (self.high >= 0), 0.0, least), most)

    def inverse(self) -> Span:
        """One over it; nan where it may be zero."""
        zero = (self.low <= 0) & (self.high >= 0)
        return Span(np.where(zero, np.nan, 1 / self.high), np.where(zero, np.nan, 1 / self.low))

    def __add__(self, other: Span | Floats | Scalar) -> Span:
        low, high = (other.low, other.high) if isinstance(other, Span) else (np.asarray(other, dtype=float),) * 2
        return Span(self.low + low, self.high + high)

    def __neg__(self) -> Span:
        return Span(-self.high, -self.low)

    def __sub__(self, other: Span | Scalar) -> Span:
        return self + -other

    def __rsub__(self, other: Scalar) -> Span:
        return -self + other

    def __mul__(self, other: Span | Scalar) -> Span:
        if not isinstance(other, Span):
            low, high = (self.low, self.high) if other >= 0 else (self.high, self.low)
            return Span(low * float(other), high * float(other))
        ends = [end * by for end in (self.low, self.high) for by in (other.low, other.high)]
        return Span(np.minimum.reduce(ends), np.maximum.reduce(ends))

    def __truediv__(self, other: Span | Scalar) -> Span:
        return self * (other.inverse() if isinstance(other, Span) else 1 / other)

    def __rtruediv__(self, other: Scalar) -> Span:
        return self.inverse() * other

    __radd__, __rmul__ = __add__, __mul__


def total(*values: Value) -> Value:
    """The sum of spans or expressions."""
    if isinstance(values[0], Expression):
        return call("sum", *values)
    low, high = ([getattr(value, end) for value in values] for end in ("low", "high"))
    return Span(sum(low), sum(high))


def mean(*values: Value) -> Value:
    """The mean of spans or expressions."""
    if isinstance(values[0], Expression):
        return call("mean", *values)
    return total(*values) / len(values)


def function(name: str, value: Value) -> Value:
    """The root or the logarithm, which rise, of a span or an expression."""
    if isinstance(value, Expression):
        return call(name, value)
    rising = {"sqrt": np.sqrt, "log": np.log}[name]
    return Span(rising(value.low), rising(value.high))


@dataclass(frozen=True, eq=False)
class FactColumn(Span):
    """The numbers of a column, or of one part of its cells, row by row; or sums of such numbers."""

    place: int
    label: str
    members: tuple[tuple[Fact, ...], ...]
    """The numbers of each row: none, one, or several that are added."""
    part: str = ""
    """Which of the numbers of its cells it holds; nothing for the first, which the others speak of."""
    beside: Floats = field(default_factory=lambda: np.array(math.inf), repr=False)
    """For each row, over how wide a range the numbers of all columns lie."""

    @classmethod
    def of(cls, place: int, label: str, members: Iterable[Sequence[Fact]], **further: Any) -> FactColumn:
        """A column of these numbers."""
        rows = tuple(map(tuple, members))
        low, high = (
            np.array([sum(float(getattr(fact, end)) for fact in facts) if facts else math.nan for facts in rows])
            for end in ("low", "high")
        )
        return cls(low, high, place, label, rows, **further)

    @property
    def key(self) -> tuple[int, str]:
        """What tells it from others of its table."""
        return self.place, self.label

    @cached_property
    def facts(self) -> tuple[Fact | None, ...]:
        """The number of each row, where it is one."""
        return tuple(facts[0] if len(facts) == 1 else None for facts in self.members)

    @cached_property
    def spread(self) -> float:
        """Over how wide a range its numbers lie."""
        return spread(self.middle)

    @cached_property
    def decimals(self) -> int:
        """With how many decimals most of its numbers are printed."""
        several = [len(fact.text.partition(".")[2]) for facts in self.members for fact in facts]
        return max(set(several), key=several.count, default=0)

    @property
    def whole(self) -> bool:
        """Whether every number is a count."""
        return all(fact.exact for facts in self.members for fact in facts)

    def expression(self, row: int) -> Expression:
        """Its value in a row."""
        first, *others = map(Given, self.members[row])
        return call("sum", first, *others) if others else first

    def rounded(self) -> FactColumn:
        """The column with its integers read as rounded, unless its cells say that they are counts."""
        if self.part in ("k", "n"):
            return self
        members = [[fact.rounded() if fact.exact else fact for fact in facts] for facts in self.members]
        return FactColumn.of(self.place, self.label, members, part=self.part, beside=self.beside)

    def of_row(self, row: int, name: str) -> FactColumn:
        """The number of one row beside every other row."""
        members = [() if place == row else self.members[row] for place in range(len(self.members))]
        return FactColumn.of(self.place, f"{self.label} of {name}", members, beside=self.beside)

    def above(self, starts: Iterable[int]) -> FactColumn:
        """Beside every row the number of the row above, except where a part of the table starts."""
        members = [() if row in {0, *starts} else self.members[row - 1] for row in range(len(self.members))]
        return FactColumn.of(self.place, f"{self.label} of the row above", members, beside=self.beside)

    def totals(self, blocks: Iterable[Sequence[int]]) -> FactColumn:
        """Beside every row the sum of its block, where each row of that has a number and they are not all nothing."""
        members: list[tuple[Fact, ...]] = [()] * len(self.members)
        for block in blocks:
            facts = tuple(fact for row in block for fact in self.members[row])
            for row in block if len(facts) == len(block) and any(fact.value for fact in facts) else ():
                members[row] = facts
        return FactColumn.of(self.place, f"the sum of {self.label}", members)


def columns_of(sheet: Sheet) -> list[FactColumn]:
    """The columns of a sheet; those whose cells have several numbers as one for each part."""
    found: list[FactColumn] = []
    for place in sheet.numeric_columns():
        entries = _of_one_kind([sheet.entry(row, place) for row in range(len(sheet.rows))])
        parts = [{_part(fact): fact for fact in entry.facts[::-1]} if entry is not None else {} for entry in entries]
        names = dict.fromkeys(_part(fact) for entry in entries if entry is not None for fact in entry.facts)
        for name in list(names)[:_MOST_PARTS]:
            members = [[numbers[name]] if name in numbers else [] for numbers in parts]
            if sum(map(len, members)) > 1:
                label = sheet.columns[place].label
                found.append(FactColumn.of(place, f"{label}.{name}" if name else label, members, part=name))
    kept = found[:MOST_COLUMNS]
    ranges = np.array([spread(values) for values in np.array([column.middle for column in kept]).T])
    return [replace(column, beside=ranges) for column in kept]


def _part(fact: Fact) -> str:
    return "" if fact.part is None or fact.part in MAIN else fact.part


def _of_one_kind(entries: list[PrintedCell | None]) -> list[PrintedCell | None]:
    """The cells of a column without the fewer ones that are in percent, or are not, where it has both."""
    percent = [entry is not None and "%" in entry.text for entry in entries]
    told = sum(entry is not None and bool(entry.facts) for entry in entries)
    usual = 2 * sum(percent) > told
    return [entry if kind == usual else None for entry, kind in zip(entries, percent, strict=True)]


def spread(values: Floats) -> float:
    """Over how wide a range unrelated values would lie: of evenly spread ones, their range; robust against outliers."""
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return 0.0
    first, second = _pairs(len(known))
    gaps = np.sort(np.abs(known[first] - known[second]))
    return 1.7 * float(gaps[len(gaps) // 2] + gaps[(len(gaps) - 1) // 2])


@cache
def _pairs(size: int) -> tuple[npt.NDArray[np.int_], ...]:
    return np.triu_indices(size, 1)
