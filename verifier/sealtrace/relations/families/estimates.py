"""Estimates with their errors: what a sentence gives as `0.18 (SE = 0.02)`, a table prints so, or nowhere near it.

A number alone may be anybody's. With its error it is found again: where a table has both, the sentence quotes it;
where a row or column that the sentence names has both nearly, and nothing in the paper has them exactly, one of the
two is out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sealtrace.paper.fact import Fact
from sealtrace.paper.names.index import APART
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.naming import index_of
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.resolving import agrees
from sealtrace.relations.families.wording import DOWN, plain, same
from sealtrace.relations.syntax import all_of

_BETWEEN = re.compile(
    r"(?:[\s-]*(?:percentage points?|log points?|percent|pp))?[\s*]*[(,;]\s?(?:[\w-]+ )?"
    r"(?:SE|S\.E\.|s\.e\.|se|standard error)\s?(?:=|:|of|≈)?\s?"
)
_ERROR = re.compile(r"\(?(?:se|s\.e\.|std\.? ?err(?:or)?s?\.?|standard errors?)\)?")
_IN_BRACKETS = re.compile(r"\(\s*[\d.,]+\s*\)\W*")
_LOG = re.compile(r"[\s-]*log[\s-]point|[\s-]*percent")
_OTHERWISE = re.compile(
    r"\b(?:exclud|dropp?|restrict|without|omit|alternativ|instead|placebo|leave|donut|bandwidth|window|cluster|bootstrap|"
    r"permut|randomi|weight|control|trend|balanc|trim|subsampl|shift|fals|add|remov|limit|only|log|level|unconditional|"
    r"conditional|cohort|long|short|pre|post|rang|exclusi)\w*|"
    r"\b(?:to|with|than|from) (?:the|our) (?:baseline|main|full)\b",
    re.I,
)
"""Words that make another estimate of it: it need not be one that a table has."""
_LEFT_OUT = re.compile(r"\b(?:exclud|dropp?|restrict|omit|without|leav)\w*", re.I)
"""What a sentence says so of the ones behind it, too."""
_NEAR = (Fraction(1, 10), Fraction(1, 4))
"""How far off, of their size, an estimate and its error are where both are out of date."""
_CHANCE = 0.02
"""How often an unrelated pair is as near as that to a given one; a tenth as often where one of the two is the same."""
MOST_CHANCE = 0.1


@dataclass(frozen=True)
class Estimate:
    """A number of a table with its error, and the row and column that they stand in."""

    lines: frozenset[tuple[int, int, int]]
    label: str
    text: str
    """The cell of the number, with its stars."""
    value: Fact
    error: Fact

    def is_another(self, words: re.Pattern[str], text: str) -> bool:
        """Whether a sentence says how its estimate is another than this one."""
        return any(word.group()[:4].casefold() not in self.label for word in words.finditer(text))


def estimates_of(place: int, sheet: Sheet) -> Iterator[Estimate]:
    """Numbers whose error stands in their own cell, below them in brackets, or in the next column."""
    for row, column in sheet.entries:
        entry = sheet.entry(row, column)
        if entry is None or not 1 <= len(entry.facts) <= 2 or not entry.facts[0].value:
            continue
        value, *errors = entry.facts
        beside, below = sheet.number(row, column + 1), sheet.entry(row + 1, column)
        if errors and entry.names != ("mean", "sd") and "(" not in entry.text[1:]:
            continue
        if not errors and beside is not None and _ERROR.fullmatch(_header(sheet, column + 1)):
            errors = [beside]
        elif not errors and below is not None and not sheet.rows[row + 1].first and _IN_BRACKETS.fullmatch(below.text):
            errors = list(below.facts)
        if len(errors) == 1:
            label = f"{sheet.rows[row].label} {sheet.columns[column].label}".casefold()
            yield Estimate(frozenset({(place, 0, row), (place, 1, column)}), label, entry.text, value, errors[0])


def _header(sheet: Sheet, column: int) -> str:
    return plain(sheet.columns[column].label).split(" / ")[-1]


def find(paper: AuditedPaper, family: str) -> Iterator[Claim]:
    """Every estimate of the text that a table has with its error, or nearly has."""
    known = [found for place, sheet in enumerate(paper.sheets) for found in estimates_of(place, sheet)]
    for before, sentence in pairwise((None, *paper.sentences)) if known else ():
        assert sentence is not None
        context = before.text if before is not None and before.paragraph == sentence.paragraph else ""
        for value, error in pairwise(sentence.amounts):
            exact = not (value.loose or error.loose)
            if exact and _BETWEEN.fullmatch(sentence.text, value.end, error.start):
                yield from _quoted(paper, sentence, context, value, error, known, family)


def _quoted(
    paper: AuditedPaper,
    sentence: Sentence,
    context: str,
    value: TextNumber,
    error: TextNumber,
    known: list[Estimate],
    family: str,
) -> Iterator[Claim]:
    hundred = value.unit in ("%", "pp") or _LOG.match(sentence.text, value.end)
    pairs = [(found, Fraction(scale)) for found in known for scale in ((1, 100) if hundred else (1,))]
    agreeing = [
        (agrees(value, found.value, scale), agrees(error, found.error, scale), found, scale) for found, scale in pairs
    ]
    for found, scale in [(found, scale) for *both, found, scale in agreeing if all(both)][:1]:
        yield _claim(sentence, value, error, found, scale, family, None)
        return
    lines = {name.line for name in index_of(paper).of(sentence) if name.strength >= APART}
    named = [(any(both), found, scale) for *both, found, scale in agreeing if found.lines & lines]
    near = [
        (half, found, scale)
        for half, found, scale in named
        if _off(value, found.value, scale) <= _NEAR[0]
        and _off(error, found.error, scale) <= _NEAR[1]
        and (not value.fact.value > 0 > found.value.value or DOWN.search(sentence.text))
        and not found.is_another(_OTHERWISE, sentence.text)
        and not found.is_another(_LEFT_OUT, context)
    ]
    # Printed twice it is one estimate; two of them would be two.
    once = len({(found.value.value, found.error.value) for _half, found, _scale in near}) == 1
    chance = _CHANCE * len(named) / (10 if near and near[0][0] else 1)
    if once and len(value.digits) > 1 < len(error.digits) and chance <= MOST_CHANCE:
        yield _claim(sentence, value, error, *near[0][1:], family, chance)


def _off(mention: TextNumber, fact: Fact, scale: Fraction) -> Fraction:
    """How far a number is from a cell, as a share of it; a size may stand for a negative number."""
    value = fact.value * scale
    turned = mention.fact.value > 0 > value and mention.text[:1] not in "+-"
    return abs(mention.fact.value - (-value if turned else value)) / abs(value)


def _claim(
    sentence: Sentence,
    value: TextNumber,
    error: TextNumber,
    found: Estimate,
    scale: Fraction,
    family: str,
    chance: float | None,
) -> Claim:
    signed = -scale if value.fact.value > 0 > found.value.value else scale
    texts = f"{value.fact.text} (SE {error.fact.text})"
    cells = f"{found.value.text} ({found.error.text})"
    return Claim(
        f"{family} {value.fact.address} with its error",
        all_of(same(value.fact, found.value, signed), same(error.fact, found.error, scale)),
        f"{texts} in the text is {cells} of {found.value.address}.",
        f"“{sentence.short}” ({sentence.place(value.start)})",
        ("The sentence speaks of that estimate.",),
        question=f"Is it {texts}, as the text says, or {cells}, as the table prints?",
        family=family,
        evidence="the sentence names its row or column, and no table has this estimate with this error",
        chance=chance,
        telling=chance is not None,
    )
