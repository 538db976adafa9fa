"""How a status looks: a family that has a colour, and a sign of its own."""

from __future__ import annotations

from sealtrace.printed.judgement import DEFINITIONS, Status

LOOKS: dict[str, tuple[str, str]] = {
    Status.EXACT: ("agree", "✓"),
    Status.TIE: ("agree", "½"),
    Status.INPUT: ("agree", "="),
    Status.MEASURED: ("agree", "Σ"),
    Status.DOUBLE_ROUNDED: ("warn", "≈"),
    Status.TRUNCATED: ("warn", "↓"),
    Status.MISMATCH: ("differ", "✗"),
    Status.MISSING: ("absent", "?"),
    Status.UNCLASSIFIED: ("absent", "…"),
    Status.ELSEWHERE: ("unproven", "→"),
    Status.CONSTRAINED: ("unproven", "~"),
    Status.ATTESTED: ("unproven", "“"),
}
"""Status of a cell to its family and sign."""

UNKNOWN = ("absent", "?")

CHECK_SIGNS = {"pass": "✓", "fail": "✗", "missing": "?", "skipped": "–", "not-applicable": "·"}
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
    return DEFINITIONS[Status(status)] if status in set(Status) else ""
