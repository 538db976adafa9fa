"""A page of paragraphs and tables with spanning cells, as HTML and word processors lay them out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sealtrace.paper.extracted import (
    ExtractedCell,
    ExtractedRow,
    ExtractedTable,
    Mark,
    ProseLine,
    ReadingProblem,
    Reported,
    collapse,
    marked_cell,
    with_headers,
)
from sealtrace.paper.numbers import looks_numeric

MOST_SPANNED, MOST_CELLS = 1000, 1_000_000
"""Rows or columns of one cell, and places of one table."""
_CAPTION = re.compile(r"(?:Supplementary |Extended Data )?Tab(?:le|\.)\s*[A-Z]?[.-]?(?:\d+|[IVX]+)\b", re.IGNORECASE)


@dataclass
class LaidCell:
    """A cell and how far it reaches."""

    line: int
    columns: int = 1
    rows: int = 1
    header: bool = False
    marks: list[Mark] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What it prints."""
        return text_of(self.marks)


LaidRow = list[LaidCell]


def text_of(marks: Sequence[Mark]) -> str:
    """Characters as a text, white space collapsed."""
    return "".join(mark.character for mark in collapse(marks))


def raised(marks: list[Mark]) -> list[Mark]:
    """What stands above the line, as other readers write it: exponents and notes after ^, bare signs as they are."""
    return [Mark("^"), *marks] if any(mark.character.isalnum() for mark in marks) else marks


def covered(rows: Sequence[LaidRow]) -> list[dict[int, LaidCell]]:
    """For each row, the cell that covers each column; `ValueError` where a table is too large."""
    if sum(cell.rows * cell.columns for row in rows for cell in row) > MOST_CELLS:
        raise ValueError("a table of too many cells")
    places: list[dict[int, LaidCell]] = [{} for _ in rows]
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while column in places[number]:
                column += 1
            for below in places[number : number + cell.rows]:
                below.update(dict.fromkeys(range(column, column + cell.columns), cell))
    return places


class LaidOutPage:
    """Collects what a reader meets, in order; captions are what stands beside a table and says that it is one."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.reported = Reported()
        self._headings: dict[int, str] = {}
        self._before = ""
        """The block directly above, where it may be the caption of a table."""
        self._uncaptioned: int | None = None
        """The table directly above that has no caption yet."""

    def doubt(self, message: str, line: int) -> None:
        """Notes that something may be printed differently from how it was read."""
        self.reported.problems.append(ReadingProblem(message, self._source, line, "warning"))

    def paragraph(self, marks: Sequence[Mark], line: int, *, level: int = 0, caption: bool = False) -> None:
        """A paragraph; a heading where it has a level."""
        text = text_of(marks)
        if not text:
            return
        prose = self.reported.prose
        titled = _CAPTION.match(text) is not None or (caption and not text.lower().startswith("fig"))
        number = prose[-1].paragraph + 1 if prose else 1
        prose.append(ProseLine(text, self._source, line, number, titled or caption))
        if level:
            self._headings = {above: told for above, told in self._headings.items() if above < level}
            self._headings[level] = text
        if titled and self._uncaptioned is not None:
            tables = self.reported.tables
            tables[self._uncaptioned] = replace(tables[self._uncaptioned], caption=text)
            titled, level = False, 0
        self._before = text if titled or level else ""
        self._uncaptioned = None

    def table(self, rows: Sequence[LaidRow], line: int, caption: str = "", label: str | None = None) -> None:
        """A table, below the caption that was met last unless it has its own."""
        rows = [row for row in rows if row]
        if not rows:
            return
        try:
            places = covered(rows)
        except ValueError as error:
            self.reported.problems.append(ReadingProblem(f"{error}: it is refused", self._source, line))
            return
        columns = max(max(row, default=-1) + 1 for row in places)
        for row, held in zip(rows, places, strict=True):
            if 0 < len(held) < columns and not (len(row) == 1 and row[0].columns > 1):
                self.doubt(f"a row has {len(held)} cells of {columns}: the rest is read as empty", row[0].line)
        extracted = with_headers(list(self._rows(rows, places, columns)), closed=True)
        told = caption or self._before
        headings = tuple(text for _, text in sorted(self._headings.items(), reverse=True))
        self.reported.tables.append(
            ExtractedTable(label, told, self._source, line, columns, tuple(extracted), headings)
        )
        self._uncaptioned = None if told else len(self.reported.tables) - 1
        self._before = ""

    def _rows(self, rows: Sequence[LaidRow], places: list[dict[int, LaidCell]], columns: int) -> Iterator[ExtractedRow]:
        begun: set[int] = set()
        heads = _head_rows(rows)
        for number, (row, held) in enumerate(zip(rows, places, strict=True)):
            line = row[0].line
            cells: list[ExtractedCell | None] = []
            for column in range(columns):
                cell = held.get(column)
                if cell is None:
                    cells.append(marked_cell((), self._source, line))
                elif id(cell) in begun:
                    cells.append(None)
                else:
                    begun.add(id(cell))
                    # A cell cannot reach below the last row.
                    below = min(cell.rows, len(rows) - number)
                    cells.append(marked_cell(cell.marks, self._source, cell.line, cell.columns, below))
            rule = "midrule" if heads == number > 0 else None
            yield ExtractedRow(tuple(cells), line, header=number < heads, rule=rule)


def _head_rows(rows: Sequence[LaidRow]) -> int:
    """How many rows at the top are said to be headers; a row of words below names over several columns is one, too."""
    count = next((number for number, row in enumerate(rows) if not all(cell.header for cell in row)), len(rows))
    spanned = 0 < count < len(rows) - 1 and any(cell.columns > 1 for cell in rows[count - 1])
    return count + (spanned and not any(map(looks_numeric, (cell.text for cell in rows[count]))))
