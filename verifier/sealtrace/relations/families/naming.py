"""Which rows and columns of which tables a sentence names: the labels of a paper, asked of its index of names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sealtrace.paper.names.index import APART, Group, Names, Thing
from sealtrace.paper.names.words import stems
from sealtrace.paper.sentences import Sentence
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.wording import SUMMARY, plain

Span = tuple[int, int]
_Part = tuple[int, int, int, int]
"""A table, an axis, a line of it, and a part of its label."""
ROW, COLUMN = 0, 1
_STATISTIC = re.compile(r"\(?(?:s\.?e\.?|std\.? err\w*\.?|standard errors?|p(?:[ -]?values?)?|[ntzf]|obs\w*\.?|ci)\)?")
"""Rows that are named like what any sentence gives with an estimate."""
MOST_NUMBERED = 60
"""Rows of a table of which text picks one by its number."""


@dataclass(frozen=True)
class Name:
    """A row or a column, where a sentence calls it."""

    sheet: int
    axis: int
    place: int
    start: int
    end: int
    strength: float
    part: int = 0
    parts: int = 1
    """Which part of its label is called, of how many that have to be called: a block and a row in it."""

    @property
    def line(self) -> tuple[int, int, int]:
        """What is called."""
        return self.sheet, self.axis, self.place


@lru_cache(maxsize=2)
def index_of(paper: AuditedPaper) -> Index:
    """The index of a paper, made once."""
    return Index(paper)


class Index:
    """The labels of every table of a paper."""

    def __init__(self, paper: AuditedPaper) -> None:
        self.paper = paper
        self._names = Names([sentence.text for sentence in paper.sentences])
        self._parts: dict[tuple[int, int, int], int] = {}
        self._groups: list[Group[_Part]] = []
        for place, sheet in enumerate(paper.sheets):
            self._add(place, ROW, _row_parts(sheet), _heads(sheet))
            self._add(place, COLUMN, _column_parts(sheet), ())

    def _add(self, sheet: int, axis: int, lines: dict[int, list[str]], heads: tuple[str, ...]) -> None:
        """Takes in the lines of one axis: a part that only one of them has calls it alone."""
        counts = Counter(part for parts in lines.values() for part in dict.fromkeys(parts))
        things: dict[int, list[Thing[_Part]]] = {}
        for place, parts in lines.items():
            alone = [part for part in parts if counts[part] == 1]
            needed = (alone[:1] if axis == ROW else alone[-1:]) or parts[:2]
            self._parts[sheet, axis, place] = len(needed)
            for number, part in enumerate(needed):
                line = Thing(("row", "column")[axis], (sheet, axis, place, number), (part,), heads)
                things.setdefault(number, []).append(line)
        self._groups += map(Group, things.values())

    def names(self, text: str) -> list[Name]:
        """Every line that a text names, the longest names first where several stand at one place."""
        found = []
        for named in self._names.resolve(text, self._groups, running=True):
            sheet, axis, place, part = named.thing.id
            parts = self._parts[sheet, axis, place]
            found.append(Name(sheet, axis, place, *named.span, named.strength, part, parts))
        return found

    def spoken(self, sentence: Sentence) -> list[Spoken]:
        """What a sentence names of each table: rows by all their words, columns also by one."""
        names = [name for name in self.of(sentence) if name.axis == COLUMN or name.strength >= APART]
        found = []
        for place in sorted({name.sheet for name in names}):
            sheet, own = self.paper.sheets[place], [name for name in names if name.sheet == place]
            referred = sheet.label.split("#")[0] in sentence.references or belongs_to(sentence, sheet)
            found.append(Spoken(sheet, _called(own, ROW), _called(own, COLUMN), referred))
        return [spoken for spoken in found if spoken.rows or spoken.columns]

    def of(self, sentence: Sentence) -> list[Name]:
        """What a sentence names; in a caption, of its own table only."""
        found = self.names(sentence.text)
        if not sentence.caption:
            return found
        own = {place for place, sheet in enumerate(self.paper.sheets) if belongs_to(sentence, sheet)}
        return [name for name in found if name.sheet in own] if own else found


def _called(names: Iterable[Name], axis: int) -> dict[int, list[Span]]:
    """Lines of which every part is called, with the passages that call the last of them."""
    found: dict[int, list[Name]] = {}
    for name in (name for name in names if name.axis == axis):
        found.setdefault(name.place, []).append(name)
    whole = {place: own for place, own in found.items() if len({name.part for name in own}) == own[0].parts}
    return {
        place: [(name.start, name.end) for name in own if name.part == own[0].parts - 1] for place, own in whole.items()
    }


def belongs_to(sentence: Sentence, sheet: Sheet) -> bool:
    """Whether a sentence stands in a table's caption."""
    return sentence.caption and sentence.text[:60] in sheet.caption


@dataclass(frozen=True)
class Spoken:
    """What a sentence names of one table: places of rows and columns with the passages that call them."""

    sheet: Sheet
    rows: dict[int, list[Span]]
    columns: dict[int, list[Span]]
    referred: bool
    """Whether it refers to the table, or is its caption."""


def _row_parts(sheet: Sheet) -> dict[int, list[str]]:
    """The texts by which each row is called."""
    found = {}
    for row, line in enumerate(sheet.rows):
        cells = sheet.table.rows[row].texts
        texts = [
            text
            for column, text in enumerate(cells)
            if not ((entry := sheet.entries.get((row, column))) is not None and entry.facts) and stems(text)
        ][:3]
        texts = texts or ([line.label] if stems(line.label) else [])
        if texts and not (SUMMARY.fullmatch(plain(texts[0])) or _STATISTIC.fullmatch(plain(texts[0]))):
            found[row] = texts
    return found


def _column_parts(sheet: Sheet) -> dict[int, list[str]]:
    return {
        column: parts
        for column in sheet.numeric_columns()
        if (parts := [part for part in sheet.columns[column].label.split(" / ") if stems(part)])
    }


def _heads(sheet: Sheet) -> tuple[str, ...]:
    """What stands above the names of the rows: `order` of order 3, `c` of c = 1.5."""
    if len(sheet.rows) > MOST_NUMBERED:
        return ()
    header = sheet.table.columns[0].label
    heads = (header, header.split(" / ")[-1], *re.findall(r"\((.*?)\)", header), *header.split()[-1:])
    return tuple(dict.fromkeys(filter(None, heads)))
