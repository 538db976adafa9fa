"""What the families claim of the written papers, beside what z3 says of the same formulas."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.z3_formulas import can_hold
from relations.families.small_papers import audited
from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Status
from sealtrace.relations.families.registry import automatic_claims
from sealtrace.relations.syntax import Call, walk

IRRATIONAL = {"sqrt", "log", "cp_upper", "hoeffding"}
PAPERS = Path(__file__).parent.parent / "papers"


@pytest.mark.parametrize("name", ["clean", "planted"])
def test_every_claim_that_z3_can_read_is_decided_alike(name: str) -> None:
    """Contradictions and suspicions are impossible for z3, too, and what holds is possible."""
    claims = automatic_claims(audited((PAPERS / f"{name}.tex").read_text(encoding="utf-8"), f"{name}.tex"))
    compared = 0
    for claim in claims:
        called = {one.function for one in walk(claim.formula) if isinstance(one, Call)}
        if called & IRRATIONAL:
            continue
        answer = can_hold(claim.formula)
        status = decide(claim).status
        if answer is not None and status is not Status.UNDECIDED:
            compared += 1
            assert (status is Status.HOLDS) == answer, claim.name
    assert compared > 35
