"""Statuses of cells: each with the cases that define it."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.paper.numbers import read_printed
from sealtrace.recipes.judgement import (
    DEFINITIONS,
    SLACK,
    CellStatus,
    Judgement,
    as_float,
    decimal_text,
    in_print,
    judge,
    judge_text,
    round_to,
    show,
)


def judged(text: str, *values: str) -> Judgement:
    """The judgement of a printed string against exact values."""
    printed = read_printed(text)
    assert printed is not None
    return judge(printed, tuple(Fraction(value) for value in values))


@pytest.mark.parametrize(
    ("text", "values", "status"),
    [
        ("4.2889", ["4.28886"], CellStatus.EXACT),
        ("0.0000", ["0"], CellStatus.EXACT),
        ("-0.0004", ["-0.00036"], CellStatus.EXACT),
        ("0.3", ["0.25"], CellStatus.TIE),
        ("0.2", ["0.25"], CellStatus.TIE),
        ("0.3", ["0.250000000000375"], CellStatus.EXACT),
        ("-0.1", ["-0.05000000000007"], CellStatus.TIE),
        ("0.4419", ["0.44184614"], CellStatus.DOUBLE_ROUNDED),
        ("0.13", ["0.1249999"], CellStatus.DOUBLE_ROUNDED),
        ("0.13", ["0.1245"], CellStatus.DOUBLE_ROUNDED),
        ("0.13", ["0.1244"], CellStatus.MISMATCH),
        ("0.12", ["0.129"], CellStatus.TRUNCATED),
        ("-0.12", ["-0.129"], CellStatus.TRUNCATED),
        ("0.15", ["0.129"], CellStatus.MISMATCH),
        ("3/12", ["3", "12"], CellStatus.EXACT),
        ("3/12", ["3", "13"], CellStatus.MISMATCH),
        ("[-0.02, 0.03]", ["-0.0201", "0.0301"], CellStatus.EXACT),
        ("[-0.02, 0.03]", ["-0.0201", "0.0401"], CellStatus.MISMATCH),
        ("[0.1, 0.2]", ["0.11", "0.29"], CellStatus.TRUNCATED),
        ("1.5", ["1.5", "2"], CellStatus.MISMATCH),
        ("<0.001", ["0.00001"], CellStatus.EXACT),
        ("<0.001", ["0.001"], CellStatus.MISMATCH),
        ("≥ 3", ["3"], CellStatus.EXACT),
        ("~5.3", ["5.38"], CellStatus.EXACT),
        ("12.5k", ["12530"], CellStatus.EXACT),
        ("12.5k", ["12.5"], CellStatus.MISMATCH),
        ("15/24 (62%)", ["15", "24", "0.625"], CellStatus.TIE),
        ("15/24 (62%)", ["15", "24"], CellStatus.TIE),
        ("15/24 (61%)", ["15", "24"], CellStatus.MISMATCH),
        ("0.61 [.59, .63]", ["0.611", "0.594", "0.626"], CellStatus.EXACT),
        ("0.61 [.59, .63]", ["0.611", "0.594", "0.646"], CellStatus.MISMATCH),
        ("0.61 [.59, .63]", ["0.611"], CellStatus.MISSING),
        ("0.61 [.59, .63]", ["0.7"], CellStatus.MISMATCH),
    ],
)
def test_status(text: str, values: list[str], status: CellStatus) -> None:
    """The worst part decides."""
    assert judged(text, *values).status == status


@pytest.mark.parametrize("border", [Fraction(1, 4), Fraction(7, 20)])
@pytest.mark.parametrize("side", [-1, 1])
def test_half_way_includes_what_doubles_round(border: Fraction, side: int) -> None:
    """To exactly 1e-12 of the value, on either side of either border of the printed number; no farther inside."""
    assert judged("0.3", str(border / (1 + side * SLACK))).status is CellStatus.TIE
    inside = border / (1 + SLACK * Fraction(1001, 1000) * (1 if border > Fraction(3, 10) else -1))
    assert judged("0.3", str(inside)).status is CellStatus.EXACT


def test_parts_are_judged_one_by_one() -> None:
    """A cell with several numbers says of each what becomes of it."""
    judgement = judged("71.2 ± 0.3", "71.23", "0.46")
    assert [part.status for part in judgement.parts] == [CellStatus.EXACT, CellStatus.MISMATCH]
    assert judgement.status is CellStatus.MISMATCH
    assert judged("71.2", "71.23").parts == ()


def test_text_is_compared_as_names() -> None:
    """A cell of text has a recipe too: the same names in the same order, whatever parts them."""
    assert judge_text("north / south", "north, south").status is CellStatus.EXACT
    assert judge_text("north†", "north").status is CellStatus.EXACT
    assert judge_text("south / north", "north, south").status is CellStatus.MISMATCH


def test_counts_keep_their_scale() -> None:
    """Where a cell prints percent without a sign, its fractions are scaled, and its counts are not."""
    printed = read_printed("62.5 (15/24)")
    assert printed is not None
    values = in_print(printed, (Fraction(5, 8), Fraction(15), Fraction(24)), percent=True)
    assert list(values) == [Fraction("62.5"), Fraction(15), Fraction(24)]
    alone = read_printed("62.5")
    assert alone is not None
    assert in_print(alone, (Fraction(5, 8), Fraction(1, 2)), percent=True) == (Fraction("62.5"), Fraction(50))
    assert in_print(alone, (Fraction(5, 8),), percent=False) == (Fraction(5, 8),)


def test_numbers_of_rounded_numbers() -> None:
    """What follows only from inputs as they are printed says so; what does not follow even from them is wrong."""
    printed = read_printed("0.15")
    assert printed is not None
    found = judge(printed, (Fraction("0.129"),), lambda unit: (15 * unit,))
    assert (found.status, found.sentence) == (
        CellStatus.DOUBLE_ROUNDED,
        "The paper prints 0.15; the records give 0.1290, which rounds to 0.13. "
        "The printed number only follows from values that were rounded before (0.15).",
    )
    for edge in (Fraction("0.145"), Fraction("0.155")):
        assert judge(printed, (Fraction("0.129"),), dict.fromkeys([Fraction(1, 100)], (edge,)).get).status is (
            CellStatus.DOUBLE_ROUNDED
        )
    for other in (lambda unit: (17 * unit,), lambda _: None):
        assert judge(printed, (Fraction("0.129"),), other).status is CellStatus.MISMATCH


@pytest.mark.parametrize(
    ("text", "values", "distances"),
    [("<0.001", ["0.003"], [2]), ("3/12", ["3", "14"], [None, 2]), ("0.15", ["0.18"], [3])],
)
def test_distances_are_in_printed_units(text: str, values: list[str], distances: list[int | None]) -> None:
    """Of bounds and counts, too."""
    judgement = judged(text, *values)
    assert [one.distance for one in judgement.parts or (judgement,)] == distances


@pytest.mark.parametrize(
    ("text", "value", "due"),
    [
        ("3/12", Fraction(7, 2), "3.5"),
        ("3/12", Fraction(4), "4"),
        ("0.1", Fraction(10**20), "100000000000000000000.000"),
        ("0.1", Fraction(10**21), "1e+21"),
        ("0.1", Fraction(2 * 10**20), "2e+20"),
        ("0.1234567890123456789", Fraction(1, 4), "0.25"),
        ("0.123456789012345678", Fraction(1, 4), "0.25000000000000000000"),
        ("0.12", Fraction("0.12001"), "0.12001"),
        ("0.00", Fraction("-0.00001"), "-1e-05"),
        ("-0.01", Fraction("-0.00001"), "0.0000"),
    ],
)
def test_values_are_shown_with_digits_that_tell(text: str, value: Fraction, due: str) -> None:
    """A few digits more than were printed; all of them where those would look the same."""
    printed = read_printed(text)
    assert printed is not None
    assert show(value, printed.parts[0]) == due


@pytest.mark.parametrize(
    ("value", "due"),
    [
        ("0", "0"),
        ("5", "5"),
        ("0.00001", "0.00001"),
        ("200000000000000000.5", "200000000000000000.5"),
        ("-0.25", "-0.25"),
        ("120", "120"),
        ("0.05", "0.05"),
        ("1/3", repr(1 / 3)),
    ],
)
def test_decimals_in_full(value: str, due: str) -> None:
    """No digit more or less than the number has; a number without an end is the nearest double."""
    assert decimal_text(Fraction(value)) == due


def test_numbers_beyond_doubles() -> None:
    """They keep their sign; halves are rounded away from zero."""
    assert [as_float(Fraction(sign * 10**400)) for sign in (1, -1)] == [math.inf, -math.inf]
    assert [round_to(Fraction(one), Fraction(1, 10)) * 10 for one in ("0.25", "-0.25", "0.24", "0.07", "0")] == [
        3,
        -3,
        2,
        1,
        0,
    ]


def test_sentences_are_for_reviewers() -> None:
    """They say what was printed and what the value is."""
    assert judged("4.2889", "4.28886").sentence == "The paper prints 4.2889; the records give 4.288860, the same."
    assert judged("0.4419", "0.44184614").sentence == (
        "The paper prints 0.4419; the records give 0.441846, which rounds to 0.4418. "
        "The printed number only follows if 0.44185 is rounded once more."
    )
    mismatch = judged("0.15", "0.129")
    assert mismatch.sentence == (
        "The paper prints 0.15; the records give 0.1290, which rounds to 0.13. "
        "They differ by 2.1 units of the last printed digit."
    )
    assert "which rounds to 0.10." in judged("0.12", "0.1").sentence
    assert mismatch.distance == Fraction("2.1")


def test_every_status_has_a_definition() -> None:
    """One place, one sentence each."""
    assert set(DEFINITIONS) == set(CellStatus)
    assert all(sentence.endswith(".") for sentence in DEFINITIONS.values())


@given(
    st.fractions(min_value=-1000, max_value=1000, max_denominator=10**9),
    st.integers(0, 6),
    st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN]),
)
def test_every_rounding_to_nearest_is_accepted(value: Fraction, places: int, rounding: str) -> None:
    """A true value, printed by any rule that rounds to nearest, is never called wrong."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    text = f"{exact.quantize(Decimal(1).scaleb(-places), rounding=rounding):f}"
    assert judged(text, str(value)).status in (CellStatus.EXACT, CellStatus.TIE)


@given(st.decimals(min_value=-100, max_value=100, places=4), st.integers(2, 50))
def test_a_lie_is_never_accepted(value: Decimal, units: int) -> None:
    """A value that is a whole unit or more away does not round to the string."""
    moved = Fraction(str(value)) + Fraction(units, 10**4)
    status = judged(f"{value:f}", str(moved)).status
    assert status is CellStatus.MISMATCH


@pytest.mark.parametrize(("text", "value"), [("7.24e-13", "9.24e-13"), ("1e-300", "0")])
def test_numbers_near_zero_are_compared_at_their_own_size(text: str, value: str) -> None:
    """A tolerance is relative to what is compared and to the printed unit: tiny numbers are not all alike."""
    printed = read_printed(text)
    assert printed is not None
    assert judge(printed, (Fraction(value),)).status is CellStatus.MISMATCH
