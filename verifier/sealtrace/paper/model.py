"""A paper as printed: tables with their cells, sentences with their numbers, each with its place and its id.

Every reader of papers, and every reader of sealed table records, hands these on. What a cell prints, which columns name
rows and how many numbers there are is decided here, so that all commands count the same cells.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count, pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, cast

from sealtrace.paper.extracted import JOIN, ProseLine, ReadingProblem
from sealtrace.paper.fact import cell_id
from sealtrace.paper.numbers import Printed, PrintedNumber, looks_numeric, numbers_of, read_printed
from sealtrace.paper.table_records import ColumnRecord, RecipeRecord, RowRecord, TableRecord

if TYPE_CHECKING:
    from sealtrace.paper.sentences import Sentence, TextNumber

Role = Literal["number", "name", "text", "nothing"]
"""What a cell prints: a number to be accounted for, what something is called, words, or nothing."""
NAME = "name"
"""The classification that declares a cell's digits to be part of a name."""
# The contract of table records allows no more.
_LONGEST_CAPTION = 4000
_MARKUP = re.compile(r"\\[A-Za-z]+\*?|[{}$\\]")


@dataclass(frozen=True)
class Cell:
    text: str
    line: int | None = None
    source: str = ""
    """The file that prints it, where it is not its table's."""
    mark: str | None = None
    """`best` or `second`, as it is emphasized."""
    covering: str | None = None
    """The text of the cell that reaches into this place from the left or from above; None where none does."""
    columns: int = 1

    @property
    def shown(self) -> str:
        """What a reader sees in this place."""
        return self.text if self.covering is None else self.covering

    @cached_property
    def printed(self) -> Printed | None:
        """What it says, where the whole of it is a number or several."""
        return read_printed(self.text)

    @cached_property
    def numbers(self) -> tuple[PrintedNumber, ...]:
        """Its numbers, also where words stand around them."""
        return numbers_of(self.text)

    @property
    def blank(self) -> bool:
        """Whether it prints nothing, or says that there is nothing."""
        return not self.text.strip() or (self.printed is not None and self.printed.form == "not-available")


@dataclass(frozen=True)
class TableColumn:
    label: str
    direction: str | None = None
    """Which values are better, `higher` or `lower`, where that is said."""
    recipe: RecipeRecord | None = None
    """How its cells follow from records, where the table is sealed."""
    printed: str | None = None
    """Its header as printed, where its label says more: that there is none, or that another column has the same."""

    @property
    def header(self) -> str:
        """What stands above it."""
        return self.label if self.printed is None else self.printed


@dataclass(frozen=True)
class Heading:
    """One cell of a table's header with those below it: a tree whose leaves stand above single columns."""

    text: str
    first: int
    """The first column below it, from zero."""
    columns: int
    """How many columns it is above."""
    line: int | None = None
    below: tuple[Heading, ...] = ()

    def path(self, column: int) -> tuple[str, ...]:
        """What is printed above a column, from here downwards; nothing where the column is not below."""
        if not self.first <= column < self.first + self.columns:
            return ()
        return (self.text, *chain.from_iterable(heading.path(column) for heading in self.below))


@dataclass(frozen=True)
class Row:
    label: str
    cells: tuple[Cell, ...]
    line: int | None = None
    """Its line, where all its cells stand on one."""
    lines: tuple[int, ...] = ()
    """The line of each cell, where they differ."""
    after_rule: bool = False
    """A rule over the whole table stands above it."""
    indented: bool = False
    """Its name is set further right: it is a part of a row above."""
    group: str = ""
    """The name of the row above that it belongs to: one that is not indented, or that prints nothing but its name."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """Column to how its cell is emphasized."""
    recipes: Mapping[str, RecipeRecord] = field(default_factory=dict)
    """Column to the cell's own recipe; an empty one means none."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    among: str | None = None
    printing: Mapping[str, str] = field(default_factory=dict)
    """Column to how its numbers came to be printed."""
    quotation: str | None = None
    """Of a sealed number of the text: the words around it."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Its cells as strings."""
        return tuple(cell.text for cell in self.cells)

    @property
    def at(self) -> int | None:
        """The line on which it begins."""
        return self.lines[0] if self.lines else self.line

    @property
    def naming(self) -> int:
        """How many of its first cells make up its label."""
        cells = self.texts
        return next((n for n in range(1, len(cells)) if JOIN.join(filter(None, cells[:n])) == self.label), 1)


@dataclass(frozen=True)
class Table:
    """One table of a paper, or one panel of it; or a sealed table record."""

    label: str
    columns: tuple[TableColumn, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    source: str = ""
    """The file that prints it."""
    line: int | None = None
    headings: tuple[str, ...] = ()
    """Headings of the document under which it stands, the nearest first."""
    header: tuple[Heading, ...] = ()
    """The cells of its header as a tree; a sealed record has none."""
    notes: tuple[ProseLine, ...] = ()
    """What is printed below it: rows of one cell at its end, and what its float says beside the caption."""
    recipe: RecipeRecord | None = None
    """The query that fills the whole table, where the table is sealed."""
    population: str | None = None
    """The declared population that it is about, where the table is sealed."""
    path: str | None = None
    """Where its record lies in the bundle; None where it was read from a paper."""

    @classmethod
    def of(cls, given: Mapping[str, object], path: str | None = None) -> Self:
        """A table record that fits its schema as a table; its rows may still have too many cells or too few."""
        record = cast("TableRecord", given)
        columns = tuple(
            TableColumn(column["label"], column.get("direction"), column.get("recipe")) for column in record["columns"]
        )
        return cls(
            record["label"],
            columns,
            tuple(_row_of(row, columns) for row in record["rows"]),
            record.get("caption") or "",
            record.get("source") or "",
            recipe=record.get("recipe"),
            population=record.get("population"),
            path=path,
        )

    def record(self) -> TableRecord:
        """The table as a record that can be sealed."""
        found = TableRecord(
            label=self.label,
            source=self.file or None,
            caption=self.caption[:_LONGEST_CAPTION] or None,
            population=self.population,
            recipe=None if self.recipe is None else self.recipe.copy(),
            columns=list(map(_column_record, self.columns)),
            rows=list(map(_row_record, self.rows)),
        )
        return _present(found)

    @property
    def file(self) -> str:
        """The name of the file that prints it."""
        return PurePath(self.source).name

    @property
    def is_text(self) -> bool:
        """Whether it holds numbers of the running text, which no table of the paper prints."""
        return self.label.startswith("text") or any(row.quotation for row in self.rows)

    @property
    def headers(self) -> tuple[str, ...]:
        """The labels of the columns."""
        return tuple(column.label for column in self.columns)

    def above(self, column: int) -> tuple[str, ...]:
        """What is printed above a column, the outermost heading first."""
        found = tuple(chain.from_iterable(heading.path(column) for heading in self.header))
        return found or (self.columns[column].header,)

    def id(self, row: int, column: int) -> str:
        """How a cell is addressed."""
        return cell_id(self.label, self.rows[row].label, self.columns[column].label)

    def places(self) -> Iterator[tuple[int, int, Cell]]:
        """Every cell, with the numbers of its row and its column; what has no column is left out."""
        for row, given in enumerate(self.rows):
            for column, cell in enumerate(given.cells[: len(self.columns)]):
                yield row, column, cell

    def recipe_of(self, row: int, column: int) -> RecipeRecord | None:
        """A cell's own recipe, or its column's. A row's own may be empty: then the column's does not apply to it."""
        return self.rows[row].recipes.get(self.columns[column].label, self.columns[column].recipe)

    @property
    def recipes(self) -> list[RecipeRecord]:
        """Every recipe of its columns, its rows and its own."""
        own = [*(column.recipe for column in self.columns), *(one for row in self.rows for one in row.recipes.values())]
        return [recipe for recipe in (*own, self.recipe) if recipe]

    # What its cells are

    @cached_property
    def label_width(self) -> int:
        """How many of the first columns make up the rows' labels, in most rows."""
        counts = Counter(row.naming for row in self.rows)
        width = counts.most_common(1)[0][0] if counts else 1
        # A measured number is no name, though it is what tells two rows of one name apart.
        while width > 1 and self._is_measured(width - 1):
            width -= 1
        return width

    def _is_measured(self, place: int) -> bool:
        """Whether a column prints another decimal number in each row, and none that was set."""
        cells = [row.cells[place].printed for row in self.rows if place < len(row.cells)]
        parts = [read.parts[0] for read in cells if read is not None and read.parts]
        distinct = len({part.value for part in parts}) == len(parts) == len(cells)
        return distinct and all(0 < part.unit < 1 for part in parts) and not _SETTING.search(self.columns[place].label)

    @cached_property
    def naming(self) -> tuple[int, ...]:
        """The columns on the left that name rows, by their header and what they print: model sizes, years, seeds and
        settings are labels, not results."""
        found = []
        for place, column in enumerate(self.columns[:-1]):
            cells = [row.cells[place] for row in self.rows if place < len(row.cells) and row.cells[place].text]
            if not cells or not _names_rows(column.label, cells, place, self.label_width):
                break  # what follows a result is a result
            found.append(place)
        return tuple(found)

    def role(self, row: int, column: int) -> Role:
        """What a cell prints.

        In a sealed record, whatever holds a digit is a number unless it is declared a name; words of the row's label
        that stand in the row are a name, too. In a paper nobody has declared anything: columns that name rows hold
        names, and so does a cell with words around its digits.
        """
        cell = self.rows[row].cells[column]
        if (self.recipe_of(row, column) or {}).get("classification") == NAME:
            return "name"
        if cell.blank:
            return "nothing"
        if not any(unicodedata.category(character).startswith("N") for character in cell.text):
            return "text"
        if self.path is None:
            return "number" if column not in self.naming and cell.numbers and not is_wordy(cell) else "name"
        named = column in self.naming and cell.text in self.rows[row].label and not _is_number(cell.text)
        return "name" if named else "number"

    @property
    def with_names(self) -> Table:
        """The table in which the columns that name rows are declared to."""
        columns = tuple(
            replace(column, recipe={"classification": NAME}) if place in self.naming else column
            for place, column in enumerate(self.columns)
        )
        return replace(self, columns=columns)

    @property
    def as_sealed(self) -> Table:
        """The table as if it were sealed, with every digit to be accounted for."""
        return replace(self, path=self.path or self.file)

    @cached_property
    def numbers(self) -> tuple[tuple[int, int, Cell], ...]:
        """The cells that print a number to be accounted for, with the numbers of their rows and columns."""
        return tuple(place for place in self.places() if self.role(*place[:2]) == "number")


def _row_of(row: RowRecord, columns: Sequence[TableColumn]) -> Row:
    marks, lines, texts = row.get("marks") or {}, tuple(row.get("lines") or ()), row["cells"]
    at = [*lines, *[None] * len(texts)] if lines else [row.get("line")] * len(texts)
    marked = [marks.get(column.label) for column in columns] + [None] * len(texts)
    return Row(
        row["label"],
        tuple(Cell(text, line, mark=mark) for text, line, mark in zip(texts, at, marked, strict=False)),
        row.get("line"),
        lines,
        marks=marks,
        recipes=row.get("recipes") or {},
        arguments=row.get("arguments") or {},
        among=row.get("among"),
        printing=row.get("printing") or {},
        quotation=row.get("quotation"),
    )


def _column_record(column: TableColumn) -> ColumnRecord:
    recipe = column.recipe if column.recipe is None else column.recipe.copy()
    return _present(ColumnRecord(label=column.label, direction=column.direction or None, recipe=recipe))


def _row_record(row: Row) -> RowRecord:
    found = RowRecord(
        label=row.label,
        cells=list(row.texts),
        lines=list(row.lines) or None,
        line=None if row.lines else row.line,
        marks=dict(row.marks) or None,
        arguments=dict(row.arguments) or None,
        recipes=dict(row.recipes) or None,
        printing=dict(row.printing) or None,
        quotation=row.quotation,
        among=row.among,
    )
    return _present(found)


_Record = TypeVar("_Record", TableRecord, ColumnRecord, RowRecord)


def _present(record: _Record) -> _Record:
    """A record without the fields that say nothing."""
    return cast("_Record", {name: value for name, value in record.items() if value is not None})


# What names something


_SETTING = re.compile(
    r"\b(?:model|params?|parameters|size|scale|year|date|month|day|seed|run|fold|split|epochs?|steps?|layers?|depth|dim|"
    r"width|heads?|rank|k|n|m|batch|lr|learning rate|temperature|threshold|budget|level|id|index|no\.?|#|bits?|shots?|"
    r"tier|rho|alpha|beta|gamma|lambda|tau|sigma|epsilon)\b|^[αβγδεζηθκλμνρστφψωϵ]$",
    re.IGNORECASE,
)
_NAMES = re.compile(r"\bO\(|^[^\W\d_]{2,}[^=<>≤≥≈~:±]*$|^\d{4}-\d\d(?:-\d\d)?$|\d\s?°\s?[NSEW]\b|\bSection\s\d|§")
"""`O(1)`, `Axis 1`, `Elm-3.1-8B`, dates and sections say what something is, not how much."""
_MEASURED = re.compile(r"(?<![\w.-])[+\-−]?\d*\.\d+(?![\w-])|\d\s?%")
_WORDS = re.compile(r"[^\W\d_]{2,}")


def is_wordy(cell: Cell) -> bool:
    """Whether a cell is more of a sentence or a name than of a number."""
    if (found := _NAMES.search(cell.text)) and (not found.group()[0].isalpha() or not _MEASURED.search(cell.text)):
        return True
    words = _WORDS.findall(cell.text)
    return len(words) >= 4 or (len(words) >= 2 and len(words) > 2 * len(cell.numbers) and len(cell.text) > 25)


def _is_number(text: str) -> bool:
    """Whether a text reads as a number, also where it is set in bold or as mathematics."""
    plain = _MARKUP.sub(" ", text)
    printed = read_printed(plain)
    return looks_numeric(plain) or (printed is not None and printed.numeric)


def _names_rows(header: str, cells: list[Cell], place: int, label_width: int) -> bool:
    """Whether a column names rows; the labels of most rows take up the first `label_width` columns."""
    printed = [cell.printed for cell in cells]
    numbers = [read.parts for read in printed if read is not None and read.numeric]
    if 2 * len(numbers) < len(cells):
        return True  # words, some with a number among them
    first, labels = place == 0, place < label_width
    if place > label_width or any(read and (read.percent or read.form == "plus-minus") for read in printed):
        return False
    if _SETTING.search(header):
        return first or labels or all(map(_is_size, numbers))
    if first and (not header or header.startswith("column ")):
        return True
    if all(map(_is_size, numbers)):
        return first or labels
    values = [parts[0].value for parts in numbers]
    rising = len(values) > 2 and all(a < b for a, b in pairwise(values))
    return first and (rising or all(part.unit >= 1 for parts in numbers for part in parts))


def _is_size(parts: tuple[PrintedNumber, ...]) -> bool:
    """A number with a scale, such as 0.5B, or a range or year; nothing that was measured."""
    return all(part.text[-1].isalpha() or (part.unit == 1 and 1900 <= part.value <= 2100) for part in parts)


# Papers


@dataclass(frozen=True)
class Paper:
    """What a paper prints."""

    tables: tuple[Table, ...] = ()
    prose: tuple[ProseLine, ...] = ()
    problems: tuple[ReadingProblem, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """The sources as written, by the names that tables and prose give as theirs."""
    title: str | None = None

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The running text and the captions, sentence by sentence."""
        from sealtrace.paper.sentences import sentences  # start-up: verifying reads no sentences

        return tuple(sentences(self.prose))

    @cached_property
    def _numbers(self) -> dict[str, Cell | TextNumber]:
        text = {number.id: number for sentence in self.sentences for number in sentence.numbers}
        cells = {table.id(row, column): cell for table in self.tables for row, column, cell in table.places()}
        return {**cells, **text}

    def number(self, name: str) -> Cell | TextNumber:
        """The cell `tab:main[ours, F1]`, or the number of the text `s214.n3`; `LookupError` where there is none."""
        if (found := self._numbers.get(name)) is None:
            raise LookupError(f"the paper has no number {name}")
        return found

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Its tables as records that can be sealed."""
        return [dict(table.record()) for table in self.tables]

    @property
    def file_names(self) -> dict[str, str]:
        """The file of each table's record, by its label; one that would be called like another gets a number."""
        names: dict[str, str] = {}
        for table in self.tables:
            plain = re.sub(r"[^A-Za-z0-9-]+", "-", table.label.removeprefix("tab:")).strip("-") or "unnamed"
            free = (f"table.{plain}{ending}.json" for ending in chain([""], (f"-{number}" for number in count(2))))
            names[table.label] = next(name for name in free if name not in names.values())
        return names
