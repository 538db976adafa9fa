"""Tables and rows as a whole, none of whose numbers is what the record of their labels says.

One wrong number is a finding; a table without a right one is stale, a row another run, and two rows that print each
other's numbers were exchanged.
"""

from __future__ import annotations

import math
from itertools import combinations

from sealtrace.binding.candidates import Bound, BoundNumber, Doubt, Selected
from sealtrace.binding.label_odds import LabelPrediction
from sealtrace.binding.label_readings import LITERAL
from sealtrace.binding.series import Grid, Spot
from sealtrace.binding.weighing import printed_as
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
    near = [one for one in found if one.far <= math.log10(2)]
    if 2 * len({one.value for one in found}) < len(found):
        return []  # A mean over all rows is nothing that labels tell apart.
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


def take_back_other_runs(grid: Grid, bound: Bound) -> None:
    """Takes back what differs in rows all of whose numbers do, where the label is only like the record's name.

    `Ours [7]` beside a record `ours` with two other numbers is another run, as likely as not.
    """
    rows: dict[int, list[tuple[Spot, BoundNumber]]] = {}
    for spot, number in bound.numbers.items():
        if spot.table == grid.number:
            rows.setdefault(spot.row, []).append((spot, number))
    for row, members in rows.items():
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
