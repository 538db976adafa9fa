"""From a formula to cases: boxes of values with comparisons that must hold in them, and choices still to be made.

A case is narrowed by dropping values that no solution has: that only ever errs outwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count, pairwise

from sealtrace.relations.forms import Atom, Box, Computed, FormFunction, LinearForm, added, applied, constant, variable
from sealtrace.relations.intervals import (
    INFINITY,
    WHOLE,
    ZERO,
    Bound,
    EmptyError,
    Interval,
    length_of,
    point,
    shortened,
    whole_numbers,
)
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
    Shared,
    Some,
    Unknown,
    facts_in,
    unknowns_in,
)
from sealtrace.relations.work import spend

_NOT_POSITIVE = Interval(-INFINITY, Fraction(0))
_ROUNDS = 6


@dataclass(frozen=True)
class Alternatives:
    """Formulas of which one must hold, and what their unknowns are called."""

    parts: tuple[Formula, ...]
    names: Mapping[str, str]


@dataclass
class Case:
    """What is left of a formula after some choices. Only `starting_case` and `assumed` change one, while making it."""

    box: Box
    atoms: tuple[Atom, ...] = ()
    operations: tuple[FormFunction, ...] = ()
    """Each behind those that it is made of."""
    choices: tuple[Alternatives, ...] = ()
    integers: frozenset[str] = frozenset()
    _named: dict[tuple[object, ...], str] = field(default_factory=dict)

    @property
    def is_linear(self) -> bool:
        """Whether nothing but linear comparisons is left."""
        return not self.operations

    @property
    def names(self) -> list[str]:
        """What has a value: numbers and unknowns."""
        return [name for name in self.box if not isinstance(name, Computed)]

    def occurrences(self) -> list[Counter[str]]:
        """For each comparison, how often numbers and unknowns stand in it, also inside operations."""
        inside: dict[str, Counter[str]] = {}

        def counted(forms: Iterable[LinearForm]) -> Counter[str]:
            found: Counter[str] = Counter()
            for name in (name for form in forms for name in form.terms):
                found.update(inside.get(name, {name: 1}))
            return found

        for operation in self.operations:
            inside[operation.name] = counted(operation.arguments)
        return [counted([atom.form]) for atom in self.atoms]

    @property
    def variables(self) -> set[str]:
        """The numbers and unknowns that the comparisons speak of."""
        return set().union(*self.occurrences())

    @property
    def repeated(self) -> set[str]:
        """Those that stand in one comparison several times."""
        return {name for counts in self.occurrences() for name, times in counts.items() if times > 1}

    def open_integers(self) -> list[str]:
        """Integers with more than one value left, that a comparison speaks of."""
        return sorted(name for name in self.integers & self.variables if not self.box[name].is_point)

    def computed(self, values: Mapping[str, Interval]) -> Box:
        """Values of numbers and unknowns with those of the operations; an error where one may have none."""
        found = dict(values)
        for operation in self.operations:
            found[operation.name] = operation.over(found, total=True)
        return found

    def with_known(self, known: Mapping[str, LinearForm]) -> Case:
        """The case with forms in the places of variables, and operations that are linear then written out."""
        forms, left = dict(known), []
        for operation in self.operations:
            if operation.name not in known:
                changed = replace(operation, arguments=tuple(form.put(forms) for form in operation.arguments))
                changed = changed.within(self.box)
                form = changed.linear()
                if form is None:
                    left.append(changed)
                else:
                    forms[operation.name] = form
        atoms = tuple(Atom(atom.form.put(forms), atom.operator) for atom in self.atoms)
        return replace(self, atoms=atoms, operations=tuple(left))

    # Building

    def require(self, formula: Formula, names: Mapping[str, str]) -> None:
        match formula:
            case And(parts):
                for part in parts:
                    self.require(part, names)
            case Or(parts):
                self.choices += (Alternatives(parts, names),)
            case Comparison(operator, left, right):
                self.compare(operator, left, right, names)
            case Ordered():
                self.require(formula.chain, names)
            case Multiple(of):
                steps = self.unknown("k", -INFINITY, INFINITY, integer=True)
                self.compare("==", of, formula.grid(steps), {**names, steps: steps})
            case Some(name, low, high, body, integer):
                ends = [None if end is None else self.lowered(end, names) for end in (low, high)]
                least = -INFINITY if ends[0] is None else ends[0].over(self.box).low
                most = INFINITY if ends[1] is None else ends[1].over(self.box).high
                fresh = self.unknown(name, least, most, integer=integer)
                for end, sign in zip(ends, (1, -1), strict=True):
                    if end is not None and end.terms:
                        self.add((end - variable(fresh)) * Fraction(sign), "<=")
                self.require(body, {**names, name: fresh})

    def compare(self, operator: str, left: Expression, right: Expression, names: Mapping[str, str]) -> None:
        if operator in (">", ">="):
            left, right, operator = right, left, {">": "<", ">=": "<="}[operator]
        self.add(self.lowered(left, names) - self.lowered(right, names), operator)

    def add(self, form: LinearForm, operator: str) -> None:
        self.atoms += (Atom(form, operator),)

    def unknown(self, name: str, low: Bound, high: Bound, *, integer: bool) -> str:
        """A further variable."""
        fresh = self.fresh(name)
        interval = Interval(low, INFINITY).meet(Interval(-INFINITY, high))
        if integer:
            interval = whole_numbers(interval)
            self.integers |= {fresh}
        self.box[fresh] = interval
        return fresh

    def fresh(self, name: str) -> str:
        """The name, or one like it that nothing else has."""
        others = (f"{name}·{number}" for number in count(2))
        return name if name not in self.box else next(other for other in others if other not in self.box)

    def lowered(self, expression: Expression, names: Mapping[str, str]) -> LinearForm:
        """An expression as a linear form; unknowns get the variables that stand for them."""
        match expression:
            case Number(value):
                return constant(value)
            case Given(fact):
                return variable(fact.address)
            case Unknown(name):
                return variable(names[name])
            case Shared(name):
                return variable(name)
            case Call(function, arguments):
                return self.operation(function, [self.lowered(argument, names) for argument in arguments])
        raise TypeError(f"no expression: {expression!r}")

    def operation(self, function: str, arguments: Sequence[LinearForm]) -> LinearForm:
        """A function of forms. It must have a value, also where it cancels or is multiplied by zero."""
        first = arguments[0]
        match function:
            case "+" | "sum" | "mean":
                share = Fraction(1, len(arguments) if function == "mean" else 1)
                return added((argument, share) for argument in arguments)
            case "-":
                return -first
            case "abs":
                return self.operation("max", [first, -first])
            case "min":
                return -self.operation("max", [-argument for argument in arguments])
            case "hoeffding":
                surprise = self.operation("log", [self.operation("/", [arguments[1]])])
                each = self.operation("/", [first * Fraction(2)])
                return self.operation("sqrt", [self.operation("*", [surprise, each])])
        operation = FormFunction("", function, tuple(arguments))
        self.atoms += tuple(atom for atom in operation.domain() if not atom.truth(self.box))
        linear = operation.linear() or (self._divided(arguments) if function == "*" else None)
        return variable(self._named_after(operation)) if linear is None else linear

    def _named_after(self, operation: FormFunction) -> str:
        """The variable that stands for an operation."""
        key = operation.kind, *((frozenset(form.terms.items()), form.constant) for form in operation.arguments)
        if key not in self._named:
            name = self._named[key] = Computed(self.fresh(f"{operation.kind} {len(self.operations)}"))
            self.operations += (replace(operation, name=name),)
            self.box[name] = operation.over(self.box)
        return self._named[key]

    def _divided(self, factors: Sequence[LinearForm]) -> LinearForm | None:
        """A quotient whose sides share a variable, as a constant and a quotient where they share it no more.

        So (a - b) / b becomes a / b - 1, and b stands there once.
        """
        for above, over in pairwise((*factors, factors[0])) if len(factors) == 2 else ():
            named = (each for each in reversed(self.operations) if over.terms.keys() == {each.name})
            inverse = next(named, None) if isinstance(next(iter(over.terms), None), Computed) else None
            below = inverse.arguments[0] if inverse and inverse.kind == "/" and not over.constant else LinearForm({})
            common = next((name for name in below.terms if name in above.terms), None)
            if common is None or any(isinstance(name, Computed) for name in above.terms):
                continue
            whole = above.terms[common] / below.terms[common]
            rest = above - below * whole
            fewer = len(rest.terms.keys() & below.terms.keys()) < len(above.terms.keys() & below.terms.keys())
            if fewer and (rest.terms or rest.constant):
                return self.operation("*", [rest, over]) + constant(whole * next(iter(over.terms.values())))
        return None


def starting_box(formula: Formula) -> Box:
    """The printed numbers and the declared unknowns of a formula."""
    box = {fact.address: Interval(fact.low, fact.high) for fact in facts_in(formula)}
    return box | {name: unknown.interval for name, unknown in unknowns_in(formula).items()}


def starting_case(formula: Formula, widened: Mapping[str, Interval] | None = None) -> Case:
    """The case that a formula starts from, unless it is false at once."""
    box = starting_box(formula)
    integers = frozenset(name for name, unknown in unknowns_in(formula).items() if unknown.integer)
    box |= {name: whole_numbers(box[name]) for name in integers}
    box |= {name: interval for name, interval in (widened or {}).items() if name in box}
    return assumed(Case(box, integers=integers), formula, {})


def assumed(case: Case, formula: Formula, names: Mapping[str, str]) -> Case:
    """A case in which the formula must hold, too."""
    further = replace(case, box=dict(case.box), _named={})
    further.require(formula, names)
    return further


def value_of(expression: Expression, box: Mapping[str, Interval]) -> Interval:
    """All values of an expression over a box, or more."""
    case = Case(dict(box))
    return case.lowered(expression, {name: name for name in box}).over(case.box)


def settled(case: Case) -> Case:
    """The case with what is known put in and what is certain left out."""
    case = case.with_known(
        {name: constant(Fraction(case.box[name].low)) for name in case.names if case.box[name].is_point}
    )
    atoms = []
    for atom in case.atoms:
        truth = atom.truth(case.box)
        if truth is False:
            raise EmptyError
        if truth is None:
            atoms.append(atom)
    used = {name for atom in atoms for name in atom.form.terms}
    operations: list[FormFunction] = []
    for operation in reversed(case.operations):
        if operation.name in used:
            used |= {name for form in operation.arguments for name in form.terms}
            operations.insert(0, operation)
    return replace(case, atoms=tuple(atoms), operations=tuple(operations))


def narrowed(case: Case) -> Case | None:
    """The case without values that cannot be; None where nothing is left."""
    narrowing = _Narrowing(dict(case.box), case.integers)
    try:
        return settled(replace(case, box=narrowing.narrowed(case.atoms, case.operations)))
    except EmptyError:
        return None


@dataclass
class _Narrowing:
    """A box that is narrowed in place."""

    box: Box
    integers: frozenset[str]
    changed: set[str] = field(default_factory=set)
    computed: Box = field(default_factory=dict)
    """What operations are by their arguments."""

    def narrowed(self, atoms: Sequence[Atom], operations: Sequence[FormFunction]) -> Box:
        """What is left of the box."""
        self.forward(operations)
        waiting = atoms
        for _ in range(_ROUNDS):
            self.changed.clear()
            for atom in waiting:
                self.require(atom)
            self.backward(operations)
            self.forward(operations)
            waiting = [atom for atom in atoms if not self.changed.isdisjoint(atom.form.terms)]
            alone = len(atoms) == 1 and not operations and not self.integers & self.changed
            if alone or not self.changed:
                break
        # What an operation has to be is not yet what it is: that follows from numbers and unknowns alone.
        for operation in operations:
            self.box[operation.name] = operation.over(self.box)
        return self.box

    def forward(self, operations: Iterable[FormFunction]) -> None:
        """Operations by their arguments."""
        for operation in operations:
            values = operation.values(self.box)
            spend(operation.cost(values))
            self.computed[operation.name] = applied(operation.kind, values)
            self.meet(operation.name, self.computed[operation.name])

    def backward(self, operations: Sequence[FormFunction]) -> None:
        """Arguments by the operations."""
        for operation in reversed(operations):
            target = self.box[operation.name]
            if target != self.computed[operation.name] or operation.kind in ("max", "cp_upper"):
                values = operation.values(self.box)
                spend(2 * operation.cost(values))
                for argument, allowed in zip(operation.arguments, operation.allowed(values, target), strict=True):
                    if allowed != WHOLE:
                        self.narrow(argument, allowed)

    def require(self, atom: Atom) -> None:
        """Variables by a comparison."""
        truth = atom.truth(self.box)
        if truth is False:
            raise EmptyError
        if truth is None and atom.operator != "!=":
            self.narrow(atom.form, ZERO if atom.operator == "==" else _NOT_POSITIVE)

    def narrow(self, form: LinearForm, target: Interval) -> None:
        """The form must lie in the target: each variable must make up for what the others cannot."""
        values = [self.box[name].scaled(factor) for name, factor in form.terms.items()]
        behind = [point(form.constant)]
        for value in reversed(values[1:]):
            behind.append(behind[-1] + value)
        spend(3 * (1 + len(values)) * length_of(behind[-1]))
        before = ZERO
        for (name, factor), value in zip(form.terms.items(), values, strict=True):
            others = before + behind.pop()
            self.meet(name, (target - others).scaled(1 / factor))
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
