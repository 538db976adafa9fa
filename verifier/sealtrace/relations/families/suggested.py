"""Regularities as text for a relations file: what an author may declare instead of leaving it to be guessed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sealtrace.relations.families.paper import Paper
from sealtrace.relations.families.regular import Hypothesis, search
from sealtrace.relations.rendering import expression_text
from sealtrace.relations.syntax import Cell


@dataclass(frozen=True)
class Suggestion:
    """A regularity as a relation."""

    name: str
    text: str
    """Ready for a relations file; its `because` waits for a place."""
    sentence: str
    score: float
    """Decimal digits of how improbable it is by chance, after all that was tried."""
    cells: tuple[str, ...]


def suggestions(paper: Paper) -> list[Suggestion]:
    """Every believed regularity, the least likely by chance first."""
    import math

    found, searched = search(paper)
    return [_suggestion(one, -math.log10(max(searched.chance(one), 1e-300))) for one in found]


def _suggestion(one: Hypothesis, score: float) -> Suggestion:
    rows = [[fact for column in one.columns if (fact := column.facts[row]) is not None] for row in one.holds]
    labels = [one.sheet.rows[row].label for row in one.holds]
    name = f"{one.kind} {one.sheet.label} {one.result.label}"
    lines = [
        f"{expression_text(Cell(facts[0]))} == {expression_text(one.build(list(map(Cell, facts[1:]))))}"
        for facts in rows
    ]
    loop = None
    if all(_tame(label) for label in labels) and len(set(labels)) == len(labels):
        varied = [
            (replace(fact, column="{r}") if one.sheet.is_turned else replace(fact, row="{r}")) for fact in rows[0]
        ]
        cells = [
            Cell(replace(fact, address="rounded(r)" if fact.address.startswith("rounded(") else "r")) for fact in varied
        ]
        loop = "; ".join(labels)
        lines = [f"{expression_text(cells[0])} == {expression_text(one.build(cells[1:]))}"]
    written = [f"relation {_identifier(name)}", f"  says    {one.says}.", "  because found by search; name the place"]
    written += [f"  for r in [{loop}]"] if loop is not None else []
    text = "\n".join([*written, f"  holds   {' and '.join(lines)}"]) + "\n"
    return Suggestion(name, text, f"{one.says}.", score, tuple(fact.address for facts in rows for fact in facts))


def _tame(label: str) -> bool:
    return bool(label) and label == " ".join(label.split()) and not set(label) & set('[];"{}\\*')


def _identifier(name: str) -> str:
    kept = "".join(character if character.isalnum() else "-" for character in name)
    return "-".join(filter(None, kept.split("-")))
