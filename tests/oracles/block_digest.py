"""The digest of large tables as its specification states it, value by value, without Arrow or numpy."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

from oracles.columnar_digest import _column, sorted_rows
from sealtrace.bundle.shapes import Flag, Integer, Mapping, NumberShape, Shape, Struct, Text, row_shape
from sealtrace.contract.kinds import KINDS
from support import Row


def spelled_out_in_blocks(kind: str, rows: list[Row], least: int) -> str:
    """The digest of a table that is large, with blocks of at least so many rows."""
    shape = row_shape(kind)
    blocks: list[list[Row]] = [[]]
    for row in sorted_rows(kind, rows):
        first = KINDS[kind].key[0]
        if len(blocks[-1]) >= least and blocks[-1][-1].get(first) != row.get(first):
            blocks.append([])
        blocks[-1].append(row)
    head = b"sealtrace-columns-2\0" + kind.encode() + b"\0" + struct.pack("<qq", len(rows), len(blocks))
    return hashlib.sha256(head + b"".join(_block(shape, block) for block in blocks)).hexdigest()


def _block(shape: Struct, rows: list[Row]) -> bytes:
    return hashlib.sha256(struct.pack("<q", len(rows)) + _fields(shape, rows)).digest()


def _fields(shape: Struct, rows: list[Row]) -> bytes:
    return b"".join(_part(one.name, one.shape, [row.get(one.name) for row in rows]) for one in shape.fields)


def _part(name: str, shape: Shape, values: list[Any]) -> bytes:
    present = [value for value in values if value is not None]
    if not present:
        return b""
    there = b"1" if len(present) == len(values) else b"0" + bytes(value is not None for value in values)
    match shape:
        case NumberShape() | Integer() | Flag():
            return _column(name, shape, values)
        case Struct():
            return name.encode() + b"\0o" + there + _fields(shape, present)
        case Mapping(value=NumberShape()):
            names = sorted({key for value in present for key in value}, key=str.encode)
            columns = (_part(key, NumberShape(), [value.get(key) for value in present]) for key in names)
            return name.encode() + b"\0m" + there + b"".join(columns)
        case _:
            return name.encode() + b"\0r" + _references(shape, values)


def _references(shape: Shape, values: list[Any]) -> bytes:
    coded = [
        None if value is None else value.encode() if isinstance(shape, Text) else _column("*", shape, [value])
        for value in values
    ]
    distinct = sorted({code for code in coded if code is not None})
    head = struct.pack("<q", len(distinct)) + b"".join(struct.pack("<q", len(one)) for one in distinct)
    head += b"".join(distinct)
    if len(distinct) == 1 and None not in coded:
        return head
    width = next(width for width in (1, 2, 4, 8) if len(distinct) < 256**width)
    places = {code: place.to_bytes(width, "little") for place, code in enumerate([None, *distinct])}
    return head + b"".join(places[code] for code in coded)
