"""Decisions: of a claim, of many within an allowance, of those that share numbers; and which numbers they bind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice

from sealtrace.contract.result import Explanation
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.cases import settled, starting_box, starting_case, value_of
from sealtrace.relations.computing import one_unit_wider_in
from sealtrace.relations.decision import BROKEN, Claim, Decision, Status
from sealtrace.relations.explanation import arithmetic_of, nearest_move, total_move
from sealtrace.relations.forms import Atom, Box, variable
from sealtrace.relations.intervals import EmptyError, Interval, TooLargeError
from sealtrace.relations.linear import LinearCertificate, solve
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Call, Formula, Unknown, all_of, expression_text, facts_in, walk
from sealtrace.relations.work import Allowance, OutOfWorkError, Work, recall, time_is_up, unmetered

ALLOWANCE = 2_000_000
"""Steps of arithmetic for deciding many claims, for grading those that are broken, for those that share numbers, and
for the numbers that they bind: ten to thirty seconds each. A thousand relations of a real paper take a fraction."""
PER_CLAIM, SHORTLY = 600_000, 4_000
"""Steps for everything about one claim: deciding it, explaining it, and trying its repairs."""
GROUP_STEPS = 5_000_000
"""Steps of arithmetic for one group; in the simplex method many are taken at once."""
MOST_TOGETHER = 30
"""How many claims about one unknown are searched together."""
MOVES = tuple(sign * units for units in (10**6, 1000, 100, 10, 2, 1) for sign in (1, -1))
"""By how many units of its last digit a number is moved. Far ones come first: most relations exclude those at once."""
OUT_OF_TIME = "the seconds of the run were used up before its turn"
OUT_OF_STEPS = "it takes more steps than it may"
_PARTIAL = frozenset({"/", "sqrt", "log", "cp_upper", "hoeffding"})

Progress = Callable[[str, int, int], None]
"""Told a step's name, how much of it is done, and how much there is."""


# One claim


def decide(claim: Claim) -> Decision:
    """Whether the printed numbers allow what the claim says."""
    undefined = _undefined(claim.formula)
    if undefined is not None:
        return Decision(claim, Status.UNDECIDED, reason=undefined)
    answer = search(claim.formula)
    if answer.status == "unknown":
        return Decision(claim, Status.UNDECIDED, reason=answer.reason)
    if answer.status == "possible":
        return Decision(claim, Status.HOLDS, witness=dict(answer.values or {}))
    with unmetered():
        proof = _proof_alone(claim)
        arithmetic = arithmetic_of(claim.formula, proof)
    repairs = tuple(Explanation(says=repair.says, works=_works(repair.formula)) for repair in claim.repairs)
    return _broken(claim, proof, arithmetic, repairs=repairs)


def _broken(
    claim: Claim,
    proof: LinearCertificate | None,
    arithmetic: str,
    repairs: tuple[Explanation, ...] = (),
    together: tuple[Claim, ...] = (),
) -> Decision:
    """A contradiction, or a suspicion, with how far the numbers would have to move."""
    move = nearest_move(claim.formula)
    return Decision(
        claim,
        Status.SUSPICION if claim.is_guess else Status.CONTRADICTION,
        arithmetic=arithmetic,
        distance=move[0] if move else total_move(claim.formula),
        nearest=move[1] if move else None,
        certificate=proof,
        repairs=repairs,
        together=together,
    )


def _works(formula: Formula) -> bool | None:
    if _undefined(formula) is not None:
        return None
    return {"possible": True, "impossible": False, "unknown": None}[search(formula).status]


def _proof_alone(claim: Claim) -> LinearCertificate | None:
    """A proof by addition, where the formula is one case of linear comparisons."""
    try:
        case = starting_case(claim.formula)
        with Work():
            return _proof(case.atoms, case.box) if case.is_linear and not (case.choices or case.integers) else None
    except (EmptyError, TooLargeError, OutOfWorkError):
        return None


def _proof(atoms: Sequence[Atom], box: Box) -> LinearCertificate | None:
    found = solve([atom for atom in atoms if atom.operator != "!="], box)
    return found if isinstance(found, LinearCertificate) else None


def _undefined(formula: Formula) -> str | None:
    """What has no value whatever the printed numbers stand for: then nothing is said that could be false."""
    box = starting_box(formula)
    for node in walk(formula):
        if not isinstance(node, Call) or node.function not in _PARTIAL:
            continue
        if any(isinstance(inner, Unknown) for inner in walk(node)):
            continue
        try:
            value_of(node, box)
        except EmptyError:
            return f"{expression_text(node)} is not defined"
        except TooLargeError:
            continue
    return None


# Many claims


def decide_each(claims: Sequence[Claim], progress: Progress | None = None) -> list[Decision]:
    """Every claim by itself; once the allowance is used up, each is tried only shortly."""
    decisions = []
    allowance = Allowance(ALLOWANCE, PER_CLAIM, SHORTLY)
    for number, claim in enumerate(claims, 1):
        reason = OUT_OF_TIME if time_is_up() else OUT_OF_STEPS
        undecided = Decision(claim, Status.UNDECIDED, reason=reason)
        decisions.append(allowance.ask(("decided", claim), partial(decide, claim), undecided))
        if progress:
            progress("deciding", number, len(claims))
    return decisions


# Automatic claims of one family about one table: the others tell whether its words are read rightly


def confirmed(decisions: Sequence[Decision]) -> list[Decision]:
    """The same, where what is proved rests on a reading that numbers of the table confirm.

    That a row called Total adds up those above it is what its name says, and tables have rows of that name that do not.
    A reading that holds nowhere else in its table proves nothing: what breaks it is suspected. One that most of its
    numbers break is another's. What joins two tables is confirmed by any other of its family.
    """
    readings: dict[tuple[str, ...], Counter[Status]] = {}
    for decision in decisions:
        # What is only suspected has evidence of its own, and says nothing of how words are read; nor do zeros, of which
        # sums, shares and differences are zero however they are read.
        if decision.claim.telling and not decision.claim.is_guess and any(fact.value for fact in decision.claim.facts):
            for reading in {_reading(decision.claim), (decision.claim.family,)}:
                readings.setdefault(reading, Counter())[decision.status] += 1
    return [_believed(decision, readings.get(_reading(decision.claim), Counter())) for decision in decisions]


def graded(decisions: Sequence[Decision]) -> list[Decision]:
    """The same, where what is broken is graded by what it rests on, whoever proposed it: a rule, a file, a reader.

    What rests on something that the paper states nowhere is a question; what a unit in the last place of each rounded
    number mends is rounding; of the rest what misses something is a suspicion, and only what misses nothing a
    contradiction.
    """
    allowance = Allowance(ALLOWANCE, PER_CLAIM, SHORTLY)
    return [_graded(decision, allowance) if decision.status in BROKEN else decision for decision in decisions]


def _graded(decision: Decision, allowance: Allowance) -> Decision:
    claim = decision.claim
    if claim.is_assumed:
        return replace(decision, status=Status.QUESTION)
    wider = one_unit_wider_in(claim.formula) if claim.wider is None else claim.wider
    mended = allowance.ask(("mends", wider), lambda: search(wider).status, "unknown")
    if mended == "possible":
        return replace(decision, status=Status.ROUNDING)
    if mended == "unknown":
        missing = (*claim.missing, "it could not be decided with rounded numbers a unit off")
        return replace(decision, status=Status.SUSPICION, claim=replace(claim, missing=missing))
    return replace(decision, status=Status.SUSPICION) if claim.is_guess else decision


def _reading(claim: Claim) -> tuple[str, ...]:
    tables = {fact.table or "" for fact in claim.facts}
    return (claim.family, *tables) if len(tables) == 1 else (claim.family,)


def _believed(decision: Decision, counts: Counter[Status]) -> Decision:
    holds, broken = counts[Status.HOLDS], counts[Status.CONTRADICTION]
    if (
        decision.claim.explicit
        or decision.claim.family == "declared"
        or decision.status is not Status.CONTRADICTION
        or holds >= max(broken, 1)
    ):
        return decision
    if broken > 2:
        said = f"{broken} numbers break this reading of the table and {holds} confirm it"
        return Decision(decision.claim, Status.UNDECIDED, reason=f"{said}: probably it says something else")
    if holds:
        return decision
    evidence = "the words of the table, which no other number of it confirms"
    return replace(decision, status=Status.SUSPICION, claim=replace(decision.claim, evidence=evidence))


# Claims that share numbers: each may hold alone and all of them not


@dataclass(frozen=True)
class _Member:
    """The linear comparisons that a claim makes whatever its choices and integers are."""

    claim: Claim
    atoms: list[Atom]
    box: Box
    varying: frozenset[str]
    """The numbers that it shares with others and that are not exactly known."""
    unknowns: frozenset[str]
    """The declared unknowns that it speaks of."""


Refuted = tuple[list[_Member], LinearCertificate | None]
"""Members that contradict each other, with a proof where their linear parts do."""


def decide_groups(claims: Sequence[Claim]) -> list[Decision]:
    """Contradictions of connected groups of claims, each shown by a smallest set of them; none where all can hold."""
    # A proof must not rest on a guess, nor on what the paper states nowhere.
    stated = [claim for claim in claims if not (claim.is_guess or claim.is_assumed)]
    members = [recall(("member", claim), partial(_member, claim)) for claim in stated]
    found: list[Decision] = []
    allowance = Allowance(ALLOWANCE, GROUP_STEPS, SHORTLY)
    for group in _connected([member for member in members if member is not None]):
        claims = tuple(member.claim for member in group)
        undecided = Decision(_joint(claims), Status.UNDECIDED, reason=OUT_OF_STEPS, together=claims)
        found += allowance.ask(claims, partial(_contradictions, group), [undecided])
    return found


def _member(claim: Claim) -> _Member | None:
    """A claim's linear part; its own unknowns get the claim's name, so that no two claims share them by accident."""
    try:
        case = settled(starting_case(claim.formula))
    except (EmptyError, TooLargeError):
        return None
    unknowns = frozenset(claim.unknowns)
    shared = unknowns | {fact.address for fact in claim.facts}
    new = {name: name if name in shared else f"{name} of {claim.name}" for name in case.names}
    renamed = {name: variable(new[name]) for name in case.names}
    linear = (atom for atom in case.atoms if atom.form.terms.keys() <= renamed.keys())
    atoms = [Atom(atom.form.put(renamed), atom.operator, claim.name) for atom in linear]
    varying = frozenset(case.variables & shared)
    return _Member(claim, atoms, {new[name]: case.box[name] for name in case.names}, varying, unknowns)


def _connected(members: list[_Member]) -> list[list[_Member]]:
    """Members that share a number that is not exactly known, directly or through others."""
    speaking: dict[str, list[int]] = {}
    for place, member in enumerate(members):
        for name in member.varying:
            speaking.setdefault(name, []).append(place)
    groups: list[list[_Member]] = []
    seen: set[int] = set()
    for first in range(len(members)):
        group, waiting = set[int](), [first]
        while waiting:
            if (place := waiting.pop()) not in seen:
                seen.add(place)
                group.add(place)
                waiting += [other for name in members[place].varying for other in speaking.pop(name, ())]
        groups.append([members[place] for place in sorted(group)])
    return [group for group in groups if len(group) > 1]


def _contradictions(group: list[_Member]) -> list[Decision]:
    """One group may contradict itself in several ways that share nothing."""
    found, left = [], group
    while len(left) > 1 and (decision := _contradiction(left)) is not None:
        found.append(decision)
        left = [member for member in left if member.claim not in decision.together]
    return found


def _contradiction(group: list[_Member]) -> Decision | None:
    """Claims whose linear parts cannot hold together; or claims about the same unknown, whose integers and choices a
    linear program does not see."""
    about = [member for member in group if member.unknowns]
    try:
        found = _smallest(group, _linear) or (_smallest(about, _whole) if 1 < len(about) <= MOST_TOGETHER else None)
    except OutOfWorkError as error:
        claims = tuple(member.claim for member in group)
        return Decision(_joint(claims), Status.UNDECIDED, reason=str(error), together=claims)
    if found is None:
        return None
    members, proof = found
    claims = tuple(member.claim for member in members)
    arithmetic = "; ".join(proof.text()) if proof is not None else "no values satisfy them together"
    return _broken(_joint(claims), proof, arithmetic, together=claims)


def _smallest(group: list[_Member], refuted: Callable[[list[_Member]], Refuted | None]) -> Refuted | None:
    """A refutation of members of which none can be left out."""
    found = refuted(group)
    for member in list(found[0]) if found is not None else ():
        assert found is not None
        fewer = [other for other in found[0] if other is not member]
        found = (refuted(fewer) if len(fewer) > 1 else None) or found
    return found


def _linear(members: list[_Member]) -> Refuted | None:
    atoms = [atom for member in members for atom in member.atoms]
    box = {name: interval for member in members for name, interval in member.box.items()}
    proof = _proof(atoms, box)
    names = {atom.relation for _, atom in proof.lines} if proof is not None else ()
    return ([member for member in members if member.claim.name in names], proof) if names else None


def _whole(members: list[_Member]) -> Refuted | None:
    found = search(all_of(*(member.claim.formula for member in members)))
    return (members, None) if found.status == "impossible" else None


def _joint(claims: tuple[Claim, ...]) -> Claim:
    """All of the claims as one."""
    return Claim(
        " with ".join(claim.name for claim in claims),
        all_of(*(claim.formula for claim in claims)),
        "These cannot all be true: " + " ".join(claim.sentence for claim in claims),
        "; ".join(dict.fromkeys(claim.source for claim in claims)),
        tuple(dict.fromkeys(assumption for claim in claims for assumption in claim.assumes)),
        question=next((claim.question for claim in claims if claim.question), None),
        family="group",
    )


# Which printed numbers claims bind


def compares(formula: Formula) -> bool:
    """Whether something is left to compare once what cancels is cancelled: `cell == cell` says nothing of the cell."""
    try:
        case = starting_case(formula)
    except (EmptyError, TooLargeError):
        return True
    return bool(case.choices) or any(atom.form.terms for atom in case.atoms)


_STEPS_OF_A_MOVE = 50_000
_STEPS_OF_A_NUMBER = _STEPS_OF_A_MOVE * (len(MOVES) + 2)
"""The most that all moves of one number cost."""


def bound_numbers(claims: Iterable[Claim], asked: Container[str] | None = None) -> Iterator[PrintedNumber]:
    """The printed numbers that some of these claims bind, each once: of which they exclude a value that could as well
    have been printed.

    A relation may speak of a number and say nothing about it: `0 * cell == 0`, `cell == cell`, a formula that some
    unknown can always satisfy, or `cell >= 0` of a rate. So each number is moved by whole units of its last digit, far
    and near, up and down, as far as such a number may lie; where no move makes the relation impossible, it does not
    bind the number. And a relation that binds one number only, to what the formula itself says (`cell <= 0.9`), is no
    more than a second word of the same author; unless it leaves gaps, as shares of a whole number do. Where only some
    numbers are `asked` for, by their addresses, the others are moved only as second ones.
    """
    # Short ones first: what an equation of two cells binds need not be asked of a minimum of hundreds.
    every = sorted(claims, key=lambda claim: len(claim.facts))
    spoken = (fact.plain_address for claim in every for fact in claim.facts)
    seen = set() if asked is None else {address for address in spoken if address not in asked}
    allowance = Allowance(ALLOWANCE, _STEPS_OF_A_NUMBER)
    for claim in every:
        cells = _by_cell(claim.facts)
        if cells.keys() <= seen:
            continue
        formula = all_of(*(related.formula for related in _about_the_same(claim, every)))
        bound: dict[str, int] = {}
        # What is bound already, and what other claims speak of, is asked last, and only for a second number.
        others = [address for address in _by_cell(facts_in(formula)) if address not in cells]
        for address in (*sorted(cells, key=lambda address: address in seen), *others):
            enough = (address in seen or address not in cells) and (not bound.keys() - seen or len(bound) > 1)
            if enough:
                continue
            units = allowance.ask((formula, address), partial(_excluding, formula, address), None)
            if units is not None:
                bound[address] = units
        for address in cells.keys() & bound.keys() - seen:
            question = formula, address, bound[address]
            if len(bound) > 1 or allowance.ask(question, partial(_gaps, *question), False):
                seen.add(address)
                yield cells[address][0]


def determines(claim: Claim, address: str) -> bool:
    """Whether a claim leaves a number no value but the printed one and its two neighbours, whatever it may be."""
    facts = _by_cell(claim.facts).get(address)
    if facts is None or len(_by_cell(claim.facts)) < 2:
        return False
    least, most = _plausible(facts[0])
    sides = [(least, Fraction(-2))] if least <= -2 else []
    sides += [(Fraction(2), most)] if most >= 2 else []
    return bool(sides) and all(_impossible(claim.formula, facts, *side) for side in sides)


def _excluding(formula: Formula, address: str) -> int | None:
    """A move of a number that makes a formula impossible; None where no plausible one does."""
    facts = _by_cell(facts_in(formula))[address]
    least, most = map(int, _plausible(facts[0]))
    moves = dict.fromkeys((least, most, *(units for units in MOVES if least <= units <= most)))
    return next((units for units in moves if units and _impossible(formula, facts, units, units)), None)


def _gaps(formula: Formula, address: str, units: int) -> bool:
    """Whether values beyond an excluded one are possible again: the formula is no mere bound."""
    facts = _by_cell(facts_in(formula))[address]
    low, high = _plausible(facts[0])
    return any(
        (excluded == units or _impossible(formula, facts, excluded, excluded))
        and end / excluded > 1
        and not _impossible(formula, facts, excluded, end)
        for excluded in (1, -1, 2, -2, units)
        for end in ((high,) if excluded > 0 else (low,))
    )


def _plausible(fact: PrintedNumber) -> tuple[Fraction, Fraction]:
    """By how many units such a number may move: a share lies up to one, a percentage up to a hundred, anything else up
    to its double."""
    size = next((Fraction(end) for end in (1, 100) if abs(fact.value) <= end), 2 * abs(fact.value))
    low, high = (-size, Fraction(0)) if fact.value < 0 else (Fraction(0), size)
    return (low - fact.value) / fact.unit, (high - fact.value) / fact.unit


def _impossible(formula: Formula, facts: list[PrintedNumber], first: Fraction | int, last: Fraction | int) -> bool:
    """Whether a formula cannot hold with a number moved by anything between so many units of its last digit."""
    least, most = sorted((first, last))
    moved = {fact.address: Interval(fact.low + fact.unit * least, fact.high + fact.unit * most) for fact in facts}
    return search(formula, Work(_STEPS_OF_A_MOVE), moved).status == "impossible"


def _by_cell(facts: Iterable[PrintedNumber]) -> dict[str, list[PrintedNumber]]:
    """A number that is read as a count here and as rounded there is one printed number, and moves as one."""
    found: dict[str, list[PrintedNumber]] = {}
    for fact in facts:
        found.setdefault(fact.plain_address, []).append(fact)
    return found


def _about_the_same(claim: Claim, claims: Sequence[Claim]) -> list[Claim]:
    """A claim, and those that speak of an unknown that it speaks of: only together may they say anything."""
    unknowns = claim.unknowns.keys()
    others = (other for other in claims if other is not claim and unknowns & other.unknowns)
    return [claim, *islice(others if unknowns else (), MOST_TOGETHER - 1)]
