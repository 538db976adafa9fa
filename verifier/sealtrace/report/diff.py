"""Reported beside recomputed, cell by cell: for people, and as JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter

from sealtrace.contract.report import Cell
from sealtrace.report.findings import times
from sealtrace.report.formats import Cells, Paint, plain
from sealtrace.report.inert import harmless, json_text
from sealtrace.report.sheet import Sheet

_COLOURS = {
    "mismatch": "red",
    "contradicted": "red",
    "double-rounded": "yellow",
    "truncated": "yellow",
    "missing": "yellow",
    "unclassified": "yellow",
}
_ABSENT = ("missing", "unclassified")
FEW = 3
"""How many cells of a table are listed that nothing is known of."""
_ORDER = ["mismatch", "contradicted", "truncated", "double-rounded", "missing", "unclassified"]
FIELDS = [name for name in Cell.model_fields if name != "relation"]


def agrees(cell: Cell) -> bool:
    """Whether there is nothing to look at."""
    return cell.status not in _ORDER


def in_order(cells: list[Cell]) -> dict[str, list[Cell]]:
    """Cells by table; in each, differences first, the worst before the rest."""
    tables: dict[str, list[Cell]] = {}
    for cell in cells:
        tables.setdefault(cell.table, []).append(cell)
    for members in tables.values():
        members.sort(key=lambda cell: _ORDER.index(cell.status) if cell.status in _ORDER else len(_ORDER))
    # Tables with differences come first; otherwise they keep their order.
    return dict(sorted(tables.items(), key=lambda item: all(agrees(cell) for cell in item[1])))


def judged_table(cells: list[Cell], strict: bool = False) -> tuple[str, list[str]]:
    """What a test of a table says: `pass`, `fail`, or `missing` where cells are absent or waived; then why."""
    wrong = ("mismatch", "contradicted", *(("double-rounded", "truncated") if strict else ()))
    differing = [cell for cell in cells if cell.status in wrong and cell.waived is None]
    unknown = [cell for cell in cells if cell.status in _ABSENT or cell.waived is not None]
    if not differing and not unknown:
        return "pass", []
    counts = [f"{len(differing)} of {times(len(cells), 'cell')} differ"] if differing else []
    counts += [f"{len(unknown)} of {times(len(cells), 'cell')} missing, waived or unclassified"] if unknown else []
    lines = [", ".join(counts), *map(_in_a_line, [*differing, *unknown])]
    return "fail" if differing else "missing", [harmless(line) for line in lines]


def _in_a_line(cell: Cell) -> str:
    place = f" at {cell.source}:{cell.line}" if cell.source and cell.line else ""
    return (
        f"{cell.status}: {cell.row}, {cell.column}{place}: reported {cell.reported}, "
        f"recomputed {cell.recomputed or 'nothing'}: {cell.said}"
    )


def render_text(found: Cells, *, everything: bool, width: int = 80, paint: Paint = plain) -> str:
    """A block for each table: how many cells agree, then those that do not."""
    sheet = Sheet(width, paint)
    for table, members in in_order(found.cells).items():
        agreeing = sum(agrees(cell) for cell in members)
        source = next((cell.source for cell in members if cell.source), "")
        first = min((cell.line for cell in members if cell.line), default=None)
        place = f"{source}:{first}" if first else source
        sheet.line(f"{paint(harmless(table), 'cyan')}  {harmless(place or '')}  {agreeing} of {len(members)} agree")
        listed: Counter[str] = Counter()
        for cell in members if everything else [cell for cell in members if not agrees(cell)]:
            listed[cell.status] += 1
            if everything or cell.status not in _ABSENT or listed[cell.status] <= FEW:
                _cell(sheet, cell)
        for status in _ABSENT if not everything else ():
            sheet.more(listed[status] - FEW, f"more {status}")
    statuses = ", ".join(f"{count} {status}" for status, count in found.coverage.statuses.items()) or "none"
    sheet.gap()
    sheet.say(f"{found.coverage.cells} cells: {statuses}")
    return str(sheet)


def _cell(sheet: Sheet, cell: Cell) -> None:
    line = f"  line {cell.line}" if cell.line else ""
    status = sheet.paint(f"{cell.status}, waived" if cell.waived else cell.status, _COLOURS.get(cell.status, "green"))
    sheet.line(f"  {status}  {harmless(cell.row)}, {harmless(cell.column)}{line}")
    if cell.recomputed is not None or cell.recipe is not None:
        sheet.say(f"reported {cell.reported}   recomputed {cell.recomputed or 'nothing'}", "    ", "      ")
    sheet.say(cell.said, "    ")


def render_json(found: Cells) -> str:
    """The cells of the report, and their coverage."""
    document = {
        "cells": [cell.model_dump(mode="json", exclude_none=True) for cell in found.cells],
        "coverage": found.coverage.model_dump(mode="json"),
    }
    return json_text(document)


def render_csv(cells: list[Cell]) -> str:
    """One line per cell."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(FIELDS)
    for cell in cells:
        writer.writerow([_spreadsheet(getattr(cell, name)) for name in FIELDS])
    return output.getvalue()


def _spreadsheet(value: object) -> object:
    """Text that a spreadsheet will not take for a formula; numbers stay numbers."""
    if isinstance(value, str):
        text = harmless(value)
        starts_formula = text[:1] in "=@\t\r" or (text[:1] in "+-" and not _is_number(text))
        return f"'{text}" if text and starts_formula else text
    return "" if value is None else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
