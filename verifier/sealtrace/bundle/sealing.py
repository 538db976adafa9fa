"""Seals a directory of records, one stage after another.

The seals are the state: manifest.json and SHA256SUMS are derived from them and rewritten at each
stage, so a directory is a bundle as soon as its first stage is sealed. All of them are written together or
none, so an interrupted run loses nothing. A draft, which is not sealed yet, or not any more, is sealed elsewhere for
the length of an examination.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealtrace.bundle import blocks
from sealtrace.bundle.archives import DirectoryContainer
from sealtrace.bundle.budget import Budget
from sealtrace.bundle.content import document_digest, table_digest
from sealtrace.bundle.defects import BundleError, Defect, refusing
from sealtrace.bundle.documents import form_of, misfits_of
from sealtrace.bundle.identity import (
    MANIFEST,
    SEALS,
    SUMS,
    WITNESSES,
    LayoutError,
    ListedFile,
    colliding,
    file_digest,
    kind_and_format,
    manifest_document,
    seal_path,
    stream_digest,
    sums_text,
    unsafe_path,
)
from sealtrace.bundle.placing import JOURNAL, recover, remove_scratch, scratch_directory, write_together
from sealtrace.bundle.resources import json_file
from sealtrace.bundle.shapes import RowKind
from sealtrace.bundle.shard_columns import NotLaidOutError
from sealtrace.bundle.shards import LaidOut, sealed_through
from sealtrace.bundle.stores import read_rows
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.contract.kinds import KINDS, STAGES, Form, may_seal, stages_due

PROTOCOL = "declare/protocol.json"
ALL = "all"
"""Instead of a stage's name: every stage that holds no file."""


class SealError(BundleError):
    """The directory cannot be sealed as asked. Nothing was written."""


@dataclass(frozen=True)
class Sealed:
    """What one call of `seal` did."""

    stage: str
    files: int
    seal_sha256: str
    root_sha256: str


def seal(
    directory: Path,
    stages: list[str] | None = None,
    empty: dict[str, str] | None = None,
    *,
    lenient: bool = False,
    redo: bool = False,
    draft: bool = False,
) -> list[Sealed]:
    """Seals the named stages, or all that are left. `empty` gives the reason of each empty stage.

    The reason of `all` is that of every stage which holds no file and has no reason of its own. Without one, a stage
    that the study need not seal is left out where it holds nothing.
    `lenient` seals records that their schema refuses as well: for making broken bundles in tests. `redo` makes new
    seals in the place of those that are there, whatever they say. A `draft` gives a reason for stages that it owes.
    """
    with refusing(directory, SealError):
        if not directory.is_dir():
            raise SealError(f"{directory}: there is no such directory")
        recover(directory)
        sealer = _Sealer(directory, empty or {}, lenient, redo)
        if draft:
            sealer.empty |= {stage: REASON for stage in sealer.due if not sealer.unsealed[stage]}
        wanted = stages if stages is not None else sealer.left
        if wanted:
            return sealer.run(wanted)
        if sealer.is_finished():
            raise SealError(f"{directory}: every stage is sealed already")
        # An interrupted run left behind what is derived from the seals.
        last = list(sealer.seals)[-1]
        return sealer.sum_up({last: sealer.seals[last]})


class _Sealer:
    def __init__(self, directory: Path, empty: dict[str, str], lenient: bool, redo: bool) -> None:
        self.root = directory
        self.empty = dict(empty)
        self.lenient = lenient
        self.container = DirectoryContainer(directory)
        self.budget = Budget()
        self.seals: dict[str, dict[str, Any]] = {}
        self.seal_entries: dict[str, ListedFile] = {}
        self.roles: dict[str, str] = {}
        self.name = ""
        self.unsealed = self._lay_out()
        self._refuse_other_seals()
        seals = map(seal_path, STAGES)
        self.found = {path: self._read(path) if (self.root / path).exists() else None for path in seals}
        """The bytes of the seals when this run began; None where there was none."""
        self.due = self._stages_due()
        if not redo:
            self._read_chain()
        self._can_write()

    def _stages_due(self) -> tuple[str, ...]:
        """The stages that the protocol asks for; all where it cannot be read."""
        # Without a protocol that says otherwise no stage may be passed over.
        if PROTOCOL not in self.unsealed[STAGES[0]]:
            return STAGES
        try:
            protocol = parse(self._read(PROTOCOL))
        except StrictJSONError:
            return STAGES
        return stages_due(protocol) if isinstance(protocol, dict) else STAGES

    @property
    def left(self) -> list[str]:
        """The stages that are not sealed and must be, hold files, or are said to be empty."""
        last = max(map(STAGES.index, self.seals), default=-1)
        said = set(STAGES) if ALL in self.empty else {*self.due, *self.empty}
        return [stage for stage in STAGES[last + 1 :] if stage in said or self.unsealed[stage]]

    def _read(self, path: str) -> bytes:
        with self.container.open(path) as opened:
            self.budget.read(opened.size, path)
            self.budget.require_memory(opened.size, path)
            return opened.whole()

    def _document(self, path: str, kind: str, data: bytes) -> Any:
        """A document that its schema and its model accept."""
        document = _strict(data, path)
        if not self.lenient:
            _refuse_misfits(path, misfits_of(kind, document))
        return document

    def _digest(self, path: str) -> tuple[str, int]:
        """SHA-256 and length of a file, which is not held."""
        with self.container.open(path) as opened:
            self.budget.read(opened.size, path)
            return stream_digest(opened.pieces())

    def _can_write(self) -> None:
        """Refuses before any work is done: what cannot be written, and files that sealing did not write."""
        for name in (MANIFEST, SUMS):
            path = self.root / name
            if path.is_symlink() or (path.exists() and not path.is_file()):
                raise SealError(f"{name}: not a plain file")
            # Without a seal these two files are not ours, and nobody's own manifest is written over.
            if path.exists() and not any(self.found.values()):
                raise SealError(f"{name}: there already, though nothing is sealed; move it away")
        for directory in (self.root, self.root / SEALS):
            if directory.exists() and not os.access(directory, os.W_OK):
                raise SealError(f"{directory}: cannot be written to")

    def _lay_out(self) -> dict[str, list[str]]:
        """Paths by stage directory; refuses what has no place."""
        paths: dict[str, list[str]] = {stage: [] for stage in STAGES}
        problems = []
        for member in self.container.members():
            top, _, rest = member.path.partition("/")
            if member.path in (MANIFEST, SUMS) or top in (SEALS, WITNESSES, JOURNAL):
                continue
            if member.kind != "file":
                what = "a link" if member.kind == "link" else "a special file"
                problems.append(f"{member.path}: {what} cannot be sealed")
            elif top not in STAGES or not rest:
                problems.append(f"{member.path}: lies in no stage ({', '.join(STAGES)})")
            elif reason := unsafe_path(member.path):
                problems.append(f"{member.path}: cannot be listed, because {reason}")
            else:
                paths[top].append(member.path)
        same = colliding(path for members in paths.values() for path in members)
        problems += [f"{path}: some systems cannot tell it from {other}; rename one" for path, other in same.items()]
        _refuse(problems)
        return paths

    def _refuse_other_seals(self) -> None:
        known = {seal_path(stage) for stage in STAGES}
        _refuse(
            [
                f"{member.path}: not a seal"
                for member in self.container.members()
                if member.path.partition("/")[0] == SEALS and (member.path not in known or member.kind != "file")
            ]
        )

    def _read_chain(self) -> None:
        """Reads the seals that are there, and refuses if anything sealed has changed."""
        previous: str | None = None
        problems: list[str] = []
        for position, stage in enumerate(STAGES, 1):
            data = self.found[seal_path(stage)]
            if data is None and stage not in self.due and not self.unsealed[stage]:
                continue
            if data is None:
                break
            document = _strict(data, seal_path(stage))
            if misfits_of("seal", document):
                raise SealError(f"{seal_path(stage)}: damaged; restore it, or remove {SEALS}/ to start again")
            if document["stage"] != stage or document["position"] != position or document.get("previous") != previous:
                problems.append(f"{seal_path(stage)}: does not follow from the seal before it")
            previous = document_digest(document)
            self.seals[stage] = document
            self.seal_entries[stage] = _document_entry(seal_path(stage), "seal", stage, data, document)
            problems.extend(self._changed(stage, document))
        problems.extend(
            f"{seal_path(stage)}: an earlier stage has no seal"
            for stage in STAGES
            if stage not in self.seals and self.found[seal_path(stage)] is not None
        )
        _refuse(problems)
        if "declare" in self.seals:
            self._read_protocol()

    def _changed(self, stage: str, document: dict[str, Any]) -> list[str]:
        problems = []
        listed = {entry["path"]: entry["sha256"] for entry in document["files"]}
        for path, digest in listed.items():
            try:
                found = self._digest(path)[0]
            except OSError:
                problems.append(f"{path}: sealed in {stage}, and gone")
                continue
            if found != digest:
                problems.append(f"{path}: changed since it was sealed (expected {digest}, found {found})")
        problems.extend(
            f"{path}: appeared after {stage} was sealed" for path in self.unsealed[stage] if path not in listed
        )
        return problems

    def _read_protocol(self) -> None:
        protocol = self._document(PROTOCOL, "protocol", self._read(PROTOCOL))
        protocol = protocol if isinstance(protocol, dict) else {}
        self.name = str(protocol.get("study", self.root.name))
        splits = protocol.get("splits")
        for split in splits if isinstance(splits, list) else []:
            match split:
                case {"name": str(name), "role": str(role)}:  # what is none of that, drafts may hold
                    self.roles[name] = role

    def run(self, stages: list[str]) -> list[Sealed]:
        for stage in stages:
            if stage in self.seals:
                raise SealError(f"{stage}: sealed already; a sealed stage is never sealed again")
        pending: dict[str, dict[str, Any]] = {}
        for stage in stages:
            expected = self.left[0] if self.left else "none"
            before = STAGES[: STAGES.index(stage)]
            if any(other in before for other in self.left) or any(other not in before for other in self.seals):
                raise SealError(f"{stage}: the next stage to seal is {expected}")
            pending[stage] = self._seal(stage)
        return self._write(pending)

    def _seal(self, stage: str) -> dict[str, Any]:
        paths = self.unsealed[stage]
        reason = self.empty.get(stage) or (None if paths else self.empty.get(ALL))
        if paths and reason:
            raise SealError(f"{stage}: called empty, but holds {paths[0]}")
        if not paths and not reason:
            raise SealError(f'{stage}: holds no file; say why with --empty {stage}="reason"')
        if stage == "declare":
            if PROTOCOL not in paths:
                raise SealError(f"{PROTOCOL}: missing; it declares the study")
            self._read_protocol()
        entries = [self._inspect(path, stage) for path in paths]
        self._in_order(stage, entries)
        document: dict[str, Any] = {
            "sealtrace": "1",
            "stage": stage,
            "position": STAGES.index(stage) + 1,
            "files": [entry.as_json() for entry in entries],
        }
        if self.seals:
            document["previous"] = document_digest(list(self.seals.values())[-1])
        if reason:
            document["empty_reason"] = reason
        self.seals[stage] = document
        return document

    def _inspect(self, path: str, stage: str) -> ListedFile:
        try:
            kind, file_format = kind_and_format(path)
        except LayoutError as error:
            raise SealError(f"{path}: {error}") from None
        if KINDS[kind].form is Form.BYTES:
            digest, length = self._digest(path)
            if not length:
                raise SealError(f"{path}: empty")
            return ListedFile(path, kind, stage, "bytes", length, digest)
        if file_format == "parquet" and (streamed := self._streamed(path, kind, stage)) is not None:
            return streamed
        data = self._read(path)
        if not data:
            raise SealError(f"{path}: empty")
        if KINDS[kind].form is Form.DOCUMENT:
            return _document_entry(path, kind, stage, data, self._document(path, kind, data))
        form = self._form(kind, path)
        store = read_rows(data, path, form, file_format, budget=self.budget)
        self.budget.held = 0  # one file at a time: this one is let go
        if not self.lenient:
            _refuse([_place(defect) for defect in store.defects])
        split: str | None = None
        if kind != "rows" and "split" in store.table.column_names:
            splits = store.table.column("split").unique().to_pylist()
            if len(splits) > 1 and not self.lenient:
                raise SealError(f"{path}: holds the splits {', '.join(map(str, splits))}; one file holds one split")
            split = splits[0] if splits else None
        content = None if store.whole is None else table_digest(store.whole, form)
        return ListedFile(path, kind, stage, file_format, len(data), file_digest(data), split, store.count, content)

    def _streamed(self, path: str, kind: str, stage: str) -> ListedFile | None:
        """The entry of a large file that is laid out, read a row group at a time; None for any other."""
        form = self._form(kind, path)
        with self.container.open(path) as opened:
            try:
                file = LaidOut(opened, form)
                if file.rows <= blocks.SMALL:
                    return None
                content, splits = sealed_through(file)
            except NotLaidOutError:
                return None
        if len(splits) > 1:
            return None
        split = None if kind == "rows" or not splits else splits.pop()
        return ListedFile(path, kind, stage, "parquet", file.size, file.sha256, split, file.rows, content)

    def _form(self, kind: str, path: str) -> RowKind:
        """The kind of a file's rows, as its stage or an earlier one declares it."""
        stages = STAGES[: STAGES.index(path.partition("/")[0]) + 1]

        def find(name: str) -> tuple[str, Any] | None:
            place = next((f"{stage}/{name}" for stage in stages if f"{stage}/{name}" in self.unsealed[stage]), None)
            if place is None and kind == "rows":
                raise BundleError(f"{path}: nothing declares it; write declare/{name}")
            return None if place is None else (place, _strict(self._read(place), place))

        try:
            return form_of(kind, path, find)
        except BundleError as error:
            if self.lenient and kind != "rows":
                return kind
            raise SealError(str(error)) from None

    def _in_order(self, stage: str, entries: list[ListedFile]) -> None:
        """Every kind in its stage; values and scores only after the traces that they score."""
        # A seal says nothing of the order within its stage, so only traces that an earlier stage froze count.
        traced = {
            entry.get("split")
            for earlier, document in self.seals.items()
            for entry in document["files"]
            if entry["kind"] == "trace" and earlier != stage
        }
        traced_here = {entry.split for entry in entries if entry.kind == "trace"}
        problems = []
        for entry in entries:
            role = self.roles.get(entry.split or "")
            if not may_seal(entry.kind, stage, role):
                problems.append(f"{entry.path}: {entry.kind}{f' of {role}' if role else ''} does not belong in {stage}")
            elif entry.kind == "score" and entry.split not in traced:
                problems.append(f"{entry.path}: scores of {entry.split} before its traces are sealed")
            elif entry.kind == "values" and entry.split in traced_here:
                problems.append(f"{entry.path}: values of {entry.split} in the stage of its traces")
        if not self.lenient:
            _refuse(problems)

    def _write(self, pending: dict[str, dict[str, Any]]) -> list[Sealed]:
        for stage, document in pending.items():
            if not self.lenient:
                _refuse_misfits(seal_path(stage), misfits_of("seal", document))
        seals = {seal_path(stage): json_file(document) for stage, document in pending.items()}
        for stage, document in pending.items():
            data = seals[seal_path(stage)]
            self.seal_entries[stage] = _document_entry(seal_path(stage), "seal", stage, data, document)
        return self.sum_up(pending, seals)

    def is_finished(self) -> bool:
        """Whether manifest.json and SHA256SUMS are what the seals give."""
        _, derived = self._derived()
        return all((self.root / path).is_file() and self._read(path) == data for path, data in derived.items())

    def _derived(self) -> tuple[str, dict[str, bytes]]:
        """The root digest, and the content of manifest.json and of SHA256SUMS."""
        entries = [ListedFile(**entry) for document in self.seals.values() for entry in document["files"]]
        entries.extend(self.seal_entries.values())
        manifest = manifest_document(self.name, entries)
        data = json_file(manifest)
        digests = {entry.path: entry.sha256 for entry in entries} | {MANIFEST: file_digest(data)}
        return manifest["root_sha256"], {MANIFEST: data, SUMS: sums_text(digests).encode()}

    def sum_up(self, stages: dict[str, dict[str, Any]], seals: dict[str, bytes] | None = None) -> list[Sealed]:
        """Writes new seals, and what is derived from all of them, unless another run has sealed meanwhile."""
        root, derived = self._derived()
        # Where two runs seal at once, the later one finds seals that it did not see before, and writes nothing.
        write_together(self.root, {**(seals or {}), **derived}, found=self.found)
        return [
            Sealed(stage, len(document["files"]), document_digest(document), root) for stage, document in stages.items()
        ]


def _document_entry(path: str, kind: str, stage: str, data: bytes, document: Any) -> ListedFile:
    content = document_digest(document)
    return ListedFile(path, kind, stage, "json", len(data), file_digest(data), content_sha256=content)


def _strict(data: bytes, path: str) -> Any:
    with refusing(path, SealError):
        return parse(data)


def _refuse_misfits(path: str, misfits: list[tuple[str, str, str]]) -> None:
    _refuse([f"{path}{pointer}: expected {expected}, found {found}" for pointer, expected, found in misfits])


def _place(defect: Defect) -> str:
    where = ":".join(str(part) for part in (defect.path, defect.row, defect.column) if part is not None)
    return f"{where}{defect.field or ''}: {defect.outcome}"


def _refuse(problems: list[str]) -> None:
    if problems:
        more = f"\n... and {len(problems) - 20} more" if len(problems) > 20 else ""
        raise SealError("\n".join(problems[:20]) + more)


# Drafts

REASON = "A draft: nothing is said of this stage yet."


def reasons_of(directory: Path) -> dict[str, str]:
    """The reasons of the stages that were sealed empty, as far as seals can be read."""
    reasons = {}
    for path in sorted((directory / SEALS).glob("*.json")):
        try:
            document = parse(path.read_bytes())
        except (StrictJSONError, OSError):
            continue
        if isinstance(document, dict) and not misfits_of("seal", document) and document.get("empty_reason"):
            reasons[document["stage"]] = document["empty_reason"]
    return reasons


@contextmanager
def draft_bundle(directory: Path, changed: dict[str, bytes] | None = None) -> Iterator[Path]:
    """The directory's files, with some of them changed, as a bundle of its own that is gone afterwards.

    Records that their schema refuses are sealed as well: what is wrong with them is for the examination to say.
    """
    if not directory.is_dir():
        raise BundleError(f"{directory}: a draft is a directory")
    with ExitStack() as stack:
        copy = scratch_directory("draft") / "draft"
        stack.callback(remove_scratch, copy.parent)
        with refusing(directory):
            _copied(directory, copy)
        for path, data in (changed or {}).items():
            place = copy / path
            place.parent.mkdir(parents=True, exist_ok=True)
            # The copy is a hard link: to write through it would change the author's own file.
            place.unlink(missing_ok=True)
            place.write_bytes(data)
        filled = {place.name for place in copy.iterdir() if any(place.rglob("*"))}
        reasons = {stage: reason for stage, reason in reasons_of(directory).items() if stage not in filled}
        seal(copy, empty=reasons, lenient=True, draft=True)
        yield copy


def _copied(source: Path, target: Path) -> None:
    """A tree of the same files, by other names where the file system allows that; links stay links."""
    for place, directories, files in os.walk(source):
        here = Path(place)
        inside = target / here.relative_to(source)
        inside.mkdir(parents=True)
        if here == source:
            directories[:] = [name for name in directories if name not in (SEALS, JOURNAL)]
            files = [name for name in files if name not in (MANIFEST, SUMS, JOURNAL)]
        for name in [*files, *(name for name in directories if (here / name).is_symlink())]:
            try:
                os.link(here / name, inside / name, follow_symlinks=False)
            except (OSError, NotImplementedError):  # another disk; a system that cannot name a link itself
                shutil.copy2(here / name, inside / name, follow_symlinks=False)
