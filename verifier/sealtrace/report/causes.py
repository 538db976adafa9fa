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


def turned_off(report: Report) -> list[tuple[str, list[str]]]:
    """Why checks do not apply, each reason with them; a family that is turned off as a whole is written `name.*`."""
    families: dict[str, set[str]] = {}
    for check in report.checks:
        families.setdefault(check.id.partition(".")[0], set()).add(check.id)
    reasons: dict[str, list[str]] = {}
    for check in report.checks:
        if check.status == "not-applicable":
            reasons.setdefault(check.reason or "", []).append(check.id)
    return [(reason, _shortened(ids, families)) for reason, ids in reasons.items()]


def _shortened(ids: list[str], families: dict[str, set[str]]) -> list[str]:
    whole = {name for name, members in families.items() if len(members) > 1 and members <= set(ids)}
    return list(dict.fromkeys(f"{name}.*" if (name := one.partition(".")[0]) in whole else one for one in ids))


def _root(cause: str, caused: dict[str, str]) -> str:
    while cause in caused:
        cause = caused[cause]
    return cause
