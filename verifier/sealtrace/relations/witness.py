"""Values that make comparisons true, found by fixing one variable after another, and proved to do so."""

from __future__ import annotations

from fractions import Fraction

from sealtrace.relations.cases import Case
from sealtrace.relations.contraction import Box, EmptyError, Evaluation, certainly, contract
from sealtrace.relations.forms import Atom
from sealtrace.relations.intervals import Interval, UndefinedError, point, whole_numbers
from sealtrace.relations.work import Work

_TINY = Fraction(1, 2**100)
MAX_VARIABLES = 60


def find_witness(case: Case, before: Case, work: Work) -> Box | None:
    """A box so small that it holds a solution and is as good as one; None where none was found.

    The proof needs some room around an irrational value, so it is led in the case as it was before it was narrowed.
    """
    box, atoms, integers = case.box, case.atoms, case.integers
    used = sorted({name for atom in atoms for name in atom.form.variables})
    if len(used) > MAX_VARIABLES:
        return None
    now = dict(box)
    # Counts decide what the rest may be, so they come first; narrow ones leave the least choice.
    for name in sorted(used, key=lambda one: (one not in integers, box[one].width)):
        interval = now[name]
        if interval.is_point or _as_good_as_point(interval, box[name]):
            continue
        for value in _trials(interval, integer=name in integers):
            trial = {**now, name: point(value)}
            left, steps = contract(trial, list(atoms), integers)
            work.spend(steps)
            if left is not None:
                now = left
                break
        else:
            return None
    return proved(now, before)


def proved(found: Box, case: Case) -> Box | None:
    """The found box, widened where a value is irrational, if it is certain that it holds a solution.

    Equations that hold only nearly are shown to have a solution by their signs on opposite sides of the box
    (Poincaré and Miranda): each such equation needs a variable of its own.
    """
    box, atoms = case.box, case.atoms
    used = {name for atom in atoms for name in atom.form.variables}
    here = {name: found[name] for name in used}
    try:
        values = Evaluation(here, total=True)
        open_atoms = [atom for atom in atoms if not certainly(atom.operator, values.form(atom.form))]
        pivots: dict[str, Atom] = {}
        for atom in open_atoms:
            free = [name for name in atom.form.variables - case.integers - set(pivots) if not here[name].is_point]
            if atom.operator != "==" or not free:
                return None
            pivots[min(free)] = atom
        for name in pivots:
            wide = here[name].width + _TINY * max(Fraction(1), abs(here[name].middle()))
            room = Interval(here[name].low - wide, here[name].high + wide).meet(box[name])
            if room is None:
                return None
            here[name] = room
        values = Evaluation(here, total=True)
        for atom in atoms:
            value = values.form(atom.form)
            if atom not in pivots.values() and not certainly(atom.operator, value):
                return None
        for name, atom in pivots.items():
            ends = [Evaluation({**here, name: point(end)}, total=True).form(atom.form) for end in _ends(here[name])]
            if not (ends[0].high < 0 < ends[1].low or ends[1].high < 0 < ends[0].low):
                return None
    except (EmptyError, UndefinedError):
        return None
    return {**found, **here}


def _ends(interval: Interval) -> list[Fraction]:
    assert isinstance(interval.low, Fraction)
    assert isinstance(interval.high, Fraction)
    return [interval.low, interval.high]


def _as_good_as_point(interval: Interval, start: Interval) -> bool:
    return interval.is_bounded and interval.width <= _TINY * max(Fraction(1), abs(start.middle()))


def _trials(interval: Interval, *, integer: bool) -> list[Fraction]:
    ends = [end for end in (interval.low, interval.high) if isinstance(end, Fraction)]
    middle = interval.middle()
    if not integer:
        return [middle, *ends]
    whole = whole_numbers(interval)
    if whole is None:
        return []
    near = Fraction(round(middle))
    return [near, *(end for end in ends if end != near)]
