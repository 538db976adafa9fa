"""Searches the bindings of series that share their labels, and keeps the best candidates of each."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sealtrace.binding import scoring
from sealtrace.binding.aliases import by_value
from sealtrace.binding.candidates import Candidate, Composed, Part, Selected
from sealtrace.binding.evaluation import Evaluated, evaluate, rows_chosen
from sealtrace.binding.frames import Numbers
from sealtrace.binding.hypotheses import FrameView, Named, Selection, filter_costs, fixed_sets, frame_costs, selections
from sealtrace.binding.operations import COMPARISONS, DIFFERENCE, Operation, compares
from sealtrace.binding.series import Series
from sealtrace.binding.tally import Tally
from sealtrace.binding.transformations import Transformation, transformations
from sealtrace.binding.weighing import Truths, bits_of, printed_as, swapped_pair, weighed
from sealtrace.binding.wording import rows_behind
from sealtrace.statistics.entries import TRIED

RARE = 12.0
"""Bits of a statistic that is tried only where a label says it."""
KEPT = 10
"""Candidates that are kept of each series."""
_LEAST = -18.0
"""Score below which nothing is kept; other bindings of the table may pay what is shared."""
_BEHIND = 25.0
"""Bits behind the best candidate of a series from which another one cannot matter any more."""
UNSAID = 9.0
"""Bits that a number costs, in choosing between candidates, of which one says nothing."""
SOME, MANY = 4, 8
"""Numbers that agree, for each that does not, from which one that is no slip is pointed at; far away, too."""
_LOOKED_AT = 8
"""Candidates of one transformation that are scored in full, at each evaluation."""
MOST_PAIRED = 200_000
"""Values up to which all pairs of filters are compared."""
_OVERHEAD = 20_000
"""Work that an evaluation takes beside its numbers."""
MOST_CHOSEN = 200_000_000
"""Printed numbers times rows up to which labels are looked up."""


@dataclass
class _Change:
    """A transformation with the bounds of the printed numbers before it."""

    transformation: Transformation
    low: Numbers
    high: Numbers


@dataclass
class _Wanted:
    """A series and what is known of it before the search."""

    series: Series
    changes: list[_Change]
    bits: Numbers
    """What each of its numbers can give, from its digits."""
    statistics: frozenset[str]
    """Those to try: at first what a table need not name, and what it names."""
    compares: bool
    """Its header or its signs say that it compares."""
    kept: list[Candidate] = field(default_factory=list)

    @property
    def floor(self) -> float:
        """The score that a further candidate must have."""
        if not self.kept:
            return _LEAST
        least = min(candidate.rank for candidate in self.kept) if len(self.kept) >= KEPT else _LEAST
        return max(_LEAST, least, self.kept[0].rank - _BEHIND)


@dataclass
class _Good:
    """A hypothesis that is worth keeping: its place in an evaluation, and what it gives."""

    statistic: int
    filter: int
    measure: int
    judged: dict[str, Any]
    """What a candidate of it says of the series."""


def search(
    group: list[Series], views: list[FrameView], tally: Tally, limit: float, *, deep: bool = False, named: bool = True
) -> list[list[Candidate]]:
    """For each of the series, which have their labels in common, the best candidates, best first.

    `limit` bounds the work, counted as the tally counts it. Labels are read as names, or by the values beside them.
    """
    wanted = [_wanted(series, deep) for series in group]
    # Numbers with too few digits to prove anything are not searched for.
    wanted = [want for want in wanted if want.bits.sum() >= scoring.JOINED]
    statistics = [name for name in TRIED["values"] if any(name in want.statistics for want in wanted)]
    effort = 16 if any(TRIED["values"][name].quantile for name in statistics) else 8
    short = [view for view in views if len(group[0].slots) * view.frame.rows <= MOST_CHOSEN] if wanted else []
    if wanted and len(short) < len(views):
        tally.too_much.append(f"{group[0].grid.name}: some {group[0].kind}s in results that are too long")
    views = short
    if named and views and not tally.over(limit):
        costs = frame_costs(views, group[0])
    else:
        costs = np.full(len(views), math.log2(max(2, len(views))))
    for view, cost in zip(views, costs.tolist(), strict=True):
        if tally.over(limit):
            break
        if not named:
            view = view.rowed
        tally.work += _OVERHEAD if named else _OVERHEAD + 10 * view.frame.numbers.size * len(wanted)
        for selection in selections(view, group[0]) if named else by_value(view, [want.series for want in wanted]):
            chosen = rows_chosen(selection.chosen)
            for fixed, said_of in fixed_sets(view, [want.series for want in wanted], selection, deep=deep):
                if tally.over(limit):
                    break
                tally.work += _OVERHEAD + len(chosen[1]) * len(view.frame.measures) * effort
                evaluated = evaluate(view.frame, chosen, fixed, statistics=statistics)
                if evaluated is None:
                    continue
                for want, said in zip(wanted, said_of, strict=True):
                    _Comparison(want, view, selection, fixed, said, evaluated, cost).keep_best(tally)
    kept = {id(want.series): want.kept for want in wanted}
    return [kept.get(id(series), []) for series in group]


def _wanted(series: Series, deep: bool) -> _Wanted:
    changes = [
        _Change(transformation, *transformation.before(series.low, series.high))
        for transformation in transformations(series)
        if deep or transformation.cost < 6
    ]
    tried = frozenset(
        name
        for name, statistic in TRIED["values"].items()
        if statistic.everyday or statistic.said(series.words) or (deep and statistic.price < RARE)
    )
    return _Wanted(series, changes, bits_of(series), tried, compares(series))


def _keep(kept: list[Candidate], candidate: Candidate) -> None:
    """Adds a candidate, unless one that says the same for less is there."""
    for place, other in enumerate(kept):
        if other.files == candidate.files and np.allclose(
            other.expected, candidate.expected, rtol=1e-9, atol=0, equal_nan=True
        ):
            if other.rank >= candidate.rank:
                return
            del kept[place]
            break
    kept.append(candidate)
    kept.sort(key=lambda candidate: (-candidate.rank, candidate.cost))
    del kept[KEPT:]


@dataclass
class _Comparison:
    """One evaluation against the printed numbers of one series."""

    wanted: _Wanted
    view: FrameView
    selection: Selection
    fixed: list[int]
    named: Named
    evaluated: Evaluated
    frame: float
    """Bits to name the frame."""

    @property
    def shared(self) -> float:
        """Bits that all bindings of a table in this frame pay once."""
        return self.frame + self.selection.cost

    @cached_property
    def filters(self) -> Numbers:
        """Bits to say which values the fixed fields have, of each filter."""
        return filter_costs(self.view, self.fixed, self.evaluated.filters, self.named)

    def keep_best(self, tally: Tally) -> None:
        """Compares every statistic and transformation, and keeps what is good enough."""
        wanted, evaluated = self.wanted, self.evaluated
        kind = {"column": 0.0, "row": 1.5, "block": 1.5}[wanted.series.kind] + (1.0 if self.view.melted else 0.0)
        filters = self.filters
        measures = self.view.measure_costs(wanted.series.constant) + kind
        base = filters[:, None] + measures[None, :]
        words = self.view.words(wanted.series)
        stats = np.array([TRIED["values"][statistic].cost(words) for statistic in evaluated.statistics])
        able = float(wanted.bits.sum()) - stats - self.shared - float(base.min()) > wanted.floor
        able &= np.array([statistic in wanted.statistics for statistic in evaluated.statistics])
        counts = np.array([TRIED["values"][statistic].is_count for statistic in evaluated.statistics])
        for change in wanted.changes:
            places = np.nonzero(able & ~counts if change.transformation.name else able)[0]
            if not len(places):
                continue
            costs = stats[places, None, None] + base[None] + change.transformation.cost
            values = evaluated.values[places]
            for found in self._good(change, values, evaluated.covered[places], costs, tally):
                statistic = evaluated.statistics[places[found.statistic]]
                mean = change.transformation(evaluated.of("mean")[:, found.filter, found.measure])
                expected = found.judged["expected"]
                if np.array_equal(np.where(np.isfinite(expected), mean, np.nan), expected, equal_nan=True):
                    statistic = "mean"  # Of one record, or of equal ones, nothing else can be said.
                candidate = self._selected(change.transformation, statistic, found)
                if not self._mixes(candidate):
                    _keep(wanted.kept, candidate)
        if wanted.compares and self.fixed:
            self._keep_differences(measures, tally)

    def _mixes(self, candidate: Selected) -> bool:
        """Whether it takes things together that labels tell apart: what a label names is a filter, not one of many."""
        several = np.nonzero(candidate.agrees & (candidate.sizes > 1))[0]
        for place, dimension in enumerate(self.view.frame.dimensions) if len(several) else ():
            if place in self.selection.fields or place in self.fixed or len(dimension.values) < 2:
                continue
            for number in map(int, several):
                named = self.view.tells_apart(place, candidate.series, number)
                if named is not None:
                    codes = dimension.codes[rows_behind(candidate, number)]
                    if (codes == named).any() and (codes != named).any():
                        return True
        return False

    def _good(
        self, change: _Change, values: Numbers, covered: npt.NDArray[np.int64], costs: Numbers, tally: Tally
    ) -> list[_Good]:
        """The hypotheses that are worth keeping; `values` are [statistic, number, filter, measure]."""
        wanted = self.wanted
        with np.errstate(invalid="ignore"):
            agree = (values >= change.low[:, None, None]) & (values <= change.high[:, None, None])
        tally.hypotheses += values.shape[0] * values.shape[2] * values.shape[3]
        tally.work += values.size
        good = []
        # A row's own label should name what is fixed for it.
        blind = wanted.series.kind != "column" and not set(self.fixed) <= set(self.named)
        for at, filter_, measure in self._promising(agree, covered, costs):
            table = change.transformation(values[at, :, :, measure])
            expected, agrees = table[:, filter_], agree[at, :, filter_, measure]
            # A label that names its rows worse than the others do, or as another label does, may mean something else.
            expected = np.where(agrees | self.selection.telling(agrees), expected, np.nan)
            if self.selection.by_value is None:
                pool = (np.unique(table, axis=1) if table.shape[1] > 1 else table).reshape(-1)
            else:
                pool = change.transformation(self.selection.by_value[:, measure], 0)
            found = weighed(wanted.series, wanted.bits, expected, agrees, pool, blind=blind)
            cost = float(costs[at, filter_, measure]) + self.shared
            if found is not None and found.digits - cost > wanted.floor:
                expected = np.where(agrees | self._slips(expected, agrees), expected, np.nan)
                unsaid = UNSAID * float((~np.isfinite(expected)).sum()) if wanted.series.kind == "column" else 0.0
                judged = {
                    "series": wanted.series, "expected": expected, "agrees": agrees, "weighed": found, "cost": cost,
                    "shared": self.shared, "left_out": unsaid,
                }  # fmt: skip
                good.append(_Good(at, filter_, measure, judged))
        return good

    def _slips(self, expected: Numbers, agrees: Truths) -> Truths:
        """The numbers that disagree as numbers do which somebody got wrong: by a digit, by a place, or not by much.

        What is far away speaks of something else; so does a label that names a measure which is not what is printed.
        """
        series = self.wanted.series
        wrong = np.isfinite(expected) & ~agrees
        if swapped_pair(series, expected, wrong):
            return wrong
        slips = np.zeros(len(expected), bool)
        # A number that is printed with other digits than the rest was not printed by the same rule.
        alike = np.array([4 * np.sum(series.unit == unit) >= len(series.unit) for unit in series.unit])
        for place in np.nonzero(wrong & alike)[0]:
            slot, value = series.slots[place], float(expected[place])
            near = abs(value - series.value[place]) <= 0.5 * max(abs(value), abs(series.value[place]))
            near = (near and agrees.sum() >= SOME * wrong.sum()) or agrees.sum() >= MANY * wrong.sum()
            slips[place] = scoring.is_slip(slot.text, printed_as(value, slot)) or (near and not self.view.melted)
        return slips

    def _promising(self, agree: Truths, covered: npt.NDArray[np.int64], costs: Numbers) -> list[tuple[int, int, int]]:
        """Statistic, filter and measure of the hypotheses that could be kept, the best few of many."""
        count = agree.sum(axis=1)
        spots = np.argwhere((count > 0) & (count * 2 >= covered))
        if not len(spots):
            return []
        at, filter_, measure = spots.T
        gained = agree[at, :, filter_, measure] @ self.wanted.bits
        missed = (covered - count)[at, filter_, measure]
        cost = costs[at, filter_, measure] + self.shared
        # A number that is one digit off loses one bit at least.
        hopeful = gained - missed - cost > self.wanted.floor
        order = np.argsort(-(gained - missed * 4.0 - cost)[hopeful], kind="stable")[:_LOOKED_AT]
        return [(int(a), int(b), int(c)) for a, b, c in spots[hopeful][order]]

    def _selected(self, change: Transformation, statistic: str, found: _Good) -> Selected:
        fields = self.view.frame.dimensions
        return Selected(
            frame=self.view.frame,
            selection=self.selection,
            fixed=tuple(
                (fields[place].name, fields[place].values[code] if code >= 0 else "")
                for place, code in zip(self.fixed, self.evaluated.filters[found.filter], strict=True)
            ),
            measure=self.view.frame.measures[found.measure],
            statistic=statistic,
            transformation=change,
            sizes=self.evaluated.sizes[:, found.filter, found.measure],
            words=self.view.words(self.wanted.series),
            where=float(self.filters[found.filter]),
            **found.judged,
        )

    def _keep_differences(self, measures: Numbers, tally: Tally) -> None:
        """What the rows of one value of the fixed fields have more than those of another, or how many times as much."""
        wanted, evaluated = self.wanted, self.evaluated
        _, numbers, size, width = evaluated.values.shape
        if size < 2 or numbers * size * size * width > MOST_PAIRED:
            return
        below, words = evaluated.of("mean")[:, None, :, :], self.view.words(wanted.series)
        pairs = (self.filters[:, None] + self.filters[None, :] + 1.0).reshape(-1)
        for statistic in ("mean", "median", "min", "max"):
            if statistic not in evaluated.statistics or statistic not in wanted.statistics:
                continue
            above = evaluated.of(statistic)[:, :, None, :]
            # A ratio is compared where a header speaks of one, a difference always.
            for operation in (
                operation
                for operation in COMPARISONS
                if operation is DIFFERENCE or operation.said(wanted.series.constant[0])
            ):
                with np.errstate(divide="ignore", invalid="ignore"):
                    values = operation.function(above, below).reshape(1, numbers, size * size, width)
                values[~np.isfinite(values)] = np.nan
                own = TRIED["values"][statistic].cost(words) + operation.cost(wanted.series.constant[0])
                costs = pairs[None, :, None] + measures[None, None, :] + own
                covered = np.isfinite(values).sum(axis=1)
                for change in wanted.changes:
                    plain = not change.transformation.name
                    if (
                        change.transformation.shift
                        or change.transformation.curve
                        or not (plain or operation is DIFFERENCE)
                    ):
                        continue
                    for found in self._good(change, values, covered, costs + change.transformation.cost, tally):
                        _keep(wanted.kept, self._composed(operation, change, statistic, found))

    def _composed(self, operation: Operation, change: _Change, statistic: str, found: _Good) -> Composed:
        size = self.evaluated.values.shape[2]
        sides = []
        for filter_, name in zip(divmod(found.filter, size), (statistic, "mean"), strict=True):
            values = change.transformation(self.evaluated.of(name)[:, filter_, found.measure])
            side = replace(found, filter=filter_, judged={**found.judged, "expected": values})
            sides.append(self._selected(change.transformation, name, side))
        parts: list[list[Part]] = [
            [(side, place) for side in sides] if there else []
            for place, there in enumerate(np.isfinite(found.judged["expected"]))
        ]
        return Composed(operation=operation, parts=parts, **found.judged)
