"""Files of results that are not plain tables: what each kind gives, and what a damaged one costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealtrace.binding.columns import frames_of
from sealtrace.binding.files import read_results
from sealtrace.binding.frames import Frame


def _frame(directory: Path, measure: str) -> Frame:
    """The one frame that measures something."""
    (found,) = [frame for frame in frames_of(read_results(directory).tables) if measure in frame.measures]
    return found


def _values(frame: Frame, measure: str) -> list[float | None]:
    column = frame.numbers[:, frame.measures.index(measure)]
    return [None if number != number else float(number) for number in column]


@pytest.mark.parametrize("text", ["OOM", "timeout", "failed", "—", "< 0.01"])
def test_a_text_among_numbers_costs_its_cell(tmp_path: Path, text: str) -> None:
    """The column stays a measure, and the text can still be named."""
    (tmp_path / "a.csv").write_text(f"model,score\nalpha,61.25\nbeta,{text}\ngamma,66.18\ndelta,70.5\n")
    frame = _frame(tmp_path, "score")
    assert _values(frame, "score") == [61.25, None, 66.18, 70.5]
    (selecting,) = [dimension for dimension in frame.dimensions if dimension.name == "score"]
    assert selecting.values == [text]


def test_a_row_for_the_mean_costs_no_field(tmp_path: Path) -> None:
    """Numbers that tell rows apart still do, beside the word for all of them."""
    rows = "".join(f"{fold},{score}\n" for fold, score in (("1", 0.25), ("2", 0.5), ("3", 0.75), ("mean", 0.5)))
    (tmp_path / "a.csv").write_text("fold,score\n" + rows)
    (fold,) = [dimension for dimension in _frame(tmp_path, "score").dimensions if dimension.name == "fold"]
    assert fold.values == ["1", "2", "3", "mean"]


@pytest.mark.parametrize("labels", ["1 2 3a 3b 4 5", "1 x 2 y 3 z 4 5 6", "7 words here"])
def test_names_with_some_numbers_stay_names(tmp_path: Path, labels: str) -> None:
    """A column of names is no measure because some of them are numbers."""
    rows = "".join(f"{label},{place}.5\n" for place, label in enumerate(labels.split()))
    (tmp_path / "a.csv").write_text("part,score\n" + rows)
    frame = _frame(tmp_path, "score")
    assert frame.measures == ["score"]
    assert [dimension.values for dimension in frame.dimensions if dimension.name == "part"] == [labels.split()]


def test_deviations_beside_a_failed_run_are_read(tmp_path: Path) -> None:
    """Numbers that were written for readers may stand beside a text, too."""
    (tmp_path / "a.csv").write_text("model,score\nalpha,61.2 ± 0.3\nbeta,OOM\ngamma,66.1 ± 0.4\n")
    frame = _frame(tmp_path, "score (2)")
    assert _values(frame, "score") == [61.2, None, 66.1]
    assert _values(frame, "score (2)") == [0.3, None, 0.4]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model;score\na;66,18\nb;1.071,5\n", [66.18, 1071.5]),
        ('model,score\na,"66,18"\nb,"71,5"\n', [66.18, 71.5]),
        ("model\tscore\na\t-6,18\nb\t7\n", [-6.18, 7]),
        ("model;score\na;1,071\nb;2,500\n", [1071, 2500]),
    ],
)
def test_decimal_commas_are_read(tmp_path: Path, text: str, expected: list[float]) -> None:
    """A comma is a point where it cannot be a mark between thousands."""
    (tmp_path / "a.csv").write_text(text)
    assert _values(_frame(tmp_path, "score"), "score") == expected
