"""Numbers of the running text that a bundle seals, found again in a paper by the words around them.

The words decide where a number stands, never its digits: otherwise a changed number would not be found, and another one
with the same digits would.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sealtrace.paper.model import Cell, Paper, Row, Table
from sealtrace.paper.sentences import NUMBER, Sentence, TextNumber, with_signs

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class QuotedNumber:
    """A sealed number of the text, and what the paper prints in its place."""

    row: Row
    sealed: Cell
    printed: tuple[TextNumber, ...] = ()
    """What stands in its place; nothing where the words are not found."""
    sentence: Sentence | None = None
    problem: str = ""
    """Why it cannot be compared, or what was done so that it can be."""
    reworded: bool = False
    """Whether its sentence has other words now."""

    @property
    def text(self) -> str:
        """What the paper prints."""
        if self.sentence is None:
            return ""
        return self.sentence.text[self.printed[0].start : self.printed[-1].end]

    @property
    def line(self) -> int | None:
        """The line that prints it."""
        return self.printed[0].line if self.printed else None

    @property
    def agrees(self) -> bool:
        """Whether the paper prints the same digits: the same value, rounded in the same place."""
        return _said(_numbers(_sentence(self.sealed.text))) == _said(self.printed)


def _sentence(text: str) -> Sentence:
    return Sentence("", text, "", 0, 0)


def _numbers(sentence: Sentence) -> tuple[TextNumber, ...]:
    return tuple(number for number in sentence.numbers if number.kind != "word")


def _said(numbers: Sequence[TextNumber]) -> list[tuple[Fraction, int]]:
    # Units are words around it, which the quotation has; and a count is one with or without its whole.
    return [(number.number.value, number.decimals) for number in numbers]


def quoted_numbers(table: Table, papers: Iterable[Paper], *, follow: bool = False) -> Iterator[QuotedNumber]:
    """Each number of a sealed table of the text, beside what the papers print where its quotation stands.

    Whoever edits the paper may `follow` a sentence that keeps the number and most of its words.
    """
    sentences = [(sentence, _masked(sentence)) for paper in papers for sentence in paper.sentences]
    for row in table.rows:
        for cell in row.cells:
            if wanted := _said(_numbers(_sentence(cell.text))):
                find = _by_words if row.quotation else _by_line
                one = find(row, cell, wanted, sentences)
                yield (_reworded(one, wanted, sentences) or one) if follow and one.problem else one


def _masked(sentence: Sentence) -> str:
    """The words, with one sign for each number and one space between them."""
    return _SPACE.sub(" ", with_signs(sentence.text, _numbers(sentence), lambda _number: NUMBER)[0]).strip()


def _by_words(
    row: Row, cell: Cell, wanted: list[tuple[Fraction, int]], sentences: list[tuple[Sentence, str]]
) -> QuotedNumber:
    quotation = _sentence(row.quotation or "")
    inside, size = _said(_numbers(quotation)), len(wanted)
    places = [at for at in range(len(inside) - size + 1) if inside[at : at + size] == wanted]
    if len(places) != 1:
        problem = "stands in it more than once: quote fewer words" if places else "does not stand in it"
        return QuotedNumber(row, cell, problem=f"the quotation is no use: {cell.text} {problem}")
    words = _masked(quotation)
    found = []
    for sentence, masked in sentences:
        for begin in _occurrences(words, masked):
            first = masked.count(NUMBER, 0, begin) + places[0]
            found.append(QuotedNumber(row, cell, _numbers(sentence)[first : first + size], sentence))
    if not found:
        return QuotedNumber(
            row, cell, problem="its sentence no longer stands in the paper: write the new one as `quotation` of its row"
        )
    # Where a sentence stands twice (abstract and conclusion), each row has the nearest one.
    return min(found, key=lambda one: abs((one.line or 0) - (row.line or 0)))


def _reworded(
    lost: QuotedNumber, wanted: list[tuple[Fraction, int]], sentences: list[tuple[Sentence, str]]
) -> QuotedNumber | None:
    """The one sentence with the number, once, that shares most of the quotation's words."""
    words = set(_masked(_sentence(lost.row.quotation or "")).split())
    found = []
    for sentence, masked in sentences:
        numbers, size = _numbers(sentence), len(wanted)
        places = [at for at in range(len(numbers) - size + 1) if _said(numbers[at : at + size]) == wanted]
        if len(places) == 1 and len(words & (now := set(masked.split()))) > max(len(words), len(now)) / 2:
            printed = numbers[places[0] : places[0] + size]
            told = "its sentence has other words now; the recipe is kept: see whether it still is what they say"
            found.append(QuotedNumber(lost.row, lost.sealed, printed, sentence, told, reworded=True))
    return found[0] if len(found) == 1 else None


def _occurrences(words: str, text: str) -> Iterator[int]:
    begin = text.find(words)
    while begin >= 0:
        yield begin
        begin = text.find(words, begin + 1)


def _by_line(
    row: Row, cell: Cell, wanted: list[tuple[Fraction, int]], sentences: list[tuple[Sentence, str]]
) -> QuotedNumber:
    """Without a quotation the line decides, and a text that has moved cannot be compared."""
    for sentence, _words in sentences:
        here = [number for number in _numbers(sentence) if number.line == row.line]
        for start in range(len(here) - len(wanted) + 1):
            numbers = tuple(here[start : start + len(wanted)])
            if _said(numbers) == wanted:
                return QuotedNumber(row, cell, numbers, sentence)
    return QuotedNumber(row, cell, problem=f"it does not stand on line {row.line}, and no words around it are sealed")


def with_found(table: Table, numbers: Iterable[QuotedNumber]) -> Table:
    """The table with what was found in the place of each number, in the sentence that it stands in now."""
    found = {id(one.sealed): one for one in numbers if one.printed}
    rows = []
    for row in table.rows:
        cells = tuple(
            replace(cell, text=one.text) if (one := found.get(id(cell))) and not one.agrees else cell
            for cell in row.cells
        )
        lines = [one.line for cell in row.cells if (one := found.get(id(cell)))]
        now = [
            one.sentence.text for cell in row.cells if (one := found.get(id(cell))) and one.reworded and one.sentence
        ]
        quotation = now[0] if now else row.quotation
        rows.append(replace(row, cells=cells, line=lines[0] if lines else row.line, quotation=quotation))
    return replace(table, rows=tuple(rows))
