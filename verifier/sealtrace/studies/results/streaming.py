"""Datasets read a row group at a time: each is proved to be what was sealed, and a copy of its bytes is kept.

A row group is proved to be a block of rows in the order of their key, which its schema accepts; its digest stays.
Checks and recipes then read from the copy, a column at a time, what they would take from rows that are held.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sealtrace.bundle.frames import StreamedFrame
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
        return proved_block(self.file, shard)[1]


def judge(bundle: UnfinishedBundle, sources: Sources, workers: Workers) -> Streamed:
    """Looks at every row of a dataset; `NotLaidOutError` where it must be read whole."""
    (name,) = {entry.records for entry, _ in sources.values()}
    streamed = Streamed(View(Evidence(bundle)))
    give_memory_back()
    directory = scratch_directory("rows")
    try:
        kept, reached = [], None
        for place, (entry, file) in enumerate(sources.values()):
            copy = directory / f"{place}.parquet"
            found = list(_looked_through(_Look(file), workers, copy, bundle, entry))
            follows(reached, found[0])
            kept.append(KeptFile(copy, file))
            streamed.contents[entry.path], reached = of_proved(file, found), found[-1]
            if streamed.contents[entry.path] != entry.content_sha256 or file.rows != entry.rows:
                raise NotLaidOutError("its records are not those that were sealed")
    except BaseException:
        remove_scratch(directory)
        raise
    sizes = {entry.path: file.rows for entry, file in sources.values()}
    frame = streamed.frames[name] = StreamedFrame(name, sizes, bundle.again, bundle.declared[name], kept)
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
