"""Pipe tables of Markdown files."""

from __future__ import annotations

import html
import re
from dataclasses import replace

from sealtrace.printed.extracted import ExtractedRow, ExtractedTable, Mark, Problem, collapse, marked_cell
from sealtrace.printed.tex_text import render
from sealtrace.printed.tex_tokens import SourceText, tokenize

_ALIGNMENT = re.compile(r"\s*:?-+:?\s*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_LABEL = re.compile(r"\{[^{}#]{0,200}#([^\s{}#]{1,200})[^{}]{0,200}\}")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\n]")
# What changes the marks or is not printed. Underscores mark only at the edge of a word, so that n_min stays.
_INLINE = re.compile(
    r"""\\(?P<escaped>[!-/:-@\[-`{-~])
    |(?P<code>``?)(?P<literal>[^`]+)(?P=code)
    |(?P<math>\$(?!\s)(?P<formula>[^$]{1,2000}?)(?<!\s)\$(?!\d))
    |(?P<bold>\*\*|(?<!\w)__|__(?!\w)|</?(?:b|strong)\s*>)
    |(?P<emphasis>\*|(?<!\w)_(?!_)|(?<!_)_(?!\w)|</?(?:i|em|sub|sup|span)\s*>)
    |(?P<underline></?(?:u|ins)\s*>)
    |(?P<line_break><br\s*/?>)
    |!?\[(?P<link>[^\[\]]*)\]\([^()\s]*\)
    |(?P<entity>&\#?\w{1,32};)
    |(?P<character>.)""",
    re.VERBOSE | re.IGNORECASE,
)


def read_markdown(text: str, source: str) -> tuple[list[ExtractedTable], list[Problem]]:
    """Every pipe table of a Markdown text: a header row, a row of dashes, and the rows below.

    The heading or line before the table is its caption, or a line that begins with "Table:" right after it; the
    label is what {#…} in the caption says. **x** and __x__ are bold, as Markdown prints them, and <u>x</u> is
    underlined.
    """
    # Comments become blanks of the same length, so that lines keep their numbers.
    visible = _COMMENT.sub(lambda match: _NOT_LINE_END.sub(" ", match.group()), text)
    lines = [line.rstrip("\r") for line in visible.split("\n")]
    tables: list[ExtractedTable] = []
    problems: list[Problem] = []
    fence = ""
    caption = ""
    index = 0
    while index < len(lines):
        line = lines[index]
        marker = _FENCE.match(line)
        if fence:
            if marker is not None and marker.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif marker is not None:
            fence, caption = marker.group(1), ""
        elif _opens_table(lines, index):
            end = index + 2
            while end < len(lines) and "|" in lines[end] and not _is_code(lines[end]):
                end += 1
            table = _table(lines, index, end, source, problems)
            if table is not None:
                after = _following_caption(lines, end)
                tables.append(_captioned(table, caption if after is None else after))
            index, caption = end, ""
            continue
        elif line.strip():
            caption = line.strip().strip("#").strip() if _HEADING.match(line) else line.strip()
        index += 1
    return tables, problems


def _is_code(line: str) -> bool:
    return line.startswith(("    ", "\t"))


def _opens_table(lines: list[str], index: int) -> bool:
    if index + 1 >= len(lines) or "|" not in lines[index] or _is_code(lines[index]):
        return False
    below = lines[index + 1]
    return (
        "-" in below
        and "|" in below
        and not below.strip(" \t|:-")
        and all(_ALIGNMENT.fullmatch(cell) for cell in _split(below))
    )


def _split(line: str) -> list[str]:
    """Cells of a line. A backslash keeps a pipe inside its cell; pipes at both ends are only a frame."""
    stripped = line.strip()
    cells: list[str] = []
    current: list[str] = []
    escaped = False
    for character in stripped.removeprefix("|"):
        if character == "|" and not escaped:
            cells.append("".join(current))
            current = []
        else:
            current.append(character)
        escaped = character == "\\" and not escaped
    last = "".join(current)
    return [*cells, last] if last.strip() or not cells else cells


def _table(lines: list[str], begin: int, end: int, source: str, problems: list[Problem]) -> ExtractedTable | None:
    columns = len(_split(lines[begin + 1]))
    rows: list[ExtractedRow] = []
    for index in [begin, *range(begin + 2, end)]:
        raws = [raw.strip() for raw in _split(lines[index])]
        if len(raws) != columns:
            message = f"a row does not add up to the columns (got {len(raws)}, expected {columns})"
            problems.append(Problem(f"{message}: the table is refused", source, index + 1))
            return None
        cells = tuple(marked_cell(_marks(raw), raw, source, index + 1) for raw in raws)
        rows.append(ExtractedRow(cells, index + 1, header=index == begin, after_rule=index == begin + 2))
    return ExtractedTable(None, "", "", source, begin + 1, end, columns, tuple(rows))


def _following_caption(lines: list[str], end: int) -> str | None:
    index = end + 1 if end < len(lines) and not lines[end].strip() else end
    return _explicit_caption(lines[index]) if index < len(lines) else None


def _explicit_caption(line: str) -> str | None:
    """What follows "Table:" or ":" at the beginning of a line."""
    stripped = line.strip()
    for mark in ("Table:", ":"):
        if stripped.startswith(mark):
            return stripped.removeprefix(mark).strip()
    return None


def _captioned(table: ExtractedTable, raw: str) -> ExtractedTable:
    explicit = _explicit_caption(raw)
    shown = raw if explicit is None else explicit
    label = _LABEL.search(shown)
    text = "".join(mark.character for mark in collapse(_marks(_LABEL.sub("", shown))))
    return replace(table, label=label.group(1) if label is not None else None, caption=text, caption_raw=raw)


def _marks(raw: str) -> list[Mark]:
    marks: list[Mark] = []
    bold = underline = False
    for match in _INLINE.finditer(raw):
        found = match.group()
        if match.group("bold"):
            bold = not bold if not found.startswith("<") else not found.startswith("</")
        elif match.group("underline"):
            underline = not found.startswith("</")
        elif match.group("line_break"):
            marks.append(Mark(" ", bold, underline))
        elif match.group("math"):
            formula = SourceText("", match.group("formula"))
            tokens, _problems = tokenize(formula, 0, len(formula.text))
            marks += [
                Mark(mark.character, mark.bold or bold, mark.underline or underline)
                for mark in render(tokens, math=True).marks()
            ]
        elif not match.group("emphasis"):
            literal = match.group("escaped") or match.group("literal") or match.group("link")
            text = html.unescape(found) if match.group("entity") else literal or match.group("character") or ""
            marks += [Mark(character, bold, underline) for character in text.replace("−", "-")]
    return marks
