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
        footer = _Reader(data[len(data) - 8 - length : len(data) - 8]).struct(0)
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


class _Reader:
    """Thrift's compact protocol: fields by number, without their names."""

    def __init__(self, data: memoryview) -> None:
        self._data = bytes(data)
        self._at = 0

    def struct(self, depth: int) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise ValueError("the footer is damaged (nested too deeply)")
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) & 0x0F != _STOP:
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = self._value(head & 0x0F, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self._byte()
        if kind < _DOUBLE:
            return self._integer()
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind == _BINARY:
            return self._bytes(self._varint())
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        raise ValueError("the footer is damaged (an unknown type)")

    def _list(self, depth: int) -> list[Any]:
        if depth > _DEEPEST:
            raise ValueError("the footer is damaged (nested too deeply)")
        head = self._byte()
        count = self._varint() if head >> 4 == 15 else head >> 4
        if count > len(self._data) - self._at:
            raise ValueError("the footer is damaged (a list longer than the file)")
        kind = head & 0x0F
        if kind in (_TRUE, _FALSE):
            return [self._byte() == _TRUE for _ in range(count)]
        return [self._value(kind, depth + 1) for _ in range(count)]

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        value = self._byte()
        if value < 0x80:
            return value
        value &= 0x7F
        for shift in range(7, 70, 7):
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise ValueError("the footer is damaged (a number without end)")

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            raise ValueError("the footer is damaged (a text longer than the file)")
        self._at += count
        return self._data[self._at - count : self._at]
