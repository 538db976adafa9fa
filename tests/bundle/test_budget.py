"""A few kilobytes can claim anything; the claim is looked at before memory, time or reading is spent on it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bundle.test_archives import tar_bytes, zip_bytes
from cli.runner import sealtrace
from contract.specimens import json_lines, specimen
from sealtrace.bundle.budget import GIB, Budget, BudgetError, size
from sealtrace.bundle.content import table_digest
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.stores import read_rows
from sealtrace.evidence import Evidence
from support import FIXTURE, ROOT, copy_of_small_fixture, unseal


def test_memory_time_and_reading_end_a_run_before_they_are_spent() -> None:
    """Each limit says what it was, and which option raises it."""
    budget = Budget(memory=100, reading=100, seconds=60)
    budget.hold(60, "a")
    with pytest.raises(BudgetError, match=r"b needs about 50 bytes of memory, beside 60 bytes.*--max-memory"):
        budget.require_memory(50, "b")
    budget.require_memory(40, "b")
    budget.read(100, "a")
    with pytest.raises(BudgetError, match="--max-bytes"):
        budget.read(1, "b")
    with pytest.raises(BudgetError, match=r"0 seconds were up at c .--max-seconds"):
        Budget(seconds=0).on_time("c")


def test_threads_share_a_budget() -> None:
    """What one thread takes while another is about to is counted, too."""
    budget = Budget(memory=100)
    other = Thread(target=budget.hold, args=(30, "b"))

    sums = []

    class Slow(int):
        """A count whose second sum, when it is taken after it was found to fit, lasts until another thread took."""

        def __radd__(self, before: int) -> int:
            sums.append(before)
            if len(sums) == 2:
                other.start()
                other.join(0.2)
            return before + int(self)

    budget.hold(Slow(60), "a")
    other.join()
    assert budget.held == 90


def test_sizes_are_said_in_units_that_people_use() -> None:
    """Messages name limits; nobody counts digits."""
    assert [size(1000), size(2**20), size(6 * GIB)] == ["1000 bytes", "1 MiB", "6.0 GiB"]


def test_what_was_not_looked_at_is_named(tmp_path: Path) -> None:
    """A reader of the message knows what a larger budget would add: this file, those after it, every check."""
    root = copy_of_small_fixture(tmp_path)
    with pytest.raises(BudgetError) as caught:
        read_bundle(root, budget=Budget(reading=(root / "manifest.json").stat().st_size + 60_000))
    assert "no check was run" in caught.value.reason
    assert "trace/trace.calibration.jsonl" in caught.value.unseen
    assert "declare/protocol.json" not in caught.value.unseen
    assert "not looked at: " in str(caught.value)


def test_a_large_sparse_attachment_is_hashed_without_being_held(tmp_path: Path) -> None:
    """Attachments are read in pieces; the memory of a bundle is that of its records."""
    root = copy_of_small_fixture(tmp_path)
    unseal(root)
    attachment = root / "report" / "attachments" / "huge.bin"
    attachment.parent.mkdir(parents=True, exist_ok=True)
    with attachment.open("wb") as file:
        os.truncate(file.fileno(), 2**26)
    seal(root, empty={"all": "nothing"})
    bundle = read_bundle(root, budget=Budget(memory=2**25))
    path = "report/attachments/huge.bin"
    assert bundle.lengths[path] == 2**26
    assert not any(bundle.found.values())
    assert path in bundle.digests
    with pytest.raises(BudgetError, match=r"huge\.bin would bring what is read"):
        read_bundle(root, budget=Budget(reading=2**25))


@pytest.mark.parametrize("path", ["declare/label.test.jsonl", "declare/protocol.json", "manifest.json"])
def test_a_small_zip_of_much_is_refused_before_it_is_unpacked(path: str, tmp_path: Path) -> None:
    """The length that the directory of a .zip claims is what is asked for, whichever member it is."""
    bomb = tmp_path / "a.zip"
    with zipfile.ZipFile(io.BytesIO(zip_bytes())) as good, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in good.namelist():
            data = good.read(name)
            archive.writestr(name, data + b" " * 2**24 if name == path else data)
    assert bomb.stat().st_size < 2**20
    with pytest.raises(BudgetError, match=f"{path} needs about .* of memory"):
        read_bundle(bomb, budget=Budget(memory=2**24))


def test_a_small_tar_of_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """A tar.gz is held in memory, so every member counts, listed or not."""
    info = tarfile.TarInfo("bomb")
    info.size = 2**24
    path = tmp_path / "a.tar.gz"
    path.write_bytes(tar_bytes(extra=[(info, bytes(2**24))]))
    assert path.stat().st_size < 2**20
    with pytest.raises(BudgetError, match="the archive up to bomb"):
        read_bundle(path, budget=Budget(memory=2**24))


def test_a_small_parquet_file_of_many_rows_is_refused_before_it_is_decoded() -> None:
    """Sixty million equal rows take a few kilobytes; the footer says how many there are."""
    rows = 400_000
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["a"]))
    sink = io.BytesIO()
    pq.write_table(pa.table({"item": column, "label": column}), sink)
    assert len(sink.getvalue()) < 20_000
    assert read_rows(sink.getvalue(), "x.parquet", "label", "parquet").count == rows
    with pytest.raises(BudgetError, match=r"x\.parquet needs about"):
        read_rows(sink.getvalue(), "x.parquet", "label", "parquet", budget=Budget(memory=2**24))


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "RLE_DICTIONARY"])
def test_a_long_text_repeated_at_no_cost_is_counted_as_it_is_decoded(encoding: str) -> None:
    """A long text that stands in a thousand rows takes little more than once its length in the file."""
    text = "x" * 2**18
    settings = pa.array([[("k", text)]] * 1000, pa.map_(pa.string(), pa.string()))
    table = pa.table({"run": ["a"] * 1000, "settings": settings})
    options = (
        {"use_dictionary": True}
        if encoding == "RLE_DICTIONARY"
        else {"use_dictionary": False, "column_encoding": {"settings.key_value.value": encoding}}
    )
    sink = io.BytesIO()
    pq.write_table(table, sink, dictionary_pagesize_limit=2**20, **options)
    assert len(sink.getvalue()) < 2**20
    with pytest.raises(BudgetError, match=r"x\.parquet needs about"):
        read_rows(sink.getvalue(), "x.parquet", "run", "parquet", budget=Budget(memory=2**26))


def test_json_lines_are_estimated_by_what_they_become() -> None:
    """A line of two characters still has a place in every column."""
    data = b"{}\n" * 100_000
    with pytest.raises(BudgetError, match=r"x\.jsonl needs about"):
        read_rows(data, "x.jsonl", "trace", "jsonl", budget=Budget(memory=2**22))
    assert read_rows(data, "x.jsonl", "trace", "jsonl").misfits.total > 100_000


def test_json_lines_of_several_stretches_are_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are parsed some at a time; numbers, misfits and the digest do not show where one stretch ended."""
    rows = [specimen("score") | {"state": f"s{number}"} for number in range(50)]
    rows[30] = rows[30] | {"weak": "x"}
    whole = read_rows(json_lines(rows), "x.jsonl", "score", "jsonl")
    monkeypatch.setattr("sealtrace.bundle.stores._STRETCH", 500)
    parts = read_rows(json_lines(rows), "x.jsonl", "score", "jsonl")
    clean = read_rows(json_lines(rows[:30]), "x.jsonl", "score", "jsonl")
    assert clean.table.column(0).num_chunks == 10
    assert (whole.misfits, list(whole.rows), whole.count) == (parts.misfits, list(parts.rows), parts.count)
    assert parts.misfits.listed[0].row == 31
    assert parts.misfits.listed[0].key is not None
    assert parts.misfits.listed[0].key["state"] == "s30"
    assert table_digest(whole.table, "score") == table_digest(parts.table, "score")


def test_the_default_budget_reads_the_shipped_study() -> None:
    """Nobody needs an option for an ordinary bundle."""
    budget = Budget()
    assert len(read_bundle(FIXTURE, budget=budget).entries) > 20
    assert 0 < budget.held < GIB / 16


def test_options_raise_and_lower_the_limits(tmp_path: Path) -> None:
    """Exit code 2, what was not looked at, and which option helps; the limits of one run are not those of the next."""
    root = copy_of_small_fixture(tmp_path)
    for option, amount, reason in (
        ("--max-memory", "100K", "of memory"),
        ("--max-bytes", "0.1M", "would bring what is read"),
        ("--max-seconds", "0.000001", "seconds were up"),
    ):
        done = sealtrace("verify", root, option, amount)
        assert (done.code, done.output) == (2, "")
        assert f"{reason}" in done.errors
        assert f"({option})" in done.errors
        assert "not looked at: " in done.errors
    assert sealtrace("verify", root, "--max-memory", "2GiB", "--max-bytes", "1G", "--max-seconds", "600").code == 0
    assert sealtrace("verify", root).code == 0
    for nonsense in ("much", "-1", "0", "1X", ""):
        assert "not an amount of bytes" in sealtrace("verify", root, "--max-memory", nonsense).errors


def test_time_ends_work_that_does_not_look_at_the_clock(tmp_path: Path) -> None:
    """In a process of its own an alarm rings, and memory that no estimate foresaw is refused by the system."""
    endless = tmp_path / "endless.py"
    endless.write_text(
        "import sys\nfrom sealtrace.cli import records\nfrom sealtrace.cli.main import program\n"
        "def forever(*_):\n    while True: pass\n"
        "def hungry(*_):\n    return [bytes(2**26) for _ in range(1000)]\n"
        "records._print = hungry if sys.argv.pop() == 'hungry' else forever\nprogram()\n"
    )
    for sort, options, reason in (
        ("forever", ["--max-seconds", "1"], "1 seconds were up (--max-seconds)"),
        ("hungry", ["--max-memory", "100M"], "memory ran out (--max-memory"),
    ):
        done = subprocess.run(
            [sys.executable, str(endless), "show", str(FIXTURE), *options, sort],
            capture_output=True, text=True, check=False, timeout=60,
            env={**os.environ, "PYTHONPATH": str(ROOT / "verifier")},
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert reason in done.stderr


def test_sealing_has_the_same_limits(tmp_path: Path) -> None:
    """What could not be verified within them is not sealed either, and nothing is written."""
    root = copy_of_small_fixture(tmp_path)
    unseal(root)
    before = sorted(root.rglob("*"))
    refused = sealtrace("seal", root, "--max-bytes", "10K")
    assert (refused.code, "--max-bytes" in refused.errors) == (2, True)
    assert "--max-memory" in sealtrace("seal", root, "--max-memory", "1K").errors
    assert sorted(root.rglob("*")) == before


def test_a_product_of_two_lists_is_asked_for_before_it_is_made() -> None:
    """Twenty thousand models and as many items are a few megabytes of rows, and gigabytes side by side."""
    evidence = Evidence(read_bundle(FIXTURE))
    with pytest.raises(BudgetError, match=r"models x items .40000 x 40000. needs about 11.9 GiB.*--max-memory"):
        evidence.require_memory("models x items", 40_000, 40_000)
    evidence.require_memory("models x items", 400, 400)
