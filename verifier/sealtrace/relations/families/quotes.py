"""Numbers of the text that quote a cell: bound by the words around them, not by their value, and then compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper
from sealtrace.relations.families.spoken import Index, Span, Spoken
from sealtrace.relations.families.wording import real
from sealtrace.relations.sentences import Mention, Sentence
from sealtrace.relations.syntax import Cell, Expression, equal
from sealtrace.relations.work import time_is_up

FAMILY = "quote"
LEAST_DIGITS = 2
MOST_CHANCE = 0.35
"""How often an unrelated number would stand as near to one of the cells that the words name, at most."""


@dataclass(frozen=True)
class _Candidate:
    """A cell that a number may quote."""

    fact: Fact
    scale: Fraction
    """By what the cell is multiplied to read as the text does: 100 where the text says percent and the cell does not."""
    row: bool
    column: bool
    """Whether the words name its row, its column."""
    distance: int
    named: bool

    @property
    def score(self) -> tuple[int, int]:
        return (2 * self.row + self.column + self.named, -self.distance)

    def value(self) -> Expression:
        cell = real(self.fact)
        return cell if self.scale == 1 else cell * self.scale


def find(paper: Paper) -> Iterator[Claim]:
    """Every number whose words name a cell, where a cell says the same or nearly the same."""
    index = Index(paper)
    printed = Counter(mention.fact.text for sentence in paper.sentences for mention in sentence.mentions)
    everywhere = {(abs(fact.value), fact.unit) for fact in paper.facts.every() if fact.table is not None}
    for sentence in paper.sentences:
        if time_is_up():
            return
        quotable = [one for one in sentence.mentions if is_quotable(one)]
        if not quotable:
            continue
        spoken = index.spoken(sentence)
        matches = {id(one): _best(one, _candidates(one, spoken)) for one in quotable}
        for mention in quotable:
            match = matches[id(mention)]
            if match is not None:
                yield _claim(sentence, mention, match)
            elif not mention.loose and printed[mention.fact.text] == 1:
                siblings = Counter(
                    found.fact.table for other in quotable if other is not mention and (found := matches[id(other)])
                )
                near = _near(mention, spoken, siblings, everywhere)
                if near is not None:
                    yield _claim(sentence, mention, *near)


def is_quotable(mention: Mention) -> bool:
    """Whether a number has enough digits to be told from others."""
    return len(mention.digits) >= LEAST_DIGITS and mention.unit != "pp" and (mention.decimals > 0 or len(mention.digits) > 2 or mention.unit == "%")


def _candidates(mention: Mention, spoken: list[Spoken]) -> Iterator[_Candidate]:
    """Every cell of a row or a column that the sentence names."""
    for one in spoken:
        for (row, column), entry in one.sheet.entries.items():
            in_row, in_column = row in one.rows, column in one.columns
            if not (in_row or in_column):
                continue
            for fact in entry.facts:
                for scale in _scales(mention, fact, entry.text):
                    away = min((_away(mention, span) for span in one.rows.get(row, []) or one.columns.get(column, [])), default=999)
                    yield _Candidate(fact, scale, in_row, in_column, away, one.named)


def _away(mention: Mention, span: Span) -> int:
    return max(span[0] - mention.end, mention.start - span[1], 0)


def _scales(mention: Mention, fact: Fact, text: str) -> list[Fraction]:
    if mention.unit == "×":
        return [Fraction(1)] if "×" in text or abs(fact.value) > 1 else []
    if mention.unit == "%" and "%" not in text and abs(fact.value) <= 1:
        return [Fraction(100)]
    return [Fraction(1)]


def _same(mention: Mention, one: _Candidate) -> bool:
    """Whether both may be one number, the text perhaps with fewer digits, or without the sign."""
    fact = real(one.fact).fact
    if mention.fact.unit < fact.unit * one.scale and not (mention.fact.unit == fact.unit * one.scale):
        # The text knows more digits than the cell: their intervals must still meet.
        pass
    low, high = fact.low * one.scale, fact.high * one.scale
    own = real(mention.fact).fact
    straight = own.low <= high and own.high >= low
    return straight or (mention.fact.value > 0 > fact.value and own.low <= -low and own.high >= -high)


def _best(mention: Mention, candidates: Iterator[_Candidate]) -> _Candidate | None:
    found = [one for one in candidates if _same(mention, one) and (one.row or one.named or one.column)]
    return max(found, key=lambda one: one.score, default=None)


def _near(
    mention: Mention, spoken: list[Spoken], siblings: Counter[str | None], everywhere: set[tuple[Fraction, Fraction]]
) -> tuple[_Candidate, int, float] | None:
    """The cell that the number misses by one digit, where the words name it; with how many others were as well named."""
    if (abs(mention.fact.value), mention.fact.unit) in everywhere or (abs(mention.fact.value) / 100, mention.fact.unit / 100) in everywhere:
        return None
    named = [one for one in _candidates(mention, spoken) if one.row and (one.column or siblings[one.fact.table] or one.named)]
    alike = [one for one in named if real(one.fact).fact.unit * one.scale == real(mention.fact).fact.unit]
    near = [one for one in alike if is_slip(mention.fact.value, one.fact.value * one.scale, mention.fact.unit)]
    if not near or any(_same(mention, one) for one in named):
        return None
    digits = len(mention.digits)
    chance = len({one.fact.value for one in alike}) * (11 * digits) / 10**digits
    best = max(near, key=lambda one: one.score)
    bonus = 2 if best.row and best.column else 1
    bonus *= 1 + min(2, siblings[best.fact.table])
    return (best, len(alike), chance) if chance <= MOST_CHANCE * bonus else None


def is_slip(one: Fraction, other: Fraction, unit: Fraction) -> bool:
    """Whether two numbers differ as a slip of the pen makes them: one digit, two digits swapped, or the sign."""
    a, b = (str(abs(round(value / unit))) for value in (one, other))
    if a == b:
        return one != other
    width = max(len(a), len(b))
    a, b = a.zfill(width), b.zfill(width)
    wrong = [place for place in range(width) if a[place] != b[place]]
    if len(wrong) == 1:
        return True
    return len(wrong) == 2 and wrong[1] == wrong[0] + 1 and a[wrong[0]] == b[wrong[1]] and a[wrong[1]] == b[wrong[0]]


def _claim(sentence: Sentence, mention: Mention, match: _Candidate, rivals: int = 0, chance: float | None = None) -> Claim:
    fact = match.fact
    said = f"“{_around(sentence.text, mention)}” ({sentence.source}:{sentence.line(mention.start)})"
    names = " and ".join(name for name, there in (("row", match.row), ("column", match.column)) if there)
    value: Expression = Cell(real(mention.fact).fact)
    other = match.value()
    if mention.fact.value > 0 > fact.value and _same(mention, match):
        other = -other
    return Claim(
        f"{FAMILY} {mention.fact.address}",
        equal(value, other),
        f"{mention.fact.text} in the text is {fact.text} of {fact.address}.",
        said,
        ("The sentence speaks of that cell.",),
        question=f"Is it {mention.fact.text}, as the text says, or {fact.text}, as the table prints?",
        family=FAMILY,
        evidence=f"the sentence names its {names or 'table'}"
        + (f"; {rivals} cells are named so, and none prints {mention.fact.text}" if rivals else ""),
        chance=None if chance is None else min(1.0, chance),
        # Where the words name only one of row and column, another cell may be meant, and the value chose it.
        telling=match.row and (match.column or match.named),
    )


def _around(text: str, mention: Mention) -> str:
    start, end = max(0, mention.start - 60), min(len(text), mention.end + 40)
    start = text.find(" ", start) + 1 if start else 0
    cut = text[start:end]
    return re.sub(r"\s+", " ", ("…" if start else "") + cut + ("…" if end < len(text) else ""))
