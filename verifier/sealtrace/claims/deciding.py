"""Claims of a reader, decided: each is tied to the paper or refused, decided by the engine, and graded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sealtrace.claims.grading import missing_in
from sealtrace.claims.reading import Written
from sealtrace.claims.tying import STEPS, Ground, Tied, UntiedError, tie
from sealtrace.contract.result import GRADES, WORDS, CheckResult, ClaimResult, Coverage, Finding, Result, Severity
from sealtrace.relations.auditing import claim_record
from sealtrace.relations.computing import one_unit_wider
from sealtrace.relations.decide import OUT_OF_TIME, decide_each, decide_groups, graded
from sealtrace.relations.decision import BROKEN, Claim, Decision, Status, bound, number_of
from sealtrace.relations.explanation import breaking
from sealtrace.relations.work import OutOfWorkError, Work, time_is_up

FAMILY = "claims"
LISTED = 4
"""How many cells a letter names."""
WEAK = ("contradiction", "suspicion", "rounding")
"""Grades of what rules find wrong."""


@dataclass
class Decided:
    """What became of the claims of a reader."""

    results: list[ClaimResult]
    touched: dict[str, str]
    """Numbers that a claim speaks of, with the worst grade of these."""

    def count(self, grade: str) -> int:
        """How many claims have a grade."""
        return sum(result.grade == grade for result in self.results)


def decide_claims(written: Sequence[Written], ground: Ground) -> Decided:
    """Every claim, in the order of the file; then those that cannot hold together."""
    results: list[ClaimResult] = []
    plain: list[tuple[Claim, Tied]] = []
    touched: dict[str, str] = {}
    for one in written:
        try:
            with Work(50 * STEPS):
                result, tied, claim = _decided(one, ground)
        except UntiedError as refusal:
            results.append(refused(one, str(refusal)))
            continue
        except OutOfWorkError as error:
            results.append(refused(one, f"it is too long to decide: {error}"))
            continue
        results.append(result)
        broken = {number_of(fact) for fact in breaking(claim.formula)} if result.grade in BROKEN else set[str]()
        for number in result.numbers:
            # Of a broken claim about a whole column, only the numbers that break it are shown so.
            spoken = result.grade if not broken or number.number in broken else "holds"
            touched[number.number] = max(touched.get(number.number, spoken), spoken, key=_ORDER.index)
        if result.grade == "holds" and not one.claim.assumes and len(one.claim.readings) == 1 and not claim.unknowns:
            plain.append((claim, tied))
    known = {claim.name: tied for claim, tied in plain}
    joint = decide_groups([claim for claim, _tied in plain])
    results += [_joint(decision, known, ground) for decision in joint if decision.status is Status.CONTRADICTION]
    return Decided(results, touched)


def with_claims(result: Result, decided: Decided) -> Result:
    """The result of an audit or a check with what became of the claims of a reader, which come first in their grade.

    What results give or deny of a number stays: claims speak of the others.
    """
    statuses = {"contradiction": "contradicted", "suspicion": "suspected"}
    numbers = []
    for number in result.numbers:
        if (worst := decided.touched.get(number.id)) is not None and number.word == "open":
            status = statuses.get(worst, "constrained" if number.status == "unrelated" else number.status)
            number = number.model_copy(update={"status": status, "word": WORDS[status]})
        numbers.append(number)
    again = {claim.id for claim in result.claims if _is_said(claim, decided.results)}
    others = [claim for claim in result.claims if claim.id not in again]
    claims = sorted([*decided.results, *others], key=lambda claim: GRADES.index(claim.grade))
    verdict = result.verdict
    if decided.count("contradiction") or (result.strict and decided.count("suspicion")):
        verdict = "findings"
    elif verdict != "findings" and result.command == "audit":
        held = any(claim.grade not in ("refused", "undecided") for claim in decided.results)
        unread = result.verdict == "incomplete" and any(one.severity == "warning" for one in result.findings)
        owed = decided.count("refused") or decided.count("undecided")
        verdict = "incomplete" if owed or unread or not held else "nothing-found"
    elif verdict != "findings" and (decided.count("refused") or decided.count("undecided")):
        verdict = "incomplete"
    broken = [claim for claim in decided.results if claim.grade not in ("holds", "undecided")]
    refusals = decided.count("refused")
    check = CheckResult(
        id="relation.claims",
        title="Claims that a reader read in the paper can hold",
        status="fail" if decided.count("contradiction") else "missing" if refusals else "pass",
        reason=f"{refusals} of them {'is' if refusals == 1 else 'are'} refused" if refusals else None,
        inspected=len(decided.results),
        unit="claims",
        findings=len(broken),
    )
    return result.model_copy(
        update={
            "verdict": verdict,
            "claims": claims,
            "numbers": numbers,
            "checks": [check, *result.checks],
            "findings": [
                *map(_finding, broken),
                *(one for one in result.findings if (one.key or {}).get("relation") not in again),
            ],
            "coverage": Coverage.of([one.status for one in numbers], text=sum(one.table is None for one in numbers)),
        }
    )


def _is_said(rule: ClaimResult, read: Sequence[ClaimResult]) -> bool:
    """Whether a reader says of the same numbers what a rule found wrong with them, and no weaker."""
    own = {number.number for number in rule.numbers}
    worse = GRADES[: GRADES.index(rule.grade) + 1] if rule.grade in WEAK else ()
    sets = [{number.number for number in claim.numbers} for claim in read if claim.grade in worse]
    return any(own <= other or other <= own for other in sets)


def _finding(claim: ClaimResult) -> Finding:
    severities: dict[str, Severity] = {"contradiction": "error", "suspicion": "warning", "refused": "warning"}
    where = next((one for one in claim.numbers if one.id == claim.nearest), claim.numbers[0] if claim.numbers else None)
    source, _, line = (claim.place or "").rpartition(":")
    return Finding(
        check="relation.claims",
        severity=severities.get(claim.grade, "note"),
        source=where.source if where is not None else source or None,
        line=where.line if where is not None else int(line) if line.isdecimal() else None,
        key={"relation": claim.id},
        message=f"Refused: {claim.reason}." if claim.grade == "refused" else claim.letter or claim.says,
    )


_ORDER = ("holds", "undecided", "question", "rounding", "suspicion", "contradiction")


def _decided(written: Written, ground: Ground) -> tuple[ClaimResult, Tied, Claim]:
    tied = tie(written, ground)
    claim = claim_of(tied)
    if time_is_up():
        return _result(Decision(claim, Status.UNDECIDED, reason=OUT_OF_TIME), tied), tied, claim
    (decision,) = decide_each([claim])
    meant = None
    if decision.status is Status.CONTRADICTION:
        missing, meant = missing_in(tied, ground)
        # A condition may depend on numbers that are a unit off: then only what is compared moves.
        with suppress(UntiedError):
            claim = replace(claim, wider=tied.bind(one_unit_wider))
        (decision,) = graded([replace(decision, claim=replace(claim, missing=tuple(missing)))])
    return _result(decision, tied, meant if decision.status is Status.SUSPICION else None), tied, claim


def claim_of(tied: Tied) -> Claim:
    """A tied claim as the engine takes it."""
    stated, passage = tied.written.claim, tied.passages[0]
    return Claim(
        tied.written.name,
        tied.formula,
        stated.says or f"“{passage.quote}”",
        f"“{passage.quote}” ({passage.where})" if stated.says else passage.where,
        tuple(stated.assumes),
        family=FAMILY,
        place=tied.written.place,
    )


def _result(decision: Decision, tied: Tied, meant: str | None = None) -> ClaimResult:
    record = claim_record(decision)
    letter = None if record.letter is None else _letter(decision, tied)
    missing = {
        Status.QUESTION: [f"it assumes: {assumption}" for assumption in decision.claim.assumes],
        Status.ROUNDING: ["one unit in the last place of its rounded numbers mends it"],
        Status.SUSPICION: list(decision.claim.missing),
    }
    return record.model_copy(
        update={
            "readings": list(tied.written.claim.readings),
            "numbers": bound(tied.used.values()),
            "missing": missing.get(decision.status, []),
            "meant": meant,
            "letter": letter,
        }
    )


def _letter(decision: Decision, tied: Tied) -> str:
    """The sentence to send to the authors."""
    passage = tied.passages[0]
    cells = [f"{address} prints {fact.text}" for address, fact in tied.used.items() if fact.table is not None]
    shown = "; ".join([*cells[:LISTED], *([f"and {len(cells) - LISTED} more cells"] if len(cells) > LISTED else [])])
    line, *more = decision.arithmetic.split("; nor")
    other = ", and no other reading that we tried gives it" if more else ""
    taken = f" We take for granted: {' '.join(decision.claim.assumes)}" if decision.status is Status.QUESTION else ""
    only = decision.status is Status.ROUNDING
    rounded = "They differ by rounding alone" if only else "However rounded, they cannot all be right"
    return f"“{passage.quote}” ({passage.where}){f'; {shown}' if shown else ''}. {rounded}: {line}{other}.{taken}"


def refused(written: Written, reason: str) -> ClaimResult:
    """A claim that is not tied to the paper."""
    stated = written.claim
    return ClaimResult(
        id=written.name,
        grade="refused",
        says=stated.says or stated.quote,
        quote=stated.quote,
        readings=list(stated.readings),
        numbers=[],
        family=FAMILY,
        place=written.place,
        reason=reason,
        telling=False,
    )


def _joint(decision: Decision, tied: dict[str, Tied], ground: Ground) -> ClaimResult:
    """Claims that hold alone and not together, graded by the weakest of them."""
    missing = [
        f"{claim.name}: {said}"
        for claim in decision.together
        for said in missing_in(tied[claim.name], ground)[0]
        if "did you mean" not in said
    ]
    (decision,) = graded([replace(decision, claim=replace(decision.claim, missing=tuple(missing)))])
    rounding = decision.status is Status.ROUNDING
    return claim_record(decision).model_copy(update={"missing": [] if rounding else missing})
