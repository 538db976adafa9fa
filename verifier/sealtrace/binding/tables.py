"""Bindings of a paper's tables: columns, then rows, then blocks, each believed for its score.

A table's series that bind in one frame with one reading of the labels share the cost of saying so: together they may
be believed where each by itself would not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.choosing import Candidate, Tally, search
from sealtrace.binding.hypotheses import FrameView
from sealtrace.binding.series import Grid, Series, Spot, blocks_of, series_of

Progress = Callable[[str, int, int], None]
Home = tuple[str, tuple[str, ...]]
"""A frame and the fields that labels select in it."""


@dataclass
class Binding:
    """A candidate that is believed."""

    candidate: Candidate
    score: float
    """Bits, with what other bindings of the table paid already."""
    others: list[Candidate] = field(default_factory=list)
    """Candidates that give the same numbers and cost about as much."""


@dataclass
class BoundNumber:
    """What became of one number of a table."""

    binding: Binding
    place: int
    """In its series."""

    @property
    def agrees(self) -> bool:
        """Whether the paper prints what the binding gives."""
        return bool(self.binding.candidate.agrees[self.place])


@dataclass
class Bound:
    """Bindings of all tables."""

    numbers: dict[Spot, BoundNumber] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)

    def add(self, binding: Binding) -> None:
        """Takes a binding in; a number that is given already stays as it is."""
        candidate = binding.candidate
        self.bindings.append(binding)
        for place in np.nonzero(candidate.covered)[0]:
            spot = candidate.series.spots[place]
            known = self.numbers.get(spot)
            found = BoundNumber(binding, int(place))
            if known is None or (found.agrees and not known.agrees):
                self.numbers[spot] = found

    def remove(self, bindings: list[Binding]) -> None:
        """Takes bindings out, with the numbers that they gave."""
        gone = {id(one) for one in bindings}
        self.bindings = [one for one in self.bindings if id(one) not in gone]
        self.numbers = {spot: one for spot, one in self.numbers.items() if id(one.binding) not in gone}


def bind_tables(
    grids: list[Grid],
    views: list[FrameView],
    tally: Tally,
    deadline: float,
    progress: Progress | None = None,
) -> Bound:
    """Every table, first quickly, then what is left with more hypotheses."""
    bound = Bound()
    steps = [
        (name, grid, kinds, deep)
        for name, kinds, deep in (("columns", ("column",), False), ("rows", ("row", "block"), False),
                                  ("blocks", ("part",), False), ("columns, again", ("column",), True))
        for grid in grids
    ]  # fmt: skip
    for done, (name, grid, kinds, deep) in enumerate(steps):
        if progress is not None:
            progress(f"binding {name} of {grid.name}", done, len(steps))
        if time.monotonic() > deadline:
            tally.untried.append(f"{grid.name}: {name}")
            continue
        _bind(grid, kinds, views, bound, tally, deadline, deep=deep)
    return bound


def _bind(
    grid: Grid,
    kinds: tuple[str, ...],
    views: list[FrameView],
    bound: Bound,
    tally: Tally,
    deadline: float,
    *,
    deep: bool,
) -> None:
    wanted = blocks_of(grid) if "part" in kinds else [one for one in series_of(grid) if one.kind in kinds]
    wanted = [one for one in wanted if any(spot not in bound.numbers for spot in one.spots)]
    groups: dict[tuple[object, ...], list[Series]] = {}
    for series in wanted:
        groups.setdefault((series.kind, *series.varying), []).append(series)
    found: list[tuple[Series, list[Candidate]]] = []
    for group in groups.values():
        found += zip(group, search(group, views, len(views), tally, deadline, deep=deep), strict=True)
    for binding in believed(found):
        if any(spot not in bound.numbers for spot in binding.candidate.series.spots):
            bound.add(binding)


def home_of(candidate: Candidate) -> Home:
    """Where a candidate lives."""
    fields = candidate.frame.dimensions
    return candidate.frame.name, tuple(fields[place].name for place in candidate.selection.fields)


def believed(found: Iterable[tuple[Series, list[Candidate]]]) -> list[Binding]:
    """The bindings that reach the threshold, alone or with others in the same home."""
    found = list(found)
    totals: dict[Home, float] = {}
    for _, candidates in found:
        best: dict[Home, Candidate] = {}
        for candidate in candidates:
            home = home_of(candidate)
            if home not in best or candidate.score > best[home].score:
                best[home] = candidate
        for home, candidate in best.items():
            totals[home] = totals.get(home, 0.0) + max(0.0, candidate.score + candidate.shared)
    bindings = []
    for _, candidates in found:
        options = []
        for candidate in candidates:
            joint = totals[home_of(candidate)] - candidate.shared
            alone = candidate.score >= scoring.ACCEPTED
            helped = joint >= scoring.ACCEPTED and candidate.score + candidate.shared >= scoring.JOINED
            if alone or helped:
                paid = candidate.shared if joint - candidate.score >= scoring.ACCEPTED else 0.0
                options.append((candidate.rank + paid, candidate, candidate.score + paid))
        if options:
            options.sort(key=lambda one: (-one[0], one[1].cost))
            rank, chosen, score = options[0]
            others = [one for other, one, _ in options[1:] if other > rank - 3 and _gives_the_same(one, chosen)]
            bindings.append(Binding(chosen, score, others[:3]))
    return bindings


def _gives_the_same(one: Candidate, other: Candidate) -> bool:
    return bool(np.array_equal(one.agrees, other.agrees))
