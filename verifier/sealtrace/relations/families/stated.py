"""What headers state of numbers that stand together, as a table of rules: the words and the formula of each, once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import Any

from sealtrace.paper.extracted import JOIN
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import Sheet
from sealtrace.relations.families.wording import COUNT, count, count_of, is_summary, plain, real
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Expression, Formula, Given, call
from sealtrace.relations.work import Work

_SIZE = re.compile(rf"\b[nN] ?= ?{COUNT}")


@dataclass(frozen=True)
class StatedRule:
    """A number that follows from others beside it."""

    family: str
    says: str
    """A sentence in which {0} is the number, {1}, {2}, … are the others, {count} says how many, and {texts} are all."""
    formula: Callable[..., Formula]
    """Of the number and the others, as cells, and of whatever else the claim is given."""
    assumes: tuple[str, ...]
    question: str
    read: Callable[[PrintedNumber], Given] = real

    def claim(self, sheet: Sheet, facts: Sequence[PrintedNumber], said: str, *further: Any, **changed: Any) -> Claim:
        """What it says of these numbers."""
        cells, texts = [self.read(fact) for fact in facts], [fact.text for fact in facts]
        words = partial(str.format, count=len(facts) - 1, texts=", ".join(texts))
        claim = Claim(
            f"{self.family} {facts[0].address}",
            self.formula(*cells, *further),
            words(self.says, *texts, *further),
            sheet.place(said),
            self.assumes,
            (),
            words(self.question, *texts, *further),
            self.family,
        )
        return replace(claim, **changed)


def called(words: Iterable[str]) -> re.Pattern[str]:
    """Headers that are one of these words, as the table of statistics has them, perhaps in percent."""
    forms = {re.escape(plain(word)) for word in words}
    return re.compile(rf"(?:{'|'.join(sorted(forms, key=len, reverse=True))})(?: ?\(?%\)?)?")


def headers(sheet: Sheet, *columns: int) -> str:
    """Columns by their headers, for a reader."""
    return ", ".join(repr(sheet.columns[column].label) for column in columns)


@dataclass(frozen=True)
class StatedSummary:
    """A number of a row that summarizes others, and the numbers that it may be of."""

    sheet: Sheet
    row: int
    column: int
    fact: PrintedNumber
    scopes: list[list[int]]
    """All rows above first, then those since the last summary, or of its block."""

    @property
    def name(self) -> str:
        """What the row is called."""
        return plain(self.sheet.rows[self.row].first or self.sheet.rows[self.row].label)

    @property
    def header(self) -> str:
        """What the column is called."""
        return plain(self.sheet.columns[self.column].label)

    @property
    def is_last(self) -> bool:
        """Whether only summaries, notes and its parts follow; others may belong to a block that nothing marks."""
        parts = self.scopes[0]
        below = [row for row in self.sheet.numbered if row > self.row and row not in parts]
        names = (self.sheet.rows[row].first or self.sheet.rows[row].label.partition(JOIN)[0] for row in below)
        return all(is_summary(name) for name in names)

    @property
    def lists(self) -> list[list[PrintedNumber]]:
        """The numbers of each scope that has all of them."""
        return [facts for scope in self.scopes if (facts := self.sheet.column_values(self.column, scope)) is not None]

    def claim(self, rule: StatedRule, parts: Sequence[PrintedNumber], **changed: object) -> Claim:
        """What a rule says of it."""
        return rule.claim(self.sheet, (self.fact, *parts), f"row {self.sheet.rows[self.row].label!r}", **changed)


def summaries(sheet: Sheet, named: re.Pattern[str]) -> Iterator[StatedSummary]:
    """Rows of such a name, number by number."""
    for row, line in enumerate(sheet.rows):
        if named.fullmatch(plain(line.first or line.label)) and (scopes := _summarized(sheet, row)):
            for column in sheet.numeric_columns():
                if (fact := sheet.number(row, column)) is not None:
                    yield StatedSummary(sheet, row, column, fact, scopes)


def _summarized(sheet: Sheet, row: int) -> list[list[int]]:
    """The rows that a summary row may speak of: all above, those since the last summary, or those of its block."""
    lines = sheet.rows
    above = [place for place in sheet.numbered if place < row and not is_summary(lines[place].first)]
    if sheet.is_turned and not above:
        # A first column of totals stands before its parts.
        below = [place for place in sheet.numbered if place > row]
        return [below] if len(below) > 1 and not any(is_summary(lines[place].label) for place in below) else []
    if sheet.is_turned:
        # Columns of other things may stand before those that are added up: these are the last ones printed alike.
        above = [place for place in above if not is_summary(lines[place].label)]
        alike = list(takewhile(lambda place: sheet.decimals(place) == sheet.decimals(above[-1]), reversed(above)))
        return list({tuple(scope): scope for scope in (above, alike[::-1]) if len(scope) > 1}.values())
    _name, joined, measure = lines[row].label.partition(JOIN)
    alike = [place for place in above if lines[place].label.endswith(f"{JOIN}{measure}")] if joined else []
    # The average of one measure is that of its rows only, where rows of several take turns.
    above = alike if len(alike) > 1 else above
    scopes = [above]
    if above:
        # Several summaries in one stack speak of the same rows.
        earlier = sorted(set(range(above[-1])) - set(above))
        ruled = [place for place in above if lines[place].after_rule]
        starts = [place + 1 for place in earlier[-1:]] + ruled[-1:]
        scopes += [[place for place in above if place >= start] for start in starts]
    return list({tuple(scope): scope for scope in scopes if len(scope) > 1}.values())


def weighted(values: Sequence[Expression], sizes: Sequence[Any]) -> Expression:
    """The mean of values by sizes."""
    return call("sum", *(value * (size / sum(sizes)) for value, size in zip(values, sizes, strict=True)))


def size_of(sheet: Sheet, row: int, column: str) -> int | None:
    """The sample size: of the row, by its label or by a column of such a header, else of the caption."""
    own, told = (_SIZE.findall(text) for text in (sheet.rows[row].label, sheet.caption))
    if len(own) == 1:
        return count_of(own[0])
    if columns := sheet.headed(column):
        fact = sheet.number(row, columns[0]) if len(columns) == 1 else None
        return None if fact is None else count(fact)
    return count_of(told[0]) if len(told) == 1 else None


LEAST, MOST_WRONG = 2, 5
"""Of what a table says only by custom so many rows hold before another is suspected, and one row in so many may break
it; one may in any case."""


def is_possible(formula: Formula) -> bool:
    """Whether the numbers allow it, as far as a short search sees."""
    return search(formula, Work(20_000)).status != "impossible"


def nearly_all(
    claims: Sequence[Claim],
    often: str,
    *,
    telling: Callable[[Claim], bool] = bool,
    least: int = LEAST,
    wrong: int = MOST_WRONG,
) -> Iterator[Claim]:
    """Claims of one reading of a table as guesses, where nearly all of its rows agree; nothing where they do not.

    Only `telling` ones speak for it: those that would not hold however the table is read.
    """
    broken = [not is_possible(claim.formula) for claim in claims]
    tells = [telling(claim) and not denies for claim, denies in zip(claims, broken, strict=True)]
    if sum(tells) >= least and sum(broken) <= max(1, len(claims) // wrong):
        evidence = f"{len(claims) - sum(broken)} of {len(claims)} {often}"
        for claim, tell, denies in zip(claims, tells, broken, strict=True):
            # It could be noticed only where the others would still be believed without it.
            noticed = denies or (tell and sum(tells) > least)
            yield replace(claim, evidence=evidence, telling=claim.telling and noticed)
