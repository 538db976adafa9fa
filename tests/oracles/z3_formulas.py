"""Relations between printed numbers as z3 decides them: exact over the reals, with integers where they are meant."""

from __future__ import annotations

from fractions import Fraction
from itertools import count, pairwise
from typing import Any

import z3

from sealtrace.relations.forms import Atom
from sealtrace.relations.intervals import Interval
from sealtrace.relations.syntax import (
    ORDERS,
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
    facts_in,
)


def rational(value: Fraction) -> Any:
    """An exact number."""
    return z3.RatVal(value.numerator, value.denominator)


def rows_can_hold(rows: list[Atom], box: dict[str, Interval]) -> bool:
    """Whether linear comparisons can hold within a box."""
    solver, names = z3.Solver(), {name: z3.Real(name) for name in box}
    for name, interval in box.items():
        solver.add(*([names[name] >= rational(interval.low)] if isinstance(interval.low, Fraction) else []))
        solver.add(*([names[name] <= rational(interval.high)] if isinstance(interval.high, Fraction) else []))
    for atom in rows:
        left = z3.Sum([rational(factor) * names[name] for name, factor in atom.form.terms.items()])
        solver.add(_compared(atom.operator, left, rational(-atom.form.constant)))
    return bool(solver.check() == z3.sat)


def can_hold(formula: Formula) -> bool | None:
    """Whether some values that print so satisfy a formula; None where z3 does not know."""
    solver = z3.Solver()
    solver.set("timeout", 5000)
    for fact in facts_in(formula):
        cell = z3.Real(fact.address)
        solver.add(cell >= rational(fact.low), cell <= rational(fact.high))
    solver.add(_formula(formula, {}, count()))
    answer = solver.check()
    return None if answer == z3.unknown else bool(answer == z3.sat)


def _compared(operator: str, left: Any, right: Any) -> Any:
    return {
        "==": lambda: left == right,
        "!=": lambda: left != right,
        "<=": lambda: left <= right,
        "<": lambda: left < right,
        ">=": lambda: left >= right,
        ">": lambda: left > right,
    }[operator]()


def _formula(formula: Formula, names: dict[str, Any], fresh: Any) -> Any:
    match formula:
        case And(parts):
            return z3.And([_formula(part, names, fresh) for part in parts])
        case Or(parts):
            return z3.Or([_formula(part, names, fresh) for part in parts])
        case Comparison(operator, left, right):
            return _compared(operator, _value(left, names), _value(right, names))
        case Ordered(order, items):
            values = [_value(item, names) for item in items]
            return z3.And([_compared(ORDERS[order], a, b) for a, b in pairwise(values)])
        case Multiple(of, step, repeats):
            whole = z3.ToReal(z3.Int(f"k{next(fresh)}"))
            times = z3.RealVal(1) if repeats is None else _value(repeats, names)
            return _value(of, names) * times == whole * _value(step, names)
        case Some(name, low, high, body, integer):
            own = z3.ToReal(z3.Int(f"{name}{next(fresh)}")) if integer else z3.Real(f"{name}{next(fresh)}")
            ends = [own >= _value(low, names)] if low is not None else []
            ends += [own <= _value(high, names)] if high is not None else []
            return z3.And([*ends, _formula(body, {**names, name: own}, fresh)])
    raise TypeError(f"no formula for z3: {formula!r}")


def _value(expression: Expression, names: dict[str, Any]) -> Any:
    match expression:
        case Number(value):
            return rational(value)
        case Given(fact):
            return z3.Real(fact.address)
        case Unknown(name):
            return names[name]
        case Call("+" | "sum", terms):
            return z3.Sum([_value(term, names) for term in terms])
        case Call("-", (of,)):
            return -_value(of, names)
        case Call("*", factors):
            return z3.Product([_value(factor, names) for factor in factors])
        case Call("/", (of,)):
            return 1 / _value(of, names)
        case Call("^", (of, Number(exponent))):
            return z3.Product([_value(of, names)] * int(exponent))
        case Call("mean", arguments):
            return z3.Sum([_value(one, names) for one in arguments]) / len(arguments)
        case Call("abs", (of,)):
            inner = _value(of, names)
            return z3.If(inner >= 0, inner, -inner)
        case Call("min" | "max" as function, arguments):
            best, *rest = [_value(one, names) for one in arguments]
            for one in rest:
                best = z3.If(one < best if function == "min" else one > best, one, best)
            return best
    raise TypeError(f"no expression for z3: {expression!r}")
