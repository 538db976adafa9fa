"""Claims of regularities: a row that breaks what nearly all others satisfy is the finding.

Beside what formulas of columns give (`mining`): ranks, and rates over one number of items that nobody prints.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import plain_address
from sealtrace.relations.families.columns import Column, columns_of
from sealtrace.relations.families.mining import FALSE_DISCOVERIES, Mine
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import COUNT, RELATIVE, count_of, plain
from sealtrace.relations.syntax import Given, Multiple, all_of, compare, equal, number
from sealtrace.relations.work import time_is_up

FAMILY = "regularity"
LEAST_RANKED = 4
LEAST_STEPPED = 5
LEAST_WITHOUT = 8
"""Of so many rates one may be no multiple of the step that the others share."""
MOST_ITEMS = 400
"""The largest number of items that is looked for behind a column of rates."""
_NO_RATE = re.compile(
    rf"{RELATIVE.pattern}|\b(?:[pqrtzf]|p-?(?:adj\w*|val\w*)|q-?val\w*|pr|sig\w*|prob\w*|corr\w*|[ρτκα]|s\.?[de]\.?|std|auc\w*)\b",
    re.IGNORECASE,
)
_SIZE = re.compile(rf"\b[nN] ?= ?{COUNT}")
_RANK = re.compile(r"\b(?:rank(?:ing)?|place|position|pos)\b|^#$")


def find(paper: Paper) -> Iterator[Claim]:
    """Every row of every believed regularity."""
    mine = Mine.of(paper)
    blamed: set[tuple[str, str]] = set()
    for hypothesis in mine.believed():
        chance = mine.chance(hypothesis)
        noun = "columns" if hypothesis.sheet.is_turned else "rows"
        evidence = (
            f"{hypothesis.says} in {len(hypothesis.holds)} of {len(hypothesis.holds) + len(hypothesis.breaks)} {noun}"
        )
        for row in sorted((*hypothesis.holds, *hypothesis.breaks)):
            facts = hypothesis.facts(row)
            if row in hypothesis.breaks:
                # One wrong cell breaks everything that speaks of it; the strongest regularity says so.
                places = {(hypothesis.sheet.label, plain_address(fact)) for fact in facts}
                if mine.explained(hypothesis, row) or places & blamed or not hypothesis.is_suspect(row):
                    continue
                blamed |= places
            yield Claim(
                f"{FAMILY} {hypothesis.kind} {facts[0].address}",
                hypothesis.equation(row),
                f"{hypothesis.says}, also for {hypothesis.sheet.rows[row].label!r}.",
                hypothesis.sheet.place(f"{noun} of the table"),
                (f"What holds in {len(hypothesis.holds)} {noun} is meant in this one, too.",),
                question=f"How is {facts[0].text} computed?",
                family=FAMILY,
                evidence=f"{evidence}; unrelated numbers would do so in fewer than {_odds(chance)}",
                chance=min(1.0, chance),
                telling=mine.sturdy(hypothesis),
            )
    for sheet in paper.both_ways:
        columns = columns_of(sheet)
        if not time_is_up():
            yield from _ranked(sheet, columns)
            yield from _stepped(sheet, columns)


def _odds(chance: float) -> str:
    return "one table in a million" if chance < 1e-6 else f"one table in {max(1, int(1 / chance)):,}"


def _ranked(sheet: Sheet, columns: list[Column]) -> Iterator[Claim]:
    """A column of ranks and the one that it ranks: read in the order of the ranks, that one rises or falls."""
    for ranks in (column for column in columns if _RANK.search(plain(column.label)) and column.whole):
        rows = [row for row, fact in enumerate(ranks.facts) if fact is not None]
        rows.sort(key=lambda row: ranks.middle[row])
        places = ranks.middle[rows]
        if len(rows) < LEAST_RANKED or len(set(places)) < len(rows) - 1 or min(places) != 1:
            continue
        best: tuple[int, list[Claim]] = (2, [])
        for other, falls in product((column for column in columns if column.place != ranks.place), (True, False)):
            facts = [other.facts[row] for row in rows]
            pairs = [(a, b) for a, b in pairwise(facts) if a is not None and b is not None]
            wrong = sum((a.value < b.value) if falls else (a.value > b.value) for a, b in pairs)
            if (
                len(pairs) < len(rows) - 1
                or len({fact.value for fact in facts if fact}) < len(rows) - 1
                or wrong >= best[0]
            ):
                continue
            chance = 2 * len(columns) * len(pairs) ** wrong / math.factorial(len(rows))
            best = (wrong, [])
            for place, (a, b) in enumerate(pairs) if chance < FALSE_DISCOVERIES else ():
                own = [ranks.facts[rows[step]] for step in (place, place + 1)]
                formula = compare(Given(a), ">=" if falls else "<=", Given(b))
                known = [equal(Given(fact), fact.value) for fact in own if fact is not None]
                texts = " and ".join(fact.text for fact in own if fact is not None)
                best[1].append(Claim(
                    f"{FAMILY} rank {a.address} {b.address}", all_of(formula, *known),
                    f"{ranks.label} {texts} are of {other.label} {a.text} and {b.text}.",
                    sheet.place(f"column {ranks.label!r}"),
                    (f"{ranks.label} ranks {other.label}.",), question=f"How is {texts} ranked?", family=FAMILY,
                    evidence=f"{ranks.label} ranks {other.label} in {len(pairs) - wrong} of {len(pairs)} steps",
                    chance=min(1.0, chance), telling=bool(wrong) or chance * len(pairs) < FALSE_DISCOVERIES,
                ))  # fmt: skip
        yield from best[1]


def _stepped(sheet: Sheet, columns: list[Column]) -> Iterator[Claim]:
    """Rates over a number of items: all are whole multiples of one step, which nobody printed, or each of its own."""
    for column in columns:
        facts = [fact for fact in column.facts if fact is not None]
        texts = [sheet.entry(row, column.place) for row, fact in enumerate(column.facts) if fact is not None]
        whole = 100 if any(abs(fact.value) > 1 for fact in facts) else 1
        percent = whole == 1 or "%" in column.label or all(entry is not None and "%" in entry.text for entry in texts)
        inside = all(0 <= fact.value <= whole and fact.unit < Fraction(whole, 100) for fact in facts)
        values = {fact.value for fact in facts}
        if len(values) < LEAST_STEPPED or not inside or not percent or _NO_RATE.search(plain(column.label)):
            continue
        for steps in _steps(sheet, column, columns, whole):
            if claims := _multiples(sheet, column, steps, whole):
                yield from claims
                break


@dataclass(frozen=True)
class _Steps:
    """The number of items of each row, how it is called, and among how many it was chosen."""

    sizes: tuple[int, ...]
    said: str
    choices: int


def _steps(sheet: Sheet, column: Column, columns: list[Column], whole: int) -> Iterator[_Steps]:
    rows = range(len(column.facts))
    told = {count_of(text) for text in _SIZE.findall(column.label)} or {
        count_of(text) for text in _SIZE.findall(sheet.caption)
    }
    for size in told if len(told) == 1 else ():
        yield _Steps((size,) * len(rows), f"{size} items", 4)
    counted = [other for other in columns if other.whole and other.place != column.place]
    for other in counted:
        sizes = tuple(0 if fact is None else int(fact.value) for fact in other.facts)
        if all(size > 1 for size, fact in zip(sizes, column.facts, strict=True) if fact is not None):
            yield _Steps(sizes, f"{other.label} items", 4 * len(counted))
    unit = max(fact.unit for fact in column.facts if fact is not None)
    # A step that divides a thousand is one of the decimal system: rates of banks go by halves of a point.
    for size in range(3, min(MOST_ITEMS, int(whole / unit / 2))):
        if 1000 % size:
            yield _Steps((size,) * len(rows), f"{size} items", size)


def _multiples(sheet: Sheet, column: Column, steps: _Steps, whole: int) -> list[Claim]:
    """What the steps say of every row, where they are believed."""
    sizes, low, high = np.array(steps.sizes, dtype=float), column.low / whole, column.high / whole
    known = np.isfinite(low) & (sizes > 1)
    slack = 1e-6 * (high - low)
    fits = known & (np.ceil((low - slack) * sizes) <= (high + slack) * sizes)
    rows, wrong = np.flatnonzero(known), int((known & ~fits).sum())
    if wrong > max(1, len(rows) // LEAST_WITHOUT):
        return []
    # The same number twice is no news, and neither are none and all.
    numbers = {
        (column.middle[row], sizes[row]): (high - low)[row] * sizes[row]
        for row in np.flatnonzero(fits)
        if low[row] > 0 and high[row] < 1
    }
    surprise = -sum(math.log10(min(1.0, share)) for share in numbers.values())
    surprise -= math.log10(steps.choices * (1 + len(column.facts)) * math.comb(len(rows), wrong))
    least = -math.log10(FALSE_DISCOVERIES / 10)
    if surprise < least or (wrong and len(numbers) < LEAST_WITHOUT - 1):
        # Rates over few and different numbers fit some step by turns.
        return []
    once_more = surprise * (len(numbers) - 1) / len(numbers) - math.log10(len(rows))
    evidence = f"{len(rows) - wrong} of {len(rows)} are whole numbers out of {steps.said}"
    return [
        Claim(
            f"{FAMILY} step {fact.address}", Multiple(Given(fact), number(Fraction(whole, steps.sizes[row]))),
            f"{fact.text} is a whole number out of {steps.sizes[row]}, as the others of {column.label!r} are.",
            sheet.place(f"column {column.label!r}"), (f"All of the column is over {steps.said}.",),
            question=f"Over how many items is {fact.text}?", family=FAMILY, evidence=evidence,
            chance=min(1.0, 10.0**-surprise), telling=bool(wrong) or once_more >= least,
        )
        for row in rows
        if (fact := column.facts[row]) is not None
    ]  # fmt: skip
