"""Facts: every number that a paper prints, as the closed interval of values that print so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from sealtrace.bundle.defects import nearest
from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.fact import cell_id, fact_of, is_rounded
from sealtrace.paper.model import Table
from sealtrace.paper.number_grammar import PrintedNumber, Rule
from sealtrace.paper.numbers import Printed, read_printed
from sealtrace.paper.sentences import TEXT_ID, Sentence, TextNumber, sentences
from sealtrace.relations.prose import stands_on_line, where_it_stands

# Headers that tell of a measurement: an integer below them was rounded, not counted.
_UNITS = r"\(\s*(?:s|sec|min|h|hours|days|[kMG]i?B|W|J|[kMG]?Hz)\s*\)"
_MEASURED = re.compile(rf"%|{_UNITS}|\b(?:ms|percent\w*|latency|time|tokens|mean|average|median)\b", re.IGNORECASE)
_ARROWS = str.maketrans("", "", "↑↓")


class UnknownFactError(LookupError):
    """There is no such table, row, column, part or name; the message says which, and what there is."""


class NotAvailableError(UnknownFactError):
    """The cell is there, and says that it has no number."""


@dataclass(frozen=True)
class PrintedCell:
    """One cell of a table, or one declared passage: its numbers by the names of their parts."""

    address: str
    text: str
    facts: tuple[PrintedNumber, ...]
    names: tuple[str, ...] = ()
    """Names of the parts where there are several."""
    absent: bool = False
    """Whether it says n/a."""

    def part(self, name: str | None) -> PrintedNumber:
        """One of the numbers."""
        if self.absent:
            raise NotAvailableError(f"{self.address} says {self.text}")
        if not self.facts:
            raise UnknownFactError(f"{self.address} holds no number: {self.text[:60]!r}")
        if name is None and len(self.facts) == 1:
            return self.facts[0]
        if name in self.names:
            return self.facts[self.names.index(name)]
        if name and name.isdecimal() and len(name) < 4 and 1 <= int(name) <= len(self.facts) > 1:
            return self.facts[int(name) - 1]
        parts = "add " + " or ".join(f".{part}" for part in self.names) if self.names else "it has one number only"
        wrong = f"with {len(self.facts)} numbers" if name is None else f"without a part .{name}"
        raise UnknownFactError(f"{self.address} is {self.text!r}, {wrong}: {parts}")

    def read_as(self, rule: Rule, part: str | None) -> PrintedCell:
        """The same with one of its numbers, or all of them, under another rule of printing."""
        chosen = self.facts if part is None else (self.part(part),)
        return replace(self, facts=tuple(fact.read_as(rule) if fact in chosen else fact for fact in self.facts))


Listing = tuple[list[PrintedNumber], list[str]]
"""The numbers of a row or a column, and the addresses of cells that say n/a instead."""


Entries = dict[tuple[str, str], PrintedCell]
"""The cells of a table by the labels of their row and column."""


@dataclass
class Facts:
    """The numbers of a paper, by address."""

    _tables: dict[str, Table]
    _entries: dict[str, Entries]
    _prose: list[ProseLine]
    _texts: Mapping[str, str]
    _declared: dict[str, PrintedCell]

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The running text and the captions, with their numbers."""
        return tuple(sentences(self._prose))

    @cached_property
    def _text(self) -> dict[str, TextNumber]:
        return {number.id: number for sentence in self.sentences for number in sentence.numbers}

    @classmethod
    def of(
        cls, tables: Iterable[Table], prose: Iterable[ProseLine] = (), texts: Mapping[str, str] | None = None
    ) -> Facts:
        """The facts of tables, and the lines on which declared ones may stand (as rendered, and as written)."""
        known = {table.label: table for table in tables}
        entries = {label: _entries_of(table) for label, table in known.items()}
        return cls(known, entries, list(prose), texts or {}, {})

    # What there is

    @property
    def tables(self) -> tuple[str, ...]:
        """Labels of the tables."""
        return tuple(self._tables)

    def rows(self, table: str) -> tuple[str, ...]:
        """Labels of a table's rows."""
        return tuple(row.label for row in self.table(table).rows)

    def columns(self, table: str) -> tuple[str, ...]:
        """Labels of a table's columns."""
        return self.table(table).headers

    @property
    def declared(self) -> tuple[str, ...]:
        """Names of the declared numbers of the running text."""
        return tuple(self._declared)

    def passages(self) -> list[PrintedCell]:
        """The declared numbers of the running text."""
        return list(self._declared.values())

    def every(self) -> list[PrintedNumber]:
        """Every number of every table, then the declared ones."""
        entries = [entry for table in self._entries.values() for entry in table.values()]
        return [fact for entry in entries + list(self._declared.values()) for fact in entry.facts]

    # Finding a number

    def table(self, label: str) -> Table:
        """One of the tables."""
        if label not in self._tables:
            raise UnknownFactError(f"there is no table {label!r}{nearest(label, self._tables)}")
        return self._tables[label]

    def entries(self, table: str) -> Entries:
        """The cells of a table."""
        return self._entries[self.table(table).label]

    def entry(self, table: str, row: str, column: str) -> PrintedCell:
        """The cell at an address."""
        return self.entries(table)[self._row(table, row), self._column(table, column)]

    def naming(self, table: str, row: str) -> int:
        """How many of a row's first cells make its label; they are no numbers of the row."""
        given = self.table(table)
        return next(min(one.naming, given.label_width) for one in given.rows if one.label == row)

    def filled_rows(self, table: str) -> int:
        """How many rows print more than their name: a row that only heads others is not counted among them."""
        cells, columns = self.entries(table), self.columns(table)
        named = [(row, columns[self.naming(table, row) :]) for row in self.rows(table)]
        return sum(any(cells[row, column].text.strip() for column in others) for row, others in named)

    def _row(self, table: str, label: str) -> str:
        return _known(table, label, self.rows(table), "row")

    def _column(self, table: str, label: str) -> str:
        return _known(table, label, self.columns(table), "column")

    def cell(self, table: str, row: str, column: str, part: str | None = None) -> PrintedNumber:
        """One number of a table."""
        return self.entry(table, row, column).part(part)

    def text_number(self, name: str) -> PrintedNumber | None:
        """A number of the running text by its id, `s214.n3`; None where there is no such number."""
        found = self._text.get(name) if TEXT_ID.fullmatch(name) else None
        return None if found is None else found.fact

    def named(self, name: str, part: str | None = None) -> PrintedNumber:
        """One declared number of the running text."""
        if name not in self._declared:
            raise UnknownFactError(f"{name!r} is not known{nearest(name, self._declared)}")
        return self._declared[name].part(part)

    def row(self, table: str, row: str, part: str | None = None, without: Iterable[str] = ()) -> Listing:
        """The numbers of a row, from left to right, without the cells that name it."""
        row, out = self._row(table, row), {self._column(table, label) for label in without}
        columns = self.columns(table)[self.naming(table, row) :]
        return self._listing(table, [(row, label) for label in columns if label not in out], part)

    def column(self, table: str, column: str, part: str | None = None, without: Iterable[str] = ()) -> Listing:
        """The numbers of a column, from top to bottom."""
        column, out = self._column(table, column), {self._row(table, label) for label in without}
        return self._listing(table, [(label, column) for label in self.rows(table) if label not in out], part)

    def _listing(self, table: str, places: list[tuple[str, str]], part: str | None) -> Listing:
        entries = [self.entries(table)[place] for place in places]
        numeric = [entry.part(part) for entry in entries if entry.facts]
        if not numeric:
            raise UnknownFactError(f"none of these cells of {table} holds a number")
        return numeric, [entry.address for entry in entries if entry.absent]

    def mark(self, fact: PrintedNumber) -> str | None:
        """How the cell of a number is emphasized."""
        rows = () if fact.table is None else self.table(fact.table).rows
        return next((row.marks.get(fact.column) for row in rows if row.label == fact.row), None)

    def stars(self, fact: PrintedNumber) -> int:
        """How many stars stand behind the number of a cell."""
        return sum(map(self.entry(fact.table or "", fact.row, fact.column).text.count, "*∗⋆"))

    # Declaring

    def put(self, entry: PrintedCell) -> None:
        """Takes in a number of the text under its id, or a cell in place of what was read of it."""
        fact = entry.facts[0]
        if fact.table is None:
            self._declared[entry.address] = entry
        else:
            self._entries[fact.table][fact.row, fact.column] = entry

    def declare(self, name: str, literal: str, line: int, source: str | None = None) -> None:
        """Adds a number of the running text, which must stand on its line."""
        printed = read_printed(literal)
        if printed is None or not printed.numeric or any(part.is_bound for part in printed.parts):
            raise UnknownFactError(f"{literal!r} is not a number that can be read")
        if name in self._declared:
            raise UnknownFactError(f"{name!r} is declared twice")
        file = source or next((prose.source for prose in self._prose), next(iter(self._texts), ""))
        rendered = [(prose.line, prose.text) for prose in self._prose if prose.source == file]
        written = self._texts.get(file, "").split("\n")[line - 1 : line] if line else []
        if not any(
            stands_on_line(literal, text) for text in (*(text for at, text in rendered if at == line), *written)
        ):
            hint = where_it_stands(literal, rendered, line)
            raise UnknownFactError(f"{literal} does not stand on line {line} of {file or 'any source'}{hint}")
        self._declared[name] = _printed_cell(name, literal, printed, file, line)

    def print_as(self, rule: Rule, place: str, row: str = "*", column: str = "*", part: str | None = None) -> None:
        """Declares how the numbers of a table, a row, a column, a cell or a passage came to be printed."""
        if place in self._declared:
            self._declared[place] = self._declared[place].read_as(rule, part)
            return
        cells = self.entries(place)
        row = row if row == "*" else self._row(place, row)
        column = column if column == "*" else self._column(place, column)
        for (r, c), entry in cells.items():
            if row in ("*", r) and column in ("*", c) and entry.facts:
                cells[r, c] = entry.read_as(rule, part)


def _known(table: str, label: str, known: tuple[str, ...], noun: str) -> str:
    """The label that is meant: arrows, and spaces, which mathematics may do without, tell no two apart."""
    if label in known:
        return label
    plain = " ".join(label.split())
    for read in (str, _without_arrows, lambda text: "".join(_without_arrows(text).split())):
        matching = [name for name in known if read(name) in (plain, "".join(plain.split()))]
        if len(matching) == 1:
            return matching[0]
    raise UnknownFactError(f"{table} has no {noun} {plain!r}{nearest(plain, known)}")


def _without_arrows(label: str) -> str:
    return " ".join(label.translate(_ARROWS).split())


def _entries_of(table: Table) -> Entries:
    columns, entries = table.headers, Entries()
    printed = zip(*([cell.printed for cell in row.cells] for row in table.rows), strict=True) if table.rows else ()
    counted = [_counts(column, cells) for column, cells in zip(columns, printed, strict=True)] if table.rows else []
    for row in table.rows:
        told = _MEASURED.search(row.label) is not None
        for place, (column, cell) in enumerate(zip(columns, row.cells, strict=True)):
            named, measured = (table.label, row.label, column), told or not counted[place]
            entries[row.label, column] = _printed_cell(
                cell_id(*named), cell.text, cell.printed, table.file or None, cell.line, *named, measured=measured
            )
    return entries


def _printed_cell(
    address: str,
    text: str,
    printed: Printed | None,
    source: str | None,
    line: int | None,
    table: str | None = None,
    row: str = "",
    column: str = "",
    *,
    measured: bool = False,
) -> PrintedCell:
    """A passage, or the cell of a table, row and column, with its numbers; `measured` integers were rounded, too."""
    if printed is None:
        return PrintedCell(address, text, ())
    # A bound such as <0.001 is not the number: nothing about the number follows from its digits.
    numbers = () if any(number.is_bound for number in printed.parts) else printed.parts
    facts = tuple(
        fact_of(number, own, source, line, table, row, column, name or None, measured=measured)
        for number, name in zip(numbers, printed.names or ("",), strict=False)
        for own in (f"{address}.{name}" if name else address,)
    )
    return PrintedCell(address, text, facts, printed.names, printed.form == "not-available")


def _counts(column: str, cells: Iterable[Printed | None]) -> bool:
    """Whether integers below this header are counts: nothing tells of a measurement, and nothing has decimals."""
    shown = [cell for cell in cells if cell is not None and cell.numeric]
    return not _MEASURED.search(column) and not any(
        cell.percent or "×" in cell.text or cell.form in ("plus-minus", "interval") or any(map(is_rounded, cell.parts))
        for cell in shown
    )
