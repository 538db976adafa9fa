"""The one table of a CSV or TSV file."""

from __future__ import annotations

import csv
import io
import re

from sealtrace.paper.extracted import ExtractedRow, ExtractedTable, Mark, ReadingProblem, Reported, marked_cell

_LINE_END = re.compile(r"\r\n|\r|\n")


def read_csv(text: str, source: str, label: str | None = None) -> Reported:
    """The one table of a CSV or TSV text. Its first row is the header; blank lines are passed over.

    A tab parts the cells of sources named .tsv or .tab, and otherwise the first of comma, tab and semicolon that stands
    in the first line.
    """
    text = text.removeprefix("\ufeff")
    lines = list(io.StringIO(text, newline=""))
    separator = _separator(source, lines)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    rows: list[ExtractedRow] = []
    first_line = 1
    while True:
        try:
            values = next(reader, None)
        except csv.Error as error:
            return Reported(
                problems=[ReadingProblem(f"not a readable CSV row ({error}): the table is refused", source, first_line)]
            )
        if values is None:
            break
        if values:
            if rows and len(values) != len(rows[0].cells):
                expected = len(rows[0].cells)
                message = f"a row does not add up to the columns (got {len(values)}, expected {expected})"
                return Reported(problems=[ReadingProblem(f"{message}: the table is refused", source, first_line)])
            rows.append(_csv_row(values, source, first_line, header=not rows))
        first_line = reader.line_num + 1
    if not rows:
        return Reported(problems=[ReadingProblem("a table without rows", source, 1, "warning")])
    return Reported([ExtractedTable(label, "", source, rows[0].line, len(rows[0].cells), tuple(rows))])


def _separator(source: str, lines: list[str]) -> str:
    if source.lower().endswith((".tsv", ".tab")):
        return "\t"
    first = next((line for line in lines if line.strip()), "")
    return next((mark for mark in ",\t;" if mark in first), ",")


def _csv_row(values: list[str], source: str, line: int, *, header: bool) -> ExtractedRow:
    cells = []
    start = line
    for value in values:
        # The first character may stand below the quotation mark that opens the field.
        blank = value[: len(value) - len(value.lstrip())]
        at = start + len(_LINE_END.findall(blank))
        cells.append(marked_cell(map(Mark, value), source, at))
        start += len(_LINE_END.findall(value))
    return ExtractedRow(tuple(cells), line, header=header)
