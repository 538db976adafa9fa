"""Takes the numbers out of the paper's LaTeX: cells, labels and lines, and no sentence of it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.numbers import looks_numeric, plain_signs, read_printed
from sealtrace.paper.reported import read_reported
from sealtrace.relations.prose import stands_on_line

LONGEST = 48
"""Cells that hold no number and are longer than this are the paper's prose, and stay out."""
PROSE_TABLES = {
    "tab:notation",
    "tab:algorithm",
    "tab:partition",
    "tab:denominators",
    "tab:artifact-map",
    "tab:reproduction",
}
"""Tables of words: what they print is no measured number."""

_SIGNED = r"[-−+]?\d[\d,]*(?:\.\d+)?"
_NUMBERS = re.compile(
    rf"\[\s*{_SIGNED}\s*,\s*{_SIGNED}\s*\]|(?<![\w.])\d+/\d+(?![\w.]*\d)|(?<![\w.]){_SIGNED}\s*±\s*{_SIGNED}"
    r"|(?<![\w.])[-−+]?\d+(?:,\d{3})*\.\d+%?(?![\w.]*\d)|(?<![\w.])\d+(?:,\d{3})+(?![\w.,]*\d)|(?<![\w.])\d+%"
)
_DECLARED = re.compile(r"^fact\s+(\S+)\s*=\s*(.*?)\s+at\s+(?:\S+:)?(\d+)\s*$", re.MULTILINE)


def extract(paper: Path, relations: list[Path]) -> dict[str, Any]:
    """What printed.json holds."""
    text = paper.read_text(encoding="utf-8")
    reported = read_reported(text, paper.name, lambda _name: None)
    tables = [_without_prose(record) for record in reported.records if record["label"] not in PROSE_TABLES]
    numbers = {
        (line.line, " ".join(found.group().split()))
        for line in reported.prose
        for found in _NUMBERS.finditer(plain_signs(line.text))
    }
    for file in relations:
        numbers |= _named(file, text.split("\n"), reported.prose)
    return {
        "source": paper.name,
        "tables": tables,
        "text": [[line, literal] for line, literal in sorted(numbers)],
    }


def declared(text: str) -> list[tuple[str, str, int]]:
    """Name, number and line of each number of the running text that a relations file names."""
    return [(one.group(1), one.group(2), int(one.group(3))) for one in _DECLARED.finditer(text)]


def _named(file: Path, lines: list[str], prose: Sequence[ProseLine]) -> set[tuple[int, str]]:
    """The numbers that relations name, each of which must stand on its line."""
    found = set()
    for _, literal, line in declared(file.read_text(encoding="utf-8")):
        there = [lines[line - 1], *(one.text for one in prose if one.line == line)]
        if not any(stands_on_line(literal, one) for one in there):
            raise ValueError(f"{file}: {literal} does not stand on line {line}")
        found.add((line, literal))
    return found


def _without_prose(record: dict[str, Any]) -> dict[str, Any]:
    rows = []
    for row in record["rows"]:
        cells = [
            text if len(text) <= LONGEST or read_printed(text) is not None or looks_numeric(text) else ""
            for text in row["cells"]
        ]
        rows.append({**row, "cells": cells})
    return {name: record[name] for name in ("label", "columns")} | {"rows": rows}


def write(paper: Path, relations: list[Path], target: Path) -> None:
    """Writes printed.json, a row a line, so that changes can be read."""
    document = extract(paper, relations)
    target.write_text(_text(document), encoding="utf-8")


def _text(document: dict[str, Any]) -> str:
    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    tables = []
    for table in document["tables"]:
        rows = ",\n".join(f"      {line(row)}" for row in table["rows"])
        head = f'    {{"label": {line(table["label"])}, "columns": {line(table["columns"])},'
        tables.append(f'{head}\n     "rows": [\n{rows}\n     ]}}')
    numbers = ",\n".join(f"    {line(one)}" for one in document["text"])
    return (
        f'{{\n  "source": {line(document["source"])},\n  "tables": [\n' + ",\n".join(tables) + "\n  ],\n"
        f'  "text": [\n{numbers}\n  ]\n}}\n'
    )
