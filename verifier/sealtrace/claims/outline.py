"""What a paper prints, with the addresses by which claims speak of it; and what no claim touches yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sealtrace.claims.tying import Ground
from sealtrace.paper.model import Paper, Table
from sealtrace.paper.number_grammar import PrintedNumber, is_unit
from sealtrace.paper.papers import merged, read_paper
from sealtrace.paper.sentences import Sentence
from sealtrace.relations.facts import UnknownFactError
from sealtrace.relations.syntax import exact_text, fact_text

MARKS = {"best": "bold", "second": "underlined"}


def read_papers(paths: Sequence[Path], root: Path | None = None) -> Paper:
    """One paper, or a paper with its supplements as one: sentences are numbered on, equal labels get `#2`."""
    return merged([read_paper(path, root) for path in paths])


def outline_of(ground: Ground) -> dict[str, Any]:
    """Tables with their rows, columns and cells; sentences with their numbers."""
    return {
        "tables": [_table(table, ground) for table in ground.paper.tables],
        "sentences": [
            {
                "source": sentence.source,
                "line": sentence.line,
                **({"caption": True} if sentence.caption else {}),
                **_numbered(sentence, ground),
            }
            for sentence in ground.paper.sentences
            if not sentence.cited
        ],
    }


def _numbered(sentence: Sentence, ground: Ground) -> dict[str, object]:
    numbers = [{"id": one.id, **_number(ground.facts.named(one.id), one.unit)} for one in sentence.numbers]
    return {"id": sentence.id, "text": sentence.text, "numbers": numbers}


def _table(table: Table, ground: Ground) -> dict[str, object]:
    cells = []
    for row, column, cell in table.places():
        if cell.text == table.rows[row].label:
            continue
        try:
            entry = ground.facts.entry(table.label, table.rows[row].label, table.columns[column].label)
        except UnknownFactError:
            continue
        if not entry.facts:
            continue
        numbers = [{"id": fact_text(fact), **_number(fact)} for fact in entry.facts]
        mark = {"mark": MARKS[cell.mark]} if cell.mark in MARKS else {}
        cells.append({"row": table.rows[row].label, "column": table.columns[column].label, "printed": cell.text, **mark,
                      "numbers": numbers})  # fmt: skip
    return {
        "id": table.label,
        "source": table.file,
        "line": table.line,
        "caption": table.caption,
        "rows": [row.label for row in table.rows],
        "columns": list(table.headers),
        "headings": [_numbered(heading, ground) for heading in ground.headings[table.label]],
        "cells": cells,
    }


def _number(fact: PrintedNumber, unit: str = "") -> dict[str, str]:
    given = unit or ("%" if fact.percent else fact.suffix if is_unit(fact.suffix) else "")
    shown = {"printed": fact.text, **({"unit": given} if given else {})}
    if fact.is_bound:
        return {**shown, "read": "bound"}
    if fact.exact:
        return {**shown, "read": "exact", "value": exact_text(fact.value)}
    return {**shown, "read": "rounded", "low": exact_text(fact.low), "high": exact_text(fact.high)}


def outline_text(ground: Ground) -> str:
    """The outline for people and assistants: what to copy into a claim."""
    lines = []
    for table in outline_of(ground)["tables"]:
        lines += [f"{table['id']}  {table['source']}:{table['line'] or 1}", f"  caption: {table['caption']}"]
        lines.append(f"  columns: {'; '.join(table['columns'])}")
        rows: dict[str, list[str]] = {row: [] for row in table["rows"]}
        for cell in table["cells"]:
            exact = "" if any(number["read"] == "rounded" for number in cell["numbers"]) else "!"
            mark = f" {cell['mark']}" if "mark" in cell else ""
            rows[cell["row"]].append(f"{cell['column']} = {cell['printed']}{exact}{mark}")
        lines += [f"  [{row}]  {'; '.join(cells)}" for row, cells in rows.items()]
        lines += [f"  {heading.id}  {_shown(heading, ground)}" for heading in ground.headings[table["id"]]]
        lines.append("")
    for sentence in ground.paper.sentences:
        if sentence.cited or not sentence.text.strip():
            continue
        lines.append(f"{sentence.id}  {_shown(sentence, ground)}")
    lines += ["", "! is read as exact; other numbers as rounded to their last digit."]
    return "\n".join(lines) + "\n"


def _shown(sentence: Sentence, ground: Ground) -> str:
    numbers = ", ".join(
        f"{one.id.partition('.')[2]} {one.text}{'!' if ground.facts.named(one.id).exact else ''}"
        for one in sentence.numbers
    )
    return f"{sentence.text}  {{{numbers}}}" if numbers else sentence.text


def uncovered(ground: Ground, touched: Iterable[str]) -> dict[str, Any]:
    """Cells and sentences that hold numbers of which no claim speaks."""
    known = set(touched)
    tables = {}
    total = open_ = 0
    for table in ground.paper.tables:
        missing = []
        for row, column, _cell in table.numbers:
            total += 1
            if table.id(row, column) not in known:
                missing.append(table.id(row, column))
        open_ += len(missing)
        if missing:
            tables[table.label] = missing
    sentences = []
    for sentence in ground.paper.sentences:
        numbers = [one for one in sentence.quantities if not sentence.cited]
        left = [one.id for one in numbers if one.id not in known]
        total, open_ = total + len(numbers), open_ + len(left)
        if left:
            sentences.append({"id": sentence.id, "text": sentence.text, "numbers": left})
    return {"numbers": total, "untouched": open_, "tables": tables, "sentences": sentences}


def uncovered_text(left: dict[str, Any]) -> str:
    """The same for people."""
    lines = [f"{left['untouched']} of {left['numbers']} numbers are in no claim"]
    lines += [line for cells in left["tables"].values() for line in cells]
    lines += [f"{one['id']}  {one['text']}  {{{', '.join(one['numbers'])}}}" for one in left["sentences"]]
    return "\n".join(lines) + "\n"
