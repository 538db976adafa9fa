"""A paper from what its reader hands on: tables by panel with unique labels, and decimal points throughout."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, groupby
from pathlib import PurePath

from sealtrace.paper.delimited import read_csv
from sealtrace.paper.extracted import ExtractedCell, ExtractedTable, Load, ProseLine, ReadingProblem, Reported
from sealtrace.paper.model import Cell, Heading, Paper, Row, Table, TableColumn
from sealtrace.process import keep_reading

_LONGEST_TEXT, _LONGEST_LABEL = 400, 190
"""Characters of a cell and of a label that are kept: the contract of table records allows no more."""
_LONGEST_TITLE = 300


class UnreadableTypeError(Exception):
    """No reader for this kind of file."""


def read_reported(text: str, source: str, load: Load) -> Paper:
    """A paper from its LaTeX, Markdown, HTML or CSV text, by the ending of its name."""
    texts = {source: text}

    def remembered(name: str) -> str | None:
        found = load(name)
        if found is not None and not name.endswith((".sty", ".cls")):
            texts[name] = found
        return found

    match PurePath(source).suffix.lower():
        case ".tex" | ".ltx":
            from sealtrace.paper.latex import read_document  # start-up: one reader is needed

            reported = read_document(text, source, remembered)
        case ".md" | ".markdown":
            from sealtrace.paper.markdown import read_markdown  # start-up: one reader is needed

            reported = read_markdown(text, source)
        case ".html" | ".htm":
            from sealtrace.paper.html import read_html  # start-up: one reader is needed

            reported = read_html(text, source)
        case ".csv" | ".tsv":
            reported = read_csv(text, source, PurePath(source).stem)
        case suffix:
            raise UnreadableTypeError(f"{source}: no tables are read from {suffix or 'files without an ending'}")
    return paper_of(reported, texts)


_NO_NUMBER = re.compile(r"[\d.,]{100,}")
"""Digits that nobody reads as a number."""
_DECIMALS = {
    ",": re.compile(r"[^\w(\[{]*(?:0,\d+|(?:\d{1,3}(?:[.\u2009]\d{3})+|\d+),(?:\d{1,2}|\d{4,}))(?![\d,])"),
    "·": re.compile(r"[^\w(\[{]*\d+·\d+(?![\d^])"),
}
"""Signs that may stand for the decimal point, with numbers that nothing else explains; pairs in brackets are none."""
_POINT = re.compile(r"\d\.\d")
_DOTTED = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.])")
"""Thousands, where the comma is a decimal one."""


def _read_decimals(reported: Reported) -> None:
    """Where a paper's tables print decimal commas or middle dots, these are read as points, in its text as well."""
    cells = [cell for table in reported.tables for row in table.rows for cell in row.cells if cell is not None]
    points = sum(_POINT.search(cell.text) is not None for cell in cells)
    for sign, pattern in _DECIMALS.items():
        found = [cell for cell in cells if sign in cell.text and pattern.match(cell.text)]
        if len(found) < max(3, 3 * points):
            continue
        message = f"numbers are printed with a decimal {sign!r}: they are read with points, here and in all the paper"
        reported.problems.append(ReadingProblem(message, found[0].source, found[0].line, "warning", certain=True))
        for place, table in enumerate(reported.tables):
            rows = [
                replace(row, cells=tuple(cell and replace(cell, text=_pointed(cell.text, sign)) for cell in row.cells))
                for row in table.rows
            ]
            reported.tables[place] = replace(table, caption=_pointed(table.caption, sign), rows=tuple(rows))
        reported.prose = [replace(line, text=_pointed(line.text, sign)) for line in reported.prose]


def _pointed(text: str, sign: str) -> str:
    if sign == ",":
        text = _DOTTED.sub(lambda found: found[0].replace(".", ""), text)
    return re.sub(rf"(?<=\d){sign}(?=\d)", ".", text)


def paper_of(reported: Reported, texts: Mapping[str, str] | None = None) -> Paper:
    """The paper that a reader has read. Of tables with one label, the later ones get a number."""
    _read_decimals(reported)
    prose = tuple(replace(line, text=_NO_NUMBER.sub("…", line.text)) for line in reported.prose)
    tables: dict[str, Table] = {}
    problems = list(reported.problems)
    for number, extracted in enumerate(reported.tables, 1):
        for given in tables_of(extracted, f"table {number}"):
            table = replace(given, label=free_label(given.label, tables))
            if table.label != given.label:
                message = f"a second table labelled {given.label}: it is called {table.label}"
                problems.append(ReadingProblem(message, given.source, given.line or 1, "warning", certain=True))
            tables[table.label] = table
    sources = reported.texts if texts is None else texts
    return Paper(tuple(tables.values()), prose, tuple(problems), sources, reported.title[:_LONGEST_TITLE] or None)


def free_label(label: str, taken: Collection[str]) -> str:
    """The label, or the first of `label#2`, `label#3` … that no table has yet."""
    names = chain([label], (f"{label.partition('#')[0]}#{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def tables_of(extracted: ExtractedTable, fallback: str) -> list[Table]:
    """A laid out table as tables: one for each of its panels."""
    tables = []
    name = extracted.label or fallback
    for panel in range(extracted.panels):
        above, headers = extracted.header(panel), extracted.column_labels(panel)
        labels = _told_apart(headers, "column")
        body = [at for at, row in enumerate(extracted.rows) if row.panel == panel and not row.header]
        names = _told_apart([extracted.row_label(extracted.rows[at]) for at in body], "row")
        tables.append(
            Table(
                name if panel == 0 else f"{name}#{panel + 1}",
                tuple(
                    TableColumn(label, _direction(label), printed=header)
                    for label, header in zip(labels, headers, strict=True)
                ),
                tuple(_row(extracted, at, label, labels) for at, label in zip(body, names, strict=True)),
                extracted.caption,
                extracted.source,
                extracted.line,
                extracted.headings,
                _header(above),
                (*_closing_titles(extracted, body), *extracted.notes),
            )
        )
    return tables


def _header(above: list[list[ExtractedCell]], first: int = 0) -> tuple[Heading, ...]:
    """The tree of a header from the cells above each column, the outermost first."""
    found = []
    # By identity: two cells side by side that print the same are two headings.
    for _, group in groupby(enumerate(above), key=lambda pair: id(pair[1][0]) if pair[1] else 0):
        columns = list(group)
        place, cells = columns[0]
        if cells:
            below = _header([rest[1:] for _, rest in columns], first + place)
            found.append(Heading(cells[0].text, first + place, len(columns), cells[0].line, below))
    return tuple(found)


def _closing_titles(extracted: ExtractedTable, body: list[int]) -> Iterator[ProseLine]:
    """Rows of one cell over all columns that nothing follows: they are titles of nothing, and so notes."""
    rows = [extracted.rows[at] for at in body]
    after_last = next((place for place in range(len(rows), 0, -1) if not rows[place - 1].is_title), 0)
    for row in rows[after_last:]:
        if (cell := row.cells[0]) is not None:
            yield ProseLine(cell.text, cell.source, cell.line, 0)


def _direction(label: str) -> str | None:
    """What an arrow in the header says of the column."""
    if "↑" in label and "↓" not in label:
        return "higher"
    return "lower" if "↓" in label and "↑" not in label else None


def _row(extracted: ExtractedTable, at: int, label: str, columns: list[str]) -> Row:
    keep_reading()
    row = extracted.rows[at]
    cells = []
    for column, cell in enumerate(row.cells):
        if cell is None:
            above = extracted.covering(at, column)
            cells.append(Cell("", row.line, covering=above.text if above is not None else ""))
        else:
            mark = "best" if cell.bold else "second" if cell.underline else None
            text = cell.text[:_LONGEST_TEXT]
            cells.append(Cell(text, cell.line, cell.source, mark if text else None, columns=cell.columns))
    lines = tuple(cell.line or row.line for cell in cells)
    same = len(set(lines)) == 1
    return Row(
        label,
        tuple(cells),
        lines[0] if same else None,
        () if same else lines,
        after_rule=row.after_rule,
        indented=row.cells[0] is not None and row.cells[0].indented,
        group=extracted.group(at),
        marks={column: cell.mark for column, cell in zip(columns, cells, strict=True) if cell.mark},
    )


def _told_apart(labels: list[str], noun: str) -> list[str]:
    """Labels that are there and differ, so that every cell has an address."""
    seen: dict[str, int] = {}
    result = []
    for place, label in enumerate(labels, 1):
        name = (label or f"{noun} {place}")[:_LONGEST_LABEL]
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def with_printed(table: Table, reported: Table) -> Table:
    """A sealed table with the strings, lines and marks of a reported one, its own recipes kept.

    Rows and columns are matched by label; where not one label is found, by place if the shapes agree. What
    the sealed table does not know is added without a recipe, so that it shows as unclassified.
    """
    columns = tuple(
        column if known is None else _kept(table.columns[known], column)
        for known, column in zip(_matched(table.headers, reported.headers), reported.columns, strict=True)
    )
    renamed = dict(zip(reported.headers, (column.label for column in columns), strict=True))
    matched = _matched([row.label for row in table.rows], [row.label for row in reported.rows])
    rows = []
    for known, row in zip(matched, reported.rows, strict=True):
        own = row if known is None else table.rows[known]
        marks = {renamed[name]: mark for name, mark in row.marks.items()}
        rows.append(replace(own, cells=row.cells, line=row.line, lines=row.lines, marks=marks, printing={}))
    header, notes = reported.header, reported.notes
    return replace(table, source=reported.source, columns=columns, rows=tuple(rows), header=header, notes=notes)


def _kept(own: TableColumn, printed: TableColumn) -> TableColumn:
    return own if own.direction else replace(own, direction=printed.direction)


def _matched(known: Sequence[str], found: Sequence[str]) -> list[int | None]:
    """For each found label the place of the known one."""
    # White space tells no two labels apart: mathematics may be written with or without it.
    plain = {"".join(label.split()): place for place, label in reversed(list(enumerate(known)))}
    matched: list[int | None] = [plain.get("".join(label.split())) for label in found]
    if set(matched) == {None} and len(known) == len(found):
        return list(range(len(found)))
    return matched
