"""Facts: every number that a paper prints, as the closed interval of values that print so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sealtrace.bundle.nearest import nearest
from sealtrace.printed.extracted import JOIN, ProseLine
from sealtrace.printed.numbers import Part, Printed, read_printed
from sealtrace.relations.fact import Entry, Fact, Listing, Rule, UnknownFactError
from sealtrace.relations.prose import stands_on_line, where_it_stands

_PARTS = {"plus-minus": ("mean", "sd"), "interval": ("low", "high"), "ratio": ("k", "n")}
# Headers that tell of a measurement: an integer below them was rounded, not counted.
_UNITS = r"\(\s*(?:s|sec|min|h|hours|days|[kMG]i?B|W|J|[kMG]?Hz)\s*\)"
_MEASURED = re.compile(rf"%|{_UNITS}|\b(?:ms|percent\w*|latency|time|tokens|mean|average|median)\b", re.IGNORECASE)
_ARROWS = str.maketrans("", "", "↑↓")


@dataclass(frozen=True)
class _Table:
    label: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    entries: Mapping[tuple[str, str], Entry]
    naming: Mapping[str, int]
    """How many of a row's first cells make its label; they are no numbers of the row."""


@dataclass
class Facts:
    """The numbers of a paper, by address."""

    _tables: dict[str, _Table]
    _prose: list[ProseLine]
    _texts: Mapping[str, str]
    _declared: dict[str, Entry]

    @classmethod
    def of(
        cls, records: Iterable[dict[str, Any]], prose: Iterable[ProseLine] = (), texts: Mapping[str, str] | None = None
    ) -> Facts:
        """The facts of table records, and the lines on which declared ones may stand (as rendered, and as written)."""
        tables: dict[str, _Table] = {}
        for record in records:
            name = record["label"]
            while name in tables:
                # A label that LaTeX calls multiply defined: the first keeps it.
                name += "'"
            tables[name] = _table({**record, "label": name})
        return cls(tables, list(prose), texts or {}, {})

    # What there is

    @property
    def tables(self) -> tuple[str, ...]:
        """Labels of the tables."""
        return tuple(self._tables)

    def rows(self, table: str) -> tuple[str, ...]:
        """Labels of a table's rows."""
        return self._table(table).rows

    def columns(self, table: str) -> tuple[str, ...]:
        """Labels of a table's columns."""
        return self._table(table).columns

    @property
    def declared(self) -> tuple[str, ...]:
        """Names of the declared numbers of the running text."""
        return tuple(self._declared)

    def every(self) -> list[Fact]:
        """Every number of every table, then the declared ones."""
        entries = [entry for table in self._tables.values() for entry in table.entries.values()]
        return [fact for entry in entries + list(self._declared.values()) for fact in entry.facts]

    # Finding one

    def entry(self, table: str, row: str, column: str) -> Entry:
        """The cell at an address."""
        found = self._table(table)
        row, column = self._label(found, row, "row"), self._label(found, column, "column")
        return found.entries[row, column]

    def cell(self, table: str, row: str, column: str, part: str | None = None) -> Fact:
        """One number of a table."""
        return self.entry(table, row, column).part(part)

    def named(self, name: str, part: str | None = None) -> Fact:
        """One declared number of the running text."""
        if name not in self._declared:
            raise UnknownFactError(f"{name!r} is not known{nearest(name, self._declared)}")
        return self._declared[name].part(part)

    def row(self, table: str, row: str, part: str | None = None, without: Iterable[str] = ()) -> Listing:
        """The numbers of a row, from left to right, without the cells that name it."""
        found = self._table(table)
        row = self._label(found, row, "row")
        out = {self._label(found, label, "column") for label in without}
        columns = [label for label in found.columns[found.naming[row] :] if label not in out]
        return self._listing(found, [(row, column) for column in columns], part)

    def column(self, table: str, column: str, part: str | None = None, without: Iterable[str] = ()) -> Listing:
        """The numbers of a column, from top to bottom."""
        found = self._table(table)
        column = self._label(found, column, "column")
        out = {self._label(found, label, "row") for label in without}
        return self._listing(found, [(row, column) for row in found.rows if row not in out], part)

    def _listing(self, table: _Table, places: list[tuple[str, str]], part: str | None) -> Listing:
        numeric = [table.entries[place] for place in places if table.entries[place].facts]
        missing = [table.entries[place].address for place in places if table.entries[place].absent]
        if not numeric:
            raise UnknownFactError(f"none of these cells of {table.label} holds a number")
        return Listing(tuple(entry.part(part) for entry in numeric), tuple(missing))

    def _table(self, label: str) -> _Table:
        if label not in self._tables:
            raise UnknownFactError(f"there is no table {label!r}{nearest(label, self._tables)}")
        return self._tables[label]

    @staticmethod
    def _label(table: _Table, label: str, noun: str) -> str:
        known = table.rows if noun == "row" else table.columns
        if label in known:
            return label
        plain = " ".join(label.split())
        # Arrows, and then spaces, which mathematics may be written with or without, tell no two labels apart.
        spaced = (lambda one: one, lambda one: " ".join(one.translate(_ARROWS).split()))
        for same in (*spaced, lambda one: "".join(one.translate(_ARROWS).split())):
            matching = [one for one in known if same(one) in (plain, "".join(plain.split()))]
            if len(matching) == 1:
                return matching[0]
        raise UnknownFactError(f"{table.label} has no {noun} {plain!r}{nearest(plain, known)}")

    # Declaring

    def declare(self, name: str, literal: str, line: int, source: str | None = None) -> None:
        """Adds a number of the running text, which must stand on its line."""
        printed = read_printed(literal)
        if printed is None or not printed.numeric or any(part.is_bound for part in printed.parts):
            raise UnknownFactError(f"{literal!r} is not a number that can be read")
        if name in self._declared:
            raise UnknownFactError(f"{name!r} is declared twice")
        file = source or next((one.source for one in self._prose), next(iter(self._texts), ""))
        lines = [one.text for one in self._prose if one.source == file and one.line == line]
        written = self._texts.get(file, "").split("\n")
        lines += written[line - 1 : line] if line else []
        if not any(stands_on_line(literal, text) for text in lines):
            there = where_it_stands(literal, [(one.line, one.text) for one in self._prose if one.source == file], line)
            raise UnknownFactError(f"{literal} does not stand on line {line} of {file or 'any source'}{there}")
        names = _part_names(printed)
        self._declared[name] = Entry(
            name,
            literal,
            tuple(
                _fact(name + (f".{part_name}" if names else ""), part, None, file, line)
                for part, part_name in zip(printed.parts, names or ("",), strict=True)
            ),
            names,
        )

    def print_as(self, rule: Rule, place: str, row: str = "*", column: str = "*", part: str | None = None) -> None:
        """Declares how the numbers of a table, a row, a column, a cell or a passage came to be printed."""
        if place in self._declared:
            self._declared[place] = _under(self._declared[place], rule, part)
            return
        table = self._table(place)
        row = row if row == "*" else self._label(table, row, "row")
        column = column if column == "*" else self._label(table, column, "column")
        entries = {
            (r, c): _under(entry, rule, part) if row in ("*", r) and column in ("*", c) and entry.facts else entry
            for (r, c), entry in table.entries.items()
        }
        self._tables[place] = replace(table, entries=entries)


def _under(entry: Entry, rule: Rule, part: str | None) -> Entry:
    chosen = entry.facts if part is None else (entry.part(part),)
    return replace(entry, facts=tuple(fact.read_as(rule) if fact in chosen else fact for fact in entry.facts))


def _part_names(printed: Printed) -> tuple[str, ...]:
    numbered = tuple(str(place) for place in range(1, len(printed.parts) + 1))
    return () if len(printed.parts) == 1 else _PARTS.get(printed.form, numbered)


def _table(record: dict[str, Any]) -> _Table:
    label, columns = record["label"], tuple(column["label"] for column in record["columns"])
    printed = [[read_printed(text) for text in row["cells"]] for row in record["rows"]]
    counted = [_counts(column, [row[place] for row in printed]) for place, column in enumerate(columns)]
    entries: dict[tuple[str, str], Entry] = {}
    for row, cells in zip(record["rows"], printed, strict=True):
        lines = row.get("lines") or [row.get("line")] * len(columns)
        for place, (column, cell) in enumerate(zip(columns, cells, strict=True)):
            address = f"{label}[{row['label']}, {column}]"
            absent = cell is not None and cell.form == "not-available"
            names = _part_names(cell) if cell is not None else ()
            facts = []
            # A bound such as <0.001 is not the number: nothing about the number follows from its digits.
            known = cell.parts if cell is not None and not any(part.is_bound for part in cell.parts) else ()
            for part, name in zip(known, names or ("",), strict=False):
                where = address + (f".{name}" if names else "")
                fact = _fact(where, part, label, record.get("source"), lines[place])
                fact = replace(fact, row=row["label"], column=column, part=name or None)
                measured = not counted[place] or _MEASURED.search(row["label"])
                facts.append(fact.read_as(Rule.ROUNDED) if part.unit and measured else fact)
            entries[row["label"], column] = Entry(address, row["cells"][place], tuple(facts), names, absent)
    rows = tuple(row["label"] for row in record["rows"])
    naming = {row["label"]: _naming(row["label"], row["cells"]) for row in record["rows"]}
    return _Table(label, rows, columns, entries, naming)


def _counts(column: str, cells: list[Printed | None]) -> bool:
    """Whether integers below this header are counts: nothing tells of a measurement, and nothing has decimals."""
    shown = [cell for cell in cells if cell is not None and cell.numeric]
    return not _MEASURED.search(column) and not any(
        cell.percent or "×" in cell.text or cell.form in ("plus-minus", "interval") or any(map(_rounded, cell.parts))
        for cell in shown
    )


def _rounded(part: Part) -> bool:
    """Whether a number shows by itself that it was rounded."""
    return part.unit not in (0, 1) or not part.text.lstrip("+-").replace(",", "").isdecimal()


def _fact(address: str, part: Part, table: str | None, source: str | None, line: int | None) -> Fact:
    fact = Fact(address, part.text, part.value, part.value, part.value, part.unit or Fraction(1), source, line, table)
    if part.relation == "≈":
        return fact.read_as(Rule.LOOSELY)
    return fact.read_as(Rule.ROUNDED) if _rounded(part) and part.unit else fact


def _naming(label: str, cells: list[str]) -> int:
    for count in range(1, len(cells)):
        if JOIN.join(filter(None, cells[:count])) == label:
            return count
    return 1
