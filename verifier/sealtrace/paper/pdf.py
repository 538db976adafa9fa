"""Tables and running text of a PDF, by its text layer.

A PDF has characters and rules with their places, and neither rows nor cells: those are inferred. A table is what
stands between rules of one width; its columns are the gaps that its rows leave free. Everything read so names the
PDF's page as its source, and its line is the line on that page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from subprocess import DEVNULL, PIPE, TimeoutExpired, run
from typing import Any

from sealtrace.bundle.child_process import command, ended_by_clock
from sealtrace.bundle.defects import BundleError, as_text
from sealtrace.paper.extracted import (
    ExtractedCell,
    ExtractedRow,
    ExtractedTable,
    Mark,
    ProseLine,
    ReadingProblem,
    Reported,
    marked_cell,
    with_headers,
)
from sealtrace.paper.model import Paper
from sealtrace.paper.numbers import looks_numeric
from sealtrace.paper.reported import paper_of
from sealtrace.process import seconds_for_reading

MAX_BYTES = 100_000_000
SECONDS = 120
UNSEEN = "not seen on the page"
_SPACE = 0.15
"""Of the height of its characters, that parts two words."""
_CAPTION = re.compile(
    r"(?:Table|TABLE|Tab\.)\s+(?P<number>[A-Z]?\.?[0-9]+(?:\.[0-9]+)?|[IVX]+)\s*(?:[:.|–—]|$|\(?(?:-- )?[Cc]ont)"
)
_CONTINUED = re.compile(r"\bcont(?:inued|inuation|['’]d|\.)", re.IGNORECASE)
_BOLD = re.compile(r"Bold|CMBX|-Bd|Black|Heavy|\bBX", re.IGNORECASE)
_FARTHEST = 120.0
"""Points between a table and its caption, whose other lines may stand between."""
_TALLEST = 45.0
"""Points that a row of a table may take."""
_SAME = 3.0
"""Points by which edges may differ that are meant to be one."""
_SHORTEST = 20
"""Points that a rule has at least; one that closes a table has twice as many."""


Rule = tuple[int, int, float]
"""Left and right end, and how far down it is."""


@dataclass
class PageLine:
    """Words that stand on one line, from left to right."""

    words: list[PageWord]
    number: int = 0

    @property
    def top(self) -> float:
        return float(min(word.top for word in self.words))

    @property
    def bottom(self) -> float:
        return float(max(word.bottom for word in self.words))

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    def pieces(self) -> list[list[PageWord]]:
        """Words in groups that a gap wider than a space parts."""
        found: list[list[PageWord]] = []
        for word in self.words:
            space = 0.5 * (word.bottom - word.top)
            if found and word.x0 - found[-1][-1].x1 < space:
                found[-1].append(word)
            else:
                found.append([word])
        return found


@dataclass
class Area:
    """A table's place on its page."""

    left: float
    right: float
    rules: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class PageWord:
    """Characters without a gap between them."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    bold: tuple[bool, ...]
    """Of each character."""

    def joined(self, other: PageWord) -> PageWord:
        return PageWord(
            self.text + other.text,
            min(self.x0, other.x0),
            min(self.top, other.top),
            max(self.x1, other.x1),
            max(self.bottom, other.bottom),
            self.bold + other.bold,
        )

    def goes_on(self, other: PageWord) -> bool:
        """Whether another word follows directly: in line, and with less than a space between."""
        height = min(self.bottom - self.top, other.bottom - other.top)
        beside = min(self.bottom, other.bottom) - max(self.top, other.top) > 0.4 * height
        return beside and -height < other.x0 - self.x1 < max(1.0, _SPACE * height)


@dataclass(frozen=True)
class PageDoubt:
    """A character that a reader may not see as the text layer has it."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    why: str


@dataclass(frozen=True)
class PdfPage:
    """What one page prints."""

    source: str
    width: float
    words: list[PageWord]
    rules: list[Rule]
    drawn: list[tuple[float, float, float, float]]
    """Images, shadings and curves: left, top, right, bottom."""
    doubts: list[PageDoubt]


@dataclass(frozen=True)
class Located:
    """A table, and where on its page it stands."""

    caption: str
    area: Area
    lines: list[PageLine]
    page: PdfPage

    @property
    def has_numbers(self) -> bool:
        """Whether any of its cells begins with a number."""
        return any(looks_numeric(piece[0].text) for line in self.lines for piece in line.pieces())


def read_pdf(path: Path) -> Paper:
    """What a PDF prints; `BundleError` where it cannot be read."""
    if path.stat().st_size > MAX_BYTES:
        raise BundleError(f"{path}: more than {MAX_BYTES} bytes")
    reported = Reported()
    try:
        pages, reported.problems = pages_of(path.read_bytes(), name := as_text(path.name))
    except ValueError as error:
        raise BundleError(f"{path}: not a readable PDF: {error}") from None
    tables_of_pages(pages, reported)
    if not reported.prose and not reported.tables:
        raise BundleError(f"{path}: the PDF has no text layer")
    message = "read from the text layer of a PDF: rows and columns are inferred from places"
    reported.problems.insert(0, ReadingProblem(message, name, 1, "warning"))
    return paper_of(reported)


def pages_of(data: bytes, name: str) -> tuple[list[PdfPage], list[ReadingProblem]]:
    """The pages of a PDF, and what was not read of it; `ValueError` says why nothing was."""
    seconds = seconds_for_reading(SECONDS)
    asked = [*command("sealtrace.paper.pdf_process"), f"{seconds:g}"]
    try:
        done = run(asked, input=data, stdout=PIPE, stderr=DEVNULL, timeout=5 * seconds + 1)
        answer, late = done.stdout, ended_by_clock(done.returncode)
    except TimeoutExpired as error:
        answer, late = error.stdout or b"", True
    # The last line may be cut where the process was ended.
    answers = [json.loads(line) for line in answer.split(b"\n")[:-1]]
    if answers and "error" in answers[0] and len(answers) == 1:
        raise ValueError(answers[0]["error"])
    count = answers.pop()["pages"] if answers and "pages" in answers[-1] else None
    if not answers:
        slow = f"not read within {seconds:g} s"
        raise ValueError("it has no pages" if count == 0 else slow if late or count else "its reader crashed")
    problems = []
    pages = []
    for number, found in enumerate(answers, 1):
        source = f"{name}#page={number}"
        if "error" in found:
            problems.append(ReadingProblem(found["error"], source, 1))
            continue
        page = _page(found, source)
        problems += [
            ReadingProblem(f"{why}: {text!r}", source, 1, "warning") for why, text in _told(page.doubts).items()
        ]
        pages.append(page)
    if count is None or len(answers) < count:
        message = "the pages after it are not read: they take too long, or too many there are"
        problems.append(ReadingProblem(message, f"{name}#page={len(answers)}", 1))
    return pages, problems


def _told(doubts: list[PageDoubt]) -> dict[str, str]:
    """The first characters of each kind of doubt."""
    told: dict[str, str] = {}
    for doubt in doubts:
        told[doubt.why] = (told.get(doubt.why, "") + doubt.text)[:30]
    return told


def _page(found: dict[str, Any], source: str) -> PdfPage:
    words: list[PageWord] = []
    doubts = []
    unseen = sum(doubt == UNSEEN for *_, doubt in found["characters"])
    scanned = unseen * 2 > len(found["characters"])  # an invisible layer over a picture is what can be read of it
    for text, x0, top, x1, bottom, font, doubt in found["characters"]:
        if doubt:
            doubts.append(PageDoubt(text, x0, top, x1, bottom, doubt))
        if doubt == UNSEEN and not scanned:
            continue
        plain = _plain(text)
        word = PageWord(plain, x0, top, x1, bottom, (_BOLD.search(font) is not None,) * len(plain))
        if words and words[-1].goes_on(word):
            words[-1] = words[-1].joined(word)
        else:
            words.append(word)
    rules = [(round(left), round(right), top) for left, right, top in found["rules"] if right - left > _SHORTEST]
    rules.sort(key=lambda rule: rule[2])
    return PdfPage(source, found["size"][0], words, rules, [tuple(box) for box in found["drawn"]], doubts)


def tables_of_pages(pages: list[PdfPage], reported: Reported) -> list[Located]:
    """The tables of all pages with their places; `reported` gets them, continued ones joined, and the running text."""
    located: list[Located] = []
    for page in pages:
        located += _read_page(page, reported)
    return located


def _read_page(page: PdfPage, reported: Reported) -> list[Located]:
    tables, source, words, rules = reported.tables, page.source, page.words, page.rules
    lines = _in_columns(words, page.width)
    for number, line in enumerate(lines, 1):
        line.number = number
    reported.texts[source] = "\n".join(line.text for line in lines)
    # Charts have rules too: a table is what stands nearest to a caption that says so.
    nearest: dict[int, tuple[float, Area]] = {}
    for area in _areas(rules, lines):
        distance, at = _caption(area, lines)
        # Without a caption it may go on with the last table of the page before.
        key = at if distance < _FARTHEST else -1
        if len(area.rules) > 1 and (key not in nearest or (key >= 0 and distance < nearest[key][0])):
            nearest[key] = (distance, area)
    before = tables[-1] if tables else None
    located, read = [], []
    for at, (_distance, area) in sorted(nearest.items()):
        held = _lines(_within(words, area))
        if not any(looks_numeric(piece[0].text) for line in held for piece in line.pieces()[1:]):
            area = _run_on(area, words)
            held = _lines(_within(words, area))
        table = _table(area, held, lines, at, source, rules)
        goes_on = table is not None and before is not None and _goes_on(before, table, source)
        if at >= 0 or goes_on:
            caption = before.caption if goes_on and before is not None else _caption_text(area, lines, at)[1]
            located.append(Located(caption, area, held, page))
        if table is None or (at < 0 and not goes_on):
            continue
        read.append(area)
        if goes_on and before is not None:
            body = tuple(row for row in table.rows if not row.header)
            tables[tables.index(before)] = replace(before, rows=before.rows + body)
        else:
            tables.append(table)
    paragraph = max((line.paragraph for line in reported.prose), default=0)
    last: PageLine | None = None
    for line in lines:
        shown = [word for word in line.words if not any(_within([word], area) for area in read)]
        if not shown:
            last = None
            continue
        if last is None or not 0 <= line.top - last.bottom < 0.6 * (line.bottom - line.top):
            paragraph += 1
        text = " ".join(word.text for word in shown)
        reported.prose.append(ProseLine(text, source, line.number, paragraph, bool(_CAPTION.match(text))))
        last = line
    return located


_ALIKE = str.maketrans({"−": "-", "∆": "Δ", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"})


def _plain(text: str) -> str:
    """One character for each minus and delta, and letters where a PDF has them joined."""
    return text.translate(_ALIKE)


# Lines


def _joined(words: list[PageWord]) -> list[PageWord]:
    """Words of a line that were set one after the other, but not in the order of the file."""
    found: list[PageWord] = []
    for word in words:
        if found and found[-1].goes_on(word):
            found[-1] = found[-1].joined(word)
        else:
            found.append(word)
    return found


def _in_columns(words: list[PageWord], width: float) -> list[PageLine]:
    """The lines of a page in the order of reading: by column, where few words cross the middle."""
    middle = width / 2
    crossing = [word for word in words if word.x0 < middle < word.x1]
    if len(crossing) * 20 > len(words) or len(words) < 40:
        return _lines(words)
    left = [word for word in words if word.x1 <= middle or word in crossing]
    return _lines(left) + _lines([word for word in words if word.x0 >= middle])


def _lines(words: list[PageWord]) -> list[PageLine]:
    found: list[PageLine] = []
    for word in sorted(words, key=lambda word: (word.bottom, word.x0)):
        height = word.bottom - word.top
        if found and word.bottom - found[-1].words[0].bottom < 0.5 * height:
            found[-1].words.append(word)
        else:
            found.append(PageLine([word]))
    for line in found:
        line.words = _joined(sorted(line.words, key=lambda word: word.x0))
    return found


# Tables


def _areas(rules: list[Rule], lines: list[PageLine]) -> Iterator[Area]:
    """Places between at least two rules of one width, with no caption between them."""
    captions = [line.top for line in lines if _CAPTION.match(line.text)]
    open_areas: list[Area] = []
    for left, right, top in rules:
        if right - left <= 2 * _SHORTEST:
            continue
        area = next(
            (area for area in open_areas if abs(area.left - left) <= _SAME and abs(area.right - right) <= _SAME), None
        )
        if area is not None and (
            any(area.rules[-1] < caption < top for caption in captions) or _blank(area.rules[-1], top, lines)
        ):
            open_areas.remove(area)
            yield area
            area = None
        if area is None:
            area = Area(left, right)
            open_areas.append(area)
        if not area.rules or top - area.rules[-1] > _SAME:
            area.rules.append(top)
    yield from open_areas


def _blank(above: float, below: float, lines: list[PageLine]) -> bool:
    """Whether a stretch without text lies between two rules, wider than any row is high."""
    tops = sorted([above, below, *(line.top for line in lines if above < line.top < below)])
    return any(second - first > _TALLEST for first, second in pairwise(tops))


def _run_on(area: Area, words: list[PageWord]) -> Area:
    """A table whose last rule is that below its header: it ends where lines no longer have several cells."""
    bottom = end = area.rules[-1]
    inside = [word for word in words if area.left - _SAME <= word.x0 and word.x1 <= area.right + _SAME]
    for line in _lines([word for word in inside if word.top > bottom - 1]):
        several = len(line.pieces()) > 1
        if line.top - bottom > 1.5 * (line.bottom - line.top) or (bottom > end and not several):
            break
        bottom = line.bottom
        end = bottom if several else end
    return replace(area, rules=[*area.rules, end + 1])


def _within(words: list[PageWord], area: Area) -> list[PageWord]:
    low, high = area.rules[0], area.rules[-1]
    return [
        word
        for word in words
        if low - 1 < (word.top + word.bottom) / 2 < high + 1
        and area.left - _SAME <= word.x0
        and word.x1 <= area.right + _SAME
    ]


def _table(
    area: Area, held: list[PageLine], lines: list[PageLine], captioned: int, source: str, rules: list[Rule]
) -> ExtractedTable | None:
    if len(held) < 2:
        return None
    edges = _gaps(area, held)
    if len(edges) < 3:
        return None
    ruled: list[ExtractedRow] = []
    above = area.rules[0]
    for line, following in zip(held, [*held[1:], None], strict=True):
        rule = next((top for top in area.rules[1:] if above <= top <= line.top + 2), None)
        above = line.bottom
        number = next((one.number for one in lines if line.words[0] in one.words), 1)
        below = following.top if following is not None else line.bottom
        bars = [
            (left, right)
            for left, right, top in rules
            if line.bottom - _SAME < top < below + _SAME and area.left - _SAME <= left and right <= area.right + _SAME
        ]
        cells = _cells(line, edges, source, number, bars)
        ruled.append(ExtractedRow(cells, number, rule="hline" if rule else None))
    rows = with_headers(ruled, closed=True)
    if not any(cell is not None and cell.numeric for row in rows for cell in row.cells):
        return None
    label, caption = _caption_text(area, lines, captioned) if captioned >= 0 else (None, "")
    return ExtractedTable(label, caption, source, rows[0].line, len(edges) - 1, tuple(rows))


def _goes_on(before: ExtractedTable, table: ExtractedTable, source: str) -> bool:
    """Whether a table continues the last one of the page before: it says so, or only repeats the header."""
    heads = [
        [[cell.text for cell in row.cells if cell is not None] for row in either.rows if row.header]
        for either in (before, table)
    ]
    rows = before.rows[-1].cells
    last = next((cell.source for cell in rows if cell is not None), before.source)
    follows = _page_number(last) == _page_number(source) - 1 and before.columns == table.columns
    named = table.label == before.label and _CONTINUED.search(table.caption) is not None
    return follows and (named or (table.label is None and heads[0] == heads[1] and bool(heads[0])))


def _page_number(source: str) -> int:
    return int(source.rpartition("=")[2])


def _gaps(area: Area, held: list[PageLine]) -> list[float]:
    """The edges of the columns: places that nearly all rows leave free, each where most of them do."""
    body = [line for line in held if len(line.pieces()) > 1] or held
    marks = sorted(
        {area.left - _SAME, area.right + _SAME}
        | {edge for line in body for piece in line.pieces() for edge in (piece[0].x0, piece[-1].x1)}
    )
    gaps: list[list[tuple[int, float, float]]] = [[]]
    for left, right in pairwise(marks):
        middle = (left + right) / 2
        covering = sum(any(p[0].x0 < middle < p[-1].x1 for p in line.pieces()) for line in body)
        if covering * 8 > len(body):
            gaps.append([])
        elif gaps[-1] and gaps[-1][-1][0] == covering:
            gaps[-1][-1] = (covering, gaps[-1][-1][1], right)
        else:
            gaps[-1].append((covering, left, right))
    inner = [gap for gap in gaps if gap and gap[0][1] > marks[0] and gap[-1][2] < marks[-1]]
    freest = [
        min(gap, key=lambda place: (place[0], place[1] - place[2])) for gap in inner if gap[-1][2] - gap[0][1] > 1.5
    ]
    return [marks[0], *((left + right) / 2 for _covering, left, right in freest), marks[-1]]


def _cells(
    line: PageLine, edges: list[float], source: str, number: int, bars: list[tuple[int, int]]
) -> tuple[ExtractedCell | None, ...]:
    """The cells of a line; `bars` are the rules directly below it, each with what stands above all its columns."""
    columns = len(edges) - 1
    found: dict[int, tuple[int, list[PageWord]]] = {}
    for piece in line.pieces():
        first = max(0, sum(edge <= piece[0].x0 + 1 for edge in edges) - 1)
        last = max(first, sum(edge < piece[-1].x1 - 1 for edge in edges) - 1)
        for left, right in bars:
            inside = [word for word in line.words if left - _SAME < word.x0 and word.x1 < right + _SAME]
            if inside == piece and not looks_numeric(piece[0].text):
                under = [at for at, ends in enumerate(pairwise(edges)) if left < sum(ends) / 2 < right]
                first, last = min(under, default=first), max(under, default=last)
        taken = next((at for at, (span, _words) in found.items() if at <= first < at + span), None)
        if taken is not None:
            span, words = found[taken]
            found[taken] = (max(span, last - taken + 1), words + piece)
        else:
            found[first] = (last - first + 1, piece)
    cells: list[ExtractedCell | None] = []
    while len(cells) < columns:
        span, words = found.get(len(cells), (1, []))
        span = min(span, columns - len(cells))
        marks = [
            Mark(character, bold)
            for word in words
            for character, bold in zip(f"{word.text} ", (*word.bold, word.bold[-1]), strict=True)
        ]
        cells += [marked_cell(marks, source, number, span), *[None] * (span - 1)]
    return tuple(cells)


def _caption(area: Area, lines: list[PageLine]) -> tuple[float, int]:
    """How far the nearest caption stands above or below a table, and which line it is."""
    top, bottom = area.rules[0], area.rules[-1]
    near = [
        (min(abs(line.bottom - top), abs(line.top - bottom)), at)
        for at, line in enumerate(lines)
        if _CAPTION.match(line.text)
        and line.words[0].x0 < area.right
        and line.words[-1].x1 > area.left
        and not top < line.top < bottom
    ]
    return min(near, default=(_FARTHEST, 0))


def _caption_text(area: Area, lines: list[PageLine], at: int) -> tuple[str | None, str]:
    taken = [lines[at]]
    for line in lines[at + 1 : at + 12]:
        height = line.bottom - line.top
        if line.top - taken[-1].bottom > 0.6 * height or area.rules[0] - 2 < line.top < area.rules[-1]:
            break
        taken.append(line)
    text = " ".join(line.text for line in taken)
    match = _CAPTION.match(text)
    return (f"Table {match['number']}" if match is not None else None), text
