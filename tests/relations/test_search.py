"""Both answers of the search beside plain evaluation: a witness makes a formula true, the impossible is never true."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relations.papers import formula_of
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Claim, Status
from sealtrace.relations.intervals import Interval
from sealtrace.relations.search import search
from sealtrace.relations.syntax import (
    ORDERS,
    And,
    Call,
    Comparison,
    Expression,
    Formula,
    Given,
    Multiple,
    Number,
    Or,
    Ordered,
    Some,
    Unknown,
    facts_in,
    formula_text,
    some_integer,
)
from support import LONG

EXAMPLES = settings(max_examples=5000 if LONG else 60, deadline=None)

UNIT = Fraction(1, 10)
FACTS = [
    PrintedNumber(str(value), value, UNIT, interval=(value - width, value + width), address=f"f{place}")
    for place, (value, width) in enumerate(
        [(Fraction(0), UNIT / 2), (Fraction(3, 2), UNIT / 2), (Fraction(-2), UNIT), (Fraction(2), Fraction(0))]
    )
]
leaves = st.one_of(
    st.sampled_from([Number(Fraction(n, d)) for n in range(-3, 4) for d in (1, 2, 3)]),
    st.sampled_from([Given(fact) for fact in FACTS]),
    st.just(Unknown("k")),
)
expressions: st.SearchStrategy[Expression] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(operator.add, inner, inner),
        st.builds(operator.sub, inner, inner),
        st.builds(operator.mul, inner, inner),
        st.builds(operator.truediv, inner, inner),
        st.builds(operator.pow, inner, st.integers(2, 3)),
        st.builds(lambda a: Call("abs", (a,)), inner),
        st.builds(lambda name, a, b: Call(name, (a, b)), st.sampled_from(["min", "max", "mean"]), inner, inner),
    ),
    max_leaves=5,
)
formulas: st.SearchStrategy[Formula] = st.recursive(
    st.one_of(
        st.builds(Comparison, st.sampled_from(["==", "!=", "<=", ">=", "<", ">"]), expressions, expressions),
        st.builds(lambda a, b, c: Ordered("increasing", (a, b, c)), expressions, expressions, expressions),
        st.builds(Multiple, expressions, leaves),
    ),
    lambda inner: st.one_of(
        st.builds(lambda a, b: And((a, b)), inner, inner),
        st.builds(lambda a, b: Or((a, b)), inner, inner),
        st.builds(lambda body: some_integer("k", -2, 2, body), inner),
    ),
    max_leaves=3,
).map(lambda body: some_integer("k", -1, 3, body))


class Undefined(Exception):  # noqa: N818 - nothing went wrong
    """A division by zero."""


VALUES: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "+": lambda values: sum(values, Fraction(0)),
    "-": lambda values: -values[0],
    "*": lambda values: math.prod(values, start=Fraction(1)),
    "/": lambda values: 1 / values[0],
    "^": lambda values: values[0] ** int(values[1]),
    "mean": lambda values: sum(values, Fraction(0)) / len(values),
    "abs": lambda values: abs(values[0]),
    "min": min,
    "max": max,
}


def value(node: Expression, at: dict[str, Fraction]) -> Fraction:
    """An expression's value, as written."""
    match node:
        case Number(constant):
            return constant
        case Given(fact):
            return at[fact.address]
        case Unknown(name):
            return at[name]
        case Call(function, arguments):
            values = [value(one, at) for one in arguments]
            if function == "/" and not values[0]:
                raise Undefined
            return VALUES[function](values)
    raise TypeError


def compared(operator: str, a: Fraction, b: Fraction) -> bool:
    return {"==": a == b, "!=": a != b, "<=": a <= b, ">=": a >= b, "<": a < b, ">": a > b}[operator]


def true(node: Formula, at: dict[str, Fraction]) -> bool:
    """Whether a formula is true at a point; what has no value is not."""
    try:
        match node:
            case And(parts):
                return all(true(part, at) for part in parts)
            case Or(parts):
                return any(true(part, at) for part in parts)
            case Comparison(operator, left, right):
                return compared(operator, value(left, at), value(right, at))
            case Ordered(order, items):
                values = [value(item, at) for item in items]
                return all(compared(ORDERS[order], a, b) for a, b in pairwise(values))
            case Multiple(of, step, None):
                size = value(step, at)
                return (value(of, at) / size).denominator == 1 if size else value(of, at) == 0
            case Some(name, low, high, body, True):
                assert low is not None
                assert high is not None
                ends = range(int(value(low, at)), int(value(high, at)) + 1)
                return any(true(body, {**at, name: Fraction(count)}) for count in ends)
    except Undefined:
        return False
    raise TypeError


@EXAMPLES
@given(formulas, st.integers(0, 2**30))
def test_answers_beside_evaluation(formula: Formula, seed: int) -> None:
    """The witness makes the formula true; where it is called impossible, no point that is tried makes it so."""
    found = search(formula)
    facts = facts_in(formula)
    if found.status == "possible":
        assert found.values is not None
        at = {name: Fraction(one.low) for name, one in found.values.items() if one.is_point}
        assert all(found.values[fact.address].within(Interval(fact.low, fact.high)) for fact in facts)
        # An irrational witness is a tiny interval, and is not tried here.
        assert any(fact.address not in at for fact in facts) or true(formula, at), formula_text(formula)
    elif found.status == "impossible":
        chance = random.Random(seed)
        inside = [fact.low + (fact.high - fact.low) * Fraction(chance.random()) for fact in FACTS]
        tried = [{fact.low, fact.value, fact.high, one} for fact, one in zip(FACTS, inside, strict=True)]
        for corner in product(*tried):
            here = dict(zip((fact.address for fact in FACTS), corner, strict=True))
            assert not true(formula, here), (formula_text(formula), here)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("some integer k in (-1)..3: abs(k / k) == 0", "impossible"),
        ("some integer k in (-1)..3: 0 != (k + k)^2 and k is a multiple of k", "possible"),
        ("some x in [1e300, 2e300]: some y in [0, inf]: x * x + y >= x * y", "possible"),
    ],
)
def test_answers_that_were_wrong(text: str, status: str) -> None:
    """What a function within a function has to be is not what it is; what was left out is not asked for; and what is
    longer than any float is no float."""
    assert search(formula_of(text)).status == status


@settings(max_examples=500 if LONG else 20, deadline=None)
@given(formulas)
def test_every_decision_is_whole(formula: Formula) -> None:
    """Nothing is raised, a contradiction has its line, and what is undecided says why."""
    found = decide(Claim("r", formula, "s", "p"))
    assert bool(found.arithmetic) == (found.status is Status.CONTRADICTION)
    assert bool(found.reason) == (found.status is Status.UNDECIDED)
