"""A file that was lost, seen by the names of those that are there."""

from __future__ import annotations

from itertools import product

import pytest

from sealtrace.binding.accidents import absent_among

RUNS = [f"{model}/{task}_seed{seed}.jsonl" for model, task, seed in product(("base", "ours"), ("qa", "nli"), (1, 2, 3))]


@pytest.mark.parametrize("gone", RUNS)
def test_the_one_that_is_not_there_is_called_by_its_name(gone: str) -> None:
    """Whichever it is: model, task and seed are as in its neighbours."""
    assert absent_among([file for file in RUNS if file != gone]) == gone


def test_a_word_that_stands_twice_is_not_exchanged() -> None:
    """Where no neighbour says for sure how the file is called, its words are listed."""
    runs = [f"{seed}/run{seed}_{arm}.csv" for seed, arm in product(range(1, 7), ("a", "b"))]
    assert absent_among(runs[:-1]) in ("6/run6_b.csv", "a file of b, 6", "a file of 6, b")


@pytest.mark.parametrize(
    "files",
    [
        RUNS,
        RUNS[:1],
        ["a.csv", "b.csv", "c.csv"],
        ["x/1.csv", "x/2.csv", "y/1.csv"],
        [file for file in RUNS if "base/nli" not in file],
        [
            f"{year}/{station}.csv"
            for year, station in product(range(2001, 2013), "abc")
            if (year, station) > (2004, "b")
        ],
    ],
    ids=["all", "one", "one field", "too few to tell", "a task of one model", "stations that began later"],
)
def test_nothing_is_missed_where_no_product_was_meant(files: list[str]) -> None:
    """Complete, of one field only, too few, or with several holes."""
    assert absent_among(files) is None
