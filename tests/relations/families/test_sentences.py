"""Sentences as papers have them, read by rule: one that is right, and the same with another number or word."""

from __future__ import annotations

import pytest

from relations.families.small_papers import decided, read, table
from sealtrace.relations.decision import Status

WOODS = table(
    "Woods by county.",
    "County | Mean growth | Shade (%) | Net change",
    [
        "North | 4.81 | 61.3 | -1.42",
        "South | 5.37 | 58.8 | -0.63",
        "East | 3.96 | 72.4 | 2.15",
        "West | 4.12 | 70.2 | 1.08",
    ],
    "tab:woods",
)

CASES = {
    "a superlative with its value": (
        "claim",
        WOODS,
        "South exhibits the highest mean growth rate (5.37 cm), followed by North (4.81).",
        "North exhibits the highest mean growth rate (4.81 cm), followed by South (5.37).",
    ),
    "a superlative with several columns and their values": (
        "claim",
        WOODS,
        r"South is highest on mean growth (5.37) and lowest on shade (58.8\%).",
        r"South is highest on mean growth (5.37) and shade (58.8\%).",
    ),
    "the largest fall": (
        "claim",
        WOODS,
        "North shows the largest net change of any county (-1.42).",
        "South shows the largest net change of any county (-0.63).",
    ),
    "what is announced": (
        "text against text",
        "",
        "The walk differs in three ways. First, it is long. Second, it is wet. Third, it is cold.",
        "The walk differs in two ways. First, it is long. Second, it is wet. Third, it is cold.",
    ),
    "a part of a whole that is stated": (
        "text against text",
        "",
        r"Of the 1,208 trees, 364 trees (30.1\%) fell.",
        r"Of the 1,208 trees, 364 trees (31.1\%) fell.",
    ),
    "two shares of one whole": (
        "text against text",
        "",
        r"Wood brought 78.7 million (34.5\% of income) and bark 61.2 million (26.8\% of income).",
        r"Wood brought 78.7 million (34.5\% of income) and bark 61.2 million (27.5\% of income).",
    ),
}


def _broken(tables: str, prose: str) -> list[str]:
    paper = read(tables, prose=prose) if tables else read(prose=prose)
    return [found.claim.family for found in decided(paper) if found.status in (Status.SUSPICION, Status.CONTRADICTION)]


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_sentence_is_found_and_the_right_one_is_checked(name: str) -> None:
    """What is wrong is shown by its family alone, and what is right is held by something that could have failed."""
    family, tables, right, wrong = CASES[name]
    paper = read(tables, prose=right) if tables else read(prose=right)
    telling = [found.status for found in decided(paper) if found.claim.family == family and found.claim.telling]
    assert set(telling) == {Status.HOLDS}
    assert _broken(tables, wrong) == [family]


SILENT = {
    "a multiple with its own pair": r"West had 8$\times$ the mean growth of North (1.6\% vs. 0.2\%) in one plot.",
    "a pair of something else": r"Pruning is 8$\times$ faster at comparable safety (89\% vs. 93\%).",
    "a name with a superlative in it": "North with best-of-N selection at 4.81 beats nothing; mean growth is hidden.",
    "the largest of those that fall": "North is the largest net receiver (-1.42).",
    "the best of some": "North is the strongest North county at 4.81.",
    "a name in brackets": r"Pruned rows (with clipping, West, and mulch) reach 6.10, a 5.2\% improvement over North.",
    "percent of what no column measures": r"South adds 122\% wall-time over North at its best.",
    "a gain of other things": "Recall rises from 0.292 in spring to 0.389 in autumn, a gain of +7 leaves.",
    "an entropy behind a width": r"Width 28 produces an average entropy of 5.39 bits, a 27\% reduction.",
    "ways that come without a number": "There are three ways. First, on foot. Second, by cart. Finally, by boat.",
    "points of what is pooled": "It gives 1.51 points for North and only 0.55 points pooled over South.",
    "a rival's own value": r"It reaches 61.3\% of shade, surpassing South (58.8\%) and North (61.3\%).",
    "a bound of something else": "We accepted all links of the network (change score above 1.93) by hand.",
    "none is significant": "None of the changes is significant (all $p > 0.24$).",
}


@pytest.mark.parametrize("name", SILENT)
def test_what_a_careful_reader_leaves_alone(name: str) -> None:
    """Sentences whose numbers are of something else than the words beside them suggest."""
    assert _broken(WOODS, SILENT[name]) == []
