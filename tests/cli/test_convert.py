"""`sealtrace convert`: either format into the other, and the same content."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from sealtrace.bundle.writing import digests_of
from sealtrace.cli.main import cli
from support import FIXTURE, copy_of_fixture, read_rows, unseal

TRACES = "trace/trace.calibration.jsonl"


def convert(*arguments: str) -> tuple[int, str]:
    """Exit code and everything that was printed."""
    done = CliRunner().invoke(cli, ["convert", *arguments], standalone_mode=False)
    return (done.return_value if done.exception is None else 2), done.output + str(done.exception or "")


@pytest.mark.parametrize("path", sorted(FIXTURE.rglob("*.jsonl")), ids=lambda path: path.name)
def test_there_and_back_says_the_same(path: Path, tmp_path: Path) -> None:
    """Every file of the fixture: one content digest in JSON lines, in Parquet, and in JSON lines again."""
    there, back = tmp_path / path.with_suffix(".parquet").name, tmp_path / "back" / path.name
    assert convert(str(path), "-o", str(there))[0] == 0
    assert convert(str(there), "-o", str(back))[0] == 0
    assert digests_of(path).content == digests_of(there).content == digests_of(back).content
    key = ("state", "arm", "scale", "evaluator", "source", "population", "relation", "family", "partition", "group")
    order = lambda row: [str(row.get(name, "")) for name in key]  # noqa: E731
    assert sorted(read_rows(path), key=order) == sorted(read_rows(back), key=order)


def test_parquet_is_laid_out_for_reading(tmp_path: Path) -> None:
    """One number column per action, lists as text by reference, the order recorded, nothing absent written."""
    target = tmp_path / "trace.calibration.parquet"
    assert convert(str(FIXTURE / TRACES), "-o", str(target))[0] == 0
    metadata = pq.read_metadata(target)
    paths = [metadata.schema.column(index).path for index in range(len(metadata.schema))]
    actions = [path for path in paths if path.startswith("probabilities.")]
    assert actions == ["probabilities.call", "probabilities.fold", "probabilities.raise"]
    assert {"inputs", "legal", "ledger", "state", "arm", "scale"} <= set(paths)
    assert "group" not in paths
    assert [one.column_index for one in metadata.row_group(0).sorting_columns] == [0, 1, 2, 3]
    rows = pq.read_table(target, columns=["state", "arm"]).to_pylist()
    assert rows == sorted(rows, key=lambda row: (row["state"], row["arm"]))


def test_nothing_is_overwritten_and_bad_records_are_not_converted(tmp_path: Path) -> None:
    """A file that is there stays as it is; records that their schema refuses are named."""
    target = tmp_path / "trace.calibration.parquet"
    target.write_bytes(b"mine")
    assert "exists already" in convert(str(FIXTURE / TRACES), "-o", str(target))[1]
    assert target.read_bytes() == b"mine"
    bad = tmp_path / "trace.held-out.jsonl"
    bad.write_text('{"state": 1}\n')
    code, output = convert(str(bad))
    assert (code, "expected text" in output) == (2, True)
    assert "ends in .jsonl or .parquet" in convert(str(FIXTURE / TRACES), "-o", str(tmp_path / "x.txt"))[1]


def test_a_bundle_of_converted_files_verifies_with_the_same_contents(tmp_path: Path) -> None:
    """Scores go on naming the same trace table after both are Parquet."""
    bundle = copy_of_fixture(tmp_path)
    unseal(bundle)
    for path in sorted(bundle.rglob("*.jsonl")):
        assert convert(str(path))[0] == 0
        path.unlink()
    runner = CliRunner()
    assert (
        runner.invoke(cli, ["seal", str(bundle), "--empty", "structure=none"], standalone_mode=False).exception is None
    )
    done = runner.invoke(cli, ["verify", str(bundle), "--quiet"], standalone_mode=False)
    assert (done.return_value, "VERIFIED" in done.output.upper()) == (0, True), done.output
