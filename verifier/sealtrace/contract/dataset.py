"""A dataset: any table of records, under a declaration of what its rows are and what must be there."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealtrace.contract.scalars import Count, Name, Record, Text, example

Fields = Annotated[list[Name], Field(min_length=1, description="Names of fields.")]


class Reference(Record):
    """Rows that name rows of another dataset: each is there, once."""

    fields: Fields = Field(description="The fields here.")
    dataset: Name = Field(description="The dataset that they name a row of.")
    to: list[Name] | None = Field(None, description="The fields there, in the same order; its key where absent.")
    every: bool | None = Field(None, description="Whether every row there must be named from here as well.")


class Completeness(Record):
    """Every combination is there: every example with every system and every seed."""

    every: Annotated[list[Fields], Field(min_length=2)] = Field(
        description="What is combined: each entry is a field, or several that vary together, such as model and seed."
    )
    by: list[Name] | None = Field(
        None, description="Combined apart for each value of these fields, such as each task with its own examples."
    )
    times: Count | None = Field(None, description="How often each combination is there; once where absent.")
    several: bool | None = Field(None, description="Whether a combination may be there any number of times but none.")


class Dependency(Record):
    """What one thing has one of: each example one right answer, whichever system it was shown to."""

    on: Fields = Field(description="The fields that determine.")
    fields: Fields = Field(description="The fields that are determined.")


class Dataset(Record):
    """The declaration of `rows.<name>`: the JSON Schema of a row, its key, and what must be complete."""

    dataset: Name = Field(description="The dataset's name, as queries and recipes use it: letters, digits and _.")
    title: Text | None = Field(None, description="One line about it.")
    row: dict[str, Any] = Field(description="JSON Schema (2020-12) of a row: an object with properties.")
    key: Fields = Field(description="The fields that identify a row. One that may be absent counts as a value then.")
    references: list[Reference] | None = Field(None, description="Rows of other datasets that rows name.")
    complete: list[Completeness] | None = Field(None, description="Combinations that must all be there.")
    depends: list[Dependency] | None = Field(None, description="Fields that others determine.")
    rows: Count | None = Field(None, description="How many rows there are.")
    counts: dict[Name, Count] | None = Field(None, description="Field to how many different values it has.")
    printed: dict[Name, dict[Name, Name]] | None = Field(
        None, description="Field, value, and how tables print that value, where they print another name."
    )
    truth: Name | None = Field(None, description="The field of right answers, which predictions are compared with.")
    measured: bool | None = Field(None, description="Whether its numbers are measurements, which nothing recomputes.")

    model_config = example("""{
        "dataset": "answers",
        "row": {"type": "object", "properties": {"example": {"type": "string"}, "system": {"type": "string",
            "enum": ["base", "ours"]}, "seed": {"type": "integer"}, "gold": {"type": "string"},
            "answer": {"type": "string"}}, "required": ["example", "system", "seed", "gold", "answer"]},
        "key": ["example", "system", "seed"], "complete": [{"every": [["example"], ["system"], ["seed"]]}],
        "depends": [{"on": ["example"], "fields": ["gold"]}], "truth": "gold", "rows": 600,
        "printed": {"system": {"ours": "Ours (best)"}}
    }""")
