"""Which failed checks explain which, and why evidence is missing: a reader starts at a cause."""

from __future__ import annotations

from sealtrace.checks.catalogue import BY_ID
from sealtrace.contract.report import CheckResult, Report


def by_cause(report: Report) -> list[tuple[CheckResult, list[CheckResult]]]:
    """Failed checks that no other one explains, each with those that follow from it."""
    failed = {check.id: check for check in report.checks if check.status == "fail"}
    caused = {
        consequence: cause
        for cause in failed
        for consequence in BY_ID[cause].consequences
        if consequence in failed and cause not in BY_ID[consequence].consequences
    }
    return [
        (check, [failed[other] for other, cause in caused.items() if _root(cause, caused) == check.id])
        for check in failed.values()
        if check.id not in caused
    ]


def missing_by_reason(report: Report) -> list[tuple[str, list[str]]]:
    """Why evidence is missing, each reason with the checks that lack it."""
    reasons: dict[str, list[str]] = {}
    for check in report.checks:
        if check.status == "missing":
            reasons.setdefault(check.reason or "", []).append(check.id)
    return list(reasons.items())


def _root(cause: str, caused: dict[str, str]) -> str:
    while cause in caused:
        cause = caused[cause]
    return cause
