"""Laid-out Parquet read once from front to back: each row group is hashed, decoded, and let go.

The footer, which comes last, says where the row groups lie; it is read first, and compared with the bytes that are
hashed when the reading gets there. So what is decoded is what was hashed, and no more than a few row groups are held.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as Several
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from sealtrace.bundle import blocks, encoding
from sealtrace.bundle.archives import Opened
from sealtrace.bundle.content import combined_codes, row_name
from sealtrace.bundle.encoding import as_long_as_digests, malloc_settings, text_lines
from sealtrace.bundle.json_columns import check_table
from sealtrace.bundle.parquet import as_declared, footer_texts, leaves, text_leaves
from sealtrace.bundle.placing import stamp_of
from sealtrace.bundle.privacy import doubtful, marks_in
from sealtrace.bundle.shapes import (
    Flag,
    Integer,
    Mapping,
    NumberShape,
    RowKind,
    Sequence,
    Struct,
    Text,
    row_key,
    row_shape,
)
from sealtrace.bundle.shard_columns import Columns, NotLaidOutError, PageReader

MOST_BYTES = 2**28
"""A row group that takes more when decoded is not looked at by itself."""


USUAL_FOOTER = 2**18
"""Bytes at the end of a file that are read at once."""


class LostShardError(Exception):
    """Nobody could look at a row group: not because of what it holds, so that nothing follows for the bundle."""


@dataclass(frozen=True)
class Shard:
    """One row group, still encoded."""

    place: int
    first: int
    """How many rows come before it."""
    rows: int
    data: bytes


@dataclass(frozen=True)
class Forbidden:
    """What no text of a file may say; a file that does is read whole, so that every place of it can be told."""

    later: frozenset[bytes] = frozenset()
    """Digests of files that are sealed after it."""
    people: bool = False
    """Whether marks of people and machines are looked for."""

    def refuse(self, digests: Iterable[bytes], texts: Iterable[bytes]) -> None:
        """`NotLaidOutError` where a text, a line each, may not be there: what may be digests, what may be marks."""
        if self.later and not self.later.isdisjoint(line for text in digests for line in _LINE.findall(text)):
            raise NotLaidOutError("it names the digest of a later file")
        if self.people and any(marks_in(texts, "")):
            raise NotLaidOutError("it holds marks of people")


_LINE = re.compile(rb"^[0-9a-f]{64}$", re.MULTILINE)


class LaidOut:
    """A file of rows that is laid out for reading. `NotLaidOutError` or `OSError` where it is not."""

    def __init__(self, opened: Opened, kind: RowKind) -> None:
        import pyarrow.parquet as pq

        self.form, self.shape = kind, row_shape(kind)
        self.size = opened.size
        self._file: Any = opened.file
        self._digest: Any = hashlib.sha256()
        self.kept: IO[bytes] | None = None
        """Where to put a copy of the bytes that are hashed, if anywhere."""
        self.forbidden = Forbidden()
        self.source: str | None = None
        """Path or address by which others can open the file; None where they cannot."""
        try:
            self._tail = self._read_tail()
            self.metadata = pq.read_metadata(pa.BufferReader(b"PAR1" + self._tail))
            found = leaves(memoryview(b"PAR1" + self._tail))
        except (pa.ArrowException, ValueError, OverflowError, AttributeError, io.UnsupportedOperation) as error:
            raise NotLaidOutError(str(error)) from None
        self.rows: int = self.metadata.num_rows
        self._footer_start = self.size - len(self._tail)
        self._groups = self._extents(sum(leaf.values * 8 + leaf.bytes for leaf in found))
        self.names = self._columns({leaf.path for leaf in found}, {leaf.path for leaf in found if leaf.deltas})
        self._idle: list[PageReader] = []  # those that no thread uses
        self.texts = footer_texts(self.metadata, self.metadata.schema.to_arrow_schema())

    def _read_tail(self) -> bytes:
        file = self._file
        # Enough for most footers: where the file is packed, each time that it is gone back costs unpacking it.
        file.seek(max(0, self.size - USUAL_FOOTER))
        end: bytes = file.read(USUAL_FOOTER)
        length = int.from_bytes(end[-8:-4], "little")
        if len(end) < 8 or end[-4:] != b"PAR1" or length > min(self.size - 12, MOST_BYTES):
            raise NotLaidOutError("there is no footer")
        if length + 8 > len(end):
            file.seek(self.size - 8 - length)
            end = file.read(length + 8)
        file.seek(0)
        return end[-8 - length :]

    def _extents(self, decoded: int) -> list[tuple[int, int, int]]:
        """Start, end and rows of each row group; they must follow each other, as a writer puts them."""
        groups, end = [], 4
        for place in range(self.metadata.num_row_groups):
            group = self.metadata.row_group(place)
            columns = [group.column(index) for index in range(group.num_columns)]
            pages = [(column.dictionary_page_offset, column.data_page_offset) for column in columns]
            starts = [min(filter(None, offsets), default=0) for offsets in pages]  # a group without rows has none
            lengths = [column.total_compressed_size for column in columns]
            stop = max((start + length for start, length in zip(starts, lengths, strict=True)), default=0)
            if not columns or min(starts) != end or not end < stop <= self._footer_start:
                raise NotLaidOutError("its row groups do not follow each other")
            groups.append((end, stop, group.num_rows))
            end = stop
        largest = max((rows for _, _, rows in groups), default=0)
        if not groups or decoded * largest > MOST_BYTES * max(1, self.rows):
            raise NotLaidOutError("its row groups are too large, or there are none")
        return groups

    def _columns(self, paths: set[str], deltas: set[str]) -> list[str]:
        """The columns; each must be there as it is laid out."""
        wanted: dict[str, bool] = {}
        for one in self.shape.fields:
            inside = {path for path in paths if path == one.name or path.startswith(f"{one.name}.")}
            match one.shape:
                case Text() | Sequence() | NumberShape() | Integer() | Flag():
                    fits = inside <= {one.name}
                case Mapping(value=NumberShape()):
                    fits = all(path.count(".") == 1 for path in inside)
                case _:
                    fits = not inside
            if not fits:
                raise NotLaidOutError(f"{one.name} is not a flat column")
            wanted |= dict.fromkeys(inside, True)
        if paths - wanted.keys() or paths & deltas:
            raise NotLaidOutError("it has columns that the schema has not, or encodings that are not read by reference")
        return [path for path in text_leaves(self.shape) if path in paths]

    def shards(self) -> Iterator[Shard]:
        """The row groups in order, hashed on the way; `OSError` where the file is not what it said."""
        place = first = 0
        self._take(0, 4)
        for start, stop, rows in self._groups:
            yield Shard(place, first, rows, self._take(start, stop))
            place, first = place + 1, first + rows
        end = self._groups[-1][1]
        while end < self._footer_start:
            end += len(self._take(end, min(end + 2**20, self._footer_start)))
        # The footer was read first and is hashed last; between the two the file may have been replaced.
        if self._take(end, self.size) != self._tail or self._file.read(1):
            raise OSError(0, "it changed while it was being read")

    def _take(self, start: int, stop: int) -> bytes:
        data: bytes = self._file.read(stop - start)
        if len(data) != stop - start:
            raise OSError(0, "it has another length than it says")
        self._digest.update(data)
        if self.kept is not None:
            self.kept.write(data)
        return data

    def __getstate__(self) -> dict[str, Any]:
        """What decodes a shard elsewhere: everything but the open file."""
        return self.__dict__ | {"_file": None, "_digest": None, "kept": None, "_idle": []}

    @property
    def sizes(self) -> list[int]:
        """The rows of each row group."""
        return [rows for _, _, rows in self._groups]

    def extent(self, place: int) -> tuple[int, int]:
        """Where the bytes of a row group start and end."""
        return self._groups[place][:2]

    @property
    def sha256(self) -> str:
        """The digest of the bytes, after the last shard."""
        return str(self._digest.hexdigest())

    def decoded(self, shard: Shard) -> Columns:
        """The columns of a row group as they lie in the file: texts and lists by reference."""
        try:
            reader = self._idle.pop()
        except IndexError:  # asked before, another thread could take the last one meanwhile
            reader = PageReader(self.metadata, self.names)
        columns = reader.columns(shard.place, shard.rows, self._groups[shard.place][0], shard.data)
        self._idle.append(reader)
        return columns


@dataclass(frozen=True)
class Block:
    """What one row group says of itself, once it is proved to be a block of rows in the order of their key."""

    first: Any
    last: Any
    """The first key field of its first and last row."""
    digest: bytes
    held: dict[str, pa.DictionaryArray] = field(default_factory=dict)
    """Columns that were kept of it, by reference, so that nobody has to decode them again."""


def proved_block(file: LaidOut, shard: Shard) -> tuple[pa.Table, Block]:
    """The rows of a shard, as declared, which their schema accepts; `NotLaidOutError` where they are no block."""

    def misfit(*_: object) -> None:
        raise NotLaidOutError("its schema refuses a row")

    columns = file.decoded(shard)
    try:
        for column in columns.values():
            column.prove()
        table = columns.table
        declared, key = as_declared(table, file.shape), row_key(file.form)
    except (TypeError, pa.ArrowException) as error:
        raise NotLaidOutError(str(error)) from None
    check_table(declared, file.shape, misfit)
    codes, whole = combined_codes(declared, key), encoding.ranks(declared.column(key[0]))[0]
    if not np.all(codes[1:] > codes[:-1]):
        raise NotLaidOutError("its rows are not in the order of their key, each once")
    # Only the last block may be short: cut elsewhere, the same records would have another digest.
    short = shard.rows < blocks.BLOCK and shard.first + shard.rows < file.rows
    if short or blocks.starts_of(whole) != [0, shard.rows]:
        raise NotLaidOutError("its row groups are not the blocks of its digest")
    file.forbidden.refuse(text_lines(table.columns, as_long_as_digests), text_lines(table.columns, doubtful))
    states = declared.column(key[0])
    return declared, Block(states[0].as_py(), states[-1].as_py(), columns.digest(file.shape))


def of_proved(file: LaidOut, found: Several[Block]) -> str:
    """The content digest of a file from its blocks, which must follow each other."""
    for before, after in pairwise(found):
        follows(before, after)
    return blocks.of_blocks(row_name(file.form), file.rows, [block.digest for block in found])


def follows(before: Block | None, after: Block) -> None:
    """Refuses a block that does not come after another in the order of their keys."""
    if before is not None and not _sorted_as(before.last) < _sorted_as(after.first):
        raise NotLaidOutError("its row groups are not in the order of their key")


def _sorted_as(value: Any) -> tuple[bool, Any]:
    return (value is not None, value.encode() if isinstance(value, str) else value)


def sealed_through(file: LaidOut) -> tuple[str, set[str | None]]:
    """Content digest and splits of a file, a row group at a time; `NotLaidOutError` where it must be read whole.

    Refused, too, is a file whose rows are not in the order of their key, or whose row groups are not blocks.
    """
    splits, found = set[str | None](), []
    for shard in file.shards():
        declared, block = proved_block(file, shard)
        splits.update(declared.column("split").unique().to_pylist() if "split" in declared.column_names else [])
        found.append(block)
    return of_proved(file, found), splits


_Given = TypeVar("_Given")


class Workers(Protocol):
    """Who looks at shards: threads of this process, or processes elsewhere."""

    def each(
        self, look: Callable[..., _Given], files: Several[LaidOut], shards: Iterable[tuple[Shard, ...]], /
    ) -> Iterator[_Given]:
        """What `look` gives for the shards of some files, in their order, with no more than a few under way."""


@dataclass(frozen=True)
class Threads:
    """So many threads of this process."""

    jobs: int = 1

    def each(
        self, look: Callable[..., _Given], _: Several[LaidOut], shards: Iterable[tuple[Any, ...]]
    ) -> Iterator[_Given]:
        if self.jobs == 1:
            for some in shards:
                yield look(*some)
            return
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting: deque[Future[_Given]] = deque()
            for some in shards:
                waiting.append(pool.submit(look, *some))
                # Whoever reads them may have something else to do meanwhile.
                if len(waiting) > 2 * self.jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


def give_memory_back() -> tuple[int, ...] | None:
    """Has glibc return what is freed, and not keep it for arrays that never come; 1 for each setting that it took."""
    return malloc_settings(arenas=2, trim_threshold=2**22, mmap_threshold=2**22)


class KeptFile:
    """A copy of the bytes that were hashed, whose columns can be read again."""

    def __init__(self, path: Path, file: LaidOut) -> None:
        self.path, self._laid_out = path, file
        self.stamp = stamp_of(path)
        self.rows, self.form = file.rows, file.form
        self.starts = np.cumsum([0, *file.sizes])
        self._there = file.metadata.schema.to_arrow_schema().names

    def tables(self, fields: Several[str], groups: Iterable[int] | None = None) -> Iterator[pa.Table]:
        """Some fields of the rows, as declared, a row group at a time; all row groups unless some are named."""
        import pyarrow.parquet as pq

        there = [name for name in fields if name in self._there]
        shape = Struct(tuple(field for field in self._laid_out.shape.fields if field.name in fields))
        with pq.ParquetFile(self.path, metadata=self._laid_out.metadata, read_dictionary=self._laid_out.names) as file:
            for place in range(len(self.starts) - 1) if groups is None else groups:
                rows = int(self.starts[place + 1] - self.starts[place])
                none = pa.table({"": pa.nulls(rows)})
                table = file.read_row_group(place, columns=there, use_threads=False) if there else none
                yield as_declared(table, shape)
