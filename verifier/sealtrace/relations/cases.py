"""From a formula to cases: boxes of values with comparisons that must hold in them, and choices still to be made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

from sealtrace.relations.contraction import Box, EmptyError, Evaluation, certainly, possibly
from sealtrace.relations.forms import (
    PIECEWISE,
    Atom,
    Form,
    Leaf,
    Operation,
    constant,
    lowered,
    operation,
    product,
    replaced,
    variable,
)
from sealtrace.relations.intervals import INFINITY, Bound, Interval, UndefinedError, whole_numbers
from sealtrace.relations.syntax import (
    ORDERS,
    And,
    Call,
    Cell,
    Comparison,
    Expression,
    Formula,
    Inverse,
    Multiple,
    Or,
    Ordered,
    Shared,
    SomeInteger,
    SomeReal,
    walk,
)


@dataclass(frozen=True)
class Choice:
    """Formulas of which one must hold, and what their unknowns are called."""

    parts: tuple[Formula, ...]
    names: Mapping[str, str]


@dataclass(frozen=True)
class Case:
    """What is left of a formula after some choices."""

    box: Box
    atoms: tuple[Atom, ...] = ()
    choices: tuple[Choice, ...] = ()
    integers: frozenset[str] = frozenset()

    def open_integers(self) -> list[str]:
        """Integers with more than one value left, that a comparison speaks of."""
        used = {name for atom in self.atoms for name in atom.form.variables}
        return sorted(name for name in self.integers & used if not self.box[name].is_point)


def starting_case(formula: Formula, widened: Mapping[str, Interval] | None = None) -> Case | None:
    """The case that a formula starts from; None where it is false at once."""
    box: Box = {}
    integers = set()
    for node in walk(formula):
        if isinstance(node, Cell):
            box[node.fact.address] = node.fact.interval
        elif isinstance(node, Shared):
            box[node.name] = Interval(
                -INFINITY if node.low is None else node.low, INFINITY if node.high is None else node.high
            )
            if node.integer:
                whole = whole_numbers(box[node.name])
                if whole is None:
                    return None
                box[node.name] = whole
                integers.add(node.name)
    box.update({name: interval for name, interval in (widened or {}).items() if name in box})
    return assumed(Case(box, integers=frozenset(integers)), formula, {})


def assumed(case: Case, formula: Formula, names: Mapping[str, str]) -> Case | None:
    """A case in which the formula must hold, too; None where it has no values left."""
    building = _Building(dict(case.box), list(case.atoms), list(case.choices), set(case.integers))
    try:
        building.require(formula, names)
    except EmptyError:
        return None
    return Case(building.box, tuple(building.atoms), tuple(building.choices), frozenset(building.integers))


@dataclass
class _Building:
    box: Box
    atoms: list[Atom] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    integers: set[str] = field(default_factory=set)

    def require(self, formula: Formula, names: Mapping[str, str]) -> None:
        match formula:
            case And(parts):
                for part in parts:
                    self.require(part, names)
            case Or(parts):
                self.choices.append(Choice(parts, names))
            case Comparison(operator, left, right):
                self.compare(operator, left, right, names)
            case Ordered(order, items):
                for left, right in pairwise(items):
                    self.compare(ORDERS[order], left, right, names)
            case Multiple(of, step, repeats):
                self.multiple(of, step, repeats, names)
            case SomeInteger(name, low, high, body):
                self.require(body, self.some(name, low, high, names, integer=True))
            case SomeReal(name, lower, upper, body):
                self.require(body, self.some(name, lower, upper, names, integer=False))

    def some(
        self, name: str, low: Expression | None, high: Expression | None, names: Mapping[str, str], *, integer: bool
    ) -> Mapping[str, str]:
        """An unknown between two ends, under a name that nothing else has."""
        lowest, highest = (None if end is None else lowered(end, names) for end in (low, high))
        values = Evaluation(self.box)
        least = -INFINITY if lowest is None else values.form(lowest).low
        most = INFINITY if highest is None else values.form(highest).high
        fresh = self.fresh(name, least, most, integer=integer)
        own = variable(fresh)
        if lowest is not None and lowest.terms:
            self.atoms.append(Atom(lowest.plus(own, Fraction(-1)), "<="))
        if highest is not None and highest.terms:
            self.atoms.append(Atom(own.plus(highest, Fraction(-1)), "<="))
        return {**names, name: fresh}

    def fresh(self, name: str, low: Bound, high: Bound, *, integer: bool) -> str:
        number = 1
        fresh = name
        while fresh in self.box:
            number += 1
            fresh = f"{name}·{number}"
        if low > high:
            raise EmptyError
        interval: Interval | None = Interval(low, high)
        if integer:
            interval = whole_numbers(Interval(low, high))
            if interval is None:
                raise EmptyError
            self.integers.add(fresh)
        assert interval is not None
        self.box[fresh] = interval
        return fresh

    def have_value(self, expression: Expression, names: Mapping[str, str]) -> None:
        """Every part of an expression must be defined, also where it cancels or is multiplied by zero."""
        for node in walk(expression):
            match node:
                case Inverse(of):
                    domain = Atom(lowered(of, names), "!=")
                case Call("sqrt", (of,)):
                    domain = Atom(lowered(of, names).times(Fraction(-1)), "<=")
                case Call("log", (of,)) | Call("hoeffding", (of, _)):
                    domain = Atom(lowered(of, names).times(Fraction(-1)), "<")
                case _:
                    continue
            if not (domain.form.is_linear and certainly(domain.operator, Evaluation(self.box).form(domain.form))):
                self.atoms.append(domain)

    def multiple(self, of: Expression, step: Expression, repeats: Expression | None, names: Mapping[str, str]) -> None:
        """Some integer times the step, over the repeats, is the value."""
        for one in (of, step, *([] if repeats is None else [Inverse(repeats)])):
            self.have_value(one, names)
        count = variable(self.fresh("k", -INFINITY, INFINITY, integer=True))
        factors = [count, lowered(step, names)]
        if repeats is not None:
            factors.append(operation("inverse", [lowered(repeats, names)]))
        self.atoms.append(Atom(lowered(of, names).plus(product(factors), Fraction(-1)), "=="))

    def compare(self, operator: str, left: Expression, right: Expression, names: Mapping[str, str]) -> None:
        for side in (left, right):
            self.have_value(side, names)
        if operator in (">", ">="):
            left, right, operator = right, left, {">": "<", ">=": "<="}[operator]
        self.atoms.append(Atom(lowered(left, names).plus(lowered(right, names), Fraction(-1)), operator))


def settled(case: Case) -> Case | None:
    """The case with what is known put in and what is certain left out; None where it cannot hold."""
    known: dict[Leaf, Form] = {}
    for name, interval in case.box.items():
        if interval.is_point:
            assert isinstance(interval.low, Fraction)
            known[name] = constant(interval.low)
    atoms: list[Atom] = []
    values = Evaluation(case.box)
    for atom in case.atoms:
        try:
            form = _unfolded(replaced(atom.form, known), values)
            value = values.form(form)
        except EmptyError:
            return None
        if not possibly(atom.operator, value):
            return None
        if not (certainly(atom.operator, value) and _defined(form, case.box)):
            atoms.append(Atom(form, atom.operator))
    return replace(case, atoms=tuple(atoms))


def _unfolded(form: Form, values: Evaluation) -> Form:
    """The form without absolute values, minima and maxima of which the box leaves one piece."""
    for one in form.operations():
        piece = _only_piece(one, values) if one.kind in PIECEWISE else None
        if piece is not None:
            # What is put in may hold further pieces, so the rest is looked through anew.
            return _unfolded(replaced(form, {one: piece}), values)
    return form


def _only_piece(one: Operation, values: Evaluation) -> Form | None:
    ranges = [values.form(argument) for argument in one.arguments]
    if one.kind == "abs":
        inner = one.arguments[0]
        return inner if ranges[0].low >= 0 else inner.times(Fraction(-1)) if ranges[0].high <= 0 else None
    if not all(argument.is_linear for argument in one.arguments):
        # A piece that is left out must have a value, or the whole has none.
        return None
    for argument, own in zip(one.arguments, ranges, strict=True):
        others = [other for other in ranges if other is not own]
        if one.kind == "max" and all(own.low >= other.high for other in others):
            return argument
        if one.kind == "min" and all(own.high <= other.low for other in others):
            return argument
    return None


def _defined(form: Form, box: Box) -> bool:
    """Whether the form has a value everywhere in the box."""
    if form.is_linear:
        return True
    try:
        Evaluation(box, total=True).form(form)
    except (EmptyError, UndefinedError):
        return False
    return True
