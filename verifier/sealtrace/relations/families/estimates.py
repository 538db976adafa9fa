"""Estimates with their errors: what a sentence gives as `0.18 (SE = 0.02)`, a table prints so, or nowhere near it.

A number alone may be anybody's. With its error it is found again: where a table has both, the sentence quotes it;
where a row or column that the sentence names has both nearly, and nothing in the paper has them exactly, one of the
two is out of date.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import DOWN, plain, real, same
from sealtrace.relations.lexicon import named_by, words
from sealtrace.relations.prose import Mention, Sentence
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
    """A number of a table with its error."""

    sheet: Sheet
    row: int
    column: int
    value: Fact
    error: Fact

    @property
    def names(self) -> tuple[str, ...]:
        """The label of its row, and the parts of that of its column that no other column has."""
        parts = Counter(part for one in self.sheet.columns for part in set(one.label.split(" / ")))
        own = self.sheet.columns[self.column].label.split(" / ")
        return (self.sheet.rows[self.row].label, *(part for part in own if parts[part] == 1))


def estimates_of(sheet: Sheet) -> Iterator[Estimate]:
    """Numbers whose error stands in their own cell, below them in brackets, or in the next column."""
    for row, column in sheet.entries:
        entry = sheet.entry(row, column)
        if entry is None or not 1 <= len(entry.facts) <= 2:
            continue
        error = (
            entry.facts[1]
            if entry.names == ("mean", "sd") or ("(" in entry.text[1:] and len(entry.facts) == 2)
            else None
        )
        beside = sheet.entry(row, column + 1) if column + 1 < len(sheet.columns) else None
        below = sheet.entry(row + 1, column) if row + 1 < len(sheet.rows) and not sheet.rows[row + 1].first else None
        if (
            error is None
            and beside is not None
            and _ERROR.fullmatch(plain(sheet.columns[column + 1].label).split(" / ")[-1])
        ):
            error = beside.facts[0] if len(beside.facts) == 1 else None
        elif error is None and below is not None and len(below.facts) == 1 and _IN_BRACKETS.fullmatch(below.text):
            error = below.facts[0]
        if error is not None and entry.facts[0].value:
            yield Estimate(sheet, row, column, entry.facts[0], error)


def find(paper: Paper, family: str) -> Iterator[Claim]:
    """Every estimate of the text that a table has with its error, or nearly has."""
    known = [one for sheet in paper.sheets for one in estimates_of(sheet)]
    for before, sentence in pairwise((None, *paper.sentences)) if known else ():
        assert sentence is not None
        context = before.text if before is not None and before.paragraph == sentence.paragraph else ""
        for value, error in pairwise(sentence.mentions):
            if value.loose or error.loose or not _BETWEEN.fullmatch(sentence.text, value.end, error.start):
                continue
            yield from _quoted(sentence, context, value, error, known, family)


def _quoted(
    sentence: Sentence, context: str, value: Mention, error: Mention, known: list[Estimate], family: str
) -> Iterator[Claim]:
    hundred = value.unit in ("%", "pp") or _LOG.match(sentence.text, value.end)
    scales = (Fraction(1), Fraction(100)) if hundred else (Fraction(1),)
    pairs = [(one, scale) for one in known for scale in scales]
    told = [(one, scale) for one, scale in pairs if _fits(value, one.value, scale) and _fits(error, one.error, scale)]
    if told:
        one, scale = told[0]
        yield _claim(sentence, value, error, one, scale, family, None)
        return
    given = frozenset(word for word, _start, _end in words(sentence.text))
    named = [(one, scale) for one, scale in pairs if any(_named(name, given) for name in one.names)]
    near = [
        (one, scale)
        for one, scale in named
        if _off(value, one.value, scale) <= _NEAR[0]
        and _off(error, one.error, scale) <= _NEAR[1]
        and (not _turned(value, one) or DOWN.search(sentence.text))
        and not _stated_otherwise(_OTHERWISE, sentence.text, one)
        and not _stated_otherwise(_LEFT_OUT, context, one)
    ]
    # Printed twice it is one estimate; two of them would be two.
    if len({(one.value.value, one.error.value) for one, _scale in near}) == 1 and _telling(value, error):
        one, scale = near[0]
        half = _fits(value, one.value, scale) or _fits(error, one.error, scale)
        chance = _CHANCE * len(named) / (10 if half else 1)
        if chance <= MOST_CHANCE:
            yield _claim(sentence, value, error, one, scale, family, chance)


def _telling(*mentions: Mention) -> bool:
    return all(len(one.digits) > 1 for one in mentions)


def _named(label: str, given: frozenset[str]) -> bool:
    """Whether all words of a label stand in a text, perhaps written out: `Accom.`."""
    wanted = [word for word in named_by(label) if word[0].isalpha()]
    return bool(wanted) and all(
        word in given or (len(word) > 3 and any(one.startswith(word) for one in given)) for word in wanted
    )


def _stated_otherwise(words_: re.Pattern[str], text: str, one: Estimate) -> bool:
    """Whether a sentence says how this estimate is another than the one in the table."""
    label = " ".join(one.names).casefold()
    return any(found.group()[:4].casefold() not in label for found in words_.finditer(text))


def _fits(mention: Mention, fact: Fact, scale: Fraction) -> bool:
    """Whether both may be one number, the text perhaps without the sign; to the same digit they are the same."""
    own, other = real(mention.fact).fact, real(fact).fact
    signed = -scale if own.value > 0 > other.value else scale
    if own.unit == other.unit * scale:
        return own.value == other.value * signed
    ends = sorted((other.low * signed, other.high * signed))
    return own.low <= ends[1] and own.high >= ends[0]


def _turned(value: Mention, one: Estimate) -> bool:
    """Whether the text gives a size where the table has a negative number."""
    return value.fact.value > 0 > one.value.value


def _off(mention: Mention, fact: Fact, scale: Fraction) -> Fraction:
    """How far a number is from a cell, as a share of it."""
    value = fact.value * scale
    turned = mention.fact.value > 0 > value and mention.fact.text[:1] not in "+-"
    return abs(mention.fact.value - (-value if turned else value)) / abs(value) if value else Fraction(1)


def _claim(
    sentence: Sentence,
    value: Mention,
    error: Mention,
    one: Estimate,
    scale: Fraction,
    family: str,
    chance: float | None,
) -> Claim:
    signed = -scale if _turned(value, one) else scale
    both = all_of(same(value.fact, one.value, signed), same(error.fact, one.error, scale))
    texts = f"{value.fact.text} (SE {error.fact.text})"
    cells = f"{one.value.text} ({one.error.text})"
    return Claim(
        f"{family} {value.fact.address} with its error",
        both,
        f"{texts} in the text is {cells} of {one.value.address}.",
        f"“{sentence.short}” ({sentence.place(value.start)})",
        ("The sentence speaks of that estimate.",),
        question=f"Is it {texts}, as the text says, or {cells}, as the table prints?",
        family=family,
        evidence="the sentence names its row or column, and no table has this estimate with this error",
        chance=chance,
        telling=chance is not None,
    )
