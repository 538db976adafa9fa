"""Formulas as values: what the parser makes, what Python code may build directly, and what either is as text.

Expressions add, subtract, multiply and divide with Python's operators; comparisons are named functions, because
`==` between expressions says whether they are the same expression.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar, cast

from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.recipes.judgement import as_float, as_printed, decimal_text
from sealtrace.relations.intervals import INFINITY, Interval

FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "sum": (1, None),
    "mean": (1, None),
    "min": (1, None),
    "max": (1, None),
    "abs": (1, 1),
    "sqrt": (1, 1),
    "log": (1, 1),
    "exp": (1, 1),
    "cp_upper": (3, 3),
    "hoeffding": (2, 2),
}
"""Each function with the least and the greatest number of its arguments."""
ORDERS: dict[str, str] = {"increasing": "<", "decreasing": ">", "nondecreasing": "<=", "nonincreasing": ">="}
"""Each predicate on lists with the comparison of neighbours."""
OPERATORS = ("==", "!=", "<=", ">=", "<", ">")
_LONG_LIST = 8
_FEWEST_PLACES = 4
_LONG = 10**15


class Expression:
    """Something that has a value."""

    def __add__(self, other: Expression | Exact) -> Call:
        return Call("+", (self, number(other)))

    def __radd__(self, other: Exact) -> Call:
        return number(other) + self

    def __sub__(self, other: Expression | Exact) -> Call:
        return self + -number(other)

    def __rsub__(self, other: Exact) -> Call:
        return number(other) + -self

    def __mul__(self, other: Expression | Exact) -> Call:
        return Call("*", (self, number(other)))

    def __rmul__(self, other: Exact) -> Call:
        return number(other) * self

    def __truediv__(self, other: Expression | Exact) -> Call:
        return self * Call("/", (number(other),))

    def __rtruediv__(self, other: Exact) -> Call:
        return number(other) / self

    def __neg__(self) -> Call:
        return Call("-", (self,))

    def __pow__(self, exponent: int) -> Call:
        return Call("^", (self, number(exponent)))


Exact = Fraction | int | str
"""What stands for an exact number in Python code; a string is a decimal or a ratio."""


@dataclass(frozen=True)
class Number(Expression):
    """An exact constant."""

    value: Fraction
    name: str | None = None
    """The name under which the paper's constant was declared."""


@dataclass(frozen=True)
class Given(Expression):
    """A printed number."""

    fact: PrintedNumber


@dataclass(frozen=True)
class Unknown(Expression):
    """A number that a `some` around it speaks of."""

    name: str


@dataclass(frozen=True)
class Shared(Expression):
    """A number that the paper does not print and that several relations speak of: in all of them the same."""

    name: str
    low: Fraction | None = None
    high: Fraction | None = None
    integer: bool = False

    @property
    def interval(self) -> Interval:
        """Its range."""
        return Interval(-INFINITY if self.low is None else self.low, INFINITY if self.high is None else self.high)


@dataclass(frozen=True)
class Call(Expression):
    """A function of expressions, or one of the signs: `+` and `*` of many, `-` (the negative) and `/` (one over) of
    one, `^` of a base and a whole number."""

    function: str
    arguments: tuple[Expression, ...]


class Formula:
    """Something that is true or not."""


@dataclass(frozen=True)
class Comparison(Formula):
    """Two values compared."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class And(Formula):
    """All of them."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Or(Formula):
    """At least one of them."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Some(Formula):
    """Some number, or integer, between two ends makes the body true; an end that is None is infinite."""

    name: str
    low: Expression | None
    high: Expression | None
    body: Formula
    integer: bool = False


@dataclass(frozen=True)
class Multiple(Formula):
    """A value is a whole multiple of a step, or a mean of so many of them."""

    of: Expression
    step: Expression
    repeats: Expression | None = None

    def grid(self, steps: str) -> Call:
        """So many steps, over the repeats."""
        repeats = () if self.repeats is None else (Call("/", (self.repeats,)),)
        return Call("*", (Unknown(steps), self.step, *repeats))


@dataclass(frozen=True)
class Ordered(Formula):
    """A list runs in one direction."""

    order: str
    items: tuple[Expression, ...]

    @property
    def chain(self) -> And:
        """Each compared with the next."""
        return And(tuple(Comparison(ORDERS[self.order], *pair) for pair in pairwise(self.items)))


# Building from Python


def number(value: Expression | Exact) -> Expression:
    """An exact constant, or the expression that it already is."""
    return value if isinstance(value, Expression) else Number(Fraction(value))


def compare(left: Expression | Exact, operator: str, right: Expression | Exact) -> Comparison:
    """Two values compared."""
    return Comparison(operator, number(left), number(right))


def equal(left: Expression | Exact, right: Expression | Exact) -> Comparison:
    """Two values are the same."""
    return compare(left, "==", right)


def at_most(left: Expression | Exact, right: Expression | Exact) -> Comparison:
    """The first is not greater."""
    return compare(left, "<=", right)


def call(function: str, *arguments: Expression | Exact) -> Call:
    """A function of values."""
    return Call(function, tuple(map(number, arguments)))


def all_of(*parts: Formula) -> Formula:
    """Every one of the formulas."""
    return parts[0] if len(parts) == 1 else And(parts)


def any_of(*parts: Formula) -> Formula:
    """At least one of the formulas."""
    return parts[0] if len(parts) == 1 else Or(parts)


def some_integer(name: str, low: Expression | Exact, high: Expression | Exact, body: Formula) -> Some:
    """Some integer in a range makes the body true."""
    return Some(name, number(low), number(high), body, integer=True)


# Walking


Node = Expression | Formula
AnyNode = TypeVar("AnyNode", bound=Node)


def walk(node: Node) -> Iterator[Node]:
    """A node and everything in it, from left to right."""
    waiting: list[object] = [node]
    while waiting:
        found = waiting.pop()
        if isinstance(found, tuple):
            waiting.extend(reversed(found))
        elif isinstance(found, Expression | Formula):
            yield found
            waiting.extend(reversed(vars(found).values()))


def rebuilt(node: AnyNode, change: Callable[[Node], Node]) -> AnyNode:
    """A node with everything in it changed, from the inside out."""

    def inner(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(inner, value))
        return rebuilt(value, change) if isinstance(value, Expression | Formula) else value

    changed = change(type(node)(**{name: inner(value) for name, value in vars(node).items()}))
    return cast("AnyNode", changed)


def facts_in(node: Node) -> list[PrintedNumber]:
    """The printed numbers that a formula speaks of, each once."""
    return list({given.fact.address: given.fact for given in walk(node) if isinstance(given, Given)}.values())


def unknowns_in(node: Node) -> dict[str, Shared]:
    """The declared unknowns that a formula speaks of, by name."""
    return {shared.name: shared for shared in walk(node) if isinstance(shared, Shared)}


# As text: as the parser reads it again, and as a reader sees it on the page


def formula_text(formula: Formula) -> str:
    """A formula as the parser reads it."""
    match formula:
        case And(parts):
            return " and ".join(_guarded(part, (Or, Some, And)) for part in parts)
        case Or(parts):
            return " or ".join(_guarded(part, (Some, Or)) for part in parts)
        case Some(body=body):
            return f"some {range_text(formula, expression_text)}: {formula_text(body)}"
        case Multiple(of, step, repeats):
            mean = "" if repeats is None else f"mean of {expression_text(repeats)} "
            return f"{expression_text(of)} is a {mean}multiple{'s' * bool(mean)} of {expression_text(step)}"
        case Ordered(order, items):
            return f"{order}({', '.join(map(expression_text, items))})"
        case Comparison(operator, left, right):
            return f"{expression_text(left)} {operator} {expression_text(right)}"
    raise TypeError(f"no formula: {formula!r}")


def _guarded(part: Formula, kinds: tuple[type[Formula], ...]) -> str:
    return f"({formula_text(part)})" if isinstance(part, kinds) else formula_text(part)


def range_text(some: Some, written: Callable[[Expression], str]) -> str:
    """An unknown and its ends."""
    low, high = "-inf" if some.low is None else written(some.low), "inf" if some.high is None else written(some.high)
    return f"integer {some.name} in {low}..{high}" if some.integer else f"{some.name} in [{low}, {high}]"


def expression_text(expression: Expression) -> str:
    """An expression as the parser reads it."""
    return _text(expression, page=False)


def printed(expression: Expression) -> str:
    """An expression with the printed numbers in the places of their addresses, and long lists cut short."""
    return _text(expression, page=True)


def _text(expression: Expression, *, page: bool) -> str:
    links = {"+": " + ", "-": " - ", "*": " × " if page else " * ", "/": "/" if page else " / "}

    def inner(node: Expression, guarded: str) -> str:
        text = _text(node, page=page)
        minus = page and guarded != "+" and text.startswith("-")
        return f"({text})" if minus or (isinstance(node, Call) and node.function in guarded) else text

    match expression:
        case Call("+", terms) if page and len(terms) > _LONG_LIST:
            return f"{printed(Call('+', terms[:3]))} + … ({len(terms)} terms)"
        case Call("+" | "*" as sign, (first, *rest)):
            guarded, opposite = ("+", "-") if sign == "+" else ("+*/", "/")
            text = inner(first, guarded)
            for part in rest:
                match part:
                    case Call(turned, (argument,)) if turned == opposite:
                        text += links[opposite] + inner(argument, guarded)
                    case _:
                        text += links[sign] + inner(part, guarded)
            return text
        case Call("-", (of,)):
            return f"-{inner(of, '+*/-')}"
        case Call("/", (of,)):
            return f"1{links['/']}{inner(of, '+*/-^')}"
        case Call("^", (of, exponent)):
            return f"{inner(of, '+*/-^')}^{_text(exponent, page=page)}"
        case Call(function, arguments) if page and len(arguments) > _LONG_LIST:
            few = ", ".join([*map(printed, arguments[:3]), "…", printed(arguments[-1])])
            return f"{function} of {len(arguments)} numbers ({few})"
        case Call(function, arguments):
            return f"{function}({', '.join(_text(argument, page=page) for argument in arguments)})"
        case Given(fact):
            return fact.text if page else fact_text(fact)
        case Number(value, name):
            # A reader checks a number by hand, not a name.
            return decimals(value, 0) if page and abs(value) >= _LONG else (not page and name) or number_text(value)
        case Unknown(name) | Shared(name):
            return name
    raise TypeError(f"no expression: {expression!r}")


def fact_text(fact: PrintedNumber) -> str:
    """A fact's address, quoted where the parser needs it."""
    if fact.address.startswith("rounded("):
        return f"rounded({fact_text(replace(fact, address=fact.plain_address))})"
    if fact.table is None:
        return fact.plain_address
    part = f".{fact.part}" if fact.part else ""
    tame = ":" in fact.table and not set(fact.table) & set(' \t[](){},;"*+/=<>!')
    table = fact.table if tame else _quoted(fact.table)
    return f"{table}[{_label(fact.row)}, {_label(fact.column)}]{part}"


def _label(label: str) -> str:
    tame = label and label == " ".join(label.split()) and not set(label) & set('[],"*{}')
    return label if tame else _quoted(label)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# Numbers as text


def number_text(value: Fraction) -> str:
    """An exact number inside a formula: in decimals where they end soon, else as a ratio."""
    text = exact_text(value)
    return f"({text.replace('/', ' / ')})" if value < 0 or "/" in text else text


def exact_text(value: Fraction) -> str:
    """An exact number by itself."""
    ends = 10**60 % value.denominator == 0
    return decimal_text(value) if ends else f"{value.numerator}/{value.denominator}"


def approximately(value: Interval, places: int) -> str:
    """A value with its tolerance, or its range where that is wide."""
    if value.is_point:
        # Counts are printed whole, and what follows from them is not.
        while places < _FEWEST_PLACES and (Fraction(value.low) * 10**places).denominator != 1:
            places += 1
        return decimals(value.low, places)
    if not value.is_bounded or value.width > abs(value.middle()):
        return f"{decimals(value.low, places + 1)} to {decimals(value.high, places + 1)}"
    half = Fraction(value.width) / 2
    digits = places
    while digits < places + 8 and half < Fraction(1, 10**digits):
        digits += 1
    if half < Fraction(1, 10 ** (places + 4)):
        return decimals(value.middle(), places + 2)
    # The tolerance is rounded up, so that what is shown is never narrower than what is meant.
    tolerance = Fraction(math.ceil(half * 10**digits), 10**digits)
    return f"{decimals(value.middle(), digits)} ± {decimals(tolerance, digits)}"


def places_of(node: Node) -> int:
    """Decimals of the most precisely printed number."""
    units = [fact.unit for fact in facts_in(node)]
    counted = all(unknown.integer for unknown in unknowns_in(node).values())
    return max((len(str(unit.denominator)) - 1 for unit in units), default=0 if counted else 4)


def decimals(value: Fraction | float, places: int) -> str:
    """A number to so many places, without idle zeros behind more digits than were printed."""
    if not isinstance(value, Fraction):
        return str(value)
    if abs(value) >= _LONG:
        return f"{as_float(value):.6g}"
    text = as_printed(value, Fraction(1, 10**places))
    return text.rstrip("0").rstrip(".") if places > 6 and "." in text else text
