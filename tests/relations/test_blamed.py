"""Which numbers an audit shows as wrong: those that break a relation, not all of which it speaks."""

from __future__ import annotations

import pytest

from relations.families.small_papers import table
from sealtrace.claims.deciding import decide_claims, with_claims
from sealtrace.claims.reading import Written
from sealtrace.claims.tying import Ground
from sealtrace.contract.claims import ClaimedSet, StatedClaim
from sealtrace.paper.reported import read_reported
from sealtrace.relations.auditing import audit
from sealtrace.relations.subjects import subject_of

CASES = {
    "the cell of two wrong totals": (
        table(
            "Sales.",
            "Region | Spring | Summer | Total",
            ["North | 12 | 40 | 52", "South | 30 | 25 | 55", "East | 21 | 38 | 54", "---", "Total | 63 | 98 | 161"],
        ),
        {"tab:t[East, Summer]"},
    ),
    "a mark and the number that is better": (
        table(
            "Best in bold.",
            "Tree | Height $\\uparrow$ | Age $\\uparrow$",
            [r"Elm | \textbf{3} | 4", "Oak | 5 | \\textbf{9}", "Ash | 1 | 2", "Yew | 2 | 1"],
        ),
        {"tab:t[Elm, Height ↑]", "tab:t[Oak, Height ↑]"},
    ),
}


def _source(text: str) -> str:
    return f"\\begin{{document}}\n{text}\n\\end{{document}}\n"


@pytest.mark.parametrize("name", CASES)
def test_only_what_breaks_a_relation_is_shown_as_wrong(name: str) -> None:
    """The other numbers of the relation are spoken of, and no more."""
    text, wrong = CASES[name]
    found = audit(subject_of(read_reported(_source(text), "p.tex", lambda _name: None), "p.tex"))
    assert {one.id for one in found.numbers if one.status in ("contradicted", "suspected")} == wrong
    assert {one.status for one in found.numbers if one.id not in wrong} <= {"constrained", "unrelated"}


def test_of_a_claim_about_a_column_the_number_that_breaks_it_is_shown() -> None:
    """All p lie below 0.05, and one does not."""
    text = table("Trees.", "Tree | p", ["Elm | 0.012", "Oak | 0.31", "Ash | 0.004"])
    paper = read_reported(_source(f"All p lie below 0.05.\n\n{text}"), "p.tex", lambda _name: None)
    ground = Ground(paper)
    place = next(one for one in paper.sentences if "All p" in one.text)
    every = ClaimedSet(cells=["tab:t[*, p]"], words="All p")
    claim = StatedClaim(
        at=place.id, quote="All p lie below 0.05", sets={"ps": every}, readings=["all x in ps: x < #0.05"]
    )
    decided = decide_claims([Written(claim, "claims.json", 1, 1)], ground)
    assert [one.grade for one in decided.results] == ["contradiction"], decided.results[0].missing
    found = with_claims(audit(subject_of(paper, "p.tex")), decided)
    assert {one.id for one in found.numbers if one.word == "contradicts"} == {"tab:t[Oak, p]", f"{place.id}.n1"}
