"""Datasets judged a row group at a time: what their declaration demands, from statistics that merge.

A row group is proved to be a block of rows in the order of their key, which its schema accepts. Its digest stays, and
the distinct values of the fields that the declaration speaks of, as keyed bits (`bundle.keyed`). Put together, these
decide whether keys are unique, combinations complete, dependencies kept and references met. Where one is not, the rows
are read whole, and the checks say where. What recipes need is read from a copy of the bytes that were hashed.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sealtrace.bundle.frames import Index, StreamedFrame
from sealtrace.bundle.identity import ListedFile
from sealtrace.bundle.keyed import Bits, Keys, UnkeyedError
from sealtrace.bundle.model import Bundle, UnfinishedBundle
from sealtrace.bundle.placing import remove_scratch, scratch_directory
from sealtrace.bundle.shapes import row_key
from sealtrace.bundle.shard_columns import NotLaidOutError
from sealtrace.bundle.shards import (
    Block,
    KeptFile,
    LaidOut,
    Shard,
    Workers,
    follows,
    give_memory_back,
    of_proved,
    proved_block,
)
from sealtrace.checks.streamed import Sources, Streamed
from sealtrace.contract.sealing import Completeness, Dataset
from sealtrace.evidence import Evidence, View

MOST_SPILLED = 2**22
"""Combinations of values that are counted in an array; more are sorted."""
MOST_PRINTED = 10_000
"""Values of a field whose printed names are declared."""

Fields = tuple[str, ...]


@dataclass(frozen=True)
class Tracked:
    """Fields whose distinct combinations are counted, apart for each combination of some others."""

    fields: Fields
    by: Fields = ()
    kept: bool = False
    """Whether the combinations themselves are needed: rows of another dataset are compared with them."""


@dataclass(frozen=True)
class _Seen:
    """The distinct combinations of some rows: their bits, the bits of what they are apart by, and how often each is."""

    bits: Bits
    by: Bits
    times: Index


@dataclass(frozen=True)
class _Looked:
    """What one row group gave."""

    block: Block
    seen: dict[Tracked, _Seen]
    printed: dict[str, set[str]]
    absent: frozenset[str]


@dataclass(frozen=True)
class _Look:
    """Looks at row groups of one file."""

    file: LaidOut
    keys: Keys
    tracked: tuple[Tracked, ...]
    printed: tuple[str, ...]

    def __call__(self, shard: Shard) -> _Looked:
        rows, block = proved_block(self.file, shard)
        columns = _CodedColumns(rows, self.keys)
        texts = {name: {str(value) for value in columns.values(name).to_pylist()} for name in self.printed}
        absent = frozenset(name for name in rows.column_names if rows.column(name).null_count)
        return _Looked(block, {item: columns.seen(item) for item in self.tracked}, texts, absent)


class _CodedColumns:
    """Columns of some rows as codes of distinct values."""

    def __init__(self, rows: pa.Table, keys: Keys) -> None:
        self._rows, self._keys = rows, keys
        self._known: dict[str, tuple[npt.NDArray[np.int32], pa.Array, Bits]] = {}

    def _coded(self, name: str) -> tuple[npt.NDArray[np.int32], pa.Array, Bits]:
        """Codes of a column, the values that they stand for, and those values' bits; the last are of what is absent."""
        if name not in self._known:
            array = self._rows.column(name).combine_chunks()
            if not pa.types.is_dictionary(array.type):
                try:
                    array = array.dictionary_encode()
                except pa.ArrowException:
                    raise UnkeyedError(str(array.type)) from None
            values = array.dictionary
            codes = (array.indices.fill_null(len(values)) if array.null_count else array.indices).to_numpy()
            self._known[name] = codes, values, np.append(self._keys.of_column(values), self._keys.absent)
        return self._known[name]

    def values(self, name: str) -> pa.Array:
        return self._coded(name)[1]

    def seen(self, tracked: Tracked) -> _Seen:
        names = tuple(dict.fromkeys((*tracked.by, *tracked.fields)))
        coded = [self._coded(name) for name in names]
        sizes = [len(bits) for *_, bits in coded]
        combined = np.zeros(self._rows.num_rows, np.int64)
        for (codes, *_), size in zip(coded, sizes, strict=True):
            combined = combined * size + codes
        if (total := math.prod(sizes)) >= 2**63:
            raise UnkeyedError("too many combinations")
        if total <= MOST_SPILLED:
            counts = np.bincount(combined, minlength=total)
            there = np.flatnonzero(counts)
            times = counts[there]
        else:
            there, times = np.unique(combined, return_counts=True)
        bits: dict[str, Bits] = {}
        for name, (*_, values), size in reversed(list(zip(names, coded, sizes, strict=True))):
            there, place = np.divmod(there, size)
            bits[name] = values[place]
        return _Seen(self._bits(bits, names), self._bits(bits, tracked.by), times.astype(np.int64))

    def _bits(self, bits: dict[str, Bits], names: Fields) -> Bits:
        some = [bits[name] for name in names]
        return some[0] if len(some) == 1 else self._keys.of_tuples(some) if some else np.zeros(0, np.uint64)


@dataclass
class Distinct:
    """The distinct combinations of a dataset so far. Those of fields that no two row groups share are only counted."""

    apart: bool
    """Whether no combination is in two row groups: the first key field is in it, and blocks hold its values whole."""
    by: bool
    kept: bool
    _parts: list[_Seen] = field(default_factory=list)
    _size: int = 0
    _counted: dict[int, int] = field(default_factory=dict)
    """By the bits of what they are apart by."""
    _times: tuple[int, int] = (2**62, 0)

    def add(self, seen: _Seen) -> None:
        if self.apart:
            self._count(seen)
        if not self.apart or self.kept:
            self._parts.append(seen)
            if sum(len(stretch.bits) for stretch in self._parts[1:]) > max(self._size, 2**16):
                self._merge()

    def _count(self, seen: _Seen) -> None:
        self._times = min(self._times[0], int(seen.times.min())), max(self._times[1], int(seen.times.max()))
        parts, counts = (
            np.unique(seen.by, return_counts=True) if self.by else (np.zeros(1, np.uint64), [len(seen.bits)])
        )
        for part, count in zip(parts.tolist(), counts, strict=True):
            self._counted[part] = self._counted.get(part, 0) + int(count)

    def _merge(self) -> None:
        bits = np.concatenate([stretch.bits for stretch in self._parts])
        order = np.argsort(bits, kind="stable")
        starts = np.flatnonzero(np.r_[True, bits[order][1:] != bits[order][:-1]]) if len(bits) else order
        times = np.add.reduceat(np.concatenate([stretch.times for stretch in self._parts])[order], starts)
        by = (
            np.concatenate([stretch.by for stretch in self._parts])[order][starts]
            if self.by
            else np.zeros(0, np.uint64)
        )
        self._parts = [_Seen(bits[order][starts], by, times)]
        self._size = len(starts)

    def _settle(self) -> None:
        if len(self._parts) > 1:
            self._merge()
        if not self.apart and self._parts and not self._counted:
            self._count(self._parts[0])

    @property
    def bits(self) -> Bits:
        """The combinations, in order."""
        if len(self._parts) != 1 or not self._size:
            self._merge()
        return self._parts[0].bits

    def counts(self) -> dict[int, int]:
        """How many there are, for each combination of what they are apart by."""
        self._settle()
        return self._counted

    def times(self) -> tuple[int, int]:
        """How often the rarest and the commonest are there."""
        self._settle()
        return self._times


@dataclass
class RowFacts:
    """What is known of the rows of one dataset together."""

    distinct: dict[Tracked, Distinct]
    printed: dict[str, set[str]]
    absent: set[str] = field(default_factory=set)
    """Fields that some row lacks."""

    def take(self, looked: _Looked) -> None:
        """One row group more."""
        for tracked, seen in looked.seen.items():
            self.distinct[tracked].add(seen)
        for name, texts in looked.printed.items():
            self.printed[name] |= texts
            if len(self.printed[name]) > MOST_PRINTED:
                raise NotLaidOutError(f"{name} has more values than tables could print")
        self.absent |= looked.absent

    def count(self, *fields: str) -> int:
        """How many combinations of some fields there are; absent counts as a value."""
        return sum(self.distinct[Tracked(fields)].counts().values())

    def present(self, name: str) -> int:
        """How many values a field has."""
        return self.count(name) - (name in self.absent)

    def complete(self, demand: Completeness) -> bool:
        """Whether every combination is there as often as declared."""
        by, groups = tuple(demand.by or ()), [tuple(group) for group in demand.every]
        whole = self.distinct[Tracked(_joined(groups), by)]
        due = dict.fromkeys(whole.counts(), 1)
        for group in groups:
            for part, count in self.distinct[Tracked(group, by)].counts().items():
                due[part] *= count
        times = demand.times or 1
        return due == whole.counts() and (bool(demand.several) or whole.times() == (times, times))

    def depends(self, on: list[str], name: str) -> bool:
        """Whether some fields determine another."""
        return self.count(*on) == self.count(*on, name)


def _joined(groups: Iterable[Fields]) -> Fields:
    return tuple(dict.fromkeys(name for group in groups for name in group))


def named_bits(columns: Iterable[pa.ChunkedArray], keys: Keys) -> Bits:
    """The bits of the distinct combinations of some columns that are held, in order."""
    table = pa.table(list(columns), names=[str(place) for place, _ in enumerate(columns)])
    return np.sort(_CodedColumns(table, keys).seen(Tracked(tuple(table.column_names))).bits)


def tracked_of(declaration: Dataset, others: Iterable[Dataset]) -> Iterator[Tracked]:
    """What must be counted of a dataset, given the declarations of all."""
    for demand in declaration.complete or []:
        by, groups = tuple(demand.by or ()), [tuple(group) for group in demand.every]
        for group in (*groups, _joined(groups)):
            yield Tracked(group, by)
        yield from (Tracked(group) for group in groups)
    for rule in declaration.depends or []:
        for name in rule.fields:
            yield from (Tracked(tuple(rule.on)), Tracked((*rule.on, name)))
    for name in declaration.counts or {}:
        yield Tracked((name,))
    for reference in declaration.references or []:
        yield Tracked(tuple(reference.fields), kept=True)
    for other in others:
        for reference in other.references or []:
            if reference.dataset == declaration.dataset:
                yield Tracked(tuple(reference.to or declaration.key), kept=True)


def judge(bundle: UnfinishedBundle, sources: Sources, workers: Workers) -> Streamed:
    """Looks at every row of a dataset; `NotLaidOutError` where it must be read whole."""
    (name,) = {entry.records for entry, _ in sources.values()}
    declarations = [document.record for document in bundle.sealed(Dataset)]
    declaration = next(declaration for declaration in declarations if declaration.dataset == name)
    form = bundle.declared[name]
    known = set(declaration.properties)
    tracked = tuple(dict.fromkeys(item for item in tracked_of(declaration, declarations) if known >= set(item.fields)))
    first = row_key(form)[0]
    facts = RowFacts(
        {item: Distinct(first in (*item.by, *item.fields), bool(item.by), item.kept) for item in tracked},
        {printed: set() for printed in declaration.printed or {}},
    )
    streamed = Streamed(View(Evidence(bundle)))
    give_memory_back()
    directory = scratch_directory("rows")
    try:
        kept, reached = [], None
        for place, (entry, file) in enumerate(sources.values()):
            look = _Look(file, bundle.keys, tracked, tuple(facts.printed))
            copy = directory / f"{place}.parquet"
            found = list(_looked_through(look, workers, facts, copy, bundle, entry))
            follows(reached, found[0])
            kept.append(KeptFile(copy, file))
            streamed.contents[entry.path], reached = of_proved(file, found), found[-1]
            if streamed.contents[entry.path] != entry.content_sha256 or file.rows != entry.rows:
                raise NotLaidOutError("its records are not those that were sealed")
    except BaseException:
        remove_scratch(directory)
        raise
    sizes = {entry.path: file.rows for entry, file in sources.values()}
    frame = streamed.frames[name] = StreamedFrame(name, sizes, bundle.again, form, kept)
    frame.facts = facts
    # The copies go when nobody can ask for them any more.
    weakref.finalize(frame, remove_scratch, directory)
    return streamed


def _looked_through(
    look: _Look, workers: Workers, facts: RowFacts, copy: Path, bundle: Bundle, entry: ListedFile
) -> Iterator[Block]:
    """Every row group of a file, whose bytes are copied as they are hashed."""
    file = look.file
    try:
        with copy.open("xb") as file.kept:
            for looked in workers.each(look, [file], ((shard,) for shard in file.shards())):
                bundle.budget.on_time(entry.path)
                facts.take(looked)
                yield looked.block
    except UnkeyedError as error:
        raise NotLaidOutError(f"its declaration speaks of a field that is no text and no number ({error})") from None
    finally:
        file.kept = None
