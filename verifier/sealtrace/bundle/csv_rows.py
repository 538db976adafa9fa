"""CSV files of a dataset: commas, one header, an empty cell for what is absent, `true` and `false` for flags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.defects import Defect
from sealtrace.bundle.json_columns import shown
from sealtrace.bundle.shapes import Flag, Integer, Number, Shape, Struct, Text, arrow_type, describe
from sealtrace.bundle.stores import Defects

_INTEGER = r"^-?(0|[1-9][0-9]{0,15})$"
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$"


@dataclass
class CsvRows:
    """The rows of a CSV file, with nothing where a cell is not what its field asks for."""

    table: pa.Table
    numbers: npt.NDArray[np.int64]
    count: int
    misfits: list[tuple[int, str, str, str]] = field(default_factory=list)


def table_from_csv(data: bytes, path: str, shape: Struct, syntax: Defects) -> CsvRows:
    """Cells as the types of their fields. Rows are counted from one, below the header."""
    import pyarrow.csv as reader

    schema = pa.schema(list(arrow_type(shape)))
    try:
        header = reader.open_csv(pa.BufferReader(data)).schema.names
        table = reader.read_csv(
            pa.BufferReader(data),
            read_options=reader.ReadOptions(use_threads=False),
            parse_options=reader.ParseOptions(newlines_in_values=True),
            convert_options=reader.ConvertOptions(
                column_types={name: pa.string() for name in header},
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
    except (pa.ArrowException, OSError, ValueError) as error:
        syntax.add(Defect(f"The file cannot be read as CSV: {shown(str(error).splitlines()[0], 160)}.", path))
        return CsvRows(schema.empty_table(), np.zeros(0, np.int64), 0)
    rows = CsvRows(table, np.arange(1, table.num_rows + 1, dtype=np.int64), table.num_rows)
    names = table.column_names
    for name in dict.fromkeys(names):
        if name not in schema.names or names.count(name) > 1:
            syntax.add(Defect(f"The dataset declares no column {shown(name)}, or the file has it twice.", path, 1))
            return CsvRows(schema.empty_table(), np.zeros(0, np.int64), 0)
    columns = []
    for one in shape.fields:
        if one.name in names:
            columns.append(_typed(table.column(one.name), one.shape, f"/{one.name}", rows))
        else:
            columns.append(pa.chunked_array([pa.nulls(table.num_rows, arrow_type(one.shape))]))
    rows.table = pa.table(columns, schema=schema)
    return rows


def _typed(column: pa.ChunkedArray, shape: Shape, pointer: str, rows: CsvRows) -> pa.ChunkedArray:
    match shape:
        case Text():
            return column
        case Flag():
            good = pc.is_in(column, pa.array(["true", "false"]))
            return _kept(column, good, shape, pointer, rows, lambda text: pc.equal(text, "true"))
        case Integer():
            good = pc.match_substring_regex(column, _INTEGER)
            return _kept(column, good, shape, pointer, rows, lambda text: text.cast(pa.int64()))
        case Number():
            good = pc.match_substring_regex(column, _NUMBER)
            return _kept(column, good, shape, pointer, rows, lambda text: text.cast(pa.float64()))
        case _:
            return _kept(column, pc.is_null(column), shape, pointer, rows, lambda text: text.cast(arrow_type(shape)))


def _kept(
    column: pa.ChunkedArray,
    good: pa.ChunkedArray,
    shape: Shape,
    pointer: str,
    rows: CsvRows,
    convert: Callable[[pa.ChunkedArray], pa.ChunkedArray],
) -> pa.ChunkedArray:
    """What can be converted; the rest is noted and becomes absent."""
    good = pc.fill_null(good, True)
    if not pc.all(good).as_py():
        bad = np.flatnonzero(~good.combine_chunks().to_numpy(zero_copy_only=False))
        for row in bad.tolist():
            rows.misfits.append((row, pointer, describe(shape), shown(column[row].as_py())))
        column = pc.if_else(good, column, pa.scalar(None, pa.string()))
    return convert(column)
