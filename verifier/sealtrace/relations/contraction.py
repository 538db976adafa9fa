"""Forms over a box: bounding their values, and narrowing the box to what a comparison allows.

Both only ever err outwards. An operation is known here by its values over intervals (`applied`), by what a value says
about its arguments (`_allowed`), and by its partial derivatives (`_slopes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from sealtrace.relations.forms import Atom, Form, Leaf, Operation
from sealtrace.relations.intervals import (
    INFINITY,
    WHOLE,
    ZERO,
    Interval,
    applied,
    cost,
    length_of,
    point,
    root,
    share_range,
    shortened,
    useful_counts,
    whole_numbers,
)

Box = dict[str, Interval]
"""Each variable with the values that are left."""
_NOT_POSITIVE = Interval(-INFINITY, Fraction(0))
_NOT_NEGATIVE = Interval(Fraction(0), INFINITY)
_ONE = point(Fraction(1))


class EmptyError(Exception):
    """Nothing is left."""


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
            self.known[leaf] = _some(applied(leaf.kind, values, leaf.exponent, total=self.total))
        return self.known[leaf]

    def slope(self, form: Form, name: str) -> Interval:
        """The derivative by one variable, over the whole box."""
        total = ZERO
        for leaf, coefficient in form.terms.items():
            if isinstance(leaf, str):
                slope = _ONE if leaf == name else ZERO
            else:
                inner = [self.slope(argument, name) for argument in leaf.arguments]
                if all(one == ZERO for one in inner):
                    continue
                slope = ZERO
                for outer, own in zip(_slopes(leaf, [self.form(one) for one in leaf.arguments]), inner, strict=True):
                    slope = slope + own * outer
            total = total + slope.scaled(coefficient)
        return total


def _some(value: Interval | None) -> Interval:
    if value is None:
        raise EmptyError
    return value


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


def tight_range(form: Form, box: Box) -> tuple[Interval, int]:
    """The values of a form, and the steps that it took.

    A variable that stands there more than once widens the range; where the form only rises or only falls with it, its
    ends give the ends of the range.
    """
    values = Evaluation(box)
    whole = values.form(form)
    repeated = [name for name, count in form.occurrences.items() if count > 1 and not box[name].is_point]
    lowest, highest = dict(box), dict(box)
    for name in repeated:
        low, high = box[name].low, box[name].high
        if not (isinstance(low, Fraction) and isinstance(high, Fraction)):
            continue
        slope = values.slope(form, name)
        if slope.low >= 0:
            lowest[name], highest[name] = point(low), point(high)
        elif slope.high <= 0:
            lowest[name], highest[name] = point(high), point(low)
    if not repeated:
        return whole, values.steps
    least, most = Evaluation(lowest).form(form).low, Evaluation(highest).form(form).high
    return Interval(max(whole.low, least), min(whole.high, most)), values.steps * (2 + len(repeated))


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
                return None, steps + 2 * narrowing.values.steps
            steps += 2 * narrowing.values.steps
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

    def require(self, atom: Atom) -> None:
        value = self.values.form(atom.form)
        if not possibly(atom.operator, value):
            raise EmptyError
        if atom.operator != "!=" and not certainly(atom.operator, value):
            self.form(atom.form, ZERO if atom.operator == "==" else _NOT_POSITIVE)

    def form(self, form: Form, target: Interval) -> None:
        """The form must lie in the target: each leaf must make up for what the others cannot."""
        leaves = list(form.terms.items())
        values = [self.values.leaf(leaf).scaled(coefficient) for leaf, coefficient in leaves]
        behind = [point(form.constant)]
        for value in reversed(values[1:]):
            behind.append(behind[-1] + value)
        before = ZERO
        for (leaf, coefficient), value in zip(leaves, values, strict=True):
            others = before + behind.pop()
            self.leaf(leaf, (target - others).scaled(1 / coefficient))
            before = before + value

    def leaf(self, leaf: Leaf, target: Interval) -> None:
        now = self.box[leaf] if isinstance(leaf, str) else self.values.leaf(leaf)
        left = _some(now.meet(target))
        if isinstance(leaf, Operation):
            if left != now or leaf.kind in ("min", "max", "cp_upper"):
                values = [self.values.form(argument) for argument in leaf.arguments]
                if leaf.kind == "cp_upper":
                    self.values.steps += 8 * cost(values[1])
                for argument, allowed in zip(leaf.arguments, _allowed(leaf, values, left), strict=True):
                    if allowed != WHOLE:
                        self.form(argument, allowed)
        elif left != now:
            left = shortened(left)
            left = _some(whole_numbers(left)) if leaf in self.integers else left
            if left != now and left.within(now):
                self.box[leaf] = left
                self.changed.add(leaf)


def _others(values: list[Interval], place: int) -> Interval:
    """The product of all but one."""
    return applied("product", [_ONE, *values[:place], *values[place + 1 :]]) or WHOLE


def _allowed(leaf: Operation, values: list[Interval], target: Interval) -> list[Interval]:
    """Where each argument must lie for the operation's value to lie in the target; everywhere where nothing follows."""
    first = values[0]
    match leaf.kind:
        case "product":
            return [_factor(_others(values, place), target) for place in range(len(values))]
        case "inverse":
            return [_some(target.inverse())]
        case "power" if leaf.exponent % 2:
            return [Interval(root(target.low, leaf.exponent, up=False), root(target.high, leaf.exponent, up=True))]
        case "power":
            above = _some(target.meet(_NOT_NEGATIVE))
            low, high = root(above.low, leaf.exponent, up=False), root(above.high, leaf.exponent, up=True)
            return [_either_sign(first, Interval(low, high))]
        case "abs":
            return [_either_sign(first, _some(target.meet(_NOT_NEGATIVE)))]
        case "sqrt":
            return [_some(target.meet(_NOT_NEGATIVE)).power(2)]
        case "log":
            return [target.exponential()]
        case "cp_upper":
            counts = _some(useful_counts(values[0], values[1], values[2], target))
            known = counts.is_point and values[1].is_point and not leaf.arguments[2].is_constant
            return [counts, WHOLE, _some(share_range(counts, values[1], target)) if known else WHOLE]
    bound = Interval(target.low, INFINITY) if leaf.kind == "min" else Interval(-INFINITY, target.high)
    able = [place for place, value in enumerate(values) if value.meet(target) is not None]
    if not able:
        raise EmptyError
    # Where only one of them can be the extreme one, it has to be.
    return [target if able == [place] else bound for place in range(len(values))]


def _factor(others: Interval, target: Interval) -> Interval:
    """What one factor must be; where zero times anything may be in the target, nothing follows."""
    if others.low < 0 < others.high or (others.holds(Fraction(0)) and target.holds(Fraction(0))):
        return WHOLE
    return target * _some(others.inverse())


def _either_sign(now: Interval, above: Interval) -> Interval:
    pieces = [piece for piece in (now.meet(above), now.meet(-above)) if piece is not None]
    if not pieces:
        raise EmptyError
    return Interval(min(piece.low for piece in pieces), max(piece.high for piece in pieces))


def _slopes(leaf: Operation, values: list[Interval]) -> list[Interval]:
    """The partial derivatives of an operation, or more."""
    first = values[0]
    match leaf.kind:
        case "product":
            return [_others(values, place) for place in range(len(values))]
        case "inverse" if not first.holds(Fraction(0)):
            return [-_some(first.inverse()).power(2)]
        case "power":
            return [first.power(leaf.exponent - 1).scaled(Fraction(leaf.exponent))]
        case "sqrt" if first.low > 0:
            return [_some(_some(first.square_root()).inverse()).scaled(Fraction(1, 2))]
        case "log" if first.low > 0:
            return [_some(first.inverse())]
        case "abs":
            return [_ONE if first.low >= 0 else -_ONE if first.high <= 0 else Interval(Fraction(-1), Fraction(1))]
        case "min" | "max":
            return [Interval(Fraction(0), Fraction(1))] * len(values)
        case "cp_upper":
            return [WHOLE, WHOLE, _NOT_POSITIVE]
    return [WHOLE] * len(values)
