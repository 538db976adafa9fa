"""What lies in a bundle once it is read, and everything that reading it found wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from sealtrace.bundle import blocks
from sealtrace.bundle.budget import Budget
from sealtrace.bundle.content import BLOCKS
from sealtrace.bundle.defects import Defect, Defects
from sealtrace.bundle.identity import ListedFile
from sealtrace.bundle.shapes import Declared
from sealtrace.bundle.shards import LaidOut
from sealtrace.bundle.stores import Store
from sealtrace.contract.kinds import kind_of

if TYPE_CHECKING:
    from sealtrace.contract.scalars import Record

Said = TypeVar("Said", bound="Record")
Said_co = TypeVar("Said_co", bound="Record", covariant=True)


@dataclass(frozen=True)
class Document:
    """One JSON document of a bundle."""

    path: str
    kind: str
    value: dict[str, Any]
    record: Record | None
    """What it says, typed; None where its schema or its model refuses it."""

    @property
    def fits(self) -> bool:
        """Whether its schema and its model accept it."""
        return self.record is not None


@dataclass(frozen=True)
class TypedDocument(Generic[Said_co]):
    """What a fitting document says, and where it lies."""

    path: str
    record: Said_co
    value: dict[str, Any]
    """The same as it was parsed, for digests."""


@dataclass(frozen=True)
class Bundle:
    """What lies in a bundle, and everything that reading it found wrong."""

    name: str = ""
    root_sha256: str | None = None
    """Recomputed from the manifest."""
    declared_root: str | None = None
    table_convention: str = BLOCKS
    """How the manifest says that content digests of tables are made."""
    manifest_readable: bool = False
    contract: str = "0.2"
    """The version of the contract that it is sealed under."""
    entries: Sequence[ListedFile] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    """File SHA-256 of each member that was read."""
    lengths: Mapping[str, int] = field(default_factory=dict)
    contents: Mapping[str, str] = field(default_factory=dict)
    """Content digest of each record file."""
    documents: Sequence[Document] = ()
    stores: Sequence[Store] = ()
    manuscripts: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, bytes] = field(default_factory=dict)
    """Manuscripts as PDF."""
    declared: Mapping[str, Declared] = field(default_factory=dict)
    """What the rows of each dataset are."""

    found: Mapping[str, Sequence[Defect]] = field(default_factory=dict)
    """What reading found wrong, by the check that says it."""
    unseen: str | None = None
    """Why files that the manifest does not list could not be looked for, where they could not."""
    syntax: Defects = field(default_factory=Defects)
    witnesses: Mapping[str, bytes] = field(default_factory=dict)
    """Signatures, timestamps and the like, which no seal can list."""
    streamed: Mapping[str, Any] = field(default_factory=dict)
    """Pack to what judging rows a shard at a time has found (`checks.streamed.Streamed`)."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """Files that no worker could be had for, and why: nothing is known of them."""
    again: Callable[[str], list[Store]] = lambda _: []
    """Reads the rows of a streamed kind whole."""
    budget: Budget = field(default_factory=Budget)
    """What is left to be spent on this bundle."""

    def of_kind(self, kind: str) -> list[Store]:
        """The row files of a kind."""
        return [store for store in self.stores if store.kind == kind]

    def document(self, kind: str) -> Document | None:
        """The first fitting document of a kind."""
        return next(iter(self.documents_of(kind)), None)

    def sealed(self, model: type[Said]) -> list[TypedDocument[Said]]:
        """The fitting documents of the kind that a model describes."""
        found = self.documents_of(kind_of(model))
        return [TypedDocument(document.path, cast("Said", document.record), document.value) for document in found]

    def only(self, model: type[Said]) -> TypedDocument[Said] | None:
        """The first of these."""
        return next(iter(self.sealed(model)), None)

    def documents_of(self, kind: str) -> list[Document]:
        return [document for document in self.documents if document.kind == kind and document.fits]


@dataclass(frozen=True)
class UnfinishedBundle(Bundle):
    """A bundle that is being read: its reader fills these, and nobody does once reading has ended."""

    digests: dict[str, str] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    documents: list[Document] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    manuscripts: dict[str, str] = field(default_factory=dict)
    pages: dict[str, bytes] = field(default_factory=dict)
    declared: dict[str, Declared] = field(default_factory=dict)
    found: defaultdict[str, list[Defect]] = field(default_factory=lambda: defaultdict(list))
    witnesses: dict[str, bytes] = field(default_factory=dict)
    streamed: dict[str, Any] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)

    def ended(self) -> Bundle:
        """What was read, which nobody can change any more."""
        held = ((each.name, getattr(self, each.name)) for each in fields(Bundle))
        return Bundle(**{name: _unchangeable(value) for name, value in held})


def _unchangeable(value: object) -> Any:
    if isinstance(value, dict):
        return MappingProxyType({name: _unchangeable(inner) for name, inner in value.items()})
    return tuple(value) if isinstance(value, list) else value


Progress = Callable[[str, int, int], None]
"""Told a step's name, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class Stream:
    """A way to judge large files a row group at a time."""

    name: str
    kinds: tuple[str, ...]
    judge: Callable[[UnfinishedBundle, dict[str, tuple[ListedFile, LaidOut]]], Any]
    """Returns what it found, or raises `NotLaidOutError`."""

    def groups(self, entries: Sequence[ListedFile]) -> list[list[ListedFile]]:
        """Groups of large files to judge together: those of one dataset, or all files of the other kinds."""
        # Their rows are joined shard by shard, so that one that must be read whole takes the others with it.
        groups: dict[str, list[ListedFile]] = {}
        for entry in entries:
            if entry.kind in self.kinds:
                groups.setdefault(entry.records if entry.kind == "rows" else "", []).append(entry)

        def large(entry: ListedFile) -> bool:
            return entry.format == "parquet" and (entry.rows or 0) > blocks.SMALL

        return [group for group in groups.values() if all(map(large, group))]
