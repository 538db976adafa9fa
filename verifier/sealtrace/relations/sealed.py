"""Facts and claims of sealed records: table records with the way their numbers were printed, and relation records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.numbers import read_printed
from sealtrace.relations.fact import Fact, Rule, UnknownFactError, plain_address
from sealtrace.relations.facts import Facts
from sealtrace.relations.language import NAME

TEXT = "text"
"""The table whose rows are numbers of the running text. A row whose label is a name can be called by it."""

Address = tuple[str, str, str]
"""Table, row and column."""


def facts_of_records(records: Iterable[dict[str, Any]], *, called: bool = True) -> Facts:
    """The facts of table records, printed as these say.

    Where `called`, rows of the table `text` that have names are numbers of the running text; otherwise they only stand
    on their lines, for a relations file to declare.
    """
    tables = list(records)
    text = next((record for record in tables if record["label"] == TEXT), None)
    passages = text["rows"] if text is not None else []
    source = (text or {}).get("source") or TEXT
    lines = [ProseLine(row["cells"][0], source, row.get("line") or 0, 0) for row in passages if len(row["cells"]) == 1]
    named = [row for row in passages if called and _is_named(row)]
    others = [row for row in passages if row not in named]
    facts = Facts.of([{**record, "rows": others} if record is text else record for record in tables], lines)
    for row in named:
        # What does not stand on a line as it is written, such as 1{,}000, cannot be called.
        with suppress(UnknownFactError):
            facts.declare(row["label"], row["cells"][0], row.get("line") or 0, source)
    for record in tables:
        for row in record["rows"]:
            for column, rule in (row.get("printing") or {}).items():
                passage = record is text and row["label"] in facts.declared
                place = (row["label"],) if passage else (record["label"], row["label"], column)
                facts.print_as(Rule(rule), *place)
    return facts


def cells_of_facts(facts: Iterable[Fact], records: Iterable[dict[str, Any]]) -> dict[Address, set[str]]:
    """The cells of table records that hold some of these numbers, and which of them each holds."""
    columns = [record["columns"][0]["label"] for record in records if record["label"] == TEXT]
    found: dict[Address, set[str]] = {}
    for fact in facts:
        for address in _addresses(fact, columns):
            found.setdefault(address, set()).add(plain_address(fact))
    return found


def misshapen(record: dict[str, Any]) -> str | None:
    """Why the cells of a table record have no addresses; None where they do."""
    columns = [column["label"] for column in record["columns"]]
    rows = [row["label"] for row in record["rows"]]
    for noun, labels in (("column", columns), ("row", rows)):
        if len(set(labels)) < len(labels):
            return f"two {noun}s have one label"
    for row in record["rows"]:
        if len(row["cells"]) != len(columns) or len(row.get("lines") or columns) != len(columns):
            return f"row {row['label']!r} does not have one cell per column"
        for column in row.get("printing") or {}:
            if column not in columns or any(label != " ".join(label.split()) for label in (column, row["label"])):
                return f"row {row['label']!r} tells how {column!r} was printed, which is no place that can be named"
    return None


def _addresses(fact: Fact, columns: list[str]) -> Iterator[Address]:
    if fact.table is not None:
        yield fact.table, fact.row, fact.column
    else:
        # A number of the text with several parts is called by the name and the part.
        name = plain_address(fact)
        owner = name.rpartition(".")[0]
        for column in columns:
            yield TEXT, name, column
            yield TEXT, owner, column


def _is_named(row: dict[str, Any]) -> bool:
    if len(row["cells"]) != 1 or NAME.fullmatch(row["label"]) is None:
        return False
    printed = read_printed(row["cells"][0])
    return printed is not None and printed.numeric
