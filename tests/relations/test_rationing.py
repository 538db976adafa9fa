"""Many claims share one allowance of work."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from sealtrace.paper.model import Table
from sealtrace.relations import decide as deciding
from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Status
from sealtrace.relations.forms import added
from sealtrace.relations.reading import read_relations
from sealtrace.relations.sealed import facts_of_tables
from sealtrace.relations.search import search
from sealtrace.relations.work import Work

HARD = "some x in [0, 1]: some y in [0, 1]: x^7 * y^5 + sqrt(x * y) + log(1 + x) == 1 + x * y"
FILE = "".join(
    f"relation {name}\n  says s\n  because b\n  holds {formula}\n"
    for name, formula in (("easy", "1 + 1 == 2"), ("hard", HARD), ("wrong", "1 + 1 == 3"))
)


def test_a_spent_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hard claims are given up early, and easy ones are still decided; every claim is told of."""
    claims = read_relations(FILE, "r", facts_of_tables([])).claims
    seen: list[tuple[str, int, int]] = []
    monkeypatch.setattr(deciding, "ALLOWANCE", 0)
    decisions = deciding.decide_each(claims, lambda *step: seen.append(step))
    assert [one.status for one in decisions] == [Status.HOLDS, Status.UNDECIDED, Status.CONTRADICTION]
    assert decisions[1].reason
    assert seen == [("deciding", number, 3) for number in (1, 2, 3)]


def test_everything_about_a_claim_comes_from_one_budget() -> None:
    """Deciding is cheap here; how far numbers would have to move is not, and is left out rather than waited for."""
    rows = [{"label": f"r{n}", "cells": [f"0.{123 + 37 * n}4567"]} for n in range(1, 3)]
    facts = facts_of_tables([Table.of({"label": "t", "columns": [{"label": "B"}], "rows": rows})])
    (claim,) = read_relations(
        "relation r\n  says s\n  because b\n  holds t[r1, B] * t[r2, B] == 7\n", "r", facts
    ).claims
    with Work(100) as work:
        found = decide(claim)
    assert (found.status, found.distance) == (Status.CONTRADICTION, None)
    assert work.left < 0
    with Work(10**7) as work:
        assert decide(claim).distance is not None
    assert work.left > 10**7 - 10**6


def test_what_stands_inside_itself_twice_is_computed_once() -> None:
    """An absolute value is the greater of a number and its opposite: nested ones share what they are made of."""
    (claim,) = read_relations(
        f"relation r\n  says s\n  because b\n  holds some x in [-1, 2]: {'abs(' * 38}x{')' * 38} == 3\n",
        "r",
        facts_of_tables([]),
    ).claims
    with Work(20_000) as work:
        assert decide(claim).status is Status.CONTRADICTION
    assert work.left > 0


def test_no_case_is_made_that_the_budget_does_not_pay() -> None:
    """The least of many equal cells has as many cases, each with as many comparisons: making them costs steps, too."""
    rows = [{"label": f"r{n}", "cells": ["0.50"]} for n in range(300)]
    facts = facts_of_tables([Table.of({"label": "t", "columns": [{"label": "B"}], "rows": rows})])
    cells = ", ".join(f"t[r{n}, B]" for n in range(300))
    text = f"relation r\n  says s\n  because b\n  holds max({cells}) - min({cells}) == 0.009\n"
    (claim,) = read_relations(text, "r", facts).claims
    forms = 0

    def count(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal forms
        forms += event == "call" and frame.f_code is added.__code__

    sys.setprofile(count)
    try:
        search(claim.formula, Work(30_000))
    finally:
        sys.setprofile(None)
    assert 0 < forms <= 30_000
