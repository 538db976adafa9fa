"""Bindings of a paper's tables: columns, then rows, then blocks, each believed for its score.

A table's series that bind in one frame with one reading of the labels share the cost of saying so: together they may
be believed where each by itself would not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.candidates import Binding, Bound, Candidate, Selected
from sealtrace.binding.choosing import search
from sealtrace.binding.composing import compose
from sealtrace.binding.frames import Numbers, ResultFrame
from sealtrace.binding.hypotheses import FrameView, hear_headers
from sealtrace.binding.lookups import look_up, name_settings
from sealtrace.binding.records import Records
from sealtrace.binding.series import Grid, Series, blocks_of, series_of
from sealtrace.binding.slots import is_telling, unit_of
from sealtrace.binding.tally import Tally

Progress = Callable[[str, int, int], None]
Home = tuple[str, tuple[str, ...]]
"""A frame and the fields that labels select in it."""
MOST_BY_VALUE = 40
"""Tables of results, those that hold most of a table's numbers, in which labels are read by value."""
_STEPS = (
    ("columns", ("column",), False, 3.0),
    ("rows", ("row", "block"), False, 2.0),
    ("blocks", ("part",), False, 1.0),
    ("columns and rows by value", ("column", "row"), False, 2.0),
    ("rows with what their columns mean", ("row",), False, 1.0),
    ("columns, again", ("column",), True, 2.0),
)
"""What is searched, in this order, with the share of the work that it may take."""


def bind_tables(
    grids: list[Grid],
    views: list[FrameView],
    tally: Tally,
    work: float,
    progress: Progress | None = None,
    bound: Bound | None = None,
) -> Bound:
    """Every table, first quickly, then what is left with more hypotheses; `work` bounds the search.

    What a step leaves of its share goes to those after it. What other tables are `bound` to already is taken in.
    """
    bound = Bound() if bound is None else bound
    orders = [likeliest_first(grid, views, tally) for grid in grids]
    series = [series_of(grid) for grid in grids]
    steps = [(step, place) for step in _STEPS for place in range(len(grids))]
    shares = [step[3] * math.sqrt(len(grids[place].cells)) for step, place in steps]
    left = sum(shares)
    for done, ((name, kinds, deep, _), place) in enumerate(steps):
        grid = grids[place]
        if progress is not None:
            progress(f"binding {name} of {grid.name}", done, len(steps))
        # Most steps need less than their share, so that one may take more.
        limit = tally.work + (work - tally.work) * min(1.0, 3 * shares[done] / max(left, 1.0))
        left -= shares[done]
        if "mean" in name and not any(key[:2] == (grid.number, "row") and told for key, told in bound.meant.items()):
            continue
        wanted = blocks_of(grid) if "part" in kinds else [line for line in series[place] if line.kind in kinds]
        before = len(bound.bindings)
        _bind(grid, wanted, orders[place], bound, tally, limit, deep=deep, named="value" not in name)
        if tally.over(limit):
            (tally.untried if tally.late() else tally.too_much).append(f"{grid.name}: some {name}")
        while len(bound.bindings) > before:
            # What was composed may be a part of something else.
            before = len(bound.bindings)
            compose(grid, series[place], bound, tally)
    records = Records([view.frame.own for view in views if not view.melted and not view.frame.derived], 0.4)
    for grid, lines in zip(grids, series, strict=True):
        if tally.late(f"{grid.name}: single cells"):
            break
        look_up(grid, views, records, bound, tally)
        name_settings(grid, views, bound)
        compose(grid, lines, bound, tally)
    return bound


def _bind(
    grid: Grid,
    wanted: list[Series],
    views: list[FrameView],
    bound: Bound,
    tally: Tally,
    limit: float,
    *,
    deep: bool,
    named: bool,
) -> None:
    hear_headers(wanted, views if named else [])
    for line in wanted:
        line.fresh = np.array([spot not in bound.numbers for spot in line.spots])
        line.known = [bound.meant.get(line.line(spot), {}) for spot in line.spots]
    wanted = [series for series in wanted if series.fresh.any()]
    if not named:
        # Labels are read by numbers only where the numbers stand.
        views = views[:MOST_BY_VALUE]
    groups: dict[tuple[object, ...], list[Series]] = {}
    for series in wanted:
        groups.setdefault((series.kind, series.beside, *series.varying), []).append(series)
    found: list[tuple[Series, list[Candidate]]] = []
    for done, group in enumerate(groups.values()):
        share = tally.work + (limit - tally.work) / (len(groups) - done)
        found += zip(group, search(group, views, tally, share, deep=deep, named=named), strict=True)
    known = {selected.frame.name for other in bound.bindings if other.candidate.series.grid is grid
             for selected in other.candidate.selected}  # fmt: skip
    for binding in alone_points_at_nothing(beyond_shuffling(believed(found, known)), wanted):
        candidate = binding.candidate
        if any(candidate.series.spots[place] not in bound.numbers for place in np.nonzero(candidate.covered)[0]):
            bound.add(binding)


def alone_points_at_nothing(bindings: list[Binding], wanted: list[Series]) -> list[Binding]:
    """Takes back what is off from a rule that is alone: where no other column of several follows from the same place,
    that place is like the one that the table was made of, but is not it."""
    for binding in bindings:
        candidate = binding.candidate
        if not candidate.off:
            continue
        series, home = candidate.series, home_of(candidate)
        beside = {
            line.spots[0].column for line in wanted if line.kind == series.kind == "column" and len(line.slots) > 2
        }
        bound = [bound_before.candidate for bound_before in bindings if bound_before is not binding]
        joined = any(home_of(candidate) == home and not candidate.off for candidate in bound)
        explained = {candidate.series.spots[0].column for candidate in bound} | {series.spots[0].column}
        if len(beside - explained) > 1 and not joined:
            candidate.expected = np.where(candidate.agrees, candidate.expected, np.nan)
    return bindings


def beyond_shuffling(bindings: list[Binding]) -> list[Binding]:
    """The bindings without those by value that would be found in shuffled results as well.

    Where every column holds the printed numbers, but beside other labels, rows can be picked that hold one of them
    each. A second number in the same row is an accident as often as its value is among the rows.
    """
    homes: dict[Home, list[Selected]] = {}
    for binding in bindings:
        for part in binding.candidate.selected:
            if part.selection.by_value is not None:
                homes.setdefault(home_of(binding.candidate), []).append(part)
    gone = {home for home, parts in homes.items() if _shuffled_bits(parts) < scoring.SHUFFLED}
    return [binding for binding in bindings if home_of(binding.candidate) not in gone]


def _shuffled_bits(parts: list[Selected]) -> float:
    """Bits of all numbers beside the labels, less the choice of the labels' rows and of the labels that were found."""
    bits = 0.0
    seen: set[tuple[object, float]] = set()
    for selected in parts:
        assert selected.selection.by_value is not None
        # What stands beside a label a second time proves nothing new.
        printed = [
            (selected.series.line(spot), value)
            for spot, value in zip(selected.series.spots, selected.series.value, strict=True)
        ]
        new = np.array([key not in seen for key in printed]) & selected.agrees
        seen.update(printed)
        values = selected.transformation(
            selected.selection.by_value[:, selected.frame.measures.index(selected.measure)], 0
        )
        low, high = (bound[new][:, None] for bound in scoring.widened(selected.series.low, selected.series.high))
        share = ((values[None] >= low) & (values[None] <= high)).mean(axis=1)
        bits -= float(np.log2(np.maximum(share, 1 / len(values))).sum())
    codes = parts[0].selection.codes[:, 0]
    found = int((codes >= 0).sum())
    groups = parts[0].selection.by_value
    assert groups is not None
    return bits - found * math.log2(len(groups)) - math.log2(math.comb(len(codes), found))


def home_of(candidate: Candidate) -> Home:
    """Where a candidate lives; both sides of a comparison live in one place."""
    selected = candidate.selected[0]
    fields = tuple(selected.frame.dimensions[place].name for place in selected.selection.fields)
    return selected.frame.name, fields if selected.selection.by_value is None else (*fields, "by value")


def believed(found: Iterable[tuple[Series, list[Candidate]]], known: Container[str] = ()) -> list[Binding]:
    """The bindings that reach the threshold, alone or with others in the same home.

    A frame that is `known` from other bindings of the table is not paid for again.
    """
    found = list(found)
    totals: dict[Home, float] = {}
    for _, candidates in found:
        best: dict[Home, Candidate] = {}
        for fresh in candidates:
            first = fresh.selected[0]
            if first.frame.name in known:
                fresh.cost, fresh.shared = fresh.cost - fresh.shared + first.selection.cost, first.selection.cost
            best[home_of(fresh)] = max(best.get(home_of(fresh), fresh), fresh, key=lambda candidate: candidate.score)
            if first.frame.name in known and all(fresh.series.known):
                # What its labels mean there, other lines of the table have paid for.
                totals[home_of(fresh)] = scoring.ACCEPTED
        for home, candidate in best.items():
            # What is below the threshold may be chance, and many of these would add up.
            totals[home] = totals.get(home, 0.0) + max(0.0, candidate.score + candidate.shared - scoring.JOINED)
    bindings = [_best(candidates, totals) for _, candidates in found]
    columns = [place for place, (series, _) in enumerate(found) if series.kind == "column"]
    for place in columns:
        series, candidates = found[place]
        known_columns = [
            (binding.candidate.series.spots[0].column, home_of(binding.candidate)) for binding in bindings if binding
        ]
        homes = {home for column, home in known_columns if column == series.spots[0].column}
        beside = [
            candidate
            for candidate in candidates
            if home_of(candidate) in homes and candidate.covered.all() and not candidate.off
        ]
        bindings[place] = bindings[place] or _best(beside, totals, least=scoring.JOINED - scoring.SIBLING)
    settled = {_rows(binding.candidate) for binding in bindings if binding is not None and not binding.candidate.off}
    for place in columns:
        same = [candidate for candidate in found[place][1] if _rows(candidate) in settled]
        bindings[place] = bindings[place] or _of_the_same_rows(same)
    return [binding for binding in bindings if binding is not None]


def _rows(candidate: Candidate) -> tuple[Home, tuple[tuple[str, str], ...]]:
    """Which rows a candidate reads."""
    return home_of(candidate), candidate.selected[0].fixed


def _of_the_same_rows(candidates: list[Candidate]) -> Binding | None:
    """The best candidate of the rows that gave another column of the table: which rows these are is paid for."""
    whole = [
        candidate
        for candidate in candidates
        if isinstance(candidate, Selected) and not (candidate.unsaid or candidate.off or candidate.left_open)
    ]
    options = [Binding(candidate, candidate.beside + candidate.shared + candidate.where) for candidate in whole]
    best = max(options, key=lambda option: option.score, default=None)
    return best if best is not None and best.score >= scoring.JOINED else None


def _best(candidates: list[Candidate], totals: dict[Home, float], least: float = scoring.JOINED) -> Binding | None:
    """The best of the candidates that are believed; `least` is what one needs beside others in its home."""
    options = []
    for candidate in candidates:
        joint = totals[home_of(candidate)] - candidate.shared
        alone = candidate.score >= scoring.ACCEPTED
        helped = joint >= scoring.ACCEPTED and candidate.beside + candidate.shared >= least and not candidate.unsaid
        # Where much else of the table follows from the same place, less is asked of a rule that points.
        pointed = scoring.POINTED if joint - candidate.score < 2 * scoring.ACCEPTED else scoring.JOINED
        if candidate.off and (candidate.score + candidate.shared < pointed or candidate.picked):
            continue
        if candidate.unsaid and (candidate.off or candidate.left_open):
            continue
        if alone or helped:
            paid = candidate.shared if joint - candidate.score >= scoring.ACCEPTED else 0.0
            options.append((candidate.rank + paid, candidate, candidate.score + paid))
    if not options:
        return None
    options.sort(key=lambda option: (-option[0], option[1].cost))
    rank, chosen, score = options[0]
    others = [
        candidate
        for other, candidate, _ in options[1:]
        if other > rank - 3 and np.array_equal(candidate.agrees, chosen.agrees)
    ]
    return Binding(chosen, score, others[:3])


_AROUND = 64
"""Units of the last place around a number in which values of a frame are counted."""


def likeliest_first(grid: Grid, views: list[FrameView], tally: Tally) -> list[FrameView]:
    """Views by the numbers of the table that stand in them, beyond what chance would put there; then the small ones."""
    telling = [slot for cell in grid.cells.values() for slot in cell.slots if is_telling(slot)]
    values = np.array([float(slot.value) for slot in telling])
    units = np.array([unit_of(slot) for slot in telling])
    gains: dict[int, float] = {}
    for view in views:
        frame = view.frame.whole or view.frame
        if id(frame) not in gains and tally.late():
            return views
        if id(frame) not in gains:
            gains[id(frame)] = max(_gain(frame, values / scale, units / scale) for scale in (1.0, 100.0))
    return sorted(views, key=lambda view: -gains[id(view.frame.whole or view.frame)])


def _gain(frame: ResultFrame, values: Numbers, units: Numbers) -> float:
    """Bits that the numbers of a table which stand in a frame give, fewer where it is full of numbers like them."""
    known = frame.distinct
    if not len(values) or not len(known):
        return 0.0

    def between(low: Numbers, high: Numbers) -> Numbers:
        return np.asarray(np.searchsorted(known, high, "right") - np.searchsorted(known, low, "left"), float)

    there = between(values - units / 2 * (1 + 1e-9), values + units / 2 * (1 + 1e-9)) > 0
    near = np.minimum(between(values - _AROUND * units, values + _AROUND * units), 2 * _AROUND)
    bits = np.log2(2 * _AROUND / np.maximum(near, 1.0))
    return float(bits[there].sum())
