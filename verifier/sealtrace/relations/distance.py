"""How far a printed number would have to move for a contradiction to vanish."""

from __future__ import annotations

import math
from fractions import Fraction

from sealtrace.relations.cases import Case, rows_of, starting_case
from sealtrace.relations.contraction import EmptyError
from sealtrace.relations.fact import Fact
from sealtrace.relations.intervals import INFINITY, Interval, TooLargeError
from sealtrace.relations.linear import Row, minimize
from sealtrace.relations.search import Answer, search
from sealtrace.relations.syntax import Formula, facts_in
from sealtrace.relations.work import OutOfWorkError, Work

MAX_CELLS = 30
_REACHES = tuple(Fraction(10) ** power for power in (1, 2, 4, 6, 9))
_NEARLY = 1 - Fraction(1, 10**6)
_PROBES = 40


def nearest_move(formula: Formula) -> tuple[Fraction, Fact] | None:
    """The cell that has to move least, if one alone can repair the formula, and by how many of its units.

    None, too, where the work that this may cost does not suffice to be sure.
    """
    best: tuple[Fraction, Fact] | None = None
    facts = facts_in(formula)
    if len(facts) > MAX_CELLS:
        return None
    work = Work(steps=100_000, boxes=6000, halvings=300)
    try:
        for fact in facts:
            units = _least_move(formula, fact, best[0] if best else None, work)
            if units is not None and (best is None or units < best[0]):
                best = units, fact
    except OutOfWorkError:
        return None
    if best is not None and best[1].exact:
        # A count moves by whole units.
        return Fraction(max(1, math.ceil(best[0]))), best[1]
    return best


def total_move(formula: Formula) -> Fraction | None:
    """The least sum of moves of all cells, each in its own units; None where the formula has several cases."""
    facts = facts_in(formula)
    try:
        case = starting_case(formula, {fact.address: Interval(-INFINITY, INFINITY) for fact in facts})
    except (EmptyError, TooLargeError):
        return None
    if case is None or case.choices or case.integers or any(atom.operator == "!=" for atom in case.atoms):
        return None
    return _least_sum(case, facts)


def _least_sum(case: Case, facts: list[Fact]) -> Fraction | None:
    """The least sum of moves of these cells within one linear case; None where the case is none."""
    if not case.is_linear or case.open_integers():
        return None
    rows, box = rows_of(case.atoms, closed=True), dict(case.box)
    moves = {f"move of {fact.address}": fact for fact in facts}
    for move, fact in moves.items():
        # The value prints as the fact does after a move of so many units.
        rows.append(Row({fact.address: Fraction(1), move: -fact.unit}, "<=", fact.high))
        rows.append(Row({fact.address: Fraction(-1), move: -fact.unit}, "<=", -fact.low))
        box[move] = Interval(Fraction(0), INFINITY)
    try:
        found = minimize(dict.fromkeys(moves, Fraction(1)), rows, box, Work())
    except OutOfWorkError:
        return None
    return None if found is None else found[0]


def _least_move(formula: Formula, fact: Fact, beaten: Fraction | None, work: Work) -> Fraction | None:
    """The least move of one cell; None where it cannot repair the formula, or not with less than what is beaten."""
    answers: list[Answer] = []
    for reach in _REACHES if beaten is None else (beaten * _NEARLY,):
        answers.append(_probe(formula, fact, reach, work))
        if answers[-1].status == "possible":
            break
    else:
        _be_sure(*answers)
        return None
    enough, too_little = _reached(answers[-1], fact), Fraction(0)
    for _ in range(_PROBES):
        # Most often what was reached is the least already, and one more probe shows it.
        answer = _probe(formula, fact, enough * _NEARLY, work)
        if answer.status != "possible":
            _be_sure(answer)
            return enough
        enough = _reached(answer, fact)
        # The narrowed case is often exact at its end.
        assert answer.case is not None
        end = _gap(answer.case.box[fact.address], fact)
        middle = end if too_little < end < enough else (enough + too_little) / 2
        answer = _probe(formula, fact, middle, work)
        if answer.status == "possible":
            enough = min(middle, _reached(answer, fact))
        else:
            too_little = middle
    raise OutOfWorkError("the least move is not reached")


def _be_sure(*answers: Answer) -> None:
    """Stops where an answer that should rule something out does not."""
    for answer in answers:
        if answer.status == "unknown":
            raise OutOfWorkError(answer.reason)


def _probe(formula: Formula, fact: Fact, units: Fraction, work: Work) -> Answer:
    room = Interval(fact.low - units * fact.unit, fact.high + units * fact.unit)
    return search(formula, work, {fact.address: room})


def _reached(answer: Answer, fact: Fact) -> Fraction:
    """The move that the found solution needs, or less where its case allows that."""
    assert answer.values is not None
    assert answer.case is not None
    units = _gap(answer.values[fact.address], fact)
    least = _least_sum(answer.case, [fact])
    return units if least is None else min(units, least)


def _gap(interval: Interval, fact: Fact) -> Fraction:
    return max(Fraction(interval.low) - fact.high, fact.low - Fraction(interval.high), Fraction(0)) / fact.unit
