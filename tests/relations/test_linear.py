"""Linear programs in rational numbers, beside HiGHS."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from oracles.z3_formulas import rows_can_hold
from sealtrace.relations.forms import Atom, LinearForm, added
from sealtrace.relations.intervals import INFINITY, Interval, point
from sealtrace.relations.linear import LinearCertificate, minimize, solve
from sealtrace.relations.work import OutOfWorkError, Work
from support import LONG

EXAMPLES = settings(max_examples=3000 if LONG else 60, deadline=None)


def row(terms: dict[str, int], operator: str, bound: int) -> Atom:
    """Multiples of variables, compared with a number."""
    form = LinearForm({name: Fraction(factor) for name, factor in terms.items()}, Fraction(-bound))
    return Atom(added([(form, Fraction(1))]), operator)


def system(seed: int, strict: bool) -> tuple[list[Atom], dict[str, Interval]]:
    """A random system with small whole numbers, so that degenerate and boundary cases are common."""
    chance = random.Random(seed)
    names = [f"x{place}" for place in range(chance.randint(1, 6))]
    box = {}
    for name in names:
        low = Fraction(chance.randint(-4, 4))
        high: Fraction | float = low + chance.choice([0, 1, 2, 5])
        box[name] = Interval(-INFINITY if chance.random() < 0.1 else low, INFINITY if chance.random() < 0.1 else high)
    rows = []
    for _ in range(chance.randint(1, 7)):
        used = chance.sample(names, chance.randint(1, len(names)))
        operator = chance.choice(["==", "<=", "<"] if strict else ["==", "<="])
        rows.append(row({name: chance.randint(-3, 3) for name in used}, operator, chance.randint(-6, 6)))
    return rows, box


def negated(equation: Atom) -> Atom:
    """An equation with the other signs."""
    return Atom(-equation.form, equation.operator)


def highs(rows: list[Atom], box: dict[str, Interval], objective: dict[str, Fraction]) -> tuple[int, float | None]:
    """The status and the optimum that HiGHS gives."""
    names = list(box)
    matrix = {
        kind: [
            ([float(atom.form.terms.get(name, 0)) for name in names], -float(atom.form.constant))
            for atom in rows
            if atom.operator == kind
        ]
        for kind in ("==", "<=")
    }
    found = linprog(
        [float(objective.get(name, 0)) for name in names],
        A_ub=np.array([left for left, _ in matrix["<="]]) if matrix["<="] else None,
        b_ub=[right for _, right in matrix["<="]] or None,
        A_eq=np.array([left for left, _ in matrix["=="]]) if matrix["=="] else None,
        b_eq=[right for _, right in matrix["=="]] or None,
        bounds=[(float(box[name].low), float(box[name].high)) for name in names],
        method="highs",
    )
    return int(found.status), None if found.fun is None else float(found.fun)


@EXAMPLES
@given(st.integers(0, 2**40))
def test_feasibility_agrees_with_highs(seed: int) -> None:
    """Both answers are proved, and they are the ones that HiGHS gives."""
    rows, box = system(seed, strict=False)
    found = solve(rows, box)
    if isinstance(found, LinearCertificate):
        assert found.holds()
        assert all(atom in rows or negated(atom) in rows for _, atom in found.lines)
    else:
        assert all(atom.truth({name: point(value) for name, value in found.items()}) for atom in rows)
        assert all(box[name].holds(value) for name, value in found.items())
    assert isinstance(found, LinearCertificate) != (highs(rows, box, {})[0] == 0)


@EXAMPLES
@given(st.integers(0, 2**40))
def test_strict_systems(seed: int) -> None:
    """A strict system holds exactly where a gap, made as large as possible, is positive."""
    rows, box = system(seed, strict=True)
    found = solve(rows, box)
    wider = LinearForm({"gap": Fraction(1)})
    relaxed = [Atom(atom.form + wider, "<=") if atom.operator == "<" else atom for atom in rows]
    gap = minimize(-wider, relaxed, {**box, "gap": Interval(Fraction(0), Fraction(1))})
    strict = any(atom.operator == "<" for atom in rows)
    assert isinstance(found, LinearCertificate) != (gap is not None and (not strict or gap < 0))


@EXAMPLES
@given(st.integers(0, 2**40))
def test_optima_agree_with_highs(seed: int) -> None:
    """The least value of an objective is exact, and near what HiGHS finds."""
    rows, box = system(seed, strict=False)
    chance = random.Random(seed + 1)
    bounded = {name: Interval(max(one.low, Fraction(-9)), min(one.high, Fraction(9))) for name, one in box.items()}
    objective = {name: Fraction(chance.randint(-3, 3)) for name in bounded}
    found = minimize(added([(LinearForm(objective), Fraction(1))]), rows, bounded)
    status, optimum = highs(rows, bounded, objective)
    assert (found is not None) == (status == 0)
    if found is not None and optimum is not None:
        assert float(found) == pytest.approx(optimum, abs=1e-7)


def test_a_certificate_by_hand() -> None:
    """x <= 1 and y <= 1 by their intervals, so x + y = 3 cannot be."""
    box = {"x": Interval(Fraction(0), Fraction(1)), "y": Interval(Fraction(0), Fraction(1))}
    rows = [row({"x": 1, "y": 1}, "==", 3)]
    assert solve(rows, box) == LinearCertificate(((Fraction(1), negated(rows[0])),), box)
    assert not LinearCertificate(((Fraction(1), rows[0]),), box).holds()
    assert not LinearCertificate(((Fraction(-1), Atom(rows[0].form, "<=")),), box).holds()


def test_work_is_bounded() -> None:
    """A system that costs more than it may is given up with a reason."""
    rows, box = system(3, strict=False)
    many = [row({f"y{n}": 1, f"y{n + 1}": n % 7 - 3}, "==", n) for n in range(60)]
    wide = {f"y{n}": Interval(Fraction(-(10**6)), Fraction(10**6)) for n in range(61)}
    with pytest.raises(OutOfWorkError), Work(20):
        solve([*rows, *many], {**box, **wide})


@EXAMPLES
@given(st.integers(0, 10**6))
def test_z3_agrees(seed: int) -> None:
    """Strict comparisons included, which a floating-point solver cannot tell apart."""
    rows, box = system(seed, strict=True)
    assert isinstance(solve(rows, box), LinearCertificate) != rows_can_hold(rows, box)
