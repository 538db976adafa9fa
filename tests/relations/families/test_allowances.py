"""What a printed certificate allows, against plain binomial sums."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from sealtrace.relations.families.allowances import (
    Option,
    certifiable,
    explain_risk_bound,
    group_wise_optimal,
    least_certifiable_size,
    needed_mean,
    smallest_risk_bound,
)
from sealtrace.relations.intervals import Interval


def _tail(k: int, n: int, x: Fraction) -> Fraction:
    return sum((math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(k + 1)), Fraction(0))


def _about(text: str) -> tuple[Fraction, Fraction]:
    return Fraction(text) - Fraction(1, 20000), Fraction(text) + Fraction(1, 20000)


def test_every_count_that_gives_a_bound_is_listed_with_its_shares() -> None:
    """The share at an end of the printed interval is the binomial tail there."""
    low, high = _about("0.1066")
    found = {one.crossings: one for one in explain_risk_bound(low, high, 40)}
    for k in range(40):
        ends = _tail(k, 40, high), _tail(k, 40, low)
        assert found[k].share_low <= ends[0] < ends[1] <= found[k].share_high
        assert abs(found[k].share_low - ends[0]) < Fraction(1, 2**100)


def test_a_given_share_leaves_the_counts_that_it_explains() -> None:
    """At the five percent level only one count gives the bound, and for another bound none does."""
    share = Fraction(1, 20)
    low, high = _about("0.1738")
    assert [one.crossings for one in explain_risk_bound(low, high, 50, (share, share))] == [4]
    assert _tail(4, 50, high) <= share <= _tail(4, 50, low)
    assert explain_risk_bound(Fraction(1, 1000), Fraction(2, 1000), 50, (share, share)) == []


@pytest.mark.parametrize(("states", "share"), [(10, Fraction(1, 20)), (126, Fraction(1, 1600)), (512, Fraction(1, 20))])
def test_the_smallest_bound_is_that_without_a_crossing(states: int, share: Fraction) -> None:
    """(1 - U)^n = share."""
    bound = smallest_risk_bound(states, share)
    assert (1 - Fraction(bound.high)) ** states <= share <= (1 - Fraction(bound.low)) ** states


def test_certification_needs_a_sample_large_enough() -> None:
    """29 states certify ten percent at the five percent level, 28 do not."""
    share, epsilon = Fraction(1, 20), Fraction(1, 10)
    assert least_certifiable_size(share, epsilon) == 29
    assert certifiable(29, share, epsilon)
    assert not certifiable(28, share, epsilon)
    assert (1 - epsilon) ** 29 <= share < (1 - epsilon) ** 28
    with pytest.raises(ValueError, match="share"):
        least_certifiable_size(share, Fraction(0))


def test_a_utility_bound_needs_a_mean_higher_by_its_radius() -> None:
    """Any mean up to the radius is clipped to zero."""
    share = Fraction(1, 20)
    radius = math.sqrt(math.log(20) / 1024)
    needed = needed_mean(Fraction(7, 10), Fraction(8, 10), 512, share)
    assert float(needed.low) == pytest.approx(0.7 + radius)
    assert float(needed.high) == pytest.approx(0.8 + radius)
    assert needed_mean(Fraction(0), Fraction(1, 100), 512, share).low == 0


def _option(name: str, risk: str, utility: str) -> Option:
    return Option(name, Interval(*_about(risk)), Interval(*_about(utility)))


def test_where_the_global_budget_cannot_bind_each_group_takes_its_best() -> None:
    """A printed map with a provably worse option is not the rule's choice."""
    groups = [
        [_option("a", "0.02", "0.60"), _option("b", "0.05", "0.70"), _option("c", "0.20", "0.90")],
        [_option("a", "0.02", "0.60"), _option("b", "0.05", "0.60")],
    ]
    found = group_wise_optimal(groups, Fraction(1, 10), Fraction(1, 10))
    assert not found.binding
    assert found.best == (("b",), ("a", "b"))
    assert found.allows(["b", "a"])
    assert not found.allows(["a", "a"])


def test_a_global_budget_that_may_bind_forbids_nothing() -> None:
    """Then a worse option of one group may pay for another's."""
    groups = [[_option("a", "0.02", "0.60"), _option("b", "0.09", "0.70")]]
    assert group_wise_optimal(groups, Fraction(1, 10), Fraction(1, 20)).allows(["a"])
