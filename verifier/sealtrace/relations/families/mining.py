"""Regularities that nobody stated: what holds in nearly all rows of a table, far more often than chance would have it.

Which ones are believed is decided by a bound on false discoveries (docs/adr/0016-regularities.md): for each hypothesis
the probability that unrelated numbers agree as often, times the number of hypotheses tried, must stay below
`FALSE_DISCOVERIES`. Headers only rank: hypotheses of each rank share a quarter of that allowance.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from sealtrace.paper.fact import Fact
from sealtrace.relations.families.columns import FactColumn, Span, columns_of, total
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.sums import OVERLAPPING, POOLED
from sealtrace.relations.families.surprise import FALSE_DISCOVERIES, LEAST_SURPRISE, surprise_of
from sealtrace.relations.families.trials import (
    Booleans,
    Trial,
    against_rows,
    blocked,
    by_order,
    patterned,
)
from sealtrace.relations.families.wording import SUMMARY, plain
from sealtrace.relations.syntax import Formula, equal
from sealtrace.relations.work import time_is_up

RANKS = 4
_NAMED_RANKS = 2
LEAST_HOLDING = (2, 3, 4, 5)
"""So many rows hold before another one is said to break it, by how little speaks for it: rows may differ in kind."""
MOST_EXCEPTIONS = (5, 8, 12, 16)
"""One row in so many may break a regularity, by how little speaks for it; one may in any case."""
_LEAST_RESTS = 4
_MOST_AT_ONCE = 100_000
"""Comparisons of one batch, so that memory stays small."""
_EXACT = 5
_UNUSUAL = re.compile(
    r"(?:std|sd|s\.d|st\.? ?dev|standard (?:deviation|error)|se|median|min|max|minimum|maximum|range|rank|p|p-value|"
    r"best|worst|geomean|ci|n|#)\b.*"
)
_AVERAGED = re.compile(
    rf"^{SUMMARY.pattern}$|\b(?:macro|micro|weighted|average|avg|mean|overall|(?:sub)?total)\b", re.I
)
"""Rows of means, of which what is no sum of numbers need not hold: the macro F1 is no harmonic mean."""
_RARE = ("logarithm of a change", "ratio to the row above")
"""What holds by accident more often than it is meant: only where a header says so."""
_OF_ONE_KIND = ("sum", "mean", "weighted mean", "parts of a whole")
_FOOTNOTE = re.compile(r"\d\W*\^\W?[a-z]\b|[†‡§¶]")
_OF_RATES = re.compile(r"\b(?:mean|average|avg|macro)\b")
_QUANTILE = re.compile(
    r"\bq[1-5]\b|quartile|quantile|quintile|tercile|percentile|\bp\d\d\b|\bm(?:in|ax)(?:imum)?\b|best|worst"
)
_ASYMMETRIC = re.compile(r"bootstrap|permut|randomi[sz]|profile|exact|credible|posterior|percentile|likelihood|odds")


CONVINCING = 5
"""With so many rows that hold any other is suspect; with fewer only what looks like a slip."""


@dataclass(frozen=True)
class Hypothesis:
    """What some rows of a sheet satisfy."""

    sheet: Sheet
    kind: str
    says: str
    columns: tuple[FactColumn, ...]
    """The result, and what it is computed from."""
    formula: Callable[..., Any]
    holds: tuple[int, ...]
    breaks: tuple[int, ...]
    surprise: float
    """Minus the decimal logarithm of the probability that unrelated numbers agree as often."""
    rank: int
    """What speaks for trying it: 0 header and position, 1 the header, 2 the position, 3 neither."""

    def equation(self, row: int) -> Formula:
        """What it says of a row."""
        result, *inputs = (column.expression(row) for column in self.columns)
        return equal(result, self.formula(*inputs))

    def facts(self, row: int) -> list[Fact]:
        """The numbers that it speaks of in a row, the result first."""
        return [fact for column in self.columns for fact in column.members[row]]

    @property
    def keys(self) -> frozenset[tuple[int, str]]:
        """The columns that it speaks of."""
        return frozenset(column.key for column in self.columns)

    @property
    def places(self) -> frozenset[tuple[int, str]]:
        """Where they stand, and in which part of their cells: a row of a column is that column's."""
        return frozenset((column.place, column.part) for column in self.columns)

    @property
    def table(self) -> tuple[int, bool]:
        """The table that it is of, as printed or turned."""
        return id(self.sheet.table), self.sheet.is_turned

    @property
    def least(self) -> int:
        """So many rows hold before another one is said to break it."""
        return max(LEAST_HOLDING[self.rank], _LEAST_RESTS * ("rest" in self.kind))

    def has_few_exceptions(self) -> bool:
        """Whether so few rows break it, or two whose cells changed places, that they may be errors."""
        wrong, rows = len(self.breaks), len(self.holds) + len(self.breaks)
        few = wrong <= max(1, rows // MOST_EXCEPTIONS[self.rank]) and len(self.holds) >= self.least
        return not wrong or few or self._is_swapped()

    def is_suspect(self, row: int) -> bool:
        """Whether a row that breaks it is an error rather than another thing: there is much that it breaks, or one
        other digit of one number would repair it, or one of its numbers stands in the next row, too."""
        if len(self.holds) >= CONVINCING or self._is_swapped():
            return True
        for place, column in enumerate(self.columns):
            fact, beside = column.facts[row], (*column.facts[max(row - 1, 0) : row], *column.facts[row + 1 : row + 2])
            if fact is None:
                continue
            moved = column.at([row]) + np.array([0.0, *_other_digits(fact)])
            repeated = any(other is not None and other.value == fact.value for other in beside)
            if repeated or np.any(self._fits([row], place, moved)):
                return True
        return False

    def _is_swapped(self) -> bool:
        """Whether the two rows that break it would hold if two cells of one column changed places."""
        rows = list(self.breaks)
        return len(rows) == 2 and any(
            None not in (column.facts[rows[0]], column.facts[rows[1]])
            and bool(np.all(self._fits(rows, place, column.at(rows[::-1]))))
            for place, column in enumerate(self.columns)
        )

    def _fits(self, rows: list[int], place: int, moved: Span) -> Booleans:
        """In which rows it would hold if one of its columns had other values there."""
        values = [moved if number == place else column.at(rows) for number, column in enumerate(self.columns)]
        with np.errstate(all="ignore"):
            return values[0].touches(self.formula(*values[1:]))


def _other_digits(fact: Fact) -> Iterator[float]:
    """By how much a number moves if one of its digits is another one."""
    digits = [character for character in fact.text if character.isdecimal()]
    sign = -1 if fact.value < 0 else 1
    for power, digit in enumerate(reversed(digits)):
        for other in range(10):
            if other != int(digit):
                yield sign * (other - int(digit)) * float(fact.unit) * 10.0**power


def among(sheet: Sheet, rank: int) -> tuple[int, int]:
    """What a hypothesis is counted with: those of its table where a header speaks for it, else those of the paper."""
    return rank, id(sheet.table) if rank < _NAMED_RANKS else 0


@dataclass
class Mine:
    """What was tried, and what was found, over all tables of a paper."""

    found: list[Hypothesis] = field(default_factory=list)
    tried: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How many hypotheses, by their rank and, where a header speaks for them, by their table."""

    @classmethod
    def of(cls, paper: AuditedPaper) -> Mine:
        """Everything that is tried of a paper."""
        mine = cls()
        for sheet in paper.both_ways:
            counted = columns_of(sheet)
            rounded = [column.rounded() for column in counted]
            if len(counted) < 2:
                continue
            exact = _MinedTable(sheet, counted, mine)
            exact.compare(trial for trial in patterned(counted) if any(column.whole for column in trial.inputs))
            exact.compare(blocked(counted, exact=True))
            table = _MinedTable(sheet, rounded, mine)
            table.compare(patterned(rounded))
            table.compare(blocked(rounded, exact=False))
            table.compare(against_rows(sheet, rounded))
            table.compare(by_order(sheet, rounded))
        return mine

    def believed(self) -> list[Hypothesis]:
        """The hypotheses within the bound on false discoveries, the most surprising first: one for each set of columns,
        and of those that explain one column in one way the best."""

        def worth(hypothesis: Hypothesis) -> tuple[object, ...]:
            # Counts that add up to the last digit in five rows are no rounded numbers.
            exact = all(column.whole for column in hypothesis.columns) and len(hypothesis.holds) >= _EXACT
            return (0 if exact else len(hypothesis.breaks), hypothesis.rank, -hypothesis.surprise, hypothesis.says)

        chosen = [
            hypothesis for hypothesis in self.found if self._within(hypothesis) and hypothesis.has_few_exceptions()
        ]
        seen: set[tuple[object, ...]] = set()
        kept = []
        for hypothesis in sorted(chosen, key=worth):
            names = {
                (*hypothesis.table, hypothesis.keys),
                (*hypothesis.table, hypothesis.kind, hypothesis.columns[0].key),
            }
            if not names & seen:
                kept.append(hypothesis)
            seen |= names
        return sorted(kept, key=lambda hypothesis: (hypothesis.rank, -hypothesis.surprise))

    def sturdy(self, hypothesis: Hypothesis) -> bool:
        """Whether it would still be believed with one more wrong row: only then could an error be noticed by it."""
        rows, left = len(hypothesis.holds) + len(hypothesis.breaks), len(hypothesis.holds) - 1
        weaker = replace(hypothesis, surprise=hypothesis.surprise * left / len(hypothesis.holds) - math.log10(rows))
        return bool(hypothesis.breaks) or (left >= hypothesis.least and self._within(weaker))

    def chance(self, hypothesis: Hypothesis) -> float:
        """How many regularities as surprising as this one are expected by chance among those tried with it."""
        tried = self.tried[among(hypothesis.sheet, hypothesis.rank)]
        return float(max(tried, 1) * 10.0 ** -min(hypothesis.surprise, 300))

    def _within(self, hypothesis: Hypothesis) -> bool:
        return self.chance(hypothesis) * RANKS <= FALSE_DISCOVERIES

    def explained(self, hypothesis: Hypothesis, row: int) -> bool:
        """Whether something else, or more, that was found of the same columns holds in all rows, also in this one."""
        return any(
            other.table == hypothesis.table
            and not other.breaks
            and row in other.holds
            and hypothesis.places <= other.places
            for other in self.found
        )


@dataclass(frozen=True)
class _MinedTable:
    """The columns of a sheet under one reading of its integers, side by side for comparison."""

    sheet: Sheet
    columns: list[FactColumn]
    mine: Mine

    @cached_property
    def all(self) -> Span:
        """All columns, with room for errors of floating point: small beside a number and its last digit."""
        low, high = (
            np.array([column.low for column in self.columns]),
            np.array([column.high for column in self.columns]),
        )
        size = np.abs(low) + np.abs(high)
        slack = 1e-9 * size + 1e-6 * (high - low)
        return Span(low - slack, high + slack)

    @cached_property
    def numbers(self) -> dict[tuple[int, str], int]:
        """Which column is the one of a key."""
        return {column.key: number for number, column in enumerate(self.columns)}

    @cached_property
    def places(self) -> npt.NDArray[np.int_]:
        """Where the columns stand."""
        return np.array([column.place for column in self.columns])

    @cached_property
    def called(self) -> Callable[[re.Pattern[str] | None], Booleans]:
        """Which columns have a header that names such a result; all where none is needed."""
        labels = [plain(f"{column.label} %" if self._is_percent(column) else column.label) for column in self.columns]
        return cache(lambda named: np.array([named is None or bool(named.search(label)) for label in labels]))

    def _is_percent(self, column: FactColumn) -> bool:
        """Whether most of its cells say that they are in percent."""
        entries = [self.sheet.entry(row, column.place) for row, fact in enumerate(column.facts) if fact is not None]
        return 2 * sum(entry is not None and "%" in entry.text for entry in entries) > len(entries)

    def compare(self, trials: Iterable[Trial]) -> None:
        """Every other column against every trial; what nearly all rows satisfy is kept."""
        several = iter(trials)
        size = max(1, _MOST_AT_ONCE // max(1, self.all.low.size))
        # What is divided by zero or has no root is nan, and fits nothing.
        with np.errstate(all="ignore"):
            while (batch := list(islice(several, size))) and not time_is_up():
                self._batch(batch)

    def _batch(self, trials: list[Trial]) -> None:
        values = [trial.formula(*trial.inputs) for trial in trials]
        low, high = (np.array([getattr(value, end) for value in values])[:, None] for end in ("low", "high"))
        value = Span(low, high)
        known = np.isfinite(value.low) & np.isfinite(value.high) & np.isfinite(self.all.low)
        open_ = np.ones((len(trials), len(self.columns)), dtype=bool)
        ranks = np.empty(open_.shape, dtype=int)
        for place, trial in enumerate(trials):
            if trial.without is not None:
                known[place, :, trial.without] = False
            own = [self.numbers[column.key] for column in trial.inputs if column.key in self.numbers]
            open_[place, own] = False
            if trial.targets is not None:
                open_[place] &= np.isin(np.arange(len(self.columns)), trial.targets)
            called = self.called(trial.named)
            ranks[place] = 3 - 2 * called - (np.ones(len(called), dtype=bool) & trial.placed)
            counted = [column.part in ("k", "n") for column in trial.inputs]
            if any(counted):
                # A mean of rates is not the rate of all items together.
                open_[place] &= ~self.called(_OF_RATES) if all(counted) else ~self.called(_OF_RATES)[own].any()
            if trial.kind in _RARE:
                open_[place] &= called
            if "mean" in trial.kind:
                # A smooth sweep: every row is about the mean of its neighbours, and nobody means it to be.
                ends = self.places[own]
                open_[place] &= called | (self.places < ends.min()) | (self.places > ends.max())
                # A mean is about half way between quartiles, or the least and the greatest, by nature.
                open_[place] &= not all(_QUANTILE.search(plain(column.label)) for column in trial.inputs)
            if self.sheet.is_turned and trial.kind in _OF_ONE_KIND:
                # Rows of minutes, shares and scores, printed as such, have no sum and no mean.
                open_[place] &= len({column.decimals for column in trial.inputs}) == 1
        fits = known & value.touches(self.all)
        counts, totals = fits.sum(axis=2), known.sum(axis=2)
        open_ &= totals > 1
        for rank, count in enumerate(np.bincount(ranks[open_], minlength=RANKS)):
            self.mine.tried[among(self.sheet, rank)] += int(count)
        allowed = np.maximum(1, totals // MOST_EXCEPTIONS[0]) + 3
        kept = open_ & (counts >= np.where(ranks == 0, 2, 3)) & (totals - counts <= allowed)
        for place, target in np.argwhere(kept):
            here = place, target
            self._keep(trials[place], values[place], self.columns[target], fits[here], known[here], int(ranks[here]))

    def _keep(self, trial: Trial, value: Span, result: FactColumn, fits: Booleans, known: Booleans, rank: int) -> None:
        surprise = surprise_of(result, value, trial, fits)
        if surprise < LEAST_SURPRISE:
            return
        holds = np.flatnonzero(fits).tolist()
        # A row that fits if signs are left out is computed from sizes, as the others may be.
        sized = trial.formula(*(column.size() for column in trial.inputs)).touches(result)
        breaks = [
            row
            for row in np.flatnonzero(known & ~fits & ~sized).tolist()
            if self._is_comparable(result, row, holds, trial.is_linear)
            and not self._is_annotated((result, *trial.inputs), row)
            and not ("mean" in trial.kind and self._has_no_mean(result, trial.inputs, row))
            and not (trial.kind == "sum" and self._is_pooled(result, trial.inputs, row))
            and not ("of the whole" in trial.kind and _is_of_another_whole(trial, value, result, row))
        ]
        surprise -= math.log10(math.comb(len(holds) + len(breaks), len(breaks)))
        if surprise >= LEAST_SURPRISE:
            says = f"{result.label} = {trial.says}" if "sum to" not in trial.says else trial.says
            found = (result, *trial.inputs), trial.formula, tuple(holds), tuple(breaks), surprise, rank
            self.mine.found.append(Hypothesis(self.sheet, trial.kind, says, *found))

    def _is_comparable(self, result: FactColumn, row: int, holds: list[int], linear: bool) -> bool:
        """Whether a row that does not fit is one of those that do: no summary, and printed in the same way."""
        line = self.sheet.rows[row]
        names = [plain(text) for text in (line.first, line.label) if text]
        if any(_UNUSUAL.fullmatch(name) or (not linear and _AVERAGED.search(name)) for name in names):
            return False
        fact = result.facts[row]
        if fact is not None and fact.value in (1, 100) and any(SUMMARY.fullmatch(name) for name in names):
            # All of it, by definition: whether the parts are so much is said of them.
            return False
        formats = {_format(result.facts[held]) for held in holds}
        return not self.sheet.is_turned or _format(result.facts[row]) in formats

    def _has_no_mean(self, result: FactColumn, inputs: Sequence[FactColumn], row: int) -> bool:
        """Whether a row of means is of another kind: counts, which add up, or an interval that may be asymmetric."""
        label = plain(f"{self.sheet.rows[row].label} {self.sheet.rows[row].first}")
        ends = all(column.label.endswith((".low", ".high")) for column in inputs)
        return bool(total(*inputs).touches(result)[row]) or (ends and _ASYMMETRIC.search(label) is not None)

    def _is_annotated(self, columns: Sequence[FactColumn], row: int) -> bool:
        """Whether a footnote says something of one of the numbers of a row: it may be another thing."""
        entries = (self.sheet.entry(row, column.place) for column in columns)
        return any(entry is not None and _FOOTNOTE.search(entry.text) for entry in entries)

    def _is_pooled(self, result: FactColumn, parts: Sequence[FactColumn], row: int) -> bool:
        """Whether a row's whole is no sum: a rate or a mean of all, or a number of things that its parts share."""
        inside, whole = [part.middle[row] for part in parts], result.middle[row]
        label = plain(f"{self.sheet.rows[row].label} {self.sheet.rows[row].first}")
        alike = POOLED.search(label) is not None or 0 < max(inside) <= 1.5 * min(inside)
        is_mean = alike and min(inside) <= whole <= max(inside)
        return is_mean or (OVERLAPPING.search(label) is not None and whole < sum(inside))


def _is_of_another_whole(trial: Trial, value: Span, result: FactColumn, row: int) -> bool:
    """Whether the shares of its part of the table, this one put right, do not make up all: some are not listed."""
    parts = trial.inputs[1].members
    others = [other for other, part in enumerate(parts) if part == parts[row] and other != row]
    low, high = (
        float(end[row] + ends[others].sum()) for end, ends in ((value.low, result.low), (value.high, result.high))
    )
    return not low <= (100 if "percentage" in trial.kind else 1) <= high


def _format(fact: Fact | None) -> tuple[int, bool]:
    text = "" if fact is None else fact.text
    return len(text.partition(".")[2]), "e" in text
