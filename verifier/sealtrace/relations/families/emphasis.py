"""Marks of best and second best: where the caption says what they mark, and where nearly all columns show it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from sealtrace.paper.extracted import JOIN
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.paper.sentences import clauses
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet, blocks_of
from sealtrace.relations.families.wording import plain, printed
from sealtrace.relations.syntax import Expression, Formula, any_of, call, equal

FAMILY = "marks"
_BEST = re.compile(r"\bbest\b[^.;]*\bbold|\bbold[^.;]*\bbest\b", re.I)
_SECOND = re.compile(r"\bsecond[^.;]*\bunderlin|\bunderlin[^.;]*\bsecond", re.I)
# Marks among some of the rows only, or along the rows, are not followed.
_SOME = re.compile(
    r"\bamong|\bcompar|\bwithin|\bbetween|\bsignifican|\b(?:per|each) (?!column)|\bnon-|\bexclud|\bexcept|\btwo\b|"
    r"\bour|\bnot\b|\bgroup|\bblock|\brows?\b|\bmatched|\bmean\w* [^.;]*deviation",
    re.I,
)
_MOST_CHANCE = 0.1
"""So rarely would marks that mean something else be at the good end as often: what is bold is nearly always best."""
_MOST_WRONG = 10
"""One mark in so many may be wrong, one may in any case."""
_ENDS = {"higher": "max", "lower": "min"}
_STYLES = {"best": "bold", "second": "underlined"}


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every marked number is the best of its column, or row, or of its part of that."""
    for sheet in paper.sheets:
        spoken = [sentence for sentence in clauses(sheet.caption) if re.search("bold", sentence, re.I)]
        is_told = bool(spoken) and all(_BEST.search(sentence) and not _SOME.search(sentence) for sentence in spoken)
        for mark in _STYLES:
            told = list(_told(sheet, mark)) if is_told and (mark == "best" or _SECOND.search(sheet.caption)) else []
            known = {claim.name for claim in told}
            yield from told
            yield from (claim for claim in _usual(sheet, mark, said=bool(spoken)) if claim.name not in known)


def _arrows(sheet: Sheet) -> dict[str, str | None]:
    """Which way is better, by column, where an arrow says it."""
    return {column.label: column.direction for column in sheet.table.columns}


# Numbers of which some are marked


@dataclass(frozen=True)
class _Ranked:
    """A number, or a count out of a number, as it is ranked on the page."""

    row: int
    facts: tuple[PrintedNumber, ...]

    @property
    def value(self) -> Fraction:
        """What it is ranked by."""
        first, *rest = self.facts
        return first.value / rest[0].value if rest else first.value

    @property
    def expression(self) -> Expression:
        """The same, as printed."""
        first, *rest = map(printed, self.facts)
        return first / rest[0] if rest else first


@dataclass(frozen=True)
class _MarkedLine:
    """The numbers of a column, or a row, or of one part of it, of which some are marked."""

    label: str
    direction: str | None
    marked: tuple[_Ranked, ...]
    others: tuple[_Ranked, ...]

    @property
    def chance(self) -> float:
        """How likely marks that mean nothing would be at an end."""
        ends = 2 if self.direction is None else 1
        return min(1.0, ends / math.comb(len(self.marked) + len(self.others), len(self.marked)))

    def formula(self, mark: _Ranked) -> Formula:
        """That a marked number is at the good end; at either where nothing tells which that is."""
        every = [number.expression for number in (mark, *self.others)]
        ways = [_ENDS[self.direction]] if self.direction else list(_ENDS.values())
        return any_of(*(equal(mark.expression, call(end, *every)) for end in ways))

    def is_best(self, direction: str | None) -> bool:
        """Whether every marked number is at least as good as every other one."""
        low, high = (end(number.value for number in self.others) for end in (min, max))
        above = all(number.value >= high for number in self.marked) and direction != "lower"
        return above or (all(number.value <= low for number in self.marked) and direction != "higher")

    def ahead(self) -> set[int]:
        """Rows with a better number than a marked one."""
        sign = -1 if self.direction == "lower" else 1
        worst = min(sign * number.value for number in self.marked)
        return {number.row for number in self.others if sign * number.value > worst}


def _ranked(sheet: Sheet, row: int, column: int) -> _Ranked | None:
    number, ratio = sheet.number(row, column), sheet.part(row, column, "k", "n")
    if ratio is not None and ratio[1].value:
        return _Ranked(row, ratio)
    return None if number is None else _Ranked(row, (number,))


def _lines(
    sheet: Sheet, marks: dict[tuple[int, int], str], mark: str, parts: list[list[int]], ways: dict[str, str | None]
) -> Iterator[_MarkedLine]:
    """Columns, or the parts of each, in which some numbers bear the mark; those with a better mark are left out."""
    for column, part in product(sheet.numeric_columns(), parts):
        label = sheet.columns[column].label
        numbers = [number for row in part if (number := _ranked(sheet, row, column)) is not None]
        better = {number.value for number in numbers if mark == "second" and marks.get((number.row, column)) == "best"}
        marked = tuple(number for number in numbers if marks.get((number.row, column)) == mark)
        left = better - {number.value for number in marked}
        others = tuple(number for number in numbers if number not in marked and number.value not in left)
        several = len({number.value for number in (*marked, *others)}) > 1
        if marked and others and several:
            yield _MarkedLine(label, ways.get(label) or ways.get(""), marked, others)


def _marks(sheet: Sheet) -> dict[tuple[int, int], str]:
    """The marks of a table by row and column."""
    return {
        (row, column): given.marks[line.label]
        for row, given in enumerate(sheet.table.rows)
        for column, line in enumerate(sheet.columns)
        if line.label in given.marks
    }


def _is_emphasized(sheet: Sheet, marks: dict[tuple[int, int], str]) -> bool:
    """Whether the only row that has marks has them nearly throughout: they say that it is ours, or the result."""
    rows = {row for row, _column in marks}
    numbers = [place for place, entry in sheet.entries.items() if place[0] in rows and entry.facts]
    return len(rows) == 1 < len(numbers) and 4 * sum(place in marks for place in numbers) >= 3 * len(numbers)


def _claims(sheet: Sheet, mark: str, line: _MarkedLine, said: str, evidence: str) -> Iterator[Claim]:
    # Two marked numbers that are equal are one finding where another one is better.
    marked = line.marked if line.is_best(line.direction) else {number.value: number for number in line.marked}.values()
    for number in marked:
        fact, formula = number.facts[0], line.formula(number)
        yield Claim(
            f"{FAMILY} {sheet.label}[{fact.row}, {fact.column}]",
            formula,
            f"{' out of '.join(fact.text for fact in number.facts)} is marked as {mark} of {line.label!r}.",
            sheet.place(said),
            ("The marks compare the numbers as printed, over all rows or over each part.",),
            question=f"Which value of {line.label!r} is {mark}?",
            family=FAMILY,
            wider=formula,  # what is marked is seen on the page, however it was rounded
            evidence=evidence,
        )


def _told(sheet: Sheet, mark: str) -> Iterator[Claim]:
    """What the caption says of marks, in columns with an arrow that says which way is better."""
    marks = _marks(sheet)
    readings = [
        [line for line in _lines(sheet, marks, mark, parts, _arrows(sheet)) if line.direction]
        for parts in _parts(sheet)[:2]
    ]
    # Where rules part the table, best may be meant for each part.
    for line in min(readings, key=lambda lines: sum(not line.is_best(line.direction) for line in lines)):
        # A better row that bears no mark in any column may be there for comparison only.
        apart = bool(ahead := line.ahead()) and not ahead & {row for row, _column in marks}
        evidence = "what the caption says of marks; rows without any may be left out of it" if apart else ""
        if _is_emphasized(sheet, marks):
            evidence = "what the caption says of marks; those of one row may only say whose it is"
        yield from _claims(sheet, mark, line, "caption", evidence)


def _usual(sheet: Sheet, mark: str, *, said: bool) -> Iterator[Claim]:
    """What is marked is best in nearly all columns, or rows, or in all parts of these: the other one is suspected."""
    marks, least, found = _marks(sheet), 2 if said else 3, []
    ways = _arrows(sheet)
    named = [sheet.columns[column].label in sheet.table.rows[row].texts for row, column in marks]
    # A row that names the column of its mark (native: 224px) is marked by that name.
    is_open = mark in marks.values() and (said or not _is_emphasized(sheet, marks)) and 2 * sum(named) <= len(named)
    for turned in (False, True) if is_open else ():
        way = sheet.turned() if turned else sheet
        placed = {(column, row): given for (row, column), given in marks.items()} if turned else marks
        for parts, usual in product(_parts(way), ("higher", "lower", None)):
            every = _lines(way, placed, mark, parts, ({} if turned else ways) | {"": usual})
            lines = [line for line in every if len(line.marked) <= len(line.others)]
            rows = {row for row, _column in marks}
            several = any(len({number.value for number in line.marked}) > 1 for line in lines)
            if turned and (several or 4 * len(rows) < 3 * len(way.numeric_columns())):
                continue  # what is best of its row stands in nearly every row, and once
            right = [line for line in lines if line.is_best(line.direction)]
            wrong = len(lines) - len(right)
            chance = math.prod(line.chance for line in right) * math.comb(len(lines), wrong)
            if chance <= _MOST_CHANCE and len(right) >= least and wrong <= max(1, len(lines) // _MOST_WRONG):
                found.append((wrong, chance, lines, turned))
    wrong, chance, lines, turned = min(found, key=lambda reading: reading[:2], default=(0, 1.0, [], False))
    often = (
        f"what is {_STYLES[mark]} is {mark} in {len(lines) - wrong} of {len(lines)} {'rows' if turned else 'columns'}"
    )
    for line in lines:
        once_more = chance / min(line.chance for line in lines) * len(lines) <= _MOST_CHANCE and len(lines) > least
        for claim in _claims(sheet, mark, line, often, often):
            yield replace(claim, chance=min(1.0, chance), telling=bool(wrong) or once_more)


def _parts(sheet: Sheet) -> list[list[list[int]]]:
    """Among which rows the best may be marked: all of them, those between two rules, or those of one name."""
    blocks = blocks_of(sheet)
    named: dict[str, list[int]] = {}
    for row in (row for block in blocks for row in block):
        named.setdefault(plain(sheet.rows[row].label.rpartition(JOIN)[2]), []).append(row)
    whole = [[row for block in blocks for row in block]]
    return [whole, *(parts for parts in (blocks, list(named.values())) if 1 < len(parts) < len(whole[0]))]
