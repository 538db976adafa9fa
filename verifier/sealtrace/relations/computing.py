"""What formulas compute from lists and tests while they are read: an interval that holds every value it can have.

Counts, ranks, medians and probabilities of tests are no linear functions of the printed numbers. They are enclosed
instead: each takes the intervals of its arguments and gives an interval outwards. That loses which values belong
together, so that a relation may hold where it could not; it never breaks one that could hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.intervals import Interval, ends_of
from sealtrace.relations.search import search
from sealtrace.relations.syntax import And, Comparison, Formula, Given, Or, Ordered, all_of, any_of, rebuilt
from sealtrace.relations.work import Work

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_FINE = 10**12
_MOST_TRIALS = 20_000
"""Of an exact binomial test: more are not counted out."""
_MOST_FREEDOM = 10**6
MARKS = ("bold", "underlined")
"""Predicates on a cell: how it is emphasized."""


# How a number is read


def about(fact: PrintedNumber) -> PrintedNumber:
    """A number that is said to be about so much: one unit of its last digit that is not zero, either way."""
    unit = fact.unit
    while fact.value and fact.value % (10 * unit) == 0:
        unit *= 10
    return replace(fact, unit=unit).between(fact.value - unit, fact.value + unit, f"rounded({fact.plain_address})")


FAR = Fraction(10**12)
"""Beyond what a bound such as <0.001 leaves open."""


def same(fact: PrintedNumber) -> PrintedNumber:
    """A number as it is."""
    return fact


def one_unit_wider(fact: PrintedNumber) -> PrintedNumber:
    """A rounded number one unit in the last place off, either way; what is exact stays.

    `p < .05` is a threshold, and exact; `at least 0.79` speaks of a number that was rounded to it.
    """
    attained = fact.relation in ("≤", "≥") and fact.unit < 1
    if fact.plain_address == fact.address and (fact.exact or fact.is_bound) and not attained:
        return fact
    return fact.between(fact.low - fact.unit, fact.high + fact.unit)


def one_unit_wider_in(formula: Formula) -> Formula:
    """The formula with every rounded number one unit in its last place off."""
    return rebuilt(formula, lambda node: Given(one_unit_wider(node.fact)) if isinstance(node, Given) else node)


# Whether a condition holds for sure


def negation(formula: Formula) -> Formula | None:
    """What is true where a formula is not; None where the language has no words for it."""
    match formula:
        case Comparison(operator, left, right):
            return Comparison(_OPPOSITE[operator], left, right)
        case And(parts) | Or(parts):
            turned = [negation(part) for part in parts]
            whole = [part for part in turned if part is not None]
            if len(whole) < len(turned):
                return None
            return any_of(*whole) if isinstance(formula, And) else all_of(*whole)
        case Ordered():
            return negation(formula.chain)
    return None


def is_certain(formula: Formula) -> bool | None:
    """Whether a condition holds, or fails, for all values that print so; None where it depends on them."""
    if search(formula, Work(50_000)).status == "impossible":
        return False
    opposite = negation(formula)
    return True if opposite is not None and search(opposite, Work(50_000)).status == "impossible" else None


# Lists


def _quantile(share: Fraction, values: Sequence[Fraction]) -> Fraction:
    """By linear interpolation between the two nearest, as most programs do by default."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _ends(arguments: Sequence[Interval]) -> tuple[list[Fraction], list[Fraction]]:
    return [Fraction(one.low) for one in arguments], [Fraction(one.high) for one in arguments]


def _median(*arguments: Interval) -> Interval:
    # It rises with each of its arguments, so that the ends give the ends.
    low, high = _ends(arguments)
    return Interval(_quantile(Fraction(1, 2), low), _quantile(Fraction(1, 2), high))


def _quantile_of(share: Interval, *arguments: Interval) -> Interval:
    low, high = _ends(arguments)
    if not 0 <= share.low <= share.high <= 1:
        raise ValueError("quantile takes a share between 0 and 1 first")
    return Interval(_quantile(Fraction(share.low), low), _quantile(Fraction(share.high), high))


def _rank(value: Interval, *others: Interval) -> Interval:
    """One and how many are greater; the value may be one of the others, which is not greater than itself."""
    surely = sum(other.low > value.high for other in others)
    perhaps = sum(other.high > value.low and other != value for other in others)
    return Interval(Fraction(1 + surely), Fraction(1 + max(perhaps, surely)))


def _count(*arguments: Interval) -> Interval:
    return Interval(Fraction(len(arguments)), Fraction(len(arguments)))


# Tests


def tail(
    name: str, value: Fraction, freedom: Fraction | int | None = None, two: Fraction | int | None = None
) -> Interval | None:
    """The two-sided probability of a test's value, as a tiny interval; None where the test says too little."""
    from flint import arb, ctx, fmpq

    def ball(number: Fraction | int) -> Any:
        return arb(fmpq(Fraction(number).numerator, Fraction(number).denominator))

    def beta(x: Any, a: Any, b: Any) -> Any:
        return x.beta_lower(a / 2, b / 2, True)

    if max(freedom or 1, two or 1) > _MOST_FREEDOM:
        return None
    with ctx.workprec(128):
        x: Any = abs(ball(value))
        one, other = (ball(degrees) if degrees else None for degrees in (freedom, two))
        match name:
            case "z":
                p = (x / arb(2).sqrt()).erfc()
            case "t" | "r" | "f" | "chi2" if one is not None and not value:
                p = arb(1)  # the series below have no value at their end
            case "t" if one is not None:
                p = beta(one / (one + x * x), one, arb(1))
            case "r" if one is not None and abs(value) < 1:
                p = beta(1 - x * x, one, arb(1))
            case "f" if one is not None and other is not None:
                p = beta(other / (other + one * x), other, one)
            case "chi2" if one is not None:
                p = (x / 2).gamma_upper(one / 2, 1)
            case _:
                return None
        if not p.is_finite():
            return None
        # To twelve decimals, outwards: more than is printed, and short enough to read.
        ends = ends_of(p)
        return Interval(Fraction(math.floor(ends.low * _FINE), _FINE), Fraction(math.ceil(ends.high * _FINE), _FINE))


def tail_over(name: str, *arguments: Interval) -> Interval:
    """The probabilities of all values of a test's statistic and of its degrees of freedom."""
    value, *freedom = arguments
    ends = {Fraction(value.low), Fraction(value.high)} | ({Fraction(0)} if value.low < 0 < value.high else set())
    # A probability falls with the statistic, and is monotone in each number of degrees of freedom.
    corners = product(ends, *({Fraction(one.low), Fraction(one.high)} for one in freedom))
    found = [tail(name, corner[0], *corner[1:]) for corner in corners]
    known = [interval for interval in found if interval is not None]
    if len(known) < len(found):
        raise ValueError(f"the test {name} has no probability for these numbers")
    return Interval(min(interval.low for interval in known), max(interval.high for interval in known))


def _test(name: str) -> Callable[..., Interval]:
    def probability(*arguments: Interval) -> Interval:
        return tail_over(name, *arguments)

    return probability


def _binomial(successes: Interval, trials: Interval, chance: Interval | None = None) -> Interval:
    """The exact two-sided test: everything that is at most as probable as what happened."""
    k, n = _whole(successes), _whole(trials)
    q = Fraction(1, 2) if chance is None else Fraction(chance.low)
    if not 0 <= k <= n <= _MOST_TRIALS or not 0 < q < 1:
        raise ValueError(
            f"an exact binomial test takes k of n, n at most {_MOST_TRIALS:,}, and a chance between 0 and 1"
        )
    up, down, below = q.numerator, q.denominator - q.numerator, q.denominator
    weights = [math.comb(n, i) * up**i * down ** (n - i) for i in range(n + 1)]
    p = Fraction(sum(weight for weight in weights if weight <= weights[k]), below**n)
    return Interval(Fraction(math.floor(p * _FINE), _FINE), Fraction(math.ceil(p * _FINE), _FINE))


def _mcnemar(first: Interval, second: Interval) -> Interval:
    b, c = _whole(first), _whole(second)
    return _binomial(Interval(Fraction(b), Fraction(b)), Interval(Fraction(b + c), Fraction(b + c)))


def _whole(argument: Interval) -> int:
    if argument.low != argument.high or Fraction(argument.low).denominator != 1:
        raise ValueError("a test of counts takes whole numbers that are printed exactly")
    return int(argument.low)


COMPUTED: dict[str, tuple[int, int | None, Callable[..., Interval]]] = {
    "count": (1, None, _count),
    "median": (1, None, _median),
    "quantile": (2, None, _quantile_of),
    "rank": (2, None, _rank),
    "p_t": (2, 2, _test("t")),
    "p_z": (1, 1, _test("z")),
    "p_chi2": (2, 2, _test("chi2")),
    "p_q": (2, 2, _test("chi2")),
    "p_f": (3, 3, _test("f")),
    "p_r": (2, 2, _test("r")),
    "p_binomial": (2, 3, _binomial),
    "p_mcnemar": (2, 2, _mcnemar),
}
"""Each computed function with the least and the greatest number of its arguments. Tests are two-sided."""
AGGREGATES = ("sum", "mean", "min", "max", "median", "count")
"""Functions that take `x in …: value` in place of a list."""
