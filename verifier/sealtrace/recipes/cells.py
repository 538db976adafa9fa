"""Every cell of every table: what was printed, where, by which recipe it follows, and whether its mark fits."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from sealtrace.evidence import Evidence, once
from sealtrace.paper.fact import cell_id
from sealtrace.paper.model import NAME, Role, Row, Table
from sealtrace.paper.numbers import Printed
from sealtrace.paper.table_records import RecipeRecord
from sealtrace.statistics.arguments import CONDITIONS


@dataclass(frozen=True)
class TableCell:
    """A cell in its place, before anything is computed."""

    table: str
    row: str
    column: str
    text: str
    printed: Printed | None
    """None where the cell holds no number."""
    recipe: RecipeRecord | None
    table_recipe: RecipeRecord | None
    """The query that fills the whole table, where there is one."""
    texts: dict[str, str]
    """The row's printed texts by column, for placeholders."""
    arguments: Mapping[str, str]
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
    """It stands in a column that names rows."""
    role: Role
    """What it prints."""
    naming: dict[str, str]
    """The row's texts that say what it is, by column: those of the columns that name rows, and all that are words."""
    own_recipe: bool
    """Whether the recipe is the cell's own, and not one that all rows share."""
    population: str | None
    """The declared population that its table is about."""
    quotation: str
    """Of a number of the running text: the words around it; else empty."""
    spoilt: str | None
    """Why the cell has no place that is certain, where its table is misshapen there."""

    @property
    def name(self) -> str:
        """The cell's address, as `explain` takes it."""
        return cell_id(self.table, self.row, self.column)

    @property
    def subject(self) -> str:
        """What it stands under: its column, or of a number of the running text its own name."""
        return self.row if self.quotation else self.column

    @property
    def declared_name(self) -> bool:
        """Whether its recipe declares it a name."""
        return (self.recipe or {}).get("classification") == NAME

    @cached_property
    def followed(self) -> RecipeRecord:
        """The recipe that gives it: its own, or that of the whole table where it prints a number and has none."""
        holds = self.printed is not None or self.role == "number"
        own = self.recipe is not None or not holds
        return (self.recipe if own else self.table_recipe) or {}

    @cached_property
    def said(self) -> dict[str, str]:
        """What that recipe says to its metric."""
        return written_arguments(self.followed)


def written_arguments(recipe: RecipeRecord) -> dict[str, str]:
    """Everything that a recipe says to its metric, by name; conditions as `where.field`, several values as JSON."""
    said = {name: text for name in _WORDS if isinstance(text := recipe.get(name), str)}
    for name in CONDITIONS:
        for field_, value in (recipe.get(name) or {}).items():
            said[f"{name}.{field_}"] = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
    return {**(recipe.get("arguments") or {}), **said}


_WORDS = ("dataset", "of", "against", "group", "average", "over", "show")


@once
def table_in(evidence: Evidence, path: str) -> Table:
    """The table whose record lies at a path."""
    return next(
        Table.of(document.value, path) for document in evidence.bundle.documents_of("table") if document.path == path
    )


def tables_in(evidence: Evidence) -> list[Table]:
    """The tables of all records."""
    return [table_in(evidence, document.path) for document in evidence.bundle.documents_of("table")]


@once
def cells_in(evidence: Evidence, path: str) -> list[TableCell]:
    """The cells of the table record that lies at a path."""
    return list(cells_of(table_in(evidence, path)))


def cells_of(table: Table, path: str | None = None) -> Iterator[TableCell]:
    """The cells of a table; `path` is the file that a reader is sent to, where it is not the table's record."""
    times = Counter(table.headers), Counter(row.label for row in table.rows)
    for place, row in enumerate(table.rows):
        texts = dict(zip(table.headers, row.texts, strict=False))
        naming = dict(_naming(table, place, row))
        for index, (column, cell) in enumerate(zip(table.columns, row.cells, strict=False)):
            yield TableCell(
                table=table.label,
                row=row.label,
                column=column.label,
                text=cell.text,
                printed=cell.printed,
                recipe=table.recipe_of(place, index),
                table_recipe=table.recipe,
                texts=texts,
                arguments=row.arguments,
                place=place,
                rows=len(table.rows),
                record=path or table.path or table.file,
                pointer=f"/rows/{place}/cells/{index}",
                source=table.file or None,
                line=cell.line,
                mark=cell.mark,
                direction=column.direction,
                among=row.among,
                key=index in table.naming,
                role=table.role(place, index),
                naming=naming,
                own_recipe=column.recipe is None or column.label in row.recipes,
                population=table.population,
                quotation=row.quotation or "",
                spoilt=_spoilt(row, column.label, times, len(table.columns)),
            )


def _naming(table: Table, place: int, row: Row) -> Iterator[tuple[str, str]]:
    """What says what a row is. Words that a recipe gives are results; numbers of columns that name rows are names, and
    so are those that the record declares to be names."""
    for index, (column, cell) in enumerate(zip(table.columns, row.cells, strict=False)):
        recipe = table.recipe_of(place, index) or {}
        computed = recipe.get("metric") is not None or recipe.get("sql") is not None
        numeric = cell.printed is not None and cell.printed.numeric
        named = index in table.naming or recipe.get("classification") == NAME
        if named if numeric else not (computed or cell.blank):
            yield column.label, cell.text


def _spoilt(row: Row, column: str, times: tuple[Counter[str], Counter[str]], width: int) -> str | None:
    if len(row.cells) != width:
        return f"the row has {len(row.cells)} cells for {width} columns"
    for label, count in ((column, times[0][column]), (row.label, times[1][row.label])):
        if count > 1:
            return f"the label {label!r} names {count} rows or columns of the table"
    return None


# Best and second best: whether a table emphasizes what its direction says, ties sharing the mark.

_NOT_THE_ORDER = "The mark does not fit the order of the numbers in this column. Mark the cell as it should be."
_NO_RIVAL = "The mark compares this cell with no other: its group has one row, and the column has more."
_UNSEEN = (
    "The mark holds only among some rows, and nothing printed sets these apart. Name the group in the caption, or mark "
    "the best of all rows."
)


@dataclass(frozen=True)
class MarkProblem:
    """A cell whose mark is not what the column's order gives."""

    cell: TableCell
    expected: str
    found: str
    message: str = _NOT_THE_ORDER


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
    """Every cell that is marked otherwise than its value deserves, where the record says which way is better."""
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
