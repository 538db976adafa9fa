"""Tables of results as columns: fields that select, numbers that are measured, and which rows are one run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sealtrace.statistics.groups import Moments

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

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Each value to its code."""
        return {value: code for code, value in enumerate(self.values)}

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

    base: ResultFrame
    fields: list[str]
    """Fields of the rows that are one run."""
    queries: dict[str, str]
    """Measure to what gives it for the rows of a run."""
    where: str = "true"
    """What must hold for a row to count."""
    beside: str = ""
    """What the rows are joined with: the labels, where there is a row for each."""


@dataclass
class ResultFrame:
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
    whole: ResultFrame | None = None
    """The frame that this one was melted from."""
    derivation: Derivation | None = None
    inherited: frozenset[str] = frozenset()
    """Measures that hold only what the objects around the rows say."""
    moments: Moments | None = None
    """Where each row sums up many of a file: their counts, means, which `numbers` has too, spreads and extremes."""
    weights: Numbers | None = None
    """How many rows of files each row sums up; None where each is one."""
    over: tuple[Dimension, ...] = ()
    """Fields whose rows each row is a mean over."""
    pooled: npt.NDArray[np.bool_] | None = None
    """Of such means, those over rows of different things."""
    slices: frozenset[str] | None = None
    """Fields that an example fixes, where that cannot be seen from the order of the rows."""
    read: Mapping[str, list[object]] = field(default_factory=dict)
    """The columns as the files have them, those that neither select nor measure included: ids, long texts."""

    @property
    def own(self) -> ResultFrame:
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

    @property
    def records(self) -> int:
        """Number of rows of files that its rows are, or sum up."""
        return self.rows if self.weights is None else int(self.weights.sum())

    def field(self, name: str) -> Dimension:
        """The field of this name."""
        return next(dimension for dimension in self.dimensions if dimension.name == name)

    def having(self, fixed: Iterable[tuple[str, str]]) -> npt.NDArray[np.bool_]:
        """The rows with these values of fields, none where a value is empty; what a field never has, no row has."""
        told = ((self.field(name), value) for name, value in fixed)
        chosen = np.ones(self.rows, bool)
        for field_, value in told:
            chosen &= field_.codes == (field_.code_of.get(value, -2) if value else -1)
        return chosen

    def beside(self, what: str, how: str, found: Mapping[str, tuple[Numbers, str]]) -> list[ResultFrame]:
        """The same rows with numbers that follow from theirs, each with its query; nothing where there are none."""
        if not found:
            return []
        derivation = Derivation(self, [], {name: query for name, (_, query) in found.items()})
        numbers = np.column_stack([values for values, _ in found.values()])
        return [
            replace(self, name=f"{self.name}, {what}", measures=list(found), numbers=numbers, derived=how,
                    inherited=frozenset(), derivation=derivation)
        ]  # fmt: skip

    def only(self, names: set[str]) -> ResultFrame:
        """The frame with some of its measures."""
        kept = [place for place, name in enumerate(self.measures) if name in names]
        moments = self.moments and self.moments.at(slice(None), kept)
        measures = [self.measures[place] for place in kept]
        return replace(self, measures=measures, numbers=self.numbers[:, kept], moments=moments)


SHARE_OF = " / "
"""Between a count and its total, in the name of the share."""
COLUMN = "column"
"""The field of a melted frame that names the measure."""
_CUT = re.compile(r"[_.\s/-]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9_]+")


def field_name(name: str) -> str:
    """A field of a frame as a column that queries can name without quotes."""
    return _UNSAFE.sub("_", name).strip("_") or "field"


def quoted(text: str) -> str:
    """A text as queries write it."""
    return "'" + text.replace("'", "''") + "'"


def _halves(names: list[str]) -> Iterator[list[Dimension]]:
    """Names of measures cut in two, where both halves come with others: `coef_low`, `coef_high`, `p_low`, `p_high`."""
    for end, mark in (("first", 0), ("last", 1)):
        cut = [_CUT.split(name) for name in names]
        outer = [pieces[-1] if mark else pieces[0] for pieces in cut]
        inner = ["_".join(pieces[:-1] if mark else pieces[1:]) for pieces in cut]
        both = Counter(outer), Counter(inner)
        keep = [bool(b) and both[0][a] > 1 and both[1][b] > 1 for a, b in zip(outer, inner, strict=True)]
        if sum(keep) > 3:
            sides = ((end, outer), ("rest" if end == "first" else "before", inner))
            yield [
                Dimension.of(f"{COLUMN}/{name}", [text if good else "" for text, good in zip(texts, keep, strict=True)])
                for name, texts in sides
            ]


OTHER_HALF = {"first": "rest", "rest": "first", "last": "before", "before": "last"}


def melted(frame: ResultFrame, limit: int = 120_000) -> ResultFrame | None:
    """The frame with its measures as values of one field, `column`, for tables whose labels name measures."""
    rows, columns = frame.numbers.shape
    if columns < 2 or rows * columns > limit:
        return None
    keep = np.isfinite(frame.numbers)
    row, column = np.nonzero(keep)
    if not len(row):
        return None
    dimensions = [Dimension(dimension.name, dimension.values, dimension.codes[row]) for dimension in frame.dimensions]
    dimensions.append(Dimension(COLUMN, list(frame.measures), column.astype(np.int32)))
    for halves in _halves(frame.measures):
        dimensions += [dimension.at(column.astype(np.int32)) for dimension in halves]
    weights = None if frame.weights is None else frame.weights[row]
    return replace(
        frame, dimensions=dimensions, measures=["value"], numbers=frame.numbers[keep][:, None],
        places=[frame.places[place] for place in row], whole=frame, inherited=frozenset(),
        moments=frame.moments and frame.moments.flat(keep), weights=weights,
    )  # fmt: skip


GOLD = re.compile(r"gold|true|truth|target|label|answer|reference|expected|actual|correct_?(label|answer)", re.I)
GUESS = re.compile(r"pred|guess|output|response|hypothesis|model_?answer|choice|verdict", re.I)
"""Names of true values, and of what was said of them."""


@dataclass
class Runs:
    """Rows by run: combinations of the fields that vary between answers to the same example.

    A field that the example fixes (its subject, its difficulty) is a slice instead.
    """

    codes: Codes
    count: int
    dimensions: list[Dimension]
    """One code per run."""
    first: npt.NDArray[np.int64]
    weights: Numbers | None = None
    """How many rows of files each row sums up; None where each is one."""

    def frame(
        self, base: ResultFrame, what: str, how: str, measures: Mapping[str, Numbers], derivation: Derivation
    ) -> ResultFrame:
        """What the rows of each run come to, by what is counted."""
        return ResultFrame(
            f"{base.name}, {what}", base.files, self.dimensions, list(measures), np.column_stack([*measures.values()]),
            [base.places[place].split(":")[0] for place in self.first], how, base.depth, derivation=derivation,
        )  # fmt: skip

    def sums(self, column: npt.NDArray[Any]) -> Numbers:
        """The sum of a column in each run, or how often it is true."""
        weighted = column if self.weights is None else column * self.weights
        return np.bincount(self.codes, weighted, self.count).astype(float)

    def by(self, codes: npt.NDArray[np.int64], more: list[Dimension]) -> Runs:
        """Rows of some of the runs, told apart by more fields."""
        fields = [Dimension(dimension.name, dimension.values, dimension.codes[codes]) for dimension in self.dimensions]
        return Runs(self.codes, len(codes), [*fields, *more], self.first[codes], self.weights)


def run_fields(frame: ResultFrame, others: list[Dimension]) -> tuple[list[Dimension], list[Dimension]]:
    """Fields that tell runs apart, and fields that slice the examples."""
    running: list[Dimension] = []
    slices: list[Dimension] = []
    for dimension in others:
        if dimension.name.startswith(("file", "directory")):
            running.append(dimension)
        elif len(dimension.values) <= 40 and "/" not in dimension.name:
            (slices if _fixed_by_example(dimension, frame) else running).append(dimension)
    return running, slices


def _fixed_by_example(field: Dimension, frame: ResultFrame) -> bool:
    """Whether a field repeats in the same order in every file: then it is the examples' and not the runs'."""
    if frame.slices is not None:
        return field.name in frame.slices
    source = next((dimension for dimension in frame.dimensions if dimension.name == "file"), None)
    if source is None:
        changes = int(np.count_nonzero(np.diff(field.codes)))
        return changes > 0.5 * frame.rows * (1 - 1 / max(2, len(field.values)))
    varying = [len(np.unique(field.codes[source.codes == code])) for code in range(min(40, len(source.values)))]
    return max(varying, default=0) > 1


def runs_of(fields: list[Dimension], frame: ResultFrame) -> Runs:
    if not fields:
        return Runs(np.zeros(frame.rows, np.int32), 1, [], np.zeros(1, np.int64), frame.weights)
    table = np.column_stack([dimension.codes for dimension in fields])
    _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    dimensions = [Dimension(dimension.name, dimension.values, dimension.codes[first]) for dimension in fields]
    return Runs(inverse.reshape(-1).astype(np.int32), len(first), dimensions, first, frame.weights)
