"""What an import knows besides rows: descriptions by others, and a declaration proposed for its author to review.

A description (Frictionless `datapackage.json`, Croissant in JSON-LD) says which files there are and which fields
identify a row, and is heeded where it exists; what the rows are is decided on the rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.content import combined_codes
from sealtrace.bundle.defects import BundleError, real_path
from sealtrace.bundle.documents import declared_rows
from sealtrace.bundle.stores import read_rows

Index = npt.NDArray[np.int64]

MOST_CHOICES = 20
"""A text field with no more different values is proposed as a choice among them."""
WIDEST_KEY = 6
_CANDIDATES = 10
_SAMPLE = 50_000
_LONG_TEXT = 80
_ITEM = re.compile(r"(^|_|\.)(id|ids|uid|uuid|key|example|item|index|idx|question_id|sample|case|instance|row)$", re.I)
_REPEAT = re.compile(r"(seed|fold|run|repeat|trial|round|epoch|step|year|split|iteration)", re.I)
_MEASURE = re.compile(
    r"(pred|gold|answer|label|target|truth|score|prob|conf|acc|loss|correct|output|raw|text|question|value)", re.I
)


def proposed(
    name: str, table: pa.Table, from_names: Sequence[str] = (), key: Sequence[str] | None = None
) -> dict[str, Any]:
    """The declaration of a table whose rows have a key; `BundleError` where no few fields identify them."""
    codes = _Codes(table)
    fields = list(key) if key else _key(codes, from_names)
    if not codes.unique(fields):
        raise BundleError(f"{', '.join(fields)}: no key, because rows share their values; {_equal_rows(codes, fields)}")
    declaration: dict[str, Any] = {"dataset": name, "row": row_schema(table), "key": fields}
    if (complete := _complete(codes, fields, from_names)) is not None:
        declaration["complete"] = [complete]
    if depends := _depends(codes, fields, complete):
        declaration["depends"] = depends
    if (truth := _truth(table)) is not None:
        declaration["truth"] = truth
    declaration["rows"] = table.num_rows
    if len(fields) > 1:
        declaration["counts"] = {
            field: pc.count_distinct(table.column(field), mode="only_valid").as_py() for field in fields
        }
    return declaration


def row_schema(table: pa.Table) -> dict[str, Any]:
    properties = {column.name: _property(table.column(column.name), column.type) for column in table.schema}
    required = [name for name in table.column_names if not table.column(name).null_count]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _property(column: pa.ChunkedArray, kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_list(kind):
        return {"type": "array", "items": _property(pa.chunked_array([], kind.value_type), kind.value_type)}
    if pa.types.is_struct(kind):
        inner = {child.name: _property(pa.chunked_array([], child.type), child.type) for child in kind}
        return {"type": "object", "properties": inner, "additionalProperties": False}
    if pa.types.is_boolean(kind):
        return {"type": "boolean"}
    if pa.types.is_integer(kind):
        return {"type": "integer"}
    if pa.types.is_floating(kind):
        return {"type": "number"}
    values = column.unique().drop_null()
    # Few values that come back again and again are a choice; few rows say nothing about it.
    if 0 < len(values) <= MOST_CHOICES and len(column) >= 10 * len(values):
        return {"type": "string", "enum": sorted(values.to_pylist())}
    return {"type": "string"}


def _truth(table: pa.Table) -> str | None:
    """The field that is called like a right answer, where there is one such."""
    for names in (
        ("gold", "ground_truth", "truth", "y_true"),
        ("label", "target", "expected", "reference", "answer_key"),
    ):
        found = [name for name in table.column_names if name.lower().removesuffix("_label") in names]
        if len(found) == 1:
            return str(found[0])
    return None


class _Codes:
    """Columns as integers, and how many combinations of them there are; computed once."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self._counts: dict[frozenset[str], int] = {}

    def of(self, fields: Iterable[str]) -> Index:
        return combined_codes(self.table, tuple(fields))

    def count(self, fields: Sequence[str]) -> int:
        """How many different combinations there are."""
        key = frozenset(fields)
        if key not in self._counts:
            self._counts[key] = len(np.unique(self.of(fields)))
        return self._counts[key]

    def counts(self, fields: Sequence[str], by: Sequence[str]) -> Index:
        """The same for each value of other fields; of all rows together where none are named."""
        if not by:
            return np.array([self.count(fields)])
        _, first = np.unique(self.of([*by, *fields]), return_index=True)
        return np.unique(self.of(by)[first], return_counts=True)[1].astype(np.int64)

    def unique(self, fields: Sequence[str]) -> bool:
        return self.count(fields) == int(self.table.num_rows)


def _key(codes: _Codes, from_names: Sequence[str]) -> list[str]:
    """The likeliest fields that tell all rows apart: those of file names, those that are called like ids, others."""
    table = codes.table
    likely: list[tuple[float, str]] = []
    for place, field in enumerate(table.schema):
        column = table.column(field.name)
        short = pa.types.is_string(field.type) and (pc.max(pc.utf8_length(column)).as_py() or 0) <= _LONG_TEXT
        if (short or pa.types.is_integer(field.type)) and not codes.count([field.name]) == 1 < table.num_rows:
            likely.append((_cost(column, field, from_names) + place / 10, field.name))
    names = [name for _, name in sorted(likely)][:_CANDIDATES]
    cost_of = {name: cost for cost, name in likely}
    some = _Codes(table.slice(0, _SAMPLE))
    choices = [choice for size in range(1, WIDEST_KEY + 1) for choice in combinations(names, size)]
    for choice in sorted(choices, key=lambda names: sum(cost_of[name] for name in names)):
        # A sample first: most choices fail on it, and to count over all rows takes a sort of them.
        if some.unique(choice) and codes.unique(choice):
            order = {name: place for place, name in enumerate(table.column_names)}
            return sorted(choice, key=order.__getitem__)
    raise BundleError(
        "no few fields tell all rows apart; "
        + (_equal_rows(codes, names) if names else "there is no field of text or whole numbers")
        + "; give them with --key, or keep equal rows once with --distinct"
    )


def _cost(column: pa.ChunkedArray, field: pa.Field, from_names: Sequence[str]) -> float:
    """A cost that is low for fields likely to be part of the key, by name and values."""
    if field.name in from_names:
        return 0.1
    if _ITEM.search(field.name):
        return 0.2
    if _MEASURE.search(field.name):
        return 20.0
    if pa.types.is_integer(field.type):
        return 0.5 if _REPEAT.search(field.name) else 10.0
    seen = column.unique().drop_null()
    numeric = pc.sum(pc.match_substring_regex(seen, r"^[-+(]?[0-9]*\.[0-9]")).as_py() or 0
    return 20.0 if 2 * numeric > len(seen) else 1.0


def _equal_rows(codes: _Codes, fields: Sequence[str]) -> str:
    values = codes.of(fields)
    order = np.argsort(values, kind="stable")
    same = np.flatnonzero(values[order][1:] == values[order][:-1])
    if not len(same):
        return "all rows differ"
    first, second = sorted((int(order[same[0]]), int(order[same[0] + 1])))
    shown = ", ".join(f"{name} {codes.table.column(name)[first].as_py()!r}" for name in fields)
    return f"rows {first + 1} and {second + 1} both have {shown}"


def _complete(codes: _Codes, key: list[str], from_names: Sequence[str]) -> dict[str, Any] | None:
    """The finest way in which every combination of parts of the key is there; else the same by another field.

    Where a few files are absent, also combinations that are not there: `absent_files` tells them.
    """
    groups = [part for group in _factors(codes, key) for part in _as_files(codes, group, from_names)]
    if len(groups) > 1:
        return {"every": groups}
    for name in _groupings(codes, key):
        if (halves := _halves(codes, [field for field in key if field != name], [name])) is not None:
            return {"every": halves, "by": [name]}
    return None


def _as_files(codes: _Codes, group: list[str], from_names: Sequence[str]) -> list[list[str]]:
    """The fields of file names each by itself, where fewer files are absent than any value of a field has.

    Where a value lacks all its files, the study may have been planned without them.
    """
    if len(group) < 2 or not set(group) <= set(from_names):
        return [group]
    sizes = [codes.count([field]) for field in group]
    whole = int(np.prod(sizes))
    return (
        [[field] for field in group] if whole - codes.count(group) < min(whole // size for size in sizes) else [group]
    )


def absent_files(table: pa.Table, declaration: dict[str, Any], from_names: Sequence[str]) -> list[dict[str, object]]:
    """Combinations of the fields of file names that the declaration asks for and no file has."""
    demands = declaration.get("complete", [])
    alone = [group[0] for demand in demands for group in demand["every"] if len(group) == 1]
    fields = [field for field in alone if field in from_names]
    if not fields or any(demand.get("by") for demand in demands):
        return []
    there = {
        tuple(row[field] for field in fields) for row in table.select(fields).group_by(fields).aggregate([]).to_pylist()
    }
    values = [sorted(table.column(field).unique().to_pylist(), key=str) for field in fields]
    return [dict(zip(fields, one, strict=True)) for one in product(*values) if one not in there]


def _factors(codes: _Codes, fields: list[str]) -> list[list[str]]:
    """Fields in as many groups as possible such that all combinations of their values are present."""
    halves = _halves(codes, fields, [])
    return [fields] if halves is None else [group for half in halves for group in _factors(codes, half)]


def _halves(codes: _Codes, fields: list[str], by: list[str]) -> list[list[str]] | None:
    """Two groups of fields whose counts multiply to that of both: then all combinations are there.

    Within each value of another field, where one is named.
    """
    whole = codes.count([*by, *fields])
    for size in range(1, len(fields) // 2 + 1):
        for part in combinations(fields, size):
            rest = [field for field in fields if field not in part]
            some, others = codes.counts(part, by), codes.counts(rest, by)
            # All combinations are there exactly where counts multiply, |A x B| = |A| |B|, within each value of `by`.
            if int((some * others).sum()) == whole and some.max() > 1 and others.max() > 1:
                return [list(part), rest]
    return None


def _groupings(codes: _Codes, key: list[str]) -> list[str]:
    """Fields that may divide the rows: of the key, or determined by a part of it, such as an example's task."""
    few = [
        name
        for name in codes.table.column_names
        if not pa.types.is_floating(codes.table.schema.field(name).type)
        and not pa.types.is_list(codes.table.schema.field(name).type)
        and 1 < codes.count([name]) <= 100
    ]
    return sorted((name for name in few if name in key or not _MEASURE.search(name)), key=lambda name: name not in key)


def _depends(codes: _Codes, key: list[str], complete: dict[str, Any] | None) -> list[dict[str, Any]]:
    """What each part of the key determines: an example its right answer, a task its split."""
    if complete is None:
        return []
    found: list[dict[str, Any]] = []
    settled: set[str] = set(key)
    by = complete.get("by") or []
    for group in sorted(complete["every"], key=len):
        on = [*by, *(field for field in group if field not in by)]
        count = codes.count(on)
        fields = [
            name
            for name in codes.table.column_names
            if name not in settled
            and name not in on
            and not pa.types.is_list(codes.table.schema.field(name).type)
            and codes.count([name]) > 1
            and codes.count([*on, name]) == count
        ]
        if fields:
            found.append({"on": on, "fields": fields})
            settled.update(fields)
    return found


def referring(declaration: dict[str, Any], table: pa.Table, draft: Path) -> list[dict[str, Any]]:
    """References to the datasets that a draft holds already: their whole key is here, and every value is there."""
    found = []
    for path in sorted(draft.glob("declare/dataset.*.json")):
        try:
            other = json.loads(path.read_bytes())
            declared = declared_rows(other)
            if declared.name == declaration["dataset"] or not set(declared.key) <= set(table.column_names):
                continue
            (rows,) = draft.glob(f"report/rows.{declared.name}.*")
            there = read_rows(rows.read_bytes(), rows.name, declared, rows.suffix[1:]).table
        except (ValueError, KeyError, TypeError, OSError):
            continue  # what is wrong with that one is not this command's to say
        ours, theirs = (
            {tuple(row.values()) for row in rows.select(declared.key).group_by(declared.key).aggregate([]).to_pylist()}
            for rows in (table, there)
        )
        if ours <= theirs:
            reference: dict[str, Any] = {"fields": list(declared.key), "dataset": declared.name}
            found.append({**reference, "every": True} if ours == theirs else reference)
    return found


# Descriptions

FRICTIONLESS = "datapackage.json"
CROISSANT = ("croissant.json", "metadata.json")
_LONGEST_DESCRIPTION = 20_000_000


@dataclass(frozen=True)
class Described:
    """Files and their key, as a description has them."""

    paths: list[Path]
    key: tuple[str, ...]

    def key_within(self, columns: Sequence[str]) -> list[str] | None:
        """The key, where all of its fields were read."""
        return list(self.key) if self.key and set(self.key) <= set(columns) else None


def described(results: Sequence[str]) -> Described | None:
    """What a description says of the results: one that is named, or one that lies beside the files."""
    if len(results) == 1:
        given = Path(results[0])
        if given.is_dir():
            for name in (FRICTIONLESS, *CROISSANT):
                if (given / name).is_file() and (found := _read(given / name)) is not None:
                    return found
            return None
        if given.name in (FRICTIONLESS, *CROISSANT) and given.is_file():
            if (found := _read(given)) is None:
                raise BundleError(f"{given}: neither a data package nor a Croissant description")
            return found
        # A file of its own is only looked up: which of the described ones it is.
        beside = given.parent / FRICTIONLESS
        if given.is_file() and beside.is_file():
            resources = _frictionless(_document(beside), beside)
            here = real_path(given)
            return next((table for table in resources if here in [real_path(path) for path in table.paths]), None)
    return None


def _read(path: Path) -> Described | None:
    document = _document(path)
    if isinstance(document.get("resources"), list):
        found = [table for table in _frictionless(document, path) if table.paths]
    elif "recordSet" in document or "distribution" in document:
        found = _croissant(document, path)
    else:
        return None
    if not found:
        raise BundleError(f"{path}: describes no file that lies here")
    if len(found) > 1:
        names = ", ".join(str(table.paths[0]) for table in found)
        raise BundleError(f"{path}: describes several tables; import them one by one: {names}")
    return found[0]


def _document(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
        document = json.loads(data) if len(data) <= _LONGEST_DESCRIPTION else None
    except (OSError, ValueError, RecursionError) as error:
        raise BundleError(f"{path}: not readable as JSON ({str(error).splitlines()[0]})") from None
    if not isinstance(document, dict):
        raise BundleError(f"{path}: not an object")
    return document


def _texts(value: Any) -> list[str]:
    """A text, or a list of texts."""
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]


def _objects(value: Any) -> list[dict[str, Any]]:
    """An object, or a list of objects."""
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]


def _inside(path: Path, names: list[str]) -> list[Path]:
    """The files that lie beside or below the description; addresses and ways out are passed over."""
    root = real_path(path.parent)
    found = [path.parent / name for name in names if "://" not in name]
    return [file for file in found if file.is_file() and real_path(file).is_relative_to(root)]


def _frictionless(document: dict[str, Any], path: Path) -> list[Described]:
    found = []
    for resource in _objects(document.get("resources")):
        key = [name for schema in _objects(resource.get("schema")) for name in _texts(schema.get("primaryKey"))]
        found.append(Described(_inside(path, _texts(resource.get("path"))), tuple(key)))
    return found


def _croissant(document: dict[str, Any], path: Path) -> list[Described]:
    keys = [
        tuple(name.rpartition("/")[2] for place in _objects(records.get("key")) for name in _texts(place.get("@id")))
        for records in _objects(document.get("recordSet"))
    ]
    files = [name for file in _objects(document.get("distribution")) for name in _texts(file.get("contentUrl"))]
    return [Described([file], keys[0] if len(keys) == 1 else ()) for file in _inside(path, files)]
