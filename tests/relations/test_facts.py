"""Facts: where a number stands, and which values print so."""

from __future__ import annotations

from fractions import Fraction

import pytest

from relations.papers import paper_facts
from sealtrace.paper.fact import Rule
from sealtrace.relations.facts import NotAvailableError, UnknownFactError
from sealtrace.relations.prose import stands_on_line

ENDS = {
    ("tab:main", "A", "Weak EV", None): ("4.40735", "4.40745"),
    ("tab:main", "A", "Count", "k"): ("3", "3"),
    ("tab:main", "A", "Count", "n"): ("12", "12"),
    ("tab:main", "A", "Time (ms)", None): ("83.5", "84.5"),
    ("tab:main", "A", "Interval", "high"): ("0.25", "0.35"),
    ("tab:sizes", "32", "Groups", None): ("2", "2"),
    ("tab:sizes", "32", "Share", None): ("32.5", "33.5"),
    ("tab:sizes", "64", "Score", "sd"): ("0.015", "0.025"),
    ("tab:sizes", "64", "Score", "2"): ("0.015", "0.025"),
}


@pytest.mark.parametrize("where", ENDS)
def test_intervals(where: tuple[str, str, str, str | None]) -> None:
    """Decimals stand for half a unit either way; counts are exact, measured integers are not."""
    fact = paper_facts().cell(*where)
    assert (fact.low, fact.high) == tuple(map(Fraction, ENDS[where]))


RULES = {
    Rule.ROUNDED: ("-0.255", "-0.245"),
    Rule.TRUNCATED: ("-0.26", "-0.25"),
    Rule.UP: ("-0.26", "-0.25"),
    Rule.DOWN: ("-0.25", "-0.24"),
    Rule.LOOSELY: ("-0.26", "-0.24"),
    Rule.EXACT: ("-0.25", "-0.25"),
}


@pytest.mark.parametrize("rule", RULES)
def test_declared_printing(rule: Rule) -> None:
    """A declared rule widens to one unit on the side that it needs."""
    facts = paper_facts()
    facts.declare("shift", "-0.25", 5)
    facts.print_as(rule, "shift")
    fact = facts.named("shift")
    assert (fact.low, fact.high) == tuple(map(Fraction, RULES[rule]))


def test_printing_of_one_column() -> None:
    """A rule holds where it was declared, and nowhere else."""
    facts = paper_facts()
    facts.print_as(Rule.EXACT, "tab:main", column="Rate")
    assert facts.cell("tab:main", "A", "Rate").exact
    assert not facts.cell("tab:main", "A", "Weak EV").exact


WRONG = {
    ("tab:mian", "A", "Rate", None): "did you mean 'tab:main'?",
    ("tab:main", "D", "Rate", None): "has no row 'D'; there are 'A', 'B', 'C, tuned'",
    ("tab:main", "A", "Weka EV", None): "did you mean",
    ("tab:main", "A", "Interval", None): "add .low or .high",
    ("tab:main", "A", "Interval", "mean"): "add .low or .high",
    ("tab:main", "A", "Rate", "low"): "it has one number only",
    ("tab:main", "A", "Method", None): "holds no number",
}


@pytest.mark.parametrize("where", WRONG)
def test_wrong_addresses(where: tuple[str, str, str, str | None]) -> None:
    """The message says what there is instead."""
    with pytest.raises(UnknownFactError) as error:
        paper_facts().cell(*where)
    assert WRONG[where] in str(error.value)


def test_not_available() -> None:
    """A cell that says n/a is there, and has no number; a list tells that it left it out."""
    facts = paper_facts()
    with pytest.raises(NotAvailableError):
        facts.cell("tab:main", "C, tuned", "Rate")
    numbers, missing = facts.column("tab:main", "Rate")
    assert [fact.text for fact in numbers] == ["0.0569", "0.0508"]
    assert missing == ["tab:main[C, tuned, Rate]"]


def test_rows_without_their_names() -> None:
    """The cell that names a row is no number of the row, though it may look like one."""
    facts = paper_facts()
    numbers, _ = facts.row("tab:sizes", "32", None, ["Score"])
    assert [fact.column for fact in numbers] == ["Groups", "Share"]


def test_prose() -> None:
    """A declared number must stand on its line; where it does not, the message says where it does."""
    facts = paper_facts()
    facts.declare("weak", "4.4936", 3)
    facts.declare("wtl", "54.86/2.82/42.32", 4)
    facts.declare("interval", "[-0.0186,0.0183]", 4)
    facts.declare("hands", "60,000", 4)
    facts.declare("mean", "4.2207±0.0248", 5)
    assert facts.named("weak").line == 3
    assert facts.named("wtl", "3").value == Fraction("42.32")
    assert facts.named("mean", "sd").value == Fraction("0.0248")
    with pytest.raises(UnknownFactError, match="it stands on line 3"):
        facts.declare("other", "4.4936", 5)
    with pytest.raises(UnknownFactError, match="declared twice"):
        facts.declare("weak", "4.4936", 3)


ON_LINE = {
    ("4.49", "to 4.4936 points"): False,
    ("4.4936", "to 4.4936."): True,
    ("0.25", "by -0.25"): False,
    ("-0.25", "by −0.25"): True,
    ("0.25", "of top-0.25"): True,
    ("60", "over 60,000"): False,
    ("5.0", "[3.0,5.0]"): True,
    ("12", "0/12 crossings"): True,
    ("512", "$n=512$"): True,
    ("36", "4.4936"): False,
    ("64", r"$n\in\{32,64,128,256\}$"): False,
    ("64", "n∈{32,64,128,256}"): True,
    ("64,128", "n∈{32,64,128,256}"): False,
    ("{17,29}", "{17,29}"): True,
}


@pytest.mark.parametrize("case", ON_LINE)
def test_whole_numbers_on_a_line(case: tuple[str, str]) -> None:
    """A number stands on a line whole, and with its sign."""
    assert stands_on_line(*case) is ON_LINE[case]
