"""Strict JSON lines at the speed of columns, with what a fast reader would let pass excluded beside it.

Many lines that differ in texts, numbers and flags only are read by templates, without being parsed one by one: a
program that writes rows writes most of them alike. A line that the strict parser accepted is a template: what stands
before, between and after its values. Another line in which the same bytes stand there, with a text, a number or a flag
where the template has one, is strict JSON, has the same fields, each once, and holds values of the same types. Lists
and objects belong to what stands between, but for numbers by name.

Other lines are left to Arrow. Given the columns, its reader refuses keys that stand twice, fields that are not
declared, values of another type and everything that RFC 8259 refuses, but for a few things: NaN and infinities,
integers that a double cannot hold, numbers too small for one, texts that are not UTF-8, several objects on a line, a
byte order mark. Each is cheap to look for in many lines at once. Where there is one of these, or where anything does
not fit, these lines are left to the strict parser, which says what is wrong and where.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.encoding import arrow_array, bits
from sealtrace.bundle.json_columns import array_of
from sealtrace.bundle.parquet import as_declared
from sealtrace.bundle.shapes import Flag, Integer, Mapping, NumberShape, Sequence, Shape, Struct, Text, arrow_type
from sealtrace.bundle.strict_json import MAX_INTEGER, StrictJSONError, parse

Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]

FEW = 16
"""So few lines are read faster by the strict parser."""
_TINY = re.compile(rb"[eE]-[0-9]{3}")
"""The exponent of a number that may be too small for a double."""
_SMALL = b"0" * 70
"""A run of zeros that may make it so, too."""
_LONGEST = 256
"""Bytes of a value; lines with longer ones are left to others."""
MANY = 4096
"""Fewer lines are read faster by others."""
_MOST, _SAMPLE = 24, 32
"""Templates of some lines, and lines that are looked at before; what is more diverse is left to others."""
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s"\[\]{}:,]+')
_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_TRUE, _FALSE = (np.uint64(int.from_bytes(word, "little")) for word in (b"true", b"false"))
_FIRST = np.where(np.arange(_LONGEST) < np.arange(_LONGEST + 1)[:, None], np.uint8(255), np.uint8(0)).view("<u8")
"""Words with all bits of their first so many bytes."""
_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_NUMBER = re.compile(_WHOLE.pattern + r"(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?", re.ASCII)
"""With so few digits in its fraction and exponent, a number is not too small for a double."""


class _LeftError(Exception):
    """These lines are for others to read."""


def fast_table(text: bytes, shape: Struct) -> pa.Table | None:
    """The rows of lines that are certainly strict JSON and fit their shape; None where that is not certain."""
    characters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    count = len(ends) + 1
    if count < FEW:
        return None
    try:
        # A line that begins with an object and holds one: as many rows as lines, and none of them blank.
        if not text.startswith(b"{") or ends[-1] == len(text) - 1 or (characters[ends + 1] != ord("{")).any():
            return None
        table = None
        if count >= MANY:
            table = templated_table(text, np.r_[0, ends + 1], np.r_[ends, len(text)], shape)
        if table is None:
            if _SMALL in text or b"null" in text or _tiny(text, characters):
                return None
            table = _read(text, shape, parse(text[: ends[0]]))
        if table.num_rows != count or any(map(_doubtful, table.columns)):
            return None
        return as_declared(table, shape)
    except (pa.ArrowException, StrictJSONError, _LeftError, TypeError, ValueError):
        return None


def _tiny(text: bytes, characters: npt.NDArray[np.uint8]) -> bool:
    """Whether there is an exponent that may make a number too small for a double."""
    # Small and capital letters differ in one bit.
    places = np.flatnonzero(((characters[:-1] | 0x20) == ord("e")) & (characters[1:] == ord("-")))
    return any(_TINY.match(text, place) for place in places.tolist())


def _read(text: bytes, shape: Struct, first: Any) -> pa.Table:
    import pyarrow.json as reader

    # The names of a map that the first row does not have are not known: should another have it, Arrow refuses that.
    known = [field for field in shape.fields if not isinstance(field.shape, Mapping) or first.get(field.name)]
    schema = pa.schema([pa.field(field.name, _type(field.shape, [first.get(field.name)])) for field in known])
    return reader.read_json(
        pa.BufferReader(text),
        read_options=reader.ReadOptions(use_threads=False, block_size=len(text) + 1),
        parse_options=reader.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
    )


def _type(shape: Shape, samples: list[Any]) -> pa.DataType:
    """How Arrow reads values: a map as an object with the names that the first row has."""
    there = [sample for sample in samples if sample is not None]
    match shape:
        case Mapping(value=item):
            names = dict.fromkeys(chain.from_iterable(there))
            if not names:
                raise _LeftError
            inner = _type(item, list(chain.from_iterable(sample.values() for sample in there)))
            return pa.struct([pa.field(name, inner) for name in names])
        case Sequence(item=item):
            return pa.list_(_type(item, list(chain.from_iterable(there))))
        case Struct(fields=fields):
            inside = {field: [sample.get(field.name) for sample in there] for field in fields}
            return pa.struct([pa.field(field.name, _type(field.shape, some)) for field, some in inside.items()])
        case _:
            return arrow_type(shape)


def _doubtful(column: pa.ChunkedArray | pa.Array) -> bool:
    """Whether a number is not finite, or as large as those that integers of JSON may not be, or a text is not UTF-8."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = array.type
    if pa.types.is_floating(kind) and pc.any(pc.is_nan(array)).as_py():
        return True
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        ends = pc.min_max(array)
        return any(end.is_valid and not -MAX_INTEGER <= end.as_py() <= MAX_INTEGER for end in ends.values())
    if pa.types.is_struct(kind):
        return any(map(_doubtful, array.flatten()))
    if pa.types.is_list(kind):
        return _doubtful(array.values)
    array.validate(full=True)
    return False


# Templates


def templated_table(text: bytes, starts: Index, stops: Index, shape: Struct) -> pa.Table | None:
    """The rows of strict JSON lines, objects of numbers by name as structures; None where templates do not fit all."""
    lines = _Lines(text, int((stops - starts).max()))
    left = np.arange(len(starts))
    found: list[_Read] = []

    def template(row: int) -> _Template:
        return _template(text[starts[row] : stops[row]], shape)

    try:
        sample = Counter(map(template, np.linspace(0, len(starts) - 1, min(_SAMPLE, len(starts))).astype(int).tolist()))
        waiting = [usual for usual, _ in sample.most_common()]
        while len(left):
            if max(len(waiting), len(found)) > _MOST:
                return None
            usual = waiting.pop(0) if waiting else template(left[0])
            fits, columns = usual.read(lines, starts[left], stops[left])
            found.append(_Read(left[fits], usual.value, columns))
            left = left[~fits]
        there = {field.name: field.shape for field in shape.fields if any(field.name in read.value for read in found)}
        return pa.table({name: _column(name, inner, found, len(starts)) for name, inner in there.items()})
    except (_LeftError, StrictJSONError, pa.ArrowException):
        return None


@dataclass(frozen=True)
class _Template:
    between: tuple[bytes, ...]
    """What stands before the first value, between values, and after the last."""
    leaves: list[tuple[str, str | None, Shape]] = field(compare=False)
    """The values: field, name in it where it has names, and type."""
    lengths: list[int] = field(compare=False)
    """Of its own values, in bytes."""
    value: dict[str, Any] = field(compare=False)

    def read(self, lines: _Lines, starts: Index, stops: Index) -> tuple[Mask, dict[str, dict[str | None, pa.Array]]]:
        """Which lines it fits, and the values of those."""
        rows, at, texts = np.arange(len(starts)), starts, list[_Texts]()
        for place, piece in enumerate(self.between):
            good, at = lines.say(at, piece), at + len(piece)
            if place < len(self.leaves):
                texts.append(text := lines.until(at, self.between[place + 1][0], self.lengths[place]))
                good &= text.lengths >= 0
                at = at + text.lengths
            else:
                good &= at == stops[rows]
            if not good.all():
                rows, at, texts = rows[good], at[good], [text.some(good) for text in texts]
        fits = np.zeros(len(starts), np.bool_)
        fits[rows] = True
        if not len(rows):
            raise _LeftError
        columns: dict[str, dict[str | None, pa.Array]] = {}
        for text, (name, inner, shape) in zip(texts, self.leaves, strict=True):
            columns.setdefault(name, {})[inner] = text.values(shape)
        return fits, columns


@dataclass(frozen=True)
class _Read:
    """The lines that a template fits."""

    rows: Index
    value: dict[str, Any]
    """The first of them."""
    columns: dict[str, dict[str | None, pa.Array]]
    """By field and name in it, what differs from line to line."""

    def column(self, name: str, shape: Shape) -> pa.Array:
        """A field: of all lines, or one value where it is the same in all."""
        if None in (parts := self.columns.get(name, {})):
            return parts[None]
        if parts:
            return pa.StructArray.from_arrays(list(parts.values()), [str(inner) for inner in parts])
        return array_of([self.value[name]], shape, _misfit)


def _misfit(*_: object) -> None:
    raise _LeftError


def _column(name: str, shape: Shape, found: list[_Read], count: int) -> pa.Array:
    """A field of all lines, in their order."""
    parts: list[pa.Array] = []
    places, base = np.full(count, -1), 0
    for read in found:
        if name in read.value:
            parts.append(part := read.column(name, shape))
            places[read.rows] = base + (np.arange(len(part)) if name in read.columns else 0)
            base += len(part)
    whole = pa.concat_arrays(parts)
    if len(whole) == count and (places == np.arange(count)).all():
        return whole
    return whole.take(arrow_array(places, places >= 0))


def _template(line: bytes, shape: Struct) -> _Template:
    """What a line has beside its values."""
    value = parse(line)
    shapes = {field.name: field.shape for field in shape.fields}
    if not isinstance(value, dict) or not value.keys() <= shapes.keys() or b"\\" in line or b"null" in line:
        raise _LeftError
    between, lengths, leaves, before = list[bytes](), list[int](), list[tuple[str, str | None, Shape]](), 0
    depth, names, after_colon = 0, [""] * 3, False
    for token in _TOKEN.finditer(line):
        piece = token[0]
        if piece in b"[{":
            depth, after_colon = depth + 1, False
        elif piece in b"]}":
            depth -= 1
        elif piece in b":,":
            after_colon = piece == b":"
        elif not after_colon:
            names[min(depth, 2)] = piece[1:-1].decode() if depth < 3 else ""
        else:
            after_colon = False
            outer = shapes[names[1]]
            inner = outer.value if isinstance(outer, Mapping) and depth == 2 else outer
            if depth == 1 or (depth == 2 and isinstance(inner, NumberShape) and isinstance(outer, Mapping)):
                quote = piece.startswith(b'"')
                if quote is not isinstance(inner, Text):
                    raise _LeftError
                between.append(line[before : token.start() + quote])
                before = token.end() - quote
                lengths.append(len(piece) - 2 * quote)
                leaves.append((names[1], names[2] if depth == 2 else None, inner))
    return _Template((*between, line[before:]), leaves, lengths, value)


class _Lines:
    """Bytes of which stretches can be had from many places at once."""

    def __init__(self, text: bytes, longest: int) -> None:
        self._size = len(text) + longest + 1
        self._data = text + bytes(2 * longest + _LONGEST + 16)

    def _words(self, at: Index, count: int) -> Words:
        """So many words of eight bytes from each place on."""
        stretches = np.ndarray((self._size,), f"V{8 * count}", self._data, strides=(1,))
        return stretches[at].view("<u8").reshape(len(at), count)

    def say(self, at: Index, piece: bytes) -> Mask:
        """Where a piece stands."""
        count = -(-len(piece) // 8)
        found = self._words(at, count)
        if len(piece) % 8:
            found[:, -1] &= _FIRST[len(piece) % 8, 0]
        good = np.ones(len(at), np.bool_)
        for place, word in enumerate(np.frombuffer(piece.ljust(8 * count, b"\0"), "<u8")):
            good &= found[:, place] == word
        return good

    def until(self, at: Index, end: int, usual: int) -> _Texts:
        """What stands before a certain byte, of which so many are usual."""
        for count in (min(usual // 8 + 2, _LONGEST // 8), _LONGEST // 8):
            words, lengths = self._words(at, count), np.full(len(at), -1)
            for place in reversed(range(count)):
                word = words[:, place] ^ (_ONES * np.uint64(end))
                # The lowest bit that is left is in the first byte that was the wanted one.
                there = (word - _ONES) & ~word & _HIGHS
                first = 8 * place + (np.bitwise_count((there & -there) - np.uint64(1)) >> 3)
                lengths = np.where(there != 0, first, lengths)
            if lengths.min(initial=0) >= 0:
                break
        return _Texts(words, lengths)


@dataclass(frozen=True)
class _Texts:
    """A text in each row: so many of its bytes."""

    words: Words
    lengths: Index

    def some(self, rows: Mask) -> _Texts:
        return _Texts(self.words[rows], self.lengths[rows])

    def values(self, shape: Shape) -> pa.Array:
        """What the texts of values of a shape say."""
        lengths, longest = self.lengths, int(self.lengths.max())
        words = self.words[:, : longest // 8 + 1] & _FIRST[:, : longest // 8 + 1][lengths]
        if isinstance(shape, Flag):
            flags = words[:, 0] == _TRUE
            if longest > 5 or not (flags | (words[:, 0] == _FALSE)).all():
                raise _LeftError
            return pa.Array.from_buffers(pa.bool_(), len(flags), [None, bits(flags)])
        texts = self._strings(words.view(np.uint8), longest)
        if isinstance(shape, Text):
            data = np.frombuffer(texts.buffers()[2], np.uint8)
            if len(data) and (data.min() < ord(" ") or (data == ord("\\")).any()):
                raise _LeftError
            return texts
        whole = isinstance(shape, Integer)
        some = texts.take(arrow_array(np.flatnonzero(~_usual(words, lengths, 0 if whole else 1)))).unique()
        if not all(map((_WHOLE if whole else _NUMBER).fullmatch, some.to_pylist())):
            raise _LeftError
        return texts.cast(arrow_type(shape))

    def _strings(self, rows: Bytes, longest: int) -> pa.StringArray:
        offsets = np.zeros(len(rows) + 1, np.int32)
        np.cumsum(self.lengths, out=offsets[1:])
        same = offsets[-1] == longest * len(rows)
        data = rows[:, :longest] if same else rows[np.arange(rows.shape[1]) < self.lengths[:, None]]
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(data))]
        return pa.Array.from_buffers(pa.string(), len(rows), buffers)


def _usual(words: Words, lengths: Index, points: int) -> Mask:
    """Which texts are digits with so many points between them, and maybe a sign, without a zero before a digit."""
    rows = words.view(np.uint8)
    digits = (rows - ord("0")) < 10
    signs = (rows[:, 0] == ord("-")).astype(np.int64)
    every = np.arange(len(rows))
    usual: Mask = (_times(digits) == lengths - signs - points) & (_times(rows == ord(".")) == points)
    usual &= digits[every, signs] & digits[every, lengths - 1]
    usual &= (rows[every, signs] != ord("0")) | ~digits[every, signs + 1]
    return usual


def _times(bytes_: Mask) -> npt.NDArray[np.uint8]:
    """How many are true in each row."""
    times: npt.NDArray[np.uint8] = sum(np.bitwise_count(bytes_.view("<u8")).T)
    return times
