"""Counts of the text against the rows that a table lists: one right and one wrong of each reading."""

from __future__ import annotations

import pytest

from relations.families.small_papers import decided, read, table
from sealtrace.relations.decision import Status
from sealtrace.relations.explanation import letter_of
from sealtrace.relations.families.registry import automatic_claims

TREES = table(
    "Trees of the garden.",
    "Tree | Bed | Zone | Planted",
    [
        "elm-1 | Pond | 1 | Smith, 1998",
        "elm-2 | Pond | 2 | Jones, 2004",
        "oak-1 | Gate | 2 | Smith, 2011",
        "oak-2 | Gate | 2 | Brown, 2016",
        "ash-1 | Wall | 1 | Jones, 2019",
        "yew-1 | Lawn | 3 | Smith, 2020",
    ],
    "tab:trees",
)
BEDS = table(
    "Beds.", "Bed | Depth", ["Pond | 0.4", "Gate | 0.7", "Wall | 0.5", "Lawn | 0.3", "---", "Mean | 0.475"], "tab:beds"
)
ZONES = "Zone 1, dry (2 trees), is old. Zone 2, wet ({} trees), is not. Zone 3 ({} tree) is new."

READINGS = {
    "all rows of the table that is referred to": (
        r"Table~\ref{tab:trees} gives all six trees.",
        r"Table~\ref{tab:trees} gives all seven trees.",
    ),
    "names that another table sorts its rows by": (
        "The garden has trees, covering four beds.",
        "The garden has trees, covering five beds.",
    ),
    "rows of a category, where all are counted": (ZONES.format(3, 1), ZONES.format(2, 2)),
    "rows with a word, out of all": ("By hand: 3/6 trees of Smith grew.", "By hand: 4/6 trees of Smith grew."),
    "rows since a year, with their share": (
        r"Of the whole, 4 trees (67\%) were planted after 2010.",
        r"Of the whole, 3 trees (50\%) were planted after 2010.",
    ),
    "rows before a year": ("We lost 2 of 6 trees planted before 2005.", "We lost 3 of 6 trees planted before 2005."),
}


def _tallied(prose: str, *tables: str) -> list[Status]:
    paper = read(*(tables or (TREES, BEDS)), prose=prose)
    return [decision.status for decision in decided(paper) if decision.claim.family == "tally"]


@pytest.mark.parametrize("name", READINGS)
def test_each_reading(name: str) -> None:
    """What is counted rightly holds, and is seen; a count that is off is a suspicion."""
    right, wrong = READINGS[name]
    assert set(_tallied(right)) == {Status.HOLDS}
    assert Status.SUSPICION in _tallied(wrong)


@pytest.mark.parametrize(
    "prose",
    [
        "Covering three trees, the net was too small.",
        r"Of the trees in Table~\ref{tab:trees}, the five trees that bear fruit are cut.",
        r"Table~\ref{tab:trees} shows five trees to be old.",
        "In the village, 4/7 trees of Smith grew.",
        "In the garden, 4/6 trees not of Smith grew.",
        "In the garden, 5/6 trees of Smith and Jones near the Gate grew.",
        "Zone 1 (4 trees) and Zone 2 (9 trees) are in the village.",
        r"Of them 3 trees (5\%) were planted after 2010.",
    ],
)
def test_what_counts_something_else(prose: str) -> None:
    """A few of the rows, rows of another whole, or words of which several fit: nothing is said."""
    assert Status.SUSPICION not in _tallied(prose)


@pytest.mark.parametrize(("word", "expected"), [("four", Status.HOLDS), ("six", Status.SUSPICION)])
def test_rows_that_a_caption_counts(word: str, expected: Status) -> None:
    """The caption names what the first column lists; a baseline that is set apart need not be counted."""
    rows = ["Base | 2", "---", "Elm | 3", "Oak | 7", "Ash | 5", "Yew | 1"]
    assert _tallied("", table(f"Over all {word} kinds.", "Kind | Leaf", rows)) == [expected]


@pytest.mark.parametrize(("count", "expected"), [(3, Status.HOLDS), (4, Status.SUSPICION)])
def test_rows_that_a_summary_counts(count: int, expected: Status) -> None:
    """A row says of how many rows it is the mean."""
    rows = ["a | 2.1", "b | 3.4", "c | 2.9", f"Mean over {count} seeds | 2.8"]
    paper = read(table("Seeds.", "Seed | Leaf", rows))
    (decision,) = [decision for decision in decided(paper) if decision.claim.family == "tally"]
    assert decision.status is expected
    assert letter_of(decision).startswith(f"'Mean over {count} seeds': {count} are counted")


@pytest.mark.parametrize("name", READINGS)
def test_a_count_of_rows_binds_no_cell(name: str) -> None:
    """Another number in one of the rows would leave it as it is."""
    paper = read(TREES, BEDS, prose=READINGS[name][0])
    tallies = [claim for claim in automatic_claims(paper) if claim.family == "tally"]
    assert tallies
    assert [fact.address for claim in tallies for fact in claim.facts if fact.table is not None] == []


@pytest.mark.parametrize(
    ("caption", "header", "last"),
    [
        ("All five kinds.", "Kind | Leaf", "Others | 1"),
        ("Examples of all five kinds.", "Kind | Leaf", "Yew | 1"),
        ("All five years.", "Year | Leaf", "Yew | 1"),
        ("All five kinds.", "Kind | Leaf | Kind | Leaf", "Yew | 1 | Fir | 2"),
    ],
)
def test_a_count_that_is_excused(caption: str, header: str, last: str) -> None:
    """A row stands for several, the table shows a few, years are counted from end to end, or two stand in a row."""
    rows = ["Elm | 3", "Oak | 7", "Ash | 5", last]
    assert _tallied("", table(caption, header, rows)) == []


def test_a_table_of_what_is_compared_may_have_one_more() -> None:
    """What is new stands beside the four that it is compared with; of five, one is missing in any case."""
    rows = ["Elm | 3", "Oak | 7", "Ash | 5", "Yew | 1", "Fir | 4"]
    for word, expected in (("four", []), ("six", [Status.SUSPICION])):
        assert _tallied("", table(f"The {word} methods.", "Method | Leaf", rows)) == expected
