"""Datasets read a row group at a time: each is proved to be what was sealed, and a copy of its bytes is kept.

A row group is proved to be a block of rows in the order of their key, which its schema accepts; its digest stays.
Checks and recipes then read from the copy, a column at a time, what they would take from rows that are held.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from sealtrace.bundle.encoding import ascending, by_reference, one_chunk, one_dictionary
from sealtrace.bundle.frames import KeptFrame
from sealtrace.bundle.identity import ListedFile
from sealtrace.bundle.model import Bundle, UnfinishedBundle
from sealtrace.bundle.placing import remove_scratch, scratch_directory
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
from sealtrace.evidence import Evidence, View


@dataclass(frozen=True)
class _Look:
    """Proves row groups of one file. A worker's answer must be of the type that the call declares."""

    file: LaidOut

    def __call__(self, shard: Shard) -> Block:
        rows, block = proved_block(self.file, shard)
        return replace(block, held=dict(_by_reference(rows)))


def _by_reference(rows: pa.Table) -> Iterator[tuple[str, pa.DictionaryArray]]:
    """The columns of texts, whole numbers and flags: of other numbers, hardly any stands there twice."""
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        array = one_chunk(column)
        if not (pa.types.is_nested(array.type) or pa.types.is_floating(array.type)):
            array = by_reference(array)
            yield name, _narrow(array, len(array.dictionary))


class _Held:
    """Columns by reference, of row groups that come one after the other; one that takes many bytes is let go."""

    def __init__(self) -> None:
        self._chunks: dict[str, list[pa.DictionaryArray]] = {}
        self._bytes: Counter[str] = Counter()
        self._rows = 0

    def add(self, block: Block, rows: int) -> None:
        """Those of the next row group, which are taken from its block."""
        for name in block.held if not self._rows else ():
            self._chunks[name] = []
        self._rows += rows
        for name in list(self._chunks):
            array = block.held[name]
            self._bytes[name] += array.nbytes
            if self._bytes[name] > max(SMALL, HELD * self._rows):
                del self._chunks[name]
            else:
                self._chunks[name].append(array)
        block.held.clear()

    def columns(self) -> dict[str, pa.ChunkedArray]:
        """Each as one array."""
        return {name: pa.chunked_array([_one_array(self._chunks.pop(name))]) for name in list(self._chunks)}


def _one_array(chunks: list[pa.DictionaryArray]) -> pa.DictionaryArray:
    values = pa.concat_arrays([chunk.dictionary for chunk in chunks])
    size = len(values) if ascending(values) else len(values.unique())
    return _narrow(one_chunk(one_dictionary(pa.chunked_array([_narrow(chunk, size) for chunk in chunks]))), size)


def _narrow(array: pa.DictionaryArray, size: int) -> pa.DictionaryArray:
    """A column with references of as few bytes as tell so many values apart; all were proved to be of a value."""
    kind = next(kind for kind in (pa.int8(), pa.int16(), pa.int32()) if size < 2 ** (kind.bit_width - 1))
    if array.indices.type == kind:
        return array
    return pa.DictionaryArray.from_arrays(array.indices.cast(kind, safe=False), array.dictionary, safe=False)


HELD = 8
"""Bytes a row that a column may take."""
SMALL = 2**24
"""Bytes that any column may take."""


def judge(bundle: UnfinishedBundle, sources: Sources, workers: Workers) -> Streamed:
    """Looks at every row of a dataset; `NotLaidOutError` where it must be read whole."""
    (name,) = {entry.records for entry, _ in sources.values()}
    streamed = Streamed(View(Evidence(bundle)))
    give_memory_back()
    directory = scratch_directory("rows")
    try:
        kept, held, reached = [], _Held(), None
        for place, (entry, file) in enumerate(sources.values()):
            copy = directory / f"{place}.parquet"
            found = []
            for block, rows in zip(_looked_through(_Look(file), workers, copy, bundle, entry), file.sizes, strict=True):
                held.add(block, rows)
                found.append(block)
            follows(reached, found[0])
            kept.append(KeptFile(copy, file))
            streamed.contents[entry.path], reached = of_proved(file, found), found[-1]
            if streamed.contents[entry.path] != entry.content_sha256 or file.rows != entry.rows:
                raise NotLaidOutError("its records are not those that were sealed")
    except BaseException:
        remove_scratch(directory)
        raise
    sizes = {entry.path: file.rows for entry, file in sources.values()}
    frame = streamed.frames[name] = KeptFrame(name, sizes, bundle.again, bundle.declared[name], kept, held.columns())
    # The copies go when nobody can ask for them any more.
    weakref.finalize(frame, remove_scratch, directory)
    return streamed


def _looked_through(look: _Look, workers: Workers, copy: Path, bundle: Bundle, entry: ListedFile) -> Iterator[Block]:
    """Every row group of a file, whose bytes are copied as they are hashed."""
    file = look.file
    try:
        with copy.open("xb") as file.kept:
            for block in workers.each(look, [file], ((shard,) for shard in file.shards())):
                bundle.budget.on_time(entry.path)
                yield block
    finally:
        file.kept = None
