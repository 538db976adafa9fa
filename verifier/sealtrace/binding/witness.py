"""The labels' witness: what the records that a cell's labels name say, whatever the cell prints.

The search of `choosing` asks which formula gives the printed digits. This module asks the other question. A *reading*
says which rows of a frame the labels name, which measure the header names and which statistic the words name; it gives
a value for every cell whose labels it can read. Parts that no label says (a split, a unit) are taken from what other
cells of the table have established. A reading is heard only where other cells, of different values, follow from the
same rows; then it speaks of the remaining cells too, and contradicts those that print something else.

(1) Readings of every series: rows, fixed fields, measure, statistic, unit.
(2) What each reading gives, and which cells agree.
(3) How sure a prediction is, as odds: a column's formula is established by other rows, what a row's label means by
    other columns, and both together predict the cell where they cross.
(4) For each cell the reading that is best established; every value that the words leave open is heard before a cell
    is said to differ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sealtrace.binding import scoring
from sealtrace.binding.candidates import (
    ORDERED,
    SHOWN,
    SURE,
    Binding,
    Bound,
    BoundNumber,
    Candidate,
    Composed,
    Selected,
)
from sealtrace.binding.crossed_formulas import bind_exchanges
from sealtrace.binding.exchanges import EXCHANGED, RIVAL, exchanged_lines
from sealtrace.binding.hypotheses import FrameView
from sealtrace.binding.label_odds import LabelPrediction, predictions
from sealtrace.binding.label_readings import LITERAL, PLACES, STRONG, Heard, named_statistics, one_run
from sealtrace.binding.series import Grid, Series, Spot
from sealtrace.binding.slots import greatest, least
from sealtrace.binding.tally import Tally
from sealtrace.binding.weighing import printed_as, swapped_pair
from sealtrace.binding.whole_tables import (
    is_literal,
    literal_of_one_file,
    say_what_rows_are,
    stale_column,
    stale_columns,
    stale_table,
    take_back_other_runs,
)
from sealtrace.binding.wording import plain_field, rows_behind
from sealtrace.paper.names.words import likeness, squeezed, stems
from sealtrace.statistics.entries import TRIED

LEAST_BESIDE = 2
"""Other cells of different values that must follow by the same file, reading and statistic for an error."""
_NOT_BY_ACCIDENT = 3
"""Different numbers that a formula must give which labels do not name."""
_EVEN, _FEW = 0.5, 5.0
"""Odds from which a record that differs is shown beside an open number, and bits from which one that agrees is."""


def hear_labels(grids: list[Grid], views: list[FrameView], bound: Bound, tally: Tally, work: float) -> None:
    """Adds the cells that follow from what their labels name, or differ from it, with their odds; `work` bounds it."""
    limit = tally.work + work
    for grid in grids:
        if tally.over(limit) and not tally.late():
            tally.too_much.append(f"{grid.name}: what its labels name")
            continue
        if tally.late(f"{grid.name}: what its labels name"):
            break
        told = predictions(grid, views, bound, tally, limit)
        exchanged = exchanged_lines(grid, told)
        literal = [] if exchanged or any(spot in bound.numbers for spot in told) else literal_of_one_file(told)
        ordered = _set_aside(grid, bound)
        of_either: set[Spot] = set()
        if not literal:
            for spot, options in told.items():
                if _compare(spot, options, bound, ordered.get(spot)):  # (4)
                    of_either.add(spot)
        else:
            bound.doubts.append(stale_table(grid, literal))
        for option, other in exchanged:
            _bind(option.spot, option.said, option.place, bound, EXCHANGED, other)
        for column in stale_columns(told, bound) if not literal else ():
            bound.doubts.append(stale_column(grid, column))
            for option in column:
                _bind(option.spot, option.said, option.place, bound, SHOWN)
        for spot, number in list(bound.numbers.items()):
            if spot.table == grid.number and spot not in told and not number.agrees:
                _weigh(spot, number, [], bound)
        for spot, options in told.items():
            _with_its_half(spot, options, bound)
        if views:
            bind_exchanges(grid, bound, views[0].names.glossary)
        say_what_rows_are(grid, bound)
        for spot in of_either:
            if not (bound.numbers[spot].agrees or bound.numbers[spot].exchanged):
                del bound.numbers[spot]
        take_back_other_runs(grid, bound)
        for spot, options in told.items():
            if spot not in bound.numbers and (best := next(filter(_is_worth_showing, options), None)) is not None:
                bound.perhaps[spot] = (best.said.candidate(), best.place, best.odds)
    for grid in grids:
        _set_aside(grid, bound)  # those of tables that there was no time for
    for spot, number in list(bound.numbers.items()):
        if not number.agrees and number.odds is None:
            _weigh(spot, number, [], bound)  # What labels were not asked of is no error by itself.
    used = {id(number.binding) for number in bound.numbers.values()}
    bound.bindings = [one for one in bound.bindings if id(one) in used or one.candidate.agrees.any()]


def _set_aside(grid: Grid, bound: Bound) -> dict[Spot, Candidate]:
    """Takes out the numbers that only an order which nobody names explains; they say what a number is instead."""
    gone = [binding for binding in bound.bindings
            if binding.candidate.series.grid is grid and binding.candidate.chosen_by_order]  # fmt: skip
    ids = {id(binding) for binding in gone}
    found = {spot: number.binding.candidate for spot, number in bound.numbers.items() if id(number.binding) in ids}
    bound.remove(gone)
    return found


# (4) Cells that differ


def _compare(spot: Spot, options: list[LabelPrediction], bound: Bound, ordered: Candidate | None) -> bool:
    """Binds a number to what its labels name, where it follows from that or differs.

    True where it prints another of several rows that labels select: only a whole row that does so is another run.
    """
    known = bound.numbers.get(spot)
    if known is not None and not known.agrees:
        _weigh(spot, known, options, bound)
        return False
    instead = known.binding.candidate if known is not None else ordered
    # Words leave a unit, a split or a kind of spread open: what is nearly as well established is heard, too.
    best = options[0].odds
    agreeing = [option for option in options if option.agrees and option.odds >= best / RIVAL and option.named]
    if agreeing:
        if known is None and _is_enough(agreeing[0], bound):
            _bind(spot, agreeing[0].said, agreeing[0].place, bound)
        return False
    if isinstance(instead, Selected) and _filtered_unsaid(instead) and options[0].named and best >= SURE:
        instead = None  # Some filter gives nearly any digits; the numbers beside follow from the rows that labels name.
    for option in (option for option in options if option.named and not _is_said_beside(option)):
        said, place, sure, other = option.said, option.place, option.odds, ""
        if instead is not None:
            rows = _other_rows(said, place, instead)
            other = rows or _departure(said, place, instead, bound)
            if not other:
                continue
            # A formula of several cells that has another measure or statistic than words name is an exchange of a whole
            # column, of which no other cell follows as named; rows that are exchanged leave the other rows in place.
            # Numbers of one value would be an accident.
            if not rows and instead is not None:
                several = len(np.unique(instead.series.value[instead.agrees])) >= _NOT_BY_ACCIDENT
                sure = max(sure, EXCHANGED if several else 0.0)
        if option.evidence.shared or option.evidence.mixed:
            return False
        # Where labels select several rows and one of them is printed, it is open which of them is meant.
        if not option.evidence.line and _of_another_group(said.candidate(), place):
            return False
        candidate = said.candidate()
        if not other and candidate.picked and (not candidate.fixed or _told_filter(candidate) != candidate.fixed):
            _bind(spot, said, place, bound, SHOWN)
            return True
        if sure >= SHOWN and not option.agrees:
            enough = max(option.evidence.series, option.evidence.table) >= LEAST_BESIDE and not _filtered_unsaid(
                said.candidate()
            )
            enough = enough or sure == EXCHANGED
            _bind(spot, said, place, bound, sure if enough else min(sure, SURE - 1), other)
        if sure >= SHOWN or instead is None:
            return False
    return False


def _is_said_beside(option: LabelPrediction) -> bool:
    """Whether another number of the cell says what labels name: the 54 of `54 (45.8)` is no percentage."""
    slots = option.said.series.grid.cells[option.spot.row, option.spot.column].slots
    others = [slot for at, slot in enumerate(slots) if at != option.spot.slot]
    return not option.agrees and any(float(least(slot)) <= option.value <= float(greatest(slot)) for slot in others)


def _is_worth_showing(option: LabelPrediction) -> bool:
    """Whether what labels name is said of an open number: it is about as likely meant as not, or is what is printed."""
    if not option.named or option.evidence.mixed or option.evidence.shared:
        return False
    # What stands behind a number in a cell is of another kind, which labels seldom name.
    own = option.said.reading.determined or not option.spot.slot
    return own and (option.odds >= _EVEN or (option.agrees and option.bits >= _FEW))


def _row_follows(option: LabelPrediction, bound: Bound) -> bool:
    """Whether another number of its row is bound to the same files: two readings that agree may be chance."""
    grid, here = option.said.series.grid, option.spot
    beside = (replace(here, column=column, slot=slot) for column in range(len(grid.headers)) for slot in range(3))
    found = (bound.numbers.get(spot) for spot in beside if spot != here)
    files = option.said.reading.view.frame.files
    return any(number is not None and number.agrees and number.binding.candidate.files == files for number in found)


def _is_enough(agreeing: LabelPrediction, bound: Bound) -> bool:
    """Whether a number follows from what its labels name: by its digits, or since other numbers name its rows."""
    evidence = agreeing.evidence
    # The same in every row, an n proves nothing; another number of its row says which record is meant.
    # A measure that is the only one of its table is not thereby what a header names.
    literal = evidence.label >= LITERAL and (evidence.measure > LITERAL or agreeing.said.reading.determined)
    if evidence.line >= 1 and literal and not (evidence.mixed or evidence.shared) and _row_follows(agreeing, bound):
        return True
    if agreeing.said.reading.determined:
        return evidence.line >= LEAST_BESIDE or agreeing.said.bits() >= scoring.ACCEPTED
    return agreeing.odds >= SHOWN and agreeing.bits >= scoring.ACCEPTED


def _weigh(spot: Spot, known: BoundNumber, options: list[LabelPrediction], bound: Bound) -> None:
    """Hears the labels on a number that the search has pointed at: what they name follows, or gives its odds."""
    named = [option for option in options if option.named]
    best = max((option.odds for option in options), default=0.0)
    agreeing = [option for option in named if option.agrees and option.odds >= max(SHOWN, best / RIVAL)]
    if agreeing:
        _bind(spot, agreeing[0].said, agreeing[0].place, bound)
        return
    given = known.binding.candidate
    if swapped_pair(given.series, given.expected, given.covered & ~given.agrees):
        if _count_places(given.series):
            del bound.numbers[spot]
        else:
            known.odds, known.exchanged = EXCHANGED, _other_of_the_pair(known)
        return
    some_order = any(one.statistic in ORDERED and _filtered_unsaid(one) for one in given.selected)
    if some_order or (isinstance(given, Selected) and _of_another_group(given, known.place)):
        # Some filter and some order give nearly any digits; another pair, or another filter, may be meant here.
        del bound.numbers[spot]
        return
    slot, value = given.series.slots[known.place], float(given.expected[known.place])
    same = [option.odds for option in named if printed_as(option.value, slot) == printed_as(value, slot)]
    agreeing_values = np.unique(given.series.value[given.agrees])
    plain = is_literal(known) and len(agreeing_values) >= LEAST_BESIDE and not _all_depart(spot, given.series, bound)
    if isinstance(given, Composed):
        plain = plain and given.operation.said(given.series.constant[0])
    # What no label predicts is only like what is printed, unless rows and columns are named letter by letter, or the
    # header says how the number is made of others.
    odds = max(SHOWN, SURE if plain else SHOWN, *same)
    known.odds = min(odds, SURE - 1) if any(map(_filtered_unsaid, given.selected)) else odds


def _all_depart(spot: Spot, series: Series, bound: Bound) -> bool:
    """Whether all that results say of the line of a number, its row or its column, is something else than printed."""
    along = [number for other, number in bound.numbers.items() if other.table == spot.table and other != spot
             and series.line(other) == series.line(spot)]  # fmt: skip
    return bool(along) and not any(number.agrees for number in along)


def _other_of_the_pair(number: BoundNumber) -> str:
    """The row, or column, whose number a number is that was exchanged with it."""
    given = number.binding.candidate
    wrong = np.nonzero(given.covered & ~given.agrees)[0]
    spot = next(given.series.spots[place] for place in wrong if place != number.place)
    grid = given.series.grid
    return grid.row_name(spot.row) if given.series.kind == "column" else grid.headers[spot.column]


def _count_places(series: Series) -> bool:
    """Whether labels only count where they stand, (1), (2), (3): results may be numbered in another order."""
    own = [{label.text.strip("()[]# ") for label in labels} for labels in series.varying]
    return all(str(place) in texts for place, texts in enumerate(own, 1))


def _filtered_unsaid(given: Selected) -> bool:
    """Whether a field is fixed to a value that no label says: digits of too few numbers to be a rule chose it, and
    labels may mean another."""
    return (told := _told_filter(given)) != given.fixed and given.choices(told) < scoring.ACCEPTED


def _told_filter(given: Selected) -> tuple[tuple[str, str], ...]:
    """The fixed values that labels say."""
    return tuple((name, value) for name, value in given.fixed if not value or any(
        squeezed(value) in squeezed(text) or likeness(stems(text), value) >= STRONG for text in given.series.constant
    ))  # fmt: skip


def _of_another_group(given: Selected, place: int) -> bool:
    """Whether numbers of other groups of rows alone chose a filter that no label says: each group may have its own."""
    codes = given.selection.codes
    groups = [column[given.agrees].tolist() for column in codes.T if column[place] not in column[given.agrees]]
    return any(len(set(own)) < len(own) for own in groups) and _told_filter(given) != given.fixed


def _with_its_half(spot: Spot, options: list[LabelPrediction], bound: Bound) -> None:
    """A number behind ± has the measure and the rows of the number before it, also where that was exchanged."""
    known, first = bound.numbers.get(spot), bound.numbers.get(replace(spot, slot=0))
    if not spot.slot or known is None or not known.agrees or first is None or not first.exchanged:
        return
    whole, instead = first.binding.candidate, known.binding.candidate
    if not isinstance(whole, Selected) or not isinstance(instead, Selected) or instead.statistic == whole.statistic:
        return
    for option in options:
        reading = option.said.reading
        # Which spread it is, the others behind ± say: another one of the same rows is no sign of an exchange.
        own = reading.measure, reading.fixed, reading.statistic, reading.transformation.name
        wanted = whole.measure, whole.fixed, instead.statistic, whole.transformation.name
        if own == wanted and option.named:
            if not option.agrees:
                _bind(spot, option.said, option.place, bound, first.odds, first.exchanged)
            return


def _is_alike(said: Heard, place: int, given: Candidate) -> bool:
    """Whether a formula that gives the printed digits reads the same file in the same unit, by its labels' names: the
    same thing may be released twice, and labels that were read by value name nothing."""
    reading = said.reading
    return (
        isinstance(given, Selected)
        and said.strengths[place] >= LITERAL
        and given.selection.by_value is None
        and given.frame is reading.view.frame
        and given.transformation.name == reading.transformation.name
    )


def _other_rows(said: Heard, place: int, given: Candidate) -> str:
    """The rows that give the printed digits, where the cell's labels name others outright."""
    spot = said.series.spots[place]
    if not isinstance(given, Selected) or not _is_alike(said, place, given) or spot not in given.series.spots:
        return ""
    behind = rows_behind(given, given.series.spots.index(spot))
    for wanted, name in zip(said.reading.selection.codes[place], said.reading.selection.fields, strict=True):
        field = said.reading.view.frame.dimensions[name]
        found = np.unique(field.codes[behind])
        if wanted >= 0 and len(found) and wanted not in found:
            return f"{field.name} = {', '.join(field.values[code] for code in found[:3] if code >= 0)}"
    return ""


def _departure(said: Heard, place: int, given: Candidate, bound: Bound) -> str:
    """The run or statistic of a formula that gives the printed digits, where labels name another one outright."""
    reading, view = said.reading, said.reading.view
    if not isinstance(given, Selected) or not _is_alike(said, place, given) or said.series.spots[0].slot:
        return ""
    if given.measure != reading.measure:
        # Exchanged columns: this header is the name of one measure, and another header that of the other.
        headers = {squeezed(header) for header in said.series.grid.headers}
        outright = squeezed(said.series.constant[0]) == squeezed(reading.measure) != squeezed(given.measure)
        plain = given.statistic == reading.statistic == "mean"
        return given.measure if outright and plain and squeezed(given.measure) in headers else ""
    told = dict(reading.fixed)
    for name, value in given.fixed if said.series.kind == "column" else ():
        # Exchanged columns whose headers are values of a field; what a caption names is no header.
        own = view.said([one.name for one in view.frame.dimensions].index(name), said.series.constant[:1])
        if name in told and told[name] != value and own is not None and own.strength >= LITERAL:
            return f"{plain_field(name)} = {value}"
    if given.statistic == reading.statistic:
        run = one_run(view, said.series, reading.selection.chosen & view.frame.having(reading.fixed),
                      given.selection.chosen & view.frame.having(given.fixed))  # fmt: skip
        name, _, value = run.removesuffix(" alone").partition(" = ")
        # A header that says the run, `at 318 K`, is of that one, and so are columns that follow from a run each.
        parts = [part for one in bound.bindings for part in one.candidate.selected if part.measure == given.measure]
        runs = {dict(part.fixed).get(name) for part in parts if part.series.grid is said.series.grid} - {None}
        said_so = squeezed(value) in map(squeezed, said.series.constant[0].split())
        return run if len(runs) < 2 and not said_so else ""
    spot = said.series.spots[place]
    behind = said.series.grid.cells[spot.row, spot.column].slots[1:]
    # What varies around it is said behind ±, so that it is a mean.
    named = named_statistics(view, said.series) or ["mean" for slot in behind if slot.role == "sd"]
    if reading.statistic in named and given.statistic not in named and {reading.statistic, given.statistic} <= PLACES:
        return f"the {TRIED['values'][given.statistic].text}"
    return ""


def _bind(spot: Spot, said: Heard, place: int, bound: Bound, chance: float | None = None, exchanged: str = "") -> None:
    """Binds a number to what its labels name, in the formula that says so already where there is one."""
    candidate = said.candidate()
    for binding in bound.bindings:
        other = binding.candidate
        if isinstance(other, Selected) and _formula(other) == _formula(candidate):
            other.expected[place], other.agrees[place] = candidate.expected[place], candidate.agrees[place]
            break
    else:
        here = np.arange(len(said.expected)) == place
        candidate.expected = np.where(here, said.expected, np.nan)
        candidate.agrees = candidate.agrees & here
        binding = Binding(candidate, said.bits())
        bound.bindings.append(binding)
    bound.numbers[spot] = BoundNumber(binding, place, odds=chance, exchanged=exchanged)


def _formula(candidate: Selected) -> tuple[object, ...]:
    rows = candidate.selection.codes.tobytes(), tuple(candidate.selection.fields)
    spots = tuple((spot.table, spot.row, spot.column, spot.slot) for spot in candidate.series.spots)
    return (
        spots, candidate.frame.name, candidate.measure, candidate.statistic, candidate.transformation.name,
        tuple(sorted(candidate.fixed)), rows,
    )  # fmt: skip
