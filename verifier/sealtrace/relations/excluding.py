"""Which printed numbers a relation binds: those of which it excludes some value that could have been printed.

A relation may speak of a number and say nothing about it: `0 * cell == 0`, `cell == cell`, or a formula that some
unknown can always satisfy. So each number is moved by whole units of its last digit, far and near, up and down; where
no move makes the relation impossible, it does not bind the number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact, plain_address
from sealtrace.relations.intervals import Interval
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, Shared, all_of, facts_in, walk
from sealtrace.relations.work import Work, time_is_up

MOVES = tuple(sign * units for units in (10**6, 1000, 100, 10, 2, 1) for sign in (1, -1))
"""By how many units of its last digit a number is moved. Far ones come first: most relations exclude those at once."""
MAX_TOGETHER = 30
"""How many relations about one unknown are asked together."""


def bound_numbers(claims: Iterable[Claim]) -> Iterator[Fact]:
    """The printed numbers that some of these claims bind, each once."""
    every = list(claims)
    seen: set[str] = set()
    for claim in every:
        formula = all_of(*(one.formula for one in _about_the_same(claim, every)))
        for address, facts in _by_cell(claim.facts).items():
            if address not in seen and not time_is_up() and _excludes(formula, address):
                seen.add(address)
                yield facts[0]


def _excludes(formula: Formula, address: str) -> bool:
    facts = _by_cell(facts_in(formula))[address]
    return any(
        search(formula, Work(50_000, 200, 40), {one.address: _moved(one, units) for one in facts}).status
        == "impossible"
        for units in MOVES
    )


def _moved(fact: Fact, units: int) -> Interval:
    distance = fact.unit * Fraction(units)
    return Interval(fact.low + distance, fact.high + distance)


def _by_cell(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """A number that is read as a count here and as rounded there is one printed number, and moves as one."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(plain_address(fact), []).append(fact)
    return found


def _about_the_same(claim: Claim, claims: Sequence[Claim]) -> list[Claim]:
    """A claim, and those that speak of an unknown that it speaks of: only together may they say anything."""
    unknowns = _unknowns(claim)
    others = [one for one in claims if one is not claim and unknowns & _unknowns(one)] if unknowns else []
    return [claim, *others[: MAX_TOGETHER - 1]]


def _unknowns(claim: Claim) -> frozenset[str]:
    return frozenset(node.name for node in walk(claim.formula) if isinstance(node, Shared))
