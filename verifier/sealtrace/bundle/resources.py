"""Files that come with the tool: schemas, the default bundle, templates of studies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sealtrace.bundle.defects import real_path
from sealtrace.contract.kinds import KINDS, STAGES

_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parents[1]


def _find(installed: str, checkout: str) -> Path:
    for candidate in (_PACKAGE / "_data" / installed, _CHECKOUT / checkout):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"sealtrace is installed without its {installed}; reinstall it")


def default_bundle() -> Path:
    """The bundle that `sealtrace verify` takes when none is named."""
    return _find("rsd-fixture", "bundles/rsd-fixture/bundle")


@cache
def schema_document(kind: str) -> dict[str, Any]:
    path = _find("schemas", "schemas") / f"{kind}.schema.json"
    if not path.is_file() and (spec := find_spec(KINDS[kind].model.partition(":")[0])) is not None and spec.origin:
        # A pack of another distribution has the schema of its kind beside the kind's model.
        path = Path(spec.origin).parent / path.name
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def json_file(document: Mapping[str, object]) -> bytes:
    """A JSON document as it is written for people."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


_TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
PROTOCOL = "bundle/declare/protocol.json"
NOTES = "protocol.notes.md"
_LONGEST_NAME = 200


def files_of(kind: str, study: str) -> dict[str, bytes]:
    """Path to content, for a study of this name."""
    root = _TEMPLATES / kind
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    protocol = json.loads(files[PROTOCOL])
    if study.isprintable() and 0 < len(study) <= _LONGEST_NAME:
        protocol["study"] = study
    files[PROTOCOL] = json_file(protocol)
    files[NOTES] = protocol_notes().encode()
    return dict(sorted(files.items()))


FIRST_PROTOCOL = "declare/protocol.json"


def first_protocol(directory: Path, title: str | None = None) -> dict[str, bytes]:
    """The least protocol that can be sealed, by its place in a draft; nothing where the draft has one."""
    if (directory / FIRST_PROTOCOL).exists() or any(directory.glob("seals/*")):
        return {}
    name = real_path(directory).name
    study = name if name.isprintable() and 0 < len(name) <= _LONGEST_NAME else "study"
    return {
        FIRST_PROTOCOL: json_file({"study": study, "title": title or "One line about the study", "anonymous": False})
    }


def directories_of(kind: str) -> list[str]:
    """Where records go: results need two stages, policies all of them."""
    return [f"bundle/{stage}" for stage in (STAGES if kind == "policies" else ("declare", "report"))]


def protocol_notes() -> str:
    """Every field of a protocol, as Markdown."""
    schema = schema_document("protocol")
    lines = [
        "# The fields of protocol.json",
        "",
        'A constant is text, a decimal or a ratio (`"0.05"`, `"1/80"`), and is read exactly. What is not marked as '
        "required may be left out.",
    ]
    for field, needed in schema.get("dependentRequired", {}).items():
        lines += ["", f"With `{field}`, these are required too: {', '.join(f'`{name}`' for name in needed)}."]
    lines.extend(_section("protocol.json", schema))
    for name, definition in schema["$defs"].items():
        lines.extend(_section(name, definition))
    return "\n".join(lines) + "\n"


def _section(name: str, schema: dict[str, Any]) -> Iterator[str]:
    """What an object is, and a line for each of its fields."""
    yield from ("", f"## {name}", "", schema["description"], "")
    for field, node in schema["properties"].items():
        need = ", required" if field in schema.get("required", ()) else ""
        yield f"- `{field}` ({_type(node)}{need}): {node['description']}"


def _type(node: dict[str, Any]) -> str:
    """A type in words."""
    if "anyOf" in node:
        return _type(node["anyOf"][0])
    if "$ref" in node:
        return str(node["$ref"].removeprefix("#/$defs/"))
    if "enum" in node or "const" in node:
        return " or ".join(json.dumps(value) for value in node.get("enum", [node.get("const")]))
    match node.get("type"):
        case "array":
            return f"list of {_type(node['items'])}"
        case "object" if isinstance(node.get("additionalProperties"), dict):
            return f"names to {_type(node['additionalProperties'])}"
        case "string" if "pattern" in node and "/[1-9]" in node["pattern"]:
            return "constant"
        case "string":
            return "text"
        case "integer":
            return "whole number"
        case other:
            return {"boolean": "true or false"}.get(str(other), str(other))
