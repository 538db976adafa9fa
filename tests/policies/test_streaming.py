"""Traces judged a shard at a time: the report is the one that reading everything at once gives."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import large_bundle
from large_bundle import make
from sealtrace import examination
from sealtrace.bundle import blocks, stores
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_rows, write_table
from sealtrace.studies.policies import shard_screening
from support import LONG, Row, unseal

STATES = 60
TRACES = ("trace/trace.calibration", "calibrate/score.calibration")
HELD_OUT = ("replay/trace.held-out", "report/score.held-out")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of more than 250 rows counts as large here, and eight states are a stretch."""
    monkeypatch.setattr(blocks, "SMALL", 250)
    monkeypatch.setattr(blocks, "BLOCK", 150)
    monkeypatch.setattr(shard_screening, "STRETCH", 8)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A certified study with 1,200 traces in several row groups."""
    directory = tmp_path_factory.mktemp("large") / "bundle"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(blocks, "SMALL", 250)
        patched.setattr(blocks, "BLOCK", 150)
        make(directory, STATES)
        yield directory


def judged(bundle: Path, monkeypatch: pytest.MonkeyPatch, *, streams: bool = True, jobs: int = 1) -> dict[str, Any]:
    """The full report without its times, and whether rows were streamed."""
    with monkeypatch.context() as patched:
        if not streams:
            patched.setattr(examination, "_streams", lambda _: [])
        found = examination.examine(bundle, jobs=jobs)
        report: dict[str, Any] = found.full_report.model_dump()
    for check in report["checks"]:
        check["seconds"] = 0
    return report | {"streamed": bool(found.bundle.streamed)}


def changed(sound: Path, target: Path, files: tuple[str, str], change: Callable[[list[Row], list[Row]], None]) -> Path:
    """A copy with other traces or scores, sealed as if nothing had happened."""
    shutil.copytree(sound, target)
    unseal(target)
    kinds = ("trace", "score")
    rows = []
    for kind, name in zip(kinds, files, strict=True):
        store = stores.read_rows((target / f"{name}.parquet").read_bytes(), name, kind, "parquet")
        rows.append([stores.without_nulls(row) for row in store.table.to_pylist(maps_as_pydicts="strict")])
    change(*rows)
    digest = write_rows(target / f"{files[0]}.parquet", "trace", rows[0])
    write_rows(target / f"{files[1]}.parquet", "score", [{**row, "trace_sha256": digest} for row in rows[1]])
    seal(target, empty={"structure": "No partition is learned."})
    return target


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Two reports say the same; findings may come in another order."""
    for name in one.keys() - {"findings", "streamed"}:
        assert one[name] == other[name]
    ordered = [sorted(report["findings"], key=str) for report in (one, other)]
    assert ordered[0] == ordered[1]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_a_sound_study_has_one_report(sound: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    """Counts, largest differences, their places, selections: streamed or not, with any number of threads."""
    streamed = judged(sound, monkeypatch, jobs=jobs)
    whole = judged(sound, monkeypatch, streams=False)
    assert (streamed["streamed"], whole["streamed"]) == (True, False)
    assert streamed["verdict"] == "verified"
    assert {**streamed, "streamed": False} == whole


def test_a_study_of_many_actions_has_one_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums over actions run in order however rows lie, so that largest differences agree to the last bit."""
    monkeypatch.setattr(large_bundle, "ACTIONS", ["fold", "call", "raise", *(f"raise {size}" for size in range(2, 9))])
    make(tmp_path / "bundle", STATES)
    streamed, whole = (judged(tmp_path / "bundle", monkeypatch, streams=streams) for streams in (True, False))
    assert (streamed["streamed"], whole["streamed"], streamed["verdict"]) == (True, False, "verified")
    assert {**streamed, "streamed": False} == whole


class Meanwhile:
    """Looks at all shards before the first is put together, and at each again afterwards, as a slow thread may."""

    def each(self, look: Callable[..., Any], _: object, shards: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        for some, done in [(some, look(*some)) for some in shards]:
            shared = look.__self__.met  # type: ignore[attr-defined]
            before = {sort: met.copy() for sort, met in shared.items()}
            yield done
            assert before.keys() == shared.keys()
            assert all((before[sort] == shared[sort]).all() for sort in before)
            assert look(*some).digests == done.digests


def test_when_shards_are_looked_at_does_not_matter(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All before the first is put together, and again afterwards: one report, and nothing changes under a reader."""
    alone = judged(sound, monkeypatch)
    monkeypatch.setattr(examination, "_workers", lambda *_: nullcontext(Meanwhile()))
    assert judged(sound, monkeypatch) == alone


def _wrong_probability(traces: list[Row], _: list[Row]) -> None:
    row = traces[388]["probabilities"]
    row["call"], row["fold"] = row["call"] + 1e-6, row["fold"] - 1e-6


def _not_normalized(traces: list[Row], _: list[Row]) -> None:
    traces[400]["probabilities"]["raise"] += 1e-6


def _negative(traces: list[Row], _: list[Row]) -> None:
    traces[320]["probabilities"] = {"fold": -0.5, "call": 1.0, "raise": 0.5}


def _illegal_list(traces: list[Row], _: list[Row]) -> None:
    traces[350]["legal"] = ["call", "raise"]


def _other_order(traces: list[Row], _: list[Row]) -> None:
    traces[351]["legal"] = ["raise", "call", "fold"]


def _other_action(traces: list[Row], _: list[Row]) -> None:
    traces[495]["action"] = "fold" if traces[495]["action"] != "fold" else "call"


def _dear(traces: list[Row], _: list[Row]) -> None:
    traces[500]["ledger"][0]["tokens"] = 7


def _peeked(traces: list[Row], _: list[Row]) -> None:
    traces[451]["inputs"] = ["legal", "pot", "teacher.distribution", "score"]


def _zero_not_anchor(traces: list[Row], _: list[Row]) -> None:
    row = next(row for row in traces[400:] if row.get("scale") == "0")
    row["probabilities"]["call"] = float.fromhex((row["probabilities"]["call"] * (1 + 2**-52)).hex())


def _weak(_: list[Row], scores: list[Row]) -> None:
    scores[444]["weak"] += 1e-3


def _strong(_: list[Row], scores: list[Row]) -> None:
    scores[550]["strong"] -= 1e-3


def _delta(_: list[Row], scores: list[Row]) -> None:
    scores[599]["delta"] += 1e-4


def _crossing(_: list[Row], scores: list[Row]) -> None:
    scores[0]["crossing"] = not scores[0]["crossing"]
    scores[450]["crossing"] = not scores[450]["crossing"]


def _on_the_threshold(_: list[Row], scores: list[Row]) -> None:
    scores[475]["delta"] = -0.05


def _many(traces: list[Row], scores: list[Row]) -> None:
    for place in range(330, 600, 7):
        scores[place]["weak"] += place
        traces[place]["probabilities"]["call"] += 1e-5


CHANGES = [
    _wrong_probability, _not_normalized, _negative, _illegal_list, _other_order, _other_action, _dear, _peeked,
    _zero_not_anchor, _weak, _strong, _delta, _crossing, _on_the_threshold, _many,
]  # fmt: skip


TOGETHER = [[change] for change in CHANGES] if LONG else [CHANGES[first::5] for first in range(5)]
"""Changes that are judged in one study: they are of other rows."""


@pytest.mark.parametrize(
    ("changes", "files"),
    [*((changes, TRACES) for changes in TOGETHER), ([_wrong_probability, _crossing], HELD_OUT)],
    ids=lambda one: one[0].partition("/")[0] if isinstance(one, tuple) else one[0].__name__.strip("_"),
)
def test_what_is_wrong_is_found_as_if_all_had_been_read_at_once(
    changes: list[Callable[[list[Row], list[Row]], None]],
    files: tuple[str, str],
    sound: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A few wrong values in a resealed study: the same statuses, counts, findings and largest differences."""

    def change(traces: list[Row], scores: list[Row]) -> None:
        for one in changes:
            one(traces, scores)

    bundle = changed(sound, tmp_path / "bundle", files, change)
    streamed, whole = judged(bundle, monkeypatch, jobs=2), judged(bundle, monkeypatch, streams=False)
    assert (streamed["streamed"], whole["verdict"]) == (True, "findings")
    same(streamed, whole)


def _wrong_teacher(rows: list[Row]) -> None:
    rows[20]["distribution"]["call"] += 1e-6


def _other_names(rows: list[Row]) -> None:
    del rows[3]["values"]["raise"]
    del rows[21]["values"]["fold"]


def _no_value(rows: list[Row]) -> None:
    rows[7].pop("value", None)


def _without_one(rows: list[Row]) -> None:
    del rows[11]


def _not_in_order(rows: list[Row]) -> None:
    rows.append(rows.pop(0))


@pytest.mark.parametrize(
    ("path", "change", "streams"),
    [
        ("bank/teacher.held-out", _wrong_teacher, True),
        ("bank/teacher.calibration", _other_names, True),
        ("bank/teacher.calibration", _no_value, True),
        ("bank/teacher.calibration", _without_one, True),
        ("report/values.held-out", _without_one, True),
        ("calibrate/values.calibration", _other_names, True),
        ("bank/teacher.calibration", _not_in_order, False),
    ],
    ids=lambda one: one.__name__.strip("_") if callable(one) else str(one).replace("/", "."),
)
def test_records_of_states_are_judged_as_if_all_had_been_looked_at_together(
    path: str,
    change: Callable[[list[Row]], None],
    streams: bool,
    sound: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wrong, absent or disordered records of states: one report, whether stretches of them are looked at or all."""
    bundle = tmp_path / "bundle"
    shutil.copytree(sound, bundle)
    unseal(bundle)
    kind, file = path.partition("/")[2].partition(".")[0], bundle / f"{path}.parquet"
    table = stores.read_rows(file.read_bytes(), path, kind, "parquet").table
    rows = [stores.without_nulls(row) for row in table.to_pylist(maps_as_pydicts="strict")]
    change(rows)
    file.unlink()
    write_rows(file.with_suffix(".jsonl"), kind, rows)
    seal(bundle, empty={"structure": "No partition is learned."})
    streamed, whole = judged(bundle, monkeypatch, jobs=2), judged(bundle, monkeypatch, streams=False)
    assert streamed["streamed"] is streams
    if streams:
        same(streamed, whole)
    else:
        assert (streamed["verdict"], whole["verdict"]) == ("verified", "verified")


@pytest.mark.parametrize("what", ["shuffled", "nested", "repeated", "missing"])
def test_any_other_layout_is_read_whole_with_a_note(
    what: str, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows in another order, plain maps and lists, a key twice or not at all: the verdict is that of the records."""
    bundle = tmp_path / "bundle"
    shutil.copytree(sound, bundle)
    unseal(bundle)
    path = bundle / f"{TRACES[0]}.parquet"
    table = stores.read_rows(path.read_bytes(), path.name, "trace", "parquet").table
    if what == "shuffled":
        table = table.take([*range(1, table.num_rows), 0])
    if what == "repeated":
        table = table.take([0, *range(table.num_rows)])
    if what == "missing":
        table = table.slice(1)
    if what in ("shuffled", "nested"):
        pq.write_table(table, path)
    else:
        digest = write_table(path, "trace", table)
        scores = stores.read_rows((bundle / f"{TRACES[1]}.parquet").read_bytes(), "s", "score", "parquet").table
        rows = [{**stores.without_nulls(row), "trace_sha256": digest} for row in scores.to_pylist()]
        write_rows(bundle / f"{TRACES[1]}.parquet", "score", rows)
    seal(bundle, empty={"structure": "No partition is learned."})
    report = judged(bundle, monkeypatch)
    assert report["streamed"] is False
    assert report["verdict"] == ("verified" if what in ("shuffled", "nested") else "findings")
    notes = [one["message"] for one in report["findings"] if one["severity"] == "note"]
    assert any("sealtrace convert" in note for note in notes)


def test_columns_that_are_not_screened_are_left_to_the_checks(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Utilities by the evaluators' own names: the screen does not know them, so nothing is streamed."""

    def named(_: list[Row], scores: list[Row]) -> None:
        for row in scores:
            row["expected"] = {"weak": row.pop("weak"), "strong": row.pop("strong")}

    bundle = changed(sound, tmp_path / "bundle", TRACES, named)
    report = judged(bundle, monkeypatch)
    assert report["streamed"] is False
    assert {check["id"]: check["status"] for check in report["checks"]}["score.utility"] == "pass"


def test_changed_bytes_are_a_finding(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte of a double is flipped without sealing anew: identity and content fail, as in smaller files."""
    bundle = tmp_path / "bundle"
    shutil.copytree(sound, bundle)
    path = bundle / f"{TRACES[0]}.parquet"
    data = bytearray(path.read_bytes())
    group = pq.read_metadata(path).row_group(1)
    columns = {group.column(place).path_in_schema: group.column(place) for place in range(group.num_columns)}
    column = columns["probabilities.call"]
    data[column.data_page_offset + column.total_compressed_size - 3] ^= 1
    path.write_bytes(bytes(data))
    report = judged(bundle, monkeypatch)
    failed = {check["id"] for check in report["checks"] if check["status"] == "fail"}
    assert {"identity.bytes", "identity.content"} <= failed
    assert report["verdict"] == "findings"


def test_traces_without_any_readable_state_are_read_whole(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be screened where observations and all that belongs to states are damaged."""
    bundle = tmp_path / "bundle"
    shutil.copytree(sound, bundle)
    unseal(bundle)
    for kind in ("observation", "teacher", "values", "residual"):
        for path in bundle.rglob(f"{kind}.*"):
            path.write_bytes(b"PAR1 nothing")
    seal(bundle, empty={"structure": "No partition is learned."}, lenient=True)
    report = judged(bundle, monkeypatch)
    assert (report["streamed"], report["verdict"]) == (False, "findings")
    assert any("not every state has every candidate once" in finding["message"] for finding in report["findings"])


def test_streamed_rows_can_be_asked_for_and_must_be_those_that_were_judged(sound: Path, tmp_path: Path) -> None:
    """What needs whole columns, such as an SQL recipe, has them read again; other bytes are refused."""
    bundle = tmp_path / "bundle"
    shutil.copytree(sound, bundle)
    first, second = examination.examine(bundle), examination.examine(bundle)
    frame = first.evidence.frame("trace")
    assert first.bundle.streamed
    assert (frame.size, frame.table.num_rows, frame.place(0)[1]) == (20 * STATES, 20 * STATES, 1)
    path = bundle / f"{TRACES[0]}.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"2")
    with pytest.raises(BundleError, match="changed while it was being verified"):
        second.evidence.frame("trace").column("action")


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_is_streamed_like_a_directory(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compression: int
) -> None:
    """Its rows are not held either, and the report is the same."""
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w", compression) as archive:
        for path in sorted(path for path in sound.rglob("*") if path.is_file()):
            archive.write(path, path.relative_to(sound))
    packed = judged(tmp_path / "bundle.zip", monkeypatch)
    assert packed["streamed"]
    assert packed == judged(sound, monkeypatch)
