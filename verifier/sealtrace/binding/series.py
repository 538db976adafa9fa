"""What a paper prints, as series of numbers that could follow one rule: columns, rows and whole blocks of tables."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import Numbers
from sealtrace.binding.slots import Slot, is_wordy, pointed, slots_of
from sealtrace.paper.extracted import ExtractedTable

_SETTING = re.compile(r"[\d,]{1,8}(?:\.\d)?\s?(?:%|[^\W\d_]{1,6})?")
"""Numbers that people set: whole, or with one decimal, perhaps with a unit."""
_LETTERS = re.compile(r"[^\W\d_]+")
_MARKED = re.compile(r"\b(?:bold|boldface|underlined?|highlighted|shaded|starred|italics?)\b")
_LOOSE = re.compile(
    r"\brange\b(?!\s+(?:over|across))|\b(?:best|worst|peak|highest|lowest)\b(?!\s+(?:\w+\s+)?(?:of|over|across|among)\b)"
)
"""What a caption says without naming a statistic: `best in bold`, `a range of tasks`; `best of five runs` names one."""


class Label(NamedTuple):
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
class PrintedCell:
    """A cell with numbers."""

    row: int
    column: int
    text: str
    line: int
    source: str
    slots: list[Slot]
    wordy: bool = False
    """More words than numbers: read like running text."""


@dataclass
class Grid:
    """A table, or one panel of it: labels and numbers."""

    number: int
    name: str
    caption: str
    source: str
    line: int
    headers: list[str]
    row_labels: dict[int, list[str]]
    """Texts that name a row, from left to right."""
    labels: list[int]
    """The columns that hold them."""
    cells: dict[tuple[int, int], PrintedCell]
    titles: dict[int, str] = field(default_factory=dict)
    headings: tuple[str, ...] = ()
    """Headings under which it stands, the nearest first."""

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
                cell is not None and len(cell.slots) == 1 and _SETTING.fullmatch(cell.text) for cell in own.values()
            )
            if plain and len({(names[row], cell.text) for row, cell in own.items() if cell is not None}) > len(
                set(names.values())
            ):
                keys.append(column)
                names = {row: (*names[row], cell.text) for row, cell in own.items() if cell is not None}
        return keys if len(set(names.values())) == len(rows) else []

    def row_name(self, row: int) -> str:
        """The row as a reader calls it."""
        return " / ".join(label for label in self.row_labels[row] if label) or f"row {row + 1}"


@dataclass
class Series:
    """Numbers that could follow one rule."""

    grid: Grid
    kind: Literal["column", "row", "block"]
    spots: list[Spot]
    slots: list[Slot]
    varying: list[tuple[Label, ...]]
    """Labels that tell each number from the others."""
    constant: tuple[str, ...]
    """Labels that all of them share, the nearest first."""
    words: tuple[str, ...] = field(init=False)
    """Words of these, by which a statistic may be named."""
    texts: frozenset[str] = field(init=False)
    """All texts that tell the numbers apart."""
    fresh: npt.NDArray[np.bool_] = field(init=False)
    """The numbers that nothing gives yet."""
    known: list[dict[str, str]] = field(init=False)
    """Of each number, field to value where its label was read by the numbers beside it."""
    value: Numbers = field(init=False)
    low: Numbers = field(init=False)
    high: Numbers = field(init=False)
    unit: Numbers = field(init=False)

    def line(self, spot: Spot) -> tuple[int, str, int]:
        """The row that a number of a column stands in, or the column that one of a row does."""
        return self.grid.number, self.kind, spot.row if self.kind == "column" else spot.column

    def __post_init__(self) -> None:
        caption = self.grid.caption
        texts = [_telling(caption) + label[len(caption) :] if caption and label.startswith(caption) else label
                 for label in self.constant if label not in self.grid.headings]  # fmt: skip
        self.words = tuple(word for text in texts for word in re.sub(r"[()]", " ", text.lower()).split())
        self.texts = frozenset(label.text for labels in self.varying for label in labels)
        self.fresh = np.ones(len(self.slots), dtype=bool)
        self.known = [{} for _ in self.slots]
        self.value = np.array([float(slot.value) for slot in self.slots])
        self.low = np.array([slot.low for slot in self.slots])
        self.high = np.array([slot.high for slot in self.slots])
        self.unit = np.array([float(slot.unit) or 1.0 for slot in self.slots])


@lru_cache(maxsize=64)
def _telling(caption: str) -> str:
    """A caption without what names no statistic."""
    sentences = re.split(r"(?<=[.;])\s", caption.lower())
    return " ".join(_LOOSE.sub(" ", sentence) for sentence in sentences if not _MARKED.search(sentence))


def grids_of(tables: list[ExtractedTable]) -> list[Grid]:
    """Every panel of every table."""
    grids: list[Grid] = []
    for number, table in enumerate(tables, 1):
        for panel in range(table.panels):
            grid = _grid(table, panel, f"{table.label or f'table {number}'}{f'#{panel + 1}' if panel else ''}")
            if grid is not None:
                grid.number = len(grids)
                grids.append(grid)
    return grids


def _grid(table: ExtractedTable, panel: int, name: str) -> Grid | None:
    places = [index for index, row in enumerate(table.rows) if row.panel == panel and not row.header]
    if not places:
        return None
    texts = {
        (row, column): (pointed(cell.text) if (cell := table.covering(index, column)) is not None else "")
        for row, index in enumerate(places)
        for column in range(table.columns)
    }
    numeric: Counter[int] = Counter()
    filled: Counter[int] = Counter()
    for (_, column), text in texts.items():
        if text:
            filled[column] += 1
            numeric[column] += bool(slots_of(text)) and not is_wordy(text)
    labels = _label_columns(texts, len(places), table.columns, numeric, filled)
    headers = table.column_labels(panel)
    cells: dict[tuple[int, int], PrintedCell] = {}
    row_labels: dict[int, list[str]] = {}
    title = ""
    titles = {}
    for row, index in enumerate(places):
        given = table.rows[index].cells
        row_labels[row] = [texts[row, column] for column in labels]
        others = [texts[row, column] for column in range(table.columns) if column not in labels]
        spans = given[0] is not None and given[0].columns > 1
        if (spans or not any(others)) and not any(slots_of(cell) for cell in others):
            title = row_labels[row][0]
            continue
        if title:
            titles[row] = title
        for column in range(table.columns):
            cell = given[column]
            if column in labels or cell is None:
                continue
            text = pointed(cell.text)
            slots = slots_of(text)
            if slots:
                cells[row, column] = PrintedCell(row, column, text, cell.line, cell.source, slots, is_wordy(text))
    if not cells:
        return None
    headings = tuple(heading for heading in table.headings if heading != table.caption)
    return Grid(0, name, table.caption, table.source, table.line, headers, row_labels, labels, cells, titles, headings)


def _label_columns(
    texts: dict[tuple[int, int], str], rows: int, columns: int, numeric: Counter[int], filled: Counter[int]
) -> list[int]:
    """The columns on the left that name rows: those without numbers, and more until the names differ."""
    labels = [0]
    for column in range(1, columns):
        named = [tuple(texts[row, label] for label in labels) for row in range(rows)]
        named = [name for name in named if any(name)]
        repeated = len(set(named)) < len(named)
        short = [texts[row, column] for row in range(rows) if texts[row, column]]
        key = repeated and len(set(short)) <= max(2, len(short) / 2)
        if numeric[column] * 2 > filled[column] and not key:
            break
        if filled[column]:
            labels.append(column)
    return labels if len(labels) < columns else labels[:1]


def series_of(grid: Grid) -> list[Series]:
    """Columns first, then rows, then the block as a whole."""
    columns: dict[tuple[int, int], list[PrintedCell]] = {}
    rows: dict[tuple[int, int], list[PrintedCell]] = {}
    blocks: dict[int, list[PrintedCell]] = {}
    for cell in grid.cells.values():
        for slot in range(len(cell.slots) if not cell.wordy else 0):
            columns.setdefault((cell.column, slot), []).append(cell)
            rows.setdefault((cell.row, slot), []).append(cell)
            blocks.setdefault(slot, []).append(cell)
    found = [
        _series(grid, "column", _alike(cells), slot, (_header(grid, column), grid.caption))
        for (column, slot), cells in columns.items()
    ]
    for (row, slot), cells in rows.items():
        title = [grid.titles[row]] if row in grid.titles else []
        found.append(_series(grid, "row", cells, slot, (*reversed(grid.row_labels[row]), *title, grid.caption)))
    found += [_series(grid, "block", _alike(cells), slot, (grid.caption,)) for slot, cells in sorted(blocks.items())]
    return found


def _alike(cells: list[PrintedCell]) -> list[PrintedCell]:
    """Those that have as many numbers as most of them."""
    width = Counter(len(cell.slots) for cell in cells).most_common(1)[0][0]
    return [cell for cell in cells if len(cell.slots) == width]


_STATISTIC = re.compile(
    r"(?:\W|std|s\.?d\.?|stdev|dev|deviation|standard|s\.?e\.?m?\.?|error|ci|95|min|max|minimum|maximum|median|best|worst|seed|"
    r"mean|avg|±|of|over|seeds|the)+",
    re.IGNORECASE,
)


def _header(grid: Grid, column: int) -> str:
    """A column's header; one that names only a statistic speaks of the measure of the column before it."""
    header = grid.headers[column]
    before = column - 1
    while before > max(grid.labels) and _STATISTIC.fullmatch(grid.headers[before]):
        before -= 1
    if _STATISTIC.fullmatch(header) and before > max(grid.labels):
        return f"{header} of {grid.headers[before]}"
    return header


def blocks_of(grid: Grid) -> list[Series]:
    """Parts of a table whose rows share their first label, each as a block of its own."""
    parts: dict[str, list[PrintedCell]] = {}
    for cell in grid.cells.values():
        if not cell.wordy:
            first = grid.row_labels[cell.row][0] or grid.titles.get(cell.row, "")
            parts.setdefault(first, []).append(cell)
    if len(parts) < 2:
        return []
    return [_series(grid, "block", cells, 0, (first, grid.caption)) for first, cells in parts.items() if len(cells) > 2]


def _series(
    grid: Grid, kind: Literal["column", "row", "block"], cells: list[PrintedCell], slot: int, constant: tuple[str, ...]
) -> Series:
    """Numbers of cells, each the first of its cell or a later one (`slot`); the nearest of their labels comes first."""
    varying = []
    for cell in cells:
        row = [
            Label(text, grid.headers[column], column)
            for text, column in zip(grid.row_labels[cell.row], grid.labels, strict=True)
            if text
        ]
        if cell.row in grid.titles:
            row.append(Label(grid.titles[cell.row]))
        row += [
            Label(grid.cells[cell.row, key].text, grid.headers[key], key) for key in grid.keys if key != cell.column
        ]
        header = grid.headers[cell.column]
        inner = [Label(word, header, -3) for word in _LETTERS.findall(cell.text)] if len(cell.text) < 40 else []
        own = [] if kind == "row" else row
        varying.append((*own, *inner) if kind == "column" else (*own, Label(header, role=-2), *inner))
    return Series(
        grid,
        kind,
        [Spot(grid.number, cell.row, cell.column, slot) for cell in cells],
        [cell.slots[slot] for cell in cells],
        varying,
        (constant[0] + _role(cells[0], slot), *constant[1:], *grid.headings),
    )


def _role(cell: PrintedCell, slot: int) -> str:
    """What a later number of a cell says of the one before it: how it varies, or of how many it is."""
    before = 0
    for earlier in cell.slots[:slot]:
        before = max(before, cell.text.find(earlier.text, before) + len(earlier.text))
    between = cell.text[before : cell.text.find(cell.slots[slot].text, before)]
    if slot and "±" in between:
        return " sd"
    if slot and between.strip(" %") == "/":
        return " n"
    return ""
