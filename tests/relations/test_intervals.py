"""Interval arithmetic only ever errs outwards, and is exact where it can be."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.mathematics.bounds import risk_upper_ball
from sealtrace.relations.cases import Case, narrowed
from sealtrace.relations.intervals import Interval, point, share_range, upper_range
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, Some, Unknown, equal, number

numbers = st.fractions(min_value=-50, max_value=50, max_denominator=200)
positive = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6, max_denominator=10**6)


def between(a: Fraction, b: Fraction) -> Interval:
    return Interval(min(a, b), max(a, b))


@given(numbers, numbers, numbers, numbers, st.fractions(0, 1), st.fractions(0, 1))
def test_operations_hold_their_values(
    a: Fraction, b: Fraction, c: Fraction, d: Fraction, s: Fraction, t: Fraction
) -> None:
    """Whatever two numbers are taken, the result of the operation lies in the interval of results."""
    one, other = between(a, b), between(c, d)
    x, y = a + (b - a) * s, c + (d - c) * t
    assert (one + other).holds(x + y)
    assert (one - other).holds(x - y)
    assert (one * other).holds(x * y)
    assert one.power(3).holds(x**3)
    assert one.power(2).holds(x**2)
    assert x == 0 or one.inverse().holds(1 / x)


@given(positive)
def test_irrational_functions_beside_balls(x: Fraction) -> None:
    """The root, the logarithm and the exponential lie inside, and the interval is narrow."""
    with ctx.workprec(300):
        ball = arb(fmpq(x.numerator, x.denominator))
        small = point(min(x, Fraction(100)))
        found = [
            (point(x).root(2), ball.sqrt()),
            (point(x).logarithm(), ball.log()),
            (small.exponential(), arb(fmpq(small.middle().numerator, small.middle().denominator)).exp()),
        ]
        for interval, value in found:
            low, high = Fraction(interval.low), Fraction(interval.high)
            assert not arb(fmpq(low.numerator, low.denominator)) > value
            assert not arb(fmpq(high.numerator, high.denominator)) < value
            assert high - low <= Fraction(1, 10**45) * max(Fraction(1), abs(high))


@given(st.integers(1, 60), st.data())
def test_binomial_ranges(n: int, data: st.DataObject) -> None:
    """Bounds, counts and shares lead to each other."""
    k = data.draw(st.integers(0, n - 1))
    share = data.draw(st.fractions(Fraction(1, 1000), Fraction(1, 2), max_denominator=1000))
    counts, sizes = point(Fraction(k)), point(Fraction(n))
    bound = upper_range(counts, sizes, point(share), total=True)
    near = risk_upper_ball(k, n, share, 80)
    assert abs(bound.middle() - near) < Fraction(1, 2**79)
    shares = share_range(counts, sizes, bound)
    assert shares.holds(share)
    assert shares.width < Fraction(1, 10**30)


def _narrowed(formula: Formula, **box: Interval) -> dict[str, Interval]:
    """What is left of a box by one comparison."""
    case = Case(dict(box))
    case.require(formula, {name: name for name in box})
    left = narrowed(case)
    assert left is not None
    return {name: left.box[name] for name in box}


def test_contraction_is_exact_where_each_variable_stands_once() -> None:
    """x * y = 6 with x from 2 to 3 leaves y from 2 to 3 of 0 to 10."""
    x, y = between(Fraction(2), Fraction(3)), between(Fraction(0), Fraction(10))
    assert _narrowed(equal(Unknown("x") * Unknown("y"), 6), x=x, y=y) == {"x": x, "y": x}


def test_contraction_over_zero() -> None:
    """A quotient by something that may be zero says nothing, and never that nothing is left."""
    x, y = between(Fraction(-1), Fraction(1)), between(Fraction(-5), Fraction(5))
    assert _narrowed(equal(1 / Unknown("x"), Unknown("y")), x=x, y=y) == {"x": x, "y": y}


def test_what_cancels_must_have_a_value() -> None:
    """x/x is one where x is not zero, and nothing where it is."""
    x = Unknown("x")
    for low, status in ((0, "impossible"), (1, "possible")):
        assert search(Some("x", number(low), number(low), equal(x / x - x / x, 0))).status == status
