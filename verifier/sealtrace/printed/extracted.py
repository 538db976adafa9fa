"""What a reader of tables hands on: every cell as printed, with its marks and its place in the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Literal, NamedTuple

from sealtrace.printed.numbers import looks_numeric

Load = Callable[[str], str | None]
"""Gives the text of a file that a document puts in, or None where it is not there."""

JOIN = " / "
THIN_SPACE = "\u2009"
REFERENCE = "[…]"
"""Stands for a reference or citation, whose printed number only a LaTeX run knows."""


class Mark(NamedTuple):
    """One character as printed, and how it is set."""

    character: str
    bold: bool = False
    underline: bool = False


@dataclass(frozen=True)
class ReadingProblem:
    """Something that was refused (an error) or read with a doubt (a warning)."""

    message: str
    source: str
    line: int
    severity: Literal["error", "warning"] = "error"
    certain: bool = False
    """What stands in the table is certain all the same: a warning about its header, caption or label."""


@dataclass(frozen=True)
class StyledRun:
    """A run of a cell that is set in one way."""

    text: str
    bold: bool = False
    underline: bool = False


@dataclass(frozen=True)
class ExtractedCell:
    """One printed cell."""

    text: str
    """Plain text, as a reader sees it."""
    raw: str
    """The slice of the source that the cell was written as; where a macro wrote it, the macro's call."""
    source: str
    line: int
    """Line of the first character of the content; of the cell's end, if the cell is empty."""
    bold: bool = False
    """Every letter and digit is bold. Signs that follow a number, such as × or †, do not count."""
    underline: bool = False
    """The same for underlining."""
    runs: tuple[StyledRun, ...] = ()
    """The text, cut where bold or underlining changes."""
    columns: int = 1
    rows: int = 1

    @property
    def numeric(self) -> bool:
        """Whether the cell reads as a number, a count, an interval or the like."""
        return looks_numeric(self.text)


@dataclass(frozen=True)
class ExtractedRow:
    """One row: an entry for each column of the table."""

    cells: tuple[ExtractedCell | None, ...]
    """None stands where a cell further left or above reaches."""
    line: int
    header: bool = False
    panel: int = 0
    """From zero: a table may be printed as several blocks, each under its own header."""
    after_rule: bool = False
    """A rule over all columns stands directly above."""


@dataclass(frozen=True)
class ExtractedTable:
    """One printed table."""

    label: str | None
    caption: str
    caption_raw: str
    source: str
    line: int
    """Where the rows begin: in LaTeX the line of \\begin{tabular}, not of the float around it."""
    end_line: int
    columns: int
    rows: tuple[ExtractedRow, ...]
    headings: tuple[str, ...] = ()
    """Headings of a Markdown file under which it stands, the nearest first."""

    @property
    def panels(self) -> int:
        """Number of panels."""
        return max((row.panel for row in self.rows), default=-1) + 1

    def column_labels(self, panel: int = 0) -> list[str]:
        """Header of each column, its rows joined from top to bottom.

        A panel whose only header is a title over all columns keeps the column headers of the panel before it.
        """
        headers = [index for index, row in enumerate(self.rows) if row.header and row.panel == panel]
        if all(self._is_title(index) for index in headers):
            earlier = [
                index
                for index, row in enumerate(self.rows)
                if row.header and row.panel < panel and not self._is_title(index)
            ]
            if earlier:
                nearest = self.rows[earlier[-1]].panel
                headers = [index for index in earlier if self.rows[index].panel == nearest] + headers
        labels = []
        for column in range(self.columns):
            cells = [self._in_row(index, column) for index in headers]
            labels.append(JOIN.join(cell.text for cell in cells if cell is not None and cell.text))
        return labels

    def row_label(self, row: ExtractedRow) -> str:
        """Text of the first cell, followed by as many of the next cells as make it unique in its panel."""
        return self._row_labels[id(row)]

    def covering(self, index: int, column: int) -> ExtractedCell | None:
        """The cell that is printed at a row's index and a column, also where it began further left or above."""
        for above in range(index, -1, -1):
            cell = self._in_row(above, column)
            if cell is not None:
                return cell if above + cell.rows > index else None
        return None

    def _in_row(self, index: int, column: int) -> ExtractedCell | None:
        cells = self.rows[index].cells
        for left in range(column, -1, -1):
            cell = cells[left]
            if cell is not None:
                return cell if left + cell.columns > column else None
        return None

    def _is_title(self, index: int) -> bool:
        first = self.rows[index].cells[0]
        return first is not None and first.columns == self.columns > 1

    @cached_property
    def _row_labels(self) -> dict[int, str]:
        labels: dict[int, str] = {}
        for (_panel, header), group in groupby(enumerate(self.rows), key=lambda pair: (pair[1].panel, pair[1].header)):
            rows = list(group)
            texts = [self._row_texts(index) for index, _row in rows]
            found = _unique_prefixes(texts) if not header else [JOIN.join(filter(None, text[:1])) for text in texts]
            labels.update((id(row), label) for (_index, row), label in zip(rows, found, strict=True))
        return labels

    def _row_texts(self, index: int) -> list[str]:
        """Texts from left to right: a cell over several rows counts in each, one over several columns once."""
        texts: list[str] = []
        previous: ExtractedCell | None = None
        for column in range(self.columns):
            cell = self.covering(index, column)
            if cell is None or cell is not previous:
                texts.append(cell.text if cell is not None else "")
            previous = cell
        # A label that is printed once holds for the blank cells below it, where another label follows in the row.
        blanks = next((place for place, text in enumerate(texts) if text), 0)
        if 0 < blanks < len(texts) and not looks_numeric(texts[blanks]) and not self.rows[index].header:
            for column in range(blanks):
                texts[column] = self._above(index, column)
        return texts

    def _above(self, index: int, column: int) -> str:
        panel = self.rows[index].panel
        while not self.rows[index].after_rule and index > 0:
            index -= 1
            if self.rows[index].header or self.rows[index].panel != panel:
                break
            cell = self._in_row(index, column)
            if cell is not None and cell.text:
                return cell.text if cell.columns == 1 else ""
        return ""


def _unique_prefixes(texts: list[list[str]]) -> list[str]:
    """For each list the shortest joined beginning that no other list shares; whole twins are counted."""
    labels: dict[int, str] = {}
    for length in range(1, max(map(len, texts), default=0) + 1):
        prefixes = [JOIN.join(filter(None, text[:length])) for text in texts]
        counts = Counter(prefixes)
        for index, prefix in enumerate(prefixes):
            if index not in labels and counts[prefix] == 1 and prefix:
                labels[index] = prefix
        if len(labels) == len(texts):
            break
    twins: Counter[str] = Counter()
    for index, text in enumerate(texts):
        if index not in labels:
            whole = JOIN.join(filter(None, text))
            twins[whole] += 1
            labels[index] = whole if twins[whole] == 1 else f"{whole} ({twins[whole]})"
    return [labels[index] for index in range(len(texts))]


@dataclass(frozen=True)
class ProseLine:
    """What one source line prints outside tables. Lines of one paragraph share its number."""

    text: str
    source: str
    line: int
    paragraph: int
    caption: bool = False
    references: tuple[str, ...] = ()
    """What each […] of the text refers to, as written: labels with commas between them; nothing for a citation."""


def collapse(marks: Iterable[Mark]) -> list[Mark]:
    """White space collapsed, and stripped at both ends. A thin space stays between digits, where it parts thousands."""
    given = list(marks)
    kept: list[Mark] = []
    for index, mark in enumerate(given):
        after = given[index + 1] if index + 1 < len(given) else Mark(" ")
        thousands = mark.character == THIN_SPACE and after.character.isdecimal()
        if not mark.character.isspace() or (thousands and kept and kept[-1].character.isdecimal()):
            kept.append(mark)
        elif kept and kept[-1].character != " ":
            # A space is set as what stands before it, so that it does not cut a run in two.
            kept.append(Mark(" ", kept[-1].bold, kept[-1].underline))
    if kept and kept[-1].character == " ":
        kept.pop()
    return kept


def marked_cell(
    marks: Iterable[Mark], raw: str, source: str, line: int, columns: int = 1, rows: int = 1
) -> ExtractedCell:
    """A cell from its characters."""
    kept = collapse(marks)
    runs = tuple(
        StyledRun("".join(mark.character for mark in group), bold, underline)
        for (bold, underline), group in groupby(kept, key=lambda mark: (mark.bold, mark.underline))
    )
    telling = [mark for mark in kept if mark.character.isalnum()] or [mark for mark in kept if mark.character != " "]
    return ExtractedCell(
        text="".join(mark.character for mark in kept),
        raw=raw,
        source=source,
        line=line,
        bold=bool(telling) and all(mark.bold for mark in telling),
        underline=bool(telling) and all(mark.underline for mark in telling),
        runs=runs,
        columns=columns,
        rows=rows,
    )


# Which rows of a table are headers, and where a new panel begins

_MOST_HEADERS = 4
_NOT_AVAILABLE = frozenset({"", "n/a", "na", "-", "–", "—", "·", "…"})


@dataclass(frozen=True)
class RuledRow:
    """A row before it is known whether it is a header."""

    row: ExtractedRow
    rule: str | None = None
    """The rule over all columns directly above, by its name."""
    head: bool = False
    """The source says itself that this is a header."""


def with_headers(rows: list[RuledRow], *, closed: bool) -> list[ExtractedRow]:
    """Rows with header and panel set. Closed means that a rule stands below the last row.

    The header is what stands above the first \\midrule, or above the first rule that has rows above it. Between two
    rules further down, rows that look like a header open a new panel.
    """
    count = _header_rows(rows)
    headers = [ruled.row for ruled in rows[:count]]
    result = [replace(ruled.row, header=True) for ruled in rows[:count]]
    panel, body = 0, 0
    blocks = _blocks(rows[count:])
    for number, block in enumerate(blocks):
        ruled_below = number + 1 < len(blocks) or closed
        opening = _opening_rows([ruled.row for ruled in block], headers, result, ruled_below) if count else 0
        last = number + 1 == len(blocks)
        if opening and not (last and opening == len(block)):
            if body:
                panel, body = panel + 1, 0
            opened = [ruled.row for ruled in block[:opening]]
            if not all(_is_title(row) for row in opened):
                headers = opened
            result += [replace(row, header=True, panel=panel) for row in opened]
            block = block[opening:]
        result += [replace(ruled.row, panel=panel) for ruled in block]
        body += len(block)
    return result


def _header_rows(rows: list[RuledRow]) -> int:
    if any(ruled.head for ruled in rows):
        return sum(ruled.head for ruled in rows)
    ruled = [index for index in range(1, len(rows)) if rows[index].rule is not None]
    if not ruled:
        return _wordy_rows([row.row for row in rows])
    mid = next((index for index in ruled if rows[index].rule == "midrule"), ruled[0])
    # Where a rule of another name comes first and numbers follow it, the \midrule belongs to the body.
    if mid != ruled[0] and any(_numeric(row.row) for row in rows[ruled[0] : mid]):
        mid = ruled[0]
    # Titles, and names that span several columns, are not yet the header: the words below the rule complete it.
    below = next((index for index in ruled if index > mid), None)
    while below is not None and not _complete([row.row for row in rows[:mid]]):
        block = [row.row for row in rows[mid:below]]
        if any(_numeric(row) or _is_title(row) or _filled(row) < 2 for row in block):
            break
        if not any(_numeric(row.row) for row in rows[below:]):
            break
        mid, below = below, next((index for index in ruled if index > below), None)
    return mid


def _wordy_rows(rows: list[ExtractedRow]) -> int:
    """How many rows at the top have words where the rows below have numbers; none where that is not plain."""
    count = next((index for index, row in enumerate(rows) if _numeric(row)), 0)
    if not 0 < count <= _MOST_HEADERS or count == len(rows):
        return 0
    below = rows[count:]
    numbers = {column for row in below for column in _numeric(row)} - {0}
    named = {column for column in numbers if _has_words(rows[:count], column)}
    return count if numbers and len(named) * 2 > len(numbers) else 0


def _complete(rows: list[ExtractedRow]) -> bool:
    """Whether the last row of a header names single columns."""
    last = rows[-1]
    return not _is_title(last) and all(cell is None or cell.columns == 1 for cell in last.cells)


def _blocks(rows: list[RuledRow]) -> list[list[RuledRow]]:
    blocks: list[list[RuledRow]] = []
    for ruled in rows:
        if ruled.rule is not None or not blocks:
            blocks.append([])
        blocks[-1].append(ruled)
    return blocks


def _opening_rows(
    block: list[ExtractedRow], headers: list[ExtractedRow], above: list[ExtractedRow], ruled_below: bool
) -> int:
    """How many rows at the top of a block are a header."""
    wordy = not any(_numeric(row) for row in block)
    names = {row.cells[0].text for row in headers if row.cells[0] is not None and not _is_title(row)} - _NOT_AVAILABLE
    first = block[0].cells[0]
    if first is not None and first.text in names and len(_numeric(block[0])) < _filled(block[0]) / 2:
        return len(block) if wordy and ruled_below else 1
    if not ruled_below or not wordy:
        return 0
    if all(_is_title(row) for row in block):
        return len(block)
    # Words in every column that held numbers so far.
    numbers = {column for row in above if not row.header for column in _numeric(row)}
    return len(block) if numbers and all(_has_words(block, column) for column in numbers) else 0


def _has_words(block: list[ExtractedRow], column: int) -> bool:
    for row in block:
        for left in range(column, -1, -1):
            cell = row.cells[left]
            if cell is not None:
                if left + cell.columns > column and cell.text.lower() not in _NOT_AVAILABLE:
                    return True
                break
    return False


def _numeric(row: ExtractedRow) -> list[int]:
    return [column for column, cell in enumerate(row.cells) if cell is not None and cell.numeric]


def _filled(row: ExtractedRow) -> int:
    return sum(cell is not None and bool(cell.text) for cell in row.cells)


def _is_title(row: ExtractedRow) -> bool:
    first: ExtractedCell | None = row.cells[0]
    return first is not None and first.columns == len(row.cells) > 1 and bool(first.text)
