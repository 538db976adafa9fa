"""Numbers and expressions as a reader sees them: printed strings in the places of their addresses."""

from __future__ import annotations

import math
from fractions import Fraction

from sealtrace.printed.judgement import as_float
from sealtrace.relations.intervals import Interval
from sealtrace.relations.rendering import expression_text
from sealtrace.relations.syntax import (
    Call,
    Cell,
    Expression,
    Formula,
    Inverse,
    Negative,
    Number,
    Power,
    Product,
    Sum,
    facts_in,
)

_LONG_LIST = 8
_FEWEST_PLACES = 4


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


def places_of(node: Expression | Formula) -> int:
    """Decimals of the most precisely printed number."""
    units = [fact.unit for fact in facts_in(node)]
    return max((len(str(unit.denominator)) - 1 for unit in units), default=4)


def decimals(value: Fraction | float, places: int) -> str:
    """A number to so many places, without idle zeros behind more digits than were printed."""
    if not isinstance(value, Fraction):
        return str(value)
    if abs(value) >= 10**15:
        return f"{as_float(value):.6g}"
    scaled = round(abs(value) * 10**places)
    digits = f"{scaled:0{places + 1}d}"
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    if places > 6 and "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 and scaled else text


def printed(expression: Expression) -> str:
    """An expression with the printed numbers in the places of their addresses."""
    match expression:
        case Cell(fact):
            return fact.text
        case Number(value) if abs(value) >= 10**15:
            return decimals(value, 0)
        case Number(value, str()):
            # A reader checks a number by hand, not a name.
            return expression_text(Number(value))
        case Sum(terms) if len(terms) > _LONG_LIST:
            return f"{printed(Sum(terms[:3]))} + … ({len(terms)} terms)"
        case Sum(terms):
            first, *rest = terms
            return _inner(first) + "".join(
                f" - {_inner(one.of)}" if isinstance(one, Negative) else f" + {_inner(one)}" for one in rest
            )
        case Product(factors):
            first, *rest = factors
            return _inner(first, tight=True) + "".join(
                f"/{_inner(one.of, tight=True)}" if isinstance(one, Inverse) else f" × {_inner(one, tight=True)}"
                for one in rest
            )
        case Negative(of):
            return f"-{_inner(of, tight=True)}"
        case Inverse(of):
            return f"1/{_inner(of, tight=True)}"
        case Power(of, exponent):
            return f"{_inner(of, tight=True)}^{exponent}"
        case Call(function, arguments) if len(arguments) > _LONG_LIST:
            few = ", ".join([*map(printed, arguments[:3]), "…", printed(arguments[-1])])
            return f"{function} of {len(arguments)} numbers ({few})"
        case Call(function, arguments):
            return f"{function}({', '.join(map(printed, arguments))})"
    return expression_text(expression)


def _inner(expression: Expression, *, tight: bool = False) -> str:
    text = printed(expression)
    compound = isinstance(expression, Sum) or (tight and isinstance(expression, Product | Negative))
    negative = tight and text.startswith("-")
    return f"({text})" if compound or negative else text
