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
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from sealtrace.bundle import blocks, encoding
from sealtrace.bundle.archives import Opened
from sealtrace.bundle.arrays import text_lines
from sealtrace.bundle.content import combined_codes, row_name
from sealtrace.bundle.parquet import as_declared, footer_texts, text_leaves, values_of_texts
from sealtrace.bundle.parquet_footer import leaves
from sealtrace.bundle.predicates import check_table
from sealtrace.bundle.privacy import marks_in
from sealtrace.bundle.shapes import (
    Flag,
    Integer,
    Mapping,
    Number,
    RowKind,
    Sequence,
    Shape,
    Struct,
    Text,
    row_key,
    row_shape,
)

MOST_BYTES = 2**28
"""A row group that takes more when decoded is not looked at by itself."""


class NotLaidOutError(Exception):
    """The file can be read, but not a row group at a time."""


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

    def refuse(self, texts: Iterable[bytes]) -> None:
        """`NotLaidOutError` where one of some texts, a line each, may not be there."""
        pieces = list(texts)
        if self.later and not self.later.isdisjoint(one for text in pieces for one in _LINE.findall(text)):
            raise NotLaidOutError("it names the digest of a later file")
        if self.people and any(marks_in(pieces, "")):
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
        self.texts = footer_texts(self.metadata, self.metadata.schema.to_arrow_schema())

    def _read_tail(self) -> bytes:
        file = self._file
        file.seek(max(0, self.size - 8))
        end = file.read(8)
        length = int.from_bytes(end[:4], "little")
        if len(end) < 8 or end[4:] != b"PAR1" or length > min(self.size - 12, MOST_BYTES):
            raise NotLaidOutError("there is no footer")
        file.seek(self.size - 8 - length)
        tail: bytes = file.read(length + 8)
        file.seek(0)
        return tail

    def _extents(self, decoded: int) -> list[tuple[int, int, int]]:
        """Start, end and rows of each row group; they must follow each other, as a writer puts them."""
        groups, end = [], 4
        for place in range(self.metadata.num_row_groups):
            group = self.metadata.row_group(place)
            columns = [group.column(index) for index in range(group.num_columns)]
            starts = [min(filter(None, (one.dictionary_page_offset, one.data_page_offset))) for one in columns]
            stop = max(start + one.total_compressed_size for start, one in zip(starts, columns, strict=True))
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
        for field in self.shape.fields:
            inside = {path for path in paths if path == field.name or path.startswith(f"{field.name}.")}
            match field.shape:
                case Text() | Sequence() | Number() | Integer() | Flag():
                    fits = inside <= {field.name}
                case Mapping(value=Number()):
                    fits = all(path.count(".") == 1 for path in inside)
                case _:
                    fits = not inside
            if not fits:
                raise NotLaidOutError(f"{field.name} is not a flat column")
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
        return self.__dict__ | {"_file": None, "_digest": None, "kept": None}

    def extent(self, place: int) -> tuple[int, int]:
        """Where the bytes of a row group start and end."""
        return self._groups[place][:2]

    @property
    def sha256(self) -> str:
        """The digest of the bytes, after the last shard."""
        return str(self._digest.hexdigest())

    def decoded(self, shard: Shard) -> pa.Table:
        """The columns of a row group as they lie in the file: texts and lists by reference."""
        import pyarrow.parquet as pq

        start, _, rows = self._groups[shard.place]
        try:
            window = pa.PythonFile(_Window(start, shard.data), "r")
            file = pq.ParquetFile(window, metadata=self.metadata, read_dictionary=self.names)
            table = file.read_row_group(shard.place, use_threads=False).combine_chunks()
            for column in table.columns:
                if pa.types.is_dictionary(column.type):
                    _sound_dictionary(column.chunk(0))
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise NotLaidOutError(str(error)) from None
        if table.num_rows != rows:
            raise NotLaidOutError("a row group has another number of rows than it says")
        return table


@dataclass(frozen=True)
class Block:
    """What one row group says of itself, once it is proved to be a block of rows in the order of their key."""

    first: Any
    last: Any
    """The first key field of its first and last row."""
    digest: bytes


def proved_block(file: LaidOut, shard: Shard, table: pa.Table) -> tuple[pa.Table, Block]:
    """The rows of a shard, as declared, which their schema accepts; `NotLaidOutError` where they are no block."""

    def misfit(*_: object) -> None:
        raise NotLaidOutError("its schema refuses a row")

    try:
        declared, key = as_declared(table, file.form), row_key(file.form)
    except (TypeError, pa.ArrowException) as error:
        raise NotLaidOutError(str(error)) from None
    check_table(declared, file.shape, misfit)
    codes, whole = combined_codes(declared, key), encoding.ranks(declared.column(key[0]))[0]
    if not np.all(codes[1:] > codes[:-1]):
        raise NotLaidOutError("its rows are not in the order of their key, each once")
    short = shard.rows < blocks.BLOCK and shard.first + shard.rows < file.rows
    if short or blocks.starts_of(whole) != [0, shard.rows]:
        raise NotLaidOutError("its row groups are not the blocks of its digest")
    file.forbidden.refuse(text_lines(table.columns))
    states = declared.column(key[0])
    return declared, Block(states[0].as_py(), states[-1].as_py(), digest_of(table, file.shape))


def of_proved(file: LaidOut, found: Several[Block]) -> str:
    """The content digest of a file from its blocks, which must follow each other."""
    for before, after in pairwise(found):
        follows(before, after)
    return blocks.of_blocks(row_name(file.form), file.rows, [one.digest for one in found])


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
        declared, block = proved_block(file, shard, file.decoded(shard))
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
        self, look: Callable[..., _Given], _: Several[LaidOut], shards: Iterable[tuple[Shard, ...]]
    ) -> Iterator[_Given]:
        if self.jobs == 1:
            for some in shards:
                yield look(*some)
            return
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting: deque[Future[_Given]] = deque()
            for some in shards:
                waiting.append(pool.submit(look, *some))
                if len(waiting) > self.jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


class KeptFile:
    """A copy of the bytes that were hashed, whose columns can be read again."""

    def __init__(self, path: Path, file: LaidOut) -> None:
        self.path, self._laid_out = path, file
        self.rows, self.form = file.rows, file.form
        self.starts = np.cumsum([0, *(rows for _, _, rows in file._groups)])
        self._there = file.metadata.schema.to_arrow_schema().names

    def tables(self, fields: Several[str], groups: Iterable[int] | None = None) -> Iterator[pa.Table]:
        """Some fields of the rows, as declared, a row group at a time; all row groups unless some are named."""
        import pyarrow.parquet as pq

        fields = list(fields)
        there = [name for name in fields if name in self._there]
        with pq.ParquetFile(self.path, metadata=self._laid_out.metadata, read_dictionary=self._laid_out.names) as file:
            for place in range(len(self.starts) - 1) if groups is None else groups:
                rows = int(self.starts[place + 1] - self.starts[place])
                table = file.read_row_group(place, columns=there, use_threads=False) if there else _no_columns(rows)
                yield as_declared(table, self.form, fields)


def _no_columns(rows: int) -> pa.Table:
    return pa.table({"": pa.nulls(rows)})


class _Window(io.RawIOBase):
    """The bytes of one row group at the place that they have in their file."""

    def __init__(self, start: int, data: bytes) -> None:
        self._start, self._data, self._at = start, memoryview(data), 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset if whence == 0 else self._at + offset if whence == 1 else self._start + len(self._data)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        begin = self._at - self._start
        if begin < 0 or size < 0:
            raise OSError(0, "outside of the row group")
        piece = bytes(self._data[begin : begin + size])
        self._at += len(piece)
        return piece

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


def column_of(table: pa.Table, name: str) -> pa.Array | None:
    """A column of a shard; None where it was left out, as nothing is in it."""
    place = table.schema.get_field_index(name)
    return None if place < 0 else table.column(place).chunk(0) if table.num_rows else None


def digest_of(table: pa.Table, shape: Struct) -> bytes:
    """The digest of a block from its columns as they lie in the file."""
    digest = hashlib.sha256(encoding.count(table.num_rows))
    for field in shape.fields:
        array = column_of(table, field.name)
        if array is None or array.null_count == len(array):
            continue
        if pa.types.is_dictionary(array.type):
            _write_dictionary(array, field.name, field.shape, digest.update)
        elif pa.types.is_struct(array.type) and not array.null_count:
            names = [child.name for child in array.type]
            if names != sorted(names, key=str.encode) or len(set(names)) < len(names):
                raise NotLaidOutError("names of a map are not in order")
            digest.update(field.name.encode() + b"\0m1")
            for name, child in zip(names, array.flatten(), strict=True):
                if child.null_count < len(child):
                    encoding.column(child, name, Number(), digest.update)
        elif isinstance(field.shape, Number | Integer | Flag):
            encoding.column(array, field.name, field.shape, digest.update)
        else:
            raise NotLaidOutError(f"{field.name} is not by reference")
    return digest.digest()


def _write_dictionary(array: pa.DictionaryArray, name: str, shape: Any, sink: encoding.Sink) -> None:
    texts = array.dictionary
    codes = (array.indices.fill_null(-1) if array.null_count else array.indices).to_numpy()
    if not isinstance(shape, Text):
        blocks.write_references(name, codes, _encoded(tuple(texts.to_pylist()), shape), sink)
        return
    if len(texts) < _FEW and len(set(texts.to_pylist())) < len(texts):
        raise NotLaidOutError(f"a text of {name} is listed twice")
    if len(texts) >= _FEW and not encoding.ascending(texts):
        raise NotLaidOutError(f"the texts of {name} are not in order")
    blocks.write_texts(name, codes, texts, sink)


_FEW = 256


@lru_cache(maxsize=64)
def _encoded(texts: tuple[str, ...], shape: Shape) -> list[bytes]:
    """The encodings of lists; row groups of a file mostly have the same."""
    encodings = blocks.encoded(values_of_texts(list(texts), shape), shape)
    if len(set(encodings)) < len(encodings):
        raise NotLaidOutError("a list is written in two ways")
    return encodings


def _sound_dictionary(array: pa.DictionaryArray) -> None:
    """Every code stands for a text, every text is UTF-8 and stands in some row; most do in the first ones."""
    array.dictionary.validate(full=True)
    size = len(array.dictionary)
    codes = (array.indices.drop_null() if array.null_count else array.indices).to_numpy()
    if len(codes) and not (codes.min() >= 0 and codes.max() < size):
        raise ValueError("a code stands for nothing")
    used = (np.bincount(some, minlength=size) > 0 for some in (codes[: 2 * size + 4096], codes))
    if not any(one.all() for one in used):
        raise NotLaidOutError("a text stands in no row of its row group")
