"""Whether a formula can be true of the values in a box: cases are narrowed, decided or divided until none is left."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product as every_combination
from typing import Literal

from sealtrace.relations.cases import Case, assumed, settled, starting_case
from sealtrace.relations.contraction import EmptyError, Evaluation, contract, possibly
from sealtrace.relations.forms import PIECEWISE, Atom, Form, Operation, replaced, variable
from sealtrace.relations.intervals import Interval, TooLargeError, point
from sealtrace.relations.linear import Conflict, Row, solve
from sealtrace.relations.slopes import occurrences, tight_range
from sealtrace.relations.syntax import Formula
from sealtrace.relations.witness import find_witness
from sealtrace.relations.work import OutOfWorkError, Work

_ENUMERATED = 24
_MAX_IRRATIONAL = 3
_FINEST = Fraction(1, 2**60)


@dataclass(frozen=True)
class Answer:
    """What a search found."""

    status: Literal["possible", "impossible", "unknown"]
    values: Mapping[str, Interval] | None = None
    """Where it is possible: one solution, up to irrational digits."""
    case: Case | None = None
    """The case that the solution belongs to, with its integers fixed."""
    reason: str = ""
    """Where it is unknown: what was missing."""


def search(formula: Formula, work: Work | None = None, widened: Mapping[str, Interval] | None = None) -> Answer:
    """Decides whether some values make a formula true; `widened` gives facts other intervals than they print."""
    work = work or Work()
    try:
        start = starting_case(formula, widened)
        return search_case(start, work) if start is not None else Answer("impossible")
    except EmptyError:
        return Answer("impossible")
    except TooLargeError as error:
        return Answer("unknown", reason=str(error))


def search_case(start: Case, work: Work) -> Answer:
    """Decides whether a case has a solution."""
    waiting = [start]
    reason = ""
    try:
        while waiting:
            work.open_box()
            case = waiting.pop()
            box, steps = contract(case.box, list(case.atoms), case.integers)
            work.spend(steps + 1)
            narrowed = None if box is None else settled(replace(case, box=box))
            if narrowed is None:
                continue
            step = _decide(narrowed, case, start, work)
            if isinstance(step, Answer):
                if step.status == "possible":
                    return step
                reason = reason or step.reason
            else:
                waiting.extend(reversed(step))
    except OutOfWorkError as error:
        return Answer("unknown", reason=str(error))
    return Answer("unknown", reason=reason) if reason else Answer("impossible")


def _decide(case: Case, before: Case, start: Case, work: Work) -> Answer | list[Case]:
    """An answer for the narrowed case, or the smaller cases that it divides into."""
    if case.choices:
        first, *rest = sorted(case.choices, key=lambda choice: len(choice.parts))
        smaller = replace(case, choices=tuple(rest))
        return [one for part in first.parts if (one := assumed(smaller, part, first.names)) is not None]
    if not case.atoms:
        return Answer("possible", {name: _any(case, name) for name in case.box}, case)
    unequal = next((atom for atom in case.atoms if atom.operator == "!="), None)
    if all(atom.form.is_linear for atom in case.atoms):
        return _apart(case, unequal) if unequal is not None else _linear(case, work)
    found = find_witness(case, before, work)
    if found is not None:
        used = {name for atom in case.atoms for name in atom.form.variables}
        return Answer("possible", {name: found[name] if name in used else _any(case, name) for name in case.box}, case)
    for atom in case.atoms:
        value, steps = _range(atom.form, case)
        work.spend(steps)
        if value is None or not possibly(atom.operator, value):
            return []
    operations = [one for atom in case.atoms for one in atom.form.operations()]
    if all(not form.variables for one in operations for form in one.arguments) and unequal is None:
        return _irrational(case, work)
    piecewise = next((one for one in operations if one.kind in PIECEWISE), None)
    if piecewise is not None:
        return list(_pieces(case, piecewise))
    if case.open_integers():
        return _integers(case)
    work.halve()
    return _halves(case, start)


def _range(form: Form, case: Case) -> tuple[Interval | None, int]:
    try:
        return tight_range(form, case.box)
    except EmptyError:
        return None, 1


def _any(case: Case, name: str) -> Interval:
    """A value of a variable that nothing depends on any more."""
    middle = case.box[name].middle()
    return point(Fraction(math.floor(middle)) if name in case.integers else middle)


# Linear cases


def rows_of(atoms: tuple[Atom, ...]) -> list[Row]:
    """Linear comparisons as rows."""
    return [
        Row(
            {leaf: one for leaf, one in atom.form.terms.items() if isinstance(leaf, str)},
            atom.operator,
            -atom.form.constant,
        )
        for atom in atoms
    ]


def _linear(case: Case, work: Work) -> Answer | list[Case]:
    found = solve(rows_of(case.atoms), case.box, work)
    if isinstance(found, Conflict):
        return []
    fractional = [name for name in case.open_integers() if found.values[name].denominator != 1]
    if fractional:
        return _integers(case)
    values = {name: point(found.values[name]) if name in found.values else _any(case, name) for name in case.box}
    return Answer("possible", values, case)


def _apart(case: Case, unequal: Atom) -> list[Case]:
    """Not equal is less or greater."""
    rest = tuple(atom for atom in case.atoms if atom is not unequal)
    return [replace(case, atoms=(*rest, Atom(unequal.form.times(Fraction(sign)), "<"))) for sign in (1, -1)]


def _irrational(case: Case, work: Work) -> Answer | list[Case]:
    """Linear but for irrational constants: impossible if so for all values near them, possible if so at the corners.

    What is possible at every corner is possible in between, because the constants enter linearly.
    """
    outer = list(dict.fromkeys(one for atom in case.atoms for one in atom.form.terms if isinstance(one, Operation)))
    values = Evaluation(case.box)
    ranges = {one: values.leaf(one) for one in outer}
    names = {one: f"constant {place}" for place, one in enumerate(outer)}
    renamed = tuple(
        Atom(replaced(atom.form, {one: variable(name) for one, name in names.items()}), atom.operator)
        for atom in case.atoms
    )
    wide = {**case.box, **{names[one]: ranges[one] for one in outer}}
    relaxed = solve(rows_of(renamed), wide, work)
    if isinstance(relaxed, Conflict):
        return []
    if case.open_integers():
        return _integers(case)
    if len(outer) > _MAX_IRRATIONAL:
        return Answer("unknown", reason="too many irrational constants")
    for corner in every_combination(*([ranges[one].low, ranges[one].high] for one in outer)):
        fixed = {name: point(Fraction(value)) for name, value in zip(names.values(), corner, strict=True)}
        if isinstance(solve(rows_of(renamed), {**wide, **fixed}, work), Conflict):
            return Answer("unknown", reason="no precision tried separates the two sides")
    return Answer(
        "possible",
        {**case.box, **{name: point(value) for name, value in relaxed.values.items() if name in case.box}},
        case,
    )


# Dividing


def _pieces(case: Case, operation: Operation) -> Iterator[Case]:
    """An absolute value, a minimum or a maximum is one of its pieces."""
    if operation.kind == "abs":
        inner = operation.arguments[0]
        alternatives = [inner, inner.times(Fraction(-1))]
    else:
        alternatives = list(operation.arguments)
    for chosen in alternatives:
        bounds = []
        for other in alternatives:
            if other is not chosen:
                gap = other.plus(chosen, Fraction(-1))
                bounds.append(Atom(gap.times(Fraction(-1)) if operation.kind == "min" else gap, "<="))
        atoms = [Atom(replaced(atom.form, {operation: chosen}), atom.operator) for atom in case.atoms]
        yield replace(case, atoms=(*atoms, *bounds))


def _integers(case: Case) -> Answer | list[Case]:
    """One integer takes each of its values, or one of two ranges."""
    name = min(case.open_integers(), key=lambda one: (case.box[one].width, one))
    low, high = case.box[name].low, case.box[name].high
    if not (isinstance(low, Fraction) and isinstance(high, Fraction)):
        return Answer("unknown", reason=f"nothing bounds the integer {name}")
    if high - low < _ENUMERATED:
        ranges = [point(low + step) for step in range(int(high - low) + 1)]
    else:
        middle = Fraction(int(low + high) // 2)
        ranges = [Interval(low, middle), Interval(middle + 1, high)]
    return [replace(case, box={**case.box, name: one}) for one in ranges]


def _halves(case: Case, start: Case) -> Answer | list[Case]:
    """The variable with the most room left, relative to what it had, in two halves."""
    counts = {name for atom in case.atoms for name, times in occurrences(atom.form).items() if times > 1}
    used = counts or {name for atom in case.atoms for name in atom.form.variables}
    open_names = sorted(name for name in used if not case.box[name].is_point)
    if not open_names:
        return Answer("unknown", reason="no precision tried separates the two sides")
    if any(not case.box[name].is_bounded for name in open_names):
        return Answer("unknown", reason="an unknown without bounds enters a product or a function")

    def room(name: str) -> Fraction:
        had = start.box.get(name, case.box[name])
        return Fraction(case.box[name].width) / Fraction(had.width if had.is_bounded and had.width else 1)

    name = max(open_names, key=room)
    if room(name) < _FINEST:
        return Answer("unknown", reason="no precision tried separates the two sides")
    middle = case.box[name].middle()
    halves = [Interval(case.box[name].low, middle), Interval(middle, case.box[name].high)]
    return [replace(case, box={**case.box, name: half}) for half in halves]
