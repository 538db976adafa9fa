"""Columns of actions: maps and lists by declared action."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.arrays import distinct
from sealtrace.bundle.encoding import regular
from sealtrace.bundle.frames import Frame, Index, Mask, Matrix


@dataclass(frozen=True)
class ActionMatrix:
    """A column of action maps: one row per record, one column per declared action."""

    values: Matrix
    """Zero where an action is not named."""
    named: Mask
    unknown: Mask
    """Rows that name an action which the protocol does not declare."""


@dataclass(frozen=True)
class ActionLists:
    """A column of action lists."""

    named: Mask
    unknown: Mask
    repeated: Mask
    ordered: Mask
    """Rows whose actions come in the protocol's order."""


def action_matrix(frame: Frame, name: str, actions: list[str]) -> ActionMatrix:
    """A map column by declared action, computed once for a frame."""
    key = (name, *actions)
    if key not in frame.matrices:
        frame.matrices[key] = _action_matrix(frame, name, actions)
    found: ActionMatrix = frame.matrices[key]
    return found


def _action_matrix(frame: Frame, name: str, actions: list[str]) -> ActionMatrix:
    if (same := regular(frame.column(name))) is not None and set(same[0]) <= set(actions):
        # Most files name the same actions in every record.
        places = [actions.index(one) for one in same[0]]
        every = len(places) == len(actions)
        values = np.empty((frame.size, len(actions))) if every else np.zeros((frame.size, len(actions)))
        values[:, places] = same[1]
        named = np.zeros(len(actions), np.bool_)
        named[places] = True
        return ActionMatrix(values, np.broadcast_to(named, values.shape), np.zeros(frame.size, np.bool_))
    array, owners, start, stop = _flattened(frame.column(name))
    codes = _action_codes(array.keys.slice(start, stop - start), actions)
    items = array.items.slice(start, stop - start).to_numpy(zero_copy_only=False)
    values = np.zeros((frame.size, len(actions)))
    named = np.zeros(values.shape, np.bool_)
    if (pattern := _regular(codes, owners, frame.size)) is not None:
        values[:, pattern] = items.reshape(frame.size, -1)
        named[:, pattern] = True
        return ActionMatrix(values, named, np.zeros(frame.size, np.bool_))
    known = codes >= 0
    values[owners[known], codes[known]] = items[known]
    named[owners[known], codes[known]] = True
    return ActionMatrix(values, named, _any(owners[~known], frame.size))


def action_lists(frame: Frame, name: str, actions: list[str]) -> ActionLists:
    """A list column by declared action."""
    array, owners, start, stop = _flattened(frame.column(name))
    codes = _action_codes(array.values.slice(start, stop - start), actions)
    named = np.zeros((frame.size, len(actions)), np.bool_)
    if (pattern := _regular(codes, owners, frame.size)) is not None:
        named[:, pattern] = True
        no = np.zeros(frame.size, np.bool_)
        twice = no | (len(set(pattern.tolist())) < len(pattern))
        return ActionLists(named, no, twice, no | bool(np.all(pattern[1:] >= pattern[:-1])))
    known = codes >= 0
    named[owners[known], codes[known]] = True
    counts = np.bincount(owners[known], minlength=frame.size)
    same = owners[1:] == owners[:-1]
    falling = same & (codes[1:] < codes[:-1])
    return ActionLists(
        named=named,
        unknown=_any(owners[~known], frame.size),
        repeated=counts > named.sum(axis=1),
        ordered=~_any(owners[1:][falling], frame.size),
    )


def _flattened(array: pa.Array) -> tuple[pa.Array, Index, int, int]:
    """The lists or maps that are present, the owner of each of their items, and the items' bounds."""
    owners = np.arange(len(array))
    if array.null_count:
        owners = owners[array.is_valid().to_numpy(zero_copy_only=False)]
        array = array.drop_null()
    offsets = array.offsets.to_numpy().astype(np.int64)
    return array, np.repeat(owners, np.diff(offsets)), int(offsets[0]), int(offsets[-1])


def _action_codes(names: pa.Array, actions: list[str]) -> Index:
    vocabulary = pa.array(actions, pa.string())
    if pa.types.is_dictionary(names.type):
        places = pc.index_in(names.dictionary, value_set=vocabulary).fill_null(-1).to_numpy().astype(np.int64)
        codes: Index = places[names.indices.to_numpy()] if len(names) else np.zeros(0, np.int64)
        return codes
    found: Index = pc.index_in(names, value_set=vocabulary).fill_null(-1).to_numpy().astype(np.int64)
    return found


def _regular(codes: Index, owners: Index, size: int) -> Index | None:
    """The actions that every record names, where all name the same known ones once and in the same order."""
    if not size or not len(codes) or len(codes) % size:
        return None
    width = len(codes) // size
    pattern = codes[:width]
    if pattern.min() < 0 or len(distinct(pattern)) < width:
        return None
    records = np.arange(size)
    # Owners ascend, so a block whose first and last item belong to a record belongs to it whole.
    blocks = np.array_equal(owners[::width], records) and np.array_equal(owners[width - 1 :: width], records)
    return pattern if blocks and bool((codes.reshape(size, width) == pattern).all()) else None


def _any(rows: Index, size: int) -> Mask:
    mask = np.zeros(size, np.bool_)
    mask[rows] = True
    return mask
