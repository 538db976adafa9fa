"""Found bindings as recipes: queries over datasets that hold the rows behind them.

A found recipe is a proposal. It counts in a verdict once its author has read and sealed it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from sealtrace.binding.candidates import Bound, Candidate, Composed, Selected
from sealtrace.binding.frames import COLUMN, ResultFrame, field_name, quoted
from sealtrace.binding.series import Grid, Spot
from sealtrace.binding.wording import needed_fields, plain_field, rows_behind
from sealtrace.paper.names.words import squeezed
from sealtrace.paper.table_records import RecipeRecord
from sealtrace.statistics.entries import TRIED


@dataclass(frozen=True)
class DraftDataset:
    """A dataset that holds the rows of a frame."""

    name: str
    columns: Collection[str] | None = None
    """What its rows have; None where a draft writes every field of the frame."""
    runs: set[str] = field(default_factory=set)
    """Fields that tell runs apart in queries over it: they say which row it is, so a draft puts them into its key."""
    copies: Mapping[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)
    """Fields of file names that say what a field of the rows says: that field, and each value as it has it."""

    def has(self, field: str) -> bool:
        """Whether a query can name a field of the frame."""
        return self.columns is None or field_name(field) in self.columns

    def field(self, name: str) -> str:
        """How queries call a field of the frame: as its records do, or, in a draft, as the report does."""
        own = self.copies[name][0] if name in self.copies else name
        return field_name(own if self.columns is not None else plain_field(own))

    def value(self, name: str, text: str) -> str:
        """How the field that stands for one of the frame has a value of it."""
        return self.copies[name][1].get(text, text) if name in self.copies else text


_COUNT = re.compile(r"count\(\*\) FILTER \(([^()]*)\)")
Naming = Callable[[ResultFrame], DraftDataset | None]
"""A frame to the dataset that holds its rows; None where none does."""


def dataset_name(frame: ResultFrame) -> str:
    """A name for a frame as a dataset."""
    stem = frame.name.rpartition("/")[2].split(" (")[0]
    stem = re.sub(r"\.(csv|tsv|jsonl?|ndjson|parquet)\b", "", stem)
    name = field_name(stem) if stem.strip("*_") else "results"
    name = f"{name}_{frame.depth}" if frame.depth else name
    return (name if name[0].isalpha() else f"results_{name}")[:60]


def recipe_of(bound: Bound, grid: Grid, row: int, column: int, named: Naming) -> RecipeRecord | None:
    """The recipe of a cell, from what gives each of its numbers; None where a query cannot say it."""
    known: list[str] = []
    notes: list[str] = []
    for slot in range(len(grid.cells[row, column].slots) if (row, column) in grid.cells else 0):
        number = bound.numbers.get(Spot(grid.number, row, column, slot))
        if number is None:
            return None
        options, place = (number.binding.candidate, *number.binding.others), number.place
        query = next((answer for option in options if (answer := query_of(option, place, named)) is not None), None)
        if query is None:
            return None
        known.append(query)
        notes += [number.binding.note] if number.binding.note else []
    if not known:
        return None
    recipe: RecipeRecord = {
        "sql": known[0] if len(known) == 1 else f"SELECT {', '.join(f'({query})' for query in known)}"
    }
    if notes:
        recipe["note"] = " ".join(dict.fromkeys(notes))
    return recipe


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
    measure, conditions = conditions_of(candidate, place)
    frame = candidate.frame.whole or candidate.frame
    derivation = frame.derivation
    base = frame if derivation is None else derivation.base
    dataset = named(base)
    if dataset is None or (derivation is None and (frame.derived or not dataset.has(measure))):
        return None
    where = [_condition(base, dataset, name, text) for name, text in conditions.items()]
    if derivation is None:
        source, values = dataset.name, dataset.field(measure)
    elif measure in derivation.queries:
        beside = f" CROSS JOIN {derivation.beside.format(rows=dataset.name)}" if derivation.beside else ""
        rows = dataset.name + beside
        whole = [dataset.field(name) for name in run_names(base, derivation.fields, parts=dataset.columns is None)]
        dataset.runs.update(whole)
        fields = ", ".join(dict.fromkeys(whole))
        query, where = derivation.queries[measure], [derivation.where, *where]
        if (one := _COUNT.fullmatch(query)) and not fields and candidate.statistic == "mean":
            # Without runs nothing is averaged: it is how many rows there are, which no other query need surround.
            kept = " AND ".join([one[1], *(condition for condition in where if condition != "true")])
            return f"SELECT {_as_compared('count(*)', candidate, place)} FROM {rows} WHERE {kept}"
        each = f" GROUP BY {fields}" if fields else ""
        source = f"(SELECT {query} AS value FROM {rows} WHERE {' AND '.join(where)}{each})"
        values, where = "value", []
    else:
        return None
    value = TRIED["values"][candidate.statistic].sql.format(x=values)
    if candidate.transformation.name:
        value = candidate.transformation.text(f"({value})", place).replace("·", "*")
    return f"SELECT {_as_compared(value, candidate, place)} FROM {source}" + (
        f" WHERE {' AND '.join(where)}" if where else ""
    )


def run_names(frame: ResultFrame, names: Collection[str], *, parts: bool) -> list[str]:
    """Fields that tell runs apart: whole names, since parts cut nothing that these do not; or, where parts are asked
    for and as fine, those instead of the whole."""
    found: list[str] = []
    for name in (name for name in names if "/" not in name or name.partition("/")[0] not in names):
        finer = parts_of(frame, name) if parts else []
        found += finer or [name]
    return found


def copies_in(frame: ResultFrame) -> dict[str, tuple[str, dict[str, str]]]:
    """Fields of file names that repeat a field of the rows: one value for one, each within the other's text.

    A directory `qwen-7b` over rows whose model is `qwen-7b`, or a file `seed13` of rows whose seed is 13.
    """
    of_rows = [one for one in frame.dimensions if one.name in frame.read]
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for path in (one for one in frame.dimensions if one.name.partition("/")[0] not in frame.read):
        for own in (one for one in of_rows if len(one.values) == len(path.values)):
            pairs = np.unique(np.column_stack([path.codes, own.codes]), axis=0)
            values = {path.values[here]: own.values[there] for here, there in pairs if min(here, there) >= 0}
            if len(pairs) == len(values) and all(map(_says_the_same, values, values.values())):
                found[path.name] = own.name, values
                break
    return found


def _says_the_same(one: str, other: str) -> bool:
    short, long = sorted((squeezed(one), squeezed(other)), key=len)
    return bool(short) and short in long


def parts_of(frame: ResultFrame, name: str) -> list[str]:
    """The parts of a field of names, where they tell its values apart."""
    fields = {dimension.name: dimension for dimension in frame.dimensions}
    parts = [part for part in fields if part.startswith(f"{name}/")]
    if not parts or name not in fields:
        return []
    together = np.column_stack([fields[part].codes for part in parts])
    return parts if len(np.unique(together, axis=0)) == len(np.unique(fields[name].codes)) else []


def _condition(frame: ResultFrame, dataset: DraftDataset, name: str, text: str) -> str:
    """What selects the rows of one value; a part of names that the dataset has no column of, by the whole names."""
    fields = {dimension.name: dimension for dimension in frame.dimensions}
    whole = name.partition("/")[0]
    if dataset.has(name) or name not in fields or whole not in fields or text not in fields[name].values:
        return (
            f"{dataset.field(name)} = {quoted(dataset.value(name, text))}" if text else f"{dataset.field(name)} IS NULL"
        )
    part, names = fields[name], fields[whole]
    codes = np.unique(names.codes[part.codes == part.values.index(text)])
    return f"{dataset.field(whole)} IN ({', '.join(quoted(names.values[code]) for code in codes)})"


def _as_compared(value: str, candidate: Candidate, place: int) -> str:
    """A cell with a percent sign is compared with a fraction."""
    return f"({value}) / 100" if candidate.series.slots[place].percent else value


def conditions_of(candidate: Selected, place: int) -> tuple[str, dict[str, str]]:
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
        columns = frame.field(COLUMN)
        measure = columns.values[columns.codes[rows_behind(candidate, place)[0]]]
        conditions = {name: value for name, value in conditions.items() if name.partition("/")[0] != COLUMN}
    return measure, conditions
