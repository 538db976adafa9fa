"""Formulas and numbers as text: as the parser reads them again, and as a reader sees them on the page."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from sealtrace.printed.judgement import as_float, as_printed, decimal_text
from sealtrace.relations.fact import Fact, plain_address
from sealtrace.relations.intervals import Interval
from sealtrace.relations.syntax import (
    And,
    Call,
    Comparison,
    Expression,
    Formula,
    Given,
    Multiple,
    Node,
    Number,
    Or,
    Ordered,
    Shared,
    Some,
    Unknown,
    facts_in,
)

_LONG_LIST = 8
_FEWEST_PLACES = 4
_LONG = 10**15


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
            for one in rest:
                link, part = str(sign), one
                if isinstance(one, Call) and one.function == opposite:
                    link, part = opposite, one.arguments[0]
                text += links[link] + inner(part, guarded)
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
            return f"{function}({', '.join(_text(one, page=page) for one in arguments)})"
        case Given(fact):
            return fact.text if page else fact_text(fact)
        case Number(value, name):
            # A reader checks a number by hand, not a name.
            return decimals(value, 0) if page and abs(value) >= _LONG else (not page and name) or number_text(value)
        case Unknown(name) | Shared(name):
            return name
    raise TypeError(f"no expression: {expression!r}")


def fact_text(fact: Fact) -> str:
    """A fact's address, quoted where the parser needs it."""
    if fact.address.startswith("rounded("):
        return f"rounded({fact_text(replace(fact, address=plain_address(fact)))})"
    if fact.table is None:
        return plain_address(fact)
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


# Numbers


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
    return max((len(str(unit.denominator)) - 1 for unit in units), default=4)


def decimals(value: Fraction | float, places: int) -> str:
    """A number to so many places, without idle zeros behind more digits than were printed."""
    if not isinstance(value, Fraction):
        return str(value)
    if abs(value) >= _LONG:
        return f"{as_float(value):.6g}"
    text = as_printed(value, Fraction(1, 10**places))
    return text.rstrip("0").rstrip(".") if places > 6 and "." in text else text
