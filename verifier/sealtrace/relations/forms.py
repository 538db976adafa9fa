"""Linear forms, and operations on them: formulas in the shape that is computed with.

Every comparison is of a linear form with zero. What is not linear is a variable of its own, and an operation says what
it is. What cancels is cancelled here, so that a variable that stands on both sides of a comparison counts once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from sealtrace.relations.intervals import EmptyError, Interval, applied, checked, cost, length_of, point

Box = dict[str, Interval]
"""Each variable with the values that are left."""
OPPOSITE = Fraction(-1)


@dataclass(frozen=True)
class Form:
    """Multiples of variables, and a constant."""

    terms: Mapping[str, Fraction]
    constant: Fraction = Fraction(0)

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two forms the same."""
        return frozenset(self.terms.items()), self.constant

    def plus(self, other: Form, factor: Fraction = Fraction(1)) -> Form:
        """The sum with a multiple of another form."""
        return added([(self, Fraction(1)), (other, factor)])

    def times(self, factor: Fraction) -> Form:
        """A multiple of the form."""
        return added([(self, factor)])

    def put(self, known: Mapping[str, Form]) -> Form:
        """The form with forms in the places of some of its variables."""
        if known.keys().isdisjoint(self.terms):
            return self
        kept = Form({name: one for name, one in self.terms.items() if name not in known}, self.constant)
        return added([(kept, Fraction(1)), *((known[name], one) for name, one in self.terms.items() if name in known)])

    def over(self, box: Mapping[str, Interval]) -> Interval:
        """All its values over a box."""
        total = point(self.constant)
        for name, one in self.terms.items():
            total = total + box[name].scaled(one)
        return total


def constant(value: Fraction) -> Form:
    """A number as a form."""
    return Form({}, value)


def variable(name: str) -> Form:
    """A variable as a form."""
    return Form({name: Fraction(1)})


def added(parts: Iterable[tuple[Form, Fraction]]) -> Form:
    """The sum of multiples of forms."""
    terms: dict[str, Fraction] = {}
    total = Fraction(0)
    for form, factor in parts:
        total += form.constant * factor if factor != 1 else form.constant
        for name, one in form.terms.items():
            more = checked(one * factor) if factor != 1 else one
            terms[name] = checked(terms[name] + more) if name in terms else more
    return Form({name: one for name, one in terms.items() if one}, checked(total))


@dataclass(frozen=True)
class Atom:
    """A form compared with zero: ==, !=, <= or <."""

    form: Form
    operator: str


class Computed(str):
    """The name of a variable that an operation gives."""

    __slots__ = ()


@dataclass(frozen=True)
class Operation:
    """A variable that is a function of forms: * / (one over) ^ max sqrt log cp_upper; the others are made of these."""

    name: str
    kind: str
    arguments: tuple[Form, ...]

    def values(self, box: Mapping[str, Interval]) -> list[Interval]:
        """All values of its arguments, or more."""
        return [one.over(box) for one in self.arguments]

    def cost(self, values: list[Interval]) -> int:
        """Steps that computing it is worth, where its arguments have these values."""
        steps = sum((1 + len(one.terms)) * length_of(value) for one, value in zip(self.arguments, values, strict=True))
        return steps + (2 * cost(values[1]) if self.kind == "cp_upper" else 0)

    def over(self, box: Mapping[str, Interval], *, total: bool = False) -> Interval:
        """All its values, or more; where `total`, no argument may lie outside its domain."""
        return applied(self.kind, self.values(box), total=total)

    def domain(self) -> list[Atom]:
        """What must be true for it to have a value."""
        first = self.arguments[0]
        match self.kind:
            case "/":
                return [Atom(first, "!=")]
            case "sqrt":
                return [Atom(first.times(OPPOSITE), "<=")]
            case "log":
                return [Atom(first.times(OPPOSITE), "<")]
            case "cp_upper":
                _count, size, share = self.arguments
                within = [Atom(first.times(OPPOSITE), "<="), Atom(first.plus(size, OPPOSITE), "<=")]
                return [*within, Atom(share.times(OPPOSITE), "<"), Atom(share.plus(constant(OPPOSITE)), "<")]
        return []

    def linear(self) -> Form | None:
        """What it is as a form; None where it is no linear one, or has no exact value."""
        first, *rest = self.arguments
        if (self.kind == "max" and not rest) or (self.kind == "^" and rest[0].constant == 1):
            return first
        varying = [one for one in self.arguments if one.terms]
        if self.kind == "*":
            scale = checked(math.prod((one.constant for one in self.arguments if not one.terms), start=Fraction(1)))
            one = varying[0] if varying else constant(Fraction(1))
            return one.times(scale) if not scale or len(varying) < 2 else None
        if not varying and self.kind != "cp_upper":
            # What has no value stays an operation, so that it is told.
            with suppress(EmptyError):
                value = applied(self.kind, [point(one.constant) for one in self.arguments])
                return constant(value.low) if isinstance(value.low, Fraction) and value.is_point else None
        return None
