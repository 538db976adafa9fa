"""The process that runs the queries of recipes: confined, one answer per line, ended by its parent.

A query may be one pure SELECT over the records, as DuckDB's own parser reads it.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, TypeVar, cast

import duckdb
import pyarrow as pa
from duckdb import DuckDBPyConnection

from sealtrace.bundle.child_process import allow_time, confine, own_output
from sealtrace.bundle.placing import stamp_of
from sealtrace.recipes.restrictions import described
from sealtrace.recipes.sql_alike import Alike, alike
from sealtrace.recipes.sql_statistics import Form, forms, with_statistics
from sealtrace.recipes.sql_syntax import Join, Node, QueryDescription, SqlError, Tree, objects

T = TypeVar("T")
K = TypeVar("K")
Row = tuple[object, ...]
Answers = dict[Row, Row]
"""By the texts that queries demand, the one row that each gives."""
RecordsPath = str | list[Any]
"""Where records of a kind are: a file to map, or a schema and the copies of Parquet files, each with its stamp."""

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
    answers = own_output()
    for name in set(os.environ) - {"SYSTEMROOT"}:  # without which Windows loads no library
        del os.environ[name]
    settings = json.loads(requests.readline())
    catalogue()
    pa.set_cpu_count(1)
    # DuckDB knows of most of what it uses, and its own limit explains itself better, so that one comes first.
    confine(settings["memory"] + 2**28, MOST_SPILLED if settings["spill"] else 0)
    answers.write('{"ready": true}\n')
    answers.flush()
    counted = time.process_time()
    for line in requests:
        allow_time(settings["seconds"])
        request = json.loads(line)
        try:
            answer = _run(request, settings["memory"], settings["spill"])
        except (SqlError, MemoryError, RecursionError, duckdb.Error) as error:
            if not isinstance(error, SqlError):
                _forget_views()  # nothing goes on from where DuckDB failed
            failure = explained(error, request["sql"])
            exhausted = isinstance(error, MemoryError | duckdb.OutOfMemoryException)
            answer = {"error": failure.message, "place": failure.place, "exhausted": exhausted}
        # Below a limit Linux adds a short run to this clock when the process next waits: here, for the next query.
        before, counted = counted, time.process_time()
        answer["spent"] = counted - before
        answers.write(json.dumps(answer, default=_encoded) + "\n")
        answers.flush()


def _run(request: dict[str, Any], memory: int, spill: str) -> dict[str, Any]:
    """One query over the records that it names."""
    sql = request["sql"]
    _require_unchanged(request)
    view, within = _view_of(request, memory, spill), request.get("within") or {}
    reads, description = view.understood(sql)
    if request.get("behind"):
        view.restrict(within)
        return {**_behind(view.connection, sql, request["behind"]), "reads": sorted(reads)}
    if request.get("described"):
        if description.joins:
            view.restrict(within)
        lost = view.lost_rows(description.joins)
        picks, unknown = ([text for sure, text in lost if sure is certain] for certain in (True, False))
        whole = replace(description, picks=(*description.picks, *picks), unknown=(*description.unknown, *unknown))
        told = {**vars(whole), "compared": [vars(one) for one in whole.compared]}
        return {"columns": [], "rows": [], "reads": sorted(reads), "description": told}
    columns, rows = view.answered(sql, within, many=request.get("many", False))
    _require_unchanged(request)
    return {"columns": columns, "rows": rows, "reads": sorted(reads)}


class _View:
    """Records as some queries see them, on a connection of their own.

    A query is one pure SELECT, which leaves nothing behind, so that all queries over the same records may share it.
    """

    def __init__(self, request: dict[str, Any], database: DuckDBPyConnection) -> None:
        self.connection = database.cursor()
        self._fields = {kind: self._offer(kind, path) for kind, path in request["paths"].items()}
        self._conditions: dict[str, str] = {}
        self.restrict({})
        # The name of a view is matched without regard to case.
        self._sources: dict[str, frozenset[str]] = {kind.casefold(): frozenset({kind}) for kind in request["kinds"]}
        self._macros, self._views = (request["needed"][name] for name in ("macros", "views"))
        _share(self.connection, self._macros, self._views, self._sources)
        named = {kind: sorted(kinds) for kind, kinds in self._sources.items()}
        self._named = json.dumps([named, self._macros, self._views])
        self._unique: dict[tuple[str, tuple[str, ...]], bool] = {}
        self._together: dict[tuple[str, ...], tuple[list[str], Answers] | None] = {}

    def _offer(self, kind: str, path: RecordsPath) -> dict[str, bool]:
        """Makes all records of a kind known by a name that no query has; gives their fields, and which are texts."""
        if isinstance(path, str):
            table = pa.ipc.open_stream(pa.memory_map(path)).read_all()
            self.connection.register(_every_row(kind), table)
            schema = table.schema
        else:
            schema = pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(path[0])))
            if not self._reads_parquet(kind, schema, _files(path)):
                self.connection.register(_every_row(kind), _dataset(schema, _files(path)))
        inner = {one.name: one.type.value_type if pa.types.is_dictionary(one.type) else one.type for one in schema}
        return {name: pa.types.is_string(form) for name, form in inner.items()}

    def _reads_parquet(self, kind: str, schema: pa.Schema, files: list[str]) -> bool:
        """Lets DuckDB read Parquet files itself, which is several times as fast, where it finds the declared types."""
        listed = ", ".join(f'"{name}"' for name in schema.names)
        read = f"SELECT {listed} FROM read_parquet([{', '.join(map(_quoted, files))}])"
        # Not `empty_table`, for which Arrow looks for pandas and imports it.
        none = pa.Table.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)
        self.connection.register("declared", none)
        try:
            found, due = (self.connection.execute(f"DESCRIBE {one}").fetchall() for one in (read, '"declared"'))
        except duckdb.Error:
            return False  # a field is in some files only, or in none
        finally:
            self.connection.unregister("declared")
        if [column[:2] for column in found] != [column[:2] for column in due]:
            return False
        self.connection.execute(f'CREATE TEMP VIEW "{_every_row(kind)}" AS {read}')
        return True

    def restrict(self, within: dict[str, dict[str, list[str]]]) -> None:
        """Offers records by their kind: those with the values that a cell's table prints, or its population demands."""
        for kind, fields in self._fields.items():
            names = {name.casefold(): name for name in fields}
            asked = {names[field.casefold()]: values for field, values in within.get(kind, {}).items()}
            conditions = " AND ".join(_condition(field, values) for field, values in asked.items())
            if self._conditions.get(kind) != conditions:
                rows = f'"{_every_row(kind)}"' + (f" WHERE {conditions}" if conditions else "")
                self.connection.execute(f'CREATE OR REPLACE TEMP VIEW "{kind}" AS SELECT * FROM {rows}')
                self._conditions[kind] = conditions

    def understood(self, sql: str) -> tuple[set[str], QueryDescription]:
        """The kinds that a query reads, and what it does with them; both follow from texts alone."""
        like = _like(self.connection, sql)
        known = like.key, self._named
        if known not in _UNDERSTOOD:
            reads = guard(self.connection, sql, self._sources)
            texts = [*self._views.values(), *map(_selecting, self._macros.values())] if reads else []
            trees = [like.tree, *(parsed(self.connection, text) for text in texts)] if reads else []
            trees = [cast("Node", with_statistics(tree, _forms())) for tree in trees]
            found = reads, described(trees, *([self._views, self._macros] if reads else []))
            _remember(_UNDERSTOOD, known, found, MOST_UNDERSTOOD)
        return _UNDERSTOOD[known][0], like.described(_UNDERSTOOD[known][1])

    def answered(
        self, sql: str, within: dict[str, dict[str, list[str]]], *, many: bool
    ) -> tuple[list[str], Sequence[Row]]:
        """The columns and rows of a query; of those that are alike, one query gives the numbers of all.

        It is asked for the first of `many`, and else for the second one.
        """
        like = _like(self.connection, sql)
        texts = self._demanded(like, within)
        asked = (like.key, *texts)
        known = self._together.get(asked)
        if texts and (many or asked in self._together):
            if known is None:
                known = self._every_answer(like, list(texts))
                _remember(self._together, asked, known, MOST_VIEWS)
            # What no row has gives the same, whatever it is.
            if row := known[1].get(tuple(texts.values())) or known[1].get(()):
                return known[0], [row]
        self.restrict(within)
        cursor = self.connection.execute(sql)
        columns = [str(column[0]) for column in cursor.description or ()]
        rows = list(_rows(cursor, columns))
        if known is None:
            _remember(self._together, asked, None, MOST_VIEWS)
        elif known[1]:
            known[1][()] = rows[0]
        return columns, rows

    def _demanded(self, like: Alike, within: dict[str, dict[str, list[str]]]) -> dict[str, str]:
        """Fields and the texts that a query and its cell demand there; nothing where they demand anything else."""
        kind = next((kind for kind in self._fields if kind.casefold() == like.table), "")
        demanded = dict(like.equated)
        for name, values in within.get(kind, {}).items():
            several = len(values) != 1 or values[0].startswith(_BOUNDS)
            if several or demanded.setdefault(name.casefold(), values[0]) != values[0]:
                return {}
        texts = {name.casefold() for name, is_text in self._fields.get(kind, {}).items() if is_text}
        return demanded if demanded.keys() <= texts and demanded.items() >= set(like.equated) else {}

    def _every_answer(self, like: Alike, fields: list[str]) -> tuple[list[str], Answers]:
        """The one row of each query that is alike; nothing where only a query of its own is sure to give it."""
        if (tree := like.grouped(fields)) is None:
            return [], {}
        self.restrict({})
        try:
            cursor = self.connection.execute(f"{as_sql(self.connection, tree)} LIMIT {MOST_TOGETHER + 1}")
            columns = [str(column[0]) for column in cursor.description or ()]
            rows = list(_rows(cursor, columns))
        except (duckdb.Error, SqlError):
            return [], {}
        size = len(fields)
        return columns[size:], {row[:size]: row[size:] for row in rows} if len(rows) <= MOST_TOGETHER else {}

    def lost_rows(self, joins: tuple[Join, ...]) -> list[tuple[bool, str]]:
        """Joins that lose rows, and, as False, those of which that is not known."""
        fields = {kind: set(map(str.casefold, names)) for kind, names in self._fields.items()}
        return list(_lost_rows(self.connection, joins, fields, self._unique))

    def close(self) -> None:
        """Lets the records go."""
        self.connection.close()


MOST_UNDERSTOOD = 1_000
"""Texts of queries whose meaning is remembered: every query runs several times, on several forms of the records."""
MOST_TOGETHER = 50_000
"""Rows of a query that answers many."""
MOST_VIEWS = 24
"""Connections that are kept: one for each form of the records, with each of the sets of views that queries name."""
_UNDERSTOOD: dict[tuple[str, str], tuple[set[str], QueryDescription]] = {}
_VIEWS: dict[str, _View] = {}


def _view_of(request: dict[str, Any], memory: int, spill: str) -> _View:
    """The records that a query names with the views and macros that it uses: kept, because cells ask for the same."""
    kept = [path for path in request["paths"].values() if not isinstance(path, str)]
    database, offered = _database(memory, spill, tuple(file for path in kept for file in _files(path)))
    _offer_functions(database, offered, json.dumps(request))
    request["needed"] = {
        name: _needed(request["sql"], request.get(name) or {}, request) for name in ("macros", "views")
    }
    # A file of the same name could be another one, of a bundle that came later.
    stamps = [stamp_of(path) for path in request["paths"].values() if isinstance(path, str)]
    seen = [request[name] for name in ("paths", "kinds", "needed")]
    asked = json.dumps([*seen, stamps, memory, spill])
    if asked in _VIEWS:
        _VIEWS[asked] = _VIEWS.pop(asked)  # the one that was used last goes last
    elif dropped := _remember(_VIEWS, asked, _View(request, database), MOST_VIEWS):
        dropped.close()
    return _VIEWS[asked]


@atexit.register
def _forget_views() -> None:
    """Closes every connection; DuckDB complains of those that are left when a process ends."""
    while _VIEWS:
        _VIEWS.popitem()[1].close()
    _database.cache_clear()


def _remember(known: dict[K, T], name: K, value: T, most: int) -> T | None:
    """Keeps a value, and gives the oldest one back where there are too many."""
    known[name] = value
    return known.pop(next(iter(known))) if len(known) > most else None


@cache
def _forms() -> tuple[Form, ...]:
    with duckdb.connect(":memory:") as connection:
        return forms(lambda sql: parsed(connection, sql))


def _every_row(kind: str) -> str:
    """What records are registered as; no query can name it."""
    return f"{kind} of every row"


_BOUNDS = (">= ", "<= ", "<> ")


def _condition(field: str, values: list[str]) -> str:
    """The rows that have one of some values, compared as they are written; bounds as `>= 10`."""
    bounds = [value.split(" ", 1) for value in values if value.startswith(_BOUNDS)]
    listed = [value for value in values if not value.startswith(_BOUNDS)]
    parts = [f'"{field}" {sign} {_quoted(value)}' for sign, value in bounds]
    if listed:
        parts.append(f'CAST("{field}" AS VARCHAR) IN ({", ".join(map(_quoted, listed))})')
    return " AND ".join(parts)


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _lost_rows(
    connection: DuckDBPyConnection,
    joins: tuple[Join, ...],
    fields: dict[str, set[str]],
    known_unique: dict[tuple[str, tuple[str, ...]], bool],
) -> Iterator[tuple[bool, str]]:
    """Each row of the side that names rows of the other must find one there."""
    known = {kind.casefold(): kind for kind in fields}
    for lefts, right, pairs in joins:
        there = known.get(right.casefold())
        having = [
            known[name.casefold()]
            for name in lefts.split("|")
            if name.casefold() in known and all(mine.casefold() in fields[known[name.casefold()]] for mine, _ in pairs)
        ]
        if there is None or len(having) != 1 or not all(other.casefold() in fields[there] for _, other in pairs):
            yield False, f"a join of {lefts.replace('|', ' or ')} with {right}"
            continue
        sides = (having[0], [mine for mine, _ in pairs]), (there, [other for _, other in pairs])
        for kind, names in sides:
            if (kind, tuple(names)) not in known_unique:
                known_unique[kind, tuple(names)] = _is_unique(connection, kind, names)
        unique = [known_unique[kind, tuple(names)] for kind, names in sides]
        equal = " AND ".join(f'a."{mine}" = b."{other}"' for mine, other in pairs)
        for place, (kind, _) in enumerate(sides):
            if not unique[1 - place]:
                continue
            tables = f'"{sides[0][0]}" a', f'"{sides[1][0]}" b'
            query = f"SELECT count(*) FROM {tables[place]} ANTI JOIN {tables[1 - place]} ON {equal}"
            (lost,) = connection.execute(query).fetchall()[0]
            if lost:
                yield True, f"it joins {kind} with {sides[1 - place][0]} and loses {lost} rows of {kind}"


def _is_unique(connection: DuckDBPyConnection, kind: str, names: list[str]) -> bool:
    listed = ", ".join(f'"{name}"' for name in names)
    query = f'SELECT 1 FROM "{kind}" GROUP BY {listed} HAVING count(*) > 1 LIMIT 1'
    return not connection.execute(query).fetchall()


@lru_cache(maxsize=8)
def _database(memory: int, spill: str, files: tuple[str, ...] = ()) -> tuple[DuckDBPyConnection, set[str]]:
    """Locked, with no record in it and the metrics that are named: what a query registers belongs to its connection.

    Making one takes longer than most queries. `files` are those that DuckDB may read itself, and no other.
    """
    database = duckdb.connect(":memory:")
    _lock(database, memory, spill, files)
    return database, set()


def _selecting(expression: str) -> str:
    return f"SELECT ({expression}\n)"


def _files(path: list[Any]) -> list[str]:
    return [file for file, *_ in path[1:]]


def _require_unchanged(request: dict[str, Any]) -> None:
    """Refuses copies that are not as they were when their bytes were hashed, before and after a query reads them."""
    for path in request["paths"].values():
        for file, *stamp in path[1:] if not isinstance(path, str) else ():
            if stamp_of(file) != stamp:
                raise SqlError("the copies of the records have changed since they were hashed")


def _dataset(schema: pa.Schema, files: list[str]) -> Any:
    """Parquet files that Arrow reads as far as they are asked for, with the declared types."""
    import pyarrow.dataset as ds

    options = ds.ParquetFragmentScanOptions(pre_buffer=False)
    form = ds.ParquetFileFormat(default_fragment_scan_options=options)
    return ds.dataset(files, schema=schema, format=form)


def _offer_functions(database: DuckDBPyConnection, offered: set[str], text: str) -> None:
    """The metrics that a query, or what it shares with others, may call."""
    from sealtrace.statistics.queries import functions  # start-up: only where a query calls one

    text = text.casefold()
    for name, (function, takes) in functions().items():
        if name in text and name not in offered:
            database.create_function(name, function, [*takes], "DOUBLE")
            offered.add(name)


def _needed(sql: str, shared: dict[str, str], request: dict[str, Any]) -> dict[str, str]:
    """What a query names, directly or through others: a mistake in one view is no mistake of all queries."""
    if not shared:
        return {}
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


def _behind(connection: DuckDBPyConnection, sql: str, most: int) -> dict[str, object]:
    """The rows that a query sums up: what stands between its FROM and its GROUP BY, without what it makes of them."""
    tree = parsed(connection, sql)
    node = tree["statements"][0]["node"]
    if node["type"] != "SELECT_NODE":
        raise SqlError("the query combines several; ask for the records behind each")
    plain = parsed(connection, "SELECT * FROM range(1)")["statements"][0]["node"]
    kept = {name: part for name, part in node.items() if name in ("from_table", "where_clause", "cte_map")}
    whole = {**tree["statements"][0], "node": {**plain, **kept}}
    text = as_sql(connection, cast("Node", {**tree, "statements": [whole]}))
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


def _lock(connection: DuckDBPyConnection, memory: int, spill: str, files: tuple[str, ...]) -> None:
    """Nothing outside of the registered records, and no way back. The order matters: later ones lock earlier ones.

    GLOBAL, so that it holds for every connection to this database.

    DuckDB's own file system stays only where it has a directory for what it cannot hold, or copies of records to read;
    a query names neither.
    """
    settings: dict[str, str | list[str]] = {
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
        **({"allowed_paths": list(files)} if files else {}),
        "enable_external_access": "false",
        **({} if spill or files else {"disabled_filesystems": "LocalFileSystem"}),
        "lock_configuration": "true",
    }
    for name, value in settings.items():
        connection.execute(f"SET GLOBAL {name} = {_quoted(value) if isinstance(value, str) else value}")


# What a query may be

LONGEST_SQL = 20_000
"""Characters of a query; no printed table comes near it."""


_QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_RELATIONS = frozenset({"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY"})
_TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series"})
_CLOCK = frozenset({"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"})
_INTERNAL = frozenset({"json_serialize_plan", "json_deserialize_sql", "finalize", "combine", "to_aggregate_state"})
"""Functions that plan other SQL, or that take the bytes of DuckDB's own structures from their caller."""


def guard(connection: DuckDBPyConnection, sql: str, sources: dict[str, frozenset[str]]) -> set[str]:
    """The kinds that a query reads, after seeing that it is one pure SELECT. DuckDB's own parser says what it is."""
    tree = parsed(connection, sql)
    nodes = list(objects(tree))
    known = set(sources)
    local = {str(entry["key"]).casefold() for node in nodes if "cte_map" in node for entry in node["cte_map"]["map"]}
    impure, views = catalogue()
    reads = set()
    for node in nodes:
        place = node.get("query_location")
        if node.get("type") == "BASE_TABLE":
            name = str(node["table_name"]).casefold()
            if node["schema_name"] or node["catalog_name"] or name not in known | local:
                raise _refused(
                    sql, place, f"{node['table_name']} is not among the records: {', '.join(sorted(sources))}"
                )
            reads |= {name} & known
        if "function_name" in node and str(node["function_name"]).casefold() in impure:
            raise _refused(sql, place, f"{node['function_name']} does not depend on records alone")
        if node.get("class") == "COLUMN_REF" and _CLOCK & {str(name).casefold() for name in node["column_names"]}:
            raise _refused(sql, place, f"{node['column_names'][-1]} does not depend on records alone")
        _refuse_other_forms(sql, node)
    # A name that means a query here and a system view there could stand for the view.
    if hidden := local & views:
        raise SqlError(f"{min(hidden)} is the name of a view of DuckDB's own")
    return {kind for name in reads for kind in sources[name]}


def _refuse_other_forms(sql: str, node: Node) -> None:
    form, place = node.get("type"), node.get("query_location")
    if isinstance(form, str) and form.endswith("_NODE") and form not in _QUERIES:
        raise _refused(sql, place, "a query changes nothing: SELECT only")
    if "sample" in node and "class" not in node:
        if form not in _QUERIES | _RELATIONS:
            raise _refused(sql, place, f"a recipe has no use for {form}")
        if node["sample"] is not None:
            raise _refused(sql, place, "a sample does not depend on records alone")
    if form == "TABLE_FUNCTION" and str(node["function"]["function_name"]).casefold() not in _TABLE_FUNCTIONS:
        allowed = ", ".join(sorted(_TABLE_FUNCTIONS))
        raise _refused(sql, place, f"{node['function']['function_name']} is not among the table functions: {allowed}")


def parsed(connection: DuckDBPyConnection, sql: str) -> Node:
    """The syntax tree of a query; those of the last texts are remembered, and nobody may change them."""
    if sql not in _PARSED:
        _remember(_PARSED, sql, _parsed(connection, sql), MOST_PARSED)
    return _PARSED[sql]


def _like(connection: DuckDBPyConnection, sql: str) -> Alike:
    if sql not in _ALIKE:
        _remember(_ALIKE, sql, alike(parsed(connection, sql)), MOST_PARSED)
    return _ALIKE[sql]


MOST_PARSED = 2 * MOST_SHARED
_PARSED: dict[str, Node] = {}
_ALIKE: dict[str, Alike] = {}


def _parsed(connection: DuckDBPyConnection, sql: str) -> Node:
    if len(sql) > LONGEST_SQL:
        raise SqlError(f"the query has more than {LONGEST_SQL} characters")
    if "\0" in sql or sql.encode(errors="ignore").decode() != sql:
        raise SqlError("the query has a character that no text has")
    (text,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0]
    tree: Node = json.loads(text)
    if tree["error"] and tree["error_type"] == "parser":
        raise _refused(sql, tree.get("position"), str(tree["error_message"]))
    # Two opinions: what can be written as JSON, and what would be executed.
    statements = [] if tree["error"] else connection.extract_statements(sql)
    if len(statements) != 1 or len(tree["statements"]) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise SqlError("a recipe is one SELECT statement")
    if statements[0].named_parameters:
        raise SqlError("a query has no parameters; a column in braces stands for the row's text")
    return tree


def as_sql(connection: DuckDBPyConnection, tree: Tree) -> str:
    """A query's text, from its syntax tree."""
    (text,) = connection.execute("SELECT json_deserialize_sql(?::JSON)", [json.dumps(tree)]).fetchall()[0]
    return str(text)


@cache
def catalogue() -> tuple[set[str], set[str]]:
    """Functions that DuckDB says may differ from call to call, with the macros that use them; and its own views."""
    with duckdb.connect(":memory:") as connection:
        functions = connection.execute(
            "SELECT lower(function_name), stability, lower(macro_definition) FROM duckdb_functions() "
            "WHERE function_type IN ('scalar', 'aggregate', 'macro')"
        ).fetchall()
        views = connection.execute("SELECT lower(view_name) FROM duckdb_views() WHERE internal").fetchall()
    impure = {str(name) for name, stability, _ in functions if stability not in (None, "CONSISTENT")}
    impure |= _CLOCK | _INTERNAL
    macros = [(str(name), set(re.findall(r"\w+", text))) for name, _, text in functions if text]
    found = -1
    while found != len(impure):  # A macro may use a macro.
        found = len(impure)
        impure |= {name for name, words in macros if words & (impure | {"select"})}
    return impure, {str(name) for (name,) in views}


def explained(error: Exception, sql: str = "") -> SqlError:
    """What is wrong with a query; what DuckDB says, as it says it in JSON where it can."""
    if isinstance(error, SqlError):
        return error
    if isinstance(error, MemoryError | RecursionError):
        reason = "needs more memory than it may use" if isinstance(error, MemoryError) else "is nested too deeply"
        return SqlError(f"the query {reason}")
    text = str(error)
    sort, brace, rest = text.partition("{")
    try:
        details = json.loads(brace + rest)
        message, position = str(details["exception_message"]), details.get("position")
    except (ValueError, KeyError, TypeError):
        message, position = text, None
    # The lines that follow the first repeat the query, or advise to change the configuration.
    message = message.splitlines()[0] if message else sort
    return _refused(sql, position, message)


def _refused(sql: str, position: object, message: str) -> SqlError:
    """An error with its place; DuckDB counts bytes from zero, and gives an impossible place where it knows none."""
    data = sql.encode()
    try:
        index = int(str(position))
    except ValueError:
        return SqlError(message)
    if not data or not 0 <= index <= len(data):
        return SqlError(message)
    before = data[:index].decode(errors="ignore")
    return SqlError(message, (before.count("\n") + 1, len(before) - before.rfind("\n")))
