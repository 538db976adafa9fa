"""Sealed numbers of the running text: found in a paper by the words around them, whatever they are now."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealtrace.paper.model import Paper, Table
from sealtrace.paper.papers import read_paper
from sealtrace.paper.quoted import quoted_numbers, with_found

TEXT = """# A study

We tried 36 runs. Our model reaches 81.9 % on the test set, 17.2 points above the baseline (64.7 %).

The gain is 3.1 ± 0.4 over 6,060 items.
"""


def paper(tmp_path: Path, text: str = TEXT) -> Paper:
    """The paper as it is read."""
    (tmp_path / "paper.md").write_text(text)
    return read_paper(tmp_path / "paper.md")


def sealed(number: str, quotation: str | None, line: int = 3) -> Table:
    """A bundle's table with one number of the text."""
    row = {"label": "one", "cells": [number], "line": line}
    row |= {"quotation": quotation} if quotation else {}
    return Table.of({"label": "text", "columns": [{"label": "Number"}], "rows": [row]})


@pytest.mark.parametrize(
    ("number", "quotation", "was", "now", "printed"),
    [
        ("81.9 %", "reaches 81.9 % on the test set", "81.9", "82.9", "82.9 %"),
        ("17.2", "17.2 points above the baseline", "17.2", "17.3", "17.3 points"),
        ("6,060", "over 6,060 items", "6,060", "6,006", "6,006"),
        ("3.1", "The gain is 3.1 ± 0.4 over", "3.1", "3.2", "3.2"),
        ("0.4", "The gain is 3.1 ± 0.4 over", "0.4", "0.40", "0.40"),
        ("3.1 ± 0.4", "The gain is 3.1 ± 0.4 over", "0.4", "0.5", "3.1 ± 0.5"),
    ],
)
def test_a_changed_number_is_found_by_its_words(
    tmp_path: Path, number: str, quotation: str, was: str, now: str, printed: str
) -> None:
    """It agrees in the paper as it was, and differs where one digit changed or was added."""
    (same,) = quoted_numbers(sealed(number, quotation), [paper(tmp_path)])
    assert same.agrees, same
    changed = paper(tmp_path, TEXT.replace(was, now))
    (other,) = quoted_numbers(sealed(number, quotation), [changed])
    assert not other.agrees
    assert other.text == printed
    assert other.problem == ""
    table = sealed(number, quotation)
    assert with_found(table, quoted_numbers(table, [changed])).rows[0].cells[0].text == printed


def test_the_text_may_move(tmp_path: Path) -> None:
    """Other lines, other white space and other numbers around do not matter."""
    moved = "A paragraph more.\n\n" * 3 + TEXT.replace("on the test", "on\nthe test").replace("64.7", "65.0")
    (found,) = quoted_numbers(sealed("17.2", "17.2 points above the baseline (64.7 %)"), [paper(tmp_path, moved)])
    assert found.agrees
    assert found.line == 10


def test_of_the_same_words_the_nearest_are_meant(tmp_path: Path) -> None:
    """An abstract and a conclusion may say the same, and one of them may be stale."""
    twice = TEXT + "\nWe end.\n\nOur model reaches 81.4 % on the test set.\n"
    number, words = "81.9 %", "Our model reaches 81.9 % on the test set"
    (first,) = quoted_numbers(sealed(number, words, 3), [paper(tmp_path, twice)])
    (second,) = quoted_numbers(sealed(number, words, 9), [paper(tmp_path, twice)])
    assert (first.agrees, second.agrees) == (True, False)


@pytest.mark.parametrize(
    ("number", "quotation", "line", "problem"),
    [
        ("81.9 %", "reaches 81.9 % in all tests", 3, "its sentence no longer stands in the paper"),
        ("81.8 %", "reaches 81.9 % on the test set", 3, "81.8 % does not stand in it"),
        ("36", "36 runs of 36", 3, "36 stands in it more than once"),
        ("36", None, 4, "it does not stand on line 4"),
    ],
)
def test_what_cannot_be_found_is_said(
    tmp_path: Path, number: str, quotation: str | None, line: int, problem: str
) -> None:
    """Nothing is compared with a number that only looks the same."""
    (found,) = quoted_numbers(sealed(number, quotation, line), [paper(tmp_path)])
    assert problem in found.problem
    assert not found.agrees


def test_without_words_the_line_decides(tmp_path: Path) -> None:
    """As bundles of 0.1 seal them."""
    (found,) = quoted_numbers(sealed("36", None, 3), [paper(tmp_path)])
    assert found.agrees
