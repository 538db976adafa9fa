"""Tables and rows as a whole, none of whose numbers is what the record of their labels says.

One wrong number is a finding; a table without a right one is stale, a row another run, and two rows that print each
other's numbers were exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sealtrace.binding import scoring
from sealtrace.binding.candidates import Bound, BoundNumber, Doubt, Selected
from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.label_odds import LabelPrediction
from sealtrace.binding.label_readings import LITERAL
from sealtrace.binding.series import Grid, Spot
from sealtrace.binding.weighing import Truths, printed_as
from sealtrace.binding.wording import plain_field, rows_behind
from sealtrace.paper.names.words import squeezed

LEAST_STALE = 4
"""Numbers of a table that must all be something else for it to be called stale."""
_ALL_OF = 2
"""Numbers of a row that must all disagree to be those of another run, or of another row."""


def literal_of_one_file(told: dict[Spot, list[LabelPrediction]]) -> list[LabelPrediction]:
    """What the file says that the labels of most numbers name outright, where it is none of them.

    Values that are near what is printed are another run of the same thing; others are another thing, and nothing is
    returned.
    """
    files: dict[str, list[LabelPrediction]] = {}
    for options in told.values():
        for name in {option.said.reading.view.frame.name for option in options}:
            own = [option for option in options if option.said.reading.view.frame.name == name]
            literal = [one for one in own if one.named and one.evidence.label >= LITERAL <= one.evidence.measure
                       and not (one.evidence.mixed or one.evidence.shared)]  # fmt: skip
            if literal and not any(option.agrees for option in own):
                files.setdefault(name, []).append(min(literal, key=lambda option: option.far))
    found = max(files.values(), key=len, default=[])
    # A mean over all rows is nothing that labels tell apart.
    records = {(one.said.line(one.place), one.said.reading.measure, one.said.reading.fixed) for one in found}
    if 2 * len(records) <= len(found):
        return []
    near = [one for one in found if one.far <= math.log10(2)]
    few = len(found) < LEAST_STALE or 2 * len(found) < len(told) or len({one.spot.row for one in found}) < 2
    return [] if few or 4 * len(near) < 3 * len(found) else found


def exchanged_rows(grid: Grid, found: list[LabelPrediction]) -> list[tuple[LabelPrediction, str]]:
    """Predictions for rows that print what the record of another row says in every column, and the other row's name.

    Two rows that are the whole table leave no row that follows as named, but both follow from the same file.
    """
    rows: dict[int, dict[tuple[int, int], LabelPrediction]] = {}
    for option in found:
        rows.setdefault(option.spot.row, {})[option.spot.column, option.spot.slot] = option
    pairs: list[tuple[LabelPrediction, str]] = []
    for first, second in combinations(rows, 2):
        one, two = rows[first], rows[second]
        if (
            one.keys() == two.keys()
            and len({column for column, _ in one}) >= _ALL_OF
            and all(one[key].printed_by(two[key].value) and two[key].printed_by(one[key].value) for key in one)
        ):
            pairs += [(option, grid.row_name(second)) for option in one.values()]
            pairs += [(option, grid.row_name(first)) for option in two.values()]
    return pairs


def stale_table(grid: Grid, found: list[LabelPrediction]) -> Doubt:
    """What is said of a table none of whose numbers is what the file says that its labels name outright."""
    name = found[0].said.reading.view.frame.name
    slots = [(one, one.said.series.slots[one.place]) for one in found[:3]]
    shown = ", ".join(f"{slot.text} where it says {printed_as(one.value, slot)}" for one, slot in slots)
    return Doubt(grid, "stale-table", f"{grid.name}: none of {len(found)} numbers is what {name} says, whose rows and "
                 f"columns its labels name ({shown}); the table is probably stale, or the file is")  # fmt: skip


def _by_row(grid: Grid, bound: Bound) -> dict[int, list[tuple[Spot, BoundNumber]]]:
    rows: dict[int, list[tuple[Spot, BoundNumber]]] = {}
    for spot, number in bound.numbers.items():
        if spot.table == grid.number:
            rows.setdefault(spot.row, []).append((spot, number))
    return rows


def name_other_runs(grid: Grid, bound: Bound) -> None:
    """Says which other value of a fixed field the numbers of a row are that differ, where one value gives them all.

    One number is there by accident too often; the odds stay what they were, since labels may mean just that value.
    """
    for members in _by_row(grid, bound).values():
        wrong = [number for _, number in members if not number.agrees and not number.exchanged]
        if len({spot.column for spot, number in members if number in wrong}) < _ALL_OF:
            continue
        same = reduce(set.intersection, map(_what_it_is, wrong))
        if len(same) == 1:
            ((field, value),) = same
            for number in wrong:
                number.exchanged = f"{plain_field(field)} = {value}"


def _what_it_is(number: BoundNumber) -> set[tuple[str, str]]:
    """Fixed fields and other values of these that give what is printed."""
    given, place = number.part
    if not isinstance(given, Selected):
        return set()
    found = set()
    for name, value in given.fixed:
        options = with_another_value(given, name, [place])
        found |= {(name, other) for other, same in options.items() if other != value and same[0]}
    return found


def with_another_value(given: Selected, name: str, places: Sequence[int] | npt.NDArray[np.int64]) -> dict[str, Truths]:
    """For each value of a fixed field that has rows for all these numbers, which of them it gives as printed."""
    field = next(dimension for dimension in given.frame.dimensions if dimension.name == name)
    rest = replace(given, fixed=tuple(pair for pair in given.fixed if pair[0] != name))
    rows = np.zeros((len(places), given.frame.rows), bool)
    for at, place in enumerate(places):
        rows[at, rows_behind(rest, int(place))] = True
    found = {}
    for code, value in enumerate(field.values):
        own = rows & (field.codes == code)[None, :]
        evaluated = evaluate(given.frame, own, [], statistics=[given.statistic]) if own.any(axis=1).all() else None
        if evaluated is not None and given.statistic in evaluated.statistics:
            values = evaluated.of(given.statistic)[:, 0, given.frame.measures.index(given.measure)]
            expected = given.transformation(values)
            found[value] = scoring.hits(expected, given.series.low[places], given.series.high[places])
    return found


def take_back_other_runs(grid: Grid, bound: Bound) -> None:
    """Takes back what differs in rows all of whose numbers do, where the label is only like the record's name.

    `Ours [7]` beside a record `ours` with two other numbers is another run, as likely as not.
    """
    for row, members in _by_row(grid, bound).items():
        if len({spot.column for spot, _ in members}) < _ALL_OF or any(
            number.agrees or number.exchanged or is_literal(number) for _, number in members
        ):
            continue
        shown = ", ".join(f"{number.slot.text} where it says {printed_as(number.value, number.slot)}"
                          for _, number in members[:3])  # fmt: skip
        file = members[0][1].binding.candidate.selected[0].frame.name
        bound.doubts.append(
            Doubt(grid, "another-run", f"{grid.name}: none of {len(members)} numbers of row {grid.row_name(row)} is "
                  f"what {file} says ({shown}); it is probably another run")
        )  # fmt: skip
        for spot, _ in members:
            del bound.numbers[spot]


def is_literal(number: BoundNumber) -> bool:
    """Whether the labels of a number are the values by which its rows are selected, letter by letter."""
    given, place = number.part
    if not isinstance(given, Selected):
        return True
    labels = {squeezed(label.text) for label in given.series.varying[place]}
    pairs = zip(given.selection.fields, given.selection.codes[place], strict=True)
    named = [squeezed(given.frame.dimensions[field].values[code]) in labels for field, code in pairs if code >= 0]
    return any(named)
