"""The shape of rows that a bundle declares itself: a dataset's, or those whose fields its protocol declares.

The schema is somebody else's. What it demands is decided on columns, so a keyword that has no such form is refused
with its place rather than passed over.
"""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.defects import nearest
from sealtrace.bundle.resources import schema_document
from sealtrace.bundle.shapes import (
    Declared,
    Field,
    Flag,
    Integer,
    Number,
    RowKind,
    Sequence,
    Shape,
    Struct,
    Text,
    row_shape,
)
from sealtrace.contract.kinds import KINDS
from sealtrace.contract.packs import Opening

FIELD_NAME = r"[A-Za-z_][A-Za-z0-9_]{0,62}"
LARGEST = 2**53 - 1
DEEPEST = 8
MOST_FIELDS = 1000
_ANNOTATIONS = {"title", "description", "default", "examples", "$comment", "deprecated", "format", "$schema", "$id"}


class DeclarationError(ValueError):
    """The declaration says something that cannot be checked."""


def declared_rows(declaration: dict[str, Any]) -> Declared:
    """The shape and key of a declared dataset; every name that the declaration mentions is one of its fields."""
    if not re.fullmatch(FIELD_NAME, declaration["dataset"]):
        raise DeclarationError("/dataset: a name has letters, digits and _, so that queries can use it")
    if declaration["dataset"] in KINDS:
        raise DeclarationError(f"/dataset: {declaration['dataset']} is the name of a record kind")
    shape = _derive(declaration["row"], "/row", 0)
    if not isinstance(shape, Struct) or not shape.fields:
        raise DeclarationError("/row: a row is an object with properties")
    known = {field.name: field for field in shape.fields}
    for place, names in _mentioned(declaration):
        for name in names:
            if name not in known:
                raise DeclarationError(f"{place}: there is no field {name!r}{nearest(name, known)}")
            if not isinstance(known[name].shape, Text | Integer | Flag | Number):
                raise DeclarationError(f"{place}: {name} is no text, number or flag")
        if len(set(names)) < len(names):
            raise DeclarationError(f"{place}: a field is named twice")
    for n, one in enumerate(declaration.get("complete") or []):
        if one.get("times") == 0 or (one.get("times") is not None and one.get("several")):
            raise DeclarationError(f"/complete/{n}: `times` is at least one, and no number where `several` is true")
    for name in declaration["key"]:
        if isinstance(known[name].shape, Number):
            raise DeclarationError(f"/key: {name} is a number with a fraction, which identifies nothing")
    for name, labels in (declaration.get("printed") or {}).items():
        if len(set(labels.values())) < len(labels):
            raise DeclarationError(f"/printed/{name}: two values are printed alike")
        known_values = {value.casefold() for value in labels}
        if any(
            label.casefold() in known_values and label.casefold() != value.casefold() for value, label in labels.items()
        ):
            raise DeclarationError(f"/printed/{name}: a value is printed as the name of another")
    return Declared(declaration["dataset"], shape, tuple(declaration["key"]), declaration["row"])


def opened_rows(kind: str, protocol: Any) -> RowKind:
    """What the rows of a kind are under a protocol that declares fields of its own; under any other, the kind."""
    sections = protocol if isinstance(protocol, dict) else {}
    openings = [one for one in KINDS[kind].open if isinstance(sections.get(one.section), dict)]
    if not openings:
        return kind
    shape, schema = row_shape(kind), copy.deepcopy(schema_document(kind))
    for opening in openings:
        declared = sections[opening.section]
        for name in declared:
            if not re.fullmatch(FIELD_NAME, name) or name in opening.kept:
                reason = "a field's name has letters, digits and _, and is none that every row has"
                raise DeclarationError(f"/{opening.section}/{name}: {reason}")
        own = [
            Field(name, _derive(node, f"/{opening.section}/{name}", 1), _needed(node))
            for name, node in declared.items()
        ]
        shape = _opened(shape, opening, own)
        place = schema if not opening.at else _items_of(schema, opening.at)
        kept = {name: node for name, node in place["properties"].items() if name in opening.kept}
        place["properties"] = kept | declared
        place["required"] = [name for name in place["required"] if name in kept] + [f.name for f in own if f.required]
    return Declared(kind, shape, KINDS[kind].key, schema)


def _needed(node: Any) -> bool:
    """Whether a field is always there: unless its type may be null."""
    return not (isinstance(node, dict) and isinstance(node.get("type"), list) and "null" in node["type"])


def _opened(shape: Struct, opening: Opening, own: list[Field]) -> Struct:
    """A shape whose place has the kept fields and those that are declared."""
    if not opening.at:
        return Struct((*(field for field in shape.fields if field.name in opening.kept), *own))

    def inside(field: Field) -> Field:
        if field.name != opening.at:
            return field
        assert isinstance(field.shape, Sequence)
        assert isinstance(field.shape.item, Struct)
        item = _opened(field.shape.item, Opening(opening.section, opening.kept), own)
        return replace(field, shape=replace(field.shape, item=item))

    return Struct(tuple(map(inside, shape.fields)))


def _items_of(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """The schema of the objects of a list."""
    found: dict[str, Any] = schema["$defs"][schema["properties"][name]["items"]["$ref"].removeprefix("#/$defs/")]
    return found


def _mentioned(declaration: dict[str, Any]) -> list[tuple[str, list[str]]]:
    places = [("/key", declaration["key"])]
    places += [(f"/references/{n}/fields", one["fields"]) for n, one in enumerate(declaration.get("references") or [])]
    for n, one in enumerate(declaration.get("complete") or []):
        places.append((f"/complete/{n}", [*(one.get("by") or []), *(name for group in one["every"] for name in group)]))
    for n, one in enumerate(declaration.get("depends") or []):
        places.append((f"/depends/{n}", [*one["on"], *one["fields"]]))
    places.append(("/counts", list(declaration.get("counts") or {})))
    places.append(("/truth", [declaration["truth"]] if declaration.get("truth") else []))
    places.append(("/printed", list(declaration.get("printed") or {})))
    return places


def _derive(node: Any, place: str, depth: int) -> Shape:
    if not isinstance(node, dict) or depth > DEEPEST:
        raise DeclarationError(f"{place}: not a schema that is read here")
    rest = {name: value for name, value in node.items() if name not in _ANNOTATIONS}
    kind = rest.pop("type", None)
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None) if len(set(kind) - {"null"}) == 1 else None
    shape: Shape
    match kind:
        case "string":
            allowed = rest.pop("enum", None) or ([rest.pop("const")] if "const" in rest else None)
            if allowed is not None and not all(isinstance(one, str) for one in allowed):
                raise DeclarationError(f"{place}/enum: not all of it is text")
            shape = Text(
                pattern=_pattern(rest.pop("pattern", None), place),
                allowed=tuple(allowed) if allowed else None,
                min_length=_whole(rest.pop("minLength", 0), place),
                max_length=None if "maxLength" not in rest else _whole(rest.pop("maxLength"), place),
            )
        case "integer":
            shape = Integer(_whole(rest.pop("minimum", -LARGEST), place), _whole(rest.pop("maximum", LARGEST), place))
        case "number":
            shape = Number(_bound(rest.pop("minimum", None), place), _bound(rest.pop("maximum", None), place))
        case "boolean":
            shape = Flag()
        case "array":
            shape = Sequence(
                _derive(rest.pop("items", None), f"{place}/items", depth + 1),
                _whole(rest.pop("minItems", 0), place),
                None if "maxItems" not in rest else _whole(rest.pop("maxItems"), place),
            )
        case "object":
            properties, required = rest.pop("properties", {}), rest.pop("required", [])
            if rest.pop("additionalProperties", False) is not False:
                raise DeclarationError(f"{place}/additionalProperties: a row has no field that is not declared")
            if not isinstance(properties, dict) or not isinstance(required, list) or len(properties) > MOST_FIELDS:
                raise DeclarationError(f"{place}: properties is an object of up to {MOST_FIELDS} fields")
            if unknown := set(map(str, required)) - properties.keys():
                raise DeclarationError(f"{place}/required: there is no field {min(unknown)!r}")
            shape = Struct(
                tuple(
                    Field(name, _derive(value, f"{place}/properties/{name}", depth + 1), required=name in required)
                    for name, value in properties.items()
                )
            )
        case _:
            raise DeclarationError(f"{place}/type: one of string, number, integer, boolean, array, object (or null)")
    if rest:
        raise DeclarationError(f"{place}/{min(rest)}: this keyword is not checked, so it may not stand here")
    return shape


def _whole(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or abs(value) > LARGEST:
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
