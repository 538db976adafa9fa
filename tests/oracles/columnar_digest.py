"""The columnar digest as its specification states it, value by value, without Arrow."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

from sealtrace.bundle.shapes import Flag, Integer, Mapping, NumberShape, Sequence, Shape, Struct, Text, row_shape
from sealtrace.contract.kinds import KINDS
from support import Row


def spelled_out(kind: str, rows: list[Row]) -> str:
    """The digest of a table as its specification reads."""
    return hashlib.sha256(_stream(kind, row_shape(kind), sorted_rows(kind, rows))).hexdigest()


def sorted_rows(kind: str, rows: list[Row]) -> list[Row]:
    """Rows by key; equal keys by their encoding."""
    shape = row_shape(kind)

    def place(row: Row) -> tuple[Any, ...]:
        key = [row.get(name) for name in KINDS[kind].key]
        return (
            *((value is not None, value.encode() if isinstance(value, str) else value) for value in key),
            _stream(kind, shape, [row]),
        )

    return sorted(rows, key=place)


def _stream(kind: str, shape: Struct, rows: list[Row]) -> bytes:
    head = b"sealtrace-columns-1\0" + kind.encode() + b"\0" + struct.pack("<q", len(rows))
    return head + _fields(shape, rows)


def _fields(shape: Struct, rows: list[Row]) -> bytes:
    return b"".join(_column(field.name, field.shape, [row.get(field.name) for row in rows]) for field in shape.fields)


def _column(name: str, shape: Shape, values: list[Any]) -> bytes:
    present = [value for value in values if value is not None]
    if not present:
        return b""
    letter = {Text: b"t", NumberShape: b"n", Integer: b"i", Flag: b"f", Sequence: b"l", Mapping: b"m", Struct: b"o"}
    head = name.encode() + b"\0" + letter[type(shape)]
    if len(present) == len(values):
        head += b"1"
    else:
        head += b"0" + bytes(value is not None for value in values)
    return head + _present(shape, present)


def _present(shape: Shape, values: list[Any]) -> bytes:
    match shape:
        case Text():
            texts = [value.encode() for value in values]
            return _integers(map(len, texts)) + b"".join(texts)
        case NumberShape():
            return b"".join(struct.pack("<d", 0.0 if value == 0 else value) for value in values)
        case Integer():
            return _integers(map(int, values))
        case Flag():
            return bytes(values)
        case Sequence(item=item):
            return _integers(map(len, values)) + _column("*", item, [one for value in values for one in value])
        case Mapping(value=item):
            entries = [
                entry for value in values for entry in sorted(value.items(), key=lambda entry: entry[0].encode())
            ]
            names = _column("k", Text(), [name for name, _ in entries])
            return _integers(map(len, values)) + names + _column("v", item, [value for _, value in entries])
        case Struct():
            return _fields(shape, values)


def _integers(values: Any) -> bytes:
    return b"".join(struct.pack("<q", value) for value in values)
