"""Which rows of a table are headers, and where a new panel begins."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sealtrace.printed.extracted import ExtractedCell, ExtractedRow

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
