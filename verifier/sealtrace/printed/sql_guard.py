"""What a query may be: one pure SELECT over the records, as DuckDB's own parser reads it."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from sealtrace.printed.sql_constants import objects

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LONGEST_SQL = 20_000
"""Characters of a query; no printed table comes near it."""


class SqlError(Exception):
    """A query that was refused, failed, or gave what is no number. `place` is its line and column, from one."""

    def __init__(self, message: str, place: tuple[int, int] | None = None) -> None:
        super().__init__(f"line {place[0]} column {place[1]}: {message}" if place else message)
        self.message = message
        self.place = place


_QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_RELATIONS = frozenset({"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY"})
_TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series"})
_CLOCK = frozenset({"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"})
_INTERNAL = frozenset({"json_serialize_plan", "json_deserialize_sql", "finalize", "combine", "to_aggregate_state"})
"""Functions that plan other SQL, or that take the bytes of DuckDB's own structures from their caller."""


def guard(connection: DuckDBPyConnection, sql: str, sources: dict[str, frozenset[str]]) -> set[str]:
    """The kinds that a query reads, after seeing that it is one pure SELECT. DuckDB's own parser says what it is."""
    if len(sql) > LONGEST_SQL:
        raise SqlError(f"the query has more than {LONGEST_SQL} characters")
    if "\0" in sql or sql.encode(errors="ignore").decode() != sql:
        raise SqlError("the query has a character that no text has")
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


def _refuse_other_forms(sql: str, node: dict[str, Any]) -> None:
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


def parsed(connection: DuckDBPyConnection, sql: str) -> dict[str, Any]:
    import duckdb

    (text,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0]
    tree: dict[str, Any] = json.loads(text)
    if tree["error"] and tree["error_type"] == "parser":
        raise _refused(sql, tree.get("position"), str(tree["error_message"]))
    # Two opinions: what can be written as JSON, and what would be executed.
    statements = [] if tree["error"] else connection.extract_statements(sql)
    if len(statements) != 1 or len(tree["statements"]) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise SqlError("a recipe is one SELECT statement")
    if statements[0].named_parameters:
        raise SqlError("a query has no parameters; a column in braces stands for the row's text")
    return tree


def as_sql(connection: DuckDBPyConnection, tree: dict[str, Any]) -> str:
    """A query's text, from its syntax tree."""
    (text,) = connection.execute("SELECT json_deserialize_sql(?::JSON)", [json.dumps(tree)]).fetchall()[0]
    return str(text)


@cache
def catalogue() -> tuple[set[str], set[str]]:
    """Functions that DuckDB says may differ from call to call, with the macros that use them; and its own views."""
    import duckdb

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
