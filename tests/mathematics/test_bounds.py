"""The bounds against ball arithmetic, rational arithmetic, closed forms and statsmodels."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from oracles.binomial import ball, encloses, statsmodels_upper, tail
from sealtrace.mathematics import bounds
from sealtrace.mathematics.bounds import (
    Lower,
    clipped,
    compare_lower,
    lower_value,
    risk_at_most,
    risk_upper,
    risk_upper_ball,
    risk_upper_of,
    risks_at_most,
    utility_radius,
    utility_radius_ball,
)
from sealtrace.mathematics.exact import Undecided

SIZES = [1, 2, 5, 12, 126, 512, 2048, 10**4, 10**6]
SHARES = [Fraction(1, 2), Fraction(1, 20), Fraction(1, 1600), Fraction(1, 10**6), Fraction(1, 10**12)]
HAIR = Fraction(1, 10**40)
RELATIVE = Fraction(1, 10**13)

# For properties whose oracle is slow.
few = settings(max_examples=25)

proper = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000), max_denominator=1000)


@st.composite
def pairs(draw: st.DrawFn, largest: int = 30) -> tuple[int, int]:
    """k < n."""
    n = draw(st.integers(1, largest))
    return draw(st.integers(0, n - 1)), n


def counts_of(n: int) -> list[int]:
    """Few, some, half and nearly all of n."""
    return sorted({k for k in (0, 1, 2, 5, n // 10, n // 2, n - 2, n - 1) if 0 <= k < n})


@pytest.mark.parametrize("n", SIZES)
def test_upper_agrees_with_balls(n: int) -> None:
    """The printed bound is within 1e-13 of itself from the true one, from n = 1 to 10^6 and down to shares of 1e-12."""
    for k in counts_of(n):
        for share, found in zip(SHARES, risk_upper(np.array(k), n, np.array(SHARES, dtype=float)), strict=True):
            upper = Fraction(float(found))
            assert encloses(k, n, share, upper * (1 - RELATIVE), upper * (1 + RELATIVE), 100), (k, n, share)
            assert risk_upper_of(k, n, share) == found


@pytest.mark.parametrize("n", SIZES)
def test_upper_agrees_with_statsmodels(n: int) -> None:
    """The one-sided bound is the upper end of the two-sided interval at twice the share.

    statsmodels prints what betainccinv gives, unpolished: good to 1e-13 up to n = 10^4, to 1e-11 at 10^6.
    """
    for k in counts_of(n):
        for share in SHARES:
            expected = statsmodels_upper(k, n, float(share))
            assert risk_upper_of(k, n, share) == pytest.approx(expected, rel=1e-13 if n <= 10**4 else 1e-11, abs=0)


def test_betainccinv_is_polished() -> None:
    """Without the Newton step this bound is off by 6e-12 of its value."""
    exact = risk_upper_ball(2, 10**6, Fraction(1, 20), 128)
    polished = Fraction(risk_upper_of(2, 10**6, Fraction(1, 20)))
    assert abs(polished - exact) < exact * RELATIVE
    unpolished = Fraction(statsmodels_upper(2, 10**6, 0.05))
    assert abs(unpolished - exact) > 10 * exact * RELATIVE


@pytest.mark.parametrize("share", [Fraction(1, 20), Fraction(1, 10**400), 1 - Fraction(1, 10**30)])
@pytest.mark.parametrize("n", [0, 1, 7, 10**6])
def test_all_crossings_or_no_states(n: int, share: Fraction) -> None:
    """U is exactly 1, and no budget below 1 admits it."""
    assert risk_upper_of(n, n, share) == 1.0
    assert risk_upper_ball(n, n, share, 256) == 1
    assert risk_upper(np.array([n]), n, 0.05).tolist() == [1.0]
    assert [risk_at_most(n, n, share, budget) for budget in (Fraction(0), 1 - HAIR, Fraction(1))] == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n", [1, 3, 126, 10**6])
def test_closed_forms(n: int, share: Fraction) -> None:
    """Without a crossing U = 1 - s^(1/n); with one state not crossing U = (1 - s)^(1/n)."""
    with ctx.workprec(400):
        for k, expected in ((0, 1 - ball(share).root(n)), (n - 1, (1 - ball(share)).root(n))):
            error = abs(ball(risk_upper_ball(k, n, share, 256)) - expected)
            assert error < arb(2) ** -256
            assert risk_upper_of(k, n, share) == pytest.approx(float(expected), rel=1e-13, abs=0)


@pytest.mark.parametrize(
    ("k", "n", "share"),
    [
        (3, 2048, Fraction(1, 1600)),
        (51, 512, Fraction(1, 20)),
        (5000, 10**4, Fraction(1, 1600)),
        (5 * 10**5, 10**6, Fraction(1, 1600)),
        (1, 10**6, Fraction(1, 10**12)),
        (3, 10**6, Fraction(1, 10**400)),
        (4, 5, Fraction(1, 10**400)),
        (995, 1000, Fraction(1, 10**50)),
        (500, 1000, 1 - Fraction(1, 10**30)),
        (5, 100, 1 - Fraction(1, 10**30)),
    ],
)
@pytest.mark.parametrize("bits", [32, 128])
def test_upper_ball(k: int, n: int, share: Fraction, bits: int) -> None:
    """The dyadic rational is as close as asked, also for shares that no double holds."""
    found = risk_upper_ball(k, n, share, bits)
    radius = Fraction(1, 2**bits)
    assert 2 ** (bits + 2) % found.denominator == 0
    assert encloses(k, n, share, found - radius, found + radius, bits + 150)
    if bits == 128:
        assert risk_upper_of(k, n, share) == pytest.approx(float(found), rel=1e-13, abs=0)


@few
@given(pairs(), proper, st.integers(1, 400))
def test_upper_ball_by_rational_arithmetic(pair: tuple[int, int], share: Fraction, bits: int) -> None:
    """Below the dyadic rational and its radius the tail is larger than the share, above it is smaller."""
    found, radius = risk_upper_ball(*pair, share, bits), Fraction(1, 2**bits)
    assert tail(*pair, max(found - radius, Fraction(0))) > share > tail(*pair, min(found + radius, Fraction(1)))


def test_upper_is_monotone() -> None:
    """More crossings, fewer states or a smaller share: a larger bound."""
    crossings = np.arange(513)
    by_count = risk_upper(crossings, 512, 0.05 / 80)
    assert (np.diff(by_count) > 0).all()
    by_size = risk_upper(np.array([7]), np.arange(7, 3000), 0.05 / 80)
    assert (np.diff(by_size) < 0).all()
    by_share = risk_upper(crossings[:512, None], 512, np.logspace(-12, -0.4, 40))
    assert by_share.shape == (512, 40)
    assert (np.diff(by_share, axis=1) < 0).all()
    assert (by_count[:512] > crossings[:512] / 512).all()


def test_upper_broadcasts() -> None:
    """A table of bounds holds the bounds of its cells."""
    crossings, states = np.array([[0, 3], [12, 5], [0, 1]]), np.array([12, 126])
    table = risk_upper(crossings, states, 0.05)
    for (row, column), k in np.ndenumerate(crossings):
        assert table[row, column] == risk_upper_of(int(k), int(states[column]), Fraction(1, 20))


@given(pairs(), proper, proper)
def test_decision_is_exact(pair: tuple[int, int], share: Fraction, budget: Fraction) -> None:
    """U <= budget is decided as rational arithmetic decides it."""
    assert risk_at_most(*pair, share, budget) == (tail(*pair, budget) <= share)


@given(pairs(), proper)
@example((0, 1), Fraction(1, 2))
@example((29, 30), Fraction(999, 1000))
def test_decision_at_equality(pair: tuple[int, int], budget: Fraction) -> None:
    """With the share at the tail itself U equals the budget; a hair less share, and it exceeds it."""
    share = tail(*pair, budget)
    assert risk_at_most(*pair, share, budget)
    assert not risk_at_most(*pair, share - min(HAIR, share / 2), budget)
    assert risk_at_most(*pair, share + min(HAIR, (1 - share) / 2), budget)


@pytest.mark.parametrize("tiny", [Fraction(1, 10**exponent) for exponent in (9, 17, 320, 1400)])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 9), (4, 9), (8, 9)])
def test_decision_at_the_ends(k: int, n: int, tiny: Fraction) -> None:
    """Budgets and shares that doubles cannot tell from 0 or 1 are decided all the same."""
    for share in (Fraction(1, 20), tiny, 1 - tiny):
        for budget in (tiny, 1 - tiny, tiny / 3, 1 - tiny / 3):
            assert risk_at_most(k, n, share, budget) == (tail(k, n, budget) <= share)


@pytest.mark.parametrize("budget", [Fraction(-1), Fraction(0), Fraction(1), Fraction(3, 2)])
def test_improper_budgets(budget: Fraction) -> None:
    """U lies above 0 and never above 1."""
    assert (
        risks_at_most(np.array([0, 3, 5]), np.array([0, 5, 5]), Fraction(1, 20), budget).tolist() == [budget >= 1] * 3
    )


@pytest.mark.parametrize(("k", "n"), [(20, 512), (1000, 10**4), (9990, 10**4), (40, 10**6)])
def test_decision_next_to_the_bound(k: int, n: int) -> None:
    """At a budget within 2^-200 of U the two sides are told apart."""
    share = Fraction(1, 1600)
    upper = risk_upper_ball(k, n, share, 200)
    radius = Fraction(1, 2**200)
    assert risk_at_most(k, n, share, upper + radius)
    assert not risk_at_most(k, n, share, upper - radius)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (2, 9), (9, 12), (60, 126), (200, 512)])
def test_integers_decide_what_balls_cannot(k: int, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without balls, integers find the same."""
    monkeypatch.setattr(bounds, "_PRECISIONS", ())
    for budget in (Fraction(1, 3), Fraction(2, 5), Fraction(9, 10)):
        share = tail(k, n, budget)
        assert risk_at_most(k, n, share, budget)
        assert not risk_at_most(k, n, share * (1 - HAIR), budget)


@pytest.mark.parametrize("bits", [4, 10, 53, 200])
@pytest.mark.parametrize("k", [0, 3, 150, 295, 299])
def test_tail_balls_hold_the_tail(k: int, bits: int) -> None:
    """Whatever is rounded and left out, the ball holds the exact tail, on both sides of the mean."""
    for percent in (1, 30, 49, 50, 51, 55, 99):
        x = Fraction(percent, 100)
        exact = tail(k, 300, x)
        with ctx.workprec(bits):
            found = bounds._tail(k, 300, ball(x))
        with ctx.workprec(6000):
            assert found.contains(ball(exact)), percent


def counted(called: list[object]) -> Callable[[int, int, Fraction, Fraction], bool]:
    """_tail_at_most, keeping a record of what it is asked."""
    original = bounds._tail_at_most

    def record(k: int, n: int, share: Fraction, x: Fraction) -> bool:
        called.append((k, n, share))
        return original(k, n, share, x)

    return record


def test_many_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ordinary pairs are decided in doubles; a pair at the bound is decided once, however often it occurs."""
    called: list[object] = []
    monkeypatch.setattr(bounds, "_tail_at_most", counted(called))
    budget = Fraction(1, 20)
    states = np.repeat([0, 12, 126, 300], 13)
    crossings = np.minimum(np.tile(np.arange(13), 4), states)
    shares = [Fraction(1, 20 * (place % 7 + 1)) for place in range(len(states))]
    expected = [
        k < n and tail(k, n, budget) <= share
        for k, n, share in zip(crossings.tolist(), states.tolist(), shares, strict=True)
    ]
    assert True in expected
    assert risks_at_most(crossings, states, shares, budget).tolist() == expected
    assert called == []
    critical = tail(3, 126, budget)
    assert risks_at_most(np.array([3, 2, 3, 4, 126]), 126, critical, budget).tolist() == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert called == [(3, 126, critical)]


def test_table_of_decisions() -> None:
    """A table of candidates by groups is decided cell by cell, with a share for each group."""
    crossings, states, budget = np.array([[0, 3], [12, 5], [1, 3]]), np.array([12, 126]), Fraction(1, 20)
    shares = [Fraction(1, 20), tail(3, 126, budget)]
    table = risks_at_most(crossings, states, shares, budget)
    for (row, column), k in np.ndenumerate(crossings):
        assert table[row, column] == risk_at_most(int(k), int(states[column]), shares[column], budget)
    assert table.tolist() == [[False, True], [False, False], [False, True]]


@few
@given(st.lists(st.tuples(pairs(12), proper), max_size=4), proper)
def test_many_decisions_equal_single_ones(rows: list[tuple[tuple[int, int], Fraction]], budget: Fraction) -> None:
    """A column of decisions holds the decisions of its rows."""
    crossings = np.array([k for (k, _), _ in rows], dtype=np.int64)
    states = np.array([n for (_, n), _ in rows], dtype=np.int64)
    shares = [share for _, share in rows]
    expected = [tail(k, n, budget) <= share for (k, n), share in rows]
    assert risks_at_most(crossings, states, shares, budget).tolist() == expected


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n", SIZES)
def test_radius(n: int, share: Fraction) -> None:
    """The radius is the plain formula's, and that of sixty decimal digits."""
    assert utility_radius(n, share) == pytest.approx(math.sqrt(math.log(1 / share) / (2 * n)), rel=1e-14, abs=0)
    with localcontext() as context:
        context.prec = 60
        expected = (-(Decimal(share.numerator) / share.denominator).ln() / (2 * n)).sqrt()
        found = utility_radius_ball(n, share, 180)
        assert abs(Decimal(found.numerator) / found.denominator - expected) < Decimal(2) ** -180 + Decimal(10) ** -57
        assert utility_radius(n, share) == pytest.approx(float(expected), rel=1e-15, abs=0)


@pytest.mark.parametrize(
    "share", [Fraction(1, 10**400), Fraction(3**900, 10**900), 1 - Fraction(1, 10**25), Fraction(2**200 - 1, 2**200)]
)
def test_radius_of_extreme_shares(share: Fraction) -> None:
    """Doubles that cannot hold the share still give its radius."""
    exact = utility_radius_ball(7, share, 256)
    assert utility_radius(7, share) == pytest.approx(float(exact), rel=1e-14, abs=0)


@few
@given(proper, st.integers(1, 10**7), st.integers(1, 500))
def test_radius_balls_agree(share: Fraction, n: int, bits: int) -> None:
    """A coarse dyadic radius is within its distance of a finer one."""
    coarse, fine = utility_radius_ball(n, share, bits), utility_radius_ball(n, share, 600)
    assert abs(coarse - fine) < Fraction(1, 2**bits) + Fraction(1, 2**600)


@few
@given(st.fractions(0, 1), st.integers(1, 5000), proper, st.sampled_from([8, 64, 256]))
def test_lower_value(mean: Fraction, n: int, share: Fraction, bits: int) -> None:
    """The rational is L to the bits asked for, and zero exactly where the mean does not exceed the radius."""
    lower = Lower(mean, n, share)
    radius, error = utility_radius_ball(n, share, 500), Fraction(1, 2**500)
    assume(abs(mean - radius) > error)
    assert clipped(lower) == (mean < radius)
    assert abs(lower_value(lower, bits) - max(Fraction(0), mean - radius)) <= Fraction(1, 2**bits) + error
    if clipped(lower):
        assert lower_value(lower, bits) == 0


@pytest.mark.parametrize("bits", [60, 100, 1000, 5000])
def test_clipping_next_to_the_radius(bits: int) -> None:
    """However close the mean is to the radius, it is on one side of it."""
    share, hair = Fraction(1, 1600), Fraction(1, 2**bits)
    radius = utility_radius_ball(126, share, bits)
    assert clipped(Lower(radius - hair, 126, share))
    assert not clipped(Lower(radius + hair, 126, share))
    assert clipped(Lower(Fraction(1), 0, share))
    assert clipped(Lower(Fraction(0), 126, share))
    assert clipped(Lower(Fraction(-1), 126, share))


lowers = st.builds(Lower, st.fractions(0, 1, max_denominator=50), st.integers(0, 400), proper)


@few
@given(lowers, lowers)
def test_comparison_orders_the_values(a: Lower, b: Lower) -> None:
    """The sign is that of the difference of the values, and turns with the arguments."""
    difference = lower_value(a, 600) - lower_value(b, 600)
    sign = compare_lower(a, b)
    assert compare_lower(b, a) == -sign
    if abs(difference) > Fraction(1, 2**590):
        assert sign == (1 if difference > 0 else -1)
    else:
        assert sign == 0


def test_planted_ties() -> None:
    """Equal by identity, by clipping, by the same radius and mean, and by radii equal though n and s differ."""
    share, half = Fraction(1, 20), Fraction(1, 2)
    lower = Lower(half, 100, share)
    assert compare_lower(lower, Lower(Fraction(2, 4), 100, Fraction(5, 100))) == 0
    assert compare_lower(Lower(Fraction(1, 100), 10, share), Lower(Fraction(1, 50), 12, Fraction(1, 30))) == 0
    assert compare_lower(Lower(half, 0, share), Lower(Fraction(1), 1, share)) == 0
    assert compare_lower(Lower(Fraction(1), 0, share), lower) == -1
    assert compare_lower(lower, Lower(half, 200, share**2)) == 0
    assert compare_lower(Lower(half, 300, share**3), Lower(half, 200, share**2)) == 0
    assert compare_lower(lower, Lower(half - HAIR**40, 200, share**2)) == 1
    assert compare_lower(lower, Lower(half + HAIR**40, 100, share)) == -1
    assert compare_lower(lower, Lower(half, 101, share)) == -1
    assert compare_lower(lower, Lower(half, 100, share / 2)) == 1


@pytest.mark.parametrize("digits", [15, 30, 300])
def test_near_ties(digits: int) -> None:
    """Radii that differ, means that make up for it but for a hair: the hair decides."""
    first, second = (126, Fraction(1, 1600)), (512, Fraction(1, 20))
    hair = Fraction(1, 10**digits)
    shift = utility_radius_ball(*first, 4 * digits) - utility_radius_ball(*second, 4 * digits)
    lower = Lower(Fraction(1, 2), *second)
    assert compare_lower(Lower(lower.mean + shift + hair, *first), lower) == 1
    assert compare_lower(Lower(lower.mean + shift - hair, *first), lower) == -1


def test_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the precisions tried cannot separate is not guessed.

    Two bits do not go far; all the precisions fail only on means of more than a thousand digits, as below.
    """
    a, b = Lower(Fraction(1, 2), 126, Fraction(1, 1600)), Lower(Fraction(49, 100), 127, Fraction(1, 1500))
    assert compare_lower(a, b) == 1
    monkeypatch.setattr(bounds, "_PRECISIONS", (2,))
    with pytest.raises(Undecided, match=r"2 bits do not separate L of Lower\(mean=Fraction\(1, 2\), states=126"):
        compare_lower(a, b)


def test_undecided_beyond_all_precisions() -> None:
    """A mean planted 5000 bits deep is out of reach of the precisions tried."""
    first, second = (126, Fraction(1, 1600)), (512, Fraction(1, 20))
    shift = utility_radius_ball(*first, 5000) - utility_radius_ball(*second, 5000)
    with pytest.raises(Undecided, match="4096 bits"):
        compare_lower(Lower(Fraction(1, 2) + shift, *first), Lower(Fraction(1, 2), *second))


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1), Fraction(-1, 2), Fraction(3, 2)])
def test_improper_shares_are_refused(share: Fraction) -> None:
    """No bound has a failure probability of 0, of 1 or beyond."""
    refused: list[Callable[[], object]] = [
        lambda: risk_upper(np.array([1]), 2, float(share)),
        lambda: risk_upper_of(1, 2, share),
        lambda: risk_upper_ball(1, 2, share, 64),
        lambda: risk_at_most(1, 2, share, Fraction(1, 2)),
        lambda: utility_radius(2, share),
        lambda: utility_radius_ball(2, share, 64),
        lambda: clipped(Lower(Fraction(1, 2), 2, share)),
    ]
    for call in refused:
        with pytest.raises(ValueError, match="share"):
            call()


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_improper_counts_are_refused(k: int, n: int) -> None:
    """Crossings are among the states."""
    share = Fraction(1, 20)
    refused: list[Callable[[], object]] = [
        lambda: risk_upper(np.array([k]), n, 0.05),
        lambda: risk_upper_ball(k, n, share, 64),
        lambda: risk_at_most(k, n, share, Fraction(1, 2)),
        lambda: utility_radius_ball(min(n, 0), share, 64),
    ]
    for call in refused:
        with pytest.raises(ValueError, match="counts"):
            call()


def test_one_wrong_number_among_many_is_refused() -> None:
    """A table of counts is as good as its worst cell."""
    with pytest.raises(ValueError, match="counts"):
        risk_upper(np.array([1, 9]), np.array([5, 5]), 0.05)
    with pytest.raises(ValueError, match="share"):
        risk_upper(np.array([1, 2]), np.array([5, 5]), np.array([0.05, 1.0]))


def test_a_budget_close_to_one_is_not_decided_by_its_double() -> None:
    """Next to one, the double nearest to a budget has another tail, by more than the tail's own digits can tell."""
    k, n, unit = 10**6 - 60, 10**6, Fraction(1, 2**53)
    budget = Fraction(1 - 2e-9) - Fraction(49, 100) * unit
    assert float(budget) == 1 - 2e-9
    with ctx.workprec(400):
        exact = bounds._tail(k, n, ball(budget)).mid()
        nearest = bounds._tail(k, n, ball(Fraction(1 - 2e-9))).mid()
        assert nearest < exact * (1 - arb("1.4e-6"))
        for share, within in ((exact * (1 - arb("3e-7")), False), (exact * (1 + arb("3e-7")), True)):
            mantissa, exponent = share.mid().man_exp()
            assert risk_at_most(k, n, Fraction(int(mantissa)) * Fraction(2) ** int(exponent), budget) == within


@pytest.mark.parametrize("off", ["-1.5", "1.5"])
def test_a_root_that_is_not_near_enough_is_looked_for_again(off: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Newton's method gives, on either side of the bound, is shown to be right before it is returned."""
    original, precisions = bounds._tail_root, list[int]()

    def astray(k: int, n: int, share: Fraction, bits: int) -> arb:
        precisions.append(ctx.prec)
        found = original(k, n, share, bits)
        return found if len(precisions) > 1 else (found + arb(off) * arb(2) ** -bits).mid()

    monkeypatch.setattr(bounds, "_tail_root", astray)
    share, radius = Fraction(1, 20), Fraction(1, 2**32)
    found = risk_upper_ball(51, 512, share, 32)
    assert encloses(51, 512, share, found - radius, found + radius, 200)
    assert precisions == [96, 192]


def test_without_states_nothing_is_known() -> None:
    """The radius is infinite; fewer states than none are refused."""
    assert utility_radius(0, Fraction(1, 20)) == math.inf
    with pytest.raises(ValueError, match="counts"):
        utility_radius(-1, Fraction(1, 20))
