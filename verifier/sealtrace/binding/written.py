"""Tables that programs wrote for readers: in text files and logs, HTML, Markdown, LaTeX, and outputs of notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from sealtrace.bundle.defects import as_text
from sealtrace.paper.html import HtmlPage
from sealtrace.paper.laid_out import covered

Columns = dict[str, list[object]]
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?")
_WHOLE = re.compile(r"\d+(\.0)?")
_NAMED = re.compile(
    r"(?<![\w.])([^\W\d][^;,=:|]{0,60}?)\s*(?:=|:(?!(?<=\d:)\d\d\b))\s*"
    r"(?:([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.:/])|"
    r"([^\W\d][\w./-]*)(?![\w./-]|\s*[=:]))"
)
"""`name = number` and `name: word`, as logs and notes write them."""
_RULE = re.compile(r"[\s|+:=_─━┄│┼╪-]*")
_COMMENT = re.compile(r"^\s*[#%]+\s+(?=\S)")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_MARKS = ("|", "\t", "  ", ";", ",", " ")
"""What stands between the cells of a line of text, the surest first."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_OURS = re.compile(
    r"[A-Z\d, ]{1,80}  .{1,500} against \S+\n|## .{1,500}: .{1,500} against \S+\n|% Written by sealtrace|"
    r"<(?s:.){1,2000}content=\"sealtrace "
)
"""How reports of a check begin, in each format."""


class NoResultError(ValueError):
    """A document that repeats results, and gives none: a text for readers, or a report."""

    def __init__(self, what: str = "a text with tables, which repeats results for readers and is no result") -> None:
        super().__init__(what)


def parsed(text: str) -> Any:
    """JSON of a release; half of a character that takes two, which nothing can encode, stays an escape."""
    document = json.loads(text)
    return _encodable(document) if _HALF.search(text) else document


def _encodable(value: object) -> object:
    match value:
        case dict():
            return {as_text(key): _encodable(one) for key, one in value.items()}
        case list():
            return [_encodable(one) for one in value]
        case str():
            return as_text(value)
        case _:
            return value


def tables_in(kind: str, text: str, name: str) -> list[tuple[str, Columns]]:
    """The tables of a file, each with its name there."""
    if _OURS.match(text.lstrip()):
        raise NoResultError("a report that sealtrace wrote, and no result")
    match kind:
        case ".ipynb":
            return _numbered(_in_notebook(parsed(text)))
        case ".html" | ".htm":
            return _numbered(_in_html(text, of_readers=True))
        case ".md" | ".markdown" | ".tex":
            return _in_paper(text, name)
        case _:
            return _numbered(_in_text(text))


def _numbered(tables: Iterable[Columns]) -> list[tuple[str, Columns]]:
    return [(f"table {number}", columns) for number, columns in enumerate(tables, 1)]


def in_rows(rows: Sequence[Sequence[object]]) -> Iterator[Columns]:
    """Tables in rows of cells: parted by empty rows, below a title perhaps, with a row of headers or without."""
    for filled, members in groupby(rows, key=lambda row: any(not _blank(cell) for cell in row)):
        block = [list(row) for row in members]
        if not filled:
            continue
        width = max(map(_filled, block))
        while width > 2 and _filled(block[0]) == 1:
            del block[0]
        long = max(map(len, block))
        columns = list(zip(*(row + [None] * (long - len(row)) for row in block), strict=True))
        columns = [column for column in columns if not all(map(_blank, column))]
        titled = is_header([column[0] for column in columns])
        found: Columns = {}
        for place, column in enumerate(columns, 1):
            title = f"column {place}" if not titled or _blank(column[0]) else " ".join(str(column[0]).split())
            while title in found:
                title += "'"
            found[title] = [None if _blank(cell) else cell for cell in column[titled:]]
        if any(map(_is_number, (cell for column in found.values() for cell in column))):
            yield found


def _blank(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _filled(row: Sequence[object]) -> int:
    return sum(not _blank(cell) for cell in row)


def _is_number(cell: object) -> bool:
    return not isinstance(cell, bool) and (
        isinstance(cell, (int, float)) or (isinstance(cell, str) and _NUMBER.fullmatch(cell.strip()) is not None)
    )


def is_header(cells: Sequence[object]) -> bool:
    """Whether a row names columns: with a text, and no number but years, sizes and the like."""
    numbers = [str(cell).strip() for cell in cells if _is_number(cell)]
    texts = len([cell for cell in cells if not _blank(cell)]) - len(numbers)
    return texts > 0 and all(map(_WHOLE.fullmatch, numbers))


# Text


def _in_text(text: str) -> Iterator[Columns]:
    """Tables of lines of text: lines in a row that one mark parts into equally many cells, one of them of numbers."""
    lines = [_COMMENT.sub("", _COLOUR.sub("", line).strip("\r\n")) for line in text.split("\n")]
    for filled, members in groupby(lines, key=lambda line: bool(line.strip())):
        run = [line for line in members if not _RULE.fullmatch(line)] if filled else []
        tables = (list(_parted(run, mark)) for mark in _MARKS if len(run) > 1)
        yield from next(filter(None, tables), None) or _in_pairs(run)


def named_parts(text: str) -> dict[str, object]:
    """What a text says by name: numbers, and words for which they stand."""
    found = {name: float(number) if number else word for name, number, word in _NAMED.findall(text)}
    return found if any(isinstance(value, float) for value in found.values()) else {}


def _in_pairs(lines: list[str]) -> Iterator[Columns]:
    """Lines that say numbers by name: each a row where others say the same names, else all together one."""
    records = list(filter(None, map(named_parts, lines)))
    if not records or 2 * len(records) < len(lines):
        return
    together = {name: value for record in records for name, value in record.items()}
    if len(together) == sum(map(len, records)):
        records = [together]
    for names in dict.fromkeys(map(tuple, records)):
        rows = [record for record in records if tuple(record) == names]
        yield {name: [row[name] for row in rows] for name in names}


def _parted(lines: list[str], mark: str) -> Iterator[Columns]:
    """The tables that lines hold where this mark parts their cells."""
    rows = [_cells(line, mark) for line in lines]
    begin = 0
    for width, members in groupby(rows, key=len):
        block = list(members)
        above = rows[begin - 1] if begin else []
        begin += len(block)
        if width < 2:
            continue
        if len(above) == width - 1 and not any(map(_is_number, above)) and _is_number(block[0][0]):
            block.insert(0, ["", *above])  # numbered rows, as data frames are shown
        # Sentences have spaces, too: there every row must have its number in the same place, below a word.
        strict = mark in ("  ", " ", ",")
        body = list(zip(*block[1:], strict=True))
        if len(block) < (3 if strict else 2) or (strict and any(map(_is_number, block[0]))):
            continue
        if any(all(map(_is_number, column)) for column in body) or not strict:
            yield from in_rows(block)


def _cells(line: str, mark: str) -> list[str]:
    if mark == " ":
        return line.split()
    if mark == "  ":
        return re.split(r"\s{2,}", line.strip())
    if mark == "|":
        line = re.sub(r"[│┃]", "|", line).strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in line.split(mark)]


# Documents


def _in_paper(text: str, name: str) -> list[tuple[str, Columns]]:
    """Tables of Markdown or LaTeX that hold more than the text around them does."""
    from sealtrace.paper.reported import read_reported  # only for tables in LaTeX or Markdown

    paper = read_reported(text, name, lambda _: None)
    tabled = sum(len(cell.text) for table in paper.tables for row in table.rows for cell in row.cells)
    if paper.tables and (r"\documentclass" in text or sum(len(line.text) for line in paper.prose) > tabled):
        raise NoResultError
    return [
        (table.label, {title: [row.cells[place].shown if place < len(row.cells) else None for row in table.rows]
                       for place, title in enumerate(table.headers)})
        for table in paper.tables
    ]  # fmt: skip


def _in_html(text: str, *, of_readers: bool = False) -> Iterator[Columns]:
    """Tables of a page; of a whole page, only where they hold more than the text around them does."""
    page = HtmlPage("").read(text)
    if of_readers and page.tables and page.outside > page.inside:
        raise NoResultError
    for rows in page.tables:
        places = covered(rows)
        yield from in_rows(
            [[row[at].text if at in row else "" for at in range(max(row, default=-1) + 1)] for row in places]
        )


def _in_notebook(notebook: Any) -> Iterator[Columns]:
    """Tables among the outputs of cells."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "text/html" in data:
                yield from _in_html("".join(data["text/html"]))
            else:
                yield from _in_text("".join(data.get("text/plain") or output.get("text") or ""))
