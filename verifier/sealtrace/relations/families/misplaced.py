"""Numbers in the wrong row: the text gives a row the number that the table prints in the next one.

Words alone choose the row; so do those of every other number that the two cells print. A cell that repeats the one
above it, where the text has another number for it, is out of date; two that changed places are in each other's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from sealtrace.paper.fact import plain_address
from sealtrace.relations.decision import Claim
from sealtrace.relations.families import quotes
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.quotes import FAMILY, Number, is_of_its_kind, is_quotable, readings
from sealtrace.relations.families.resolving import NEAR, Candidate, agrees
from sealtrace.relations.families.wording import same
from sealtrace.relations.syntax import all_of
from sealtrace.relations.work import time_is_up

_LEAST_DIGITS = 3
_NAMED, _HINTED = 0.85 * NEAR, 0.7
"""How strongly words tie the row, and the column, to the number."""
_WEAKER = 0.5
"""At most so much, of what ties the named row to it, ties another one to it."""
_AT = re.compile(r"(?:['’]s)?\s?[(:=]?\s?")
"""Between a name and the number that is its own: `Oak's 3.5`, `Oak (3.5`."""
_VERSUS = re.compile(r"[%)]*\s*(?:vs\b|versus\b|against\b|compared\b|than\b)")
_BEHIND_VERSUS = re.compile(r"\b(?:vs\.?|versus|against|than)\s[^.;,]{0,30}$")


@dataclass
class _Column:
    """What the text says of the rows of a column."""

    moved: dict[tuple[int, int], list[tuple[Number, Candidate]]] = field(default_factory=lambda: defaultdict(list))
    """By the row that is named and the one that prints it: numbers that stand in the wrong one of the two."""
    repeated: dict[tuple[int, int], list[tuple[Number, Candidate]]] = field(default_factory=lambda: defaultdict(list))
    """By the row that is named and the one whose number it repeats: numbers that stand nowhere."""
    kept: set[int] = field(default_factory=set)
    """Rows whose number the text gives them."""


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """What the text quotes, and what stands in another row and is not among that already."""
    told = set()
    for claim in quotes.find(paper):
        told.add(frozenset(plain_address(fact) for fact in claim.facts))
        yield claim
    yield from find_misplaced(paper, told)


def find_misplaced(paper: AuditedPaper, told: set[frozenset[str]]) -> Iterator[Claim]:
    """Neighbours of a column that changed places, or of which one repeats the other; without what is told already."""
    columns: dict[tuple[int, int], _Column] = defaultdict(_Column)
    sheets = {id(sheet): place for place, sheet in enumerate(paper.sheets)}
    for reading, resolver in readings(paper):
        for mention in resolver.mentions:
            if time_is_up():
                return
            number = Number(reading.sentence, mention, resolver, *resolver.best(mention))
            cells: dict[tuple[int, int], list[Candidate]] = defaultdict(list)
            for candidate in resolver.found[id(mention)] if is_quotable(mention) else ():
                cells[sheets[id(candidate.sheet)], candidate.column].append(candidate)
            for place, candidates in cells.items():
                _speak(columns[place], number, candidates, told)
    for (table, column), spoken in columns.items():
        for (named, other), numbers in spoken.moved.items():
            exchanged = spoken.moved.get((other, named), [])
            if not spoken.kept & {named, other} and not (exchanged and other < named):
                yield _claim(paper.sheets[table], column, (named, other), [*numbers, *exchanged])
        for (named, other), numbers in spoken.repeated.items():
            if named not in spoken.kept:
                yield _claim(paper.sheets[table], column, (named, other), numbers)


def _speak(column: _Column, number: Number, candidates: list[Candidate], told: set[frozenset[str]]) -> None:
    """What one number says of a column."""
    mention, resolver, text = number.mention, number.resolver, number.sentence.text
    printed = resolver.printed(mention)
    versus = _VERSUS.match(text, mention.end) or _BEHIND_VERSUS.search(text, 0, mention.start)
    right = [candidate for candidate in candidates if agrees(mention, candidate.fact, candidate.scale)]
    at_it = [
        candidate
        for candidate in candidates
        if any(_AT.fullmatch(text, name.end, mention.start) for name in resolver.called(candidate)) and not versus
    ]
    named = max(at_it or candidates, key=lambda candidate: candidate.rows)
    # Of `x vs y` and `x and y` each has its own row: names that neither go in step nor stand at it do not tell which.
    listed = versus or any(mention in run for run in resolver.lists)
    rivals = {other.row for other in candidates if other.rows > (0 if listed else _WEAKER * named.rows)}
    if at_it:
        rivals = {other.row for other in at_it}
    column.kept |= {candidate.row for candidate in right if candidate.row in rivals or candidate is named}
    sure = named.rows >= _NAMED and named.columns >= _HINTED and rivals <= {named.row}
    # A number with other digits than the cell has, or with few, is found beside it by chance.
    alike = named.fact.unit * named.scale == mention.fact.unit and not mention.loose
    sizes = [abs(fact.value * named.scale) for fact in (named.fact, *named.sheet.every(named.column))]
    inside = min(sizes) <= 10 * abs(mention.fact.value) <= 20 * max(sizes)
    own = len(re.sub(r"\D|^[0.]+|(?<=\d)[0.]+$", "", named.fact.text))
    known = len(mention.digits) >= _LEAST_DIGITS <= own + bool(printed)
    new = frozenset(map(plain_address, (mention.fact, named.fact))) not in told
    if not (sure and alike and known and inside and new) or not is_of_its_kind(number, named):
        return
    for row in (named.row - 1, named.row + 1):
        beside = [candidate for candidate in candidates if candidate.row == row]
        if printed == 1 and any(candidate.row == row for candidate in right):
            column.moved[named.row, row].append((number, named))
        elif not printed and not versus and any(other.fact.value == named.fact.value for other in beside):
            column.repeated[named.row, row].append((number, named))


def _claim(sheet: Sheet, column: int, rows: tuple[int, int], numbers: list[tuple[Number, Candidate]]) -> Claim:
    (number, cell), names = numbers[0], [sheet.rows[row].label for row in rows]
    text, fact, header = number.mention.text, cell.fact, sheet.columns[column].label
    formulas = [same(each.mention.fact, own.fact, own.scale) for each, own in numbers]
    passages = [f"“{each.sentence.short}” ({each.sentence.place(each.mention.start)})" for each, _own in numbers]
    is_moved = number.resolver.printed(number.mention) == 1
    where = f"the table prints that in the row {names[1]!r}" if is_moved else f"its row repeats that of {names[1]!r}"
    return Claim(
        f"{FAMILY} {fact.address} in another row",
        all_of(*formulas),
        f"{text} in the text is {header!r} of {names[0]!r}, which prints {fact.text}; {where}.",
        "; ".join(dict.fromkeys(passages)),
        ("The sentence speaks of that row.",),
        question=f"Which number of {header!r} has {names[0]!r}, and which {names[1]!r}?",
        family=FAMILY,
        evidence="the words choose the row before all others, and no sentence gives it the number that it prints",
    )
