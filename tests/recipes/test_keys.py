"""Which columns name rows: labels are no results."""

from __future__ import annotations

from typing import Any

import pytest

from sealtrace.paper.model import Cell, Row, Table
from sealtrace.recipes.cells import cells_of


def record(columns: list[str], *rows: list[str], labels: list[str] | None = None) -> dict[str, Any]:
    """A table record."""
    names = labels or [row[0] for row in rows]
    return {
        "label": "tab:t",
        "columns": [{"label": label} for label in columns],
        "rows": [{"label": label, "cells": row} for label, row in zip(names, rows, strict=True)],
    }


def _key_columns(given: dict[str, Any]) -> set[str]:
    table = Table.of(given)
    return {table.headers[place] for place in table.naming}


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        (record(["Model", "Acc."], ["0.5B", "0.61"], ["3B", "0.74"]), {"Model"}),
        (record(["Year", "Yield"], ["2023", "3.2"], ["2024", "3.4"]), {"Year"}),
        (record(["Scale", "EV"], ["0.00", "4.2"], ["0.04", "4.1"], ["0.08", "4.3"]), {"Scale"}),
        (record(["", "EV"], ["0.12", "4.2"], ["0.04", "4.1"]), {""}),
        (record(["Field", "Tons"], ["North", "3.2"], ["South", "4.5"]), {"Field"}),
        (
            record(["Task", "Model", "Acc."], ["A", "0.5B", "0.6"], ["A", "3B", "0.7"], labels=["A / 0.5B", "A / 3B"]),
            {"Task", "Model"},
        ),
        (
            record(["Task", "Acc.", "F1"], ["A", "0.6", "0.5"], ["A", "0.7", "0.4"], labels=["A / 0.6", "A / 0.7"]),
            {"Task"},
        ),
        (record(["Accuracy", "F1"], ["0.91", "0.88"]), set()),
        (record(["Accuracy", "F1"], ["91%", "88%"], ["92%", "89%"]), set()),
        (record(["Field", "n", "Tons"], ["North", "12", "3.2"], ["South", "30", "4.5"]), {"Field"}),
    ],
    ids=["size", "year", "scale", "blank", "words", "two-keys", "result-tells-apart", "one-row", "percent", "count"],
)
def test_key_columns(table: dict[str, Any], keys: set[str]) -> None:
    """Sizes, years and settings at the left name rows; results do not, even where only they tell rows apart."""
    assert _key_columns(table) == keys
    assert {cell.column for cell in cells_of(Table.of(table, "table.t.json")) if cell.key} == keys


@pytest.mark.parametrize(
    ("header", "cells", "key"),
    [
        ("Field", "0.1 0.2 0.3", True),  # in order, as settings are
        ("Field", "0.1 0.2", False),
        ("Field", "0.1 0.2 0.2", False),
        ("Field", "0.3 0.1 0.2", False),
        ("Field", "3 1 2", True),  # whole numbers
        ("Field", "3 1.5 2", False),
        ("Field", "0.5B 3B", True),
        ("Field", "2020 3.5", False),
        ("Field", "x 1.5", False),  # half of them are numbers
        ("Field", "x y 1.5", True),
        ("", "91% 0.5", False),
        ("", "0.3±0.1 0.5", False),
        ("column 1", "0.3 0.1", True),
        ("Size", "0.3 0.1", True),
    ],
)
def test_a_first_column(header: str, cells: str, key: bool) -> None:
    """By its header and by what it prints."""
    table = record([header, "EV"], *([cell, "4.2"] for cell in cells.split()))
    assert _key_columns(table) == ({header} if key else set())


@pytest.mark.parametrize(
    ("header", "cells", "named", "key"),
    [
        ("Model", "0.5B 3B", False, True),
        ("Model", "0.5B 0.61", False, False),
        ("Model", "0.3 0.61", True, True),
        ("Variant", "0.5B 3B", True, True),
        ("Variant", "0.5B 3B", False, False),
        ("Year", "1900 2100", False, True),
        ("Year", "1899 2000", False, False),
        ("Year", "2000 2101", False, False),
        ("Year", "2000.5 2001.5", False, False),
        ("Layers", "3B-4B 5B-6B", False, True),
        ("Layers", "3B-4.2 5B-6.2", False, False),
        ("Field", "3 4", True, False),
    ],
)
def test_a_second_column(header: str, cells: str, named: bool, key: bool) -> None:
    """Sizes and years beside the label, and settings that are a part of it."""
    rows = [[name, cell, "4.2"] for name, cell in zip("ab", cells.split(), strict=True)]
    labels = [f"{name} / {cell}" if named else name for name, cell, _ in rows]
    assert _key_columns(record(["Name", header, "EV"], *rows, labels=labels)) == ({"Name", header} if key else {"Name"})


def test_a_third_column_is_a_result() -> None:
    """However it looks; and so is the last one, and what follows a column without cells."""
    sizes = record(["Name", "Model", "Size", "EV"], ["a", "3B", "4B", "1"], ["b", "5B", "6B", "2"])
    assert _key_columns(sizes) == {"Name", "Model"}
    assert _key_columns(record(["Name"], ["a"], ["b"])) == set()
    assert _key_columns(record(["", "Name", "EV"], ["", "a", "1"], labels=["a"])) == set()
    assert _key_columns(record(["Name", "Model", "EV"], ["a", "3B", "1"], ["b"])) == {"Name", "Model"}


def test_how_many_cells_name_a_row() -> None:
    """Those that make up its label, without empty ones; one, where none do. Of a table, as in most rows."""

    def naming(label: str, *cells: str) -> int:
        return Row(label, tuple(map(Cell, cells))).naming

    assert naming("a", "a", "b", "1") == 1
    assert naming("a / b", "a", "b", "1") == 2
    assert naming("a", "a", "", "1") == 1
    assert naming("a / b", "a", "", "b", "1") == 3
    assert naming("other", "a", "b", "1") == 1
    assert naming("a / 1", "a", "1") == 1
    assert Table("t", (), ()).label_width == 1
    rows = tuple(Row(label, tuple(map(Cell, "ab1"))) for label in ("a", "a / b", "a / b"))
    assert (Table("t", (), rows).label_width, Table("t", (), rows[:1]).label_width) == (2, 1)


def test_cells_in_their_place() -> None:
    """Lines, marks, recipes and arguments as the record has them; where it is misshapen, why no place is certain."""
    table = record(["Name", "EV"], ["a", "1"], ["b", "2"])
    table["rows"][0] |= {"lines": [3, 4], "marks": {"EV": "best"}, "recipes": {"EV": {}}, "arguments": {"x": "y"}}
    table["rows"][1] |= {"line": 7, "among": "few"}
    table["columns"][1] |= {"recipe": {"metric": "mean"}, "direction": "lower"}
    first, second, third, fourth = cells_of(Table.of(table, "t.json"))
    assert [cell.line for cell in (first, second, third, fourth)] == [3, 4, 7, 7]
    assert [cell.place for cell in (first, second, third, fourth)] == [0, 0, 1, 1]
    assert (second.mark, second.recipe, second.arguments, second.rows) == ("best", {}, {"x": "y"}, 2)
    assert (fourth.mark, fourth.recipe, fourth.among, fourth.direction) == (None, {"metric": "mean"}, "few", "lower")
    assert [cell.spoilt for cell in (first, second, third, fourth)] == [None] * 4
    table["rows"][0]["lines"] = [3]
    assert [cell.line for cell in cells_of(Table.of(table, "t.json"))][:2] == [3, None]
    table["rows"][0]["cells"] = ["a", "1", "2"]
    assert [cell.spoilt for cell in cells_of(Table.of(table, "t.json"))] == [
        "the row has 3 cells for 2 columns"
    ] * 2 + [None] * 2
    for spoil, said in (
        (record(["EV", "EV"], ["a", "1"]), ["the label 'EV' names 2 rows or columns of the table"] * 2),
        (record(["N", "EV"], ["a", "1"], ["a", "2"]), ["the label 'a' names 2 rows or columns of the table"] * 4),
        (record(["a", "EV"], ["a", "1"]), [None] * 2),
    ):
        assert [cell.spoilt for cell in cells_of(Table.of(spoil, "t.json"))] == said


@pytest.mark.parametrize(("text", "role"), [("", "nothing"), (" ", "nothing"), ("n/a", "nothing"), ("yes", "text")])
def test_roles(text: str, role: str) -> None:
    """What a cell without digits prints."""
    assert [cell.role for cell in cells_of(Table.of(record(["N", "EV"], ["a", text]), "t.json"))] == ["text", role]
    declared = record(["N", "EV"], ["a", text or "4"])
    declared["columns"][1]["recipe"] = {"classification": "name"}
    assert [(cell.declared_name, cell.role) for cell in cells_of(Table.of(declared, "t.json"))] == [
        (False, "text"),
        (True, "name"),
    ]
