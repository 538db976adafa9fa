"""A relation binds a number only where it excludes another one in its place."""

from __future__ import annotations

import pytest

from sealtrace.paper.model import Table
from sealtrace.relations import decide as deciding
from sealtrace.relations.decide import bound_numbers, decide
from sealtrace.relations.decision import Status
from sealtrace.relations.sealed import facts_of_tables
from sealtrace.relations.stored import claims_of
from sealtrace.relations.work import Work

TABLE = {
    "label": "tab:x",
    "columns": [{"label": "Rate"}, {"label": "Half"}],
    "rows": [{"label": "a", "cells": ["0.50", "0.25"]}, {"label": "b", "cells": ["0.61", "0.30"]}],
}
A = "tab:x[a, Rate]"


def bound(*formulas: str, asked: set[str] | None = None) -> set[str]:
    """The addresses that relations bind; `free` is an unknown that they share."""
    records = [
        {
            "relation": f"r{place}",
            "formula": formula,
            "sentence": "s",
            "source": "b",
            "unknowns": [{"name": "free"}] if "free" in formula else [],
        }
        for place, formula in enumerate(formulas)
    ]
    claims, problems = claims_of(records, "r", facts_of_tables([Table.of(TABLE)]))
    assert problems == []
    assert {decide(one).status for one in claims} == {Status.HOLDS}
    return {fact.address for fact in bound_numbers(claims, asked)}


def test_numbers_that_are_asked_for_are_bound_as_among_all() -> None:
    """Other numbers are moved only as second ones, which changes nothing of those that somebody asks for."""
    halves = (f"{A} == 2 * tab:x[a, Half]", "tab:x[b, Rate] == 2 * tab:x[b, Half]")
    every = bound(*halves, f"{A} <= 1")
    assert len(every) == 4
    for asked in every:
        assert bound(*halves, f"{A} <= 1", asked={asked}) == {asked}


@pytest.mark.parametrize(
    "formula",
    [
        f"0 * {A} == 0",
        f"{A} == {A}",
        f"{A} <= rounded({A}) + 1",
        f"{A} - {A} == 0",
        f"{A} == free",
        f"some x in [-inf, inf]: {A} == x",
        f"{A} <= 1 or {A} >= 0",
        f"{A} <= 1",
        f"{A} >= 0",
        f"{A} >= 0.4 + 0 * tab:x[a, Half]",
        f"{A} == 0.5",
        f"{A} == tab:x[b, Rate] or tab:x[a, Half] <= tab:x[b, Half]",
    ],
)
def test_nothing_is_excluded(formula: str) -> None:
    """Each holds whatever such a number may be, or says no more than that its author says it."""
    assert A not in bound(formula)


@pytest.mark.parametrize(
    "formula",
    [
        f"{A} == 2 * tab:x[a, Half]",
        f"{A} < tab:x[b, Rate]",
        f"some integer k in 0..24: {A} == k / 24",
    ],
)
def test_something_is_excluded(formula: str) -> None:
    """Each forbids some number there."""
    assert A in bound(formula)


def test_an_unknown_binds_where_two_relations_share_it() -> None:
    """Alone neither says anything; together they tie the cells to each other."""
    one, other = f"{A} == 2 * free", "tab:x[a, Half] == free"
    assert bound(one) == bound(other) == set()
    assert bound(one, other) == {A, "tab:x[a, Half]"}


def test_asking_for_numbers_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many cells of a minimum is a dear question: the steps for all of them together are limited."""
    rows = [{"label": f"r{place}", "cells": [f"0.{place + 20}"]} for place in range(40)]
    table = Table.of({"label": "tab:y", "columns": [{"label": "Rate"}], "rows": rows})
    cells = ", ".join(f"tab:y[r{place}, Rate]" for place in range(1, 40))
    record = {"relation": "r", "formula": f"tab:y[r0, Rate] <= min({cells})", "sentence": "s", "source": "b"}
    claims, problems = claims_of([record], "r", facts_of_tables([table]))
    assert problems == []

    def asked() -> tuple[int, int]:
        """The numbers that are bound, and the steps that this took."""
        with Work(10**9) as work:
            found = len(list(bound_numbers(claims)))
        return found, 10**9 - work.left

    every, steps = asked()
    assert every == 40
    monkeypatch.setattr(deciding, "ALLOWANCE", steps // 8)
    some, fewer = asked()
    assert 0 < some < every
    assert fewer < steps // 2
