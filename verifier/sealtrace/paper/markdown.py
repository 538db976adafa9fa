"""Pipe tables and running text of Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sealtrace.paper.extracted import (
    ExtractedRow,
    ExtractedTable,
    Mark,
    ProseLine,
    ReadingProblem,
    Reported,
    collapse,
    marked_cell,
)
from sealtrace.paper.laid_out import raised
from sealtrace.paper.tex_text import Rendering, render
from sealtrace.paper.tex_tokens import SourceText, tokenize

if TYPE_CHECKING:
    from markdown_it.token import Token

_LABEL = re.compile(r"(?<!\s)\s*\{[^{}#]{0,200}#([^\s{}#]{1,200})[^{}]{0,200}\}")
_CAPTION = re.compile(r"(?:Table)?:\s*")
_MATH = re.compile(r"\$(?!\s)([^$\n]{1,2000}?)(?<![\s\\])\$(?!\d)")
_PIPE = re.compile(r"(?<!\\)\|")
# A tag without an end is one that may hide: to look for its end from each of many costs the square of their number.
_HIDING = re.compile(
    r"<\w(?:[^>]{500}|[^>]*\b(?:style|hidden|class)\b)|<(?:details|style|script|template|table|img)\b", re.I
)
_PLAIN_TAG = re.compile(r"</?(?:b|strong|u|ins|i|em|br|sup|sub|small|code|span|a|abbr|mark)\b|<!--", re.I)
_STANDS_FOR_MATH = "\ue000"
_STOOD_FOR = re.compile(f"{_STANDS_FOR_MATH}([0-9]+);")


def read_markdown(text: str, source: str) -> Reported:
    """Every pipe table of a Markdown text, and its paragraphs line by line.

    The heading or line before the table is its caption, or a line that begins with "Table:" right after it; the
    label is what {#…} in the caption says. **x** and __x__ are bold, as Markdown prints them, and <u>x</u> is
    underlined.
    """
    return _MarkdownReader(text, source).read()


class _MarkdownReader:
    def __init__(self, text: str, source: str) -> None:
        from markdown_it import MarkdownIt

        # A character of its own for each formula, so that its signs are not taken for Markdown's.
        self.formulas: list[str] = []
        self.parser = MarkdownIt("commonmark").enable("table")
        self.lines = text.split("\n")
        self.text = _MATH.sub(self.keep, text.replace(_STANDS_FOR_MATH, " "))
        self.source = source
        self.page = Reported()
        self.headings: dict[int, str] = {}
        """Headings over what is read, by their level."""

    def keep(self, match: re.Match[str]) -> str:
        self.formulas.append(match.group(1))
        return f"{_STANDS_FOR_MATH}{len(self.formulas) - 1};"

    def read(self) -> Reported:
        blocks = self.parser.parse(self.text)
        caption = ""
        index = level = 0
        while index < len(blocks):
            block = blocks[index]
            if block.type == "table_open":
                end = next(at for at in range(index, len(blocks)) if blocks[at].type == "table_close")
                own = self.table(blocks[index:end], caption, blocks[end + 1 : end + 3])
                index, caption = end, own
            elif block.type == "heading_open":
                level = int(block.tag[1:])
                self.headings = {above: text for above, text in self.headings.items() if above < level}
            elif block.type == "heading_close":
                level = 0
            elif block.type == "inline":
                self.paragraph(block)
                if level:
                    self.headings[level] = _LABEL.sub("", block.content)
                    self.page.title = self.page.title or (" ".join(block.content.split()) if level == 1 else "")
                caption = block.content.rpartition("\n")[2]
            elif block.type in ("fence", "code_block", "html_block", "hr"):
                caption = ""
                if block.type == "html_block" and _HIDING.search(block.content):
                    self.doubt("HTML that may hide or print tables is not read", (block.map or [0])[0])
            index += 1
        return self.page

    def doubt(self, message: str, line: int) -> None:
        self.page.problems.append(ReadingProblem(message, self.source, line + 1, "warning"))

    def paragraph(self, block: Token) -> None:
        shown = "".join(mark.character for mark in self.marks(block.children or []))
        paragraph = self.page.prose[-1].paragraph + 1 if self.page.prose else 1
        for offset, line in enumerate(_LABEL.sub("", shown).split("\n")):
            if line.strip():
                number = (block.map or [0])[0] + offset + 1
                explicit = _CAPTION.match(line) is not None
                self.page.prose.append(ProseLine(" ".join(line.split()), self.source, number, paragraph, explicit))

    def table(self, blocks: list[Token], before: str, after: list[Token]) -> str:
        """Adds a table; returns what may be the caption of the next."""
        rows: list[ExtractedRow] = []
        begin = (blocks[0].map or [0])[0]
        columns = sum(block.type == "th_open" for block in blocks)
        caption = ""
        for opening in (at for at, block in enumerate(blocks) if block.type == "tr_open"):
            line = (blocks[opening].map or [0])[0]
            written = self.lines[line]
            if "|" not in written:
                # Markdown takes a line right below for a row; people write a caption there.
                caption = written.strip()
                continue
            got = len(_PIPE.findall(re.sub(r"^\s*\||(?<!\\)\|\s*$", "", written))) + 1
            if got > columns:
                message = f"a row does not add up to the columns (got {got}, expected {columns})"
                self.page.problems.append(ReadingProblem(f"{message}: the table is refused", self.source, line + 1))
                return ""
            if got < columns:
                self.doubt(f"a row has {got} cells of {columns}: the rest is read as empty", line)
            contents = [block for block in blocks[opening : opening + 3 * columns + 1] if block.type == "inline"]
            for child in (child for content in contents for child in content.children or ()):
                written = child.content
                tag = child.type == "html_inline" and (_HIDING.search(written) or not _PLAIN_TAG.match(written))
                if tag or child.type == "image":
                    self.doubt(f"{written or 'an image'} may hide what it sets: it is read as text", line)
                for number in _STOOD_FOR.findall(written):
                    for doubt in self.formula(number).doubts:
                        self.doubt(doubt, line)
            cells = tuple(marked_cell(self.marks(block.children or []), self.source, line + 1) for block in contents)
            rows.append(ExtractedRow(cells, line + 1, header=not rows, rule="midrule" if len(rows) == 1 else None))
        following = next((block.content for block in after if block.type == "inline"), "").partition("\n")[0]
        explicit = next((text for text in (caption, following, before) if _CAPTION.match(text)), "")
        raw = explicit or before
        label = _LABEL.search(raw)
        shown = _CAPTION.sub("", _LABEL.sub("", raw), count=1) if explicit else _LABEL.sub("", raw)
        plain = collapse(self.marks(self.parser.parseInline(shown)[0].children or []))
        self.page.tables.append(
            ExtractedTable(
                label.group(1) if label is not None else None,
                "".join(mark.character for mark in plain),
                self.source,
                begin + 1,
                columns,
                tuple(rows),
                tuple(text for _, text in sorted(self.headings.items(), reverse=True)),
            )
        )
        return ""

    def marks(self, children: Iterable[Token]) -> list[Mark]:
        """Inline content as characters."""
        marks: list[Mark] = []
        bold = underline = above = 0
        for child in children:
            tag = child.content.lower().strip("<>/ ").partition(" ")[0] if child.type == "html_inline" else ""
            closing = child.content.startswith("</")
            if child.type in ("strong_open", "strong_close"):
                bold += child.nesting
            elif tag in ("b", "strong"):
                bold += -1 if closing else 1
            elif tag in ("u", "ins"):
                underline += -1 if closing else 1
            elif tag == "sup" and not closing:
                above = len(marks)
            elif tag == "sup":
                marks[above:] = raised(marks[above:])
            elif tag == "br" or child.type == "hardbreak":
                marks.append(Mark(" ", bold > 0, underline > 0))
            elif child.type == "softbreak":
                marks.append(Mark("\n"))
            elif child.type in ("text", "code_inline", "text_special", "image"):
                marks += self.characters(child.content, bold > 0, underline > 0)
        return marks

    def characters(self, text: str, bold: bool, underline: bool) -> Iterable[Mark]:
        for number, piece in enumerate(_STOOD_FOR.split(text)):
            if number % 2 == 0:
                yield from (Mark(character, bold, underline) for character in piece.replace("−", "-"))
                continue
            for mark in self.formula(piece).marks():
                yield Mark(mark.character, mark.bold or bold, mark.underline or underline)

    def formula(self, number: str) -> Rendering:
        formula = SourceText("", self.formulas[int(number)])
        return render(tokenize(formula, 0, len(formula.text))[0], math=True)
