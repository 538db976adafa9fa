"""The shape of rows that a bundle declares itself: a dataset's, or those whose fields its protocol declares."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sealtrace.bundle.defects import BundleError, nearest
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.identity import dataset_of
from sealtrace.bundle.resources import schema_document
from sealtrace.bundle.shapes import (
    DeclarationError,
    Declared,
    Field,
    Flag,
    Integer,
    Number,
    RowKind,
    Sequence,
    Struct,
    Text,
    derive,
    row_shape,
)
from sealtrace.contract.kinds import KINDS
from sealtrace.contract.packs import Opening

FIELD_NAME = r"[A-Za-z_][A-Za-z0-9_]{0,62}"


def declared_rows(declaration: dict[str, Any]) -> Declared:
    """The shape and key of a declared dataset; every name that the declaration mentions is one of its fields."""
    if not re.fullmatch(FIELD_NAME, declaration["dataset"]):
        raise DeclarationError("/dataset: a name has letters, digits and _, so that queries can use it")
    if declaration["dataset"] in KINDS:
        raise DeclarationError(f"/dataset: {declaration['dataset']} is the name of a record kind")
    shape = derive(declaration["row"], "/row")
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
            Field(name, derive(node, f"/{opening.section}/{name}", depth=1), _needed(node))
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


def form_of(kind: str, path: str, find: Callable[[str], tuple[object, Any] | None]) -> RowKind:
    """What the rows of a file are: their kind, the kind with the fields of a protocol, or a declared dataset.

    `find` gives the document of a name that says so, and its place. `BundleError` where the document is not sound.
    """
    name = "protocol.json" if kind != "rows" else f"dataset.{dataset_of(path)}.json"
    found = find(name) if kind == "rows" or KINDS[kind].open else None
    if found is None:
        return kind
    place, document = found
    try:
        if kind != "rows":
            return opened_rows(kind, document)
        for pointer, expected, value in misfits_of("dataset", document):
            raise BundleError(f"{place}{pointer}: expected {expected}, found {value}")
        declared = declared_rows(document)
    except DeclarationError as error:
        raise BundleError(f"{place}{error}") from None
    if declared.name != dataset_of(path):
        raise BundleError(f"{place}/dataset: expected {dataset_of(path)}, found {declared.name}")
    return declared
