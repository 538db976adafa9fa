"""The shipped bundles come from the shipped recipes.

The fixture is rebuilt whole. Of the stratified study's 30,208 states one in 250 is traced and scored anew, and
everything that needs no trace is rebuilt whole; the long form rebuilds all of it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

import rsd_fixture.__main__
import rsd_fixture.platform
import rsd_operating.__main__
import rsd_stratified.__main__
import rsd_stratified.platform
from rsd_stratified.build import Build
from support import FIXTURE, LONG, OPERATING, ROOT, STRATIFIED, copy_of_fixture, edit_document, edit_rows, read_rows

TOLERANCE = 1e-12
ENVIRONMENT = "declare/attachments/environment.json"
ONE_IN = 100 if LONG else 250
"""Of how many states of the stratified study one is rebuilt."""
DERIVED = {"manifest.json", "SHA256SUMS", "declare/source.jsonl", ENVIRONMENT}
"""Files that hold hashes of others, or name the platform."""


def files_of(bundle: Path) -> dict[str, Path]:
    return {path.relative_to(bundle).as_posix(): path for path in bundle.rglob("*") if path.is_file()}


def different_bytes(one: Path, other: Path) -> set[str]:
    """Paths that are not the same file in both."""
    left, right = files_of(one), files_of(other)
    return {
        path
        for path in left.keys() | right.keys()
        if path not in left or path not in right or left[path].read_bytes() != right[path].read_bytes()
    }


def different_records(one: Path, other: Path) -> set[str]:
    """Paths whose records differ by more than the tolerance. Hashes of files are not compared."""
    left, right = files_of(one), files_of(other)
    different = left.keys() ^ right.keys()
    for path in left.keys() & right.keys() - DERIVED:
        if path.startswith("seals/") or left[path].read_bytes() == right[path].read_bytes():
            continue
        if path.endswith(".parquet"):
            same = close(*(parquet.read_table(file).to_pylist() for file in (left[path], right[path])))
        elif path.endswith(".jsonl"):
            same = close(read_rows(left[path]), read_rows(right[path]))
        elif path.endswith(".json"):
            same = close(json.loads(left[path].read_bytes()), json.loads(right[path].read_bytes()))
        else:
            same = False
        if not same:
            different.add(path)
    return different


def close(one: Any, other: Any) -> bool:
    """The same JSON, numbers within the tolerance; absent is null. A trace table's digest follows from its bits."""
    if isinstance(one, dict) and isinstance(other, dict):
        one, other = ({name: value for name, value in side.items() if value is not None} for side in (one, other))
        return one.keys() == other.keys() and all(
            name == "trace_sha256" or close(one[name], other[name]) for name in one
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= TOLERANCE
    return type(one) is type(other) and bool(one == other)


@pytest.mark.parametrize(
    ("shipped", "recipe", "platform"),
    [
        (FIXTURE, rsd_fixture.__main__.rebuild, rsd_fixture.platform.platform_bytes),
        *([(STRATIFIED, rsd_stratified.__main__.rebuild, rsd_stratified.platform.platform_bytes)] if LONG else []),
        *([(OPERATING, rsd_operating.__main__.rebuild, rsd_stratified.platform.platform_bytes)] if LONG else []),
    ],
    ids=["fixture", "stratified", "operating"] if LONG else ["fixture"],
)
def test_rebuild(shipped: Path, recipe: Callable[[Path], None], platform: Callable[[], bytes], tmp_path: Path) -> None:
    """The recipe gives the sealed bytes where exp and log are those of the sealing machine, else its records."""
    rebuilt = tmp_path / "bundle"
    recipe(rebuilt)
    assert different_records(shipped, rebuilt) == set()
    if (shipped / ENVIRONMENT).read_bytes() == platform():
        # Arrow's own version stands in every Parquet file, and their hashes in the manifest.
        wrote_other_bytes = any(path.endswith(".parquet") for path in different_bytes(shipped, rebuilt))
        assert wrote_other_bytes or different_bytes(shipped, rebuilt) == set()


def some_of_stratified(directory: Path) -> dict[str, set[str]]:
    """Runs the recipe's stages on few states, with the sealed partitions; split to the states that it ran on."""
    source = Path(rsd_stratified.__main__.__file__).parent
    code = {
        f"rsd_stratified/{path.relative_to(source).as_posix()}.txt": path.read_bytes()
        for path in sorted([*source.glob("*.py"), *source.glob("**/*.json")])
    }
    measurements = json.loads(rsd_stratified.__main__.MEASUREMENTS.read_text(encoding="utf-8"))
    build = Build(directory, measurements, code | {"environment.json": (STRATIFIED / ENVIRONMENT).read_bytes()})
    build._declare()
    build._states = {split: states[::ONE_IN] for split, states in build._states.items()}
    build._bank()
    build._partitions = [
        json.loads(path.read_bytes()) for path in sorted((STRATIFIED / "structure").glob("partition.*.json"))
    ]
    build._write_scores("structure", "structure")
    build._trace()
    build._write_scores("calibrate", "calibration")
    build._replay()
    for split in build._held_out():
        build._write_scores("report", split)
    return {split: {state.id for state in states} for split, states in build._states.items()}


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, however they are stored."""
    return parquet.read_table(path).to_pylist() if path.suffix == ".parquet" else read_rows(path)


def rows_about(path: Path, states: set[str]) -> list[dict[str, Any]]:
    """The rows of a file that are about some states; all rows where they are about none."""
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        rows: list[dict[str, Any]] = table.filter(pc.is_in(table["state"], pa.array(states, pa.string()))).to_pylist()
        return rows
    return [row for row in read_rows(path) if row.get("state", "") in states or "state" not in row]


def test_some_of_the_stratified_study(tmp_path: Path) -> None:
    """Sealed sources are today's; sampled states give their sealed observations, traces, values and scores."""
    states = some_of_stratified(tmp_path)
    assert set(states) == {path.name.split(".")[1] for path in STRATIFIED.glob("declare/observation.*")}
    assert sum(map(len, states.values())) >= 30_000 // ONE_IN
    rebuilt = files_of(tmp_path)
    kinds = {path.split("/")[1].split(".")[0] for path in rebuilt}
    assert kinds > {"observation", "teacher", "trace", "values", "score", "residual", "checkpoint", "attachments"}
    for name, file in rebuilt.items():
        sealed = STRATIFIED / name
        if file.suffix in (".parquet", ".jsonl"):
            some = set().union(*(ids for split, ids in states.items() if f".{split}." in name))
            assert rows_about(sealed, some), name
            assert close(rows_about(sealed, some), rows_about(file, some)), name
        else:
            assert sealed.read_bytes() == file.read_bytes(), name


def _move_probability(rows: list[dict[str, Any]], amount: float) -> None:
    rows[0]["probabilities"]["fold"] += amount


@pytest.mark.parametrize(("amount", "differs"), [(5e-13, False), (2e-12, True)])
def test_tolerance(amount: float, differs: bool, tmp_path: Path) -> None:
    """The comparison that other platforms get: 5e-13 passes, 2e-12 does not, bytes differ either way."""
    path = "trace/trace.calibration.jsonl"
    copy = copy_of_fixture(tmp_path)
    edit_rows(copy / path, lambda rows: _move_probability(rows, amount))
    assert path in different_bytes(FIXTURE, copy)
    assert different_records(FIXTURE, copy) == ({path} if differs else set())


def test_comparison_sees_more_than_numbers(tmp_path: Path) -> None:
    """A flag, a text, a file too many or too few are differences on every platform."""
    copy = copy_of_fixture(tmp_path)
    edit_rows(copy / "report/score.held-out.jsonl", lambda rows: rows[3].update(crossing=not rows[3]["crossing"]))
    edit_document(copy / "select/selection.json", lambda record: record.update(choice="0.04"))
    shutil.copy(copy / "SHA256SUMS", copy / "extra")
    (copy / "bank/candidate.jsonl").unlink()
    assert different_records(FIXTURE, copy) == {
        "report/score.held-out.jsonl",
        "select/selection.json",
        "extra",
        "bank/candidate.jsonl",
    }


def test_no_shipped_table_prints_a_negative_zero() -> None:
    """A number that rounds to zero has no sign."""
    cells = {
        (path.parents[2].name, cell)
        for path in (ROOT / "bundles").glob("*/bundle/report/table.*.json")
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]
        for cell in row["cells"]
        if re.search(r"(?<![\d.])[-\u2212]0(\.0+)?(?![\d.])", cell)
    }
    assert cells == set()
