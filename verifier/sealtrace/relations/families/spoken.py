"""Which rows and columns a sentence speaks of, by the words of their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import SUMMARY, plain
from sealtrace.relations.lexicon import aliases_of, phrase, spoken_of, telling, words
from sealtrace.relations.sentences import Sentence

_REFERENCE = re.compile(r"\\(?:auto|c|C)?ref\*?\{([^{}]*)\}")
Span = tuple[int, int]


@dataclass(frozen=True)
class Label:
    """A row or a column of a sheet, with the ways in which text may call it."""

    place: int
    names: tuple[tuple[str, ...], ...]
    """Groups of names: of each group one must be spoken of."""

    def spans(self, text: str) -> list[Span]:
        """Where text calls it; nothing where one of its groups is not called."""
        found: list[Span] = []
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

    def _rows(self, sheet: Sheet) -> list[Label]:
        found = []
        texts = [_texts(sheet, row) for row in range(len(sheet.rows))]
        for row, own in enumerate(texts):
            if not own or SUMMARY.fullmatch(plain(own[0])):
                continue
            # Names that several rows share do not tell them apart; then all names are needed.
            groups = [own[0]]
            if sum(other[:1] == own[:1] for other in texts) > 1:
                groups = own[:2]
            names = tuple((name, *self._meanings(name)) for name in groups)
            found.append(Label(row, names))
        return found

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
        for sheet in self.paper.sheets:
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
                found.append(Spoken(sheet, called, heads, sheet.label.split("#")[0] in self.references(sentence)))
        return found

    def references(self, sentence: Sentence) -> set[str]:
        """Labels of the tables that the sentence's lines refer to."""
        written = self._written.get(sentence.source, [])
        lines = {line for _start, line in sentence.starts}
        return {
            label.strip()
            for line in lines
            if 0 < line <= len(written)
            for group in _REFERENCE.findall(written[line - 1])
            for label in group.split(",")
        }

    @cached_property
    def _written(self) -> dict[str, list[str]]:
        return {name: text.split("\n") for name, text in self.paper.texts.items()}


def _scattered(name: str, text: str) -> list[Span]:
    """Where all telling words of a longer name stand, in whatever order."""
    wanted = set(telling(phrase(name)))
    if len(wanted) < 2 or not any(word[0].isalpha() for word in wanted):
        return []
    met = {word: (start, end) for word, start, end in words(text) if word in wanted}
    return list(met.values()) if set(met) == wanted else []


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
    if spans := label.spans(text):
        return spans
    given = words(text)
    found: list[Span] = []
    for group in label.names:
        best: list[Span] = []
        for name in group:
            wanted = telling(phrase(name))
            met = [(start, end) for word, start, end in given if word in wanted]
            if wanted and len({word for word, _s, _e in given if word in wanted}) * 2 > len(set(wanted)):
                best = best or met
        if not best:
            return []
        found += best
    return found


def cells(sheet: Sheet, rows: dict[int, list[Span]], columns: dict[int, list[Span]]) -> Iterator[tuple[int, int, Fact]]:
    """The numbers of the rows and columns that are spoken of; of all rows or columns where none is."""
    for (row, column), entry in sheet.entries.items():
        if (not rows or row in rows) and (not columns or column in columns):
            for fact in entry.facts:
                yield row, column, fact
