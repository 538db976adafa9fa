"""What the queries of a bundle share, so that none repeats another."""

from __future__ import annotations

from pydantic import Field

from sealtrace.contract.scalars import Name, Record, Text, example


class SharedQueries(Record):
    """Views and macros that every query of the bundle may use, and queries that must return no rows."""

    views: dict[Name, Text] = Field(description="Name to a SELECT over records and earlier views.")
    macros: dict[Name, Text] | None = Field(
        None, description="A name with its parameters, such as share(k, n), to an expression."
    )

    must_be_empty: dict[Name, Text] | None = Field(
        None,
        description="Name to a SELECT over records and views that must return no rows: a check of its own.",
    )

    model_config = example("""{
        "views": {"scored": "SELECT *, (answer = gold)::INT AS correct FROM answers"},
        "macros": {"percent(x)": "round(100 * x, 1)"}
    }""")
