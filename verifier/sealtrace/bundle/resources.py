"""Finds the published schemas and the default bundle, in the wheel or in the checkout."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parents[1]


def _find(installed: str, checkout: str) -> Path:
    for candidate in (_PACKAGE / "_data" / installed, _CHECKOUT / checkout):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"sealtrace is installed without its {installed}; reinstall it")


def schema_directory() -> Path:
    """Where the published schemas lie."""
    return _find("schemas", "schemas")


def default_bundle() -> Path:
    """The bundle that `sealtrace verify` takes when none is named."""
    return _find("rsd-fixture", "bundles/rsd-fixture/bundle")


@cache
def schema_document(kind: str) -> dict[str, Any]:
    """The published schema of a kind."""
    text = (schema_directory() / f"{kind}.schema.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document
