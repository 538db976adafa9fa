"""Names: words, the paper's own glossary, and which things a text names."""

from __future__ import annotations

import pytest

from sealtrace.paper.names.glossary import Glossary
from sealtrace.paper.names.words import stems, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acc. (%)", "accuracy_pct"),
        ("# Params", "num_params"),
        ("BestRun", "best_runs"),
        ("1.50", "1.5"),
        ("1,273", "1273"),
        ("Δ error", "delta_err"),
        ("avg latency", "mean lat"),
    ],
)
def test_labels_and_fields_have_the_same_stems(one: str, other: str) -> None:
    """Capitals, plurals, joints, filling zeros and everyday abbreviations make no difference."""
    assert stems(one) == stems(other)


def test_a_percent_sign_behind_a_number_is_no_word() -> None:
    """It is a part of the number, so that `10% water` has its words side by side."""
    assert stems("10% water") == ("10", "water")


def test_words_know_where_they_stand() -> None:
    """The places are those of the text as it is."""
    text = "the BestRun of 0.50"
    assert [text[word.start : word.end] for word in words(text)] == ["the", "Best", "Run", "of", "0.50"]


@pytest.mark.parametrize(
    ("text", "short", "meaning"),
    [
        ("Diagnostics. D is dominant rate, and so on.", "D", "dominant rate"),
        ("the Classifier Test Score (CTS) of a run", "CTS", "Classifier Test Score"),
        ("it lowers exploitability (Expl) at once", "Expl", "exploitability"),
        ("Columns: KU = knowledge update; TR = temporal reasoning.", "ku", "knowledge update"),
    ],
)
def test_the_paper_defines_its_short_names(text: str, short: str, meaning: str) -> None:
    """Captions say what a letter stands for, and the text says what brackets abbreviate."""
    assert meaning in Glossary.of([text]).of_label(short)


@pytest.mark.parametrize("text", ["it is a long way", "our results (Table) agree", "the method (ABC) is new"])
def test_what_defines_nothing_is_no_definition(text: str) -> None:
    """Pronouns have no meaning, and letters that the words before a bracket do not hold abbreviate nothing."""
    assert Glossary.of([text]).meanings == {}


def test_a_label_is_widened_by_what_its_short_names_stand_for() -> None:
    """The meaning stands behind the label's own words."""
    assert Glossary.of(["D is dominant rate."]).widened("Frozen D") == ("frozen", "d", "dominant", "rate")
