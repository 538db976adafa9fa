"""Proofs that linear comparisons cannot hold together: multiply each line, add them up, and see."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sealtrace.relations.intervals import Interval
from sealtrace.relations.linear import Conflict, Row, added_up, is_conflict
from sealtrace.relations.rendering import number_text


@dataclass(frozen=True)
class Line:
    """One comparison of a proof, and what it is multiplied by."""

    multiplier: Fraction
    relation: str
    row: Row

    def __str__(self) -> str:
        left = combination_text(self.row.coefficients)
        return f"{_number(self.multiplier)} × ({left} {self.row.operator} {_number(self.row.bound)})"


@dataclass(frozen=True)
class Certificate:
    """Lines whose multiplied sum no values within the intervals satisfy."""

    lines: tuple[Line, ...]
    intervals: Mapping[str, Interval]

    @property
    def total(self) -> tuple[dict[str, Fraction], Fraction]:
        """The left and the right side of the sum."""
        return added_up(
            [line.row for line in self.lines], {place: one.multiplier for place, one in enumerate(self.lines)}
        )

    @property
    def least(self) -> Fraction:
        """The least value of the left side within the intervals."""
        return sum((one * self._end(name, one) for name, one in self.total[0].items()), Fraction(0))

    def holds(self) -> bool:
        """Whether the proof is one."""
        rows = [line.row for line in self.lines]
        return is_conflict(rows, self.intervals, {place: one.multiplier for place, one in enumerate(self.lines)})

    def tightest(self) -> tuple[tuple[str, Fraction], ...]:
        """The values at which the sum comes closest to holding."""
        return tuple((name, self._end(name, one)) for name, one in self.total[0].items())

    def text(self) -> list[str]:
        """The proof, line by line."""
        left, bound = self.total
        strict = any(line.row.operator == "<" for line in self.lines)
        needed = f"added up: {combination_text(left)} {'<' if strict else '<='} {_number(bound)}"
        return [*map(str, self.lines), f"{needed}, but within the intervals it is at least {_number(self.least)}"]

    def _end(self, name: str, coefficient: Fraction) -> Fraction:
        end = self.intervals[name].low if coefficient > 0 else self.intervals[name].high
        assert isinstance(end, Fraction)
        return end


def certificate_of(
    conflict: Conflict, rows: list[Row], relations: list[str], box: Mapping[str, Interval]
) -> Certificate:
    """The proof that a conflict is; multipliers are scaled to small whole numbers where that is possible."""
    used = {place: one for place, one in conflict.multipliers.items() if one}
    scale = _scale(list(used.values()))
    lines = tuple(_upright(Line(one * scale, relations[place], rows[place])) for place, one in used.items())
    names = {name for line in lines for name in line.row.coefficients}
    return Certificate(lines, {name: box[name] for name in names})


def _upright(line: Line) -> Line:
    """An equation that is subtracted is easier to follow with its sides' signs changed and added."""
    if line.multiplier >= 0:
        return line
    turned = Row({name: -one for name, one in line.row.coefficients.items()}, line.row.operator, -line.row.bound)
    return Line(-line.multiplier, line.relation, turned)


def _scale(multipliers: list[Fraction]) -> Fraction:
    bottom = math.lcm(*(one.denominator for one in multipliers))
    top = math.gcd(*(int(one * bottom) for one in multipliers))
    return Fraction(bottom, top or 1)


def combination_text(coefficients: Mapping[str, Fraction]) -> str:
    """Multiples of variables, for readers."""
    text = ""
    for name, one in coefficients.items():
        sign = ("-" if one < 0 else "") if not text else (" - " if one < 0 else " + ")
        text += sign + ("" if abs(one) == 1 else f"{_number(abs(one))} × ") + name
    return text or "0"


def _number(value: Fraction) -> str:
    return number_text(value).strip("()")
