"""What headers state of numbers that stand together, as a table of rules: the words and the formula of each, once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Sheet
from sealtrace.relations.families.wording import COUNT, SUMMARY, count, count_of, plain, real
from sealtrace.relations.syntax import Expression, Formula, Given, call

_SIZE = re.compile(rf"\b[nN] ?= ?{COUNT}")


@dataclass(frozen=True)
class Rule:
    """A number that follows from others beside it."""

    family: str
    says: str
    """A sentence in which {0} is the number, {1}, {2}, … are the others, and {count} is how many others there are."""
    formula: Callable[..., Formula]
    """Of the number and the others, as cells, and of whatever else the claim is given."""
    assumes: tuple[str, ...]
    question: str
    repair: tuple[str, Callable[..., Formula]] | None = None
    """Another explanation, and what would have to be true then."""
    read: Callable[[Fact], Given] = real

    def claim(self, sheet: Sheet, facts: Sequence[Fact], said: str, *further: Any, **changed: Any) -> Claim:
        """What it says of these numbers."""
        cells, texts = [self.read(fact) for fact in facts], [*(fact.text for fact in facts), *further]
        repairs = [Repair(self.repair[0], self.repair[1](*cells, *further))] if self.repair else []
        claim = Claim(
            f"{self.family} {facts[0].address}",
            self.formula(*cells, *further),
            self.says.format(*texts, count=len(facts) - 1),
            sheet.place(said),
            self.assumes,
            tuple(repairs),
            self.question.format(*texts),
            self.family,
        )
        return replace(claim, **changed)

    def claims(self, sheet: Sheet, columns: Sequence[int | None], said: str) -> Iterator[Claim]:
        """What it says of every row in which each of the columns has a number."""
        for _row, facts in sheet.together(*columns):
            yield self.claim(sheet, facts, said)


def headers(sheet: Sheet, *columns: int | None) -> str:
    """Columns by their headers, for a reader."""
    return ", ".join(repr(sheet.columns[column].label) for column in columns if column is not None)


def summaries(sheet: Sheet, named: re.Pattern[str]) -> Iterator[tuple[int, int, Fact, list[list[int]]]]:
    """Rows of such a name, number by number: row, column, the number, and the rows that it may speak of."""
    for row, line in enumerate(sheet.rows):
        if named.fullmatch(plain(line.first or line.label)) and (scopes := _summarized(sheet, row)):
            for column in sheet.numeric_columns():
                if (fact := sheet.number(row, column)) is not None:
                    yield row, column, fact, scopes


def _summarized(sheet: Sheet, row: int) -> list[list[int]]:
    """The rows that a summary row may speak of: all above, those since the last summary, or those of its block."""
    above = [place for place in range(row) if not SUMMARY.fullmatch(plain(sheet.rows[place].first))]
    scopes = [above]
    if above:
        # Several summaries in one stack speak of the same rows.
        earlier = sorted(set(range(above[-1])) - set(above))
        ruled = [place for place in above if sheet.rows[place].after_rule]
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
