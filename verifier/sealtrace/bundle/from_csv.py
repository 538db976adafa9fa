"""Records from a CSV file: columns become fields, and cells the types that the record's schema asks for."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.json_columns import shown
from sealtrace.bundle.shapes import Field, Flag, Integer, Number, Shape, Text, describe, row_shape
from sealtrace.bundle.stores import read_rows
from sealtrace.contract.kinds import KINDS

LISTED = 20
"""How many problems are listed."""

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]{1,17}")
_FLAGS = {"true": True, "false": False}


class MappingError(ValueError):
    """Columns and fields do not go together."""


@dataclass(frozen=True)
class Imported:
    """What a CSV file gave."""

    rows: list[dict[str, Any]]
    columns: dict[str, str]
    """Field to the column that it came from."""
    unused: list[str]
    """Columns that no field took."""


def rows_from_csv(
    data: bytes,
    name: str,
    kind: str,
    columns: Mapping[str, str],
    constants: Mapping[str, str],
    *,
    delimiter: str = ",",
    distinct: bool = False,
) -> Imported:
    """The records of a kind. A field takes the column that `columns` names, or else the one of its own name.

    `distinct` keeps equal records once. `MappingError` says what does not go together, and `BundleError` lists, with
    their lines, the cells that are not what the schema asks for.
    """
    table = _rows(_decoded(data, name), name, delimiter)
    _, header = next(table, (1, []))
    fields = _fields(kind, header, columns, constants)
    problems = _Problems(name)
    fixed = {
        field.name: _value(field, constants[field.name], 0, problems) for field in fields if field.name in constants
    }
    problems.refuse(f"the constants of {kind} do not fit")
    sources = [
        (field, header.index(columns.get(field.name, field.name))) for field in fields if field.name not in fixed
    ]
    rows, lines = [], []
    for line, cells in table:
        if len(cells) != len(header):
            problems.add(line, f"{len(cells)} cells, where the header has {len(header)}")
            continue
        row = {field.name: _value(field, cells[place], line, problems) for field, place in sources} | fixed
        rows.append({field: value for field, value in row.items() if value is not None})
        lines.append(line)
    problems.refuse()
    if not rows:
        raise BundleError(f"{name}: there is no row below the header")
    _judge(rows, lines, name, kind, problems)
    kept = _unique(rows, lines, kind, distinct, problems)
    problems.refuse()
    used = {field.name: header[place] for field, place in sources}
    return Imported(kept, used, [column for column in header if column not in used.values()])


class _Problems:
    """Collects what is wrong, so that all of it is said at once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._listed: list[str] = []
        self._count = 0

    def add(self, line: int, sentence: str) -> None:
        self._count += 1
        if len(self._listed) < LISTED:
            self._listed.append(f"{self._name}:{line}: {sentence}" if line else sentence)

    def refuse(self, heading: str | None = None) -> None:
        if self._count:
            more = [f"... and {self._count - LISTED} more"] if self._count > LISTED else []
            raise BundleError("\n".join([*([heading] if heading else []), *self._listed, *more]))


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BundleError(f"{name}:{line}: not UTF-8 text; save the file in that encoding") from None


def _rows(text: str, name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with its first line; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise BundleError(f"{name}:{line}: not a readable CSV row ({error})") from None
        if cells is None:
            return
        if cells:
            yield line, cells


def _fields(kind: str, header: list[str], columns: Mapping[str, str], constants: Mapping[str, str]) -> list[Field]:
    """The fields that get a value, in the schema's order."""
    if len(set(header)) < len(header):
        twice = next(column for column in header if header.count(column) > 1)
        raise MappingError(f"the header names the column {twice!r} twice")
    known = {field.name: field for field in row_shape(kind).fields}
    for name in (*columns, *constants):
        if name not in known:
            raise MappingError(f"{kind} has no field {name!r}; it has {', '.join(known)}")
    for name in columns:
        if columns[name] not in header:
            raise MappingError(f"there is no column {columns[name]!r}; there are {', '.join(header) or 'none'}")
        if name in constants:
            raise MappingError(f"{name} cannot be a column and a constant")
    taken = [field for field in known.values() if field.name in (*columns, *constants, *header)]
    for field in known.values():
        if field.required and field not in taken:
            raise MappingError(
                f"{kind} needs {field.name}: say --map {field.name}=COLUMN or --set {field.name}=VALUE; "
                f"columns are {', '.join(header) or 'none'}"
            )
    for field in taken:
        if not isinstance(field.shape, Text | Number | Integer | Flag):
            raise MappingError(f"{field.name} is {describe(field.shape)}, which no cell of a CSV file can hold")
    return taken


def _value(field: Field, text: str, line: int, problems: _Problems) -> Any:
    """A cell as its field's type; None for an empty cell of a field that may be absent."""
    if not text:
        if field.required:
            problems.add(line, f"{field.name}: expected {describe(field.shape)}, found nothing")
        return None
    value = _typed(field.shape, text)
    if value is None:
        problems.add(line, f"{field.name}: expected {describe(field.shape)}, found {shown(text)}")
    return value


def _typed(shape: Shape, text: str) -> Any:
    match shape:
        case Number():
            return _number(text)
        case Integer():
            return int(text) if _INTEGER.fullmatch(text) else None
        case Flag():
            return _FLAGS.get(text.lower())
        case _:
            return text


def _number(text: str) -> float | None:
    """A number that a double holds: neither too large for one, nor so small that nothing would be left of it."""
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    value = float(text)
    vanished = value == 0 and re.search("[1-9]", found.group(1))
    return None if vanished or math.isinf(value) else value


def _judge(rows: list[dict[str, Any]], lines: list[int], name: str, kind: str, problems: _Problems) -> None:
    """By the schema's own predicates: patterns and lengths."""
    data = "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows).encode()
    store = read_rows(data, name, kind, "jsonl")
    for defect in store.syntax.listed + store.misfits.listed:
        wanted = f"expected {defect.expected}, found {defect.found}" if defect.expected else defect.message
        problems.add(lines[(defect.row or 1) - 1], f"{(defect.field or '').removeprefix('/') or 'the row'}: {wanted}")


def _unique(
    rows: list[dict[str, Any]], lines: list[int], kind: str, distinct: bool, problems: _Problems
) -> list[dict[str, Any]]:
    """The rows, where no two have the same key; equal ones once, where that is wanted."""
    first: dict[tuple[Any, ...], tuple[int, dict[str, Any]]] = {}
    for row, line in zip(rows, lines, strict=True):
        key = tuple(row.get(field) for field in KINDS[kind].key)
        before, other = first.setdefault(key, (line, row))
        if before == line:
            continue
        named = ", ".join(f"{field} {shown(row.get(field))}" for field in KINDS[kind].key)
        if not distinct:
            problems.add(line, f"{named}: there already, in line {before}; --distinct keeps equal records once")
        elif other != row:
            problems.add(line, f"{named}: says something else than line {before}")
    return [row for _, row in first.values()]
