"""What a paper printed, how records give it, and how its numbers relate."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sealtrace.contract.scalars import Condition, Count, Exact, Name, Record, Sha256, Text, example


class Elsewhere(Record):
    """A cell of another bundle that prints the same number and recomputes it from its records."""

    study: Name = Field(description="The other bundle's name, for readers.")
    root_sha256: Sha256 = Field(description="Its root digest.")
    table: Name | None = Field(None, description="The table's label there; the same where absent.")
    row: Name | None = Field(None, description="The row's label there; the same where absent.")
    column: Name | None = Field(None, description="The column's label there; the same where absent.")


class Recipe(Record):
    """How records give a cell. Exactly one of metric, sql, elsewhere, derived and classification is present; none where
    it is still open."""

    metric: Name | None = Field(None, description="A named metric; `sealtrace metrics` lists them.")
    arguments: dict[Name, Name] | None = Field(
        None, description="The metric's arguments. `{Column}` stands for the row's printed text in that column."
    )
    dataset: Name | None = Field(None, description="The dataset that the metric reads; the only one where absent.")
    of: Name | None = Field(None, description="The field that the metric is of, such as the predicted label.")
    against: Name | None = Field(None, description="The field of right answers, where not the declared one.")
    where: dict[Name, Condition] | None = Field(
        None,
        description="Field to the value, or values, that rows must have; `{Column}` as in arguments; empty: absent.",
    )
    group: Name | None = Field(None, description="Fields, with commas: the metric of each group, averaged.")
    average: Name | None = Field(
        None, description="The statistic that sums up the groups, such as geometric_mean; their mean where absent."
    )
    over: Name | None = Field(None, description="Fields of repeats, such as the seed: what is shown is over these.")
    show: Name | None = Field(
        None, description="What is shown of the repeats, such as mean±sd; their mean where absent."
    )
    minus: dict[Name, Condition] | None = Field(
        None, description="Conditions that differ for the rows whose metric is taken away, such as a baseline's."
    )
    relative_to: dict[Name, Condition] | None = Field(
        None,
        description="Conditions that differ for the rows by whose metric it is divided, group by group and repeat by "
        "repeat, such as a baseline's; with minus, the difference is divided.",
    )
    versus: dict[Name, Condition] | None = Field(
        None, description="Conditions that differ for the rows that a test compares with."
    )
    sql: Text | None = Field(
        None,
        description="A query over the sealed records. One row and column fill a cell; a column recipe may give one "
        "value per row, in order.",
    )
    elsewhere: Elsewhere | None = Field(
        None,
        description="The bundle, named by its root, that recomputes the same number; `verify --beside` looks there.",
    )
    derived: Name | None = Field(
        None,
        description="The relation by which other printed numbers give the cell, to its last digit and one beside it. "
        "Relations of derived cells do not go in a circle.",
    )
    classification: Literal["constrained", "attested", "name", "definition"] | None = Field(
        None,
        description="Without records: bound by relations, checked by nothing, a name and no result, or a 0 or 1 by "
        "definition, such as a difference from itself and a ratio to itself.",
    )
    percent: bool | None = Field(None, description="The cell prints a fraction in percent, without the sign.")
    undisclosed: list[Text] | None = Field(
        None, description="Settings that the cell needs and its source does not state."
    )
    note: Text | None = Field(
        None, description="A note for readers, such as what was tried for a cell that nothing gives yet."
    )


class Column(Record):
    """One column of a table."""

    label: Name = Field(description="The column's label.")
    recipe: Recipe | None = Field(None, description="How its cells follow from records.")
    direction: Literal["higher", "lower"] | None = Field(
        None, description="Which values are better, where the table marks the best."
    )


Printed = Annotated[str, StringConstraints(strict=True, max_length=400)]
"""A cell as the string that was printed; empty where nothing was."""


Printing = Literal["rounded", "truncated", "up", "down", "loosely", "exact"]
"""To nearest, towards zero, up, down, in any direction by less than a unit, or not rounded at all."""


class TableRow(Record):
    """One row of a table."""

    label: Name = Field(description="The row's label, unique in its table.")
    cells: list[Printed] = Field(description="The printed strings, unchanged, one per column.")
    line: Count | None = Field(None, description="The row's line in the source.")
    lines: list[Count] | None = Field(None, description="The line of each cell, where a row has several.")
    marks: dict[Name, Literal["best", "second"]] | None = Field(
        None, description="Column to how its cell is emphasized."
    )
    arguments: dict[Name, Name] | None = Field(None, description="Arguments that the row gives to its recipes.")
    recipes: dict[Name, Recipe] | None = Field(
        None, description="Column to the cell's own recipe; an empty one means none."
    )
    among: Name | None = Field(None, description="The subset of rows that marks compare, where it is not all of them.")
    printing: dict[Name, Printing] | None = Field(
        None, description="Column to how its numbers came to be printed, where relations are to know that."
    )
    quotation: Text | None = Field(
        None, description="Of a number of the running text: words around it as printed, the number included."
    )


class PrintedTable(Record):
    """One reported table, or the numbers of a passage of text."""

    label: Name = Field(description="The table's label.")
    caption: Text | None = Field(None, description="Its caption as printed, or what it shows in own words.")
    source: Name | None = Field(None, description="The file that printed it.")
    population: Name | None = Field(
        None, description="The declared population that the whole table is about; all rows where absent."
    )
    recipe: Recipe | None = Field(
        None,
        description="A query that fills the table: one row per row, in order, and columns named after the table's; or "
        "another bundle that recomputes it. It serves the cells that have no recipe of their own or of their column.",
    )
    columns: list[Column] = Field(min_length=1, description="The columns.")
    rows: list[TableRow] = Field(description="The rows.")

    model_config = example("""{
        "label": "tab:main",
        "columns": [{"label": "Scale", "recipe": {"metric": "scale", "arguments": {"policy": "residual@{Scale}"}}},
            {"label": "Weak EV", "recipe": {"metric": "weak_ev", "arguments": {"policy": "residual@{Scale}"}},
            "direction": "higher"}],
        "rows": [{"label": "0.08", "cells": ["0.08", "4.2889"], "marks": {"Weak EV": "best"}}]
    }""")


Formula = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=40_000)]
"""A formula over printed cells. One over whole columns, written out, is long."""


class RelationRepair(Record):
    """An explanation under which a contradiction would vanish."""

    says: Text = Field(description="The explanation, such as another denominator.")
    formula: Formula = Field(description="What would have to hold instead.")


class RelationUnknown(Record):
    """A number that the paper does not print and that relations speak of: in all of them the same."""

    name: Name = Field(description="Its name in formulas.")
    low: Exact | None = Field(None, description="The least value; absent where there is none.")
    high: Exact | None = Field(None, description="The greatest value; absent where there is none.")
    integer: bool | None = Field(None, description="Whether it is an integer.")


class Relation(Record):
    """A formula over printed cells and declared constants."""

    relation: Name = Field(description="The relation's name.")
    formula: Formula = Field(description="The formula, such as tab:a[r, c] == tab:b[r, c] / 2.")
    sentence: Text = Field(description="What it says, for readers.")
    source: Text = Field(description="The place of the paper that implies it.")
    assumes: list[Text] | None = Field(None, description="What a contradiction needs besides the formula.")
    repairs: list[RelationRepair] | None = Field(None, description="Explanations to try where it is contradicted.")
    question: Text | None = Field(None, description="What to ask the authors where it is contradicted.")
    unknowns: list[RelationUnknown] | None = Field(None, description="Unknowns that it shares with other relations.")

    model_config = example("""{
        "relation": "exploitability", "formula": "tab:leduc[1, Exploit.] == tab:leduc[1, NashConv] / 2",
        "sentence": "Exploitability is half of NashConv.", "source": "definition of exploitability",
        "assumes": ["Both columns describe the same profile."],
        "repairs": [{"says": "not halved", "formula": "tab:leduc[1, Exploit.] == tab:leduc[1, NashConv]"}],
        "question": "Is exploitability the mean or the sum over players?"
    }""")


class PrintedNames(Record):
    """What the names that tables print stand for: each for one entity of its field in the whole bundle."""

    printed: dict[Name, dict[Name, Name]] = Field(
        description="Field (of a dataset), or argument (of a metric), to a printed name, to the value that it stands "
        "for; `*` stands for every value. A value that is printed as it is needs no name."
    )
    constants: dict[Name, Exact] | None = Field(
        None,
        description="Numbers that queries may compare fields with or scale by, such as a threshold, by their names.",
    )

    model_config = example("""{
        "printed": {"policy": {"Active query": "active-query", "Residual (1.00)": "residual@1"},
            "population": {"H": "held-out", "Both splits": "*"}},
        "constants": {"threshold": "0.5"}
    }""")


class SharedQueries(Record):
    """Views and macros that every query of the bundle may use, and queries that must return no rows."""

    views: dict[Name, Text] = Field(description="Name to a SELECT over records and earlier views.")
    macros: dict[Name, Text] | None = Field(
        None, description="A name with its parameters, such as share(k, n), to an expression."
    )

    must_be_empty: dict[Name, Text] | None = Field(
        None, description="Name to a SELECT over records and views that must return no rows: a check of its own."
    )

    model_config = example("""{
        "views": {"scored": "SELECT *, (answer = gold)::INT AS correct FROM answers"},
        "macros": {"percent(x)": "round(100 * x, 1)"}
    }""")
