"""The status of a printed cell: whether the unrounded value gives the printed string, and if not, why.

Statuses are defined here and nowhere else.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from sealtrace.paper.numbers import Printed, PrintedNumber


class CellStatus(StrEnum):
    """What can be said of a cell."""

    EXACT = "exact"
    TIE = "tie"
    DOUBLE_ROUNDED = "double-rounded"
    TRUNCATED = "truncated"
    MISMATCH = "mismatch"
    MISSING = "missing"
    INPUT = "input"
    MEASURED = "measured"
    ELSEWHERE = "elsewhere"
    DERIVED = "derived"
    CONSTRAINED = "constrained"
    CONTRADICTED = "contradicted"
    ATTESTED = "attested"
    UNCLASSIFIED = "unclassified"


DEFINITIONS: dict[CellStatus, str] = {
    CellStatus.EXACT: "The recomputed value rounds to the printed string.",
    CellStatus.TIE: "The recomputed value lies half-way between two printable strings; either is accepted.",
    CellStatus.DOUBLE_ROUNDED: "The printed number only follows from numbers that were rounded before.",
    CellStatus.TRUNCATED: "The printed string is the value cut off, not rounded.",
    CellStatus.MISMATCH: "The recomputed value does not give the printed string.",
    CellStatus.MISSING: "The records that would give the value are absent or spoilt.",
    CellStatus.INPUT: "An id, scale or declared constant, as the records or the protocol have it.",
    CellStatus.MEASURED: "The aggregate of sealed measurements, recomputed.",
    CellStatus.ELSEWHERE: "Another bundle, named by its root, recomputes it, and was not looked at.",
    CellStatus.DERIVED: "No records give it; other printed numbers do, by a relation that leaves no other number.",
    CellStatus.CONSTRAINED: "No records give it; the relations that bind it hold.",
    CellStatus.CONTRADICTED: "A relation that speaks of it cannot hold, however the numbers were rounded.",
    CellStatus.ATTESTED: "Nothing checks it.",
    CellStatus.UNCLASSIFIED: "Nothing says how it follows from records, or that it does not.",
}

RECOMPUTED = frozenset(
    {
        CellStatus.EXACT,
        CellStatus.TIE,
        CellStatus.DOUBLE_ROUNDED,
        CellStatus.TRUNCATED,
        CellStatus.MISMATCH,
        CellStatus.MEASURED,
    }
)
"""Computed from records and compared."""
WRONG = frozenset({CellStatus.MISMATCH, CellStatus.CONTRADICTED})
ABSENT = frozenset({CellStatus.MISSING, CellStatus.UNCLASSIFIED})
WARNINGS = frozenset({CellStatus.DOUBLE_ROUNDED, CellStatus.TRUNCATED})
AGREEING = frozenset({CellStatus.EXACT, CellStatus.TIE, CellStatus.INPUT, CellStatus.MEASURED})

SLACK = Fraction(1, 10**12)
"""A recomputed double carries rounding of its own; nearer than this to a half-way point it is a tie."""


@dataclass(frozen=True)
class Judgement:
    """The status of a cell, and a sentence that a reviewer understands."""

    status: CellStatus
    sentence: str
    cause: str = ""
    """Of a number that is not plainly wrong: how it came to be printed, in a sentence."""
    distance: Fraction | None = None
    """Of a mismatch: how far off, in units of the last printed digit."""
    parts: tuple[Judgement, ...] = ()
    """The judgement of each number, where the cell has several."""


Rounded = Callable[[Fraction], tuple[Fraction, ...] | None]
"""A cell's numbers, computed from inputs that were rounded to the given unit first; None where one is not finite."""


def judge(printed: Printed, values: tuple[Fraction, ...], rounded: Rounded | None = None) -> Judgement:
    """Compares each number of a cell with its unrounded value; the worst decides.

    `rounded` computes the numbers from inputs as they would be printed: a string that follows from those and
    not from the values was computed from the table instead of the records. A rate beside its counts (15/24, 62%)
    follows from them where only the counts are given. Numbers that nothing gives leave the cell missing.
    """
    parts = printed.parts
    if [part.role for part in parts] == ["k", "n", "rate"] and len(values) == 2 and values[1]:
        values = (*values, values[0] / values[1])
    if len(values) > len(parts) or not values:
        return Judgement(
            CellStatus.MISMATCH,
            f"The paper prints {len(parts)} numbers in {printed.text}; the records give {len(values)}",
        )
    judgements = tuple(
        judge_number(part, value * 100 if part.percent and not printed.percent else value, rounded, place)
        for place, (part, value) in enumerate(zip(parts, values, strict=False))
    )
    worst = max(judgements, key=lambda judgement: _SEVERITY.index(judgement.status))
    if len(values) < len(parts) and worst.status is not CellStatus.MISMATCH:
        left = ", ".join(part.text for part in parts[len(values) :])
        worst = Judgement(CellStatus.MISSING, f"{worst.sentence} The records give nothing for {left}.")
    return replace(worst, parts=judgements) if len(parts) > 1 else worst


def judge_text(printed: str, due: str) -> Judgement:
    """Compares a cell of text with what the records give: the same names in the same order, whatever parts them."""
    if _names_in(printed) == _names_in(due):
        return Judgement(CellStatus.EXACT, f"The paper prints {printed}; the records give the same.")
    return Judgement(CellStatus.MISMATCH, f"The paper prints {printed!r}; the records give {due!r}.")


def _names_in(text: str) -> list[str]:
    return [" ".join(name.split()) for name in re.split(r"[/,;]", text.strip("†‡*§¶ "))]


def in_print(printed: Printed, values: tuple[Fraction, ...], *, percent: bool) -> tuple[Fraction, ...]:
    """Values in the scale that the cell prints: fractions in percent, where it prints percent; counts as they are."""
    if not percent:
        return values
    scales = [1 if not part.unit or (part.percent and not printed.percent) else 100 for part in printed.parts]
    return tuple(value * (scales[place] if place < len(scales) else 100) for place, value in enumerate(values))


_SEVERITY = [CellStatus.EXACT, CellStatus.TIE, CellStatus.DOUBLE_ROUNDED, CellStatus.TRUNCATED, CellStatus.MISMATCH]
_HOLDS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt, "≤": operator.le, ">": operator.gt, "≥": operator.ge
}  # fmt: skip


def judge_number(number: PrintedNumber, value: Fraction, rounded: Rounded | None = None, place: int = 0) -> Judgement:
    """Compares one number with its unrounded value; it is the one at a `place` of what `rounded` computes."""
    shown = show(value, number)
    said = f"The paper prints {number.text}; the records give {shown}"
    distance = abs(value - number.value) / (number.unit or 1)
    if number.is_bound:
        said = f"The paper prints {number.relation} {number.text}; the records give {shown}"
        if _HOLDS[number.relation](value, number.value):
            return Judgement(CellStatus.EXACT, f"{said}, which is.")
        return Judgement(CellStatus.MISMATCH, f"{said}, which is not.", distance=distance)
    if _plainly_inside(number, value):
        return Judgement(CellStatus.EXACT, f"{said}, the same.")
    if not number.unit:
        counted = f"The paper prints {number.text}; the records count"
        if not distance:
            return Judgement(CellStatus.EXACT, f"{counted} the same.")
        return Judgement(CellStatus.MISMATCH, f"{counted} {shown}.", distance=distance)
    slack = SLACK * max(number.unit, abs(value))
    if number.low + slack < value < number.high - slack:
        return Judgement(CellStatus.EXACT, f"{said}, the same.")
    if number.low - slack <= value <= number.high + slack:
        return Judgement(CellStatus.TIE, f"{said}, half-way between two printable numbers. Either is accepted.")
    said = f"{said}, which rounds to {as_printed(value, number.unit)}."
    from_rounded = None if rounded is None else rounded(number.unit)
    if from_rounded is not None and number.low <= from_rounded[place] <= number.high:
        told = f"from values that were rounded before ({decimal_text(from_rounded[place])})"
        return _doubted(CellStatus.DOUBLE_ROUNDED, said, f"The printed number only follows {told}.")
    if (finer := _double_rounding(number, value)) is not None:
        told = f"The printed number only follows if {finer} is rounded once more."
        return _doubted(CellStatus.DOUBLE_ROUNDED, said, told)
    if math.trunc(value / number.unit) * number.unit == number.value:
        return _doubted(CellStatus.TRUNCATED, said, "The printed number is cut off, not rounded.")
    apart = f"They differ by {as_float(distance):.3g} units of the last printed digit."
    return Judgement(CellStatus.MISMATCH, f"{said} {apart}", distance=distance)


def _doubted(status: CellStatus, said: str, cause: str) -> Judgement:
    return Judgement(status, f"{said} {cause}", cause)


def _plainly_inside(number: PrintedNumber, value: Fraction) -> bool:
    """Whether doubles already tell that the value rounds to the string. Most cells need no more."""
    near = as_float(value)
    low, high = as_float(number.low), as_float(number.high)
    margin = 1e-9 * max(high - low, abs(near) * 1e-3)
    return low + margin < near < high - margin


def _double_rounding(number: PrintedNumber, value: Fraction) -> str | None:
    """The finer rounding that, rounded again, gives the printed number; None where none does.

    Only a fine value that lies exactly half-way can be rounded the wrong way afterwards. One digit more is enough: what
    lies half-way after rounding to further digits does so after rounding to one.
    """
    fine = round_to(value, number.unit / 10)
    return decimal_text(fine) if abs(fine - number.value) == number.unit / 2 else None


def as_printed(value: Fraction, unit: Fraction) -> str:
    """A value rounded to the unit, with every decimal that the unit has."""
    text, places = decimal_text(round_to(value, unit)), len(str(unit.denominator)) - 1
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals:0<{places}}" if places else text


def round_to(value: Fraction, unit: Fraction) -> Fraction:
    """A value as it would be printed: halves go away from zero, as most formatting is believed to do."""
    return math.floor(abs(value / unit) + Fraction(1, 2)) * (unit if value >= 0 else -unit)


def show(value: Fraction, number: PrintedNumber) -> str:
    """An unrounded value with a few digits more than were printed."""
    if value.denominator == 1 and not number.unit:
        return str(value.numerator)
    if not number.unit:
        return repr(as_float(value))
    # The unit is a power of ten (or a count's), so the digits of its denominator count the printed places.
    places = len(str(number.unit.denominator)) + 1
    if places > 20 or abs(value) > 10**20:
        return f"{as_float(value):.17g}"
    digits = f"{as_float(value):z.{places}f}"
    # Digits that repeat the printed ones would hide that there is a difference.
    return digits if value == number.value or not digits.startswith(number.text) else repr(as_float(value))


def as_float(value: Fraction) -> float:
    """The nearest double; infinite beyond the range."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def decimal_text(value: Fraction) -> str:
    """A rational whose denominator divides a power of ten, in full."""
    places = 0
    while value.denominator != 1 and places < 60 and (value * 10**places).denominator != 1:
        places += 1
    scaled = value * 10**places
    if scaled.denominator != 1:
        return repr(as_float(value))
    digits = f"{abs(scaled.numerator):0{places + 1}d}"
    whole = digits if not places else f"{digits[:-places]}.{digits[-places:]}"
    return f"-{whole}" if value < 0 else whole
