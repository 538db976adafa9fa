"""Rows of a dataset by combination of fields: how often each is there, which is all that counts and labels ask for.

One pass over the columns answers every cell that is a number of rows, a share, a confusion or a score of labels. What
needs the rows themselves (quantiles, resampling, pairs, sums of measurements) takes them from `selection`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sealtrace.bundle.content import combined_codes
from sealtrace.bundle.encoding import by_reference, one_chunk, references
from sealtrace.bundle.frames import Index, StreamedFrame
from sealtrace.evidence import once
from sealtrace.recipes.metrics import Arguments
from sealtrace.statistics.entries import STATISTICS
from sealtrace.studies.results.evidence import Results
from sealtrace.studies.results.selection import SelectedRows, dataset_of, fitting, within

LEAST_ROWS = 4096
"""Fewer rows are as quickly read by themselves, for each cell."""
MOST_COMBINATIONS = 2**16
"""More would hardly be fewer than the rows."""
MOST_CODES = 2**22
"""Possible combinations in a row group that are counted in an array; more are sorted."""
SHOWN = 3
"""Rows of each combination that are kept where rows are not held: a number shows as many of its own."""
COUNTED = frozenset(
    {"rows", "flags", "texts", "label counts", "labels", "label", "one cell", "crossed", "right of all"}
)
"""What statistics may read that are computed from counts; `statistics.COLUMNS` says how."""


class NeedsRowsError(Exception):
    """Counts do not say what is asked: which row lacks a value, or what a combination that is not counted has."""


@dataclass(frozen=True)
class Counts:
    """Combinations of values, and how many rows have each."""

    values: pa.Table
    times: Index
    first: Index
    """The first rows of each combination, `SHOWN` of them; -1 where it has fewer."""
    codes: Index | None = None
    """The combination of every row, where rows are held."""

    def rows(self, there: Index) -> Index:
        """The rows that have some combinations; the first of them where rows are not held."""
        if self.codes is not None:
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
        return CountedRows(self.results, self.dataset, conditions, self.rows, counts=self.counts, there=there)


def counted_rows(results: Results, arguments: Arguments) -> CountedRows | None:
    """The rows of a recipe by combinations of the fields that it names; None where they must be looked at themselves.

    That is so where there are few, where one of them is doubtful, and where a message has to say what is wrong.
    """
    dataset = dataset_of(results, arguments)
    frame = results.frame(dataset)
    if frame.size < LEAST_ROWS or (isinstance(frame, StreamedFrame) and not frame.kept):
        return None
    if (
        any(store.refused.num_rows for store in results.bundle.of_kind(dataset))
        or results.evidence.doubtful(dataset).any()
    ):
        return None
    named = _fields(results, dataset, arguments)
    if not set(named) <= set(frame.names):
        return None
    planned = tuple(name for name in _planned(results, dataset) if name in frame.names)
    wanted = [planned] if set(named) <= set(planned) else []
    counts = next((found for one in (*wanted, named) if (found := counts_of(results, dataset, one)) is not None), None)
    if counts is None:
        return None
    conditions = within(arguments, "where")
    there = _there(results, dataset, conditions, counts)
    return CountedRows(results, dataset, conditions, counts.rows(there), counts=counts, there=there)


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


def _fields(results: Results, dataset: str, arguments: Mapping[str, str]) -> tuple[str, ...]:
    """The fields that a recipe names, or means."""
    conditions = (key.partition(".") for key in arguments)
    named = {name for word, _, name in conditions if word in ("where", "minus", "versus")}
    named |= {arguments[word] for word in ("of", "against") if word in arguments}
    for word in ("over", "group"):
        named |= {name.strip() for name in arguments.get(word, "").split(",")} - {""}
    if "of" in arguments and (truth := results.declarations[dataset].truth) is not None:
        named.add(truth)
    return tuple(sorted(named))


@once
def _planned(results: Results, dataset: str) -> tuple[str, ...]:
    """The fields that all recipes of a dataset name whose statistics are made of counts: they share one pass."""
    fields: set[str] = set()
    for recipe in results.recipes:
        statistic = STATISTICS.get(recipe.get("metric") or "")
        if statistic is None or statistic.reads not in COUNTED or recipe.get("dataset") not in (None, dataset):
            continue
        words = {
            "of": recipe.get("of"),
            "against": recipe.get("against"),
            "over": recipe.get("over"),
            "group": recipe.get("group"),
        }
        conditions = [*(recipe.get("where") or {}), *(recipe.get("minus") or {}), *(recipe.get("versus") or {})]
        said = {word: text for word, text in words.items() if text} | {f"where.{name}": "" for name in conditions}
        fields |= set(_fields(results, dataset, {**(recipe.get("arguments") or {}), **said}))
    return tuple(sorted(fields))


@once
def counts_of(results: Results, dataset: str, fields: tuple[str, ...]) -> Counts | None:
    """The combinations of some fields of a dataset; None where there are too many."""
    frame, names = results.frame(dataset), list(fields)
    if not names:
        codes = np.zeros(frame.size, np.int64)
        first = _first_of_each(codes, 1, 0)
        held = not isinstance(frame, StreamedFrame)
        return Counts(pa.table({}), np.array([frame.size]), first, codes if held else None)
    if not isinstance(frame, StreamedFrame):
        return _counted(frame.table.select(names), 0)
    found: list[Counts] = []
    start = 0
    for table in frame.parts(names):
        counted = _counted(table.select(names), start)
        if counted is None:
            return None
        found.append(counted)
        start += table.num_rows
        if sum(len(one.times) for one in found) > MOST_COMBINATIONS:
            found = [_merged(found)]
            if len(found[0].times) > MOST_COMBINATIONS:
                return None
    return _merged(found) if found else None


def _counted(table: pa.Table, start: int) -> Counts | None:
    """The combinations of some rows, the first of which has a number."""
    coded = [by_reference(one_chunk(column)) for column in table.columns]
    sizes = [len(array.dictionary) + 1 for array in coded]
    if math.prod(sizes) >= 2**62:
        return None
    combined = np.zeros(table.num_rows, np.int64)
    for array, size in zip(coded, sizes, strict=True):
        combined = combined * size + (references(array) + 1)
    if math.prod(sizes) <= MOST_CODES:
        there = np.flatnonzero(np.bincount(combined, minlength=1))
        places = np.zeros(math.prod(sizes), np.int64)
        places[there] = np.arange(len(there))
        codes = places[combined]
    else:
        there, codes = np.unique(combined, return_inverse=True)
    if len(there) > MOST_COMBINATIONS:
        return None
    count = len(there)
    columns: dict[str, pa.Array] = {}
    for name, array, size in reversed(list(zip(table.column_names, coded, sizes, strict=True))):
        there, own = np.divmod(there, size)
        columns[name] = array.dictionary.take(pa.array(own - 1, mask=own == 0))
    values = pa.table({name: columns[name] for name in table.column_names})
    return Counts(values, np.bincount(codes, minlength=count), _first_of_each(codes, count, start), codes)


def _first_of_each(codes: Index, count: int, start: int) -> Index:
    """The first rows of each combination."""
    found = np.full((count, SHOWN), -1, np.int64)
    rows = np.arange(start, start + len(codes))
    for place in range(SHOWN):
        # Of values that are assigned to one place, the last stays: backwards, that is the first row.
        found[codes[::-1], place] = rows[::-1]
        later = found[codes, place] != rows
        codes, rows = codes[later], rows[later]
    return found


def _merged(parts: list[Counts]) -> Counts:
    """Counts of rows that follow each other as those of all of them."""
    values = pa.concat_tables([part.values for part in parts])
    codes = combined_codes(values, tuple(values.column_names))
    _, example, codes = np.unique(codes, return_index=True, return_inverse=True)
    times = np.bincount(codes, np.concatenate([part.times for part in parts])).astype(np.int64)
    first = np.full((len(times), SHOWN), -1, np.int64)
    order = np.argsort(codes, kind="stable")
    rows = np.concatenate([part.first for part in parts])[order].ravel()
    owners = np.repeat(codes[order], SHOWN)[rows >= 0]
    places = np.arange(len(owners)) - np.searchsorted(owners, owners)
    few = places < SHOWN
    first[owners[few], places[few]] = rows[rows >= 0][few]
    return Counts(values.take(pa.array(example)), times, first)
