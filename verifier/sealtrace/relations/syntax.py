"""Formulas as values: what the parser makes, and what Python code may build directly.

Expressions add, subtract, multiply and divide with Python's operators; comparisons are named functions, because
`==` between expressions says whether they are the same expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar, cast

from sealtrace.relations.fact import Fact
from sealtrace.relations.intervals import INFINITY, Interval

FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "sum": (1, None),
    "mean": (1, None),
    "min": (1, None),
    "max": (1, None),
    "abs": (1, 1),
    "sqrt": (1, 1),
    "log": (1, 1),
    "cp_upper": (3, 3),
    "hoeffding": (2, 2),
}
"""Each function with the least and the greatest number of its arguments."""
ORDERS: dict[str, str] = {"increasing": "<", "decreasing": ">", "nondecreasing": "<=", "nonincreasing": ">="}
"""Each predicate on lists with the comparison of neighbours."""
OPERATORS = ("==", "!=", "<=", ">=", "<", ">")


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

    fact: Fact


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

    def __and__(self, other: Formula) -> And:
        return And((self, other))

    def __or__(self, other: Formula) -> Or:
        return Or((self, other))


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


@dataclass(frozen=True)
class Ordered(Formula):
    """A list runs in one direction."""

    order: str
    items: tuple[Expression, ...]


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
    return Call(function, tuple(number(one) for one in arguments))


def all_of(*parts: Formula) -> Formula:
    """Every one of the formulas."""
    return parts[0] if len(parts) == 1 else And(parts)


def any_of(*parts: Formula) -> Formula:
    """At least one of the formulas."""
    return parts[0] if len(parts) == 1 else Or(parts)


def some_integer(name: str, low: Expression | Exact, high: Expression | Exact, body: Formula) -> Some:
    """Some integer in a range makes the body true."""
    return Some(name, number(low), number(high), body, integer=True)


def some_real(name: str, low: Expression | Exact | None, high: Expression | Exact | None, body: Formula) -> Some:
    """Some number in a range makes the body true."""
    return Some(name, None if low is None else number(low), None if high is None else number(high), body)


# Walking


Node = Expression | Formula
AnyNode = TypeVar("AnyNode", bound=Node)


def walk(node: Node) -> Iterator[Node]:
    """A node and everything in it, from left to right."""
    waiting: list[object] = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(reversed(one))
        elif isinstance(one, Expression | Formula):
            yield one
            waiting.extend(reversed(vars(one).values()))


def rebuilt(node: AnyNode, change: Callable[[Node], Node]) -> AnyNode:
    """A node with everything in it changed, from the inside out."""

    def inner(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(inner, value))
        return rebuilt(value, change) if isinstance(value, Expression | Formula) else value

    changed = change(type(node)(**{name: inner(value) for name, value in vars(node).items()}))
    return cast("AnyNode", changed)


def facts_in(node: Node) -> list[Fact]:
    """The printed numbers that a formula speaks of, each once."""
    return list({one.fact.address: one.fact for one in walk(node) if isinstance(one, Given)}.values())


def unknowns_in(node: Node) -> dict[str, Shared]:
    """The declared unknowns that a formula speaks of, by name."""
    return {one.name: one for one in walk(node) if isinstance(one, Shared)}
