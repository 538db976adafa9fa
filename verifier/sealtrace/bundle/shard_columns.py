"""The columns of one row group as they lie in a laid-out file: decoded, hashed, and let go.

Most columns by reference say the same in every row group: the candidates of a state, its legal actions, the split. What
was decoded, proved sound and encoded for the digest once is taken again wherever the same bytes come again.
"""

from __future__ import annotations

import hashlib
import io
from collections import OrderedDict
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sealtrace.bundle import blocks, encoding
from sealtrace.bundle.parquet import values_of_texts
from sealtrace.bundle.shapes import Flag, Integer, NumberShape, Shape, Struct, Text

_FEW = 256
"""So few texts may come in any order; more are in order, which is cheaper to see than to make."""
_LONGEST = 2**16
"""Bytes of an encoded column that is worth being remembered."""
_REMEMBERED = 32


class NotLaidOutError(Exception):
    """The file can be read, but not a row group at a time."""


class ShardColumn:
    """A column of a row group. What is derived of it is computed when first asked for, once."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array
        self.proved: set[tuple[object, ...]] = set()
        """What those who look at row groups have proved of it, which need not be proved again."""
        self._written: dict[tuple[str, Shape], list[Any]] = {}

    @cached_property
    def codes(self) -> npt.NDArray[np.int32]:
        """By reference: the place of each row's text; -1 for absent."""
        return encoding.references(self.array)

    @cached_property
    def texts(self) -> list[str]:
        """What codes stand for."""
        texts: list[str] = self.array.dictionary.to_pylist()
        return texts

    def prove(self) -> None:
        """Every code stands for a text, every text is UTF-8 and stands in some row; or `NotLaidOutError`."""
        if ("sound",) in self.proved or not pa.types.is_dictionary(self.array.type):
            return
        size = len(self.array.dictionary)
        try:
            self.array.dictionary.validate(full=True)
        except pa.ArrowException as error:
            raise NotLaidOutError(str(error)) from None
        codes = self.codes[self.codes >= 0] if self.array.null_count else self.codes
        if len(codes) and not (codes.min() >= 0 and codes.max() < size):
            raise NotLaidOutError("a code stands for nothing")
        # Most stand in the first rows already.
        if not any((np.bincount(some, minlength=size) > 0).all() for some in (codes[: 2 * size + 4096], codes)):
            raise NotLaidOutError("a text stands in no row of its row group")
        self.proved.add(("sound",))

    def written(self, name: str, shape: Shape) -> Iterable[Any]:
        """What the column adds to its block's digest, in pieces."""
        array = self.array
        if array.null_count == len(array):
            return []
        if pa.types.is_dictionary(array.type):
            if (name, shape) not in self._written:
                pieces: list[Any] = []
                self._write_references(name, shape, lambda piece: pieces.append(_kept(piece)))
                self._written[name, shape] = pieces  # When it is whole, and not before: threads share a column.
            return self._written[name, shape]
        found: list[Any] = []
        if pa.types.is_struct(array.type) and not array.null_count:
            names = [child.name for child in array.type]
            if names != sorted(names, key=str.encode) or len(set(names)) < len(names):
                raise NotLaidOutError("names of a map are not in order")
            found.append(name.encode() + b"\0m1")
            for key, child in zip(names, array.flatten(), strict=True):
                encoding.column(child, key, NumberShape(), found.append)
        elif isinstance(shape, NumberShape | Integer | Flag):
            encoding.column(array, name, shape, found.append)
        else:
            raise NotLaidOutError(f"{name} is not by reference")
        return found

    def _write_references(self, name: str, shape: Shape, sink: encoding.Sink) -> None:
        texts = self.array.dictionary
        if not isinstance(shape, Text):
            blocks.write_references(name, self.codes, _encoded(tuple(self.texts), shape), sink)
            return
        if len(texts) < _FEW and len(set(self.texts)) < len(texts):
            raise NotLaidOutError(f"a text of {name} is listed twice")
        if len(texts) >= _FEW and not encoding.ascending(texts):
            raise NotLaidOutError(f"the texts of {name} are not in order")
        blocks.write_texts(name, self.codes, texts, sink, ordered=len(texts) >= _FEW)


def _kept(piece: Any) -> Any:
    """A piece that stays the same: views of Arrow's memory are copied."""
    return bytes(piece) if isinstance(piece, memoryview) else piece


@lru_cache(maxsize=64)
def _encoded(texts: tuple[str, ...], shape: Shape) -> list[bytes]:
    """The encodings of lists; row groups of a file mostly have the same."""
    encodings = blocks.encoded(values_of_texts(list(texts), shape), shape)
    if len(set(encodings)) < len(encodings):
        raise NotLaidOutError("a list is written in two ways")
    return encodings


class Columns(dict[str, ShardColumn]):
    """The columns of one row group by name; one that was left out is not there."""

    rows = 0

    @property
    def table(self) -> pa.Table:
        return pa.table({name: column.array for name, column in self.items()})

    def digest(self, shape: Struct) -> bytes:
        """The digest of the block that the row group is."""
        digest = hashlib.sha256(encoding.count(self.rows))
        for field in shape.fields:
            if (column := self.get(field.name)) is not None:
                for piece in column.written(field.name, field.shape):
                    digest.update(piece)
        return digest.digest()


class Decoder:
    """Decodes the row groups of files of one form; the same bytes are decoded once."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Any, ...], ShardColumn] = OrderedDict()
        self._idle: dict[int, list[_PageReader]] = {}
        """Readers that nobody uses, by the footer of their file."""

    def __getstate__(self) -> dict[str, Any]:
        """Another process starts with an empty decoder."""
        return {"_known": OrderedDict(), "_idle": {}}

    def columns(self, metadata: Any, texts: list[str], place: int, start: int, data: bytes) -> Columns:
        """The columns of a row group, texts and lists by reference, given its bytes and where they start."""
        group, idle = metadata.row_group(place), self._idle.setdefault(id(metadata), [])
        found, known = Columns(), {}
        found.rows = group.num_rows
        for index in range(group.num_columns):
            chunk = group.column(index)
            # Few bytes often come again (candidates, legal actions, the split); long columns differ from group to
            # group.
            if chunk.path_in_schema in texts and chunk.total_compressed_size <= _LONGEST:
                first = min(filter(None, (chunk.dictionary_page_offset, chunk.data_page_offset))) - start
                encoded = data[first : first + chunk.total_compressed_size]
                known[chunk.path_in_schema] = chunk.compression, chunk.num_values, found.rows, encoded
        try:
            reader = _idle(idle) or _PageReader(metadata, texts)
            names = reader.names
            keys = {name: (*known[name], *reader.kinds[name]) for name in known}
            remembered = {name: self._recalled(keys[name]) if name in keys else None for name in names}
            fresh = [name for name in names if remembered[name] is None]
            table = reader.read(place, fresh, start, data)
            idle.append(reader)
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise NotLaidOutError(str(error)) from None
        if len(set(names)) < len(names) or (fresh and table.num_rows != found.rows):
            raise NotLaidOutError("a row group has another number of rows than it says, or a column twice")
        for name in names:
            column = remembered[name]
            if column is None:
                column = ShardColumn(encoding.one_chunk(table.column(name)))
                if name in keys:
                    self._known[keys[name]] = column
            found[name] = column
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found

    def _recalled(self, key: tuple[Any, ...]) -> ShardColumn | None:
        """A column that is known, which is then the last to be forgotten; another thread may not find it meanwhile."""
        column = self._known.pop(key, None)
        if column is not None:
            self._known[key] = column
        return column


def _idle(readers: list[_PageReader]) -> _PageReader | None:
    """A reader that nobody uses; between a look whether there is one and taking it, another thread could take it."""
    try:
        return readers.pop()
    except IndexError:
        return None


class _PageReader:
    """Reads row groups of one file, one after the other, from their bytes."""

    def __init__(self, metadata: Any, texts: list[str]) -> None:
        import pyarrow.parquet as pq

        self._window = _Window()
        self._file = pq.ParquetFile(pa.PythonFile(self._window, "r"), metadata=metadata, read_dictionary=texts)
        self.names: list[str] = self._file.schema_arrow.names
        self.kinds = {field.name: (field.nullable, str(field.type)) for field in self._file.schema_arrow}

    def read(self, place: int, names: list[str], start: int, data: bytes) -> pa.Table:
        """Some columns of a row group whose bytes start there."""
        self._window.show(start, data)
        return self._file.read_row_group(place, columns=names, use_threads=False)


class _Window(io.RawIOBase):
    """The bytes of one row group at their place in the file. The length of the file is never asked for."""

    _start, _data, _at = 0, memoryview(b""), 0

    def show(self, start: int, data: bytes) -> None:
        """From now on, these bytes."""
        self._start, self._data, self._at = start, memoryview(data), 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset if whence == 0 else self._at + offset if whence == 1 else 2**62
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        return bytes(self.read_buffer(size))

    def read_buffer(self, size: int = -1) -> memoryview:
        """Bytes that are not copied, which Arrow asks for where it can."""
        begin = self._at - self._start
        if begin < 0 or size < 0:
            raise OSError(0, "outside of the row group")
        piece = self._data[begin : begin + size]
        self._at += len(piece)
        return piece

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True
