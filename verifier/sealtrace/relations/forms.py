"""Formulas in the shape that is computed with: linear forms whose terms are variables or operations on linear forms.

What cancels is cancelled here, so that a variable that stands on both sides of a comparison counts once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce

from sealtrace.relations.intervals import EmptyError, applied, checked, point
from sealtrace.relations.syntax import Call, Cell, Expression, Number, Shared, Unknown

_OPPOSITE = Fraction(-1)


@dataclass(frozen=True, eq=False)
class Operation:
    """An operation on linear forms: * / (one over) ^ max sqrt log cp_upper; the others are made of these."""

    kind: str
    arguments: tuple[Form, ...]

    @cached_property
    def key(self) -> tuple[object, ...]:
        """What makes two operations the same."""
        return (self.kind, *(argument.key for argument in self.arguments))

    @cached_property
    def _hash(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Operation) and self._hash == other._hash and self.key == other.key)

    def __hash__(self) -> int:
        return self._hash


Leaf = str | Operation


@dataclass(frozen=True)
class Form:
    """Multiples of leaves, and a constant."""

    terms: Mapping[Leaf, Fraction]
    constant: Fraction

    @cached_property
    def key(self) -> tuple[object, ...]:
        """What makes two forms the same."""
        return (frozenset(self.terms.items()), self.constant)

    @property
    def is_constant(self) -> bool:
        """Whether it is a rational number."""
        return not self.terms

    @cached_property
    def is_linear(self) -> bool:
        """Whether its leaves are variables."""
        return all(isinstance(leaf, str) for leaf in self.terms)

    @cached_property
    def variables(self) -> frozenset[str]:
        """The variables anywhere in it."""
        return frozenset(self.occurrences)

    @cached_property
    def occurrences(self) -> Counter[str]:
        """How often each variable stands in it."""
        found: Counter[str] = Counter()
        for leaf in self.terms:
            if isinstance(leaf, str):
                found[leaf] += 1
            else:
                for argument in leaf.arguments:
                    found.update(argument.occurrences)
        return found

    def operations(self) -> Iterator[Operation]:
        """The operations in it, inner ones first."""
        for leaf in self.terms:
            if isinstance(leaf, Operation):
                for argument in leaf.arguments:
                    yield from argument.operations()
                yield leaf

    def plus(self, other: Form, factor: Fraction = Fraction(1)) -> Form:
        """The sum with a multiple of another form."""
        terms = dict(self.terms)
        for leaf, coefficient in other.terms.items():
            total = terms.get(leaf, Fraction(0)) + coefficient * factor
            if total:
                terms[leaf] = checked(total)
            else:
                terms.pop(leaf, None)
        return Form(terms, checked(self.constant + other.constant * factor))

    def times(self, factor: Fraction) -> Form:
        """A multiple of the form."""
        if not factor:
            return constant(Fraction(0))
        return Form({leaf: checked(one * factor) for leaf, one in self.terms.items()}, checked(self.constant * factor))


def constant(value: Fraction) -> Form:
    """A number as a form."""
    return Form({}, value)


def variable(name: str) -> Form:
    """A variable as a form."""
    return Form({name: Fraction(1)}, Fraction(0))


@dataclass(frozen=True)
class Atom:
    """A form compared with zero: ==, !=, <= or <."""

    form: Form
    operator: str


def lowered(expression: Expression, names: Mapping[str, str]) -> Form:
    """An expression as a linear form; unknowns get the variables that stand for them."""
    match expression:
        case Number(value):
            return constant(value)
        case Cell(fact):
            return variable(fact.address)
        case Unknown(name):
            return variable(names[name])
        case Shared(name):
            return variable(name)
        case Call(function, arguments):
            return operation(function, [lowered(argument, names) for argument in arguments])
    raise TypeError(f"no expression: {expression!r}")


def operation(function: str, arguments: list[Form]) -> Form:
    """A function of forms, computed at once where that is exact."""
    first = arguments[0]
    match function:
        case "+" | "sum":
            return added(arguments)
        case "mean":
            return added(arguments).times(Fraction(1, len(arguments)))
        case "-":
            return first.times(_OPPOSITE)
        case "*":
            return product(arguments)
        case "abs":
            return operation("max", [first, first.times(_OPPOSITE)])
        case "min":
            return operation("max", [one.times(_OPPOSITE) for one in arguments]).times(_OPPOSITE)
        case "hoeffding":
            surprise = operation("log", [operation("/", [arguments[1]])])
            return operation("sqrt", [product([surprise, operation("/", [first.times(Fraction(2))])])])
        case "max" if len(arguments) == 1:
            return first
        case "^" if arguments[1].constant == 1:
            return first
    if function != "cp_upper" and all(argument.is_constant for argument in arguments):
        # What has no value stays an operation, so that it is told.
        with suppress(EmptyError):
            value = applied(function, [point(argument.constant) for argument in arguments])
            if isinstance(value.low, Fraction) and value.is_point:
                return constant(value.low)
    return Form({Operation(function, tuple(arguments)): Fraction(1)}, Fraction(0))


def added(forms: Iterable[Form]) -> Form:
    """The sum of forms."""
    return reduce(Form.plus, forms, constant(Fraction(0)))


def product(factors: list[Form]) -> Form:
    """The product of forms: a multiple where only one of them varies."""
    scale = Fraction(1)
    varying = []
    for factor in factors:
        if factor.is_constant:
            scale = checked(scale * factor.constant)
        else:
            varying.append(factor)
    if not varying or not scale:
        return constant(scale)
    if len(varying) == 1:
        return varying[0].times(scale)
    if len(varying) == 2 and (divided := _divided(*varying) or _divided(*reversed(varying))) is not None:
        return divided.times(scale)
    return Form({Operation("*", tuple(varying)): scale}, Fraction(0))


def _divided(above: Form, over: Form) -> Form | None:
    """A quotient whose sides share a variable, as a constant and a quotient where they share it no more.

    So (a - b) / b becomes a / b - 1, and b stands there once.
    """
    ((leaf, factor),) = list(over.terms.items()) if len(over.terms) == 1 else [("", Fraction(0))]
    if not isinstance(leaf, Operation) or leaf.kind != "/" or over.constant or not above.is_linear:
        return None
    below = leaf.arguments[0]
    common = next((name for name in below.terms if name in above.terms), None)
    if common is None:
        return None
    whole = above.terms[common] / below.terms[common]
    rest = above.plus(below, -whole)
    fewer = len(rest.terms.keys() & below.terms.keys()) < len(above.terms.keys() & below.terms.keys())
    if not fewer or (not rest.terms and not rest.constant):
        return None
    return product([rest, over]).plus(constant(whole * factor))


def replaced(form: Form, values: Mapping[Leaf, Form]) -> Form:
    """A form with leaves replaced, and computed anew where that changes anything."""
    new = {leaf: _replaced_leaf(leaf, values) for leaf in form.terms}
    if all(one is None for one in new.values()):
        return form
    total = constant(form.constant)
    for leaf, coefficient in form.terms.items():
        total = total.plus(new[leaf] or Form({leaf: Fraction(1)}, Fraction(0)), coefficient)
    return total


def _replaced_leaf(leaf: Leaf, values: Mapping[Leaf, Form]) -> Form | None:
    if leaf in values or isinstance(leaf, str):
        return values.get(leaf)
    inner = [replaced(argument, values) for argument in leaf.arguments]
    if all(new is old for new, old in zip(inner, leaf.arguments, strict=True)):
        return None
    return operation(leaf.kind, inner)
