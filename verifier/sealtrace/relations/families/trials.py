"""What is tried of a table: formulas of its columns, against which every other column is held."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from sealtrace.relations.cases import Case
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.columns import Column, Value, beside, function, mean, total
from sealtrace.relations.families.paper import Sheet
from sealtrace.relations.intervals import WHOLE
from sealtrace.relations.syntax import Unknown

Booleans = npt.NDArray[np.bool_]
_SUM = re.compile(r"\b(?:total|sum|all|overall|combined)\b")
_MEAN = re.compile(r"\b(?:mean|average|avg|overall|all|macro|midpoint)\b")
_DIFFERENCE = re.compile(
    r"δ|\b(?:delta|diff\w*|gain|change|improv\w*|gap|drop|lift|margin|vs|increase|decrease|minus|did|jump)\b|"
    r"\S [-–−] \S"
)
_RATIO = re.compile(r"\bratio|\brate\b|speed-?up|\bper\b|relative|\bt\b|\bz\b|share|fraction|normali|factor|%|×")
_PRODUCT = re.compile(r"product|score|×|total")
_REDUCTION = re.compile(r"reduc|sav|drop|less|fewer|decrease")
_HARMONIC = re.compile(r"\bf-?1|f-?score|harmonic")
_ERROR = re.compile(r"\bs\.?e\.?m?\b|standard error")
_LOGARITHM = re.compile(r"\blog|\bcoef|\bestimate|\batt\b|β")
_REST = re.compile(r"^(?:1|100) ?[-–−]|\berror|fail|remain|complement|\brest\b|^(?:un|non|not )")


@dataclass(frozen=True)
class Pattern:
    """A function of one or two columns."""

    name: str
    says: str
    formula: Callable[..., Value]
    named: re.Pattern[str]
    """Headers of a result that is called so."""
    orders: int = 2
    """In how many orders it is tried of two columns."""
    orders_to_row: int = 0
    """In how many orders it is tried of a column and the number of one row."""

    @property
    def inputs(self) -> int:
        """Of how many columns it is."""
        return 2 if "{1}" in self.says else 1

    @cached_property
    def is_linear(self) -> bool:
        """Whether it is a sum of multiples of its columns."""
        names = ("a", "b")[: self.inputs]
        case = Case(dict.fromkeys(names, WHOLE))
        case.lowered(self.formula(*map(Unknown, names)), {name: name for name in names})
        return case.is_linear

    def choices(self, size: int) -> Iterator[tuple[int, ...]]:
        """The columns that it may be of."""
        return (combinations if self.orders == 1 else permutations)(range(size), self.inputs)


PATTERNS = (
    Pattern("sum", "{0} + {1}", lambda a, b: a + b, _SUM, 1),
    Pattern("difference", "{0} - {1}", lambda a, b: a - b, _DIFFERENCE, 2, 2),
    Pattern("mean", "the mean of {0} and {1}", lambda a, b: (a + b) / 2, _MEAN, 1),
    Pattern("product", "{0} × {1}", lambda a, b: a * b, _PRODUCT, 1),
    Pattern("ratio", "{0} / {1}", lambda a, b: a / b, _RATIO, 2, 2),
    Pattern("percentage", "100 × {0} / {1}", lambda a, b: 100 * a / b, _RATIO, 2, 1),
    Pattern("relative change", "({0} - {1}) / {1} in percent", lambda a, b: 100 * a / b - 100, _DIFFERENCE, 2, 1),
    Pattern("relative reduction", "({1} - {0}) / {1} in percent", lambda a, b: 100 - 100 * a / b, _REDUCTION, 2, 1),
    Pattern("harmonic mean", "2 × {0} × {1} / ({0} + {1})", lambda a, b: 2 / (1 / a + 1 / b), _HARMONIC, 1),
    Pattern("standard error", "{0} / √{1}", lambda a, b: a / function("sqrt", b), _ERROR),
    Pattern("half", "{0} / 2", lambda a: a / 2, re.compile("half|expl")),
    Pattern("hundredfold", "100 × {0}", lambda a: 100 * a, re.compile("%")),
    Pattern("logarithm of a change", "log(1 + {0} / 100)", lambda a: function("log", 1 + a / 100), _LOGARITHM),
    Pattern("rest of one", "1 - {0}", lambda a: 1 - a, _REST),
    Pattern("rest of 100", "100 - {0}", lambda a: 100 - a, _REST),
)


@dataclass(frozen=True)
class Trial:
    """A formula of some columns, against which every other column is held."""

    inputs: tuple[int, ...]
    kind: str
    says: str
    formula: Callable[..., Value]
    named: re.Pattern[str] | None
    """Headers that call a result so; None where no header is needed."""
    placed: Booleans | bool = False
    """Which columns stand where such a result would."""
    targets: Sequence[int] | None = None
    is_linear: bool = True
    near: bool = True
    """False where the result is a constant away from its input by hypothesis."""
    sparse: bool = False
    """Whether a zero among the inputs leaves a row telling."""
    without: int | None = None
    """A row that holds by construction."""


def patterned(columns: list[Column]) -> Iterator[Trial]:
    """Every pattern of every one or two columns, against every other column."""
    places = np.array([one.place for one in columns])
    for pattern in PATTERNS:
        for inputs in pattern.choices(len(columns)):
            own = places[list(inputs)]
            near = np.maximum(places, own.max()) - np.minimum(places, own.min()) <= len(inputs)
            says = pattern.says.format(*(columns[one].label for one in inputs))
            yield Trial(inputs, pattern.name, says, pattern.formula, pattern.named, near, is_linear=pattern.is_linear)


def blocked(columns: list[Column], *, exact: bool) -> Iterator[Trial]:
    """Sums and means of neighbouring columns, or of every second, third or fourth one, of any width."""
    size = len(columns)
    for stride, start in product((1, 2, 3, 4), range(size)):
        block: tuple[int, ...] = ()
        for place in range(start, size, stride):
            if exact and not columns[place].whole:
                break
            block = (*block, place)
            if len(block) > 1:
                yield from _block([columns[one].label for one in block], block, size, contiguous=stride == 1)


def _block(labels: list[str], block: tuple[int, ...], size: int, *, contiguous: bool) -> Iterator[Trial]:
    names = f"{labels[0]} … {labels[-1]}" if len(block) > 2 else " and ".join(labels)
    placed = contiguous and size - len(block) <= 2
    if len(block) > 2 or not contiguous:
        yield Trial(block, "sum", f"the sum of {names}", total, _SUM, placed, sparse=True)
    yield Trial(block, "mean", f"the mean of {names}", mean, _MEAN, placed, sparse=True)
    for whole in (1, 100) if contiguous else ():
        # Parts of a whole: the last part is what the others leave.
        says, rest = f"{names} sum to {whole}", partial(_left_of, whole)
        yield Trial(block[:-1], "parts of a whole", says, rest, None, targets=(block[-1],), sparse=True)


def _left_of(whole: int, *parts: Value) -> Value:
    return whole - total(*parts)


def against_rows(sheet: Sheet, columns: list[Column]) -> Iterator[Trial]:
    """A column against another one's value in one row: the first, the last, or where the column itself is silent."""
    rows, places = range(len(sheet.rows)), np.array([one.place for one in columns])
    silent = [[row for row in rows if one.facts[row] is None or one.middle[row] in (0, 1, 100)] for one in columns]
    # What stands behind a number in its cell (an error, a change) speaks of that number, and not of another column's.
    behind = [number > 0 and one.place == columns[number - 1].place for number, one in enumerate(columns)]
    for (place, source), row in product(enumerate(columns), rows):
        fact = source.facts[row]
        ends = row in (0, rows[-1])
        targets = [
            number
            for number, one in enumerate(columns)
            if (ends or row in silent[number][:3]) and not (behind[number] and one.place != source.place)
        ]
        if fact is None or not fact.value or not targets:
            continue
        placed = np.array([row in one for one in silent]) & (np.abs(places - source.place) == 1)
        labels = source.label, f"{source.label} of {sheet.rows[row].label}"
        for pattern, turned in product(PATTERNS, (False, True)):
            if turned < pattern.orders_to_row and ("/" not in pattern.says or fact.low > 0):
                kind, says = f"{pattern.name} to a row", pattern.says.format(*(labels[::-1] if turned else labels))
                formula = partial(_against, pattern.formula, fact, turned)
                yield Trial((place,), kind, says, formula, pattern.named, placed, targets, near=False, without=row)


def _against(formula: Callable[..., Value], fact: Fact, turned: bool, value: Value) -> Value:
    fixed = beside(value, fact)
    return formula(fixed, value) if turned else formula(value, fixed)


def by_sizes(sheet: Sheet, columns: list[Column], counted: list[Column]) -> Iterator[Trial]:
    """A column as the mean of all neighbours before or behind it, weighted by a row of counts."""
    size = len(columns)
    for (row, line), place in product(enumerate(sheet.rows), range(size)):
        for block in (tuple(range(place)), tuple(range(place + 1, size))):
            facts = [counted[one].facts[row] for one in block]
            counts = [fact.value for fact in facts if fact is not None and fact.exact and fact.value > 0]
            if len(block) < 2 or len(counts) < len(block) or len(set(counts)) == 1:
                continue
            weighted, targets = partial(_weighted, [count / sum(counts) for count in counts]), (place,)
            says = f"the mean of {columns[block[0]].label} … {columns[block[-1]].label} weighted by {line.label}"
            yield Trial(block, "weighted mean", says, weighted, _MEAN, True, targets, sparse=True, without=row)


def _weighted(shares: Sequence[Any], *values: Value) -> Value:
    return total(*(value * share for value, share in zip(values, shares, strict=True)))
