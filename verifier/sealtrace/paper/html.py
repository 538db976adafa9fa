"""Tables and running text of HTML pages: what a browser shows before any program of the page runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from sealtrace.paper.extracted import Mark, ReadingProblem, Reported
from sealtrace.paper.laid_out import MOST_SPANNED, LaidCell, LaidOutPage, LaidRow, raised
from sealtrace.paper.tex_text import render
from sealtrace.paper.tex_tokens import SourceText, tokenize
from sealtrace.process import keep_reading

_UNSEEN = frozenset({"script", "style", "template", "head", "title", "noscript", "select", "textarea", "svg", "object",
                     "iframe", "video", "audio", "canvas", "annotation", "annotation-xml", "datalist"})  # fmt: skip
_EMPTY = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_BLOCKS = frozenset({
    "p", "div", "section", "article", "main", "header", "footer", "aside", "nav", "li", "ul", "ol", "dl", "dt", "dd",
    "blockquote", "pre", "figure", "figcaption", "table", "address", "body", "details", "summary", "form", "fieldset",
    "h1", "h2", "h3", "h4", "h5", "h6",
})  # fmt: skip
_BOLD, _UNDERLINED = frozenset({"b", "strong"}), frozenset({"u", "ins"})
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_SET_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)|(?:^|\s)ltx_font_bold(?:\s|$)", re.IGNORECASE)
_STYLES = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|content\s*:\s*['\"]\w", re.IGNORECASE)
_FORMULA = re.compile(r"\\\((.{1,2000}?)\\\)", re.DOTALL)
# Every opening tag looks through the open ones: without a bound a hostile page costs the square of its length.
_MOST_DEEP = 500


class HtmlGrid:
    """A table that is being read."""

    def __init__(self, line: int, label: str | None) -> None:
        self.line, self.label = line, label
        self.rows: list[LaidRow] = []
        self.caption: list[Mark] = []
        self.in_caption = self.in_head = False


@dataclass
class _Element:
    """An element that is open, and what holds inside it."""

    tag: str
    unseen: bool = False
    bold: bool = False
    underline: bool = False
    id: str | None = None
    kept: list[Mark] | None = None
    """Where what is inside goes, if not to the text around it: exponents and formulas."""
    formula: str = ""

    def inner(self, tag: str, attributes: dict[str, str]) -> _Element:
        """An element inside this one."""
        style = attributes.get("style", "")
        told = f"{style} {attributes.get('class', '')}"
        return _Element(
            tag,
            self.unseen or tag in _UNSEEN or "hidden" in attributes or _HIDDEN.search(style) is not None,
            self.bold or tag in _BOLD or _SET_BOLD.search(told) is not None,
            self.underline or tag in _UNDERLINED or "underline" in style.lower(),
            attributes.get("id"),
            [] if tag in ("sup", "math") else None,
            attributes.get("alttext", "") if tag == "math" else "",
        )


class HtmlPage(HTMLParser):
    """The paragraphs and tables of a page, and how many letters stand in tables and elsewhere."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.page = LaidOutPage(source)
        self.tables: list[list[LaidRow]] = []
        self.inside = self.outside = 0
        self._source = source
        self._open: list[_Element] = []
        self._grids: list[HtmlGrid] = []
        """Tables that are not closed yet, the inner ones last."""
        self._marks: list[Mark] = []
        self._line = 1
        self._style = ""
        self._scripts = 0

    def read(self, text: str) -> HtmlPage:
        self.feed(_closed(text))
        self.close()
        while self._open:
            self._leave(self._open[-1].tag)
        self._end_paragraph("")
        if _STYLES.search(self._style):
            self._note("a style sheet hides or prints text: what is read here may be shown otherwise")
        if self._scripts:
            self._note("programs of the page may change what it shows")
        return self

    def _note(self, message: str) -> None:
        self.page.reported.problems.append(ReadingProblem(message, self._source, 1, "note", certain=True))

    @property
    def _around(self) -> _Element:
        return self._open[-1] if self._open else _Element("")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        keep_reading()
        given = {name: value or "" for name, value in attrs}
        if tag == "br":
            self._add(" ")
        if tag in _EMPTY:
            return
        # What people leave open is closed by what cannot stand inside it.
        closes = {"tr": ("tr",), "td": ("td", "th"), "th": ("td", "th"), "li": ("li",), "p": ("p",),
                  "tbody": ("thead",)}.get(tag, ())  # fmt: skip
        if closes:
            bounds = (*closes, "table", *_BLOCKS - {"p", "li"})
            nearest = next((one.tag for one in reversed(self._open) if one.tag in bounds), "")
            if nearest in closes:
                self._leave(nearest)
        if len(self._open) >= _MOST_DEEP:
            return
        if tag in _BLOCKS:
            self._end_paragraph(tag)
        element = self._around.inner(tag, given)
        self._open.append(element)
        self._scripts += tag == "script"
        if element.unseen:
            return
        grid = self._grids[-1] if self._grids else None
        if tag == "table":
            figure = next((one.id for one in reversed(self._open[:-1]) if one.tag == "figure" and one.id), None)
            self._grids.append(HtmlGrid(self.getpos()[0], given.get("id") or figure))
        elif grid is not None:
            if tag == "tr":
                grid.rows.append([])
            elif tag in ("td", "th"):
                if not grid.rows:
                    grid.rows.append([])
                header = tag == "th" or grid.in_head
                spans = (_span(given.get("colspan")), _span(given.get("rowspan")))
                grid.rows[-1].append(LaidCell(self.getpos()[0], *spans, header=header))
            elif tag == "caption":
                grid.in_caption = True
            elif tag == "thead":
                grid.in_head = True

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if any(one.tag == tag for one in self._open):
            self._leave(tag)

    def _leave(self, tag: str) -> None:
        """Closes an element, and what is still open inside it."""
        while self._open:
            element = self._open[-1]
            if element.tag in _BLOCKS and not self._grids:
                self._end_paragraph(element.tag)
            self._open.pop()
            if not element.unseen:
                self._close(element)
            if element.tag == tag:
                return

    def _close(self, element: _Element) -> None:
        if element.kept is not None:
            marks = raised(element.kept) if element.tag == "sup" else element.kept
            self._put(_formula(element.formula) if element.formula else marks)
        if not self._grids:
            return
        grid = self._grids[-1]
        match element.tag:
            case "caption":
                grid.in_caption = False
            case "thead":
                grid.in_head = False
            case "table":
                self._grids.pop()
                self.tables.append(grid.rows)
                caption = "".join(mark.character for mark in grid.caption)
                self.page.table(grid.rows, grid.line, " ".join(caption.split()), grid.label)

    def handle_data(self, data: str) -> None:
        keep_reading()
        if self._around.tag == "style":
            self._style += data
        if self._around.unseen:
            return
        letters = len("".join(data.split()))
        if self._grids:
            self.inside += letters
        else:
            self.outside += letters
        for number, piece in enumerate(_FORMULA.split(data)):
            if number % 2:
                self._put(_formula(piece))
            else:
                self._add(piece)

    def _add(self, text: str) -> None:
        around = self._around
        self._put(
            [Mark(character, around.bold, around.underline) for character in text.replace("−", "-").replace("\n", " ")]
        )

    def _put(self, marks: list[Mark]) -> None:
        if self._around.unseen:
            return
        kept = next((one.kept for one in reversed(self._open) if one.kept is not None), None)
        if kept is not None:
            kept += marks
        elif not self._grids:
            if not self._marks:
                self._line = self.getpos()[0]
            self._marks += marks
        elif self._grids[-1].in_caption:
            self._grids[-1].caption += marks
        elif self._grids[-1].rows and self._grids[-1].rows[-1]:
            self._grids[-1].rows[-1][-1].marks += marks

    def _end_paragraph(self, tag: str) -> None:
        if self._grids:
            # Paragraphs inside a cell stand below each other.
            self._put([Mark(" ")])
            return
        level = next((int(one.tag[1]) for one in reversed(self._open) if re.fullmatch(r"h[1-6]", one.tag)), 0)
        caption = tag == "figcaption" and bool(self._open) and self._open[-1].tag == "figcaption"
        self.page.paragraph(self._marks, self._line, level=level, caption=caption)
        self._marks = []


def _closed(text: str) -> str:
    """A page without what is left open at its end: the parser would look for its end from every such place again."""
    opened = text.find("<!--", text.rfind("-->") + 1)
    if opened >= 0:
        text = text[:opened]  # A browser takes the rest for a comment.
    last = text.rfind(">") + 1
    return text[:last] + text[last:].replace("<", "&lt;")


def _span(given: str | None) -> int:
    return max(1, min(int(given[:9]), MOST_SPANNED)) if given is not None and given.isdecimal() else 1


def _formula(text: str) -> list[Mark]:
    """What a formula prints that is written in TeX."""
    source = SourceText("", text)
    return list(render(tokenize(source, 0, len(source.text))[0], math=True).marks())


def read_html(text: str, source: str) -> Reported:
    """Every table of a page, and its paragraphs; hidden elements, scripts and styles are not read."""
    return HtmlPage(source).read(text).page.reported
