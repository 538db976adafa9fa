"""Files of rows that are too large to hold: one at a time, block by block, summed up by the fields that tell.

(1) A sample of rows from several places says which columns are measured, which select, and which of these fields a
    paper's labels name.
(2) Every block of every file is summed up: counts, means, spreads and extremes by combination of these fields. Where
    there are too many combinations, the field that is wanted least is given up.
(3) True and predicted labels are counted by themselves, so that metrics of predictions follow without their rows.

Of a file one block is in memory. A group of files of which one cannot be read gives nothing.
"""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet as parquet

from sealtrace.binding.columns import MAX_VALUES, file_fields, number_of, pattern, selecting_parts, stacked
from sealtrace.binding.derived import labelled_pair
from sealtrace.binding.files import (
    MAX_LINE,
    LargeFiles,
    Rows,
    columns_of,
    delimited,
    distinct_names,
    flat,
    kind_of,
    mark_of,
    opened,
)
from sealtrace.binding.frames import Dimension, Numbers, ResultFrame
from sealtrace.binding.hypotheses import FrameView
from sealtrace.binding.written import parsed
from sealtrace.paper.names.index import Names
from sealtrace.statistics.groups import Groups, Moments, SummedGroups

BLOCK = 8_000_000
"""Bytes of a file that are read at once."""
MAX_CELLS = 30_000
"""Combinations of fields that a group of files is summed up by; each is tried like a row of a small file."""
MAX_COUNTED = 300_000
"""Combinations for which labels are only counted."""
_SAMPLED, _SAMPLE = 12, 200
"""Places of files from which a sample is taken, and rows of each."""
_SAMPLE_BYTES = 400_000
_BATCH = 65_536
"""Rows of a Parquet file that are read at once."""


@dataclass(frozen=True)
class _Plan:
    """What is read of every file of a group."""

    measures: list[str]
    fields: list[str]
    """Fields to sum up by, those that are wanted most first."""
    counted: list[str]
    """Fields to count by: true and given labels first; empty where there are none."""
    slices: frozenset[str]
    """Fields that an example fixes, and not a run."""
    texts: frozenset[str]
    """Columns that hold text."""
    flags: frozenset[str]
    """Columns that hold only true and false."""
    commas: bool
    """Whether decimals are written with commas."""

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys((*self.measures, *self.fields, *self.counted)))


def condensed(group: LargeFiles, labels: frozenset[str], names: Names, deadline: float) -> list[ResultFrame]:
    """The files of a group, summed up. A TimeoutError or what reading raises means that nothing was."""
    plan = _planned(group, labels, names)
    fields = {name: _Field(name) for name in (*plan.fields, *plan.counted)}
    cube = _Cube(plan.fields, plan.measures, MAX_CELLS)
    counted = _Cube(plan.counted, [], MAX_COUNTED) if plan.counted else None
    for number, path in enumerate(group.paths):
        for block in _blocks(path, group.kind, plan):
            if time.process_time() > deadline:
                raise TimeoutError("for want of time")
            for one in (cube, counted) if counted is not None else (cube,):
                one.add(number, block, fields)
    frames = [cube.frame(group.names, fields, plan.slices)]
    if counted is not None and set(plan.counted[:2]) <= set(counted.fields):
        frames.append(counted.frame(group.names, fields, plan.slices))
    return frames


# (1) What to read


def _planned(group: LargeFiles, labels: frozenset[str], names: Names) -> _Plan:
    sample, commas = _sample(group)
    frame = stacked(sample)
    if frame is None:
        raise ValueError("nothing is measured and nothing selects")
    values = {name: [value for rows in sample for value in rows.columns.get(name, ())] for rows in sample
              for name in rows.columns}  # fmt: skip
    kinds = {name: {type(value) for value in column if value is not None} for name, column in values.items()}
    view = FrameView(frame, False, names)
    pair = labelled_pair(frame)
    own = {dimension.name for dimension in pair} if pair else set()
    ranks: dict[str, tuple[bool, bool, bool, int]] = {}
    slices = set()
    within = [rows.columns for rows in sample]
    for place, dimension in enumerate(frame.dimensions):
        name = dimension.name
        if name not in values:
            continue  # Of a file's name, or a part of another field.
        one_each = all(len(set(columns.get(name, ()))) <= 1 for columns in within)
        if not one_each:
            slices.add(name)
        ranks[name] = not one_each, not view.is_spoken_of(place, labels), name in own, len(dimension.values)
    # What a file has one value of cuts nothing; then what labels name; true and given labels are counted apart.
    order = sorted(ranks, key=ranks.__getitem__)
    # What is measured is no label, unless it is set for a run.
    told = [name for name in order if name not in own and (name not in frame.measures or name not in slices)]
    counted = [*(dimension.name for dimension in pair or ()), *told]
    return _Plan(
        frame.measures, order, counted if pair else [], frozenset(slices),
        texts=frozenset(name for name, kind in kinds.items() if kind == {str} and name not in frame.measures),
        flags=frozenset(name for name, kind in kinds.items() if kind == {bool}), commas=commas,
    )  # fmt: skip


def _sample(group: LargeFiles) -> tuple[list[Rows], bool]:
    """Rows from several places of the files, and whether their decimals have commas."""
    count = len(group.paths)
    chosen = sorted({round(place * (count - 1) / max(1, _SAMPLED - 1)) for place in range(_SAMPLED)})
    places = max(1, _SAMPLED // len(chosen))
    found, commas = [], False
    for number in chosen:
        path, name = group.paths[number], group.names[number]
        if group.kind == ".parquet":
            with parquet.ParquetFile(path) as file:
                groups = file.num_row_groups
                for place in sorted({place * groups // places for place in range(places)} if groups else ()):
                    table = next(file.iter_batches(_SAMPLE, row_groups=[place]), None)
                    columns = (
                        {} if table is None else {key: table.column(key).to_pylist() for key in _plain(table.schema)}
                    )
                    found.append(Rows(name, columns, [name] * (0 if table is None else table.num_rows)))
            continue
        for text in _sampled_texts(path, places):
            if group.kind in (".jsonl", ".ndjson"):
                records = [_record(line) for line in text.split("\n")[:_SAMPLE] if line.strip()]
                found.append(Rows(name, columns_of(records), [name] * len(records)))
            else:
                rows = delimited("\n".join(text.split("\n")[: _SAMPLE + 1]), name, math.inf)
                commas |= ";" in text.split("\n", 1)[0] and "," in text and "." not in text
                found.append(rows)
    return [rows for rows in found if len(rows)], commas


def _sampled_texts(path: Path, places: int) -> Iterator[str]:
    """Whole lines from some places of a file, the first line before each."""
    packed = kind_of(path) != path.suffix.lower()
    size = path.stat().st_size
    with opened(path) as file:
        first = file.readline(MAX_LINE)
        for place in range(1 if packed else places):
            if place:
                file.seek(size * place // places)
                file.readline(MAX_LINE)
            yield (
                b"".join([first, *file.readlines(_SAMPLE_BYTES)[:_SAMPLE]]).decode("utf-8-sig", "replace").rstrip("\n")
            )


def _record(line: str) -> dict[str, object]:
    value = parsed(line)
    return flat(value) if isinstance(value, dict) else {"value": value}


def _plain(schema: pa.Schema) -> list[str]:
    """Columns that are neither lists nor objects."""
    return [entry.name for entry in schema if not pa.types.is_nested(entry.type)]


# (2) Blocks of files


_Block = dict[str, pa.Array | pa.ChunkedArray]


def _blocks(path: Path, kind: str, plan: _Plan) -> Iterator[_Numbers]:
    match kind:
        case ".parquet":
            yield from _parquet_blocks(path, plan)
        case ".jsonl" | ".ndjson":
            yield from _line_blocks(path, plan)
        case _:
            yield from _delimited_blocks(path, plan)


@dataclass
class _Numbers:
    """A block of rows."""

    length: int
    columns: _Block
    plan: _Plan

    def measured(self, name: str) -> Numbers:
        """A column as numbers; what is none is missing."""
        column = self.columns.get(name)
        if column is None or pa.types.is_null(column.type):
            return np.full(self.length, np.nan)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            encoded = _encoded(column)
            known = [number_of(text, commas=self.plan.commas) for text in encoded.dictionary.to_pylist()]
            codes = encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
            return np.asarray(np.array([*known, np.nan])[codes])
        values: Numbers = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return np.where(np.isfinite(values), values, np.nan)

    def texts(self, name: str) -> tuple[list[str], np.ndarray]:
        """The distinct texts of a column, and which of them each row has; -1 for none."""
        column = self.columns.get(name)
        if column is None or pa.types.is_null(column.type):
            return [], np.full(self.length, -1, np.int32)
        if name not in self.plan.texts:
            values = self.measured(name)
            known, codes = np.unique(values, return_inverse=True)
            texts = [f"{number:.12g}" if np.isfinite(number) else "" for number in known]
            if name not in self.plan.measures and not np.isfinite(known).any():
                return self._told(column)
            return texts, codes.astype(np.int32)
        return self._told(column)

    @staticmethod
    def _told(column: pa.Array | pa.ChunkedArray) -> tuple[list[str], np.ndarray]:
        encoded = _encoded(column.cast(pa.string()))
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        return [" ".join(text.split()) for text in encoded.dictionary.to_pylist()], codes


def _encoded(column: pa.Array | pa.ChunkedArray) -> pa.DictionaryArray:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole.dictionary_encode()


def _parquet_blocks(path: Path, plan: _Plan) -> Iterator[_Numbers]:
    with parquet.ParquetFile(path) as file:
        names = [name for name in plan.columns if name in _plain(file.schema_arrow)]
        for batch in file.iter_batches(_BATCH, columns=names, use_threads=False):
            yield _Numbers(batch.num_rows, {name: batch.column(name) for name in names}, plan)


def _delimited_blocks(path: Path, plan: _Plan) -> Iterator[_Numbers]:
    with opened(path) as file:
        first = file.readline(MAX_LINE).decode("utf-8-sig", "replace")
    mark = mark_of(first, path.name)
    header = distinct_names(next(csv.reader([first.rstrip("\r\n")], delimiter=mark), []))
    wanted = [name for name in plan.columns if name in header]
    read = pa.csv.ReadOptions(use_threads=False, block_size=BLOCK, column_names=header, skip_rows=1)
    parse = pa.csv.ParseOptions(
        # A line of one cell is a note; any other row that cannot be read would change every mean.
        delimiter=mark, newlines_in_values=True,
        invalid_row_handler=lambda row: "skip" if row.actual_columns == 1 else "error",
    )  # fmt: skip
    # Numbers are read from texts, so that a word among them costs its own cell only.
    convert = pa.csv.ConvertOptions(
        include_columns=wanted, column_types=dict.fromkeys(wanted, pa.string()), strings_can_be_null=False
    )
    with opened(path) as file, pa.csv.open_csv(pa.PythonFile(file, "r"), read, parse, convert) as batches:
        for batch in batches:
            columns = {name: _as_numbers(batch.column(name), name, plan) for name in wanted}
            yield _Numbers(batch.num_rows, columns, plan)


def _as_numbers(column: pa.Array, name: str, plan: _Plan) -> pa.Array:
    """A column of texts as numbers, where it holds nothing else; a word among them is looked at later."""
    if name in plan.measures and not plan.commas:
        trimmed = pc.utf8_trim_whitespace(column)
        with suppress(pa.ArrowInvalid):
            return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed).cast(pa.float64())
    return column


def _line_blocks(path: Path, plan: _Plan) -> Iterator[_Numbers]:
    """JSON lines; Arrow reads them where every value is of the kind that it had in the sample, Python else."""
    types = {name: pa.string() if name in plan.texts else pa.bool_() if name in plan.flags else pa.float64()
             for name in plan.columns}  # fmt: skip
    options = pa.json.ParseOptions(explicit_schema=_schema(types), unexpected_field_behavior="ignore")
    for text in _whole_lines(path):
        with suppress(pa.ArrowInvalid):
            read = pa.json.ReadOptions(use_threads=False, block_size=len(text) + 1)
            table = pa.json.read_json(io.BytesIO(text), read, options)
            while any(pa.types.is_struct(column.type) for column in table.columns):
                table = table.flatten()
            columns = {name: table.column(name) for name in plan.columns}
            # A point may also belong to a plain name.
            if all(column.null_count < table.num_rows for name, column in columns.items() if "." in name):
                yield _Numbers(table.num_rows, columns, plan)
                continue
        records = [_record(line) for line in text.decode("utf-8-sig", "replace").split("\n") if line.strip()]
        columns = columns_of([{name: record.get(name) for name in plan.columns} for record in records])
        yield _Numbers(len(records), {name: _array(values) for name, values in columns.items()}, plan)


def _schema(types: dict[str, pa.DataType]) -> pa.Schema:
    """Columns as lines of JSON hold them: `outer.inner` stands in an object."""
    tree: dict[str, Any] = {}
    for name, kind in types.items():
        *outer, last = name.split(".")
        inside = tree
        for step in outer:
            inside = inside.setdefault(step, {})
            if not isinstance(inside, dict):
                return pa.schema(types)
        inside[last] = kind

    def typed(entry: object) -> pa.DataType:
        return pa.struct([(name, typed(one)) for name, one in entry.items()]) if isinstance(entry, dict) else entry

    return pa.schema([(name, typed(entry)) for name, entry in tree.items()])


def _array(values: list[object]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def _whole_lines(path: Path) -> Iterator[bytes]:
    with opened(path) as file:
        rest = b""
        while block := file.read(BLOCK):
            lines, mark, after = block.rpartition(b"\n")
            if mark:
                yield rest + lines + mark
                rest = after
            else:
                rest += after
            if len(rest) > MAX_LINE:
                raise ValueError("a line is too long")
        if rest.strip():
            yield rest


# (3) Sums


@dataclass
class _Field:
    """A field and its values, in the order in which they were met."""

    name: str
    values: dict[str, int] = field(default_factory=dict)

    def codes(self, texts: Sequence[str], codes: np.ndarray) -> np.ndarray:
        """Codes of a block as codes of the field."""
        known = [self.values.setdefault(text, len(self.values)) if text else -1 for text in texts]
        return np.asarray(np.array([*known, -1], np.int32)[codes])


class _Cube:
    """Counts, means, spreads and extremes by combination of fields and file."""

    def __init__(self, fields: list[str], measures: list[str], limit: int) -> None:
        self.fields, self._measures, self._limit = list(fields), measures, limit
        self._codes: list[np.ndarray] = []
        """[cell, file and fields]"""
        self._weights: list[Numbers] = []
        self._moments: list[Moments] = []
        self._cells = self._settled = 0

    def add(self, file: int, block: _Numbers, fields: dict[str, _Field]) -> None:
        """Sums up a block of a file."""
        own = [np.full(block.length, file, np.int32)]
        for name in list(self.fields):
            codes = fields[name].codes(*block.texts(name)) if len(fields[name].values) <= MAX_VALUES else None
            if codes is None or len(fields[name].values) > MAX_VALUES:
                self._give_up(self.fields.index(name))
            else:
                own.append(codes)
        codes = np.column_stack(own)
        order, starts, counts = _sorted(codes)
        numbers = [block.measured(name) for name in self._measures]
        values = np.column_stack(numbers) if numbers else np.zeros((block.length, 0))
        self._keep(codes[order][starts], counts.astype(float), Groups(values[order], starts, counts).moments)
        # Blocks of one file are put together from time to time, so that few cells are held.
        if self._cells > 2 * max(self._settled, 1000):
            self._settle()
        while self._cells > self._limit and self.fields:
            self._give_up(len(self.fields) - 1)

    def _keep(self, codes: np.ndarray, weights: Numbers, moments: Moments) -> None:
        self._codes.append(codes)
        self._weights.append(weights)
        self._moments.append(moments)
        self._cells += len(codes)

    def _settle(self) -> None:
        """Cells with the same codes as one."""
        codes, weights = np.concatenate(self._codes), np.concatenate(self._weights)
        moments = Moments.joined(self._moments)
        order, starts, counts = _sorted(codes)
        self._codes, self._weights, self._moments, self._cells = [], [], [], 0
        together = SummedGroups(moments.at(order), starts, counts).moments
        self._keep(codes[order][starts], np.add.reduceat(weights[order], starts), together)
        self._settled = self._cells

    def _give_up(self, place: int) -> None:
        """Forgets a field: its cells are added up."""
        del self.fields[place]
        self._codes = [np.delete(codes, place + 1, axis=1) for codes in self._codes]
        if self._codes:
            self._settle()

    def frame(self, files: list[str], fields: dict[str, _Field], slices: frozenset[str]) -> ResultFrame:
        """What was summed up, with the fields that the names of files hold."""
        self._settle()
        (codes,), (weights,), (moments,) = self._codes, self._weights, self._moments
        dimensions: list[Dimension] = []
        for place, name in enumerate(self.fields, 1):
            whole = Dimension(name, list(fields[name].values), codes[:, place])
            dimensions += [whole] if name in self._measures else selecting_parts(whole)
        if len(files) > 1:
            named = file_fields(files)
            dimensions += [Dimension.of(name, values).at(codes[:, 0]) for name, values in named.items()]
        return ResultFrame(
            pattern(files), files, dimensions, list(self._measures), moments.mean, [files[at] for at in codes[:, 0]],
            moments=moments, weights=weights, slices=slices,
        )  # fmt: skip


def _sorted(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The order that puts rows with the same codes together, where each kind of row begins, and how many there are."""
    joined = np.zeros(len(codes), np.int64)
    span = 1
    for column in codes.T:
        width = int(column.max(initial=0)) + 2
        if span * width >= 2**62:
            # More combinations than a number can say: those that are there are numbered anew.
            joined = np.unique(joined, return_inverse=True)[1].reshape(-1)
            span = int(joined.max(initial=0)) + 1
        joined = joined * width + column + 1
        span *= width
    order = np.argsort(joined, kind="stable")
    ordered = joined[order]
    starts = np.nonzero(np.append(True, ordered[1:] != ordered[:-1]))[0]
    return order, starts, np.diff(np.append(starts, len(ordered)))
