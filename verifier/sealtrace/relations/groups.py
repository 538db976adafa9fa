"""Claims that share numbers, decided together: each may hold alone and all of them not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sealtrace.relations.cases import settled, starting_case
from sealtrace.relations.certificates import Certificate, certificate_of
from sealtrace.relations.contraction import EmptyError
from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Claim, Decision, Status
from sealtrace.relations.distance import nearest_move, total_move
from sealtrace.relations.forms import Atom, Form, Leaf, replaced, variable
from sealtrace.relations.intervals import Interval, TooLargeError
from sealtrace.relations.linear import Conflict, Row, solve
from sealtrace.relations.search import rows_of, search
from sealtrace.relations.syntax import Shared, all_of, walk
from sealtrace.relations.work import OutOfWorkError, Work

GROUP_STEPS = 5_000_000
"""Steps of arithmetic for one group: some seconds."""
MAX_SEARCHED = 30
"""How many claims about one unknown are searched together."""


@dataclass(frozen=True)
class _Member:
    """The linear comparisons that a claim makes whatever its choices and integers are."""

    claim: Claim
    rows: tuple[Row, ...]
    box: dict[str, Interval]
    varying: frozenset[str]
    """The numbers that it shares with others and that are not exactly known."""
    shared: bool
    """Whether it speaks of a declared unknown."""


def decide_all(claims: Iterable[Claim]) -> list[Decision]:
    """Every claim by itself, then the groups that contradict each other although each of their claims holds."""
    decisions = [decide(claim) for claim in claims]
    return decisions + decide_groups([one.claim for one in decisions if one.status is not Status.CONTRADICTION])


def decide_groups(claims: Sequence[Claim]) -> list[Decision]:
    """Contradictions of connected groups of claims, each shown by a smallest set of them; none where all can hold."""
    # A proof must not rest on a guess.
    members = [member for claim in claims if not claim.is_guess and (member := _member(claim)) is not None]
    found: list[Decision] = []
    for group in _connected(members):
        left = group
        # One group may contradict itself in several ways that share nothing.
        while len(left) > 1:
            decision = _linear_contradiction(left) or _shared_contradiction(left)
            if decision is None:
                break
            found.append(decision)
            guilty = {claim.name for claim in decision.together}
            left = [member for member in left if member.claim.name not in guilty]
    return found


def _member(claim: Claim) -> _Member | None:
    """A claim's linear part; its own unknowns get the claim's name, so that no two claims share them by accident."""
    try:
        case = starting_case(claim.formula)
        settled_case = None if case is None else settled(case)
    except (EmptyError, TooLargeError):
        return None
    if settled_case is None:
        return None
    shared = {node.name for node in walk(claim.formula) if isinstance(node, Shared)}
    own = set(settled_case.box) - {fact.address for fact in claim.facts} - shared
    renamed: dict[Leaf, Form] = {name: variable(f"{name} of {claim.name}") for name in own}
    atoms = tuple(
        Atom(replaced(atom.form, renamed), atom.operator)
        for atom in settled_case.atoms
        if atom.form.is_linear and atom.operator != "!="
    )
    box = {f"{name} of {claim.name}" if name in own else name: one for name, one in settled_case.box.items()}
    varying = {name for atom in settled_case.atoms for name in atom.form.variables}
    return _Member(claim, tuple(rows_of(atoms)), box, frozenset(varying - own), bool(shared))


def _connected(members: list[_Member]) -> list[list[_Member]]:
    """Members that share a number that is not exactly known, directly or through others."""
    owner: dict[str, int] = {}
    parent = list(range(len(members)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for place, member in enumerate(members):
        for name in member.varying:
            parent[root(place)] = root(owner.setdefault(name, place))
    groups: dict[int, list[_Member]] = {}
    for place, member in enumerate(members):
        groups.setdefault(root(place), []).append(member)
    return [group for group in groups.values() if len(group) > 1]


def _linear_contradiction(group: list[_Member]) -> Decision | None:
    try:
        proof = _proof(group, Work(GROUP_STEPS))
        if proof is None:
            return None
        needed = _involved(group, proof)
        for member in list(needed):
            fewer = [one for one in needed if one is not member]
            smaller = _proof(fewer, Work(GROUP_STEPS))
            if smaller is not None:
                needed, proof = _involved(fewer, smaller), smaller
    except OutOfWorkError as error:
        return _decision(group, Status.UNDECIDED, reason=str(error))
    return _decision(needed, Status.CONTRADICTION, proof)


def _proof(group: list[_Member], work: Work) -> Certificate | None:
    rows = [row for member in group for row in member.rows]
    names = [member.claim.name for member in group for _ in member.rows]
    box = {name: interval for member in group for name, interval in member.box.items()}
    found = solve(rows, box, work)
    return certificate_of(found, rows, names, box) if isinstance(found, Conflict) else None


def _involved(group: list[_Member], proof: Certificate) -> list[_Member]:
    names = {line.relation for line in proof.lines}
    return [member for member in group if member.claim.name in names]


def _shared_contradiction(group: list[_Member]) -> Decision | None:
    """Claims about the same unknown, whose integers and choices a linear program does not see."""
    about = [member for member in group if member.shared]
    if not 1 < len(about) <= MAX_SEARCHED or not _impossible(about):
        return None
    for member in list(about):
        fewer = [one for one in about if one is not member]
        if len(fewer) > 1 and _impossible(fewer):
            about = fewer
    return _decision(about, Status.CONTRADICTION)


def _impossible(group: list[_Member]) -> bool:
    return search(all_of(*(member.claim.formula for member in group))).status == "impossible"


def _decision(group: list[_Member], status: Status, proof: Certificate | None = None, reason: str = "") -> Decision:
    claims = tuple(member.claim for member in group)
    formula = all_of(*(claim.formula for claim in claims))
    joint = Claim(
        " with ".join(claim.name for claim in claims),
        formula,
        "These cannot all be true: " + " ".join(claim.sentence for claim in claims),
        "; ".join(dict.fromkeys(claim.source for claim in claims)),
        tuple(dict.fromkeys(one for claim in claims for one in claim.assumes)),
        question=next((claim.question for claim in claims if claim.question), None),
        family="group",
    )
    if status is not Status.CONTRADICTION:
        return Decision(joint, status, reason=reason, together=claims)
    move = nearest_move(formula)
    return Decision(
        joint,
        status,
        arithmetic="; ".join(proof.text()) if proof else "no values satisfy them together",
        distance=move[0] if move else total_move(formula),
        nearest=move[1] if move else None,
        tightest=proof.tightest() if proof else (),
        certificate=proof,
        together=claims,
    )
