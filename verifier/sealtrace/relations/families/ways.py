"""Ways to read what a sentence says of a table, and the numbers that it may speak of."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import groupby

from sealtrace.paper.names.words import stems, telling
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.paper.sentences import Sentence
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.naming import Span
from sealtrace.relations.families.paper import Sheet
from sealtrace.relations.families.wording import is_summary
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula
from sealtrace.relations.work import Work

FAMILY = "claim"
CLAUSE = re.compile(
    r"[;:]|, (?:while|but|whereas|and|yet|so|which|with)\b| (?:while|but|whereas|although|though|because)\b"
)
"""Where another clause begins."""


@dataclass(frozen=True)
class Way:
    """One way to understand a passage of a sentence."""

    sheet: Sheet
    formula: Formula
    says: str
    named: str
    """What the sentence names: rows, a column, or both."""
    start: int
    """Where the passage begins: what begins at one place is one claim, read in several ways."""
    subject: str = ""
    """What it is said of, where one passage speaks of several things."""
    only_if_true: bool = False
    """Whether the words leave so much open that nothing follows where it does not hold."""


def settled(sentence: Sentence, ways: list[Way]) -> Iterator[Claim]:
    """Of each passage the ways of reading it that hold; where none does, the one whose table fits the words best."""
    for _passage, group in groupby(sorted(ways, key=_passage_of), _passage_of):
        given = list(group)
        holding = [way for way in given if search(way.formula, Work(20_000)).status != "impossible"]
        wrong = [way for way in given if not way.only_if_true]
        chosen = holding[:3] or ([max(wrong, key=lambda way: _overlap(sentence, way.sheet))] if wrong else [])
        for way in chosen:
            place = sentence.place(way.start)
            yield Claim(
                f"{FAMILY} {way.named} {place} {way.sheet.label} {way.says[:60]}",
                way.formula,
                f"{way.says}, {way.sheet.label}.",
                f"“{sentence.short}” ({place})",
                ("The sentence speaks of that table, as its words say.",),
                question="Does the sentence speak of these numbers, and which of them is right?",
                family=FAMILY,
                evidence=f"the sentence names the {way.named}",
                telling=not way.only_if_true,
            )


def _passage_of(way: Way) -> tuple[int, str]:
    return way.start, way.subject


def _overlap(sentence: Sentence, sheet: Sheet) -> int:
    """How many telling words a sentence shares with a table's caption."""
    return len(set(telling(stems(sentence.text))) & set(telling(stems(sheet.caption))))


def clause_around(text: str, start: int, end: int) -> Span:
    """The clause in which a passage stands."""
    begin = max((cut.end() for cut in CLAUSE.finditer(text, 0, start)), default=0)
    return begin, min((cut.start() for cut in CLAUSE.finditer(text, end)), default=len(text))


def numbers_of(sheet: Sheet, column: int, rows: Container[int] | None = None) -> dict[int, PrintedNumber]:
    """The numbers of a column, by row, in rows that are no summaries."""
    return {
        row: fact
        for row, line in enumerate(sheet.rows)
        if (fact := sheet.number(row, column)) is not None and (rows is None or row in rows)
        if not (is_summary(line.first) or is_summary(line.label))
    }


def last_before(rows: dict[int, list[Span]], start: int, end: int) -> list[int]:
    """The rows that are named in a stretch, the last first."""
    named = [(span[1], row) for row, spans in rows.items() for span in spans if start <= span[0] and span[1] <= end]
    return list(dict.fromkeys(row for _end, row in sorted(named, reverse=True)))
