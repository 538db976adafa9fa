"""Claims of regularities: a row that breaks what nearly all others satisfy is the finding.

Beside what formulas of columns give (`mining`): ranks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise, product

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import plain_address
from sealtrace.relations.families.columns import Column, columns_of
from sealtrace.relations.families.mining import FALSE_DISCOVERIES, Mine
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import plain
from sealtrace.relations.syntax import Given, all_of, compare, equal
from sealtrace.relations.work import time_is_up

FAMILY = "regularity"
LEAST_RANKED = 4
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
