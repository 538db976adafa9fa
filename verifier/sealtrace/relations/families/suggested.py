"""Regularities as text for a relations file: what an author may declare instead of leaving it to be guessed."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from sealtrace.contract.audit import AuditSuggestion
from sealtrace.relations.families.mining import Hypothesis, Mine
from sealtrace.relations.families.paper import Paper
from sealtrace.relations.syntax import Given, Node, formula_text, rebuilt


def suggestions(paper: Paper) -> list[AuditSuggestion]:
    """Every believed regularity, the least likely by chance first."""
    mine = Mine.of(paper)
    return [_suggestion(one, -math.log10(max(mine.chance(one), 1e-300))) for one in mine.believed()]


def _suggestion(one: Hypothesis, score: float) -> AuditSuggestion:
    labels = [one.sheet.rows[row].label for row in one.holds]
    name = f"{one.kind} {one.sheet.label} {one.columns[0].label}"
    identifier = "-".join(re.findall(r"[^\W_]+", name))
    lines = [f"relation {identifier}", f"  says    {one.says}.", "  because found by search; name the place"]
    if all(_is_tame(label) for label in labels) and len(set(labels)) == len(labels):
        lines.append(f"  for r in [{'; '.join(labels)}]")
        turned = one.sheet.is_turned

        def varied(node: Node) -> Node:
            if not isinstance(node, Given) or (node.fact.column if turned else node.fact.row) != labels[0]:
                return node
            return Given(replace(node.fact, column="{r}") if turned else replace(node.fact, row="{r}"))

        formulas = [formula_text(rebuilt(one.equation(one.holds[0]), varied))]
    else:
        formulas = [formula_text(one.equation(row)) for row in one.holds]
    return AuditSuggestion(
        name=name,
        sentence=f"{one.says}.",
        text="\n".join([*lines, f"  holds   {' and '.join(formulas)}"]) + "\n",
        score=round(score, 1),
        facts=list(dict.fromkeys(fact.address for row in one.holds for fact in one.facts(row))),
    )


def _is_tame(label: str) -> bool:
    return bool(label) and label == " ".join(label.split()) and not set(label) & set('[];"{}\\*')
