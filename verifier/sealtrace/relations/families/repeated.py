"""The same thing in two tables: what both print of one entity is the same number, where it is for most entities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact, plain_address
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import SUMMARY, plain, real
from sealtrace.relations.lexicon import phrase, telling
from sealtrace.relations.syntax import equal
from sealtrace.relations.work import time_is_up

FAMILY = "same in two tables"
LEAST_ROWS = 3
"""So many entities must agree before another one may be said to disagree."""
_MOST_DIFFERENT = 4
"""So many numbers of two tables may differ: two that changed places, or one that two columns repeat."""
MOST_CHANCE = 0.002
_ALIKE = 0.9
"""Of the cells that two tables of one shape both have, so many agree where both print the same quantity."""


def find(paper: Paper) -> Iterator[Claim]:
    """Every pair of columns, of two tables, that print the same numbers for most of the entities that both name."""
    known = [[(way, entities(way)) for way in (sheet, sheet.turned())] for sheet in paper.sheets]
    for first, second in combinations(known, 2):
        if time_is_up():
            return
        matches = [
            match for sheet, mine in first for other, theirs in second for match in _matches(sheet, other, mine, theirs)
        ]
        # Two tables that differ in several places print different things, alike as they may be.
        differing = {plain_address(fact) for match in matches for _name, *facts in match.differ for fact in facts}
        for match in matches:
            if not match.differ or len(differing) <= _MOST_DIFFERENT:
                yield from match.claims()


Entities = dict[tuple[str, ...], tuple[int, int]]
Pair = tuple[tuple[str, ...], Fact, Fact]
"""An entity, and what each of the two tables prints of it."""


@dataclass(frozen=True)
class _Match:
    """Two columns, of two tables, that agree for most entities."""

    names: str
    place: str
    agree: list[Pair]
    differ: list[Pair]
    chance: float
    is_sturdy: bool
    """Whether it would be believed with one entity fewer: only then could an error be noticed by it."""

    def claims(self) -> Iterator[Claim]:
        """What it says of every entity."""
        for name, a, b in (*self.agree, *self.differ):
            yield Claim(
                f"{FAMILY} {a.address} {b.address}",
                equal(real(a), real(b)),
                f"{self.names} are the same for {' '.join(name)!r}.",
                self.place.format(a.line, b.line),
                ("Both are of the same entity and the same quantity.",),
                question=f"Is it {a.text} or {b.text}?",
                family=FAMILY,
                evidence=f"they agree for {len(self.agree)} of {len(self.agree) + len(self.differ)} entities that both "
                "tables name",
                chance=min(1.0, self.chance),
                telling=self.is_sturdy,
            )


def _matches(first: Sheet, other: Sheet, mine: Entities, theirs: Entities) -> Iterator[_Match]:
    shared = [name for name in mine if name in theirs]
    if len(shared) < LEAST_ROWS:
        return
    parallel = _parallel(first, other, mine, theirs, shared)
    heads = [{plain(sheet.columns[place].label) for place in sheet.numeric_columns()} for sheet in (first, other)]
    for left, right in product(first.numeric_columns(), other.numeric_columns()):
        names = {plain(first.columns[left].label), plain(other.columns[right].label)}
        if len(names) == 1 and parallel:
            continue
        if len(names) == 2 and (names & heads[0] & heads[1] or len({_settings(name) for name in names}) == 2):
            # One of them stands in the other table under its own name, or they are of two settings.
            continue
        pairs = [
            (name, a, b)
            for name in shared
            if (a := _number(first, mine[name], left)) is not None
            and (b := _number(other, theirs[name], right)) is not None
        ]
        if (match := _match(first, other, left, right, pairs)) is not None:
            yield match


def _settings(label: str) -> tuple[str, ...]:
    """The numbers in a header: a limit, a size, a level."""
    return tuple(word for word in phrase(label) if word[0].isdecimal())


def _parallel(sheet: Sheet, other: Sheet, mine: Entities, theirs: Entities, shared: list[tuple[str, ...]]) -> bool:
    """Whether two tables have the same rows and columns and print different things in them."""
    heads = {plain(other.columns[right].label): right for right in other.numeric_columns()}
    both = [
        (left, heads[name]) for left in sheet.numeric_columns() if (name := plain(sheet.columns[left].label)) in heads
    ]
    pairs = [
        (a, b)
        for left, right in both
        for name in shared
        if (a := _number(sheet, mine[name], left)) is not None
        and (b := _number(other, theirs[name], right)) is not None
    ]
    return len(both) > 1 and sum(_meets(a, b) for a, b in pairs) < _ALIKE * len(pairs)


def entities(sheet: Sheet) -> Entities:
    """What rows are about, by the words of their text cells; with the column behind which its numbers stand."""
    found: dict[tuple[str, ...], tuple[int, int] | None] = {}
    for row, line in enumerate(sheet.rows):
        texts = [(0, line.label)]
        if not sheet.is_turned and sheet.record:
            texts += [
                (column, text)
                for column, text in enumerate(sheet.record["rows"][row]["cells"])
                if (row, column) not in sheet.entries or not sheet.entries[row, column].facts
            ]
        for column, text in texts:
            words = phrase(text)
            if telling(words) and not SUMMARY.fullmatch(plain(text)) and sum(map(len, words)) > 1:
                place = (row, column)
                known = found.get(words, place)
                # A name that stands in several rows names none of them.
                found[words] = place if known is not None and known[0] == row else None
    return {name: place for name, place in found.items() if place is not None}


def _number(sheet: Sheet, place: tuple[int, int], column: int) -> Fact | None:
    return sheet.number(place[0], column) if column > place[1] or place[1] == 0 else None


def _match(sheet: Sheet, other: Sheet, left: int, right: int, pairs: list[Pair]) -> _Match | None:
    # Different precision of the same quantity is compared as intervals; a count says little.
    agree = [pair for pair in pairs if _meets(pair[1], pair[2])]
    differ = [pair for pair in pairs if not _meets(pair[1], pair[2])]
    swapped = len(differ) == 2 and _meets(differ[0][1], differ[1][2]) and _meets(differ[1][1], differ[0][2])
    same = plain(sheet.columns[left].label) == plain(other.columns[right].label)
    least = LEAST_ROWS if same or not differ else LEAST_ROWS + 1
    if len(agree) < least - swapped or len(differ) > 1 + swapped:
        return None
    values = {pair[1].value for pair in pairs}
    width = float(max(values) - min(values)) or 1.0
    # Two numbers that changed places agree as well as any others once they are put back.
    agreeing = pairs if swapped else agree
    distinct = {pair[1].value for pair in agreeing}
    digits = sum(-math.log10(min(1.0, 2 * float(max(a.unit, b.unit)) / width)) for _name, a, b in agreeing)
    digits *= len(distinct) / len(agreeing)
    tried = len(sheet.columns) * len(other.columns) * 20
    most = 20 * MOST_CHANCE if same else MOST_CHANCE
    chance = tried * 10.0**-digits
    if chance > most or len(distinct) < 2:
        return None
    fewer = tried * 10.0 ** -(digits * (len(agree) - 1) / max(len(agree), 1))
    sturdy = bool(differ) or (fewer <= most and len(agree) > LEAST_ROWS + (not same))
    names = f"{sheet.columns[left].label!r} of {sheet.label} and {other.columns[right].label!r} of {other.label}"
    place = f"{sheet.source}:{{0}} and {other.source}:{{1}}"
    return _Match(names, place, agree, differ, chance, sturdy)


def _meets(a: Fact, b: Fact) -> bool:
    return real(a).fact.interval.touches(real(b).fact.interval)
