"""Linear comparisons over a box, decided in rational numbers: a solution, or multipliers that show that there is none.

The method is the simplex method in the form that SMT solvers use (Dutertre and de Moura, 2006): each row has a slack
variable with bounds, and a row whose bounds no variable can meet is the proof. Strict bounds carry an infinitesimal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from sealtrace.relations.forms import Atom, LinearForm, added, bare, constant
from sealtrace.relations.intervals import Interval, point
from sealtrace.relations.work import spend

if TYPE_CHECKING:
    from flint import fmpq

# Taking the variable that is furthest out needs fewer pivots, but may go in a circle. After so many, Bland's rule
# (the first in order) takes over, which always ends.
_GREEDY_PIVOTS = 200


@dataclass(frozen=True)
class LinearCertificate:
    """A proof that a reader can follow: multiply the comparisons, add them up, and see that no values satisfy them."""

    lines: tuple[tuple[Fraction, Atom], ...]
    """Comparisons, and what each is multiplied by: nothing negative."""
    intervals: Mapping[str, Interval]

    @cached_property
    def total(self) -> Atom:
        """The sum of the multiplied comparisons."""
        strict = any(atom.operator == "<" for _, atom in self.lines)
        return Atom(added((atom.form, multiplier) for multiplier, atom in self.lines), "<" if strict else "<=")

    def holds(self) -> bool:
        """Whether the proof is one; nothing but addition is needed to see it."""
        return self.total.truth(self.intervals) is False and all(multiplier > 0 for multiplier, _ in self.lines)

    def tightest(self) -> tuple[tuple[str, Fraction], ...]:
        """The values at which the sum comes closest to holding."""
        ends = ((name, self.intervals[name], factor) for name, factor in self.total.form.terms.items())
        return tuple((name, Fraction(box.low if factor > 0 else box.high)) for name, box, factor in ends)

    def text(self) -> list[str]:
        """The proof, line by line."""
        least = bare(Fraction(LinearForm(self.total.form.terms).over(self.intervals).low))
        lines = [f"{bare(multiplier)} × ({atom})" for multiplier, atom in self.lines]
        return [*lines, f"added up: {self.total}, but within the intervals it is at least {least}"]


def solve(atoms: Sequence[Atom], box: Mapping[str, Interval]) -> dict[str, Fraction] | LinearCertificate:
    """Values in the box that satisfy every comparison, or a proof that there are none; checked before it is given."""
    tableau = _Tableau(atoms, box)
    multipliers = tableau.make_feasible()
    if multipliers is None:
        return tableau.values()
    # Small whole numbers, where that is possible.
    used = {place: multiplier for place, multiplier in multipliers.items() if multiplier}
    bottom = math.lcm(*(multiplier.denominator for multiplier in used.values()))
    scale = Fraction(bottom, math.gcd(*(int(multiplier * bottom) for multiplier in used.values())) or 1)
    lines = []
    for place, multiplier in used.items():
        atom = atoms[place]
        if multiplier < 0 and atom.operator == "==":
            # An equation that is subtracted is easier to follow with its sides' signs changed and added.
            atom = replace(atom, form=-atom.form)
        lines.append((abs(multiplier) * scale, atom))
    proof = LinearCertificate(tuple(lines), {name: box[name] for _, atom in lines for name in atom.form.terms})
    assert proof.holds(), "a certificate that proves nothing"
    return proof


def minimize(objective: LinearForm, atoms: Sequence[Atom], box: Mapping[str, Interval]) -> Fraction | None:
    """The least value of the objective; None where no values satisfy the comparisons.

    It is asked to be as small as the box allows, and each proof that it cannot be says how large it must be at least.
    The box must bound it, and comparisons must not be strict.
    """
    least = Fraction(objective.over(box).low)
    bounded = [*atoms, Atom(objective - constant(least), "<=")]
    tableau = _Tableau(bounded, box)
    while (multipliers := tableau.make_feasible()) is not None:
        if not (weight := multipliers.get(len(atoms))):
            return None
        total = added((bounded[place].form, multiplier) for place, multiplier in multipliers.items())
        # The other comparisons are at most 0, so weight * (objective - least) is at least what the sum of all is at
        # its smallest.
        least += Fraction(total.over(box).low) / weight
        bounded[-1] = Atom(objective - constant(least), "<=")
        # Only the bound of the last row changes, so the tableau goes on from where it stands.
        tableau.high[-1] = (_fast(-bounded[-1].form.constant), tableau.zero)
    tableau.values()
    return least


Delta = tuple["fmpq", "fmpq"]
"""A number and a multiple of an infinitesimal. Inside the tableau numbers are flint's: ten times as fast."""


@dataclass
class _Tableau:
    given: Sequence[Atom]
    box: Mapping[str, Interval]
    names: list[str] = field(default_factory=list)
    rows: dict[int, dict[int, fmpq]] = field(default_factory=dict)
    """Each basic variable as multiples of the others."""
    low: list[Delta | None] = field(default_factory=list)
    high: list[Delta | None] = field(default_factory=list)
    now: list[Delta] = field(default_factory=list)
    zero: fmpq = field(init=False)

    def __post_init__(self) -> None:
        self.names = list(dict.fromkeys(name for atom in self.given for name in atom.form.terms))
        zero = self.zero = _fast(Fraction(0))
        place = {name: number for number, name in enumerate(self.names)}
        for name in self.names:
            low, high = self.box[name].low, self.box[name].high
            self.low.append((_fast(low), zero) if isinstance(low, Fraction) else None)
            self.high.append((_fast(high), zero) if isinstance(high, Fraction) else None)
            # Variables of the box begin at a bound, so that only rows can be outside of theirs.
            self.now.append(self.low[-1] or self.high[-1] or (zero, zero))
        for number, atom in enumerate(self.given, start=len(self.names)):
            self.rows[number] = {place[name]: _fast(factor) for name, factor in atom.form.terms.items()}
            # A strict bound is one infinitesimal below: numbers are compared first, infinitesimals where these tie.
            bound, below = _fast(-atom.form.constant), _fast(Fraction(-(atom.operator == "<")))
            self.low.append((bound, zero) if atom.operator == "==" else None)
            self.high.append((bound, below))
            self.now.append(self._computed(self.rows[number]))

    def _computed(self, row: dict[int, fmpq]) -> Delta:
        first = sum((rate * self.now[other][0] for other, rate in row.items()), start=self.zero)
        return first, sum((rate * self.now[other][1] for other, rate in row.items()), start=self.zero)

    def make_feasible(self) -> dict[int, Fraction] | None:
        """Moves every variable into its bounds; multipliers of the rows where that cannot be done."""
        pivots = 0
        while True:
            basic, target = self._worst(greedy=pivots < _GREEDY_PIVOTS)
            if basic < 0:
                return None
            rises = self.now[basic] < target
            row = sorted(self.rows[basic].items())
            entering = next((other for other, rate in row if self._can_move(other, (rate > 0) == rises)), None)
            # Every variable of the row stands at the bound that holds it back: the row and these bounds are the proof.
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
        found = {other - first: sign * _exact(rate) for other, rate in self.rows[basic].items() if other >= first}
        if basic >= first:
            found[basic - first] = Fraction(-sign)
        return dict(sorted(found.items()))

    def _move(self, basic: int, entering: int, target: Delta) -> None:
        """Brings a basic variable to a bound by moving another one, which takes its place in the basis."""
        rate, gap = self.rows[basic][entering], _less(target, self.now[basic])
        step = gap[0] / rate, gap[1] / rate
        for moved, times in [(entering, 1), *((other, row.get(entering)) for other, row in self.rows.items())]:
            if times:
                now = self.now[moved]
                self.now[moved] = (now[0] + times * step[0], now[1] + times * step[1])
        self._pivot(basic, entering)

    def _pivot(self, basic: int, entering: int) -> None:
        row = self.rows.pop(basic)
        rate = row.pop(entering)
        solved = {other: -factor / rate for other, factor in row.items()}
        solved[basic] = 1 / rate
        steps = len(solved)
        for other_row in self.rows.values():
            times = other_row.pop(entering, None)
            if times is None:
                continue
            steps += len(solved)
            for other, number in solved.items():
                total = other_row.get(other, self.zero) + times * number
                if total != 0:
                    other_row[other] = total
                else:
                    other_row.pop(other, None)
        self.rows[entering] = solved
        spend(steps)

    def values(self) -> dict[str, Fraction]:
        """The variables' values, with the infinitesimal made small enough; checked before they are given."""
        # The largest number for the infinitesimal that keeps every pair in order: where numbers are in order and
        # infinitesimals are not, it must not exceed their ratio.
        small = _fast(Fraction(1))
        for now, low, high in zip(self.now, self.low, self.high, strict=True):
            for less, more in ((low, now), (now, high)):
                if less is not None and more is not None and less[0] < more[0] and less[1] > more[1]:
                    small = min(small, (more[0] - less[0]) / (less[1] - more[1]))
        found = {name: _exact(now[0] + now[1] * small) for name, now in zip(self.names, self.now, strict=False)}
        points = {name: point(value) for name, value in found.items()}
        inside = all(self.box[name].holds(value) for name, value in found.items())
        assert all([inside, *(atom.truth(points) for atom in self.given)]), "a solution that is none"
        return found


def _less(a: Delta, b: Delta) -> Delta:
    return a[0] - b[0], a[1] - b[1]


def _fast(value: Fraction) -> fmpq:
    from flint import fmpq

    return fmpq(value.numerator, value.denominator)


def _exact(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
