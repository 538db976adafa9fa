"""Columns, or rows, that print each other's numbers.

A formula that gives a line's digits says nothing of whether its label means that formula. Where the labels of each of
two lines name, in one reading for the whole line, what the other one prints, their contents or their labels were
exchanged. One label that is more like another field than like its own proves nothing, since fields are named in many
ways; both at once are no accident.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.label_odds import LabelPrediction
from sealtrace.binding.series import Grid, Spot
from sealtrace.binding.slots import prints
from sealtrace.paper.numbers import PrintedNumber

EXCHANGED = 30.0
"""Odds of an exchange: many printed numbers are what other labels name, and both names say so."""
LEAST_ACROSS = 2
"""Rows in which two columns print different numbers, or columns in which two rows do."""
RIVAL = 8.0
"""How much better established a reading must be than one by which a number is what its own labels name."""
_LEAST_GAIN = 0.1
"""Share of a header's words that a reading must explain beyond those that give what is printed."""

_Reading = tuple[object, ...]
"""Of a row, the frame and the fields by which labels select; of a column, the fields that it fixes, and its number."""


@dataclass(frozen=True)
class _Said:
    """A printed number, and what readings of its labels name."""

    printed: PrintedNumber
    named: dict[_Reading, LabelPrediction]


_Line = dict[tuple[int, int], _Said]
"""A row or a column, by where its numbers stand in it."""


def exchanged_lines(grid: Grid, told: dict[Spot, list[LabelPrediction]]) -> list[tuple[LabelPrediction, str]]:
    """What the labels of exchanged rows and columns name, with the line whose number is printed instead."""
    rows: dict[tuple[int, int], _Line] = defaultdict(dict)
    columns: dict[tuple[int, int], _Line] = defaultdict(dict)
    for spot, options in told.items():
        slot = grid.cells[spot.row, spot.column].slots[spot.slot]
        rows[spot.row, 0][spot.column, spot.slot] = _Said(slot, _of_rows(options))
        columns[spot.column, spot.slot][spot.row, 0] = _Said(slot, _of_columns(options))
    called: tuple[Callable[[int], str], ...] = (grid.row_name, grid.headers.__getitem__)
    found: list[tuple[LabelPrediction, str]] = []
    for lines, name in zip((rows, columns), called, strict=True):
        for one, two in combinations(
            [place for place, line in lines.items() if any(s.named for s in line.values())], 2
        ):
            if one[1] != two[1]:
                continue
            first = dict(_instead(lines[one], lines[two]))
            # `yes` as a true label and as a predicted one are two readings of a label, and nothing that changed places.
            for fields, second in _instead(lines[two], lines[one]) if first else ():
                if fields in first:
                    found += [(option, name(two[0])) for option in first[fields]]
                    found += [(option, name(one[0])) for option in second]
                    break
    return found


def _of_rows(options: list[LabelPrediction]) -> dict[_Reading, LabelPrediction]:
    """What labels and words name best in each frame; nothing where that is what is printed."""
    named = [option for option in options if option.named and not (option.evidence.mixed or option.evidence.shared)]
    best = max((option.odds for option in named), default=0.0)
    if any(option.agrees and option.odds >= best / RIVAL for option in named):
        return {}
    return {option.said.reading.home[:2]: option for option in reversed(named)}


def _of_columns(options: list[LabelPrediction]) -> dict[_Reading, LabelPrediction]:
    """What readings of a header name that explain more of it than those which give what is printed."""
    own = [option for option in options if option.said.series.kind == "column"]
    least = max((option.said.reading.told for option in own if option.agrees), default=0.0) + _LEAST_GAIN
    found: dict[_Reading, LabelPrediction] = {}
    for option in own:
        if option.said.reading.told >= least and not option.agrees and not option.evidence.mixed:
            found[frozenset(name for name, _ in option.said.reading.fixed), id(option.said)] = option
    return found


def _instead(line: _Line, other: _Line) -> Iterator[tuple[object, list[LabelPrediction]]]:
    """Readings of a line that name what the other line prints nearly everywhere."""
    apart = [key for key in line if key in other and line[key].printed.value != other[key].printed.value]
    for reading in {reading: None for key in apart for reading in line[key].named}:
        found, missed = {}, 0
        for key in apart:
            option = line[key].named.get(reading)
            if option is not None and prints(other[key].printed, np.array([option.value]))[0]:
                found[key] = option
            else:
                missed += 1
            if 4 * missed > len(apart):
                break
        bits = sum(option.digits for option in found.values())
        if 4 * missed <= len(apart) and len({at for at, _ in found}) >= LEAST_ACROSS and bits >= scoring.ACCEPTED:
            yield reading[0], list(found.values())
