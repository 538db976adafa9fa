"""Changes of unit or of view between a value and what is printed, and which of them a series allows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sealtrace.binding.frames import Numbers
from sealtrace.binding.scoring import widened
from sealtrace.binding.series import Series

Curve = tuple[Callable[[Numbers], Numbers], Callable[[Numbers], Numbers], re.Pattern[str]]
_CURVES: dict[str, Curve] = {
    "exp(x)": (np.exp, np.log, re.compile(r"\b[aihg]?(?:or|hr|rr|mr|irr|gmr)\b|odds|hazard|ratio|\bexp\b")),
    "log10(x)": (np.log10, lambda bound: 10.0**bound, re.compile(r"log[_ ]?10|\blog")),
    "ln(x)": (np.log, np.exp, re.compile(r"\bln\b|\blog(?![_ ]?10)")),
    "sqrt(x)": (np.sqrt, np.square, re.compile(r"\brms|root")),
}
"""Changes that are no change of unit, with their inverse and the headers that say them; others are not tried."""


@dataclass(frozen=True)
class Transformation:
    """A change of unit or of view between a value and what is printed."""

    name: str
    scale: float = 1.0
    shift: float = 0.0
    cost: float = 0.0
    curve: str = ""
    """One of the curves, before the scale."""
    only: tuple[bool, ...] = ()
    """The numbers of the series that are scaled, where not all are: those whose label says percent."""

    def __call__(self, values: Numbers, place: int | None = None) -> Numbers:
        """The values as they would be printed: the numbers of a series on the first axis, or those of one `place`."""
        with np.errstate(all="ignore"):
            bent = _CURVES[self.curve][0](values) if self.curve else values
            found: Numbers = bent * self._scales(bent.ndim, place) + self.shift
        return found

    def before(self, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
        """The bounds of the values that are printed between two bounds."""
        scale = self._scales(1, None)
        bounds = [(end - self.shift) / scale for end in (low, high)]
        if self.curve:
            with np.errstate(all="ignore"):
                bounds = [np.nan_to_num(_CURVES[self.curve][1](bound), nan=-1e200, neginf=-1e200) for bound in bounds]
        low, high = widened(np.minimum(*bounds), np.maximum(*bounds))
        return low, high

    def _scales(self, axes: int, place: int | None) -> Numbers | float:
        if not self.only:
            return self.scale
        if place is not None:
            return self.scale if self.only[place] else 1.0
        scales: Numbers = np.where(self.only, self.scale, 1.0)
        return scales.reshape(-1, *(1,) * (axes - 1))

    def text(self, formula: str, place: int | None = None) -> str:
        """A formula under it; for one number, as it is printed there."""
        if place is not None and self.only and not self.only[place]:
            return formula
        told = re.sub(r"\bx\b", lambda _: formula, self.name) if self.name else formula
        return f"{told} (percent where the label says so)" if place is None and self.only else told


def _unit(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{pattern})(?![a-z])")


_UNITS = (
    ("1000 · x", 1000.0, _unit(r"ms|msec|milliseconds?|‰|m[wjv]|g")),
    ("1000000 · x", 1e6, _unit(r"[uμµ]s|microseconds?|ppm")),
    ("x / 1000", 1e-3, _unit(r"k|kb|ktok|tok(?:ens)?|k tokens|kj|kw|kg|km|[muμµ]?s|m?secs?|(?:milli|micro)?seconds?|"
                             r"thousands?|10\^?3")),
    ("x / 1000000", 1e-6, _unit(r"m|mb|millions?|params?|mtok|10\^?6|mj")),
    ("x / 1000000000", 1e-9, _unit(r"b|gb|bn|billions?|g?flops?|params?|10\^?9")),
    ("x / 1024", 1 / 1024, _unit(r"k|kb|kib|gb|gib|mb|mib")),
    ("x / 1048576", 1 / 1048576, _unit(r"m|mb|mib|gb|gib")),
    ("x / 1073741824", 1 / 1073741824, _unit(r"g|gb|gib")),
    ("x / 60", 1 / 60, _unit(r"min|mins|minutes?|h|hrs?|hours?")),
    ("x / 3600", 1 / 3600, _unit(r"h|hrs?|hours?|gpuh?")),
)  # fmt: skip
"""Changes of unit, and the units of a header that make them likely."""


_CHANCE = re.compile(r"\bchance\b|\bguess(?:es|ing)?\b|\bnormali[sz]ed\b|\brescaled\b|\bcorrected\b", re.IGNORECASE)
_LEVEL = re.compile(r"(?<![\d.])(?:(0?\.\d+)|1/(\d{1,3})|(\d{1,2}(?:\.\d+)?)\s?%)(?!\d|\.\d)")


def _above_chance(series: Series) -> list[Transformation]:
    """Scores of which guessing gives 0 and perfection 1, for each level of guessing that the labels state."""
    told = " ".join(series.constant)
    if _CHANCE.search(told) is None:
        return []
    levels = {
        float(share) if share else 1 / int(parts) if parts and int(parts) else float(percent or 0) / 100
        for share, parts, percent in _LEVEL.findall(told)
    }
    return [
        Transformation(f"(x - {level:.6g}) / (1 - {level:.6g})", 1 / (1 - level), -level / (1 - level), cost=4.0)
        for level in sorted(levels)
        if 0 < level < 1
    ]


def transformations(series: Series) -> list[Transformation]:
    """Those that the series allows; percent is free where a sign says so."""
    context = " ".join(series.constant[:1]).lower()
    signs = tuple(slot.percent or any("%" in label.text for label in labels)
                  for slot, labels in zip(series.slots, series.varying, strict=True))  # fmt: skip
    percent = any(signs) or "%" in context or "percent" in context
    most = float(np.max(np.abs(series.value)))
    found = [Transformation("", 1.0, cost=2.5 if percent else 0.5)]
    if most > 1 or percent:
        found.append(Transformation("100 · x", 100.0, cost=0.5 if percent else 2.5))
        if 0 < sum(signs) < len(signs):
            found.append(Transformation("100 · x", 100.0, cost=1.5, only=signs))
    if most <= 1.0:
        found.append(Transformation("x / 100", 0.01, cost=4.0))
        found.append(Transformation("1 - x", -1.0, 1.0, 6.0))
    elif most <= 100 and (percent or most > 1):
        found.append(Transformation("100 · (1 - x)", -100.0, 100.0, 6.0))
    found += _above_chance(series)
    if np.any(series.value < 0):
        found.append(Transformation("-x", -1.0, cost=5.0))
    for name, scale, units in _UNITS:
        found.append(Transformation(name, scale, cost=2.5 if units.search(context) else 8.0))
    for name, (_, _, told) in _CURVES.items():
        if told.search(context):
            found.append(Transformation(name, curve=name, cost=4.0))
    if percent and np.any(series.value != 0):
        found.append(Transformation("100 · (exp(x) - 1)", 100.0, -100.0, 7.5, "exp(x)"))
    return found
