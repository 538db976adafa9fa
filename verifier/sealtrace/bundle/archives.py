"""Where a bundle's bytes are: a directory, a .zip or a .tar.gz. Nothing is extracted to disk."""

from __future__ import annotations

import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from sealtrace.bundle.defects import BundleError

ARCHIVE_LIMIT = 8 * 2**30
"""Most bytes that an archive may unpack to: a small file can claim to hold any amount."""


@dataclass(frozen=True)
class Member:
    """One thing that lies in a bundle."""

    path: str
    kind: str
    """`file`, `link` or `special`. Directories are not members."""


class Container(Protocol):
    """A place that holds members."""

    def members(self) -> list[Member]:
        """Everything in it, in order of path; a path that is there twice is listed twice."""

    def read(self, path: str) -> bytes:
        """The bytes of a file. `OSError` where they cannot be had."""


class DirectoryContainer:
    """A directory. Links are not followed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def members(self) -> list[Member]:
        try:
            return sorted(self._walk(), key=lambda member: member.path)
        except OSError as error:
            place = error.filename or self._root
            raise BundleError(f"{place}: cannot be listed ({error.strerror or error})") from None

    def _walk(self) -> Iterator[Member]:
        # A stack, not recursion: a directory may be nested deeper than Python recurses.
        pending = [("", str(self._root))]
        while pending:
            prefix, directory = pending.pop()
            with os.scandir(directory) as entries:
                for entry in entries:
                    path = _as_text(f"{prefix}{entry.name}")
                    if entry.is_symlink():
                        yield Member(path, "link")
                    elif entry.is_dir(follow_symlinks=False):
                        pending.append((f"{path}/", entry.path))
                    elif entry.is_file(follow_symlinks=False):
                        yield Member(path, "file")
                    else:
                        yield Member(path, "special")

    def read(self, path: str) -> bytes:
        # O_NONBLOCK: a pipe put there since the listing must not make us wait for ever.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(self._root / path, flags | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(f"{path} is not a regular file")
            return file.read()


class ZipContainer:
    """A .zip archive."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._infos = [info for info in archive.infolist() if not info.is_dir()]
        _within_limit(sum(info.file_size for info in self._infos))
        self._prefix = _common_directory([info.filename for info in self._infos])

    def members(self) -> list[Member]:
        return sorted(
            (Member(info.filename.removeprefix(self._prefix), _zip_kind(info)) for info in self._infos),
            key=lambda member: member.path,
        )

    def read(self, path: str) -> bytes:
        try:
            return self._archive.read(self._prefix + path)
        except (
            zipfile.BadZipFile,
            zlib.error,
            lzma.LZMAError,
            KeyError,
            RuntimeError,
            ValueError,
            EOFError,
        ) as error:
            raise OSError(f"{path}: {error}") from None


def _zip_kind(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "link"
    return "file" if stat.S_IFMT(mode) in (0, stat.S_IFREG) else "special"


class TarContainer:
    """A .tar.gz archive, held in memory: its members can only be read in order."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        self._members: list[Member] = []
        self._contents: dict[str, bytes] = {}
        total = 0
        for info in archive:
            if info.isdir():
                continue
            if info.size < 0:
                # tarfile would step back and read the same member for ever.
                raise tarfile.ReadError(f"{_as_text(info.name)} has a negative length")
            name = _as_text(info.name)
            path = str(PurePosixPath(name)) if not name.startswith("/") else name
            kind = "file" if info.isreg() else "link" if info.issym() or info.islnk() else "special"
            self._members.append(Member(path, kind))
            if kind == "file":
                total += info.size
                _within_limit(total)
                file = archive.extractfile(info)
                assert file is not None
                self._contents[path] = file.read()
        self._prefix = _common_directory([member.path for member in self._members])

    def members(self) -> list[Member]:
        return sorted(
            (Member(member.path.removeprefix(self._prefix), member.kind) for member in self._members),
            key=lambda member: member.path,
        )

    def read(self, path: str) -> bytes:
        try:
            # Each file is asked for once; letting it go keeps memory at one copy.
            return self._contents.pop(self._prefix + path)
        except KeyError:
            raise OSError(f"{path} cannot be read") from None


def _as_text(name: str) -> str:
    """A name that can be reported: bytes that are not UTF-8 are spelled out."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _within_limit(total: int) -> None:
    if total > ARCHIVE_LIMIT:
        raise BundleError(
            f"the archive unpacks to more than {ARCHIVE_LIMIT // 2**30} GiB; unpack it and name the directory"
        )


def _common_directory(paths: list[str]) -> str:
    """`study/` where the whole archive lies in that directory, else nothing."""
    if "manifest.json" in paths:
        return ""
    # What one archiver adds beside the directory does not hide it; its files are unlisted all the same.
    paths = [path for path in paths if not path.startswith("__MACOSX/")]
    tops = {path.partition("/")[0] for path in paths}
    if len(tops) == 1 and all("/" in path for path in paths):
        return f"{tops.pop()}/"
    return ""


@contextmanager
def open_container(path: Path) -> Iterator[Container]:
    """The container at a path, or `BundleError`."""
    with ExitStack() as stack:
        try:
            container = _open(path, stack)
        except (
            zipfile.BadZipFile,
            tarfile.TarError,
            zlib.error,
            EOFError,
            ValueError,
            OverflowError,
            NotImplementedError,
            IndexError,
            RecursionError,
        ) as error:
            raise BundleError(f"{path}: the archive is damaged ({error})") from None
        except OSError as error:
            raise BundleError(f"{path}: {error.strerror or error}") from None
        yield container


def _open(path: Path, stack: ExitStack) -> Container:
    if path.is_dir():
        return DirectoryContainer(path)
    if not path.exists():
        raise BundleError(f"{path}: there is no such file or directory")
    if not path.is_file():
        raise BundleError(f"{path}: neither a directory nor a regular file")
    if path.name.endswith((".tar.gz", ".tgz")):
        with tarfile.open(path, "r:gz") as tar:
            return TarContainer(tar)
    if zipfile.is_zipfile(path):
        return ZipContainer(stack.enter_context(zipfile.ZipFile(path)))
    raise BundleError(f"{path}: not a bundle (a directory, a .zip or a .tar.gz)")
