"""Copies: a sentence that names one row and one column of one table, and prints one number of the cell's kind.

Anything that needs more reading than that is for a reader's claims. A number that misses the cell by more than a slip
of the pen mostly speaks of something else, and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from sealtrace.paper.fact import Fact
from sealtrace.paper.names.index import WORDS
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.naming import COLUMN, ROW, Index, Span, index_of
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.wording import is_slip, same
from sealtrace.relations.search import search
from sealtrace.relations.work import Work, time_is_up

FAMILY = "quote"
LEAST_DIGITS = 3
"""Of a number that is compared: two digits are too easily a slip away from others."""


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every copy that names its row and its column."""
    index = index_of(paper)
    for sentence in paper.sentences:
        if time_is_up():
            return
        if not sentence.caption:
            yield from _copies(sentence, paper, index)


def _copies(sentence: Sentence, paper: AuditedPaper, index: Index) -> Iterator[Claim]:
    referred = {place for place, one in enumerate(paper.sheets) if one.label.split("#")[0] in sentence.references}
    names = [name for name in index.of(sentence) if name.strength >= WORDS and name.sheet in (referred or {name.sheet})]
    spans = [(name.start, name.end) for name in names]
    numbers = [
        number
        for number in sentence.amounts
        if not number.loose and not any(a <= number.start and number.end - 1 <= b for a, b in spans)
    ]
    sheets = {name.sheet for name in names}
    if len(numbers) != 1 or len(numbers[0].digits) < LEAST_DIGITS or len(sheets) != 1:
        return
    (number,), (sheet,) = numbers, (paper.sheets[place] for place in sheets)
    rows, columns = ({name.place for name in names if name.axis == axis} for axis in (ROW, COLUMN))
    if any(name.parts > 1 for name in names) or len(rows) != 1 or len(columns) != 1:
        return
    cell = sheet.number(*rows, *columns)
    if cell is not None and _says_so(sentence.text, spans, number) and (scale := _scale(number, cell)):
        yield from _claim(sentence, number, cell, scale)


_COPULA = re.compile(r"\s*(?:is|was|of|at|=|:|reaches|has)?\s*[(=]?\s*")
_BETWEEN = re.compile(r"(?!.*\b(?:mean|average|median)\b)[^\d,;:.()A-Z]*")
_MOST_WORDS = 4


def _says_so(text: str, spans: list[Span], number: TextNumber) -> bool:
    """Whether the two names stand before the number, a few words between them, and no more than `is` before it."""
    if len(spans) != 2:
        return False
    (_start, middle), (start, end) = sorted(spans)
    between = text[middle:start]
    few = _BETWEEN.fullmatch(between) is not None and len(between.split()) <= _MOST_WORDS
    return few and end <= number.start and _COPULA.fullmatch(text[end : number.start]) is not None


def _scale(number: TextNumber, cell: Fact) -> int:
    """By what the cell is multiplied to read as the text does; nothing where it is of another kind."""
    scale = 100 if number.unit == "%" and "%" not in cell.text and abs(cell.value) <= 1 else 1
    alike = number.unit in ("", "%") and (number.text[:1] in "+-−") == (cell.text[:1] in "+-−")
    return scale if alike and number.fact.unit >= cell.unit * scale else 0


def _claim(sentence: Sentence, number: TextNumber, cell: Fact, scale: int) -> Iterator[Claim]:
    formula = same(number.fact, cell, scale)
    value = round(Fraction(cell.value) * scale / number.fact.unit) * number.fact.unit
    if search(formula, Work(20_000)).status == "impossible" and not is_slip(number.fact.value, value, number.fact.unit):
        return
    yield Claim(
        f"{FAMILY} {number.id}",
        formula,
        f"{number.text} in the text is {cell.text} of {cell.address}.",
        f"“{sentence.short}” ({sentence.place(number.start)})",
        ("The sentence speaks of that cell.",),
        question=f"Is it {number.text}, as the text says, or {cell.text}, as the table prints?",
        family=FAMILY,
        evidence="the sentence names one row and one column, and has one number",
    )
