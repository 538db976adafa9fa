"""Claims of regularities: a row that breaks what nearly all others satisfy is the finding.

Beside what formulas of columns give (`mining`): ranks. What is believed can also be had as text for a relations file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product

from sealtrace.contract.result import ClaimResult
from sealtrace.paper.fact import plain_address
from sealtrace.relations.decision import Claim, bound
from sealtrace.relations.families.columns import FactColumn, columns_of
from sealtrace.relations.families.mining import Hypothesis, Mine
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.surprise import FALSE_DISCOVERIES
from sealtrace.relations.families.wording import plain
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Given, Node, all_of, compare, equal, formula_text, rebuilt
from sealtrace.relations.work import time_is_up

FAMILY = "regularity"
LEAST_RANKED = 4
_UNNAMED, _MOST_CHANCE = 2, 1e-4
"""From this rank on no header speaks for a regularity; one that breaks must be as unlikely by chance."""
_RANK = re.compile(r"\b(?:rank(?:ing)?|place|position|pos)\b|^#$")


def find(paper: AuditedPaper) -> Iterator[Claim]:
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
                weak = hypothesis.rank >= _UNNAMED and (chance > _MOST_CHANCE or hypothesis.kind == "multiple")
                if weak or mine.explained(hypothesis, row) or places & blamed or not hypothesis.is_suspect(row):
                    continue
                blamed |= places
            elif "of the whole" in hypothesis.kind and search(hypothesis.equation(row)).status == "impossible":
                # It held as far as intervals tell, which take a part and its sum for two things.
                continue
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


def _ranked(sheet: Sheet, columns: list[FactColumn]) -> Iterator[Claim]:
    """A column of ranks and the one that it ranks: read in the order of the ranks, that one rises or falls."""
    for ranks in (column for column in columns if _RANK.search(plain(column.label)) and column.whole):
        given = sorted((fact for fact in ranks.facts if fact is not None), key=lambda fact: fact.value)
        rows = [ranks.facts.index(fact) for fact in given]
        if len(given) < LEAST_RANKED or len({fact.value for fact in given}) < len(given) - 1 or given[0].value != 1:
            continue
        ways = []
        for other, falls in product((column for column in columns if column.place != ranks.place), (True, False)):
            facts = [fact for row in rows if (fact := other.facts[row]) is not None]
            if len({fact.value for fact in facts}) >= len(rows) - 1 and len(facts) == len(rows):
                wrong = sum((a.value < b.value) if falls else (a.value > b.value) for a, b in pairwise(facts))
                ways.append((wrong, other.label, falls, facts))
        wrong, label, falls, facts = min(ways, key=lambda way: way[0], default=(2, "", False, []))
        chance = 2 * len(columns) * (len(rows) - 1) ** wrong / math.factorial(len(rows))
        for (a, b), own in zip(pairwise(facts), pairwise(given), strict=False) if wrong < 2 else ():
            if chance < FALSE_DISCOVERIES:
                texts = " and ".join(fact.text for fact in own)
                known = [equal(Given(fact), fact.value) for fact in own]
                yield Claim(
                    f"{FAMILY} rank {a.address} {b.address}",
                    all_of(compare(Given(a), ">=" if falls else "<=", Given(b)), *known),
                    f"{ranks.label} {texts} are of {label} {a.text} and {b.text}.",
                    sheet.place(f"column {ranks.label!r}"),
                    (f"{ranks.label} ranks {label}.",),
                    question=f"How is {texts} ranked?",
                    family=FAMILY,
                    evidence=f"{ranks.label} ranks {label} in {len(rows) - 1 - wrong} of {len(rows) - 1} steps",
                    chance=min(1.0, chance),
                    telling=bool(wrong) or chance * (len(rows) - 1) < FALSE_DISCOVERIES,
                )


# As text for a relations file: what an author may declare instead of leaving it to be guessed


def suggestions(paper: AuditedPaper) -> list[ClaimResult]:
    """Every believed regularity, the least likely by chance first."""
    mine = Mine.of(paper)
    return [
        _suggestion(hypothesis, -math.log10(max(mine.chance(hypothesis), 1e-300))) for hypothesis in mine.believed()
    ]


def _suggestion(hypothesis: Hypothesis, score: float) -> ClaimResult:
    labels = [hypothesis.sheet.rows[row].label for row in hypothesis.holds]
    name = f"{hypothesis.kind} {hypothesis.sheet.label} {hypothesis.columns[0].label}"
    identifier = "-".join(re.findall(r"[^\W_]+", name))
    lines = [f"relation {identifier}", f"  says    {hypothesis.says}.", "  because found by search; name the place"]
    if all(_is_tame(label) for label in labels) and len(set(labels)) == len(labels):
        lines.append(f"  for r in [{'; '.join(labels)}]")
        turned = hypothesis.sheet.is_turned

        def varied(node: Node) -> Node:
            if not isinstance(node, Given) or (node.fact.column if turned else node.fact.row) != labels[0]:
                return node
            return Given(replace(node.fact, column="{r}") if turned else replace(node.fact, row="{r}"))

        formulas = [formula_text(rebuilt(hypothesis.equation(hypothesis.holds[0]), varied))]
    else:
        formulas = [formula_text(hypothesis.equation(row)) for row in hypothesis.holds]
    return ClaimResult(
        id=name,
        grade="suggestion",
        says=f"{hypothesis.says}.",
        quote="found by search",
        readings=["\n".join([*lines, f"  holds   {' and '.join(formulas)}"]) + "\n"],
        numbers=bound(fact for row in hypothesis.holds for fact in hypothesis.facts(row)),
        family=FAMILY,
        evidence=f"{score:.1f} digits beyond chance",
    )


def _is_tame(label: str) -> bool:
    return bool(label) and label == " ".join(label.split()) and not set(label) & set('[];"{}\\*')
