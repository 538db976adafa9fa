"""Random worlds: exact values, relations that are true of them, and the ways in which they may be printed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from sealtrace.paper.fact import Rule
from sealtrace.paper.model import Table
from sealtrace.relations.decision import Claim
from sealtrace.relations.facts import Facts
from sealtrace.relations.language import FormulaNames, parse_formula


def nearest(value: Fraction, unit: Fraction, halves: str) -> int:
    """The nearest multiple of the unit; a tie goes up, down, to even, or away from zero."""
    scaled = value / unit
    floor = math.floor(scaled)
    rest = scaled - floor
    if rest != Fraction(1, 2):
        return floor + (rest > Fraction(1, 2))
    match halves:
        case "up":
            return floor + 1
        case "down":
            return floor
        case "even":
            return floor + floor % 2
    return floor + (value > 0)


def truncated(value: Fraction, unit: Fraction) -> int:
    """Cut off towards zero."""
    return math.trunc(value / unit)


def text_of(units: int, decimals: int) -> str:
    """So many units of the last decimal, as printed."""
    digits = f"{abs(units):0{decimals + 1}d}"
    body = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return f"-{body}" if units < 0 else body


HALVES = ("up", "down", "even", "away")


@dataclass
class World:
    """Values by name, how many decimals each is printed with, and formulas that are true of them."""

    random: random.Random
    values: dict[str, Fraction] = field(default_factory=dict)
    decimals: dict[str, int] = field(default_factory=dict)
    formulas: list[str] = field(default_factory=list)
    strings: dict[str, str] = field(default_factory=dict)

    def new(self, value: Fraction | None = None) -> str:
        """A further number; drawn so that ties between two printed strings are common."""
        name = f"x{len(self.values)}"
        if value is None:
            digits = self.random.randint(0, 4)
            value = Fraction(self.random.randint(-(10**4), 10**4), 10**digits)
            value += self.random.choice([Fraction(0), Fraction(self.random.randint(0, 10**6), 10**9)])
        self.values[name] = value
        self.decimals[name] = self.random.randint(0, 5)
        return name

    def cell(self, name: str) -> str:
        return f"tab:w[{name}, v]"

    def print(self, units: Callable[[Fraction, Fraction], int]) -> None:
        for name, value in self.values.items():
            decimals = self.decimals[name]
            self.strings[name] = text_of(units(value, Fraction(1, 10**decimals)), decimals)

    def facts(self, rule: Rule = Rule.ROUNDED) -> Facts:
        rows = [{"label": name, "cells": [name, text], "line": 1} for name, text in self.strings.items()]
        columns = [{"label": "n"}, {"label": "v"}]
        facts = Facts.of([Table.of({"label": "tab:w", "source": "w.tex", "columns": columns, "rows": rows})])
        facts.print_as(rule, "tab:w", column="v")
        return facts

    def claims(self, rule: Rule = Rule.ROUNDED) -> list[Claim]:
        names = FormulaNames(self.facts(rule))
        claims = []
        for place, text in enumerate(self.formulas):
            formula, problems = parse_formula(text, names)
            assert formula is not None, problems
            claims.append(Claim(f"r{place}", formula, "It is so.", "here"))
        return claims

    # Relations that are true

    def some(self, least: int = 2, most: int = 5) -> list[str]:
        """Known numbers and new ones, so that relations share some."""
        known = list(self.values)
        wanted = self.random.randint(least, most)
        old = self.random.sample(known, min(len(known), self.random.randint(0, wanted)))
        return old + [self.new() for _ in range(wanted - len(old))]

    def total(self) -> None:
        parts = self.some()
        whole = self.new(sum((self.values[one] for one in parts), Fraction(0)))
        self.formulas.append(f"{self.cell(whole)} == sum({', '.join(map(self.cell, parts))})")

    def average(self) -> None:
        parts = self.some()
        mean = self.new(sum((self.values[one] for one in parts), Fraction(0)) / len(parts))
        self.formulas.append(f"mean({', '.join(map(self.cell, parts))}) == {self.cell(mean)}")

    def difference(self) -> None:
        a, b = self.some(2, 2)
        gap = self.new(self.values[a] - self.values[b])
        self.formulas.append(f"{self.cell(a)} - {self.cell(b)} == {self.cell(gap)}")

    def multiple(self) -> None:
        (a,) = self.some(1, 1)
        factor = Fraction(self.random.randint(1, 30), self.random.randint(1, 9))
        scaled = self.new(self.values[a] * factor)
        self.formulas.append(f"{self.cell(scaled)} == {factor.numerator} / {factor.denominator} * {self.cell(a)}")

    def ratio(self) -> None:
        a, b = self.some(2, 2)
        if abs(self.values[b]) < 6:
            b = self.new(Fraction(self.random.randint(60, 10**4), 10))
        quotient = self.new(self.values[a] / self.values[b])
        self.formulas.append(f"{self.cell(a)} / {self.cell(b)} == {self.cell(quotient)}")

    def change(self) -> None:
        a, b = self.some(2, 2)
        if abs(self.values[b]) < 6:
            b = self.new(Fraction(self.random.randint(60, 10**4), 10))
        relative = self.new((self.values[a] - self.values[b]) / self.values[b])
        self.formulas.append(f"({self.cell(a)} - {self.cell(b)}) / {self.cell(b)} == {self.cell(relative)}")

    def product(self) -> None:
        a, b = self.some(2, 2)
        area = self.new(self.values[a] * self.values[b])
        self.formulas.append(f"{self.cell(area)} == {self.cell(a)} * {self.cell(b)}")

    def square(self) -> None:
        (a,) = self.some(1, 1)
        square = self.new(self.values[a] ** 2)
        self.formulas.append(f"sqrt({self.cell(square)}) == abs({self.cell(a)})")

    def rate(self) -> None:
        n = self.random.randint(1, 600)
        rate = self.new(Fraction(self.random.randint(0, n), n))
        self.formulas.append(f"some integer k in 0..{n}: {self.cell(rate)} == k / {n}")

    def mean_rate(self) -> None:
        n, m = self.random.randint(1, 60), self.random.randint(2, 6)
        rate = self.new(sum((Fraction(self.random.randint(0, n), n) for _ in range(m)), Fraction(0)) / m)
        self.formulas.append(f"{self.cell(rate)} is a mean of {m} multiples of 1/{n}")

    def order(self) -> None:
        parts = sorted(self.some(2, 5), key=lambda one: self.values[one])
        self.formulas.append(f"nondecreasing({', '.join(map(self.cell, parts))})")

    def extreme(self) -> None:
        parts = self.some(2, 4)
        name = self.random.choice(["min", "max"])
        chosen = (min if name == "min" else max)(self.values[one] for one in parts)
        best = self.new(chosen)
        self.formulas.append(f"{self.cell(best)} == {name}({', '.join(map(self.cell, parts))})")

    def twice(self) -> None:
        (a,) = self.some(1, 1)
        self.formulas.append(f"{self.cell(self.new(self.values[a]))} == {self.cell(a)}")

    def hidden(self) -> None:
        """An unknown that two numbers share."""
        a, b = self.some(2, 2)
        secret = Fraction(self.random.randint(-500, 500), 7)
        c, d = self.new(self.values[a] + secret), self.new(self.values[b] - secret)
        body = f"{self.cell(c)} == {self.cell(a)} + u and {self.cell(d)} == {self.cell(b)} - u"
        self.formulas.append(f"some u in [-100, 100]: {body}")

    def either(self) -> None:
        a, b = self.some(2, 2)
        less = self.values[a] < self.values[b]
        texts = [f"{self.cell(a)} < {self.cell(b)}", f"{self.cell(a)} >= {self.cell(b)}"]
        self.formulas.append(f"{texts[not less]} or {self.cell(a)} == {self.cell(b)} + 1000000")


LINEAR = ("total", "average", "difference", "multiple", "twice", "hidden", "order")
KINDS = (*LINEAR, "ratio", "change", "product", "square", "rate", "mean_rate", "extreme", "either")


def true_world(seed: int, size: int, kinds: tuple[str, ...] = KINDS) -> World:
    """A world with so many true relations."""
    world = World(random.Random(seed))
    for _ in range(size):
        getattr(world, world.random.choice(kinds))()
    return world
