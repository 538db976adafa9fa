"""Which failed checks explain which, and why evidence is missing: a reader starts at a cause."""

from __future__ import annotations

from sealtrace.checks.catalogue import BY_ID
from sealtrace.contract.report import CheckResult, Report
from sealtrace.report.places import times


def by_cause(report: Report) -> list[tuple[CheckResult, list[CheckResult]]]:
    """Failed checks that no other one explains, each with those that may follow from it.

    One explains another where the catalogue says so, or where it found fault with every record that the other names.
    Where a file is not what was sealed, all that was found in the records may follow from that.
    """
    failed = {check.id: check for check in report.checks if check.status == "fail"}
    caused = {
        consequence: cause
        for cause in failed
        for consequence in BY_ID[cause].consequences
        if consequence in failed and cause not in BY_ID[consequence].consequences
    }
    changed = next((one for one in failed if one == CHANGED), None)
    places = _places(report)
    for place, check in enumerate(failed):
        if check in caused or check == changed:
            continue
        earlier = (other for other in list(failed)[:place] if other not in caused)
        same = next((one for one in earlier if places[check] and places[check] <= places[one]), None)
        if (cause := changed or same) is not None:
            caused[check] = cause
    return [
        (check, [failed[other] for other, cause in caused.items() if _root(cause, caused) == check.id])
        for check in failed.values()
        if check.id not in caused
    ]


CHANGED = "identity.bytes"
"""The check that a file's bytes are those that were sealed."""


def _places(report: Report) -> dict[str, set[tuple[str, int]]]:
    """The records in which each check found an error; none where it names one without a place."""
    places: dict[str, set[tuple[str, int]]] = {}
    vague = set()
    for finding in report.findings:
        if finding.severity == "error":
            if finding.source and finding.row:
                places.setdefault(finding.check, set()).add((finding.source, finding.row))
            else:
                vague.add(finding.check)
    return {check.id: places.get(check.id, set()) if check.id not in vague else set() for check in report.checks}


def undecided_by_cause(report: Report) -> tuple[dict[str, list[str]], list[tuple[str, list[str]]]]:
    """Checks that could not be decided: by the failed cause that keeps them so, and by reason where no check failed."""
    failed = {check.id for check in report.checks if check.status == "fail"}
    missing = {check.id for check in report.checks if check.status == "missing"}
    cause_of = {one.id: cause.id for cause, others in by_cause(report) for one in (cause, *others)}
    kept: dict[str, list[str]] = {}
    for check in (one.id for one in report.checks if one.id in missing):
        if (blocking := _blocking(check, failed, missing)) is not None:
            kept.setdefault(cause_of[blocking], []).append(check)
    told = {one for ids in kept.values() for one in ids}
    rest = [(reason, [one for one in ids if one not in told]) for reason, ids in missing_by_reason(report)]
    return kept, [(reason, ids) for reason, ids in rest if ids]


def _blocking(check: str, failed: set[str], missing: set[str], seen: frozenset[str] = frozenset()) -> str | None:
    """The failed check that an undecided one waits for, itself or through others that are undecided."""
    for need in BY_ID[check].needs:
        if need in failed:
            return need
        if need in missing and need not in seen:
            found = _blocking(need, failed, missing, seen | {check})
            if found is not None:
                return found
    return None


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
    packs = [(one.reason, [f"the {times(one.checks, 'check')} of {one.pack}"]) for one in report.unused]
    return [*((reason, _shortened(ids, families)) for reason, ids in reasons.items()), *packs]


def _shortened(ids: list[str], families: dict[str, set[str]]) -> list[str]:
    whole = {name for name, members in families.items() if len(members) > 1 and members <= set(ids)}
    return list(dict.fromkeys(f"{name}.*" if (name := one.partition(".")[0]) in whole else one for one in ids))


def _root(cause: str, caused: dict[str, str]) -> str:
    while cause in caused:
        cause = caused[cause]
    return cause
