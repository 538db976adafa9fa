"""Interval arithmetic only ever errs outwards, and is exact where it can be."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.mathematics.bounds import risk_upper_ball
from sealtrace.relations.contraction import Evaluation, contract
from sealtrace.relations.forms import Atom, constant, operation, product, variable
from sealtrace.relations.intervals import Interval, point, share_range, upper_range

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
            (point(x).square_root(), ball.sqrt()),
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


def test_contraction_is_exact_where_each_variable_stands_once() -> None:
    """x * y = 6 with x from 2 to 3 leaves y from 2 to 3 of 0 to 10."""
    atom = Atom(product([variable("x"), variable("y")]).plus(constant(Fraction(-6))), "==")
    box = {"x": Interval(Fraction(2), Fraction(3)), "y": Interval(Fraction(0), Fraction(10))}
    assert contract(box, [atom], frozenset()) == {"x": box["x"], "y": box["x"]}


def test_contraction_over_zero() -> None:
    """A quotient by something that may be zero says nothing, and never that nothing is left."""
    atom = Atom(operation("/", [variable("x")]).plus(variable("y"), Fraction(-1)), "==")
    box = {"x": Interval(Fraction(-1), Fraction(1)), "y": Interval(Fraction(-5), Fraction(5))}
    assert contract(box, [atom], frozenset()) == box


def test_a_value_belongs_to_its_operation() -> None:
    """Forms that come and go are each evaluated anew: none is taken for one that stood in its place in memory."""
    values = Evaluation({"x": point(Fraction(2))})
    for exponent in range(2, 60):
        found = values.form(operation("^", [variable("x"), constant(Fraction(exponent))]))
        assert found == point(Fraction(2) ** exponent)
