"""Granularity against brute force: for small samples, every possible list of integers is tried."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from relations.families.small_papers import claimed, read, table
from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Status
from sealtrace.relations.search import search


@pytest.mark.parametrize(("size", "repeats"), [(3, 1), (7, 1), (12, 3)])
def test_a_rate_is_possible_where_some_count_prints_so(size: int, repeats: int) -> None:
    """Two decimals; a tie may have been printed either way."""
    seeds = ", mean over three seeds" if repeats == 3 else ""
    rows = [f"r{cents} | {cents / 100:.2f} | {size}" for cents in range(101)]
    header = "Arm | Coverage | Questions"
    paper = read(table(f"Coverage is the fraction of questions that are answered{seeds}.", header, rows))
    claims = claimed(paper, "granularity")
    assert len(claims) == len(rows)
    for claim in claims:
        value = claim.facts[0].value
        near = any(abs(Fraction(k, size * repeats) - value) <= Fraction(1, 200) for k in range(size * repeats + 1))
        assert search(claim.formula).status == ("possible" if near else "impossible")


def _statuses(size: int, mean: str, deviations: list[str]) -> dict[str, Status]:
    rows = [f"i{place} | {size} | {mean} | {deviation}" for place, deviation in enumerate(deviations)]
    paper = read(table("Integer ratings, mean and SD.", "Item | n | Mean | SD", rows))
    claims = [claim for claim in claimed(paper, "whole numbers") if len(claim.facts) == 2]
    return {claim.facts[1].text: decide(claim).status for claim in claims}


@pytest.mark.parametrize(("size", "total"), [(2, 3), (3, 4), (4, 6), (5, 7), (6, 9)])
def test_a_deviation_is_possible_where_some_list_has_it(size: int, total: int) -> None:
    """No list of integers is refused; from five on, only sums of squares that some list has are let through."""
    mean = f"{total / size:.2f}"
    reachable = set()
    for values in combinations_with_replacement(range(-3, 7), size):
        if sum(values) == total:
            squares = sum(value * value for value in values) - Fraction(total * total, size)
            reachable |= {squares / divisor for divisor in (size - 1, size)}
    texts = [f"{cents / 100:.2f}" for cents in range(1, 140, 8)]
    found = _statuses(size, mean, texts)
    for text, status in found.items():
        low, high = Fraction(text) - Fraction(1, 200), Fraction(text) + Fraction(1, 200)
        fits = any(max(low, Fraction(0)) ** 2 <= variance <= high**2 for variance in reachable)
        assert status is not Status.UNDECIDED
        assert not (fits and status is Status.CONTRADICTION), text
        if size >= 5:
            assert fits == (status is Status.HOLDS), text
