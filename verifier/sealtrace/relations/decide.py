"""The decision of one claim."""

from __future__ import annotations

from collections.abc import Mapping

from sealtrace.relations.cases import starting_case
from sealtrace.relations.certificates import Certificate, certificate_of
from sealtrace.relations.contraction import EmptyError, Evaluation
from sealtrace.relations.decision import Claim, Decision, Repaired, Status
from sealtrace.relations.distance import nearest_move, total_move
from sealtrace.relations.explanation import arithmetic_of, tightest_of
from sealtrace.relations.forms import lowered
from sealtrace.relations.intervals import Interval, TooLargeError
from sealtrace.relations.linear import Conflict, solve
from sealtrace.relations.rendering import expression_text
from sealtrace.relations.search import rows_of, search
from sealtrace.relations.syntax import Call, Expression, Formula, Inverse, Unknown, walk
from sealtrace.relations.work import OutOfWorkError, Work

_PARTIAL = frozenset({"sqrt", "log", "cp_upper", "hoeffding"})


def decide(claim: Claim, work: Work | None = None) -> Decision:
    """Whether the printed numbers allow what the claim says."""
    undefined = _undefined(claim.formula)
    if undefined is not None:
        return Decision(claim, Status.UNDECIDED, reason=undefined)
    answer = search(claim.formula, work)
    if answer.status == "unknown":
        return Decision(claim, Status.UNDECIDED, reason=answer.reason)
    if answer.status == "possible":
        return Decision(claim, Status.HOLDS, witness=dict(answer.values or {}))
    proof = proof_of(claim.formula, claim.name)
    status = Status.SUSPICION if claim.is_guess else Status.CONTRADICTION
    move = nearest_move(claim.formula)
    return Decision(
        claim,
        status,
        arithmetic=arithmetic_of(claim.formula, proof),
        distance=move[0] if move else total_move(claim.formula),
        nearest=move[1] if move else None,
        tightest=proof.tightest() if proof else tightest_of(claim.formula),
        repairs=tuple(Repaired(repair.says, _works(repair.formula)) for repair in claim.repairs),
        certificate=proof,
    )


def _works(formula: Formula) -> bool | None:
    if _undefined(formula) is not None:
        return None
    return {"possible": True, "impossible": False, "unknown": None}[search(formula).status]


def proof_of(formula: Formula, name: str) -> Certificate | None:
    """A proof by addition, where the formula is one case of linear comparisons."""
    try:
        case = starting_case(formula)
        if case is None or case.choices or case.integers or not all(atom.form.is_linear for atom in case.atoms):
            return None
        atoms = tuple(atom for atom in case.atoms if atom.operator != "!=")
        rows = rows_of(atoms)
        found = solve(rows, case.box, Work())
    except (EmptyError, TooLargeError, OutOfWorkError):
        return None
    return certificate_of(found, rows, [name] * len(rows), case.box) if isinstance(found, Conflict) else None


def _undefined(formula: Formula) -> str | None:
    """What has no value whatever the printed numbers stand for: then nothing is said that could be false."""
    box: Mapping[str, Interval] = {}
    for node in walk(formula):
        partial = isinstance(node, Inverse) or (isinstance(node, Call) and node.function in _PARTIAL)
        if not partial or any(isinstance(one, Unknown) for one in walk(node)):
            continue
        assert isinstance(node, Expression)
        try:
            if not box:
                case = starting_case(formula)
                box = {} if case is None else case.box
            Evaluation(box).form(lowered(node, {}))
        except EmptyError:
            return f"{expression_text(node)} is not defined"
        except (TooLargeError, KeyError):
            continue
    return None
