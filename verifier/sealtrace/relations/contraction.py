"""Narrowing a box to what comparisons and operations allow. It only ever errs outwards.

An operation is known here by its values over intervals (`applied`), and by what a value says about its arguments
(`_allowed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sealtrace.relations.forms import Atom, Box, Form, Operation
from sealtrace.relations.intervals import (
    INFINITY,
    NOT_NEGATIVE,
    WHOLE,
    ZERO,
    EmptyError,
    Interval,
    applied,
    length_of,
    point,
    root,
    share_range,
    shortened,
    whole_numbers,
)
from sealtrace.relations.work import spend

_NOT_POSITIVE = Interval(-INFINITY, Fraction(0))
_ROUNDS = 6


def certainly(operator: str, value: Interval) -> bool:
    """Whether every number of the interval satisfies the comparison with zero."""
    if operator in ("==", "!="):
        return value == ZERO if operator == "==" else not value.holds(Fraction(0))
    return value.high < 0 or (operator == "<=" and value.high == 0)


def possibly(operator: str, value: Interval) -> bool:
    """Whether some number of the interval satisfies the comparison with zero."""
    if operator in ("==", "!="):
        return value.holds(Fraction(0)) if operator == "==" else value != ZERO
    return value.low < 0 or (operator == "<=" and value.low == 0)


def contract(box: Box, atoms: Sequence[Atom], operations: Sequence[Operation], integers: frozenset[str]) -> Box:
    """The box without values that no solution has; operations stand behind those that they are made of."""
    narrowing = _Narrowing(dict(box), integers)
    narrowing.forward(operations)
    waiting = list(atoms)
    for _ in range(_ROUNDS):
        narrowing.changed.clear()
        for atom in waiting:
            narrowing.require(atom)
        narrowing.backward(operations)
        narrowing.forward(operations)
        waiting = [atom for atom in atoms if not narrowing.changed.isdisjoint(atom.form.terms)]
        alone = len(atoms) == 1 and not operations and not integers & narrowing.changed
        if alone or not narrowing.changed:
            break
    # What an operation has to be is not yet what it is.
    return narrowing.box | narrowing.computed


@dataclass
class _Narrowing:
    """A box that is narrowed in place."""

    box: Box
    integers: frozenset[str]
    changed: set[str] = field(default_factory=set)
    computed: Box = field(default_factory=dict)
    """What operations are by their arguments alone."""

    def forward(self, operations: Iterable[Operation]) -> None:
        """Operations by their arguments."""
        for one in operations:
            values = one.values(self.box)
            spend(one.cost(values))
            self.computed[one.name] = applied(one.kind, values)
            self.meet(one.name, self.computed[one.name])

    def backward(self, operations: Sequence[Operation]) -> None:
        """Arguments by the operations."""
        for one in reversed(operations):
            if self.box[one.name] != self.computed[one.name] or one.kind in ("max", "cp_upper"):
                values = one.values(self.box)
                spend(2 * one.cost(values))
                allowed = _allowed(one, values, self.box[one.name])
                for argument, target in zip(one.arguments, allowed, strict=True):
                    if target != WHOLE:
                        self.narrow(argument, target)

    def require(self, atom: Atom) -> None:
        """Variables by a comparison."""
        spend(1 + len(atom.form.terms))
        value = atom.form.over(self.box)
        if not possibly(atom.operator, value):
            raise EmptyError
        if atom.operator != "!=" and not certainly(atom.operator, value):
            self.narrow(atom.form, ZERO if atom.operator == "==" else _NOT_POSITIVE)

    def narrow(self, form: Form, target: Interval) -> None:
        """The form must lie in the target: each variable must make up for what the others cannot."""
        values = [self.box[name].scaled(one) for name, one in form.terms.items()]
        behind = [point(form.constant)]
        for value in reversed(values[1:]):
            behind.append(behind[-1] + value)
        spend(3 * (1 + len(values)) * length_of(behind[-1]))
        before = ZERO
        for (name, one), value in zip(form.terms.items(), values, strict=True):
            others = before + behind.pop()
            self.meet(name, (target - others).scaled(1 / one))
            before = before + value

    def meet(self, name: str, target: Interval) -> None:
        """The variable must lie in the target."""
        now = self.box[name]
        left = now.meet(target)
        if left != now:
            left = shortened(left)
            left = whole_numbers(left) if name in self.integers else left
            if left != now and left.within(now):
                self.box[name] = left
                self.changed.add(name)


def _allowed(one: Operation, values: list[Interval], target: Interval) -> list[Interval]:
    """Where each argument must lie for the operation's value to lie in the target; everywhere where nothing follows."""
    first = values[0]
    match one.kind:
        case "*":
            others = [[*values[:place], *values[place + 1 :]] for place in range(len(values))]
            return [_factor(applied("*", rest), target) for rest in others]
        case "/":
            return [target.inverse()]
        case "^":
            exponent = int(values[1].low)
            above = target if exponent % 2 else target.meet(NOT_NEGATIVE)
            base = Interval(root(above.low, exponent, up=False), root(above.high, exponent, up=True))
            return [base if exponent % 2 else _either_sign(first, base), WHOLE]
        case "sqrt":
            return [target.meet(NOT_NEGATIVE).power(2)]
        case "log":
            return [target.exponential()]
        case "cp_upper":
            known = first.is_point and values[1].is_point and one.arguments[2].terms
            return [WHOLE, WHOLE, share_range(first, values[1], target) if known else WHOLE]
    able = [place for place, value in enumerate(values) if value.touches(target)]
    if not able:
        raise EmptyError
    # Where only one of them can be the greatest, it has to be.
    below = Interval(-INFINITY, target.high)
    return [target if able == [place] else below for place in range(len(values))]


def _factor(others: Interval, target: Interval) -> Interval:
    """What one factor must be; where zero times anything may be in the target, nothing follows."""
    if others.low < 0 < others.high or (others.holds(Fraction(0)) and target.holds(Fraction(0))):
        return WHOLE
    return target * others.inverse()


def _either_sign(now: Interval, above: Interval) -> Interval:
    pieces = [now.meet(piece) for piece in (above, -above) if now.touches(piece)]
    if not pieces:
        raise EmptyError
    return Interval(min(piece.low for piece in pieces), max(piece.high for piece in pieces))
