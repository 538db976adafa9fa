"""The language of printed numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.paper.numbers import read_printed

FORMS: dict[str, tuple[str, list[str], list[str]]] = {
    "4.2889": ("number", ["4.2889"], ["0.0001"]),
    "-0.10": ("number", ["-0.1"], ["0.01"]),
    "+3": ("number", ["3"], ["1"]),
    "−0.5": ("number", ["-0.5"], ["0.1"]),
    ".08": ("number", ["0.08"], ["0.01"]),
    "60,000": ("number", ["60000"], ["1"]),
    "1,234.50": ("number", ["1234.5"], ["0.01"]),
    "0,125": ("number", ["0.125"], ["0.001"]),
    "99.18%": ("number", ["99.18"], ["0.01"]),
    "1.07×": ("number", ["1.07"], ["0.01"]),
    "1.6e-4": ("number", ["0.00016"], ["0.00001"]),
    "1.6×10^-4": ("number", ["0.00016"], ["0.00001"]),
    "1.6 × 10^{-4}": ("number", ["0.00016"], ["0.00001"]),
    "4.3659±0.0177": ("plus-minus", ["4.3659", "0.0177"], ["0.0001", "0.0001"]),
    "113.7 ± 4.2": ("plus-minus", ["113.7", "4.2"], ["0.1", "0.1"]),
    "3/12": ("ratio", ["3", "12"], ["0", "0"]),
    "1,024 / 60,000": ("ratio", ["1024", "60000"], ["0", "0"]),
    "[-0.0186, 0.0183]": ("interval", ["-0.0186", "0.0183"], ["0.0001", "0.0001"]),
    "(1,000, 2,000)": ("interval", ["1000", "2000"], ["1", "1"]),
    "[3.0,5.0]": ("interval", ["3", "5"], ["0.1", "0.1"]),
    "54.86/2.82/42.32": ("tuple", ["54.86", "2.82", "42.32"], ["0.01", "0.01", "0.01"]),
}

# What papers print besides: the numbers, their roles, and what else is told of them.
COMPOUND: dict[str, list[tuple[str, str]]] = {
    "0.78 (0.02)": [("0.78", "value"), ("0.02", "aside")],
    "64.5 (+1.2)": [("64.5", "value"), ("1.2", "change")],
    "64.5 (−1.2)": [("64.5", "value"), ("-1.2", "change")],
    "64.5 (↓1.2)": [("64.5", "value"), ("-1.2", "change")],
    "71.2_±0.3": [("71.2", "mean"), ("0.3", "sd")],
    "71.2 +/- 0.3": [("71.2", "mean"), ("0.3", "sd")],
    "0.82* ± 0.01": [("0.82", "mean"), ("0.01", "sd")],
    "5.1^+0.2_-0.1": [("5.1", "mean"), ("0.2", "above"), ("-0.1", "below")],
    "0.82(1)": [("0.82", "mean"), ("0.01", "sd")],
    "0.61 [.59,.63]": [("0.61", "mean"), ("0.59", "low"), ("0.63", "high")],
    "0.93 (95% CI: 0.91–0.95)": [("0.93", "mean"), ("0.91", "low"), ("0.95", "high")],
    "1.00 [–]": [("1", "")],
    "+0.400 to +0.490": [("0.4", "low"), ("0.49", "high")],
    "-0.3–-0.1": [("-0.3", "low"), ("-0.1", "high")],
    "5-9": [("5", "low"), ("9", "high")],
    "[1.7T–17.1T]": [("1700000000000", "low"), ("17100000000000", "high")],
    "1.5–2B": [("1500000000", "low"), ("2000000000", "high")],
    "0.1 → 0.3": [("0.1", "from"), ("0.3", "to")],
    "1/1 → 0/3": [("1", "k"), ("1", "n"), ("0", "k"), ("3", "n")],
    "15/24 (62%)": [("15", "k"), ("24", "n"), ("62", "rate")],
    "62.5% (15 of 24)": [("62.5", "rate"), ("15", "k"), ("24", "n")],
    "12/30 = 40%": [("12", "k"), ("30", "n"), ("40", "rate")],
    "3 of 10": [("3", "k"), ("10", "n")],
    "12 (of 30)": [("12", "k"), ("30", "n")],
    "–/5": [("5", "")],
    "70 (a=25, b=45)": [("70", "value"), ("25", "aside"), ("45", "aside")],
    "{17,29,43}": [("17", ""), ("29", ""), ("43", "")],
    "{100,200,300}": [("100", ""), ("200", ""), ("300", "")],
    "32×32": [("32", ""), ("32", "")],
    "80/10/10": [("80", ""), ("10", ""), ("10", "")],
    "0.93 / –": [("0.93", "")],
    "2 h 13 min": [("2", ""), ("13", "")],
    "(22.709)": [("22.709", "")],
    "27B (0.9×)": [("27000000000", "value"), ("0.9", "aside")],
    "--0.3": [("-0.3", "")],
    "–0.3": [("-0.3", "")],
    "538B": [("538000000000", "")],
    "12.5k": [("12500", "")],
    "10^6": [("1000000", "")],
    "12\u2009345": [("12345", "")],
}
SUFFIXES = {
    "12 ms": "ms", "3.2s": "s", "2.0×": "×", "×2.0": "×", "1.5x": "x", "-1.3pp": "pp", "$3.64": "$", "41 yes": "yes",
    "219 A": "A", "4-bit": "bit", "12 tok/s": "tok/s", "16GB": "GB", "99.1 %": "%", "1st": "st", "12.5k": "",
}  # fmt: skip
RELATIONS = {"<.001": "<", "< 10^-3": "<", ">500": ">", "≥ 3": "≥", "<= 3": "≤", "~5.3": "≈", "≈ 3": "≈", "0.5": ""}
UNREAD = ["2022-11", "2023-03-14", "12.3.2024", "10.0.0.1", "3D", "0,82", "95% CI", "1,000,2,000", "4o-mini"]


@pytest.mark.parametrize("text", COMPOUND)
def test_every_number_of_a_cell(text: str) -> None:
    """A cell with several numbers gives each of them, and what it is to the others."""
    printed = read_printed(text)
    assert printed is not None
    assert [(part.value, part.role) for part in printed.parts] == [(Fraction(v), role) for v, role in COMPOUND[text]]
    assert len(set(printed.names)) == len(printed.names) == (len(printed.parts) if len(printed.parts) > 1 else 0)


@pytest.mark.parametrize("text", SUFFIXES)
def test_units_and_words_behind_a_number(text: str) -> None:
    """A unit is kept apart from the number; a scale is a part of it."""
    printed = read_printed(text)
    assert printed is not None
    assert [part.suffix for part in printed.parts] == [SUFFIXES[text]]


@pytest.mark.parametrize("text", RELATIONS)
def test_bounds_are_not_numbers(text: str) -> None:
    """A bound says on which side of it the number lies, and is told from the number itself."""
    printed = read_printed(text)
    assert printed is not None
    (part,) = printed.parts
    assert (part.relation, part.is_bound) == (RELATIONS[text], RELATIONS[text] not in ("", "≈"))


def test_a_percent_sign_holds_for_what_stands_beside_it() -> None:
    """Ranges, deviations and intervals share one sign; counts beside a rate do not."""
    for text, shares in {
        "20–30%": [True, True],
        "41.2 ± 0.3%": [True, True],
        "41.2% [40.1, 42.3]": [True, True, True],
        "15/24 (62%)": [False, False, True],
        "41.2% (103)": [True, False],
    }.items():
        printed = read_printed(text)
        assert printed is not None
        assert [part.percent for part in printed.parts] == shares
        assert printed.percent == all(shares)


@pytest.mark.parametrize("text", FORMS)
def test_forms(text: str) -> None:
    """Each form gives its numbers exactly, with the unit of the last printed digit."""
    printed = read_printed(text)
    assert printed is not None
    form, values, units = FORMS[text]
    assert printed.form == form
    assert [part.value for part in printed.parts] == [Fraction(value) for value in values]
    assert [part.unit for part in printed.parts] == [Fraction(unit) for unit in units]


@pytest.mark.parametrize("text", ["l.08/m.12/m.16/s.16", "fixed@0.08, linear@0.12", "student@0.16"])
def test_maps_are_no_numbers(text: str) -> None:
    """A candidate map names candidates; it has no number to round."""
    printed = read_printed(text)
    assert printed is not None
    assert (printed.form, printed.numeric) == ("map", False)


@pytest.mark.parametrize("text", ["n/a", "N/A", "--", "–", "—", "-"])
def test_not_available(text: str) -> None:
    """What is said to be absent is absent, not zero."""
    printed = read_printed(text)
    assert printed is not None
    assert (printed.form, printed.parts) == ("not-available", ())


@pytest.mark.parametrize("text", ["", "anchor", "Residual (0.08)", "C–R", "1.2.3", "0.5 of 3", "1,00", *UNREAD])
def test_text_is_no_number(text: str) -> None:
    """Names with digits in them, and what only looks like a number, stay text."""
    assert read_printed(text) is None


def test_daggers_are_kept_apart() -> None:
    """A mark is part of what was printed, and not of the number."""
    printed = read_printed("-0.6951†")
    assert printed is not None
    assert (printed.parts[0].value, printed.marks) == (Fraction("-0.6951"), "†")


def test_a_printed_number_is_a_closed_interval() -> None:
    """Half a unit of the last place to either side."""
    printed = read_printed("0.10")
    assert printed is not None
    assert (printed.parts[0].low, printed.parts[0].high) == (Fraction("0.095"), Fraction("0.105"))


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing raises, and what is read keeps its string."""
    printed = read_printed(text)
    assert printed is None or printed.text == text


@given(
    st.lists(
        st.sampled_from([*COMPOUND, *FORMS, *UNREAD, " ", "/", "(", ")", "[", "]", "±", "–", "^", "_", "%"]), max_size=6
    )
)
def test_pieces_in_any_order(pieces: list[str]) -> None:
    """Forms run together are read or refused; no digit is read that does not stand there."""
    text = "".join(pieces)
    printed = read_printed(text)
    digits = "".join(character for character in text if character.isdecimal())
    for part in printed.parts if printed is not None else ():
        assert "".join(character for character in part.text if character.isdecimal()) in digits


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-1000, max_value=1000))
def test_decimals_read_back(value: object) -> None:
    """What a program prints is what is read."""
    printed = read_printed(f"{value:f}")
    assert printed is not None
    assert printed.parts[0].value == Fraction(str(value))


@pytest.mark.parametrize(
    ("text", "number", "marks"),
    [
        ("0.0267 (n.s.)", "0.0267", "n.s."),
        ("0.0541 (***)", "0.0541", "***"),
        ("81.2% [a]", "81.2", "a"),
        ("12 (ours)", "12", "ours"),
        ("(0.04) (a, b)", "0.04", "a, b"),
    ],
)
def test_a_remark_in_brackets_behind_a_number(text: str, number: str, marks: str) -> None:
    """What brackets say without a digit is a remark on the number before them, and the cell a number all the same."""
    found = read_printed(text)
    assert found is not None
    assert ([part.text for part in found.parts], found.marks) == ([number], marks)


@pytest.mark.parametrize(
    "text", ["12 (ms)", "12 (%)", "2024-05 (late)", "(ours)", "v1.2.3 (old)", "GPT-4 (ours)", "-- (none)"]
)
def test_brackets_that_are_no_remark(text: str) -> None:
    """A unit changes what the number means, and what is no number has nothing to remark on."""
    assert read_printed(text) is None
