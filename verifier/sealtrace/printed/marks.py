"""Best and second best: whether a table emphasizes what its direction says, ties sharing the mark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from sealtrace.printed.cells import TableCell


@dataclass(frozen=True)
class MarkProblem:
    """A cell whose mark is not what the column's order gives."""

    cell: TableCell
    expected: str
    found: str


def marked_groups(cells: list[TableCell]) -> list[list[TableCell]]:
    """Cells that are compared: those of a column with a direction, by declared subset, where any is marked."""
    groups: dict[tuple[str, str, str | None], list[TableCell]] = {}
    for cell in cells:
        if cell.direction is not None and cell.printed is not None and cell.printed.numeric:
            groups.setdefault((cell.table, cell.column, cell.among), []).append(cell)
    return [group for group in groups.values() if any(cell.mark for cell in group)]


def wrong_marks(cells: list[TableCell]) -> Iterator[MarkProblem]:
    """Every cell that is marked otherwise than its printed value deserves."""
    for group in marked_groups(cells):
        best_first = group[0].direction == "higher"
        ranks = sorted({_value(cell) for cell in group}, reverse=best_first)
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
