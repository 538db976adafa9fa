"""What others wrote about files of results: Frictionless `datapackage.json`, Croissant in JSON-LD.

It says which files there are and which fields identify a row, and is heeded where it exists; what the rows are is
decided on the rows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealtrace.bundle.defects import BundleError

FRICTIONLESS = "datapackage.json"
CROISSANT = ("croissant.json", "metadata.json")
_LONGEST_DESCRIPTION = 20_000_000


@dataclass(frozen=True)
class Described:
    """Files and their key, as a description has them."""

    paths: list[Path]
    key: tuple[str, ...]

    def key_within(self, columns: Sequence[str]) -> list[str] | None:
        """The key, where all of its fields were read."""
        return list(self.key) if self.key and set(self.key) <= set(columns) else None


def described(results: Sequence[str]) -> Described | None:
    """What a description says of the results: one that is named, or one that lies beside the files."""
    if len(results) == 1:
        given = Path(results[0])
        if given.is_dir():
            for name in (FRICTIONLESS, *CROISSANT):
                if (given / name).is_file() and (found := _read(given / name)) is not None:
                    return found
            return None
        if given.name in (FRICTIONLESS, *CROISSANT) and given.is_file():
            if (found := _read(given)) is None:
                raise BundleError(f"{given}: neither a data package nor a Croissant description")
            return found
        # A file of its own is only looked up: which of the described ones it is.
        beside = given.parent / FRICTIONLESS
        if given.is_file() and beside.is_file():
            resources = _frictionless(_document(beside), beside)
            return next((one for one in resources if given.resolve() in [p.resolve() for p in one.paths]), None)
    return None


def _read(path: Path) -> Described | None:
    document = _document(path)
    if isinstance(document.get("resources"), list):
        found = [one for one in _frictionless(document, path) if one.paths]
    elif "recordSet" in document or "distribution" in document:
        found = _croissant(document, path)
    else:
        return None
    if not found:
        raise BundleError(f"{path}: describes no file that lies here")
    if len(found) > 1:
        names = ", ".join(str(one.paths[0]) for one in found)
        raise BundleError(f"{path}: describes several tables; import them one by one: {names}")
    return found[0]


def _document(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
        document = json.loads(data) if len(data) <= _LONGEST_DESCRIPTION else None
    except (OSError, ValueError, RecursionError) as error:
        raise BundleError(f"{path}: not readable as JSON ({str(error).splitlines()[0]})") from None
    if not isinstance(document, dict):
        raise BundleError(f"{path}: not an object")
    return document


def _texts(value: Any) -> list[str]:
    """A text, or a list of texts."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]


def _inside(path: Path, names: list[str]) -> list[Path]:
    """The files that lie beside or below the description; addresses and ways out are passed over."""
    root = path.parent.resolve()
    found = [path.parent / name for name in names if "://" not in name]
    return [one for one in found if one.is_file() and one.resolve().is_relative_to(root)]


def _frictionless(document: dict[str, Any], path: Path) -> list[Described]:
    found = []
    for resource in document.get("resources") or []:
        if isinstance(resource, dict):
            schema = resource.get("schema")
            key = _texts(schema.get("primaryKey")) if isinstance(schema, dict) else []
            found.append(Described(_inside(path, _texts(resource.get("path"))), tuple(key)))
    return found


def _croissant(document: dict[str, Any], path: Path) -> list[Described]:
    keys = []
    for records in document.get("recordSet") or []:
        if isinstance(records, dict):
            places = records.get("key")
            ids = [
                one.get("@id") for one in (places if isinstance(places, list) else [places]) if isinstance(one, dict)
            ]
            keys.append([one.rpartition("/")[2] for one in _texts(ids)])
    files = [
        name
        for one in document.get("distribution") or []
        if isinstance(one, dict)
        for name in _texts(one.get("contentUrl"))
    ]
    paths = _inside(path, files)
    return [Described([one], tuple(keys[0]) if len(keys) == 1 else ()) for one in paths]
