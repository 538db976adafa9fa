"""Which rows and columns of which tables a sentence names: one index of all labels of a paper.

A label is called as it is printed, without its brackets, by what stands in them or what the paper says that it stands
for, by a word that an abbreviation begins, or by a word that no other label beside it has. All of these become phrases
when the index is made, each with a strength; a sentence is then looked up word by word.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import dropwhile, product

from sealtrace.paper.names.glossary import Glossary
from sealtrace.paper.names.words import named_by, stems, telling, tells, vocabulary, words
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.wording import SUMMARY, plain
from sealtrace.relations.prose import Sentence

Span = tuple[int, int]
ROW, COLUMN = 0, 1
WHOLE, SHORT, SCATTERED, PART = 1.0, 0.9, 0.6, 0.5
"""How well a passage names a line: by its label, by another name, by its words apart, or by one of them."""
_STATISTIC = re.compile(r"\(?(?:s\.?e\.?|std\.? err\w*\.?|standard errors?|p(?:[ -]?values?)?|[ntzf]|obs\w*\.?|ci)\)?")
"""Rows that are named like what any sentence gives with an estimate."""
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*\s?%?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MARKS = re.compile(r"[↑↓†‡*§]|\[…\]")
_PREFIX = re.compile(r"(?!no|un|w/o)([A-Za-z]{2,})[-_:/](?=[A-Za-z])")
_DATED = ("in", "by", "of", "for", "and", "to", "from", "since")
_GIVEN = re.compile(r"(?:\b(?:at|with|under|for|in|the|of|to|from|and|or)|,|[(=])\s*$", re.I)
MOST_NUMBERED = 60
"""Rows of a table of which text picks one by its number."""
MOST_PHRASES = 12


@dataclass(frozen=True)
class Name:
    """A row or a column, where a sentence calls it."""

    sheet: int
    axis: int
    place: int
    start: int
    end: int
    strength: float
    part: int = 0
    parts: int = 1
    """Which part of its label is called, of how many that have to be called: a block and a row in it."""

    @property
    def line(self) -> tuple[int, int, int]:
        """What is called."""
        return self.sheet, self.axis, self.place

    def away(self, start: int, end: int) -> int:
        """How many letters lie between it and a passage."""
        return max(self.start - end, start - self.end, 0)


@dataclass(frozen=True)
class _Phrase:
    """One way to call one part of a label; a line with several parts is called by all of them."""

    line: tuple[int, int, int]
    part: int
    stems: tuple[str, ...]
    strength: float
    percent: bool = False
    """Whether it is a bare number: then a sign and a word before it have to make it a name."""


@lru_cache(maxsize=2)
def index_of(paper: AuditedPaper) -> Index:
    """The index of a paper, made once."""
    return Index(paper)


class Index:
    """The labels of every table of a paper."""

    def __init__(self, paper: AuditedPaper) -> None:
        self.paper = paper
        self._texts = [sentence.text for sentence in paper.sentences]
        self._parts: dict[tuple[int, int, int], int] = {}
        self._starting: dict[str, list[_Phrase]] = defaultdict(list)
        for place, sheet in enumerate(paper.sheets):
            self._add(place, ROW, _row_parts(sheet), _heads(sheet))
            self._add(place, COLUMN, _column_parts(sheet), frozenset())

    @cached_property
    def _aliases(self) -> Glossary:
        return Glossary.of(self._texts)

    @cached_property
    def _words(self) -> frozenset[str]:
        """Every word of the running text."""
        return frozenset().union(*map(vocabulary, self._texts))

    @cached_property
    def captions(self) -> list[frozenset[str]]:
        """Of each table the telling words of its caption that no other caption has."""
        every = [frozenset(word for word in vocabulary(sheet.caption) if tells(word)) for sheet in self.paper.sheets]
        counts = Counter(word for words_ in every for word in words_)
        return [frozenset(word for word in words_ if counts[word] == 1) for words_ in every]

    @cached_property
    def printed(self) -> Counter[tuple[Fraction, Fraction]]:
        """How many cells print a size, with its last place."""
        facts = self.paper.facts.every()
        return Counter((abs(fact.value), fact.unit) for fact in facts if fact.table is not None)

    @cached_property
    def sizes(self) -> list[dict[tuple[int, int], tuple[float, float]]]:
        """Of each table the least and the greatest size in each row (row, -1) and each column (-1, column)."""
        return [_sizes(sheet) for sheet in self.paper.sheets]

    # Phrases

    def _add(self, sheet: int, axis: int, lines: dict[int, list[str]], heads: frozenset[str]) -> None:
        """Takes in the lines of one axis: a part that only one of them has calls it alone."""
        counts = Counter(part for parts in lines.values() for part in dict.fromkeys(parts))
        own = Counter(word for parts in lines.values() for word in {word for part in parts for word in named_by(part)})
        for place, parts in lines.items():
            alone = [part for part in parts if counts[part] == 1]
            needed = alone[:1] if axis == ROW else alone[-1:]
            needed = needed or parts[:2]
            line = (sheet, axis, place)
            self._parts[line] = len(needed)
            for number, part in enumerate(needed):
                for found in self._phrases(part, lines.values(), heads):
                    self._starting[found.stems[0]].append(replace(found, line=line, part=number))
                for word in named_by(part):
                    if own[word] == 1 and len(named_by(part)) > 1 and (len(word) > 3 and word.isalpha()):
                        self._starting[word].append(_Phrase(line, number, (word,), PART))

    def _phrases(self, label: str, others: Iterable[list[str]], heads: frozenset[str]) -> Iterator[_Phrase]:
        text = _MARKS.sub("", label).strip()
        bare, inside = re.sub(r"\s*[(\[].*?[)\]]", "", text).strip(), re.findall(r"[(\[](.*?)[)\]]", text)
        named = [(text, WHOLE), (bare, WHOLE), *((name, SHORT) for name in self._aliases.of_label(bare))]
        if bare:
            named += [(name, PART) for name in inside if len(named_by(name)) > 0 and not name.endswith(".")]
        prefix = _PREFIX.match(bare)
        if prefix and sum(parts[0].startswith(prefix[0]) for parts in others if parts) > 2:
            named.append((bare[prefix.end() :], SHORT))
        seen = set()
        for name, strength in named:
            for spelled in self._spellings(name):
                # `All old trees` are called old trees, too.
                shorter = tuple(dropwhile(lambda stem: not tells(stem), spelled))
                for said in (spelled, shorter) if len(shorter) > 1 else (spelled,):
                    if said not in seen and _is_name(said):
                        seen.add(said)
                        yield _Phrase((0, 0, 0), 0, said, strength)
        if _NUMBER.fullmatch(bare):
            number = stems(bare)
            for head in (*heads, *(_DATED if _YEAR.fullmatch(bare) else ())):
                yield _Phrase((0, 0, 0), 0, (*stems(head), *number), SHORT)
            if bare.endswith("%"):
                yield _Phrase((0, 0, 0), 0, number, SCATTERED, percent=True)
        elif not seen and len(stems(bare)) == 1 and len(bare) > 3:
            # A word that says little by itself: `for the model`.
            for link in ("for", "of", "by"):
                yield _Phrase((0, 0, 0), 0, (link, "the", *stems(bare)), SHORT)

    def _spellings(self, name: str) -> Iterator[tuple[str, ...]]:
        """The stems of a name, words that it abbreviates written out: `Misinfo.` for misinformation."""
        choices = []
        for match in re.finditer(r"[^\W\d_]+(\.)?|\d+(?:[.,]\d+)*", name):
            stem = next(iter(stems(match[0])), "")
            options = [stem]
            if len(stem) > 2 and (match[1] or (len(stem) > 3 and stem not in self._words)):
                options += sorted(word for word in self._words if word.startswith(stem) and len(word) > len(stem) + 1)[
                    :4
                ]
            choices.append(options)
        if choices:
            yield from [said for said, _ in zip(product(*choices), range(MOST_PHRASES), strict=False)]

    # Looking up

    def names(self, text: str) -> list[Name]:
        """Every line that a text names, the longest names first where several stand at one place."""
        given = words(text)
        called: dict[tuple[int, int, int], dict[int, list[Name]]] = {}
        for place, (word, start, _end) in enumerate(given):
            for found in self._starting.get(word, ()):
                last = _follow(given, place, found.stems)
                if last is None:
                    continue
                whole, end = last - place == len(found.stems) - 1, given[last][2]
                if found.percent and not (text[end : end + 1] == "%" and _GIVEN.search(text[:start])):
                    continue
                if _joined(text, start, end) or not (whole or found.strength >= SHORT):
                    continue
                strength = found.strength if whole else SCATTERED
                name = Name(*found.line, start, end, strength, found.part, self._parts[found.line])
                called.setdefault(found.line, {}).setdefault(found.part, []).append(name)
        return _longest([name for parts in called.values() for names in parts.values() for name in _strongest(names)])

    def spoken(self, sentence: Sentence) -> list[Spoken]:
        """What a sentence names of each table: rows by all their words, columns also by one."""
        names = [name for name in self.of(sentence) if name.axis == COLUMN or name.strength >= SCATTERED]
        found = []
        for place in sorted({name.sheet for name in names}):
            sheet, own = self.paper.sheets[place], [name for name in names if name.sheet == place]
            referred = sheet.label.split("#")[0] in sentence.references or is_of(sentence, sheet)
            found.append(Spoken(sheet, _called(own, ROW), _called(own, COLUMN), referred))
        return [spoken for spoken in found if spoken.rows or spoken.columns]

    def of(self, sentence: Sentence) -> list[Name]:
        """What a sentence names; in a caption, of its own table only."""
        found = self.names(sentence.text)
        if not sentence.caption:
            return found
        own = {place for place, sheet in enumerate(self.paper.sheets) if is_of(sentence, sheet)}
        return [name for name in found if name.sheet in own] if own else found


def _sizes(sheet: Sheet) -> dict[tuple[int, int], tuple[float, float]]:
    """The least and the greatest size in each row and each column, in percent also where they are shares."""
    found: dict[tuple[int, int], list[float]] = defaultdict(list)
    for (row, column), entry in sheet.entries.items():
        for fact in entry.facts[:1]:
            size = float(abs(fact.value))
            for line in ((row, -1), (-1, column)):
                found[line] += [size, size * 100] if size <= 1 else [size]
    return {line: (min((size for size in sizes if size), default=0.0), max(sizes)) for line, sizes in found.items()}


def _called(names: Iterable[Name], axis: int) -> dict[int, list[Span]]:
    """Lines of which every part is called, with the passages that call the last of them."""
    found: dict[int, list[Name]] = {}
    for name in (name for name in names if name.axis == axis):
        found.setdefault(name.place, []).append(name)
    whole = {place: own for place, own in found.items() if len({name.part for name in own}) == own[0].parts}
    return {
        place: [(name.start, name.end) for name in own if name.part == own[0].parts - 1] for place, own in whole.items()
    }


def _strongest(names: list[Name]) -> list[Name]:
    """Of the passages that call one part those that do it best."""
    best = max(name.strength for name in names)
    return [name for name in names if name.strength in (best, WHOLE, SHORT)]


def is_of(sentence: Sentence, sheet: Sheet) -> bool:
    """Whether a sentence stands in a table's caption."""
    return sentence.caption and sentence.text[:60] in sheet.caption


@dataclass(frozen=True)
class Spoken:
    """What a sentence names of one table: places of rows and columns with the passages that call them."""

    sheet: Sheet
    rows: dict[int, list[Span]]
    columns: dict[int, list[Span]]
    referred: bool
    """Whether it refers to the table, or is its caption."""

    def turned(self) -> Spoken:
        """Rows as columns."""
        return Spoken(self.sheet.turned(), self.columns, self.rows, self.referred)


def _row_parts(sheet: Sheet) -> dict[int, list[str]]:
    """The texts by which each row is called."""
    found = {}
    for row, line in enumerate(sheet.rows):
        cells = sheet.table.rows[row].texts
        texts = [
            text
            for column, text in enumerate(cells)
            if not ((entry := sheet.entries.get((row, column))) is not None and entry.facts) and stems(text)
        ][:3]
        texts = texts or ([line.label] if stems(line.label) else [])
        if texts and not (SUMMARY.fullmatch(plain(texts[0])) or _STATISTIC.fullmatch(plain(texts[0]))):
            found[row] = texts
    return found


def _column_parts(sheet: Sheet) -> dict[int, list[str]]:
    return {
        column: parts
        for column in sheet.numeric_columns()
        if (parts := [part for part in sheet.columns[column].label.split(" / ") if stems(part)])
    }


def _heads(sheet: Sheet) -> frozenset[str]:
    """What stands above the names of the rows: `order` of order 3, `c` of c = 1.5."""
    if len(sheet.rows) > MOST_NUMBERED:
        return frozenset()
    header = sheet.table.columns[0].label
    return frozenset({header, header.split(" / ")[-1], *re.findall(r"\((.*?)\)", header), *header.split()[-1:]}) - {""}


def _follow(given: tuple[tuple[str, int, int], ...], place: int, stems: tuple[str, ...]) -> int | None:
    """Where the words of a name end that begins at a place: one after the other, each with one word between at most."""
    for stem in stems[1:]:
        after = (place + 1, place + 2) if tells(stem) else (place + 1,)
        place = next((other for other in after if other < len(given) and given[other][0] == stem), -1)
        if place < 0:
            return None
    return place


def _is_name(stems: tuple[str, ...]) -> bool:
    return bool(telling(stems)) and any(stem[0].isalpha() for stem in stems) and sum(map(len, stems)) > 1


def _joined(text: str, start: int, end: int) -> bool:
    """Whether a short name is only a piece of a longer one: MT in MT-Deep."""
    if not re.fullmatch(r"[A-Z\d]+", text[start:end]):
        return False
    return re.match(r"[-_]\w", text[end:]) is not None or re.search(r"\w[-_]$", text[:start]) is not None


def _longest(names: list[Name]) -> list[Name]:
    """Names without those that are only a piece of a longer one on the same axis of the same table."""
    groups: dict[tuple[int, int, int], list[Name]] = defaultdict(list)
    for name in names:
        if name.strength > SCATTERED:
            groups[name.sheet, name.axis, name.part].append(name)
    return [
        name
        for name in names
        if not any(
            other.start <= name.start
            and name.end <= other.end
            and (other.end - other.start > name.end - name.start or other.strength > name.strength)
            for other in groups[name.sheet, name.axis, name.part]
        )
    ]
