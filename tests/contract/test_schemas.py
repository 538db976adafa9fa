"""The published schemas are what the models say, and other tools can use them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from contract.export import DIALECT, export, schema_files
from contract.specimens import ROWS, specimen
from sealtrace.bundle.shapes import arrow_schema, row_shape
from sealtrace.contract.kinds import KINDS, SCHEMA_KINDS, model_of
from support import ROOT, Row, schema_accepts

SCHEMAS = ROOT / "schemas"


def committed(kind: str) -> Row:
    """The schema as other implementations read it."""
    document: Row = json.loads((SCHEMAS / f"{kind}.schema.json").read_text(encoding="utf-8"))
    return document


def test_committed_files_are_what_the_models_give() -> None:
    """A model that changes without its schema would change the contract in secret."""
    found = {path.name: path.read_text(encoding="utf-8") for path in SCHEMAS.iterdir()}
    assert schema_files() == found, "run `make schemas`"


def test_every_kind_that_is_parsed_has_a_schema() -> None:
    """No record is read without a published contract."""
    parsed = {name for name, kind in KINDS.items() if kind.model}
    assert parsed == set(SCHEMA_KINDS)
    assert {f"{name}.schema.json" for name in parsed} == set(schema_files())


def test_export_writes_all_and_removes_what_is_stale(tmp_path: Path) -> None:
    """`make schemas` leaves exactly the schemas of today, and nothing of yesterday."""
    (tmp_path / "gone.schema.json").write_text("{}", encoding="utf-8")
    (tmp_path / "trace.schema.json").write_text("{}", encoding="utf-8")
    assert sorted([*schema_files(), "gone.schema.json"]) == export(tmp_path)
    assert schema_files() == {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert export(tmp_path) == []


@pytest.mark.parametrize("kind", SCHEMA_KINDS)
def test_schema_is_valid_and_says_what_it_is(kind: str) -> None:
    """Any 2020-12 implementation can load it, and a reader learns what it describes."""
    schema = committed(kind)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == DIALECT
    assert f"urn:sealtrace:schema:1:{kind}" == schema["$id"]
    assert kind == schema["title"]
    assert schema["description"].endswith(".")


@pytest.mark.parametrize("kind", SCHEMA_KINDS)
def test_every_property_and_definition_is_described(kind: str) -> None:
    """The schema is the documentation of the format."""
    schema = committed(kind)
    described = list(_described(schema))
    assert len(described) > len(schema["properties"])
    assert [place for place, description in described if not description] == []


def _described(node: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Each object with declared fields and each of its fields, with its description."""
    if not isinstance(node, dict):
        return
    if "properties" in node:
        yield place, node.get("description", "")
        for name, child in node["properties"].items():
            yield f"{place}/{name}", child.get("description", "")
    for key in ("properties", "$defs"):
        for name, child in node.get(key, {}).items():
            yield from _described(child, f"{place}/{name}")


@pytest.mark.parametrize("kind", SCHEMA_KINDS)
def test_unknown_fields_are_refused_everywhere(kind: str) -> None:
    """A misspelt optional field must not pass as absent."""
    assert [place for place, node in _objects(committed(kind)) if node.get("additionalProperties") is not False] == []


def _objects(node: Any, place: str = "") -> Iterator[tuple[str, Row]]:
    if isinstance(node, dict):
        if "properties" in node and node.get("type") == "object":
            yield place, node
        for name, child in node.items():
            if name != "examples":
                yield from _objects(child, f"{place}/{name}")


@pytest.mark.parametrize("kind", SCHEMA_KINDS)
def test_examples_are_accepted_by_schema_and_model(kind: str) -> None:
    """An example that its own contract refuses would teach the wrong thing."""
    examples = committed(kind)["examples"]
    assert len(examples) >= 1
    for example in examples:
        assert schema_accepts(kind, example)
        model_of(kind).model_validate(example)


@pytest.mark.parametrize("kind", SCHEMA_KINDS)
def test_a_record_with_every_field_is_accepted(kind: str) -> None:
    """Optional fields are usable, alone and together."""
    record = specimen(kind)
    assert set(committed(kind)["properties"]) == set(record)
    assert schema_accepts(kind, record)
    model_of(kind).model_validate(record)


@pytest.mark.parametrize("kind", ROWS)
def test_columns_can_be_derived_and_hold_the_key(kind: str) -> None:
    """Every keyword of a row's schema has a column predicate; deriving raises on one that has none."""
    shape = row_shape(kind)
    properties = committed(kind)["properties"]
    assert list(properties) == [field.name for field in shape.fields]
    assert set(committed(kind)["required"]) == {field.name for field in shape.fields if field.required}
    assert list(properties) == arrow_schema(kind).names
    assert KINDS[kind].key
    assert set(KINDS[kind].key) <= set(properties)
