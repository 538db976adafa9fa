"""What the page's script draws, as one compact JSON text: tables with their cells and lineages, and findings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sealtrace.contract.details import Details, DrawnRow, DrawnTable, Lineage
from sealtrace.contract.report import Cell, Finding, Report
from sealtrace.report.html.statuses import definition, look
from sealtrace.report.inert import harmless
from sealtrace.report.places import key_text

STRIDE = 14
"""How many numbers stand for one cell; the script reads them in the same order."""
_NOTHING = Lineage()
_IN_HTML = {ord(one): f"\\u{ord(one):04x}" for one in "<>&\u2028\u2029"}
"""What could end a script element, begin an entity, or end a line of a script."""


class Pool:
    """Every text once, made harmless; cells name texts by their place. The first is empty: nothing."""

    def __init__(self) -> None:
        self.texts = [""]
        self._places: dict[str, int] = {"": 0}

    def add(self, text: str | None) -> int:
        """The place of a text."""
        return self._add(harmless(text or ""))

    def lines(self, texts: Iterable[str]) -> int:
        """The place of several texts, one per line; none of them can hold the end of a line."""
        return self._add("\n".join(map(harmless, texts)))

    def _add(self, text: str) -> int:
        place = self._places.get(text)
        if place is None:
            place = self._places[text] = len(self.texts)
            self.texts.append(text)
        return place


@dataclass
class Layout:
    """A table as it is drawn, and where its cells stand."""

    table: DrawnTable
    places: dict[tuple[str, str], list[tuple[int, int]]] = field(default_factory=dict)
    cells: list[tuple[int, int, int]] = field(default_factory=list)
    """Row, column and the cell's number in the report."""


def layouts(report: Report) -> list[Layout]:
    """The tables in the order of the paper, each with its cells."""
    drawn = (report.details or Details(lineages=[], tables=[], stages=[])).tables
    known = {table.label for table in drawn}
    tables = [_placed(table) for table in [*drawn, *_from_cells(report.cells, known)]]
    by_label: dict[str, list[Layout]] = {}
    for one in tables:
        by_label.setdefault(one.table.label, []).append(one)
    for number, cell in enumerate(report.cells):
        # Labels that stand twice are filled in order, as the cells came.
        for one in by_label.get(cell.table, []):
            if places := one.places.get((cell.row, cell.column)):
                one.cells.append((*places.pop(0), number))
                break
    return tables


def _placed(table: DrawnTable) -> Layout:
    layout = Layout(table)
    for row, drawn in enumerate(table.rows):
        for column, label in enumerate(table.columns[: len(drawn.cells)]):
            layout.places.setdefault((drawn.label, label), []).append((row, column))
    return layout


def _from_cells(cells: list[Cell], known: set[str]) -> list[DrawnTable]:
    """Tables of which only the cells are known: rows and columns as they first appear."""
    members: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.table not in known:
            members.setdefault(cell.table, []).append(cell)
    tables = []
    for label, inside in members.items():
        columns = list(dict.fromkeys(cell.column for cell in inside))
        texts: dict[str, dict[str, str]] = {}
        for cell in inside:
            texts.setdefault(cell.row, {})[cell.column] = cell.reported
        rows = [
            DrawnRow(label=row, cells=[printed.get(column, "") for column in columns]) for row, printed in texts.items()
        ]
        tables.append(DrawnTable(label=label, columns=columns, rows=rows))
    return tables


def island(report: Report, tables: list[Layout]) -> str:
    """The JSON text, in ASCII, that no HTML parser can see anything in."""
    pool = Pool()
    statuses = list(dict.fromkeys(cell.status for cell in report.cells))
    lineages = report.details.lineages if report.details else []
    document: dict[str, Any] = {
        "bundle": harmless(report.bundle.name),
        "statuses": [[harmless(name), *look(name), definition(name)] for name in statuses],
        "tables": [_table(one, report, lineages, statuses, pool) for one in tables],
        "findings": _findings(report, tables, pool),
        "text": pool.texts,
    }
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")).translate(_IN_HTML)


def _table(layout: Layout, report: Report, lineages: list[Lineage], statuses: list[str], pool: Pool) -> dict[str, Any]:
    table = layout.table
    width = len(table.columns)
    flat: list[int] = []
    for row, column, number in layout.cells:
        cell = report.cells[number]
        lineage = lineages[number] if number < len(lineages) else _NOTHING
        flat += [
            row,
            column,
            statuses.index(cell.status),
            pool.add(cell.recomputed),
            pool.add(cell.sentence),
            pool.add(cell.source),
            cell.line or 0,
            pool.add(cell.recipe),
            pool.add(lineage.formula),
            pool.add(lineage.formula_source),
            pool.add(lineage.population),
            lineage.count,
            pool.lines(lineage.records),
            pool.lines(lineage.undisclosed),
        ]
    return {
        "label": harmless(table.label),
        "columns": [harmless(column) for column in table.columns],
        "rows": [pool.add(row.label) for row in table.rows],
        "texts": [pool.add(text) for row in table.rows for text in (row.cells + [""] * width)[:width]],
        "marks": {
            f"{place},{table.columns.index(column)}": harmless(mark)
            for place, row in enumerate(table.rows)
            for column, mark in row.marks.items()
            if column in table.columns
        },
        "cells": flat,
    }


SEVERITIES = ("error", "warning", "note")


def _findings(report: Report, tables: list[Layout], pool: Pool) -> list[list[int]]:
    at = {
        (layout.table.label, report.cells[number].row, report.cells[number].column): (place, index)
        for place, layout in enumerate(tables)
        for index, (_, _, number) in enumerate(layout.cells)
    }
    return [_finding(one, at, pool) for one in report.findings]


def _finding(one: Finding, at: dict[tuple[str, str, str], tuple[int, int]], pool: Pool) -> list[int]:
    key = one.key or {}
    table, cell = at.get((key.get("table", ""), key.get("row", ""), key.get("column", "")), (-1, -1))
    place = one.source or "bundle"
    for part in (one.row, one.column):
        place += "" if part is None else f":{part}"
    return [
        SEVERITIES.index(one.severity),
        pool.add(one.check),
        pool.add(place),
        pool.add(key_text(one.key)),
        pool.add(one.field),
        pool.add(one.message),
        -1 if one.expected is None else pool.add(one.expected),
        -1 if one.found is None else pool.add(one.found),
        table,
        cell,
    ]
