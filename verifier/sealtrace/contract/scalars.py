"""The small vocabulary that every record is written in.

Patterns use only what JSON Schema (ECMA 262), Rust's regex and RE2 read alike, because the same
pattern is applied by jsonschema, by pydantic and by Arrow.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, StringConstraints

MAX_INTEGER = 2**53 - 1
"""The largest integer that JSON, binary64 and int64 all carry; larger ones are written as strings."""

EXACT_PATTERN = r"^-?(0|[1-9][0-9]*)((\.[0-9]+)?(e-?[0-9]{1,3})?|/[1-9][0-9]*)$"

Exact = Annotated[
    str,
    StringConstraints(strict=True, max_length=64, pattern=EXACT_PATTERN),
    Field(description="An exact constant: a decimal or a ratio, as text."),
]
"""A declared constant. Eighty doubles of 1/80 sum to more than one; eighty times "1/80" does not."""

Sha256 = Annotated[str, StringConstraints(strict=True, pattern=r"^[0-9a-f]{64}$")]
PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f]*$"
Name = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=200, pattern=PRINTABLE)]
"""An identifier. Control characters are barred: names are printed on terminals."""

Text = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=4000)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


def _integral(value: object) -> object:
    """JSON Schema counts 1.0 as an integer, so the model does too."""
    return int(value) if type(value) is float and value.is_integer() else value


WHOLE = BeforeValidator(_integral)
"""Belongs to every integer type, those with bounds of their own too."""
Integer = Annotated[int, Field(strict=True, ge=-MAX_INTEGER, le=MAX_INTEGER), WHOLE]
Count = Annotated[int, Field(strict=True, ge=0, le=MAX_INTEGER), WHOLE]

Value = Annotated[str, StringConstraints(strict=True, max_length=200, pattern=PRINTABLE)]
Condition = Value | Annotated[list[Value], Field(min_length=1)]
"""A value as it is written, or several."""

Actions = Annotated[list[Name], Field(description="Action names, in order.")]
ByAction = Annotated[dict[Name, Number], Field(description="One number per action name.")]


@lru_cache(maxsize=4096)
def exact(text: str) -> Fraction:
    """The value of a declared constant, with nothing rounded."""
    return Fraction(text)


class Record(BaseModel):
    """What all records share: nothing unknown, nothing coerced, nothing changed afterwards."""

    # defer_build: a command pays only for the models that it uses.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def example(*texts: str, **schema: JsonValue) -> ConfigDict:
    """The settings of a record whose schema shows examples, each written as it stands in a file, and says `schema`."""
    return ConfigDict(json_schema_extra={**schema, "examples": [json.loads(text) for text in texts]})
