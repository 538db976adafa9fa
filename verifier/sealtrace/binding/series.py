"""What a paper prints, as series of numbers that could follow one rule: columns, rows and whole blocks of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import Numbers
from sealtrace.binding.slots import greatest, least, unit_of
from sealtrace.paper.extracted import JOIN
from sealtrace.paper.model import Cell, Table
from sealtrace.paper.numbers import PrintedNumber
from sealtrace.paper.sentences import clauses
from sealtrace.statistics.entries import TRIED

_SETTING = re.compile(r"[\d,]{1,8}(?:\.\d)?\s?(?:%|[^\W\d_]{1,6})?")
"""Numbers that people set: whole, or with one decimal, perhaps with a unit."""
_CLASS = re.compile(r"[<>≤≥]?\s?\d+\s?(?:[-–+]\s?\d*)?")
"""Classes of numbers that name rows: `18-34`, `55+`."""
_IN_BRACKETS = re.compile(r"(.*?)(?<![^\s,;])([^\s,;]+)\s*[(\[]([^()\[\]]+)[)\]]\W*")
_BRACKETED = re.compile(r"\(.+\)|\[.+\]")
_LETTERS = re.compile(r"[^\W\d_]+")
_MARKED = re.compile(r"\b(?:bold|boldface|underlined?|highlighted|shaded|starred|italics?)\b")
_LOOSE = re.compile(
    r"\brange\b(?!\s+(?:over|across))|\b(?:best|worst|peak|highest|lowest)\b(?!\s+(?:\w+\s+)?(?:of|over|across|among)\b)"
)
"""What a caption says without naming a statistic: `best in bold`, `a range of tasks`; `best of five runs` names one."""


_SETTING_SAID = re.compile(r"\b[^\W\d]\w*\s*=\s*[^\s,;)\]]+")


def without_settings(label: str) -> str:
    """A label without what it sets: `Placebo (n = 41)` names no count."""
    return _SETTING_SAID.sub(" ", label)


IN_CELL = -3
"""The role of words inside a cell."""


class CellLabel(NamedTuple):
    """A text that names something, the header under which it stands, and what part of the table it is."""

    text: str
    under: str = ""
    role: int = -1
    """The column of a row's label; below zero for titles, headers and words inside the cell."""


@dataclass(frozen=True)
class Spot:
    """A number's place: a cell of a table and which of its numbers."""

    table: int
    row: int
    column: int
    slot: int = 0


@dataclass
class GridCell:
    """A cell with numbers, in its place."""

    row: int
    column: int
    text: str
    line: int
    source: str
    slots: tuple[PrintedNumber, ...]


@dataclass
class Grid:
    """A table, or one panel of it: labels and numbers."""

    number: int
    table: Table
    name: str
    caption: str
    source: str
    line: int
    headers: list[str]
    row_labels: dict[int, list[str]]
    """Texts that name a row, from left to right."""
    labels: list[int]
    """The columns that hold them."""
    cells: dict[tuple[int, int], GridCell]
    titles: dict[int, str] = field(default_factory=dict)
    headings: tuple[str, ...] = ()
    """Headings under which it stands, the nearest first."""
    above: dict[int, int] = field(default_factory=dict)
    """Rows without a label, of numbers in brackets, to the row above whose numbers they say something of."""

    @classmethod
    def of(cls, table: Table, number: int, numbers: Iterable[tuple[int, int, Cell]] | None = None) -> Grid:
        """A table, with all its numbers or with some of them."""
        labels, given = list(table.naming) or [0], table.numbers if numbers is None else numbers
        shown = [[cell.shown for cell in row.cells] + [""] * len(table.columns) for row in table.rows]
        above: dict[int, int] = {}
        for row, (over, texts) in enumerate(pairwise(shown), 1):
            # Errors or intervals of the row above stand in brackets, below its label.
            own = [text for place, text in enumerate(texts) if text and place not in labels]
            if own and not any(texts[place] for place in labels) and all(_BRACKETED.fullmatch(text) for text in own):
                above |= {} if row - 1 in above else {row: row - 1}
                for place in labels:
                    texts[place] = over[place]
            # A label that is printed once stands for the rows below, too.
            told = [texts[place] or over[place] for place in labels]
            if JOIN.join(filter(None, told)) == table.rows[row].label:
                for place, text in zip(labels, told, strict=True):
                    texts[place] = text
        held = {row for row, column, cell in table.places() if column not in labels and cell.numbers}
        titles, title = {}, ""
        for row, texts in enumerate(shown):
            spans = any(cell.columns > 1 for cell in table.rows[row].cells[:1])
            if row not in held and (spans or not any(text for place, text in enumerate(texts) if place not in labels)):
                title = texts[labels[0]]
            elif title:
                titles[row] = title
        return cls(
            number,
            table,
            table.label,
            table.caption,
            table.path or table.source,
            table.line or 1,
            [column.header for column in table.columns],
            {row: [texts[place] for place in labels] for row, texts in enumerate(shown)},
            labels,
            {(row, column): _cell(table, row, column, cell) for row, column, cell in given},
            titles,
            tuple(heading for heading in table.headings if heading != table.caption),
            above,
        )

    @cached_property
    def keys(self) -> list[int]:
        """Columns of numbers that tell rows apart whose labels do not: the window in `rolling | 8192 | 12.1 s`."""
        rows = sorted({row for row, _ in self.cells})
        names: dict[int, tuple[str, ...]] = {row: (self.titles.get(row, ""), *self.row_labels[row]) for row in rows}
        keys: list[int] = []
        for column in range(len(self.headers)):
            if len(set(names.values())) == len(rows):
                return keys
            own = {row: self.cells.get((row, column)) for row in rows}
            plain = all(
                cell is not None
                and ((len(cell.slots) == 1 and _SETTING.fullmatch(cell.text)) or _CLASS.fullmatch(cell.text))
                for cell in own.values()
            )
            if plain and len({(names[row], cell.text) for row, cell in own.items() if cell is not None}) > len(
                set(names.values())
            ):
                keys.append(column)
                names = {row: (*names[row], cell.text) for row, cell in own.items() if cell is not None}
        return keys if len(set(names.values())) == len(rows) else []

    def home(self, spot: Spot) -> tuple[int, int]:
        """The row and the column of a number, or of the one that it says something of."""
        return self.above.get(spot.row, spot.row), spot.column

    def row_name(self, row: int) -> str:
        """The row as a reader calls it."""
        return " / ".join(label for label in self.row_labels[row] if label) or f"row {row + 1}"


@dataclass
class Series:
    """Numbers that could follow one rule."""

    grid: Grid
    kind: Literal["column", "row", "block"]
    spots: list[Spot]
    slots: list[PrintedNumber]
    varying: list[tuple[CellLabel, ...]]
    """Labels that tell each number from the others."""
    constant: tuple[str, ...]
    """Labels that all of them share, the nearest first."""
    words: tuple[str, ...] = field(init=False)
    """Words of these, by which a statistic may be named."""
    _nearest: int = field(init=False)
    """How many of them the nearest label has."""
    texts: frozenset[str] = field(init=False)
    """All texts that tell the numbers apart."""
    fresh: npt.NDArray[np.bool_] = field(init=False)
    """The numbers that nothing gives yet."""
    known: list[dict[str, str]] = field(init=False)
    """Of each number, field to value where its label was read by the numbers beside it."""
    beside: frozenset[str] = field(init=False)
    """Words of its nearest label that may name a record together with a label of a number."""
    value: Numbers = field(init=False)
    low: Numbers = field(init=False)
    high: Numbers = field(init=False)
    unit: Numbers = field(init=False)

    def line(self, spot: Spot) -> tuple[int, str, int]:
        """The row that a number of a column stands in, or the column that one of a row does."""
        return self.grid.number, self.kind, spot.row if self.kind == "column" else spot.column

    @property
    def near_words(self) -> tuple[str, ...]:
        """Those of the nearest label."""
        return self.words[: self._nearest]

    @property
    def far_words(self) -> tuple[str, ...]:
        """Those of the others."""
        return self.words[self._nearest :]

    def __post_init__(self) -> None:
        caption = self.grid.caption
        texts = [without_marks(caption) + label[len(caption) :] if caption and label.startswith(caption) else label
                 for label in self.constant if label not in self.grid.headings]  # fmt: skip
        told = [re.sub(r"[()]", " ", without_settings(text).lower()).split() for text in texts]
        self.words = tuple(word for words in told for word in words)
        self._nearest = len(told[0]) if told else 0
        self.texts = frozenset(label.text for labels in self.varying for label in labels)
        self.fresh = np.ones(len(self.slots), dtype=bool)
        self.known = [{} for _ in self.slots]
        self.beside = frozenset()
        self.value = np.array([float(slot.value) for slot in self.slots])
        self.low = np.array([least(slot) for slot in self.slots])
        self.high = np.array([greatest(slot) for slot in self.slots])
        self.unit = np.array([unit_of(slot) for slot in self.slots])


@lru_cache(maxsize=64)
def without_marks(caption: str) -> str:
    """A caption without what names no statistic."""
    told = (clause.lower() for clause in clauses(caption))
    return " ".join(_LOOSE.sub(" ", clause) for clause in told if not _MARKED.search(clause))


def grids_of(tables: Iterable[Table]) -> list[Grid]:
    """Every table that prints numbers."""
    return [Grid.of(table, number) for number, table in enumerate(table for table in tables if table.numbers)]


def _cell(table: Table, row: int, column: int, cell: Cell) -> GridCell:
    source = cell.source or table.path or table.source
    return GridCell(row, column, cell.text, cell.line or row + 1, source, cell.numbers)


def series_of(grid: Grid) -> list[Series]:
    """Columns first, then rows, then the block as a whole."""
    columns: dict[tuple[int, int, int, bool], list[GridCell]] = {}
    rows: dict[tuple[int, int], list[GridCell]] = {}
    blocks: dict[tuple[int, int, bool], list[GridCell]] = {}
    for cell in grid.cells.values():
        below = cell.row in grid.above
        for slot in range(len(cell.slots)):
            # Behind an estimate stands an error, or both ends of an interval.
            width = len(cell.slots) if slot else 1
            columns.setdefault((cell.column, slot, width, below), []).append(cell)
            rows.setdefault((cell.row, slot), []).append(cell)
            blocks.setdefault((slot, width, below), []).append(cell)
    found = [
        _series(grid, "column", cells, slot, (_header(grid, column), grid.caption))
        for (column, slot, *_), cells in columns.items()
    ]
    for (row, slot), cells in rows.items():
        title = [grid.titles[row]] if row in grid.titles else []
        found.append(_series(grid, "row", cells, slot, (*reversed(grid.row_labels[row]), *title, grid.caption)))
    found += [_series(grid, "block", cells, slot, (grid.caption,)) for (slot, *_), cells in sorted(blocks.items())]
    return found


_STATISTIC = re.compile(
    r"(?:\W|std|s\.?d|stdev|dev|deviation|standard|s\.?e(?:\.?m)?|error|ci|95|min|max|minimum|maximum|median|best|worst|seed|"
    r"mean|avg|±|of|over|seeds|the)+",
    re.IGNORECASE,
)


def _header(grid: Grid, column: int) -> str:
    """A column's header; one that names only a statistic speaks of the measure of the column before it, not of the
    statistic that stands there: `max error` behind `min ratio` is no least value."""
    header = grid.headers[column]
    before = column - 1
    while before > max(grid.labels) and _STATISTIC.fullmatch(grid.headers[before]):
        before -= 1
    if _STATISTIC.fullmatch(header) and before > max(grid.labels):
        measure = " ".join(word for word in grid.headers[before].split() if not _STATISTIC.fullmatch(word))
        return f"{header} of {measure}"
    return header


def blocks_of(grid: Grid) -> list[Series]:
    """Parts of a table whose rows share their first label, each as a block of its own."""
    parts: dict[str, list[GridCell]] = {}
    for cell in grid.cells.values():
        first = grid.row_labels[cell.row][0] or grid.titles.get(cell.row, "")
        parts.setdefault(first, []).append(cell)
    if len(parts) < 2:
        return []
    return [_series(grid, "block", cells, 0, (first, grid.caption)) for first, cells in parts.items() if len(cells) > 2]


def _series(
    grid: Grid, kind: Literal["column", "row", "block"], cells: list[GridCell], slot: int, constant: tuple[str, ...]
) -> Series:
    """Numbers of cells, each the first of its cell or a later one (`slot`); the nearest of their labels comes first."""
    varying = []
    for cell in cells:
        row = [
            CellLabel(_of_number(text, slot, cell), _of_number(grid.headers[column], slot, cell), column)
            for text, column in zip(grid.row_labels[cell.row], grid.labels, strict=True)
            if text
        ]
        if cell.row in grid.titles:
            row.append(CellLabel(grid.titles[cell.row]))
        row += [
            CellLabel(grid.cells[cell.row, key].text, grid.headers[key], key) for key in grid.keys if key != cell.column
        ]
        header = _of_number(grid.headers[cell.column], slot, cell)
        inner = (
            [CellLabel(word, header, IN_CELL) for word in _LETTERS.findall(cell.text)] if len(cell.text) < 40 else []
        )
        own = [] if kind == "row" else row
        varying.append((*own, *inner) if kind == "column" else (*own, CellLabel(header, role=-2), *inner))
    return Series(
        grid,
        kind,
        [Spot(grid.number, cell.row, cell.column, slot) for cell in cells],
        [cell.slots[slot] for cell in cells],
        varying,
        (_of_number(constant[0], slot, cells[0]) + _role(grid, cells[0], slot), *constant[1:], *grid.headings),
    )


def _of_number(label: str, slot: int, cell: GridCell) -> str:
    """What a label says of one number of its cell: `Age, mean (SD)` beside `32.1 (8.1)` names each by its own word."""
    both = _IN_BRACKETS.fullmatch(label) if len(cell.slots) > 1 else None
    if both is None or not _IN_BRACKETS.fullmatch(cell.text):
        return label
    measure, word, inside = both.groups()
    if word != "%" and not _names_statistic(word):
        # `Difference (95% CI)` says of the first number that it is a difference.
        return f"{measure}{word}" if not slot and _names_statistic(inside) else label
    inner = ["Q25", "Q75"] if inside.upper() == "IQR" else re.split(r"\s*[,;/]\s*", inside)
    each = [word, *(inner if len(inner) == len(cell.slots) - 1 else [inside] * (len(cell.slots) - 1))]
    return f"{measure}{each[slot]}"


def _names_statistic(text: str) -> bool:
    """Whether words name a statistic that results are searched for."""
    return any(one.said(text.lower().split()) for one in TRIED["values"].values())


def _role(grid: Grid, cell: GridCell, slot: int) -> str:
    """What a later number of a cell, or one in brackets below, says of the one before it: how it varies, or of how many
    it is."""
    if cell.row in grid.above and len(cell.slots) == 1:
        return " sd"
    own = cell.slots[slot]
    share = " %" if own.percent and not cell.slots[0].percent else ""
    return {"sd": " sd", "n": " n"}.get(own.role, share) if slot else ""
