"""Numbers of the running text: each is looked for in the tables that are explained, then in the results.

A sentence names what it speaks of. A number binds where a cell or a record prints the same, and its names are said in
the sentence or its paragraph well enough that chance would not find another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sealtrace.binding.choosing import Tally
from sealtrace.binding.hypotheses import FrameView
from sealtrace.binding.names import words
from sealtrace.binding.series import Grid, PrintedCell, Slot, Spot, slots_of
from sealtrace.binding.tables import Bound, Progress
from sealtrace.contract.checked import CheckStatus
from sealtrace.printed.extracted import ProseLine

_NUMBER = re.compile(
    r"(?<![\w.,/^_-])(?P<sign>[+\-−]?)(?P<digits>\d{1,3}(?:[,\u2009]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?P<tail>\s?%|[kKM](?!\w))?(?![\w^]|\.\d|-\w)"
)
_NAMING = re.compile(
    r"(?:table|tables|tab\.?|fig\.?|figs\.?|figure|figures|section|sections|sec\.?|eq\.?|equation|appendix|algorithm|"
    r"step|chapter|theorem|lemma|ref\.?|axis|seed|seeds|version|page|pages|pp\.|vol\.|no\.|art\.|python|layer|stage|"
    r"phase|experiment|in)\s*\(?$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z(])")


@dataclass
class BoundText:
    """One number of the text, and what became of it."""

    slot: Slot
    sentence: str
    source: str
    line: int
    status: CheckStatus = "unexplained"
    by: str | None = None
    expected: str | None = None
    bits: float | None = None
    message: str | None = None


@dataclass
class _Mention:
    slot: Slot
    sentence: str
    before: str
    words: frozenset[str]
    near: frozenset[str]
    line: ProseLine


def bind_text(
    prose: list[ProseLine],
    grids: list[Grid],
    bound: Bound,
    views: list[FrameView],
    tally: Tally,
    deadline: float,
    progress: Progress | None = None,
) -> tuple[list[BoundText], int]:
    """Every number of the text that could be a result, and how many only name something."""
    mentions, set_aside = _mentions(prose, grids)
    cells = [(grid, cell) for grid in grids for cell in grid.cells.values() if not cell.wordy]
    found = []
    for done, mention in enumerate(mentions):
        if progress is not None:
            progress("binding the text", done, len(mentions))
        one = BoundText(mention.slot, mention.sentence, mention.line.source, mention.line.line)
        _by_cell(one, mention, cells, bound)
        found.append(one)
    return found, set_aside


def _mentions(prose: list[ProseLine], grids: list[Grid]) -> tuple[list[_Mention], int]:
    paragraphs: dict[int, list[str]] = {}
    for line in prose:
        paragraphs.setdefault(line.paragraph, []).append(line.text)
    found = []
    aside = 0
    for line in prose:
        near = frozenset(words(" ".join(paragraphs[line.paragraph])))
        for sentence in _SENTENCE.split(line.text):
            told = frozenset(words(sentence))
            for match in _NUMBER.finditer(sentence):
                slots = slots_of(match.group(0).strip())
                if len(slots) != 1:
                    continue
                if _only_names(match, sentence):
                    aside += 1
                    continue
                before = sentence[: match.start()]
                found.append(_Mention(slots[0], _around(sentence, match), before, told, near, line))
    return found, aside


def _around(sentence: str, match: re.Match[str]) -> str:
    start, end = max(0, match.start() - 60), min(len(sentence), match.end() + 40)
    return ("…" if start else "") + sentence[start:end].strip() + ("…" if end < len(sentence) else "")


def _only_names(match: re.Match[str], sentence: str) -> bool:
    """Whether a number names something: a year, a reference, a table, a small count."""
    digits = match.group("digits")
    before, after = sentence[: match.start()], sentence[match.end() :]
    if before.endswith("[") or (after.startswith("]") and "[" in before[-6:] and "." not in digits):
        return True
    if _NAMING.search(before.rstrip()):
        return "." not in digits or not digits.startswith("0")
    if "." in digits or match.group("tail") or "," in digits:
        return False
    return int(digits) < 20 or 1900 <= int(digits) <= 2035


def _by_cell(one: BoundText, mention: _Mention, cells: list[tuple[Grid, PrintedCell]], bound: Bound) -> None:
    """A cell that prints the same number and whose labels the sentence or its paragraph says."""
    best: tuple[float, Grid, PrintedCell, int] | None = None
    for grid, cell in cells:
        for place, slot in enumerate(cell.slots):
            if not _same(slot, mention.slot):
                continue
            score = _said(grid, cell, mention)
            if best is None or score > best[0]:
                best = (score, grid, cell, place)
    digits = len(mention.slot.text.lstrip("+-−0.").replace(".", "").replace(",", ""))
    if best is None or best[0] < (0.5 if digits >= 3 else 0.75):
        return
    score, grid, cell, place = best
    number = bound.numbers.get(Spot(grid.number, cell.row, cell.column, place))
    if number is None:
        return
    one.by = f"{grid.name}, row {grid.row_name(cell.row)}, {grid.headers[cell.column]}"
    one.bits = number.binding.score
    one.status = "explained" if number.agrees else "unexplained"


def _same(cell: Slot, text: Slot) -> bool:
    """Whether a cell's number and a sentence's are one: as printed, rounded further, or in percent."""
    value, unit = cell.value, cell.unit
    if text.percent and not cell.percent:
        value, unit = value * 100, unit * 100
    if unit > text.unit:
        return False
    if abs(abs(value) - abs(text.value)) > (text.unit / 2 if unit < text.unit else 0):
        return False
    return value * text.value >= 0 or text.text[0] not in "+-−"


def _said(grid: Grid, cell: PrintedCell, mention: _Mention) -> float:
    """Share of a cell's labels that the sentence says, half of it where only the paragraph does."""
    labels = [*grid.row_labels[cell.row], grid.headers[cell.column]]
    total = 0.0
    for label in labels:
        told = words(label)
        if told:
            here = sum(word in mention.words for word in told) / len(told)
            near = sum(word in mention.near for word in told) / len(told)
            total += max(here, 0.8 * near)
    return total / max(1, len(labels))
