"""Cells that stand alone: `Pearson r | 0.350` names a single value of the results, as a sentence would.

A cell binds to a record whose measure and fields its labels say, if no other record that is named as well lies near it.
One such cell would be found somewhere, so that a table must have several in one file.
"""

from __future__ import annotations

import numpy as np

from sealtrace.binding.candidates import Binding, Bound, Selected
from sealtrace.binding.frames import PLACE
from sealtrace.binding.hypotheses import FrameView, Selection
from sealtrace.binding.records import Named, Records
from sealtrace.binding.scoring import ACCEPTED
from sealtrace.binding.series import Grid, GridCell, Series, Spot, series_of
from sealtrace.binding.slots import greatest, is_telling, least
from sealtrace.binding.tally import Tally
from sealtrace.binding.transformations import Transformation
from sealtrace.binding.weighing import Weighed
from sealtrace.binding.wording import rows_behind
from sealtrace.paper.names.words import stems
from sealtrace.paper.numbers import PrintedNumber

NAMED = 5.5
"""Bits that a value must have over others as well named."""
_TOGETHER = 2
"""Cells of a table that one file must give."""
_WHOLE = Transformation("", cost=0.5)
_PERCENT = Transformation("100 · x", 100.0, cost=0.5)


def look_up(grid: Grid, views: list[FrameView], records: Records, bound: Bound, tally: Tally) -> None:
    """Binds cells that nothing gives yet to single records that their labels name."""
    rowed = {(view.frame.name, view.frame.depth): view.rowed for view in views if not view.melted}
    found: dict[tuple[str, ...], list[tuple[Series, int, Named]]] = {}
    series = {
        spot: (series, place)
        for series in series_of(grid)
        if series.kind == "column"
        for place, spot in enumerate(series.spots)
    }
    told = {place: _weights(grid, cell) for place, cell in grid.cells.items()}
    for cell in grid.cells.values():
        if tally.late(f"{grid.name}: some single cells"):
            break
        for slot, printed in enumerate(cell.slots):
            spot = Spot(grid.number, cell.row, cell.column, slot)
            if spot in bound.numbers or spot not in series or not is_telling(printed):
                continue
            named = records.named(printed, told[cell.row, cell.column])
            if named is None or named.bits < NAMED or not records.only(named, printed) or not _change(named, printed):
                continue
            beside = [
                printed
                for printed in grid.cells.values()
                if (printed.row == cell.row) != (printed.column == cell.column)
            ]
            disputes = [records.disputed(named, cell.slots[0], told[cell.row, cell.column]) for cell in beside]
            if disputes.count(True) > disputes.count(False):
                # Labels beside it name other values of the measure than are printed there: it is there by accident.
                continue
            if named.frame.places[named.row] in rowed[named.frame.name, named.frame.depth].frame.dimensions[-1].values:
                found.setdefault(tuple(named.frame.files), []).append((*series[spot], named))
    known = {tuple(selected.frame.files) for binding in bound.bindings if binding.candidate.series.grid is grid
             for selected in binding.candidate.selected}  # fmt: skip
    for files, members in found.items():
        # Where the file gave other cells of the table, one more cell is not alone.
        joined = len(files) == 1 and files in known
        bits = sum(named.bits for _, _, named in members) + (ACCEPTED if joined else 0.0)
        if len(members) + joined >= _TOGETHER and bits >= ACCEPTED + len(members):
            for column, place, named in members:
                bound.add(_binding(column, place, named, rowed[named.frame.name, named.frame.depth]))


def name_settings(grid: Grid, views: list[FrameView], bound: Bound) -> None:
    """Binds settings that tell rows apart (the window in `rolling | 8192 | 12.1 s`) to what the records of the row say.

    The setting selected these records when the cells beside it were bound, so that nothing is left to chance.
    """
    rowed = {id(view.frame): view.rowed for view in views if not view.melted}
    columns = [series for series in series_of(grid) if series.kind == "column" and series.spots[0].column in grid.keys]
    for series, (place, spot) in ((column, at) for column in columns for at in enumerate(column.spots)):
        beside = [number for other, number in bound.numbers.items()
                  if (other.table, other.row) == (spot.table, spot.row) and number.agrees]  # fmt: skip
        for candidate, at in (pair for number in beside for pair in number.binding.candidate.behind(number.place)):
            names = {candidate.frame.dimensions[field].name for field in candidate.selection.fields} & set(
                candidate.frame.measures
            )
            rows = rows_behind(candidate, at)
            view = rowed.get(id(candidate.frame))
            if spot in bound.numbers or view is None or view.frame.dimensions[-1].name != PLACE:
                continue
            for name in names:
                named = Named(candidate.frame, int(rows[0]), candidate.frame.measures.index(name), candidate.score, 1.0)
                values = candidate.frame.numbers[rows, named.measure]
                if (values == values[0]).all() and _change(named, series.slots[place]) is _WHOLE:
                    bound.add(_binding(series, place, named, view))


def _weights(grid: Grid, cell: GridCell) -> dict[str, float]:
    """Words of the labels of a cell, and less for those of the caption."""
    labels = [*grid.row_labels[cell.row], grid.titles.get(cell.row, ""), grid.headers[cell.column]]
    return dict.fromkeys(stems(grid.caption), 0.4) | {word: 1.0 for label in labels for word in stems(label)}


def _binding(series: Series, place: int, named: Named, view: FrameView) -> Binding:
    """A record as a binding of one number of its column."""
    size = len(series.slots)
    value = float(named.frame.numbers[named.row, named.measure])
    change = _change(named, series.slots[place]) or _WHOLE
    codes = np.full((size, 1), -1, np.int32)
    chosen = np.zeros((size, view.frame.rows), bool)
    codes[place], chosen[place, named.row] = named.row, True
    here = np.arange(size) == place
    field = len(view.frame.dimensions) - 1
    candidate = Selected(
        series=series, expected=np.where(here, change(np.array([value]))[0], np.nan), agrees=here,
        weighed=Weighed(named.bits, named.bits, named.bits), cost=0.0, frame=view.frame,
        selection=Selection([field], codes, chosen, 0.0), fixed=(), measure=named.frame.measures[named.measure],
        statistic="mean", transformation=change, sizes=here.astype(float),
    )  # fmt: skip
    return Binding(candidate, named.bits)


def _change(named: Named, slot: PrintedNumber) -> Transformation | None:
    """The change of unit under which the value prints so, sign and all."""
    value = named.frame.numbers[named.row, [named.measure]]
    return next(
        (
            transformation
            for transformation in (_WHOLE, _PERCENT)
            if least(slot) - 1e-9 <= transformation(value)[0] <= greatest(slot) + 1e-9
        ),
        None,
    )
