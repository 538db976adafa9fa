"""Columns, or rows, that print each other's numbers.

A formula that gives a column's digits says nothing of whether its header means that formula. Where two columns follow,
each from what the other's header names better, their contents or their headers were exchanged. One header that is
more like another field than like its own proves nothing, since fields are named in many ways; both at once are no
accident.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import PurePosixPath

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.candidates import Binding, Bound, BoundNumber, Selected
from sealtrace.binding.frames import COLUMN
from sealtrace.binding.series import Grid, Series
from sealtrace.binding.wording import plain_field
from sealtrace.paper.names.glossary import Glossary
from sealtrace.paper.names.words import likeness
from sealtrace.statistics.entries import TRIED

LEAST_GAIN = 0.1
"""How much better each header must name what gives the other column than what gives its own."""
LEAST_LINES = 2
"""Rows in which two columns print different numbers, or columns in which two rows do."""
EXCHANGED = 30.0
"""Odds of an exchange: many printed numbers are what other labels name, and both names say so."""
_FILE, _MEASURE, _STATISTIC = "the file", "the measure", "the statistic"
_PLAIN = (_MEASURE, COLUMN, _STATISTIC)
"""What is said without the name of its field, the most telling first."""


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

    def parts(self) -> dict[str, str]:
        """What its formula reads: the file, the measure, the statistic and the values of fixed fields."""
        measure = {} if self.given.frame.whole is not None else {_MEASURE: self.given.measure}
        file = PurePosixPath(self.given.frame.name).stem
        return {_FILE: file, **measure, _STATISTIC: self.given.statistic, **dict(self.given.fixed)}


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
        if len(telling) < LEAST_LINES or min(_bits(one, telling), _bits(two, telling)) < scoring.ACCEPTED:
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
    """How much better each of two lines names what gives the other one than what gives itself."""
    first, second = one.parts(), two.parts()
    keys = [key for key in first | second if first.get(key) != second.get(key)]

    def named(text: str, parts: dict[str, str]) -> float:
        label = glossary.widened(text)
        return max((_named(text, label, key, parts[key]) for key in keys if key in parts), default=0.0)

    return (named(one.called(two), second) - named(one.called(two), first),
            named(two.called(one), first) - named(two.called(one), second))  # fmt: skip


def _named(text: str, label: tuple[str, ...], key: str, value: str) -> float:
    if key == _STATISTIC:
        return float(value in TRIED["values"] and TRIED["values"][value].said(frozenset(text.lower().split())))
    return likeness(label, value)


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
    wanted = other.parts()
    own = {key: value for key, value in line.parts().items() if wanted.get(key) != value}
    if _STATISTIC in own:
        own[_STATISTIC] = f"the {TRIED['values'][own[_STATISTIC]].text}"
    fields = [f"{plain_field(key)} = {value}" for key, value in own.items() if key not in (*_PLAIN, _FILE) and value]
    return next((own[key] for key in _PLAIN if key in own), ", ".join(fields)) or own.get(_FILE, "")
