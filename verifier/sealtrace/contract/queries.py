"""What the queries of a bundle share, so that none repeats another."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from sealtrace.contract.scalars import Name, Record, Text


class SharedQueries(Record):
    """Views and macros that every query of the bundle may use."""

    views: dict[Name, Text] = Field(description="Name to a SELECT over records and earlier views.")
    macros: dict[Name, Text] | None = Field(
        None, description="A name with its parameters, such as share(k, n), to an expression."
    )

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "views": {"scored": "SELECT *, (answer = gold)::INT AS correct FROM answers"},
                    "macros": {"percent(x)": "round(100 * x, 1)"},
                }
            ]
        }
    )
