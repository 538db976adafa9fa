"""The files of a bundle: their bytes, hashed as they are read, and what its manifest must and may say of them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

from sealtrace.bundle.archives import MACOS, Container, Member, Opened, open_container
from sealtrace.bundle.budget import Budget
from sealtrace.bundle.defects import BundleError, Defect, refusing
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.identity import (
    MANIFEST,
    SEALS,
    SUMS,
    WITNESSES,
    ListedFile,
    colliding,
    file_digest,
    sums_text,
    unsafe_path,
)
from sealtrace.bundle.model import Bundle, UnfinishedBundle
from sealtrace.bundle.privacy import marks_in
from sealtrace.bundle.remote import shown
from sealtrace.bundle.strict_json import parse
from sealtrace.contract.kinds import STAGES

LONGEST_WITNESS = 2**20
OBJECTS = 12
"""Memory of a parsed JSON text, as a multiple of its length; only texts made for it take more."""


def members_of(path: Path, container: Container) -> list[Member]:
    """Everything in a bundle; `BundleError` where the path is not a bundle."""
    members = container.members()
    paths = {member.path for member in members}
    if MANIFEST in paths:
        return members
    tops = {name.partition("/")[0] for name in paths}
    if below := sorted(name.removesuffix(f"/{MANIFEST}") for name in paths if name.endswith(f"/{MANIFEST}")):
        where = f"{path / below[0]} is one; name that" if path.is_dir() else f"its {below[0]}/ is one; pack that alone"
        raise BundleError(f"{shown(path)}: not a bundle itself, but {where}")
    if SUMS in tops or SEALS in tops:
        raise BundleError(f"{shown(path)}: a sealed bundle that lost its {MANIFEST}; restore it from the released copy")
    if tops & set(STAGES):
        raise BundleError(
            f"{shown(path)}: not sealed yet; "
            "`sealtrace verify --draft` judges it as it is, and `sealtrace seal` seals it"
        )
    raise BundleError(
        f"{shown(path)}: not a bundle, because it has no {MANIFEST}; "
        "`sealtrace check PAPER DIRECTORY` takes a paper and a directory of plain results"
    )


def read_document(path: Path, name: str = MANIFEST, kind: str = "manifest") -> dict[str, Any]:
    """One document alone, of a bundle that need not be sound. `BundleError` where it cannot be read."""
    budget = Budget()
    with open_container(path, budget) as container:
        members_of(path, container)
        with refusing(f"{shown(path)}: {name}"), container.open(name) as opened:
            budget.require_memory(OBJECTS * opened.size, name)
            document = parse(opened.whole())
    if misfits := misfits_of(kind, document):
        pointer, expected, found = misfits[0]
        raise BundleError(f"{shown(path)}: {name}{pointer}: expected {expected}, found {found}")
    return dict(document)


def listing_defects(bundle: Bundle, container: Container, members: list[Member]) -> Iterator[Defect]:
    """Everything listed is there once, as a plain file inside the root; everything there is listed."""
    yield from container.defects()
    foreign = [member for member in members if member.path.startswith(MACOS)]
    if foreign:
        message = "The archiver of macOS added these; they were not read. Pack without them (zip -X)."
        yield Defect(message, MACOS, found=f"{len(foreign)} files", severity="warning")
    present: dict[str, list[str]] = {}
    for member in members:
        if member not in foreign:
            present.setdefault(member.path, []).append(member.kind)
    times = Counter(entry.path for entry in bundle.entries)
    for path, other in colliding(times).items():
        message = "Some systems cannot tell the names of two files apart. Rename one."
        yield Defect(message, path, expected="names that differ by more than case", found=other)
    for path, count in times.items():
        yield from _wrongly_listed(path, count, path in present)
    listed = {MANIFEST, SUMS, *times}
    for path, kinds in present.items():
        yield from _wrongly_there(path, kinds, path in listed or is_witness(path))
    if SUMS not in present:
        yield Defect("The bundle has no SHA256SUMS. Seal again to write it.", SUMS, expected="a file")


def _wrongly_listed(path: str, times: int, there: bool) -> Iterator[Defect]:
    """What is wrong with a path that the manifest lists."""
    if path in (MANIFEST, SUMS):
        yield Defect("The manifest may not list itself or SHA256SUMS.", path, found="listed")
    if reason := unsafe_path(path):
        yield Defect(f"The manifest lists this path, and {reason}.", path)
    elif not there:
        message = "The manifest lists this file, and the bundle does not hold it. Restore it, or seal again."
        yield Defect(message, path, expected="a file")
    if times > 1:
        message = "The manifest lists this path more than once."
        yield Defect(message, path, expected="once", found=f"{times} times")


def _wrongly_there(path: str, kinds: list[str], known: bool) -> Iterator[Defect]:
    """What is wrong with what lies at a path; `known` where the manifest lists it, or need not."""
    if not known:
        yield Defect("The manifest does not list this file. Remove it, or seal it.", path, found=kinds[0])
    if len(kinds) > 1:
        message = "The archive holds this path more than once. Pack it again."
        yield Defect(message, path, expected="once", found=f"{len(kinds)} times")
    if kinds[0] != "file":
        message = "This is a link or a special file, not a plain file. Replace it by the file itself."
        yield Defect(message, path, expected="a file", found=f"a {kinds[0]}")


def is_witness(path: str) -> bool:
    """A file right below witnesses/: it proves itself or is nothing, so it need not be sealed."""
    return path.startswith(f"{WITNESSES}/") and path.count("/") == 1


def sums_defects(bundle: Bundle, data: bytes) -> Iterator[Defect]:
    """SHA256SUMS must be, to the byte, what the manifest and the manifest's own bytes give."""
    digests = {entry.path: entry.sha256 for entry in bundle.entries} | {MANIFEST: bundle.digests[MANIFEST]}
    wanted = sums_text(digests).encode()
    if data == wanted:
        return
    message = "This line of SHA256SUMS differs from the manifest."
    # Line by line, so that each finding names its line; the end of the last line makes one more.
    for number, (line, other) in enumerate(zip_longest(wanted.split(b"\n"), data.split(b"\n")), 1):
        if line != other:
            yield Defect(message, SUMS, number, expected=_line(line), found=_line(other))


def _line(data: bytes | None) -> str:
    return "no line" if data is None else data.decode("utf-8", "backslashreplace")


def later_digests(entries: Sequence[ListedFile]) -> dict[str, dict[str, str]]:
    """Stage to digests that only later stages seal, with the file of each."""
    own: dict[str, dict[str, str]] = {stage: {} for stage in STAGES}
    for entry in entries:
        own[entry.stage] |= {digest: entry.path for digest in (entry.sha256, entry.content_sha256) if digest}
    result = {}
    for place, stage in enumerate(STAGES):
        # What an earlier stage seals as well could be known from there, and gives nothing away.
        known = {digest for before in STAGES[: place + 1] for digest in own[before]}
        # Of files with one digest, that of the earliest stage is named.
        later = {digest: path for after in reversed(STAGES[place + 1 :]) for digest, path in own[after].items()}
        result[stage] = {digest: path for digest, path in later.items() if digest not in known}
    return result


def changed_defects(message: str, entry: ListedFile, found: dict[str, object]) -> Iterator[Defect]:
    """What an entry says of its file, and is not so."""
    for name, value in found.items():
        if value != (due := getattr(entry, name)):
            yield Defect(message, entry.path, field=f"/{name}", expected=str(due), found=str(value))


def misfit_defects(path: str, misfits: Iterable[tuple[str, str, str]]) -> Iterator[Defect]:
    for pointer, expected, found in misfits:
        yield Defect("The value does not fit the schema.", path, field=pointer, expected=expected, found=found)


_Result = TypeVar("_Result")


class MemberBytes:
    """The bytes of a bundle that is being read. What cannot be read is noted."""

    def __init__(self, container: Container, members: list[Member], bundle: UnfinishedBundle) -> None:
        self._container, self._bundle = container, bundle
        # Of a path that is there twice, the first counts.
        self._kinds = {member.path: member.kind for member in reversed(members)}

    def whole(self, path: str, weight: int) -> bytes | None:
        """A file's bytes; what is parsed from them takes `weight` times their length in memory."""

        def read(opened: Opened) -> bytes:
            # Before a byte is read: a file that says it needs too much is refused while nothing of it is held.
            self._bundle.budget.require_memory((1 + weight) * opened.size, path)
            return opened.whole()

        data = self._opened(path, read)
        if data is not None:
            self._bundle.digests[path], self._bundle.lengths[path] = file_digest(data), len(data)
        return data

    def through(self, path: str, *, marks: bool) -> bool:
        """Hashes a file without holding it, and looks for marks of people on the way; whether it could be read."""
        digest = hashlib.sha256()

        def pieces(opened: Opened) -> Iterator[bytes]:
            for piece in opened.pieces():
                digest.update(piece)
                self._bundle.budget.on_time(path)
                yield piece

        def read(opened: Opened) -> int:
            rest = pieces(opened)
            if marks:
                self._bundle.found["hygiene.anonymous"].extend(marks_in(rest, path))
            # Only the first marks of a file are told; the rest of its bytes is hashed all the same.
            for _ in rest:
                pass
            return opened.size

        if (length := self._opened(path, read)) is None:
            return False
        self._bundle.digests[path], self._bundle.lengths[path] = digest.hexdigest(), length
        return True

    def take_witnesses(self) -> None:
        """Reads signatures, timestamps and the like."""
        for path, kind in sorted(self._kinds.items()):
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
            self._bundle.found["identity.bytes"].append(Defect(f"The file cannot be read: {reason}.", path))
            return None
