"""Every contradiction that the audit of the paper claims, once more, in plain fractions and without the engine.

A printed number is the closed interval of half a unit around it. Each function below says why no values in those
intervals can satisfy what the paper's definitions imply.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import pytest

from support import ROOT

PRINTED = json.loads((ROOT / "bundles" / "rsd-paper" / "printed.json").read_text(encoding="utf-8"))
AUDIT = (ROOT / "reports" / "rsd-paper" / "audit.txt").read_text(encoding="utf-8")
EPSILON, STATES = Fraction(1, 10), 512


def cell(table: str, row: str, column: str) -> str:
    """A printed string."""
    (found,) = [one for one in PRINTED["tables"] if one["label"] == table]
    place = [one["label"] for one in found["columns"]].index(column)
    (line,) = [one for one in found["rows"] if one["label"] == row]
    return str(line["cells"][place])


def interval(table: str, row: str, column: str) -> tuple[Fraction, Fraction]:
    """What a printed number may stand for; of a ± b, the first."""
    text = cell(table, row, column).partition("±")[0]
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    return Fraction(text) - half, Fraction(text) + half


def no_count_of_five_times_512(row: str) -> bool:
    """A mean of five rates over 512 states is a count over 2,560."""
    low, high = interval("tab:student-real", row, "Violation ↓")
    return not any(low <= Fraction(count, 5 * STATES) <= high for count in range(5 * STATES + 1))


def uncertified_splits_are_not_the_rest() -> bool:
    """Three of 200 splits without a certificate leave 0.985."""
    uncertified, splits = map(int, cell("tab:risk-validity", "0.10 / Global Risk-Only", "No-cert.").split("/"))
    low, high = interval("tab:partition-ablation", "Global", "Cert. rate")
    return not low <= 1 - Fraction(uncertified, splits) <= high


def bound_at(row: str) -> tuple[Fraction, Fraction]:
    """The utility bound under one declared range."""
    return interval("tab:utility-range", row, "Utility LCB")


NARROW, SECOND, THIRD, WIDE = "[3.0,5.0]", "[2.8,5.2]", "[2.5,5.5]", "[2.0,6.0]"
"""Widths 2, 2.4, 3 and 4 around the same middle: the normalized mean is 1/2 plus something over the width."""


def radius_would_be_negative() -> bool:
    """Extended to an infinite width, the bound is 1/2 less the radius; 6 b - 5 a is that, and exceeds 1/2."""
    return 6 * bound_at(SECOND)[0] - 5 * bound_at(NARROW)[1] > Fraction(1, 2)


def radius_would_be_too_small(extended: Fraction) -> bool:
    """The radius is at least sqrt(ln 20 / 1024), and ln 20 > 2."""
    gap = Fraction(1, 2) - extended
    return gap < 0 or gap * gap < Fraction(2, 1024)


def not_convex(
    left: tuple[Fraction, Fraction], middle: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]
) -> bool:
    """A convex function lies at the middle below the mean of its ends."""
    return 2 * middle[0] > left[1] + right[1]


def robust(radius: str) -> tuple[Fraction, Fraction]:
    """The robust utility bound at a radius."""
    return interval("tab:mixture-radius", radius, "Robust utility LCB")


def worst_is_too_far_from_nominal(radius: str) -> bool:
    """At most half the radius moves, times a group bound within the budget."""
    nominal = interval("tab:mixture-radius", radius, "Nominal risk")
    worst = interval("tab:mixture-radius", radius, "Worst-case risk UCB")
    return worst[0] - nominal[1] > Fraction(radius) / 2 * EPSILON


def map_changes(radius: str) -> bool:
    """The group-wise best map is optimal at every radius, so its utility is printed once and for all."""
    here = interval("tab:mixture-radius", radius, "Weak EV")
    there = interval("tab:mixture-radius", "0.00", "Weak EV")
    return here[1] < there[0] or there[1] < here[0]


def is_not_half_of_nashconv(arm: str) -> bool:
    """Exploitability is half of NashConv."""
    half = [end / 2 for end in interval("tab:empirical-fields", "Profile NashConv", arm)]
    low, high = interval("tab:student", arm, "Expl.")
    return high < half[0] or half[1] < low


CONTRADICTIONS: dict[str, Callable[[], bool]] = {
    **{
        f"student-violation-mean ({row})": partial(no_count_of_five_times_512, row)
        for row in ("No residual", "Fixed residual", "Risk-calibrated residual")
    },
    "certification-of-global": uncertified_splits_are_not_the_rest,
    "range-radius-positive": radius_would_be_negative,
    "range-radius-two-three": lambda: radius_would_be_too_small(5 * bound_at(THIRD)[0] - 4 * bound_at(SECOND)[1]),
    "range-radius-three-four": lambda: radius_would_be_too_small(4 * bound_at(WIDE)[0] - 3 * bound_at(THIRD)[1]),
    "range-convex-narrow": lambda: not_convex(bound_at(NARROW), bound_at(SECOND), bound_at(THIRD)),
    "range-convex-wide": lambda: not_convex(bound_at(SECOND), bound_at(THIRD), bound_at(WIDE)),
    **{
        f"worst-near-nominal ({radius})": partial(worst_is_too_far_from_nominal, radius)
        for radius in ("0.00", "0.05", "0.10", "0.20")
    },
    "utility-convex-first": lambda: not_convex(robust("0.00"), robust("0.05"), robust("0.10")),
    "utility-convex-whole": lambda: not_convex(robust("0.00"), robust("0.10"), robust("0.20")),
    **{f"one-map-at-every-radius ({radius})": partial(map_changes, radius) for radius in ("0.05", "0.10", "0.20")},
    **{
        f"fields-exploitability ({arm})": partial(is_not_half_of_nashconv, arm)
        for arm in ("No residual", "Full policy")
    },
    "fields-exploitability-residual": lambda: is_not_half_of_nashconv("Residual"),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradiction_stands(name: str) -> None:
    """No values in the printed intervals satisfy it."""
    assert CONTRADICTIONS[name]()


def test_all_that_are_claimed_are_rechecked() -> None:
    """The rendered audit claims these and no others, each by what it rests on."""
    grades = ("contradiction", "rounding", "question")
    claimed = [line.split(": ", 1) for line in AUDIT.splitlines() if line.startswith(tuple(f"{g}: " for g in grades))]
    assert sorted(name for _grade, name in claimed) == sorted(CONTRADICTIONS)
    assert Counter(grade for grade, _name in claimed) == {"contradiction": 15, "rounding": 1, "question": 5}
