"""Runs the SQL of a recipe over the sealed records, in DuckDB.

A recipe is text from a bundle that nobody here wrote, so it gets what it needs and nothing else:

(1) it is one SELECT that names sealed records and pure functions: no file, setting, clock or chance;
(2) DuckDB has no file system, network, extensions or Python variables, and its configuration is locked;
(3) it runs in a process of its own, without environment, with bounded memory, which is ended when its time is
    over. DuckDB's own limits are not enough: `repeat('x', 3000000000)` heeds neither them nor an interrupt.

Records that are not held in memory are read by the process itself, a row group at a time, from copies of the bytes that
were hashed; what DuckDB cannot hold then goes to a directory of ours, which no query can name.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import pyarrow as pa

from sealtrace.bundle.budget import INCIDENTS
from sealtrace.bundle.child_process import ChildProcess
from sealtrace.bundle.defects import refusing
from sealtrace.bundle.frames import KeptFrame
from sealtrace.bundle.placing import remove_scratch, scratch_directory
from sealtrace.bundle.shapes import arrow_schema
from sealtrace.recipes.sql_syntax import Compared, QueryDescription, SqlError, SqlUnfinishedError

SECONDS = 30.0
"""How much processor time one query may take: others on a machine should not change a verdict."""
PATIENCE = 6
"""How many times longer it may take by the clock."""
MEMORY = 2 * 2**30
"""How many bytes a query may use."""
SPILLING_MEMORY = 2**28
"""How many it may use where it can put the rest on the disk."""
START_SECONDS = 60.0
"""How long the process may take to start: a cold disk is slow."""


@dataclass(frozen=True)
class SqlResult:
    """The rows that a query gave. Values are int, float, Decimal, str, bool or None."""

    columns: list[str]
    rows: list[tuple[object, ...]]
    reads: frozenset[str] = frozenset()
    """The kinds of record that the query names: one that reads none proves nothing."""
    description: QueryDescription = field(default=QueryDescription(), compare=False)


def numbers(result: SqlResult) -> list[tuple[Fraction | None, ...]]:
    """The rows as exact numbers; a stored double is a rational number too. None stands for NULL."""
    return [tuple(_number(value, name) for value, name in zip(row, result.columns, strict=True)) for row in result.rows]


def _number(value: object, column: str) -> Fraction | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise SqlError(f"column {column}: {value!r} is no number")
    if not math.isfinite(value):
        raise SqlError(f"column {column}: {value} is not finite")
    return Fraction(value)


Altered = Callable[[], Iterator[pa.Table]]
"""Gives records that stand nowhere, a part at a time."""
Records: TypeAlias = pa.Table | KeptFrame | Altered
Within: TypeAlias = dict[str, dict[str, list[str]]]
"""Kind, field, and the values that rows must have."""


class SqlRecords:
    """The sealed records as tables named after their kind. Use it as a context manager, or close it."""

    def __init__(
        self,
        tables: dict[str, Records],
        *,
        seconds: float = SECONDS,
        memory: int | None = None,
        spilling: bool | None = None,
        views: dict[str, str] | None = None,
        macros: dict[str, str] | None = None,
    ) -> None:
        self._tables = tables
        self._shared = {"views": views or {}, "macros": macros or {}}
        self._seconds = seconds
        self.spent = 0.0
        """Processor time of all its queries."""
        self._directory = scratch_directory("sql")
        # Whoever forgets to close it leaves nothing behind.
        self.close = weakref.finalize(self, remove_scratch, self._directory)
        """Removes the copies of the records. The process waits for others to use it."""
        self._paths: dict[str, str | list[Any]] = {}
        held = all(isinstance(records, pa.Table) for records in tables.values())
        self._spills = not held if spilling is None else spilling
        """Whether DuckDB has a place for what it cannot hold; it needs none where everything is held."""
        self._memory = memory or (SPILLING_MEMORY if self._spills else MEMORY)

    def query(
        self, sql: str, within: Within | None = None, *, described: bool = False, many: bool = False
    ) -> SqlResult:
        """What one SELECT gives, on rows that have some values. `SqlError` where it is refused or fails.

        One that is `described` is not run, and only then it is said what it does, and whether its joins lose rows.
        `many` says that others will follow that differ from it only in texts.
        """
        answer = self._answered(sql, {"within": within or {}, "described": described, "many": many})
        rows = [tuple(row) for row in answer["rows"]]
        if (found := answer.get("description")) is None:
            return SqlResult(answer["columns"], rows, frozenset(answer["reads"]))
        compared = tuple(Compared(**{**one, "values": tuple(one["values"])}) for one in found["compared"])
        joined = tuple((left, right, tuple(map(tuple, pairs))) for left, right, pairs in found["joins"])
        lists = {name: tuple(value) for name, value in found.items() if isinstance(value, list)}
        description = QueryDescription(**{**found, **lists, "compared": compared, "joins": joined})
        return SqlResult(answer["columns"], rows, frozenset(answer["reads"]), description)

    def _answered(self, sql: str, more: dict[str, Any]) -> dict[str, Any]:
        # Records that the text does not even mention are not worth copying.
        text = " ".join([sql, *self._shared["views"].values(), *self._shared["macros"].values()]).casefold()
        named = [kind for kind in self._tables if kind.casefold() in text]
        request: dict[str, object] = {
            "sql": sql,
            "kinds": sorted(self._tables),
            "paths": {kind: self._path(kind) for kind in named},
        }
        request |= {**self._shared, **more}
        answer = self._ask(request)
        if "error" in answer:
            if answer.get("exhausted"):
                INCIDENTS.append(answer["error"])
            place = answer["place"]
            raise SqlError(answer["error"], (place[0], place[1]) if place else None)
        return answer

    def behind(self, sql: str) -> tuple[int, list[dict[str, str]]]:
        """How many rows a query sums up, and the first of them with what they hold."""
        answer = self._answered(sql, {"behind": 3})
        named = [dict(zip(answer["columns"], row, strict=True)) for row in answer["rows"]]
        return answer["count"], [{name: value for name, value in row.items() if value is not None} for row in named]

    @property
    def _settings(self) -> tuple[int, int, float, bool]:
        """What a process was started with, and by whom: a process is not shared with a fork."""
        return os.getpid(), self._memory, self._seconds, self._spills

    def __enter__(self) -> SqlRecords:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _path(self, kind: str) -> str | list[Any]:
        """Where the records of a kind lie for the process to map; the stream format allows any dictionaries.

        Of plain columns that were kept as they were hashed: their schema, and their Parquet files with their stamps.
        """
        if kind not in self._paths:
            records = self._tables[kind]
            if isinstance(records, KeptFrame) and records.plain:
                schema = arrow_schema(records.form).serialize().to_pybytes().hex()
                self._paths[kind] = [schema, *([str(file.path), *file.stamp] for file in records.kept)]
                return self._paths[kind]
            path = self._directory / f"{len(self._paths)}.arrow"
            parts = [records] if isinstance(records, pa.Table) else _parts(records)
            with refusing(self._directory.parent), ExitStack() as stack:
                sink = stack.enter_context(pa.OSFile(str(path), "wb"))
                stream = None
                for table in parts:
                    stream = stream or stack.enter_context(pa.ipc.new_stream(sink, table.schema))
                    stream.write_table(table)
            self._paths[kind] = str(path)
        return self._paths[kind]

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._idle() or self._start()
        if (line := process.ask(request, PATIENCE * self._seconds)) is not None:
            answer: dict[str, Any] = json.loads(line, object_hook=_decoded)
            self.spent += answer.pop("spent")
            _IDLE.append((self._settings, process))
            return answer
        self.spent += self._seconds
        _reap(process)
        INCIDENTS.append("a query was ended")
        if process.late:
            raise SqlUnfinishedError(f"the query took longer than {self._seconds:g} s, and was ended")
        raise SqlError(f"the query ended its process: it needs more than {self._memory / 2**20:g} MB, or crashed")

    def _idle(self) -> ChildProcess | None:
        """The process that waits, where it has the same limits."""
        if not _IDLE:
            return None
        settings, process = _IDLE.pop()
        if settings == self._settings and process.alive:
            return process
        _reap(process)
        return None

    def _start(self) -> ChildProcess:
        process = ChildProcess("sealtrace.recipes.sql_process")
        if self._spills:
            _SPILLED[process] = scratch_directory("sql")
        spill = str(_SPILLED[process]) if self._spills else ""
        settings = {"memory": self._memory, "seconds": self._seconds, "spill": spill}
        if process.ask(settings, START_SECONDS) is None:
            _reap(process)
            raise SqlError("DuckDB cannot be started; does `python -c 'import duckdb'` work?")
        return process


def _parts(records: KeptFrame | Altered) -> Iterator[pa.Table]:
    """Records that are not held, a row group at a time."""
    return records.parts(records.names) if isinstance(records, KeptFrame) else records()


_IDLE: list[tuple[tuple[int, int, float, bool], ChildProcess]] = []
"""A process that waits for the next query. Every query has a connection of its own, so nothing stays in it."""
_SPILLED: dict[ChildProcess, Path] = {}
"""Where a process may put what it cannot hold."""


@atexit.register
def _rest() -> None:
    while _IDLE:
        _reap(_IDLE.pop()[1])


def _reap(process: ChildProcess) -> None:
    process.end()
    if process in _SPILLED:
        remove_scratch(_SPILLED.pop(process))


def _decoded(document: dict[str, Any]) -> object:
    return Decimal(document["decimal"]) if document.keys() == {"decimal"} else document
