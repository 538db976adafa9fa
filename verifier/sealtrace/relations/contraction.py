"""Narrowing a box to what a comparison allows, and bounding a form over a box. Both only ever err outwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from sealtrace.relations.binomial import cost, share_range, upper_range, useful_counts
from sealtrace.relations.forms import Atom, Form, Leaf, Operation
from sealtrace.relations.intervals import (
    INFINITY,
    ZERO,
    Interval,
    UndefinedError,
    greatest,
    least,
    length_of,
    point,
    root,
    shortened,
    whole_numbers,
)

Box = dict[str, Interval]
"""Each variable with the values that are left."""
_NOT_POSITIVE = Interval(-INFINITY, Fraction(0))
_NOT_NEGATIVE = Interval(Fraction(0), INFINITY)


class EmptyError(Exception):
    """Nothing is left."""


@dataclass
class Evaluation:
    """The values of the operations of a form over one box."""

    box: Mapping[str, Interval]
    total: bool = False
    """Whether an argument outside a function's domain is an error, rather than left out."""
    known: dict[int, Interval] = field(default_factory=dict)
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
        found = self.known.get(id(leaf))
        if found is None:
            found = self.known[id(leaf)] = self._operation(leaf, [self.form(one) for one in leaf.arguments])
        return found

    def _operation(self, leaf: Operation, values: list[Interval]) -> Interval:
        first = values[0]
        match leaf.kind:
            case "product":
                result = first
                for value in values[1:]:
                    result = result * value
                return result
            case "power":
                return first.power(leaf.exponent)
            case "abs":
                return first.magnitude()
            case "min":
                return least(values)
            case "max":
                return greatest(values)
            case "cp_upper":
                self.steps += 2 * cost(values[1])
                return self._defined(upper_range(*values, total=self.total), inside=True)
            case "inverse":
                return self._defined(first.inverse(), inside=not first.low <= 0 <= first.high)
            case "sqrt":
                return self._defined(first.square_root(), inside=first.low >= 0)
            case "log":
                return self._defined(first.logarithm(), inside=first.low > 0)
        raise TypeError(f"no operation {leaf.kind!r}")

    def _defined(self, value: Interval | None, *, inside: bool) -> Interval:
        if self.total and not inside:
            raise UndefinedError("a function leaves its domain")
        if value is None:
            raise EmptyError
        return value


def certainly(operator: str, value: Interval) -> bool:
    """Whether every number of the interval satisfies the comparison with zero."""
    match operator:
        case "==":
            return value == ZERO
        case "!=":
            return not value.holds(Fraction(0))
        case "<":
            return value.high < 0
    return value.high <= 0


def possibly(operator: str, value: Interval) -> bool:
    """Whether some number of the interval satisfies the comparison with zero."""
    match operator:
        case "==":
            return value.holds(Fraction(0))
        case "!=":
            return value != ZERO
        case "<":
            return value.low < 0
    return value.low <= 0


def contract(box: Box, atoms: list[Atom], integers: frozenset[str], rounds: int = 6) -> tuple[Box | None, int]:
    """The box without values that no solution has, or None where nothing is left; and the steps that it took."""
    box = dict(box)
    steps = 0
    waiting = list(range(len(atoms)))
    for _ in range(rounds):
        changed: set[str] = set()
        for place in waiting:
            narrowing = _Narrowing(box, integers)
            try:
                narrowing.require(atoms[place])
            except EmptyError:
                return None, steps + narrowing.steps
            steps += narrowing.steps
            changed |= narrowing.changed
        waiting = [place for place, atom in enumerate(atoms) if changed & atom.form.variables]
        if not waiting or (len(atoms) == 1 and atoms[0].form.is_linear and not integers & changed):
            break
    return box, steps


class _Narrowing:
    """One comparison's forward and backward pass over a box, which it narrows in place."""

    def __init__(self, box: Box, integers: frozenset[str]) -> None:
        self.box = box
        self.integers = integers
        self.changed: set[str] = set()
        self.values = Evaluation(box)

    @property
    def steps(self) -> int:
        return 2 * self.values.steps

    def require(self, atom: Atom) -> None:
        value = self.values.form(atom.form)
        if not possibly(atom.operator, value):
            raise EmptyError
        if atom.operator == "!=" or certainly(atom.operator, value):
            return
        self.form(atom.form, ZERO if atom.operator == "==" else _NOT_POSITIVE)

    def form(self, form: Form, target: Interval) -> None:
        """The form must lie in the target: each leaf must make up for what the others cannot."""
        leaves = list(form.terms.items())
        values = [self.values.leaf(leaf).scaled(coefficient) for leaf, coefficient in leaves]
        behind = [point(form.constant)]
        for value in reversed(values[1:]):
            behind.append(behind[-1] + value)
        before = point(Fraction(0))
        for (leaf, coefficient), value in zip(leaves, values, strict=True):
            others = before + behind.pop()
            self.leaf(leaf, (target - others).scaled(1 / coefficient))
            before = before + value

    def leaf(self, leaf: Leaf, target: Interval) -> None:
        now = self.box[leaf] if isinstance(leaf, str) else self.values.leaf(leaf)
        left = now.meet(target)
        if left is None:
            raise EmptyError
        if isinstance(leaf, Operation):
            if left != now or leaf.kind in ("min", "max", "cp_upper"):
                self.operation(leaf, left)
            return
        if left == now:
            return
        left = shortened(left)
        if leaf in self.integers:
            whole = whole_numbers(left)
            if whole is None:
                raise EmptyError
            left = whole
        if left != now and left.within(now):
            self.box[leaf] = left
            self.changed.add(leaf)

    def operation(self, leaf: Operation, target: Interval) -> None:
        arguments = leaf.arguments
        values = [self.values.form(argument) for argument in arguments]
        match leaf.kind:
            case "product":
                self._product(arguments, values, target)
            case "inverse":
                inverse = target.inverse()
                if inverse is None:
                    raise EmptyError
                self.form(arguments[0], inverse)
            case "power":
                self.form(arguments[0], _roots(values[0], target, leaf.exponent))
            case "abs":
                self.form(arguments[0], _signed(values[0], target))
            case "sqrt":
                allowed = target.meet(_NOT_NEGATIVE)
                if allowed is None:
                    raise EmptyError
                self.form(arguments[0], allowed.power(2))
            case "log":
                self.form(arguments[0], target.exponential())
            case "cp_upper":
                self._upper(arguments, values, target)
            case "min" | "max":
                self._extreme(leaf.kind, arguments, values, target)

    def _product(self, arguments: tuple[Form, ...], values: list[Interval], target: Interval) -> None:
        for place, argument in enumerate(arguments):
            others = point(Fraction(1))
            for other, value in enumerate(values):
                if other != place:
                    others = others * value
            # Where zero times anything may be in the target, nothing follows.
            if others.low < 0 < others.high or (others.holds(Fraction(0)) and target.holds(Fraction(0))):
                continue
            inverse = others.inverse()
            if inverse is None:
                raise EmptyError
            self.form(argument, target * inverse)

    def _extreme(self, kind: str, arguments: tuple[Form, ...], values: list[Interval], target: Interval) -> None:
        bound = Interval(target.low, INFINITY) if kind == "min" else Interval(-INFINITY, target.high)
        able = [place for place, value in enumerate(values) if value.meet(target) is not None]
        if not able:
            raise EmptyError
        for place, argument in enumerate(arguments):
            # Where only one of them can be the extreme one, it has to be.
            self.form(argument, target if able == [place] else bound)

    def _upper(self, arguments: tuple[Form, ...], values: list[Interval], target: Interval) -> None:
        counts, sizes, shares = values
        self.values.steps += 8 * cost(sizes)
        allowed = useful_counts(counts, sizes, shares, target)
        if allowed is None:
            raise EmptyError
        self.form(arguments[0], allowed)
        if allowed.is_point and sizes.is_point and not arguments[2].is_constant:
            left = share_range(allowed, sizes, target)
            if left is None:
                raise EmptyError
            self.form(arguments[2], left)


def _signed(now: Interval, target: Interval) -> Interval:
    """What an absolute value in the target leaves of the argument."""
    above = Interval(max(target.low, Fraction(0)), target.high)
    if above.low > above.high:
        raise EmptyError
    return _either_sign(now, above)


def _roots(now: Interval, target: Interval, exponent: int) -> Interval:
    """What a power in the target leaves of the base."""
    if exponent % 2:
        return Interval(root(target.low, exponent, up=False), root(target.high, exponent, up=True))
    if target.high < 0:
        raise EmptyError
    low = root(max(target.low, Fraction(0)), exponent, up=False)
    return _either_sign(now, Interval(low, root(target.high, exponent, up=True)))


def _either_sign(now: Interval, above: Interval) -> Interval:
    pieces = [piece for piece in (now.meet(above), now.meet(-above)) if piece is not None]
    if not pieces:
        raise EmptyError
    return Interval(min(piece.low for piece in pieces), max(piece.high for piece in pieces))
