"""Columns, or rows, that follow each from what the label of the other names better, by the names of formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import PurePosixPath

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.candidates import Binding, Bound, BoundNumber, Selected
from sealtrace.binding.exchanges import EXCHANGED, LEAST_ACROSS
from sealtrace.binding.frames import COLUMN
from sealtrace.binding.series import Grid, Series
from sealtrace.binding.wording import plain_field
from sealtrace.paper.names.glossary import Glossary
from sealtrace.paper.names.words import likeness
from sealtrace.statistics.entries import TRIED

LEAST_GAIN = 0.1
"""How much better each header must name what gives the other column than what gives its own."""
_MEASURED, _STATISTIC = "what is measured", "the statistic"
"""Things that a formula reads besides values of fields."""
_COMPUTED = (_MEASURED, _STATISTIC)


@dataclass(frozen=True)
class _Line:
    """A column or a row whose numbers one formula gives."""

    binding: Binding
    given: Selected
    places: dict[int, int]
    """Row, or column, of its numbers that follow, to their places in the series."""

    @property
    def series(self) -> Series:
        return self.given.series

    def called(self, other: _Line) -> str:
        """What only its own labels say."""
        return " ".join(text for text in self.series.constant if text not in other.series.constant)

    def parts(self) -> dict[str, tuple[str, ...]]:
        """What its formula reads, with the names of each: a measure is a column of a file, or a file of one column."""
        fixed = {name: (value,) for name, value in self.given.fixed if value}
        column = fixed.pop(COLUMN, ()) if self.given.frame.whole is not None else (self.given.measure,)
        file = PurePosixPath(self.given.frame.name).stem
        return {_MEASURED: (*column, file), _STATISTIC: (self.given.statistic,), **fixed}


def bind_exchanges(grid: Grid, bound: Bound, glossary: Glossary) -> None:
    """Binds the numbers of exchanged columns and rows to what their labels name."""
    for one, two in _crossed(_lines(grid, bound), glossary):
        for line, other in ((one, two), (two, one)):
            _bind(line, other, bound)


def _lines(grid: Grid, bound: Bound) -> list[_Line]:
    """The formula of each column, and of each row, that gives most of its numbers by the names of its labels."""
    found: dict[tuple[str, int, int], dict[int, _Line]] = {}
    for spot, number in bound.numbers.items():
        given = number.binding.candidate
        if spot.table != grid.number or not number.agrees or not isinstance(given, Selected):
            continue
        if given.selection.by_value is not None or given.series.kind == "block":
            continue
        along, across = (spot.column, spot.row) if given.series.kind == "column" else (spot.row, spot.column)
        lines = found.setdefault((given.series.kind, along, spot.slot), {})
        line = lines.setdefault(id(number.binding), _Line(number.binding, given, {}))
        line.places[across] = number.place
    return [max(lines.values(), key=lambda line: len(line.places)) for lines in found.values()]


def _crossed(lines: list[_Line], glossary: Glossary) -> Iterator[tuple[_Line, _Line]]:
    for one, two in combinations(lines, 2):
        alike = one.series.kind == two.series.kind and one.series.spots[0].slot == two.series.spots[0].slot
        telling = _telling(one, two) if alike else []
        # Counts of one digit are each other's by accident.
        if len(telling) < LEAST_ACROSS or min(_bits(one, telling), _bits(two, telling)) < scoring.ACCEPTED:
            continue
        if min(gains(one, two, glossary)) >= LEAST_GAIN:
            yield one, two


def _telling(one: _Line, two: _Line) -> list[int]:
    """Rows, or columns, in which both follow and print different numbers."""
    return [across for across, place in one.places.items() if across in two.places
            and one.series.value[place] != two.series.value[two.places[across]]]  # fmt: skip


def _bits(line: _Line, telling: list[int]) -> float:
    digits = scoring.digits_bits(line.series.value, line.series.unit)
    return float(sum(digits[line.places[across]] for across in telling))


def gains(one: _Line, two: _Line, glossary: Glossary) -> tuple[float, float]:
    """How much better each of two lines names what gives the other one than what gives itself.

    Both name the same thing, in which their formulas differ: `yes` as a true label and `yes` as a predicted one are two
    readings of one label, and nothing that changed places.
    """
    first, second = one.parts(), two.parts()
    # One header may name a column of the file, and the other a statistic: both say what is computed.
    things = [_COMPUTED, *((name,) for name in first if name in second and name not in _COMPUTED)]
    pairs = [_gains(one, two, thing, glossary) for thing in things
             if any(first[name] != second[name] for name in thing)]  # fmt: skip
    return max(pairs, key=min, default=(0.0, 0.0))


def _gains(one: _Line, two: _Line, thing: tuple[str, ...], glossary: Glossary) -> tuple[float, float]:
    def gain(own: _Line, other: _Line) -> float:
        text = own.called(other)
        label, mine, others = glossary.widened(text), own.parts(), other.parts()
        # A name of its own formula speaks for the label as it stands, whatever field has it.
        kept = [_named(text, label, key, name) for key, names in mine.items() for name in names
                if name not in others.get(key, ())]  # fmt: skip
        names = [_named(text, label, key, name) for key in thing for name in others[key] if name not in mine[key]]
        return max(names, default=0.0) - max(kept, default=0.0)

    return gain(one, two), gain(two, one)


def _named(text: str, label: tuple[str, ...], thing: str, name: str) -> float:
    if thing == _STATISTIC:
        return float(name in TRIED["values"] and TRIED["values"][name].said(frozenset(text.lower().split())))
    return likeness(label, name)


def _bind(line: _Line, other: _Line, bound: Bound) -> None:
    """Binds the numbers of a line to what gives the other one in the same rows."""
    series, given = line.series, other.given
    at = [other.places.get(spot.row if series.kind == "column" else spot.column, -1) for spot in series.spots]
    rows, known = np.maximum(at, 0), np.array(at) >= 0
    selection = given.selection
    expected = np.where(known, given.expected[rows], np.nan)
    candidate = replace(
        given, series=series, expected=expected, agrees=scoring.hits(expected, series.low, series.high),
        sizes=given.sizes[rows],
        selection=replace(
            selection, codes=selection.codes[rows], chosen=selection.chosen[rows],
            sure=None if selection.sure is None else selection.sure[rows],
        ),
    )  # fmt: skip
    binding = Binding(candidate, line.binding.score)
    bound.bindings.append(binding)
    told = _told(line, other)
    for place in map(int, np.nonzero(candidate.covered & ~candidate.agrees)[0]):
        spot = series.spots[place]
        if (before := bound.numbers.get(spot)) is not None and before.agrees:
            bound.numbers[spot] = BoundNumber(binding, place, odds=EXCHANGED, exchanged=told)


def _told(line: _Line, other: _Line) -> str:
    """What the printed numbers are instead, in words."""
    wanted, own = other.parts(), line.parts()
    fields = [f"{plain_field(key)} = {names[0]}" for key, names in own.items()
              if key not in (_MEASURED, _STATISTIC) and names != wanted.get(key)]  # fmt: skip
    if own[_MEASURED][:-1] != wanted[_MEASURED][:-1]:
        return own[_MEASURED][0]
    if own[_STATISTIC] != wanted[_STATISTIC]:
        return f"the {TRIED['values'][own[_STATISTIC][0]].text}"
    return ", ".join(fields) or own[_MEASURED][-1]
