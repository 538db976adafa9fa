"""Labels that no name explains, read by value: which rows of results hold the numbers beside a label?

To say which rows a label means takes log2 of how many there are, for every label. Several numbers beside a label, found
together in one place, pay for that; one number never does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.frames import PLACE, Numbers, ResultFrame
from sealtrace.binding.hypotheses import FrameView, Selection
from sealtrace.binding.scoring import digits_bits
from sealtrace.binding.series import Series
from sealtrace.binding.transformations import transformations
from sealtrace.paper.names.index import INSIDE

MOST_GROUPS = 1500
"""Groups of rows that a label is looked for in."""
MOST_COMPARED = 3_000_000
_MARGIN = 4.0
"""Bits that the numbers beside a label must have over the choice of its rows."""
_TOGETHER = 2
"""Numbers beside a label that must be found in one place: one by itself would be found somewhere."""


def by_value(view: FrameView, group: list[Series]) -> Iterator[Selection]:
    """Readings of the labels that series share, by the rows that hold their numbers."""
    frame = view.frame
    size = len(group[0].slots)
    if view.melted or size < 2 or len(group) < _TOGETHER or not frame.measures or frame.rows < 2:
        return
    for places in _field_sets(frame):
        evaluated = evaluate(frame, np.ones((1, frame.rows), bool), places, MOST_GROUPS)
        if evaluated is None or evaluated.values.shape[2] < 2:
            continue
        values = evaluated.of("mean")[0]
        if size * values.size * len(group) > MOST_COMPARED:
            continue
        each = np.stack([_held(series, values) for series in group])
        together = np.where((each > 1).sum(axis=0) >= _TOGETHER, each.sum(axis=0), 0.0)
        chosen = _assigned(view, group[0], places, evaluated.filters, together)
        if chosen is not None:
            chosen.by_value = values
            yield chosen


def _field_sets(frame: ResultFrame) -> Iterator[list[int]]:
    """Single fields and pairs that name rows, the telling ones first; what is measured names nothing."""
    fields = frame.dimensions
    usable = [
        place
        for place, field in enumerate(fields)
        if 1 < len(field.values) <= MOST_GROUPS and "/" not in field.name and field.name not in (*frame.measures, PLACE)
    ]
    usable.sort(key=lambda place: -len(fields[place].values))
    for count in (1, 2):
        for places in combinations(usable[:5], count):
            yield list(places)
    if fields and fields[-1].name == PLACE and len(fields[-1].values) <= MOST_GROUPS:
        yield [len(fields) - 1]


def _held(series: Series, values: Numbers) -> Numbers:
    """Bits of each number in each group that holds it: [number, group], in the measure that holds the most."""
    bits = np.where(series.fresh, digits_bits(series.value, series.unit), 0.0)
    best, most = np.zeros((len(bits), len(values))), 0.0
    for change in transformations(series):
        if change.cost > 3:
            continue
        low, high = change.before(series.low, series.high)
        with np.errstate(invalid="ignore"):
            hit = (values[None] >= low[:, None, None]) & (values[None] <= high[:, None, None])
        # What every other group holds as well tells nothing.
        telling = -np.log2(np.maximum(hit.mean(axis=1), 1 / len(values)))
        worth = np.minimum(bits[:, None], telling) * hit.any(axis=1)
        measure = int(np.argmax(worth.sum(axis=0)))
        if worth[:, measure].sum() > most:
            most = float(worth[:, measure].sum())
            best = np.where(hit[:, :, measure], bits[:, None], 0.0)
    return best


def _assigned(
    view: FrameView, series: Series, places: list[int], groups: npt.NDArray[np.int32], held: Numbers
) -> Selection | None:
    """The group of each label that its numbers point at; None where fewer than two are found."""
    price = math.log2(len(groups))
    codes = np.full((len(held), len(places)), -1, np.int32)
    taken: set[int] = set()
    for number in np.argsort(-held.max(axis=1), kind="stable"):
        group = int(np.argmax(held[number]))
        rivals = np.delete(held[number], group)
        clear = held[number, group] >= price + _MARGIN and held[number, group] - rivals.max(initial=0.0) >= _MARGIN
        if not clear or group in taken or np.any(groups[group] < 0):
            continue
        if _contradicted(view, series, int(number), places, groups[group]):
            continue
        taken.add(group)
        codes[number] = groups[group]
    found = codes[:, 0] >= 0
    count = int(found.sum())
    if not count:
        return None
    # Where most labels are found, it needs no word which they are; rows may also stand among others, quoted ones.
    few = count < min(3, len(found)) or 2 * count < len(found)
    which = math.log2(math.comb(len(found), count)) if few else 0.0
    rows = np.ones((len(codes), view.frame.rows), bool)
    for column, place in enumerate(places):
        rows &= view.frame.dimensions[place].codes[None, :] == codes[:, column, None]
    rows[~found] = False
    return Selection(places, codes, rows, 4.0 + price * count + which)


def _contradicted(
    view: FrameView, series: Series, number: int, places: list[int], group: npt.NDArray[np.int32]
) -> bool:
    """Whether a label plainly names other rows: that would be a label beside another run's numbers."""
    fields = view.frame.dimensions
    rows = np.logical_and.reduce([fields[place].codes == code for place, code in zip(places, group, strict=True)])
    for place, field in enumerate(fields):
        match = view.best(place, series.varying[number])
        if match is not None and match.strength >= INSIDE and match.code not in field.codes[rows]:
            return True
    return False
