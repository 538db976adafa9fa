"""Findings for people: where each stands, which failed checks explain which, and why evidence is missing."""

from __future__ import annotations

from dataclasses import dataclass

from sealtrace.checks.catalogue import BY_ID
from sealtrace.contract.report import Cell, CheckResult, Finding, Report

Address = tuple[str | None, str | None, str | None]


@dataclass(frozen=True)
class Place:
    """A file, and the line in it where it has lines."""

    path: str
    line: int | None = None
    column: int | None = None


def printed_cells(report: Report) -> dict[Address, Cell]:
    """The cells whose line in the paper is known, by table, row and column."""
    return {(cell.table, cell.row, cell.column): cell for cell in report.cells if cell.source and cell.line}


def in_paper(finding: Finding, printed: dict[Address, Cell]) -> Place | None:
    """The line that prints the cell which a finding is about."""
    key = finding.key or {}
    cell = printed.get((key.get("table"), key.get("row"), key.get("column")))
    if cell is None or cell.source is None or cell.source == finding.source or not stays_inside(cell.source):
        return None
    return Place(cell.source, cell.line)


def in_bundle(finding: Finding) -> Place | None:
    """The record that a finding names; None where it names none, or a path that leads out of the bundle."""
    if not finding.source or not stays_inside(finding.source):
        return None
    if not finding.row or finding.source.endswith(".parquet"):
        return Place(finding.source)
    return Place(finding.source, finding.row, finding.column or None)


def stays_inside(path: str) -> bool:
    """Whether a path is relative and goes nowhere but down."""
    return all(part not in ("", ".", "..") for part in path.split("/"))


def key_text(key: dict[str, str] | None) -> str:
    """A composite key in one line."""
    return " ".join(f"{name}={value}" for name, value in (key or {}).items())


def finding_lines(finding: Finding) -> list[str]:
    """The place with the key, the message, what was expected and what was found; not yet made harmless."""
    place = finding.source or "bundle"
    for part in (finding.row, finding.column):
        place += "" if part is None else f":{part}"
    whole = f"{place}  {key_text(finding.key)}".rstrip()
    if finding.check == "table.cells":
        # The key says which cell it is, and the sentence both numbers.
        return [whole, finding.message]
    lines = [whole, f"{finding.field + ': ' if finding.field else ''}{finding.message}"]
    if finding.expected is not None:
        lines.append(f"expected {finding.expected}")
    if finding.found is not None:
        lines.append(f"found    {finding.found}")
    return lines


def times(count: int, noun: str) -> str:
    """A number of things in words."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def size_text(count: int) -> str:
    """An amount of bytes in a unit that suits it."""
    power = min(3, (len(str(count)) - 1) // 3)
    return f"{count / 1000**power:.1f} {('', 'k', 'M', 'G')[power]}B" if power else f"{count} B"


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
    changed = next((check for check in failed if check == CHANGED), None)
    places = _places(report)
    for place, check in enumerate(failed):
        if check in caused or check == changed:
            continue
        earlier = (other for other in list(failed)[:place] if other not in caused)
        same = next((cause for cause in earlier if places[check] and places[check] <= places[cause]), None)
        if (cause := changed or same) is not None:
            caused[check] = cause

    def root(cause: str) -> str:
        return root(caused[cause]) if cause in caused else cause

    return [
        (check, [failed[other] for other, cause in caused.items() if root(cause) == check.id])
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
    cause_of = {result.id: cause.id for cause, others in by_cause(report) for result in (cause, *others)}
    kept: dict[str, list[str]] = {}
    for check in (result.id for result in report.checks if result.id in missing):
        if (blocking := _blocking(check, failed, missing)) is not None:
            kept.setdefault(cause_of[blocking], []).append(check)
    told = {check for ids in kept.values() for check in ids}
    rest = [(reason, [check for check in ids if check not in told]) for reason, ids in missing_by_reason(report)]
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
    packs = [(pack.reason, [f"the {times(pack.checks, 'check')} of {pack.pack}"]) for pack in report.unused]
    told = []
    for reason, ids in reasons.items():
        whole = {name for name, members in families.items() if len(members) > 1 and members <= set(ids)}
        names = [f"{name}.*" if (name := check.partition(".")[0]) in whole else check for check in ids]
        told.append((reason, list(dict.fromkeys(names))))
    return [*told, *packs]
