"""Regularities that nobody stated: what holds in nearly all rows of a table, far more often than chance would have it.

A row that breaks one is the finding. Which regularities are believed is decided by a bound on false discoveries
(docs/adr/0016-regularities.md): for each hypothesis the probability that unrelated numbers agree as often, times the
number of hypotheses tried, must stay below `FALSE_DISCOVERIES`. Headers only rank: hypotheses whose header names them
share one half of that allowance, all others the other half.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, pairwise, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Entry, Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, plain
from sealtrace.relations.search import search as decidable
from sealtrace.relations.syntax import Cell, Expression, Multiple, all_of, call, compare, equal, number
from sealtrace.relations.work import Work, time_is_up

FAMILY = "regularity"
FALSE_DISCOVERIES = 0.05
"""Expected number of regularities in a paper whose numbers have nothing to do with each other."""
MOST_COLUMNS = 36
LEAST_HOLDING = (3, 5, 5)
"""So many rows hold before another one is said to break it, by how little speaks for it: rows may differ in kind."""
MOST_EXCEPTIONS = (5, 5, 8)
"""One row in so many may break a regularity, by how little speaks for it; one may in any case."""
_MOST_AT_ONCE = 100_000
"""Comparisons of one batch, so that memory stays small."""
LEAST_RANKED = 4
LEAST_STEPPED = 5
MOST_ITEMS = 400
"""The largest number of items that is looked for behind a column of rates."""
_EXACT = 5
_CAP = 3
"""Of a column that only rises or falls, so many rows are evidence: smooth curves agree everywhere or nowhere."""
_UNUSUAL = re.compile(
    r"(?:std|sd|s\.d|st\.? ?dev|standard (?:deviation|error)|se|median|min|max|minimum|maximum|range|rank|p|p-value|"
    r"best|worst|geomean|ci|n|#)\b.*"
)

Floats = npt.NDArray[np.float64]
Ends = tuple[Floats, Floats]


@dataclass(frozen=True)
class Column:
    """The numbers of a column, or of one part of its cells, row by row."""

    place: int
    label: str
    facts: tuple[Fact | None, ...]
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    beside: Floats = field(default_factory=lambda: np.array(math.inf), repr=False)
    """For each row, over how wide a range the numbers of all columns lie."""

    @property
    def middle(self) -> Floats:
        """The printed values."""
        return (self.low + self.high) / 2

    @property
    def whole(self) -> bool:
        """Whether every number is a count."""
        return all(fact is None or fact.exact for fact in self.facts)


@dataclass(frozen=True)
class Pattern:
    """A function of one or two columns: over intervals, and as a formula."""

    name: str
    says: str
    inputs: int
    symmetric: bool
    value: Callable[..., Ends]
    formula: Callable[..., Expression]
    linear: bool
    named: re.Pattern[str]
    """Headers of a result that is called so."""


def _times(a: Ends, b: Ends) -> Ends:
    products = [x * y for x in a for y in b]
    return np.minimum.reduce(products), np.maximum.reduce(products)


def _over(a: Ends, b: Ends) -> Ends:
    straddles = (b[0] <= 0) & (b[1] >= 0)
    return _times(a, (np.where(straddles, np.nan, 1 / b[1]), np.where(straddles, np.nan, 1 / b[0])))


def _scaled(a: Ends, factor: float) -> Ends:
    return (a[0] * factor, a[1] * factor) if factor >= 0 else (a[1] * factor, a[0] * factor)


def _plus(a: Ends, b: Ends) -> Ends:
    return a[0] + b[0], a[1] + b[1]


def _root(a: Ends) -> Ends:
    return np.sqrt(a[0]), np.sqrt(a[1])


_ONE: Ends = (np.float64(1), np.float64(1))  # type: ignore[assignment]
_DIFFERENCE = re.compile(
    r"δ|\b(?:delta|diff\w*|gain|change|improv\w*|gap|drop|lift|margin|vs|increase|decrease|minus|did|jump)\b|"
    r"\S [-–−] \S"
)
_SUM = re.compile(r"\b(?:total|sum|all|overall|combined)\b")
_MEAN = re.compile(r"\b(?:mean|average|avg|overall|all|macro|midpoint)\b")
_RATIO = re.compile(r"\bratio|\brate\b|speed-?up|\bper\b|relative|\bt\b|\bz\b|share|fraction|normali|factor|%|×")
_REST = re.compile(r"^(?:1|100) ?[-–−]|\berror|fail|remain|complement|\brest\b|^(?:un|non|not )")

PATTERNS = (
    Pattern("sum", "{0} + {1}", 2, True, _plus, lambda a, b: a + b, True, _SUM),
    Pattern(
        "difference", "{0} - {1}", 2, False, lambda a, b: (a[0] - b[1], a[1] - b[0]), lambda a, b: a - b, True,
        _DIFFERENCE,
    ),
    Pattern(
        "mean", "the mean of {0} and {1}", 2, True, lambda a, b: _scaled(_plus(a, b), 0.5), lambda a, b: (a + b) / 2,
        True, _MEAN,
    ),
    Pattern("product", "{0} × {1}", 2, True, _times, lambda a, b: a * b, False, re.compile(r"product|score|×|total")),
    Pattern("ratio", "{0} / {1}", 2, False, _over, lambda a, b: a / b, False, _RATIO),
    Pattern(
        "percentage", "100 × {0} / {1}", 2, False, lambda a, b: _scaled(_over(a, b), 100),
        lambda a, b: 100 * a / b, False, _RATIO,
    ),
    Pattern(
        "relative change", "({0} - {1}) / {1} in percent", 2, False,
        lambda a, b: (_over(a, b)[0] * 100 - 100, _over(a, b)[1] * 100 - 100),
        lambda a, b: 100 * (a - b) / b, False, _DIFFERENCE,
    ),
    Pattern(
        "relative reduction", "({1} - {0}) / {1} in percent", 2, False,
        lambda a, b: (100 - _over(a, b)[1] * 100, 100 - _over(a, b)[0] * 100),
        lambda a, b: 100 * (b - a) / b, False, re.compile(r"reduc|sav|drop|less|fewer|decrease"),
    ),
    Pattern(
        "harmonic mean", "2 × {0} × {1} / ({0} + {1})", 2, True,
        lambda a, b: _scaled(_over(_ONE, _plus(_over(_ONE, a), _over(_ONE, b))), 2),
        lambda a, b: 2 / (1 / a + 1 / b), False, re.compile(r"\bf-?1|f-?score|harmonic"),
    ),
    Pattern(
        "standard error", "{0} / √{1}", 2, False, lambda a, b: _over(a, _root(b)), lambda a, b: a / call("sqrt", b),
        False, re.compile(r"\bs\.?e\.?m?\b|standard error"),
    ),
    Pattern("half", "{0} / 2", 1, False, lambda a: _scaled(a, 0.5), lambda a: a / 2, True, re.compile("half|expl")),
    Pattern("hundredfold", "100 × {0}", 1, False, lambda a: _scaled(a, 100), lambda a: 100 * a, True, re.compile("%")),
    Pattern(
        "logarithm of a change", "log(1 + {0} / 100)", 1, False,
        lambda a: (np.log1p(a[0] / 100), np.log1p(a[1] / 100)), lambda a: call("log", 1 + a / 100), False,
        re.compile(r"\blog|\bcoef|\bestimate|\batt\b|β"),
    ),
    Pattern("rest of one", "1 - {0}", 1, False, lambda a: (1 - a[1], 1 - a[0]), lambda a: 1 - a, True, _REST),
    Pattern("rest of 100", "100 - {0}", 1, False, lambda a: (100 - a[1], 100 - a[0]), lambda a: 100 - a, True, _REST),
)  # fmt: skip


@dataclass(frozen=True)
class Hypothesis:
    """What some rows of a sheet satisfy."""

    sheet: Sheet
    kind: str
    says: str
    result: Column
    inputs: tuple[Column, ...]
    build: Callable[[Sequence[Cell]], Expression]
    holds: tuple[int, ...]
    breaks: tuple[int, ...]
    surprise: float
    """Minus the decimal logarithm of the probability that unrelated numbers agree as often."""
    rank: int
    """How much speaks for trying it: 0 where header and position do, 1 where one of them does, 2 where neither."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns in it."""
        return (self.result, *self.inputs)


RANKS = 3
Build = Callable[[Sequence[Cell]], Expression]


def _applied(formula: Callable[..., Expression]) -> Build:
    return lambda cells: formula(*cells)


def _left_of(whole: int) -> Build:
    return lambda cells: whole - call("sum", *cells)


def _against(formula: Callable[[Expression, Expression], Expression], fact: Fact) -> Build:
    return lambda cells: formula(cells[0], Cell(fact))


def _shared(shares: Sequence[Fraction]) -> Build:
    return lambda cells: call("sum", *(cell * share for cell, share in zip(cells, shares, strict=True)))


@dataclass
class _Search:
    """What was tried, and what was found, over all tables of a paper."""

    found: list[Hypothesis] = field(default_factory=list)
    tried: list[int] = field(default_factory=lambda: [0] * RANKS)

    def believed(self) -> list[Hypothesis]:
        """The hypotheses within the bound on false discoveries, the most surprising first."""
        chosen = [one for one in self.found if self.chance(one) * RANKS <= FALSE_DISCOVERIES]
        return sorted(chosen, key=lambda one: (one.rank, -one.surprise, one.says))

    def sturdy(self, one: Hypothesis) -> bool:
        """Whether it would still be believed with one more wrong row: only then could an error be noticed by it."""
        rows, left = len(one.holds) + len(one.breaks), len(one.holds) - 1
        weaker = replace(one, surprise=one.surprise * left / len(one.holds) - math.log10(rows))
        enough = left >= max(LEAST_HOLDING[one.rank], 4 * ("rest" in one.kind)) and left > len(one.breaks) + 1
        return bool(one.breaks) or (enough and self.chance(weaker) * RANKS <= FALSE_DISCOVERIES)

    def chance(self, one: Hypothesis) -> float:
        """How many regularities as surprising as this one are expected by chance among those tried with it."""
        return float(max(self.tried[one.rank], 1) * 10.0 ** -min(one.surprise, 300))


@dataclass(frozen=True)
class Trial:
    """One value for each row, made of some columns, against which every other column is held."""

    inputs: tuple[int, ...]
    kind: str
    says: str
    build: Build
    value: Ends
    named: re.Pattern[str] | None
    """Headers that call a result so; None where no header is needed."""
    placed: npt.NDArray[np.bool_] | bool = False
    """Which columns stand where such a result would."""
    targets: Sequence[int] | None = None
    linear: bool = True
    near: bool = True
    """False where the result is a constant away from its input by hypothesis."""
    sparse: bool = False
    """Whether a zero among the inputs leaves a row telling."""
    without: tuple[int, ...] = ()
    """Rows that hold by construction."""


@dataclass(frozen=True)
class _Table:
    """The columns of a sheet under one reading of its integers, side by side for comparison."""

    sheet: Sheet
    columns: list[Column]
    lows: Floats
    highs: Floats
    search: _Search
    memory: dict[str, npt.NDArray[np.bool_]] = field(default_factory=dict)

    @classmethod
    def of(cls, sheet: Sheet, columns: list[Column], search_: _Search) -> _Table:
        lows, highs = np.array([one.low for one in columns]), np.array([one.high for one in columns])
        # Errors of floating point are small beside a number, its last digit, and the largest of its column.
        size = np.abs(lows) + np.abs(highs)
        slack = 1e-9 * size + 1e-6 * (highs - lows) + 1e-14 * np.nanmax(size, axis=1, keepdims=True)
        return cls(sheet, columns, lows - slack, highs + slack, search_)

    @cached_property
    def places(self) -> npt.NDArray[np.int_]:
        """Where the columns stand."""
        return np.array([one.place for one in self.columns])

    def called(self, named: re.Pattern[str] | None) -> npt.NDArray[np.bool_]:
        """Which columns have a header that names such a result."""
        key = "" if named is None else named.pattern
        if key not in self.memory:
            found = [named is None or named.search(plain(one.label)) is not None for one in self.columns]
            self.memory[key] = np.array(found, dtype=bool)
        return self.memory[key]

    def compare(self, trials: Iterable[Trial]) -> None:
        """Every other column against every trial; what nearly all rows satisfy is kept."""
        several = iter(trials)
        size = max(1, _MOST_AT_ONCE // max(1, self.lows.size))
        # What is divided by zero or has no root is nan, and fits nothing.
        with np.errstate(all="ignore"):
            while (batch := list(islice(several, size))) and not time_is_up():
                self._batch(batch)

    def _batch(self, trials: list[Trial]) -> None:
        low, high = (np.array([one.value[end] for one in trials]) for end in (0, 1))
        known = np.isfinite(low) & np.isfinite(high)
        open_ = np.ones((len(trials), len(self.columns)), dtype=bool)
        ranks = np.empty(open_.shape, dtype=int)
        for place, one in enumerate(trials):
            known[place, list(one.without)] = False
            open_[place, list(one.inputs)] = False
            if one.targets is not None:
                open_[place] &= np.isin(np.arange(len(self.columns)), one.targets)
            called = self.called(one.named)
            # How much speaks for each column: its header, and then its position, too.
            ranks[place] = 2 - called - (called & one.placed)
            if "mean" in one.kind:
                # A smooth sweep: every row is about the mean of its neighbours, and nobody means it to be.
                ends = self.places[list(one.inputs)]
                open_[place] &= (ranks[place] < 2) | (self.places < ends.min()) | (self.places > ends.max())
        fits = known[:, None] & (low[:, None] <= self.highs) & (high[:, None] >= self.lows)
        counts, totals = fits.sum(axis=2), (known[:, None] & np.isfinite(self.lows)).sum(axis=2)
        open_ &= totals > 1
        for rank, count in enumerate(np.bincount(ranks[open_], minlength=RANKS)):
            self.search.tried[rank] += int(count)
        allowed = np.maximum(1, totals // MOST_EXCEPTIONS[0]) + 3
        kept = open_ & (counts >= np.where(ranks == 0, 2, 3)) & (totals - counts <= allowed)
        for place, target in np.argwhere(kept):
            self._keep(
                trials[place], self.columns[target], fits[place, target], known[place], int(ranks[place, target])
            )

    def _keep(
        self, trial: Trial, result: Column, fits: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_], rank: int
    ) -> None:
        holds = np.flatnonzero(fits)
        failing = np.flatnonzero(known & np.isfinite(result.low) & ~fits)
        breaks = [row for row in failing if _comparable(self.sheet, result, int(row), holds, trial.linear)]
        if "mean" in trial.kind:
            chosen = [self.columns[one] for one in trial.inputs]
            breaks = [row for row in breaks if not _no_mean(self.sheet, result, chosen, int(row))]
        most = max(2, (len(holds) + len(breaks)) // MOST_EXCEPTIONS[rank])
        if len(breaks) > most or len(breaks) >= len(holds) or (breaks and "rest" in trial.kind and len(holds) < 4):
            return
        inputs = tuple(self.columns[one] for one in trial.inputs)
        surprise = surprise_of(result, trial.value, inputs if trial.near else (), fits, sparse=trial.sparse)
        surprise -= math.log10(math.comb(len(holds) + len(breaks), len(breaks)))
        if surprise >= -math.log10(FALSE_DISCOVERIES):
            says = f"{result.label} = {trial.says}" if "sum to" not in trial.says else trial.says
            rows = tuple(map(int, holds)), tuple(map(int, breaks))
            self.search.found.append(
                Hypothesis(self.sheet, trial.kind, says, result, inputs, trial.build, *rows, surprise, rank)
            )


def search(paper: Paper) -> tuple[list[Hypothesis], _Search]:
    """Every believed regularity of a paper."""
    found = _Search()
    for sheet in paper.both_ways:
        columns = columns_of(sheet)
        if len(columns) < 2:
            continue
        table = _Table.of(sheet, [rounded(column) for column in columns], found)
        table.compare(_patterned(table))
        if len(columns) > 2:
            if any(one.whole for one in columns):
                counts = _Table.of(sheet, columns, found)
                counts.compare(_blocked(counts, exact=True))
            table.compare(_blocked(table, exact=False))
        table.compare(_against_rows(table, columns))
        table.compare(_by_sizes(table, columns))
    believed = [one for one in found.believed() if _few(one) or _swapped(one)]
    return _distinct(believed), found


def _few(one: Hypothesis) -> bool:
    few = len(one.breaks) <= max(1, (len(one.holds) + len(one.breaks)) // MOST_EXCEPTIONS[one.rank])
    return few and (not one.breaks or len(one.holds) >= LEAST_HOLDING[one.rank])


def _swapped(one: Hypothesis) -> bool:
    """Whether the two rows that break it would hold if two cells of one column changed places."""
    if len(one.breaks) != 2:
        return False
    first, second = one.breaks
    for place in range(len(one.columns)):
        repaired = []
        for row, other in ((first, second), (second, first)):
            facts = [column.facts[other if number == place else row] for number, column in enumerate(one.columns)]
            cells = [Cell(replace(fact, address=f"{number}")) for number, fact in enumerate(facts) if fact is not None]
            formula = equal(cells[0], one.build(cells[1:])) if len(cells) == len(facts) else None
            repaired.append(formula is not None and decidable(formula, Work(20_000)).status == "possible")
        if all(repaired):
            return True
    return False


def columns_of(sheet: Sheet) -> list[Column]:
    """The columns of a sheet; those whose cells have several numbers as one for each part."""
    found = []
    for place in sheet.numeric_columns():
        entries = _of_one_kind([sheet.entry(row, place) for row in range(len(sheet.rows))])
        names = dict.fromkeys(fact.part for entry in entries if entry is not None for fact in entry.facts)
        for name in list(names)[:6]:
            facts = tuple(
                next((fact for fact in entry.facts if fact.part == name), None) if entry is not None else None
                for entry in entries
            )
            if sum(fact is not None for fact in facts) > 1:
                label = sheet.columns[place].label
                found.append(_column(place, f"{label}.{name}" if name else label, facts))
    kept = found[:MOST_COLUMNS]
    values = np.array([one.middle for one in kept]) if kept else np.zeros((0, 0))
    beside = np.array([_spread(values[:, row]) for row in range(values.shape[1])])
    return [replace(one, beside=beside) for one in kept]


def _of_one_kind(entries: list[Entry | None]) -> list[Entry | None]:
    """The cells of a column without the fewer ones that are in percent, or are not, where it has both."""
    percent = [entry is not None and "%" in entry.text for entry in entries]
    told = sum(entry is not None and bool(entry.facts) for entry in entries)
    usual = 2 * sum(percent) > told
    return [entry if kind == usual else None for entry, kind in zip(entries, percent, strict=True)]


def _column(place: int, label: str, facts: tuple[Fact | None, ...]) -> Column:
    low = np.array([math.nan if fact is None else float(fact.low) for fact in facts])
    high = np.array([math.nan if fact is None else float(fact.high) for fact in facts])
    return Column(place, label, facts, low, high)


def rounded(column: Column) -> Column:
    """The column with its integers read as rounded."""
    if not any(fact is not None and fact.exact for fact in column.facts):
        return column
    facts = tuple(None if fact is None else fact.rounded() for fact in column.facts)
    return replace(_column(column.place, column.label, facts), beside=column.beside)


# Chance


def _spread(values: Floats) -> float:
    """Over how wide a range unrelated values would lie: of evenly spread ones, their range; robust against outliers."""
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return 0.0
    gaps = np.abs(known[:, None] - known[None, :])[np.triu_indices(len(known), 1)]
    return 3.4 * float(np.median(gaps))


def surprise_of(
    result: Column, value: Ends, inputs: Sequence[Column], fits: npt.NDArray[np.bool_], *, sparse: bool = False
) -> float:
    """How surprising it is that so many rows fit: minus the decimal logarithm of its probability.

    In one row it is the share of the range of the result that would fit as well. That range is the narrowest of the
    result's own, of that of its row, and of its distances from each input: a column that is always near another one is
    no news near it, and what holds for a metric that hardly varies is none either. Rows in which a simpler thing is
    true (the result equals an input, or something is zero) count nothing.
    """
    middle = result.middle
    scales = [_spread(middle)] + [_spread(middle - one.middle) for one in inputs]
    scale = np.minimum(min(scales), result.beside)
    if not np.any(scale > 0):
        return 0.0
    width = (value[1] - value[0]) + (result.high - result.low)
    simple = middle == 0
    for one in inputs:
        simple |= (one.low <= result.high) & (one.high >= result.low)
        if not sparse:
            simple |= one.middle == 0
    unit = np.array([math.nan if fact is None else float(fact.unit) for fact in result.facts])
    share = np.minimum(1.0, np.maximum(width, unit) / np.maximum(scale, unit))
    digits = np.where(simple | ~fits, 0.0, -np.log10(share))
    seen: set[tuple[float, ...]] = set()
    for row in np.flatnonzero(fits):
        # The same numbers once more (a mean that is the median, the least and the greatest, too) are no news.
        numbers = (float(middle[row]), *(float(one.middle[row]) for one in inputs))
        digits[row] *= numbers not in seen
        seen.add(numbers)
    digits = np.sort(digits[np.isfinite(digits)])[::-1]
    known = middle[np.isfinite(middle)]
    steps = np.diff(known)
    if len(known) > 2 and (np.all(steps >= 0) or np.all(steps <= 0)):
        digits = digits[:_CAP]
    return float(digits.sum())


def _comparable(sheet: Sheet, result: Column, row: int, holds: npt.NDArray[np.intp], linear: bool) -> bool:
    """Whether a row that does not fit is one of those that do: no summary, and printed in the same way."""
    line = sheet.rows[row]
    names = [plain(text) for text in (line.first, line.label) if text]
    if any(_UNUSUAL.fullmatch(name) or (not linear and SUMMARY.fullmatch(name)) for name in names):
        return False
    fact = result.facts[row]
    formats = {_format(result.facts[one]) for one in holds}
    return fact is not None and (not sheet.is_turned or _format(fact) in formats)


_ASYMMETRIC = re.compile(r"bootstrap|permut|randomi[sz]|profile|exact|credible|posterior|percentile|likelihood|odds")


def _no_mean(sheet: Sheet, result: Column, inputs: list[Column], row: int) -> bool:
    """Whether a row of means is of another kind: counts, which add up, or an interval that need not be symmetric."""
    label = plain(f"{sheet.rows[row].label} {sheet.rows[row].first}")
    ends = all(one.label.endswith((".low", ".high")) for one in inputs)
    low, high = (sum(getattr(one, end)[row] for one in inputs) for end in ("low", "high"))
    adds_up = bool(low <= result.high[row] and high >= result.low[row])
    return adds_up or (ends and _ASYMMETRIC.search(label) is not None)


def _format(fact: Fact | None) -> tuple[int, bool]:
    text = "" if fact is None else fact.text
    return len(text.partition(".")[2]), "e" in text


# What is tried


def _patterned(table: _Table) -> Iterator[Trial]:
    """Every pattern of every one or two columns, against every other column."""
    ends, labels, places = (
        [(one.low, one.high) for one in table.columns],
        [one.label for one in table.columns],
        table.places,
    )
    for pattern in PATTERNS:
        for inputs in _choices(len(ends), pattern):
            own = places[list(inputs)]
            beside = np.maximum(places, own.max()) - np.minimum(places, own.min()) <= len(inputs)
            yield Trial(
                inputs, pattern.name, pattern.says.format(*(labels[one] for one in inputs)), _applied(pattern.formula),
                pattern.value(*(ends[one] for one in inputs)), pattern.named, beside, linear=pattern.linear,
            )  # fmt: skip


def _choices(size: int, pattern: Pattern) -> Iterator[tuple[int, ...]]:
    if pattern.inputs == 1:
        return ((one,) for one in range(size))
    return combinations(range(size), 2) if pattern.symmetric else permutations(range(size), 2)


def _blocked(table: _Table, *, exact: bool) -> Iterator[Trial]:
    """Sums and means of neighbouring columns, or of every second, third or fourth one, of any width."""
    columns = table.columns
    for stride, start in product((1, 2, 3, 4), range(len(columns))):
        total: Ends = (np.zeros(table.lows.shape[1]), np.zeros(table.lows.shape[1]))
        block: tuple[int, ...] = ()
        for place in range(start, len(columns), stride):
            if exact and not columns[place].whole:
                break
            block = (*block, place)
            total = _plus(total, (columns[place].low, columns[place].high))
            if len(block) > 1:
                yield from _block(table, block, total, contiguous=stride == 1)


def _block(table: _Table, block: tuple[int, ...], total: Ends, *, contiguous: bool) -> Iterator[Trial]:
    labels = [table.columns[one].label for one in block]
    names = f"{labels[0]} … {labels[-1]}" if len(block) > 2 else " and ".join(labels)
    placed = contiguous and len(table.columns) - len(block) <= 2
    if len(block) > 2 or not contiguous:
        build: Build = lambda cells: call("sum", *cells)  # noqa: E731
        yield Trial(block, "sum", f"the sum of {names}", build, total, _SUM, placed, sparse=True)
    mean = _scaled(total, 1 / len(block))
    build = lambda cells: call("mean", *cells)  # noqa: E731
    yield Trial(block, "mean", f"the mean of {names}", build, mean, _MEAN, placed, sparse=True)
    own = table.columns[block[-1]]
    for whole in (1, 100) if contiguous else ():
        # Parts of a whole: the last part is what the others leave.
        rest = whole - (total[1] - own.high), whole - (total[0] - own.low)
        yield Trial(block[:-1], "parts of a whole", f"{names} sum to {whole}", _left_of(whole), rest, None,
                    targets=(block[-1],), sparse=True)  # fmt: skip


_AGAINST: tuple[tuple[str, str, Callable[[Ends, float], Ends], Callable[[Expression, Expression], Expression]], ...] = (
    ("difference to a row", "{0} - {1}", lambda a, r: (a[0] - r, a[1] - r), lambda a, r: a - r),
    ("difference to a row", "{1} - {0}", lambda a, r: (r - a[1], r - a[0]), lambda a, r: r - a),
    ("ratio to a row", "{0} / {1}", lambda a, r: _scaled(a, 1 / r), lambda a, r: a / r),
    ("ratio to a row", "{1} / {0}", lambda a, r: _scaled(_over(_ONE, a), r), lambda a, r: r / a),
    ("change to a row", "({0} / {1} - 1) in percent", lambda a, r: (a[0] * 100 / r - 100, a[1] * 100 / r - 100),
     lambda a, r: 100 * (a - r) / r),
    ("reduction to a row", "(1 - {0} / {1}) in percent", lambda a, r: (100 - a[1] * 100 / r, 100 - a[0] * 100 / r),
     lambda a, r: 100 * (r - a) / r),
    ("share of a row", "100 × {0} / {1}", lambda a, r: _scaled(a, 100 / r), lambda a, r: 100 * a / r),
)  # fmt: skip


def _against_rows(table: _Table, columns: list[Column]) -> Iterator[Trial]:
    """A column against another one's value in one row: the first, the last, or where the column itself is silent."""
    rows = len(table.sheet.rows)
    silent = [
        [row for row in range(rows) if one.facts[row] is None or one.middle[row] in (0, 1, 100)] for one in columns
    ]
    # What stands behind a number in its cell (an error, a change) speaks of that number, and not of another column's.
    behind = [number > 0 and one.place == columns[number - 1].place for number, one in enumerate(columns)]
    for (place, source), row in product(enumerate(table.columns), range(rows)):
        fact = source.facts[row]
        targets = [
            one
            for one in range(len(columns))
            if (row in silent[one][:3] or row in (0, rows - 1))
            and not (behind[one] and columns[one].place != source.place)
        ]
        if fact is None or not fact.value or not targets:
            continue
        placed = np.array([row in one for one in silent]) & (np.abs(table.places - source.place) == 1)
        for kind, says, value, formula in _AGAINST:
            if "/" in says and fact.low <= 0:
                continue
            ends = [value((source.low, source.high), float(one)) for one in (fact.low, fact.high)]
            both = np.minimum(ends[0][0], ends[1][0]), np.maximum(ends[0][1], ends[1][1])
            named = _DIFFERENCE if "difference" in kind or "ch" in kind or "red" in kind else _RATIO
            yield Trial(
                (place,), kind, says.format(source.label, f"{source.label} of {table.sheet.rows[row].label}"),
                _against(formula, fact), both, named, placed, targets, near=False, without=(row,),
            )  # fmt: skip


def _by_sizes(table: _Table, columns: list[Column]) -> Iterator[Trial]:
    """A column as the mean of all neighbours before or behind it, weighted by a row of counts."""
    for (row, line), place in product(enumerate(table.sheet.rows), range(len(columns))):
        for block in (tuple(range(place)), tuple(range(place + 1, len(columns)))):
            counts = [
                fact for one in block if (fact := columns[one].facts[row]) is not None and fact.exact and fact.value > 0
            ]
            if len(block) < 2 or len(counts) < len(block) or len({fact.value for fact in counts}) == 1:
                continue
            whole = sum(fact.value for fact in counts)
            shares = [fact.value / whole for fact in counts]
            weights = np.array([float(share) for share in shares])[:, None]
            chosen = [table.columns[one] for one in block]
            ends = (weights * [one.low for one in chosen]).sum(0), (weights * [one.high for one in chosen]).sum(0)
            says = f"the mean of {chosen[0].label} … {chosen[-1].label} weighted by {line.label}"
            yield Trial(block, "weighted mean", says, _shared(shares), ends, _MEAN, True, (place,),
                        sparse=True, without=(row,))  # fmt: skip


# What follows


def _distinct(found: list[Hypothesis]) -> list[Hypothesis]:
    """One hypothesis for each set of columns, and of those that explain one column in one way the best."""

    def worth(one: Hypothesis) -> tuple[int, int, float]:
        # Counts that add up to the last digit in five rows are no rounded numbers.
        exact = all(column.whole for column in one.columns) and len(one.holds) >= _EXACT
        return (0 if exact else len(one.breaks), one.rank, -one.surprise)

    seen: set[tuple[Any, ...]] = set()
    kept = []
    for one in sorted(found, key=worth):
        table = (id(one.sheet.record), one.sheet.is_turned)
        same = (*table, frozenset((column.place, column.label) for column in one.columns))
        alike = (*table, one.kind, one.result.place, one.result.label)
        if not {same, alike} & seen:
            kept.append(one)
        seen |= {same, alike}
    return sorted(kept, key=lambda one: (one.rank, -one.surprise))


def find(paper: Paper) -> Iterator[Claim]:
    """Every row of every believed regularity."""
    found, searched = search(paper)
    blamed: set[tuple[str, frozenset[str]]] = set()
    for one in found:
        chance = searched.chance(one)
        rows = len(one.holds) + len(one.breaks)
        noun = "columns" if one.sheet.is_turned else "rows"
        evidence = f"{one.says} in {len(one.holds)} of {rows} {noun}"
        for row in sorted((*one.holds, *one.breaks)):
            facts = [fact for column in one.columns if (fact := column.facts[row]) is not None]
            addresses = frozenset(_bare(fact) for fact in facts)
            if row in one.breaks:
                # One wrong cell breaks everything that speaks of it; the strongest regularity says so.
                if _explained(one, row, searched.found) or any(
                    label == one.sheet.label and addresses & earlier for label, earlier in blamed
                ):
                    continue
                blamed.add((one.sheet.label, addresses))
            yield Claim(
                f"{FAMILY} {one.kind} {facts[0].address}",
                equal(Cell(facts[0]), one.build([Cell(fact) for fact in facts[1:]])),
                f"{one.says}, also for {one.sheet.rows[row].label!r}.",
                one.sheet.place(f"{noun} of the table"),
                (f"What holds in {len(one.holds)} {noun} is meant in this one, too.",),
                question=f"How is {facts[0].text} computed?",
                family=FAMILY,
                evidence=f"{evidence}; unrelated numbers would do so in fewer than {_odds(chance)}",
                chance=min(1.0, chance),
                telling=searched.sturdy(one),
            )
    for sheet in paper.both_ways:
        columns = columns_of(sheet)
        if not time_is_up():
            yield from _ranked(sheet, columns)
            yield from _stepped(sheet, columns)


_NO_RATE = re.compile(
    rf"{RELATIVE.pattern}|\b(?:[pqrtzf]|p-?(?:adj\w*|val\w*)|q-?val\w*|pr|sig\w*|prob\w*|corr\w*|[ρτκα]|s\.?[de]\.?|std|auc\w*)\b",
    re.IGNORECASE,
)
_RANK = re.compile(r"\b(?:rank(?:ing)?|place|position|pos)\b|^#$")


def _ranked(sheet: Sheet, columns: list[Column]) -> Iterator[Claim]:
    """A column of ranks and the one that it ranks: read in the order of the ranks, that one rises or falls."""
    for ranks in (one for one in columns if _RANK.search(plain(one.label)) and one.whole):
        rows = [row for row, fact in enumerate(ranks.facts) if fact is not None]
        rows.sort(key=lambda row: ranks.middle[row])
        places = ranks.middle[rows]
        if len(rows) < LEAST_RANKED or len(set(places)) < len(rows) - 1 or min(places) != 1:
            continue
        best: tuple[int, list[Claim]] = (2, [])
        for other, falls in product((one for one in columns if one.place != ranks.place), (True, False)):
            facts = [other.facts[row] for row in rows]
            pairs = [(a, b) for a, b in pairwise(facts) if a is not None and b is not None]
            wrong = sum((a.value < b.value) if falls else (a.value > b.value) for a, b in pairs)
            if (
                len(pairs) < len(rows) - 1
                or len({fact.value for fact in facts if fact}) < len(rows) - 1
                or wrong >= best[0]
            ):
                continue
            chance = 2 * len(columns) * len(pairs) ** wrong / math.factorial(len(rows))
            best = (wrong, [])
            for place, (a, b) in enumerate(pairs) if chance < FALSE_DISCOVERIES else ():
                own = [ranks.facts[rows[one]] for one in (place, place + 1)]
                formula = compare(Cell(a), ">=" if falls else "<=", Cell(b))
                known = [equal(Cell(fact), fact.value) for fact in own if fact is not None]
                texts = " and ".join(fact.text for fact in own if fact is not None)
                best[1].append(Claim(
                    f"{FAMILY} rank {a.address} {b.address}", all_of(formula, *known),
                    f"{ranks.label} {texts} are of {other.label} {a.text} and {b.text}.",
                    sheet.place(f"column {ranks.label!r}"),
                    (f"{ranks.label} ranks {other.label}.",), question=f"How is {texts} ranked?", family=FAMILY,
                    evidence=f"{ranks.label} ranks {other.label} in {len(pairs) - wrong} of {len(pairs)} steps",
                    chance=min(1.0, chance), telling=bool(wrong) or chance * len(pairs) < FALSE_DISCOVERIES,
                ))  # fmt: skip
        yield from best[1]


def _stepped(sheet: Sheet, columns: list[Column]) -> Iterator[Claim]:
    """Rates of one unknown number of items: all are whole multiples of one step, which nobody printed."""
    for column in columns:
        facts = [fact for fact in column.facts if fact is not None]
        texts = [sheet.entry(row, column.place) for row, fact in enumerate(column.facts) if fact is not None]
        whole = 100 if any(abs(fact.value) > 1 for fact in facts) else 1
        percent = whole == 1 or "%" in column.label or all(one is not None and "%" in one.text for one in texts)
        inside = all(0 <= fact.value <= whole and fact.unit < Fraction(whole, 100) for fact in facts)
        values = {fact.value for fact in facts}
        if len(values) < LEAST_STEPPED or not inside or not percent or _NO_RATE.search(plain(column.label)):
            continue
        unit = max(fact.unit for fact in facts)
        # A step that divides a thousand is one of the decimal system: rates of banks go by halves of a point.
        sizes = [size for size in range(3, min(MOST_ITEMS, int(whole / unit / 2))) if 1000 % size]
        low, high = (
            np.array([[float(end) / whole for end in ends]])
            for ends in zip(*((one.low, one.high) for one in facts), strict=True)
        )
        steps, slack = np.array(sizes, dtype=float)[:, None], 1e-6 * float(min(fact.unit for fact in facts)) / whole
        outside = (np.ceil((low - slack) * steps) / steps > high + slack).sum(axis=1) if sizes else []
        for size, wrong in zip(sizes, map(int, outside), strict=True):
            if wrong > max(1, len(facts) // MOST_EXCEPTIONS[-1]) or wrong >= len(values):
                continue
            step, share = Fraction(whole, size), float(size * unit / whole)
            chance, once_more = (
                size * len(columns) * math.comb(len(values), one) * share ** (len(values) - one)
                for one in (wrong, wrong + 1)
            )
            if chance > FALSE_DISCOVERIES / 10:
                continue
            if wrong and len(values) < MOST_EXCEPTIONS[-1]:
                # Rates over few and different numbers fit some step by turns.
                break
            for fact in facts:
                yield Claim(
                    f"{FAMILY} step {fact.address}", Multiple(Cell(fact), number(step)),
                    f"{fact.text} is a whole number out of {size}, as the others of {column.label!r} are.",
                    sheet.place(f"column {column.label!r}"), (f"All of the column is over {size} items.",),
                    question=f"Over how many items is {fact.text}?", family=FAMILY,
                    evidence=f"{len(facts) - wrong} of {len(facts)} are multiples of 1/{size}",
                    chance=min(1.0, chance), telling=bool(wrong) or once_more <= FALSE_DISCOVERIES / 10,
                )  # fmt: skip
            break


def _explained(one: Hypothesis, row: int, found: list[Hypothesis]) -> bool:
    """Whether something else, or more, that was found of the same columns holds in all rows, also in this one."""
    own = {(column.place, column.label) for column in one.columns}
    return any(
        other.sheet.record is one.sheet.record
        and other.sheet.is_turned == one.sheet.is_turned
        and not other.breaks
        and row in other.holds
        and own <= {(column.place, column.label) for column in other.columns}
        for other in found
    )


def _bare(fact: Fact) -> str:
    return fact.address.removeprefix("rounded(").removesuffix(")")


def _odds(chance: float) -> str:
    return "one table in a million" if chance < 1e-6 else f"one table in {max(1, int(1 / chance)):,}"
