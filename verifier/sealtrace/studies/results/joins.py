"""What a dataset's declaration demands of its rows together, decided on columns.

Pure: tables in, gaps out. A gap says what is wrong in words, and which rows are doubtful for it: nothing that is
computed from those can be relied on, and everything else can.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sealtrace.bundle.content import combined_codes
from sealtrace.bundle.encoding import arrow_array, by_reference, one_chunk, ranks
from sealtrace.mathematics import Index

LISTED = 100
"""How many gaps of one kind are described; the rows of all are doubtful, and the first described one holds them."""


Codes = npt.NDArray[np.signedinteger]
MOST_CODES = 2**22
"""Possible combinations that are marked in an array; more are sorted."""


@dataclass(frozen=True)
class Gap:
    """Something that is not there, or is there too often."""

    key: dict[str, str]
    """What it is about."""
    field: str
    message: str
    expected: str
    found: str
    rows: Index
    """The rows that are doubtful for it."""


def incomplete(
    table: pa.Table,
    every: Sequence[Sequence[str]],
    by: Sequence[str],
    times: int | None,
    counted: Callable[[Sequence[str]], int] | None = None,
) -> list[Gap]:
    """Combinations that are absent, or there more or less often than declared (`times`; None for any number).

    `counted` knows how many combinations of values some fields have.

    The group with most values is taken for the items, the others together for the systems. An item that most systems
    lack is itself to blame; otherwise the system that lacks it is.
    """
    counted = counted or partial(combinations, table)
    if _is_complete(table, every, by, times, counted):
        return []
    groups = sorted((list(group) for group in every), key=counted)
    items, systems = groups[-1], [name for group in groups[:-1] for name in group]
    gaps = list(_absent_systems(table, groups[:-1], by)) if len(groups) > 2 else []
    parts = _coded(table, by)[0]
    item_codes, system_codes = _coded(table, items)[0], _coded(table, systems)[0]
    for part in np.unique(parts).tolist():
        mine = np.flatnonzero(parts == part)
        gaps += _within(table, mine, item_codes[mine], system_codes[mine], items, systems, by)
    if times is not None:
        gaps += _wrong_times(table, [*by, *systems, *items], times)
    return gaps


def _is_complete(
    table: pa.Table,
    every: Sequence[Sequence[str]],
    by: Sequence[str],
    times: int | None,
    counted: Callable[[Sequence[str]], int],
) -> bool:
    """Whether there are as many combinations as the values of the groups have, within each part."""
    names = list(dict.fromkeys(name for group in every for name in group))
    if by:
        number_of = partial(_of_each_part, table, *_coded(table, by), by)
        whole, groups = number_of(names), [number_of(group) for group in every]
    else:
        whole, groups = np.array([counted(names)]), [np.array([counted(group)]) for group in every]
    due = np.prod([group.astype(float) for group in groups], axis=0)
    if not (due == whole).all() or (times is not None and whole.sum() * times != table.num_rows):
        return False
    return times is None or times == 1 or not any(_wrong_times(table, [*by, *names], times))


def _of_each_part(table: pa.Table, parts: Codes, number: int, by: Sequence[str], fields: Sequence[str]) -> Index:
    """How many combinations of some fields each part has."""
    codes, size = _coded(table, [*by, *fields])
    part_of = np.full(size, -1, np.int32)
    part_of[codes] = parts
    return np.bincount(part_of[part_of >= 0], minlength=number)


def _within(
    table: pa.Table, rows: Index, items: Index, systems: Index, item: list[str], system: list[str], by: Sequence[str]
) -> Iterator[Gap]:
    pairs = _pairs(systems, items)
    each_item, seen = np.unique(pairs[1], return_counts=True)
    each_system = np.unique(pairs[0])
    if len(pairs[0]) == len(each_item) * len(each_system):
        return
    rare = 2 * seen < len(each_system)
    strange, doubted = each_item[rare], np.isin(items, each_item[rare])
    for code, total in zip(strange[:LISTED].tolist(), seen[rare].tolist(), strict=False):
        own = rows[items == code]
        where, first = own if code != strange[0] else np.r_[own, rows[doubted]], int(own[0])
        yield Gap(
            _named(table, [*by, *item], first), f"/{item[0]}",
            f"{_words(table, item, first)} is there for few only. Remove it, or add it for all.",
            f"{len(each_system)} of {'+'.join(system)}", f"{total}", where,
        )  # fmt: skip
    usual = each_item[~rare]
    common = np.isin(pairs[1], usual)
    has = np.bincount(np.searchsorted(each_system, pairs[0][common]), minlength=len(each_system))
    lacking = each_system[has < len(usual)]
    doubted = np.isin(systems, lacking)
    for code in lacking[:LISTED].tolist():
        own = rows[systems == code]
        where = own if code != lacking[0] else np.r_[own, rows[doubted]]
        absent = np.setdiff1d(usual, items[systems == code])
        first = int(rows[items == absent[0]][0])
        yield Gap(
            _named(table, [*by, *system], int(own[0])), f"/{item[0]}",
            f"{_words(table, system, int(own[0]))} lacks {len(absent)} that the others have, "
            f"{_words(table, item, first)} among them. Add them.",
            f"{len(usual)} of {'+'.join(item)}", f"{len(usual) - len(absent)}", where,
        )  # fmt: skip


def _absent_systems(table: pa.Table, groups: list[list[str]], by: Sequence[str]) -> Iterator[Gap]:
    """Combinations of the smaller groups that no row has: a seed of one model, say."""
    names = [name for group in groups for name in group]
    parts = _coded(table, by)[0]
    for part in np.unique(parts).tolist():
        mine = np.flatnonzero(parts == part)
        expected = 1
        for group in groups:
            expected *= len(np.unique(_coded(table, group)[0][mine]))
        found = len(np.unique(_coded(table, names)[0][mine]))
        if found < expected:
            yield Gap(
                _named(table, list(by), int(mine[0])), f"/{names[0]}",
                f"Some combinations of {' x '.join('+'.join(group) for group in groups)} are absent altogether.",
                f"{expected} combinations", f"{found}", mine,
            )  # fmt: skip


def _wrong_times(table: pa.Table, fields: list[str], times: int) -> Iterator[Gap]:
    codes = _coded(table, fields)[0]
    order = np.argsort(codes, kind="stable")
    _, starts, counts = np.unique(codes[order], return_index=True, return_counts=True)
    wrong = np.flatnonzero(counts != times)
    doubted = order[np.repeat(counts != times, counts)]
    for place in wrong[:LISTED].tolist():
        own = order[starts[place] : starts[place] + counts[place]]
        yield Gap(
            _named(table, fields, int(own[0])), f"/{fields[-1]}", "The declaration says another number of times.",
            f"{times} times", f"{counts[place]} times", own if place != wrong[0] else np.r_[own, doubted],
        )  # fmt: skip


def contradicting(table: pa.Table, on: Sequence[str], field: str) -> list[Gap]:
    """Rows that agree in some fields and differ in one that those determine."""
    (groups, number), (values, _) = _coded(table, on), _coded(table, [field])
    if (groups[1:] >= groups[:-1]).all():
        # Most rows are in order, where what is not the same stands side by side.
        if not ((groups[1:] == groups[:-1]) & (values[1:] != values[:-1])).any():
            return []
    else:
        one = np.zeros(number, values.dtype)
        one[groups] = values
        if (one[groups] == values).all():
            return []
    pairs = _pairs(groups, values)
    several = np.unique(pairs[0][1:][pairs[0][1:] == pairs[0][:-1]])
    gaps = []
    doubted = np.flatnonzero(np.isin(groups, several))
    for code in several[:LISTED].tolist():
        where = np.flatnonzero(groups == code)
        different = np.unique(values[where], return_index=True)[1]
        shown = [table.column(field)[int(where[place])].as_py() for place in different[:3]]
        gaps.append(
            Gap(
                _named(table, list(on), int(where[0])),
                f"/{field}",
                f"{_words(table, list(on), int(where[0]))} has several values of {field}, and should have one.",
                "one",
                ", ".join("nothing" if value is None else str(value) for value in shown),
                where if code != several[0] else np.r_[where, doubted],
            )
        )
    return gaps


def unmatched(table: pa.Table, fields: Sequence[str], other: pa.Table, to: Sequence[str]) -> tuple[Index, Index]:
    """The rows whose fields name no row of another table, and those that nothing names; none of the fields, nothing."""
    pairs = [(table.column(mine), other.column(theirs)) for mine, theirs in zip(fields, to, strict=True)]
    if any(_value_type(mine) != _value_type(theirs) for mine, theirs in pairs):
        # No text is a number: whatever such a field names is not there.
        codes, size = np.arange(table.num_rows + other.num_rows), table.num_rows + other.num_rows
    else:
        both = pa.table({str(place): _one_after_other(*pair) for place, pair in enumerate(pairs)})
        codes, size = _coded(both, both.column_names)
    sides = codes[: table.num_rows], codes[table.num_rows :]
    lost = []
    for place, (own, opposite) in enumerate((sides, sides[::-1])):
        there = np.zeros(size, np.bool_)
        there[opposite] = True
        rows = np.flatnonzero(~there[own])
        named = np.zeros(len(rows), np.bool_)
        for pair in pairs:
            named |= pair[place].take(arrow_array(rows)).is_valid().to_numpy()
        lost.append(rows[named])
    return lost[0], lost[1]


def _value_type(column: pa.ChunkedArray) -> pa.DataType:
    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def _one_after_other(first: pa.ChunkedArray, second: pa.ChunkedArray) -> pa.ChunkedArray:
    """Two columns as one, by reference to values that are held once."""
    coded = [by_reference(one_chunk(column)) for column in (first, second)]
    if coded[0].dictionary.equals(coded[1].dictionary):
        codes = pa.concat_arrays([array.indices.cast(pa.int32()) for array in coded])
        return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, coded[0].dictionary)])
    wide = [pa.DictionaryArray.from_arrays(array.indices.cast(pa.int32()), array.dictionary) for array in coded]
    return pa.chunked_array(wide).unify_dictionaries()


def _pairs(first: Codes, second: Codes) -> tuple[Codes, Codes]:
    """The pairs that rows have, each once, in order. `np.unique` along an axis compares bytes, ten times as slowly."""
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    return first[new], second[new]


def combinations(table: pa.Table, fields: Sequence[str]) -> int:
    """How many combinations of values some fields have."""
    codes, size = _coded(table, fields)
    seen = np.zeros(size, np.bool_)
    seen[codes] = True
    return int(np.count_nonzero(seen))


def _coded(table: pa.Table, fields: Sequence[str]) -> tuple[Codes, int]:
    """One integer per row, equal exactly where the fields are; and a bound of them that is not far above the rows."""
    columns = [ranks(table.column(name)) for name in fields]
    if len(columns) == 1:
        return columns[0]
    bound = math.prod(distinct for _, distinct in columns)
    if bound > max(MOST_CODES, 2 * table.num_rows) or bound >= 2**31:
        there, codes = np.unique(combined_codes(table, tuple(fields)), return_inverse=True)
        return codes, len(there)
    combined = np.zeros(table.num_rows, np.int32)
    for places, distinct in columns:
        combined *= distinct
        combined += places
    return combined, bound


def _named(table: pa.Table, fields: list[str], row: int) -> dict[str, str]:
    values = {name: table.column(name)[row].as_py() for name in fields}
    return {name: str(value) for name, value in values.items() if value is not None}


def _words(table: pa.Table, fields: list[str], row: int) -> str:
    named = _named(table, fields, row)
    return " ".join(f"{name} {named.get(name, 'absent')}" for name in fields)
