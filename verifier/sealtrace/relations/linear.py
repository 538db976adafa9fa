"""Linear comparisons over a box, decided in rational numbers: a solution, or multipliers that show that there is none.

The method is the simplex method in the form that SMT solvers use (Dutertre and de Moura, 2006): each row has a slack
variable with bounds, and a row whose bounds no variable can meet is the proof. Strict bounds carry an infinitesimal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from sealtrace.relations.intervals import Bound, Interval
from sealtrace.relations.rendering import number_text
from sealtrace.relations.work import spend

if TYPE_CHECKING:
    from flint import fmpq

Coefficients = Mapping[str, Fraction]
_ZERO = Fraction(0)
_GREEDY_PIVOTS = 200


@dataclass(frozen=True)
class Row:
    """Multiples of variables, compared with a number: ==, <= or <."""

    coefficients: Coefficients
    operator: str
    bound: Fraction
    relation: str = ""
    """Whose comparison it is."""

    def __str__(self) -> str:
        text = ""
        for name, one in self.coefficients.items():
            sign = ("-" if one < 0 else "") if not text else (" - " if one < 0 else " + ")
            text += sign + ("" if abs(one) == 1 else f"{_number(abs(one))} × ") + name
        return f"{text or '0'} {self.operator} {_number(self.bound)}"


@dataclass(frozen=True)
class Solution:
    """Values that satisfy every row and lie in the box."""

    values: dict[str, Fraction]


@dataclass(frozen=True)
class Certificate:
    """A proof that a reader can follow: multiply each row, add them up, and see that no values satisfy the sum."""

    lines: tuple[tuple[Fraction, Row], ...]
    """Rows, and what each is multiplied by: nothing negative."""
    intervals: Mapping[str, Interval]

    @cached_property
    def total(self) -> Row:
        """The sum of the multiplied rows."""
        return added_up(self.lines)

    def holds(self) -> bool:
        """Whether the proof is one; nothing but addition is needed to see it."""
        least = least_of(self.total.coefficients, self.intervals)
        refuted = least > self.total.bound or (self.total.operator == "<" and least == self.total.bound)
        return refuted and all(multiplier > 0 for multiplier, _ in self.lines)

    def tightest(self) -> tuple[tuple[str, Fraction], ...]:
        """The values at which the sum comes closest to holding."""
        ends = ((name, self.intervals[name], one) for name, one in self.total.coefficients.items())
        return tuple((name, Fraction(box.low if one > 0 else box.high)) for name, box, one in ends)

    def text(self) -> list[str]:
        """The proof, line by line."""
        least = _number(Fraction(least_of(self.total.coefficients, self.intervals)))
        lines = [f"{_number(multiplier)} × ({row})" for multiplier, row in self.lines]
        return [*lines, f"added up: {self.total}, but within the intervals it is at least {least}"]


def added_up(lines: Iterable[tuple[Fraction, Row]]) -> Row:
    """The sum of multiplied rows."""
    total: dict[str, Fraction] = {}
    bound, operator = _ZERO, "<="
    for multiplier, row in lines:
        for name, one in row.coefficients.items():
            total[name] = total.get(name, _ZERO) + multiplier * one
        bound += multiplier * row.bound
        operator = "<" if row.operator == "<" and multiplier else operator
    return Row({name: one for name, one in total.items() if one}, operator, bound)


def least_of(coefficients: Coefficients, box: Mapping[str, Interval]) -> Bound:
    """The least value of multiples of variables within the box."""
    ends = ((one, box[name].low if one > 0 else box[name].high) for name, one in coefficients.items() if one)
    return sum((one * end for one, end in ends), _ZERO)


def satisfies(rows: Sequence[Row], box: Mapping[str, Interval], values: Mapping[str, Fraction]) -> bool:
    """Whether values lie in the box and satisfy every row."""
    for row in rows:
        left = sum((one * values[name] for name, one in row.coefficients.items()), start=_ZERO)
        if not {"==": left == row.bound, "<=": left <= row.bound, "<": left < row.bound}[row.operator]:
            return False
    return all(box[name].holds(value) for name, value in values.items())


def solve(rows: Sequence[Row], box: Mapping[str, Interval]) -> Solution | Certificate:
    """Decides whether all rows can hold within the box. Either answer is checked before it is given."""
    tableau = _Tableau(rows, box)
    multipliers = tableau.make_feasible()
    if multipliers is None:
        values = tableau.values()
        assert satisfies(rows, box, values), "a solution that is none"
        return Solution(values)
    # Small whole numbers, where that is possible.
    used = {place: one for place, one in multipliers.items() if one}
    bottom = math.lcm(*(one.denominator for one in used.values()))
    scale = Fraction(bottom, math.gcd(*(int(one * bottom) for one in used.values())) or 1)
    lines = []
    for place, one in used.items():
        row = rows[place]
        if one < 0 and row.operator == "==":
            # An equation that is subtracted is easier to follow with its sides' signs changed and added.
            row = replace(row, coefficients={name: -each for name, each in row.coefficients.items()}, bound=-row.bound)
        lines.append((abs(one) * scale, row))
    proof = Certificate(tuple(lines), {name: box[name] for _, row in lines for name in row.coefficients})
    assert proof.holds(), "a certificate that proves nothing"
    return proof


def minimize(objective: Coefficients, rows: Sequence[Row], box: Mapping[str, Interval]) -> Fraction | None:
    """The least value of the objective; None where no values satisfy the rows.

    It is asked to be as small as the box allows, and each proof that it cannot be says how large it must be at least.
    The box must bound it, and rows must not be strict.
    """
    bounded = [*rows, Row(objective, "<=", Fraction(least_of(objective, box)))]
    tableau = _Tableau(bounded, box)
    while (multipliers := tableau.make_feasible()) is not None:
        if not (weight := multipliers.get(len(rows))):
            return None
        wanted = bounded[-1]
        total = added_up((one, bounded[place]) for place, one in multipliers.items())
        bound = wanted.bound + (Fraction(least_of(total.coefficients, box)) - total.bound) / weight
        bounded[-1] = replace(wanted, bound=bound)
        tableau.high[-1] = (_fast(bound), tableau.zero)
    assert satisfies(bounded, box, tableau.values()), "a solution that is none"
    return bounded[-1].bound


Delta = tuple["fmpq", "fmpq"]
"""A number and a multiple of an infinitesimal. Inside the tableau numbers are flint's: ten times as fast."""


@dataclass
class _Tableau:
    given: Sequence[Row]
    box: Mapping[str, Interval]
    names: list[str] = field(default_factory=list)
    rows: dict[int, dict[int, fmpq]] = field(default_factory=dict)
    """Each basic variable as multiples of the others."""
    low: list[Delta | None] = field(default_factory=list)
    high: list[Delta | None] = field(default_factory=list)
    now: list[Delta] = field(default_factory=list)
    zero: fmpq = field(init=False)

    def __post_init__(self) -> None:
        self.names = list(dict.fromkeys(name for row in self.given for name in row.coefficients))
        zero = self.zero = _fast(_ZERO)
        place = {name: number for number, name in enumerate(self.names)}
        for name in self.names:
            low, high = self.box[name].low, self.box[name].high
            self.low.append((_fast(low), zero) if isinstance(low, Fraction) else None)
            self.high.append((_fast(high), zero) if isinstance(high, Fraction) else None)
            self.now.append(self.low[-1] or self.high[-1] or (zero, zero))
        for number, row in enumerate(self.given, start=len(self.names)):
            self.rows[number] = {place[name]: _fast(one) for name, one in row.coefficients.items() if one}
            bound, below = _fast(row.bound), _fast(Fraction(-(row.operator == "<")))
            self.low.append((bound, zero) if row.operator == "==" else None)
            self.high.append((bound, below))
            self.now.append(self._computed(self.rows[number]))

    def _computed(self, row: dict[int, fmpq]) -> Delta:
        first = sum((one * self.now[other][0] for other, one in row.items()), start=self.zero)
        return first, sum((one * self.now[other][1] for other, one in row.items()), start=self.zero)

    def make_feasible(self) -> dict[int, Fraction] | None:
        """Moves every variable into its bounds; multipliers of the rows where that cannot be done."""
        pivots = 0
        while True:
            basic, target = self._worst(greedy=pivots < _GREEDY_PIVOTS)
            if basic < 0:
                return None
            rises = self.now[basic] < target
            entering = next(
                (other for other, one in sorted(self.rows[basic].items()) if self._can_move(other, (one > 0) == rises)),
                None,
            )
            if entering is None:
                return self._multipliers(basic, rises=rises)
            self._move(basic, entering, target)
            pivots += 1

    def _worst(self, *, greedy: bool) -> tuple[int, Delta]:
        """A basic variable outside its bounds, and the bound; the first one in order guarantees an end."""
        found, target, most = -1, (self.zero, self.zero), (self.zero, self.zero)
        for basic in sorted(self.rows):
            now, low, high = self.now[basic], self.low[basic], self.high[basic]
            bound = low if low is not None and now < low else high if high is not None and now > high else None
            if bound is None:
                continue
            distance = max(_less(bound, now), _less(now, bound))
            if not greedy:
                return basic, bound
            if found < 0 or distance > most:
                found, target, most = basic, bound, distance
        return found, target

    def _can_move(self, variable: int, up: bool) -> bool:
        bound = self.high[variable] if up else self.low[variable]
        return bound is None or (self.now[variable] < bound if up else self.now[variable] > bound)

    def _multipliers(self, basic: int, *, rises: bool) -> dict[int, Fraction]:
        sign = 1 if rises else -1
        first = len(self.names)
        found = {other - first: sign * _exact(one) for other, one in self.rows[basic].items() if other >= first}
        if basic >= first:
            found[basic - first] = Fraction(-sign)
        return dict(sorted(found.items()))

    def _move(self, basic: int, entering: int, target: Delta) -> None:
        """Brings a basic variable to a bound by moving another one, which takes its place in the basis."""
        rate, gap = self.rows[basic][entering], _less(target, self.now[basic])
        step = gap[0] / rate, gap[1] / rate
        for moved, one in [(entering, 1), *((other, row.get(entering)) for other, row in self.rows.items())]:
            if one:
                now = self.now[moved]
                self.now[moved] = (now[0] + one * step[0], now[1] + one * step[1])
        self._pivot(basic, entering)

    def _pivot(self, basic: int, entering: int) -> None:
        row = self.rows.pop(basic)
        rate = row.pop(entering)
        solved = {other: -one / rate for other, one in row.items()}
        solved[basic] = 1 / rate
        steps = len(solved)
        for other_row in self.rows.values():
            one = other_row.pop(entering, None)
            if one is None:
                continue
            steps += len(solved)
            for other, number in solved.items():
                total = other_row.get(other, self.zero) + one * number
                if total != 0:
                    other_row[other] = total
                else:
                    other_row.pop(other, None)
        self.rows[entering] = solved
        spend(steps)

    def values(self) -> dict[str, Fraction]:
        """The variables' values, with the infinitesimal made small enough."""
        small = _fast(Fraction(1))
        for now, low, high in zip(self.now, self.low, self.high, strict=True):
            for less, more in ((low, now), (now, high)):
                if less is not None and more is not None and less[0] < more[0] and less[1] > more[1]:
                    small = min(small, (more[0] - less[0]) / (less[1] - more[1]))
        return {name: _exact(self.now[place][0] + self.now[place][1] * small) for place, name in enumerate(self.names)}


def _less(a: Delta, b: Delta) -> Delta:
    return a[0] - b[0], a[1] - b[1]


def _fast(value: Fraction) -> fmpq:
    from flint import fmpq

    return fmpq(value.numerator, value.denominator)


def _exact(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _number(value: Fraction) -> str:
    return number_text(value).strip("()")
