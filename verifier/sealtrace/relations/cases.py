"""From a formula to cases: boxes of values with comparisons that must hold in them, and choices still to be made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from sealtrace.relations.contraction import Box, Evaluation, certainly, possibly
from sealtrace.relations.forms import Atom, Form, Leaf, constant, lowered, replaced, variable
from sealtrace.relations.intervals import INFINITY, Bound, EmptyError, Interval, whole_numbers
from sealtrace.relations.linear import Row
from sealtrace.relations.syntax import (
    ORDERS,
    And,
    Call,
    Comparison,
    Expression,
    Formula,
    Multiple,
    Or,
    Ordered,
    Some,
    Unknown,
    facts_in,
    unknowns_in,
    walk,
)

_OPPOSITE = Fraction(-1)


@dataclass(frozen=True)
class Choice:
    """Formulas of which one must hold, and what their unknowns are called."""

    parts: tuple[Formula, ...]
    names: Mapping[str, str]


@dataclass
class Case:
    """What is left of a formula after some choices. Only `starting_case` and `assumed` change one, while making it."""

    box: Box
    atoms: tuple[Atom, ...] = ()
    choices: tuple[Choice, ...] = ()
    integers: frozenset[str] = frozenset()

    @property
    def variables(self) -> set[str]:
        """What the comparisons speak of."""
        return {name for atom in self.atoms for name in atom.form.variables}

    @property
    def is_linear(self) -> bool:
        """Whether the comparisons are all linear."""
        return all(atom.form.is_linear for atom in self.atoms)

    def open_integers(self) -> list[str]:
        """Integers with more than one value left, that a comparison speaks of."""
        return sorted(name for name in self.integers & self.variables if not self.box[name].is_point)

    # Building

    def require(self, formula: Formula, names: Mapping[str, str]) -> None:
        match formula:
            case And(parts):
                for part in parts:
                    self.require(part, names)
            case Or(parts):
                self.choices += (Choice(parts, names),)
            case Comparison(operator, left, right):
                self.compare(operator, left, right, names)
            case Ordered(order, items):
                for left, right in pairwise(items):
                    self.compare(ORDERS[order], left, right, names)
            case Multiple(of):
                count = self.unknown("k", -INFINITY, INFINITY, integer=True)
                self.compare("==", of, rungs(formula, count), {**names, count: count})
            case Some(name, low, high, body, integer):
                lowest, highest = (None if end is None else lowered(end, names) for end in (low, high))
                values = Evaluation(self.box)
                least = -INFINITY if lowest is None else values.form(lowest).low
                most = INFINITY if highest is None else values.form(highest).high
                fresh = self.unknown(name, least, most, integer=integer)
                if lowest is not None and lowest.terms:
                    self.add(lowest.plus(variable(fresh), _OPPOSITE), "<=")
                if highest is not None and highest.terms:
                    self.add(variable(fresh).plus(highest, _OPPOSITE), "<=")
                self.require(body, {**names, name: fresh})

    def add(self, form: Form, operator: str) -> None:
        self.atoms += (Atom(form, operator),)

    def unknown(self, name: str, low: Bound, high: Bound, *, integer: bool) -> str:
        """A further variable, under a name that nothing else has."""
        number, fresh = 1, name
        while fresh in self.box:
            number += 1
            fresh = f"{name}·{number}"
        interval = Interval(low, INFINITY).meet(Interval(-INFINITY, high))
        if integer:
            interval = whole_numbers(interval)
            self.integers |= {fresh}
        self.box[fresh] = interval
        return fresh

    def have_value(self, expression: Expression, names: Mapping[str, str]) -> None:
        """Every part of an expression must be defined, also where it cancels or is multiplied by zero."""
        for node in walk(expression):
            match node:
                case Call("/", (of,)):
                    domain = Atom(lowered(of, names), "!=")
                case Call("sqrt", (of,)):
                    domain = Atom(lowered(of, names).times(_OPPOSITE), "<=")
                case Call("log", (of,)) | Call("hoeffding", (of, _)):
                    domain = Atom(lowered(of, names).times(_OPPOSITE), "<")
                case _:
                    continue
            if not (domain.form.is_linear and certainly(domain.operator, Evaluation(self.box).form(domain.form))):
                self.atoms += (domain,)

    def compare(self, operator: str, left: Expression, right: Expression, names: Mapping[str, str]) -> None:
        for side in (left, right):
            self.have_value(side, names)
        if operator in (">", ">="):
            left, right, operator = right, left, {">": "<", ">=": "<="}[operator]
        self.add(lowered(left, names).plus(lowered(right, names), _OPPOSITE), operator)


def rungs(multiple: Multiple, count: str) -> Expression:
    """So many steps, over the repeats."""
    grid = Unknown(count) * multiple.step
    return grid if multiple.repeats is None else Call("*", (*grid.arguments, Call("/", (multiple.repeats,))))


def starting_box(formula: Formula) -> Box:
    """The printed numbers and the declared unknowns of a formula."""
    box = {fact.address: fact.interval for fact in facts_in(formula)}
    return box | {name: one.interval for name, one in unknowns_in(formula).items()}


def starting_case(formula: Formula, widened: Mapping[str, Interval] | None = None) -> Case:
    """The case that a formula starts from, unless it is false at once."""
    box = starting_box(formula)
    integers = frozenset(name for name, one in unknowns_in(formula).items() if one.integer)
    box |= {name: whole_numbers(box[name]) for name in integers}
    box |= {name: interval for name, interval in (widened or {}).items() if name in box}
    return assumed(Case(box, integers=integers), formula, {})


def assumed(case: Case, formula: Formula, names: Mapping[str, str]) -> Case:
    """A case in which the formula must hold, too."""
    further = replace(case, box=dict(case.box))
    further.require(formula, names)
    return further


def rows_of(atoms: Iterable[Atom], relation: str = "", *, closed: bool = False) -> list[Row]:
    """Linear comparisons but inequalities (!=) as rows; where `closed`, less than allows equal, too."""
    return [
        Row(
            {leaf: one for leaf, one in atom.form.terms.items() if isinstance(leaf, str)},
            "<=" if closed and atom.operator == "<" else atom.operator,
            -atom.form.constant,
            relation,
        )
        for atom in atoms
        if atom.operator != "!="
    ]


def settled(case: Case) -> Case:
    """The case with what is known put in and what is certain left out."""
    known: dict[Leaf, Form] = {
        name: constant(Fraction(interval.low)) for name, interval in case.box.items() if interval.is_point
    }
    atoms: list[Atom] = []
    values = Evaluation(case.box)
    for atom in case.atoms:
        form = _unfolded(replaced(atom.form, known), values)
        value = values.form(form)
        if not possibly(atom.operator, value):
            raise EmptyError
        if not (certainly(atom.operator, value) and _defined(form, case.box)):
            atoms.append(Atom(form, atom.operator))
    return replace(case, atoms=tuple(atoms))


def _unfolded(form: Form, values: Evaluation) -> Form:
    """The form without maxima of which the box leaves one piece."""
    for one in form.operations():
        ranges = [values.form(argument) for argument in one.arguments] if one.kind == "max" else []
        for piece, own in zip(one.arguments, ranges, strict=False):
            # A piece that is left out must have a value, or the whole has none.
            if all(own.low >= other.high for other in ranges if other is not own) and all(
                _defined(other, values.box) for other in one.arguments
            ):
                # What is put in may hold further pieces, so the rest is looked through anew.
                return _unfolded(replaced(form, {one: piece}), values)
    return form


def _defined(form: Form, box: Mapping[str, Interval]) -> bool:
    """Whether the form has a value everywhere in the box."""
    if form.is_linear:
        return True
    try:
        Evaluation(box, total=True).form(form)
    except EmptyError:
        return False
    return True
