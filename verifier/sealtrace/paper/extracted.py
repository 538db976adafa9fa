"""What a reader of tables hands on: every cell as printed, with its marks and its place in the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Literal, NamedTuple

from sealtrace.paper.numbers import looks_numeric

Load = Callable[[str], str | None]
"""Gives the text of a file that a document puts in, or None where it is not there."""

JOIN = " / "
"""Stands between the parts of a label that several cells make up. A printed heading may hold it, too, so headings above
a column are asked of `Table.above`, not cut at it."""
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
    """Something that was refused (an error), read with a doubt (a warning), or that may change what is printed although
    what was read is sound in itself (a note)."""

    message: str
    source: str
    line: int
    severity: Literal["error", "warning", "note"] = "error"
    certain: bool = False
    """What stands in the table is certain all the same: a warning about its header, caption or label."""


@dataclass(frozen=True)
class ExtractedCell:
    """One printed cell."""

    text: str
    """Plain text, as a reader sees it."""
    source: str
    line: int
    """Line of the first character of the content; of the cell's end, if the cell is empty."""
    bold: bool = False
    """Every letter and digit is bold. Signs that follow a number, such as × or †, do not count."""
    underline: bool = False
    """Every letter and digit is underlined."""
    columns: int = 1
    rows: int = 1
    indented: bool = False
    """A space that LaTeX was told to leave stands before its text."""

    @cached_property
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
    rule: str | None = None
    """The rule over all columns directly above, by its name."""

    @property
    def after_rule(self) -> bool:
        """Whether a rule over all columns stands directly above."""
        return self.rule is not None

    @property
    def is_title(self) -> bool:
        """Whether one cell takes all columns."""
        first = self.cells[0]
        return first is not None and first.columns == len(self.cells) > 1 and bool(first.text)

    def at(self, column: int) -> ExtractedCell | None:
        """The cell of this row that is printed in a column, also where it began further left."""
        return self.printed[column]

    @cached_property
    def printed(self) -> list[ExtractedCell | None]:
        """Of each column, the cell of this row that is printed there."""
        found: list[ExtractedCell | None] = []
        last, end = None, 0
        for column, cell in enumerate(self.cells):
            if cell is not None:
                last, end = cell, column + cell.columns
            found.append(last if column < end else None)
        return found

    @property
    def numeric(self) -> list[int]:
        """The columns in which a number stands."""
        return [column for column, cell in enumerate(self.cells) if cell is not None and cell.numeric]


@dataclass(frozen=True)
class ExtractedTable:
    """One printed table."""

    label: str | None
    caption: str
    source: str
    line: int
    """Where the rows begin: in LaTeX the line of \\begin{tabular}, not of the float around it."""
    columns: int
    rows: tuple[ExtractedRow, ...]
    headings: tuple[str, ...] = ()
    """Headings of the document under which it stands, the nearest first; a reader that knows none leaves it empty."""
    notes: tuple[ProseLine, ...] = ()
    """What is printed below it in its float, beside the caption."""

    @property
    def panels(self) -> int:
        return max((row.panel for row in self.rows), default=-1) + 1

    def header(self, panel: int = 0) -> list[list[ExtractedCell]]:
        """The cells of the header above each column, from top to bottom; one over several columns is above each.

        A panel whose only header is a title over all columns keeps the column headers of the panel before it.
        """
        headers = [row for row in self.rows if row.header and row.panel == panel]
        if all(row.is_title for row in headers):
            earlier = [row for row in self.rows if row.header and row.panel < panel and not row.is_title]
            headers = [row for row in earlier if row.panel == earlier[-1].panel] + headers
        named = ([row.at(column) for row in headers] for column in range(self.columns))
        return [[cell for cell in cells if cell is not None and cell.text] for cells in named]

    def column_labels(self, panel: int = 0) -> list[str]:
        """The header of each column as one text."""
        return [JOIN.join(cell.text for cell in cells) for cells in self.header(panel)]

    def group(self, index: int) -> str:
        """What the row at an index belongs to: the name of a row above it that is not indented, or has only a name."""
        return self._groups[index]

    def row_label(self, row: ExtractedRow) -> str:
        """Text of the first cell, followed by as many of the next cells as make it unique in its panel.

        Where words alone do not, the name of its group stands in front; a row of brackets below another one, such as
        standard errors, has that one's name and a number.
        """
        return self._row_labels[id(row)]

    def covering(self, index: int, column: int) -> ExtractedCell | None:
        """The cell that is printed at a row's index and a column, also where it began further left or above."""
        return self._covering[index][column]

    @cached_property
    def _covering(self) -> list[list[ExtractedCell | None]]:
        found: list[list[ExtractedCell | None]] = []
        begun: list[tuple[int, ExtractedCell] | None] = [None] * self.columns
        for index, row in enumerate(self.rows):
            begun = [before if cell is None else (index, cell) for cell, before in zip(row.printed, begun, strict=True)]
            found.append([each[1] if each and each[0] + each[1].rows > index else None for each in begun])
        return found

    @cached_property
    def _row_labels(self) -> dict[int, str]:
        labels: dict[int, str] = {}
        for (_panel, header), group in groupby(enumerate(self.rows), key=lambda pair: (pair[1].panel, pair[1].header)):
            rows = list(group)
            texts = {index: self._row_texts(index) for index, _row in rows}
            found = {index: text[0] for index, text in texts.items()} if header else self._named(texts)
            labels.update((id(row), found[index]) for index, row in rows)
        return labels

    def _named(self, texts: dict[int, list[str]]) -> dict[int, str]:
        """Labels for the rows of a panel, whose texts are given by the rows' places."""
        above: dict[int, int] = {}  # rows of brackets: which row each goes on with
        for index, words in ((index, _words(text)) for index, text in texts.items()):
            bracket = texts[index][len(words)][:1] if len(words) < len(texts[index]) else ""
            before = above.get(index - 1, index - 1)
            if before not in texts or not bracket or bracket not in "([":
                continue
            if "".join(texts[before][len(words) :])[:1] == bracket:
                continue  # ranges that name each row, such as `[2.0,6.0]`, stand below ranges
            if not any(words) or words == _words(texts[before]):
                above[index] = before
        named = {index: text for index, text in texts.items() if index not in above}
        times = Counter(tuple(_words(text)) for text in named.values())
        for index, text in named.items():
            if times[tuple(_words(text))] > 1 and (group := self._groups[index]):
                named[index] = [JOIN.join(filter(None, (group, text[0]))), *text[1:]]
        labels = dict(zip(named, _unique_prefixes(list(named.values())), strict=True))
        counts: Counter[int] = Counter()
        for index, before in above.items():
            counts[before] += 1
            labels[index] = f"{labels[before]} ({counts[before] + 1})" if labels[before] else ""
        return labels

    @cached_property
    def _groups(self) -> list[str]:
        groups: list[str] = []
        panel, outer, title = -1, "", ""
        for row in self.rows:
            if row.header or row.panel != panel:
                panel, outer, title = row.panel, "", ""
            first = row.cells[0]
            groups.append(outer if first is not None and first.indented else title)
            if first is not None and first.text and not first.indented and not row.header:
                outer, title = first.text, first.text if _filled(row) == 1 else title
        return groups

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
        labelled = any(text.lower() not in _NOT_AVAILABLE and not looks_numeric(text) for text in texts[blanks:])
        if blanks and labelled and texts[blanks][0] not in "([" and not self.rows[index].header:
            texts[:blanks] = self._above[index][:blanks]
        return texts

    @cached_property
    def _above(self) -> list[list[str]]:
        """Of each row, what is printed in its columns by the nearest row above it that prints something there.

        A rule, a header and a new panel end it; a cell over several columns names none of them.
        """
        found: list[list[str]] = []
        panel, last = -1, [""] * self.columns
        for row in self.rows:
            if row.header or row.panel != panel or row.after_rule:
                panel, last = row.panel, [""] * self.columns
            found.append(last)
            if not row.header:
                last = [
                    before if cell is None or not cell.text else cell.text if cell.columns == 1 else ""
                    for cell, before in zip(row.printed, last, strict=True)
                ]
        return found


def _words(texts: list[str]) -> list[str]:
    """What stands before the first number."""
    return texts[: next((place for place, text in enumerate(texts) if looks_numeric(text)), len(texts))]


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


@dataclass
class Reported:
    """What a reader hands on: tables as they are laid out, lines of running text, and what could not be read."""

    tables: list[ExtractedTable] = field(default_factory=list)
    problems: list[ReadingProblem] = field(default_factory=list)
    prose: list[ProseLine] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    title: str = ""


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
    marks: Iterable[Mark], source: str, line: int, columns: int = 1, rows: int = 1, *, indented: bool = False
) -> ExtractedCell:
    """A cell from its characters."""
    kept = collapse(marks)
    text = "".join(mark.character for mark in kept)
    telling = [mark for mark in kept if mark.character.isalnum()] or [mark for mark in kept if mark.character != " "]
    bold, underline = (bool(telling) and all(mark[style] for mark in telling) for style in (1, 2))
    return ExtractedCell(text, source, line, bold, underline, columns, rows, indented)


# Which rows of a table are headers, and where a new panel begins

# More rows of words above the first number are a table of words with a number in it, not a header.
_MOST_HEADERS = 4
_ANSWERS = frozenset({"", "yes", "no", "y", "n", "true", "false", "✓", "✗", "✔", "✘", "x", "×"})
_NOT_AVAILABLE = frozenset({"", "n/a", "na", "-", "–", "—", "·", "…"})


def with_headers(rows: list[ExtractedRow], *, closed: bool) -> list[ExtractedRow]:
    """Rows with header and panel set. Closed means that a rule stands below the last row.

    The header is what the source itself says, or what stands above the first \\midrule, or above the first rule with
    rows above it. Between two rules further down, rows that look like a header open a new panel.
    """
    count = _header_rows(rows)
    headers = rows[:count]
    result = [replace(row, header=True) for row in headers]
    panel, body = 0, 0
    blocks = _blocks(rows[count:])
    for number, block in enumerate(blocks):
        last = number + 1 == len(blocks)
        opening = _opening_rows(block, headers, result, closed or not last) if count else 0
        if opening and not (last and opening == len(block)):
            if body:
                panel, body = panel + 1, 0
            opened, block = block[:opening], block[opening:]
            if not all(row.is_title for row in opened):
                headers = opened
            result += [replace(row, header=True, panel=panel) for row in opened]
        result += [replace(row, panel=panel) for row in block]
        body += len(block)
    return result


def _header_rows(rows: list[ExtractedRow]) -> int:
    if any(row.header for row in rows):
        return sum(row.header for row in rows)
    ruled = [index for index in range(1, len(rows)) if rows[index].after_rule]
    if not ruled:
        return _wordy_rows(rows)
    mid = next((index for index in ruled if rows[index].rule == "midrule"), ruled[0])
    # Where a rule of another name comes first and numbers follow it, the \midrule belongs to the body.
    if mid != ruled[0] and any(row.numeric for row in rows[ruled[0] : mid]):
        mid = ruled[0]
    # Titles, and names that span several columns, are not yet the header: the words below the rule complete it.
    for below in ruled[ruled.index(mid) + 1 :]:
        above = rows[mid - 1]
        single = not above.is_title and all(cell is None or cell.columns == 1 for cell in above.cells)
        if single or not any(row.numeric for row in rows[below:]):
            break
        if any(row.numeric or row.is_title or _filled(row) < 2 for row in rows[mid:below]):
            break
        mid = below
    # A row of names over several columns each, set between rules and without a label of its own, goes on with it.
    above, following = rows[mid], rows[mid + 1 :]
    numbers = {column for row in following for column in row.numeric}
    spans = any(cell is not None and cell.columns > 1 for cell in above.cells)
    blank = above.cells[0] is not None and not above.cells[0].text
    named = numbers and all(_has_words([above], column) for column in numbers - {0})
    return mid + (spans and blank and bool(named) and not above.numeric and following[0].after_rule)


def _wordy_rows(rows: list[ExtractedRow]) -> int:
    """How many rows at the top have words where the rows below have numbers; none where that is not plain."""
    count = next((index for index, row in enumerate(rows) if row.numeric), 0)
    if not 0 < count <= _MOST_HEADERS or count == len(rows):
        return 0
    numbers = {column for row in rows[count:] for column in row.numeric} - {0}
    named = {column for column in numbers if _has_words(rows[:count], column)}
    return count if numbers and len(named) * 2 > len(numbers) else 0


def _blocks(rows: list[ExtractedRow]) -> list[list[ExtractedRow]]:
    blocks: list[list[ExtractedRow]] = []
    for row in rows:
        if row.after_rule or not blocks:
            blocks.append([])
        blocks[-1].append(row)
    return blocks


def _opening_rows(
    block: list[ExtractedRow], headers: list[ExtractedRow], above: list[ExtractedRow], ruled_below: bool
) -> int:
    """How many rows at the top of a block are a header."""
    wordy = not any(row.numeric for row in block)
    firsts = (row.cells[0] for row in headers if not row.is_title)
    names = {cell.text for cell in firsts if cell is not None} - _NOT_AVAILABLE
    first = block[0].cells[0]
    if first is not None and first.text in names and len(block[0].numeric) < _filled(block[0]) / 2:
        return len(block) if wordy and ruled_below else 1
    if not ruled_below or not wordy:
        return 0
    if all(row.is_title for row in block):
        return len(block)
    # Words in every column that held numbers so far, and not one word in all of them, or none but answers.
    numbers = {column for row in above if not row.header for column in row.numeric}
    if not numbers or not all(_has_words(block, column) for column in numbers):
        return 0
    told = [{cell.text.lower() for cell in map(row.at, numbers) if cell is not None} for row in block]
    return 0 if any((len(numbers) > 1 and len(words) == 1) or words <= _ANSWERS for words in told) else len(block)


def _has_words(block: list[ExtractedRow], column: int) -> bool:
    cells = (row.at(column) for row in block)
    return any(cell is not None and cell.text.lower() not in _NOT_AVAILABLE for cell in cells)


def _filled(row: ExtractedRow) -> int:
    return sum(cell is not None and bool(cell.text) for cell in row.cells)
