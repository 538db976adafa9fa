"""Random true tables, printed with rounding: no family ever contradicts one."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from relations.families.small_papers import claimed, contradicted, read, table
from relations.worlds import HALVES, nearest, text_of
from support import LONG

EXAMPLES = settings(max_examples=1000 if LONG else 25, deadline=None)


class Printer:
    """Numbers as a paper prints them."""

    def __init__(self, seed: int, halves: str) -> None:
        self.random = random.Random(seed)
        self.halves = halves

    def __call__(self, value: Fraction, decimals: int | None = None) -> str:
        places = self.random.randint(1, 4) if decimals is None else decimals
        return text_of(nearest(value, Fraction(1, 10**places), self.halves), places)

    def value(self, low: int = -3, high: int = 9) -> Fraction:
        """A number that is often exactly between two printed ones."""
        return Fraction(self.random.randint(low * 2000, high * 2000), 2000)


def rates(show: Printer) -> str:
    n = show.random.choice((12, 24, 48, 64, 103))
    rows = []
    for name in "abc":
        k = show.random.randint(0, n)
        rows.append(f"{name} | {k}/{n} | {show(Fraction(k, n))} | {show(Fraction(100 * k, n), 1)}")
    return table(f"Accuracy over {n} questions.", "Arm | Count | Rate | Accuracy (%)", rows)


def means_of_rates(show: Printer) -> str:
    n, m = show.random.randint(10, 40), show.random.randint(2, 9)
    rows = [f"{name} | {show(Fraction(show.random.randint(0, n * m), n * m))}" for name in "abc"]
    words = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
    return table(f"Accuracy on {n} questions, mean over {words[m - 2]} seeds.", "Arm | Accuracy", rows)


def ratings(show: Printer) -> str:
    rows = []
    for name in "abc":
        answers = [show.random.randint(1, 5) for _ in range(show.random.randint(2, 30))]
        spread = statistics.stdev(answers) if show.random.random() < 0.5 else statistics.pstdev(answers)
        mean = Fraction(sum(answers), len(answers))
        rows.append(f"{name} | {len(answers)} | {show(mean, 2)} | {show(Fraction(spread), 2)}")
    return table("Five-point scale, mean and SD.", "Item | n | Mean | SD", rows)


def totals(show: Printer) -> str:
    parts = [show.random.randint(1, 400) for _ in range(show.random.randint(2, 5))]
    rows = [f"{name} | {part}" for name, part in zip("abcde", parts, strict=False)]
    return table("", "Set | Games", [*rows, "---", f"Total | {sum(parts)}"])


def shares(show: Printer) -> str:
    parts = [show.random.randint(1, 50) for _ in range(3)]
    decimals = show.random.randint(0, 2)
    rows = [
        f"{name} | {show(Fraction(100 * part, sum(parts)), decimals)}" for name, part in zip("abc", parts, strict=True)
    ]
    return table("The columns sum to 100.", "Kind | Share (%)", rows)


def seeds(show: Printer) -> str:
    values = [show.value() for _ in range(show.random.randint(2, 5))]
    decimals = show.random.randint(1, 3)
    heads = " | ".join(f"Seed {place}" for place in range(1, len(values) + 1))
    cells = " | ".join(show(value, decimals) for value in values)
    return table("", f"Arm | {heads} | Mean", [f"a | {cells} | {show(Fraction(sum(values), len(values)))}"])


def mean_rows(show: Printer) -> str:
    values = [show.value() for _ in range(show.random.randint(2, 6))]
    rows = [f"t{place} | {show(value, 2)}" for place, value in enumerate(values)]
    return table("", "Task | A", [*rows, "---", f"Mean | {show(Fraction(sum(values), len(values)))}"])


def differences(show: Printer) -> str:
    rows = []
    for name in "abc":
        old, new = show.value(1), show.value(1)
        rows.append(f"{name} | {show(old)} | {show(new)} | {show(new - old)}")
    return table("Gain is New minus Old.", "Arm | Old | New | Gain", rows)


def orders(show: Printer) -> str:
    rows = []
    for name in "abc":
        low, middle, high = sorted(show.value(0) for _ in range(3))
        cells = " | ".join(show(one, show.random.randint(0, 2)) for one in (low, high))
        rows.append(f"{name} | {cells} | {show(middle, 2)} | [{show(low, 2)}, {show(high, 2)}]")
    return table("", "Arm | Gap CI low | Gap CI high | Loss | Loss 95% CI", rows)


def marks(show: Printer) -> str:
    texts = [show(show.value(0, 1), 1) for _ in range(4)]
    best = max(texts, key=Fraction)
    rows = [f"{name} | {_bold(text, text == best)}" for name, text in zip("abcd", texts, strict=True)]
    return table("Best values are bold.", r"Arm | A $\uparrow$", rows)


def _bold(text: str, marked: bool) -> str:
    return rf"\textbf{{{text}}}" if marked else text


KINDS: dict[str, tuple[Callable[[Printer], str], str]] = {
    "rates": (rates, "granularity"),
    "means of rates": (means_of_rates, "granularity"),
    "ratings": (ratings, "whole numbers"),
    "totals": (totals, "parts and whole"),
    "shares": (shares, "parts and whole"),
    "seeds": (seeds, "mean of rows"),
    "mean rows": (mean_rows, "mean of rows"),
    "differences": (differences, "difference"),
    "orders": (orders, "order"),
    "marks": (marks, "marks"),
}


@EXAMPLES
@given(st.integers(0, 2**40), st.sampled_from(HALVES), st.sampled_from(sorted(KINDS)))
def test_what_is_true_is_never_contradicted(seed: int, halves: str, kind: str) -> None:
    """Alone or together, whatever becomes of ties between two printed numbers."""
    make, _family = KINDS[kind]
    assert contradicted(read(make(Printer(seed, halves)))) == []


def test_every_kind_makes_its_family_speak() -> None:
    """The tables are of the kind that is claimed about."""
    for make, family in KINDS.values():
        assert any(claimed(read(make(Printer(seed, "even"))), family) for seed in range(20)), family
