"""What the footer of a Parquet file says of its columns, read before Arrow is asked to decode them.

Arrow would say the same, but ends the whole process on footers that are damaged in certain ways (a column that claims
to be encrypted, for one). So the few fields that matter here are read from the bytes, which are in Thrift's compact
protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_TYPES = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_REPEATING = {2, 8, 7}
"""Numbers of the encodings in which a long text takes a few bytes each time that it is repeated."""
_DELTAS = {6, 7}
_DEEPEST = 16
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 12


@dataclass(frozen=True)
class Leaf:
    """A column of values within a row group."""

    path: str
    type: str
    values: int
    bytes: int
    repeats: bool
    """Whether it is text that may repeat at next to no cost."""
    deltas: bool
    """Whether its values or their lengths are written as differences."""


def leaves(data: memoryview) -> list[Leaf]:
    """Every column of every row group; `ValueError` where the footer is damaged."""
    length = int.from_bytes(data[-8:-4], "little")
    if len(data) < 12 or bytes(data[-4:]) != b"PAR1" or length > len(data) - 8:
        raise ValueError("there is no footer")
    try:
        footer = _structure(bytes(data[len(data) - 8 - length : len(data) - 8]))
        return list(_columns(footer))
    except (KeyError, IndexError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise ValueError(f"the footer is damaged ({type(error).__name__})") from None


def _columns(footer: dict[int, Any]) -> Iterator[Leaf]:
    for group in footer[4]:
        for chunk in group[1]:
            column = chunk[3]
            text = _TYPES[column[1]] == "BYTE_ARRAY"
            yield Leaf(
                ".".join(part.decode() for part in column[3]),
                _TYPES[column[1]],
                _count(column[5]),
                _count(column[6]),
                repeats=text and not _REPEATING.isdisjoint(column[2]),
                deltas=not _DELTAS.isdisjoint(column[2]),
            )


def _count(value: int) -> int:
    if value < 0:
        raise ValueError("the footer is damaged (a negative count)")
    return value


def _structure(data: bytes) -> dict[int, Any]:
    """Thrift's compact protocol: fields by number, without their names.

    A large file has hundreds of row groups, so the commonest values, short integers, are read where they are met.
    """
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while shift < 70:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise ValueError("the footer is damaged (a number without end)")

    def text(count: int) -> bytes:
        nonlocal at
        if count > len(data) - at:
            raise ValueError("the footer is damaged (a text longer than the file)")
        at += count
        return data[at - count : at]

    def struct(depth: int) -> dict[int, Any]:
        nonlocal at
        if depth > _DEEPEST:
            raise ValueError("the footer is damaged (nested too deeply)")
        fields: dict[int, Any] = {}
        number = 0
        while (head := data[at]) & 0x0F != _STOP:
            at += 1
            number = number + (head >> 4) if head >> 4 else _signed(varint())
            fields[number] = value(head & 0x0F, depth)
        at += 1
        return fields

    def value(kind: int, depth: int) -> Any:
        nonlocal at
        if _BYTE < kind < _DOUBLE:
            byte = data[at]
            if byte < 0x80:
                at += 1
                return (byte >> 1) ^ -(byte & 1)
            return _signed(varint())
        if kind == _BINARY:
            return text(varint())
        if kind in (_LIST, _SET):
            return items(depth)
        if kind == _STRUCT:
            return struct(depth + 1)
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return text(1)[0]
        if kind == _DOUBLE:
            return text(8)
        raise ValueError("the footer is damaged (an unknown type)")

    def items(depth: int) -> list[Any]:
        nonlocal at
        if depth > _DEEPEST:
            raise ValueError("the footer is damaged (nested too deeply)")
        head = data[at]
        at += 1
        count = varint() if head >> 4 == 15 else head >> 4
        if count > len(data) - at:
            raise ValueError("the footer is damaged (a list longer than the file)")
        kind = head & 0x0F
        if kind in (_TRUE, _FALSE):
            return [byte == _TRUE for byte in text(count)]
        return [value(kind, depth + 1) for _ in range(count)]

    return struct(0)


def _signed(value: int) -> int:
    return (value >> 1) ^ -(value & 1)
