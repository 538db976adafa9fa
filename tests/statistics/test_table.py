"""The table of statistics: what headings name, and what they say of arguments."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sealtrace.paper.names.statistics import named_in
from sealtrace.statistics.entries import STATISTICS
from sealtrace.statistics.table import RANGES


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Macro-F1", ["macro_f1"]),
        ("F1 (macro)", ["macro_f1"]),
        ("Average precision", ["average_precision"]),
        ("Mean ± SD", ["mean", "sd"]),
        ("mean squared error", ["mse"]),
        ("mean pooling", []),
        ("standard error of the mean", ["sem"]),
        ("p95 latency (ms)", ["quantile"]),
        ("AUC", ["auroc"]),
        ("Notably", []),
        ("Accuracy (%)", ["accuracy"]),
        ("Avg. Prec.", ["average_precision"]),
        ("x", []),
    ],
)
def test_headings_name_statistics(heading: str, names: list[str]) -> None:
    """The longest name wins, and a phrase in which a word means something else names nothing by it."""
    assert [entry.name for entry in named_in(heading)] == names


@pytest.mark.parametrize(
    ("name", "heading", "stated"),
    [
        ("pass_at_k", "pass@5", {"k": {Fraction(5)}}),
        ("quantile", "p95", {"q": {Fraction(19, 20)}}),
        ("quantile", "99.9th percentile", {"q": {Fraction(999, 1000)}}),
        ("t_interval", "95% CI", {"confidence": {Fraction(19, 20)}}),
        ("wilcoxon", "one-sided p", {"sides": {"one"}, "give": {"p"}}),
        ("mean", "mean", {}),
    ],
)
def test_headings_state_arguments(name: str, heading: str, stated: dict[str, set[Fraction | str]]) -> None:
    """A number in a heading that belongs to the statistic is a value of its argument."""
    assert STATISTICS[name].stated(heading) == stated


def test_every_entry_says_what_it_is() -> None:
    """Each has words, a formula, a unit with its range, and an argument for each that a query or a heading names."""
    for entry in STATISTICS.values():
        assert entry.words
        assert entry.formula
        assert entry.unit in RANGES
        assert not set(entry.words) & set(entry.not_words), entry.name


def test_statistics_of_the_table_are_no_others() -> None:
    """A phrase that names an entry of the table is not called another statistic by an entry whose word it holds."""
    called = {word for entry in STATISTICS.values() for word in entry.words}
    assert {entry.name: called & set(entry.others) for entry in STATISTICS.values() if called & set(entry.others)} == {}
