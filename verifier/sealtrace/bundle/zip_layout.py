"""How the bytes of a .zip archive lie.

A reader that goes by the directory at the end, and one that goes through the file from its start, must meet the same
members. So the members follow each other without a gap, then comes the directory, and then nothing.
"""

from __future__ import annotations

import io
import struct
import zipfile
from typing import IO

from sealtrace.bundle.defects import Defect

_LOCAL = struct.Struct("<4s5H3I2H")
_DIRECTORY = struct.Struct("<4s4H2IH")
_DIRECTORY_64 = 76
"""Bytes of the two records that archives over 4 GiB have before the last one."""
_DESCRIPTOR = 0x08
"""The flag of a member whose lengths come after its data."""


def stray_bytes(archive: zipfile.ZipFile) -> list[Defect]:
    """A finding for each place of the file that belongs to no member, and for members that share bytes."""
    file = archive.fp
    assert file is not None
    reached = 0
    defects: list[Defect] = []
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
        gap = info.header_offset - reached
        if gap < 0:
            defects.append(_defect("Two members of the archive share bytes", info.filename))
        elif gap:
            defects.append(_defect(f"{gap} bytes before this member belong to no member", info.filename))
        file.seek(info.header_offset)
        head = file.read(_LOCAL.size)
        if len(head) < _LOCAL.size:
            return [*defects, _defect("The archive ends within this member", info.filename)]
        *_, name, extra = _LOCAL.unpack(head)
        reached = info.header_offset + _LOCAL.size + name + extra + info.compress_size
        if info.flag_bits & _DESCRIPTOR:
            file.seek(reached)
            reached += _descriptor_length(file.read(24), info)
    if reached != archive.start_dir:
        defects.append(_defect("Bytes before the archive's directory belong to no member", None))
    return defects + _after(archive, file)


def _descriptor_length(data: bytes, info: zipfile.ZipInfo) -> int:
    """How long the record behind a member is: with or without a signature, with short or long lengths."""
    for lengths in ("<II", "<QQ"):
        for signature in (b"PK\7\10", b""):
            wanted = signature + struct.pack("<I", info.CRC) + _packed(lengths, info.compress_size, info.file_size)
            if data.startswith(wanted):
                return len(wanted)
    return 0


def _packed(lengths: str, *values: int) -> bytes:
    try:
        return struct.pack(lengths, *values)
    except struct.error:
        return b"\0" * 32  # too long for short lengths, so these are not meant


def _after(archive: zipfile.ZipFile, file: IO[bytes]) -> list[Defect]:
    """The directory, its last record, and a comment that holds no archive."""
    length = file.seek(0, io.SEEK_END)
    end = length - len(archive.comment) - _DIRECTORY.size
    file.seek(max(end, 0))
    record = file.read(_DIRECTORY.size)
    if len(record) < _DIRECTORY.size or not record.startswith(b"PK\5\6"):
        return [_defect("Bytes follow the end of the archive", None)]
    if b"PK" in archive.comment:
        return [_defect("The archive's comment looks like another archive", None)]
    listed = sum(
        46 + len(info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437"))
        + len(info.extra) + len(info.comment)
        for info in archive.infolist()
    )  # fmt: skip
    spare = end - archive.start_dir - listed
    if spare not in (0, _DIRECTORY_64):
        return [_defect("The archive's directory holds bytes that belong to no member", None)]
    return []


def _defect(message: str, member: str | None) -> Defect:
    return Defect(f"{message}. Pack it again.", member, expected="the members and their directory alone")
