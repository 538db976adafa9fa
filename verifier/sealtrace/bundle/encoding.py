"""Arrow arrays, and how their values become bytes: what content digests are made of. `content` states the rules."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace import process
from sealtrace.bundle.shapes import Flag, Integer, Mapping, NumberShape, Sequence, Shape, Struct, Text

_DOUBLE = struct.Struct("<d")
_INTEGER = struct.Struct("<q")
_NEGATIVE_ZERO = -(2**63)
"""Its bits, as an integer: the least that there is."""

Index = npt.NDArray[np.int64]
Sink = Callable[[Any], object]


def one_chunk(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array; `combine_chunks` copies a single chunk as well."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def by_reference(array: pa.Array) -> pa.DictionaryArray:
    """Values as places in a list of distinct ones."""
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def references(array: pa.DictionaryArray) -> npt.NDArray[Any]:
    """The place of each value of a column by reference; -1 for absent."""
    return (array.indices.fill_null(-1) if array.null_count else array.indices).to_numpy()  # type: ignore[no-any-return]


def ascending(values: pa.Array) -> bool:
    """Whether values are distinct and in order."""
    return len(values) < 2 or bool(pc.all(pc.less(values[:-1], values[1:]), skip_nulls=False).as_py())


def one_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column by reference, with the same texts for all chunks; those of files in order follow each other."""
    texts = [chunk.dictionary for chunk in column.chunks]
    if len(texts) < 2 or not ascending(whole := pa.concat_arrays(texts)):
        return column.unify_dictionaries()
    starts = (pa.scalar(int(start), pa.int32()) for start in np.cumsum([0, *map(len, texts[:-1])]))
    codes = [pc.add(chunk.indices, start) for chunk, start in zip(column.chunks, starts, strict=True)]
    return pa.chunked_array([pa.DictionaryArray.from_arrays(pa.concat_arrays(codes), whole)])


def ranks(column: pa.ChunkedArray) -> tuple[Index, int]:
    """Each value's place among the distinct values, absent first, and how many places there are at most."""
    array = one_chunk(column)
    if pa.types.is_integer(array.type) and len(array) and not array.null_count:
        numbers = array.to_numpy()
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < len(numbers):  # such as seeds: to list them takes longer than to count from the least
            return numbers - low, high - low + 1
    array = by_reference(array)
    codes = references(array)
    if ascending(array.dictionary):
        # Most files are in order, and to see that costs much less than to sort.
        return (codes + 1, len(array.dictionary) + 1) if array.null_count else (codes, len(array.dictionary))
    order = pc.sort_indices(array.dictionary).to_numpy()
    places = np.empty(len(order) + 1, np.min_scalar_type(-len(order) - 1))
    places[order] = np.arange(1, len(order) + 1)
    places[-1] = 0
    return places[codes], len(order) + 1


def entries(array: pa.MapArray) -> tuple[Index, pa.Array, pa.Array]:
    """Of maps that are all present: where the entries of each begin and end, and the names and values of all."""
    offsets = array.offsets.to_numpy().astype("<i8")
    start, size = int(offsets[0]), int(offsets[-1] - offsets[0])
    return offsets - start, array.keys.slice(start, size), array.items.slice(start, size)


def regular(array: pa.MapArray) -> tuple[list[str], npt.NDArray[np.float64]] | None:
    """Names, and the numbers of each map, where all maps are present and hold the same names once, in the same order.

    Only names by reference are looked at, and only as many as make a small map.
    """
    if array.null_count or not len(array) or not pa.types.is_dictionary(array.keys.type):
        return None
    offsets, keys, items = entries(array)
    width = len(keys) // len(array)
    if not 0 < width <= 64 or not (np.diff(offsets) == width).all():
        return None
    if keys.null_count or items.null_count or not pa.types.is_float64(items.type):
        return None
    codes = keys.indices.to_numpy().reshape(-1, width)
    names = [keys.dictionary[code].as_py() for code in codes[0].tolist()]
    if len(set(names)) < width or not (codes == codes[0]).all():
        return None
    return names, items.to_numpy().reshape(-1, width)


def plain_column(name: str, shape: Shape, values: list[Any]) -> bytes:
    """`column` of plain values: lists, pairs of a map, dictionaries of an object."""
    present = [value for value in values if value is not None]
    if not present:
        return b""
    head = name.encode() + b"\0" + _LETTERS[type(shape)]
    head += b"1" if len(present) == len(values) else b"0" + bytes(value is not None for value in values)
    match shape:
        case Text():
            texts = [value.encode() for value in present]
            return b"".join([head, *(count(len(text)) for text in texts), *texts])
        case NumberShape():
            return head + b"".join(_DOUBLE.pack(value + 0.0) for value in present)
        case Integer():
            return head + b"".join(_INTEGER.pack(value) for value in present)
        case Flag():
            return head + bytes(present)
        case Sequence(item=item):
            items = [item for value in present for item in value]
            return head + b"".join(count(len(value)) for value in present) + plain_column("*", item, items)
        case Mapping(value=item):
            pairs = [pair for value in present for pair in sorted(value, key=lambda pair: pair[0].encode())]
            names = plain_column("k", Text(), [name for name, _ in pairs])
            sizes = b"".join(count(len(value)) for value in present)
            return head + sizes + names + plain_column("v", item, [value for _, value in pairs])
        case Struct(fields=fields):
            inside = [(field, [value[field.name] for value in present]) for field in fields]
            return head + b"".join(plain_column(field.name, field.shape, some) for field, some in inside)


def count(value: int) -> bytes:
    """A number of things."""
    return value.to_bytes(8, "little")


def present(array: pa.Array, head: bytes, sink: Sink) -> pa.Array:
    """Writes a column's head and which values are present, and returns those."""
    sink(head)
    # Nearly all columns are whole: one byte says so, instead of one for each value.
    if not array.null_count:
        sink(b"1")
        return array
    sink(b"0")
    sink(array.is_valid().to_numpy(zero_copy_only=False).astype(np.uint8).data)
    return array.drop_null()


def column(array: pa.Array, name: str, shape: Shape, sink: Sink) -> None:
    """A whole column of a small table; nothing where every value is absent."""
    if array.null_count == len(array):
        return
    array = present(array, name.encode() + b"\0" + _LETTERS[type(shape)], sink)
    match shape:
        case Text():
            _text(array, sink)
        case NumberShape():
            # Adding zero turns the negative zero into the positive one and changes nothing else; mostly there is none.
            values = array.to_numpy().astype("<f8", copy=False)
            sink((values if values.view("<i8").min() > _NEGATIVE_ZERO else values + 0.0).data)
        case Integer():
            sink(np.ascontiguousarray(array.to_numpy().astype("<i8", copy=False)).data)
        case Flag():
            sink(flags_of(array).data)
        case Sequence(item=item):
            sink(np.diff(array.offsets.to_numpy().astype("<i8")).data)
            column(array.flatten(), "*", item, sink)
        case Mapping() if (same := regular(array)) is not None:
            _regular_map(*same, sink)
        case Mapping(value=item):
            offsets, keys, values = entries(array)
            lengths = np.diff(offsets)
            sink(lengths.data)
            order = _by_name(keys, lengths)
            if order is not None:
                keys, values = keys.take(order), values.take(order)
            column(keys, "k", Text(), sink)
            column(values, "v", item, sink)
        case Struct(fields=fields):
            for field, child in zip(fields, array.flatten(), strict=True):
                column(child, field.name, field.shape, sink)


_LETTERS: dict[type, bytes] = {
    Text: b"t",
    NumberShape: b"n",
    Integer: b"i",
    Flag: b"f",
    Sequence: b"l",
    Mapping: b"m",
    Struct: b"o",
}


def _regular_map(names: list[str], matrix: npt.NDArray[np.float64], sink: Sink) -> None:
    """Maps that all hold the same names: what `column` writes of them, without looking at every name."""
    order = sorted(range(len(names)), key=lambda place: names[place].encode())
    texts = [names[place].encode() for place in order]
    sink(np.full(len(matrix), len(names), "<i8").data)
    sink(b"k\0t1")
    sink(np.tile(np.array([len(text) for text in texts], "<i8"), len(matrix)).data)
    sink(b"".join(texts) * len(matrix))
    sink(b"v\0n1")
    sink((np.ascontiguousarray(matrix[:, order], "<f8") + 0.0).data)


def _text(array: pa.Array, sink: Sink) -> None:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary.take(array.indices)
    sink(np.diff(text_bounds(array).astype("<i8")).data)
    sink(bytes_of(array))


def _by_name(keys: pa.Array, lengths: Index) -> pa.Array | None:
    """The permutation that sorts each map's entries by name; None where they are sorted."""
    places, size = ranks(pa.chunked_array([keys]))
    owners = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    combined = owners * size + places
    if np.all(combined[1:] >= combined[:-1]):
        return None
    return arrow_array(np.argsort(combined, kind="stable"))


class _NoPandas:
    """Refuses to find pandas."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def _leave_pandas_out() -> None:
    """Lets Arrow find no pandas: it would import it, for a third of a second, when first given a list."""
    refusal = _NoPandas()
    sys.meta_path.insert(0, refusal)
    try:
        pa.array([0])  # Arrow looks for it once, and once more to infer the first type
    finally:
        sys.meta_path.remove(refusal)


def _glibc() -> Any:
    """The C library; None where there is another one."""
    import ctypes

    try:
        library = ctypes.CDLL("libc.so.6")
    except OSError:
        return None
    return library if hasattr(library, "mallopt") else None


def malloc_settings(**settings: int) -> tuple[int, ...] | None:
    """Tells glibc how to treat freed memory; 1 for each setting that it took, None where there is another C library."""
    numbers, library = {"trim_threshold": -1, "mmap_threshold": -3, "arenas": -8}, _glibc()
    return None if library is None else tuple(library.mallopt(numbers[name], value) for name, value in settings.items())


def return_memory() -> None:
    """Has glibc return what lies free between what is held."""
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


if process.OWN_PROCESS:
    _leave_pandas_out()
    # Every row group takes the memory of the one before, instead of pages that the kernel clears anew each time.
    pa.set_memory_pool(pa.system_memory_pool())
    malloc_settings(mmap_threshold=2**25, trim_threshold=2**26)


def arrow_array(values: npt.NDArray[Any], there: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """The same numbers, absent where they are not `there`. `pa.array(ndarray)` would look for masked arrays."""
    plain = np.ascontiguousarray(values)
    present = None if there is None or there.all() else bits(there)
    return pa.Array.from_buffers(pa.from_numpy_dtype(plain.dtype), len(plain), [present, pa.py_buffer(plain)])


def bits(flags: npt.NDArray[np.bool_]) -> pa.Buffer:
    """Flags as Arrow holds them."""
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The values that occur, ascending."""
    # Asked for indices too, np.unique does not look for masked arrays, which would import numpy.ma.
    return np.unique(values, return_index=True)[0]


def text_lines(columns: Iterable[pa.ChunkedArray], worth: Callable[[pa.Array], pa.Array]) -> Iterator[bytes]:
    """Distinct texts of columns, one per line; only those that `worth` keeps."""
    for column in columns:
        for chunk in column.chunks:
            for leaf in _text_leaves(chunk):
                if len(kept := worth(leaf)):
                    # Each text and the end of its line, one after the other: what Arrow's buffer holds then.
                    yield bytes_of(pc.binary_join_element_wise(kept.unique().drop_null(), "", "\n")) + b"\n"


def flags_of(array: pa.BooleanArray) -> npt.NDArray[np.uint8]:
    """Flags that are all present, a byte each; Arrow itself takes many times as long. `TypeError` for anything else."""
    if not pa.types.is_boolean(array.type):
        raise TypeError(f"{array.type} is not a flag")
    bits = np.frombuffer(array.buffers()[1], np.uint8)
    return np.unpackbits(bits, count=array.offset + len(array), bitorder="little")[array.offset :]


def text_bounds(texts: pa.StringArray) -> npt.NDArray[np.int32]:
    """Where the bytes of each text begin, and where the last ends."""
    return np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]


def bytes_of(texts: pa.StringArray) -> bytes:
    """All texts of a column, one after the other."""
    bounds = text_bounds(texts)
    return bytes(memoryview(texts.buffers()[2] or b"")[bounds[0] : bounds[-1]])


def as_long_as_digests(texts: pa.StringArray) -> pa.StringArray:
    """The texts that may be a SHA-256 in hexadecimal digits."""
    return texts.filter(pc.equal(pc.binary_length(texts), 64))


def _text_leaves(array: pa.Array) -> Iterator[pa.Array]:
    """The texts of a column, however deep they lie."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        yield from _text_leaves(array.dictionary)
    elif pa.types.is_string(kind):
        yield array
    elif pa.types.is_map(kind):
        yield from _text_leaves(array.keys)
        yield from _text_leaves(array.items)
    elif pa.types.is_list(kind):
        yield from _text_leaves(array.values)
    elif pa.types.is_struct(kind):
        for child in array.flatten():
            yield from _text_leaves(child)
