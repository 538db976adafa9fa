"""Whether a formula can be true of the values in a box: cases are narrowed, decided or divided until none is left."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from sealtrace.relations.cases import Alternatives, Case, assumed, narrowed, starting_case
from sealtrace.relations.forms import Atom, Box, FormFunction
from sealtrace.relations.intervals import EmptyError, Interval, TooLargeError, point
from sealtrace.relations.linear import LinearCertificate, solve
from sealtrace.relations.syntax import Formula
from sealtrace.relations.work import OutOfWorkError, Work, spend

# Relative to the size of a number: far below any printed digit, far above what rational arithmetic needs.
_TINY = Fraction(1, 2**100)
_MOST_WITNESSED = 60
"""How many variables are fixed one after another."""
# Of the width that a variable had at first: what sixty halvings do not decide, more will not.
_FINEST = Fraction(1, 2**60)
_CASE, _HALVING = 60, 600
"""Steps that a case and a division of a range of real numbers cost besides their arithmetic."""


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
    try:
        with work or Work():
            try:
                start = starting_case(formula, widened)
            except EmptyError:
                return Answer("impossible")
            return _searched(start)
    except (TooLargeError, OutOfWorkError) as error:
        return Answer("unknown", reason=str(error))


def _searched(start: Case) -> Answer:
    # Depth first, like a stack: a solution ends the search, so going deep finds one with few cases in memory.
    waiting = [iter([start])]
    reason = ""
    while waiting:
        if (case := next(waiting[-1], None)) is None:
            waiting.pop()
            continue
        spend(_CASE)
        left = narrowed(case)
        if left is None:
            continue
        step = _decide(left, case, start)
        if not isinstance(step, Answer):
            # A smaller case is made only when its turn comes: most searches end at the first that has a solution.
            waiting.append(iter(step))
        elif step.status == "possible":
            return step
        else:
            reason = reason or step.reason
    return Answer("unknown", reason=reason) if reason else Answer("impossible")


def _decide(case: Case, before: Case, start: Case) -> Answer | Iterable[Case]:
    """An answer for the narrowed case, or the smaller cases that it divides into."""
    if case.choices:
        # The choice with the fewest alternatives first: each alternative repeats all that is still undecided.
        return _alternatives(case, *sorted(case.choices, key=lambda alternatives: len(alternatives.parts)))
    if not case.atoms:
        return Answer("possible", {name: _any(case, name) for name in case.names}, case)
    if case.is_linear:
        unequal = next((atom for atom in case.atoms if atom.operator == "!="), None)
        return _apart(case, unequal) if unequal is not None else _linear(case)
    # Before dividing: most formulas are true of the printed numbers, and values that show it are found at once.
    found = _witness(case, before)
    if found is not None:
        return Answer("possible", {name: found.get(name) or _any(case, name) for name in case.names}, case)
    if (largest := next((each for each in case.operations if each.kind == "max"), None)) is not None:
        return _pieces(case, largest)
    return _halves(case, start)


def _alternatives(case: Case, first: Alternatives, *rest: Alternatives) -> Iterator[Case]:
    smaller = replace(case, choices=rest)
    for part in first.parts:
        with suppress(EmptyError):
            yield assumed(smaller, part, first.names)


def _any(case: Case, name: str) -> Interval:
    """A value of a variable that nothing depends on any more."""
    middle = case.box[name].middle()
    return point(Fraction(math.floor(middle)) if name in case.integers else middle)


# Linear cases


def _linear(case: Case) -> Answer | list[Case]:
    found = solve([atom for atom in case.atoms if atom.operator != "!="], case.box)
    if isinstance(found, LinearCertificate):
        return []
    # What only an inequality (!=) speaks of has no value there.
    values = {name: point(found[name]) if name in found else _any(case, name) for name in case.names}
    # Branch and bound: the solution of the relaxed problem is none yet, so an integer is divided and both parts solved.
    if any(Fraction(values[name].low).denominator != 1 for name in case.open_integers()):
        return _halves(case, case)
    return Answer("possible", values, case)


def _apart(case: Case, unequal: Atom) -> list[Case]:
    """Not equal is less or greater."""
    rest = tuple(atom for atom in case.atoms if atom is not unequal)
    # The simplex method knows only convex comparisons.
    return [replace(case, atoms=(*rest, Atom(form, "<"))) for form in (unequal.form, -unequal.form)]


# Dividing


def _pieces(case: Case, operation: FormFunction) -> Iterator[Case]:
    """A maximum is one of its arguments, and the others are not greater."""
    for chosen in operation.arguments:
        below = (Atom(other - chosen, "<=") for other in operation.arguments if other is not chosen)
        piece = case.with_known({operation.name: chosen})
        yield replace(piece, atoms=(*piece.atoms, *below))


def _halves(case: Case, start: Case) -> Answer | list[Case]:
    """The integer with the fewest values, or the number with the most room left, in two halves."""

    def room(name: str) -> Fraction:
        had = start.box.get(name, case.box[name])
        return Fraction(case.box[name].width) / Fraction(had.width if had.is_bounded and had.width else 1)

    if integers := case.open_integers():
        name = min(integers, key=lambda name: case.box[name].width)
        if not case.box[name].is_bounded:
            return Answer("unknown", reason=f"nothing bounds the integer {name}")
        # The halves share no integer, so that nothing is looked at twice.
        middle = Fraction(math.floor(case.box[name].middle()))
        ends = middle, middle + 1
    else:
        spend(_HALVING)
        # Interval arithmetic is exact where each variable stands once. Only repeated ones make results too wide, so
        # these are divided first.
        open_names = sorted(name for name in case.repeated or case.variables if not case.box[name].is_point)
        if any(not case.box[name].is_bounded for name in open_names):
            return Answer("unknown", reason="an unknown without bounds enters a product or a function")
        name = max(open_names, key=room, default="")
        if not name or room(name) < _FINEST:
            return Answer("unknown", reason="no precision tried separates the two sides")
        ends = (case.box[name].middle(),) * 2
    halves = Interval(case.box[name].low, ends[0]), Interval(ends[1], case.box[name].high)
    return [replace(case, box={**case.box, name: half}) for half in halves]


# Witnesses: values found by fixing one variable after another, and proved


def _witness(case: Case, before: Case) -> Box | None:
    """A box so small that it holds a solution and is as good as one; None where none was found.

    The proof needs some room around an irrational value, so it is led in the case as it was before it was narrowed.
    """
    if len(case.variables) > _MOST_WITNESSED:
        return None
    now: Case | None = case
    repeated = case.repeated

    def turn(name: str) -> tuple[bool, bool, Fraction | float, str]:
        """Counts decide what the rest may be, so they come first; then what cannot be solved for, because it stands
        there several times; narrow ones leave the least choice."""
        return name not in case.integers, name not in repeated, case.box[name].width, name

    for name in sorted(case.variables, key=turn):
        if now is None:
            return None
        if now.is_linear and isinstance(found := _linear(now), Answer):
            return _proved(dict(found.values or now.box), before)
        interval = now.box[name]
        as_good_as_point = interval.width <= _TINY * max(Fraction(1), abs(case.box[name].middle()))
        if name in now.variables and not as_good_as_point:
            middle = interval.middle()
            # The middle leaves most room on both sides; the ends serve relations that hold only there.
            values = [Fraction(round(middle)) if name in case.integers else middle, interval.low, interval.high]
            finite = [value for value in dict.fromkeys(values) if isinstance(value, Fraction)]
            tried = (replace(now, box={**now.box, name: point(value)}) for value in finite)
            now = next((left for fixed in tried if (left := narrowed(fixed)) is not None), None)
    return None if now is None else _proved(now.box, before)


def _proved(found: Box, case: Case) -> Box | None:
    """The found box, widened where a value is irrational, if it is certain that it holds a solution.

    Equations that hold only nearly are shown to have a solution by their signs on opposite sides of the box
    (Poincaré and Miranda): each such equation needs a variable of its own.
    """
    here = {name: found[name] for name in case.names}
    try:
        values = case.computed(here)
        pivots: dict[str, Atom] = {}
        for atom, inside in zip(case.atoms, case.occurrences(), strict=True):
            if not atom.truth(values):
                free = [name for name in inside.keys() - case.integers - set(pivots) if not here[name].is_point]
                # Only equations can hold nearly and still have an exact solution close by.
                if atom.operator != "==" or not free:
                    return None
                pivots[min(free)] = atom
        for name in pivots:
            # Wide enough that the equation changes its sign between the ends, which is then checked.
            wide = here[name].width + _TINY * max(Fraction(1), abs(here[name].middle()))
            here[name] = Interval(here[name].low - wide, here[name].high + wide).meet(case.box[name])
        values = case.computed(here)
        if not all(atom.truth(values) for atom in case.atoms if atom not in pivots.values()):
            return None
        for name, atom in pivots.items():
            ends = [
                atom.form.over(case.computed({**here, name: point(Fraction(end))}))
                for end in (here[name].low, here[name].high)
            ]
            if not (ends[0].high < 0 < ends[1].low or ends[1].high < 0 < ends[0].low):
                return None
    except EmptyError:
        return None
    return here
