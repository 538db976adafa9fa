"""Estimates of a table with their p, their intervals and their quartiles."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from relations.families.small_papers import decided, read, table
from sealtrace.relations.decision import Status
from sealtrace.relations.families.inference import quantile
from sealtrace.relations.families.paper import AuditedPaper


def _suspected(paper: AuditedPaper) -> list[set[str]]:
    return [{fact.text for fact in one.cells} for one in decided(paper) if one.status is Status.SUSPICION]


def _held(paper: AuditedPaper, family: str) -> int:
    return sum(one.claim.family == family and one.status is Status.HOLDS for one in decided(paper))


def _estimates(kind: str, wrong: str = "", caption: str = "Trees.") -> AuditedPaper:
    """Eight estimates with what leads to their p, of which the last may be another one."""
    chance, rows = random.Random(8), []
    for place in range(8):
        value, error, size = chance.uniform(0.1, 0.9), chance.uniform(0.2, 0.5), chance.randint(40, 90)
        ratio = value / error
        if kind == "correlation":
            value = value / 3
            ratio = value * math.sqrt((size - 2) / (1 - value * value))
        p = f"{math.erfc(ratio / math.sqrt(2)):.3f}"
        p = wrong if wrong and place == 7 else p
        ends = (value - 1.96 * error, value + 1.96 * error)
        cells = {
            "error": f"{value:.4f} | {error:.4f} | {p}",
            "interval": f"{value:.3f} | {ends[0]:.3f}, {ends[1]:.3f} | {p}",
            "odds": f"{math.exp(value):.3f} ({math.exp(ends[0]):.3f}, {math.exp(ends[1]):.3f}) | {p}",
            "statistic": f"{ratio:.3f} | {p}",
            "correlation": f"{size} | {value:.4f} | {p}",
            "below": f"{value:.4f}",
        }[kind]
        rows.append(f"row{place} | {cells}")
        rows += [f" | ({error:.4f})", f" | [{p}]"] if kind == "below" else []
    header = {
        "error": "Estimate | SE | p",
        "interval": "Coefficient | 95% CI | p-value",
        "odds": "Odds ratio (95% CI) | p",
        "statistic": "t | p",
        "correlation": "N | Spearman ρ | p",
        "below": "Model 1",
    }[kind]
    return read(table(caption, f"Kind | {header}", rows))


@pytest.mark.parametrize("kind", ["error", "interval", "odds", "statistic", "correlation", "below"])
def test_a_p_that_does_not_follow_from_its_estimate_is_found(kind: str) -> None:
    """Seven follow; the eighth is another number."""
    clean = _estimates(kind)
    assert _suspected(clean) == []
    assert _held(clean, "statistics") >= 8
    assert len(_suspected(_estimates(kind, "0.971"))) == 1


def test_a_table_of_another_p_is_left_alone() -> None:
    """Most do not follow from the estimates beside them, or the caption says that they are adjusted."""
    assert _suspected(_estimates("error", "0.971", "Trees. The p are Holm-adjusted.")) == []
    rows = [f"row{place} | 0.{place + 1}12 | 0.211 | 0.{(7 * place) % 9}4{place}" for place in range(8)]
    assert _suspected(read(table("Trees.", "Kind | Estimate | SE | p", rows))) == []


def test_one_estimate_of_few_clusters_is_no_error() -> None:
    """Six have the p of a normal distribution; the seventh that of Student's with six degrees of freedom."""
    rows = [
        f"row{place} | {value:.3f} | 0.200 | {math.erfc(value / 0.2 / math.sqrt(2)):.3f}"
        for place, value in enumerate((0.112, 0.254, 0.301, 0.347, 0.402, 0.455))
    ]
    paper = read(table("Trees.", "Kind | Estimate | SE | p", [*rows, "last | -0.549 | 0.219 | 0.046"]))
    assert _suspected(paper) == []
    assert _held(paper, "statistics") == 7


def test_quantiles_are_those_of_the_tables() -> None:
    """Of the normal and of Student's distribution, as every book prints them."""
    found = [quantile(Fraction(1, 20), freedom) for freedom in (None, 10, 3)]
    assert [round(float(value or 0), 3) for value in found] == [1.960, 2.228, 3.182]
    assert (quantile(Fraction(0), None), quantile(Fraction(201, 200), None)) == (None, None)


@pytest.mark.parametrize(("last", "found"), [("1.31 (1.02, 1.68)", 0), ("1.81 (1.02, 1.68)", 1)])
def test_a_number_outside_the_interval_behind_it_is_found(last: str, found: int) -> None:
    """Five ratios lie in theirs, which are not symmetric."""
    texts = ("1.20 (0.80, 1.90)", "0.77 (0.51, 1.22)", "2.41 (1.10, 5.02)", "0.95 (0.90, 1.01)", "3.10 (1.20, 7.70)")
    rows = [f"row{place} | {text}" for place, text in enumerate(texts)]
    assert len(_suspected(read(table("Trees.", "Kind | Risk", [*rows, f"last | {last}"])))) == found


@pytest.mark.parametrize(
    ("cell", "below", "found"),
    [("0.445**", "(2.89)", 0), ("0.445***", "(2.89)", 1), ("-0.445**", "(2.89)", 1), ("-0.445**", "(-2.89)", 0)],
)
def test_stars_follow_from_the_statistics_in_brackets(cell: str, below: str, found: int) -> None:
    """A note in the last rows says what stars mean, and that brackets hold t: they have the sign of the estimate."""
    pairs = (("0.799*", "(2.46)"), ("-0.331", "(-0.89)"), ("6.508*", "(2.08)"), ("8.442***", "(4.60)"), (cell, below))
    rows = [line for name, (a, b) in zip("vwxyz", pairs, strict=True) for line in (f"{name} | {a}", f" | {b}")]
    notes = ["t statistics in parentheses | ", "* $p<0.05$, ** $p<0.01$, *** $p<0.001$ | "]
    assert len(_suspected(read(table("Trees.", "Kind | Model", [*rows, *notes])))) == found


@pytest.mark.parametrize(("last", "found"), [("-0.007", 0), ("0.007", 1)])
def test_an_interval_is_about_the_estimate_before_its_error(last: str, found: int) -> None:
    """Estimate, error, interval: the error need not lie in the interval, and the estimate has to."""
    ends = ("-0.001, 0.007", "-0.004, 0.009", "0.002, 0.006", "-0.006, 0.008", "-0.003, 0.004")
    rows = [f"row{place} | 0.003 | 0.002 | [{both}]" for place, both in enumerate(ends)]
    paper = read(table("Trees.", "Kind | Estimate | SE | 95% CI", [*rows, f"last | {last} | 0.004 | [-0.015, 0.002]"]))
    assert (
        len([one for one in decided(paper) if one.claim.family == "order" and one.status is Status.SUSPICION]) == found
    )
