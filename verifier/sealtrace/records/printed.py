"""What a paper printed, and how its numbers relate."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from sealtrace.records.scalars import Count, Name, Record, Text


class CellRecipe(Record):
    """How records give a cell: a named metric over a named population, or SQL."""

    metric: Name | None = Field(None, description="A named metric.")
    arguments: dict[Name, Name] | None = Field(None, description="The metric's arguments.")
    sql: Text | None = Field(None, description="A query over the sealed records.")
    undisclosed: list[Text] | None = Field(None, description="Settings that the paper does not state.")


class PrintedCell(Record):
    """One cell, as the string that was printed."""

    row: Name = Field(description="The row's label.")
    column: Name = Field(description="The column's label.")
    printed: Text = Field(description="The string, unchanged.")
    line: Count | None = Field(None, description="The line of the source.")
    recipe: CellRecipe | None = Field(None, description="How it follows from records.")


class PrintedTable(Record):
    """One reported table."""

    label: Name = Field(description="The table's label.")
    caption: Text | None = Field(None, description="What it shows, in own words.")
    source: Name | None = Field(None, description="The file that printed it.")
    directions: dict[Name, Literal["higher", "lower"]] | None = Field(
        None, description="Column to the preferred direction."
    )
    cells: list[PrintedCell] = Field(description="Every cell.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "label": "tab:main",
                    "cells": [
                        {
                            "row": "0.08",
                            "column": "Weak EV",
                            "printed": "4.2889",
                            "recipe": {"metric": "weak_ev", "arguments": {"policy": "residual@0.08"}},
                        }
                    ],
                }
            ]
        }
    )


class Relation(Record):
    """A formula over printed cells and declared constants."""

    relation: Name = Field(description="The relation's name.")
    formula: Text = Field(description="The formula, such as tab:a[r, c] == tab:b[r, c] / 2.")
    sentence: Text = Field(description="What it says, for readers.")
    source: Text = Field(description="The place of the paper that implies it.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "relation": "exploitability",
                    "formula": "tab:leduc[1, Exploit.] == tab:leduc[1, NashConv] / 2",
                    "sentence": "Exploitability is half of NashConv.",
                    "source": "definition of exploitability",
                }
            ]
        }
    )
