"""A check as the draft of a bundle: datasets with declarations, table records, recipes to review.

A found recipe is a proposal. It counts in a verdict once its author has read and sealed it.
"""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Any

from sealtrace.binding.checking import Findings
from sealtrace.binding.choosing import Candidate
from sealtrace.binding.frames import Frame
from sealtrace.binding.recipes import dataset_name, dataset_rows, declaration, query_of
from sealtrace.binding.series import Grid, Spot
from sealtrace.binding.tables import Binding
from sealtrace.printed.reported import Reported

STAGE = "report"
MAX_ROWS = 200_000


def draft_of(findings: Findings, reported: Reported, accepted: set[int] | None = None) -> dict[str, str]:
    """Paths and contents of the draft; `accepted` are ids of the bindings to use, all where it is None."""
    names: dict[int, str] = {}
    files: dict[str, str] = {}
    taken: set[str] = set()

    def named(frame: Frame) -> str:
        if id(frame) not in names:
            name = base = dataset_name(frame)
            number = 2
            while name in taken:
                name, number = f"{base}_{number}", number + 1
            taken.add(name)
            names[id(frame)] = name
            rows = dataset_rows(frame)
            files[f"{STAGE}/dataset.{name}.json"] = _document(declaration(frame, name, rows))
            files[f"{STAGE}/rows.{name}.jsonl"] = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        return names[id(frame)]

    whole = {frame.name: frame for frame in findings.frames if not frame.derived and frame.rows <= MAX_ROWS}
    by_label = {grid.name: grid for grid in findings.grids}
    for record in reported.records:
        grid = by_label.get(record["label"])
        filled = record if grid is None else _filled(record, grid, findings, whole, named, accepted)
        label = re.sub(r"[^A-Za-z0-9-]+", "-", record["label"].removeprefix("tab:")).strip("-") or "unnamed"
        files[f"{STAGE}/table.{label}.json"] = _document(filled)
    return files


def _document(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _filled(
    record: dict[str, Any],
    grid: Grid,
    findings: Findings,
    whole: dict[str, Frame],
    named: Any,
    accepted: set[int] | None,
) -> dict[str, Any]:
    """A table record with the recipe of every cell that one query gives."""
    columns = [column["label"] for column in record["columns"]]
    rows = []
    for place, row in enumerate(record["rows"]):
        recipes: dict[str, Any] = dict(row.get("recipes", {}))
        for column, label in enumerate(columns):
            cell = grid.cells.get((place, column))
            if cell is None or len(cell.slots) != 1:
                continue
            number = findings.bound.numbers.get(Spot(grid.number, place, column, 0))
            if number is None or (accepted is not None and id(number.binding) not in accepted):
                continue
            option = _in_files(number.binding, whole)
            if option is None:
                continue
            query = query_of(option, number.place, named(whole[option.frame.name]))
            if query is not None:
                recipes[label] = {"sql": query}
        rows.append({**row, **({"recipes": recipes} if recipes else {})})
    return {**record, "source": PurePosixPath(grid.source).name, "rows": rows}


def _in_files(binding: Binding, whole: dict[str, Frame]) -> Candidate | None:
    """The chosen formula, or another that gives the same, whose rows stand in files."""
    return next(
        (one for one in (binding.candidate, *binding.others) if not one.frame.derived and one.frame.name in whole), None
    )
