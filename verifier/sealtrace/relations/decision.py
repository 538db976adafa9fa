"""What is decided: a claim about a paper's numbers, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from sealtrace.contract.result import ClaimNumber, Explanation
from sealtrace.paper.fact import cell_id
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.intervals import Interval
from sealtrace.relations.linear import LinearCertificate
from sealtrace.relations.syntax import Formula, Shared, exact_text, facts_in, unknowns_in


class Status(StrEnum):
    """What can be said of a relation; where no values satisfy it, by what it rests on."""

    HOLDS = "holds"
    CONTRADICTION = "contradiction"
    SUSPICION = "suspicion"
    ROUNDING = "rounding"
    QUESTION = "question"
    UNDECIDED = "undecided"


STATED_BY_READERS = ("declared", "claims")
"""Families of what a person or an assistant wrote down."""
BROKEN = (Status.CONTRADICTION, Status.SUSPICION)
"""Before it is graded further."""
DEFINITIONS: dict[Status, str] = {
    Status.HOLDS: "Some values that print as the paper does satisfy it.",
    Status.CONTRADICTION: "No values that print as the paper does satisfy it; what it says is stated, not guessed.",
    Status.SUSPICION: "No values satisfy it either, but it is read by rule from a sentence or from other rows.",
    Status.ROUNDING: "No values satisfy it, but one unit in the last place of each rounded number mends it.",
    Status.QUESTION: "No values satisfy it, and it rests on something that the paper states nowhere.",
    Status.UNDECIDED: "Neither could be shown.",
}


@dataclass(frozen=True)
class Repair:
    """An explanation under which the numbers may be right after all."""

    says: str
    formula: Formula


@dataclass(frozen=True)
class Claim:
    """A relation, bound to the numbers of a paper."""

    name: str
    formula: Formula
    sentence: str
    source: str
    """The place of the paper that implies it."""
    assumes: tuple[str, ...] = ()
    """What a contradiction needs besides."""
    repairs: tuple[Repair, ...] = ()
    question: str | None = None
    family: str = "declared"
    """Who made it: `declared`, or the name of an automatic family."""
    place: str | None = None
    """Where it was declared, as file:line."""
    missing: tuple[str, ...] = ()
    """What keeps it, broken, from being a contradiction: a premise that is not stated, a cell that is not named."""
    evidence: str = ""
    """Of a guess: what speaks for it, such as the rows in which it holds. Broken, a guess is a suspicion."""
    chance: float | None = None
    """How probable it is that unrelated numbers would look so, where that can be said."""
    telling: bool = True
    """Whether a wrong number could break it; a share between 0 and 100 is hardly a check."""
    explicit: bool = False
    """Whether the paper writes it out in one place, as a test with its p: others neither confirm nor outvote it."""
    wider: Formula | None = None
    """The formula with rounded numbers a unit off, where that is not the same formula over wider intervals."""

    @property
    def is_guess(self) -> bool:
        """Whether not everything that it rests on is stated: it was read by rule, or something is missing."""
        return bool(self.evidence or self.missing)

    @property
    def is_assumed(self) -> bool:
        """Whether somebody says that it rests on what the paper states nowhere; rules only say how they read words."""
        return bool(self.assumes) and self.family in STATED_BY_READERS

    @cached_property
    def facts(self) -> list[PrintedNumber]:
        """The printed numbers that it speaks of."""
        return facts_in(self.formula)

    @cached_property
    def unknowns(self) -> dict[str, Shared]:
        """The declared unknowns that it speaks of, by name."""
        return unknowns_in(self.formula)


@dataclass(frozen=True)
class Decision:
    """What became of a claim."""

    claim: Claim
    status: Status
    arithmetic: str = ""
    """One line that a reader can follow by hand."""
    reason: str = ""
    """Where it is undecided: what is missing."""
    distance: Fraction | None = None
    """How far the nearest cell would have to move, in units of its last printed digit; where no single cell can
    repair it, how far all of them together. A lower bound that is reached, up to one part in a million."""
    nearest: PrintedNumber | None = None
    """That cell; None where no single one suffices."""
    witness: dict[str, Interval] = field(default_factory=dict)
    """Values that satisfy it, by address or name of the unknown; an irrational one as a tiny interval."""
    repairs: tuple[Explanation, ...] = ()
    """Whether explanations would repair it."""
    certificate: LinearCertificate | None = None
    """Where several comparisons contradict each other: multipliers that can be added up by hand."""
    together: tuple[Claim, ...] = ()
    """Of a group: the claims, each of which may hold alone."""

    @property
    def cells(self) -> list[PrintedNumber]:
        """The printed numbers that it speaks of, with their places."""
        return self.claim.facts


def bound(facts: Iterable[PrintedNumber]) -> list[ClaimNumber]:
    """Printed numbers as results have them, each once."""
    return [
        ClaimNumber(
            id=fact.address,
            number=number_of(fact),
            printed=fact.text,
            low=exact_text(fact.low),
            high=exact_text(fact.high),
            source=fact.source,
            line=fact.line,
        )
        for fact in {fact.address: fact for fact in facts}.values()
    ]


def number_of(fact: PrintedNumber) -> str:
    """The id of the cell or of the number of the text that a fact is, or is a part of."""
    if fact.table is not None:
        return cell_id(fact.table, fact.row, fact.column)
    name = fact.plain_address
    return name.removesuffix(f".{fact.part}") if fact.part else name
