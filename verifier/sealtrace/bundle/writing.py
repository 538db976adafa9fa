"""Writes records, and says what their content digest is. Recipes use this."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from sealtrace.bundle.content import table_digest
from sealtrace.bundle.declared import opened_rows
from sealtrace.bundle.parquet_writing import write_parquet
from sealtrace.bundle.shapes import RowKind
from sealtrace.bundle.stores import read_rows


def write_document(path: Path, document: dict[str, Any]) -> None:
    """Writes one JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


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
        defect = (store.syntax.listed + store.misfits.listed)[0]
        raise ValueError(f"{path}:{defect.row}{defect.field}: expected {defect.expected}, found {defect.found}")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        return write_table(path, kind, store.whole)
    path.write_bytes(lines)
    return table_digest(store.whole, kind)


def write_table(path: Path, kind: RowKind, table: pa.Table) -> str:
    """Writes an Arrow table of records as Parquet, and returns its content digest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_parquet(table, kind, path)
    return table_digest(table, kind)
