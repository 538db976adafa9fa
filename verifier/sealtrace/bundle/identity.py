"""The names and numbers that identify a bundle: manifest entries, SHA256SUMS, the root digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any

from sealtrace.bundle import blocks
from sealtrace.bundle.content import BLOCKS, WHOLE, document_digest

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
SEALS = "seals"
WITNESSES = "witnesses"
"""Evidence from outside about the seals, which no seal can list."""
MAX_PATH = 200
"""As many characters as a name of the contract may have."""

HASHES = {
    "file": "sha256",
    "document": "sha256-rfc8785",
    "table": WHOLE,
    "root": "sha256-rfc8785-without-root_sha256",
}


@dataclass(frozen=True)
class Entry:
    """One file as the manifest and its stage's seal list it."""

    path: str
    kind: str
    stage: str
    format: str
    bytes: int
    sha256: str
    split: str | None = None
    rows: int | None = None
    content_sha256: str | None = None

    @property
    def records(self) -> str:
        """What its rows are called: the kind; of a dataset, its name."""
        return self.path.rpartition("/")[2].split(".")[1] if self.kind == "rows" and "." in self.path else self.kind

    def as_json(self) -> dict[str, Any]:
        """The entry without what is absent."""
        return {name: value for name, value in sorted(asdict(self).items()) if value is not None}


def file_digest(data: bytes) -> str:
    """File identity: SHA-256 of the bytes."""
    return hashlib.sha256(data).hexdigest()


def stream_digest(pieces: Iterable[bytes]) -> tuple[str, int]:
    """File identity and length of bytes that are not held."""
    digest, length = hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece)
        length += len(piece)
    return digest.hexdigest(), length


def manifest_document(name: str, entries: Iterable[Entry]) -> dict[str, Any]:
    """The manifest of these files, with its root digest."""
    listed = sorted(entries, key=lambda entry: entry.path)
    manifest: dict[str, Any] = {
        "sealtrace": "1",
        "name": name,
        "hashes": HASHES | ({"table": BLOCKS} if any((one.rows or 0) > blocks.SMALL for one in listed) else {}),
        "files": [entry.as_json() for entry in listed],
    }
    return {**manifest, "root_sha256": root_digest(manifest)}


def root_digest(manifest: dict[str, Any]) -> str:
    """The bundle's identity: it binds every path, length and digest, and the conventions."""
    return document_digest(manifest, without="root_sha256")


def sums_text(digests: dict[str, str]) -> str:
    """What `sha256sum -c` reads."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))


def unsafe_path(path: str) -> str | None:
    """Why a path may not stand in a manifest, or None."""
    if path.startswith("/") or (len(path) > 1 and path[1] == ":"):
        return "it is absolute"
    if "\\" in path:
        return "it has a backslash"
    if any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in path):
        return "it has a control character"
    if len(path) > MAX_PATH:
        return f"it is longer than {MAX_PATH} characters"
    if ".." in path.split("/"):
        return "it leaves the bundle"
    if str(PurePosixPath(path)) != path or path == ".":
        return "it is not written plainly"
    return None
