"""Turns a file of records from one format into the other, and proves that it says the same."""

from __future__ import annotations

from pathlib import Path

from sealtrace.bundle.content import table_digest
from sealtrace.bundle.datasets import rows_as
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.digests import Digests, sound_rows
from sealtrace.bundle.identity import file_digest
from sealtrace.bundle.replacing import place_new_file
from sealtrace.bundle.stores import read_rows


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
