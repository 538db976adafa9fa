"""Forms over a box: bounding their values, and narrowing the box to what a comparison allows.

Both only ever err outwards. An operation is known here by its values over intervals (`applied`), and by what a value
says about its arguments (`_allowed`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sealtrace.relations.forms import Atom, Form, Leaf, Operation
from sealtrace.relations.intervals import (
    INFINITY,
    NOT_NEGATIVE,
    WHOLE,
    ZERO,
    EmptyError,
    Interval,
    applied,
    cost,
    length_of,
    point,
    root,
    share_range,
    shortened,
    whole_numbers,
)
from sealtrace.relations.work import spend

Box = dict[str, Interval]
"""Each variable with the values that are left."""
_NOT_POSITIVE = Interval(-INFINITY, Fraction(0))


@dataclass
class Evaluation:
    """The values of the operations of a form over one box."""

    box: Mapping[str, Interval]
    total: bool = False
    """Whether an argument outside a function's domain is an error, rather than left out."""
    known: dict[Operation, Interval] = field(default_factory=dict)
    """By the operation itself: a number such as its id may soon be that of another one."""
    steps: int = 0

    def form(self, form: Form) -> Interval:
        """All values of a form, or more."""
        total = point(form.constant)
        for leaf, coefficient in form.terms.items():
            total = total + self.leaf(leaf).scaled(coefficient)
        self.steps += (1 + len(form.terms)) * length_of(total)
        return total

    def leaf(self, leaf: Leaf) -> Interval:
        """All values of a leaf, or more."""
        if isinstance(leaf, str):
            return self.box[leaf]
        if leaf not in self.known:
            values = [self.form(one) for one in leaf.arguments]
            if leaf.kind == "cp_upper":
                self.steps += 2 * cost(values[1])
            self.known[leaf] = applied(leaf.kind, values, total=self.total)
        return self.known[leaf]


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


def contract(box: Box, atoms: Sequence[Atom], integers: frozenset[str], rounds: int = 6) -> Box:
    """The box without values that no solution has."""
    box = dict(box)
    waiting = list(atoms)
    for _ in range(rounds):
        changed: set[str] = set()
        for atom in waiting:
            narrowing = _Narrowing(box, integers)
            try:
                narrowing.require(atom)
            finally:
                spend(2 * narrowing.steps)
            changed |= narrowing.changed
        waiting = [atom for atom in atoms if changed & atom.form.variables]
        if not waiting or (len(atoms) == 1 and atoms[0].form.is_linear and not integers & changed):
            break
    return box


class _Narrowing(Evaluation):
    """One comparison's forward and backward pass over a box, which it narrows in place."""

    def __init__(self, box: Box, integers: frozenset[str]) -> None:
        super().__init__(box)
        self.left = box
        self.integers = integers
        self.changed: set[str] = set()

    def require(self, atom: Atom) -> None:
        value = self.form(atom.form)
        if not possibly(atom.operator, value):
            raise EmptyError
        if atom.operator != "!=" and not certainly(atom.operator, value):
            self.narrow(atom.form, ZERO if atom.operator == "==" else _NOT_POSITIVE)

    def narrow(self, form: Form, target: Interval) -> None:
        """The form must lie in the target: each leaf must make up for what the others cannot."""
        leaves = list(form.terms.items())
        values = [self.leaf(leaf).scaled(coefficient) for leaf, coefficient in leaves]
        behind = [point(form.constant)]
        for value in reversed(values[1:]):
            behind.append(behind[-1] + value)
        before = ZERO
        for (leaf, coefficient), value in zip(leaves, values, strict=True):
            others = before + behind.pop()
            self.narrow_leaf(leaf, (target - others).scaled(1 / coefficient))
            before = before + value

    def narrow_leaf(self, leaf: Leaf, target: Interval) -> None:
        now = self.leaf(leaf)
        left = now.meet(target)
        if isinstance(leaf, Operation):
            if left != now or leaf.kind in ("max", "cp_upper"):
                values = [self.form(argument) for argument in leaf.arguments]
                if leaf.kind == "cp_upper":
                    self.steps += 8 * cost(values[1])
                for argument, allowed in zip(leaf.arguments, _allowed(leaf, values, left), strict=True):
                    if allowed != WHOLE:
                        self.narrow(argument, allowed)
        elif left != now:
            left = shortened(left)
            left = whole_numbers(left) if leaf in self.integers else left
            if left != now and left.within(now):
                self.left[leaf] = left
                self.changed.add(leaf)


def _allowed(leaf: Operation, values: list[Interval], target: Interval) -> list[Interval]:
    """Where each argument must lie for the operation's value to lie in the target; everywhere where nothing follows."""
    first = values[0]
    match leaf.kind:
        case "*":
            others = [[*values[:place], *values[place + 1 :]] for place in range(len(values))]
            return [_factor(applied("*", one), target) for one in others]
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
            known = first.is_point and values[1].is_point and not leaf.arguments[2].is_constant
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
