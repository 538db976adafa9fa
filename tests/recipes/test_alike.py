"""Queries that differ only in texts: each gives, and is said to do, what it would alone."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from sealtrace.recipes import sql_process
from sealtrace.recipes.sql_alike import Alike
from sealtrace.recipes.sql_syntax import SqlError

ROWS = pa.table(
    {
        "system": pa.array(["a", "a", "b", "b", None, "o'c"]).dictionary_encode(),
        "task": ["s", "t", "s", "s", "s", "t"],
        "seed": [1, 2, 1, 2, 3, None],
        "score": [0.1, 0.2, 0.3, 1e16, -1e16, 1.0],
        "tags": [["a"], [], ["b"], None, ["a"], []],
        "right": [True, False, True, None, True, False],
    }
)
COUNTED = (
    "SELECT count(*) FROM answers WHERE system = '{system}' AND task = '{task}'",
    "SELECT count(*) FROM answers WHERE task = '{task}' AND seed > 1 AND system = '{system}'",
    "SELECT 100.0 * avg(\"right\"::INT), sum(seed::BIGINT) FROM answers WHERE system = '{system}'",
    "SELECT count(*) FILTER (score > 0.15) / count(*) AS task FROM answers a WHERE task = '{task}'",
    "SELECT count(DISTINCT seed) FROM answers WHERE system = '{system}'",
)
"""Sums that are the same in any order: one query gives those of all."""
OTHERS = (
    "SELECT sum(score) FROM answers WHERE system = '{system}'",
    "SELECT avg(seed) FROM answers WHERE system = '{system}'",
    "SELECT count(*) FROM answers WHERE system = '{system}' AND system = '{task}'",
    "SELECT count(*) FROM answers WHERE seed = '1' AND system = '{system}'",
    "SELECT count(*) FROM answers WHERE system = '{system}' OR task = '{task}'",
    "SELECT count(*) FROM answers WHERE system <> '{system}'",
    "SELECT 1 FROM answers WHERE system = '{system}'",
    "SELECT task FROM answers WHERE system = '{system}'",
    "SELECT system, count(*) FROM answers WHERE system = '{system}'",
    "SELECT count(*) FROM answers WHERE task = '{task}' GROUP BY system ORDER BY 1",
    "SELECT count(*) FROM answers WHERE task = '{task}' HAVING count(*) > 2",
    "SELECT count(*) FROM answers WHERE task = '{task}' LIMIT 0",
    "SELECT (SELECT count(*) FROM answers b) + count(*) FROM answers WHERE task = '{task}'",
    "SELECT count(*) OVER () FROM answers WHERE task = '{task}'",
    "WITH answers AS (SELECT 1 AS task) SELECT count(*) FROM answers WHERE task = '{task}'",
    "SELECT count(*) FROM answers WHERE task = '{task}' AND CAST(system AS INTEGER) > 0",
    "SELECT count(*) FROM answers WHERE task = '{task}' AND nothing = 1",
    "SELECT count(*) FROM read_text('{task}') WHERE content = '{system}'",
    "SELECT count(*) FROM answers WHERE task = '{task}\ue0000\ue001' AND system = '{system}'",
)
WITHIN: tuple[dict[str, list[str]], ...] = ({}, {"system": ["a"]}, {"task": ["s"], "seed": ["1"]},
          {"task": ["s", "t"]}, {"seed": [">= 2"]}, {"system": ["a"], "task": ["s"]})  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Where the rows lie for the process to map."""
    with pa.OSFile(str(tmp_path / "rows.arrow"), "wb") as sink, pa.ipc.new_stream(sink, ROWS.schema) as stream:
        stream.write_table(ROWS)
    return str(tmp_path / "rows.arrow")


def told(path: str, sql: str, within: dict[str, list[str]], *, described: bool, many: bool = False) -> str:
    """What the process answers, or why it refuses; as text, because NaN is equal to nothing."""
    request: dict[str, Any] = {"sql": sql, "kinds": ["answers"], "paths": {"answers": path}, "described": described}
    try:
        answer = sql_process._run({**request, "within": {"answers": within}, "many": many}, 2**28, "")
        return str({**answer, "rows": [tuple(row) for row in answer["rows"]]})
    except (SqlError, duckdb.Error) as error:
        return sql_process.explained(error, sql).message


def filled(template: str) -> list[str]:
    """The query for every system and task, and for some that no row has."""
    names = product(("a", "b", "o''c", "nobody", "x" * 500), ("s", "t", "a", "1"))
    return [template.replace("{system}", system).replace("{task}", task) for system, task in names]


@pytest.mark.parametrize("many", [False, True], ids=["", "many"])
@pytest.mark.parametrize("template", [*COUNTED, *OTHERS])
def test_each_query_gives_what_it_gives_alone(
    template: str, path: str, monkeypatch: pytest.MonkeyPatch, *, many: bool
) -> None:
    """Its rows, its columns, its description or its refusal, whatever was asked before or will be."""
    asked = [(sql, within, described) for within in WITHIN for sql in filled(template) for described in (True, False)]
    sql_process._forget_views()
    together = [told(path, sql, within, described=described, many=many) for sql, within, described in asked]
    monkeypatch.setattr(
        sql_process, "_like", lambda connection, sql: Alike(sql, sql_process.parsed(connection, sql), (), "")
    )
    sql_process._UNDERSTOOD.clear()
    sql_process._forget_views()
    assert together == [told(path, sql, within, described=described) for sql, within, described in asked]


@pytest.mark.parametrize(("template", "one_for_all"), [(COUNTED[0], True), (COUNTED[2], True), (OTHERS[0], False)])
def test_one_query_answers_those_whose_numbers_cannot_depend_on_it(template: str, one_for_all: bool, path: str) -> None:
    """The first is asked by itself; numbers that are rounded as they are added up never come from another query."""
    sql_process._forget_views()
    for sql in filled(template):
        told(path, sql, {}, described=False)
    (view,) = sql_process._VIEWS.values()
    assert [bool(answers) for _, answers in filter(None, view._together.values())] == [one_for_all]
