"""SQL over sealed records: it gives what the records give, and nothing else in the world."""

from __future__ import annotations

import errno
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

from sealtrace.bundle.defects import BundleError
from sealtrace.recipes import sql as queries
from sealtrace.recipes.sql import SqlRecords, SqlResult, numbers
from sealtrace.recipes.sql_alike import Alike
from sealtrace.recipes.sql_process import MOST_ROWS
from sealtrace.recipes.sql_syntax import SqlError
from support import LONG

LABEL = pa.table(
    {
        "item": pa.array(["eins", "zwei", "drei", "vier"]),
        "label": pa.array(["über", "unter", "über", None]).dictionary_encode(),
        "predictions": pa.array(
            [[("über", 0.25), ("unter", 0.75)], [("über", 0.5)], [], None], pa.map_(pa.string(), pa.float64())
        ),
    }
)
TRACE = pa.table({"legal": [["fold", "call"], ["fold"], []], "count": [3, None, 2**62]})


@pytest.fixture(scope="module", params=[False, True], ids=["held", "spilling"])
def records(request: pytest.FixtureRequest) -> Iterator[SqlRecords]:
    """One process for all tests: what one query does must not reach the next. With and without a directory to spill."""
    with SqlRecords({"label": LABEL, "trace": TRACE}, spilling=request.param) as opened:
        yield opened


def one(records: SqlRecords, sql: str) -> object:
    """The only value of a query."""
    ((value,),) = records.query(sql).rows
    return value


def refused(records: SqlRecords, sql: str) -> str:
    """The message of a refusal, after seeing that the records still answer."""
    with pytest.raises(SqlError) as caught:
        records.query(sql)
    assert one(records, "SELECT count(*) FROM label") == 4
    return str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the processor time of another process")
def test_short_queries_count() -> None:
    """All queries together have a limit, which many short ones reach as well as a long one."""
    with SqlRecords({"label": LABEL}) as records:
        records.query("SELECT count(*) FROM label")
        began, spent = _used(queries._IDLE[-1][1].pid), records.spent
        for number in range(150):
            records.query(f"SELECT count(*) + {number} FROM label")
        assert records.spent - spent > (_used(queries._IDLE[-1][1].pid) - began) / 2 > 0


def _used(process: int) -> float:
    """Seconds of the processor, by themselves and in the kernel."""
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def test_rows_come_with_their_columns(records: SqlRecords) -> None:
    """Names, order and values as the query says."""
    result = records.query('SELECT item AS "Item", length(item) AS n FROM label ORDER BY item')
    expected = SqlResult(["Item", "n"], [("drei", 4), ("eins", 4), ("vier", 4), ("zwei", 4)], frozenset({"label"}))
    assert expected == result


def test_joins_groups_and_windows(records: SqlRecords) -> None:
    """The SQL that a benchmark's table needs."""
    sql = """
        WITH counted AS (SELECT label, count(*) AS n FROM label GROUP BY label)
        SELECT label, n, row_number() OVER (ORDER BY n DESC, label) FROM counted ORDER BY 3
    """
    assert records.query(sql).rows == [("über", 2, 1), ("unter", 1, 2), (None, 1, 3)]
    assert records.query("SELECT a.item FROM label a JOIN label b USING (item), trace").rows != []
    assert one(records, "SELECT count(*) FROM LABEL") == 4
    assert one(records, 'SELECT "label"."item" FROM "label" LIMIT 1;') == "eins"


def test_types_of_values(records: SqlRecords) -> None:
    """Every type that a cell can have, exactly."""
    sql = """
        SELECT 170141183460469231731687303715884105727::HUGEINT, 1.25::DECIMAL(9, 4), 0.1::DOUBLE, 0.1::FLOAT,
               true, 'ünïcödé 雪', NULL, -3::TINYINT
    """
    (row,) = records.query(sql).rows
    narrow = 0.10000000149011612
    assert (2**127 - 1, Decimal("1.2500"), 0.1, narrow, True, "ünïcödé 雪", None, -3) == row
    assert [int, Decimal, float, float, bool, str, type(None), int] == [type(value) for value in row]


def test_unicode_nulls_lists_and_maps(records: SqlRecords) -> None:
    """Records keep their structure: text beyond ASCII, absent values, lists and maps."""
    assert one(records, "SELECT count(*) FROM label WHERE label = 'über'") == 2
    assert one(records, "SELECT count(*) FROM label WHERE label IS NULL") == 1
    sql = "SELECT list_extract(map_values(predictions), 2) FROM label"
    assert records.query(sql).rows == [(0.75,), (None,), (None,), (None,)]
    assert records.query("SELECT legal[1] FROM trace").rows == [("fold",), ("fold",), (None,)]
    assert one(records, "SELECT count(*) FROM (SELECT unnest(legal) FROM trace)") == 3
    assert one(records, "SELECT count(*) FROM trace, unnest(trace.legal) AS u(action)") == 3
    assert one(records, 'SELECT sum("count") FROM trace') == 2**62 + 3


def test_dictionaries_that_differ_between_chunks() -> None:
    """Parquet row groups each have a dictionary of their own, inside maps too."""

    def chunk(*names: str) -> pa.Array:
        return pa.MapArray.from_arrays(list(range(len(names) + 1)), pa.array(names).dictionary_encode(), [1.0, 2.0])

    table = pa.table({"values": pa.chunked_array([chunk("x", "y"), chunk("z", "x")])})
    with SqlRecords({"values": table}) as records:
        sql = 'SELECT map_keys("values")[1] FROM "values"'
        assert records.query(sql).rows == [("x",), ("y",), ("z",), ("x",)]


def test_empty_records() -> None:
    """No rows are no rows, and an average of nothing is NULL."""
    with SqlRecords({"label": LABEL.slice(0, 0)}) as records:
        assert records.query("SELECT count(*), avg(length(item)) FROM label").rows == [(0, None)]


def test_numbers_are_exact(records: SqlRecords) -> None:
    """A double is the rational number that it stores; nothing is rounded on the way."""
    sql = "SELECT 2::HUGEINT ** 0, 340282366920938463463374607431768211455::UHUGEINT, 0.1, 0.1::DOUBLE, NULL"
    (row,) = numbers(records.query(sql))
    assert [1, 2**128 - 1, Fraction(1, 10), Fraction(0.1), None] == list(row)
    assert [(Fraction(3),), (None,), (Fraction(2**62),)] == numbers(records.query('SELECT "count" FROM trace'))


@pytest.mark.parametrize("value", ["'nan'::DOUBLE", "'inf'::DOUBLE", "-'inf'::DOUBLE", "'1.5'", "true"])
def test_what_is_no_number(value: str, records: SqlRecords) -> None:
    """Neither undefined values nor text count as numbers."""
    with pytest.raises(SqlError, match="column x"):
        numbers(records.query(f"SELECT {value} AS x"))


@pytest.mark.parametrize(
    "value", ["[1]", "{'a': 1}", "MAP {'a': 1}", "'x'::BLOB", "DATE '2020-01-01'", "INTERVAL 1 DAY"]
)
def test_what_is_no_cell(value: str, records: SqlRecords) -> None:
    """A cell is a number or a text."""
    assert "column x holds a" in refused(records, f"SELECT {value} AS x")


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("SELEC 1", (1, 1)),
        ("SELECT item FROM label WHERE", None),
        ("SELECT\n  nothing FROM label", (2, 3)),
        ("SELECT 'ü',\n 'ö', nothing FROM label", (2, 7)),
        ("SELECT nowhere(1)", (1, 8)),
        ("SELECT * FROM observation", (1, 15)),
        ("SELECT 'x'::INTEGER", (1, 11)),
    ],
)
def test_errors_have_a_place(sql: str, place: tuple[int, int] | None, records: SqlRecords) -> None:
    """Line and column in characters, from one."""
    with pytest.raises(SqlError) as caught:
        records.query(sql)
    if place is not None:
        assert place == caught.value.place
        assert str(caught.value).startswith(f"line {place[0]} column {place[1]}: ")
    assert "\n" not in str(caught.value)


STATEMENTS = [
    "",
    "-- SELECT 1",
    "COPY label TO '{file}'",
    "COPY (SELECT 1) TO '{file}' (FORMAT parquet)",
    "ATTACH '{file}'",
    "EXPORT DATABASE '{file}'",
    "IMPORT DATABASE '/etc'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET threads = 4",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "CREATE TABLE x AS SELECT 1",
    "CREATE MACRO f(x) AS x",
    "CREATE SECRET (TYPE http)",
    "INSERT INTO label VALUES ('x')",
    "UPDATE label SET item = 'x'",
    "DELETE FROM label",
    "DROP VIEW label",
    "USE system",
    "CHECKPOINT",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "DESCRIBE label",
    "SUMMARIZE label",
    "SHOW TABLES",
    "PREPARE p AS SELECT 1",
    "BEGIN TRANSACTION",
    "PIVOT label ON item",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY label TO '{file}'",
    "SELECT 1 /* ; */ ; /* SELECT */ SET threads = 4",
    "SELECT 1 -- comment\n; ATTACH '{file}'",
    "/* SELECT 1 */ COPY label TO '{file}'",
    "SELECT 1\0; SELECT 2",
    "SELECT '\ud800'",
    "SELECT ?",
    "SELECT $name",
    "WITH x AS (INSERT INTO label VALUES ('x') RETURNING *) SELECT * FROM x",
    "WITH x AS (DELETE FROM label RETURNING *) SELECT * FROM x",
    "WITH x AS (COPY label TO '{file}') SELECT * FROM x",
    "SELECT * FROM (DESCRIBE label)",
    "SELECT * FROM (SHOW TABLES)",
    "SELECT 1" + " " * 20_000,
    "SELECT " + "(" * 3000 + "1" + ")" * 3000,
    "SELECT " + "[" * 900 + "1" + "]" * 900,
]


@pytest.mark.parametrize("sql", STATEMENTS, ids=lambda sql: ascii(sql[:50]))
def test_only_one_select(sql: str, records: SqlRecords, tmp_path: Path) -> None:
    """Whatever changes, configures, loads, writes or says more than one thing is refused."""
    refused(records, sql.replace("{file}", str(tmp_path / "out")))
    assert list(tmp_path.iterdir()) == []


OUTSIDE = [
    "SELECT * FROM '{file}'",
    "SELECT * FROM '{file}*'",
    "FROM read_csv('{file}')",
    "SELECT * FROM read_csv_auto('{file}')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_json('{file}')",
    "SELECT * FROM read_parquet('{file}')",
    "SELECT * FROM parquet_metadata('{file}')",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT item FROM label WHERE item IN (SELECT file FROM glob('/*'))",
    "WITH x AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM x",
    "SELECT * FROM label, LATERAL (SELECT * FROM read_text(item))",
    "SELECT * FROM 'https://example.com/x.parquet'",
    "SELECT * FROM read_csv('s3://bucket/x.csv')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('label')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "SELECT json_serialize_plan('SELECT * FROM read_text(''/etc/passwd'')')",
    "SELECT * FROM python_map_function(1)",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    "SELECT * FROM pandas_scan(1)",
    "SELECT * FROM enable_logging('QueryLog')",
    "SELECT write_log('x')",
    "SELECT getenv('HOME')",
    "SELECT current_setting('memory_limit')",
    "SELECT getvariable('x')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_settings",
    "SELECT * FROM system.main.duckdb_settings",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_class",
    "SELECT * FROM main.label",
    "SELECT (WITH duckdb_settings AS (SELECT 1) SELECT 1), value FROM duckdb_settings",
    "SELECT * FROM mine",
    "SELECT * FROM records",
    "SELECT finalize('x'::BLOB)",
]


@pytest.mark.parametrize("sql", OUTSIDE, ids=lambda sql: sql[:60])
def test_nothing_outside_of_the_records(sql: str, records: SqlRecords, tmp_path: Path) -> None:
    """No file, address, setting, variable of the caller or table of DuckDB's own can be read."""
    mine = pa.table({"x": [1]})
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    refused(records, sql.replace("{file}", str(file)))
    assert mine.num_rows == 1


@pytest.mark.parametrize(
    "expression",
    [
        "random()",
        "system.main.random()",
        "uuid()",
        "now()",
        "today()",
        "current_date",
        "CURRENT_TIMESTAMP",
        "localtime",
        "current_database()",
        "nextval('s')",
        "setseed(0.5)",
        "pg_sleep(1)",
        "ago(INTERVAL 1 DAY)",
        "epoch(now())",
    ],
)
def test_the_same_records_give_the_same_number(expression: str, records: SqlRecords) -> None:
    """Clock and chance are refused by name, in DuckDB's own macros too."""
    message = refused(records, f"SELECT {expression} FROM label")
    assert "does not depend on records alone" in message


@pytest.mark.parametrize("clause", ["TABLESAMPLE 50%", "USING SAMPLE 1"])
def test_samples_are_refused(clause: str, records: SqlRecords) -> None:
    """A sample is chance."""
    assert "sample" in refused(records, f"SELECT item FROM label {clause}")


def test_the_guard_is_not_the_only_wall(records: SqlRecords, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With every statement let through, DuckDB itself still refuses: nothing rests on the syntax tree alone."""
    import duckdb

    from sealtrace.recipes import sql_process as module

    monkeypatch.setattr(module, "guard", lambda *_: set())
    monkeypatch.setattr(module, "_like", lambda _, sql: Alike(sql, {}, (), ""))
    out = tmp_path / "out"
    paths = {"label": records._path("label")}
    spill = records._directory.name if records._spills else ""
    for statement in (
        f"COPY label TO '{out}'",
        f"ATTACH '{out}'",
        f"EXPORT DATABASE '{out}'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM paths",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 4",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "PRAGMA threads = 4",
    ):
        with pytest.raises(duckdb.Error):
            module._run({"sql": statement, "kinds": ["label"], "paths": paths}, 2**28, spill)
    assert list(tmp_path.iterdir()) == []


def test_environment_is_empty() -> None:
    """The process that runs queries clears it before DuckDB is loaded."""
    program = """
import os
from sealtrace.recipes import sql_process as sql
sql._run = lambda *_: {"columns": sorted(os.environ), "rows": [], "reads": []}
sql.serve()
"""
    requests = '{"memory": 268435456, "seconds": 5, "spill": ""}\n{"sql": "", "kinds": [], "paths": {}}\n'
    done = subprocess.run([sys.executable, "-c", program], input=requests, capture_output=True, text=True, check=True)
    ready, answer = map(json.loads, done.stdout.splitlines())
    assert ready == {"ready": True}
    assert answer.pop("spent") >= 0
    assert answer == {"columns": [], "rows": [], "reads": []}


ENDLESS = [
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT count(*) FROM t",
    "SELECT sum(a.i * b.i) FROM range(100000000) a(i), range(100000000) b(i)",
    "SELECT levenshtein(repeat('a', 500000), repeat('b', 500000))",
]


@pytest.mark.parametrize("sql", ENDLESS if LONG else ENDLESS[::3], ids=lambda sql: sql[:40])
def test_time_limit(sql: str) -> None:
    """A query that does not end is ended, also inside of one function call, and the next one runs."""
    with SqlRecords({"label": LABEL}, seconds=1) as records:
        assert one(records, "SELECT count(*) FROM label") == 4
        assert "longer than 1 s" in refused(records, sql)
        assert one(records, "SELECT count(*) FROM label") == 4


BOMBS = [
    "SELECT length(repeat('x', 3000000000))",
    "SELECT len(range(1000000000))",
    "SELECT list(i) FROM range(1000000000) t(i)",
    "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(10000000)",
    "SELECT count(DISTINCT i) FROM range(1000000000) t(i)",
    "SELECT repeat('x', 1000000) FROM range(100000)",
]


@pytest.mark.skipif(sys.platform != "linux", reason="memory of a process is bounded on Linux")
@pytest.mark.parametrize("sql", BOMBS, ids=lambda sql: sql[:40])
def test_memory_limit(sql: str) -> None:
    """A query that wants the whole machine gets its share of it."""
    with SqlRecords({"label": LABEL}, memory=2**27) as records:
        assert one(records, "SELECT count(*) FROM label") == 4
        ((_, process),) = queries._IDLE
        status = Path(f"/proc/{process.pid}/status")
        with pytest.raises(SqlError):
            records.query(sql)
        if process.alive:
            peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
            assert int(peak.split()[1]) < 2**20  # in kB: a gigabyte, libraries and all
        assert one(records, "SELECT count(*) FROM label") == 4


def test_flood_of_rows(records: SqlRecords) -> None:
    """No table has so many rows; they are not gathered first and counted then."""
    assert f"more than {MOST_ROWS} rows" in refused(records, "SELECT * FROM range(1000000000000)")


def test_queries_do_not_see_each_other(records: SqlRecords) -> None:
    """Each has a connection of its own, and an unfinished result disturbs nobody."""
    refused(records, "SELECT * FROM range(1000000)")
    assert records.query("SELECT i FROM range(3) t(i)").rows == [(0,), (1,), (2,)]


def test_what_a_query_reads(records: SqlRecords) -> None:
    """A number that comes from no record can be told from one that does."""
    assert frozenset() == records.query("SELECT 0.95").reads
    assert frozenset({"label"}) == records.query("SELECT (SELECT count(*) FROM Label)").reads
    assert frozenset({"label", "trace"}) == records.query("SELECT 1 FROM label, trace LIMIT 1").reads


def test_a_full_disk_of_temporary_files_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other place is at fault, such as the standard output."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pa, "OSFile", refuse)
    with (
        SqlRecords({"label": LABEL}) as opened,
        pytest.raises(BundleError, match=f"^{re.escape(tempfile.gettempdir())}: No space left on device$"),
    ):
        opened.query("SELECT count(*) FROM label")


def test_closing_leaves_nothing_behind() -> None:
    """No file, and one process at most, which waits for the next query and ends with us; closing twice is fine."""
    records = SqlRecords({"label": LABEL})
    records.query("SELECT count(*) FROM label")
    ((_, process),) = queries._IDLE
    directory = records._directory
    assert directory.is_dir()
    records.close()
    records.close()
    assert not directory.exists()
    with SqlRecords({"label": LABEL}) as others:
        assert others.query("SELECT count(*) FROM label").rows == [(LABEL.num_rows,)]
    assert [idle for _, idle in queries._IDLE] == [process]
    queries._rest()
    assert not process.alive


def test_what_nobody_closes_is_removed_with_it() -> None:
    """Without a warning: a query that was ended by an error leaves no copy of the records."""
    records = SqlRecords({"label": LABEL})
    records.query("SELECT count(*) FROM label")
    directory = records._directory
    del records
    gc.collect()
    assert not directory.exists()
