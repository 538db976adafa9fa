"""A contradiction for readers: one line of arithmetic that shows it, how far a number would have to move, a letter."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from sealtrace.relations.cases import Case, rows_of, rungs, starting_case
from sealtrace.relations.contraction import Box, EmptyError, Evaluation
from sealtrace.relations.decision import Decision
from sealtrace.relations.fact import Fact
from sealtrace.relations.forms import Form, lowered
from sealtrace.relations.intervals import INFINITY, Interval, TooLargeError, point
from sealtrace.relations.linear import Certificate, Row, minimize
from sealtrace.relations.rendering import approximately, decimals, formula_text, places_of, printed, range_text
from sealtrace.relations.search import Answer, search
from sealtrace.relations.syntax import (
    ORDERS,
    And,
    Cell,
    Comparison,
    Expression,
    Formula,
    Multiple,
    Number,
    Or,
    Ordered,
    Some,
    Unknown,
    facts_in,
    unknowns_in,
    walk,
)
from sealtrace.relations.work import OutOfWorkError, Work

LISTED = 4
"""How many numbers a letter names."""
MAX_CELLS = 30
"""Of which each is moved by itself."""
_REACHES = tuple(Fraction(10) ** power for power in (1, 2, 4, 6, 9))
_NEARLY = 1 - Fraction(1, 10**6)
_PROBES = 40
_FARTHEST = 1 << 60
_LARGEST_COUNT = 10**12
_MANY_UNKNOWNS = 4
Unknowns = Mapping[str, tuple[Expression | None, Expression | None]]
"""Unknowns of the formulas around, with their ends; None is infinite."""


def arithmetic_of(formula: Formula, proof: Certificate | None = None) -> str:
    """Why no values satisfy the formula, in one line."""
    try:
        return _line(formula, {}, proof)
    except (EmptyError, TooLargeError, KeyError):
        return f"no values within the intervals satisfy {formula_text(formula)}"


def _line(formula: Formula, unknowns: Unknowns, proof: Certificate | None) -> str:
    match formula:
        case And(parts):
            for part in parts:
                if not unknowns and search(part).status == "impossible":
                    return _line(part, unknowns, None)
            return "; ".join(proof.text()) if proof else f"together impossible: {formula_text(formula)}"
        case Or(parts):
            return "; nor: ".join(_line(part, unknowns, None) for part in parts)
        case Ordered(order, items):
            for left, right in pairwise(items):
                pair = Comparison(ORDERS[order], left, right)
                if search(pair).status == "impossible":
                    return _comparison(pair, {})
            return f"{order}: together impossible"
        case Multiple(of):
            grid = rungs(formula, "k")
            # k/n for k times one over n.
            text = printed(grid)
            text = text.replace(" × (1/", "/").replace(")", "") if " × (1/" in text else text
            return _grid(of, grid, text, "k", None, None)
        case Some(name, low, high, body, True) if not unknowns and (sides := _grid_sides(body, name)):
            value, grid = sides
            return _grid(value, grid, printed(grid), name, low, high)
        case Some():
            inner: Formula = formula
            texts = []
            while isinstance(inner, Some):
                texts.append(range_text(inner, printed))
                unknowns = {**unknowns, inner.name: (inner.low, inner.high)}
                inner = inner.body
            shown = ", ".join(texts if len(texts) < _MANY_UNKNOWNS else [texts[0], "…", texts[-1]])
            return f"no {shown} {'gives' if len(texts) == 1 else 'give'} it: {_line(inner, unknowns, None)}"
        case Comparison():
            return _comparison(formula, unknowns)
    raise TypeError(f"no formula: {formula!r}")


def _comparison(comparison: Comparison, unknowns: Unknowns) -> str:
    box = _box(comparison, unknowns)
    left, right = comparison.left, comparison.right
    if comparison.operator == "==":
        if isinstance(left, Cell) and not isinstance(right, Cell):
            left, right = right, left
        if isinstance(right, Cell):
            if isinstance(left, Cell):
                return f"{left.fact.text} in one place, {right.fact.text} in the other: no value prints as both"
            if isinstance(left, Number):
                return f"needs {printed(left)}, printed {right.fact.text}"
            return f"{_valued(left, box)}, printed {right.fact.text}"
        return f"{_valued(left, box)}, but {_valued(right, box)}"
    if comparison.operator == "!=":
        return f"{printed(left)} is {printed(right)}, which it must not be"
    first, second = _value(left, box), _value(right, box)
    rising = comparison.operator in ("<", "<=")
    ends = (first.low, second.high) if rising else (first.high, second.low)
    places = places_of(comparison) + 1
    words = ("at least", "at most") if rising else ("at most", "at least")
    return (
        f"needs {printed(left)} {comparison.operator} {printed(right)}, but the first is {words[0]} "
        f"{decimals(ends[0], places)} and the second {words[1]} {decimals(ends[1], places)}"
    )


def _grid(
    of: Expression, grid: Expression, text: str, name: str, low: Expression | None, high: Expression | None
) -> str:
    """The two nearest values that an integer gives."""
    of_range = _value(of, _box(Comparison("==", of, of), {}))
    form = lowered(grid, {name: name})
    box = _box(Comparison("==", grid, grid), {})
    least = None if low is None else math.ceil(_value(low, box).low)
    most = None if high is None else math.floor(_value(high, box).high)
    if least is not None and most is not None and least > most:
        return f"there is no integer from {least} to {most}"
    places = max(places_of(of), 4)
    around = _around(form, name, box, of_range.middle(), least, most)
    if max(map(abs, around)) > _LARGEST_COUNT:
        return f"no integer {name} makes {text} equal to {printed(of)}"
    unknown = re.compile(rf"\b{re.escape(name)}\b")
    shown = ", ".join(
        f"{unknown.sub(str(count), text)} = {approximately(_at(form, name, count, box), places)}" for count in around
    )
    half = of_range.width / 2
    tolerance = f" ± {decimals(half, 12)}" if half else ""
    return f"{printed(of)}{tolerance} needs {text} with {name} integer: {shown}"


def _around(form: Form, name: str, box: Box, value: Fraction, least: int | None, most: int | None) -> list[int]:
    """The integers just before and just after the value is passed, where the form rises or falls throughout."""

    def at(count: int) -> Fraction:
        return _at(form, name, count, box).middle()

    low, high = least if least is not None else -1, most if most is not None else 1
    if at(low) == at(high):
        return [low]
    rises = at(high) > at(low)
    while most is None and (at(high) < value) == rises and high < _FARTHEST:
        high *= 2
    while least is None and (at(low) > value) == rises and low > -_FARTHEST:
        low *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if (at(middle) <= value) == rises:
            low = middle
        else:
            high = middle
    return sorted({low, high})


def _at(form: Form, name: str, count: int, box: Box) -> Interval:
    return Evaluation({**box, name: point(Fraction(count))}).form(form)


def _grid_sides(body: Formula, name: str) -> tuple[Expression, Expression] | None:
    """A value without unknowns, and what it is equated with: an expression of this one unknown."""
    if not isinstance(body, Comparison) or body.operator != "==":
        return None
    for value, grid in ((body.left, body.right), (body.right, body.left)):
        names = [{one.name for one in walk(side) if isinstance(one, Unknown)} for side in (value, grid)]
        if names == [set(), {name}]:
            return value, grid
    return None


def _box(formula: Formula, unknowns: Unknowns) -> Box:
    box = {fact.address: fact.interval for fact in facts_in(formula)}
    box |= {name: one.interval for name, one in unknowns_in(formula).items()}
    for name, (low, high) in unknowns.items():
        for fact in [*facts_in(low or Number(Fraction(0))), *facts_in(high or Number(Fraction(0)))]:
            box[fact.address] = fact.interval
        least = -INFINITY if low is None else _value(low, box).low
        most = INFINITY if high is None else _value(high, box).high
        box[name] = Interval(least, most)
    return box


def _value(expression: Expression, box: Box) -> Interval:
    return Evaluation(box).form(lowered(expression, {name: name for name in box}))


def _valued(expression: Expression, box: Box) -> str:
    value = _value(expression, box)
    if isinstance(expression, Number):
        return printed(expression)
    return f"{printed(expression)} = {approximately(value, places_of(expression))}"


def tightest_of(formula: Formula) -> tuple[tuple[str, Fraction], ...]:
    """The ends of the intervals at which the first comparison that fails comes closest to holding."""
    try:
        case = starting_case(formula)
        if case is None or case.choices or len(case.atoms) != 1 or case.integers:
            return ()
        form = case.atoms[0].form
        box = dict(case.box)
        above = Evaluation(box).form(form).low > 0
        for name in sorted(form.variables):
            ends = [point(end) for end in (box[name].low, box[name].high) if isinstance(end, Fraction)]
            values = [(Evaluation({**box, name: end}).form(form), end) for end in ends]
            if values:
                key = (lambda one: one[0].low) if above else (lambda one: -one[0].high)
                box[name] = min(values, key=key)[1]
    except (EmptyError, TooLargeError):
        return ()
    return tuple((name, Fraction(box[name].low)) for name in sorted(form.variables) if box[name].is_point)


# How far a printed number would have to move for a contradiction to vanish


def nearest_move(formula: Formula) -> tuple[Fraction, Fact] | None:
    """The cell that has to move least, if one alone can repair the formula, and by how many of its units.

    None, too, where the work that this may cost does not suffice to be sure.
    """
    best: tuple[Fraction, Fact] | None = None
    facts = facts_in(formula)
    if len(facts) > MAX_CELLS:
        return None
    work = Work(100_000)
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
        with Work():
            return minimize(dict.fromkeys(moves, Fraction(1)), rows, box)
    except OutOfWorkError:
        return None


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


# Letters


def letter_of(decision: Decision) -> str:
    """A paragraph that can be sent as it is."""
    claim = decision.claim
    numbers = [f"{_where(fact)} prints {fact.text}" for fact in _named(decision)]
    others = len(decision.cells) - len(numbers)
    if others > 0:
        numbers.append(f"{others} more number{'s' if others > 1 else ''} stand{'' if others > 1 else 's'} beside them")
    question = claim.question or "Which of these numbers, or which assumption, is different from what we take it to be?"
    return (
        f"{_joined(numbers)}. {claim.sentence.rstrip('.')} ({claim.source}). "
        f"However rounded, they cannot all be right: {_ended(_first_line(decision.arithmetic))} {question}"
    )


def _first_line(arithmetic: str) -> str:
    """The arithmetic of the plainest reading; the others are in the audit."""
    first, *others = arithmetic.split("; nor")
    return f"{first}, and no other reading gives it" if others else first


def _named(decision: Decision) -> list[Fact]:
    """The numbers to name: those that would have to move first."""
    cells = decision.cells
    if decision.nearest is not None and decision.nearest in cells:
        cells = [decision.nearest, *(fact for fact in cells if fact != decision.nearest)]
    return cells[:LISTED]


def _where(fact: Fact) -> str:
    place = f"{fact.table}[{fact.row}, {fact.column}]" if fact.table is not None else "the text"
    return f"{place} (line {fact.line})" if fact.line else place


def _joined(parts: list[str]) -> str:
    text = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)
    return text[:1].upper() + text[1:] if text.startswith("the ") else text


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
