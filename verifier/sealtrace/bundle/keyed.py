"""Values told apart by 64 bits, with keys that are drawn anew in every run.

Sets of values that are too many to be held are compared by these. Whoever made a bundle cannot know the keys, and two
different values have the same bits with a chance of at most 2^-63, whatever they are: the hash is multilinear over
words of 32 bits (strongly universal), twice, with independent keys. Nothing of it is written anywhere.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sealtrace.bundle.encoding import references, text_bounds

Bits = npt.NDArray[np.uint64]
_LONGEST = 256
"""A longer text is hashed with BLAKE2 and a key, one at a time."""
_WORDS = _LONGEST // 4 + 2
_HALF, _SHIFT = np.uint64(2**32 - 1), np.uint64(32)


class UnkeyedError(Exception):
    """Values of this type are not told apart so."""


@dataclass(frozen=True)
class Keys:
    """The keys of one run, which its workers share."""

    seed: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    @cached_property
    def _words(self) -> Bits:
        draw = np.random.default_rng(int.from_bytes(self.seed, "little"))
        return draw.integers(0, 2**64, (4, _WORDS), dtype=np.uint64)

    def of_column(self, array: pa.Array) -> Bits:
        """The bits of each value; absent ones have bits of their own. `UnkeyedError` for lists and objects."""
        if pa.types.is_dictionary(array.type):
            taken: Bits = np.append(self.of_column(array.dictionary), self.absent)[references(array)]
            return taken
        if pa.types.is_string(array.type):
            found = self._of_texts(array)
        elif pa.types.is_integer(array.type) or pa.types.is_boolean(array.type):
            numbers = array.cast(pa.int64()) if pa.types.is_integer(array.type) else array.cast(pa.uint8())
            found = self.of_tuples([numbers.fill_null(0).to_numpy().astype(np.int64).view(np.uint64)])
        elif pa.types.is_floating(array.type):
            found = self.of_tuples([(array.cast(pa.float64()).fill_null(0.0).to_numpy() + 0.0).view(np.uint64)])
        else:
            raise UnkeyedError(str(array.type))
        if array.null_count:
            found[array.is_null().to_numpy(zero_copy_only=False)] = self.absent
        return found

    @property
    def absent(self) -> np.uint64:
        return np.uint64(self._words[0, -1])

    def of_tuples(self, fields: list[Bits]) -> Bits:
        """The bits of rows, from those of their fields."""
        words = [half for bits in fields for half in (bits & _HALF, bits >> _SHIFT)]
        if len(words) > _WORDS - 2:
            raise UnkeyedError("too many fields")
        lanes = []
        for first, *keys in self._words[:2]:
            products = (key * word for key, word in zip(keys, words, strict=False))
            lanes.append(first + sum(products, np.uint64(0)))
        return _packed(lanes)

    def _of_texts(self, array: pa.StringArray) -> Bits:
        offsets = text_bounds(array)
        data = np.frombuffer(bytes(array.buffers()[2] or b"") + b"\0" * 4, np.uint8)
        every_four = np.ndarray((len(data) - 3,), "<u4", data.data, strides=(1,))
        starts, lengths = offsets[:-1].astype(np.int64), np.diff(offsets).astype(np.int64)
        short = np.where(lengths <= _LONGEST, lengths, 0)
        lanes = [self._words[lane, 0] + self._words[lane, 1] * lengths.astype(np.uint64) for lane in (2, 3)]
        for at in range(int(short.max(initial=0) + 3) // 4):
            some = np.flatnonzero(short > 4 * at)
            word = every_four[starts[some] + 4 * at].astype(np.uint64)
            left = np.minimum(short[some] - 4 * at, 4).astype(np.uint64)
            word &= (np.uint64(1) << (np.uint64(8) * left)) - np.uint64(1)
            for lane, sums in zip((2, 3), lanes, strict=True):
                sums[some] += self._words[lane, 2 + at] * word
        found = _packed(lanes)
        for row in np.flatnonzero(lengths > _LONGEST).tolist():
            text = array[row].as_py()
            if text is not None:
                digest = hashlib.blake2b(text.encode(), digest_size=8, key=self.seed).digest()
                found[row] = int.from_bytes(digest, "little")
        return found


def _packed(lanes: list[Bits]) -> Bits:
    """The upper halves of two sums, which are the evenly spread ones."""
    first, second = lanes
    return (first & ~_HALF) | (second >> _SHIFT)
