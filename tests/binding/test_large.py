"""Files of rows that are too large to hold: what they are summed up to is what their rows give."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from large_release import MODELS, make
from sealtrace.binding import large as large_files
from sealtrace.binding.checking import concluded, examine_files
from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.files import read_results
from sealtrace.binding.frames import ResultFrame
from sealtrace.binding.large import condensed
from sealtrace.contract.result import Result
from sealtrace.paper.names.index import Names

SMALL = 1000
"""Bytes above which files are summed up in these tests."""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten models with two seeds each, 90 questions."""
    root = tmp_path_factory.mktemp("release")
    make(root, 2, 90)
    return root


def checked(paper: Path, results: Path, large: int = SMALL, seconds: float = 60) -> Result:
    findings, _ = examine_files(paper, results, seconds=seconds, large=large)
    return concluded(findings)


def words(result: Result) -> dict[str, str]:
    return {number.id: number.word for number in result.numbers}


def as_csv(source: Path, target: Path) -> None:
    records = [json.loads(line) for line in source.read_text().splitlines()]
    with target.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows(records)


def as_packed_csv(source: Path, target: Path) -> None:
    as_csv(source, target)
    plain = target.with_suffix(".csv")
    target.with_suffix(".csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()


def as_parquet(source: Path, target: Path) -> None:
    table = pa.Table.from_pylist([json.loads(line) for line in source.read_text().splitlines()])
    parquet.write_table(table, target.with_suffix(".parquet"), row_group_size=20)


def as_nested(source: Path, target: Path) -> None:
    records = [json.loads(line) for line in source.read_text().splitlines()]
    lines = [json.dumps({"run": {"model": one.pop("model"), "seed": one.pop("seed")}, **one}) for one in records]
    target.write_text("\n".join(lines))


@pytest.mark.parametrize("write", [None, as_csv, as_packed_csv, as_parquet, as_nested])
def test_large_files_are_all_read_and_give_their_means(
    release: Path, tmp_path: Path, write: Callable[[Path, Path], None] | None
) -> None:
    """Every number of the paper follows, whatever the format; the one that was changed differs with its value."""
    runs = release / "runs"
    if write is not None:
        for path in sorted(runs.rglob("*.jsonl")):
            target = tmp_path / path.relative_to(release)
            target.parent.mkdir(parents=True, exist_ok=True)
            write(path, target)
        runs = tmp_path / "runs"
    result = checked(release / "changed.md", runs)
    assert result.summary.inspected[0] == "20 data files"
    assert not result.not_looked_at
    (differing,) = [one for one in result.numbers if one.word != "follows"]
    assert (differing.row, differing.column) == ("kestrel", "Accuracy (%)")
    assert f"| kestrel | {differing.given} " in (release / "paper.md").read_text()


def test_nothing_differs_in_a_paper_that_is_right(release: Path) -> None:
    assert set(words(checked(release / "paper.md", release / "runs")).values()) == {"follows"}


def test_files_that_are_held_and_files_that_are_summed_up_give_the_same(release: Path) -> None:
    held = checked(release / "changed.md", release / "runs", large=10**9)
    summed = checked(release / "changed.md", release / "runs")
    assert words(held) == words(summed)


def test_a_group_with_a_broken_file_is_not_compared(release: Path, tmp_path: Path) -> None:
    """A mean over the files that could be read is another number: nothing is accused, and the group is named."""
    for path in (release / "runs").rglob("*.jsonl"):
        target = tmp_path / path.relative_to(release)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    broken = tmp_path / "runs" / "tern" / "seed-2.jsonl"
    broken.write_text(broken.read_text() + '{"model": "tern", "correct": tr\n')
    result = checked(release / "paper.md", tmp_path / "runs")
    assert set(words(result).values()) == {"open"}
    assert not result.findings
    (said,) = [one for one in result.not_looked_at if "19 more .jsonl files" in one.what]
    assert said.why.startswith("not read")


def test_what_small_files_give_needs_no_large_ones(release: Path, tmp_path: Path) -> None:
    scores = {"ada": 61.73, "bo": 64.21, "cy": 59.98, "di": 70.35}
    rows = "".join(f"| {model} | {score} |\n" for model, score in scores.items())
    paper = f"# Birds\n\nTable 1: Scores.\n\n| Model | F1 |\n|---|---|\n{rows}"
    (tmp_path / "paper.md").write_text(paper)
    results = tmp_path / "results"
    (results / "runs").mkdir(parents=True)
    (results / "summary.csv").write_text(
        "model,f1\n" + "".join(f"{model},{score}\n" for model, score in scores.items())
    )
    (results / "runs" / "all.jsonl").write_bytes((release / "runs" / "tern" / "seed-1.jsonl").read_bytes())
    result = checked(tmp_path / "paper.md", results)
    assert set(words(result).values()) == {"follows"}
    (said,) = result.not_looked_at
    assert said.what == "runs/all.jsonl"
    assert "smaller files give every number" in said.why


def test_no_time_for_large_files_is_said(release: Path) -> None:
    """What there was no time for is not compared, and named."""
    groups = read_results(release / "runs", large=SMALL).large
    with pytest.raises(TimeoutError):
        condensed(groups[0], frozenset(), Names([]), 0.0)


def only(root: Path, labels: frozenset[str] = frozenset()) -> ResultFrame:
    (group,) = read_results(root, large=0).large
    return condensed(group, labels, Names([]), float("inf"))[0]


def statistic(frame: ResultFrame, measure: str, name: str, **fixed: str) -> float:
    chosen = np.ones((1, frame.rows), bool)
    for field, value in fixed.items():
        dimension = next(one for one in frame.dimensions if one.name == field)
        chosen &= dimension.codes == dimension.values.index(value)
    found = evaluate(frame, chosen, [], statistics=[name])
    assert found is not None
    return float(found.of(name)[0, 0, frame.measures.index(measure)])


def lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def made(tmp_path: Path, rows: int = 3000) -> list[dict[str, Any]]:
    chance = np.random.default_rng(7)
    records = [
        {"arm": f"arm {row % 3}", "task": f"t{row % 7}", "value": float(chance.normal(1e6, 2)), "cost": int(row % 11)}
        for row in range(rows)
    ]
    lines(tmp_path / "rows.jsonl", records)
    return records


@pytest.mark.parametrize("block", [900, 8_000_000])
def test_statistics_of_cells_are_those_of_their_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    """Counts, means, spreads and extremes, however the file was cut; spreads also where the mean is large."""
    monkeypatch.setattr(large_files, "BLOCK", block)
    records = made(tmp_path, 3000 if block > 1000 else 200)
    frame = only(tmp_path)
    own = np.array([record["value"] for record in records if record["arm"] == "arm 1"])
    expected = {"count": len(own), "mean": own.mean(), "sum": own.sum(), "sd": own.std(ddof=1), "sd0": own.std(),
                "min": own.min(), "max": own.max(), "sem": own.std(ddof=1) / len(own) ** 0.5}  # fmt: skip
    found = {name: statistic(frame, "value", name, arm="arm 1") for name in expected}
    assert found == pytest.approx(expected, rel=1e-9)
    assert np.isnan(statistic(frame, "value", "median", arm="arm 1"))
    assert frame.records == len(records)


def test_a_field_too_many_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The field that no label names goes first, and what is left is summed up right."""
    monkeypatch.setattr(large_files, "MAX_CELLS", 12)
    records = made(tmp_path)
    frame = only(tmp_path, frozenset({"arm 0", "arm 2"}))
    assert [dimension.name for dimension in frame.dimensions] == ["arm"]
    own = [record["value"] for record in records if record["arm"] == "arm 2"]
    assert statistic(frame, "value", "mean", arm="arm 2") == pytest.approx(np.mean(own))


def test_a_text_among_numbers_costs_its_own_cell(tmp_path: Path) -> None:
    """Also where it comes after the sample from which the kinds of columns were read."""
    records = made(tmp_path)
    records[2500]["value"] = "OOM"
    lines(tmp_path / "rows.jsonl", records)
    frame = only(tmp_path)
    known = [record["value"] for record in records if record["value"] != "OOM"]
    assert statistic(frame, "value", "count") == len(known)
    assert statistic(frame, "value", "mean") == pytest.approx(np.mean(known))


def test_decimal_commas_of_large_files(tmp_path: Path) -> None:
    chance = np.random.default_rng(3)
    values = chance.uniform(0, 9, 500).round(4)
    text = "".join(f"a{row % 2};{str(value).replace('.', ',')}\n" for row, value in enumerate(values))
    (tmp_path / "rows.csv").write_text("arm;value\n" + text)
    assert statistic(only(tmp_path), "value", "mean") == pytest.approx(values.mean())


def test_every_model_of_the_release_is_a_value(release: Path) -> None:
    frame = only(release / "runs")
    (model,) = [dimension for dimension in frame.dimensions if dimension.name == "model"]
    assert sorted(model.values) == sorted(MODELS)
    assert frame.records == 20 * 90
