"""Which printed numbers a relation binds: those of which it excludes some value that could as well have been printed.

A relation may speak of a number and say nothing about it: `0 * cell == 0`, `cell == cell`, a formula that some unknown
can always satisfy, or `cell >= 0` of a rate. So each number is moved by whole units of its last digit, far and near, up
and down, as far as such a number may lie; where no move makes the relation impossible, it does not bind the number. And
a relation that binds one number only, to what the formula itself says (`cell <= 0.9`), is no more than a second word of
the same author; unless it leaves gaps, as shares of a whole number do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact, plain_address
from sealtrace.relations.intervals import Interval
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, all_of, facts_in, unknowns_in
from sealtrace.relations.work import Work, recall, time_is_up

MOVES = tuple(sign * units for units in (10**6, 1000, 100, 10, 2, 1) for sign in (1, -1))
"""By how many units of its last digit a number is moved. Far ones come first: most relations exclude those at once."""
MAX_TOGETHER = 30
"""How many relations about one unknown are asked together."""


def bound_numbers(claims: Iterable[Claim]) -> Iterator[Fact]:
    """The printed numbers that some of these claims bind, each once."""
    every = list(claims)
    seen: set[str] = set()
    for claim in every:
        formula = all_of(*(related.formula for related in _about_the_same(claim, every)))
        cells = _by_cell(claim.facts)
        bound: dict[str, int] = {}
        # What is bound already, and what other claims speak of, is asked last, and only for a second number.
        others = [address for address in _by_cell(facts_in(formula)) if address not in cells]
        for address in (*sorted(cells, key=lambda address: address in seen), *others):
            enough = (address in seen or address not in cells) and (not bound.keys() - seen or len(bound) > 1)
            if enough or time_is_up():
                continue
            if (units := recall((formula, address), partial(_excluding, formula, address))) is not None:
                bound[address] = units
        for address in cells.keys() & bound.keys() - seen:
            question = formula, address, bound[address]
            if len(bound) > 1 or recall(question, partial(_gaps, *question)):
                seen.add(address)
                yield cells[address][0]


def _excluding(formula: Formula, address: str) -> int | None:
    """A move of a number that makes a formula impossible; None where no plausible one does."""
    facts = _by_cell(facts_in(formula))[address]
    least, most = map(int, _plausible(facts[0]))
    moves = dict.fromkeys((least, most, *(units for units in MOVES if least <= units <= most)))
    return next((units for units in moves if units and _impossible(formula, facts, units, units)), None)


def _gaps(formula: Formula, address: str, units: int) -> bool:
    """Whether values beyond an excluded one are possible again: the formula is no mere bound."""
    facts = _by_cell(facts_in(formula))[address]
    low, high = _plausible(facts[0])
    return any(
        (excluded == units or _impossible(formula, facts, excluded, excluded))
        and end / excluded > 1
        and not _impossible(formula, facts, excluded, end)
        for excluded in (1, -1, 2, -2, units)
        for end in ((high,) if excluded > 0 else (low,))
    )


def _plausible(fact: Fact) -> tuple[Fraction, Fraction]:
    """By how many units such a number may move: a share lies up to one, a percentage up to a hundred, anything else up
    to its double."""
    size = next((Fraction(end) for end in (1, 100) if abs(fact.value) <= end), 2 * abs(fact.value))
    low, high = (-size, Fraction(0)) if fact.value < 0 else (Fraction(0), size)
    return (low - fact.value) / fact.unit, (high - fact.value) / fact.unit


def _impossible(formula: Formula, facts: list[Fact], first: Fraction | int, last: Fraction | int) -> bool:
    """Whether a formula cannot hold with a number moved by anything between so many units of its last digit."""
    least, most = sorted((first, last))
    moved = {fact.address: Interval(fact.low + fact.unit * least, fact.high + fact.unit * most) for fact in facts}
    return search(formula, Work(50_000), moved).status == "impossible"


def _by_cell(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """A number that is read as a count here and as rounded there is one printed number, and moves as one."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(plain_address(fact), []).append(fact)
    return found


def _about_the_same(claim: Claim, claims: Sequence[Claim]) -> list[Claim]:
    """A claim, and those that speak of an unknown that it speaks of: only together may they say anything."""
    unknowns = unknowns_in(claim.formula).keys()
    others = (other for other in claims if other is not claim and unknowns & unknowns_in(other.formula))
    return [claim, *islice(others if unknowns else (), MAX_TOGETHER - 1)]
