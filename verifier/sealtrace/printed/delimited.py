"""Tables in CSV and TSV files."""

from __future__ import annotations

import csv
import io
import re

from sealtrace.printed.extracted import ExtractedRow, ExtractedTable, Mark, Problem, marked_cell

_LINE_END = re.compile(r"\r\n|\r|\n")


def read_csv(
    text: str, source: str, label: str | None = None, delimiter: str | None = None
) -> tuple[list[ExtractedTable], list[Problem]]:
    """The one table of a CSV or TSV text. Its first row is the header; blank lines are passed over.

    Without a delimiter, a tab is taken for sources named .tsv or .tab, and otherwise the first of comma, tab and
    semicolon that stands in the first line.
    """
    text = text.removeprefix("\ufeff")
    lines = list(io.StringIO(text, newline=""))
    separator = delimiter or _separator(source, lines)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    rows: list[ExtractedRow] = []
    first_line = 1
    while True:
        try:
            values = next(reader, None)
        except csv.Error as error:
            return [], [Problem(f"not a readable CSV row ({error}): the table is refused", source, first_line)]
        if values is None:
            break
        if values:
            if rows and len(values) != len(rows[0].cells):
                expected = len(rows[0].cells)
                message = f"a row does not add up to the columns (got {len(values)}, expected {expected})"
                return [], [Problem(f"{message}: the table is refused", source, first_line)]
            record = "".join(lines[first_line - 1 : reader.line_num])
            rows.append(_row(values, _slices(record, separator), source, first_line, header=not rows))
        first_line = reader.line_num + 1
    if not rows:
        return [], [Problem("a table without rows", source, 1, "warning")]
    end = max(1, reader.line_num)
    return [ExtractedTable(label, "", "", source, rows[0].line, end, len(rows[0].cells), tuple(rows))], []


def _separator(source: str, lines: list[str]) -> str:
    if source.lower().endswith((".tsv", ".tab")):
        return "\t"
    first = next((line for line in lines if line.strip()), "")
    return next((mark for mark in ",\t;" if mark in first), ",")


def _row(values: list[str], slices: list[str], source: str, line: int, *, header: bool) -> ExtractedRow:
    raws = slices if len(slices) == len(values) else values
    cells = []
    start = line
    for value, raw in zip(values, raws, strict=True):
        # The first character may stand below the quotation mark that opens the field.
        blank = value[: len(value) - len(value.lstrip())]
        at = start + len(_LINE_END.findall(blank))
        cells.append(marked_cell((Mark(character) for character in value), raw, source, at))
        start += len(_LINE_END.findall(value))
    return ExtractedRow(tuple(cells), line, header=header)


def _slices(record: str, separator: str) -> list[str]:
    """The fields of a record as written, with their quotation marks."""
    record = record.rstrip("\r\n")
    slices: list[str] = []
    begin, quoted = 0, False
    for index, character in enumerate(record):
        if character == '"':
            quoted = not quoted
        elif character == separator and not quoted:
            slices.append(record[begin:index])
            begin = index + 1
    return [*slices, record[begin:]]
