"""The audit of a paper, stated once.

(1) Bind the relations to the numbers: sealed relation records, relations files, automatic families.
(2) Decide each by itself, within an allowance of work, so that no paper and no file can make the audit endless.
(3) Decide those that share numbers together.
(4) Count which printed numbers the decided relations bind.
(5) Reach the verdict: contradiction, incomplete, suspicion or nothing found.

Everything happens within a number of seconds; what they did not suffice for is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from sealtrace.contract.audit import (
    Audit,
    AuditCoverage,
    AuditDecision,
    AuditFact,
    AuditProblem,
    AuditTable,
    AuditTally,
    AuditValue,
    AuditVerdict,
)
from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.model import Table
from sealtrace.relations.decide import OUT_OF_TIME, Progress, confirmed, decide_each, decide_groups
from sealtrace.relations.decision import Claim, Decision, Status
from sealtrace.relations.explanation import letter_of
from sealtrace.relations.fact import Fact, plain_address
from sealtrace.relations.facts import Facts
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.registry import FAMILIES, automatic_claims
from sealtrace.relations.families.regular import suggestions
from sealtrace.relations.intervals import Interval, point
from sealtrace.relations.language import Misreading
from sealtrace.relations.reading import read_relations
from sealtrace.relations.sealed import TEXT, facts_of_tables
from sealtrace.relations.stored import claims_of
from sealtrace.relations.syntax import Shared, exact_text, formula_text
from sealtrace.relations.work import time_is_up, time_limit

MAX_CLAIMS = 20_000
MOST_ROWS = 1000
"""Of a table that automatic families look at: they set its rows beside each other. No printed table is as long."""
SECONDS = 120.0
"""For one audit, unless somebody says otherwise."""
_ORDER = [Status.CONTRADICTION, Status.SUSPICION, Status.UNDECIDED, Status.HOLDS]


@dataclass
class Subject:
    """What is audited: a paper as read, or the records of a bundle."""

    name: str
    tables: list[Table]
    prose: Sequence[ProseLine] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """Sources as written, by name; none where records were sealed."""
    relations: list[Stored] = field(default_factory=list)
    """Sealed relation records."""
    problems: list[AuditProblem] = field(default_factory=list)
    """What reading it found wrong."""
    root_sha256: str | None = None

    def facts(self, *, called: bool = True) -> Facts:
        """Its numbers."""
        if self.texts:
            return Facts.of(self.tables, self.prose, self.texts)
        return facts_of_tables(self.tables, called=called)


@dataclass(frozen=True)
class Stored:
    """A file of relation records."""

    source: str
    records: list[dict[str, Any]]
    lines: list[int]


@dataclass(frozen=True)
class RelationsFile:
    """A relations file."""

    name: str
    text: str


@dataclass
class _Collected:
    """Claims of every origin, without two of one name."""

    source: str
    """What is audited, for problems that have no other place."""
    claims: list[Claim] = field(default_factory=list)
    problems: list[AuditProblem] = field(default_factory=list)
    left_out: list[AuditProblem] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _unknowns: dict[str, Shared] = field(default_factory=dict)

    def add(self, claims: Iterable[Claim]) -> None:
        """Takes claims in; a second one of the same name, or with another range for an unknown, is a problem."""
        for given in claims:
            taken = given.family != "declared" and given.name in self._names
            claim = replace(given, name=f"{given.name} ({given.family})") if taken else given
            ranges = claim.unknowns.items()
            other = next((name for name, here in ranges if self._unknowns.get(name, here) != here), None)
            if first := self._names.get(claim.name):
                self._refuse(claim, f"a second relation named {claim.name!r}; the first is at {first}")
            elif other is not None:
                self._refuse(claim, f"{claim.name!r} gives the unknown {other!r} another range than others do")
            elif len(self.claims) == MAX_CLAIMS:
                self._refuse(claim, f"more than {MAX_CLAIMS} relations; the others are left out")
                return
            else:
                self._names[claim.name] = claim.place or claim.family
                self._unknowns |= claim.unknowns
                self.claims.append(claim)

    def _refuse(self, claim: Claim, message: str) -> None:
        place = claim.place or claim.family
        source, _, line = place.rpartition(":")
        known = line.isdecimal()
        self.problems.append(_problem(message, source if known else place, int(line) if known else None))

    def trouble(self, problems: Iterable[Misreading]) -> None:
        """Takes in what is wrong with relations."""
        self.problems += (_problem(wrong.message, wrong.source, wrong.line, wrong.column) for wrong in problems)

    def leave_out(self, message: str, source: str | None = None) -> None:
        """Says what is passed over."""
        self.left_out.append(_problem(message, source or self.source))


def _problem(message: str, source: str, line: int | None = None, column: int | None = None) -> AuditProblem:
    return AuditProblem(message=message, severity="error", source=source, line=line, column=column)


def audit(
    subject: Subject,
    sources: Sequence[RelationsFile] = (),
    *,
    version: str,
    families: Sequence[str] | None = None,
    suggest: bool = False,
    progress: Progress | None = None,
    seconds: float | None = SECONDS,
) -> Audit:
    """Whether the numbers can all be true; `families` are the automatic ones to use, all where it is None."""
    with time_limit(seconds):
        collected = _Collected(subject.name, problems=list(subject.problems))
        facts, texts = _declared(subject, sources, collected)  # (1)
        # Automatic families read papers; what is sealed has relations of its own.
        printed = [table for table in subject.tables if table.path is None]
        paper = AuditedPaper.of(printed, subject.prose, subject.texts, facts if printed else None)
        for sheet in paper.sheets:
            if len(sheet.rows) > MOST_ROWS:
                limit = f"automatic families look at tables of up to {MOST_ROWS}"
                collected.leave_out(f"{sheet.label} has {len(sheet.rows)} rows; {limit}", sheet.source)
        paper = replace(paper, sheets=tuple(sheet for sheet in paper.sheets if len(sheet.rows) <= MOST_ROWS))
        chosen = [family for family in FAMILIES if families is None or family.name in families]
        known = {formula_text(claim.formula) for claim in collected.claims}
        collected.add(claim for claim in automatic_claims(paper, chosen) if formula_text(claim.formula) not in known)
        decisions = confirmed(decide_each(collected.claims, progress))  # (2)
        possible = [decision.claim for decision in decisions if decision.status is not Status.CONTRADICTION]
        decisions = distinct(decisions) + decide_groups(possible)  # (3)
        decisions.sort(key=lambda decision: _ORDER.index(decision.status))
        unheard = sum(decision.reason == OUT_OF_TIME for decision in decisions)
        if unheard or time_is_up():
            left = f"{unheard} relations and some searches were left out (--seconds gives more)"
            collected.leave_out(f"the seconds were used up: {left}")
        texts |= {mention.fact.address for sentence in paper.sentences for mention in sentence.mentions}
        whole, tables = _coverage(subject.tables, texts, decisions)  # (4)
        return Audit(
            sealtrace=version,
            paper=subject.name,
            root_sha256=subject.root_sha256,
            verdict=_verdict(decisions, [*collected.problems, *collected.left_out]),  # (5)
            tallies=_tallies(decisions),
            coverage=whole,
            tables=tables,
            decisions=list(map(decision_record, decisions)),
            facts=_facts(decisions),
            problems=collected.problems,
            left_out=collected.left_out,
            suggestions=suggestions(paper) if suggest else [],
        )


def _declared(subject: Subject, sources: Sequence[RelationsFile], collected: _Collected) -> tuple[Facts, set[str]]:
    """The numbers that there are, and the names of those of the running text; claims go to `collected`."""
    facts = subject.facts()
    texts = set(facts.declared)
    for stored in subject.relations:
        claims, problems = claims_of(stored.records, stored.source, facts, stored.lines)
        collected.add(claims)
        collected.trouble(problems)
    if sources:
        # A file may give a number of the text the name that it has in the bundle: the two are kept apart.
        facts = subject.facts(called=False)
    for source in sources:
        reading = read_relations(source.text, source.name, facts)
        collected.add(reading.claims)
        collected.trouble(reading.problems)
        collected.left_out += (
            AuditProblem(message=f"{name}: {cause}", severity="warning", source=source.name)
            for name, cause in reading.left_out
        )
        if not (reading.claims or reading.problems or reading.left_out):
            collected.problems.append(_problem("declares no relation", source.name))
    return facts, texts | set(facts.declared)


def distinct(decisions: list[Decision]) -> list[Decision]:
    """Decisions without those that only repeat one of the same numbers: a suspicion a contradiction or another
    suspicion, and an automatic contradiction a declared one."""
    kept: list[Decision] = []
    wrong = [decision for decision in decisions if decision.status is Status.CONTRADICTION and len(decision.cells) > 1]
    declared = [_numbers(decision) for decision in wrong if decision.claim.family == "declared"]
    blamed = [_numbers(decision) for decision in wrong]
    for decision in sorted(decisions, key=lambda decision: decision.claim.chance or 0.0):
        own, suspected = _numbers(decision), decision.status is Status.SUSPICION
        automatic = decision.status is Status.CONTRADICTION and decision.claim.family != "declared"
        others = blamed if suspected else declared if automatic else []
        if not any(own <= other or other <= own for other in others):
            kept.append(decision)
            blamed += [own] if suspected else []
    return kept


def _numbers(decision: Decision) -> frozenset[str]:
    return frozenset(map(plain_address, decision.cells))


def _verdict(decisions: list[Decision], problems: list[AuditProblem]) -> AuditVerdict:
    statuses = {decision.status for decision in decisions}
    if Status.CONTRADICTION in statuses:
        return "contradiction"
    undecided = (decision for decision in decisions if decision.status is Status.UNDECIDED)
    # Automatic relations are offers: nobody owes that they can be decided.
    owed = any(claim.family == "declared" for each in undecided for claim in (each.together or (each.claim,)))
    unread = any(problem.severity == "error" for problem in problems)
    checked = any(decision.status is Status.HOLDS and decision.claim.telling for decision in decisions)
    if owed or unread or not (checked or Status.SUSPICION in statuses):
        return "incomplete"
    return "suspicion" if Status.SUSPICION in statuses else "nothing-found"


# As records: numbers exact and as text, every printed number listed once


def decision_record(decision: Decision) -> AuditDecision:
    """One decision; what only a contradiction has is absent from the others."""
    claim, proof = decision.claim, decision.certificate
    broken = decision.status in (Status.CONTRADICTION, Status.SUSPICION)
    asprinted = {fact.address: point(fact.value) for fact in decision.cells}
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
        distance=None if decision.distance is None else exact_text(decision.distance),
        nearest=None if decision.nearest is None else decision.nearest.address,
        tightest=[AuditValue(name=name, value=exact_text(value)) for name, value in proof.tightest()] if proof else [],
        # Unknowns, and numbers that are not just as they were printed.
        witness=[
            AuditValue(name=name, value=_interval(value))
            for name, value in decision.witness.items()
            if value != asprinted.get(name)
        ],
        assumes=list(claim.assumes),
        repairs=list(decision.repairs),
        proof=proof.text() if proof else [],
        together=[claim.name for claim in decision.together],
        evidence=claim.evidence or None,
        chance=claim.chance,
        telling=claim.telling,
        letter=letter_of(decision) if broken else None,
    )


def _interval(interval: Interval) -> str:
    low, high = (exact_text(end) if isinstance(end, Fraction) else str(end) for end in (interval.low, interval.high))
    return low if interval.is_point else f"[{low}, {high}]"


def _facts(decisions: Iterable[Decision]) -> list[AuditFact]:
    """Every number that decisions speak of, once."""
    return [
        AuditFact(
            address=fact.address,
            printed=fact.text,
            low=exact_text(fact.low),
            high=exact_text(fact.high),
            source=fact.source,
            line=fact.line,
            table=fact.table,
            row=fact.row or None,
            column=fact.column or None,
        )
        for fact in {fact.address: fact for decision in decisions for fact in decision.cells}.values()
    ]


def _tallies(decisions: Iterable[Decision]) -> list[AuditTally]:
    """Results by family, declared relations first."""
    counts: dict[str, Counter[str]] = {}
    for decision in decisions:
        counts.setdefault(decision.claim.family, Counter())[decision.status.value] += 1
    families = sorted(counts, key=lambda name: (name != "declared", name == "group", name))
    return [
        AuditTally(family=name, **{status.value: counts[name][status.value] for status in Status}) for name in families
    ]


def _coverage(
    printed: Iterable[Table], texts: set[str], decisions: Iterable[Decision]
) -> tuple[AuditCoverage, list[AuditTable]]:
    """How many numbers are checked by something that could fail: of the whole paper, and of each table."""
    spoken_of: dict[Status, set[tuple[str, ...]]] = {status: set() for status in Status}
    for decision in decisions:
        if decision.claim.telling:
            spoken_of[decision.status].update(place for fact in decision.cells for place in _places(fact))
    bound = set().union(*(places for status, places in spoken_of.items() if status is not Status.UNDECIDED))
    cells: dict[str, set[tuple[str, ...]]] = {
        table.label: {
            (table.label, table.rows[row].label, table.columns[column].label) for row, column, _cell in table.numbers
        }
        for table in printed
        if table.label != TEXT
    }

    def counts(members: set[tuple[str, ...]]) -> dict[str, int]:
        return {
            "cells": len(members),
            "constrained": len(members & bound),
            "contradicted": len(members & spoken_of[Status.CONTRADICTION]),
            "suspected": len(members & spoken_of[Status.SUSPICION]),
            "unconstrained": len(members - bound),
        }

    tables = [
        AuditTable(table=label, text=0, text_constrained=0, **counts(members))
        for label, members in cells.items()
        if members
    ]
    checked = sum((name,) in bound for name in texts)
    return AuditCoverage(text=len(texts), text_constrained=checked, **counts(set().union(*cells.values()))), tables


def _places(fact: Fact) -> list[tuple[str, ...]]:
    """The cell of a number; of a number of the text, its name, which may be followed by a part."""
    if fact.table is not None:
        return [(fact.table, fact.row, fact.column)]
    name = plain_address(fact)
    return [(name,), (name.rpartition(".")[0],)]
