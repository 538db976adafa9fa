"""The digests of one file, as sealing computes them, and the same records in another format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from sealtrace.bundle.content import document_digest, table_digest
from sealtrace.bundle.datasets import checked, rows_as
from sealtrace.bundle.declared import DeclarationError, opened_rows
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.identity import LayoutError, dataset_of, file_digest, kind_and_format
from sealtrace.bundle.resources import place_new_file
from sealtrace.bundle.shapes import RowKind
from sealtrace.bundle.stores import read_rows
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.contract.kinds import KINDS, Form


@dataclass(frozen=True)
class Digests:
    """A file's digest, and that of its content where it holds records."""

    file: str
    content: str | None = None
    rows: int | None = None


def digests_of(path: Path) -> Digests:
    """The digests of a file; `BundleError` where it holds no sound records and is named as if it did."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror or error}") from None
    whole = file_digest(data)
    try:
        kind, file_format = kind_and_format(f"report/{path.name}")
    except LayoutError:
        return Digests(whole)
    if KINDS[kind].form is Form.BYTES:
        return Digests(whole)
    if KINDS[kind].form is Form.DOCUMENT:
        return Digests(whole, document_digest(_document(path, data)))
    table, form = _sound_rows(path, data, kind, file_format)
    return Digests(whole, table_digest(table, form), table.num_rows)


def sound_rows(path: Path) -> tuple[pa.Table, RowKind]:
    """The records of a file, and what they are; `BundleError` where they are not sound."""
    try:
        kind, file_format = kind_and_format(f"report/{path.name}")
        if KINDS[kind].form is not Form.ROWS:
            raise BundleError(f"{path}: holds no rows")
        return _sound_rows(path, path.read_bytes(), kind, file_format)
    except LayoutError as error:
        raise BundleError(f"{path}: {error}") from None
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror or error}") from None


def _sound_rows(path: Path, data: bytes, kind: str, file_format: str) -> tuple[pa.Table, RowKind]:
    form = _declared(path) if kind == "rows" else _opened(kind, path)
    store = read_rows(data, path.name, form, file_format)
    if store.whole is None or store.misfits.total:
        defect = (store.syntax.listed + store.misfits.listed)[0]
        wanted = f": expected {defect.expected}, found {defect.found}" if defect.expected else f": {defect.message}"
        raise BundleError(f"{path}:{defect.row}{defect.field or ''}{wanted}")
    return store.whole, form


def _document(path: Path, data: bytes) -> dict[str, object]:
    try:
        document = parse(data)
    except StrictJSONError as error:
        raise BundleError(f"{path}: {error}") from None
    if not isinstance(document, dict):
        raise BundleError(f"{path}: not an object")
    return document


def _opened(kind: str, path: Path) -> RowKind:
    """What the rows of a kind are, by the protocol of the draft that a file lies in."""
    place = path.parent.parent / "declare" / "protocol.json"
    if not KINDS[kind].open or not place.is_file():
        return kind
    try:
        return opened_rows(kind, _document(place, place.read_bytes()))
    except DeclarationError as error:
        raise BundleError(f"{place}{error}") from None


def _declared(path: Path) -> RowKind:
    name = f"dataset.{dataset_of(path.name)}.json"
    for place in (path.parent / name, path.parent.parent / "declare" / name):
        if place.is_file():
            return checked(_document(place, place.read_bytes()))
    raise BundleError(f"{path}: nothing declares it; {name} is neither beside it nor in ../declare")


def convert(source: Path, target: Path) -> Digests:
    """Writes the records of a file into a new one, whose ending says the format; Parquet is laid out for reading."""
    file_format = target.suffix.removeprefix(".")
    if file_format not in ("jsonl", "parquet"):
        raise BundleError(f"{target}: a file of records ends in .jsonl or .parquet")
    table, form = sound_rows(source)
    data = rows_as(table, form, file_format, laid_out=True)
    back = read_rows(data, target.name, form, file_format)
    content = table_digest(table, form)
    if back.whole is None or table_digest(back.whole, form) != content:
        raise BundleError(f"{target}: read back, the rows say something else; nothing is written")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        place_new_file(target, data)
    except FileExistsError:
        raise BundleError(f"{target}: exists already; nothing is overwritten") from None
    except OSError as error:
        raise BundleError(f"{error.filename or target}: {error.strerror or error}") from None
    return Digests(file_digest(data), content, table.num_rows)
