"""Writes a dataset into a draft: its declaration, and its rows in one of three forms that all say the same."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from sealtrace.bundle.content import table_digest
from sealtrace.bundle.declared import DeclarationError, declared_rows
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.parquet_writing import write_parquet
from sealtrace.bundle.resources import place_new_file
from sealtrace.bundle.shapes import Declared, RowKind, arrow_schema
from sealtrace.bundle.stores import Store, read_rows, without_nulls

FORMATS = ("parquet", "jsonl", "csv")


def dataset_paths(name: str, file_format: str) -> tuple[str, str]:
    """Where a draft holds a declaration and its rows."""
    return f"declare/dataset.{name}.json", f"report/rows.{name}.{file_format}"


def checked(declaration: dict[str, Any]) -> Declared:
    """The form of a declared dataset's rows; `BundleError` where the declaration is not sound."""
    for pointer, expected, found in misfits_of("dataset", declaration):
        raise BundleError(f"dataset.{declaration.get('dataset')}.json{pointer}: expected {expected}, found {found}")
    try:
        return declared_rows(declaration)
    except DeclarationError as error:
        raise BundleError(f"dataset.{declaration['dataset']}.json{error}") from None


def write_dataset(directory: Path, declaration: dict[str, Any], table: pa.Table, file_format: str) -> list[Path]:
    """Writes both files, new ones only, after reading back what they would hold."""
    declared = checked(declaration)
    rows = _in_order(table, declared)
    data = rows_as(rows, declared, file_format)
    back = read_rows(data, f"rows.{declared.name}.{file_format}", declared, file_format)
    _same(back, rows, declared)
    paths = [directory / path for path in dataset_paths(declared.name, file_format)]
    taken = [path for path in (*paths, *directory.glob(f"report/rows.{declared.name}.*")) if path.exists()]
    if taken:
        raise BundleError(f"{taken[0]}: exists already; nothing is overwritten")
    contents = [(json.dumps(declaration, indent=2, ensure_ascii=False) + "\n").encode(), data]
    try:
        for path, content in zip(paths, contents, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            place_new_file(path, content)
    except FileExistsError:
        raise BundleError(f"{path}: exists already; nothing is overwritten") from None
    except OSError as error:
        raise BundleError(f"{error.filename or directory}: {error.strerror or error}") from None
    return paths


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
    for defect in back.syntax.listed + back.misfits.listed:
        where = f"row {defect.row}{defect.field or ''}: " if defect.row else ""
        wanted = f"expected {defect.expected}, found {defect.found}" if defect.expected else defect.message
        raise BundleError(f"{where}{wanted}; nothing is written")
    if back.whole is None or table_digest(back.whole, declared) != table_digest(rows, declared):
        raise BundleError("read back, the rows say something else; take another --format; nothing is written")
