"""The columns of one row group as they lie in a laid-out file: decoded, hashed, and let go."""

from __future__ import annotations

import hashlib
import io
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


class NotLaidOutError(Exception):
    """The file can be read, but not a row group at a time."""


class ShardColumn:
    """A column of a row group. What is derived of it is computed when first asked for, once."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array

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
        if not pa.types.is_dictionary(self.array.type):
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

    def written(self, name: str, shape: Shape) -> Iterable[Any]:
        """What the column adds to its block's digest, in pieces."""
        array = self.array
        if array.null_count == len(array):
            return []
        found: list[Any] = []
        if pa.types.is_dictionary(array.type):
            self._write_references(name, shape, found.append)
        elif pa.types.is_struct(array.type) and not array.null_count:
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


class PageReader:
    """Reads row groups of one file, one after the other, from their bytes."""

    def __init__(self, metadata: Any, texts: list[str]) -> None:
        import pyarrow.parquet as pq

        self._window = _Window()
        self._file = pq.ParquetFile(pa.PythonFile(self._window, "r"), metadata=metadata, read_dictionary=texts)

    def columns(self, place: int, rows: int, start: int, data: bytes) -> Columns:
        """The columns of a row group of so many rows, texts and lists by reference, whose bytes start there."""
        self._window.show(start, data)
        found = Columns()
        found.rows = rows
        try:
            table = self._file.read_row_group(place, use_threads=False)
            found.update({name: ShardColumn(encoding.one_chunk(table.column(name))) for name in table.column_names})
        except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError) as error:
            raise NotLaidOutError(str(error)) from None
        if len(found) < table.num_columns or table.num_rows != rows:
            raise NotLaidOutError("a row group has another number of rows than it says, or a column twice")
        return found


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
