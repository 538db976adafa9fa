"""Every cell of every table: what was printed, where, by which recipe it follows, and whether its mark fits."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from sealtrace.evidence import Evidence, once
from sealtrace.paper.extracted import JOIN
from sealtrace.paper.numbers import Printed, PrintedNumber, looks_numeric, read_printed

Role = Literal["number", "name", "text", "nothing"]
"""What a cell prints: something with a digit to be accounted for, what something is called, words, or nothing."""

NAME = "name"
"""The classification that declares a cell's digits to be part of a name."""
_MARKUP = re.compile(r"\\[A-Za-z]+\*?|[{}$\\]")


@dataclass(frozen=True)
class TableCell:
    """A cell in its place, before anything is computed."""

    table: str
    row: str
    column: str
    text: str
    printed: Printed | None
    """None where the cell holds no number."""
    recipe: dict[str, Any] | None
    table_recipe: dict[str, Any] | None
    """The query that fills the whole table, where there is one."""
    texts: dict[str, str]
    """The row's printed texts by column, for placeholders."""
    arguments: dict[str, str]
    """What the row gives to its recipes."""
    place: int
    """The row's place in its table, from zero."""
    rows: int
    """How many rows the table has."""
    record: str
    """The table record's path in the bundle."""
    pointer: str
    """The cell's JSON pointer in the record."""
    source: str | None
    line: int | None
    mark: str | None
    direction: str | None
    among: str | None
    key: bool
    """It names its row: a label, not a result."""
    spoilt: str | None
    """Why the cell has no place that is certain, where its table is misshapen there."""

    @property
    def name(self) -> str:
        """The cell's address, as `explain` takes it."""
        return f"{self.table}[{self.row}, {self.column}]"

    @property
    def declared_name(self) -> bool:
        """Whether its recipe declares it a name."""
        return (self.recipe or {}).get("classification") == NAME

    @property
    def role(self) -> Role:
        """What the cell prints. Whatever holds a digit is a number, unless it is declared a name.

        A row's label declares what the row is called, so words of it that stand in the row are a name, too.
        """
        if self.declared_name:
            return "name"
        if not self.text.strip() or (self.printed is not None and self.printed.form == "not-available"):
            return "nothing"
        if not any(unicodedata.category(character).startswith("N") for character in self.text):
            return "text"
        return "name" if self.key and self.text in self.row and not _is_number(self.text) else "number"


@once
def cells_in(evidence: Evidence, path: str) -> list[TableCell]:
    """The cells of the table record that lies at a path."""
    return [
        cell
        for document in evidence.bundle.documents_of("table")
        if document.path == path
        for cell in cells_of(document.value, path)
    ]


def cells_of(record: dict[str, Any], path: str) -> Iterator[TableCell]:
    """The cells of one table record."""
    columns = record["columns"]
    keys = key_columns(record)
    times = Counter(column["label"] for column in columns), Counter(row["label"] for row in record["rows"])
    for place, row in enumerate(record["rows"]):
        texts = {column["label"]: text for column, text in zip(columns, row["cells"], strict=False)}
        lines = row.get("lines") or [row.get("line")] * len(row["cells"])
        for index, (column, text) in enumerate(zip(columns, row["cells"], strict=False)):
            label = column["label"]
            yield TableCell(
                table=record["label"],
                row=row["label"],
                column=label,
                text=text,
                printed=read_printed(text),
                # A row's own recipe may be empty: then the column's does not apply to it.
                recipe=(row.get("recipes") or {}).get(label, column.get("recipe")),
                table_recipe=record.get("recipe"),
                texts=texts,
                arguments=row.get("arguments") or {},
                place=place,
                rows=len(record["rows"]),
                record=path,
                pointer=f"/rows/{place}/cells/{index}",
                source=record.get("source"),
                line=lines[index] if index < len(lines) else None,
                mark=(row.get("marks") or {}).get(label),
                direction=column.get("direction"),
                among=row.get("among"),
                key=label in keys,
                spoilt=_spoilt(row, label, times, len(columns)),
            )


def _is_number(text: str) -> bool:
    """Whether a text reads as a number, also where it is set in bold or as mathematics."""
    plain = _MARKUP.sub(" ", text)
    printed = read_printed(plain)
    return looks_numeric(plain) or (printed is not None and printed.numeric)


def _spoilt(row: dict[str, Any], column: str, times: tuple[Counter[str], Counter[str]], width: int) -> str | None:
    if len(row["cells"]) != width:
        return f"the row has {len(row['cells'])} cells for {width} columns"
    for label, count in ((column, times[0][column]), (row["label"], times[1][row["label"]])):
        if count > 1:
            return f"the label {label!r} names {count} rows or columns of the table"
    return None


# Which columns name rows: model sizes, years, seeds and settings are labels, not results.

_SETTING = re.compile(
    r"\b(?:model|params?|parameters|size|scale|year|date|month|day|seed|run|fold|split|epochs?|steps?|layers?|depth|dim|"
    r"width|heads?|rank|k|n|m|batch|lr|learning rate|temperature|threshold|budget|level|id|index|no\.?|#|bits?|shots?|"
    r"tier|rho|alpha|beta|gamma|lambda|tau|sigma|epsilon)\b|^[αβγδεζηθκλμνρστφψωϵ]$",
    re.IGNORECASE,
)


def naming_cells(row: dict[str, Any]) -> int:
    """How many of a row's first cells make up its label."""
    cells = row["cells"]
    return next((n for n in range(1, len(cells)) if JOIN.join(filter(None, cells[:n])) == row["label"]), 1)


def naming_columns(record: dict[str, Any]) -> int:
    """How many of the first columns make up the rows' labels, in most rows."""
    counts = Counter(map(naming_cells, record["rows"]))
    return counts.most_common(1)[0][0] if counts else 1


def key_columns(record: dict[str, Any]) -> frozenset[str]:
    """The columns whose numbers name rows, by their place, their header and what they print."""
    columns = [column["label"] for column in record["columns"]]
    naming = naming_columns(record)
    found = set()
    for place, label in enumerate(columns[:-1]):
        cells = [row["cells"][place] for row in record["rows"] if place < len(row["cells"]) and row["cells"][place]]
        if not cells or place > naming or not _names(label, cells, first=place == 0, naming=place < naming):
            break  # what follows a result is a result
        found.add(label)
    return frozenset(found)


def _names(header: str, cells: list[str], *, first: bool, naming: bool) -> bool:
    printed = [read_printed(text) for text in cells]
    numbers = [read.parts for read in printed if read is not None and read.numeric]
    if 2 * len(numbers) < len(cells):
        return True  # words, some with a number among them
    if any(read is not None and (read.percent or read.form == "plus-minus") for read in printed):
        return False
    if _SETTING.search(header):
        return first or naming or all(map(_is_size, numbers))
    if first and (not header or header.startswith("column ")):
        return True
    if all(map(_is_size, numbers)):
        return first or naming
    values = [parts[0].value for parts in numbers]
    rising = len(values) > 2 and all(a < b for a, b in pairwise(values))
    return first and (rising or all(part.unit >= 1 for parts in numbers for part in parts))


def _is_size(parts: tuple[PrintedNumber, ...]) -> bool:
    """A number with a scale, such as 0.5B, or a range or year; nothing that was measured."""
    return all(part.text[-1].isalpha() or (part.unit == 1 and 1900 <= part.value <= 2100) for part in parts)


# Best and second best: whether a table emphasizes what its direction says, ties sharing the mark.

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
    caption = captions.get(first.table, "").casefold()
    if first.among and re.search(rf"(?<!\w){re.escape(first.among.casefold())}(?!\w)", caption):
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
