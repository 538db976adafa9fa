"""Proposed readings of labels: the numbers beside a label decide, whoever proposed it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cli.runner import sealtrace
from sealtrace import check

TREES = ("alder", "birch", "cedar", "dogwood", "elm")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Twelve runs over five trees, and a paper that calls two of them by names that no file has."""
    chance = random.Random(4)
    runs = {f"run{number:02d}": [round(chance.uniform(40, 95), 4) for _ in TREES] for number in range(12)}
    (tmp_path / "results").mkdir()
    rows = [f"{run},{tree},{value}" for run, values in runs.items() for tree, value in zip(TREES, values, strict=True)]
    (tmp_path / "results" / "scores.csv").write_text("model,tree,accuracy\n" + "\n".join(rows) + "\n")

    def line(name: str, run: str) -> str:
        return f"| {name} | " + " | ".join(f"{value:.1f}" for value in runs[run]) + " |\n"

    head = f"| Model | {' | '.join(TREES)} |\n|{'---|' * 6}\n"
    (tmp_path / "paper.md").write_text(
        f"# Trees\n\nWe compare.\n\n{head}{line('Ours', 'run07')}{line('Base', 'run03')}"
    )
    return tmp_path


def _grades(study: Path, propose: dict[str, str]) -> dict[str, str]:
    found = check(study / "paper.md", study / "results", propose=propose)
    return {claim.quote: claim.grade for claim in found.claims if claim.family == "proposed name"}


def test_a_reading_that_the_numbers_bear_out_is_used_and_another_is_doubted(study: Path) -> None:
    """All five numbers of the one are those of its run, and none of the other."""
    assert _grades(study, {"Ours": "run07", "Base": "run05"}) == {"Ours": "holds", "Base": "suspicion"}


def test_what_is_not_there_is_refused(study: Path) -> None:
    """A label that no table has, and a value that no field has."""
    assert _grades(study, {"Theirs": "run07", "Ours": "run77"}) == {"Theirs": "refused", "Ours": "refused"}


def test_one_number_alone_decides_nothing(study: Path) -> None:
    """Of twelve runs some hold it by accident: the odds are shown, and nothing is believed."""
    text = (study / "paper.md").read_text().splitlines()
    text[-2] = "| Ours | " + text[-2].split(" | ")[1] + " |" + " |" * 4
    (study / "paper.md").write_text("\n".join(text[:-1]) + "\n")
    assert _grades(study, {"Ours": "run07"}) == {"Ours": "undecided"}


def test_no_run_but_the_right_one_is_believed(study: Path) -> None:
    """Each of the twelve is proposed in turn."""
    grades = {f"run{number:02d}": _grades(study, {"Ours": f"run{number:02d}"})["Ours"] for number in range(12)}
    assert {run for run, grade in grades.items() if grade == "holds"} == {"run07"}


def test_a_column_may_be_said_to_be_a_field(tmp_path: Path) -> None:
    """All numbers below the header are those of the one field, and none of the other."""
    (tmp_path / "results").mkdir()
    rows = [("Oak", 71.25, 4.7), ("Elm", 75.94, 9.1), ("Ash", 70.46, 1.1), ("Yew", 69.18, 0.4)]
    lines = [f"{tree},{shade},{girth}" for tree, shade, girth in rows]
    (tmp_path / "results" / "r.csv").write_text("\n".join(["tree,shade,girth", *lines]) + "\n")
    cells = "".join(f"| {tree} | {shade:.1f} |\n" for tree, shade, _girth in rows)
    (tmp_path / "paper.md").write_text(f"# Trees\n\nThey grow.\n\n| Tree | Cover |\n|---|---|\n{cells}")
    grades = {means: _grades(tmp_path, {"Cover": means})["Cover"] for means in ("shade", "girth", "height")}
    assert grades == {"shade": "holds", "girth": "suspicion", "height": "refused"}


def test_the_command_says_the_odds(study: Path) -> None:
    """On standard error, with whether the reading is used; a malformed pair is a mistake of usage."""
    run = sealtrace("check", study / "paper.md", study / "results", "--propose", "Ours=run07", "--format", "json")
    assert "5 of 5 numbers beside it are those of rows with model = run07" in run.errors
    assert "it is used" in run.errors
    wrong = sealtrace("check", study / "paper.md", study / "results", "--propose", "Ours")
    assert (wrong.code, "--propose Ours: expected LABEL=NAME" in wrong.errors) == (2, True)
