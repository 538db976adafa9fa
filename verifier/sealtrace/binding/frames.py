"""Tables of results as columns: text fields that select, and numeric columns that are measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

PLACE = "place"
"""The field that names a row by where it stands."""
Codes = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.float64]


@dataclass
class Dimension:
    """A field that selects rows: codes into its values; -1 where a row has none."""

    name: str
    values: list[str]
    codes: Codes

    @staticmethod
    def of(name: str, column: list[str]) -> Dimension:
        """From one text per row; the empty text stands for none."""
        known: dict[str, int] = {}
        codes = np.fromiter(
            (known.setdefault(text, len(known)) if text else -1 for text in column), np.int32, len(column)
        )
        return Dimension(name, list(known), codes)

    def at(self, rows: Codes) -> Dimension:
        """The field of rows that each have the value of one of its own; -1 for none."""
        return Dimension(self.name, self.values, np.append(self.codes, np.int32(-1))[rows])


@dataclass
class Derivation:
    """How the rows of a derived frame follow from those of a file, so that a query can say it."""

    base: Frame
    fields: list[str]
    """Fields of the rows that are one run."""
    queries: dict[str, str]
    """Measure to what gives it for the rows of a run."""
    where: str
    """What must hold for a row to count."""
    beside: str = ""
    """What the rows are joined with: the labels, where there is a row for each."""


@dataclass
class Frame:
    """Rows of one shape, from one file or from several that are alike."""

    name: str
    """What a reader calls it: a file, or a pattern of files, and what was made of it."""
    files: list[str]
    dimensions: list[Dimension]
    measures: list[str]
    numbers: Numbers
    """One row per row, one column per measure; NaN where a row has none."""
    places: list[str]
    """Where each row stands: `file:line` or `file#/path`; of a derived row, the file or field that it sums up."""
    derived: str = ""
    """How rows were made from those of files; empty where they stand there."""
    depth: int = 0
    whole: Frame | None = None
    """The frame that this one was melted from."""
    derivation: Derivation | None = None
    inherited: frozenset[str] = frozenset()
    """Measures that hold only what the objects around the rows say."""

    @property
    def own(self) -> Frame:
        """The frame with what its rows say themselves."""
        return self.only(set(self.measures) - self.inherited) if self.inherited else self

    @cached_property
    def distinct(self) -> Numbers:
        """Every value that it holds, in order."""
        return np.unique(self.numbers[np.isfinite(self.numbers)])

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.numbers.shape[0])

    def only(self, names: set[str]) -> Frame:
        """The frame with some of its measures."""
        kept = [place for place, name in enumerate(self.measures) if name in names]
        return replace(self, measures=[self.measures[place] for place in kept], numbers=self.numbers[:, kept])


COLUMN = "column"
"""The field of a melted frame that names the measure."""
_CUT = re.compile(r"[_.\s/-]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9_]+")


def field_name(name: str) -> str:
    """A field of a frame as a column that queries can name without quotes."""
    return _UNSAFE.sub("_", name).strip("_") or "field"


def _halves(names: list[str]) -> Iterator[list[Dimension]]:
    """Names of measures cut in two, where both halves come with others: `coef_low`, `coef_high`, `p_low`, `p_high`."""
    for end, mark in (("first", 0), ("last", 1)):
        cut = [_CUT.split(name) for name in names]
        outer = [one[-1] if mark else one[0] for one in cut]
        inner = ["_".join(one[:-1] if mark else one[1:]) for one in cut]
        both = Counter(outer), Counter(inner)
        keep = [bool(b) and both[0][a] > 1 and both[1][b] > 1 for a, b in zip(outer, inner, strict=True)]
        if sum(keep) > 3:
            sides = ((end, outer), ("rest" if end == "first" else "before", inner))
            yield [
                Dimension.of(f"{COLUMN}/{name}", [text if good else "" for text, good in zip(texts, keep, strict=True)])
                for name, texts in sides
            ]


OTHER_HALF = {"first": "rest", "rest": "first", "last": "before", "before": "last"}


def melted(frame: Frame, limit: int = 120_000) -> Frame | None:
    """The frame with its measures as values of one field, `column`, for tables whose labels name measures."""
    rows, columns = frame.numbers.shape
    if columns < 2 or rows * columns > limit:
        return None
    keep = np.isfinite(frame.numbers)
    row, column = np.nonzero(keep)
    if not len(row):
        return None
    dimensions = [Dimension(one.name, one.values, one.codes[row]) for one in frame.dimensions]
    dimensions.append(Dimension(COLUMN, list(frame.measures), column.astype(np.int32)))
    for halves in _halves(frame.measures):
        dimensions += [one.at(column.astype(np.int32)) for one in halves]
    return Frame(
        frame.name,
        frame.files,
        dimensions,
        ["value"],
        frame.numbers[keep][:, None],
        [frame.places[one] for one in row],
        frame.derived,
        frame.depth,
        frame,
        frame.derivation,
    )
