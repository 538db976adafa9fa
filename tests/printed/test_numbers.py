"""The language of printed numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.printed.numbers import read_printed

FORMS: dict[str, tuple[str, list[str], list[str]]] = {
    "4.2889": ("number", ["4.2889"], ["0.0001"]),
    "-0.10": ("number", ["-0.1"], ["0.01"]),
    "+3": ("number", ["3"], ["1"]),
    "−0.5": ("number", ["-0.5"], ["0.1"]),
    ".08": ("number", ["0.08"], ["0.01"]),
    "60,000": ("number", ["60000"], ["1"]),
    "1,234.50": ("number", ["1234.5"], ["0.01"]),
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


@pytest.mark.parametrize("text", ["", "anchor", "Residual (0.08)", "C–R", "{17,29,43}", "1.2.3", "0.5 of 3", "1,00"])
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


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-1000, max_value=1000))
def test_decimals_read_back(value: object) -> None:
    """What a program prints is what is read."""
    printed = read_printed(f"{value:f}")
    assert printed is not None
    assert printed.parts[0].value == Fraction(str(value))
