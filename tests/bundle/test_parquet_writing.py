"""Records written and sealed a block at a time: the same file and digest as all at once."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sealtrace.bundle import blocks, stores
from sealtrace.bundle.archives import Opened
from sealtrace.bundle.content import in_order, table_digest
from sealtrace.bundle.parquet_writing import RowWriter, write_parquet
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.shard_columns import NotLaidOutError
from sealtrace.bundle.shards import LaidOut, sealed_through
from support import FIXTURE


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of more than forty rows counts as large here."""
    monkeypatch.setattr(blocks, "SMALL", 40)
    monkeypatch.setattr(blocks, "BLOCK", 25)


@pytest.fixture
def traces() -> pa.Table:
    """Some hundred traces in the order of their key, of policies without a gate."""
    data = (FIXTURE / "trace/trace.calibration.jsonl").read_bytes()
    table = stores.read_rows(data, "t.jsonl", "trace", "jsonl").table
    return in_order(table.filter(table.column("query").is_null()), "trace")


def laid_out(table: pa.Table) -> bytes:
    """The bytes of a laid-out file."""
    sink = io.BytesIO()
    write_parquet(table, "trace", sink, laid_out=True)
    return sink.getvalue()


def opened(data: bytes) -> LaidOut:
    """A file that is about to be read a row group at a time."""
    return LaidOut(Opened(len(data), io.BytesIO(data)), "trace")


@pytest.mark.parametrize("size", [1, 7, 30, 200])
def test_pieces_give_the_file_and_the_digest_of_the_whole(traces: pa.Table, size: int) -> None:
    """However the records are handed over, row groups are the blocks and the digest is that of the table."""
    sink = io.BytesIO()
    writer = RowWriter(sink, "trace")
    for start in range(0, traces.num_rows, size):
        writer.write(traces.slice(start, size))
    assert writer.close() == table_digest(traces, "trace")
    back = stores.read_rows(sink.getvalue(), "t.parquet", "trace", "parquet")
    assert (back.syntax.listed, back.misfits.listed) == ([], [])
    assert table_digest(back.table, "trace") == table_digest(traces, "trace")
    assert sealed_through(opened(sink.getvalue())) == (table_digest(traces, "trace"), {"calibration"})


def test_small_tables_have_their_usual_digest(traces: pa.Table) -> None:
    """Forty rows and fewer are digested as a whole, however they are written."""
    writer = RowWriter(io.BytesIO(), "trace")
    writer.write(traces.slice(0, 20))
    writer.write(traces.slice(20, 10))
    assert writer.close() == table_digest(traces.slice(0, 30), "trace", "sha256-columns-1")


def test_disorder_and_new_columns_are_refused(traces: pa.Table) -> None:
    """What was written cannot be taken back, so the writer says what it cannot take."""
    writer = RowWriter(io.BytesIO(), "trace")
    writer.write(traces.slice(50, 20))
    with pytest.raises(ValueError, match="not in the order of their key"):
        writer.write(traces.slice(0, 20))


@pytest.mark.parametrize("what", ["shuffled", "repeated", "other groups"])
def test_what_is_not_in_blocks_is_not_sealed_through(
    what: str, traces: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Order, keys and row groups are proved, not believed."""
    if what == "shuffled":
        monkeypatch.setattr("sealtrace.bundle.parquet_writing.in_order", lambda table, _: table)
        monkeypatch.setattr("sealtrace.bundle.parquet_writing.combined_codes", lambda *_: np.zeros(1))
        traces = traces.take([1, 0, *range(2, traces.num_rows)])
    if what == "repeated":
        traces = traces.take([0, *range(traces.num_rows)])
    if what == "other groups":
        monkeypatch.setattr(blocks, "BLOCK", 50)
    data = laid_out(traces)
    monkeypatch.setattr(blocks, "BLOCK", 25)
    with pytest.raises(NotLaidOutError):
        sealed_through(opened(data))


def test_sealing_reads_a_large_file_a_row_group_at_a_time(
    traces: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest's entry is the one that reading the whole file gives, and names the convention of blocks."""
    manifests = []
    for way in ("streamed", "whole"):
        root = tmp_path / way
        (root / "declare").mkdir(parents=True)
        shutil.copy(FIXTURE / "declare/protocol.json", root / "declare")
        (root / "trace").mkdir()
        (root / "trace/trace.calibration.parquet").write_bytes(laid_out(traces))
        if way == "whole":
            monkeypatch.setattr("sealtrace.bundle.sealing.sealed_through", _refuse)
        seal(root, empty=dict.fromkeys(("bank", "structure", "calibrate", "select", "replay", "report"), "none"))
        manifests.append((root / "manifest.json").read_text(encoding="utf-8").replace(way, ""))
    assert manifests[0] == manifests[1]
    assert '"sha256-columns-2"' in manifests[0]


def _refuse(_: LaidOut) -> None:
    raise NotLaidOutError


def test_a_row_group_without_rows_is_no_end(traces: pa.Table) -> None:
    """It has no pages, so that such a file is read whole."""
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, traces.schema) as writer:
        writer.write_table(traces.slice(0, 0))
        writer.write_table(traces)
    with pytest.raises(NotLaidOutError):
        opened(sink.getvalue())
