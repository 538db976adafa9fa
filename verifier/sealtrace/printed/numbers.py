"""The language of printed numbers: what a string in a cell stands for.

A printed number with k decimals stands for the closed interval of half a unit in its last place around
it. Everything is exact: the string is read as a rational number, never as a double.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Literal

Form = Literal["number", "plus-minus", "ratio", "tuple", "interval", "map", "not-available"]

_UNSIGNED = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_NUMBER = rf"[+\-]?(?:{_UNSIGNED})(?:[eE][+\-]?\d+|\s*×\s*10\s*\^?\s*\{{?[+\-]?\d+\}}?)?"
_PART = re.compile(
    rf"(?P<sign>[+\-])?(?P<digits>{_UNSIGNED})(?:[eE](?P<e>[+\-]?\d+)|\s*×\s*10\s*\^?\s*\{{?(?P<ten>[+\-]?\d+)\}}?)?"
)
_FORMS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    ("ratio", re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)\s*/\s*(\d{1,3}(?:,\d{3})+|\d+)")),
    ("number", re.compile(rf"({_NUMBER})\s*(?:%|×)?")),
    ("plus-minus", re.compile(rf"({_NUMBER})\s*±\s*({_NUMBER})\s*%?")),
    ("interval", re.compile(rf"[\[(]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])]")),
    ("tuple", re.compile(rf"({_NUMBER})(?:\s*/\s*({_NUMBER}))+")),
)
_MAP = re.compile(r"[A-Za-z][A-Za-z\-]*(?:\.|@)[0-9.]+(?:\s*[/,]\s*[A-Za-z][A-Za-z\-]*(?:(?:\.|@)[0-9.]+)?)*")
_NOT_AVAILABLE = frozenset({"n/a", "na", "n.a.", "-", "--", "–", "—"})
_MARKS = "†‡*§¶"
_EMPTY_POWER = re.compile(r"(?<![\d.])[+\-]?0*\.?0*(?:[eE]|\s*×\s*10)\s*\^?\{?\+?[1-9]")


@dataclass(frozen=True)
class Part:
    """One number of a cell."""

    text: str
    value: Fraction
    unit: Fraction
    """One unit in the last printed place; zero where the number is a count and exact."""

    @cached_property
    def low(self) -> Fraction:
        """The least value that prints so."""
        return self.value - self.unit / 2

    @cached_property
    def high(self) -> Fraction:
        """The greatest value that prints so."""
        return self.value + self.unit / 2


@dataclass(frozen=True)
class Printed:
    """What a cell says."""

    text: str
    form: Form
    parts: tuple[Part, ...]
    marks: str = ""
    """Daggers and the like that follow the number."""
    percent: bool = False
    """The cell carries a percent sign."""

    @property
    def numeric(self) -> bool:
        """Whether there is a number to account for."""
        return bool(self.parts)


@lru_cache(maxsize=65536)
def read_printed(text: str) -> Printed | None:
    """What a string stands for, or None where it is no number."""
    plain = text.replace("−", "-").replace("\u2009", "").replace("\u00a0", " ").strip()
    marks = "".join(character for character in plain if character in _MARKS)
    plain = plain.strip(_MARKS + " ")
    if plain.lower() in _NOT_AVAILABLE:
        return Printed(text, "not-available", (), marks)
    if len(plain) > 100 or _EMPTY_POWER.search(plain):
        # A zero with a power of ten would stand for any number at all.
        return None
    for form, pattern in _FORMS:
        if pattern.fullmatch(plain):
            literals = [match.group(0) for match in re.finditer(_NUMBER, _separated(plain, form))]
            return Printed(text, form, tuple(_part(one, form) for one in literals), marks, "%" in plain)
    if _MAP.fullmatch(plain):
        return Printed(text, "map", (), marks)
    return None


def _separated(text: str, form: Form) -> str:
    """The text with its separators made unmistakable: a comma may belong to a number or stand between two."""
    if form == "interval":
        match = _FORMS[3][1].fullmatch(text)
        assert match is not None
        return f"{match.group(1)} {match.group(2)}"
    if form in ("tuple", "ratio"):
        return " ".join(part.strip() for part in text.split("/"))
    return text.replace("±", " ")


def _part(literal: str, form: Form) -> Part:
    match = _PART.fullmatch(literal.strip())
    assert match is not None
    digits = match.group("digits").replace(",", "")
    exponent = int(match.group("e") or match.group("ten") or 0)
    # A printed exponent has few digits; more would ask for a number that nobody can hold.
    power = Fraction(10) ** max(-400, min(400, exponent))
    decimals = len(digits.partition(".")[2])
    value = Fraction(digits if not digits.startswith(".") else f"0{digits}") * power
    unit = Fraction(0) if form == "ratio" else Fraction(1, 10**decimals) * power
    return Part(literal.strip(), -value if match.group("sign") == "-" else value, unit)


_LETTERS = re.compile(r"[^\W\d_]{3}")
_FIRST = re.compile(r"[^\W_]")


def looks_numeric(text: str) -> bool:
    """Whether a text reads as a number rather than a name: it starts with a digit, and holds no word."""
    first = _FIRST.search(text)
    return first is not None and first.group().isdecimal() and not _LETTERS.search(text)
