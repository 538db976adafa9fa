"""Facts and claims of sealed records: table records with the way their numbers were printed, and relation records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.model import Row, Table
from sealtrace.paper.number_grammar import PrintedNumber, Rule
from sealtrace.relations.facts import Facts, UnknownFactError
from sealtrace.relations.language import NAME

TEXT = "text"
"""The table whose rows are numbers of the running text. A row whose label is a name can be called by it."""

Address = tuple[str, str, str]
"""Table, row and column."""


def facts_of_tables(tables: Sequence[Table], *, called: bool = True) -> Facts:
    """The facts of sealed tables, printed as these say.

    Where `called`, rows of the table `text` that have names are numbers of the running text; otherwise they only stand
    on their lines, for a relations file to declare.
    """
    text = next((table for table in tables if table.label == TEXT), None)
    passages = text.rows if text is not None else ()
    source = (text.source if text is not None else "") or TEXT
    lines = [ProseLine(row.cells[0].text, source, row.line or 0, 0) for row in passages if len(row.cells) == 1]
    named = [row for row in passages if called and _is_named(row)]
    others = tuple(row for row in passages if row not in named)
    facts = Facts.of([replace(table, rows=others) if table is text else table for table in tables], lines)
    for row in named:
        # What does not stand on a line as it is written, such as 1{,}000, cannot be called.
        with suppress(UnknownFactError):
            facts.declare(row.label, row.cells[0].text, row.line or 0, source)
    for table in tables:
        for row in table.rows:
            for column, rule in row.printing.items():
                passage = table is text and row.label in facts.declared
                place = (row.label,) if passage else (table.label, row.label, column)
                facts.print_as(Rule(rule), *place)
    return facts


def cells_of_facts(facts: Iterable[PrintedNumber], tables: Iterable[Table]) -> dict[Address, set[str]]:
    """The cells of sealed tables that hold some of these numbers, and which of them each holds."""
    columns = [table.columns[0].label for table in tables if table.label == TEXT]
    found: dict[Address, set[str]] = {}
    for fact in facts:
        for address in _addresses(fact, columns):
            found.setdefault(address, set()).add(fact.plain_address)
    return found


def misshapen(table: Table) -> str | None:
    """Why the cells of a table have no addresses; None where they do."""
    columns = table.headers
    for noun, labels in (("column", columns), ("row", tuple(row.label for row in table.rows))):
        if len(set(labels)) < len(labels):
            return f"two {noun}s have one label"
    for row in table.rows:
        if len(row.cells) != len(columns) or len(row.lines or columns) != len(columns):
            return f"row {row.label!r} does not have one cell per column"
        for column in row.printing:
            if column not in columns or any(label != " ".join(label.split()) for label in (column, row.label)):
                return f"row {row.label!r} tells how {column!r} was printed, which is no place that can be named"
    return None


def _addresses(fact: PrintedNumber, columns: list[str]) -> Iterator[Address]:
    if fact.table is not None:
        yield fact.table, fact.row, fact.column
    else:
        # A number of the text with several parts is called by the name and the part.
        name = fact.plain_address
        owner = name.rpartition(".")[0]
        for column in columns:
            yield TEXT, name, column
            yield TEXT, owner, column


def _is_named(row: Row) -> bool:
    if len(row.cells) != 1 or NAME.fullmatch(row.label) is None:
        return False
    printed = row.cells[0].printed
    return printed is not None and printed.numeric
