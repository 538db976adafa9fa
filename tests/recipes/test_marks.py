"""Best and second best."""

from __future__ import annotations

from typing import Any

from sealtrace.paper.model import Table
from sealtrace.recipes.cells import cells_of, marked_groups, undirected, wrong_marks


def problems(direction: str | None, rows: list[tuple[str, str | None]], among: list[str] | None = None) -> list[str]:
    """Rows whose mark is wrong, in a table of one column."""
    column: dict[str, Any] = {"label": "x"} | ({"direction": direction} if direction else {})
    record = {
        "label": "t",
        "columns": [column],
        "rows": [
            {"label": str(place), "cells": [text]}
            | ({"marks": {"x": mark}} if mark else {})
            | ({"among": among[place]} if among else {})
            for place, (text, mark) in enumerate(rows)
        ],
    }
    return [
        f"{problem.cell.row}: {problem.expected}" for problem in wrong_marks(list(cells_of(Table.of(record, "t.json"))))
    ]


def test_right_marks() -> None:
    """Best, second, and no mark at all."""
    assert problems("higher", [("1.0", None), ("3.0", "best"), ("2.0", "second")]) == []
    assert problems("lower", [("1.0", "best"), ("3.0", None), ("2.0", None)]) == []
    assert problems("higher", [("1.0", None), ("3.0", None)]) == []
    assert problems(None, [("1.0", "best"), ("3.0", None)]) == []


def test_ties_share_a_mark() -> None:
    """Equal strings deserve the same mark."""
    assert problems("lower", [("0/24", "best"), ("0/24", "best"), ("3/24", None)]) == []
    assert problems("lower", [("0/24", "best"), ("0/24", None), ("3/24", None)]) == ["1: best"]
    assert problems("higher", [("2", "second"), ("3", "best"), ("2", "second")]) == []


def test_wrong_marks() -> None:
    """Both the undeserved and the missing mark are named."""
    assert problems("higher", [("1.0", "best"), ("3.0", None)]) == ["0: no mark", "1: best"]


def test_subsets_and_cells_without_numbers() -> None:
    """A declared subset is ranked by itself; n/a takes no part."""
    rows: list[tuple[str, str | None]] = [("1.0", "best"), ("0.5", None), ("9.0", None), ("n/a", None)]
    assert problems("higher", rows, ["a", "a", "b", "a"]) == []


def test_a_subset_needs_rivals() -> None:
    """Of one row among others there is no best; a table of one row says nothing either way."""
    assert problems("higher", [("1.0", "best"), ("9.0", None)], ["a", "b"]) == ["0: rows to compare with"]
    assert problems("higher", [("1.0", "best")], ["a"]) == []
    assert problems("higher", [("1.0", "second")], ["a"]) == ["0: best"]
    assert problems("higher", [("1.0", "best"), ("n/a", None)], ["a", "b"]) == []
    assert problems("higher", [("1.0", "best")]) == []


def seen(
    caption: str | None,
    groups: str,
    among: str,
    marked: int = 1,
    value: str = "9.0",
    more: dict[int, str] | None = None,
) -> list[str]:
    """Rows whose mark is wrong, where rows a to d belong to groups of a column, and marks compare some of them."""
    marks = {marked: "best"} | (more or {})
    rows = [
        {"label": name, "cells": [group, text]}
        | ({"among": subset} if subset != "-" else {})
        | ({"marks": {"x": marks[place]}} if place in marks else {})
        for place, (name, group, subset, text) in enumerate(
            zip("abcd", groups.split(), among.split(), ["1.0", "2.0", value, "0.1"], strict=False)
        )
    ]
    columns: list[dict[str, Any]] = [{"label": "G"}, {"label": "x", "direction": "higher"}]
    table = list(cells_of(Table.of({"label": "t", "columns": columns, "rows": rows}, "t.json")))
    captions = None if caption is None else {"t": caption}
    return [f"{problem.cell.row}: {problem.expected}" for problem in wrong_marks(table, captions)]


def test_a_reader_sees_which_rows_are_compared() -> None:
    """By the caption, or by a text that they alone share; else the mark is judged among all rows."""
    assert seen(None, "g h i", "Small Small -") == []
    assert seen("Best of small models.", "g h i", "Small Small -") == []
    assert seen("Best of small models.", "g h i", "mod mod -") == ["b: no mark"]
    assert seen("", "g g i", "few few -") == []
    assert seen("Scores.", "g h i", "few few -") == ["b: no mark"]
    assert seen("Scores.", "g g g", "few few -") == ["b: no mark"]
    assert seen("Scores.", "g h h", "few few -") == ["b: no mark"]
    assert seen("Scores.", "g g g i", "few few - -") == ["b: no mark"]
    assert seen("Scores.", "g g h i", "few few - -") == []
    # It is the best of all rows, so that nothing need be seen.
    assert seen("Scores.", "g h i", "few few -", value="1.5") == []
    # What is wrong within the subset is told once, and rows that are not marked are nobody's claim.
    assert seen("Scores.", "g h i", "few few -", marked=0) == ["a: no mark", "b: best"]
    # Nor is one that is not marked, though others of its column are.
    assert seen("Scores.", "g h i", "few few -", value="0.5", more={2: "second"}) == ["c: best"]
    # All rows, which nobody calls a subset.
    assert seen("Scores.", "g h i", "- - -", marked=2) == []
    assert seen("Scores.", "g", "few", marked=0) == []


def test_a_text_that_is_shared_must_say_something() -> None:
    """Nothing tells rows apart by being empty."""
    rows = [
        {"label": name, "cells": [group, text], "among": among} | ({"marks": {"x": "best"}} if text == "2.0" else {})
        for name, group, text, among in (("a", "", "1.0", "s"), ("b", "", "2.0", "s"), ("c", "i", "9.0", "t"))
    ]
    columns: list[dict[str, Any]] = [{"label": "G"}, {"label": "x", "direction": "higher"}]
    table = list(cells_of(Table.of({"label": "t", "columns": columns, "rows": rows}, "t.json")))
    (problem,) = wrong_marks(table, {})
    assert (problem.cell.row, "nothing printed sets these apart" in problem.message) == ("b", True)


def test_without_a_direction_nothing_is_judged_and_the_column_is_named() -> None:
    """Which way is better, the record must say: `table.marks` is missing until it does."""
    assert problems(None, [("1.0", "best"), ("2.0", "best"), ("3.0", None)]) == []
    one = list(
        cells_of(
            Table.of(
                {
                    "label": "t",
                    "columns": [{"label": "x"}],
                    "rows": [{"label": "a", "cells": ["1"], "marks": {"x": "best"}}],
                },
                "t",
            )
        )
    )
    assert undirected(one) == ["t[x]"]
    assert [len(group) for group in marked_groups(one)] == [1]


def test_second_best() -> None:
    """It counts where it is used at all, and ties for the best leave the next value second."""
    assert problems("higher", [("3.0", "best"), ("2.0", None), ("1.0", "second")]) == ["1: second", "2: no mark"]
    assert problems("higher", [("3.0", "best"), ("3.0", "best"), ("2.0", "second"), ("1.0", None)]) == []
    assert problems("lower", [("3.0", None), ("2.0", "second"), ("1.0", "best")]) == []


def test_ratios_are_ranked_by_their_share() -> None:
    """Other numbers by the first of them; nothing is divided by zero."""
    assert problems("higher", [("9/100", None), ("1/2", "best"), ("3/10", "second")]) == []
    assert problems("higher", [("9/0", "best"), ("1/2", None)]) == []
    assert problems("higher", [("3 ± 1", "best"), ("2 ± 5", None)]) == []
