"""The audit of a paper, stated once.

(1) Bind the relations to the numbers: sealed relation records, relations files, automatic families.
(2) Decide each by itself, within an allowance of work, so that no paper and no file can make the audit endless.
(3) Decide those that share numbers together.
(4) Count which printed numbers the decided relations bind.
(5) Reach the verdict: a contradiction was found, something is undecided, or nothing was found.

Everything happens within a number of seconds; what they did not suffice for is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from sealtrace import __version__
from sealtrace.bundle.budget import reading_within
from sealtrace.contract.details import Details, DrawnTable
from sealtrace.contract.result import (
    GRADES,
    WORDS,
    CheckResult,
    ClaimResult,
    ClaimValue,
    Coverage,
    Finding,
    NotLookedAt,
    NumberResult,
    Result,
    Severity,
    Subject,
    Summary,
    Verdict,
)
from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.model import Paper, Table
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.decide import OUT_OF_TIME, Progress, compares, confirmed, decide_each, decide_groups, graded
from sealtrace.relations.decision import BROKEN, Claim, Decision, Status, bound, number_of
from sealtrace.relations.explanation import breaking, letter_of
from sealtrace.relations.facts import Facts, PrintedCell
from sealtrace.relations.families.paper import MOST_LETTERS, MOST_NUMBERS, AuditedPaper
from sealtrace.relations.families.registry import FAMILIES, automatic_claims
from sealtrace.relations.intervals import Interval, point
from sealtrace.relations.language import FormulaNames, Misreading, parse_formula
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
_ORDER = [Status(grade) for grade in GRADES if grade in set(Status)]


@dataclass
class AuditSubject:
    """What is audited: a paper as read, or the records of a bundle."""

    name: str
    tables: list[Table]
    prose: Sequence[ProseLine] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """Sources as written, by name; none where records were sealed."""
    relations: list[Stored] = field(default_factory=list)
    """Sealed relation records."""
    problems: list[Finding] = field(default_factory=list)
    """What reading it found wrong."""
    root_sha256: str | None = None
    title: str | None = None
    """The title of the paper, or what a bundle says that its study is."""

    @property
    def paper(self) -> Paper:
        """What it prints."""
        return Paper(tuple(self.tables), tuple(self.prose), texts=self.texts)

    def facts(self, *, called: bool = True) -> Facts:
        """Its numbers."""
        if self.texts:
            return Facts.of(self.tables, self.prose, self.texts)
        return facts_of_tables(self.tables, called=called)


@dataclass(frozen=True)
class Stored:
    """A file of relation records."""

    source: str
    records: list[dict[str, object]]
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
    problems: list[Finding] = field(default_factory=list)
    left_out: list[NotLookedAt] = field(default_factory=list)
    unfinished: bool = False
    """Whether something was left out that the paper could be judged by."""
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
            elif not (claim.facts or claim.unknowns):
                self._refuse(claim, f"{claim.name!r} names no number that the paper prints")
            elif len(self.claims) == MAX_CLAIMS:
                self._refuse(claim, f"more than {MAX_CLAIMS} relations; the others are left out")
                return
            else:
                self._names[claim.name] = claim.place or claim.family
                self._unknowns |= claim.unknowns
                idle = claim.family == "declared" and claim.facts and not compares(claim.formula)
                self.claims.append(replace(claim, telling=False) if idle else claim)

    def _refuse(self, claim: Claim, message: str) -> None:
        place = claim.place or claim.family
        source, _, line = place.rpartition(":")
        known = line.isdecimal()
        self.problems.append(unread(message, source if known else place, int(line) if known else None))

    def trouble(self, problems: Iterable[Misreading]) -> None:
        """Takes in what is wrong with relations."""
        self.problems += (unread(wrong.message, wrong.source, wrong.line, wrong.column) for wrong in problems)

    def leave_out(self, message: str, source: str | None = None) -> None:
        """Says what is passed over."""
        self.left_out.append(NotLookedAt(what=source or self.source, why=message))
        self.unfinished = True


READING = "relation.reading"


def unread(
    message: str, source: str, line: int | None = None, column: int | None = None, *, hides: bool = True
) -> Finding:
    """Something that could not be read, or a relation that could not be bound; a note where it hides no number."""
    severity: Severity = "warning" if hides else "note"
    return Finding(check=READING, severity=severity, source=source, line=line, column=column, message=message)


def audit(
    subject: AuditSubject,
    sources: Sequence[RelationsFile] = (),
    *,
    families: Sequence[str] | None = None,
    suggest: bool = False,
    strict: bool = False,
    progress: Progress | None = None,
    seconds: float | None = SECONDS,
) -> Result:
    """Whether the numbers can all be true; `families` are the automatic ones to use, all where it is None.

    With `strict` a suspicion, or anything else that is warned of, counts as an error.
    """
    with time_limit(seconds):
        collected = _Collected(subject.name, problems=list(subject.problems))
        # Numbers of sentences are read when somebody asks for them, so that reading goes on here.
        with nullcontext() if seconds is None else reading_within(seconds, subject.name):
            facts, passages = _declared(subject, sources, collected)  # (1)
            # Automatic families read papers; what is sealed has relations of its own.
            printed = [table for table in subject.tables if table.path is None]
            paper = AuditedPaper.of(printed, facts if printed else Facts.of((), subject.prose))
            for sheet in paper.sheets:
                if len(sheet.rows) > MOST_ROWS:
                    limit = f"automatic families look at tables of up to {MOST_ROWS}"
                    collected.leave_out(f"{sheet.label} has {len(sheet.rows)} rows; {limit}", sheet.source)
            for sentence in paper.facts.sentences:
                if len(sentence.amounts) > MOST_NUMBERS:
                    limit = f"automatic families look at sentences of up to {MOST_NUMBERS}"
                    collected.leave_out(f"a sentence has {len(sentence.amounts)} numbers; {limit}", sentence.source)
        if paper.letters > MOST_LETTERS:
            limit = f"automatic families read the first {MOST_LETTERS:,} letters"
            collected.leave_out(f"the text has {paper.letters:,} letters; {limit}")
        paper = replace(paper, sheets=tuple(sheet for sheet in paper.sheets if len(sheet.rows) <= MOST_ROWS))
        chosen = [family for family in FAMILIES if families is None or family.name in families]
        known = {formula_text(claim.formula) for claim in collected.claims}
        collected.add(claim for claim in automatic_claims(paper, chosen) if formula_text(claim.formula) not in known)
        decisions = confirmed(decide_each(collected.claims, progress))  # (2)
        possible = [decision.claim for decision in decisions if decision.status is not Status.CONTRADICTION]
        decisions = graded(distinct(decisions) + decide_groups(possible))  # (3)
        decisions.sort(key=lambda decision: _ORDER.index(decision.status))
        unheard = sum(decision.reason == OUT_OF_TIME for decision in decisions)
        if unheard or time_is_up():
            left = f"{unheard} relations and some searches were left out (--seconds gives more)"
            collected.leave_out(f"the seconds were used up: {left}")
        own = (sentence for sentence in paper.facts.sentences if not sentence.cited)
        sentences = {number: sentence for sentence in own for number in sentence.quantities}
        numbers = _numbers_of(subject.tables, passages, sentences, decisions)  # (4)
        findings = [*_findings(decisions), *collected.problems]
        warned = strict and any(finding.severity == "warning" for finding in findings)
        return Result(
            sealtrace=__version__,
            command="audit",
            subject=Subject(
                name=subject.name,
                title=subject.title,
                root_sha256=subject.root_sha256,
                papers=sorted({number.source for number in numbers if number.source} | set(subject.texts)),
            ),
            verdict="findings" if warned else _verdict(decisions, collected),  # (5)
            strict=strict,
            summary=Summary(),
            checks=[*_families(decisions), _reading(numbers, collected.problems)],
            findings=findings,
            numbers=numbers,
            claims=[*map(claim_record, decisions), *(_suggestions(decisions, facts) if suggest else [])],
            coverage=Coverage.of(
                [number.status for number in numbers], text=sum(number.table is None for number in numbers)
            ),
            not_looked_at=collected.left_out,
            details=Details(tables=[DrawnTable.of(table) for table in subject.tables]),
        )


def _declared(
    subject: AuditSubject, sources: Sequence[RelationsFile], collected: _Collected
) -> tuple[Facts, list[PrintedCell]]:
    """The numbers that there are, and the passages of the text that were declared; claims go to `collected`."""
    facts = subject.facts()
    passages = facts.passages()
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
            NotLookedAt(what=f"{source.name}: {name}", why=cause) for name, cause in reading.left_out
        )
        if not (reading.claims or reading.problems or reading.left_out):
            collected.problems.append(unread("declares no relation", source.name))
    return facts, passages + facts.passages()


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
    return frozenset(fact.plain_address for fact in decision.cells)


def _verdict(decisions: list[Decision], collected: _Collected) -> Verdict:
    statuses = {decision.status for decision in decisions}
    if Status.CONTRADICTION in statuses:
        return "findings"
    undecided = (decision for decision in decisions if decision.status is Status.UNDECIDED)
    # Automatic relations are offers: nobody owes that they can be decided.
    owed = any(claim.family == "declared" for each in undecided for claim in (each.together or (each.claim,)))
    hidden = any(problem.severity == "warning" for problem in collected.problems)
    checked = (Status.HOLDS, Status.SUSPICION, Status.ROUNDING, Status.QUESTION)
    complete = any(decision.status in checked and decision.claim.telling for decision in decisions)
    return "incomplete" if owed or hidden or collected.unfinished or not complete else "nothing-found"


# As records: numbers exact and as text, every printed number listed once


def claim_record(decision: Decision) -> ClaimResult:
    """One decision; what only a contradiction has is absent from the others."""
    claim, proof = decision.claim, decision.certificate
    broken = decision.status not in (Status.HOLDS, Status.UNDECIDED)
    asprinted = {fact.address: point(fact.value) for fact in decision.cells}
    steps = proof.text() if proof else []
    return ClaimResult(
        id=claim.name,
        grade=decision.status.value,
        says=claim.sentence,
        quote=claim.source,
        readings=[formula_text(claim.formula)],
        numbers=bound(decision.cells),
        # Claims that contradict each other have no one line: their comparisons are added up.
        arithmetic=steps if decision.together and steps else [decision.arithmetic] if decision.arithmetic else [],
        assumes=list(claim.assumes),
        family=claim.family,
        place=claim.place,
        reason=decision.reason or None,
        distance=None if decision.distance is None else exact_text(decision.distance),
        nearest=None if decision.nearest is None else decision.nearest.address,
        tightest=[ClaimValue(name=name, value=exact_text(value)) for name, value in proof.tightest()] if proof else [],
        # Unknowns, and numbers that are not just as they were printed.
        witness=[
            ClaimValue(name=name, value=_interval(value))
            for name, value in decision.witness.items()
            if value != asprinted.get(name)
        ],
        repairs=list(decision.repairs),
        proof=steps,
        together=[claim.name for claim in decision.together],
        evidence=claim.evidence or None,
        chance=claim.chance,
        telling=claim.telling,
        question=claim.question if broken else None,
        letter=letter_of(decision) if broken else None,
    )


def _suggestions(decisions: Iterable[Decision], facts: Facts) -> Iterator[ClaimResult]:
    """What families read and what holds, by family and table, as an author may declare it in a relations file."""
    names, several = FormulaNames(facts), dict[tuple[str, str], list[Decision]]()
    for decision in decisions:
        claim, holds = decision.claim, decision.status is Status.HOLDS and decision.claim.telling
        tables = {fact.table for fact in claim.facts}
        table = tables.pop() if holds and claim.family != "declared" and len(tables) == 1 else None
        if table is not None and not parse_formula(formula_text(claim.formula), names)[1]:
            several.setdefault((claim.family, table), []).append(decision)
    for (family, table), held in several.items():
        name = f"{family} in {table}"
        identifier = "-".join(re.findall(r"[^\W_]+", name))
        lines = [f"relation {identifier}", f"  says    {held[0].claim.sentence}",
                 "  because read by rule; name the place",
                 f"  holds   {' and '.join(formula_text(one.claim.formula) for one in held)}"]  # fmt: skip
        yield ClaimResult(
            id=name,
            grade="suggestion",
            says=held[0].claim.sentence,
            quote=held[0].claim.source,
            readings=["\n".join(lines) + "\n"],
            numbers=bound(fact for one in held for fact in one.cells),
            family=family,
            evidence=f"{len(held)} of its relations hold",
        )


def _interval(interval: Interval) -> str:
    low, high = (exact_text(end) if isinstance(end, Fraction) else str(end) for end in (interval.low, interval.high))
    return low if interval.is_point else f"[{low}, {high}]"


_SEVERITIES: dict[Status, Severity] = {Status.CONTRADICTION: "error", Status.SUSPICION: "warning"}
_STATUSES = {
    **dict.fromkeys((Status.HOLDS, Status.QUESTION, Status.ROUNDING), "constrained"),
    Status.SUSPICION: "suspected",
    Status.CONTRADICTION: "contradicted",
}
"""What a decision makes of the numbers that it speaks of, the worst last."""


def blamed(broken: Iterable[Decision]) -> list[tuple[Decision, set[str]]]:
    """Broken relations with the numbers that break them: the one on which several of them agree, where there is one."""
    found = [(each, {number_of(fact) for fact in breaking(each.claim.formula)}) for each in broken]
    often = Counter(name for _each, names in found for name in names)
    common = [{name for name in names if often[name] == max(often[one] for one in names) > 1} for _each, names in found]
    return [(each, same if len(same) == 1 else names) for (each, names), same in zip(found, common, strict=True)]


def _findings(decisions: Iterable[Decision]) -> Iterator[Finding]:
    """A finding for each relation that does not hold: at the number that would have to move, or else the first one."""
    for decision in decisions:
        if decision.status is Status.HOLDS:
            continue
        claim = decision.claim
        first = breaking(claim.formula) if decision.status in BROKEN else []
        where = next((fact for fact in (decision.nearest, *first, *decision.cells) if fact is not None), None)
        source, line = (where.source, where.line) if where else (None, None)
        if source is None and claim.place is not None:
            source, _, number = claim.place.rpartition(":")
            line = int(number)
        message = f"undecided: {claim.sentence} {decision.reason}".rstrip()
        owed: Severity = "warning" if (claim.family, decision.status) == ("declared", Status.UNDECIDED) else "note"
        yield Finding(
            check=check_id(claim.family),
            severity=_SEVERITIES.get(decision.status, owed),
            source=source,
            line=line,
            key={"relation": claim.name},
            message=message if decision.status is Status.UNDECIDED else letter_of(decision) or claim.sentence,
        )


def check_id(family: str) -> str:
    """A family's name as the id of a check."""
    return f"relation.{re.sub('[^a-z]+', '-', family.lower()).strip('-')}"


def _families(decisions: Iterable[Decision]) -> list[CheckResult]:
    """A check for each family of relations, declared ones first."""
    counts: dict[str, Counter[Status]] = {}
    for decision in decisions:
        counts.setdefault(decision.claim.family, Counter())[decision.status] += 1
    checks = []
    for family in sorted(counts, key=lambda name: (name != "declared", name == "group", name)):
        count = counts[family]
        owed = count[Status.UNDECIDED] if family == "declared" else 0
        checks.append(
            CheckResult(
                id=check_id(family),
                title=f"Relations between printed numbers can hold: {family}",
                status="fail" if count[Status.CONTRADICTION] else "missing" if owed else "pass",
                reason=f"{owed} of its relations cannot be decided" if owed else None,
                inspected=count.total(),
                unit="relations",
                findings=count.total() - count[Status.HOLDS],
            )
        )
    return checks


def _reading(numbers: list[NumberResult], problems: list[Finding]) -> CheckResult:
    hidden = any(problem.severity == "warning" for problem in problems)
    return CheckResult(
        id=READING,
        title="The paper and its relations can be read",
        status="missing" if hidden else "pass",
        reason="something could not be read, and the numbers in it were not audited" if hidden else None,
        inspected=len(numbers),
        unit="numbers",
        findings=len(problems),
    )


def _numbers_of(
    tables: Iterable[Table],
    passages: Sequence[PrintedCell],
    sentences: dict[TextNumber, Sentence],
    decisions: Sequence[Decision],
) -> list[NumberResult]:
    """Every number of the tables and of the running text, with the worst that a relation says of it.

    Only a relation that a wrong number could break covers a number.
    """
    declared = {(one.facts[0].source, one.facts[0].line, one.facts[0].value): one.address for one in passages}
    # A number of the text that a file gave a name is one number, and has that name.
    named = {
        said.id: name
        for said in sentences
        if (name := declared.pop((said.source, said.line, said.fact.value), None)) is not None
    }
    spoken = [each for each in decisions if each.claim.telling or each.status in BROKEN]
    statuses = {number_of(fact): "constrained" for each in spoken if each.status in _STATUSES for fact in each.cells}
    broken = blamed([each for each in spoken if each.status in BROKEN])
    for status in BROKEN[::-1]:
        statuses |= {name: _STATUSES[status] for each, names in broken if each.status is status for name in names}
    statuses = {named.get(name, name): word for name, word in statuses.items()}

    def number(name: str, printed: str, source: str | None, line: int | None, **place: Any) -> NumberResult:
        status = statuses.get(name, "unrelated")
        return NumberResult(
            id=name, printed=printed, word=WORDS[status], status=status, source=source or None, line=line, **place
        )

    found = [
        number(
            table.id(row, column),
            cell.text,
            table.source,
            cell.line,
            table=table.label,
            row=table.rows[row].label,
            column=table.columns[column].label,
        )
        for table in tables
        if table.label != TEXT
        for row, column, cell in table.numbers
    ]
    text = {
        cell.address: number(cell.address, cell.text, cell.facts[0].source, cell.facts[0].line) for cell in passages
    }
    for said, sentence in sentences.items():
        if said.id not in named:
            text[said.id] = number(said.id, said.text, said.source, said.line, sentence=sentence.short)
    return [*found, *text.values()]
