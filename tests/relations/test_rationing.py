"""Many claims share one allowance of work."""

from __future__ import annotations

import pytest

from sealtrace.relations import rationing
from sealtrace.relations.decision import Status
from sealtrace.relations.reading import read_relations
from sealtrace.relations.sealed import facts_of_records

HARD = "some x in [0, 1]: some y in [0, 1]: x^7 * y^5 + sqrt(x * y) + log(1 + x) == 1 + x * y"
FILE = "".join(
    f"relation {name}\n  says s\n  because b\n  holds {formula}\n"
    for name, formula in (("easy", "1 + 1 == 2"), ("hard", HARD), ("wrong", "1 + 1 == 3"))
)


def test_a_spent_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hard claims are given up early, and easy ones are still decided; every claim is told of."""
    claims = read_relations(FILE, "r", facts_of_records([])).claims
    seen: list[tuple[str, int, int]] = []
    monkeypatch.setattr(rationing, "ALLOWANCE", 0)
    decisions = rationing.decide_each(claims, lambda *step: seen.append(step))
    assert [one.status for one in decisions] == [Status.HOLDS, Status.UNDECIDED, Status.CONTRADICTION]
    assert decisions[1].reason
    assert seen == [("deciding", number, 3) for number in (1, 2, 3)]
