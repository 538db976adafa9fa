"""Numbers in texts: every one with its digits, its unit and what it leaves open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import Numbers
from sealtrace.paper.numbers import read_printed

HALF = 0.5 * (1 + 1e-9)
"""Half a unit of the last place, and a double's last bits."""
NEAR = 50.0
"""Units of the last place within which other values count as near, at most."""

_LITERAL = re.compile(
    r"(?<![\w.])(?P<sign>[+\-−±]?)(?P<digits>\d{1,3}(?:[,\u2009]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?P<power>[eE][+-]?\d{1,3})?(?P<unit>\s?%|[kKMBx×](?!\w))?"
)
_SCALES = {"k": 1000, "K": 1000, "M": 10**6, "B": 10**9}
_RAISED = re.compile(r"(?<=\d)·(?=\d)(?!10\s?\^)")
_WORDS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Slot:
    """One number of a cell."""

    text: str
    value: Fraction
    unit: Fraction
    """One in the last printed place."""
    percent: bool = False
    side: Literal["", "<", ">"] = ""
    """Where only a bound is printed: below or above it."""

    @property
    def low(self) -> float:
        """The least value that prints so."""
        return -1e200 if self.side == "<" else float(self.value - self.unit / 2)

    @property
    def high(self) -> float:
        """The greatest value that prints so."""
        return 1e200 if self.side == ">" else float(self.value + self.unit / 2)

    @property
    def decimals(self) -> int:
        """Digits after the point."""
        return len(self.text.partition(".")[2])

    @property
    def scales(self) -> tuple[float, ...]:
        """What values may be multiplied by to print so: percents are often kept as fractions."""
        return (100.0, 1.0) if self.percent else (1.0,)

    def gaps(self, values: Numbers, scale: float = 1.0) -> Numbers:
        """How far values lie from it, their signs aside, in units of the last place."""
        gaps: Numbers = np.abs(np.abs(values * scale) - abs(float(self.value))) / (float(self.unit) or 1.0)
        return gaps

    def prints(self, values: Numbers) -> npt.NDArray[np.bool_]:
        """The values that print so; a sign must be theirs."""
        hit: npt.NDArray[np.bool_] = np.logical_or.reduce([self.gaps(values, scale) <= HALF for scale in self.scales])
        return hit & (values * float(self.value) >= 0) if self.text[0] in "+-−" else hit

    @property
    def reach(self) -> float:
        """Units of the last place around it within which other values count as near."""
        return min(NEAR, max(2.0, abs(float(self.value)) / 2 / (float(self.unit) or 1.0)))

    @property
    def telling(self) -> bool:
        """Whether it has two digits that say something, and is no bound."""
        return not self.side and len(self.text.strip("+-−0.%").replace(".", "").replace(",", "")) >= 2


def pointed(text: str) -> str:
    """A text with decimal points where a journal prints raised ones: 24·53; 3·10^2 is a product."""
    return _RAISED.sub(".", text)


def slots_of(text: str) -> list[Slot]:
    """Every number in a text, in order."""
    printed = read_printed(text)
    if printed is not None and printed.parts:
        bounds: dict[str, Literal["<", ">"]] = {"<": "<", "≤": "<"}
        return [
            Slot(part.text, part.value, part.unit, part.percent or printed.percent,
                 bounds.get(part.relation, ">") if part.is_bound else "")
            for part in printed.parts
        ]  # fmt: skip
    found = []
    for match in _LITERAL.finditer(text):
        digits = match.group("digits").replace(",", "").replace("\u2009", "")
        power = Fraction(10) ** int((match.group("power") or "e0")[1:])
        unit = (match.group("unit") or "").strip()
        power *= _SCALES.get(unit, 1)
        decimals = len(digits.partition(".")[2])
        value = Fraction(digits if digits[0] != "." else f"0{digits}") * power
        sign = match.group("sign") in ("-", "−")
        found.append(Slot(match.group(0).strip(), -value if sign else value, power / 10**decimals, unit == "%"))
    return found


_NAMES = re.compile(r"\bO\(|^[^\W\d_]{2,}[^=<>≤≥≈~:±]*$|^\d{4}-\d\d(?:-\d\d)?$|\d\s?°\s?[NSEW]\b|\bSection\s\d|§")
"""`O(1)`, `Axis 1`, `Elm-3.1-8B`, dates and sections say what something is, not how much."""
_MEASURED = re.compile(r"(?<![\w.-])[+\-−]?\d*\.\d+(?![\w-])|\d\s?%")


def is_wordy(text: str) -> bool:
    """Whether a cell is more of a sentence or a name than of a number."""
    if (found := _NAMES.search(text)) and (not found.group()[0].isalpha() or not _MEASURED.search(text)):
        return True
    words = _WORDS.findall(text)
    return len(words) >= 4 or (len(words) >= 2 and len(words) > 2 * len(slots_of(text)) and len(text) > 25)
