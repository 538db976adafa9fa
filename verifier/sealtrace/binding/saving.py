"""A check as the draft of a bundle: datasets with declarations, table records, recipes to review.

A found recipe is a proposal. It counts in a verdict once its author has read and sealed it.
"""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Any

from sealtrace.binding.checking import Findings
from sealtrace.binding.frames import Frame
from sealtrace.binding.recipes import Dataset, Naming, dataset_name, dataset_rows, declaration, recipe_of
from sealtrace.binding.series import Grid, Spot
from sealtrace.printed.reported import Reported

STAGE = "report"
MAX_ROWS = 200_000


def draft_of(findings: Findings, reported: Reported, accepted: set[int] | None = None) -> dict[str, str]:
    """Paths and contents of the draft; `accepted` are ids of the bindings to use, all where it is None."""
    names: dict[int, str] = {}
    files: dict[str, str] = {}
    taken: set[str] = set()

    def named(frame: Frame) -> Dataset | None:
        if frame.rows > MAX_ROWS:
            return None
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
        return Dataset(names[id(frame)])

    by_label = {grid.name: grid for grid in findings.grids}
    for record in reported.records:
        grid = by_label.get(record["label"])
        filled = record if grid is None else _filled(record, grid, findings, named, accepted)
        label = re.sub(r"[^A-Za-z0-9-]+", "-", record["label"].removeprefix("tab:")).strip("-") or "unnamed"
        files[f"{STAGE}/table.{label}.json"] = _document(filled)
    return files


def _document(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _filled(
    record: dict[str, Any],
    grid: Grid,
    findings: Findings,
    named: Naming,
    accepted: set[int] | None,
) -> dict[str, Any]:
    """A table record with the recipe of every cell that one query gives."""
    columns = [column["label"] for column in record["columns"]]
    rows = []
    for place, row in enumerate(record["rows"]):
        recipes: dict[str, Any] = dict(row.get("recipes", {}))
        for column, label in enumerate(columns):
            cell = grid.cells.get((place, column))
            if cell is None:
                continue
            numbers = [
                findings.bound.numbers.get(Spot(grid.number, place, column, slot)) for slot in range(len(cell.slots))
            ]
            known = [one for one in numbers if one is not None and (accepted is None or id(one.binding) in accepted)]
            if len(known) == len(numbers) and (recipe := recipe_of(known, named)) is not None:
                recipes[label] = recipe
        rows.append({**row, **({"recipes": recipes} if recipes else {})})
    # Labels name their rows; a verifier would ask for the recipe of `7B` otherwise.
    named_columns = [
        {**column, "recipe": {"classification": "name"}}
        if place in grid.labels and not column.get("recipe")
        else column
        for place, column in enumerate(record["columns"])
    ]
    return {**record, "source": PurePosixPath(grid.source).name, "columns": named_columns, "rows": rows}
