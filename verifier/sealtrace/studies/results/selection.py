"""The rows that a recipe speaks of: of which dataset, where, and in which groups."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.content import combined_codes
from sealtrace.bundle.defects import nearest
from sealtrace.bundle.encoding import arrow_array, one_chunk, references
from sealtrace.bundle.frames import Frame, Index, Mask, plain
from sealtrace.recipes.metrics import Arguments, MissingEvidenceError, RecipeError
from sealtrace.statistics.arguments import CONDITIONS
from sealtrace.studies.results.evidence import Results

ABSENT = ""
"""As the value of a condition: the field is absent."""


@dataclass(frozen=True)
class SelectedRows:
    """Some rows of a dataset."""

    results: Results
    dataset: str
    conditions: dict[str, str]
    rows: Index
    whole: SelectedRows | None = None
    """The rows that these are some of, whose columns are read once; None where they are all that were selected."""
    places: Index | None = None
    """Which of them."""
    _read: dict[str, pa.ChunkedArray] = field(default_factory=dict, compare=False, repr=False)

    def some(self, places: Index) -> SelectedRows:
        """Some of the rows."""
        return SelectedRows(self.results, self.dataset, self.conditions, self.rows[places], self, places)

    @property
    def frame(self) -> Frame:
        return self.results.frame(self.dataset)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def times(self) -> Index | None:
        """How many rows each entry of a column stands for; None where it is one."""
        return None

    def count(self, mask: Mask) -> int:
        """How many rows the marked entries of a column stand for."""
        return int(mask.sum() if self.times is None else self.times[mask].sum())

    def table(self, fields: list[str]) -> pa.Table:
        """Some fields of the rows."""
        for name in fields:
            if name not in self.frame.names:
                raise RecipeError(f"{self.dataset} has no field {name!r}{nearest(name, self.frame.names)}")
        unread = [name for name in fields if name not in self._read]
        if self.whole is None or self.places is None:
            table = self.frame.taken(unread, self.rows)
        else:
            table = self.whole.table(unread).take(arrow_array(self.places))
        self._read.update(zip(unread, table.columns, strict=True))
        return pa.table({name: self._read[name] for name in fields})

    def column(self, field: str) -> pa.ChunkedArray:
        """A field of the rows, whole: what is absent in one is missing evidence."""
        column = self.table([field]).column(0)
        if column.null_count:
            absent = int(np.flatnonzero(column.is_null().to_numpy())[0])
            source, number = self.frame.place(int(self.rows[absent]))
            raise MissingEvidenceError(f"{field} is absent at {source}:{number}")
        return column

    def groups(self, fields: list[str]) -> Iterator[SelectedRows]:
        """The rows apart for each value of some fields, in the order of their values."""
        codes = _narrow(combined_codes(self.table(fields), tuple(fields)))
        order = np.argsort(codes, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else ():
            yield self.some(part)

    def level(self, fields: list[str]) -> tuple[object, ...]:
        """What the first row has in some fields."""
        return tuple(self.table([field]).column(0)[0].as_py() for field in fields)

    def with_conditions(self, changed: dict[str, str]) -> SelectedRows:
        """The rows for which other conditions hold as well or instead."""
        return select(self.results, self.dataset, {**self.conditions, **changed})


def _narrow(codes: Index) -> npt.NDArray[np.integer]:
    """The same codes in as few bytes as hold them: there may be many, and most are small."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))


def selection_of(results: Results, arguments: Arguments) -> SelectedRows:
    """The rows of a recipe's dataset for which its conditions hold."""
    return select(results, dataset_of(results, arguments), within(arguments, "where"))


def dataset_of(results: Results, arguments: Arguments) -> str:
    """The dataset that a recipe names or means."""
    name = arguments.get("dataset") or _meant(results, arguments)
    if name not in results.declarations:
        raise RecipeError(f"there is no dataset {name!r}{nearest(name, results.declarations)}")
    if (reason := results.evidence.unreadable(name)) is not None:
        raise MissingEvidenceError(reason)
    return name


def _meant(results: Results, arguments: Arguments) -> str:
    """The one dataset that has all fields that the recipe names."""
    named = {arguments[word] for word in ("of", "against") if word in arguments}
    named |= {key.partition(".")[2] for key in arguments if key.partition(".")[0] in CONDITIONS}
    for word in ("over", "group"):
        named |= {name.strip() for name in arguments.get(word, "").split(",") if name.strip()}
    having = [name for name, declaration in results.declarations.items() if named <= declaration.properties.keys()]
    if len(having) == 1:
        return having[0]
    if len(results.declarations) == 1:
        return next(iter(results.declarations))
    listed = ", ".join(having or results.declarations) or "none"
    fields = ", ".join(sorted(named)) or "the fields"
    raise RecipeError(f"the recipe names no dataset, and {'several have' if having else 'none has'} {fields}: {listed}")


def within(arguments: Arguments, name: str) -> dict[str, str]:
    """The arguments `name.field`, by field."""
    return {key.partition(".")[2]: text for key, text in arguments.items() if key.startswith(f"{name}.")}


def select(results: Results, dataset: str, conditions: dict[str, str]) -> SelectedRows:
    """The rows that fit; missing evidence where one of them is doubtful."""
    frame = results.frame(dataset)
    mask = np.ones(frame.size, np.bool_)
    refused = [store.refused for store in results.bundle.of_kind(dataset) if store.refused.num_rows]
    spoilt = [np.ones(table.num_rows, np.bool_) for table in refused]
    for name, text in conditions.items():
        if name not in frame.names:
            raise RecipeError(f"{dataset} has no field {name!r}{nearest(name, frame.names)}")
        values = _values(results, dataset, name, text)
        values, bounds = [value for value in values if not is_bound(value)], list(filter(is_bound, values))
        for bound in bounds:
            mask &= frame.where(name, partial(_bounded, bound=bound), (bound,))
        if bounds and not values:
            continue
        mask &= frame.where(name, partial(_among, values=values), tuple(values))
        for fits, table in zip(spoilt, refused, strict=True):
            # A refused row whose value is unknown might belong here.
            fits &= _among(table.column(name), values) | table.column(name).is_null().to_numpy()
    rows = np.flatnonzero(mask)
    if any(fits.any() for fits in spoilt):
        raise MissingEvidenceError(f"it depends on {results.evidence.refusal(dataset)}")
    doubtful = results.evidence.doubtful(dataset)
    if doubtful[rows].any():
        source, number = frame.place(int(rows[doubtful[rows]][0]))
        raise MissingEvidenceError(f"it depends on {source}:{number}, whose key is there twice or which does not join")
    if not len(rows):
        told = ", ".join(f"{name} {text or 'absent'}" for name, text in conditions.items())
        raise RecipeError(f"no row of {dataset} has {told or 'anything'}")
    return SelectedRows(results, dataset, conditions, rows)


def fitting(results: Results, dataset: str, name: str, text: str, column: pa.ChunkedArray) -> Mask:
    """Where a column of a dataset is as a condition says."""
    fits = np.ones(len(column), np.bool_)
    values = _values(results, dataset, name, text)
    for bound in filter(is_bound, values):
        fits &= _bounded(column, bound)
    if listed := [value for value in values if not is_bound(value)]:
        fits &= _among(column, listed)
    return fits


def _values(results: Results, dataset: str, field: str, text: str) -> list[str]:
    """The values that a condition names, each by itself or as tables print it."""
    labels = {label: value for value, label in (results.declarations[dataset].printed or {}).get(field, {}).items()}
    wanted = [text]
    if text.startswith("["):
        with suppress(ValueError):
            wanted = [str(load) for load in json.loads(text)]
    return [labels.get(label, label) for label in wanted]


def _among(column: pa.ChunkedArray, values: list[str]) -> Mask:
    """Where a column has one of some values, compared as they are written."""
    if pa.types.is_dictionary(column.type):
        array = one_chunk(column)
        told = np.append(_among(pa.chunked_array([array.dictionary]), values), ABSENT in values)
        spread: Mask = told[references(array)]
        return spread
    found = np.zeros(len(column), np.bool_)
    if ABSENT in values:
        found |= column.is_null().to_numpy()
    if pa.types.is_string(column.type):
        wanted = pa.array([value for value in values if value != ABSENT], pa.string())
    elif pa.types.is_boolean(column.type):
        wanted = pa.array([value == "true" for value in values if value in ("true", "false")], pa.bool_())
    else:
        wanted = pa.array(list(_numbers(values)), column.type)
    there: Mask = found | pc.is_in(column, value_set=wanted).to_numpy()
    return there


BOUNDS = (">= ", "<= ", "<> ")


def is_bound(value: str) -> bool:
    """Whether a condition is a bound rather than a value."""
    return value.startswith(BOUNDS)


def _bounded(column: pa.ChunkedArray, bound: str) -> Mask:
    """Where a column is beyond a bound, or is something else."""
    sign, _, text = bound.partition(" ")
    if sign == "<>":
        return ~_among(column, [text])
    column, numbers = plain(column), list(_numbers([text]))
    if not numbers or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise RecipeError(f"{bound!r} bounds numbers")
    compare = pc.greater_equal if sign == ">=" else pc.less_equal
    there: Mask = pc.fill_null(compare(column, numbers[0]), False).to_numpy()
    return there


def _numbers(values: list[str]) -> Iterator[float]:
    for value in values:
        try:
            yield float(value) if "." in value or "e" in value.lower() else int(value)
        except ValueError:
            continue
