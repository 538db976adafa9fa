"""Claims of a reader, decided: each is tied to the paper or refused, decided by the engine, and graded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sealtrace.claims.grading import Graded, grade, one_unit_wider
from sealtrace.claims.reading import Written
from sealtrace.claims.tying import STEPS, Ground, RefusedError, Tied, tie
from sealtrace.contract.result import ClaimResult
from sealtrace.relations.auditing import claim_record
from sealtrace.relations.decide import OUT_OF_TIME, decide_each, decide_groups
from sealtrace.relations.decision import Claim, Decision, Status, bound
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Given, rebuilt
from sealtrace.relations.work import OutOfWorkError, Work, time_is_up

FAMILY = "claims"


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
        except RefusedError as refusal:
            results.append(refused(one, str(refusal)))
            continue
        except OutOfWorkError as error:
            results.append(refused(one, f"it is too long to decide: {error}"))
            continue
        results.append(result)
        for number in result.numbers:
            touched[number.number] = _worse(touched.get(number.number), result.grade)
        if result.grade == "holds" and not one.claim.assumes and len(one.claim.readings) == 1 and not claim.unknowns:
            plain.append((claim, tied))
    known = {claim.name: tied for claim, tied in plain}
    joint = decide_groups([claim for claim, _tied in plain])
    results += [_joint(decision, known, ground) for decision in joint if decision.status is Status.CONTRADICTION]
    return Decided(results, touched)


_ORDER = ("holds", "undecided", "question", "rounding", "suspicion", "contradiction")


def _worse(first: str | None, second: str) -> str:
    return max(filter(None, (first, second)), key=_ORDER.index)


def _decided(written: Written, ground: Ground) -> tuple[ClaimResult, Tied, Claim]:
    tied = tie(written, ground)
    claim = claim_of(tied)
    if time_is_up():
        decision = Decision(claim, Status.UNDECIDED, reason=OUT_OF_TIME)
    else:
        (decision,) = decide_each([claim])
    graded = grade(tied, ground) if decision.status is Status.CONTRADICTION else Graded(decision.status.value)
    return _result(decision, tied, graded), tied, claim


def claim_of(tied: Tied) -> Claim:
    """A tied claim as the engine takes it."""
    stated, passage = tied.written.claim, tied.passages[0]
    return Claim(
        tied.written.name,
        tied.formula,
        stated.says or f"The paper says: “{passage.quote}”",
        f"“{passage.quote}” ({passage.place})",
        tuple(stated.assumes),
        family=FAMILY,
        place=tied.written.place,
    )


def _result(decision: Decision, tied: Tied, graded: Graded) -> ClaimResult:
    record = claim_record(decision)
    letter = record.letter
    if letter is not None and graded.grade == "question":
        letter += f" This takes for granted: {' '.join(decision.claim.assumes)}"
    return record.model_copy(
        update={
            "grade": graded.grade,
            "readings": list(tied.written.claim.readings),
            "numbers": bound(tied.used.values()),
            "missing": graded.missing,
            "meant": graded.meant,
            "letter": letter,
        }
    )


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
    members = [tied[claim.name] for claim in decision.together]
    record = claim_record(decision)
    wider = rebuilt(
        decision.claim.formula,
        lambda node: Given(one_unit_wider(node.fact)) if isinstance(node, Given) else node,
    )
    if search(wider, Work(STEPS)).status == "possible":
        return record.model_copy(update={"grade": "rounding", "family": "group"})
    missing = list(_missing(members, ground))
    return record.model_copy(update={"grade": "suspicion" if missing else "contradiction", "missing": missing})


def _missing(members: Iterable[Tied], ground: Ground) -> Iterable[str]:
    for member in members:
        yield from (f"{member.written.name}: {missing}" for missing in grade(member, ground).missing
                    if "unit in the last place" not in missing and "did you mean" not in missing)  # fmt: skip
