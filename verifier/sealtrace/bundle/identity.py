"""What identifies a bundle and its files: manifest entries, SHA256SUMS, the root digest, the place that says a kind."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any

from sealtrace.bundle import blocks
from sealtrace.bundle.content import BLOCKS, WHOLE, document_digest
from sealtrace.contract.kinds import KINDS, STAGES, Form

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
SEALS = "seals"
WITNESSES = "witnesses"
"""Evidence from outside about the seals, which no seal can list."""
MAX_PATH = 200
"""As many characters as a name of the contract may have."""

HASHES = {"file": "sha256", "document": "sha256-rfc8785", "table": WHOLE, "root": "sha256-rfc8785-without-root_sha256"}


@dataclass(frozen=True)
class ListedFile:
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


CONTRACT = "0.2"
"""The version of the contract that seals are made under: what a recipe may take is printed or declared."""


def manifest_document(name: str, entries: Iterable[ListedFile]) -> dict[str, Any]:
    """The manifest of these files, with its root digest."""
    listed = sorted(entries, key=lambda entry: entry.path)
    manifest: dict[str, Any] = {
        "sealtrace": "1",
        "name": name,
        "contract": CONTRACT,
        "hashes": HASHES | ({"table": BLOCKS} if any((entry.rows or 0) > blocks.SMALL for entry in listed) else {}),
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
    """Why a manifest may not list a path; None if it may."""
    if path.startswith("/") or (len(path) > 1 and path[1] == ":"):
        return "it is absolute"
    if "\\" in path:
        return "it has a backslash"
    if any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in path):
        return "it has a control character"
    # Such as those that turn the direction of writing, so that another name is shown.
    if any(unicodedata.category(character) == "Cf" for character in path):
        return "it has an invisible character"
    if len(path) > MAX_PATH:
        return f"it is longer than {MAX_PATH} characters"
    if ".." in path.split("/"):
        return "it leaves the bundle"
    if str(PurePosixPath(path)) != path or path == ".":
        return "it is not written plainly"
    return None


def colliding(paths: Iterable[str]) -> dict[str, str]:
    """Paths that are one file where case, or how accents are encoded, tells no names apart; with the earlier one."""
    seen: dict[str, str] = {}
    # macOS normalizes names, and both it and Windows fold case: there, one of two such files would be lost.
    first = {path: seen.setdefault(unicodedata.normalize("NFC", path).casefold(), path) for path in paths}
    return {path: other for path, other in first.items() if path != other}


ATTACHMENTS = "attachments"
_FORMATS = {".json": "json", ".jsonl": "jsonl", ".parquet": "parquet", ".csv": "csv"}


def seal_path(stage: str) -> str:
    """Where a stage's seal lies."""
    return f"{SEALS}/{STAGES.index(stage) + 1}-{stage}.json"


class LayoutError(ValueError):
    """The place of a file says nothing that can be sealed."""


def kind_and_format(path: str) -> tuple[str, str]:
    """`stage/kind[.label...].ext`, or anything below `stage/attachments/`."""
    parts = path.split("/")
    if len(parts) > 2 and parts[1] == ATTACHMENTS:
        return "attachment", "bytes"
    name = parts[-1]
    kind = name.partition(".")[0]
    if len(parts) == 2 and kind == "manuscript":
        return "manuscript", "bytes"
    file_format = _FORMATS.get(PurePosixPath(name).suffix, "")
    known = KINDS.get(kind)
    if len(parts) != 2 or known is None or known.form is Form.BYTES or not known.stages or kind == "seal":
        raise LayoutError(
            f"not named after a record kind (such as trace.calibration.jsonl); "
            f"other files go below {parts[0]}/{ATTACHMENTS}/"
        )
    formats = ("json",) if known.form is Form.DOCUMENT else ("jsonl", "parquet", "csv")[: 3 if kind == "rows" else 2]
    if kind in ("dataset", "rows") and name.count(".") != 2:
        raise LayoutError(f"{kind}.NAME.{file_format or formats[0]} says which dataset it is")
    if file_format not in formats:
        raise LayoutError(f"{kind} records are written as {' or '.join(formats)}")
    return kind, file_format


def dataset_of(path: str) -> str:
    """The dataset that a declaration or a file of rows is about."""
    return path.rpartition("/")[2].split(".")[1]


def misplaced(entry: ListedFile) -> tuple[str, str, str] | None:
    """(field, expected, found) where a manifest's entry says something else than the file's place does."""
    if entry.path.startswith(f"{SEALS}/"):
        kind, file_format = "seal", "json"
    else:
        try:
            kind, file_format = kind_and_format(entry.path)
        except LayoutError as error:
            return "path", "a place that says the kind", str(error)
    if entry.kind != kind:
        return "kind", kind, entry.kind
    if entry.format != file_format:
        return "format", file_format, entry.format
    if KINDS[kind].form is Form.BYTES:
        for name in ("rows", "content_sha256", "split"):
            if getattr(entry, name) is not None:
                return name, "nothing: the file is kept as bytes", str(getattr(entry, name))
    return None
