"""Writes schemas/ anew from the models. `make schemas` runs this.

Generated once, committed under `schemas/`, and compared with the models by a test: what other
implementations read is the file, so the file is what the verifier validates with as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from sealtrace.contract.kinds import SCHEMA_KINDS, model_of

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, with maps written so that a key outside the pattern is invalid."""

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Pydantic writes `patternProperties` alone, which lets other keys pass unseen."""
        json_schema = super().dict_schema(schema)
        for pattern, value in json_schema.pop("patternProperties", {}).items():
            json_schema["additionalProperties"] = value
            json_schema.setdefault("propertyNames", {})["pattern"] = pattern
        return json_schema


def schema_id(kind: str) -> str:
    """The `$id` of a kind's schema: a name, not an address."""
    return f"urn:sealtrace:schema:1:{kind}"


def schema_of(kind: str) -> dict[str, Any]:
    """The schema document of a kind."""
    schema = model_of(kind).model_json_schema(schema_generator=_Generator)
    _drop_titles(schema)
    description = schema.pop("description")
    return {"$schema": DIALECT, "$id": schema_id(kind), "title": kind, "description": description, **schema}


def _drop_titles(node: Any) -> None:
    """Field titles repeat field names."""
    if isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        for key, value in node.items():
            if key != "examples":
                _drop_titles(value)
    elif isinstance(node, list):
        for value in node:
            _drop_titles(value)


def schema_text(kind: str) -> str:
    """The file's content."""
    return json.dumps(schema_of(kind), indent=2, ensure_ascii=False) + "\n"


def schema_files() -> dict[str, str]:
    """File name to content, for every kind that has a schema."""
    return {f"{kind}.schema.json": schema_text(kind) for kind in SCHEMA_KINDS}


def export(directory: Path) -> list[str]:
    """Writes every schema, removes what no kind has any more, and names the files that changed."""
    directory.mkdir(parents=True, exist_ok=True)
    wanted = schema_files()
    changed = []
    for stale in sorted(directory.glob("*.schema.json")):
        if stale.name not in wanted:
            stale.unlink()
            changed.append(stale.name)
    for name, text in wanted.items():
        path = directory / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return sorted(changed)


if __name__ == "__main__":
    for changed_name in export(SCHEMAS):
        print(changed_name)
