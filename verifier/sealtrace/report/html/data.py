"""What the page's script draws, as one compact JSON text: tables with their cells and lineages, and findings."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sealtrace.contract.details import DrawnTable
from sealtrace.contract.result import WORDS
from sealtrace.report.html.of_result import FIELDS, Page
from sealtrace.report.html.page import FAMILIES, SEVERITY_SIGNS, Cause, definition, look
from sealtrace.report.inert import harmless
from sealtrace.report.numbers import begin_of, tally

_IN_HTML = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""What could end a script element, begin an entity, or end a line of a script."""


class Pool:
    """Every text once, made harmless line by line; others name texts by their place. The first is empty: nothing."""

    def __init__(self) -> None:
        self.texts = [""]
        self._places: dict[str, int] = {"": 0}

    def add(self, text: str | None) -> int:
        """The place of a text that is one line."""
        return self._add(harmless(text or ""))

    def lines(self, text: str) -> int:
        """The place of a text whose lines are ours."""
        return self._add("\n".join(map(harmless, text.split("\n"))) if "\n" in text else harmless(text))

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
    """Row, column and the cell's number on the page."""


def layouts(page: Page) -> list[Layout]:
    """The tables in the order of the paper, each with its cells."""
    tables = list(map(_placed, page.tables))
    by_label: dict[str, list[Layout]] = {}
    for table in tables:
        by_label.setdefault(table.table.label, []).append(table)
    for number, cell in enumerate(page.numbers):
        # Labels that stand twice are filled in order, as the cells came.
        for place in by_label.get(cell.table or "", []):
            if places := place.places.get((cell.row or "", cell.column or "")):
                place.cells.append((*places.pop(0), number))
                break
    return tables


def _placed(table: DrawnTable) -> Layout:
    layout = Layout(table)
    for row, drawn in enumerate(table.rows):
        for column, label in enumerate(table.columns[: len(drawn.cells)]):
            layout.places.setdefault((drawn.label, label), []).append((row, column))
    return layout


def table_heads(page: Page, tables: list[Layout]) -> list[dict[str, Any]]:
    """What stands above each table, and in the list of tables; it looks as the worst family of its cells does."""
    heads = []
    for layout in tables:
        members = [page.numbers[number] for _, _, number in layout.cells]
        looks = {look(cell.status)[0] for cell in members}
        heads.append(
            {
                "label": layout.table.label,
                "caption": layout.table.caption,
                "computed": page.computed.get(layout.table.label, []),
                "source": begin_of(members),
                "tally": tally(members) if members else "no numbers",
                "look": next((family for family in reversed(FAMILIES) if family in looks), "unproven"),
            }
        )
    return heads


def island(page: Page, tables: list[Layout]) -> str:
    """The JSON text, in ASCII, that no HTML parser can see anything in."""
    pool = Pool()
    statuses = list(dict.fromkeys(cell.status for cell in page.numbers))
    document: dict[str, object] = {
        "name": harmless(page.name),
        "command": page.command,
        "fields": FIELDS,
        "statuses": [[harmless(name), *look(name), definition(name), WORDS.get(name, "open")] for name in statuses],
        "tables": [_table(layout, page, statuses, pool) for layout in tables],
        **_findings(page, tables, pool),
        # As the results have them: a file of decisions names them letter by letter, and the page shows none of these.
        "formulas": [
            [one.table, one.kind, one.subject, one.options] for group in page.formulas.values() for one in group
        ],
        "text": pool.texts,
    }
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")).translate(_IN_HTML)


def _table(layout: Layout, page: Page, statuses: list[str], pool: Pool) -> dict[str, object]:
    table = layout.table
    width = len(table.columns)
    flat: list[int] = []
    for row, column, number in layout.cells:
        cell = page.numbers[number]
        flat += [
            row,
            column,
            statuses.index(cell.status),
            pool.add(cell.given),
            pool.add(cell.source),
            cell.line or 0,
            *map(pool.lines, page.lineages[number]),
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


def _findings(page: Page, tables: list[Layout], pool: Pool) -> dict[str, object]:
    """Causes in order, each before its consequences, and their findings one after the other."""
    at: dict[str, tuple[int, int]] = {
        page.numbers[number].id: (place, index)
        for place, layout in enumerate(tables)
        for index, (_, _, number) in enumerate(layout.cells)
    }
    causes: list[list[int]] = []
    findings: list[list[object]] = []

    def add(cause: Cause, parent: int) -> None:
        own = len(causes)
        causes.append([pool.add(cause.check), pool.add(cause.title), parent, len(cause.undecided)])
        findings.extend(
            [
                list(SEVERITY_SIGNS).index(item.severity),
                own,
                pool.add(item.place),
                pool.add(item.message),
                [number for name, value in item.facts for number in (pool.add(name), pool.lines(value))],
                [number for name in item.numbers if name in at for number in at[name]],
            ]
            for item in cause.items
        )
        for consequence in cause.consequences:
            add(consequence, own)

    for cause in page.causes:
        add(cause, -1)
    return {"causes": causes, "findings": findings}
