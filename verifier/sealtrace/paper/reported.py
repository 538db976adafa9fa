"""Reported numbers straight from a paper: extracted tables as records, and printed strings put into known ones."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from sealtrace.paper.extracted import ExtractedRow, ExtractedTable, Load, Mark, ProseLine, ReadingProblem, marked_cell

_LONGEST_CAPTION = 4000
if TYPE_CHECKING:
    from sealtrace.paper.sentences import Sentence


@dataclass
class Reported:
    """What a file reports."""

    tables: list[ExtractedTable] = field(default_factory=list)
    problems: list[ReadingProblem] = field(default_factory=list)
    prose: list[ProseLine] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    """What the tables are as records."""
    texts: dict[str, str] = field(default_factory=dict)
    """The sources as written, by the names that tables and prose give as theirs."""

    @property
    def sentences(self) -> list[Sentence]:
        """The running text and the captions, sentence by sentence."""
        from sealtrace.paper.sentences import sentences

        return sentences(self.prose)

    @property
    def file_names(self) -> dict[str, str]:
        """The file of each table's record, by its label; one that would be called like another gets a number."""
        names: dict[str, str] = {}
        for record in self.records:
            plain = re.sub(r"[^A-Za-z0-9-]+", "-", record["label"].removeprefix("tab:")).strip("-") or "unnamed"
            free = (f"table.{plain}{ending}.json" for ending in chain([""], (f"-{number}" for number in count(2))))
            names[record["label"]] = next(name for name in free if name not in names.values())
        return names


class UnreadableTypeError(Exception):
    """No reader for this kind of file."""


def read_reported(text: str, source: str, load: Load) -> Reported:
    """The tables of a LaTeX, Markdown or CSV text, by the ending of its name."""
    texts = {source: text}

    def remembered(name: str) -> str | None:
        found = load(name)
        if found is not None and not name.endswith((".sty", ".cls")):
            texts[name] = found
        return found

    match PurePath(source).suffix.lower():
        case ".tex" | ".ltx":
            from sealtrace.paper.latex import read_document

            reported = read_document(text, source, remembered)
        case ".md" | ".markdown":
            from sealtrace.paper.markdown import read_markdown

            reported = read_markdown(text, source)
        case ".csv" | ".tsv":
            reported = read_csv(text, source, PurePath(source).stem)
        case suffix:
            raise UnreadableTypeError(f"{source}: no tables are read from {suffix or 'files without an ending'}")
    reported.texts = texts
    add_records(reported)
    return reported


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


def add_records(reported: Reported) -> None:
    """Makes records of what a file reports. Of two tables with one label, the second gets a mark."""
    _read_decimals(reported)
    reported.prose = [replace(line, text=_NO_NUMBER.sub("…", line.text)) for line in reported.prose]
    taken: set[str] = set()
    for number, table in enumerate(reported.tables, 1):
        for record in records_of(table, f"table {number}"):
            given = record["label"]
            while record["label"] in taken:
                record["label"] += "'"
            if record["label"] != given:
                message = f"a second table labelled {given}: it is called {record['label']}"
                reported.problems.append(ReadingProblem(message, table.source, table.line, "warning", certain=True))
            taken.add(record["label"])
            reported.records.append(record)


def records_of(table: ExtractedTable, fallback: str) -> list[dict[str, Any]]:
    """Table records without recipes: one for each panel of the table."""
    records = []
    for panel in range(table.panels):
        rows = [row for row in table.rows if row.panel == panel and not row.header]
        labels = _told_apart(table.column_labels(panel), "column")
        row_labels = _told_apart([table.row_label(row) for row in rows], "row")
        name = table.label or fallback
        record: dict[str, Any] = {
            "label": name if panel == 0 else f"{name}#{panel + 1}",
            "source": PurePath(table.source).name,
            **({"caption": table.caption[:_LONGEST_CAPTION]} if table.caption else {}),
            "columns": [{"label": label} | _direction(label) for label in labels],
            "rows": [_row(row, label, labels) for row, label in zip(rows, row_labels, strict=True)],
        }
        records.append(record)
    return records


def _direction(label: str) -> dict[str, str]:
    """What an arrow in the header says of the column."""
    if "↑" in label and "↓" not in label:
        return {"direction": "higher"}
    return {"direction": "lower"} if "↓" in label and "↑" not in label else {}


def _row(row: ExtractedRow, label: str, columns: list[str]) -> dict[str, Any]:
    lines = [row.line if cell is None else cell.line for cell in row.cells]
    marks = {
        column: "best" if cell.bold else "second"
        for column, cell in zip(columns, row.cells, strict=True)
        if cell is not None and cell.text and (cell.bold or cell.underline)
    }
    record: dict[str, Any] = {"label": label, "cells": ["" if cell is None else cell.text[:400] for cell in row.cells]}
    if len(set(lines)) == 1:
        record["line"] = lines[0]
    else:
        record["lines"] = lines
    if marks:
        record["marks"] = marks
    return record


def _told_apart(labels: list[str], noun: str) -> list[str]:
    """Labels that are there and differ, so that every cell has an address."""
    seen: dict[str, int] = {}
    result = []
    for place, label in enumerate(labels, 1):
        name = (label or f"{noun} {place}")[:190]
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def with_printed(record: dict[str, Any], reported: dict[str, Any]) -> dict[str, Any]:
    """A table record with the strings, lines and marks of a reported table, its own recipes kept.

    Rows and columns are matched by label; where not one label is found, by place if the shapes agree. What
    the record does not know is added without a recipe, so that it shows as unclassified.
    """
    columns = _matched(*([column["label"] for column in table["columns"]] for table in (record, reported)))
    rows = _matched(*([row["label"] for row in table["rows"]] for table in (record, reported)))
    new_columns = [
        {**column, **(record["columns"][known] if known is not None else {})}
        | {"label": _label(record["columns"], known, column)}
        for known, column in zip(columns, reported["columns"], strict=True)
    ]
    renamed = {column["label"]: new["label"] for column, new in zip(reported["columns"], new_columns, strict=True)}
    new_rows = []
    for known, row in zip(rows, reported["rows"], strict=True):
        own = record["rows"][known] if known is not None else {}
        kept = {name: own[name] for name in ("arguments", "recipes", "among") if name in own}
        marks = {renamed[name]: mark for name, mark in row.get("marks", {}).items()}
        new_rows.append({**row, **kept, "label": own.get("label", row["label"])} | ({"marks": marks} if marks else {}))
    return {**record, "source": reported["source"], "columns": new_columns, "rows": new_rows}


def _label(columns: list[dict[str, Any]], known: int | None, column: dict[str, Any]) -> str:
    return str(columns[known]["label"] if known is not None else column["label"])


def _matched(known: list[str], found: list[str]) -> list[int | None]:
    """For each found label the place of the known one."""
    # White space tells no two labels apart: mathematics may be written with or without it.
    plain = ["".join(label.split()) for label in known]
    matched: list[int | None] = [
        plain.index(bare) if (bare := "".join(label.split())) in plain else None for label in found
    ]
    if set(matched) == {None} and len(known) == len(found):
        return list(range(len(found)))
    return matched


# CSV and TSV

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
