"""Where a bundle's bytes are: a directory, a .zip or a .tar.gz, or an address. No member is unpacked on disk."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from sealtrace.bundle.budget import Budget
from sealtrace.bundle.defects import BundleError, Defect, as_text, nearest_path
from sealtrace.bundle.tar import tar_members

DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, ValueError, EOFError, NotImplementedError)
"""What reading a damaged member raises."""
DAMAGED = (gzip.BadGzipFile, *DAMAGE, OverflowError, KeyError, IndexError)
"""What opening a damaged archive raises."""


class Guarded:
    """A member of an archive that is being read; damage is an `OSError`, as it is for other files."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int, /) -> bytes:
        try:
            return self._file.read(size)
        except DAMAGE as error:
            raise OSError(0, str(error)) from None

    def seek(self, place: int, /) -> int:
        """Goes to a place; of a member that is packed, what lies before it is unpacked once more, and not held."""
        try:
            return self._file.seek(place)
        except DAMAGE as error:
            raise OSError(0, str(error)) from None


MACOS = "__MACOSX/"
"""Where the archiver of macOS puts attributes of files; nothing of it belongs to a bundle."""
DEEPEST = 100
"""Directories within directories; a path in a manifest cannot be longer."""
_PIECE = 2**20


@dataclass(frozen=True)
class Member:
    """One thing that lies in a bundle."""

    path: str
    kind: str
    """`file`, `link`, `special`, or a sentence about something stranger. Directories are not members."""


@dataclass(frozen=True)
class Opened:
    """A file that is being read."""

    size: int
    """Its declared length in bytes."""
    file: IO[bytes] | Guarded

    def pieces(self, most: int = _PIECE) -> Iterator[bytes]:
        """The bytes, some at a time: never more than it said, and one more that gives growth away."""
        left = self.size
        while left and (piece := self.file.read(min(left, most))):
            left -= len(piece)
            yield piece
        if left or self.file.read(1):
            raise OSError(0, "it has another length than it says")

    def whole(self) -> bytes:
        """All of it."""
        return b"".join(self.pieces(self.size))


class Container:
    """A place that holds members."""

    unseen: str | None = None
    """Why members that the manifest does not list cannot be looked for, where they cannot."""

    def members(self) -> list[Member]:
        """Everything in it, in order of path; a path that is there twice is listed twice."""
        raise NotImplementedError

    def open(self, path: str) -> AbstractContextManager[Opened]:
        """A file's bytes. `OSError` where they cannot be had."""
        raise NotImplementedError

    def source(self, path: str) -> str | None:  # noqa: ARG002 - most have none
        """Path or address by which another process can open a file by itself; None where it cannot."""
        return None

    def defects(self) -> list[Defect]:
        """What is wrong with the container itself."""
        return []


class DirectoryContainer(Container):
    """A directory. Every component of a path is opened by itself, and none is followed if it is a link."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def source(self, path: str) -> str | None:
        return str(self._root.absolute() / path)

    def members(self) -> list[Member]:
        try:
            return sorted(self._walk(), key=lambda member: member.path)
        except OSError as error:
            place = error.filename if isinstance(error.filename, str) else self._root
            raise BundleError(f"{place}: cannot be listed ({error.strerror or error})") from None

    def _walk(self) -> Iterator[Member]:
        # A stack, not recursion, and names instead of open directories: nobody knows how many there are.
        pending: list[tuple[str, ...]] = [()]
        while pending:
            parts = pending.pop()
            with self._directory(parts) as directory, os.scandir(directory) as entries:
                for entry in entries:
                    path = as_text("/".join((*parts, entry.name)))
                    if entry.is_symlink() or _leads_elsewhere(entry.stat(follow_symlinks=False)):
                        yield Member(path, "link")
                    elif entry.is_dir(follow_symlinks=False):
                        if len(parts) == DEEPEST:
                            yield Member(path, "directory nested too deeply")
                        else:
                            pending.append((*parts, entry.name))
                    elif entry.is_file(follow_symlinks=False):
                        yield Member(path, "file")
                    else:
                        yield Member(path, "special")

    @contextmanager
    def _directory(self, parts: tuple[str, ...]) -> Iterator[int | str]:
        """A directory, for `scandir` and `open`: a descriptor, or its path where a system has none for directories."""
        if os.open not in os.supports_dir_fd or os.scandir not in os.supports_fd:
            place = self._root
            for part in parts:
                place /= part
                if _leads_elsewhere(os.lstat(place)):
                    raise OSError(0, "a directory on its way is a link")
            yield str(place)
            return
        # The user named the root, so the root may be a link.
        descriptor = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in parts:
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def open(self, path: str) -> Iterator[Opened]:
        # O_NONBLOCK: a pipe put there since the listing must not make us wait for ever.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        *parts, name = path.split("/")
        if not {"", ".", ".."}.isdisjoint((*parts, name)):
            raise OSError(0, "its path leaves the directory, or is not written plainly")
        with self._directory(tuple(parts)) as directory:
            if isinstance(directory, int):
                descriptor = os.open(name, flags, dir_fd=directory)
            else:
                if {":", "\\"} & set(path):
                    raise OSError(0, "its path leaves the directory, or is not written plainly")
                if _leads_elsewhere(os.lstat(os.path.join(directory, name))):
                    raise OSError(0, "it is a link")
                descriptor = os.open(os.path.join(directory, name), flags)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(0, "it is not a regular file")
            yield Opened(status.st_size, file)


def _leads_elsewhere(status: os.stat_result) -> bool:
    """Whether it is a link, or on Windows a junction or another kind of reparse point."""
    attributes = getattr(status, "st_file_attributes", 0)
    return stat.S_ISLNK(status.st_mode) or bool(attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT)


class _Archive(Container):
    """An archive, whose members may all lie in one directory, which is not looked at."""

    def __init__(self, members: list[Member], directories: list[str]) -> None:
        """`directories` are members that hold nothing: they matter only where a file has such a name, too."""
        self._prefix = _common_directory([member.path for member in members])
        above = {str(parent) for member in members for parent in PurePosixPath(member.path).parents}
        # Unpacked, either the directory would be there or the file.
        clashing = {member.path for member in members} & {*directories, *above}
        self._members = [*members, *(Member(path, "file and directory of one name") for path in sorted(clashing))]

    def members(self) -> list[Member]:
        return sorted(
            (Member(member.path.removeprefix(self._prefix), member.kind) for member in self._members),
            key=lambda member: member.path,
        )


class ZipContainer(_Archive):
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        infos = (info for info in archive.infolist() if not info.is_dir() or info.file_size or info.compress_size)
        directories = [info.filename.rstrip("/") for info in archive.infolist() if info.is_dir()]
        super().__init__([Member(info.filename, _zip_kind(info)) for info in infos], directories)

    @contextmanager
    def open(self, path: str) -> Iterator[Opened]:
        try:
            info = self._archive.getinfo(self._prefix + path)
            file = self._archive.open(info)
        except (*DAMAGE, KeyError) as error:
            raise OSError(0, str(error)) from None
        with file:
            yield Opened(info.file_size, Guarded(file))

    def defects(self) -> list[Defect]:
        return stray_bytes(self._archive)


def _zip_kind(info: zipfile.ZipInfo) -> str:
    if info.is_dir():
        return "directory that holds data"
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "link"
    return "file" if stat.S_IFMT(mode) in (0, stat.S_IFREG) else "special"


class TarContainer(_Archive):
    """A .tar.gz archive, held in memory: its members can only be read in order."""

    def __init__(self, file: gzip.GzipFile, budget: Budget) -> None:
        members: list[Member] = []
        directories: list[str] = []
        self._contents: dict[str, bytes] = {}
        self._defects: list[Defect] = []

        def read(count: int) -> bytes:
            budget.read(count, "the archive")
            return file.read(count)

        for info in tar_members(read):
            name = as_text(info.name)
            path = str(PurePosixPath(name)) if not name.startswith("/") else name
            if info.kind == "directory":
                directories.append(path)
                continue
            members.append(Member(path, info.kind))
            if info.kind == "file":
                # Files that the manifest does not list are kept, too: it may come last.
                budget.hold(info.size, f"the archive up to {path} (a directory is read file by file: unpack it)")
                self._contents[path] = b"".join(info.pieces)
        # Some readers go on behind the end, and would see another bundle.
        if any(piece.count(0) != len(piece) for piece in iter(lambda: read(_PIECE), b"")):
            more = "Bytes follow the end of the archive, such as a second one. Pack it again."
            self._defects.append(Defect(more, expected="nothing", found="more"))
        super().__init__(members, directories)

    @contextmanager
    def open(self, path: str) -> Iterator[Opened]:
        # Each file is asked for once; letting it go keeps memory at one copy.
        data = self._contents.pop(self._prefix + path, None)
        if data is None:
            raise OSError(0, "it cannot be read")
        yield Opened(len(data), io.BytesIO(data))

    def defects(self) -> list[Defect]:
        return self._defects


def _common_directory(paths: list[str]) -> str:
    """`study/` where the whole archive lies in that directory, else nothing."""
    if "manifest.json" in paths:
        return ""
    # What one archiver adds beside the directory does not hide it.
    paths = [path for path in paths if not path.startswith(MACOS)]
    tops = {path.partition("/")[0] for path in paths}
    if len(tops) == 1 and all("/" in path for path in paths):
        return f"{tops.pop()}/"
    return ""


@contextmanager
def open_container(path: Path, budget: Budget | None = None) -> Iterator[Container]:
    """The container at a path or an address, or `BundleError`."""
    from sealtrace.bundle.remote import address_of, local_path, open_remote  # only for addresses: an extra

    path, address = local_path(path), address_of(path)
    with ExitStack() as stack:
        try:
            if address is None or address.scheme == "file":
                container = _open(path, stack, budget or Budget())
            else:
                container = open_remote(address, stack, budget or Budget())
        except DAMAGED as error:
            raise BundleError(f"{address or path}: the archive is damaged ({error})") from None
        except OSError as error:
            raise BundleError(f"{address or path}: {error.strerror or error}") from None
        yield container


def _open(path: Path, stack: ExitStack, budget: Budget) -> Container:
    if path.is_dir():
        return DirectoryContainer(path)
    if not path.exists():
        raise BundleError(f"{path}: there is no such file or directory{nearest_path(path)}")
    if not path.is_file():
        raise BundleError(f"{path}: neither a directory nor a regular file")
    if (container := packed(stack.enter_context(path.open("rb")), path.name, stack, budget)) is not None:
        return container
    raise BundleError(
        f"{path}: not a bundle (a directory, a .zip or a .tar.gz); a paper is taken by `sealtrace check PAPER RESULTS` "
        "with its results, by `sealtrace audit PAPER` alone"
    )


def packed(file: IO[bytes], name: str, stack: ExitStack, budget: Budget) -> Container | None:
    """The file as an archive; None where it is not one."""
    if name.endswith((".tar.gz", ".tgz")):
        with gzip.GzipFile(fileobj=file, mode="rb") as tar:
            return TarContainer(tar, budget)
    return ZipContainer(stack.enter_context(zipfile.ZipFile(file))) if zipfile.is_zipfile(file) else None


# How the bytes of a .zip archive lie. A reader that goes by the directory at the end, and one that goes through the
# file from its start, must meet the same members: they follow each other without a gap, then comes the directory.

_LOCAL = struct.Struct("<4s5H3I2H")
_DIRECTORY = struct.Struct("<4s4H2IH")
_DIRECTORY_64 = 76
"""Bytes of the two records that archives over 4 GiB have before the last one."""
_UNICODE_PATH = 0x7075
_DESCRIPTOR = 0x08
"""The flag of a member whose lengths come after its data."""
_READING = _DESCRIPTOR | 0x01 | 0x20 | 0x40 | 0x800 | 0x2000
"""Flags by which data and names are read: that one, encryption, patches, and how names are encoded or hidden."""
_LONG = 2**32 - 1
"""Stands where a length or a count is given elsewhere, because it is too long for its place."""


def stray_bytes(archive: zipfile.ZipFile) -> list[Defect]:
    """A finding for each place of the file that belongs to no member, and for members that share bytes."""
    file = archive.fp
    assert file is not None
    reached = 0
    defects: list[Defect] = []
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
        gap = info.header_offset - reached
        if info.header_offset < 0:
            return [*defects, _defect("The archive begins after this member", info.filename)]
        if gap < 0:
            defects.append(_defect("Two members of the archive share bytes", info.filename))
        elif gap:
            defects.append(_defect(f"{gap} bytes before this member belong to no member", info.filename))
        file.seek(info.header_offset)
        head = file.read(_LOCAL.size)
        if len(head) < _LOCAL.size:
            return [*defects, _defect("The archive ends within this member", info.filename)]
        _, _, flags, method, _, _, crc, packed_size, size, name, extra = _LOCAL.unpack(head)
        told = (flags & _READING, method, *(() if flags & _DESCRIPTOR else (crc, packed_size, size)))
        listed = (info.flag_bits & _READING, info.compress_type, info.CRC, info.compress_size, info.file_size)
        if info.volume or any(one not in (other, _LONG) for one, other in zip(told, listed, strict=False)):
            defects.append(_defect("The directory and the member itself tell different things", info.filename))
        file.seek(name, io.SEEK_CUR)
        # Some programs end a name at its first null byte, and some do not.
        cut = "\0" in info.orig_filename
        if cut or any(_other_names(fields, info.filename) for fields in (info.extra, file.read(extra))):
            defects.append(_defect("Other readers give this member another name", info.filename))
        reached = info.header_offset + _LOCAL.size + name + extra + info.compress_size
        if info.flag_bits & _DESCRIPTOR:
            file.seek(reached)
            reached += _descriptor_length(file.read(24), info)
    if reached != archive.start_dir:
        defects.append(_defect("Bytes before the archive's directory belong to no member", None))
    return defects + _after(archive, file)


def _other_names(extra: bytes, name: str) -> bool:
    """Whether extra fields of a member hold another name for it, which `unzip` would take."""
    while len(extra) >= 4:
        field, length = struct.unpack_from("<HH", extra)
        # A version, the checksum of the plain name, and the name that replaces it.
        if field == _UNICODE_PATH and extra[9 : 4 + length] != name.encode("utf-8", "surrogateescape"):
            return True
        extra = extra[4 + length :]
    return False


def _descriptor_length(data: bytes, info: zipfile.ZipInfo) -> int:
    """How long the record behind a member is: with or without a signature, with short or long lengths."""
    for lengths in ("II", "QQ"):
        for signature in (b"PK\7\10", b""):
            with suppress(struct.error):  # too long for short lengths, so these are not meant
                wanted = signature + struct.pack(f"<I{lengths}", info.CRC, info.compress_size, info.file_size)
                if data.startswith(wanted):
                    return len(wanted)
    return 0


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
    _, *disks_and_counts, _, _, _ = _DIRECTORY.unpack(record)
    count = len(archive.infolist())
    if not spare and disks_and_counts != [0, 0, count, count]:
        return [_defect(f"The archive says that it has another number of members than {count}", None)]
    return []


def _defect(message: str, member: str | None) -> Defect:
    return Defect(f"{message}. Pack it again.", member, expected="the members and their directory alone")
