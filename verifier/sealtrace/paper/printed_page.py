"""A table record beside the page that prints it: numbers exactly, in order and in their columns, and labels.

What stands on the page is compared both ways. The page has lines and places, no cells, so nothing is taken from a guess
where columns begin: lines are matched with rows by their numbers, and the places of what was matched must agree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from statistics import median

from sealtrace.paper.extracted import REFERENCE, THIN_SPACE
from sealtrace.paper.model import Table
from sealtrace.paper.numbers import looks_numeric
from sealtrace.paper.pdf import Located, PageLine, PageWord

_NUMBER = re.compile(
    r"(?:(?<![0-9A-Za-z.,)\]])[-+])?(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)*|\.\d+)(?:\s?%)?"
)
_SPACED_SIGN = re.compile(r"(?<=[-+]) (?=[.\d])")
_COMMA = re.compile(r"(?<=\d),(?=\d)")
_SIGNS = str.maketrans(
    {"·": ".", "⋅": ".", "−": "-", "–": "-", "‐": "-", "‑": "-", "^": None, "_": None, THIN_SPACE: None}
)
_THIN = 0.25
"""Of the height of a character: a space that parts thousands, and no words."""
_ALIKE = 0.75
"""How much of a caption must be the same letters; references and formulas read differently."""
_MOST_UNLIKE = 0.4
"""Share of its numbers that a table may lack on a page and still be the one that the caption names."""
_BRACKETED = re.compile(r".*\[[\d\s,;–-]*$")
_YEAR = re.compile(r"(?:19|20)\d\d$")
_UNNAMED = re.compile(r"column \d+")
"""What a column without a heading is called."""
_LETTERS = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Difference:
    """Where the page is not what the record says."""

    pointer: str
    message: str
    expected: str
    found: str


@dataclass(frozen=True)
class ComparedTable:
    """What became of one table."""

    differences: tuple[Difference, ...] = ()
    doubt: str | None = None
    """Why the page does not settle what the table prints; None where it does."""


@dataclass(frozen=True)
class _Token:
    """A number on the page, with its place."""

    text: str
    x0: float
    x1: float
    line: int
    cited: bool = False
    """Whether it looks like that of a citation: in square brackets, or a year."""
    beside: str = ""
    """Letters that it is set together with, and a sign of comparison before it."""


@dataclass(frozen=True)
class _Due:
    """A number of the record."""

    text: str
    row: int
    column: int


def matching(table: Table, located: list[Located]) -> list[Located]:
    """The places whose caption is that of the table. A table that is continued has several."""
    due = _letters(_without_number(table.caption))
    scored = [(_alike(due, _letters(_without_number(one.caption))), one) for one in located]
    best = max((score for score, _ in scored), default=0.0)
    return [one for score, one in scored if score >= max(_ALIKE, best - 0.02)]


def compare(table: Table, place: Located) -> ComparedTable:
    """A record beside the place that prints it."""
    if (hidden := _hidden(place, _signs(table))) is not None:
        return ComparedTable(doubt=hidden)
    body = [(row, column, cell.text) for row, given in enumerate(table.rows) for column, cell in enumerate(given.cells)]
    due = [_Due(text, row, column) for row, column, cell in body for text in _numbers(cell)]
    points = any("." in one.text for one in due)
    commas = points and not any(re.search(r"\d\.\d", _plain(line.text)) for line in place.lines)
    found = [token for at, line in enumerate(place.lines) for token in _tokens(line, at, commas)]
    if not any(REFERENCE in cell for _, _, cell in body):
        found = [replace(token, cited=False) for token in found]
    matcher = SequenceMatcher(None, [one.text for one in due], [one.text for one in found], autojunk=False)
    pairs = [
        (due[block.a + at], found[block.b + at]) for block in matcher.get_matching_blocks() for at in range(block.size)
    ]
    lacking = [one for one in due if all(one is not pair[0] for pair in pairs)]
    extra = [one for one in found if all(one is not pair[1] for pair in pairs)]
    first = min((token.line for _, token in pairs), default=len(place.lines))
    head = [text for column in table.columns for text in _numbers(column.printed or column.label)]
    for token in [token for token in extra if token.line < first]:
        if token.text in head:
            extra.remove(token)  # a heading over several columns is printed once, and stands in the label of each
    for token in [token for token in extra if token.cited]:
        extra.remove(token)  # what a citation prints: the record has a sign for it
    for one in list(lacking):
        # A cell over several rows is set in the middle of them.
        same = next((token for token in extra if token.text == one.text), None)
        if same is not None and _below_is_empty(table, one.row, one.column):
            lacking.remove(one)
            extra.remove(same)
    for one in list(lacking):
        # Whether a dash in a text is a sign, nobody can tell who sees no cells.
        same = next((token for token in extra if token.text.lstrip("-+") == one.text.lstrip("-+")), None)
        if same is not None and not looks_numeric(table.rows[one.row].cells[one.column].text):
            lacking.remove(one)
            extra.remove(same)
    if len(lacking) > _MOST_UNLIKE * len(due) and len(lacking) > 1:
        return ComparedTable(doubt="its rows cannot be matched with lines of the page")
    moved = {one.text for one in lacking} & {one.text for one in extra}
    if moved:
        return ComparedTable(doubt=f"{', '.join(sorted(moved)[:3])} stands in another place of the table")
    labels = list(_other_labels(table, place, pairs))
    # Letters of a font without names are seen, and not known: they are no other label.
    wrong = [one for one in labels if one.pointer.endswith("/cells/0") and "\ufffd" not in one.expected]
    differences = [*_changed(lacking, extra), *wrong]
    if not differences and labels:
        return ComparedTable(doubt=f"{labels[0].found} is not found on its line")
    if not differences and (heading := _other_heading(table, place, pairs, first)) is not None:
        return ComparedTable(doubt=heading)
    if not differences and (astray := _astray(table, pairs)) is not None:
        return ComparedTable(doubt=astray)
    if not differences and (more := _said_besides(table, place, pairs)) is not None:
        return ComparedTable(doubt=f"the page prints {more}, which the record does not")
    return ComparedTable(tuple(differences))


def _changed(lacking: list[_Due], extra: list[_Token]) -> Iterator[Difference]:
    left = list(extra)
    for one in lacking:
        other = left.pop(0).text if left else "nothing"
        message = "The sealed PDF prints another number. Correct the record, or seal the right PDF."
        yield Difference(f"/rows/{one.row}/cells/{one.column}", message, other, one.text)
    if left:
        printed = ", ".join(token.text for token in left[:5])
        message = "The sealed PDF prints numbers in this table that the record does not have."
        yield Difference("/rows", message, printed, "no such number")


def _astray(table: Table, pairs: list[tuple[_Due, _Token]]) -> str | None:
    """A number that does not stand in the column, or on the line, of the others that the record has there."""
    single = [(due, token) for due, token in pairs if len(_numbers(table.rows[due.row].cells[due.column].text)) == 1]
    columns: dict[int, list[_Token]] = {}
    rows: dict[int, list[_Token]] = {}
    for due, token in single:
        columns.setdefault(due.column, []).append(token)
        rows.setdefault(due.row, []).append(token)
    ordered = sorted(columns.items())
    for (_, left), (column, right) in pairwise(ordered):
        if max((one.x0 + one.x1) / 2 for one in left) > min((one.x0 + one.x1) / 2 for one in right):
            return f"numbers of the column {table.columns[column].label} stand in another column"
    for row, tokens in rows.items():
        middle = median(token.line for token in tokens)
        if any(abs(token.line - middle) > 1 for token in tokens):
            return f"numbers of the row {table.rows[row].label} stand on other lines"
    return None


def _other_labels(table: Table, place: Located, pairs: list[tuple[_Due, _Token]]) -> Iterator[Difference]:
    """Labels that the page does not print beside their numbers."""
    lines_of: dict[int, list[int]] = {}
    for due, token in pairs:
        lines_of.setdefault(due.row, []).append(token.line)
    numbered = sorted(lines_of)
    last = len(place.lines)
    for at, row in enumerate(numbered):
        # A label may be broken over lines, or stand in the middle of several rows.
        above = max(lines_of[numbered[at - 1]]) + 1 if at else 0
        below = min(lines_of[numbered[at + 1]]) if at + 1 < len(numbered) else last
        for column, cell in enumerate(table.rows[row].cells):
            if _numbers(cell.text) and column:
                continue
            start, end = above, below
            if _below_is_empty(table, row, column):
                start, end = 0, last
            printed = _letters(" ".join(line.text for line in place.lines[min(start, *lines_of[row]) : end]))
            for piece in cell.text.split(REFERENCE):
                if not all(
                    _broken(_letters(word), printed) for word in piece.replace("-", " ").split() if word.isascii()
                ):
                    message = "The sealed PDF prints another label there."
                    shown = " ".join(place.lines[min(lines_of[row])].text.split())[:100]
                    yield Difference(f"/rows/{row}/cells/{column}", message, shown, cell.text)


def _other_heading(table: Table, place: Located, pairs: list[tuple[_Due, _Token]], first: int) -> str | None:
    """A heading that the page does not print above the numbers, or prints above those of another column."""
    above = place.lines[: max(first, 1)]
    printed = _letters(" ".join(line.text for line in above))
    middles: dict[str, list[float]] = {}
    for line in above:
        for word in line.words:
            middles.setdefault(_letters(word.text), []).append((word.x0 + word.x1) / 2)
    spans: dict[int, tuple[float, float]] = {}
    for due, token in pairs:
        left, right = spans.get(due.column, (token.x0, token.x1))
        spans[due.column] = min(left, token.x0), max(right, token.x1)
    for column, (left, right) in spans.items():
        words = _words(table, column)
        if not all(_broken(word, printed) for word in words):
            return f"the heading {table.columns[column].label} is not found above its column"
        if len(words) == 1 and len(middles.get(words[0], [])) == 1 and not left <= middles[words[0]][0] <= right:
            others = [span for other, span in spans.items() if words[0] not in _words(table, other)]
            if any(first <= middles[words[0]][0] <= last for first, last in others):
                return f"the heading {table.columns[column].label} stands above another column"
    return None


def _said_besides(table: Table, place: Located, pairs: list[tuple[_Due, _Token]]) -> str | None:
    """What the page prints with the numbers, in its lines, above them or in its caption, and the record does not."""
    cells = [cell.text for row in table.rows for cell in row.cells]
    if any(REFERENCE in text for text in (*cells, table.caption, *table.headers)):
        return None  # what a reference prints, no record says
    for due, token in pairs:
        cell = _plain(table.rows[due.row].cells[due.column].text)
        if token.beside and not all(sign in cell for sign in token.beside):
            return f"{token.beside} beside {token.text}"
    known = _letters(" ".join([*cells, *(text for one in table.columns for text in (one.label, one.printed or ""))]))
    lines = [line.text for line in place.lines[: max((token.line for _, token in pairs), default=-1) + 1]]
    for text, said in ((" ".join(lines), known), (_without_number(place.caption), _letters(table.caption))):
        words = (_letters(word) for word in re.findall(r"[^\W\d_]{3,}", _plain(text)))
        if (word := next((one for one in words if one and one not in said), None)) is not None:
            return repr(word)
    return None


def _words(table: Table, column: int) -> list[str]:
    """The plain words of a column's heading."""
    told = table.columns[column].printed or table.columns[column].label
    if _UNNAMED.fullmatch(told):
        return []
    return [_letters(word) for word in re.findall(r"[A-Za-z]{3,}", told.replace("-", " "))]


def _broken(word: str, printed: str) -> bool:
    """Whether a word is printed, whole or in two parts."""
    return word in printed or any(word[:at] in printed and word[at:] in printed for at in range(2, len(word) - 1))


def _below_is_empty(table: Table, row: int, column: int) -> bool:
    return row + 1 < len(table.rows) and not table.rows[row + 1].cells[column].text.strip()


def _signs(table: Table) -> int:
    """Characters of a record that fonts often have without a name: neither letters nor digits of ASCII."""
    texts = [column.label for column in table.columns] + [cell.text for row in table.rows for cell in row.cells]
    return sum(not character.isalnum() or not character.isascii() for text in texts for character in text)


def _hidden(place: Located, signs: int) -> str | None:
    """What on the page lets a table be seen otherwise than its text layer has it."""
    area, page = place.area, place.page
    box = area.left - 3, area.rules[0] - 3, area.right + 3, area.rules[-1] + 3
    doubts = [doubt for doubt in page.doubts if _touches(box, (doubt.x0, doubt.top, doubt.x1, doubt.bottom))]
    if sum(doubt.text == "\ufffd" for doubt in doubts) <= signs:
        doubts = [doubt for doubt in doubts if doubt.text != "\ufffd"]
    for doubt in doubts:
        return f"{doubt.text!r} in it is {doubt.why}"
    if any(_touches(box, drawn) for drawn in page.drawn):
        return "a picture or a drawing lies in it"
    return None


def _touches(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _numbers(text: str) -> list[str]:
    return ["".join(found.split()) for found in _NUMBER.findall(_SPACED_SIGN.sub("", _plain(text)))]


def _plain(text: str) -> str:
    text = text.replace(REFERENCE, " ").translate(_SIGNS)
    return unicodedata.normalize("NFKC", text).translate(_SIGNS)


def _tokens(line: PageLine, at: int, commas: bool) -> Iterator[_Token]:
    """The numbers of a line from left to right; `commas` are decimal points where the record has points."""
    text, places = "", []
    before: PageWord | None = None
    for word in line.words:
        gap = (word.x0 - before.x1) / max(1.0, word.bottom - word.top) if before is not None else 1.0
        digits = before is not None and before.text[-1:].isdecimal() and word.text[:1].isdecimal()
        tight = gap < (_THIN if digits else 2 * _THIN if text.endswith(("-", "+")) else 0.0)
        plain = ("" if tight else " ") + _plain(word.text)
        plain = _COMMA.sub(".", plain) if commas else plain
        text += plain
        places += [word] * len(plain)
        before = word
    for found in _NUMBER.finditer(text):
        words = places[found.start() : found.end()]
        number = "".join(found[0].split())
        cited = bool(_BRACKETED.match(text[: found.start()]) and "]" in text[found.end() :]) or bool(
            _YEAR.match(number)
        )
        # Before a number are its sign of comparison and whatever is set with it, behind it the latter.
        around = (
            re.search(r"[<>≤≥≈∼~]?\s?[^\W\d_]*$", text[: found.start()]),
            re.match(r"[^\W\d_]*", text[found.end() :]),
        )
        beside = "".join("".join(one[0].split()) for one in around if one)
        yield _Token(number, words[0].x0, words[-1].x1, at, cited, beside)


def _letters(text: str) -> str:
    """Letters alone: how they are joined, broken, raised or accented tells no two labels apart."""
    plain = unicodedata.normalize("NFKD", text.replace(REFERENCE, " ")).casefold()
    return "".join(_LETTERS.findall(plain))


def _without_number(caption: str) -> str:
    return re.sub(r"^(?:Table|TABLE|Tab\.)\s+[\w.]+\s*[:.|–—]?", "", caption)


def _alike(one: str, other: str) -> float:
    if not one or not other:
        return float(one == other)
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    # The page's caption may be cut short by a formula that is higher than its line.
    same = sum(block.size for block in matcher.get_matching_blocks() if block.size > 2)
    shorter = min(len(one), len(other))
    return same / (shorter if 2 * shorter >= len(one) or shorter > 15 else len(one))
