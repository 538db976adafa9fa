"""Printed numbers beside columns of values: which values print so, and how far others lie from them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import Numbers
from sealtrace.paper.numbers import PrintedNumber

HALF = 0.5 * (1 + 1e-9)
"""Half a unit of the last place, and a double's last bits."""
NEAR = 50.0
"""Units of the last place within which other values count as near, at most."""
_FARTHEST = 1e200
"""Stands for the open side of a bound such as <0.001."""


def unit_of(number: PrintedNumber) -> float:
    """One in the last printed place; one where the number is a count."""
    return float(number.unit) or 1.0


def least(number: PrintedNumber) -> float:
    """The least value that prints so."""
    return -_FARTHEST if number.relation in ("<", "≤") else float(number.value - number.unit / 2)


def greatest(number: PrintedNumber) -> float:
    """The greatest value that prints so."""
    return _FARTHEST if number.relation in (">", "≥") else float(number.value + number.unit / 2)


def scales(number: PrintedNumber) -> tuple[float, ...]:
    """What values may be multiplied by to print so: percents are often kept as fractions."""
    return (100.0, 1.0) if number.percent else (1.0,)


def gaps(number: PrintedNumber, values: Numbers, scale: float = 1.0) -> Numbers:
    """How far values lie from it, their signs aside, in units of the last place."""
    found: Numbers = np.abs(np.abs(values * scale) - abs(float(number.value))) / unit_of(number)
    return found


def prints(number: PrintedNumber, values: Numbers) -> npt.NDArray[np.bool_]:
    """The values that print so; a sign must be theirs."""
    hit: npt.NDArray[np.bool_] = np.logical_or.reduce([gaps(number, values, scale) <= HALF for scale in scales(number)])
    return hit & same_sign(number, values)


def same_sign(number: PrintedNumber, values: Numbers) -> npt.NDArray[np.bool_]:
    """The values that have the sign that is printed, if one is."""
    return values * float(number.value) >= 0 if number.text[0] in "+-−" else np.ones(values.shape, dtype=bool)


def reach(number: PrintedNumber) -> float:
    """Units of the last place around it within which other values count as near."""
    return min(NEAR, max(2.0, abs(float(number.value)) / 2 / unit_of(number)))


def is_telling(number: PrintedNumber) -> bool:
    """Whether it has two digits that say something, and is no bound."""
    return not number.is_bound and len(number.text.strip("+-−0.%").replace(".", "").replace(",", "")) >= 2
