"""Reads a bundle once: every file is hashed and parsed from the same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from sealtrace.bundle.archives import Container, Member, open_container
from sealtrace.bundle.budget import INCIDENTS, Budget, BudgetError
from sealtrace.bundle.content import BLOCKS, document_digest, table_digest
from sealtrace.bundle.defects import BundleError, Defect
from sealtrace.bundle.documents import declared_rows, fitted, misfits_of, opened_rows
from sealtrace.bundle.encoding import as_long_as_digests, return_memory, text_lines
from sealtrace.bundle.identity import (
    MANIFEST,
    SUMS,
    ListedFile,
    dataset_of,
    file_digest,
    misplaced,
    root_digest,
    unsafe_path,
)
from sealtrace.bundle.members import (
    OBJECTS,
    MemberBytes,
    changed_defects,
    later_digests,
    listing_defects,
    members_of,
    misfit_defects,
    sums_defects,
)
from sealtrace.bundle.model import Bundle, Document, Progress, Stream, UnfinishedBundle
from sealtrace.bundle.privacy import doubtful, marks_in
from sealtrace.bundle.remote import shown
from sealtrace.bundle.shapes import DeclarationError, RowKind
from sealtrace.bundle.shard_columns import NotLaidOutError
from sealtrace.bundle.shards import Forbidden, LaidOut, LostShardError, Threads
from sealtrace.bundle.stores import Store, read_rows, without_nulls
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.contract.kinds import KINDS, Form

FORMAT = 1
"""The newest bundle format that can be read."""


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
            reader = _BundleReader(container, members_of(path, container), every_row, progress, budget)
            reader.streams, reader.threads = () if every_row else streams, Threads(jobs)
            reader.bundle = replace(reader.bundle, again=partial(reader.again, path))
            return reader.read()
    except BudgetError as error:
        raise BudgetError(error.reason, error.unseen or ["the whole bundle"]) from None


_DIGEST = re.compile(rb"[0-9a-f]{64}")
_QUOTED = re.compile(rb'"[0-9a-f]{64}"')
_LINE = re.compile(rb"^[0-9a-f]{64}$", re.MULTILINE)
_WEIGHTS = {Form.DOCUMENT: OBJECTS, Form.ROWS: 4, Form.BYTES: 4}
"""Memory beside a file's bytes, as a multiple of its length; rows are estimated again when they are counted."""


@dataclass(frozen=True)
class _Parsed:
    """What a file of rows holds."""

    entry: ListedFile
    store: Store
    content: str | None
    """Its content digest; None where a row could not be read."""
    named: set[bytes]
    """Texts that may be digests of other files."""
    marks: list[Defect]


class _BundleReader:
    def __init__(
        self, container: Container, members: list[Member], every_row: bool, progress: Progress | None, budget: Budget
    ) -> None:
        self.progress = progress
        self.container, self.members = container, members
        self.every_row = every_row
        self.streams: Sequence[Stream] = ()
        self.threads = Threads()
        self._unseen: dict[str, None] = {}
        """Files that still have something to look at."""
        self._forms: dict[str, RowKind] = {}
        """What the rows of kinds are whose fields the protocol declares."""
        self.bundle = UnfinishedBundle(budget=budget)
        self.bytes = MemberBytes(container, members, self.bundle)

    def read(self) -> Bundle:
        data = self.bytes.whole(MANIFEST, OBJECTS)
        if data is None:
            message = "The manifest is not a plain file that can be read."
            self.bundle.found["identity.manifest"].append(Defect(message, MANIFEST, expected="a file"))
        else:
            self._manifest(data)
        bundle = self.bundle
        if bundle.manifest_readable:
            bundle.found["identity.listing"].extend(listing_defects(bundle, self.container, self.members))
            self._files()
            if (sums := self.bytes.whole(SUMS, 4)) is not None:
                bundle.found["identity.sums"].extend(sums_defects(bundle, sums))
            self.bytes.take_witnesses()
        return bundle.ended()

    def _files(self) -> None:
        """Every listed file. The protocol comes first: it says whether the others must name nobody.

        Rows come after what may say what they are, and are parsed by several threads. Large ones are last, one by one.
        """
        bundle = self.bundle
        blocked = bundle.table_convention == BLOCKS
        groups = [(stream, group) for stream in self.streams if blocked for group in stream.groups(bundle.entries)]
        large = {entry.path: at for at, (_, group) in enumerate(groups) for entry in group}
        of_rows = {kind for kind, known in KINDS.items() if known.form is Form.ROWS}
        entries = sorted(bundle.entries, key=lambda entry: (entry.kind != "protocol", entry.kind in of_rows))
        self._unseen = dict.fromkeys(entry.path for entry in entries)
        judged: dict[int, bool] = {}
        done, total = 0, sum(entry.bytes for entry in entries)

        def unparsed(some: Iterable[ListedFile]) -> Iterator[tuple[ListedFile, RowKind, bytes]]:
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
            # Large files come last and one at a time: their shards are judged by what the small ones declare and
            # hold.
            for threads, are_large in ((self.threads, False), (Threads(), True)):
                some = [entry for entry in entries if (entry.path in large) is are_large]
                for parsed in threads.each(self._parsed, (), unparsed(some)):
                    self._add(parsed)
        except BudgetError as error:
            raise BudgetError(f"{error.reason}; no check was run", self._unseen) from None
        places = {entry.path: place for place, entry in enumerate(bundle.entries)}
        bundle.documents.sort(key=lambda document: places[document.path])

    def _read_whole(self, entries: list[ListedFile], before: int, reason: str) -> bool:
        """Takes back what streaming has begun, and notes why the rows are held instead; False, for the caller."""
        # What a half-read stream has added would be there twice once its files are read whole.
        del self.bundle.stores[before:]
        message = f"It is large and read whole: {reason}."
        self.bundle.found["schema.rows"].extend(Defect(message, entry.path, severity="note") for entry in entries)
        return False

    def _stream_rows(self, stream: Stream, entries: list[ListedFile]) -> bool:
        """Has large files that belong together judged a row group at a time; whether that could be done."""
        bundle = self.bundle
        if any(entry.kind == "rows" and entry.records not in bundle.declared for entry in entries):
            return False
        return_memory()
        before = len(bundle.stores)
        sources: dict[str, tuple[ListedFile, LaidOut]] = {}
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
                    if (
                        file.sha256 != entry.sha256
                        or file.size != entry.bytes
                        or misplaced(entry)
                        or bundle.found["hygiene.anonymous"]
                    ):
                        raise NotLaidOutError("its bytes are not those that were sealed")
                    texts = [file.texts, "\n".join(sorted(found.texts.get(path, ()))).encode() + b"\n"]
                    file.forbidden.refuse(texts, texts)
        except LostShardError as error:
            del bundle.stores[before:]
            INCIDENTS.append(str(error))
            bundle.lost.update(dict.fromkeys((entry.path for entry in entries), str(error)))
            return True
        except (NotLaidOutError, OSError) as error:
            return self._read_whole(
                entries, before, f"{error}; `sealtrace convert` writes it to be verified in bounded memory"
            )
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            # Shards are judged by the study's other records, which may be damaged in any way, or not say what shards
            # need. Reading everything is what defines the verdict: it finds out what is wrong with them.
            return self._read_whole(entries, before, "the records that it is judged by are damaged or incomplete")
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

    def _anonymous(self) -> bool:
        """Whether to look for traces of authors: always, unless the protocol says that the release is not anonymous."""
        protocol = self.bundle.document("protocol")
        return protocol is None or protocol.value.get("anonymous", True) is not False

    def _manifest(self, data: bytes) -> None:
        bundle = self.bundle
        try:
            manifest = parse(data)
        except StrictJSONError as error:
            bundle.found["identity.manifest"].append(Defect.of_json(error, MANIFEST))
            return
        version = manifest.get("sealtrace") if isinstance(manifest, dict) else None
        # Before the schema is asked, which would call a newer format damaged.
        if isinstance(version, str) and version.isdigit() and int(version) > FORMAT:
            raise BundleError(
                f"the bundle has format {version}, and this sealtrace reads up to {FORMAT}; use a newer sealtrace"
            )
        misfits = misfits_of("manifest", manifest)
        bundle.found["identity.manifest"].extend(misfit_defects(MANIFEST, misfits))
        if misfits:
            return
        self.bundle = replace(
            bundle,
            manifest_readable=True,
            name=manifest["name"],
            contract=manifest.get("contract") or "0.1",
            declared_root=manifest["root_sha256"],
            root_sha256=root_digest(manifest),
            table_convention=manifest["hashes"]["table"],
            entries=tuple(ListedFile(**{**entry, "bytes": int(entry["bytes"])}) for entry in manifest["files"]),
            unseen=self.container.unseen,
        )

    def _file(self, entry: ListedFile) -> tuple[ListedFile, RowKind, bytes] | None:
        """Reads a file and takes what it holds, except rows, which are returned to be parsed."""
        bundle = self.bundle
        # Bytes are read once, also those of a path that is listed twice: what is parsed is what was hashed.
        if entry.path in bundle.digests or unsafe_path(entry.path):
            return None
        kind = KINDS.get(entry.kind)
        if kind is None or kind.name == "attachment":
            # Nothing parses these, and they may be longer than memory.
            data = b"" if self.bytes.through(entry.path, marks=self._anonymous()) else None
        else:
            data = self.bytes.whole(entry.path, 0 if entry.format == "parquet" else _WEIGHTS[kind.form])
        if data is None:
            return None
        if not bundle.lengths[entry.path]:
            bundle.found["identity.listing"].append(
                Defect("The file is empty. Fill it, or leave it out.", entry.path, found="0 bytes")
            )
        message = "The file changed after it was sealed. Restore it, or seal again."
        changed = {"bytes": bundle.lengths[entry.path], "sha256": bundle.digests[entry.path]}
        bundle.found["identity.bytes"].extend(changed_defects(message, entry, changed))
        if kind is None or kind.name in ("manifest", "result"):
            message = "The manifest names a kind of record that is not known."
            bundle.found["identity.listing"].append(Defect(message, entry.path, found=entry.kind))
            return None
        if (wrong := misplaced(entry)) is not None:
            field, expected, place = wrong
            message = "The manifest's entry does not fit the file's place."
            bundle.found["identity.listing"].append(
                Defect(message, entry.path, field=f"/{field}", expected=expected, found=place)
            )
        if kind.form is Form.ROWS:
            form = self._form(entry)
            return None if form is None else (entry, form, data)
        if kind.form is Form.DOCUMENT:
            self._document(entry, data)
        elif kind.name == "manuscript":
            bundle.budget.hold(4 * len(data), entry.path)
            if entry.path.endswith(".pdf"):
                bundle.pages[entry.path] = data
            else:
                bundle.manuscripts[entry.path] = data.decode("utf-8", "replace")
        if kind.name != "attachment" and self._anonymous():
            bundle.found["hygiene.anonymous"].extend(marks_in([data], entry.path))
        return None

    @cached_property
    def _later(self) -> dict[str, dict[str, str]]:
        return later_digests(self.bundle.entries)

    def _look_ahead(self, entry: ListedFile, digests: Iterable[bytes]) -> None:
        """Notes digests of later files: what a stage names was there when the stage was sealed."""
        later = self._later.get(entry.stage, {})
        for digest in sorted({digest.strip(b'"').decode() for digest in digests} & later.keys()):
            message = "This file names the digest of a file that a later stage seals, so that one existed before."
            key, expected = {"stage": entry.stage}, f"nothing of {later[digest]}"
            self.bundle.found["witness.later"].append(
                Defect(message, entry.path, key=key, expected=expected, found=digest)
            )

    def _document(self, entry: ListedFile, data: bytes) -> None:
        bundle = self.bundle
        try:
            value = parse(data)
        except StrictJSONError as error:
            bundle.syntax.add(Defect.of_json(error, entry.path))
            return
        misfits, record = fitted(entry.kind, value)
        bundle.found["schema.documents"].extend(misfit_defects(entry.path, misfits))
        if isinstance(value, dict):
            self._look_ahead(entry, _DIGEST.findall(data))
            bundle.documents.append(Document(entry.path, entry.kind, without_nulls(value), record))
            if not misfits:
                self._declare(entry, without_nulls(value))
            self._content(entry, document_digest(value), None)

    def _parsed(self, entry: ListedFile, form: RowKind, data: bytes) -> _Parsed:
        """What the rows of a file are, and say; several threads do this at once."""
        bundle = self.bundle
        store = read_rows(data, entry.path, form, entry.format, every_row=self.every_row, budget=bundle.budget)
        content = None if store.whole is None else table_digest(store.whole, form, bundle.table_convention)
        # In Parquet a digest is a text of a column; in JSON lines it stands in quotation marks, however deep.
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
        bundle.syntax.add(*store.syntax.listed)
        bundle.syntax.total += store.syntax.total - len(store.syntax.listed)
        if parsed.content is not None:
            self._content(entry, parsed.content, store.count)
        bundle.found["hygiene.anonymous"].extend(parsed.marks)
        self._unseen.pop(entry.path, None)

    def _form(self, entry: ListedFile) -> RowKind | None:
        """What the rows of a file are; None, and a defect, where no declaration says so."""
        if entry.kind != "rows":
            return self._forms.get(entry.kind, entry.kind)
        declared = self.bundle.declared.get(entry.records)
        if declared is None:
            message = "Nothing declares what these rows are. Add the declaration of the dataset."
            self.bundle.found["identity.listing"].append(
                Defect(message, entry.path, expected=f"dataset.{entry.records}.json")
            )
        return declared

    def _declare(self, entry: ListedFile, value: dict[str, Any]) -> None:
        """Takes what a protocol, or the declaration of a dataset, says of the form of rows."""
        opened = [kind.name for kind in KINDS.values() if kind.open]
        for kind in {"protocol": opened, "dataset": ["rows"]}.get(entry.kind, []):
            try:
                if kind != "rows":
                    self._forms.setdefault(kind, opened_rows(kind, value))
                    continue
                declared = declared_rows(value)
                if declared.name != dataset_of(entry.path):
                    raise DeclarationError(f"/dataset: {declared.name!r} is not the name in the file's name")
                if self.bundle.declared.setdefault(declared.name, declared) is not declared:
                    raise DeclarationError("/dataset: Two files declare this dataset. Keep one.")
            except DeclarationError as error:
                pointer, _, reason = str(error).partition(": ")
                self.bundle.found["schema.documents"].append(Defect(reason, entry.path, field=pointer))

    def _content(self, entry: ListedFile, digest: str, rows: int | None) -> None:
        bundle = self.bundle
        bundle.contents[entry.path] = digest
        message = "The records changed after they were sealed. Restore them, or seal again."
        bundle.found["identity.content"].extend(
            changed_defects(message, entry, {"content_sha256": digest, "rows": rows})
        )


def _texts(store: Store, worth: Callable[[pa.Array], pa.Array]) -> Iterator[bytes]:
    """What the footer of a Parquet file says, and those texts of its columns that are worth being looked at."""
    yield store.footer
    yield from text_lines((store.table if store.whole is None else store.whole).columns, worth)
