"""Two papers written for the tests: in one every family finds what was planted, in the other nobody finds anything."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from relations.families.small_papers import audited
from relations.papers import decide_all
from sealtrace.relations.auditing import distinct
from sealtrace.relations.decision import Status
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.registry import FAMILIES, automatic_claims

PAPERS = Path(__file__).parents[1] / "papers"


def _read(name: str) -> AuditedPaper:
    return audited((PAPERS / name).read_text(encoding="utf-8"), name)


def _planted() -> Counter[tuple[int, str]]:
    lines = (PAPERS / "planted.tex").read_text(encoding="utf-8").splitlines()
    marked = [(number, line.split("% planted: ")) for number, line in enumerate(lines, 1)]
    return Counter((number, parts[1]) for number, parts in marked if len(parts) == 2)


def test_every_planted_error_is_found_and_nothing_else() -> None:
    """Each contradiction or suspicion speaks of a line on which an error of its family was planted."""
    paper = _read("planted.tex")
    planted = _planted()
    found: set[tuple[int, str]] = set()
    for one in distinct(decide_all(automatic_claims(paper))):
        if one.status in (Status.CONTRADICTION, Status.SUSPICION):
            places = {(fact.line or 0, one.claim.family) for fact in one.cells} & set(planted)
            assert places, one
            assert one.arithmetic
            found |= places
    assert found == set(planted)


def test_every_family_has_an_error_planted() -> None:
    """No family is left untried."""
    assert {family for _line, family in _planted()} == {family.name for family in FAMILIES}


def test_nothing_is_found_in_the_clean_paper() -> None:
    """Every family speaks, and everything that it says holds, though the paper is full of tables that mislead."""
    paper = _read("clean.tex")
    decisions = decide_all(automatic_claims(paper))
    assert [one for one in decisions if one.status is not Status.HOLDS] == []
    assert {one.claim.family for one in decisions} == {family.name for family in FAMILIES}


def test_claims_have_names_of_their_own_and_say_where_they_come_from() -> None:
    """Groups tell claims apart by name, and a reader needs the sentence and the place."""
    for name in ("planted.tex", "clean.tex"):
        claims = automatic_claims(_read(name))
        assert len({claim.name for claim in claims}) == len(claims)
        assert all(claim.sentence and name in claim.source for claim in claims)
