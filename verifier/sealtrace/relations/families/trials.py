"""What is tried of a table: formulas of its columns, against which every other column is held."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from sealtrace.relations.families.columns import FactColumn, Value, function, mean, total
from sealtrace.relations.families.paper import Sheet
from sealtrace.relations.families.wording import is_summary
from sealtrace.statistics.combinations import COMBINATIONS

Booleans = npt.NDArray[np.bool_]
_SUM = re.compile(r"\b(?:total|sum|all|overall|combined)\b")
_MEAN = re.compile(r"\b(?:mean|average|avg|overall|all|macro|midpoint)\b")
_DIFFERENCE = re.compile(
    r"δ|\b(?:delta|diff\w*|gain|change|improv\w*|gap|drop|lift|margin|vs|increase|decrease|minus|did|jump|extra)\b|"
    r"\S [-–−] \S"
)
_RATIO = re.compile(
    r"\bratio|\brate\b|speed-?up|\bper\b|relative|\bt\b|\bz\b|share|fraction|normali|factor|×|prec|recall|\brec\b|"
    r"throughput|\w/\w"
)
_PERCENT = re.compile(rf"%|{_RATIO.pattern}")
_REDUCTION = re.compile(r"reduc|sav|drop|less|fewer|decrease")
_HARMONIC = re.compile(r"\bf-?1|f-?score|harmonic")
_ERROR = re.compile(r"\bs\.?e\.?m?\b|standard error")
_LOGARITHM = re.compile(r"\blog|\bcoef|\bestimate|\batt\b|β")
_REST = re.compile(r"^(?:1|100) ?[-–−]|\berror|fail|remain|complement|\brest\b|^(?:un|non|not )")
_RUNNING = re.compile(r"\bcum")


@dataclass(frozen=True)
class Pattern:
    """A function of one or two columns."""

    name: str
    says: str
    formula: Callable[..., Any]
    named: re.Pattern[str]
    """Headers of a result that is called so."""
    orders: int = 2
    """In how many orders it is tried of two columns."""
    to_row: int = 0
    """In how many orders it is tried of a column and the number of one row, or of the row above."""
    to_total: bool = False
    """Whether it is tried of a column and the sum of that column."""

    @property
    def inputs(self) -> int:
        """Of how many columns it is."""
        return 2 if "{1}" in self.says else 1

    @property
    def is_linear(self) -> bool:
        """Whether it is a sum of multiples of its columns, so that means and totals of rows satisfy it, too."""
        return self.name in ("sum", "difference", "mean", "half", "hundredfold", "rest of one", "rest of 100")

    def choices(self, columns: Sequence[FactColumn]) -> Iterator[tuple[FactColumn, ...]]:
        """The columns that it may be of."""
        return (combinations if self.orders == 1 else permutations)(columns, self.inputs)


def _shared(name: str, named: re.Pattern[str], orders: int = 2, to_row: int = 0, to_total: bool = False) -> Pattern:
    """A pattern whose formula the search of `check` has, too."""
    entry = COMBINATIONS[name]
    assert entry.exact is not None
    return Pattern(name, entry.formula, entry.exact, named, orders, to_row, to_total)


PATTERNS = (
    Pattern("sum", "{0} + {1}", lambda a, b: a + b, _SUM, 1),
    _shared("difference", _DIFFERENCE, 2, 2),
    Pattern("mean", "the mean of {0} and {1}", lambda a, b: (a + b) / 2, _MEAN, 1),
    _shared("ratio", _RATIO, 2, 2, True),
    _shared("percentage", _PERCENT, 2, 1, True),
    _shared("share", _RATIO),
    _shared("share in percent", _PERCENT),
    _shared("relative change", _DIFFERENCE, 2, 1),
    _shared("relative reduction", _REDUCTION, 2, 1),
    _shared("harmonic mean", _HARMONIC, 1),
    Pattern("standard error", "{0} / √{1}", lambda a, b: a / function("sqrt", b), _ERROR),
    Pattern("half", "{0} / 2", lambda a: a / 2, re.compile("half|expl")),
    Pattern("hundredfold", "100 × {0}", lambda a: 100 * a, re.compile("%")),
    Pattern("logarithm of a change", "log(1 + {0} / 100)", lambda a: function("log", 1 + a / 100), _LOGARITHM),
    _shared("rest of one", _REST),
    _shared("rest of 100", _REST),
)


@dataclass(frozen=True)
class Trial:
    """A formula of some columns, against which every other column is held."""

    inputs: tuple[FactColumn, ...]
    kind: str
    says: str
    formula: Callable[..., Any]
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
    is_fitted: bool = False
    """Whether a constant in it was chosen so that rows fit: then one of them is no evidence."""


def patterned(columns: list[FactColumn]) -> Iterator[Trial]:
    """Every pattern of every one or two columns, against every other column."""
    places = np.array([column.place for column in columns])
    for pattern in PATTERNS:
        for inputs in pattern.choices(columns):
            own = [column.place for column in inputs]
            if {"k", "n"} <= {column.part for column in inputs} and len(set(own)) > 1:
                # A count out of a number is out of its own.
                continue
            near = np.maximum(places, max(own)) - np.minimum(places, min(own)) <= len(inputs) + 1
            says = pattern.says.format(*(column.label for column in inputs))
            trial = Trial(inputs, pattern.name, says, pattern.formula, pattern.named, near, is_linear=pattern.is_linear)
            yield trial
            if pattern.to_total and [column.part for column in inputs] == ["k", "n"]:
                # A cell such as 73.3 % (11/15) says itself what its first number is.
                within = [number for number, column in enumerate(columns) if column.place == own[0] and not column.part]
                yield replace(trial, named=None, placed=True, targets=within)


def blocked(columns: list[FactColumn], *, exact: bool) -> Iterator[Trial]:
    """Sums and means of neighbouring columns, or of every second, third or fourth one, of any width."""
    size = len(columns)
    for stride, start in product((1, 2, 3, 4), range(size)):
        block: tuple[FactColumn, ...] = ()
        for place in range(start, size, stride):
            if exact and not columns[place].whole:
                break
            block = (*block, columns[place])
            if len(block) > 1:
                yield from _block(block, size, place, contiguous=stride == 1)


def _block(block: tuple[FactColumn, ...], size: int, last: int, *, contiguous: bool) -> Iterator[Trial]:
    first, *_others, end = (column.label for column in block)
    names = f"{first} {'…' if len(block) > 2 else 'and'} {end}"
    placed = contiguous and size - len(block) <= 2
    if len(block) > 2 or not contiguous:
        yield Trial(block, "sum", f"the sum of {names}", total, _SUM, placed, sparse=True)
    yield Trial(block, "mean", f"the mean of {names}", mean, _MEAN, placed, sparse=True)
    for whole in (1, 100) if contiguous else ():
        # Parts of a whole: the last part is what the others leave.
        says, rest = f"{names} sum to {whole}", partial(_left_of, whole)
        yield Trial(block[:-1], "parts of a whole", says, rest, None, len(block) > 2, (last,), sparse=True)


def _left_of(whole: int, *parts: Value) -> Value:
    return whole - total(*parts)


def against_rows(sheet: Sheet, columns: list[FactColumn]) -> Iterator[Trial]:
    """A column against another one's value in one row: the first, the last, or where the column itself is silent."""
    rows, places = range(len(sheet.rows)), np.array([column.place for column in columns])
    silent = [
        [row for row in rows if column.facts[row] is None or column.middle[row] in (0, 1, 100)] for column in columns
    ]
    # What stands behind a number in its cell (an error, a change) speaks of that number, and not of another column's.
    behind = [number > 0 and column.place == columns[number - 1].place for number, column in enumerate(columns)]
    for source, row in product(columns, rows):
        fact = source.facts[row]
        ends = row in (0, rows[-1])
        targets = [
            number
            for number, target in enumerate(columns)
            if (ends or row in silent[number][:3]) and not (behind[number] and target.place != source.place)
        ]
        if fact is not None and fact.value and targets:
            reference = source.of_row(row, sheet.rows[row].label)
            placed = np.array([row in gaps for gaps in silent]) & (np.abs(places - source.place) == 1)
            yield from _against("a row", source, reference, placed, targets)


def _against(
    noun: str, source: FactColumn, reference: FactColumn, placed: Booleans, targets: Sequence[int] | None = None
) -> Iterator[Trial]:
    """A column against a reference: one row, which is a constant, or for each row the one above."""
    positive = not np.any(reference.low <= 0)
    for pattern, turned in product(PATTERNS, (False, True)):
        if turned < pattern.to_row and ("/" not in pattern.says or positive):
            inputs = (reference, source) if turned else (source, reference)
            kind, says = f"{pattern.name} to {noun}", pattern.says.format(*(column.label for column in inputs))
            yield Trial(inputs, kind, says, pattern.formula, pattern.named, placed, targets, near=targets is None)


def by_order(sheet: Sheet, columns: list[FactColumn]) -> Iterator[Trial]:
    """A column against the row above: steps from row to row, and running sums; and against its own sum, as a share."""
    blocks = blocks_of(sheet)
    starts = [block[0] for block in blocks]
    places = np.array([column.place for column in columns])
    for source in columns:
        beside = np.abs(places - source.place) == 1
        yield from _against("the row above", source, source.above(starts), beside)
        for number, target in enumerate(columns):
            if target is not source:
                inputs, says = (target.above(starts), source), f"the running sum of {source.label}"
                yield Trial(inputs, "running sum", says, lambda a, b: a + b, _RUNNING, beside, (number,))
        counts = [fact for fact in source.facts if fact is not None]
        if len(counts) < 3 or any(fact.value < 0 for fact in counts):
            continue
        for several in (blocks, [[row for block in blocks for row in block]]) if len(blocks) > 1 else (blocks,):
            inputs = (source, source.totals(several))
            for pattern in (pattern for pattern in PATTERNS if pattern.to_total):
                says = pattern.says.format(*(column.label for column in inputs))
                near = np.abs(places - source.place) <= 1
                yield Trial(
                    inputs, f"{pattern.name} of the whole", says, pattern.formula, pattern.named, near, sparse=True
                )


def blocks_of(sheet: Sheet) -> list[list[int]]:
    """Rows without those that summarize others, in parts: from rule to rule, or from one group's name to the next."""
    rows = [row for row, line in enumerate(sheet.rows) if not is_summary(line.first or line.label)]
    firsts = [line.first for line in sheet.rows]
    named = [bool(first) and first != before for first, before in zip(firsts, [None, *firsts], strict=False)]
    # A group's name stands in its first row, or in each of them.
    groups = len(set(firsts))
    in_each = all(firsts) and sum(named) == groups and 1 < groups <= len(rows) // 2
    inherits = not sheet.is_turned and (in_each or not all(firsts)) and any(firsts)
    blocks: list[list[int]] = []
    for row in rows:
        line = sheet.rows[row]
        if not blocks or line.after_rule or (inherits and named[row]):
            blocks.append([])
        blocks[-1].append(row)
    return blocks


_Z = Fraction("1.96")


def wilson(sign: int, share: Value, size: Value, z: Fraction = _Z) -> Value:
    """One end of Wilson's interval, at 95 percent unless another quantile is given."""
    square = z * z
    half = z * function("sqrt", (share - share * share + square / (4 * size)) / size)
    return (share + square / (2 * size) + sign * half) / (1 + square / size)
