"""The process that runs the queries of recipes: confined, one answer per line, ended by its parent."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sealtrace.contract.packs import loaded, packs
from sealtrace.printed.sql_constants import averages, brought, plain, turned
from sealtrace.printed.sql_guard import SqlError, as_sql, catalogue, explained, guard, parsed
from sealtrace.printed.sql_words import computed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_ROWS = 100_000
MOST_TEXT = 10_000_000
"""Bounds on what goes in and out; no printed table comes near them."""
MOST_SPILLED = 2**36
"""Bytes that a query may put on the disk, where it may put any."""


def _encoded(value: object) -> object:
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    raise TypeError(f"{type(value).__name__} has no form here")


def serve() -> None:
    """Answers one request per line until the input ends."""
    requests = sys.stdin
    # Whatever else would write to standard output must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for name in set(os.environ) - {"SYSTEMROOT"}:  # without which Windows loads no library
        del os.environ[name]
    settings = json.loads(requests.readline())
    import duckdb

    catalogue()
    pa.set_cpu_count(1)
    _confine(settings["memory"], MOST_SPILLED if settings["spill"] else 0)
    answers.write('{"ready": true}\n')
    answers.flush()
    for line in requests:
        _allow_time(settings["seconds"])
        began = time.process_time()
        request = json.loads(line)
        try:
            answer = _run(request, settings["memory"], settings["spill"])
        except (SqlError, MemoryError, RecursionError, duckdb.Error) as error:
            failure = explained(error, request["sql"])
            answer = {"error": failure.message, "place": failure.place}
        answer["spent"] = time.process_time() - began
        answers.write(json.dumps(answer, default=_encoded) + "\n")
        answers.flush()


def _confine(memory: int, written: int) -> None:
    """What the operating system can forbid: more memory, longer files (none at all as a rule), a core dump."""
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limits, macOS not all of them.
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (written, written))
        data = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        # What this process owns, without the records that it maps. DuckDB knows of most of what it uses, and its
        # own limit explains itself better, so that one comes first.
        limit = data + memory + 2**28
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _allow_time(seconds: float) -> None:
    """Ends this process after some more processor time."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = math.ceil(used.ru_utime + used.ru_stime + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _run(request: dict[str, Any], memory: int, spill: str) -> dict[str, Any]:
    """One query on a connection of its own, so that none sees what another left behind."""
    sql, kinds = request["sql"], request["kinds"]
    # The name of a view is matched without regard to case.
    records = {kind: _records(path) for kind, path in request["paths"].items()}
    database, offered = _database(memory, spill)
    _offer_functions(database, offered, json.dumps(request))
    with database.cursor() as connection:
        for kind, table in records.items():
            connection.register(kind, table)
        sources: dict[str, frozenset[str]] = {kind.casefold(): frozenset({kind}) for kind in kinds}
        macros, views = (_needed(sql, request.get(name) or {}, request) for name in ("macros", "views"))
        if request.get("turned"):
            opposite = [_turned(connection, text) for text in (sql, *views.values(), *map(_selecting, macros.values()))]
            if not any(chooses for _, chooses in opposite):
                return {"chooses": False}
            sql, *texts = [text for text, _ in opposite]
            views = dict(zip(views, texts, strict=False))
            macros = dict(zip(macros, (f"({text})" for text in texts[len(views) :]), strict=True))
        _share(connection, macros, views, sources)
        reads = guard(connection, sql, sources)
        texts = [sql, *views.values(), *map(_selecting, macros.values())]
        trees = [parsed(connection, text) for text in texts if reads]
        own = [number for tree in trees for number in brought(tree)]
        demands = [plain(tree) for tree in trees]
        if request.get("behind"):
            return {**_behind(connection, sql, request["behind"]), "reads": sorted(reads)}
        cursor = connection.execute(sql)
        columns = [str(column[0]) for column in cursor.description or ()]
        rows = list(_rows(cursor, columns))
        demanded: dict[str, list[str]] = {}
        for field, values in (pair for one in demands for pair in (one or {}).items()):
            if field or any(map(averages, trees)):
                demanded.setdefault(field, []).extend(values)
        return {
            "columns": columns, "rows": rows, "reads": sorted(reads), "brought": own, "chooses": True,
            "demands": None if None in demands else demanded, "computed": asdict(computed(trees)),
        }  # fmt: skip


@cache
def _database(memory: int, spill: str) -> tuple[DuckDBPyConnection, set[str]]:
    """Locked, with no record in it and the metrics that are named: what a query registers belongs to its connection.

    Making one takes longer than most queries.
    """
    import duckdb

    database = duckdb.connect(":memory:")
    _lock(database, memory, spill)
    return database, set()


def _selecting(expression: str) -> str:
    return f"SELECT ({expression}\n)"


def _turned(connection: DuckDBPyConnection, sql: str) -> tuple[str, bool]:
    """A query with its choices by results turned round, and whether it has any."""
    tree = parsed(connection, sql)
    chooses = turned(tree)
    return as_sql(connection, tree), chooses


def _records(path: str | list[str]) -> Any:
    """Records that are mapped; or, given a schema and Parquet files, a dataset that is read as far as it is asked."""
    if isinstance(path, str):
        return pa.ipc.open_stream(pa.memory_map(path)).read_all()
    import pyarrow.dataset as ds

    schema, *files = path
    options = ds.ParquetFragmentScanOptions(pre_buffer=False)
    form = ds.ParquetFileFormat(default_fragment_scan_options=options)
    return ds.dataset(files, schema=pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(schema))), format=form)


def _offer_functions(database: DuckDBPyConnection, offered: set[str], text: str) -> None:
    """The metrics that a query, or what it shares with others, may call."""
    for pack in packs():
        for name, (function, takes) in (loaded(pack.functions) if pack.functions else {}).items():
            if name in text.casefold() and name not in offered:
                database.create_function(name, function, list(takes), "DOUBLE")
                offered.add(name)


def _needed(sql: str, shared: dict[str, str], request: dict[str, Any]) -> dict[str, str]:
    """What a query names, directly or through others: a mistake in one view is no mistake of all queries."""
    texts = {**(request.get("macros") or {}), **(request.get("views") or {})}
    words = set(re.findall(r"\w+", sql.casefold()))
    found = -1
    while found != len(words):
        found = len(words)
        for name, text in texts.items():
            if name.partition("(")[0].casefold() in words:
                words |= set(re.findall(r"\w+", text.casefold()))
    return {name: text for name, text in shared.items() if name.partition("(")[0].casefold() in words}


_SIGNATURE = re.compile(r"([A-Za-z_]\w{0,60})\(\s*((?:[A-Za-z_]\w{0,60}(?:\s*,\s*[A-Za-z_]\w{0,60})*)?)\s*\)")
MOST_SHARED = 100


def _share(
    connection: DuckDBPyConnection, macros: dict[str, str], views: dict[str, str], sources: dict[str, frozenset[str]]
) -> None:
    """The bundle's own macros and views, each as pure as a query; a view stands for the records that it reads."""
    import duckdb

    if len(macros) + len(views) > MOST_SHARED:
        raise SqlError(f"the bundle shares more than {MOST_SHARED} views and macros")
    _, internal = catalogue()
    for signature, expression in macros.items():
        named = _SIGNATURE.fullmatch(signature)
        if named is None:
            raise SqlError(f"macro {signature}: not a name with parameters, such as share(k, n)")
        if connection.execute(
            "SELECT 1 FROM duckdb_functions() WHERE lower(function_name) = lower(?) LIMIT 1", [named[1]]
        ).fetchall():
            raise SqlError(f"macro {signature}: DuckDB has a function of this name, which queries mean")
        try:
            guard(connection, _selecting(expression), sources)
            connection.execute(f'CREATE TEMP MACRO "{named.group(1)}"({named.group(2)}) AS ({expression}\n)')
        except (SqlError, duckdb.Error) as error:
            raise SqlError(f"macro {signature}: {explained(error)}") from None
    for name, sql in views.items():
        plain = name.casefold()
        if not re.fullmatch(r"[A-Za-z_]\w{0,60}", name) or plain in sources or plain in internal:
            raise SqlError(f"view {name}: not a name of its own")
        try:
            sources[plain] = frozenset(guard(connection, sql, sources))
            connection.execute(f'CREATE TEMP VIEW "{name}" AS {sql}')
        except (SqlError, duckdb.Error) as error:
            raise SqlError(f"view {name}: {explained(error)}") from None


def _behind(connection: DuckDBPyConnection, sql: str, most: int) -> dict[str, Any]:
    """The rows that a query sums up: what stands between its FROM and its GROUP BY, without what it makes of them."""
    tree = parsed(connection, sql)
    node = tree["statements"][0]["node"]
    if node["type"] != "SELECT_NODE":
        raise SqlError("the query combines several; ask for the records behind each")
    plain = parsed(connection, "SELECT * FROM range(1)")["statements"][0]["node"]
    kept = {name: node[name] for name in ("from_table", "where_clause", "cte_map") if name in node}
    tree["statements"][0]["node"] = {**plain, **kept}
    text = as_sql(connection, tree)
    (count,) = connection.execute(f"SELECT count(*) FROM ({text})").fetchall()[0]
    cursor = connection.execute(f"SELECT * FROM ({text}) LIMIT {int(most)}")
    columns = [str(column[0]) for column in cursor.description or ()]
    rows = [[None if value is None else str(value)[:200] for value in row] for row in cursor.fetchall()]
    return {"columns": columns, "rows": rows, "count": count}


def _rows(cursor: DuckDBPyConnection, columns: list[str]) -> Iterator[tuple[object, ...]]:
    text = 0
    count = 0
    while (row := cursor.fetchone()) is not None:
        count += 1
        for value, name in zip(row, columns, strict=True):
            if value is not None and not isinstance(value, (bool, int, float, Decimal, str)):
                raise SqlError(f"column {name} holds a {type(value).__name__}; a cell is a number or a text")
            text += len(value) if isinstance(value, str) else 0
        if count > MOST_ROWS or text > MOST_TEXT:
            raise SqlError(f"the query gives more than {MOST_ROWS} rows or {MOST_TEXT} characters")
        yield row


def _lock(connection: DuckDBPyConnection, memory: int, spill: str) -> None:
    """Nothing outside of the registered records, and no way back. The order matters: later ones lock earlier ones.

    GLOBAL, so that it holds for every connection to this database.

    DuckDB's own file system stays only where it has a directory for what it cannot hold; a query reaches neither.
    """
    for name, value in {
        "errors_as_json": "true",
        "threads": "1",  # sums in one order give one result
        "memory_limit": f"{memory // 2**20}MiB",
        "temp_directory": spill,
        **({"max_temp_directory_size": f"{MOST_SPILLED // 2**20}MiB"} if spill else {}),
        "python_enable_replacements": "false",
        "python_scan_all_frames": "false",
        "allow_persistent_secrets": "false",
        "allow_community_extensions": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "enable_external_access": "false",
        **({} if spill else {"disabled_filesystems": "LocalFileSystem"}),
        "lock_configuration": "true",
    }.items():
        connection.execute(f"SET GLOBAL {name} = '{value}'")
