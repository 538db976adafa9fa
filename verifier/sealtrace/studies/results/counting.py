"""Rows of a dataset by combination of fields: how often each is there, which is all that counts and labels ask for.

One pass over the columns answers every cell that is a number of rows, a share, a confusion or a score of labels. A
second one lays a measured column out by combination, which answers means, deviations and quantiles of every cell. What
needs rows in their order, or pairs of them (resampling, tests), takes them from `selection`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sealtrace.bundle.content import combined_codes
from sealtrace.bundle.encoding import by_reference, one_chunk, references
from sealtrace.bundle.frames import Index, StreamedFrame, plain
from sealtrace.evidence import once
from sealtrace.mathematics import Numbers
from sealtrace.recipes.metrics import Arguments
from sealtrace.statistics.arguments import CONDITIONS
from sealtrace.statistics.entries import STATISTICS
from sealtrace.statistics.table import Statistic
from sealtrace.studies.results.evidence import Results
from sealtrace.studies.results.selection import SelectedRows, dataset_of, fitting, within

LEAST_ROWS = 4096
"""Fewer rows are as quickly read by themselves, for each cell."""
MOST_COMBINATIONS = 2**16
"""More would hardly be fewer than the rows."""
MOST_CODES = 2**22
"""Possible combinations that are counted in an array; more are sorted."""
SHOWN = 3
"""Rows of each combination that are kept where rows are not held: a number shows as many of its own."""
COUNTED = frozenset(
    {"rows", "flags", "texts", "label counts", "labels", "label", "one cell", "crossed", "right of all"}
)
"""What statistics may read that are computed from counts; `statistics.COLUMNS` says how."""
MEASURED = frozenset({"values"})
"""What they may read that are computed from the numbers of a column in any order: their sums are exact."""


class NeedsRowsError(Exception):
    """Counts do not say what is asked: which row lacks a value, or what a combination that is not counted has."""


@dataclass(frozen=True)
class Counts:
    """Combinations of values, and how many rows have each."""

    values: pa.Table
    times: Index
    first: Index
    """The first rows of each combination, `SHOWN` of them; -1 where it has fewer."""
    codes: npt.NDArray[np.uint16]
    """The combination of every row."""

    def rows(self, there: Index, *, every: bool) -> Index:
        """The rows that have some combinations, or the first of them."""
        if every:
            wanted = np.zeros(len(self.times), np.bool_)
            wanted[there] = True
            return np.flatnonzero(wanted[self.codes])
        few: Index = self.first[there].ravel()
        found: Index = np.sort(few[few >= 0])[:SHOWN]
        return found


@dataclass(frozen=True, kw_only=True)
class CountedRows(SelectedRows):
    """Rows by their combinations of values: a column has one entry for each combination."""

    counts: Counts
    there: Index
    """The combinations that the rows have."""

    @property
    def times(self) -> Index:
        found: Index = self.counts.times[self.there]
        return found

    @property
    def size(self) -> int:
        return int(self.times.sum())

    def table(self, fields: list[str]) -> pa.Table:
        if not set(fields) <= set(self.counts.values.column_names):
            raise NeedsRowsError
        return self.counts.values.select(fields).take(pa.array(self.there))

    def column(self, field: str) -> pa.ChunkedArray:
        column = self.table([field]).column(0)
        if column.null_count:
            raise NeedsRowsError
        return column

    def groups(self, fields: list[str]) -> Iterator[SelectedRows]:
        codes = combined_codes(self.table(fields), tuple(fields))
        order = np.argsort(codes, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
            yield self._of(self.conditions, self.there[part])

    def with_conditions(self, changed: dict[str, str]) -> SelectedRows:
        conditions = {**self.conditions, **changed}
        return self._of(conditions, _there(self.results, self.dataset, conditions, self.counts))

    def _of(self, conditions: dict[str, str], there: Index) -> CountedRows:
        return replace(self, conditions=conditions, there=there)


@dataclass(frozen=True, kw_only=True)
class MeasuredRows(CountedRows):
    """Rows by their combinations, with all numbers of one more column."""

    measure: str
    numbers: Numbers
    """Those of the first combination, then those of the next."""
    starts: Index
    """Where those of each combination begin, and where the last end."""

    def column(self, field: str) -> pa.ChunkedArray:
        if field != self.measure:
            raise NeedsRowsError
        parts = [self.numbers[self.starts[one] : self.starts[one + 1]] for one in self.there.tolist()]
        return pa.chunked_array([np.concatenate(parts)])


def counted_rows(results: Results, statistic: Statistic, arguments: Arguments) -> CountedRows | None:
    """The rows of a recipe by combinations of the fields that it names; None where they must be looked at themselves.

    That is so where there are few, where one of them is doubtful, and where a message has to say what is wrong.
    """
    if statistic.reads not in COUNTED | MEASURED:
        return None
    dataset = dataset_of(results, arguments)
    frame = results.frame(dataset)
    if frame.size < LEAST_ROWS or type(frame) is StreamedFrame:
        return None
    if (
        any(store.refused.num_rows for store in results.bundle.of_kind(dataset))
        or results.evidence.doubtful(dataset).any()
    ):
        return None
    measures = statistic.reads in MEASURED
    named = _fields(results, dataset, arguments, measures=measures)
    if not set(named) <= set(frame.names):
        return None
    planned = tuple(name for name in _planned(results, dataset, measures) if name in frame.names)
    wanted = [planned] if set(named) <= set(planned) else []
    fields = next((one for one in (*wanted, named) if counts_of(results, dataset, one) is not None), None)
    if fields is None:
        return None
    counts = counts_of(results, dataset, fields)
    assert counts is not None
    conditions = within(arguments, "where")
    there = _there(results, dataset, conditions, counts)
    rows = counts.rows(there, every=not isinstance(frame, StreamedFrame))
    counted = CountedRows(results, dataset, conditions, rows, counts=counts, there=there)
    if not measures:
        return counted
    numbers = _numbers_of(results, dataset, fields, arguments["of"])
    if numbers is None:
        return None
    starts = np.concatenate([[0], np.cumsum(counts.times)])
    return MeasuredRows(
        results, dataset, conditions, rows, counts=counts, there=there,
        measure=arguments["of"], numbers=numbers, starts=starts,
    )  # fmt: skip


def _there(results: Results, dataset: str, conditions: dict[str, str], counts: Counts) -> Index:
    """The combinations that fit; there is one, or the rows must say why not."""
    fits = np.ones(len(counts.times), np.bool_)
    for name, text in conditions.items():
        if name not in counts.values.column_names:
            raise NeedsRowsError
        fits &= fitting(results, dataset, name, text, counts.values.column(name))
    if not fits.any():
        raise NeedsRowsError
    there: Index = np.flatnonzero(fits)
    return there


def _fields(results: Results, dataset: str, arguments: Mapping[str, str], *, measures: bool = False) -> tuple[str, ...]:
    """The fields that a recipe names, or means, but for the one that it measures."""
    conditions = (key.partition(".") for key in arguments)
    named = {name for word, _, name in conditions if word in CONDITIONS}
    for word in ("over", "group"):
        named |= {name.strip() for name in arguments.get(word, "").split(",")} - {""}
    if not measures:
        named |= {arguments[word] for word in ("of", "against") if word in arguments}
        if "of" in arguments and (truth := results.declarations[dataset].truth) is not None:
            named.add(truth)
    return tuple(sorted(named))


@once
def _planned(results: Results, dataset: str, measures: bool) -> tuple[str, ...]:
    """The fields that all recipes of a dataset name whose statistics are made of counts: they share one pass."""
    fields: set[str] = set()
    for recipe in results.recipes:
        statistic = STATISTICS.get(recipe.get("metric") or "")
        reads = MEASURED if measures else COUNTED
        if statistic is None or statistic.reads not in reads or recipe.get("dataset") not in (None, dataset):
            continue
        words = {
            "of": recipe.get("of"),
            "against": recipe.get("against"),
            "over": recipe.get("over"),
            "group": recipe.get("group"),
        }
        conditions = [field for word in CONDITIONS for field in recipe.get(word) or {}]
        said = {word: text for word, text in words.items() if text} | {f"where.{name}": "" for name in conditions}
        arguments = {**(recipe.get("arguments") or {}), **said}
        fields |= set(_fields(results, dataset, arguments, measures=measures))
    return tuple(sorted(fields))


@once
def _numbers_of(results: Results, dataset: str, fields: tuple[str, ...], measure: str) -> Numbers | None:
    """A column of numbers in the order of the combinations of some fields; None where it has gaps or is no number."""
    frame, counts = results.frame(dataset), counts_of(results, dataset, fields)
    if counts is None or measure not in frame.names:
        return None
    column = plain(frame.columns([measure]).column(0))
    if column.null_count or not _is_number(column.type):
        return None
    numbers = (column.cast(pa.int64()) if pa.types.is_boolean(column.type) else column).to_numpy()
    # Two bytes hold every combination, and numpy sorts them in linear time.
    return cast("Numbers", numbers[np.argsort(counts.codes, kind="stable")])


def _is_number(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean))


@once
def counts_of(results: Results, dataset: str, fields: tuple[str, ...]) -> Counts | None:
    """The combinations of some fields of a dataset; None where there are too many."""
    frame = results.frame(dataset)
    return _counted(frame.columns(fields), frame.size)


def _counted(table: pa.Table, rows: int) -> Counts | None:
    coded = [by_reference(one_chunk(column)) for column in table.columns]
    absent = [bool(array.null_count) for array in coded]
    sizes = [len(array.dictionary) + some for array, some in zip(coded, absent, strict=True)]
    possible = math.prod(sizes)
    if possible >= 2**62:
        return None
    columns = list(zip(map(references, coded), sizes, absent, strict=True))
    kind: type[np.integer] = np.uint16 if possible < 2**16 else np.int32 if possible <= MOST_CODES else np.int64
    codes: npt.NDArray[np.integer] = np.zeros(rows, kind)
    if possible > MOST_CODES:
        there, codes, times = np.unique(_combined(codes, 0, columns), return_inverse=True, return_counts=True)
    else:
        # So many rows at a time that what is computed of them stays in the processor's cache.
        at_once = 2**16 if possible < 2**16 else max(1, rows)
        times = np.zeros(possible, np.int64)
        for start in range(0, rows, at_once):
            times += np.bincount(_combined(codes[start : start + at_once], start, columns), minlength=possible)
        there = np.flatnonzero(times)
        if len(there) < possible:
            renumbered = np.zeros(possible, kind)
            renumbered[there] = np.arange(len(there))
            codes, times = renumbered[codes], times[there]
    count = len(there)
    if count > MOST_COMBINATIONS:
        return None
    found: dict[str, pa.Array] = {}
    for name, array, size, some in reversed(list(zip(table.column_names, coded, sizes, absent, strict=True))):
        there, own = np.divmod(there, size)
        found[name] = array.dictionary.take(pa.array(own - some, mask=own < some))
    values = pa.table({name: found[name] for name in table.column_names})
    own = codes.astype(np.uint16, copy=False)
    return Counts(values, times, _first_of_each(own, times), own)


def _combined(
    codes: npt.NDArray[np.integer], start: int, columns: list[tuple[npt.NDArray[np.integer], int, bool]]
) -> npt.NDArray[np.integer]:
    """One integer for each combination of values of some rows from `start` on, put where there are zeros."""
    kind = codes.dtype.type
    for places, size, absent in columns:
        codes *= kind(size)
        np.add(codes, places[start : start + len(codes)], out=codes, casting="unsafe")
        if absent:  # what is absent has the place -1, and comes first
            codes += kind(1)
    return codes


def _first_of_each(every: npt.NDArray[np.uint16], times: Index) -> Index:
    """The first rows of each combination."""
    stop = MOST_COMBINATIONS
    while True:
        codes, rows = every[:stop], np.arange(min(stop, len(every)))
        found = np.full((len(times), SHOWN), -1, np.int64)
        for place in range(SHOWN):
            # Of values that are assigned to one place, the last stays: backwards, that is the first row.
            found[codes[::-1], place] = rows[::-1]
            later = found[codes, place] != rows
            codes, rows = codes[later], rows[later]
        # Nearly always they stand at the beginning.
        if stop >= len(every) or ((found >= 0).sum(axis=1) == np.minimum(times, SHOWN)).all():
            return found
        stop *= 4
