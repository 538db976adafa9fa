"""Writes files whole or not at all: beside their place first, then moved there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """All of the new content or all of the old, never a part."""
    with _written_beside(path, data) as temporary:
        os.replace(temporary, path)


def place_new_file(path: Path, data: bytes) -> None:
    """All of a new file; `FileExistsError` where there is one already, even one that came this moment."""
    with _written_beside(path, data) as temporary:
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError:  # a disk without hard links
            with path.open("xb") as file:
                file.write(data)


@contextmanager
def _written_beside(path: Path, data: bytes) -> Iterator[Path]:
    """A finished file in the same directory, gone afterwards unless it was moved away."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        # mkstemp is for secrets; this is for readers.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
