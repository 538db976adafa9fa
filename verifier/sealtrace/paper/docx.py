"""Tables and running text of .docx files: paragraphs, tables with merged cells, formulas, footnotes.

Nothing but the parts of the archive that hold text is opened, each up to a bound; a document type, which no such file
has and which could make a short file long, is refused. Paragraphs are numbered where other papers have lines.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from sealtrace.bundle.archives import DAMAGED
from sealtrace.bundle.defects import BundleError, as_text
from sealtrace.paper.extracted import Mark, ReadingProblem, Reported
from sealtrace.paper.laid_out import MOST_SPANNED, LaidCell, LaidOutPage, LaidRow, raised
from sealtrace.process import keep_reading

MAX_PART = 64_000_000
"""Bytes of one part, unpacked."""
# The tree is read by functions that call themselves for each element inside another; Python ends them at 1000.
_MOST_DEEP = 300
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main}"
_FORMULA = re.compile(
    r"http://(?:schemas\.openxmlformats\.org/officeDocument/2006|purl\.oclc\.org/ooxml/officeDocument)/math\}"
)
_NOT_PRINTED = frozenset({"del", "moveFrom", "instrText", "delText", "rPr", "pPr", "tblPr", "tcPr", "trPr", "sectPr",
                          "Fallback", "commentReference", "pict", "drawing", "object"})  # fmt: skip
_OFF = ("0", "false", "off", "none")


def read_docx(path: Path) -> Reported:
    """Every table and paragraph of a file; `BundleError` where it cannot be read at all."""
    try:
        with zipfile.ZipFile(path) as archive:
            body = _part(archive, "word/document.xml")
            if body is None:
                raise BundleError(f"{path}: no document in it (word/document.xml)")
            styles, notes = _part(archive, "word/styles.xml"), _part(archive, "word/footnotes.xml")
    except DAMAGED as error:
        raise BundleError(f"{path}: not a readable .docx ({error})") from None
    except (RuntimeError, NotImplementedError, ValueError, expat.ExpatError) as error:
        raise BundleError(f"{path}: not a readable .docx ({error})") from None
    reader = _DocxReader(as_text(path.name), _styles(styles))
    for part in (body, notes):
        if part is not None:
            reader.blocks(part)
    return reader.page.reported


def _part(archive: zipfile.ZipFile, name: str) -> Element | None:
    """One part as a tree; None where there is none."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        return None
    with archive.open(info) as file:
        data = file.read(MAX_PART + 1)
    if len(data) > MAX_PART:
        raise ValueError(f"{name} unpacks to more than {MAX_PART} bytes")
    return _tree(data)


def _tree(data: bytes) -> Element:
    """The elements by their own names; a formula's are told from a text's by `m:`."""
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = 0

    def named(name: str) -> str:
        if name.startswith((_W, _STRICT)):
            return name.rpartition("}")[2]
        return _FORMULA.sub("m:", name) if _FORMULA.match(name) else name.rpartition("}")[2]

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        keep_reading()
        depth += 1
        if depth > _MOST_DEEP:
            raise ValueError("its elements are too deep")
        builder.start(named(name), {key.rpartition("}")[2]: value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(named(name))

    def refuse(*_: object) -> None:
        raise ValueError("a document type in it")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(data, True)
    return builder.close()


@dataclass(frozen=True)
class _Style:
    """What a named style says, with what it is based on."""

    bold: bool = False
    underline: bool = False
    hidden: bool = False
    level: int = 0
    """Of a heading; 0 for none."""
    caption: bool = False

    def changed(self, properties: Element | None) -> _Style:
        """A copy of the style, changed by the properties of a run."""
        if properties is None:
            return self
        return _Style(
            _switched(properties, "b", self.bold), _switched(properties, "u", self.underline),
            _switched(properties, "vanish", self.hidden), self.level, self.caption,
        )  # fmt: skip


def _switched(properties: Element, name: str, before: bool) -> bool:
    found = properties.find(name)
    return before if found is None else found.get("val", "1").lower() not in _OFF


def _styles(part: Element | None) -> dict[str, _Style]:
    written = {one.get("styleId", ""): one for one in part.iter("style")} if part is not None else {}
    known: dict[str, _Style] = {}

    def style(name: str, seen: frozenset[str]) -> _Style:
        if name not in written or name in seen:
            return _Style()
        if name not in known:
            element = written[name]
            base = style(_value(element, "basedOn"), seen | {name}).changed(element.find("rPr"))
            title = _value(element, "name").lower()
            heading = re.fullmatch(r"heading (\d)", title)
            level = int(heading[1]) if heading else base.level
            known[name] = replace(base, level=level, caption=base.caption or title == "caption")
        return known[name]

    return {name: style(name, frozenset()) for name in list(written)[:5000]}


def _value(element: Element | None, name: str) -> str:
    found = element.find(name) if element is not None else None
    return found.get("val", "") if found is not None else ""


class _DocxReader:
    def __init__(self, source: str, styles: dict[str, _Style]) -> None:
        self.page = LaidOutPage(source)
        self._source, self._styles = source, styles
        self._number = 0
        """Of the paragraph that is being read."""

    def blocks(self, element: Element) -> None:
        """Paragraphs and tables in order, through whatever wraps them."""
        for child in element:
            if child.tag == "p":
                self._number += 1
                style = self._style(child)
                self.page.paragraph(
                    list(self._marks(child, style)), self._number, level=style.level, caption=style.caption
                )
                # A text box is written a second time for older programs, not as a choice.
                for choice in child.iter("Choice"):
                    for boxed in choice.iter("txbxContent"):
                        self.blocks(boxed)
            elif child.tag == "tbl":
                self._table(child)
            elif child.tag not in _NOT_PRINTED:
                self.blocks(child)

    def _style(self, paragraph: Element) -> _Style:
        return self._styles.get(_value(paragraph.find("pPr"), "pStyle"), _Style())

    def _marks(self, element: Element, style: _Style) -> Iterator[Mark]:
        """What the runs of a paragraph print."""
        for child in element:
            if child.tag == "r":
                own = child.find("rPr")
                named = self._styles.get(_value(own, "rStyle"), _Style())
                both = _Style(style.bold or named.bold, style.underline or named.underline,
                              style.hidden or named.hidden).changed(own)  # fmt: skip
                if not both.hidden:
                    marks = [Mark(character, both.bold, both.underline) for character in _text(child)]
                    yield from raised(marks) if _value(own, "vertAlign") == "superscript" else marks
            elif child.tag in ("m:oMath", "m:oMathPara"):
                yield from map(Mark, _formula(child))
            elif child.tag not in _NOT_PRINTED and child.tag != "p":
                yield from self._marks(child, style)

    def _table(self, table: Element) -> None:
        begin = self._number + 1
        rows: list[LaidRow] = []
        inner: list[Element] = []
        above: dict[int, LaidCell] = {}
        """The cell that reaches down into each column."""
        for row in _wrapped(table, "tr"):
            properties = row.find("trPr")
            if properties is not None and (
                properties.find("del") is not None or _switched(properties, "hidden", False)
            ):
                self._number += sum(1 for _ in row.iter("p"))
                continue
            header = properties is not None and _switched(properties, "tblHeader", False)
            cells: LaidRow = [
                LaidCell(self._number + 1, header=header) for _ in range(_count(properties, "gridBefore"))
            ]
            column = len(cells)
            extended: list[LaidCell] = []
            for cell in _wrapped(row, "tc"):
                about = cell.find("tcPr")
                merged = about.find("vMerge") if about is not None else None
                laid = LaidCell(self._number + 1, max(1, _count(about, "gridSpan")), header=header)
                for paragraph in (one for one in cell.iter() if one.tag in ("p", "tbl")):
                    if paragraph.tag == "tbl":
                        inner.append(paragraph)
                        continue
                    self._number += 1
                    laid.marks += [*self._marks(paragraph, self._style(paragraph)), Mark(" ")]
                if merged is not None and merged.get("val") != "restart" and column in above:
                    above[column].rows += 1
                    extended.append(above[column])
                else:
                    cells.append(laid)
                    if merged is not None:
                        above[column] = laid
                    else:
                        above.pop(column, None)
                column += laid.columns
            if cells:
                rows.append(cells)
            else:
                # A row whose cells all reach down from above prints nothing of its own.
                for cell_above in extended:
                    cell_above.rows -= 1
        if inner:
            message = "a table inside a table is read with the cell that it stands in"
            self.page.reported.problems.append(ReadingProblem(message, self._source, begin, "warning"))
        self.page.table(rows, begin)


def _count(properties: Element | None, name: str) -> int:
    given = _value(properties, name)
    return min(int(given[:9]), MOST_SPANNED) if given.isdecimal() else 0


def _wrapped(element: Element, tag: str) -> Iterator[Element]:
    """Children of a kind, also inside what wraps them."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"):
            yield from _wrapped(child, tag)


_SIGNS = {"tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-"}


def _text(run: Element) -> str:
    found = []
    for child in run:
        if child.tag == "t":
            found.append((child.text or "").replace("−", "-"))
        elif child.tag in _SIGNS:
            found.append(_SIGNS[child.tag])
        elif child.tag == "sym" and child.get("char", "").lower().endswith("b1"):
            found.append("±")
    return "".join(found)


def _formula(element: Element) -> str:
    """A formula in a line: exponents after ^, indices after _, fractions with a stroke."""
    match element.tag:
        case "m:t":
            return (element.text or "").replace("−", "-")
        case "m:sSup":
            return f"{_inside(element, 'm:e')}^{_inside(element, 'm:sup')}"
        case "m:sSub":
            return f"{_inside(element, 'm:e')}_{_inside(element, 'm:sub')}"
        case "m:f":
            return f"{_inside(element, 'm:num')}/{_inside(element, 'm:den')}"
        case _:
            return "".join(map(_formula, element))


def _inside(element: Element, tag: str) -> str:
    return "".join(_formula(child) for child in element if child.tag == tag)
