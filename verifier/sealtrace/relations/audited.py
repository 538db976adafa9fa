"""Decisions as the audit's records: numbers exact and as text, every printed number listed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from sealtrace.contract.audit import (
    AuditCoverage,
    AuditDecision,
    AuditFact,
    AuditRepair,
    AuditSuggestion,
    AuditTable,
    AuditTally,
    AuditValue,
)
from sealtrace.relations.decision import Decision, Status
from sealtrace.relations.fact import Fact
from sealtrace.relations.facts import Facts
from sealtrace.relations.families.suggested import Suggestion
from sealtrace.relations.intervals import Bound, Interval, point
from sealtrace.relations.letters import letter_of
from sealtrace.relations.rendering import formula_text, number_text
from sealtrace.relations.sealed import TEXT

Cell = tuple[str, str, str]
"""Table, row and column."""


def decision_record(decision: Decision) -> AuditDecision:
    """One decision; what only a contradiction has is absent from the others."""
    claim = decision.claim
    broken = decision.status in (Status.CONTRADICTION, Status.SUSPICION)
    return AuditDecision(
        relation=claim.name,
        family=claim.family,
        status=decision.status.value,
        sentence=claim.sentence,
        source=claim.source,
        place=claim.place,
        formula=formula_text(claim.formula),
        facts=[fact.address for fact in decision.cells],
        reason=decision.reason or None,
        arithmetic=decision.arithmetic or None,
        distance=None if decision.distance is None else _exact(decision.distance),
        nearest=None if decision.nearest is None else decision.nearest.address,
        tightest=[AuditValue(name=name, value=_exact(value)) for name, value in decision.tightest],
        witness=_witness(decision),
        assumes=list(claim.assumes),
        repairs=[AuditRepair(says=one.says, works=one.works) for one in decision.repairs],
        proof=decision.certificate.text() if decision.certificate is not None else [],
        together=[one.name for one in decision.together],
        evidence=claim.evidence or None,
        chance=claim.chance,
        telling=claim.telling,
        letter=letter_of(decision) if broken else None,
    )


def _witness(decision: Decision) -> list[AuditValue]:
    """Unknowns, and numbers that are not just as they were printed."""
    printed = {fact.address: point(fact.value) for fact in decision.cells}
    return [
        AuditValue(name=name, value=_interval(value))
        for name, value in decision.witness.items()
        if value != printed.get(name)
    ]


def facts_of(decisions: Iterable[Decision]) -> list[AuditFact]:
    """Every number that decisions speak of, once."""
    facts = {fact.address: fact for decision in decisions for fact in decision.cells}
    return [_fact(fact) for fact in facts.values()]


def suggestion_record(one: Suggestion) -> AuditSuggestion:
    """A suggestion as the audit has it."""
    return AuditSuggestion(
        name=one.name, sentence=one.sentence, text=one.text, score=round(one.score, 1), facts=list(one.cells)
    )


def tallies_of(decisions: Iterable[Decision]) -> list[AuditTally]:
    """Results by family, declared relations first."""
    counts: dict[str, Counter[str]] = {}
    for decision in decisions:
        counts.setdefault(decision.claim.family, Counter())[decision.status.value] += 1
    families = sorted(counts, key=lambda name: (name != "declared", name == "group", name))
    return [
        AuditTally(family=name, **{status.value: counts[name][status.value] for status in Status}) for name in families
    ]


def coverage_of(
    facts: Facts, texts: Iterable[str], decisions: Iterable[Decision]
) -> tuple[AuditCoverage, list[AuditTable]]:
    """How many numbers are checked by something that could fail: of the whole paper, and of each table."""
    decided = [one for one in decisions if one.status is not Status.UNDECIDED and one.claim.telling]

    def spoken_of(*statuses: Status) -> set[Cell]:
        return {place for one in decided if one.status in statuses for fact in one.cells for place in _places(fact)}

    bound = spoken_of(*Status)
    wrong, doubtful = spoken_of(Status.CONTRADICTION), spoken_of(Status.SUSPICION)
    cells: dict[str, dict[Cell, None]] = {label: {} for label in facts.tables if label != TEXT}
    for fact in facts.every():
        if fact.table in cells:
            cells[fact.table][fact.table, fact.row, fact.column] = None
    tables = [
        AuditTable(
            table=label,
            cells=len(members),
            constrained=len(bound & members.keys()),
            contradicted=len(wrong & members.keys()),
            suspected=len(doubtful & members.keys()),
            unconstrained=len(members.keys() - bound),
            text=0,
            text_constrained=0,
        )
        for label, members in cells.items()
        if members
    ]
    names = set(texts)
    whole = AuditCoverage(
        cells=sum(one.cells for one in tables),
        constrained=sum(one.constrained for one in tables),
        contradicted=sum(one.contradicted for one in tables),
        suspected=sum(one.suspected for one in tables),
        unconstrained=sum(one.unconstrained for one in tables),
        text=len(names),
        text_constrained=sum(("", name, "") in bound for name in names),
    )
    return whole, tables


def _places(fact: Fact) -> list[Cell]:
    """The cell of a number; of a number of the text, its name, which may be followed by a part."""
    if fact.table is not None:
        return [(fact.table, fact.row, fact.column)]
    name = fact.address.removeprefix("rounded(").removesuffix(")")
    return [("", name, ""), ("", name.rpartition(".")[0], "")]


def _fact(fact: Fact) -> AuditFact:
    return AuditFact(
        address=fact.address,
        printed=fact.text,
        low=_exact(fact.low),
        high=_exact(fact.high),
        source=fact.source,
        line=fact.line,
        table=fact.table,
        row=fact.row or None,
        column=fact.column or None,
    )


def _interval(interval: Interval) -> str:
    return _end(interval.low) if interval.is_point else f"[{_end(interval.low)}, {_end(interval.high)}]"


def _end(bound: Bound) -> str:
    return _exact(bound) if isinstance(bound, Fraction) else str(bound)


def _exact(value: Fraction) -> str:
    """A decimal where it ends, else a ratio."""
    return number_text(value).strip("()").replace(" ", "")
