"""Data files below a directory, each as flat rows: CSV, JSON lines, JSON of any nesting (all also compressed), Parquet;
what other programs write (`foreign`), and tables that were written for readers (`written`).

A nested document becomes one row per object that holds scalars. The keys on the way to it are its fields `key1`,
`key2` …, and short texts and numbers of the objects around it are inherited, so that a number can be found by any name
near it.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import hashlib
import io
import lzma
import math
import os
import re
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar, cast

from sealtrace.binding.foreign import ForeignReader
from sealtrace.binding.foreign_process import READERS, Part
from sealtrace.binding.written import NoResultError, in_rows, is_header, parsed, tables_in
from sealtrace.bundle.defects import as_text, real_path

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet")
WRITTEN = (".txt", ".log", ".dat", ".out", ".prn", ".md", ".markdown", ".tex", ".html", ".htm", ".ipynb")
"""Kinds of files whose tables were written for readers."""
_NOT_READ = {
    **dict.fromkeys((".pkl", ".pickle", ".joblib", ".pt", ".pth", ".ckpt"),
                    "a pickle can run any program when it is opened; write its numbers as CSV or JSON"),
    **dict.fromkeys((".zip", ".tar", ".tgz", ".tbz2", ".txz", ".7z", ".rar"), "an archive; unpack it beside the paper"),
    **{kind: f"{kind} is no kind that is read"
       for kind in (".duckdb", ".root", ".fits", ".nc", ".msgpack", ".tfrecord", ".bson")},
}  # fmt: skip
"""Kinds of files that may hold results and are not read, and why."""


def _zstandard(path: Path) -> BinaryIO:
    import pyarrow as pa

    return io.BufferedReader(pa.input_stream(str(path), compression="zstd"))


_UNPACKING: dict[str, Callable[[Path], object]] = {
    ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": _zstandard,
}  # fmt: skip
"""Endings of single compressed files, and what opens them."""
MAX_FILES = 4000
MAX_BYTES = 400_000_000
MAX_TEXT, MAX_LINE = 200_000_000, 50_000_000
"""Letters of one file, unpacked, and of one of its lines."""
LARGE_BYTES = 16_000_000
"""Bytes of files of rows that belong together from which on they are summed up, and not held."""
_PACKED = 4
"""How many times as long a compressed file is when it is read, roughly."""
_OF_ROWS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
MAX_ROWS = 2_000_000
MAX_VALUES = 12_000_000
"""Values of all files together."""
MAX_OBJECTS = 200_000
"""Objects of one nested document."""
BYTES_A_SECOND = 4_000_000
"""A document is read at once or not at all: only where it would not take longer than there is time."""
FOREIGN_SECONDS = 20.0
"""Processor time that a file of another program may take."""
MAX_WRITTEN = 4_000_000
"""Bytes of a text in which tables are looked for."""
MOST_SAID = 200
"""Reasons for which files were not read that are said."""
_LOOKS = 4096
"""Rows between two looks at the clock."""
_SHORT = 80
_INHERITED = 12
"""Short texts and numbers of an object that those inside it inherit, if there are no more."""
_ITEM = "item"
"""The measure of numbers in a list."""
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, csv.Error)
UNREADABLE = (*_DAMAGED, OSError, ValueError, RecursionError, KeyError, TypeError, MemoryError)
_WITH_COMMA = re.compile(r"\s*[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+\s*")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?(0|\d{4,}|\d{1,3}(\.\d{3})+),\d+\s*|\s*[+-]?\d+,(\d\d?|\d{4,})\s*")
_DECIMAL_POINT = re.compile(r"\s*[+-]?(\d+\.(\d\d?|\d{4,})|0?\.\d+)\s*")
_LATE = "for want of time"
_READABLE = frozenset((*SUFFIXES, *READERS, *WRITTEN))
_HEAD = 20_000
_JSON_KEY = re.compile(r'"([^"\\]{1,120})"\s*:')
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})


@dataclass
class Rows:
    """Rows of one shape from one file."""

    file: str
    columns: dict[str, list[object]]
    places: list[str]
    depth: int = 0
    """How deep the rows stand in a nested document; 0 for tables."""
    nested: bool = False
    inherited: frozenset[str] = frozenset()
    """Columns that hold only what the objects around the rows say."""
    left_out: str = ""
    """Lines that are no rows of the table."""

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True)
class Unread:
    """A file that was not read."""

    file: str
    kind: str
    reason: str
    columns: frozenset[str] = frozenset()
    """Names at its beginning, as far as they can be seen; empty where they cannot."""
    missed: bool = True
    """Whether it may hold results."""


def belong_together(names: frozenset[str], directory: str, others: frozenset[str], where: str) -> bool:
    """Whether two tables are of one kind: the same columns anywhere, or most of the columns in one directory."""
    shared = len(others & names) / max(1, len(others | names))
    return others == names or shared >= (0.5 if where == directory else 0.8)


@dataclass(frozen=True)
class LargeFiles:
    """Files of rows that belong together and are too large to hold."""

    kind: str
    paths: list[Path]
    names: list[str]
    columns: frozenset[str]
    """Names at the beginning of the first of them."""
    bytes: int


@dataclass
class Listing:
    """What a directory holds."""

    tables: list[Rows] = field(default_factory=list)
    files: int = 0
    bytes: int = 0
    problems: list[str] = field(default_factory=list)
    """Files that were not read, by kind and reason."""
    unread: list[Unread] = field(default_factory=list)
    large: list[LargeFiles] = field(default_factory=list)
    """Files that are summed up where small ones do not give everything."""
    without_tables: list[str] = field(default_factory=list)
    """Texts for readers in which no table was found."""
    elsewhere: float = 0.0
    """Seconds of the processor that reading took in other processes."""

    @property
    def out_of_time(self) -> bool:
        """Whether a file was not read for want of time."""
        return any(one.reason == _LATE for one in self.unread)

    @property
    def in_words(self) -> str:
        """How many files were read, and how many were not, by kind."""
        missed = Counter(one.kind for one in self.unread if one.missed)
        noun = f"data file{'' if self.files + missed.total() == 1 else 's'}"
        if not missed:
            return f"{self.files:,} {noun}"
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(missed.items(), key=lambda item: -item[1]))
        return f"{self.files:,} of {self.files + missed.total():,} {noun} (not read: {kinds})"

    @property
    def nothing_read(self) -> str:
        """Why there is nothing to compare with."""
        if not self.problems:
            texts = f"; no table was found in {', '.join(self.without_tables[:3])}" if self.without_tables else ""
            return f"no data file in it (CSV, JSON, Parquet, Excel and others){texts}"
        return f"no data file in it could be read; {'; '.join(self.problems[:3])}"

    def skip(self, group: LargeFiles, reason: str, *, missed: bool = True) -> None:
        """Says that large files were not read: of a group of which one is missing, nothing is compared."""
        unread = [Unread(name, group.kind, reason, group.columns, missed) for name in group.names]
        self.unread += unread
        self.problems += _told(unread)


def read_results(
    root: Path,
    values: float = MAX_VALUES,
    deadline: float = math.inf,
    without: Collection[Path] = (),
    large: int = LARGE_BYTES,
) -> Listing:
    """Every data file below a directory, or one file; the small ones first, up to so many values or until a time.

    Tables for readers come after all others. Files `without` are the paper and what it consists of. Of files of rows
    that have more than so many bytes together, `large`, it is only said which they are.
    """
    listing = Listing()
    found: dict[str, list[Rows]] = {}
    data_stems: set[str] = set()
    names = {path: path.relative_to(root).as_posix() for path in _files(root)} if root.is_dir() else {root: root.name}
    names = {path: as_text(name) for path, name in names.items() if real_path(path) not in without}
    kinds = {path: kind_of(path) for path in names}
    data = [path for path, kind in kinds.items() if kind in _READABLE or path == root]
    listing.large = _large({path: names[path] for path in data if kinds[path] in _OF_ROWS}, large)
    aside = {path for group in listing.large for path in group.paths}
    left, late = values, False
    with ForeignReader() as foreign:
        for path in sorted(
            (path for path in data if path not in aside),
            key=lambda path: (kinds[path] in WRITTEN, path.stat().st_size, names[path]),
        ):
            name, kind, size = names[path], kinds[path], path.stat().st_size
            missed = True
            stem = stem_of(name)
            late = late or time.process_time() + foreign.spent > deadline
            if late:
                reason = _LATE
            elif kind in WRITTEN and stem in data_stems:
                # A second form of the same numbers, rounded, would only rival the first.
                missed, reason = False, "a data file of the same name is read in its place"
            elif listing.files >= MAX_FILES or listing.bytes + size > MAX_BYTES or left < 0:
                reason = "the results are larger than the limit"
            else:
                try:
                    tables, left_out = _read(path, name, deadline, foreign)
                except UNREADABLE as error:
                    missed = not isinstance(error, NoResultError)
                    reason = reason_of(error)
                else:
                    found[name] = [rows for rows in tables if len(rows)]
                    left -= sum(len(rows) * len(rows.columns) for rows in found[name])
                    if found[name] and kind not in WRITTEN:
                        data_stems.add(stem)
                    if left_out:
                        listing.problems.append(f"{name}: left out {', '.join(left_out[:8])}")
                    if found[name]:
                        listing.files += 1
                        listing.bytes += size
                        continue
                    if kind in WRITTEN:
                        listing.without_tables.append(name)
                        continue
                    reason = "it holds no rows"
            listing.unread.append(Unread(name, kind, reason, _names_at_head(path, kind), missed))
        listing.elsewhere = foreign.spent
    listing.unread += [
        Unread(names[path], kind, _NOT_READ[kind]) for path, kind in kinds.items() if kind in _NOT_READ and path != root
    ]
    listing.problems += _told(listing.unread)
    if len(listing.problems) > MOST_SAID:
        listing.problems[MOST_SAID:] = [f"and {len(listing.problems) - MOST_SAID} more reasons for files not read"]
    listing.tables = [table for name in sorted(found) for table in found[name]]
    return listing


def _large(files: dict[Path, str], limit: int) -> list[LargeFiles]:
    """The groups of files of rows that have too many bytes together; those of fewest bytes first."""
    packed = (*_UNPACKING, ".parquet")
    sizes = {path: path.stat().st_size * (_PACKED if path.suffix.lower() in packed else 1) for path in files}
    found = []
    for kind in _OF_ROWS:
        own = [path for path in files if kind_of(path) == kind]
        if sum(sizes[path] for path in own) <= limit:
            continue
        groups: list[tuple[frozenset[str], str, list[Path]]] = []
        for path in own:
            columns, directory = _names_at_head(path, kind), files[path].rpartition("/")[0]
            for known, where, members in groups:
                if belong_together(columns, directory, known, where):
                    members.append(path)
                    break
            else:
                groups.append((columns, directory, [path]))
        for columns, _, members in groups:
            size = sum(sizes[path] for path in members)
            if size > limit:
                found.append(LargeFiles(kind, members, [files[path] for path in members], columns, size))
    return sorted(found, key=lambda group: group.bytes)


def _names_at_head(path: Path, kind: str) -> frozenset[str]:
    """What columns or keys stand at the beginning of a file that was not read."""
    try:
        if kind == ".parquet":
            import pyarrow.parquet as parquet

            return frozenset(parquet.read_schema(path).names)
        with _opened(path) as file:
            head = file.read(_HEAD)
        if kind in (".csv", ".tsv"):
            header, _, _ = head.partition("\n")
            return frozenset(delimited(f"{header}\n{header}", path.name, math.inf).columns)
        return frozenset(_JSON_KEY.findall(head)) if kind in (".json", ".jsonl", ".ndjson") else frozenset()
    except UNREADABLE:
        return frozenset()


def reason_of(error: Exception) -> str:
    """The first line of what an error says."""
    return str(error).splitlines()[0][:160] if str(error) else type(error).__name__


def _told(unread: list[Unread]) -> list[str]:
    """What is said of files that were not read: those of one kind and one reason are counted."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in unread:
        reason = f" {one.reason}" if one.reason == _LATE else f", {one.reason}"
        groups.setdefault((one.kind, reason), []).append(one.file)
    return [
        f"{files[0]}{f' and {len(files) - 1} more {kind} files' if len(files) > 1 else ''}: not read{reason}"
        for (kind, reason), files in groups.items()
    ]


def is_result(path: Path) -> bool:
    """Whether a file is there that would be read as results."""
    try:
        with ForeignReader() as foreign:
            return path.is_file() and kind_of(path) in _READABLE and bool(_read(path, path.name, math.inf, foreign)[0])
    except UNREADABLE:
        return False


def _files(root: Path) -> Iterator[Path]:
    """Plain files in the order of their names; links, pipes and hidden directories are passed over."""
    for directory, names, files in os.walk(root, followlinks=False):
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            path = Path(directory, name)
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


_Row = TypeVar("_Row")


def _in_time(rows: Iterable[_Row], deadline: float) -> Iterator[_Row]:
    """Rows as they come, until the time is up."""
    for number, row in enumerate(rows):
        if number % _LOOKS == _LOOKS - 1 and time.process_time() > deadline:
            raise TimeoutError(_LATE)
        yield row


def _unpacked(name: str) -> str:
    """A file's name without the ending of its compression."""
    stem, dot, ending = name.rpartition(".")
    return stem if dot + ending.lower() in _UNPACKING else name


def kind_of(path: Path) -> str:
    """The ending of a file's name, with which its format is said; event files have none."""
    return "tfevents" if ".tfevents." in path.name else Path(_unpacked(path.name).lower()).suffix


def stem_of(name: str) -> str:
    """A file's name without its endings."""
    return _unpacked(name).rsplit(".", 1)[0]


def opened(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked."""
    unpack = _UNPACKING.get(path.suffix.lower())
    return path.open("rb") if unpack is None else cast("BinaryIO", unpack(path))


def _opened(path: Path) -> TextIO:
    file = io.BufferedReader(cast("io.RawIOBase", opened(path)))
    # Other programs for tables write UTF-16, with a mark before it.
    wide = file.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return io.TextIOWrapper(file, "utf-16" if wide else "utf-8-sig", "replace", newline="")


def _text(path: Path) -> str:
    with _opened(path) as file:
        text = file.read(MAX_TEXT)
    if len(text) == MAX_TEXT:
        raise ValueError("too large")
    return text


def _read(path: Path, name: str, deadline: float, foreign: ForeignReader) -> tuple[list[Rows], list[str]]:
    """The rows of a file, and what was left out of them."""
    kind = kind_of(path)
    if kind in READERS:
        if _unpacked(path.name) != path.name:
            raise ValueError(f"a compressed {kind} file; unpack it")
        seconds = min(FOREIGN_SECONDS, max(1.0, deadline - time.process_time() - foreign.spent))
        parts, left_out = foreign.read(path, kind, seconds)
        return [rows for part in parts for rows in _part(part, name)], left_out
    if kind in _NOT_READ:
        raise ValueError(_NOT_READ[kind])
    tables = _read_plain(path, name, kind, deadline)
    return tables, [rows.left_out for rows in tables if rows.left_out]


def _part(part: Part, name: str) -> list[Rows]:
    """One table or document of a file."""
    inner = part["part"]
    if "document" in part:
        return _document(part["document"], name)
    if "rows" in part:
        return [_table(columns, name, inner) for columns in in_rows(part["rows"])]
    return [_table(part["columns"], name, inner)]


def _table(columns: dict[str, list[object]], name: str, part: str) -> Rows:
    length = len(next(iter(columns.values()), []))
    return Rows(name, columns, [f"{name}#{part}:{row}" if part else f"{name}:{row}" for row in range(1, length + 1)])


def _read_plain(path: Path, name: str, kind: str, deadline: float) -> list[Rows]:
    if kind in WRITTEN:
        if path.stat().st_size > MAX_WRITTEN:
            raise ValueError("too long a text to look for tables in")
        return [_table(columns, name, part) for part, columns in tables_in(kind, _text(path), name)]
    match kind:
        case ".csv" | ".tsv":
            return [delimited(_text(path), name, deadline)]
        case ".jsonl" | ".ndjson":
            return _lines(path, name, deadline)
        case ".parquet":
            return [_parquet(path, name)]
        case _:
            if path.stat().st_size > BYTES_A_SECOND * max(1.0, deadline - time.process_time()):
                raise TimeoutError(_LATE)
            return _document(_no_report(parsed(_text(path))), name)


def _no_report(document: object) -> object:
    """What sealtrace itself wrote of a paper repeats its numbers, and gives none of them."""
    match document:
        case {"sealtrace": str(), "verdict": str()} | {
            "label": str(),
            "columns": list(),
            "rows": [{"cells": list()}, *_],
        }:
            raise NoResultError("a report or a table that sealtrace wrote, and no result")
    return document


def mark_of(text: str, name: str) -> str:
    """What parts the cells of a table: a comma, a semicolon or a tab, as in its first line that has one."""
    first = next((line for line in text[:_HEAD].splitlines() if any(mark in line for mark in ",\t;")), "")
    return "\t" if kind_of(Path(name)) == ".tsv" else max(",\t;", key=first.count)


def delimited(text: str, name: str, deadline: float) -> Rows:
    """The rows of a table whose cells are parted by commas, semicolons or tabs.

    A row that ends early has no values in its last columns; one that goes on has its numbers below other names, so that
    the file is refused. Lines with one cell among others are notes.
    """
    mark = mark_of(text, name)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    header = next(reader, [])
    names = distinct_names(header)
    kept: list[list[str]] = []
    places: list[str] = []
    notes: list[int] = []
    for row in _in_time(reader, deadline):
        while len(row) > len(names) and not row[-1].strip():
            row.pop()
        if len(row) > len(header) == 1 and is_header(row):
            # Lines of one cell above the header are notes, comments as a rule.
            notes += range(1, reader.line_num)
            header, names, kept, places = row, distinct_names(row), [], []
            continue
        if not kept and len(row) == len(header) + 1:
            names = distinct_names(["", *header])  # R writes no header above the names of rows.
        if len(row) > len(names):
            raise ValueError(f"line {reader.line_num} has {len(row)} cells, and its header {len(names)}")
        if len(row) == 1 < len(names):
            notes.append(reader.line_num)
        elif row:
            kept.append(row)
            places.append(f"{name}:{reader.line_num}")
    if kept and len(kept[-1]) < len(names) and not text.endswith(("\n", "\r")):
        kept[-1].pop()  # A file that was cut off ends within a cell.
    for row in kept:
        row += [""] * (len(names) - len(row))
    if mark != "," or '"' in text:
        kept = _with_points(kept)
    columns: dict[str, list[object]] = (
        {column: list(values) for column, values in zip(names, zip(*kept, strict=True), strict=True)} if kept else {}
    )
    others = f" and {len(notes) - 1} more" if len(notes) > 1 else ""
    told = f"line {notes[0]}{others}, no row of its table" if notes else ""
    return Rows(name, columns, places, left_out=told)


def _with_points(rows: list[list[str]]) -> list[list[str]]:
    """Rows with points for decimal commas, where the file writes those: one comma at least cannot part thousands, and
    no number has a decimal point."""
    if not any(map(_DECIMAL_COMMA.fullmatch, chain.from_iterable(rows))):
        return rows
    if any(map(_DECIMAL_POINT.fullmatch, chain.from_iterable(rows))):
        return rows
    return [
        [cell.replace(".", "").replace(",", ".") if _WITH_COMMA.fullmatch(cell) else cell for cell in row]
        for row in rows
    ]


def distinct_names(header: list[str]) -> list[str]:
    """The names of columns, each once."""
    seen: dict[str, int] = {}
    names = []
    for place, title in enumerate(header, 1):
        text = " ".join(title.split()) or f"column {place}"
        seen[text] = seen.get(text, 0) + 1
        names.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return names


def _lines(path: Path, name: str, deadline: float) -> list[Rows]:
    """JSON lines; what is nested in a line is named by its path."""
    records = []
    places = []
    with _opened(path) as lines:
        for number, line in enumerate(_in_time(iter(lambda: lines.readline(MAX_LINE), ""), deadline), 1):
            if len(line) == MAX_LINE:
                raise ValueError(f"line {number} is too long")
            if line.strip():
                value = parsed(line)
                records.append(flat(value) if isinstance(value, dict) else {"value": value})
                places.append(f"{name}:{number}")
            if number > MAX_ROWS:
                raise ValueError("too many lines")
    return [Rows(name, columns_of(records), places)]


def flat(record: dict[str, object], before: str = "", depth: int = 0) -> dict[str, object]:
    """Scalars of a record; those of objects inside are named `outer.inner`. Lists are left out."""
    found: dict[str, object] = {}
    for key, value in record.items():
        if isinstance(value, dict) and depth < 3 and len(value) <= 40:
            found |= flat(value, f"{before}{key}.", depth + 1)
        elif not isinstance(value, (dict, list)):
            found[before + key] = value
    return found


def columns_of(records: list[dict[str, object]]) -> dict[str, list[object]]:
    """Records as columns."""
    names = dict.fromkeys(key for record in records for key in record)
    return {name: [record.get(name) for record in records] for name in names}


def _parquet(path: Path, name: str) -> Rows:
    import pyarrow.parquet as parquet

    file = parquet.ParquetFile(path)
    if file.metadata.num_rows > MAX_ROWS or file.metadata.num_rows * file.metadata.num_columns > MAX_VALUES:
        raise ValueError("too many rows")
    table = file.read()
    columns = {
        column: table.column(column).to_pylist()
        for column in table.column_names
        if not str(table.schema.field(column).type).startswith(("list", "large_list", "struct", "map"))
    }
    return Rows(name, columns, [f"{name}:{row}" for row in range(1, table.num_rows + 1)])


@dataclass
class _Block:
    """Objects at one place of a document: one, or the members of a list."""

    way: tuple[str, ...]
    inherited: dict[str, object]
    records: list[dict[str, object]]
    places: list[str]


def _document(document: object, name: str) -> list[Rows]:
    """A JSON document: objects by their depth; a list of flat objects is a table."""
    if isinstance(document, list) and document and all(isinstance(record, dict) for record in document):
        deep = any(isinstance(value, (list, dict)) for record in document[:200] for value in record.values())
        if not deep:
            records = [flat(record) for record in document]
            return [Rows(name, columns_of(records), [f"{name}#/{index}" for index in range(len(records))])]
    blocks: list[_Block] = []
    _walk(document, (), {}, "", blocks)
    if sum(len(block.records) for block in blocks) > MAX_OBJECTS:
        raise ValueError("too many objects")
    by_depth: dict[tuple[int, bool], list[_Block]] = {}
    for block in blocks:
        by_depth.setdefault((len(block.way), list(block.records[0]) == [_ITEM]), []).append(block)
    return [_rows_at(depth, members, name) for (depth, _), members in by_depth.items()]


def _rows_at(depth: int, blocks: list[_Block], name: str) -> Rows:
    """Blocks of one depth as rows: the keys on the way, what is inherited, and the scalars of each object."""
    own = dict.fromkeys(key for block in blocks for record in block.records for key in record)
    around = dict.fromkeys(key for block in blocks for key in block.inherited)
    records = [
        {**{f"key{place}": key for place, key in enumerate(block.way, 1)}, **block.inherited, **record}
        for block in blocks
        for record in block.records
    ]
    names = dict.fromkeys((*(f"key{place}" for place in range(1, depth + 1)), *around, *own))
    columns = {column: [record.get(column) for record in records] for column in names}
    places = [f"{name}#{place}" for block in blocks for place in block.places]
    return Rows(name, columns, places, depth, nested=True, inherited=frozenset(columns) - set(own))


def _walk(value: object, way: tuple[str, ...], inherited: dict[str, object], place: str, found: list[_Block]) -> None:
    if len(found) > MAX_OBJECTS or len(way) > 12:
        return
    if isinstance(value, dict):
        _objects([(place, value)], way, inherited, found)
    elif isinstance(value, list) and value:
        if all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in value) and len(value) <= 5000:
            found.extend(
                _Block((*way, str(index)), inherited, [{_ITEM: item}], [f"{place}/{index}"])
                for index, item in enumerate(value)
            )
            return
        _objects(
            [(f"{place}/{index}", item) for index, item in enumerate(value) if isinstance(item, dict)],
            way, inherited, found,
        )  # fmt: skip
        for index, item in enumerate(value):
            if isinstance(item, list):
                _walk(item, (*way, str(index)), inherited, f"{place}/{index}", found)


def _objects(
    objects: list[tuple[str, dict[str, object]]],
    way: tuple[str, ...],
    inherited: dict[str, object],
    found: list[_Block],
) -> None:
    """Objects side by side as a block, then what is inside them."""
    records, places = [], []
    for place, record in objects:
        scalars = {key: it for key, it in record.items() if it is not None and not isinstance(it, (dict, list))}
        scalars |= bounds_in(record)
        if scalars:
            records.append(scalars)
            places.append(place)
    if records:
        found.append(_Block(way, inherited, records, places))
    for place, record in objects:
        inside = [(key, it) for key, it in record.items() if isinstance(it, (dict, list))]
        if inside:
            short = {
                key: it for key, it in record.items() if isinstance(it, (str, int, float)) and len(str(it)) <= _SHORT
            }
            below = inherited | short if len(short) <= _INHERITED else inherited
            for key, it in inside:
                _walk(it, (*way, str(key)), below, f"{place}/{key}", found)


def bounds_in(record: dict[str, object]) -> dict[str, object]:
    """The ends of intervals: lists of two numbers between which a number of the same object lies."""
    numbers = [it for it in record.values() if isinstance(it, (int, float)) and not isinstance(it, bool)]
    found: dict[str, object] = {}
    for key, it in record.items():
        match it:
            case [int() | float() as low, int() | float() as high] if any(low <= one <= high for one in numbers):
                found |= {f"{key} low": low, f"{key} high": high}
    return found


def copies_among(directory: Path, names: Collection[str]) -> list[list[str]]:
    """Groups of files of the same bytes; only those of equal sizes are read again."""
    alike: dict[object, list[str]] = {}
    for name in sorted(names):
        path = directory / name
        if path.is_file() and path.stat().st_size:
            alike.setdefault(path.stat().st_size, []).append(name)
    found: dict[object, list[str]] = {}
    for size, same in alike.items():
        for name in same if len(same) > 1 else ():
            with (directory / name).open("rb") as file:
                found.setdefault((size, hashlib.file_digest(file, "sha256").digest()), []).append(name)
    return [same for same in found.values() if len(same) > 1]
