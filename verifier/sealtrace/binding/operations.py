"""How printed numbers follow from others: differences to a baseline, ratios, means and sums of what stands beside."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from sealtrace.binding.frames import Numbers
from sealtrace.binding.series import Series
from sealtrace.statistics.combinations import COMBINATIONS

_COMPARES = re.compile(
    r"Δ|δ|∆|delta|diff|gain|improv|change|gap|\bvs\b|versus|drop|lift|increase|decrease|reduc|speed-?up|ratio|relative|"
    r"\brel\b|over base|saving|degrad|[×x]\s*$|^\s*[×x]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Operation:
    """How bound numbers give another one."""

    name: str
    named: re.Pattern[str]
    """Headers that say it."""
    text: str
    """The formula for people: `{0}` and `{1}`, or `{all}`."""
    sql: str
    """The same for queries; `{all}` are values in brackets."""
    function: Callable[..., Numbers]

    def said(self, header: str) -> bool:
        """Whether a header says it."""
        return self.named.search(header) is not None

    def cost(self, header: str) -> float:
        """Bits to name it: few where a header says it."""
        return 1.0 if self.said(header) else 5.0


_RELATIVE = re.compile(r"rel|%|percent|improv|change|gain|increase|decrease|reduc|saving|drop|degrad", re.IGNORECASE)
_DIVIDED = re.compile(
    r"speed-?up|ratio|×|\bx\b|factor|per\b|rate|share|retain|retention|of full|fraction", re.IGNORECASE
)
_SAVED = re.compile(r"reduc|decrease|saving|saved|drop|degrad|less|fewer|lower", re.IGNORECASE)
_PERCENTAGE = re.compile(f"{_DIVIDED.pattern}|%|percent", re.IGNORECASE)

COMPARISONS = tuple(
    Operation(name, named, entry.formula, entry.sql, entry.exact)
    for name, named in (
        ("difference", _COMPARES),
        ("relative difference", _RELATIVE),
        ("relative change", _RELATIVE),
        ("relative reduction", _SAVED),
        ("ratio", _DIVIDED),
        ("percentage", _PERCENTAGE),
    )
    if (entry := COMBINATIONS[name]).exact is not None
)
DIFFERENCE = COMPARISONS[0]


def _aggregate(name: str, named: str, function: Callable[..., Numbers]) -> Operation:
    known = re.compile(named, re.IGNORECASE)
    short = {np.mean: "avg", np.sum: "sum", np.max: "max", np.min: "min"}[function]
    return Operation(name, known, f"{name} of {{all}}", f"list_{short}([{{all}}])", partial(function, axis=1))


AGGREGATES = (
    _aggregate("mean", r"\bavg\b|average|mean|overall|macro|μ", np.mean),
    _aggregate("sum", r"\btotals?\b|\bsum\b|\ball\b|overall", np.sum),
    _aggregate("greatest", r"\bmax(imum)?\b|\bbest\b|\bpeak\b|highest", np.max),
    _aggregate("least", r"\bmin(imum)?\b|\bworst\b|lowest", np.min),
)


_SHARE = re.compile(r"%|percent|share|fraction|proportion|prop\b", re.IGNORECASE)
SHARES = (
    Operation("share", _SHARE, "share of {all}",
              "list_extract([{all}], 1) / (list_sum([{all}]) - list_extract([{all}], 1))",
              lambda values: values / values.sum()),
    Operation("share in percent", _SHARE, "100 · share of {all}",
              "100 * list_extract([{all}], 1) / (list_sum([{all}]) - list_extract([{all}], 1))",
              lambda values: 100 * values / values.sum()),
)  # fmt: skip
"""A number's part of the sum of its line; queries have the number first, then all."""


def compares(series: Series) -> bool:
    """Whether a header or the signs of most numbers say that a series compares something."""
    signed = sum(slot.text[0] in "+-−" for slot in series.slots)
    return signed * 2 > len(series.slots) or _COMPARES.search(series.constant[0]) is not None
