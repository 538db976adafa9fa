"""The bytes of a bundle's files, hashed as they are read and within the budget. What cannot be read is noted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import TypeVar

from sealtrace.bundle.archives import Container, Member, Opened
from sealtrace.bundle.defects import Defect
from sealtrace.bundle.identity import file_digest
from sealtrace.bundle.listing import is_witness
from sealtrace.bundle.model import Bundle

LONGEST_WITNESS = 2**20
_Result = TypeVar("_Result")


class MemberBytes:
    """The files of a bundle that is being read."""

    def __init__(self, container: Container, members: list[Member], bundle: Bundle) -> None:
        self._container, self._bundle = container, bundle
        self._kinds: dict[str, str] = {}
        for member in members:
            self._kinds.setdefault(member.path, member.kind)

    def whole(self, path: str, weight: int) -> bytes | None:
        """A file's bytes; `weight` is how many times their length what is made of them takes in memory."""

        def read(opened: Opened) -> bytes:
            self._bundle.budget.room((1 + weight) * opened.size, path)
            return opened.whole()

        data = self._opened(path, read)
        if data is not None:
            self._bundle.digests[path], self._bundle.lengths[path] = file_digest(data), len(data)
        return data

    def through(self, path: str, look: Callable[[Iterator[bytes]], None]) -> bool:
        """Hashes a file without holding it, while someone looks at its bytes; whether it could be read."""
        digest, length = hashlib.sha256(), 0

        def pieces(opened: Opened) -> Iterator[bytes]:
            nonlocal length
            for piece in opened.pieces():
                digest.update(piece)
                length += len(piece)
                self._bundle.budget.on_time(path)
                yield piece

        def read(opened: Opened) -> bool:
            rest = pieces(opened)
            look(rest)
            for _ in rest:
                pass
            return True

        if not self._opened(path, read):
            return False
        self._bundle.digests[path], self._bundle.lengths[path] = digest.hexdigest(), length
        return True

    def take_witnesses(self) -> None:
        """Reads signatures, timestamps and the like."""
        for path, kind in self._kinds.items():
            if is_witness(path) and kind == "file" and (data := self._opened(path, self._short)) is not None:
                self._bundle.witnesses[path] = data

    def _short(self, opened: Opened) -> bytes:
        if opened.size > LONGEST_WITNESS:
            raise OSError(0, "it is too long to be a witness")
        self._bundle.budget.hold(opened.size, "the witnesses")
        return opened.whole()

    def _opened(self, path: str, use: Callable[[Opened], _Result]) -> _Result | None:
        """What `use` makes of a file; None where the file cannot be read, which is noted."""
        if self._kinds.get(path) != "file":
            return None
        try:
            with self._container.open(path) as opened:
                self._bundle.budget.read(opened.size, path)
                return use(opened)
        except OSError as error:
            reason = error.strerror or "it is damaged"
            self._bundle.byte_defects.append(Defect(f"The file cannot be read: {reason}.", path))
            return None
