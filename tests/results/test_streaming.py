"""Datasets judged a row group at a time: the report is the one that reading everything at once gives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from results.small_results import answers, declarations, examples, write_study
from sealtrace import examination
from sealtrace.bundle import blocks
from sealtrace.bundle.documents import declared_rows
from sealtrace.bundle.frames import StreamedFrame
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.shapes import arrow_schema
from sealtrace.bundle.writing import rows_as
from sealtrace.recipes import sql
from support import LONG, Row

EMPTY = {"all": "Only results are reported."}
QUERIES = {
    "n": "SELECT count(*) FROM answers",
    "share of ours on q19": "SELECT avg((a.answer = e.gold)::INT) FROM answers a JOIN examples e USING (example) "
    "WHERE a.system = 'ours' AND a.example = 'q19'",
    "fixed": "SELECT 40 + 0 * count(*) FROM answers",
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of more than ten rows counts as large here."""
    monkeypatch.setattr(blocks, "SMALL", 10)
    monkeypatch.setattr(blocks, "BLOCK", 8)


def study(
    directory: Path,
    change: Callable[[dict[str, list[Row]]], None] = lambda _: None,
    declare: Callable[[dict[str, Any]], None] = lambda _: None,
    *,
    queries: bool = True,
) -> Path:
    """The small study with other rows or other declarations, in Parquet, with queries beside its metrics; sealed."""
    rows, declared = {"examples": examples(), "answers": answers()}, declarations()
    change(rows)
    declare(declared)
    write_study(directory, "parquet")
    for name, some in rows.items():
        (directory / f"declare/dataset.{name}.json").write_text(json.dumps(declared[name]))
        form = declared_rows(declared[name])
        data = rows_as(pa.Table.from_pylist(some, arrow_schema(form)), form, "parquet")
        (directory / f"report/rows.{name}.parquet").write_bytes(data)
    path = directory / "report/table.main.json"
    table = json.loads(path.read_bytes())
    if queries:
        table["columns"] += [{"label": label, "recipe": {"sql": query}} for label, query in QUERIES.items()]
        for row in table["rows"]:
            row["cells"] += ["60", "0.667", "40"]
    path.write_text(json.dumps(table))
    seal(directory, empty=EMPTY, lenient=True)
    return directory


def judged(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, *, streams: bool = True, jobs: int = 1
) -> tuple[dict[str, Any], set[str]]:
    """The full report without its times and notes of layout, and which datasets were streamed."""
    with monkeypatch.context() as patched:
        if not streams:
            patched.setattr(examination, "_streams", lambda _: [])
        found = examination.examine(bundle, jobs=jobs)
        report: dict[str, Any] = found.full_report.model_dump()
    for check in report["checks"]:
        check["seconds"] = 0
    unheld = {kind for kind, frame in found.evidence.frames.items() if isinstance(frame, StreamedFrame)}
    return report, unheld


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_sound_study_has_one_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    """Counts, cells, records behind them, attested ones: streamed or held, with any number of threads."""
    bundle = study(tmp_path / "study")
    streamed, unheld = judged(bundle, monkeypatch, jobs=jobs)
    held, none = judged(bundle, monkeypatch, streams=False)
    assert (unheld, none) == ({"answers", "examples"}, set())
    assert streamed["verdict"] == "verified"
    statuses = {(cell["row"], cell["column"]): cell["status"] for cell in streamed["numbers"]}
    assert (statuses["Ours", "n"], statuses["Ours", "share of ours on q19"]) == ("exact", "exact")
    assert (statuses["Ours", "fixed"], statuses["Ours", "p"]) == ("attested", "exact")
    assert streamed == held


def test_nothing_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks, metrics and queries of a sound study never ask for the whole table."""
    bundle = study(tmp_path / "study")
    whole = property(lambda _: pytest.fail("the rows were read whole"))
    monkeypatch.setattr(StreamedFrame, "table", whole)
    assert judged(bundle, monkeypatch)[0]["verdict"] == "verified"


def _delete(rows: dict[str, list[Row]]) -> None:
    rows["answers"][:] = [row for row in rows["answers"] if (row["system"], row["example"]) != ("ours", "q07")]


def _contradict(rows: dict[str, list[Row]]) -> None:
    rows["answers"][77]["gold"] = "owl" if rows["answers"][77]["gold"] != "owl" else "cat"


def _ghost(rows: dict[str, list[Row]]) -> None:
    for row in rows["answers"]:
        row["example"] = {"q03": "q03b"}.get(row["example"], row["example"])


def _unnamed(rows: dict[str, list[Row]]) -> None:
    rows["examples"].append({"example": "q55", "gold": "cat", "kind": "easy"})


def _twice(rows: dict[str, list[Row]]) -> None:
    rows["answers"].append(dict(rows["answers"][5]))


def _refused(rows: dict[str, list[Row]]) -> None:
    rows["answers"][9]["confidence"] = 1.5


def _other_system(rows: dict[str, list[Row]]) -> None:
    for row in rows["answers"]:
        row["system"] = "ours"
        row["seed"] += 3 if row["confidence"] > 0.55 else 0


def _absent(rows: dict[str, list[Row]]) -> None:
    del rows["answers"][17]["confidence"]


CHANGES = (_delete, _contradict, _ghost, _unnamed, _twice, _refused, _other_system, _absent)


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_wrong_is_found_in_its_place(
    change: Callable[[dict[str, list[Row]]], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every finding, place and lost cell is that of rows that are held."""
    bundle = study(tmp_path / "study", change, queries=LONG or change is _delete)
    streamed, _ = judged(bundle, monkeypatch)
    held, _ = judged(bundle, monkeypatch, streams=False)
    for report in (streamed, held):
        report["findings"] = [one for one in report["findings"] if "read whole" not in one["message"]]
        for check in report["checks"]:
            check["findings"] -= check["id"] == "schema.columns"
    assert {one["id"]: one["status"] for one in streamed["checks"]} == {
        one["id"]: one["status"] for one in held["checks"]
    }
    assert [(one["check"], one["message"], one["source"]) for one in streamed["findings"]] == [
        (one["check"], one["message"], one["source"]) for one in held["findings"]
    ]
    assert streamed["numbers"] == held["numbers"]
    assert (streamed["verdict"] == "verified") == (change is _absent)


def _by_kind(declared: dict[str, Any]) -> None:
    declared["answers"]["complete"] = [{"every": [["example"], ["system", "seed"]], "by": ["kind"]}]


def _by_system(declared: dict[str, Any]) -> None:
    declared["answers"]["complete"] = [{"every": [["kind"], ["seed"]], "by": ["system"], "times": 10}]


def _wrong_times(declared: dict[str, Any]) -> None:
    declared["answers"]["complete"] = [{"every": [["kind"], ["seed"]], "by": ["system"], "times": 9}]


def _several(declared: dict[str, Any]) -> None:
    declared["answers"]["complete"] = [{"every": [["gold"], ["kind"]], "several": True}]


def _other_counts(declared: dict[str, Any]) -> None:
    declared["answers"]["counts"] |= {"gold": 3, "answer": 4, "confidence": 30}
    declared["answers"]["printed"]["kind"] = {"easy": "E", "soft": "S"}


def _reference_by_number(declared: dict[str, Any]) -> None:
    declared["answers"]["references"] = [{"fields": ["seed"], "dataset": "examples"}]


@pytest.mark.parametrize(
    ("declare", "wrong"),
    [
        (_reference_by_number, {"dataset.references"}),
        (_by_kind, set()),
        (_by_system, set()),
        (_several, set()),
        (_wrong_times, {"dataset.complete"}),
        (_other_counts, {"dataset.counts"}),
    ],
)
def test_other_declarations(
    declare: Callable[[dict[str, Any]], None], wrong: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts, times, any number of times, and counts are decided from what row groups say of themselves."""
    bundle = study(tmp_path / "study", declare=declare, queries=LONG)
    streamed, unheld = judged(bundle, monkeypatch)
    held, _ = judged(bundle, monkeypatch, streams=False)
    assert unheld == {"answers", "examples"}
    assert wrong == {one["id"] for one in streamed["checks"] if one["status"] == "fail"} - {"table.cells"}
    assert streamed == held


def _other_bytes(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"2")


def _one_group(path: Path) -> None:
    pq.write_table(pq.read_table(path), path)


def _in_another_order(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.take(pa.array(np.random.default_rng(1).permutation(table.num_rows))), path, row_group_size=9)


@pytest.mark.parametrize("change", [_other_bytes, _one_group, _in_another_order])
def test_any_other_file_is_read_whole(
    change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damage, one row group for all, shuffled rows: the verdict is that of rows that are held."""
    bundle = study(tmp_path / "study", queries=LONG)
    change(bundle / "report/rows.answers.parquet")
    streamed, unheld = judged(bundle, monkeypatch)
    held, _ = judged(bundle, monkeypatch, streams=False)
    assert "answers" not in unheld
    assert streamed["verdict"] == held["verdict"]
    failed = [{one["id"] for one in report["checks"] if one["status"] == "fail"} for report in (streamed, held)]
    assert failed[0] == failed[1] != set()
    assert any("read whole" in one["message"] for one in streamed["findings"])


def test_copies_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lay on the disk for recipes goes with the examination."""
    bundle = study(tmp_path / "study")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    found = examination.examine(bundle)
    assert found.report.verdict == "verified"
    assert list((tmp_path / "temporary").glob("sealtrace-rows-*"))
    del found
    import gc

    gc.collect()
    assert {one.name for left in (tmp_path / "temporary").iterdir() for one in left.iterdir()} == {"lock"}
    sql._rest()  # The process for queries waits with a place of its own.
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.fixture(autouse=True)
def no_leftovers(tmp_path: Path) -> Iterator[None]:
    """Bundles of a test go at once: there are many."""
    yield
    shutil.rmtree(tmp_path / "study", ignore_errors=True)
