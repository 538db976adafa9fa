"""What to write to the authors about a contradiction: the numbers, what they should satisfy, and a question."""

from __future__ import annotations

from sealtrace.relations.decision import Decision
from sealtrace.relations.fact import Fact

LISTED = 4
"""How many numbers a letter names."""


def letter_of(decision: Decision) -> str:
    """A paragraph that can be sent as it is."""
    claim = decision.claim
    numbers = [f"{_where(fact)} prints {fact.text}" for fact in _named(decision)]
    others = len(decision.cells) - len(numbers)
    if others > 0:
        numbers.append(f"{others} more number{'s' if others > 1 else ''} stand{'' if others > 1 else 's'} beside them")
    question = claim.question or "Which of these numbers, or which assumption, is different from what we take it to be?"
    return (
        f"{_joined(numbers)}. {claim.sentence.rstrip('.')} ({claim.source}). "
        f"However rounded, they cannot all be right: {_ended(_first_line(decision.arithmetic))} {question}"
    )


def _first_line(arithmetic: str) -> str:
    """The arithmetic of the plainest reading; the others are in the audit."""
    first, *others = arithmetic.split("; nor")
    return f"{first}, and no other reading gives it" if others else first


def _named(decision: Decision) -> list[Fact]:
    """The numbers to name: those that would have to move first."""
    cells = decision.cells
    if decision.nearest is not None and decision.nearest in cells:
        cells = [decision.nearest, *(fact for fact in cells if fact != decision.nearest)]
    return cells[:LISTED]


def _where(fact: Fact) -> str:
    place = f"{fact.table}[{fact.row}, {fact.column}]" if fact.table is not None else "the text"
    return f"{place} (line {fact.line})" if fact.line else place


def _joined(parts: list[str]) -> str:
    text = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)
    return text[:1].upper() + text[1:] if text.startswith("the ") else text


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
