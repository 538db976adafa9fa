"""Accidents with a name: what people report of tables that went wrong."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from sealtrace.binding import scoring
from sealtrace.binding.candidates import SHOWN, Binding, Bound, BoundNumber, Selected
from sealtrace.binding.columns import file_fields
from sealtrace.binding.compounds import OLD
from sealtrace.binding.frames import Numbers, ResultFrame
from sealtrace.binding.series import Grid, GridCell
from sealtrace.binding.slots import greatest, is_telling, least
from sealtrace.binding.weighing import printed_as
from sealtrace.binding.whole_tables import with_another_value
from sealtrace.binding.wording import formula_of, records_behind
from sealtrace.contract.result import Finding, Severity
from sealtrace.paper.names.words import distinguishing, stems
from sealtrace.paper.numbers import PrintedNumber


def message_of(grid: Grid, cell: GridCell, number: BoundNumber) -> str:
    """A cell that is off, in a sentence: what is printed, what the others are, what that gives here."""
    candidate = number.binding.candidate
    others = int(candidate.agrees.sum())
    expected = printed_as(number.value, number.slot)
    noun = "the other cell" if others == 1 else f"the other {others} cells"
    records, count = records_behind(candidate, number.place)
    where = f" ({records[0]})" if count == 1 else ""
    also = f"They give {noun} as" if others else "Labels name"
    text = (
        f"row {grid.row_name(cell.row)}: the paper prints {number.slot.text}; "
        f"the results give {expected}{where}. {also} {formula_of(candidate)}."
    )
    if number.exchanged:
        text += f" The printed number is that of {number.exchanged}."
    if number.fewer_rows is not None:
        own, usual = number.fewer_rows
        text += f" Only {own} of the {usual} rows that the other cells have are there: results may be missing."
    return text if number.rounding is None else f"{text} {number.rounding.cause}"


def message_of_perhaps(candidate: Selected, place: int, odds: float) -> str:
    """What the record says that an open number's labels name best, which is too little to decide by."""
    records, count = records_behind(candidate, place)
    told = f"its labels may name {formula_of(candidate)}{f' ({records[0]})' if count == 1 else ''}, which gives"
    if candidate.agrees[place]:
        return f"{told} the same; that may be an accident"
    few = (
        f"odds of {odds:.2g} : 1 are too little to decide by" if odds < SHOWN else "other records may be meant as well"
    )
    return f"{told} {printed_as(float(candidate.expected[place]), candidate.series.slots[place])}; {few}"


class Held:
    """All values that results hold as they stand, and which frame holds each."""

    def __init__(self, frames: list[ResultFrame]) -> None:
        self._frames = frames

    @cached_property
    def _values(self) -> tuple[Numbers, npt.NDArray[np.int64]]:
        values = np.concatenate([np.empty(0), *(frame.distinct for frame in self._frames)])
        owners = np.repeat(np.arange(len(self._frames)), [len(frame.distinct) for frame in self._frames])
        order = np.argsort(values, kind="stable")
        return values[order], owners[order]

    def why_open(self, slot: PrintedNumber) -> str:
        """Why nothing is said of a number: whether any result that was read holds it, as it is or as a fraction."""
        if not is_telling(slot):
            return "it has too few digits to be found by itself"
        values, owners = self._values
        low, high = scoring.widened(np.array(least(slot)), np.array(greatest(slot)))
        for scale in (1.0, 100.0):
            first, end = np.searchsorted(values, [low / scale, high / scale])
            if first < end:
                name = self._frames[owners[first:end].min()].name
                return f"{name} holds this number, but its labels do not name that record"
        return "no result that was read holds it, and no formula that was tried gives it"


ACCIDENTS = "results.accidents"


def accidents_of(grids: list[Grid], bound: Bound, copies: list[list[str]]) -> list[Finding]:
    """Every accident that was recognised in tables, and the files of the same bytes that formulas read."""
    told = "have the same bytes; where they stand for different runs, one of them was copied"
    same = [_accident("identical-files", f"{_listed(files)} {told}", severity="warning") for files in copies]
    frames = {tuple(part.frame.files) for binding in bound.bindings for part in binding.candidate.selected}
    absent = [
        _accident("missing-file", f"{name} is not there, and all {len(files)} other combinations of what the names of "
                  "files say are. A number that takes it cannot follow.", severity="warning")
        for files in sorted(frames) if (name := absent_among(list(files))) is not None
    ]  # fmt: skip
    return [*_superseded(bound), *_swaps(grids, bound), *absent, *same]


FEWEST = 10
"""Files beside which one that is not there is told; of fewer, nobody can tell whether all combinations were meant."""


def absent_among(files: list[str]) -> str | None:
    """The one file that is not there, where every other combination of what the names of files say is.

    Where several are not there, they may never have been: stations that began later, tasks of one model.
    """
    fields: list[list[str]] = []
    there: dict[tuple[str, ...], str] = {}
    # As few fields as tell the files apart, those of few values first: the whole name is one of them, too.
    for column in sorted(file_fields(files).values(), key=lambda column: len(set(column))):
        told = dict(zip(zip(*fields, column, strict=True), files, strict=True))
        if len(there) < len(told):
            fields, there = [*fields, column], told
    values = [list(dict.fromkeys(column)) for column in fields]
    if len(files) < FEWEST or len(fields) < 2 or math.prod(map(len, values)) != len(there) + 1:
        return None
    return next(_called(one, there) for one in product(*values) if one not in there)


def _called(absent: tuple[str, ...], there: dict[tuple[str, ...], str]) -> str:
    """What a file would be called: as one that differs in one word; where that is not certain, these words."""
    for one, file in there.items():
        (own, other), *more = [(own, other) for own, other in zip(one, absent, strict=True) if own != other]
        if not more and file.count(own) == 1:
            return file.replace(own, other)
    return f"a file of {', '.join(absent)}"


def _accident(
    kind: str, message: str, source: str | None = None, line: int | None = None, severity: Severity = "error"
) -> Finding:
    """An older run, or a label beside another run's numbers."""
    return Finding(
        check=ACCIDENTS, severity=severity, source=source, line=line, key={"accident": kind}, message=message
    )


def _superseded(bound: Bound) -> list[Finding]:
    """Tables that follow from one of two runs: files of the same columns and rows, of which one gives other values.

    Where only the name of one calls it old, and the table follows from that, it is an error; else it is asked which of
    them is meant.
    """
    found: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    grids = {binding.candidate.series.grid.number: binding.candidate.series.grid for binding in bound.bindings}
    printed: set[tuple[int, str]] = set()
    for binding in bound.bindings:
        for part in binding.candidate.selected:
            printed |= {(part.series.grid.number, value) for _, value in part.fixed}
            for name, value in part.fixed:
                for other in _other_runs(part, name, value):
                    found[part.series.grid.number, value, other].append(binding.candidate.series.constant[0])
        if (whole := _called_old(binding)) is not None:
            found[binding.candidate.series.grid.number, whole, ""].append(binding.candidate.series.constant[0])
    accidents = []
    while found:
        number, value, other = next(iter(found))
        subjects, grid = found.pop((number, value, other)), grids[number]
        told = f"{grid.name}: {_follows(subjects)} from {value}"
        if OLD.search(value) and not OLD.search(other):
            told += f", which its name calls superseded, and not from {other or 'the current results'}"
            accidents.append(_accident("superseded-run", told, grid.source, grid.line))
        elif not OLD.search(other) and not any(one == other and table != number for table, one in printed):
            # What another table prints is not replaced. Columns of one table that follow from both are one question.
            crossed = found.pop((number, other, value), [])
            told += f", {_listed(crossed)} from {other}; both have" if crossed else f"; {other} has"
            told += " the same rows with other values, and no label says which is meant"
            accidents.append(_accident("two-runs", told, grid.source, grid.line, severity="warning"))
    return accidents


def _called_old(binding: Binding) -> str | None:
    """The results of a formula that reads only files whose names call them old, where nothing else gives the same."""
    candidate = binding.candidate
    if not candidate.files or not all(map(OLD.search, candidate.files)):
        return None
    if any(not any(map(OLD.search, other.files)) for other in binding.others):
        return None
    return candidate.selected[0].frame.name


def _other_runs(given: Selected, name: str, value: str) -> list[str]:
    """Values of a field of file names that have rows for the same numbers and give another value for most of them.

    More than one are repeats, of which a label should name one, and no replacement of each other.
    """
    kind = name.partition("/")[0]
    if not (kind == "file" or kind.startswith("directory")):
        return []
    values = given.frame.field(name).values
    words = distinguishing(values)[values.index(value)] if value in values else ()
    if not frozenset(words).isdisjoint(word for text in given.series.constant for word in stems(text)):
        return []  # Labels say which of them is meant.
    agreeing = np.nonzero(given.agrees)[0]
    options = with_another_value(given, name, agreeing) if agreeing.size else {}
    found = [other for other, same in options.items() if other != value and 2 * same.sum() < len(same)]
    return found if len(found) == 1 else []


def _follows(subjects: list[str]) -> str:
    return f"{_listed(subjects)} {'follows' if len(set(subjects)) == 1 else 'follow'}"


def _listed(names: list[str]) -> str:
    shown = ", ".join(dict.fromkeys(names[:4]))
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"


def _swaps(grids: list[Grid], bound: Bound) -> list[Finding]:
    """Rows that print each other's numbers."""
    columns: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for spot, number in bound.numbers.items():
        grid = grids[spot.table]
        columns[spot.table, grid.row_name(spot.row), number.exchanged].append(grid.headers[spot.column])
    accidents = []
    for (table, row, other), told in columns.items():
        if row < other and (table, other, row) in columns:
            line = next(cell.line for cell in grids[table].cells.values() if grids[table].row_name(cell.row) == row)
            message = f"row {row} prints the numbers of {other} and the other way round ({_listed(told)})"
            accidents.append(_accident("pairing-swap", f"{grids[table].name}: {message}", grids[table].source, line))
    return accidents
