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
    Status.CONTRADICTED: ("differ", "≠"),
    Status.MISSING: ("absent", "?"),
    Status.UNCLASSIFIED: ("absent", "…"),
    Status.ELSEWHERE: ("unproven", "→"),
    Status.CONSTRAINED: ("unproven", "~"),
    Status.ATTESTED: ("unproven", "“"),
    "suspected": ("warn", "!"),
    "explained": ("agree", "✓"),
    "off": ("differ", "✗"),
    "unexplained": ("absent", "?"),
}
"""Status of a cell to its family and sign."""

_OTHERS = {
    "suspected": "A sentence read by rule, or what holds in the other rows, does not hold for it. No proof.",
    "explained": "A formula over the results gives the printed number.",
    "off": "The formula that gives the numbers beside it gives another number here.",
    "unexplained": "No formula that was tried gives the printed number.",
}

UNKNOWN = ("absent", "?")

CHECK_SIGNS = {"pass": "✓", "fail": "✗", "missing": "?", "skipped": "–", "not-applicable": "·"}
SEVERITY_SIGNS = {"error": "✗", "warning": "!", "note": "i"}
FAMILY_WORDS = {
    "agree": "agree",
    "unproven": "not recomputed",
    "warn": "doubtful",
    "absent": "open",
    "differ": "differ",
}
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
    return DEFINITIONS[Status(status)] if status in set(Status) else _OTHERS.get(status, "")
