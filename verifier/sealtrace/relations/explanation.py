"""A contradiction for readers: one line of arithmetic that shows it, how far a number would have to move, a letter."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from sealtrace.paper.fact import cell_id
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.cases import Case, starting_box, starting_case, value_of
from sealtrace.relations.decision import Decision
from sealtrace.relations.forms import Atom, Box, LinearForm, constant
from sealtrace.relations.intervals import INFINITY, NOT_NEGATIVE, WHOLE, EmptyError, Interval, TooLargeError, point
from sealtrace.relations.linear import LinearCertificate, minimize
from sealtrace.relations.search import Answer, search
from sealtrace.relations.syntax import (
    And,
    Call,
    Comparison,
    Expression,
    Formula,
    Given,
    Multiple,
    Number,
    Or,
    Ordered,
    Some,
    Unknown,
    approximately,
    decimals,
    facts_in,
    formula_text,
    places_of,
    printed,
    range_text,
    walk,
)
from sealtrace.relations.work import OutOfWorkError, Work

LISTED = 4
"""How many numbers a letter names."""
MAX_CELLS = 30
"""Of which each is moved by itself."""
_REACHES = tuple(Fraction(10) ** power for power in (1, 2, 4, 6, 9))
_NEARLY = 1 - Fraction(1, 10**6)
_PROBES = 60
_MANY_UNKNOWNS = 4


def arithmetic_of(formula: Formula, proof: LinearCertificate | None = None) -> str:
    """Why no values satisfy the formula, in one line."""
    try:
        return _line(formula, starting_box(formula), proof)
    except (EmptyError, TooLargeError, KeyError):
        return f"no values within the intervals satisfy {formula_text(formula)}"


def _line(formula: Formula, box: Box, proof: LinearCertificate | None = None, *, inside: bool = False) -> str:
    """The line for a formula; `inside` another that speaks of an unknown, its parts cannot be asked by themselves."""
    match formula:
        case And(parts):
            wrong = (part for part in parts if not inside and search(part).status == "impossible")
            if (part := next(wrong, None)) is not None:
                return _line(part, box)
            return "; ".join(proof.text()) if proof else f"together impossible: {formula_text(formula)}"
        case Or(parts):
            return "; nor: ".join(_line(part, box, inside=inside) for part in parts)
        case Ordered():
            return _line(formula.chain, box, proof, inside=inside)
        case Multiple(of):
            grid = formula.grid("k")
            # k/n for k times one over n.
            text = printed(grid)
            text = text.replace(" × (1/", "/").replace(")", "") if " × (1/" in text else text
            return _grid(of, grid, text, Some("k", None, None, formula), box)
        case Some(body=body, integer=True) if not inside and (sides := _grid_sides(body, formula.name)):
            return _grid(*sides, printed(sides[1]), formula, box)
        case Some():
            inner: Formula = formula
            texts = []
            while isinstance(inner, Some):
                texts.append(range_text(inner, printed))
                box = {**box, inner.name: _range(inner, box)}
                inner = inner.body
            shown = ", ".join(texts if len(texts) < _MANY_UNKNOWNS else [texts[0], "…", texts[-1]])
            return f"no {shown} {'gives' if len(texts) == 1 else 'give'} it: {_line(inner, box, inside=True)}"
        case Comparison():
            return _comparison(formula, box)
    raise TypeError(f"no formula: {formula!r}")


def _comparison(comparison: Comparison, box: Box) -> str:
    left, right = comparison.left, comparison.right
    if comparison.operator == "==":
        if isinstance(left, Given) and not isinstance(right, Given):
            left, right = right, left
        if isinstance(right, Given):
            if isinstance(left, Given):
                return f"{left.fact.text} in one place, {right.fact.text} in the other: no value prints as both"
            if isinstance(left, Number):
                return f"needs {printed(left)}, printed {right.fact.text}"
            return f"{_valued(left, box)}, printed {right.fact.text}"
        return f"{_valued(left, box)}, but {_valued(right, box)}"
    if comparison.operator == "!=":
        return f"{printed(left)} is {printed(right)}, which it must not be"
    first, second = value_of(left, box), value_of(right, box)
    rising = comparison.operator in ("<", "<=")
    ends = (first.low, second.high) if rising else (first.high, second.low)
    places = places_of(comparison) + 1
    words = ("at least", "at most") if rising else ("at most", "at least")
    return (
        f"needs {printed(left)} {comparison.operator} {printed(right)}, but the first is {words[0]} "
        f"{decimals(ends[0], places)} and the second {words[1]} {decimals(ends[1], places)}"
    )


def _grid_sides(body: Formula, name: str) -> tuple[Expression, Expression] | None:
    """A value without unknowns, and what it is equated with: an expression of this one unknown."""
    if not isinstance(body, Comparison) or body.operator != "==":
        return None
    for value, grid in ((body.left, body.right), (body.right, body.left)):
        names = [{node.name for node in walk(side) if isinstance(node, Unknown)} for side in (value, grid)]
        if names == [set(), {name}]:
            return value, grid
    return None


def _grid(of: Expression, grid: Expression, text: str, some: Some, box: Box) -> str:
    """The two nearest values that an integer gives."""
    value, between = value_of(of, box), _range(some, box)
    least, most = between.low, between.high
    if math.isfinite(least) and math.isfinite(most) and math.ceil(least) > math.floor(most):
        return f"there is no integer from {math.ceil(least)} to {math.floor(most)}"
    case = Case({**box, some.name: between})
    steps = case.lowered(grid, {name: name for name in case.box})
    known = {name: constant(Fraction(value.low)) for name, value in box.items() if value.is_point}
    case.add(steps, "==")
    steps = case.with_known(known).atoms[-1].form
    if steps.terms.keys() != {some.name}:
        return f"no integer {some.name} makes {text} equal to {printed(of)}"
    # The integers just before and just after the value is passed.
    passed = (value.middle() - steps.constant) / steps.terms[some.name]
    inside = (min(max(end, least), most) for end in (math.floor(passed), math.ceil(passed)))
    counts = sorted({math.ceil(end) if end == least else math.floor(end) for end in inside})
    unknown, places = re.compile(rf"\b{re.escape(some.name)}\b"), max(places_of(of), 4)
    shown = ", ".join(
        f"{unknown.sub(str(count), text)} = {approximately(steps.over({some.name: point(Fraction(count))}), places)}"
        for count in counts
    )
    tolerance = f" ± {decimals(value.width / 2, 12)}" if value.width else ""
    return f"{printed(of)}{tolerance} needs {text} with {some.name} integer: {shown}"


def _range(some: Some, box: Box) -> Interval:
    low = -INFINITY if some.low is None else value_of(some.low, box).low
    return Interval(low, INFINITY if some.high is None else value_of(some.high, box).high)


def _valued(expression: Expression, box: Box) -> str:
    value = value_of(expression, box)
    if isinstance(expression, Number):
        return printed(expression)
    return f"{printed(expression)} = {approximately(value, places_of(expression))}"


# How far a printed number would have to move for a contradiction to vanish


def nearest_move(formula: Formula) -> tuple[Fraction, PrintedNumber] | None:
    """The cell that has to move least, if one alone can repair the formula, and by how many of its units.

    None, too, where the work that this may cost does not suffice to be sure.
    """
    best: tuple[Fraction, PrintedNumber] | None = None
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
        case = starting_case(formula, {fact.address: WHOLE for fact in facts})
    except (EmptyError, TooLargeError, OutOfWorkError):
        return None
    if case.choices or case.integers or any(atom.operator == "!=" for atom in case.atoms):
        return None
    return _least_sum(case, facts)


def _least_sum(case: Case, facts: list[PrintedNumber]) -> Fraction | None:
    """The least sum of moves of these cells within one linear case; None where the case is none."""
    if not case.is_linear or case.open_integers():
        return None
    box = dict(case.box)
    closed = {"==": "==", "<=": "<=", "<": "<="}
    atoms = [Atom(atom.form, closed[atom.operator]) for atom in case.atoms if atom.operator in closed]
    moves = {f"move of {fact.address}": fact for fact in facts}
    for move, fact in moves.items():
        # The value prints as the fact does after a move of so many units.
        atoms.append(Atom(LinearForm({fact.address: Fraction(1), move: -fact.unit}, -fact.high), "<="))
        atoms.append(Atom(LinearForm({fact.address: Fraction(-1), move: -fact.unit}, fact.low), "<="))
        box[move] = NOT_NEGATIVE
    try:
        with Work():
            return minimize(LinearForm(dict.fromkeys(moves, Fraction(1))), atoms, box)
    except OutOfWorkError:
        return None


def _least_move(formula: Formula, fact: PrintedNumber, beaten: Fraction | None, work: Work) -> Fraction | None:
    """The least move of one cell; None where it cannot repair the formula, or not with less than what is beaten."""

    def probe(units: Fraction) -> Answer:
        room = Interval(fact.low - units * fact.unit, fact.high + units * fact.unit)
        return search(formula, work, {fact.address: room})

    def gap(interval: Interval) -> Fraction:
        return max(Fraction(interval.low) - fact.high, fact.low - Fraction(interval.high), Fraction(0)) / fact.unit

    too_little, enough, answers = Fraction(0), None, list[Answer]()
    for reach in _REACHES if beaten is None else (beaten * _NEARLY,):
        answers.append(probe(reach))
        if answers[-1].status == "possible":
            break
    for _ in range(_PROBES):
        found = answers[-1]
        if found.case is None or found.values is None:
            # What rules something out must be sure.
            if reason := next((answer.reason for answer in answers if answer.status == "unknown"), None):
                raise OutOfWorkError(reason)
            return enough
        # The solution needs so much, or its case at least; often the narrowed case is exact at its end.
        end, least = gap(found.case.box[fact.address]), _least_sum(found.case, [fact])
        enough = gap(found.values[fact.address])
        enough = enough if least is None else min(enough, least)
        middle = end if too_little < end < enough else (too_little + enough) / 2
        if probe(middle).status == "possible":
            enough = middle
        else:
            too_little = middle
        answers = [probe(enough * _NEARLY)]
    raise OutOfWorkError("the least move is not reached")


# Which numbers break it


def breaking(formula: Formula) -> list[PrintedNumber]:
    """The numbers of the parts that cannot hold: of a column whose numbers all lie below one, those that do not."""
    match formula:
        case Ordered():
            return breaking(formula.chain)
        case And(parts) if wrong := [part for part in parts if search(part, Work(20_000)).status == "impossible"]:
            return list(dict.fromkeys(fact for part in wrong for fact in breaking(part)))
        case Or(parts):
            # Every reading breaks; the plainest one says it.
            return min((breaking(part) for part in parts), key=len)
        case Comparison("==", Given(fact), Call("max" | "min" as end, arguments)):
            # What stands beyond the number that is called the greatest or least denies it.
            sign = "<=" if end == "max" else ">="
            ahead = [one for one in arguments if search(Comparison(sign, one, Given(fact))).status == "impossible"]
            return list(dict.fromkeys([fact, *(other for one in ahead for other in facts_in(one))]))
    return facts_in(formula)


# Letters


def letter_of(decision: Decision) -> str:
    """A paragraph that can be sent as it is."""
    claim = decision.claim
    # Those that would have to move come first.
    cells = sorted(decision.cells, key=lambda fact: fact != decision.nearest)
    numbers = [f"{_where(fact)} prints {fact.text}" for fact in cells[:LISTED]]
    if others := len(cells) - len(numbers):
        numbers.append(f"{others} more number{'s' if others > 1 else ''} stand{'' if others > 1 else 's'} beside them")
    listed = ", ".join(numbers[:-1]) + " and " + numbers[-1] if len(numbers) > 1 else "".join(numbers)
    listed = listed[:1].upper() + listed[1:] if listed.startswith("the ") else listed
    listed += ". " if listed else ""
    # The plainest reading is enough; the others are in the audit.
    line, *more = decision.arithmetic.split("; nor")
    line += ", and no other reading gives it" if more else ""
    question = claim.question or "Which of these numbers, or which assumption, is different from what we take it to be?"
    return (
        f"{listed}{claim.sentence.rstrip('.')} ({claim.source}). However rounded, they cannot all be right: "
        f"{line if line.endswith(('.', '!', '?')) else f'{line}.'} {question}"
    )


def _where(fact: PrintedNumber) -> str:
    place = cell_id(fact.table, fact.row, fact.column) if fact.table is not None else "the text"
    return f"{place} (line {fact.line})" if fact.line else place
