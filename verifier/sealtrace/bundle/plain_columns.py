"""Columns of result files as the types that a record can have."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.strict_json import MAX_INTEGER

INTEGER, NUMBER = r"^-?(0|[1-9][0-9]{0,15})$", r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$"
"""Texts that are plainly numbers."""


class UnreadableError(BundleError):
    """The files cannot be read as asked. Nothing was written."""


def united(tables: list[pa.Table]) -> pa.Table:
    """Tables below each other; a column that is text in one is text in all."""
    if len(tables) == 1:
        return tables[0]
    kinds: dict[str, set[pa.DataType]] = {}
    for column in (column for table in tables for column in table.schema):
        kinds.setdefault(column.name, set()).add(column.type)
    several = {name: common_type(found) for name, found in kinds.items() if len(found) > 1}
    parts = []
    for table in tables:
        for place, name in enumerate(table.column_names):
            if name in several:
                table = table.set_column(place, name, cast_to(table.column(name), several[name]))
        parts.append(table)
    return pa.concat_tables(parts, promote_options="default")


def common_type(kinds: set[pa.DataType]) -> pa.DataType:
    if len(kinds) == 1:
        return next(iter(kinds))
    if all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds):
        return pa.float64()
    return pa.string()


def cast_to(column: pa.ChunkedArray, form: pa.DataType) -> pa.ChunkedArray:
    try:
        return column.cast(form)
    except pa.ArrowException as error:
        raise UnreadableError(f"a column differs from file to file: {str(error).splitlines()[0]}") from None


def flattened(table: pa.Table) -> pa.Table:
    """Objects within rows become fields with dots; the types that a record can have, or text."""
    while any(pa.types.is_struct(column.type) for column in table.schema):
        table = table.flatten()
    if len(set(table.column_names)) < table.num_columns:
        raise UnreadableError("a field with a dot in its name and a field of an object are the same")
    columns = [_settled(name, column) for name, column in zip(table.column_names, table.columns, strict=True)]
    return pa.table(columns, names=table.column_names)


def _settled(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _settled(name, column.cast(kind.value_type))
    if pa.types.is_string(kind) or pa.types.is_boolean(kind) or kind == pa.float64() or pa.types.is_list(kind):
        return column
    if pa.types.is_integer(kind):
        bounds = pc.min_max(column).as_py()
        fits = bounds["min"] is None or (bounds["min"] >= -MAX_INTEGER and bounds["max"] <= MAX_INTEGER)
        # A double could not hold it: a name rather than a number.
        return column.cast(pa.int64() if fits else pa.string())
    if pa.types.is_floating(kind):
        return column.cast(pa.float64())
    if pa.types.is_decimal(kind):
        doubles = column.cast(pa.float64())
        return doubles if doubles.cast(kind, safe=False).equals(column) else column.cast(pa.string())
    if (
        pa.types.is_temporal(kind)
        or pa.types.is_large_string(kind)
        or str(kind) in ("string_view", "extension<arrow.uuid>")
    ):
        return column.cast(pa.string())
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    raise UnreadableError(f"{name}: a column of {kind}, which no record holds; leave it out with --drop {name}")


def typed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text as what all of it plainly is: flags, integers, numbers, or text."""
    text = pc.if_else(pc.equal(column, ""), None, column.cast(pa.string()))
    seen = text.unique().drop_null()
    if not len(seen):
        return text
    if pc.all(pc.is_in(seen, pa.array(["true", "false"]))).as_py():
        return pc.equal(text, "true")
    if pc.all(pc.is_in(seen, pa.array(["True", "False"]))).as_py():
        return pc.equal(text, "True")
    if pc.all(pc.match_substring_regex(seen, INTEGER)).as_py():
        if (pc.max(pc.abs(seen.cast(pa.int64()))).as_py()) <= MAX_INTEGER:
            return text.cast(pa.int64())
    elif pc.all(pc.match_substring_regex(seen, NUMBER)).as_py() and not _too_long(seen):
        numbers = text.cast(pa.float64())
        if pc.all(pc.is_finite(numbers)).as_py():
            return numbers
    return text


def _too_long(texts: pa.Array) -> bool:
    """Whether one is an integer that no double holds: a name rather than a number."""
    return bool(pc.any(pc.match_substring_regex(texts, "^-?[0-9]{17,}$")).as_py())
