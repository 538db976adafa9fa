"""The parts of the search: reading, names, labels, evaluation, scores."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.binding.columns import frames_of
from sealtrace.binding.compounds import aligned_fields
from sealtrace.binding.derived import derived_frames
from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.files import read_results
from sealtrace.binding.frames import Dimension, ResultFrame, melted
from sealtrace.binding.scoring import digits_bits, hits, is_slip
from sealtrace.binding.tally import Tally
from sealtrace.paper.numbers import numbers_of


def test_fields_of_file_names_are_found_in_any_order() -> None:
    """Names whose pieces do not line up still give a model, a task and a seed."""
    names = ["ash3b_base_qa", "qa_ash1b_base", "ash3b_tuned_seed1_qa", "ash3b_tuned_seed2_qa", "ash1b_tuned_seed1_qa"]
    fields = aligned_fields(names)
    assert any(set(column) == {"ash3b", "ash1b"} for column in fields.values())
    assert fields["seed"] == ["", "", "seed1", "seed2", "seed1"]


def test_nested_documents_become_rows(tmp_path: Path) -> None:
    """Keys on the way to a number are fields, and the place is a JSON pointer."""
    (tmp_path / "a.json").write_text(json.dumps({"runs": {"x": {"score": 1.5}, "y": {"score": 2.5}}, "list": [1, 2]}))
    frames = frames_of(read_results(tmp_path).tables)
    frame = next(one for one in frames if "score" in one.measures)
    assert frame.places == ["a.json#/runs/x", "a.json#/runs/y"]
    assert [one.values for one in frame.dimensions if one.name == "key2"] == [["x", "y"]]


def test_unreadable_files_are_said(tmp_path: Path) -> None:
    """A broken file is a problem with its name, and the others are read."""
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "good.csv").write_text("a,b\n1,2\n")
    listing = read_results(tmp_path)
    assert [problem.split(":")[0] for problem in listing.problems] == ["bad.json"]
    assert len(listing.tables) == 1


def test_what_is_too_much_is_not_read_and_said(tmp_path: Path) -> None:
    """Small files are read first; the rest is named."""
    (tmp_path / "a_large.csv").write_text("a,b\n" + "1,2\n" * 50)
    (tmp_path / "small.csv").write_text("a,b\n1,2\n")
    listing = read_results(tmp_path, values=1)
    assert [one.file for one in listing.tables] == ["small.csv"]
    assert [problem.split(":")[0] for problem in listing.problems] == ["a_large.csv"]


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.floats(-100, 100)), min_size=1, max_size=40)
)
def test_groups_are_evaluated_as_one_by_one(rows: list[tuple[str, str, float]]) -> None:
    """Statistics of all groups at once equal those of each by itself."""
    frame = ResultFrame(
        "f", ["f"], [Dimension.of("one", [row[0] for row in rows]), Dimension.of("two", [row[1] for row in rows])],
        ["v"], np.array([[row[2]] for row in rows]), ["p"] * len(rows),
    )  # fmt: skip
    labels = frame.dimensions[0].values
    chosen = np.array([[row[0] == label for row in rows] for label in labels])
    evaluated = evaluate(frame, chosen, [1], statistics=("mean", "median", "sd"))
    assert evaluated is not None
    for number, label in enumerate(labels):
        for place, (code,) in enumerate(evaluated.filters):
            values = [row[2] for row in rows if row[0] == label and row[1] == frame.dimensions[1].values[code]]
            mean = evaluated.of("mean")[number, place, 0]
            assert np.isnan(mean) if not values else mean == pytest.approx(statistics.fmean(values), abs=1e-9)
            if len(values) > 1:
                assert evaluated.of("median")[number, place, 0] == pytest.approx(statistics.median(values), abs=1e-9)
                assert evaluated.of("sd")[number, place, 0] == pytest.approx(statistics.stdev(values), abs=1e-6)


def test_melting_keeps_every_number() -> None:
    """Measures become values of a field, so that labels can name them."""
    frame = ResultFrame("f", ["f"], [], ["a", "b"], np.array([[1.0, 2.0], [3.0, np.nan]]), ["p", "q"])
    long = melted(frame)
    assert long is not None
    assert long.numbers[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert [long.dimensions[-1].values[code] for code in long.dimensions[-1].codes] == ["a", "b", "a"]


def test_a_value_prints_within_half_a_unit() -> None:
    """Ties are allowed in both directions, and a double's last bits do not matter."""
    low, high = np.array([0.4115]), np.array([0.4125])
    assert [bool(hits(np.array([value]), low, high)[0]) for value in (0.4115, 0.4125, 0.41249, 0.41251, 0.411)] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_a_repeated_number_says_less() -> None:
    """The second zero of a column of zeros is no evidence."""
    same = digits_bits(np.array([0.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0]))
    assert same[1:].tolist() == [0.0, 0.0]
    apart = digits_bits(np.array([0.123, 0.456, 0.789]), np.full(3, 0.001))
    assert apart.min() > 8


@pytest.mark.parametrize(
    ("printed", "expected", "near"),
    [("0.412", "0.402", True), ("0.412", "0.421", True), ("0.412", "0.398", False), ("9.5", "10.5", False)],
)
def test_slips_of_the_pen(printed: str, expected: str, near: bool) -> None:
    """One digit, or two neighbours exchanged."""
    assert is_slip(printed, expected) is near


def test_numbers_of_a_cell_come_in_order() -> None:
    """Compound cells have several numbers."""
    assert [slot.text for slot in numbers_of("0.650 ± 0.046")] == ["0.650", "0.046"]
    assert [float(slot.value) for slot in numbers_of("1/1 → 0/3")] == [1, 1, 0, 3]


def test_arrays_are_read_and_other_kinds_are_named(tmp_path: Path) -> None:
    """Named arrays are lists of results; objects in them are not opened, and other kinds are counted."""
    np.savez(tmp_path / "scores.npz", accuracy=np.array([0.5, 0.75]), best=np.float64(0.75))
    np.savez(tmp_path / "objects.npz", bad=np.array([{"a": 1}], dtype=object))
    (tmp_path / "broken.npz").write_bytes(b"PK")
    for name in ("a.root", "b.root", "readme.txt"):
        (tmp_path / name).write_text("x")
    listing = read_results(tmp_path)
    assert {table.file for table in listing.tables} == {"scores.npz"}
    values = {value for table in listing.tables for one in table.columns.values() for value in one}
    assert {0.5, 0.75} <= values
    told = [problem.partition(":")[0] for problem in listing.problems]
    assert told == ["broken.npz", "objects.npz", "a.root and 1 more .root files"]


def test_pooled_shares_weigh_rows_by_their_totals(tmp_path: Path) -> None:
    """The share of all counts, not the mean of the rows' shares; nothing but their mean is tried."""
    (tmp_path / "r.csv").write_text("model,site,errors,total\na,x,10,20\na,y,30,180\nb,x,5,50\nb,y,70,100\n")
    (frame,) = frames_of(read_results(tmp_path).tables)
    (pooled,) = [one for one in derived_frames(frame, Tally()) if one.name.endswith(", pooled")]
    chosen = np.array([[True, True, False, False], [False, False, True, True]])
    found = evaluate(pooled, chosen, [], statistics=["mean", "sd", "count"])
    assert found is not None
    assert found.statistics == ["mean"]
    assert found.of("mean")[:, 0, pooled.measures.index("errors / total")].tolist() == pytest.approx([0.2, 0.5])


def test_equal_totals_need_no_pooling(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("model,site,errors,total\na,x,10,20\na,y,12,20\nb,x,5,20\nb,y,7,20\n")
    (frame,) = frames_of(read_results(tmp_path).tables)
    assert not [one for one in derived_frames(frame, Tally()) if one.name.endswith(", pooled")]


@pytest.mark.parametrize(
    ("texts", "measures"),
    [
        (["F1=61.7 (n=300)", "F1=59.2 (n=301)"], {"out F1": [61.7, 59.2], "out n": [300, 301]}),
        (["acc: 0.5", "", "acc: 0.25"], {"out acc": [0.5, np.nan, 0.25]}),
        (["run 1", "run 2"], {}),
        (["F1=61.7", "EM=40.2"], {"out F1": [61.7, np.nan], "out EM": [np.nan, 40.2]}),
        (["at 12:30", "at 12:45"], {}),
    ],
)
def test_numbers_that_texts_name(tmp_path: Path, texts: list[str], measures: dict[str, list[float]]) -> None:
    """Each by its own name, whether or not others say it; other numbers in texts belong to names."""
    rows = [{"model": f"m{place}", "out": text} for place, text in enumerate(texts)]
    (tmp_path / "r.json").write_text(json.dumps(rows))
    (frame,) = frames_of(read_results(tmp_path).tables)
    found = dict(zip(frame.measures, frame.numbers.T, strict=True))
    assert set(found) == set(measures)
    for name, values in measures.items():
        np.testing.assert_allclose(found[name], values)
