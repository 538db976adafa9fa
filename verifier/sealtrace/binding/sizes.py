"""How many there are: a count in the text (`1,273 test questions`) against the sizes of the results.

A size is the number of rows of a file, or of different values of a field. It binds where the words behind the number
name rows or the field, and where files differ in size, where the sentence says which of them it speaks of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sealtrace.binding.frames import Dimension, ResultFrame
from sealtrace.paper.names.words import distinguishing, stems, vocabulary
from sealtrace.paper.numbers import PrintedNumber

_ROWS = vocabulary(
    "rows records items examples instances samples cases questions prompts problems queries tasks sentences documents"
    " texts images patients trials observations predictions answers responses episodes games flows entries points"
)
_OTHER = vocabulary("bootstrap resamples permutations iterations replicates draws steps epochs tokens training")
"""Words of counts that results do not show by their size."""


@dataclass(frozen=True)
class Size:
    """How many rows or values there are, and what says so."""

    count: int
    text: str
    nouns: frozenset[str]
    names: frozenset[str]
    """Words that tell these files from others of another size; they must be said."""
    rows_of: tuple[str, ...] = ()
    """The one file whose rows these are."""


def sizes_of(frames: list[ResultFrame]) -> list[Size]:
    """The sizes that files and fields of the results have."""
    read = {
        id(base): base for frame in frames if not (base := frame.derivation.base if frame.derivation else frame).derived
    }
    return [size for frame in read.values() for size in _sizes(frame)]


def _sizes(frame: ResultFrame) -> Iterator[Size]:
    files = next((dimension for dimension in frame.dimensions if dimension.name == "file"), None)
    if files is None:
        rows = np.array([frame.records])
    else:
        weights = None if frame.weights is None else frame.weights[files.codes >= 0]
        rows = np.bincount(files.codes[files.codes >= 0], weights).astype(int)
    if len(set(rows.tolist())) == 1:
        one = tuple(frame.files) if len(frame.files) == 1 else ()
        yield Size(int(rows[0]), f"rows in {'each file of ' * (len(rows) > 1)}{frame.name}", _ROWS, frozenset(), one)
    elif files is not None:
        yield from _by_name(frame, files, rows)
    for field in frame.dimensions:
        if "/" not in field.name and not field.name.startswith(("file", "directory")):
            nouns = vocabulary(field.name) | (_ROWS if len(field.values) == rows.max() else frozenset())
            yield Size(len(field.values), f"values of {field.name} in {frame.name}", nouns, frozenset())


def _by_name(frame: ResultFrame, files: Dimension, rows: np.ndarray) -> Iterator[Size]:
    """Parts of file names whose files are all of one size."""
    for field in frame.dimensions:
        if field.name.startswith(("file", "directory")) and 1 < len(field.values) < len(rows):
            for code, named in enumerate(distinguishing(field.values)):
                found = set(rows[np.unique(files.codes[field.codes == code])].tolist())
                if len(found) == 1:
                    text = f"rows in each file of {frame.name} named {field.values[code]}"
                    yield Size(int(found.pop()), text, _ROWS, frozenset(named))


def size_of(
    slot: PrintedNumber, behind: str, told: Mapping[str, float], sizes: list[Size], beside: Collection[object] = ()
) -> str | None:
    """The size that a number is; in a sentence whose other numbers follow from a file `beside`, whatever its rows are
    called there: `148 participants`."""
    nouns = stems(behind)[:4]
    if slot.decimals or slot.percent or not _OTHER.isdisjoint(nouns):
        return None
    sizes = [size for size in sizes if slot.value >= 100 or size.rows_of in beside]
    meant = [size for size in sizes if (not size.nouns.isdisjoint(nouns) or size.rows_of in beside)
             and all(told.get(word) == 1.0 for word in size.names)]  # fmt: skip
    return next((size.text for size in meant if size.count == slot.value), None)
