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
    return [
        _suggestion(hypothesis, -math.log10(max(mine.chance(hypothesis), 1e-300))) for hypothesis in mine.believed()
    ]


def _suggestion(hypothesis: Hypothesis, score: float) -> AuditSuggestion:
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
    return AuditSuggestion(
        name=name,
        sentence=f"{hypothesis.says}.",
        text="\n".join([*lines, f"  holds   {' and '.join(formulas)}"]) + "\n",
        score=round(score, 1),
        facts=list(dict.fromkeys(fact.address for row in hypothesis.holds for fact in hypothesis.facts(row))),
    )


def _is_tame(label: str) -> bool:
    return bool(label) and label == " ".join(label.split()) and not set(label) & set('[];"{}\\*')
