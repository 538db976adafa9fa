"""Reads a bundle once: every file is hashed and parsed from the same bytes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from sealtrace.bundle import blocks
from sealtrace.bundle.archives import MACOS, Container, Member, Opened, open_container
from sealtrace.bundle.budget import Asked, Budget, BudgetError
from sealtrace.bundle.content import BLOCKS, document_digest, table_digest
from sealtrace.bundle.declared import declared_rows, opened_rows
from sealtrace.bundle.defects import BundleError, Defect, refusing
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.encoding import as_long_as_digests, return_memory, text_lines
from sealtrace.bundle.identity import (
    MANIFEST,
    SEALS,
    SUMS,
    WITNESSES,
    Entry,
    colliding,
    dataset_of,
    file_digest,
    misplaced,
    root_digest,
    sums_text,
    unsafe_path,
)
from sealtrace.bundle.keyed import Keys
from sealtrace.bundle.privacy import doubtful, marks_in
from sealtrace.bundle.remote import shown
from sealtrace.bundle.shapes import DeclarationError, Declared, RowKind
from sealtrace.bundle.shard_columns import NotLaidOutError
from sealtrace.bundle.shards import Forbidden, LaidOut, LostShardError, Threads
from sealtrace.bundle.stores import Defects, Store, read_rows, without_nulls
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.contract.kinds import KINDS, STAGES, Form
from sealtrace.contract.report import Report


@dataclass(frozen=True)
class Document:
    """One JSON document of a bundle."""

    path: str
    kind: str
    value: dict[str, Any]
    fits: bool
    """Whether its schema and its model accept it."""


@dataclass
class Bundle:
    """What lies in a bundle, and everything that reading it found wrong."""

    name: str = ""
    root_sha256: str | None = None
    """Recomputed from the manifest."""
    declared_root: str | None = None
    table_convention: str = BLOCKS
    """How the manifest says that content digests of tables are made."""
    manifest_readable: bool = False
    entries: list[Entry] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    """File SHA-256 of each member that was read."""
    lengths: dict[str, int] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    """Content digest of each record file."""
    documents: list[Document] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    manuscripts: dict[str, str] = field(default_factory=dict)
    reported: list[Path] = field(default_factory=list)
    """Papers at hand, which must print what the bundle's table records say."""
    beside: list[Report] = field(default_factory=list)
    """What the verifier says of other bundles, which recomputed cells of this one."""
    declared: dict[str, Declared] = field(default_factory=dict)
    """What the rows of each dataset are."""

    manifest_defects: list[Defect] = field(default_factory=list)
    listing: list[Defect] = field(default_factory=list)
    unseen: str | None = None
    """Why files that the manifest does not list could not be looked for, where they could not."""
    byte_defects: list[Defect] = field(default_factory=list)
    sums: list[Defect] = field(default_factory=list)
    content_defects: list[Defect] = field(default_factory=list)
    syntax: Defects = field(default_factory=Defects)
    document_misfits: list[Defect] = field(default_factory=list)
    marks: list[Defect] = field(default_factory=list)
    witnesses: dict[str, bytes] = field(default_factory=dict)
    """Signatures, timestamps and the like, which no seal can list."""
    forward: list[Defect] = field(default_factory=list)
    """Digests of later files in earlier ones."""
    streamed: dict[str, Any] = field(default_factory=dict)
    """Pack to what judging rows a shard at a time has found (`checks.streamed.Streamed`)."""
    lost: dict[str, str] = field(default_factory=dict)
    """Files that no worker could be had for, and why: nothing is known of them."""
    layout_notes: list[Defect] = field(default_factory=list)
    """Large files that had to be read whole, and why."""
    again: Callable[[str], list[Store]] = lambda _: []
    """Reads the rows of a streamed kind whole."""
    keys: Keys = field(default_factory=Keys)
    """By which values that are not held are told apart."""
    asked: Asked = field(default_factory=Asked)
    budget: Budget = field(default_factory=Budget)
    """What is left to be spent on this bundle."""

    def of_kind(self, kind: str) -> list[Store]:
        """The row files of a kind."""
        return [store for store in self.stores if store.kind == kind]

    def document(self, kind: str) -> Document | None:
        """The first fitting document of a kind."""
        return next((one for one in self.documents if one.kind == kind and one.fits), None)

    def documents_of(self, kind: str) -> list[Document]:
        """The fitting documents of a kind."""
        return [one for one in self.documents if one.kind == kind and one.fits]


FORMAT = 1
"""The newest bundle format that can be read."""

Progress = Callable[[str, int, int], None]
"""Told a step's name, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class Stream:
    """A way to judge large files a row group at a time."""

    name: str
    kinds: tuple[str, ...]
    judge: Callable[[Bundle, dict[str, tuple[Entry, LaidOut]]], Any]
    """Returns what it found, or raises `NotLaidOutError`."""

    def groups(self, entries: list[Entry]) -> list[list[Entry]]:
        """Its files that belong together, where all of them are large: those of a dataset; of other kinds, all."""
        groups: dict[str, list[Entry]] = {}
        for entry in entries:
            if entry.kind in self.kinds:
                groups.setdefault(entry.records if entry.kind == "rows" else "", []).append(entry)
        large = (
            all(one.format == "parquet" and (one.rows or 0) > blocks.SMALL for one in group)
            for group in groups.values()
        )
        return [group for group, all_large in zip(groups.values(), large, strict=True) if all_large]


LONGEST_WITNESS = 2**20
_OBJECTS = 12
"""How many times its length a JSON text takes as Python objects, at most but for texts made to be large."""


def read_bundle(
    path: Path,
    *,
    every_row: bool = False,
    progress: Progress | None = None,
    budget: Budget | None = None,
    streams: Sequence[Stream] = (),
    jobs: int = 1,
) -> Bundle:
    """Reads the bundle at a path. `BundleError` where there is none, or where the budget does not allow it.

    `streams` judge large files a row group at a time, which are then not held. `jobs` threads parse the other rows.
    """
    budget = budget or Budget()
    try:
        with open_container(path, budget) as container:
            reader = _Reader(container, _members(path, container), every_row, progress, budget)
            reader.streams, reader.threads = () if every_row else streams, Threads(jobs)
            reader.bundle.again = partial(reader.again, path)
            return reader.read()
    except BudgetError as error:
        raise BudgetError(error.reason, error.unseen or ["the whole bundle"]) from None


def read_manifest(path: Path, budget: Budget | None = None) -> dict[str, Any]:
    """The manifest alone, of a bundle that need not be sound. `BundleError` where it cannot be read."""
    budget = budget or Budget()
    with open_container(path, budget) as container:
        _members(path, container)
        with refusing(f"{shown(path)}: {MANIFEST}"), container.open(MANIFEST) as opened:
            budget.room(_OBJECTS * opened.size, MANIFEST)
            manifest = parse(opened.whole())
    if misfits := misfits_of("manifest", manifest):
        pointer, expected, found = misfits[0]
        raise BundleError(f"{shown(path)}: {MANIFEST}{pointer}: expected {expected}, found {found}")
    result: dict[str, Any] = manifest
    return result


def _members(path: Path, container: Container) -> list[Member]:
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


_DIGEST = re.compile(rb"[0-9a-f]{64}")
_QUOTED = re.compile(rb'"[0-9a-f]{64}"')
_LINE = re.compile(rb"^[0-9a-f]{64}$", re.MULTILINE)
_WEIGHTS = {Form.DOCUMENT: _OBJECTS, Form.ROWS: 4, Form.BYTES: 4}
"""How many times its length a file takes besides its bytes; rows are estimated once more when they are counted."""
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class _Parsed:
    """What a file of rows holds."""

    entry: Entry
    store: Store
    content: str | None
    """Its content digest; None where a row could not be read."""
    named: set[bytes]
    """Texts that may be digests of other files."""
    marks: list[Defect]


def _is_rows(entry: Entry) -> bool:
    return entry.kind in KINDS and KINDS[entry.kind].form is Form.ROWS


class _Reader:
    def __init__(
        self, container: Container, members: list[Member], every_row: bool, progress: Progress | None, budget: Budget
    ) -> None:
        self.progress = progress
        self.container = container
        self.kinds: dict[str, str] = {}
        for member in members:
            self.kinds.setdefault(member.path, member.kind)
        self.members = members
        self.every_row = every_row
        self.streams: Sequence[Stream] = ()
        self.threads = Threads()
        self._unseen: dict[str, None] = {}
        """Files of which something is still to be looked at."""
        self._forms: dict[str, RowKind] = {}
        """What the rows of kinds are whose fields the protocol declares."""
        self.bundle = Bundle(budget=budget)

    def read(self) -> Bundle:
        bundle = self.bundle
        data = self._bytes(MANIFEST, _OBJECTS)
        if data is None:
            message = "The manifest is not a plain file that can be read."
            bundle.manifest_defects.append(Defect(message, MANIFEST, expected="a file"))
        else:
            self._manifest(data)
        if bundle.manifest_readable:
            self._listing()
            self._files()
            self._sums()
            self._witnesses()
        return bundle

    def _witnesses(self) -> None:
        for path, kind in self.kinds.items():
            if _is_witness(path) and kind == "file":
                data = self._opened(path, self._short)
                if data is not None:
                    self.bundle.witnesses[path] = data

    def _short(self, opened: Opened) -> bytes:
        if opened.size > LONGEST_WITNESS:
            raise OSError(0, "it is too long to be a witness")
        self.bundle.budget.hold(opened.size, "the witnesses")
        return opened.whole()

    def _files(self) -> None:
        """Every listed file. The protocol comes first: it says whether the others must name nobody.

        Rows come after what may say what they are, and are parsed by several threads. Large ones are last, one by one.
        """
        bundle = self.bundle
        blocked = bundle.table_convention == BLOCKS
        groups = [(stream, group) for stream in self.streams if blocked for group in stream.groups(bundle.entries)]
        large = {entry.path: at for at, (_, group) in enumerate(groups) for entry in group}
        entries = sorted(bundle.entries, key=lambda entry: (entry.kind != "protocol", _is_rows(entry)))
        self._unseen = dict.fromkeys(entry.path for entry in entries)
        judged: dict[int, bool] = {}
        done, total = 0, sum(entry.bytes for entry in entries)

        def unparsed(some: Iterable[Entry]) -> Iterator[tuple[Entry, RowKind, bytes]]:
            nonlocal done
            for entry in some:
                at = large.get(entry.path)
                if at is not None and at not in judged:
                    judged[at] = self._stream_rows(*groups[at])
                if (at is None or not judged[at]) and (rows := self._file(entry)) is not None:
                    yield rows
                else:
                    self._unseen.pop(entry.path, None)
                done += entry.bytes
                if self.progress:
                    self.progress("reading", done, total)

        try:
            for threads, are_large in ((self.threads, False), (Threads(), True)):
                some = [entry for entry in entries if (entry.path in large) is are_large]
                for parsed in threads.each(self._parsed, (), unparsed(some)):
                    self._add(parsed)
        except BudgetError as error:
            raise BudgetError(f"{error.reason}; no check was run", self._unseen) from None
        places = {entry.path: place for place, entry in enumerate(bundle.entries)}
        bundle.documents.sort(key=lambda document: places[document.path])

    def _stream_rows(self, stream: Stream, entries: list[Entry]) -> bool:
        """Has large files that belong together judged a row group at a time; whether that could be done."""
        bundle = self.bundle
        if any(entry.kind == "rows" and entry.records not in bundle.declared for entry in entries):
            return False
        return_memory()
        before = len(bundle.stores)
        sources: dict[str, tuple[Entry, LaidOut]] = {}
        try:
            with ExitStack() as stack:
                for entry in entries:
                    file = LaidOut(stack.enter_context(self.container.open(entry.path)), self._form(entry) or "")
                    later = frozenset(digest.encode() for digest in self._later.get(entry.stage, {}))
                    file.forbidden = Forbidden(later, people=self._anonymous())
                    file.source = self.container.source(entry.path)
                    sources[entry.path] = (entry, file)
                found = stream.judge(bundle, sources)
                for path, (entry, file) in sources.items():
                    bundle.budget.read(file.size, path)
                    if file.sha256 != entry.sha256 or file.size != entry.bytes or misplaced(entry) or bundle.marks:
                        raise NotLaidOutError("its bytes are not those that were sealed")
                    texts = [file.texts, "\n".join(sorted(found.texts.get(path, ()))).encode() + b"\n"]
                    file.forbidden.refuse(texts, texts)
        except LostShardError as error:
            del bundle.stores[before:]
            bundle.lost.update(dict.fromkeys((entry.path for entry in entries), str(error)))
            return True
        except (NotLaidOutError, OSError) as error:
            del bundle.stores[before:]
            message = (
                f"It is large and read whole: {error}; `sealtrace convert` writes it to be verified in bounded memory."
            )
            bundle.layout_notes.extend(Defect(message, entry.path, severity="note") for entry in entries)
            return False
        for path, (entry, file) in sources.items():
            bundle.digests[path], bundle.lengths[path] = file.sha256, file.size
            bundle.stores.append(Store.streamed(path, entry.records, file.form, file.rows))
            self._content(entry, found.contents[path], file.rows)
        return_memory()
        if stream.name in bundle.streamed:
            bundle.streamed[stream.name].frames.update(found.frames)
        bundle.streamed.setdefault(stream.name, found)
        return True

    def again(self, path: Path, kind: str) -> list[Store]:
        """The rows of a kind that were streamed, held after all; refused where they are not those that were judged."""
        bundle, stores = self.bundle, []
        with open_container(path, bundle.budget) as container:
            for entry in bundle.entries:
                if entry.records != kind or (form := self._form(entry)) is None:
                    continue
                with container.open(entry.path) as opened:
                    bundle.budget.read(opened.size, entry.path)
                    data = opened.whole()
                if file_digest(data) != bundle.digests.get(entry.path):
                    raise BundleError(f"{shown(path)}: {entry.path} changed while it was being verified")
                stores.append(read_rows(data, entry.path, form, entry.format, budget=bundle.budget))
        return stores

    def _opened(self, path: str, use: Callable[[Opened], _Result]) -> _Result | None:
        """What `use` makes of a file; None where the file cannot be read, which is noted."""
        if self.kinds.get(path) != "file":
            return None
        try:
            with self.container.open(path) as opened:
                self.bundle.budget.read(opened.size, path)
                return use(opened)
        except OSError as error:
            reason = error.strerror or "it is damaged"
            self.bundle.byte_defects.append(Defect(f"The file cannot be read: {reason}.", path))
            return None

    def _bytes(self, path: str, weight: int) -> bytes | None:
        """A file's bytes; `weight` is how many times their length what is made of them takes in memory."""

        def whole(opened: Opened) -> bytes:
            self.bundle.budget.room((1 + weight) * opened.size, path)
            return opened.whole()

        data = self._opened(path, whole)
        if data is not None:
            self.bundle.digests[path] = file_digest(data)
            self.bundle.lengths[path] = len(data)
        return data

    def _stream(self, path: str) -> bool:
        """Hashes a file that nothing reads, without holding it; whether it could be read."""
        digest, length = hashlib.sha256(), 0

        def pieces(opened: Opened) -> Iterator[bytes]:
            nonlocal length
            for piece in opened.pieces():
                digest.update(piece)
                length += len(piece)
                self.bundle.budget.on_time(path)
                yield piece

        def through(opened: Opened) -> bool:
            rest = pieces(opened)
            if self._anonymous():
                self.bundle.marks.extend(marks_in(rest, path))
            for _ in rest:
                pass
            return True

        if not self._opened(path, through):
            return False
        self.bundle.digests[path] = digest.hexdigest()
        self.bundle.lengths[path] = length
        return True

    def _anonymous(self) -> bool:
        """Whether marks of people are looked for: always, but where the protocol says that nobody hides."""
        protocol = self.bundle.document("protocol")
        return protocol is None or protocol.value.get("anonymous", True) is not False

    def _manifest(self, data: bytes) -> None:
        bundle = self.bundle
        try:
            manifest = parse(data)
        except StrictJSONError as error:
            bundle.manifest_defects.append(Defect.of_json(error, MANIFEST))
            return
        version = manifest.get("sealtrace") if isinstance(manifest, dict) else None
        if isinstance(version, str) and version.isdigit() and int(version) > FORMAT:
            raise BundleError(
                f"the bundle has format {version}, and this sealtrace reads up to {FORMAT}; use a newer sealtrace"
            )
        misfits = misfits_of("manifest", manifest)
        bundle.manifest_defects.extend(_misfitting(MANIFEST, misfits))
        if misfits:
            return
        bundle.manifest_readable = True
        bundle.name = manifest["name"]
        bundle.declared_root = manifest["root_sha256"]
        bundle.root_sha256 = root_digest(manifest)
        bundle.table_convention = manifest["hashes"]["table"]
        bundle.entries = [Entry(**{**entry, "bytes": int(entry["bytes"])}) for entry in manifest["files"]]

    def _listing(self) -> None:
        """Everything listed is there once, as a plain file inside the root; everything there is listed."""
        bundle = self.bundle
        bundle.unseen = self.container.unseen
        bundle.listing.extend(self.container.defects())
        foreign = [member for member in self.members if member.path.startswith(MACOS)]
        if foreign:
            message = "The archiver of macOS added these; they were not read. Pack without them (zip -X)."
            found = Defect(message, MACOS, found=f"{len(foreign)} files", severity="warning")
            bundle.listing.append(found)
        present: dict[str, list[str]] = {}
        for member in self.members:
            if member not in foreign:
                present.setdefault(member.path, []).append(member.kind)
        times = Counter(entry.path for entry in bundle.entries)
        for path, other in colliding(times).items():
            message = "Some systems cannot tell the names of two files apart. Rename one."
            bundle.listing.append(Defect(message, path, expected="names that differ by more than case", found=other))
        for path, count in times.items():
            bundle.listing.extend(_wrongly_listed(path, count, path in present))
        listed = {MANIFEST, SUMS, *times}
        for path, kinds in present.items():
            bundle.listing.extend(_wrongly_there(path, kinds, path in listed or _is_witness(path)))
        if SUMS not in present:
            message = "The bundle has no SHA256SUMS. Seal again to write it."
            bundle.listing.append(Defect(message, SUMS, expected="a file"))

    def _file(self, entry: Entry) -> tuple[Entry, RowKind, bytes] | None:
        """Reads a file, and takes what it holds, but for rows: those are returned, to be parsed."""
        bundle = self.bundle
        if entry.path in bundle.digests or unsafe_path(entry.path):
            return None
        kind = KINDS.get(entry.kind)
        if kind is None or kind.name == "attachment":
            data = b"" if self._stream(entry.path) else None
        else:
            data = self._bytes(entry.path, 0 if entry.format == "parquet" else _WEIGHTS[kind.form])
        if data is None:
            return None
        if not bundle.lengths[entry.path]:
            bundle.listing.append(Defect("The file is empty. Fill it, or leave it out.", entry.path, found="0 bytes"))
        message = "The file changed after it was sealed. Restore it, or seal again."
        changed = {"bytes": bundle.lengths[entry.path], "sha256": bundle.digests[entry.path]}
        bundle.byte_defects.extend(_changed(message, entry, changed))
        if kind is None or kind.name in ("manifest", "report"):
            message = "The manifest names a kind of record that is not known."
            bundle.listing.append(Defect(message, entry.path, found=entry.kind))
            return None
        if (wrong := misplaced(entry)) is not None:
            field, expected, place = wrong
            message = "The manifest's entry does not fit the file's place."
            bundle.listing.append(Defect(message, entry.path, field=f"/{field}", expected=expected, found=place))
        if kind.form is Form.ROWS:
            form = self._form(entry)
            return None if form is None else (entry, form, data)
        if kind.form is Form.DOCUMENT:
            self._document(entry, data)
        elif kind.name == "manuscript":
            bundle.budget.hold(4 * len(data), entry.path)
            bundle.manuscripts[entry.path] = data.decode("utf-8", "replace")
        if kind.name != "attachment" and self._anonymous():
            bundle.marks.extend(marks_in([data], entry.path))
        return None

    def _look_ahead(self, entry: Entry, digests: Iterable[bytes]) -> None:
        """Notes digests of later files: what a stage names was there when the stage was sealed."""
        later = self._later.get(entry.stage, {})
        for digest in sorted({digest.strip(b'"').decode() for digest in digests} & later.keys()):
            message = "This file names the digest of a file that a later stage seals, so that one existed before."
            key, expected = {"stage": entry.stage}, f"nothing of {later[digest]}"
            self.bundle.forward.append(Defect(message, entry.path, key=key, expected=expected, found=digest))

    @cached_property
    def _later(self) -> dict[str, dict[str, str]]:
        """Stage to digests that only later stages seal, with the file of each."""
        own: dict[str, dict[str, str]] = {stage: {} for stage in STAGES}
        for entry in self.bundle.entries:
            own[entry.stage] |= {digest: entry.path for digest in (entry.sha256, entry.content_sha256) if digest}
        result = {}
        for place, stage in enumerate(STAGES):
            known = {digest for before in STAGES[: place + 1] for digest in own[before]}
            # Of files with one digest, that of the earliest stage is named.
            later = {digest: path for after in reversed(STAGES[place + 1 :]) for digest, path in own[after].items()}
            result[stage] = {digest: path for digest, path in later.items() if digest not in known}
        return result

    def _document(self, entry: Entry, data: bytes) -> None:
        bundle = self.bundle
        try:
            value = parse(data)
        except StrictJSONError as error:
            bundle.syntax.add(Defect.of_json(error, entry.path))
            return
        misfits = misfits_of(entry.kind, value)
        bundle.document_misfits.extend(_misfitting(entry.path, misfits))
        if isinstance(value, dict):
            self._look_ahead(entry, _DIGEST.findall(data))
            bundle.documents.append(Document(entry.path, entry.kind, without_nulls(value), fits=not misfits))
            if entry.kind == "protocol" and not misfits:
                self._open(entry, without_nulls(value))
            if entry.kind == "dataset" and not misfits:
                self._declaration(entry, without_nulls(value))
            self._content(entry, document_digest(value), None)

    def _parsed(self, entry: Entry, form: RowKind, data: bytes) -> _Parsed:
        """What the rows of a file are, and say; several threads do this at once."""
        bundle = self.bundle
        store = read_rows(data, entry.path, form, entry.format, every_row=self.every_row, budget=bundle.budget)
        content = None if store.whole is None else table_digest(store.whole, form, bundle.table_convention)
        if entry.format == "parquet":
            named = {found for text in _texts(store, as_long_as_digests) for found in _LINE.findall(text)}
            texts = _texts(store, doubtful)
        else:
            named, texts = set(_QUOTED.findall(data)), iter([data])
        return _Parsed(entry, store, content, named, list(marks_in(texts, entry.path)) if self._anonymous() else [])

    def _add(self, parsed: _Parsed) -> None:
        bundle, entry, store = self.bundle, parsed.entry, parsed.store
        bundle.stores.append(store)
        self._look_ahead(entry, parsed.named)
        for defect in store.syntax.listed:
            bundle.syntax.add(defect)
        bundle.syntax.total += store.syntax.total - len(store.syntax.listed)
        if parsed.content is not None:
            self._content(entry, parsed.content, store.count)
        bundle.marks.extend(parsed.marks)
        self._unseen.pop(entry.path, None)

    def _form(self, entry: Entry) -> RowKind | None:
        """What the rows of a file are; None, and a defect, where no declaration says so."""
        if entry.kind != "rows":
            return self._forms.get(entry.kind, entry.kind)
        declared = self.bundle.declared.get(entry.records)
        if declared is None:
            message = "Nothing declares what these rows are. Add the declaration of the dataset."
            self.bundle.listing.append(Defect(message, entry.path, expected=f"dataset.{entry.records}.json"))
        return declared

    def _open(self, entry: Entry, protocol: dict[str, Any]) -> None:
        """Takes the fields that a protocol declares for what the rows of its kinds are."""
        for kind in (one.name for one in KINDS.values() if one.open):
            try:
                self._forms.setdefault(kind, opened_rows(kind, protocol))
            except DeclarationError as error:
                pointer, _, reason = str(error).partition(": ")
                self.bundle.document_misfits.append(Defect(reason, entry.path, field=pointer))

    def _declaration(self, entry: Entry, value: dict[str, Any]) -> None:
        try:
            declared = declared_rows(value)
            if declared.name != dataset_of(entry.path):
                raise DeclarationError(f"/dataset: {declared.name!r} is not the name in the file's name")
        except DeclarationError as error:
            pointer, _, reason = str(error).partition(": ")
            self.bundle.document_misfits.append(Defect(reason, entry.path, field=pointer))
            return
        if declared.name in self.bundle.declared:
            message = "Two files declare this dataset. Keep one."
            self.bundle.document_misfits.append(Defect(message, entry.path, field="/dataset"))
        self.bundle.declared.setdefault(declared.name, declared)

    def _content(self, entry: Entry, digest: str, rows: int | None) -> None:
        bundle = self.bundle
        bundle.contents[entry.path] = digest
        message = "The records changed after they were sealed. Restore them, or seal again."
        bundle.content_defects.extend(_changed(message, entry, {"content_sha256": digest, "rows": rows}))

    def _sums(self) -> None:
        """SHA256SUMS must be, to the byte, what the manifest and the manifest's own bytes give."""
        bundle = self.bundle
        data = self._bytes(SUMS, 4)
        if data is None:
            return
        wanted = sums_text(
            {entry.path: entry.sha256 for entry in bundle.entries} | {MANIFEST: bundle.digests[MANIFEST]}
        ).encode()
        if data == wanted:
            return
        message = "This line of SHA256SUMS differs from the manifest."
        for number, (line, other) in enumerate(zip_longest(wanted.split(b"\n"), data.split(b"\n")), 1):
            if line != other:
                bundle.sums.append(Defect(message, SUMS, number, expected=_line(line), found=_line(other)))


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


def _is_witness(path: str) -> bool:
    """A file right below witnesses/: it proves itself or is nothing, so it need not be sealed."""
    return path.startswith(f"{WITNESSES}/") and path.count("/") == 1


def _changed(message: str, entry: Entry, found: dict[str, object]) -> Iterator[Defect]:
    """What an entry says of its file, and is not so."""
    for name, value in found.items():
        if value != (due := getattr(entry, name)):
            yield Defect(message, entry.path, field=f"/{name}", expected=str(due), found=str(value))


def _misfitting(path: str, misfits: Iterable[tuple[str, str, str]]) -> Iterator[Defect]:
    for pointer, expected, found in misfits:
        yield Defect("The value does not fit the schema.", path, field=pointer, expected=expected, found=found)


def _line(data: bytes | None) -> str:
    return "no line" if data is None else data.decode("utf-8", "backslashreplace")


def _texts(store: Store, worth: Callable[[pa.Array], pa.Array]) -> Iterator[bytes]:
    """What the footer of a Parquet file says, and those texts of its columns that are worth being looked at."""
    yield store.footer
    yield from text_lines((store.table if store.whole is None else store.whole).columns, worth)
