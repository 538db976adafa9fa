"""Linear forms, and operations on them: formulas in the shape that is computed with.

Every comparison is of a linear form with zero. What is not linear is a variable of its own, and an operation says what
it is. What cancels is cancelled here, so that a variable that stands on both sides of a comparison counts once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

from sealtrace.relations.intervals import (
    INFINITY,
    NOT_NEGATIVE,
    WHOLE,
    ZERO,
    EmptyError,
    Interval,
    checked,
    cost,
    length_of,
    point,
    share_range,
    upper_range,
)
from sealtrace.relations.syntax import number_text
from sealtrace.relations.work import spend

Box = dict[str, Interval]
"""Each variable with the values that are left."""


@dataclass(frozen=True)
class LinearForm:
    """Multiples of variables, and a constant."""

    terms: Mapping[str, Fraction]
    constant: Fraction = Fraction(0)

    def __add__(self, other: LinearForm) -> LinearForm:
        return added([(self, Fraction(1)), (other, Fraction(1))])

    def __sub__(self, other: LinearForm) -> LinearForm:
        return added([(self, Fraction(1)), (other, Fraction(-1))])

    def __neg__(self) -> LinearForm:
        return self * Fraction(-1)

    def __mul__(self, factor: Fraction) -> LinearForm:
        return added([(self, factor)])

    def put(self, known: Mapping[str, LinearForm]) -> LinearForm:
        """The form with forms in the places of some of its variables."""
        if known.keys().isdisjoint(self.terms):
            return self
        kept = LinearForm({name: factor for name, factor in self.terms.items() if name not in known}, self.constant)
        return added([(kept, Fraction(1)), *((known[name], self.terms[name]) for name in self.terms if name in known)])

    def over(self, box: Mapping[str, Interval]) -> Interval:
        """All its values over a box."""
        # Counted here and in `added`, which everything is made of, so that no way of computing costs nothing.
        spend(1 + len(self.terms))
        total = point(self.constant)
        for name, factor in self.terms.items():
            total = total + box[name].scaled(factor)
        return total


def constant(value: Fraction) -> LinearForm:
    """A number as a form."""
    return LinearForm({}, value)


def variable(name: str) -> LinearForm:
    """A variable as a form."""
    return LinearForm({name: Fraction(1)})


def added(multiples: Iterable[tuple[LinearForm, Fraction]]) -> LinearForm:
    """The sum of multiples of forms."""
    terms: dict[str, Fraction] = {}
    total = Fraction(0)
    for form, times in multiples:
        spend(1 + len(form.terms))
        total += form.constant * times if times != 1 else form.constant
        for name, factor in form.terms.items():
            more = checked(factor * times) if times != 1 else factor
            terms[name] = checked(terms[name] + more) if name in terms else more
    return LinearForm({name: factor for name, factor in terms.items() if factor}, checked(total))


@dataclass(frozen=True)
class Atom:
    """A form compared with zero: ==, !=, <= or <."""

    form: LinearForm
    operator: str
    relation: str = ""
    """Whose comparison it is, where several are decided together."""

    def truth(self, box: Mapping[str, Interval]) -> bool | None:
        """True where all values in the box satisfy it, False where none does, None where some may."""
        value = self.form.over(box)
        if self.operator in ("==", "!="):
            differ = None if value.holds(Fraction(0)) else True
            differ = False if value == ZERO else differ
            return differ if self.operator == "!=" or differ is None else not differ
        low, high = ((end < 0 or (end == 0 and self.operator == "<=")) for end in (value.low, value.high))
        return True if high else None if low else False

    def __str__(self) -> str:
        text = ""
        for name, factor in self.form.terms.items():
            sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
            text += sign + ("" if abs(factor) == 1 else f"{bare(abs(factor))} × ") + name
        return f"{text or '0'} {self.operator} {bare(-self.form.constant)}"


def bare(value: Fraction) -> str:
    """A number without the brackets that it needs inside a formula."""
    return number_text(value).strip("()")


class Computed(str):
    """The name of a variable that an operation gives."""

    __slots__ = ()


@dataclass(frozen=True)
class FormFunction:
    """A variable that is a function of forms: * / (one over) ^ max sqrt log exp cp_upper; others are made of these."""

    name: str
    kind: str
    arguments: tuple[LinearForm, ...]

    def values(self, box: Mapping[str, Interval]) -> list[Interval]:
        """All values of its arguments, or more."""
        return [argument.over(box) for argument in self.arguments]

    def cost(self, values: Sequence[Interval]) -> int:
        """Steps that computing it is worth, where its arguments have these values."""
        pairs = zip(self.arguments, values, strict=True)
        steps = sum((1 + len(argument.terms)) * length_of(value) for argument, value in pairs)
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
                return [Atom(-first, "<=")]
            case "log":
                return [Atom(-first, "<")]
            case "cp_upper":
                count, size, share = self.arguments
                within = [Atom(-count, "<="), Atom(count - size, "<=")]
                return [*within, Atom(-share, "<"), Atom(share - constant(Fraction(1)), "<")]
        return []

    def linear(self) -> LinearForm | None:
        """What it is as a form; None where it is no linear one, or has no exact value."""
        first, *rest = self.arguments
        if (self.kind == "max" and not rest) or (self.kind == "^" and rest[0].constant == 1):
            return first
        varying = [argument for argument in self.arguments if argument.terms]
        if self.kind == "*":
            known = (argument.constant for argument in self.arguments if not argument.terms)
            scale = checked(math.prod(known, start=Fraction(1)))
            return (varying or [constant(Fraction(1))])[0] * scale if not scale or len(varying) < 2 else None
        if not varying and self.kind != "cp_upper":
            # What has no value stays an operation, so that it is told.
            with suppress(EmptyError):
                value = applied(self.kind, [point(argument.constant) for argument in self.arguments])
                return constant(value.low) if isinstance(value.low, Fraction) and value.is_point else None
        return None

    def within(self, box: Mapping[str, Interval]) -> FormFunction:
        """The same operation over a box: a maximum without the arguments that another one is nowhere below.

        The least of hundreds of cells is one of a few, and only those are worth a case of their own.
        """
        if self.kind != "max":
            return self
        ranges = self.values(box)
        # The one with the greatest low end stays, whatever ties with it.
        first = max(range(len(ranges)), key=lambda place: ranges[place].low)
        kept = (
            argument
            for place, argument in enumerate(self.arguments)
            if place == first or ranges[place].high > ranges[first].low
        )
        return replace(self, arguments=tuple(kept))

    def allowed(self, values: Sequence[Interval], target: Interval) -> list[Interval]:
        """Where each argument must lie for the value to lie in the target; everywhere where nothing follows."""
        first = values[0]
        match self.kind:
            case "*":
                others = [[*values[:place], *values[place + 1 :]] for place in range(len(values))]
                return [_factor(applied("*", rest), target) for rest in others]
            case "/":
                return [target.inverse()]
            case "^":
                exponent = int(values[1].low)
                base = target.root(exponent)
                return [base if exponent % 2 else _either_sign(first, base), WHOLE]
            case "sqrt":
                return [target.meet(NOT_NEGATIVE).power(2)]
            case "log":
                return [target.exponential()]
            case "exp":
                return [target.logarithm()]
            case "cp_upper":
                known = first.is_point and values[1].is_point and self.arguments[2].terms
                return [WHOLE, WHOLE, share_range(first, values[1], target) if known else WHOLE]
        able = [place for place, value in enumerate(values) if value.touches(target)]
        if not able:
            raise EmptyError
        # Where only one of them can be the greatest, it has to be.
        below = Interval(-INFINITY, target.high)
        return [target if able == [place] else below for place in range(len(values))]


def applied(kind: str, values: Sequence[Interval], *, total: bool = False) -> Interval:
    """All values of an operation, or more; where `total`, no argument may lie outside its domain."""
    first = values[0]
    outside = {"/": first.low <= 0 <= first.high, "sqrt": first.low < 0, "log": first.low <= 0}
    if total and outside.get(kind):
        raise EmptyError
    match kind:
        case "*":
            return reduce(Interval.__mul__, values)
        case "^":
            return first.power(int(values[1].low))
        case "max":
            return Interval(max(value.low for value in values), max(value.high for value in values))
        case "cp_upper":
            return upper_range(*values, total=total)
        case "/":
            return first.inverse()
        case "sqrt":
            return first.root(2)
        case "log":
            return first.logarithm()
        case "exp":
            return first.exponential()
    raise TypeError(f"no operation {kind!r}")


def _factor(others: Interval, target: Interval) -> Interval:
    """What one factor must be; where zero times anything may be in the target, nothing follows."""
    if others.low < 0 < others.high or (others.holds(Fraction(0)) and target.holds(Fraction(0))):
        return WHOLE
    return target * others.inverse()


def _either_sign(now: Interval, above: Interval) -> Interval:
    """The numbers that are these or their opposites."""
    pieces = [now.meet(piece) for piece in (above, -above) if now.touches(piece)]
    if not pieces:
        raise EmptyError
    return Interval(min(piece.low for piece in pieces), max(piece.high for piece in pieces))
