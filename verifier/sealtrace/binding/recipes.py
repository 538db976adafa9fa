"""Found bindings as recipes: the ordinary language of table records, over datasets that hold the rows behind them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sealtrace.binding.choosing import Candidate
from sealtrace.binding.frames import Frame
from sealtrace.binding.wording import needed_fields

_STATISTICS = {
    "mean": "avg({x})",
    "median": "median({x})",
    "sd": "stddev_samp({x})",
    "sd0": "stddev_pop({x})",
    "min": "min({x})",
    "max": "max({x})",
    "sum": "sum({x})",
    "count": "count({x})",
    "negative": "count(CASE WHEN {x} < 0 THEN 1 END)",
}
_UNSAFE = re.compile(r"[^A-Za-z0-9_]+")


def dataset_name(frame: Frame) -> str:
    """A name for a frame as a dataset."""
    stem = frame.name.rpartition("/")[2].split(" (")[0]
    stem = re.sub(r"\.(csv|tsv|jsonl?|ndjson|parquet)\b", "", stem)
    name = _UNSAFE.sub("_", stem).strip("_") or "results"
    name = f"{name}_{frame.depth}" if frame.depth else name
    return (name if name[0].isalpha() else f"results_{name}")[:60]


def field_name(name: str) -> str:
    """A field of a frame as a column that queries can name without quotes."""
    return _UNSAFE.sub("_", name).strip("_") or "field"


def conditions_of(candidate: Candidate, place: int) -> tuple[str, dict[str, str]]:
    """The measure of one number, and the values of the fields that select its rows."""
    frame = candidate.frame
    measure = candidate.measure
    conditions: dict[str, str] = {}
    for column in needed_fields(candidate):
        dimension = frame.dimensions[candidate.selection.fields[column]]
        code = int(candidate.selection.codes[place, column])
        if dimension.name == "column":
            measure = dimension.values[code]
        elif code >= 0:
            conditions[dimension.name] = dimension.values[code]
    return measure, conditions | dict(candidate.fixed)


def spread_recipe(mean: Candidate, spread: Candidate, place: int, dataset: str, key: str) -> dict[str, Any] | None:
    """The recipe of `mean ± sd`, where both are of the same rows of a file; each row is a repeat by its key."""
    same = (
        mean.frame is spread.frame
        and (mean.statistic, spread.statistic) == ("mean", "sd")
        and (mean.measure, mean.fixed) == (spread.measure, spread.fixed)
        and not mean.transformation.name
        and not spread.transformation.name
        and bool(np.array_equal(mean.selection.chosen, spread.selection.chosen))
    )
    if not same or mean.frame.derived:
        return None
    measure, conditions = conditions_of(mean, place)
    return {
        "dataset": dataset,
        "metric": "mean",
        "of": field_name(measure),
        "where": {field_name(name): value for name, value in conditions.items()},
        "over": key,
        "show": "mean±sd",
    }


def query_of(candidate: Candidate, place: int, dataset: str) -> str | None:
    """The query that gives one number of a binding; None where its rows were derived and stand in no file."""
    if candidate.frame.derived:
        return None
    measure, conditions = conditions_of(candidate, place)
    value = _STATISTICS[candidate.statistic].format(x=field_name(measure))
    # A cell with a percent sign is compared with a fraction.
    printed = candidate.transformation.name != "100 · x" or not candidate.series.slots[place].percent
    if candidate.transformation.name and printed:
        value = candidate.transformation.name.replace("·", "*").replace("x", f"({value})")
    where = " AND ".join(
        f"{field_name(name)} = {_quoted(text)}" if text else f"{field_name(name)} IS NULL"
        for name, text in conditions.items()
    )
    return f"SELECT {value} FROM {dataset}" + (f" WHERE {where}" if where else "")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


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


def declaration(frame: Frame, dataset: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What the rows are: their fields, their key, how many there are."""
    kinds: dict[str, str] = {}
    for record in rows:
        for name, value in record.items():
            kinds.setdefault(name, "number" if isinstance(value, float) else "string")
    return {
        "dataset": dataset,
        "title": f"Rows of {frame.name}"[:200],
        "row": {
            "type": "object",
            "properties": {name: {"type": kind} for name, kind in kinds.items()},
            "required": ["place"],
            "additionalProperties": False,
        },
        "key": ["place"],
        "rows": len(rows),
    }
