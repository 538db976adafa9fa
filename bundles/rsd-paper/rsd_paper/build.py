"""Binds the relations to what was printed, classifies every cell, and seals both."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

from rsd_paper.extract import declared
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows
from sealtrace.paper.fact import Fact, Rule, plain_address
from sealtrace.paper.model import Table
from sealtrace.paper.numbers import looks_numeric, read_printed
from sealtrace.relations.decide import bound_numbers, decide_each, determines
from sealtrace.relations.decision import Claim, Status
from sealtrace.relations.facts import Facts
from sealtrace.relations.reading import read_relations
from sealtrace.relations.sealed import TEXT, Address, cells_of_facts, facts_of_tables
from sealtrace.relations.stored import record_of

PROTOCOL = {
    "study": "rsd-paper",
    "title": "What the RSD-Poker paper prints, and the relations that its own words imply",
    "anonymous": False,
    "expects": "findings",
}
NO_POLICIES = "An audit of printed numbers: no policy is traced, calibrated or selected."
UNRECORDED = (
    "No records of this table were released, and no study here recomputes it: its numbers are the authors' word."
)
NUMBER = "Number"
"""The one column of the table of text."""


def build(
    printed: dict[str, Any],
    relations: dict[str, str],
    elsewhere: dict[str, dict[str, str]],
    directory: Path,
    attachments: dict[str, bytes],
) -> None:
    """Makes the bundle in a new directory.

    `relations` are the relations files, by name; `elsewhere` are the tables that another study gives from records, each
    with that study's name and root.
    """
    source = printed["source"]
    tables = [{"source": source, **table} for table in printed["tables"]]
    _tell_subsets(tables)
    text = {
        "label": TEXT,
        "caption": "Numbers of the running text: those that relations name, then the others by their lines.",
        "source": source,
        "columns": [{"label": NUMBER}],
        "rows": [
            {"label": f"line {line}: {literal}", "cells": [literal], "line": line} for line, literal in printed["text"]
        ],
    }
    records = [*tables, text]
    facts = _facts(records, called=False)
    claims = _claims(relations, facts)
    named = [number for content in relations.values() for number in declared(content)]
    text["rows"] = _text_rows(named, text["rows"])
    _tell_printing(records, facts)
    tables_read = [Table.of(record) for record in records]
    decided = [decision.claim for decision in decide_each(claims) if decision.status is Status.HOLDS]
    known = cells_of_facts(bound_numbers(decided), tables_read)
    binding = {address for address, numbers in known.items() if len(numbers) >= _parts(address, tables_read)}
    derived = _derived(decided, tables_read)
    for record in records:
        if (there := elsewhere.get(record["label"])) is not None:
            record["recipe"] = {"elsewhere": there}
            record["caption"] = f"Recomputed from records by the study {there['study']}."
        else:
            _classify(record, binding, derived)
            record.setdefault("caption", UNRECORDED)

    write_document(directory / "declare/protocol.json", PROTOCOL)
    named_cells = [
        text
        for record in records
        for row in record["rows"]
        if (record["label"], row["label"]) in NAMES
        for text in row["cells"][1:]
    ]
    write_document(directory / "declare/names.json", {"printed": {"name": {text: text for text in named_cells}}})
    _archive(directory, attachments)
    for record in records:
        name = re.sub(r"[^a-z0-9]+", "-", record["label"].removeprefix("tab:"))
        write_document(directory / f"report/table.{name}.json", record)
    write_rows(directory / "report/relation.jsonl", "relation", map(record_of, claims))
    seal(directory, empty={"all": NO_POLICIES})


def _tell_subsets(tables: list[dict[str, Any]]) -> None:
    """The caption of the main table marks the best only among scales without a calibration crossing."""
    rows = next(table["rows"] for table in tables if table["label"] == "tab:main")
    for row in rows:
        row["among"] = "no crossing" if row["cells"][3] == "0/12" else "crossing"


def _claims(relations: dict[str, str], facts: Facts) -> list[Claim]:
    claims: list[Claim] = []
    for name, text in relations.items():
        reading = read_relations(text, name, facts)
        if reading.problems:
            raise ValueError("\n".join(map(str, reading.problems)))
        claims += reading.claims
    twice = [name for name, count in Counter(claim.name for claim in claims).items() if count > 1]
    if twice:
        raise ValueError(f"two relations have one name: {', '.join(twice)}")
    return claims


def _text_rows(named: list[tuple[str, str, int]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Numbers that relations name go by that name; the others keep their lines."""
    taken = {(line, literal) for _, literal, line in named}
    rows = [{"label": name, "cells": [literal], "line": line} for name, literal, line in named]
    return [*rows, *(row for row in others if (row["line"], row["cells"][0]) not in taken)]


def _facts(records: list[dict[str, Any]], *, called: bool = True) -> Facts:
    return facts_of_tables([Table.of(record) for record in records], called=called)


def _tell_printing(records: list[dict[str, Any]], facts: Facts) -> None:
    """Writes into the rows how numbers came to be printed that the relations files read otherwise than as usual."""
    usual = {fact.address: fact for fact in _facts(records).every()}
    # Rows of the text that were given a name have another address since.
    known = [fact for fact in facts.every() if fact.address in usual]
    for fact in known:
        if _ends(fact) != _ends(usual[fact.address]):
            rule = next(rule for rule in Rule if _ends(fact.read_as(rule)) == _ends(fact))
            _row(records, fact).setdefault("printing", {})[fact.column or NUMBER] = rule.value
    again = {fact.address: fact for fact in _facts(records).every()}
    wrong = [fact.address for fact in known if _ends(fact) != _ends(again[fact.address])]
    if wrong:
        raise ValueError(f"only whole cells can be told how they were printed: {', '.join(wrong)}")


def _ends(fact: Fact) -> tuple[Fraction, Fraction]:
    return fact.low, fact.high


def _row(records: list[dict[str, Any]], fact: Fact) -> dict[str, Any]:
    labels = {fact.row} if fact.table else {fact.address, fact.address.rpartition(".")[0]}
    rows = next(record["rows"] for record in records if record["label"] == (fact.table or TEXT))
    found: dict[str, Any] = next(row for row in rows if row["label"] in labels)
    return found


NAMES = {
    ("tab:hparams", "Backbone and tokenizer"),
    ("tab:hparams", "Checkpoint identity"),
    ("tab:measured-config", "Backbone / tokenizer identities"),
}
"""Rows whose digits belong to names."""
DEFINITIONS = {
    ("tab:component", "Behavior cloning", "Cost"),
    ("tab:residual-family", "Fixed rule", "Cost"),
    ("tab:risk-main", "Anchor", "Strong Δ ↑"),
}
"""Ratios of something to itself, and differences."""


def _derived(claims: list[Claim], tables: list[Table]) -> dict[Address, str]:
    """Cells to the relation that gives them: an equation whose left side is the cell alone, and which leaves it no
    other number. What was derived before serves no derivation of what it was derived from."""
    found: dict[Address, str] = {}
    rests: dict[Address, set[Address]] = {}
    for claim in claims:
        first = claim.facts[0]
        cells = cells_of_facts([first], tables)
        others = set(cells_of_facts(claim.facts[1:], tables))
        below = others.union(*(rests.get(other, set()) for other in others))
        for address in cells.keys() - found.keys():
            if address in below or _parts(address, tables) != 1 or not determines(claim, plain_address(first)):
                continue
            found[address] = claim.name
            rests[address] = below
    return found


def _parts(address: Address, tables: list[Table]) -> int:
    """How many numbers a cell prints."""
    label, row, column = address
    for table in tables:
        for each in table.rows if table.label == label and column in table.headers else ():
            if each.label == row and (printed := each.cells[table.headers.index(column)].printed) is not None:
                return len(printed.parts)
    return 0


def _classify(record: dict[str, Any], bound: set[Address], derived: dict[Address, str]) -> None:
    """Says of every cell with a number whether other numbers give it, relations bind it, or nothing does."""
    label = record["label"]
    for row in record["rows"]:
        recipes = {
            column["label"]: _recipe((label, row["label"], column["label"]), bound, derived)
            for index, (column, text) in enumerate(zip(record["columns"], row["cells"], strict=True))
            if looks_numeric(text)
            or ((printed := read_printed(text)) and printed.numeric)
            or (index > 0 and re.search(r"\d", text))
        }
        if recipes:
            row["recipes"] = recipes


def _recipe(address: Address, bound: set[Address], derived: dict[Address, str]) -> dict[str, str]:
    if address[:2] in NAMES:
        return {"classification": "name"}
    if address in DEFINITIONS:
        return {"classification": "definition"}
    if address in derived:
        return {"derived": derived[address]}
    return {"classification": "constrained" if address in bound else "attested"}


def _archive(directory: Path, attachments: dict[str, bytes]) -> None:
    """Keeps the code and the relations files beside the records, with the hash that they have now."""
    rows = []
    for name, data in sorted(attachments.items()):
        path = f"declare/attachments/{name}"
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
        rows.append({"path": path, "role": "code", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    write_rows(directory / "declare/source.jsonl", "source", rows)
