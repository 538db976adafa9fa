"""The same thing in two tables: what both print of one entity is the same number, where it is for most entities."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, groupby, islice, product
from operator import itemgetter

from sealtrace.paper.names.words import stems, telling
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.facts import PrintedCell
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.wording import SUMMARY, plain, real, same
from sealtrace.relations.work import time_is_up

FAMILY = "same in two tables"
LEAST_ROWS = 3
"""So many entities must agree before another one may be said to disagree."""
_MOST_DIFFERENT = 4
"""So many numbers of two tables may differ: two that changed places, or one that two columns repeat."""
MOST_CHANCE = 0.002
_ALIKE = 0.9
"""Of the cells that two tables of one shape both have, so many agree where both print the same quantity."""


Entities = dict[tuple[str, ...], tuple[int, int]]
"""What rows are about, with the row and the column behind which its numbers stand."""
Pair = tuple[tuple[str, ...], PrintedNumber, PrintedNumber]
"""An entity, and what each of the two tables prints of it."""


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every pair of columns, of two tables, that print the same numbers for most of the entities that both name."""
    ways = [(way, entities(way)) for sheet in paper.sheets for way in (sheet, sheet.turned())]
    index = _Index(ways)
    for number in range(len(paper.sheets)):
        if time_is_up():
            return
        for _other, columns in groupby(sorted(index.agreeing(number)), key=itemgetter(0)):
            pairs = groupby(columns, key=itemgetter(1, 2))
            tables = ((_Tables(*ways[mine], *ways[other]), together) for (mine, other), together in pairs)
            matches = [match for both, several in tables for match in both.matches([one[3:] for one in several])]
            # Two tables that differ in several places print different things, alike as they may be.
            differing = {fact.plain_address for match in matches for _name, *facts in match.differ for fact in facts}
            for match in matches:
                if not match.differ or len(differing) <= _MOST_DIFFERENT:
                    yield from match.claims()


_Entry = tuple[float, float, int, int, PrintedNumber]
"""A value, how far from it its number may lie, the way of reading a table, the column, and what is printed there."""
_ROUNDED = 1e-9
"""More than what floats lose of a value."""


class _Index:
    """What tables print, as printed and turned, by entity: only those that print the same are compared."""

    def __init__(self, ways: list[tuple[Sheet, Entities]]) -> None:
        both = zip(ways[::2], ways[1::2], strict=True)
        tables = Counter(name for (_, mine), (_, turned) in both for name in mine.keys() | turned.keys())
        self._entries: list[list[tuple[tuple[str, ...], _Entry]]] = [
            [
                (name, _entry(fact, way, column))
                for name, place in named.items()
                if tables[name] > 1
                for column in sheet.numeric_columns()
                if (fact := _number(sheet, place, column)) is not None
            ]
            for way, (sheet, named) in enumerate(ways)
        ]
        found: dict[tuple[str, ...], dict[Fraction, list[_Entry]]] = {}
        for name, entry in chain.from_iterable(self._entries):
            found.setdefault(name, {}).setdefault(entry[-1].unit, []).append(entry)
        # Of one entity and one unit, in order, with the farthest that a value may lie from what is printed.
        self._ordered = {
            name: [(sorted(own, key=itemgetter(0)), max(entry[1] for entry in own)) for own in units.values()]
            for name, units in found.items()
        }

    def agreeing(self, number: int) -> list[tuple[int, int, int, int, int]]:
        """Columns of a table and of later ones that meet for entities enough: other table, both ways, both columns."""
        often: Counter[tuple[int, int, int, int, int]] = Counter()
        for mine in (2 * number, 2 * number + 1):
            for name, (value, reach, _way, left, fact) in self._entries[mine]:
                for entries, farthest in self._ordered[name]:
                    # Floats find a little more than there is; what is printed decides.
                    room = (reach + farthest) * (1 + _ROUNDED) + abs(value) * _ROUNDED
                    start = bisect_left(entries, value - room, key=itemgetter(0))
                    for near, _reach, other, right, their in islice(entries, start, None):
                        if near > value + room:
                            break
                        if other // 2 > number and _meets(fact, their):
                            often[other // 2, mine, other, left, right] += 1
        # Of four entities, two changed places.
        return [columns for columns, count in often.items() if count >= LEAST_ROWS - 1]


def _entry(fact: PrintedNumber, way: int, column: int) -> _Entry:
    whole = real(fact).fact
    return float(fact.value), float(max(whole.value - whole.low, whole.high - whole.value)), way, column, fact


def entities(sheet: Sheet) -> Entities:
    """The words of the text cells of rows; a name that stands in several rows names none of them."""
    found: dict[tuple[str, ...], tuple[int, int] | None] = {}
    for row, line in enumerate(sheet.rows):
        cells = enumerate(sheet.table.rows[row].texts) if not sheet.is_turned else ()
        named = [(column, text) for column, text in cells if not sheet.entries.get((row, column), _NO_CELL).facts]
        for column, text in ((0, line.label), *named):
            # A row's number, `(3) Oak`, is no part of its name.
            words = stems(re.sub(r"(^|/ )\(\d+\) ", r"\1", text))
            if telling(words) and not SUMMARY.fullmatch(plain(text)) and sum(map(len, words)) > 1:
                known = found.get(words, (row, column))
                found[words] = (row, column) if known is not None and known[0] == row else None
    return {name: place for name, place in found.items() if place is not None}


_NO_CELL = PrintedCell("", "", ())


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
        often = f"{len(self.agree)} of {len(self.agree) + len(self.differ)} entities that both tables name"
        for name, a, b in (*self.agree, *self.differ):
            yield Claim(
                f"{FAMILY} {a.address} {b.address}",
                same(a, b),
                f"{self.names} are the same for {' '.join(name)!r}.",
                self.place.format(a.line, b.line),
                ("Both are of the same entity and the same quantity.",),
                question=f"Is it {a.text} or {b.text}?",
                family=FAMILY,
                evidence=f"they agree for {often}",
                chance=min(1.0, self.chance),
                telling=self.is_sturdy,
            )


@dataclass(frozen=True)
class _Tables:
    """Two tables, and what their rows are about."""

    sheet: Sheet
    mine: Entities
    other: Sheet
    theirs: Entities

    def pairs(self, left: int, right: int) -> list[Pair]:
        """What a column of the one and a column of the other print of the entities that both name."""
        shared = [name for name in self.mine if name in self.theirs]
        numbers = [
            (name, _number(self.sheet, self.mine[name], left), _number(self.other, self.theirs[name], right))
            for name in shared
        ]
        return [(name, a, b) for name, a, b in numbers if a is not None and b is not None]

    def matches(self, columns: Iterable[tuple[int, int]]) -> Iterator[_Match]:
        """Those of some pairs of columns that print the same quantity."""
        heads = self._heads
        both = set(heads[0].values()) & set(heads[1].values())
        for left, right in columns:
            names = {heads[0][left], heads[1][right]}
            # One of them stands in the other table under its own name, or they are of two settings.
            apart = len(names) == 2 and (names & both or len(set(map(_settings, names))) == 2)
            if not apart and not (len(names) == 1 and self._is_parallel):
                yield from self.match(left, right, is_same=len(names) == 1)

    @cached_property
    def _heads(self) -> list[dict[int, str]]:
        sheets = self.sheet, self.other
        return [{column: plain(sheet.columns[column].label) for column in sheet.numeric_columns()} for sheet in sheets]

    @cached_property
    def _is_parallel(self) -> bool:
        """Whether they have the same rows and columns, and print different things in them."""
        mine, theirs = self._heads
        same = [(left, right) for left, right in product(mine, theirs) if mine[left] == theirs[right]]
        alike = [_meets(a, b) for left, right in same for _name, a, b in self.pairs(left, right)]
        return len(same) > 1 and sum(alike) < _ALIKE * len(alike)

    def match(self, left: int, right: int, *, is_same: bool) -> Iterator[_Match]:
        """Two columns, where they agree far more often than chance."""
        pairs = self.pairs(left, right)
        # Different precision of the same quantity is compared as intervals; a count says little.
        agree = [pair for pair in pairs if _meets(pair[1], pair[2])]
        differ = [pair for pair in pairs if not _meets(pair[1], pair[2])]
        swapped = len(differ) == 2 and _meets(differ[0][1], differ[1][2]) and _meets(differ[1][1], differ[0][2])
        least = LEAST_ROWS if is_same or not differ else LEAST_ROWS + 1
        if len(agree) < least - swapped or len(differ) > 1 + swapped:
            return
        values = {pair[1].value for pair in pairs}
        width = float(max(values) - min(values)) or 1.0
        # Two numbers that changed places agree as well as any others once they are put back.
        agreeing = pairs if swapped else agree
        distinct = {pair[1].value for pair in agreeing}
        digits = sum(-math.log10(min(1.0, 2 * float(max(a.unit, b.unit)) / width)) for _name, a, b in agreeing)
        digits *= len(distinct) / len(agreeing)
        tried = len(self.sheet.columns) * len(self.other.columns) * 20
        most = 20 * MOST_CHANCE if is_same else MOST_CHANCE
        chance, fewer = (tried * 10.0 ** -(digits * share) for share in (1, (len(agree) - 1) / max(len(agree), 1)))
        if chance <= most and len(distinct) > 1:
            labels = self.sheet.columns[left].label, self.other.columns[right].label
            names = f"{labels[0]!r} of {self.sheet.label} and {labels[1]!r} of {self.other.label}"
            place = f"{self.sheet.source}:{{0}} and {self.other.source}:{{1}}"
            sturdy = bool(differ) or (fewer <= most and len(agree) > LEAST_ROWS + (not is_same))
            yield _Match(names, place, agree, differ, chance, sturdy)


def _settings(label: str) -> tuple[str, ...]:
    """The numbers in a header: a limit, a size, a level."""
    return tuple(word for word in stems(label) if word[0].isdecimal())


def _number(sheet: Sheet, place: tuple[int, int], column: int) -> PrintedNumber | None:
    return sheet.number(place[0], column) if column > place[1] or place[1] == 0 else None


def _meets(a: PrintedNumber, b: PrintedNumber) -> bool:
    """Whether two numbers may be one: with as many digits the same digits, else roundings of one."""
    return a.value == b.value if a.unit == b.unit else real(a).fact.touches(real(b).fact)
