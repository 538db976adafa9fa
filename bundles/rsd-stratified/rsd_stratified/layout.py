"""How a table is put together: columns that know their metric, rows that know its arguments, and printed strings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from rsd_stratified.figures import Figure, Figures
from rsd_stratified.marks import marks
from rsd_stratified.states import Row

NOT_AVAILABLE = "n/a"
Format = Callable[[Figure], str]


@dataclass(frozen=True)
class Column:
    """One column; a text column has no metric, and its cells are what the rows say."""

    label: str
    metric: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    """The metric's arguments; `{name}` stands for an argument of the row."""
    format: Format = str
    direction: str | None = None

    @property
    def recipe(self) -> Row:
        return {"metric": self.metric, "arguments": self.arguments}


@dataclass(frozen=True)
class Line:
    """One row: its texts, the arguments that it gives to recipes, and the columns that it fills in another way."""

    label: str
    texts: dict[str, str] = field(default_factory=dict)
    """Column to what a column without metric prints."""
    arguments: dict[str, str] = field(default_factory=dict)
    own: dict[str, Column | None] = field(default_factory=dict)
    """Column to what stands in its place in this row; None where there is no such number."""
    among: str | None = None


def table_record(
    figures: Figures, label: str, caption: str, columns: list[Column], lines: list[Line], *, second: bool = False
) -> Row:
    """A printed table with the recipes of its numbers and the marks of its best ones."""
    rows = [_row(figures, columns, line) for line in lines]
    for place, column in enumerate(columns):
        if column.direction is None:
            continue
        for among in {line.among for line in lines}:
            compared = [row for row, line in zip(rows, lines, strict=True) if line.among == among]
            given = marks([row["cells"][place] for row in compared], column.direction, second=second)
            for row, mark in zip(compared, given, strict=True):
                if mark is not None:
                    row.setdefault("marks", {})[column.label] = mark
    return {"label": label, "caption": caption, "columns": [_column(one) for one in columns], "rows": rows}


def _column(column: Column) -> Row:
    record: Row = {"label": column.label}
    if column.metric:
        record["recipe"] = column.recipe
    return record | ({"direction": column.direction} if column.direction else {})


def _row(figures: Figures, columns: list[Column], line: Line) -> Row:
    cells: list[str] = []
    recipes: Row = {}
    for column in columns:
        used = line.own.get(column.label, column)
        if used is not None and not used.metric:
            cells.append(line.texts[column.label])
            continue
        value = None if used is None else figures.of(used.metric, _filled(used, line))
        if used is None or value is None:
            cells.append(NOT_AVAILABLE)
            recipes[column.label] = {}
            continue
        cells.append(used.format(value))
        if used is not column:
            recipes[column.label] = used.recipe
    row: Row = {"label": line.label, "cells": cells}
    optional = {"arguments": line.arguments, "recipes": recipes, "among": line.among}
    return row | {name: value for name, value in optional.items() if value}


def _filled(column: Column, line: Line) -> dict[str, str]:
    """The column's arguments with those of the row put in."""
    return {
        name: re.sub(r"\{(.+?)\}", lambda match: line.arguments[match.group(1)], text)
        for name, text in column.arguments.items()
    }


def decimals(places: int, after: str = "") -> Format:
    """Rounded once, from the unrounded value, to so many places."""

    def write(value: Figure) -> str:
        assert isinstance(value, float | Fraction | int)
        rounded = float(round(Fraction(value), places))
        # A small negative number that rounds to zero has lost its sign.
        return f"{rounded + 0.0:.{places}f}{after}"

    return write


def share(value: Figure) -> str:
    """A count out of a count."""
    assert isinstance(value, tuple)
    return f"{value[0]}/{value[1]}"


def interval(value: Figure) -> str:
    """Two ends."""
    assert isinstance(value, tuple)
    return f"[{value[0]}, {value[1]}]"


FOUR, THREE, TWO = decimals(4), decimals(3), decimals(2)
TIMES = decimals(2, "×")
