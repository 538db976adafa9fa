"""Writes records, and says what their content digest is. Recipes use this, and commands that write or convert files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sealtrace.bundle.content import document_digest, table_digest
from sealtrace.bundle.defects import BundleError, refusing
from sealtrace.bundle.documents import form_of, opened_rows
from sealtrace.bundle.identity import LayoutError, file_digest, kind_and_format
from sealtrace.bundle.parquet_writing import write_parquet
from sealtrace.bundle.placing import place_new_file, recover, replace_file, write_together
from sealtrace.bundle.resources import first_protocol, json_file
from sealtrace.bundle.shapes import Declared, RowKind, arrow_schema
from sealtrace.bundle.stores import Store, read_rows, without_nulls
from sealtrace.bundle.strict_json import parse
from sealtrace.contract.kinds import KINDS, Form


def write_document(path: Path, document: dict[str, Any]) -> None:
    """Writes one JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, json_file(document))


def write_rows(
    path: Path, kind: RowKind, rows: Iterable[dict[str, Any]], protocol: dict[str, Any] | None = None
) -> str:
    """Writes rows as JSON lines or Parquet, by the path's ending, and returns their content digest.

    With the fields that a protocol declares for a kind, where it declares some.
    """
    kind = opened_rows(kind, protocol) if isinstance(kind, str) else kind
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    store = read_rows(lines, path.name, kind, "jsonl")
    if store.whole is None:
        defect = store.defects[0]
        raise ValueError(f"{path}:{defect.row}{defect.field or ''}: {defect.outcome}")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        return write_table(path, kind, store.whole)
    replace_file(path, lines)
    return table_digest(store.whole, kind)


def write_table(path: Path, kind: RowKind, table: pa.Table) -> str:
    """Writes an Arrow table of records as Parquet, and returns its content digest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, rows_as(table, kind, "parquet"))
    return table_digest(table, kind)


# Datasets of a draft: a declaration, and rows in one of three forms that all say the same

FORMATS = ("parquet", "jsonl", "csv")


def dataset_paths(name: str, file_format: str) -> tuple[str, str]:
    """Where a draft holds a declaration and its rows."""
    return f"declare/dataset.{name}.json", f"report/rows.{name}.{file_format}"


def write_dataset(directory: Path, declaration: dict[str, Any], table: pa.Table, file_format: str) -> list[Path]:
    """Writes both files, new ones only, after reading back what they would hold; and a protocol where there is none."""
    declared = form_of("rows", f"rows.{declaration.get('dataset')}", lambda file: (file, declaration))
    assert isinstance(declared, Declared)
    rows = _in_order(table, declared)
    data = rows_as(rows, declared, file_format)
    # Read back before anything is placed: CSV, for one, does not tell an empty text from an absent one.
    back = read_rows(data, f"rows.{declared.name}.{file_format}", declared, file_format)
    _same(back, rows, declared)
    names = dataset_paths(declared.name, file_format)
    with refusing(directory):
        recover(directory)
        if taken := list(directory.glob(f"report/rows.{declared.name}.*")):
            raise BundleError(f"{taken[0]}: exists already; nothing is overwritten")
        files = {**dict(zip(names, (json_file(declaration), data), strict=True)), **first_protocol(directory)}
        write_together(directory, files, new=True)
    return [directory / path for path in files]


def rows_as(table: pa.Table, kind: RowKind, file_format: str, *, laid_out: bool | None = None) -> bytes:
    """The rows as the bytes of a file."""
    sink = io.BytesIO()
    if file_format == "parquet":
        write_parquet(table, kind, sink, laid_out=laid_out)
    elif file_format == "csv":
        import pyarrow.csv as writer

        writer.write_csv(table, sink)
    else:
        for batch in table.to_batches(2**14):
            rows = batch.to_pylist(maps_as_pydicts="strict")
            lines = (json.dumps(without_nulls(row), ensure_ascii=False) + "\n" for row in rows)
            sink.write("".join(lines).encode())
    return sink.getvalue()


def _in_order(table: pa.Table, declared: Declared) -> pa.Table:
    schema = arrow_schema(declared)
    if missing := [name for name in schema.names if name not in table.column_names]:
        raise BundleError(f"the declaration has a field {missing[0]!r}, and the rows have none")
    if extra := [name for name in table.column_names if name not in schema.names]:
        raise BundleError(f"the rows have a field {extra[0]!r}, and the declaration has none")
    try:
        return table.select(schema.names).cast(schema).combine_chunks()
    except pa.ArrowException as error:
        raise BundleError(f"the rows do not fit the declaration: {str(error).splitlines()[0]}") from None


def _same(back: Store, rows: pa.Table, declared: Declared) -> None:
    """Nothing is written that could not be read back as the same records."""
    for defect in back.defects:
        where = f"row {defect.row}{defect.field or ''}: " if defect.row else ""
        raise BundleError(f"{where}{defect.outcome}; nothing is written")
    if back.whole is None or table_digest(back.whole, declared) != table_digest(rows, declared):
        raise BundleError("read back, the rows say something else; take another --format; nothing is written")


# One file: its digests as sealing computes them, and the same records in another format


@dataclass(frozen=True)
class Digests:
    """A file's digest, and that of its content where it holds records."""

    file: str
    content: str | None = None
    rows: int | None = None


def digests_of(path: Path) -> Digests:
    """The digests of a file; `BundleError` where it holds no sound records and is named as if it did."""
    with refusing(path):
        data = path.read_bytes()
    try:
        kind, file_format = kind_and_format(f"report/{path.name}")
    except LayoutError:
        return Digests(file_digest(data))
    if KINDS[kind].form is Form.BYTES:
        return Digests(file_digest(data))
    if KINDS[kind].form is Form.DOCUMENT:
        return Digests(file_digest(data), document_digest(_document(path, data)))
    table, form = _sound_rows(path, data, kind, file_format)
    return Digests(file_digest(data), table_digest(table, form), table.num_rows)


def sound_rows(path: Path) -> tuple[pa.Table, RowKind]:
    """The records of a file, and what they are; `BundleError` where they are not sound."""
    try:
        kind, file_format = kind_and_format(f"report/{path.name}")
    except LayoutError as error:
        raise BundleError(f"{path}: {error}") from None
    if KINDS[kind].form is not Form.ROWS:
        raise BundleError(f"{path}: holds no rows")
    with refusing(path):
        return _sound_rows(path, path.read_bytes(), kind, file_format)


def _sound_rows(path: Path, data: bytes, kind: str, file_format: str) -> tuple[pa.Table, RowKind]:
    def find(name: str) -> tuple[Path, Any] | None:
        beside = [path.parent] if kind == "rows" else []
        for place in (folder / name for folder in (*beside, path.parent.parent / "declare")):
            if place.is_file():
                return place, _document(place, place.read_bytes())
        if kind == "rows":
            raise BundleError(f"{path}: nothing declares it; {name} is neither beside it nor in ../declare")
        return None

    form = form_of(kind, path.name, find)
    store = read_rows(data, path.name, form, file_format)
    if store.whole is None or store.misfits.total:
        defect = store.defects[0]
        raise BundleError(f"{path}:{defect.row}{defect.field or ''}: {defect.outcome}")
    return store.whole, form


def _document(path: Path, data: bytes) -> dict[str, object]:
    with refusing(path):
        document = parse(data)
    if not isinstance(document, dict):
        raise BundleError(f"{path}: not an object")
    return document


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
    with refusing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        place_new_file(target, data)
    return Digests(file_digest(data), content, table.num_rows)
