"""The two promises: what is true is never contradicted, and a lie that the intervals do not allow is always found."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relations.worlds import HALVES, KINDS, LINEAR, World, nearest, text_of, true_world, truncated
from sealtrace.paper.fact import Rule
from sealtrace.relations.decide import decide, decide_groups
from sealtrace.relations.decision import Decision, Status
from support import LONG

EXAMPLES = settings(max_examples=3000 if LONG else 40, deadline=None)
SEEDS = st.integers(0, 2**40)


@EXAMPLES
@given(SEEDS, st.integers(1, 5), st.sampled_from(HALVES))
def test_true_worlds_are_never_contradicted(seed: int, size: int, halves: str) -> None:
    """Rounding to nearest, whatever becomes of ties, contradicts no true relation, alone or with others."""
    world = true_world(seed, size)
    world.print(lambda value, unit: nearest(value, unit, halves))
    claims = world.claims()
    for claim in claims:
        assert decide(claim).status is not Status.CONTRADICTION, claim
    assert [one for one in decide_groups(claims) if one.status is Status.CONTRADICTION] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_decided(kind: str) -> None:
    """What is true holds, and is not merely left undecided."""
    statuses = []
    for seed in range(20):
        world = true_world(seed, 1, (kind,))
        world.print(lambda value, unit: nearest(value, unit, "even"))
        statuses += [decide(claim).status for claim in world.claims()]
    assert Status.CONTRADICTION not in statuses
    assert statuses.count(Status.HOLDS) == len(statuses)


DECLARED: dict[Rule, Callable[[Fraction, Fraction], int]] = {
    Rule.TRUNCATED: truncated,
    Rule.UP: lambda value, unit: math.ceil(value / unit),
    Rule.DOWN: lambda value, unit: math.floor(value / unit),
    Rule.LOOSELY: lambda value, unit: math.floor(value / unit),
}


@EXAMPLES
@given(SEEDS, st.integers(1, 4), st.sampled_from(list(DECLARED)))
def test_declared_printing_is_never_contradicted(seed: int, size: int, rule: Rule) -> None:
    """Numbers that were cut off or rounded one way are allowed for where that is declared."""
    world = true_world(seed, size)
    world.print(DECLARED[rule])
    claims = world.claims(rule)
    assert [claim for claim in claims if decide(claim).status is Status.CONTRADICTION] == []
    assert [one for one in decide_groups(claims) if one.status is Status.CONTRADICTION] == []


def test_undeclared_truncation_is_found() -> None:
    """Without the declaration, the same strings contradict the relation: the declaration is what helps."""
    world = World(true_world(0, 0).random)
    for value in ("0.189", "0.189", "0.189", "0.567"):
        world.new(Fraction(value))
    world.decimals.update({"x0": 1, "x1": 1, "x2": 1, "x3": 3})
    world.formulas.append("tab:w[x3, v] == tab:w[x0, v] + tab:w[x1, v] + tab:w[x2, v]")
    world.print(truncated)
    assert decide(world.claims()[0]).status is Status.CONTRADICTION
    assert decide(world.claims(Rule.TRUNCATED)[0]).status is Status.HOLDS


def allowed(world: World, kind: str, names: list[str]) -> tuple[Fraction, Fraction]:
    """What the other printed numbers leave for the last one: by its corners, independently of the engine."""
    ends = []
    for name in names:
        half = Fraction(1, 2 * 10 ** world.decimals[name])
        value = Fraction(world.strings[name])
        ends.append((value - half, value + half))
    lows, highs = [low for low, _ in ends], [high for _, high in ends]
    match kind:
        case "total":
            return sum(lows, Fraction(0)), sum(highs, Fraction(0))
        case "average":
            return sum(lows, Fraction(0)) / len(lows), sum(highs, Fraction(0)) / len(lows)
        case "difference":
            return lows[0] - highs[1], highs[0] - lows[1]
        case "twice":
            return lows[0], highs[0]
    corners = [(a, b) for a in ends[0] for b in ends[1]]
    if kind == "product":
        found = [a * b for a, b in corners]
    else:
        assert kind == "ratio"
        found = [a / b for a, b in corners]
    return min(found), max(found)


@EXAMPLES
@given(
    SEEDS, st.sampled_from(["total", "average", "difference", "twice", "product", "ratio"]), st.booleans(), st.data()
)
def test_lies_are_always_found(seed: int, kind: str, above: bool, data: st.DataObject) -> None:
    """A number moved just outside what the others allow is a contradiction; the nearest one inside is none."""
    world = true_world(seed, 1, (kind,))
    world.print(lambda value, unit: nearest(value, unit, "even"))
    *names, lied = list(world.values)
    if kind == "ratio" and len(world.values) == 4:
        names = [names[0], names[2]]
    low, high = allowed(world, kind, names)
    decimals = world.decimals[lied]
    unit = Fraction(1, 10**decimals)
    extra = data.draw(st.integers(0, 3))
    half = Fraction(1, 2)
    # The last string whose interval still meets what is allowed, and one or more further out.
    inside = math.floor(high / unit + half) if above else math.ceil(low / unit - half)
    outside = inside + (1 + extra if above else -1 - extra)
    world.strings[lied] = text_of(outside, decimals)
    lie = decide(world.claims()[0])
    assert lie.status is Status.CONTRADICTION
    assert lie.arithmetic
    assert lie.distance is not None
    gap = (outside - half) - high / unit if above else low / unit - (outside + half)
    assert 0 < lie.distance <= gap * (1 + Fraction(1, 10**6))
    world.strings[lied] = text_of(inside, decimals)
    assert decide(world.claims()[0]).status is Status.HOLDS


@EXAMPLES
@given(SEEDS, st.integers(1, 400), st.integers(0, 400), st.integers(3, 6))
def test_impossible_rates_are_found(seed: int, n: int, k: int, decimals: int) -> None:
    """A printed rate is possible exactly where some k/n rounds to it: all of them are counted by hand here."""
    unit = Fraction(1, 10**decimals)
    world = World(true_world(seed, 0).random)
    world.new()
    world.decimals["x0"] = decimals
    printed = (k * 10**decimals) // 400
    world.strings["x0"] = text_of(printed, decimals)
    world.formulas.append(f"some integer k in 0..{n}: tab:w[x0, v] == k / {n}")
    possible = any(abs(Fraction(count, n) - printed * unit) <= unit / 2 for count in range(n + 1))
    assert decide(world.claims()[0]).status is (Status.HOLDS if possible else Status.CONTRADICTION)


@EXAMPLES
@given(SEEDS, st.integers(2, 4))
def test_lies_of_groups_are_found(seed: int, size: int) -> None:
    """A chain of sums over coarse middle numbers: only all of them together show the lie, with a proof by addition."""
    world = World(true_world(seed, 0).random)
    first = world.new()
    world.decimals[first] = 5
    total, members, exact = first, [first], world.values[first]
    for step in range(size):
        part = world.new()
        exact += world.values[part]
        following = world.new(exact)
        world.decimals[part] = 5
        world.decimals[following] = 5 if step == size - 1 else 1
        world.formulas.append(f"tab:w[{following}, v] == tab:w[{total}, v] + tab:w[{part}, v]")
        members.append(part)
        total = following
    # Further than the fine numbers allow, less than the coarse ones do.
    world.values[total] += Fraction(1, 1000)
    world.print(lambda value, unit: nearest(value, unit, "even"))
    claims = world.claims()
    if any(decide(claim).status is not Status.HOLDS for claim in claims):
        return
    (found,) = decide_groups(claims)
    assert found.status is Status.CONTRADICTION
    assert {claim.name for claim in found.together} <= {claim.name for claim in claims}
    for claim in found.together:
        assert decide_groups([one for one in found.together if one is not claim]) == []
    assert_certificate(found)


def assert_certificate(found: Decision) -> None:
    """The proof, added up with nothing but fractions."""
    proof = found.certificate
    assert proof is not None
    left: dict[str, Fraction] = {}
    right, strict = Fraction(0), False
    for multiplier, atom in proof.lines:
        assert multiplier > 0
        right -= multiplier * atom.form.constant
        strict |= atom.operator == "<"
        for name, factor in atom.form.terms.items():
            left[name] = left.get(name, Fraction(0)) + multiplier * factor
    printed = {fact.address: fact for fact in found.cells}
    least = Fraction(0)
    for name, factor in left.items():
        if factor:
            least += factor * (printed[name].low if factor > 0 else printed[name].high)
    assert least > right or (strict and least == right)


@EXAMPLES
@given(SEEDS, st.integers(2, 6))
def test_certificates_of_linear_worlds(seed: int, size: int) -> None:
    """Linear worlds with one number changed: whatever is contradicted is proved, alone or in a group."""
    world = true_world(seed, size, tuple(kind for kind in LINEAR if kind != "hidden"))
    world.print(lambda value, unit: nearest(value, unit, "up"))
    lied = world.random.choice(list(world.values))
    decimals = world.decimals[lied]
    units = round(Fraction(world.strings[lied]) * 10**decimals) + world.random.choice([-3, -1, 1, 2, 40])
    world.strings[lied] = text_of(units, decimals)
    claims = world.claims()
    alone = [decide(claim) for claim in claims]
    groups = decide_groups([one.claim for one in alone if one.status is Status.HOLDS])
    for one in [*alone, *groups]:
        if one.status is Status.CONTRADICTION:
            assert_certificate(one)
