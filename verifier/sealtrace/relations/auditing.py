"""The audit of a paper, stated once.

(1) Bind the relations to the numbers: sealed relation records, relations files, automatic families.
(2) Decide each by itself, within an allowance of work, so that no paper and no file can make the audit endless.
(3) Decide those that share numbers together.
(4) Count which printed numbers the decided relations bind.
(5) Reach the verdict: contradiction, incomplete, suspicion or nothing found.

Everything happens within a number of seconds; what they did not suffice for is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sealtrace.contract.audit import Audit, AuditProblem, AuditVerdict
from sealtrace.printed.extracted import ExtractedTable, ProseLine
from sealtrace.relations.audited import coverage_of, decision_record, facts_of, suggestion_record, tallies_of
from sealtrace.relations.decide import OUT_OF_TIME, Progress, decide_each, decide_groups
from sealtrace.relations.decision import Claim, Decision, Status
from sealtrace.relations.facts import Facts
from sealtrace.relations.families.paper import Paper
from sealtrace.relations.families.registry import FAMILIES, automatic_claims
from sealtrace.relations.families.suggested import suggestions
from sealtrace.relations.language import Problem
from sealtrace.relations.reading import Reading, read_relations
from sealtrace.relations.rendering import formula_text
from sealtrace.relations.sealed import facts_of_records
from sealtrace.relations.stored import claims_of
from sealtrace.relations.syntax import Shared, walk
from sealtrace.relations.work import time_is_up, time_limit

MAX_CLAIMS = 20_000
MOST_ROWS = 1000
"""Of a table that automatic families look at: they set its rows beside each other. No printed table is as long."""
SECONDS = 120.0
"""For one audit, unless somebody says otherwise."""


@dataclass
class Subject:
    """What is audited: a paper as read, or the records of a bundle."""

    name: str
    tables: list[dict[str, Any]]
    """Table records."""
    extracted: list[ExtractedTable] = field(default_factory=list)
    """The tables as a reader of papers hands them on, with their captions; automatic families need them."""
    prose: list[ProseLine] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
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
        return facts_of_records(self.tables, called=called)


@dataclass(frozen=True)
class Stored:
    """A file of relation records."""

    source: str
    records: list[dict[str, Any]]
    lines: list[int]


@dataclass(frozen=True)
class Source:
    """A relations file."""

    name: str
    text: str


@dataclass
class _Bound:
    """Claims of every origin, without two of one name."""

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
            place = claim.place or claim.family
            if claim.name in self._names:
                self._refuse(
                    claim, f"a second relation named {claim.name!r}; the first is at {self._names[claim.name]}"
                )
                continue
            unknowns = {node.name: node for node in walk(claim.formula) if isinstance(node, Shared)}
            other = next((one for name, one in unknowns.items() if self._unknowns.get(name, one) != one), None)
            if other is not None:
                self._refuse(claim, f"{claim.name!r} gives the unknown {other.name!r} another range than others do")
                continue
            if len(self.claims) == MAX_CLAIMS:
                self._refuse(claim, f"more than {MAX_CLAIMS} relations; the others are left out")
                return
            self._names[claim.name] = place
            self._unknowns |= unknowns
            self.claims.append(claim)

    def _refuse(self, claim: Claim, message: str) -> None:
        source, _, line = (claim.place or claim.family).rpartition(":")
        known = line.isdecimal()
        self.problems.append(
            AuditProblem(
                message=message,
                severity="error",
                source=source if known else claim.place or claim.family,
                line=int(line) if known else None,
            )
        )


def audit(
    subject: Subject,
    sources: Sequence[Source] = (),
    *,
    version: str,
    families: Sequence[str] | None = None,
    suggest: bool = False,
    progress: Progress | None = None,
    seconds: float | None = SECONDS,
) -> Audit:
    """Whether the numbers can all be true; `families` are the automatic ones to use, all where it is None."""
    with time_limit(seconds):
        return _audit(subject, sources, version, families, suggest, progress)


def _audit(
    subject: Subject,
    sources: Sequence[Source],
    version: str,
    families: Sequence[str] | None,
    suggest: bool,
    progress: Progress | None,
) -> Audit:
    bound = _Bound(problems=list(subject.problems))
    facts, texts = _declared(subject, sources, bound)  # (1)
    paper = Paper.of(subject.extracted, subject.prose, subject.texts, facts if subject.extracted else None)
    for sheet in paper.sheets:
        if len(sheet.rows) > MOST_ROWS:
            what = f"{sheet.label} has {len(sheet.rows)} rows; automatic families look at tables of up to {MOST_ROWS}"
            bound.left_out.append(AuditProblem(message=what, severity="error", source=sheet.source))
    paper = replace(paper, sheets=tuple(sheet for sheet in paper.sheets if len(sheet.rows) <= MOST_ROWS))
    chosen = [family for family in FAMILIES if families is None or family.name in families]
    known = {formula_text(claim.formula) for claim in bound.claims}
    bound.add(claim for claim in automatic_claims(paper, chosen) if formula_text(claim.formula) not in known)
    decisions = decide_each(bound.claims, progress)  # (2)
    stated = [one.claim for one in decisions if one.status is not Status.CONTRADICTION and not one.claim.is_guess]
    decisions = distinct(decisions) + decide_groups(stated)  # (3)
    decisions.sort(key=lambda one: _ORDER.index(one.status))
    unheard = sum(one.reason == OUT_OF_TIME for one in decisions)
    if unheard or time_is_up():
        what = f"the seconds were used up: {unheard} relations and some searches were left out (--seconds gives more)"
        bound.left_out.append(AuditProblem(message=what, severity="error", source=subject.name))
    texts |= {one.fact.address for sentence in paper.sentences for one in sentence.mentions}
    whole, tables = coverage_of(facts, texts, decisions)  # (4)
    return Audit(
        sealtrace=version,
        paper=subject.name,
        root_sha256=subject.root_sha256,
        verdict=_verdict(decisions, [*bound.problems, *bound.left_out]),  # (5)
        tallies=tallies_of(decisions),
        coverage=whole,
        tables=tables,
        decisions=[decision_record(one) for one in decisions],
        facts=facts_of(decisions),
        problems=bound.problems,
        left_out=bound.left_out,
        suggestions=[suggestion_record(one) for one in suggestions(paper)] if suggest else [],
    )


_ORDER = [Status.CONTRADICTION, Status.SUSPICION, Status.UNDECIDED, Status.HOLDS]


def distinct(decisions: list[Decision]) -> list[Decision]:
    """Decisions without those that only repeat one of the same numbers: a suspicion a contradiction or another
    suspicion, and an automatic contradiction a declared one."""
    kept: list[Decision] = []
    wrong = [one for one in decisions if one.status is Status.CONTRADICTION and len(one.cells) > 1]
    declared = [_bare(one) for one in wrong if one.claim.family == "declared"]
    blamed = [_bare(one) for one in wrong]
    for one in sorted(decisions, key=lambda each: each.claim.chance or 0.0):
        own = _bare(one)
        if one.status is Status.SUSPICION:
            if _met(own, blamed):
                continue
            blamed.append(own)
        elif one.status is Status.CONTRADICTION and one.claim.family != "declared" and _met(own, declared):
            continue
        kept.append(one)
    return kept


def _met(own: frozenset[str], others: list[frozenset[str]]) -> bool:
    return any(own <= other or other <= own for other in others)


def _bare(decision: Decision) -> frozenset[str]:
    return frozenset(fact.address.removeprefix("rounded(").removesuffix(")") for fact in decision.cells)


def _declared(subject: Subject, sources: Sequence[Source], bound: _Bound) -> tuple[Facts, set[str]]:
    """The numbers that there are, and the names of those of the running text; claims go to `bound`."""
    facts = subject.facts()
    texts = set(facts.declared)
    for stored in subject.relations:
        claims, problems = claims_of(stored.records, stored.source, facts, stored.lines)
        bound.add(claims)
        bound.problems += map(_problem, problems)
    if sources:
        # A file may give a number of the text the name that it has in the bundle: the two are kept apart.
        facts = subject.facts(called=False)
    for source in sources:
        reading = read_relations(source.text, source.name, facts)
        bound.add(reading.claims)
        bound.problems += map(_problem, reading.problems)
        bound.left_out += _left_out(reading, source)
        if not (reading.claims or reading.problems or reading.left_out):
            bound.problems.append(AuditProblem(message="declares no relation", severity="error", source=source.name))
    return facts, texts | set(facts.declared)


def _verdict(decisions: list[Decision], problems: list[AuditProblem]) -> AuditVerdict:
    statuses = {one.status for one in decisions}
    if Status.CONTRADICTION in statuses:
        return "contradiction"
    undecided = [one for one in decisions if one.status is Status.UNDECIDED]
    # Automatic relations are offers: nobody owes that they can be decided.
    owed = any(claim.family == "declared" for one in undecided for claim in (one.together or (one.claim,)))
    unread = any(one.severity == "error" for one in problems)
    if owed or unread or not {Status.HOLDS, Status.SUSPICION} & statuses:
        return "incomplete"
    return "suspicion" if Status.SUSPICION in statuses else "nothing-found"


def _problem(problem: Problem) -> AuditProblem:
    return AuditProblem(
        message=problem.message, severity="error", source=problem.source, line=problem.line, column=problem.column
    )


def _left_out(reading: Reading, source: Source) -> list[AuditProblem]:
    return [
        AuditProblem(message=f"{name}: {cause}", severity="warning", source=source.name)
        for name, cause in reading.left_out
    ]
