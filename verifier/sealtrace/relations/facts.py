"""Facts: every number that a paper prints, as the closed interval of values that print so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True)
class FactTable:
    """A printed table with what its cells stand for."""

    label: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    entries: Mapping[tuple[str, str], PrintedCell]
    naming: Mapping[str, int]
    """How many of a row's first cells make its label; they are no numbers of the row."""
    marks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """How cells are emphasized."""

    @property
    def filled_rows(self) -> int:
        """How many rows print more than their name: a row that only heads others is not counted among them."""
        return sum(
            any(self.entries[row, column].text.strip() for column in self.columns[self.naming.get(row, 1) :])
            for row in self.rows
        )

    def row(self, label: str) -> str:
        return self._known(label, self.rows, "row")

    def column(self, label: str) -> str:
        return self._known(label, self.columns, "column")

    def _known(self, label: str, known: tuple[str, ...], noun: str) -> str:
        """The label that is meant: arrows, and spaces, which mathematics may do without, tell no two apart."""
        if label in known:
            return label
        plain = " ".join(label.split())
        for read in (str, _without_arrows, lambda text: "".join(_without_arrows(text).split())):
            matching = [name for name in known if read(name) in (plain, "".join(plain.split()))]
            if len(matching) == 1:
                return matching[0]
        raise UnknownFactError(f"{self.label} has no {noun} {plain!r}{nearest(plain, known)}")

    def listing(self, places: list[tuple[str, str]], part: str | None) -> Listing:
        entries = [self.entries[place] for place in places]
        numeric = [entry.part(part) for entry in entries if entry.facts]
        if not numeric:
            raise UnknownFactError(f"none of these cells of {self.label} holds a number")
        return numeric, [entry.address for entry in entries if entry.absent]


@dataclass
class Facts:
    """The numbers of a paper, by address."""

    _tables: dict[str, FactTable]
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
        return cls({table.label: _facts_of(table) for table in tables}, list(prose), texts or {}, {})

    # What there is

    @property
    def tables(self) -> tuple[str, ...]:
        """Labels of the tables."""
        return tuple(self._tables)

    def rows(self, table: str) -> tuple[str, ...]:
        """Labels of a table's rows."""
        return self.table(table).rows

    def columns(self, table: str) -> tuple[str, ...]:
        """Labels of a table's columns."""
        return self.table(table).columns

    @property
    def declared(self) -> tuple[str, ...]:
        """Names of the declared numbers of the running text."""
        return tuple(self._declared)

    def passages(self) -> list[PrintedCell]:
        """The declared numbers of the running text."""
        return list(self._declared.values())

    def every(self) -> list[PrintedNumber]:
        """Every number of every table, then the declared ones."""
        entries = [entry for table in self._tables.values() for entry in table.entries.values()]
        return [fact for entry in entries + list(self._declared.values()) for fact in entry.facts]

    # Finding a number

    def table(self, label: str) -> FactTable:
        """One of the tables."""
        if label not in self._tables:
            raise UnknownFactError(f"there is no table {label!r}{nearest(label, self._tables)}")
        return self._tables[label]

    def entry(self, table: str, row: str, column: str) -> PrintedCell:
        """The cell at an address."""
        found = self.table(table)
        return found.entries[found.row(row), found.column(column)]

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
        found = self.table(table)
        row, out = found.row(row), {found.column(label) for label in without}
        return found.listing([(row, label) for label in found.columns[found.naming[row] :] if label not in out], part)

    def column(self, table: str, column: str, part: str | None = None, without: Iterable[str] = ()) -> Listing:
        """The numbers of a column, from top to bottom."""
        found = self.table(table)
        column, out = found.column(column), {found.row(label) for label in without}
        return found.listing([(label, column) for label in found.rows if label not in out], part)

    def mark(self, fact: PrintedNumber) -> str | None:
        """How the cell of a number is emphasized."""
        return None if fact.table is None else self.table(fact.table).marks.get((fact.row, fact.column))

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
            table = self._tables[fact.table]
            self._tables[fact.table] = replace(table, entries={**table.entries, (fact.row, fact.column): entry})

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
        table = self.table(place)
        row, column = row if row == "*" else table.row(row), column if column == "*" else table.column(column)
        entries = {
            (r, c): entry.read_as(rule, part) if row in ("*", r) and column in ("*", c) and entry.facts else entry
            for (r, c), entry in table.entries.items()
        }
        self._tables[place] = replace(table, entries=entries)


def _without_arrows(label: str) -> str:
    return " ".join(label.translate(_ARROWS).split())


def _facts_of(table: Table) -> FactTable:
    rows, columns = tuple(row.label for row in table.rows), table.headers
    printed = zip(*([cell.printed for cell in row.cells] for row in table.rows), strict=True) if rows else ()
    counted = [_counts(column, cells) for column, cells in zip(columns, printed, strict=True)] if rows else []
    entries: dict[tuple[str, str], PrintedCell] = {}
    for row in table.rows:
        told = _MEASURED.search(row.label) is not None
        for place, (column, cell) in enumerate(zip(columns, row.cells, strict=True)):
            named, measured = (table.label, row.label, column), told or not counted[place]
            entries[row.label, column] = _printed_cell(
                cell_id(*named), cell.text, cell.printed, table.file or None, cell.line, *named, measured=measured
            )
    naming = {row.label: min(row.naming, table.label_width) for row in table.rows}
    marks = {
        (row.label, column): cell.mark
        for row in table.rows
        for column, cell in zip(columns, row.cells, strict=False)
        if cell.mark
    }
    return FactTable(table.label, rows, columns, entries, naming, marks)


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
