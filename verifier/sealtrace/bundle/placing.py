"""The one way to write files: all of a file or nothing, all of several files or none.

One file is written beside its place, flushed to the disk, and renamed over it.

Several files of a directory that belong together first lie in a journal inside it, beside hard links to the files that
they replace, and a list of both. Then each is renamed into its place. Removing the list is the moment from which the
new state counts: until then, whoever finds the list puts the old state back. That is the run itself where something is
refused, and the next command that writes there where the run was killed.

Files in the making are locked, so that a later run can tell those of a living run from what a killed one left.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sealtrace.bundle.defects import BundleError

JOURNAL = ".sealtrace-writing"
"""The directory of a transaction, inside the directory that it changes."""
_LIST = "list.json"
_LOCK = "lock"
_PART = (".sealtrace-", ".part")
"""How the name of a file in the making begins and ends."""
_MADE = re.compile(r"\.sealtrace-[0-9a-f]{16}\.part|sealtrace-\w+-[a-z0-9_]{8}")
"""Names that are given here; what is only called alike is somebody's own, and never swept."""


def replace_file(path: Path, data: bytes) -> None:
    """Replaces a file atomically: readers see all of the old content or all of the new."""
    replace_files({path: data})


def replace_files(files: Mapping[Path, bytes]) -> None:
    """Replaces each file whole. None is touched before all of them are on the disk, so that a full one changes none."""
    with ExitStack() as stack:
        parts = {path: stack.enter_context(_part(path, data)) for path, data in files.items()}
        for path, part in parts.items():
            with _named(path):
                os.replace(part, path)
                _settle(path.parent)


def place_new_file(path: Path, data: bytes) -> None:
    """All of a new file; `FileExistsError` where there is one already, even one that came this moment."""
    with _part(path, data) as part, _named(path):
        _place_new(part, path)
        _settle(path.parent)


def write_together(
    root: Path,
    files: Mapping[str, bytes],
    *,
    new: bool = False,
    folders: Iterable[str] = (),
    found: Mapping[str, bytes | None] | None = None,
) -> None:
    """Writes all of these files below a directory, which is made where there is none, or leaves everything as it was.

    With `new`, none of them may exist. `folders` are made even where no file lies in them. `found` is what the caller
    saw of some files (None: nothing) when it decided what to write: where another run has changed one since, nothing is
    written.
    """
    made = _make_directory(root)
    try:
        with _journal(root) as journal:
            taken = [root / path for path in files if new and os.path.lexists(root / path)]
            if taken:
                raise FileExistsError(17, "exists already", str(taken[0]))
            for path, content in (found or {}).items():
                if _content(root / path) != content:
                    raise BundleError(f"{root / path}: another run has just changed it; nothing was written")
            _commit(root, journal, files, folders)
    except BaseException:
        for directory in made:
            with suppress(OSError):  # not empty: somebody else has used it meanwhile
                directory.rmdir()
        raise


def plain_bytes(path: Path) -> bytes:
    """A file's bytes; `OSError` for a link, and for a pipe, which nobody would ever write to."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(22, "not a plain file", str(path))
        return file.read()


def recover(root: Path) -> None:
    """Puts back what a killed run was changing, and removes what it left."""
    if (root / JOURNAL).is_dir():
        with _journal(root):
            pass


def _commit(root: Path, journal: Path, files: Mapping[str, bytes], folders: Iterable[str]) -> None:
    names = {path: f"new-{number}" for number, path in enumerate(files)}
    for path, data in files.items():
        _write(journal / names[path], data)
    kept = {path: f"old-{number}" for number, path in enumerate(files) if os.path.lexists(root / path)}
    for path, name in kept.items():
        if not (root / path).is_file() or (root / path).is_symlink():
            raise BundleError(f"{root / path}: not a plain file; nothing was written")
        _keep(root / path, journal / name)
    parents = [*((root / path).parent for path in files), *(root / folder for folder in folders)]
    for folder in dict.fromkeys(place for parent in parents for place in (parent, *parent.parents)):
        # It may lead out of the directory that the user named.
        if root in folder.parents and folder.is_symlink():
            raise BundleError(f"{folder}: a link, where a directory is needed; nothing was written")
    missing = dict.fromkeys(folder for parent in parents for folder in _missing(parent))
    made = {path: name for path, name in names.items() if path not in kept}
    directories = [str(folder.relative_to(root)) for folder in missing]
    listed = {"kept": kept, "made": made, "directories": directories, "lock": stamp_of(journal / _LOCK)}
    _write(journal / f"{_LIST}.part", json.dumps(listed).encode())
    os.replace(journal / f"{_LIST}.part", journal / _LIST)
    _settle(journal)
    for folder in missing:
        folder.mkdir(exist_ok=True)
    for path, name in names.items():
        (os.replace if path in kept else _place_new)(journal / name, root / path)
    for folder in dict.fromkeys(parents):
        _settle(folder)
    (journal / _LIST).unlink()
    _settle(journal)


@contextmanager
def _journal(root: Path) -> Iterator[Path]:
    """The journal of a directory, for one run at a time; what an earlier run left in it is undone first."""
    journal = root / JOURNAL
    descriptor = _locked_journal(journal)
    try:
        _undo(root, journal)
        _clear(journal)
        _sweep(root)
        try:
            yield journal
        except BaseException:
            _undo(root, journal)
            raise
    finally:
        # A list that is still there could not be undone: it stays, for the next run.
        if not (journal / _LIST).exists():
            with suppress(OSError):  # a disk that fails; the next run clears
                _clear(journal)
                (journal / _LOCK).unlink()
                journal.rmdir()
        os.close(descriptor)


def _clear(journal: Path) -> None:
    for path in journal.iterdir():
        if path.name != _LOCK:
            path.unlink()


def _locked_journal(journal: Path) -> int:
    while True:
        with suppress(FileExistsError):
            journal.mkdir()
        if journal.is_symlink() or not journal.is_dir():
            raise BundleError(f"{journal}: not a directory; move it away")
        try:
            descriptor = os.open(journal / _LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except FileNotFoundError:  # another run has just finished and removed the directory
            continue
        if not _lock(descriptor):
            os.close(descriptor)
            raise BundleError(f"{journal.parent}: another run is writing there; nothing was written")
        if _is_at(descriptor, journal / _LOCK):
            return descriptor
        os.close(descriptor)


def _undo(root: Path, journal: Path) -> None:
    """Puts the old state back, where there is a list of what a run was about to change."""
    try:
        text = plain_bytes(journal / _LIST)
    except FileNotFoundError:
        return
    kept, made, directories = _listed(journal, text)
    for path, name in kept.items():
        if (journal / name).exists():
            os.replace(journal / name, root / path)
    for path, name in made.items():
        # A file that another program has put there in the meantime stays.
        if not (journal / name).exists() or _same(journal / name, root / path):
            (root / path).unlink(missing_ok=True)
    for folder in reversed(directories):
        with suppress(OSError):
            (root / folder).rmdir()
    (journal / _LIST).unlink()


def _listed(journal: Path, text: bytes) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """The list of a journal, where a run made it here; it may also have come with a directory of somebody else."""
    # Whoever packs or copies a directory cannot say which inode its lock will have, and when that will be made.
    try:
        listed = json.loads(text)
        kept, made, directories, lock = (listed[part] for part in ("kept", "made", "directories", "lock"))
    except (ValueError, TypeError, KeyError, RecursionError):
        lock = None
    if lock != stamp_of(journal / _LOCK):
        raise BundleError(f"{journal}: damaged, copied, or not of sealtrace's making; move it away")
    return kept, made, directories


# Parts: files in the making


@contextmanager
def _part(path: Path, data: bytes) -> Iterator[Path]:
    """A finished file beside this path, gone afterwards unless it was moved away."""
    with _named(path):
        _sweep(path.parent)
        part, descriptor = _locked_part(path.parent)
    try:
        try:
            with _named(path):
                _fill(descriptor, data)
            if os.name == "nt":  # where an open file cannot be renamed
                os.close(descriptor)
                descriptor = -1
            yield part
        finally:
            with suppress(OSError):  # moved away; or a disk that fails, and the next run sweeps
                part.unlink()
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _locked_part(directory: Path) -> tuple[Path, int]:
    while True:
        part = directory / f"{_PART[0]}{secrets.token_hex(8)}{_PART[1]}"
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        if _lock(descriptor) and _is_at(descriptor, part):
            return part, descriptor
        os.close(descriptor)  # a sweeping run took it for a leftover before it was locked


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """What the system refuses, it refuses of the file that is wanted, not of the part that nobody has heard of."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None


def _sweep(directory: Path) -> None:
    """Removes the parts that killed runs have left in a directory."""
    try:
        names = os.listdir(directory)
    except PermissionError:  # a directory that may be written to, and not listed
        return
    for part in (directory / name for name in names if _MADE.fullmatch(name)):
        with suppress(OSError):
            descriptor = os.open(part, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            try:
                if stat.S_ISREG(os.fstat(descriptor).st_mode) and _lock(descriptor, unsure=False):
                    os.unlink(part)
            finally:
                os.close(descriptor)


# Scratch: directories of one process for what it cannot hold

_SCRATCH = "sealtrace-"
_HELD: dict[Path, int] = {}
"""Scratch directories of this process, with their locks."""


def scratch_directory(kind: str) -> Path:
    """A new temporary directory, for `remove_scratch` in the end. What killed processes left is removed first."""
    if not _HELD:
        _sweep_scratch()
    while True:
        directory = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{kind}-"))
        descriptor = os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        if _lock(descriptor) and _is_at(descriptor, directory / _LOCK):
            _HELD[directory] = descriptor
            return directory
        os.close(descriptor)  # a sweeping process took it for a leftover before it was locked


def remove_scratch(directory: Path) -> None:
    """Removes a scratch directory; where that fails, a later process sweeps."""
    if (descriptor := _HELD.pop(directory, None)) is not None:
        os.close(descriptor)
    shutil.rmtree(directory, ignore_errors=True)


def _sweep_scratch() -> None:
    if os.name == "nt":  # where nothing tells the user's own, and nothing that is open can be removed
        return
    locks = Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*/{_LOCK}")
    for path in (lock for lock in locks if _MADE.fullmatch(lock.parent.name)):
        with suppress(OSError):
            # Others may write where temporary files lie: nothing of theirs is followed or removed.
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                mine = path.parent.lstat().st_uid == os.getuid() == os.fstat(descriptor).st_uid
                if mine and not path.parent.is_symlink() and _lock(descriptor, unsure=False):
                    shutil.rmtree(path.parent)
            finally:
                os.close(descriptor)


def _write(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o666)
    try:
        _fill(descriptor, data)
    finally:
        os.close(descriptor)


def _fill(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)


def _place_new(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a disk without hard links
        if os.name != "nt":  # where renaming never replaces
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        try:
            os.rename(part, path)
        except OSError:
            path.unlink(missing_ok=True)
            raise


def _keep(path: Path, kept: Path) -> None:
    try:
        os.link(path, kept)
    except OSError:  # a disk without hard links
        shutil.copy2(path, kept)


def _content(path: Path) -> bytes | None:
    try:
        return plain_bytes(path)
    except FileNotFoundError:
        return None


def _make_directory(directory: Path) -> list[Path]:
    """Makes a directory with those above it; says which were made, the innermost first."""
    made = _missing(directory)
    directory.mkdir(parents=True, exist_ok=True)
    return made[::-1]


def _missing(directory: Path) -> list[Path]:
    """The directories on the way to this one that are not there, the outermost first."""
    return [folder for folder in reversed((directory, *directory.parents)) if not folder.exists()]


def _settle(directory: Path) -> None:
    """Flushes the entries of a directory to the disk; some systems do so anyway."""
    if os.name == "nt":
        return
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except PermissionError:  # a directory that may be written to, and not read
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, unsure: bool = True) -> bool:
    """Locks a file until it is closed, or its process ends; False where another one has it.

    `unsure` is the answer of a file system without locks: nobody removes there what may be another's.
    """
    try:
        import fcntl  # Windows has none, and lets nobody remove a file that is open
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return unsure
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _same(first: Path, second: Path) -> bool:
    try:
        return os.path.samefile(first, second)
    except FileNotFoundError:
        return False


def stamp_of(path: Path | str) -> list[int]:
    """Changes whenever a file is written or replaced: the time of a change cannot be set back."""
    status = os.stat(path)
    return [status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
