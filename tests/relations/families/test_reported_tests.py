"""Tests that a sentence reports with their p: every common way to write them, and none of them is outvoted."""

from __future__ import annotations

import pytest

from relations.families.small_papers import decided, read
from sealtrace.relations.decide import graded
from sealtrace.relations.decision import Decision, Status


@pytest.mark.parametrize(
    "said",
    [
        "t(28) = 2.20, p = .036",
        "t(27.4) = 2.20, p = .036",
        "t(28) = 2.20 (p = .036)",
        "t(1,200) = 2.20, p = .028",
        "F(2, 30) = 3.10, p = .060",
        "F(2, 30.5) = 3.10, p = .060",
        r"$\chi^2(2) = 9.40$, $p < .01$",
        "chi2(2, N = 200) = 9.40, p = .009",
        "X2(2) = 9.40, p = .009",
        "[Q(5) = 10.50, p = .062]",
        "r(28) = .40, p = .029",
        "z = 1.50, p = .134",
        "F(1, 30) = 1.0, ns",
        "F(1, 248) < 1.16, p > .28",
        "Q(6) = 0.03, p = 1",
        "t(142.71) = 0.01, p = .99",
        "𝑡(28) = 2.20, 𝑝 = .036",
    ],
)
def test_a_right_test_is_read_and_holds(said: str) -> None:
    found = [one.status for one in decided(read(prose=f"The effect was clear, {said}.")) if _is_test(one)]
    assert found == [Status.HOLDS]


@pytest.mark.parametrize(
    "said",
    [
        "t(28) = 2.20, p = .001",
        "t(27.4) = 2.20, p = .36",
        "F(2, 30) = 3.10, p = .006",
        r"$\chi^2(2) = 9.40$, $p = .09$",
        "chi2(2, N = 200) = 9.40, p = .09",
        "X2(2) = 9.40, p = .5",
        "[Q(5) = 10.50, p = .62]",
        "F(1, 30) = 10.0, ns",
        "F(1, 248) < 1.16, p < .10",
        "Q(1) = 3.78, p < .05",
        "𝑡(28) = 2.20, 𝑝 = .001",
    ],
)
def test_a_wrong_test_is_a_contradiction_by_itself(said: str) -> None:
    found = [one.status for one in decided(read(prose=f"The effect was clear, {said}.")) if _is_test(one)]
    assert found == [Status.CONTRADICTION]


@pytest.mark.parametrize("said", ["t(14) = 2.0, p = .03", "t(14) = 2.0, p < .03", "z = -3.16, p < .001"])
def test_a_p_that_fits_one_side_only_is_suspected_unless_the_paper_speaks_of_one_sided_tests(said: str) -> None:
    """That it would be right on one side makes it no rounding."""
    prose = f"The effect was clear, {said}."
    for text, status in ((prose, Status.SUSPICION), (f"All tests are one-sided. {prose}", Status.HOLDS)):
        assert [one.status for one in graded(decided(read(prose=text))) if _is_test(one)] == [status]


def test_wrong_tests_are_not_outvoted_by_each_other() -> None:
    prose = " ".join(f"The effect was clear, t({freedom}) = 2.20, p = .001." for freedom in range(28, 33))
    found = [one.status for one in decided(read(prose=prose)) if _is_test(one)]
    assert found == [Status.CONTRADICTION] * 5


def _is_test(decision: Decision) -> bool:
    return "belongs to" in decision.claim.sentence


@pytest.mark.parametrize(
    "said",
    [
        r"The share was 76.2\% [95\% CI: 54.6\%, 70.2\%]",
        r"The share was 76.2\% (95\% CI: 54.6\%--70.2\%)",
        r"The share was 76.2\% (95\% CI [54.6\%, 70.2\%])",
        r"The odds were higher, OR 1.2 (95\% CI 1.6 to 1.9)",
    ],
)
def test_an_estimate_outside_its_own_interval_is_suspected(said: str) -> None:
    found = [one for one in decided(read(prose=f"{said}.")) if "interval" in one.claim.name]
    assert [one.status for one in found] == [Status.SUSPICION]


@pytest.mark.parametrize(
    "said",
    [
        r"We measured PM2.5 (95\% CI 0.2--0.9)",
        r"We measured CO2 (95\% CI: [0.2, 0.9])",
        r"We ran Model-4.6 (95\% CI: [0.2, 0.9])",
        r"We ran Model 4.6 (95\% CI: [0.2, 0.9])",
    ],
)
def test_a_number_that_belongs_to_a_name_is_no_estimate(said: str) -> None:
    assert [one for one in decided(read(prose=f"{said}.")) if "interval" in one.claim.name] == []
