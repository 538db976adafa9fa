"""Found bindings as recipes: queries over datasets that hold the rows behind them, and the draft of a bundle of these.

A found recipe is a proposal. It counts in a verdict once its author has read and sealed it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sealtrace.binding.candidates import Bound, Candidate, Composed, Selected
from sealtrace.binding.checking import Findings
from sealtrace.binding.frames import COLUMN, Frame, field_name, quoted
from sealtrace.binding.series import Grid, Spot
from sealtrace.binding.wording import needed_fields, rows_behind
from sealtrace.paper.model import Paper, Table
from sealtrace.statistics.entries import TRIED

STAGE = "report"
MAX_ROWS = 200_000


@dataclass(frozen=True)
class Dataset:
    """A dataset that holds the rows of a frame."""

    name: str
    columns: Collection[str] | None = None
    """What its rows have; None where a draft writes every field of the frame."""
    runs: set[str] = field(default_factory=set)
    """Fields that tell runs apart in queries over it: they say which row it is, so a draft puts them into its key."""

    def has(self, field: str) -> bool:
        """Whether a query can name a field of the frame."""
        return self.columns is None or field_name(field) in self.columns


Naming = Callable[[Frame], Dataset | None]
"""A frame to the dataset that holds its rows; None where none does."""


def dataset_name(frame: Frame) -> str:
    """A name for a frame as a dataset."""
    stem = frame.name.rpartition("/")[2].split(" (")[0]
    stem = re.sub(r"\.(csv|tsv|jsonl?|ndjson|parquet)\b", "", stem)
    name = field_name(stem) if stem.strip("*_") else "results"
    name = f"{name}_{frame.depth}" if frame.depth else name
    return (name if name[0].isalpha() else f"results_{name}")[:60]


def recipe_of(bound: Bound, grid: Grid, row: int, column: int, named: Naming) -> dict[str, str] | None:
    """The recipe of a cell, from what gives each of its numbers; None where a query cannot say it."""
    known: list[str] = []
    for slot in range(len(grid.cells[row, column].slots) if (row, column) in grid.cells else 0):
        number = bound.numbers.get(Spot(grid.number, row, column, slot))
        if number is None:
            return None
        options, place = (number.binding.candidate, *number.binding.others), number.place
        query = next((answer for option in options if (answer := query_of(option, place, named)) is not None), None)
        if query is None:
            return None
        known.append(query)
    if not known:
        return None
    return {"sql": known[0] if len(known) == 1 else f"SELECT {', '.join(f'({query})' for query in known)}"}


def query_of(candidate: Candidate, place: int, named: Naming) -> str | None:
    """The query that gives one number of a binding; None where no dataset holds its rows or nothing says its metric."""
    if isinstance(candidate, Composed):
        parts = [query_of(part, at, named) for part, at in candidate.parts[place]]
        sides = [f"({part})" for part in parts if part is not None]
        if not sides or len(sides) < len(parts):
            return None
        value = candidate.operation.sql.format(*sides, all=", ".join(sides))
        return f"SELECT {_as_compared(value, candidate, place)}"
    assert isinstance(candidate, Selected)
    measure, conditions = _conditions(candidate, place)
    frame = candidate.frame.whole or candidate.frame
    derivation = frame.derivation
    base = frame if derivation is None else derivation.base
    dataset = named(base)
    if dataset is None or (derivation is None and (frame.derived or not dataset.has(measure))):
        return None
    where = [_condition(base, dataset, name, text) for name, text in conditions.items()]
    if derivation is None:
        source, values = dataset.name, field_name(measure)
    elif measure in derivation.queries:
        beside = f" CROSS JOIN {derivation.beside.format(rows=dataset.name)}" if derivation.beside else ""
        rows = dataset.name + beside
        # Parts of a name cut nothing that the whole name does not.
        whole = [
            name for name in derivation.fields if "/" not in name or name.partition("/")[0] not in derivation.fields
        ]
        dataset.runs.update(map(field_name, whole))
        fields = ", ".join(dict.fromkeys(map(field_name, whole)))
        kept = " AND ".join([derivation.where, *where])
        each = f" GROUP BY {fields}" if fields else ""
        source = f"(SELECT {derivation.queries[measure]} AS value FROM {rows} WHERE {kept}{each})"
        values, where = "value", []
    else:
        return None
    value = TRIED["values"][candidate.statistic].sql.format(x=values)
    if candidate.transformation.name:
        value = candidate.transformation.text(f"({value})", place).replace("·", "*")
    return f"SELECT {_as_compared(value, candidate, place)} FROM {source}" + (
        f" WHERE {' AND '.join(where)}" if where else ""
    )


def _condition(frame: Frame, dataset: Dataset, name: str, text: str) -> str:
    """What selects the rows of one value; a part of names that the dataset has no column of, by the whole names."""
    fields = {dimension.name: dimension for dimension in frame.dimensions}
    whole = name.partition("/")[0]
    if dataset.has(name) or name not in fields or whole not in fields or text not in fields[name].values:
        return f"{field_name(name)} = {quoted(text)}" if text else f"{field_name(name)} IS NULL"
    part, names = fields[name], fields[whole]
    codes = np.unique(names.codes[part.codes == part.values.index(text)])
    return f"{field_name(whole)} IN ({', '.join(quoted(names.values[code]) for code in codes)})"


def _as_compared(value: str, candidate: Candidate, place: int) -> str:
    """A cell with a percent sign is compared with a fraction."""
    return f"({value}) / 100" if candidate.series.slots[place].percent else value


def _conditions(candidate: Selected, place: int) -> tuple[str, dict[str, str]]:
    """The measure of one number, and the values of the fields that select its rows."""
    frame = candidate.frame
    measure = candidate.measure
    conditions: dict[str, str] = {}
    for column in needed_fields(candidate):
        dimension = frame.dimensions[candidate.selection.fields[column]]
        code = int(candidate.selection.codes[place, column])
        if code >= 0:
            conditions[dimension.name] = dimension.values[code]
    conditions |= dict(candidate.fixed)
    if frame.whole is not None:
        columns = next(dimension for dimension in frame.dimensions if dimension.name == COLUMN)
        measure = columns.values[columns.codes[rows_behind(candidate, place)[0]]]
        conditions = {name: value for name, value in conditions.items() if name.partition("/")[0] != COLUMN}
    return measure, conditions


def dataset_rows(frame: Frame) -> list[dict[str, Any]]:
    """The rows of a frame: where each stands, its fields as text, its numbers."""
    names = [field_name(name) for name in frame.measures]
    rows: list[dict[str, Any]] = []
    for row in range(frame.rows):
        record: dict[str, Any] = {"place": frame.places[row]}
        # A whole number that selects and is measured stays a number: queries compare it with text all the same.
        record |= {
            name: float(value)
            for name, value in zip(names, frame.numbers[row], strict=True)
            if np.isfinite(value) and name not in record
        }
        for dimension in frame.dimensions:
            name = field_name(dimension.name)
            if dimension.codes[row] >= 0 and name not in record and name not in names:
                record[name] = dimension.values[dimension.codes[row]]
        rows.append(record)
    return rows


def declaration(frame: Frame, dataset: Dataset, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What the rows are: their fields, their key, how many there are."""
    kinds: dict[str, str] = {}
    for record in rows:
        for name, value in record.items():
            kinds.setdefault(name, "number" if isinstance(value, float) else "string")
    key = [name for name in sorted(dataset.runs) if kinds.get(name) == "string" and all(name in row for row in rows)]
    key.append("place")
    return {
        "dataset": dataset.name,
        "title": f"Rows of {frame.name}"[:200],
        "row": {
            "type": "object",
            "properties": {name: {"type": kind} for name, kind in kinds.items()},
            "required": key,
            "additionalProperties": False,
        },
        "key": key,
        "rows": len(rows),
    }


def draft_of(findings: Findings, reported: Paper) -> dict[str, str]:
    """A check as paths and contents of a bundle's draft: datasets with declarations, table records, recipes."""
    datasets: dict[int, tuple[Frame, Dataset]] = {}
    files: dict[str, str] = {}
    taken: set[str] = set()

    def named(frame: Frame) -> Dataset | None:
        if frame.rows > MAX_ROWS:
            return None
        if id(frame) not in datasets:
            name = base = dataset_name(frame)
            number = 2
            while name in taken:
                name, number = f"{base}_{number}", number + 1
            taken.add(name)
            datasets[id(frame)] = frame, Dataset(name)
        return datasets[id(frame)][1]

    by_label = {grid.name: grid for grid in findings.grids}
    for table in reported.tables:
        grid = by_label.get(table.label)
        filled = table if grid is None else _filled(table.with_names, grid, findings.bound, named)
        files[f"{STAGE}/{reported.file_names[table.label]}"] = _document(filled.record())
    for frame, dataset in datasets.values():
        rows = dataset_rows(frame)
        files[f"{STAGE}/dataset.{dataset.name}.json"] = _document(declaration(frame, dataset, rows))
        lines = (f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        files[f"{STAGE}/rows.{dataset.name}.jsonl"] = "".join(lines)
    return files


def _document(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _filled(table: Table, grid: Grid, bound: Bound, named: Naming) -> Table:
    """A table with the recipe of every cell that one query gives."""
    rows = []
    for place, row in enumerate(table.rows):
        recipes = dict(row.recipes)
        for column, label in enumerate(table.headers):
            if (recipe := recipe_of(bound, grid, place, column, named)) is not None:
                recipes[label] = recipe
        rows.append(replace(row, recipes=recipes))
    return replace(table, rows=tuple(rows))
