"""JSON documents, validated twice: by the published schema as any other tool would, and by the model."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from sealtrace.bundle.json_columns import shown
from sealtrace.bundle.resources import schema_document
from sealtrace.bundle.shapes import Declared, RowKind
from sealtrace.contract.kinds import model_of


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    """ECMA 262's `$` is the very end of the text; Python's also stands before a last newline."""
    if isinstance(instance, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
        yield ValidationError(f"{shown(instance)} does not match {pattern}")


def _items(validator: Any, items: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`items`, with a short way for long lists of plain strings: a table has a thousand of them."""
    if (
        isinstance(instance, list)
        and items.keys() <= {"type", "maxLength", "description"}
        and items["type"] == "string"
    ):
        longest = items.get("maxLength", math.inf)
        if all(type(item) is str and len(item) <= longest for item in instance):
            return
    yield from Draft202012Validator.VALIDATORS["items"](validator, items, instance, schema)


_Validator = extend(Draft202012Validator, {"pattern": _pattern, "items": _items})


@cache
def _validator(kind: RowKind) -> Any:
    schema = kind.schema if isinstance(kind, Declared) else schema_document(kind)
    return _Validator(_inlined(schema, schema.get("$defs", {})))


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


def misfits_of(kind: RowKind, record: Any) -> list[tuple[str, str, str]]:
    """(JSON pointer, expected, found) for all that the schema or the model refuses; declared rows have no model."""
    found = list(_refusals(_validator(kind), record))
    if isinstance(kind, Declared):
        return found
    pointers = {pointer for pointer, _, _ in found}
    return found + [misfit for misfit in _model_misfits(kind, record) if misfit[0] not in pointers]


def schema_accepts(kind: str, record: Any) -> bool:
    """Whether the published schema alone accepts a record."""
    return bool(_validator(kind).is_valid(record))


def _refusals(validator: Any, record: Any) -> Iterator[tuple[str, str, str]]:
    for error in validator.iter_errors(record):
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


def _model_misfits(kind: str, record: Any) -> Iterator[tuple[str, str, str]]:
    from pydantic import ValidationError as ModelError

    try:
        model_of(kind).model_validate(record)
    except ModelError as error:
        for detail in error.errors(include_url=False):
            yield _pointer(detail["loc"]), detail["msg"], shown(detail["input"])


def _pointer(parts: Any) -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)
