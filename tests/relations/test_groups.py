"""Claims that hold alone and not together."""

from __future__ import annotations

from fractions import Fraction

from relations.papers import decide_all, paper_facts
from sealtrace.relations.decision import Status
from sealtrace.relations.reading import read_relations

CHAIN = """\
unknown w in [0, 1]
unknown integer n in 2..9
relation a
  says A.
  because here
  holds tab:main[A, Interval].low + w == 0.5
relation b
  says B.
  because there
  holds tab:main[B, Interval].low + w == 0.8
relation c
  says C.
  because here
  holds tab:main[B, Weak EV] >= 1
"""
COUNTS = """\
unknown integer n in 2..9
relation even
  says n is even.
  because here
  holds some integer k in 0..9: n == 2 * k
relation odd
  says n is odd.
  because here
  holds some integer k in 0..9: n == 2 * k + 1
relation small
  says n is small.
  because here
  holds n <= 8
"""


def test_a_shared_unknown() -> None:
    """Two relations about one unknown: each holds with its own value, both with none; the third is not involved."""
    *alone, group = decide_all(read_relations(CHAIN, "a.relations", paper_facts()).claims)
    assert [one.status for one in alone] == [Status.HOLDS] * 3
    assert group.status is Status.CONTRADICTION
    assert [claim.name for claim in group.together] == ["a", "b"]
    assert group.arithmetic == (
        "1 × (tab:main[A, Interval].low + w == 0.5); 1 × (-tab:main[B, Interval].low - w == -0.8); added up: "
        "tab:main[A, Interval].low - tab:main[B, Interval].low <= -0.3, but within the intervals it is at least -0.2"
    )
    assert group.certificate is not None
    assert group.certificate.holds()
    assert group.distance == Fraction(1)


def test_what_rests_on_an_assumption_joins_no_other() -> None:
    """The same relations, one of which needs something that the paper states nowhere."""
    text = CHAIN.replace("because there\n", "because there\n  assumes that w is the same\n")
    decided = decide_all(read_relations(text, "a.relations", paper_facts()).claims)
    assert [one.status for one in decided] == [Status.HOLDS] * 3


def test_a_shared_integer() -> None:
    """What a linear program cannot see, a search over the unknown does, with as few relations as it takes."""
    *_, group = decide_all(read_relations(COUNTS, "a.relations", paper_facts()).claims)
    assert group.status is Status.CONTRADICTION
    assert [claim.name for claim in group.together] == ["even", "odd"]


def test_no_claims() -> None:
    """Nothing claimed, nothing found."""
    assert decide_all([]) == []
