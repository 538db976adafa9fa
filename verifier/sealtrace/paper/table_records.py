"""The JSON of a sealed table, as its schema has it (`contract/printed.py` describes every field)."""

from __future__ import annotations

from typing import Required, TypedDict

Conditions = dict[str, str | list[str]]
"""Field to the value, or values, that rows must have."""


class RecipeRecord(TypedDict, total=False):
    """How records give a cell; in a row, an empty one says that the column's does not apply."""

    metric: str | None
    arguments: dict[str, str] | None
    dataset: str | None
    of: str | None
    against: str | None
    where: Conditions | None
    group: str | None
    average: str | None
    over: str | None
    show: str | None
    minus: Conditions | None
    relative_to: Conditions | None
    versus: Conditions | None
    sql: str | None
    elsewhere: dict[str, str] | None
    derived: str | None
    classification: str | None
    percent: bool | None
    undisclosed: list[str] | None
    note: str | None


class ColumnRecord(TypedDict, total=False):
    label: Required[str]
    recipe: RecipeRecord | None
    direction: str | None


class RowRecord(TypedDict, total=False):
    label: Required[str]
    cells: Required[list[str]]
    line: int | None
    lines: list[int] | None
    marks: dict[str, str] | None
    arguments: dict[str, str] | None
    recipes: dict[str, RecipeRecord] | None
    among: str | None
    printing: dict[str, str] | None
    quotation: str | None


class TableRecord(TypedDict, total=False):
    label: Required[str]
    caption: str | None
    source: str | None
    population: str | None
    recipe: RecipeRecord | None
    columns: Required[list[ColumnRecord]]
    rows: Required[list[RowRecord]]
