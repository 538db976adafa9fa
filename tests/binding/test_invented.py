"""Invented studies of many layouts: honest ones follow and are not accused, and one changed number is named."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from invented import changed, is_accused, made, numbers

STUDIES = [
    ("leaderboard", 3), ("leaderboard", 15), ("leaderboard", 11), ("two_sets", 0), ("two_sets", 5), ("two_sets", 15),
    ("regression", 3), ("regression", 5), ("patients", 1), ("patients", 3), ("patients", 18), ("patients", 207),
    ("ablation", 2), ("ablation", 109), ("answers", 118), ("seeds", 2), ("seeds", 4), ("differences", 0),
    ("transposed", 1), ("survey", 1), ("sweep", 1), ("spread", 0), ("spread", 3), ("regression", 103), ("rates", 3),
    ("rates", 4), ("years", 6), ("panels", 1), ("timings", 9), ("timings", 13), ("answers", 6), ("correlations", 9),
    ("correlations", 13),
]  # fmt: skip
"""Layouts and seeds; in most of these, something that labels say was not heard once."""


@pytest.mark.parametrize(("layout", "seed"), STUDIES)
def test_a_changed_number_is_named_and_nothing_else_is(layout: str, seed: int, tmp_path: Path) -> None:
    study = made(layout, seed)
    honest = numbers(study, tmp_path)
    assert [one.says for one in honest.values() if is_accused(one)] == []
    follow = [key for key, one in honest.items() if one.word == "follows"]
    assert len(follow) >= 0.9 * len(honest)

    number = honest[random.Random(seed).choice(sorted(key for key in follow if honest[key].table))]
    old = changed(study, number, random.Random(seed))
    wrong = numbers(study, tmp_path)
    assert old
    assert is_accused(wrong[number.id])
    assert old in (wrong[number.id].given or "")
    assert [key for key, one in wrong.items() if is_accused(one)] == [number.id]


@pytest.mark.parametrize("layout", ["claims", "trial", "experiment", "wages", "systems", "habitats"])
def test_sentences_of_honest_studies_follow_and_are_not_accused(layout: str, tmp_path: Path) -> None:
    """Gains, ranges, lists, deviations and letters as papers of several fields print them, in Markdown and in LaTeX."""
    found = [one for seed in range(3) for one in numbers(made(layout, seed), tmp_path / f"{seed}").values()]
    text = [one for one in found if one.sentence]
    assert [one.says for one in found if is_accused(one)] == []
    assert len(text) >= 20
    assert sum(one.word == "follows" for one in text) >= 0.65 * len(text)


@pytest.mark.parametrize(
    ("layout", "seed", "key"),
    [("leaderboard", 9, "table 1[Large, MMLU]"), ("patients", 3, "table 1[BMI, mean (SD), Drug (n = 49)]")],
)
def test_what_row_and_column_name_together_is_an_error(layout: str, seed: int, key: str, tmp_path: Path) -> None:
    """`Table 1` in a caption is no run 1 of five; a row and a column of an arm that name one record make it sure."""
    study = made(layout, seed)
    old = changed(study, numbers(study, tmp_path)[key], random.Random(1))
    wrong = numbers(study, tmp_path)[key]
    assert (wrong.word, wrong.status) == ("differs", "off")
    assert old in (wrong.given or "")
