"""Tables and rows as a whole, none of whose numbers is what the record of their labels says.

One wrong number is a finding; a table without a right one is stale, a row another run, and two rows that print each
other's numbers were exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
import numpy.typing as npt

from sealtrace.binding import scoring
from sealtrace.binding.candidates import SURE, Binding, Bound, BoundNumber, Doubt, Selected
from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.hypotheses import rows_named
from sealtrace.binding.label_odds import LabelPrediction
from sealtrace.binding.label_readings import LITERAL
from sealtrace.binding.series import Grid, Spot
from sealtrace.binding.weighing import Truths, printed_as
from sealtrace.binding.wording import formula_of, plain_field
from sealtrace.paper.names.index import AROUND
from sealtrace.paper.names.words import squeezed

_NEAR = 10.0
"""Bits by which numbers of another version are near those printed together: 2 if one is four fifths of the other, none
if it is half, and fewer if it is less, since that is another thing."""
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
    few = 2 * len(found) < len(told) or len({one.spot.row for one in found}) < 2
    return found if _is_near(found) and not few else []


def _is_near(found: list[LabelPrediction]) -> bool:
    """Whether results say nearly what is printed in so many places that it is another version of the same thing."""
    shares = (min(0.99999, 10.0**-option.far) for option in found)  # of the larger number, the smaller one
    return sum(math.log2(share / (1 - share)) for share in shares) >= _NEAR


def stale_columns(told: dict[Spot, list[LabelPrediction]], bound: Bound) -> Iterator[list[LabelPrediction]]:
    """Columns that nothing explains and none of whose numbers is what the one record says that their labels name,
    although other columns follow from these records."""
    columns: dict[int, dict[int, list[LabelPrediction]]] = {}
    for option in (one for spot, options in told.items() if spot not in bound.numbers for one in options):
        said, evidence = option.said, option.evidence
        literal = option.named and evidence.label >= LITERAL and evidence.measure >= AROUND and evidence.line
        literal = literal and said.sizes[option.place] == 1  # Of several records any statistic may be meant.
        if said.series.kind == "column" and literal and not (said.agrees.any() or evidence.mixed or evidence.shared):
            columns.setdefault(option.spot.column, {}).setdefault(id(said), []).append(option)
    for readings in columns.values():
        found = max(readings.values(), key=lambda own: (len(own), -sum(option.far for option in own)))
        # What other rows mean, other files may say.
        if 4 * len(found) >= 3 * int(found[0].said.covered.sum()) and len(found) > _ALL_OF and _is_near(found):
            yield found


def stale_column(grid: Grid, found: list[LabelPrediction]) -> Doubt:
    """What is said of a column, of which no number follows beside others that do."""
    formula, header = formula_of(found[0].said.candidate()), grid.headers[found[0].spot.column]
    return Doubt(grid, "stale-column", f"{grid.name}: none of {len(found)} numbers of {header} is what {formula} says, "
                 f"whose records give other columns ({_shown(found)}); the column is probably stale, or the file is",
                 frozenset(one.spot for one in found))  # fmt: skip


def _shown(found: list[LabelPrediction]) -> str:
    slots = [(one, one.said.series.slots[one.place]) for one in found[:3]]
    return ", ".join(f"{slot.text} where it says {printed_as(one.value, slot)}" for one, slot in slots)


def stale_table(grid: Grid, found: list[LabelPrediction]) -> Doubt:
    """What is said of a table none of whose numbers is what the file says that its labels name outright."""
    name = found[0].said.reading.view.frame.name
    return Doubt(grid, "stale-table", f"{grid.name}: none of {len(found)} numbers is what {name} says, whose rows and "
                 f"columns its labels name ({_shown(found)}); the table is probably stale, or the file is")  # fmt: skip


def _by_row(grid: Grid, bound: Bound) -> dict[int, list[tuple[Spot, BoundNumber]]]:
    rows: dict[int, list[tuple[Spot, BoundNumber]]] = {}
    for spot, number in bound.numbers.items():
        if spot.table == grid.number:
            rows.setdefault(spot.row, []).append((spot, number))
    return rows


def say_what_rows_are(grid: Grid, bound: Bound) -> None:
    """Rows that differ in several columns, all of whose numbers another value of one field gives: another run, or
    another row, is named; a label that is only like both values means the one that it prints.

    One number is there by accident too often. Such a row is probably wrong, and no error: labels may mean that value.
    """
    for members in _by_row(grid, bound).values():
        wrong = {spot: number for spot, number in members if not number.agrees and not number.exchanged}
        if len({spot.column for spot in wrong}) < _ALL_OF:
            continue
        same = reduce(set.intersection, map(_what_it_is, wrong.values()))
        if len(same) != 1:
            continue
        ((field, value),) = same
        if any(map(is_literal, wrong.values())) or not all(_is_selected_by(one, field) for one in wrong.values()):
            for number in wrong.values():
                number.exchanged = f"{plain_field(field)} = {value}"
                number.odds = max(number.odds or 0.0, SURE - 1)
        elif sum(map(_bits, wrong.values())) >= scoring.ACCEPTED:
            for spot, number in wrong.items():
                bound.numbers[spot] = _with_value(number, field, value)
                bound.bindings.append(bound.numbers[spot].binding)


def _is_selected_by(number: BoundNumber, name: str) -> bool:
    """Whether a label of the number was read as a value of a field."""
    (given,) = number.binding.candidate.selected
    return name in (given.frame.dimensions[place].name for place in given.selection.fields)


def _bits(number: BoundNumber) -> float:
    series = number.binding.candidate.series
    return float(scoring.digits_bits(series.value, series.unit)[number.place])


def _what_it_is(number: BoundNumber) -> set[tuple[str, str]]:
    """Fields that select its rows, and other values of these that give what is printed."""
    given, place = number.part
    if not isinstance(given, Selected) or given.selection.by_value is not None:
        return set()
    fields, codes = given.selection.fields, given.selection.codes[place]
    read = [(given.frame.dimensions[field], code) for field, code in zip(fields, codes, strict=True)]
    own = {*given.fixed, *((field.name, field.values[code]) for field, code in read if code >= 0)}
    found = set()
    for name, value in own:
        options = with_another_value(given, name, [place])
        found |= {(name, other) for other, same in options.items() if other != value and same[0]}
    return found


def _rows_but_for(given: Selected, name: str, place: int) -> Truths:
    """The rows that all that selects a number leaves, but for one field."""
    rows = given.frame.having((field, value) for field, value in given.fixed if field != name)
    for at, codes in zip(given.selection.fields, given.selection.codes.T, strict=True):
        if given.frame.dimensions[at].name != name:
            rows &= rows_named(given.frame.dimensions[at], codes[[place]])[0]
    return rows


def with_another_value(given: Selected, name: str, places: Sequence[int] | npt.NDArray[np.int64]) -> dict[str, Truths]:
    """For each value of a field that has rows for all these numbers, which of them it gives as printed."""
    field = given.frame.field(name)
    rows = np.array([_rows_but_for(given, name, int(place)) for place in places])
    found = {}
    for code, value in enumerate(field.values):
        own = rows & (field.codes == code)[None, :]
        evaluated = evaluate(given.frame, own, [], statistics=[given.statistic]) if own.any(axis=1).all() else None
        if evaluated is not None and given.statistic in evaluated.statistics:
            values = evaluated.of(given.statistic)[:, 0, given.frame.measures.index(given.measure)]
            expected = given.transformation(values)
            found[value] = scoring.hits(expected, given.series.low[places], given.series.high[places])
    return found


def _with_value(number: BoundNumber, name: str, value: str) -> BoundNumber:
    """The number as another value of a field gives it, which its label means as well."""
    given, place = number.part
    assert isinstance(given, Selected)
    field = given.frame.field(name)
    column = [given.frame.dimensions[at].name for at in given.selection.fields].index(name)
    codes, chosen = given.selection.codes.copy(), given.selection.chosen.copy()
    codes[place, column] = field.code_of[value]
    chosen[place] = _rows_but_for(given, name, place) & (field.codes == field.code_of[value])
    here = np.arange(len(given.expected)) == place
    candidate = replace(
        given, selection=replace(given.selection, codes=codes, chosen=chosen),
        expected=np.where(here, given.series.value, np.nan), agrees=here,
    )  # fmt: skip
    return BoundNumber(Binding(candidate, _bits(number)), place)


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
