"""JSON documents, validated twice: by the published schema as any other tool would, and by the model.

And what some of them declare: the shape of a dataset's rows, or of those whose fields the protocol declares.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from sealtrace.bundle.defects import BundleError, nearest
from sealtrace.bundle.identity import dataset_of
from sealtrace.bundle.json_columns import shown
from sealtrace.bundle.resources import schema_document
from sealtrace.bundle.shapes import (
    DeclarationError,
    Declared,
    Field,
    Flag,
    Integer,
    NumberShape,
    RowKind,
    Sequence,
    Struct,
    Text,
    derive,
    row_shape,
)
from sealtrace.contract.kinds import KINDS, model_of
from sealtrace.contract.packs import Opening

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

    from sealtrace.contract.scalars import Record


@cache
def _schema(kind: RowKind) -> dict[str, Any]:
    schema = kind.schema if isinstance(kind, Declared) else schema_document(kind)
    inlined: dict[str, Any] = _inlined(schema, schema.get("$defs", {}))
    return inlined


@cache
def _validator(kind: RowKind) -> Any:
    # Here and not above: the library is a tenth of start-up, and only what it may refuse is put before it.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
        """ECMA 262's `$` is the very end of the text; Python's also stands before a last newline."""
        if isinstance(instance, str) and not _compiled(pattern).search(instance):
            yield ValidationError(f"{shown(instance)} does not match {pattern}")

    return extend(Draft202012Validator, {"pattern": _pattern})(_schema(kind))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\$$", r"\\Z", pattern))


Fits = Callable[[Any], bool]
_ANNOTATIONS = {"$id", "$schema", "title", "description", "default", "format"}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "null": (type(None),), "array": (list,), "object": (dict,),
}  # fmt: skip


def _plain_fit(schema: Any) -> Fits:
    """Whether a schema plainly accepts a value: False says nothing, and the library is asked.

    The library makes a validator for every node of a document, which took a fifth of a small verification.
    """
    if not isinstance(schema, dict):
        return lambda _: schema is True
    parts = [_keyword(schema, name, said) for name, said in schema.items() if name not in _ANNOTATIONS]
    return lambda value: all(part(value) for part in parts)


def _keyword(schema: dict[str, Any], name: str, said: Any) -> Fits:
    match name:
        case "type" if isinstance(said, str):
            return lambda value: type(value) in _TYPES[said]
        case "anyOf":
            ways = [_plain_fit(one) for one in said]
            return lambda value: any(way(value) for way in ways)
        case "const" | "enum":
            # Only texts: to JSON 1, 1.0 and true are not what they are to Python.
            texts = {one for one in (said if name == "enum" else [said]) if isinstance(one, str)}
            return lambda value: type(value) is str and value in texts
        case "pattern":
            pattern = _compiled(said)
            return lambda value: type(value) is not str or bool(pattern.search(value))
        case "minLength" | "maxLength" | "minItems" | "maxItems":
            sized, least = str if name.endswith("Length") else list, name.startswith("min")
            return lambda value: type(value) is not sized or (len(value) >= said if least else len(value) <= said)
        case "minimum" | "maximum":
            lower = name == "minimum"
            return lambda value: type(value) not in (int, float) or (value >= said if lower else value <= said)
        case "items":
            item = _plain_fit(said)
            return lambda value: type(value) is not list or all(map(item, value))
        case "required":
            return lambda value: type(value) is not dict or all(field in value for field in said)
        case "properties":
            fields = {field: _plain_fit(one) for field, one in said.items()}
            return lambda value: (
                type(value) is not dict
                or all(field not in fields or fields[field](one) for field, one in value.items())
            )
        case "additionalProperties" if "patternProperties" not in schema:
            known, other = schema.get("properties", {}), _plain_fit(said)
            return lambda value: (
                type(value) is not dict or all(field in known or other(one) for field, one in value.items())
            )
        case "minProperties":
            return lambda value: type(value) is not dict or len(value) >= said
        case "dependentRequired":
            return lambda value: (
                type(value) is not dict
                or all(need in value for field, needs in said.items() if field in value for need in needs)
            )
        case "propertyNames":
            called = _plain_fit(said)
            return lambda value: type(value) is not dict or all(map(called, value))
        case _:
            return lambda _: False


@cache
def _plain_fit_of(kind: RowKind) -> Fits:
    return _plain_fit(_schema(kind))


def plainly_fits(kind: RowKind, record: Any) -> bool:
    """Whether the schema of a kind accepts a record, seen without the library; False says nothing."""
    return _plain_fit_of(kind)(record)


def _inlined(node: Any, definitions: dict[str, Any]) -> Any:
    """The same schema with its local references written out: looking each up again costs more than the rest."""
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].removeprefix("#/$defs/")
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _inlined({**definitions[name], **rest}, definitions)
    return {key: _inlined(value, definitions) for key, value in node.items() if key not in ("$defs", "examples")}


def misfits_of(kind: RowKind, record: Any, *, by_library: bool = False) -> list[tuple[str, str, str]]:
    """(JSON pointer, expected, found) for all that the schema or the model refuses; declared rows have no model.

    The library is asked only where a record does not plainly fit, or `by_library` says so.
    """
    refused = list(_refusals(kind, record)) if by_library or not plainly_fits(kind, record) else []
    return refused if isinstance(kind, Declared) else _with_model(kind, record, refused)[0]


def fitted(kind: str, record: Any) -> tuple[list[tuple[str, str, str]], Record | None]:
    """What the schema or the model of a kind refuses, and the validated record where nothing is refused."""
    return _with_model(kind, record, [] if plainly_fits(kind, record) else list(_refusals(kind, record)))


def _with_model(
    kind: str, record: Any, found: list[tuple[str, str, str]]
) -> tuple[list[tuple[str, str, str]], Record | None]:
    """The same, where it is known what the schema refuses."""
    from pydantic import ValidationError as ModelError  # the models are not needed to hash a bundle

    said = None
    try:
        said = model_of(kind).model_validate(record)
    except ModelError as error:
        pointers = {pointer for pointer, _, _ in found}
        for detail in error.errors(include_url=False):
            misfit = _pointer(detail["loc"]), detail["msg"], shown(detail["input"])
            if misfit[0] not in pointers:
                found.append(misfit)
    return found, None if found else said


def _refusals(kind: RowKind, record: Any) -> Iterator[tuple[str, str, str]]:
    for error in _validator(kind).iter_errors(record):
        # The branch that is not `null` says what was wrong; "is not valid under any" does not.
        causes = [cause for cause in error.context or () if cause.validator_value != "null"] or [error]
        for cause in causes:
            yield _pointer(cause.absolute_path), _sentence(cause), shown(cause.instance)


def _sentence(error: Any) -> str:
    match error.validator:
        case "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return "fields " + ", ".join(missing)
        case "additionalProperties":
            known = error.schema.get("properties", {})
            return "no field " + ", ".join(sorted(shown(name) for name in error.instance if name not in known))
        case "enum":
            return "one of " + ", ".join(shown(value) for value in error.validator_value)
        case name:
            return f"{name} {error.validator_value}"


def _pointer(parts: Any) -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


# What documents declare of rows

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
            if not isinstance(known[name].shape, Text | Integer | Flag | NumberShape):
                raise DeclarationError(f"{place}: {name} is no text, number or flag")
        if len(set(names)) < len(names):
            raise DeclarationError(f"{place}: a field is named twice")
    for at, rule in enumerate(declaration.get("complete") or []):
        if rule.get("times") == 0 or (rule.get("times") is not None and rule.get("several")):
            raise DeclarationError(f"/complete/{at}: `times` is at least one, and no number where `several` is true")
    for name in declaration["key"]:
        if isinstance(known[name].shape, NumberShape):
            raise DeclarationError(f"/key: {name} is a number with a fraction, which identifies nothing")
    for name, labels in (declaration.get("printed") or {}).items():
        if len(set(labels.values())) < len(labels):
            raise DeclarationError(f"/printed/{name}: two values are printed alike")
        # Else a reader could not tell which of two values a printed label stands for.
        folded = [(value.casefold(), label.casefold()) for value, label in labels.items()]
        values = {value for value, _ in folded}
        if any(label != value and label in values for value, label in folded):
            raise DeclarationError(f"/printed/{name}: a value is printed as the name of another")
    return Declared(declaration["dataset"], shape, tuple(declaration["key"]), declaration["row"])


def opened_rows(kind: str, protocol: Any) -> RowKind:
    """What the rows of a kind are under a protocol that declares fields of its own; under any other, the kind."""
    sections = protocol if isinstance(protocol, dict) else {}
    openings = [opening for opening in KINDS[kind].open if isinstance(sections.get(opening.section), dict)]
    if not openings:
        return kind
    # The published schema is shared: fields that one protocol declares must not show under the next.
    shape, schema = row_shape(kind), copy.deepcopy(schema_document(kind))
    for opening in openings:
        declared = sections[opening.section]
        for name in declared:
            if not re.fullmatch(FIELD_NAME, name) or name in opening.kept:
                reason = "a field's name has letters, digits and _, and is none that every row has"
                raise DeclarationError(f"/{opening.section}/{name}: {reason}")
        shapes = {name: derive(node, f"/{opening.section}/{name}", depth=1) for name, node in declared.items()}
        types = {name: node.get("type") for name, node in declared.items()}
        absent = {name for name, kind in types.items() if isinstance(kind, list) and "null" in kind}
        own = [Field(name, shapes[name], name not in absent) for name in declared]
        shape = _opened(shape, opening, own)
        place = schema
        if opening.at:  # the objects of a list
            place = schema["$defs"][schema["properties"][opening.at]["items"]["$ref"].removeprefix("#/$defs/")]
        kept = {name: node for name, node in place["properties"].items() if name in opening.kept}
        place["properties"] = kept | declared
        place["required"] = [name for name in place["required"] if name in kept] + [
            field.name for field in own if field.required
        ]
    return Declared(kind, shape, KINDS[kind].key, schema)


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


def _mentioned(declaration: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Places of a declaration, and the fields that each names."""
    yield "/key", declaration["key"]
    for place, reference in enumerate(declaration.get("references") or []):
        yield f"/references/{place}/fields", reference["fields"]
    for place, rule in enumerate(declaration.get("complete") or []):
        yield f"/complete/{place}", [*(rule.get("by") or []), *chain.from_iterable(rule["every"])]
    for place, rule in enumerate(declaration.get("depends") or []):
        yield f"/depends/{place}", [*rule["on"], *rule["fields"]]
    yield "/counts", list(declaration.get("counts") or {})
    yield "/truth", [declaration["truth"]] if declaration.get("truth") else []
    yield "/printed", list(declaration.get("printed") or {})


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
