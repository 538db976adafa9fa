"""Formulas as text: the form that the parser reads again."""

from __future__ import annotations

from fractions import Fraction

from sealtrace.printed.judgement import decimal_text
from sealtrace.relations.fact import Fact
from sealtrace.relations.syntax import (
    And,
    Call,
    Cell,
    Comparison,
    Expression,
    Formula,
    Inverse,
    Multiple,
    Negative,
    Number,
    Or,
    Ordered,
    Power,
    Product,
    Shared,
    SomeInteger,
    SomeReal,
    Sum,
    Unknown,
)

_TIGHT = (Number, Cell, Unknown, Shared, Call)


def formula_text(formula: Formula) -> str:
    """A formula as the parser reads it."""
    match formula:
        case And(parts):
            return " and ".join(_guarded(part, (Or, SomeInteger, SomeReal, And)) for part in parts)
        case Or(parts):
            return " or ".join(_guarded(part, (SomeInteger, SomeReal, Or)) for part in parts)
        case SomeInteger(name, low, high, body):
            return f"some integer {name} in {expression_text(low)}..{expression_text(high)}: {formula_text(body)}"
        case SomeReal(name, lowest, highest, body):
            ends = f"[{'-inf' if lowest is None else expression_text(lowest)}, "
            ends += f"{'inf' if highest is None else expression_text(highest)}]"
            return f"some {name} in {ends}: {formula_text(body)}"
        case Multiple(of, step, None):
            return f"{expression_text(of)} is a multiple of {expression_text(step)}"
        case Multiple(of, step, repeats) if repeats is not None:
            return f"{expression_text(of)} is a mean of {expression_text(repeats)} multiples of {expression_text(step)}"
        case Ordered(order, items):
            return f"{order}({', '.join(map(expression_text, items))})"
        case Comparison(operator, left, right):
            return f"{expression_text(left)} {operator} {expression_text(right)}"
    raise TypeError(f"no formula: {formula!r}")


def expression_text(expression: Expression) -> str:
    """An expression as the parser reads it."""
    match expression:
        case Number(value, name):
            return name or number_text(value)
        case Cell(fact):
            return fact_text(fact)
        case Unknown(name) | Shared(name):
            return name
        case Negative(of):
            return f"-{expression_text(of) if isinstance(of, Power) else _tight(of)}"
        case Sum(terms):
            first, *rest = terms
            return _term(first) + "".join(
                f" - {_term(one.of)}" if isinstance(one, Negative) else f" + {_term(one)}" for one in rest
            )
        case Inverse(of):
            return f"1 / {_tight(of)}"
        case Product(factors):
            first, *rest = factors
            return _factor(first) + "".join(
                f" / {_factor(one.of)}" if isinstance(one, Inverse) else f" * {_factor(one)}" for one in rest
            )
        case Power(of, exponent):
            return f"{_tight(of)}^{exponent}"
        case Call(function, arguments):
            return f"{function}({', '.join(map(expression_text, arguments))})"
    raise TypeError(f"no expression: {expression!r}")


def fact_text(fact: Fact) -> str:
    """A fact's address, quoted where the parser needs it."""
    if fact.address.startswith("rounded("):
        return f"rounded({fact_text(_plain(fact))})"
    if fact.table is None:
        return fact.address
    part = f".{fact.part}" if fact.part else ""
    table = (
        fact.table if ":" in fact.table and not set(fact.table) & set(' \t[](){},;"*+/=<>!') else _quoted(fact.table)
    )
    return f"{table}[{_label(fact.row)}, {_label(fact.column)}]{part}"


def number_text(value: Fraction) -> str:
    """An exact number: in decimals where they end soon, else as a ratio."""
    denominator = value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    if denominator == 1 and value.denominator < 10**30:
        return decimal_text(value) if value >= 0 else f"({decimal_text(value)})"
    return f"({value.numerator} / {value.denominator})"


def _plain(fact: Fact) -> Fact:
    from dataclasses import replace

    return replace(fact, address=fact.address.removeprefix("rounded(").removesuffix(")"))


def _label(label: str) -> str:
    tame = label and label == " ".join(label.split()) and not set(label) & set('[],"*{}')
    return label if tame else _quoted(label)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _guarded(part: Formula, kinds: tuple[type[Formula], ...]) -> str:
    return f"({formula_text(part)})" if isinstance(part, kinds) else formula_text(part)


def _tight(node: Expression) -> str:
    return expression_text(node) if isinstance(node, _TIGHT) else f"({expression_text(node)})"


def _term(node: Expression) -> str:
    return f"({expression_text(node)})" if isinstance(node, Sum) else expression_text(node)


def _factor(node: Expression) -> str:
    return f"({expression_text(node)})" if isinstance(node, Sum | Product | Inverse) else expression_text(node)
