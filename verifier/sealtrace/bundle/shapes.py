"""The shape of a record's columns, derived from its published JSON Schema.

A shape says how a value lies in Arrow and what the schema demands of it. Deriving stops at any
schema keyword that it does not know, so that no constraint can be dropped unseen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa

from sealtrace.bundle.resources import schema_document
from sealtrace.contract.kinds import KINDS

_ANNOTATIONS = {"title", "description", "default", "examples"}


@dataclass(frozen=True)
class Text:
    """A string."""

    pattern: str | None = None
    allowed: tuple[str, ...] | None = None
    min_length: int = 0
    max_length: int | None = None


@dataclass(frozen=True)
class Number:
    """A binary64 number."""

    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True)
class Integer:
    """A whole number within what JSON and binary64 carry."""

    minimum: int
    maximum: int


@dataclass(frozen=True)
class Flag:
    """True or false."""


@dataclass(frozen=True)
class Sequence:
    """A list."""

    item: Shape
    min_items: int = 0
    max_items: int | None = None


@dataclass(frozen=True)
class Mapping:
    """Names to values, such as actions to probabilities."""

    key: Text
    value: Shape


@dataclass(frozen=True)
class Field:
    """One field of a struct. What is not required may be null, and null equals absent."""

    name: str
    shape: Shape
    required: bool


@dataclass(frozen=True)
class Struct:
    """An object with declared fields and no others."""

    fields: tuple[Field, ...]


Shape = Text | Number | Integer | Flag | Sequence | Mapping | Struct


@dataclass(frozen=True)
class Declared:
    """Rows that a bundle declares itself: what a dataset's declaration, or the protocol, says of their form."""

    name: str
    shape: Struct
    key: tuple[str, ...]
    schema: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """The JSON Schema that says the same of one row."""


RowKind = str | Declared
"""Rows of the contract, by the name of their kind, or of a dataset."""


def row_key(kind: RowKind) -> tuple[str, ...]:
    """The fields that identify a row."""
    return kind.key if isinstance(kind, Declared) else KINDS[kind].key


@cache
def row_shape(kind: RowKind) -> Struct:
    """The shape of one row of a kind."""
    if isinstance(kind, Declared):
        return kind.shape
    schema = schema_document(kind)
    shape = _derive(
        {key: value for key, value in schema.items() if key not in {"$schema", "$id", "$defs"}}, schema.get("$defs", {})
    )
    if not isinstance(shape, Struct):
        raise TypeError(f"schema of {kind} is not an object")
    return shape


def _derive(node: dict[str, Any], definitions: dict[str, Any]) -> Shape:
    rest = {key: value for key, value in node.items() if key not in _ANNOTATIONS}
    if "$ref" in rest:
        name = rest.pop("$ref").removeprefix("#/$defs/")
        _nothing_left(rest)
        return _derive(definitions[name], definitions)
    match rest.pop("type"):
        case "string":
            allowed = rest.pop("enum", None) or ([rest.pop("const")] if "const" in rest else None)
            shape: Shape = Text(
                pattern=rest.pop("pattern", None),
                allowed=tuple(allowed) if allowed else None,
                min_length=rest.pop("minLength", 0),
                max_length=rest.pop("maxLength", None),
            )
        case "number":
            shape = Number()
        case "integer":
            shape = Integer(minimum=rest.pop("minimum"), maximum=rest.pop("maximum"))
        case "boolean":
            shape = Flag()
        case "array":
            shape = Sequence(
                item=_derive(rest.pop("items"), definitions),
                min_items=rest.pop("minItems", 0),
                max_items=rest.pop("maxItems", None),
            )
        case "object" if "properties" in rest:
            if rest.pop("additionalProperties") is not False:
                raise NotImplementedError("an object must refuse unknown fields")
            required = set(rest.pop("required", ()))
            shape = Struct(
                tuple(
                    _field(name, value, name in required, definitions) for name, value in rest.pop("properties").items()
                )
            )
        case "object":
            key = _derive({"type": "string", **rest.pop("propertyNames", {})}, definitions)
            assert isinstance(key, Text)
            shape = Mapping(key, _derive(rest.pop("additionalProperties"), definitions))
        case unknown:
            raise NotImplementedError(f"schema type {unknown}")
    _nothing_left(rest)
    return shape


def _field(name: str, node: dict[str, Any], required: bool, definitions: dict[str, Any]) -> Field:
    options = node.get("anyOf")
    if options is None:
        if not required:
            raise NotImplementedError(f"{name}: an optional field must be nullable")
        return Field(name, _derive(node, definitions), required=True)
    if required or len(options) != 2 or options[1] != {"type": "null"}:
        raise NotImplementedError(f"{name}: only optional fields may be null")
    return Field(name, _derive(options[0], definitions), required=False)


def _nothing_left(rest: dict[str, Any]) -> None:
    if rest:
        raise NotImplementedError(f"schema keywords {sorted(rest)}")


def arrow_type(shape: Shape) -> pa.DataType:
    """How values of a shape are stored in Arrow and in Parquet."""
    match shape:
        case Text():
            return pa.string()
        case Number():
            return pa.float64()
        case Integer():
            return pa.int64()
        case Flag():
            return pa.bool_()
        case Sequence(item=item):
            return pa.list_(arrow_type(item))
        case Mapping(value=value):
            return pa.map_(pa.string(), arrow_type(value))
        case Struct(fields=fields):
            return pa.struct([pa.field(field.name, arrow_type(field.shape)) for field in fields])


def arrow_schema(kind: RowKind) -> pa.Schema:
    """The Arrow schema of a table of this kind."""
    return pa.schema(list(arrow_type(row_shape(kind))))


def describe(shape: Shape) -> str:
    """A shape in words, for messages."""
    match shape:
        case Text(allowed=(only,)):
            return f'"{only}"'
        case Text(allowed=allowed) if allowed:
            return "one of " + ", ".join(f'"{word}"' for word in allowed)
        case Text(pattern=pattern) if pattern:
            return f"text matching {pattern}"
        case Text():
            return "text"
        case Number(minimum=None, maximum=None):
            return "a number"
        case Number(minimum=low, maximum=high):
            return f"a number from {'-inf' if low is None else f'{low:g}'} to {'inf' if high is None else f'{high:g}'}"
        case Integer(minimum=minimum):
            return "a whole number" if minimum < 0 else f"a whole number of at least {minimum}"
        case Flag():
            return "true or false"
        case Sequence():
            return "a list"
        case Mapping():
            return "an object of names and values"
        case Struct():
            return "an object"


def width(shape: Shape) -> int:
    """Bytes that a value takes in its column even where it is absent."""
    match shape:
        case Number() | Integer():
            return 8
        case Struct(fields=fields):
            return sum(width(field.shape) for field in fields)
        case _:
            return 4
