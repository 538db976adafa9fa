"""Best and second best: whether a table emphasizes what its direction says, ties sharing the mark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from sealtrace.printed.cells import TableCell

DIRECTIONS = ("higher", "lower")
_NOT_THE_ORDER = "The mark does not fit the order of the numbers in this column. Mark the cell as it should be."
_NO_RIVAL = "The mark compares this cell with no other: its group has one row, and the column has more."
_UNSEEN = (
    "The mark holds only among some rows, and nothing printed sets these apart. Name the group in the caption, or mark "
    "the best of all rows."
)
_NO_DIRECTION = "The mark fits neither direction. Declare whether higher or lower is better."


@dataclass(frozen=True)
class MarkProblem:
    """A cell whose mark is not what the column's order gives."""

    cell: TableCell
    expected: str
    found: str
    message: str = _NOT_THE_ORDER
    severity: Literal["error", "warning"] = "error"


def marked_groups(cells: list[TableCell]) -> list[list[TableCell]]:
    """Cells that are compared: those of a column, by declared subset, where any is marked."""
    groups: dict[tuple[str, str, str | None], list[TableCell]] = {}
    for cell in cells:
        if cell.printed is not None and cell.printed.numeric:
            groups.setdefault((cell.table, cell.column, cell.among), []).append(cell)
    return [group for group in groups.values() if any(cell.mark for cell in group)]


def undirected(cells: list[TableCell]) -> list[str]:
    """Columns that mark their best cells and do not say which values are better: nothing can tell whether they are."""
    found = {f"{group[0].table}[{group[0].column}]": None for group in marked_groups(cells) if not group[0].direction}
    return list(found)


def wrong_marks(cells: list[TableCell], captions: Mapping[str, str] | None = None) -> Iterator[MarkProblem]:
    """Every cell that is marked otherwise than its printed value deserves."""
    groups = marked_groups(cells)
    columns: dict[tuple[str, str], list[TableCell]] = {}
    for cell in cells:
        if cell.printed is not None and cell.printed.numeric:
            columns.setdefault((cell.table, cell.column), []).append(cell)
    for group in groups:
        first = group[0]
        column = columns[first.table, first.column]
        if len(group) == 1 and first.among is not None and len(column) > 1:
            yield MarkProblem(first, "rows to compare with", f"{first.mark} of one row", _NO_RIVAL)
        elif first.direction is not None:
            wrong = list(_out_of_order(group, first.direction))
            yield from wrong
            seen = captions is None or first.among is None or _set_apart(group, column, captions)
            if not wrong and not seen:
                places = {cell.name for cell in group}
                for problem in _out_of_order(column, first.direction):
                    if problem.cell.name in places and problem.cell.mark:
                        yield replace(problem, message=_UNSEEN)
        else:
            ways = [list(_out_of_order(group, direction)) for direction in DIRECTIONS]
            for problem in min(ways, key=len):
                yield MarkProblem(problem.cell, problem.expected, problem.found, _NO_DIRECTION, "warning")


def _set_apart(group: list[TableCell], column: list[TableCell], captions: Mapping[str, str]) -> bool:
    """Whether a reader can see which rows are compared: they alone share a text, or the caption names them."""
    first = group[0]
    if first.among and first.among.casefold() in captions.get(first.table, "").casefold():
        return True
    rows = {cell.row for cell in group}
    others = [cell for cell in column if cell.row not in rows]
    return any(
        all(cell.texts.get(name) == text for cell in group) and all(cell.texts.get(name) != text for cell in others)
        for name, text in first.texts.items()
        if text.strip()
    )


def _out_of_order(group: list[TableCell], direction: str) -> Iterator[MarkProblem]:
    ranks = sorted({_value(cell) for cell in group}, reverse=direction == "higher")
    uses_second = any(cell.mark == "second" for cell in group)
    for cell in group:
        place = ranks.index(_value(cell))
        expected = "best" if place == 0 else "second" if place == 1 and uses_second else "no mark"
        found = cell.mark or "no mark"
        if found != expected:
            yield MarkProblem(cell, expected, found)


def _value(cell: TableCell) -> Fraction:
    """What a cell is ranked by: its first number, or the share that a ratio is."""
    assert cell.printed is not None
    first, *others = cell.printed.parts
    if cell.printed.form == "ratio" and others[0].value:
        return first.value / others[0].value
    return first.value
