"""DuckDB reads the private copies of hashed Parquet files itself: these, as they were hashed, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sealtrace.bundle.placing import stamp_of
from sealtrace.recipes import sql_process
from sealtrace.recipes.sql_alike import Alike
from sealtrace.recipes.sql_syntax import SqlError

SCHEMA = pa.schema([("item", pa.string()), ("seed", pa.int64()), ("score", pa.float64())])
ROWS = pa.table({"item": ["a", "b", "b"], "seed": [1, 2, None], "score": [0.5, 0.25, 1.5]}, SCHEMA)


@pytest.fixture
def spill(tmp_path: Path) -> str:
    """Where a query may put what it cannot hold."""
    (tmp_path / "spill").mkdir()
    return str(tmp_path / "spill")


def copies(directory: Path, *tables: pa.Table) -> list[Any]:
    """The schema, and files with their stamps, as the parent process names them."""
    directory.mkdir()
    files = [directory / f"{place}.parquet" for place, _ in enumerate(tables)]
    for file, table in zip(files, tables, strict=True):
        pq.write_table(table, file)
    return [SCHEMA.serialize().to_pybytes().hex(), *([str(file), *stamp_of(file)] for file in files)]


def asked(sql: str, path: list[Any], spill: str, within: dict[str, Any] | None = None) -> list[tuple[object, ...]]:
    """What a query gives."""
    request = {"sql": sql, "kinds": ["rows"], "paths": {"rows": path}, "within": within}
    return [tuple(row) for row in sql_process._run(request, 2**28, spill)["rows"]]


def views(path: list[Any], spill: str) -> list[str]:
    """What the records are for DuckDB."""
    sql_process._forget_views()
    request = {"sql": "SELECT 1 FROM rows", "kinds": ["rows"], "paths": {"rows": path}}
    connection = sql_process._view_of(request, 2**28, spill).connection
    sql = "SELECT sql FROM duckdb_views() WHERE view_name = 'rows of every row'"
    return [str(text) for (text,) in connection.execute(sql).fetchall()]


def test_copies_are_read_by_duckdb_itself(tmp_path: Path, spill: str) -> None:
    """Several files are one table, in their order; rows may be restricted."""
    path = copies(tmp_path / "copies", ROWS, ROWS.slice(0, 1))
    assert "read_parquet" in views(path, spill)[0]
    assert asked("SELECT item, seed, score FROM rows", path, spill) == [
        ("a", 1, 0.5), ("b", 2, 0.25), ("b", None, 1.5), ("a", 1, 0.5),
    ]  # fmt: skip
    assert asked("SELECT sum(score) FROM rows", path, spill, {"rows": {"item": ["b"]}}) == [(1.75,)]
    assert asked("SELECT sum(score) FROM rows", path, spill) == [(2.75,)]


@pytest.mark.parametrize(
    "table",
    [
        ROWS.set_column(1, "seed", pa.array([1, 2, None], pa.int32())),
        ROWS.set_column(2, "score", pa.array([0.5, 0.25, 1.5], pa.float32())),
        ROWS.drop_columns(["seed"]).append_column("other", pa.array([1, 2, 3])),
    ],
    ids=["narrow integers", "narrow floats", "a field that is not there"],
)
def test_what_is_stored_otherwise_is_read_with_the_declared_types(table: pa.Table, tmp_path: Path, spill: str) -> None:
    """Arrow gives a query what the declaration says, where a file holds something else."""
    path = copies(tmp_path / "copies", table)
    assert "read_parquet" not in " ".join(views(path, spill))
    assert asked("SELECT typeof(seed), typeof(score), score FROM rows LIMIT 1", path, spill) == [
        ("BIGINT", "DOUBLE", 0.5)
    ]


def test_nothing_else_is_in_reach(tmp_path: Path, spill: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every statement let through, DuckDB refuses what is beside the copies, and other names for them."""
    path = copies(tmp_path / "copies", ROWS)
    (file, *_), beside = path[1], tmp_path / "copies" / "beside.parquet"
    pq.write_table(ROWS, beside)
    (tmp_path / "link.parquet").symlink_to(beside)
    assert asked("SELECT count(*) FROM rows", path, spill) == [(3,)]
    monkeypatch.setattr(sql_process, "guard", lambda *_: set())
    monkeypatch.setattr(sql_process, "_like", lambda _, sql: Alike(sql, {}, (), ""))
    for statement in (
        f"SELECT * FROM read_parquet('{beside}')",
        f"SELECT * FROM '{beside}'",
        f"SELECT * FROM read_parquet('{tmp_path}/copies/*.parquet')",
        f"SELECT * FROM read_parquet('{tmp_path}/link.parquet')",
        f"SELECT * FROM read_parquet('{file}/../beside.parquet')",
        "SELECT * FROM read_text('/etc/passwd')",
        f"SELECT * FROM glob('{tmp_path}/*')",
        f"COPY rows TO '{tmp_path}/out.csv'",
        f"ATTACH '{tmp_path}/out.db'",
        "SET allowed_paths = ['/etc/passwd']",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            asked(statement, path, spill)
    assert {one.name for one in tmp_path.iterdir()} == {"copies", "spill", "link.parquet"}
    assert list((tmp_path / "spill").iterdir()) == []


def test_a_copy_that_was_changed_is_refused(tmp_path: Path, spill: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a statement that the guard should have refused, or by whoever else: before the query, or while it runs."""
    path = copies(tmp_path / "copies", ROWS)
    file = path[1][0]
    monkeypatch.setattr(sql_process, "guard", lambda *_: set())
    monkeypatch.setattr(sql_process, "_like", lambda _, sql: Alike(sql, {}, (), ""))
    with pytest.raises(SqlError, match="have changed since they were hashed"):
        asked(f"COPY (SELECT 'c' AS item, 1 AS seed, 0.5 AS score) TO '{file}' (USE_TMP_FILE false)", path, spill)
    monkeypatch.undo()
    with pytest.raises(SqlError, match="have changed since they were hashed"):
        asked("SELECT count(*) FROM rows", path, spill)
    replaced = copies(tmp_path / "others", ROWS)
    other = tmp_path / "other.parquet"
    other.write_bytes(Path(replaced[1][0]).read_bytes())
    other.replace(replaced[1][0])
    with pytest.raises(SqlError, match="have changed since they were hashed"):
        asked("SELECT count(*) FROM rows", replaced, spill)
