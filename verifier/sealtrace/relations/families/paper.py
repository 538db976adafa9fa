"""A paper as the families see it: its tables with captions, their numbers, and the running text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sealtrace.paper.extracted import JOIN
from sealtrace.paper.model import Table
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.paper.sentences import GREATEST, Sentence
from sealtrace.relations.facts import Facts, PrintedCell
from sealtrace.relations.families.wording import is_summary, plain

MOST_NUMBERS = 60
"""Of a sentence: families try pairs of its numbers, and pairs for each of them. What has more is a listing."""
MOST_LETTERS = 400_000
"""Of the running text: a book is read from its beginning."""
MAIN = frozenset({"value", "mean", "rate"})
"""Names of the number of a cell that its others speak of."""


@dataclass(frozen=True)
class SheetLine:
    """A row or a column: how it is labelled, and what stands around it."""

    label: str
    line: int | None = None
    after_rule: bool = False
    """A rule over the whole table stands before it."""
    indented: bool = False
    """Its name is set further right: it is a part of a row above."""
    first: str = ""
    """Its first cell."""


@dataclass(frozen=True)
class Sheet:
    """One panel of a table; turned, its rows are the columns."""

    label: str
    caption: str
    source: str
    line: int
    columns: tuple[SheetLine, ...]
    rows: tuple[SheetLine, ...]
    entries: Mapping[tuple[int, int], PrintedCell]
    """By row and column; cells that name a row are left out."""
    table: Table = field(compare=False, repr=False)
    is_turned: bool = False

    def entry(self, row: int, column: int) -> PrintedCell | None:
        """A cell, where it holds a number or says that it has none."""
        found = self.entries.get((row, column))
        return found if found is not None and (found.facts or found.absent) else None

    def row_values(self, row: int) -> list[PrintedNumber]:
        """Every number of a row."""
        return [fact for (own, _column), entry in self.entries.items() if own == row for fact in entry.facts]

    def number(self, row: int, column: int) -> PrintedNumber | None:
        """A cell's number, where others follow it the one that they speak of; None where there are several or none."""
        entry = self.entry(row, column)
        if entry is None or not entry.facts:
            return None
        return entry.facts[0] if len(entry.facts) == 1 or entry.names[0] in MAIN else None

    def part(self, row: int, column: int, *names: str) -> tuple[PrintedNumber, ...] | None:
        """The numbers of a cell that has exactly these parts."""
        entry = self.entry(row, column)
        return entry.facts if entry is not None and entry.names == names else None

    def column_values(self, column: int, rows: Iterable[int] | None = None) -> list[PrintedNumber] | None:
        """A number for each of the rows; None where one of them has none."""
        found = [self.number(row, column) for row in (range(len(self.rows)) if rows is None else rows)]
        whole = [fact for fact in found if fact is not None]
        return whole if whole and len(whole) == len(found) else None

    def every(self, column: int) -> list[PrintedNumber]:
        """The numbers of a column, gaps passed over."""
        found = (self.number(row, column) for row in range(len(self.rows)))
        return [fact for fact in found if fact is not None]

    @cached_property
    def numbered(self) -> list[int]:
        """Rows that hold a number; a note below the table is none."""
        return sorted({row for (row, _column), entry in self.entries.items() if entry.facts})

    def decimals(self, row: int) -> int:
        """With how many decimals most numbers of a row are printed."""
        several = [len(fact.text.partition(".")[2]) for fact in self.row_values(row)]
        return max(set(several), key=several.count, default=0)

    def numeric_columns(self) -> list[int]:
        """Columns that hold a number."""
        return list(self._numeric)

    @cached_property
    def _numeric(self) -> tuple[int, ...]:
        return tuple(sorted({column for (_row, column), entry in self.entries.items() if entry.facts}))

    def headed(self, pattern: str | re.Pattern[str]) -> list[int]:
        """Columns with numbers whose whole header is of a pattern."""
        return [place for place in self._numeric if re.fullmatch(pattern, plain(self.columns[place].label))]

    def sole_column(self, pattern: str | re.Pattern[str]) -> int | None:
        """The column with such a header, where there is just one."""
        found = self.headed(pattern)
        return found[0] if len(found) == 1 else None

    def rows_with(self, *columns: int | None) -> Iterator[tuple[int, tuple[PrintedNumber, ...]]]:
        """Rows in which each of the columns has a number, with these; none where a column is not there."""
        known = [column for column in columns if column is not None]
        for row in range(len(self.rows)) if len(known) == len(columns) else ():
            facts = tuple(fact for column in known if (fact := self.number(row, column)) is not None)
            if len(facts) == len(known):
                yield row, facts

    def place(self, said: str) -> str:
        """Where the paper says something."""
        return f"{self.source}:{self.line}, {self.label}: {said}"

    @cached_property
    def group_names(self) -> list[str]:
        """Names above several columns."""
        return [name for name, count in Counter(map(self.group_of, self.columns)).items() if name and count > 1]

    @staticmethod
    def group_of(line: SheetLine) -> str:
        """What stands above a column's own name."""
        return line.label.rpartition(JOIN)[0]

    def groups(self) -> Iterator[Sheet]:
        """The columns below each name of several, called without it, with those of no group; or all, where none is."""
        above, several = list(map(self.group_of, self.columns)), self.group_names
        for group in several or [""]:
            own = {column for column, name in enumerate(above) if name == group or name not in several}
            columns = tuple(
                replace(line, label=line.label.removeprefix(f"{group}{JOIN}") if group else line.label)
                for line in self.columns
            )
            entries = {place: entry for place, entry in self.entries.items() if place[1] in own}
            yield replace(self, columns=columns, entries=entries)

    def turned(self) -> Sheet:
        """Rows as columns."""
        return replace(
            self,
            columns=self.rows,
            rows=self.columns,
            entries={(column, row): entry for (row, column), entry in self.entries.items()},
            is_turned=not self.is_turned,
        )


@dataclass(frozen=True, eq=False)
class AuditedPaper:
    """What a paper prints."""

    facts: Facts
    sheets: tuple[Sheet, ...]

    @classmethod
    def of(cls, tables: Iterable[Table], facts: Facts) -> AuditedPaper:
        """A paper from its tables, and facts that were made of them."""
        return cls(facts, tuple(_sheet(table, facts) for table in tables))

    @property
    def both_ways(self) -> Iterator[Sheet]:
        """Every table as printed, then with rows as columns."""
        for sheet in self.sheets:
            yield sheet
            yield sheet.turned()

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The running text and the captions, sentence by sentence, with their numbers."""
        found, letters = [], 0
        for sentence in self.facts.sentences:
            letters += len(sentence.text)
            if letters > MOST_LETTERS:
                break
            if not sentence.cited and len(sentence.amounts) <= MOST_NUMBERS:
                found.append(sentence)
        return tuple(found)

    @property
    def letters(self) -> int:
        """How long the running text and the captions are."""
        return sum(len(sentence.text) for sentence in self.facts.sentences)

    @property
    def words(self) -> str:
        """Everything that the paper says outside tables, in one line."""
        captions = (sheet.caption for sheet in self.sheets)
        return " ".join([*(sentence.text for sentence in self.facts.sentences), *captions])


def _sheet(table: Table, facts: Facts) -> Sheet:
    known = facts.entries(table.label)
    entries: dict[tuple[int, int], PrintedCell] = {}
    for row, given in enumerate(table.rows):
        if _renames(given.texts):
            break
        for column in range(table.label_width, len(table.columns)):
            entry = known[given.label, table.columns[column].label]
            if all(abs(fact.value) < GREATEST for fact in entry.facts):
                entries[row, column] = entry
    columns = tuple(SheetLine(label) for label in table.headers)
    rows = tuple(
        SheetLine(row.label, row.at, row.after_rule and place > 0, row.indented, row.texts[0])
        for place, row in enumerate(table.rows)
    )
    return Sheet(table.label, table.caption, table.file, table.line or 1, columns, rows, entries, table)


def _renames(cells: tuple[str, ...]) -> bool:
    """Whether a row gives the columns other names, so that what stands below it is not what the header says."""
    first, *others = cells
    named = [text for text in others if re.search(r"[^\W\d_]{3,}", text)]
    return not first.strip() and len(named) > 1 and not any(re.search(r"\d", text) for text in others)


def belongs_to(sentence: Sentence, sheet: Sheet) -> bool:
    """Whether a sentence stands in a table's caption."""
    return sentence.caption and sentence.text[:60] in sheet.caption


def blocks_of(sheet: Sheet) -> list[list[int]]:
    """Rows without those that summarize others, in parts: from rule to rule, or from one group's name to the next."""
    rows = [row for row, line in enumerate(sheet.rows) if not is_summary(line.first or line.label)]
    firsts = [line.first for line in sheet.rows]
    named = [bool(first) and first != before for first, before in zip(firsts, [None, *firsts], strict=False)]
    # A group's name stands in its first row, or in each of them.
    groups = len(set(firsts))
    in_each = all(firsts) and sum(named) == groups and 1 < groups <= len(rows) // 2
    inherits = not sheet.is_turned and (in_each or not all(firsts)) and any(firsts)
    blocks: list[list[int]] = []
    for row in rows:
        line = sheet.rows[row]
        if not blocks or line.after_rule or (inherits and named[row]):
            blocks.append([])
        blocks[-1].append(row)
    return blocks
