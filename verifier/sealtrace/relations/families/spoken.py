"""Which rows and columns a sentence speaks of, by the words of their labels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import SUMMARY, plain
from sealtrace.relations.lexicon import aliases_of, named_by, phrase, spoken_of, vocabulary, words
from sealtrace.relations.prose import Sentence

Span = tuple[int, int]
_STATISTIC = re.compile(r"\(?(?:s\.?e\.?|std\.? err\w*\.?|standard errors?|p(?:[ -]?values?)?|[ntzf]|obs\w*\.?|ci)\)?")
"""Rows that are named like what any sentence gives with an estimate."""


@dataclass(frozen=True)
class Label:
    """A row or a column of a sheet, with the ways in which text may call it."""

    place: int
    names: tuple[tuple[str, ...], ...]
    """Groups of names: of each group one must be spoken of."""
    exact: bool = False
    """Whether its words must stand together."""

    def spans(self, text: str) -> list[Span]:
        """Where text calls it; nothing where one of its groups is not called."""
        found: list[Span] = []
        if self.exact:
            return [span for name in self.names[0] for span in spoken_of(name, text)]
        if not all(any(_words(name) & vocabulary(text) for name in group) for group in self.names):
            return found
        for group in self.names:
            spans = [span for name in group for span in spoken_of(name, text)]
            if not spans:
                spans = [span for name in group for span in _scattered(name, text)]
            if not spans:
                return []
            found += spans
        return found


@dataclass(frozen=True)
class Spoken:
    """What a sentence says of one sheet."""

    sheet: Sheet
    rows: dict[int, list[Span]]
    columns: dict[int, list[Span]]
    named: bool
    """Whether it refers to the table, or is its caption."""


@dataclass
class Index:
    """The labels of every table of a paper."""

    paper: Paper
    _known: dict[int, tuple[list[Label], list[Label]]] = field(default_factory=dict)

    @cached_property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Short names and what they stand for."""
        return aliases_of([one.text for one in self.paper.sentences])

    def labels(self, sheet: Sheet) -> tuple[list[Label], list[Label]]:
        """The rows and the columns of a sheet that have names."""
        if id(sheet) not in self._known:
            self._known[id(sheet)] = (self._rows(sheet), self._columns(sheet))
        return self._known[id(sheet)]

    @cached_property
    def _speaking(self) -> dict[str, set[int]]:
        """For each word that names something, the places of the sheets whose labels have it."""
        found: dict[str, set[int]] = {}
        for place, sheet in enumerate(self.paper.sheets):
            for name in {name for label in chain(*self.labels(sheet)) for group in label.names for name in group}:
                for word in _words(name):
                    found.setdefault(word, set()).add(place)
        return found

    def _rows(self, sheet: Sheet) -> list[Label]:
        found = []
        texts = [_texts(sheet, row) for row in range(len(sheet.rows))]
        for row, own in enumerate(texts):
            if not own or SUMMARY.fullmatch(plain(own[0])) or _STATISTIC.fullmatch(plain(own[0])):
                continue
            # A name that several rows share does not tell them apart: then the next does, or both are needed.
            alone = [
                name
                for place, name in enumerate(own[:2])
                if sum(one[place : place + 1] == [name] for one in texts) == 1
            ]
            groups = [name for name in alone[:1] if name] or own[:2]
            names = tuple((name, *self._meanings(name), *_shorter(name, texts)) for name in groups)
            found.append(Label(row, names))
        return found + _numbered(sheet)

    def _columns(self, sheet: Sheet) -> list[Label]:
        found = []
        for column in sheet.numeric_columns():
            parts = [part for part in sheet.columns[column].label.split(" / ") if phrase(part)]
            found.append(Label(column, tuple((part, *self._meanings(part)) for part in parts)))
        return found

    def _meanings(self, name: str) -> tuple[str, ...]:
        plain_name = re.sub(r"[↑↓†‡*]", "", name).strip()
        return tuple(self.aliases.get(plain_name, ()))[:3]

    def spoken(self, sentence: Sentence, before: str = "") -> list[Spoken]:
        """What a sentence says of each sheet of which it names a row or a column.

        Rows that it does not name itself may be named, in part or whole, by the sentences before it.
        """
        found = []
        whole = f"{sentence.text} {before}"
        for place in sorted(set().union(*(self._speaking.get(word, ()) for word in vocabulary(whole)))):
            sheet = self.paper.sheets[place]
            if sentence.caption and sheet.caption and sentence.text[:60] not in sheet.caption:
                continue
            rows, columns = self.labels(sheet)
            called = {one.place: spans for one in rows if (spans := one.spans(sentence.text))}
            heads = {one.place: spans for one in columns if (spans := _loosely(one, sentence.text))}
            if before and not called:
                called = {one.place: spans for one in rows if (spans := one.spans(whole))}
            if before and not heads:
                heads = {one.place: spans for one in columns if (spans := _loosely(one, whole))}
            if called or heads:
                found.append(Spoken(sheet, called, heads, sheet.label.split("#")[0] in sentence.references))
        return found


def _words(name: str) -> frozenset[str]:
    """The words by one of which a name is spoken of."""
    return named_by(name) or vocabulary(name)


def _scattered(name: str, text: str) -> list[Span]:
    """Where all telling words of a longer name stand, in whatever order."""
    wanted = named_by(name)
    if len(wanted) < 2 or not wanted <= vocabulary(text) or not any(word[0].isalpha() for word in wanted):
        return []
    return list({word: (start, end) for word, start, end in words(text) if word in wanted}.values())


_PREFIX = re.compile(r"(?!no|un|w/o)([A-Za-z]{2,})[-_:/](?=[A-Za-z])")


def _shorter(name: str, texts: list[list[str]]) -> list[str]:
    """A label without what several labels begin with: `HYP16` for `sub-HYP16`."""
    found = _PREFIX.match(name)
    return (
        [name[found.end() :]] if found and sum(bool(one) and one[0].startswith(found[0]) for one in texts) > 2 else []
    )


_YEAR = re.compile(r"(?:19|20)\d\d")
MOST_NUMBERED = 60
"""Rows of a table of which text picks one by its number."""


def _numbered(sheet: Sheet) -> list[Label]:
    """Rows that are called by a number, with the word that heads them: `order 3`, `c = 1.5`, `head 9:1`."""
    if sheet.is_turned or not sheet.record or len(sheet.rows) > MOST_NUMBERED:
        return []
    header = sheet.record["columns"][0]["label"]
    heads = {header, header.split(" / ")[-1], *re.findall(r"\((.*?)\)", header), *header.split()[-1:]}
    dated = {"in", "by", "of", "for", "and", "to", "from", "since"}
    cells = [line.first for line in sheet.rows]
    return [
        Label(
            row, (tuple(f"{head} {cell}" for head in sorted(heads | dated if _YEAR.fullmatch(cell) else heads)),), True
        )
        for row, cell in enumerate(cells)
        if re.fullmatch(r"\d+(?:[.,:/-]\d+)*", cell.strip()) and cells.count(cell) == 1
    ]


def _texts(sheet: Sheet, row: int) -> list[str]:
    """The text cells of a row, from left to right."""
    if sheet.is_turned or not sheet.record:
        return [sheet.rows[row].label]
    cells = sheet.record["rows"][row]["cells"]
    found = []
    for column, text in enumerate(cells):
        entry = sheet.entries.get((row, column))
        if (entry is None or not entry.facts) and phrase(text) and any(word[0].isalpha() for word in phrase(text)):
            found.append(text)
    label = sheet.rows[row].label
    return found if found else [label] if any(word[0].isalpha() for word in phrase(label)) else []


def _loosely(label: Label, text: str) -> list[Span]:
    """Where text calls a column: by its name, or by most of the words of its name or of its meaning."""
    if not any(named_by(name) & vocabulary(text) for group in label.names for name in group):
        return []
    if spans := label.spans(text):
        return spans
    given = words(text)
    found: list[Span] = []
    for group in label.names:
        best: list[Span] = []
        for name in group:
            wanted = named_by(name)
            if wanted and len(wanted & vocabulary(text)) * 2 > len(wanted):
                best = best or [(start, end) for word, start, end in given if word in wanted]
        if not best:
            return []
        found += best
    return found
