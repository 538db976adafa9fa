"""The small parts of a page, and the signs of statuses."""

from __future__ import annotations

from dataclasses import dataclass, field

from sealtrace.contract.result import Severity
from sealtrace.recipes.judgement import DEFINITIONS, CellStatus


@dataclass(frozen=True)
class Step:
    """One thing to do, the most urgent first."""

    what: str
    why: str
    where: str | None = None
    check: str | None = None
    """The check whose findings say more."""


Said = tuple[str, str]
"""What is to be done, and why."""


@dataclass(frozen=True)
class Steps:
    """What authors and what reviewers do next."""

    authors: list[Step] = field(default_factory=list)
    reviewers: list[Step] = field(default_factory=list)

    def add(
        self, authors: Said | None, reviewers: Said | None, check: str | None = None, where: str | None = None
    ) -> None:
        """One more thing for either of them."""
        for steps, said in ((self.authors, authors), (self.reviewers, reviewers)):
            if said is not None:
                steps.append(Step(*said, where, check))


@dataclass(frozen=True)
class Tile:
    name: str
    value: str
    note: str


@dataclass(frozen=True)
class Item:
    severity: Severity
    check: str
    place: str
    message: str
    facts: list[tuple[str, str]] = field(default_factory=list)
    """What else is known, by name."""
    numbers: list[str] = field(default_factory=list)
    """Ids of the printed numbers that it speaks of."""


@dataclass(frozen=True)
class Cause:
    """Findings that go together, and which others they explain."""

    check: str
    title: str
    items: list[Item]
    consequences: list[Cause] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    """Checks that cannot be decided before this is corrected."""


LOOKS: dict[str, tuple[str, str]] = {
    CellStatus.EXACT: ("agree", "✓"),
    CellStatus.TIE: ("agree", "½"),
    CellStatus.INPUT: ("agree", "="),
    CellStatus.MEASURED: ("agree", "Σ"),
    CellStatus.DOUBLE_ROUNDED: ("warn", "≈"),
    CellStatus.TRUNCATED: ("warn", "↓"),
    CellStatus.MISMATCH: ("differ", "✗"),
    CellStatus.CONTRADICTED: ("differ", "≠"),
    CellStatus.MISSING: ("absent", "?"),
    CellStatus.UNCLASSIFIED: ("absent", "…"),
    CellStatus.ELSEWHERE: ("unproven", "→"),
    CellStatus.DERIVED: ("agree", "⊢"),
    CellStatus.CONSTRAINED: ("unproven", "~"),
    CellStatus.ATTESTED: ("unproven", "“"),
    "suspected": ("warn", "!"),
    "explained": ("agree", "✓"),
    "off": ("differ", "✗"),
    "unexplained": ("absent", "?"),
    "probably-off": ("warn", "!"),
}
"""Status of a number to its family and sign."""

_OTHERS = {
    "suspected": "A sentence read by rule, or what holds in the other rows, does not hold for it. No proof.",
    "explained": "A formula over the results gives the printed number.",
    "off": "The formula that gives the numbers beside it gives another number here.",
    "unexplained": "No formula that was tried gives the printed number.",
    "probably-off": "The records that its labels name probably give another number.",
}

UNKNOWN = ("absent", "?")

CHECK_SIGNS = {"pass": "✓", "fail": "✗", "missing": "?", "skipped": "–", "not-applicable": "·"}
SEVERITY_SIGNS = {"error": "✗", "warning": "!", "note": "i"}
FAMILIES = ("agree", "unproven", "warn", "absent", "differ")
"""How numbers look, the worst last."""
CHECK_WORDS = {
    "pass": "holds",
    "fail": "fails",
    "missing": "missing",
    "skipped": "skipped",
    "not-applicable": "not applicable",
}


def look(status: str) -> tuple[str, str]:
    """The family and sign of a cell's status."""
    return LOOKS.get(status, UNKNOWN)


def definition(status: str) -> str:
    """What a status says."""
    return DEFINITIONS[CellStatus(status)] if status in set(CellStatus) else _OTHERS.get(status, "")
