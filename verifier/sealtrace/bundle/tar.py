"""The members of a .tar, read in order and strictly.

Programs that unpack archives differ where headers say a thing twice, or in a form that no standard has: one takes the
name that another passes over. Nobody may be shown other files than those that were verified, so there is one reading
of a header (POSIX.1-2017, pax; and the long names of GNU tar), and whatever has another is a `ValueError`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_BLOCK = 512
_PIECE = 2**20
_HEAD = struct.Struct("100s24x12s12x8sc100x8s80x155s12s")
"""Name, length, checksum, kind, form, first part of the name, and bytes that nobody uses."""
_POSIX, _GNU, _UNIX = b"ustar\00000", b"ustar  \0", bytes(8)
_OCTAL = re.compile(rb" *([0-7]+)[ \0]*")
_RECORD = re.compile(rb"([1-9][0-9]{0,6}) ([^=\n]+)=")
_LONG_NAME, _RECORDS, _RECORDS_OF_ALL = b"L", b"x", b"g"
_KINDS = {b"0": "file", b"\0": "file", b"7": "file", b"5": "directory", b"1": "link", b"2": "link"}
_MOVING = (b"path", b"size", b"GNU.", b"SCHILY.realsize", b"SUN.holesdata")
"""How records begin that change which file is read; others are about owners, times and the like."""


@dataclass(frozen=True)
class TarMember:
    """What its header says; the content is there until the next member is asked for."""

    name: str
    kind: str
    size: int
    pieces: Iterator[bytes]


def tar_members(read: Callable[[int], bytes]) -> Iterator[TarMember]:
    """Each member in order, up to the first empty block."""
    said: dict[bytes, bytes] | None = None
    while (block := read(_BLOCK)).strip(b"\0"):
        name, size, kind = _header(block)
        pieces = _content(read, size)
        if kind in (_LONG_NAME, _RECORDS, _RECORDS_OF_ALL):
            data = b"".join(pieces) if size <= _PIECE else b""
            found = {b"path": data.partition(b"\0")[0]} if kind == _LONG_NAME else _records(data)
            if said is not None or size > _PIECE or (found and kind == _RECORDS_OF_ALL):
                raise ValueError("a member has two headers that may name it, one without end, or one for all members")
            said = None if kind == _RECORDS_OF_ALL else found
            continue
        said = said or {}
        name = said.get(b"path", name)
        member = TarMember(name.decode("utf-8", "surrogateescape"), _KINDS.get(kind, "special"), size, pieces)
        if said.get(b"size", b"%d" % size) != b"%d" % size:
            raise ValueError(f"{member.name} has two lengths")
        if name.endswith(b"/") if member.kind == "file" else size:
            raise ValueError(f"{member.name} is a file with the name of a directory, or holds data and is no file")
        yield member
        for _ in pieces:  # what was not asked for
            pass
        said = None


def _header(block: bytes) -> tuple[bytes, int, bytes]:
    """Name, length and kind."""
    if len(block) < _BLOCK:
        raise EOFError("it ends within a header")
    name, size, checksum, kind, form, prefix, unused = _HEAD.unpack(block)
    numbers = [_OCTAL.fullmatch(field) for field in (size, checksum)]
    # Only POSIX has a first part of the name; elsewhere some programs take one there, and some do not.
    known = form in (_POSIX, _GNU, _UNIX) and not any(unused) and (form == _POSIX or not any(prefix))
    length, total = (int(match[1], 8) if match else -1 for match in numbers)
    if not known or length < 0 or total != sum(block) - sum(checksum) + 8 * ord(" "):
        raise ValueError("a header is damaged, or of no known form")
    return b"/".join(part.partition(b"\0")[0] for part in (prefix, name) if part[0]), length, kind


def _records(data: bytes) -> dict[bytes, bytes]:
    """The records before a member that say which file is read."""
    found: dict[bytes, bytes] = {}
    place = 0
    while place < len(data):
        match = _RECORD.match(data, place)
        end = place + int(match[1]) if match else 0
        if match is None or not match.end() < end <= len(data) or data[end - 1] != ord("\n"):
            raise ValueError("a record before a member cannot be read")
        key, value, place = match[2], data[match.end() : end - 1], end
        if key in (b"path", b"size") and value and key not in found and b"\0" not in value:
            found[key] = value
        elif key.startswith(_MOVING):
            raise ValueError(f"programs unpack a member differently ({key.decode('utf-8', 'replace')})")
    return found


def _content(read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
    """That many bytes, some at a time, and then what fills the last block."""
    for left in range(size, 0, -_PIECE):
        piece = read(min(left, _PIECE))
        if len(piece) < min(left, _PIECE):
            raise EOFError("it ends within a member")
        yield piece
    if len(read(-size % _BLOCK)) < -size % _BLOCK:
        raise EOFError("it ends within a member")
