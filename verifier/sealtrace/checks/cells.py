"""Printed tables: every cell, its recipe and its marks."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import PurePath

from sealtrace.bundle.defects import ended
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.printed import PrintedNumbers, printed_numbers
from sealtrace.checks.registry import check, lacking
from sealtrace.paper.model import Paper, Row, Table
from sealtrace.paper.papers import read_paper
from sealtrace.paper.quoted import quoted_numbers
from sealtrace.paper.reported import with_printed
from sealtrace.recipes.cell_results import CellResult
from sealtrace.recipes.cells import TableCell, cells_in, cells_of, marked_groups, undirected, wrong_marks
from sealtrace.recipes.judgement import WARNINGS, CellStatus
from sealtrace.recipes.populations import values_in

_no_tables = lacking("table", "the bundle reports no table")


def _key(cell: TableCell) -> dict[str, str]:
    return {"table": cell.table, "row": cell.row, "column": cell.column}


def _told(sentence: str, cell: TableCell) -> str:
    """A sentence, and where the paper prints the cell; the record's own place is the finding's source."""
    place = f" Printed at {cell.source}:{cell.line}." if cell.source and cell.line else ""
    return f"{sentence.removesuffix('.')}.{place}"


@check("table.shape", "tables", unless=_no_tables, of=printed_numbers)
def shape(printed: PrintedNumbers, outcome: Outcome) -> None:
    seen: dict[str, str] = {}
    for table in printed.tables:
        outcome.inspected += 1
        path, key = table.path or "", {"table": table.label}
        if (first := seen.get(table.label)) is not None:
            message = "Two table records have the same label. Keep one, or rename one."
            outcome.at(path, key).error("/label", message, f"only {first}", path)
        seen[table.label] = path
        for row, pointer, message, expected, found in _misshapen(table):
            outcome.at(path, key | row).error(pointer, message, expected, found)
        _other_units(outcome, cells_in(printed.evidence, path))


def _misshapen(table: Table) -> Iterator[tuple[dict[str, str], str, str, str, str]]:
    """Where labels, marks, lines and cells of a table do not fit together: the row, the pointer, and what is said."""
    columns = table.headers
    for name, labels in (("columns", columns), ("rows", tuple(row.label for row in table.rows))):
        for place, label in enumerate(labels):
            if label in labels[:place]:
                message = f"Two {name} have the label {label!r}, so their cells cannot be told apart. Rename one."
                yield {}, f"/{name}/{place}/label", message, "labels that differ", label
    for place, row in enumerate(table.rows):
        key, known = {"row": row.label}, set(columns)
        for name, named in (("marks", row.marks), ("recipes", row.recipes), ("printing", row.printing)):
            for column in sorted(set(named) - known):
                message = f"The row's {name} name a column that the table does not have."
                yield key, f"/rows/{place}/{name}", message, ", ".join(sorted(known)), column
        cells, lines = len(row.cells), len(row.lines)
        if lines not in (0, cells):
            message = "The row needs one line number per cell."
            yield key, f"/rows/{place}/lines", message, f"{cells} lines", f"{lines} lines"
        if cells != len(columns):
            message = "The row needs one cell per column."
            yield key, f"/rows/{place}/cells", message, f"{len(columns)} cells", f"{cells} cells"


def _other_units(outcome: Outcome, table: list[TableCell]) -> None:
    """One number with another unit than all others of its column: records hold numbers, and tell no unit apart."""
    columns: dict[str, list[TableCell]] = {}
    for cell in table:
        # Numbers of the text stand in one column without having anything in common.
        if cell.role == "number" and cell.printed is not None and cell.printed.numeric and not cell.quotation:
            columns.setdefault(cell.column, []).append(cell)
    for cells in columns.values():
        units = Counter(_unit(cell) for cell in cells)
        (usual, times), *others = units.most_common()
        if times > 2 and sum(count for _, count in others) == 1:
            odd = next(cell for cell in cells if _unit(cell) != usual)
            message = "The number has another unit than all others of its column. Print the same one, or none."
            units_of = usual or "no unit", _unit(odd) or "no unit"
            outcome.at(odd.record, _key(odd)).warning(odd.pointer, message, *units_of)


def _unit(cell: TableCell) -> str:
    assert cell.printed is not None
    return " ".join(dict.fromkeys(part.suffix for part in cell.printed.parts if part.suffix))


@check("table.source", "tables", unless=_no_tables, of=printed_numbers)
def source(printed: PrintedNumbers, outcome: Outcome) -> None:
    """Tables that a manuscript of the bundle prints are read from it again."""
    transcribed = []
    for table in printed.tables:
        spot = outcome.at(table.path or "", {"table": table.label})
        if not (found := printed.in_manuscripts(table)):
            transcribed.append(spot)
            continue
        outcome.inspected += 1
        for path, reported in found:
            if reported is None:
                message = (
                    f"The sealed {path} has no table with this label. Correct the label, or seal the right manuscript."
                )
                spot.error("/label", message, table.label, "no such table")
            else:
                for pointer, what, due, given in _differences(reported, table):
                    spot.error(pointer, f"The sealed {path} prints {what}. Correct the record.", due, given)
    for path in printed.unused_manuscripts:
        due = f"report/manuscript.{PurePath(path).name}"
        message = f"This looks like the manuscript, but attachments are not compared with tables. Seal it as {due}."
        outcome.at(path).note(None, message)
    if not outcome.inspected:
        outcome.not_applicable = "no table names a manuscript that is in the bundle: its cells are as transcribed"
    else:
        for spot in transcribed:
            spot.note("/source", "No sealed manuscript prints this table: its cells are as transcribed.")
    if unreported := printed.unreported:
        outcome.missing = f"a sealed manuscript prints tables that no record reports: {', '.join(unreported)}"
    elif outcome.inspected and (doubts := printed.doubts) and not printed.settled_by_pages:
        outcome.missing = f"what a sealed manuscript prints is not certain ({len(doubts)} doubts, first {doubts[0]})"


@check("table.page", "tables", unless=_no_tables, of=printed_numbers)
def page(printed: PrintedNumbers, outcome: Outcome) -> None:
    """Tables are compared with the pages that print them."""
    if not printed.bundle.pages:
        outcome.not_applicable = "no PDF of the manuscript is sealed: tables are read from their source only"
        return
    for table in printed.tables:
        places = printed.on_pages[table.label]
        outcome.inspected += bool(places)
        spot = outcome.at(table.path or "", {"table": table.label})
        for path, found in places:
            for one in found.differences:
                spot.error(
                    one.pointer,
                    f"The sealed page says something else. {one.message} See {path}.",
                    one.expected,
                    one.found,
                )
    if unsettled := printed.unsettled_on_pages:
        more = f" and {len(unsettled) - 1} more" if len(unsettled) > 1 else ""
        outcome.missing = f"the sealed PDF does not settle what is printed: {unsettled[0]}{more}"


def _differences(due: Table, given: Table) -> Iterator[tuple[str, str, str, str]]:
    """Where a sealed table is not what was printed: the pointer, what is printed, and both."""
    for part, there, here in (("rows", due.rows, given.rows), ("columns", due.columns, given.columns)):
        if len(there) != len(here):
            yield f"/{part}", f"another number of {part}", f"{len(there)} {part}", f"{len(here)} {part}"
    headings, names = ([_signs(part.label) for part in parts] for parts in (due.columns, due.rows))
    for place, (column, own) in enumerate(zip(due.columns, given.columns, strict=False)):
        if _letters(column.label) != _letters(own.label) or _exchanged(own.label, place, headings):
            yield f"/columns/{place}/label", "another label over the column", column.label, own.label
        if column.direction not in (None, own.direction):
            said = own.direction or "nothing"
            yield f"/columns/{place}/direction", "an arrow that says otherwise", column.direction or "", said
    labels = [_letters(row.label) for row in due.rows]
    for place, (row, given_row) in enumerate(zip(due.rows, given.rows, strict=False)):
        printed = _letters(" ".join((row.label, *row.texts)))
        other = (label := _letters(given_row.label)) != labels[place] and (label in labels or label not in printed)
        if other or _exchanged(given_row.label, place, names):
            yield f"/rows/{place}/label", "another row here", row.label, given_row.label
        for index, (text, said) in enumerate(zip(row.texts, given_row.texts, strict=False)):
            if _plain(text) != _plain(said):
                yield f"/rows/{place}/cells/{index}", "something else here", text, said
        if given_row.line is not None and row.line not in (None, given_row.line):
            yield f"/rows/{place}/line", "this row on another line", str(row.line), str(given_row.line)
        if given_row.lines and row.lines and given_row.lines != row.lines:
            yield f"/rows/{place}/lines", "this row on another line", str(list(row.lines)), str(list(given_row.lines))
        marked = [sorted(_marked(table, at)) for table, at in ((due, row), (given, given_row))]
        if marked[0] != marked[1]:
            due_marks, given_marks = (", ".join(labels) or "none" for labels in marked)
            yield f"/rows/{place}/marks", "other marks", due_marks, given_marks


def _marked(table: Table, row: Row) -> Iterator[str]:
    """The places that a row marks among those that hold numbers: a name in bold ranks nothing."""
    for column, cell in zip(table.columns, row.cells, strict=False):
        if cell.mark and cell.printed is not None and cell.printed.numeric:
            yield f"{_letters(column.label)} {cell.mark}"


def _plain(text: str) -> str:
    return "".join(text.split())


def _signs(label: str) -> str:
    return _plain(unicodedata.normalize("NFC", label))


def _letters(label: str) -> str:
    """What tells labels apart: not how they are set or encoded, nor arrows; of one without letters, its signs."""
    plain = _signs(label).casefold()
    return "".join(character for character in plain if character.isalnum()) or plain


def _exchanged(label: str, place: int, printed: list[str]) -> bool:
    """Whether a label is, sign by sign, what is printed in another place and not in its own: ours† for ours."""
    return (signs := _signs(label)) != printed[place] and signs in printed


@check("table.recipes", "recipes", unless=_no_tables, of=printed_numbers)
def recipes(printed: PrintedNumbers, outcome: Outcome) -> None:
    results = printed.results
    outcome.inspected = sum(result.recipe is not None for result in results)
    if not outcome.inspected:
        outcome.not_applicable = "no cell has a recipe"
    for result in results:
        if result.problem is not None:
            at, expected = outcome.at(result.cell.record, _key(result.cell)), "a recipe that the records can follow"
            message = f"The recipe cannot be followed: {ended(result.problem)} `sealtrace try` helps to mend it."
            at.error(result.cell.pointer, message, expected, result.recipe)
    for clash in printed.clashes:
        outcome.at("declare/names.json").error("/printed", f"A printed name stands for one entity: {clash}.")
    unsaid: dict[tuple[str, str, str], TableCell] = {}
    for result in results:
        for choice in result.unsaid:
            unsaid.setdefault((result.cell.table, result.cell.column, choice), result.cell)
    for (table, column, choice), cell in unsaid.items():
        at = outcome.at(cell.record, {"table": table, "column": column})
        at.error(cell.pointer, f"The recipe does not compute what the table prints: {choice}.")
    _populations(results, outcome)
    _repeated(printed, outcome)
    _references(results, outcome)
    notes: dict[tuple[str, str], TableCell] = {}
    for result in results:
        for setting in result.undisclosed:
            notes.setdefault((result.cell.table, setting), result.cell)
    for (table, setting), cell in notes.items():
        outcome.at(cell.record, {"table": table, "column": cell.column}).note(
            None, f"The paper does not state this, and the number depends on it: {setting}."
        )


def _repeated(printed: PrintedNumbers, outcome: Outcome) -> None:
    """Rows of one table that are called otherwise and are of the same entities, by what they print or by recipes."""
    rows: dict[tuple[str, str], list[CellResult]] = {}
    for result in printed.results:
        if result.recipe is not None and result.cell.naming and not result.cell.key:
            rows.setdefault((result.cell.record, result.cell.row), []).append(result)
    seen: dict[tuple[str, object], str] = {}
    for (record, row), found in rows.items():
        asked = tuple(
            (
                one.cell.column,
                one.metric.name,
                *((name, *sorted(values_in(text))) for name, text in sorted(one.arguments.items())),
            )
            for one in found
            if one.metric is not None and one.arguments and not one.metric.given
        )
        # Queries and arguments may say the same in many ways: what the row prints is compared as well.
        ways = [way for way in (asked, _meant(found[0].cell, printed)) if way]
        firsts = [seen.setdefault((record, way), row) for way in ways]
        if first := next((one for one in firsts if one != row), None):
            message = f"The rows {first!r} and {row!r} print the same of one entity. Keep one of them."
            outcome.at(record, _key(found[0].cell)).error(found[0].cell.pointer, message)


def _references(results: list[CellResult], outcome: Outcome) -> None:
    """Rows that are compared with themselves: what a column compares with is one of those that are compared."""
    seen: set[tuple[str, str, str | None]] = set()
    for result in results:
        cell = result.cell
        if (cell.recipe or {}).get("classification") != "definition":
            continue
        place = cell.record, cell.column, cell.among
        if place in seen:
            message = "Two rows of a column are what it compares with, by definition. Say how records give one of them."
            outcome.at(cell.record, _key(cell)).error(cell.pointer, message)
        seen.add(place)


def _meant(cell: TableCell, printed: PrintedNumbers) -> frozenset[tuple[str, str]]:
    """What a row prints to say what it is, each declared name as its entity."""
    naming = {column: printed.meant(text) for column, text in cell.naming.items() if column != cell.column}
    others = cell.row
    for text in cell.naming.values():
        others = others.replace(text, "")
    return frozenset({*naming.items(), ("", others)})


def _populations(results: list[CellResult], outcome: Outcome) -> None:
    """Which declared populations tables are about, how many rows they have, and one number without them."""
    seen: set[tuple[str, str, str]] = set()
    for result in results:
        population, cell, value = result.population, result.cell, result.value
        if population is None or value is None or (cell.table, cell.column, population.name) in seen:
            continue
        seen.add((cell.table, cell.column, population.name))
        message = f"The table is about the population {result.restricted}. {population.sentence}"
        outcome.at(cell.record, {"table": cell.table, "column": cell.column}).note(None, ended(message))


_FOLLOWING = frozenset(CellStatus) - {CellStatus.DERIVED, CellStatus.CONSTRAINED, CellStatus.ATTESTED}
"""Whatever is looked for in records, and found there or not."""


@check("table.cells", "cells", unless=_no_tables, of=printed_numbers)
def cells(printed: PrintedNumbers, outcome: Outcome) -> None:
    results = printed.results
    outcome.inspected = len(results)
    unclassified = sum(result.status is CellStatus.UNCLASSIFIED for result in results)
    missing = [result for result in results if result.status in (CellStatus.MISSING, CellStatus.ELSEWHERE)]
    if unclassified:
        outcome.missing = f"{unclassified} cells have no recipe, and nothing says that they need none"
    elif missing:
        outcome.missing = f"{len(missing)} cells cannot be recomputed: {missing[0].judgement.sentence}"
    if results and not any(result.status in _FOLLOWING for result in results):
        message = "No printed number follows from records: all rest on the authors' word and on their own relations."
        outcome.at(results[0].cell.record, {"table": results[0].cell.table}).warning(None, message)
    for result in results:
        if result.status is CellStatus.MISMATCH or result.status in WARNINGS:
            at, cell = outcome.at(result.cell.record, _key(result.cell)), result.cell
            say = at.warning if result.status in WARNINGS else at.error
            say(cell.pointer, _told(result.judgement.sentence, cell), result.recomputed, cell.text)
    for result in coarse(results):
        cell = result.cell
        message = f"The paper prints {cell.text}, with fewer digits than every other number of the column."
        outcome.at(cell.record, _key(cell)).warning(cell.pointer, _told(message, cell), result.recomputed, cell.text)


def coarse(results: list[CellResult]) -> Iterator[CellResult]:
    """Numbers that are rounded further than every other one of their column, so that they say less."""
    columns: dict[tuple[str, str], list[tuple[CellResult, Fraction, int]]] = {}
    for result in results:
        printed, value = result.cell.printed, result.value
        if result.status is CellStatus.EXACT and value is not None and printed is not None and len(value.numbers) == 1:
            part = printed.parts[0]
            digits = len(str(abs(part.value) // part.unit)) if part.unit else 0
            columns.setdefault((result.cell.record, result.cell.column), []).append((result, part.unit, digits))
    for found in columns.values():
        if len(found) < 3:
            continue
        # At most one number can be it: the one of the largest unit, beside which every other must have a smaller one.
        place = max(range(len(found)), key=lambda at: found[at][1])
        result, unit, digits = found[place]
        assert result.value is not None
        assert result.cell.printed is not None
        given, said = result.value.numbers[0], result.cell.printed.parts[0].value
        others = [*found[:place], *found[place + 1 :]]
        if said not in (given, 100 * given) and all(unit > one and digits < count for _, one, count in others):
            yield result


@check("table.marks", "cells", unless=_no_tables, of=printed_numbers)
def marks(printed: PrintedNumbers, outcome: Outcome) -> None:
    all_cells = printed.cells
    outcome.inspected = sum(len(group) for group in marked_groups(all_cells))
    if not outcome.inspected:
        outcome.not_applicable = "no table marks its best cells"
    for problem in wrong_marks(all_cells, printed.captions):
        at, said = outcome.at(problem.cell.record, _key(problem.cell)), _told(problem.message, problem.cell)
        at.error(problem.cell.pointer, said, problem.expected, problem.found)
    if columns := undirected(all_cells):
        outcome.missing = (
            f"{len(columns)} columns mark their best and do not say which way is better, first {columns[0]}"
        )


@check("table.reported", "cells", of=printed_numbers)
def reported(printed: PrintedNumbers, outcome: Outcome) -> None:
    """Against the papers that the reader has: `verify --reported`."""
    if not printed.evidence.asked.papers:
        outcome.not_applicable = "no paper was given to compare with"
        return
    tables = {table.label: table for table in printed.tables}
    papers: list[Paper] = []
    for path in printed.evidence.asked.papers:
        paper = read_paper(path)
        for problem in paper.problems:
            if problem.severity == "error":
                outcome.at(problem.source, row=problem.line).error(
                    None, ended(f"A table cannot be read: {problem.message}")
                )
        for table in paper.tables:
            if table.label in tables and not tables[table.label].is_text:
                _compare(tables.pop(table.label), table, path.name, outcome)
        papers.append(paper)
    _compare_text([table for table in tables.values() if table.is_text], papers, outcome)
    for label, table in tables.items():
        if not table.is_text:
            message = "The paper has no table with this label. Correct the label, or leave the table out."
            outcome.at(table.path or "", {"table": label}).error("/label", message, label, "nothing")


def _compare_text(sealed: list[Table], papers: list[Paper], outcome: Outcome) -> None:
    """Every sealed number of the text beside the papers', found by the words around it; the others are counted."""
    compared: set[int] = set()
    for table in sealed:
        lost = []
        for one in quoted_numbers(table, papers):
            outcome.inspected += 1
            if one.sentence is None:
                lost.append(one)
                continue
            compared.update(map(id, one.printed))
            if not one.agrees:
                message = (
                    f"The text of the paper prints {one.text}; {table.path} has {one.sealed.text}. Correct one of them."
                )
                at = outcome.at(one.sentence.source, {"table": table.label, "row": one.row.label}, one.line)
                at.error(None, message, one.sealed.text, one.text)
        # What lost its words was changed; what no words were sealed with may only have moved.
        for quoted in (True, False):
            if some := [one for one in lost if bool(one.row.quotation) is quoted]:
                at = outcome.at(table.path or "", {"table": table.label, "row": some[0].row.label})
                count = "1 sealed number" if len(some) == 1 else f"{len(some)} sealed numbers"
                message = f"{count} of the text cannot be compared with the paper; the first: {some[0].problem}."
                at.say("warning" if quoted else "note", None, message, some[0].sealed.text, "nothing")
    others = [
        number
        for paper in papers
        for sentence in paper.sentences
        for number in sentence.quantities
        if id(number) not in compared
    ]
    if others:
        told = f"{len(others)} numbers in the text are" if len(others) > 1 else "One number in the text is"
        message = f"{told} not sealed, so nothing here checks {'them; the first is' if len(others) > 1 else 'it:'}"
        message = f"{message} {others[0].text}."
        outcome.at(others[0].source, row=others[0].line).note(None, message)


def _compare(sealed: Table, printed: Table, paper: str, outcome: Outcome) -> None:
    """Every cell of a sealed table beside the paper's, by their labels."""
    path = sealed.path or ""
    there = {(cell.row, cell.column): cell for cell in cells_of(with_printed(sealed, printed), paper)}
    for cell in cells_of(sealed):
        outcome.inspected += 1
        other = there.pop((cell.row, cell.column), None)
        if other is None or other.text != cell.text:
            line = None if other is None else other.line
            found = "no such cell" if other is None else other.text or "nothing"
            place = outcome.at(paper if other else path, _key(cell), line if other else None)
            message = f"The paper prints {found}; {path} has {cell.text or 'nothing'}. Correct one of them."
            place.error(cell.pointer, message, cell.text, found)
    for other in there.values():
        message = f"The paper prints a cell that {path} does not have. Extract the table again."
        outcome.at(paper, _key(other), other.line).error(other.pointer, message, "no such cell", other.text)
