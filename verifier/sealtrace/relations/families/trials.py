"""What is tried of a table: formulas of its columns, against which every other column is held."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from sealtrace.paper.extracted import JOIN
from sealtrace.relations.computing import tail
from sealtrace.relations.families.columns import Column, Span, Value, function, mean, total
from sealtrace.relations.families.paper import Sheet
from sealtrace.relations.families.wording import COUNT, SUMMARY, count_of, plain
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
_SIZED = re.compile(rf"\((?:[nN] ?= ?)?{COUNT}\)|\b[nN] ?= ?{COUNT}")
_WHOLE = re.compile(r"^(?:all|overall|total|full|entire|whole|pooled|combined)\b")


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

    def choices(self, columns: Sequence[Column]) -> Iterator[tuple[Column, ...]]:
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

    inputs: tuple[Column, ...]
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
    is_fitted: bool = False
    """Whether a constant in it was chosen so that rows fit: then one of them is no evidence."""


def patterned(columns: list[Column]) -> Iterator[Trial]:
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


def blocked(columns: list[Column], *, exact: bool) -> Iterator[Trial]:
    """Sums and means of neighbouring columns, or of every second, third or fourth one, of any width."""
    size = len(columns)
    for stride, start in product((1, 2, 3, 4), range(size)):
        block: tuple[Column, ...] = ()
        for place in range(start, size, stride):
            if exact and not columns[place].whole:
                break
            block = (*block, columns[place])
            if len(block) > 1:
                yield from _block(block, size, place, contiguous=stride == 1)


def _block(block: tuple[Column, ...], size: int, last: int, *, contiguous: bool) -> Iterator[Trial]:
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


def against_rows(sheet: Sheet, columns: list[Column]) -> Iterator[Trial]:
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
    noun: str, source: Column, reference: Column, placed: Booleans, targets: Sequence[int] | None = None
) -> Iterator[Trial]:
    """A column against a reference: one row, which is a constant, or for each row the one above."""
    positive = not np.any(reference.low <= 0)
    for pattern, turned in product(PATTERNS, (False, True)):
        if turned < pattern.to_row and ("/" not in pattern.says or positive):
            inputs = (reference, source) if turned else (source, reference)
            kind, says = f"{pattern.name} to {noun}", pattern.says.format(*(column.label for column in inputs))
            yield Trial(inputs, kind, says, pattern.formula, pattern.named, placed, targets, near=targets is None)


def by_order(sheet: Sheet, columns: list[Column]) -> Iterator[Trial]:
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


def is_summary(name: str) -> bool:
    """Whether a row speaks of the rows above it."""
    return SUMMARY.fullmatch(plain(name)) is not None


def by_sizes(sheet: Sheet, columns: list[Column], counted: list[Column]) -> Iterator[Trial]:
    """A column against the mean of those before it, or behind it, weighted by a row of counts."""
    size = len(columns)
    for (row, line), place in product(enumerate(sheet.rows), range(size)):
        for block in (range(place), range(place + 1, size)):
            facts = [counted[number].facts[row] for number in block]
            counts = [fact.value for fact in facts if fact is not None and fact.exact and fact.value > 0]
            if len(block) < 2 or len(counts) < len(block) or len(set(counts)) == 1:
                continue
            weighted = partial(_weighted, [count / sum(counts) for count in counts])
            inputs = tuple(columns[number] for number in block)
            says = f"the mean of {inputs[0].label} … {inputs[-1].label} weighted by {line.label}"
            yield Trial(inputs, "weighted mean", says, weighted, _MEAN, True, (place,), sparse=True, without=row)


def by_headers(columns: list[Column]) -> Iterator[Trial]:
    """A column of a whole against the mean of its parts, weighted by the numbers of items in their headers."""
    wholes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    parts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, column in enumerate(columns):
        group, _join, last = column.label.removesuffix(f".{column.part}").rpartition(JOIN)
        sized = _SIZED.search(group or last)
        quantity = (last if group else "") + column.part
        is_whole = _WHOLE.search(plain(group or last)) is not None
        if sized or is_whole:
            (wholes if is_whole else parts)[quantity].append((place, count_of(sized[1] or sized[2]) if sized else 0))
    for quantity, ((place, size), *others) in wholes.items():
        sizes = [part_size for _part, part_size in parts[quantity]]
        if len(sizes) > 1 and not others and size in (0, sum(sizes)) and min(sizes) > 0:
            inputs = tuple(columns[part] for part, _size in parts[quantity])
            says = f"the mean of {inputs[0].label} … {inputs[-1].label} weighted by {', '.join(map(str, sizes))}"
            weighted = partial(_weighted, [Fraction(size, sum(sizes)) for size in sizes])
            yield Trial(inputs, "weighted mean", says, weighted, None, True, (place,), sparse=True)


def _weighted(shares: Sequence[Any], *values: Value) -> Value:
    return total(*(value * share for value, share in zip(values, shares, strict=True)))


NORMAL = "end of a normal interval"
_Z = Fraction("1.96")
_FEW = 1000


def wilson(sign: int, share: Value, size: Value, z: Fraction = _Z) -> Value:
    """One end of Wilson's interval, at 95 percent unless another quantile is given."""
    square = z * z
    half = z * function("sqrt", (share - share * share + square / (4 * size)) / size)
    return (share + square / (2 * size) + sign * half) / (1 + square / size)


def intervals(columns: list[Column]) -> Iterator[Trial]:
    """Ends of intervals against an estimate with its error, and against a share or a count with its number of items."""
    ends = [(number, column) for number, column in enumerate(columns) if column.part in ("low", "high")]
    for (number, end), source, size in product(ends, columns, columns):
        sign = -1 if end.part == "low" else 1
        if source is size or {source.part, size.part} & {"low", "high"}:
            continue
        names = f"{source.label} {'+' if sign > 0 else '-'}"
        formulas: list[tuple[str, str, Callable[..., Value]]] = [
            (NORMAL, f"{names} 1.96 × {size.label}", lambda a, b, sign=sign: a + sign * _Z * b)
        ]
        if abs(source.place - size.place) <= 1:
            formulas.append(("end of an interval", f"{names} {size.label}", lambda a, b, sign=sign: a + sign * b))
        for whole, of_counts in product((1, 100), (False, True)):
            if size.whole and not (of_counts and not source.whole):
                scale = Fraction(1) if of_counts else Fraction(1, whole)
                says = f"Wilson's {end.part} end of {source.label} {'out of' if of_counts else 'over'} {size.label}"
                formulas.append(("Wilson's interval", says, partial(_end, sign, whole, scale, of_counts)))
        for kind, says, formula in formulas:
            yield Trial((source, size), kind, says, formula, None, True, (number,), is_linear=False)


def is_of_few(sheet: Sheet, columns: tuple[Column, ...], row: int) -> bool:
    """Whether a row has a small number of its own, and its interval the quantile of Student's t for that."""
    end, estimate, error = (column.facts[row] for column in columns)
    if end is None or estimate is None or error is None or error.low <= 0:
        return False
    sizes = {int(fact.value) for fact in sheet.across(row) if fact.exact and 1 < fact.value <= _FEW}
    width, slack = abs(end.value - estimate.value), (end.unit + estimate.unit) / 2
    least, most = max(width - slack, Fraction(0)) / error.high, (width + slack) / error.low
    for freedom in {size - lost for size in sizes for lost in range(4) if size > lost}:
        above, below = tail("t", least, freedom), tail("t", most, freedom)
        if above is not None and below is not None and below.low <= Fraction(1, 20) <= above.high:
            return True
    return False


def _end(sign: int, whole: int, scale: Fraction, counts: bool, a: Value, b: Value) -> Value:
    found = wilson(sign, a / b if counts else a * scale, b)
    return found if whole == 1 else found * whole


@dataclass(frozen=True)
class _Constant:
    """A formula with one constant that nobody prints."""

    kind: str
    says: str
    inverse: Callable[[Any, Any], Any]
    """The constant, from the result and its input."""
    formula: Callable[[Any, Any], Any]
    """The result, from the constant and the input."""
    named: re.Pattern[str]


_CONSTANTS = (
    _Constant(
        "multiple", "{c} × {0}", lambda b, a: b / a, lambda c, a: a * c, re.compile(r"cost|\$|price|total|tokens|%|×")
    ),
    _Constant(
        "inverse",
        "{c} / {0}",
        lambda b, a: b * a,
        lambda c, a: c / a,
        re.compile(r"/s\b|throughput|speed|fps|qps|per "),
    ),
    _Constant(
        "rest", "{c} - {0}", lambda b, a: b + a, lambda c, a: c - a, re.compile(r"\bf[np]\b|\bt[np]\b|remain|fail")
    ),
)


def with_constants(columns: list[Column]) -> tuple[list[Trial], int]:
    """Columns of which one is a constant times, over, or without the other, by the constant that most rows share; and
    how many were tried."""
    found, tried = [], 0
    places = np.array([column.place for column in columns])
    counts_only = [all(fact is None or fact.unit == 1 for fact in column.facts) for column in columns]
    stacked = Span(*(np.array([getattr(column, end) for column in columns]) for end in ("low", "high")))
    for shape, (number, target) in product(_CONSTANTS, enumerate(columns)):
        constants = shape.inverse(Span(target.low[None], target.high[None]), stacked)
        known = np.isfinite(constants.low) & np.isfinite(constants.high)
        inside = (constants.low[:, None, :] <= constants.low[:, :, None]) & (
            constants.low[:, :, None] <= constants.high[:, None, :]
        )
        counts = (inside & known[:, None, :] & known[:, :, None]).sum(axis=2)
        tried += int((known.sum(axis=1) > 2).sum()) - 1
        for source in range(len(columns)):
            best = int(counts[source].argmax())
            rows = inside[source, best] & known[source]
            behind = (target.part or columns[source].part) and columns[source].place != target.place
            if source == number or behind or rows.sum() < max(3, 0.7 * known[source].sum()):
                continue
            low, high = constants.low[source, best], constants.high[source][rows].min()
            constant = _simplest(low, high)
            counted = counts_only[number], counts_only[source]
            # Shares that nearly make up a whole, and counts that are nearly a third, are meant to be neither.
            is_loose = all(counted) != (shape.kind == "rest") or (counted[0] and constant.denominator > 1)
            if constant in (0, 1, 100) or low <= 0 <= high or is_loose:
                continue
            inputs, says = (columns[source],), shape.says.format(columns[source].label, c=f"{float(constant):.6g}")
            near = np.abs(places - places[source]) <= 2
            formula = partial(shape.formula, constant)
            found.append(
                Trial(inputs, shape.kind, says, formula, shape.named, near, (number,), near=False, is_fitted=True)
            )
    return found, max(tried, 0)


def _simplest(low: float, high: float) -> Fraction:
    """A number between two, with as few digits as possible."""
    middle = (low + high) / 2
    for digits in range(-6, 12):
        value = Fraction(round(Fraction(middle) * Fraction(10) ** digits)) / Fraction(10) ** digits
        if low <= value <= high:
            return value
    return Fraction(middle).limit_denominator(10**9)
