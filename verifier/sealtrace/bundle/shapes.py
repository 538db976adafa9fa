"""The shape of a record's columns, derived from its JSON Schema: a published one, or one that a bundle declares.

A shape says how a value lies in Arrow and what the schema demands of it. What it demands is decided on columns, so a
keyword that has no such form is refused with its place: no constraint can be dropped unseen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.resources import schema_document
from sealtrace.bundle.strict_json import MAX_INTEGER
from sealtrace.contract.kinds import KINDS

DEEPEST = 8
MOST_FIELDS = 1000
INTEGER, NUMBER = r"^-?(0|[1-9][0-9]{0,15})$", r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$"
"""Texts that are plainly numbers."""
_ANNOTATIONS = {"title", "description", "default", "examples", "$comment", "deprecated", "format", "$schema", "$id"}


class DeclarationError(ValueError):
    """The declaration says something that cannot be checked."""


@dataclass(frozen=True)
class Text:
    pattern: str | None = None
    allowed: tuple[str, ...] | None = None
    min_length: int = 0
    max_length: int | None = None


@dataclass(frozen=True)
class NumberShape:
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


Shape = Text | NumberShape | Integer | Flag | Sequence | Mapping | Struct


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
    if isinstance(kind, Declared):
        return kind.shape
    schema = schema_document(kind)
    shape = derive({key: node for key, node in schema.items() if key != "$defs"}, "", schema.get("$defs", {}))
    assert isinstance(shape, Struct)
    return shape


def derive(node: Any, place: str, published: dict[str, Any] | None = None, depth: int = 0) -> Shape:
    """The shape that a schema at a place describes.

    A published one has definitions, objects of any names, and fields that are either required or may be null.
    """
    if not isinstance(node, dict) or depth > DEEPEST:
        raise DeclarationError(f"{place}: not a schema that is read here")
    rest = {name: value for name, value in node.items() if name not in _ANNOTATIONS}
    if published is not None and rest.keys() == {"$ref"}:
        return derive(published[rest["$ref"].removeprefix("#/$defs/")], place, published, depth)
    kind = rest.pop("type", None)
    if isinstance(kind, list):
        others = set(kind) - {"null"}
        kind = others.pop() if len(others) == 1 else None
    shape: Shape
    match kind:
        case "string":
            allowed = rest.pop("enum", None) or ([rest.pop("const")] if "const" in rest else None)
            if allowed is not None and not all(isinstance(word, str) for word in allowed):
                raise DeclarationError(f"{place}/enum: not all of it is text")
            shape = Text(
                pattern=_pattern(rest.pop("pattern", None), place) if published is None else rest.pop("pattern", None),
                allowed=tuple(allowed) if allowed else None,
                min_length=_whole(rest.pop("minLength", 0), place),
                max_length=None if "maxLength" not in rest else _whole(rest.pop("maxLength"), place),
            )
        case "integer":
            # Beyond 2^53 - 1 the integer that JSON writes is not the one that a double carries.
            least, most = rest.pop("minimum", -MAX_INTEGER), rest.pop("maximum", MAX_INTEGER)
            shape = Integer(_whole(least, place), _whole(most, place))
        case "number":
            shape = NumberShape(_bound(rest.pop("minimum", None), place), _bound(rest.pop("maximum", None), place))
        case "boolean":
            shape = Flag()
        case "array":
            shape = Sequence(
                derive(rest.pop("items", None), f"{place}/items", published, depth + 1),
                _whole(rest.pop("minItems", 0), place),
                None if "maxItems" not in rest else _whole(rest.pop("maxItems"), place),
            )
        case "object" if published is not None and "properties" not in rest:
            key = derive({"type": "string", **rest.pop("propertyNames", {})}, place, published, depth)
            assert isinstance(key, Text)
            shape = Mapping(key, derive(rest.pop("additionalProperties"), place, published, depth + 1))
        case "object":
            properties, required = rest.pop("properties", {}), rest.pop("required", [])
            if rest.pop("additionalProperties", False) is not False:
                raise DeclarationError(f"{place}/additionalProperties: a row has no field that is not declared")
            if not isinstance(properties, dict) or not isinstance(required, list) or len(properties) > MOST_FIELDS:
                raise DeclarationError(f"{place}: properties is an object of up to {MOST_FIELDS} fields")
            if unknown := set(map(str, required)) - properties.keys():
                raise DeclarationError(f"{place}/required: there is no field {min(unknown)!r}")
            fields = []
            for name, value in properties.items():
                inner = f"{place}/properties/{name}"
                if published is not None:
                    value = _present(value, name in required, inner)
                fields.append(Field(name, derive(value, inner, published, depth + 1), name in required))
            shape = Struct(tuple(fields))
        case _:
            raise DeclarationError(f"{place}/type: one of string, number, integer, boolean, array, object (or null)")
    # What is left over is a demand that no predicate decides: refused, not dropped.
    if rest:
        raise DeclarationError(f"{place}/{min(rest)}: this keyword is not checked, so it may not stand here")
    return shape


def _present(node: dict[str, Any], required: bool, place: str) -> Any:
    """What a published field is where it is not null, which it may be where it is not required."""
    options = node.get("anyOf", [node])
    if options[1:] != ([] if required else [{"type": "null"}]):
        raise DeclarationError(f"{place}: a field is either required, or may be null")
    return options[0]


def _whole(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or abs(value) > MAX_INTEGER:
        raise DeclarationError(f"{place}: a bound is not a whole number within 2^53")
    return int(value)


def _bound(value: Any, place: str) -> float | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise DeclarationError(f"{place}: a bound is not a number")
    return None if value is None else float(value)


def _pattern(value: Any, place: str) -> str | None:
    if value is None:
        return None
    try:
        # Read by RE2, which never takes long, and by Python, which JSON Schema validators use.
        re.compile(value)
        pc.match_substring_regex(pa.array([""]), value)
    except (re.error, TypeError, pa.ArrowException):
        raise DeclarationError(f"{place}/pattern: not a regular expression") from None
    return str(value)


def arrow_type(shape: Shape) -> pa.DataType:
    """How values of a shape are stored in Arrow and in Parquet."""
    match shape:
        case Text():
            return pa.string()
        case NumberShape():
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
        case NumberShape(minimum=None, maximum=None):
            return "a number"
        case NumberShape(minimum=low, maximum=high):
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
        case NumberShape() | Integer():
            return 8
        case Struct(fields=fields):
            return sum(width(field.shape) for field in fields)
        case _:
            return 4
