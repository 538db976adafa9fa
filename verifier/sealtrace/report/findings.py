"""Findings for people: where each stands, which failed checks explain which, and why evidence is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sealtrace.checks.catalogue import BY_ID
from sealtrace.contract.result import CheckResult, ClaimResult, Finding, NumberResult, Result
from sealtrace.paper.fact import cell_id

NO_PAPERS: Mapping[str, str] = {}


@dataclass(frozen=True)
class FilePlace:
    """A file, and the line in it where it has lines."""

    path: str
    line: int | None = None
    column: int | None = None


class Places:
    """Where findings stand, as the workspace has it: `prefix` leads to the bundle, or to the paper's directory, and is
    None where these are elsewhere; `papers` at hand, by their names, are where they are."""

    def __init__(self, result: Result, prefix: str | None, papers: Mapping[str, str]) -> None:
        self._result, self._prefix, self._papers = result, prefix or "", papers
        self._printed: dict[tuple[str | None, ...], NumberResult] = {
            (one.table, one.row, one.column): one for one in result.numbers if one.table and one.line
        }
        sources = {one.source for one in result.numbers if one.source}
        # A bundle's one paper may have moved, or been renamed, since it was sealed.
        self._moved = next(iter(papers.values())) if len(papers) == len(sources) == 1 else None

    def in_paper(self, finding: Finding) -> FilePlace | None:
        """The line that prints the cell which a finding is about, where it is not the finding's own place."""
        key = finding.key or {}
        number = self._printed.get((key.get("table"), key.get("row"), key.get("column")))
        if finding.source in self._papers or number is None or number.source in (None, finding.source):
            return None
        source = str(number.source)
        return FilePlace(self._moved or self._papers.get(source, source), number.line) if stays_inside(source) else None

    def in_workspace(self, place: FilePlace) -> FilePlace:
        """A place of the subject; relations files, named on the command line, are seen from the working directory."""
        beside = of_paper(self._result) and place.path not in self._result.subject.papers
        return replace(place, path=self._papers.get(place.path, place.path if beside else self._prefix + place.path))


def in_subject(finding: Finding) -> FilePlace | None:
    """The record or line that a finding names; None where it names none, or a path that leads elsewhere."""
    if not finding.source or not stays_inside(finding.source):
        return None
    if not finding.line or finding.source.endswith(".parquet"):
        return FilePlace(finding.source)
    return FilePlace(finding.source, finding.line, finding.column or None)


def as_in_workspace(result: Result, prefix: str | None, papers: Mapping[str, str] = NO_PAPERS) -> Result:
    """The result with its files as the workspace has them; those of an archive as they are."""
    names = dict(papers)
    if prefix and of_paper(result):
        names |= {name: prefix + name for name in result.subject.papers}
    elif prefix:
        inside = {one.source for one in result.findings if one.source and stays_inside(one.source)}
        names = {name: prefix + name for name in inside} | names
    found, numbers = (
        [one.model_copy(update={"source": names.get(one.source or "", one.source)}) for one in listed]
        for listed in (result.findings, result.numbers)
    )
    return result.model_copy(update={"findings": found, "numbers": numbers})


def of_paper(result: Result) -> bool:
    """Whether a paper was looked at rather than a bundle."""
    return result.subject.root_sha256 is None and result.command in ("audit", "check")


def number_of(finding: Finding) -> str | None:
    """The id of the printed number that a finding is about."""
    key = finding.key or {}
    if {"table", "row", "column"} <= set(key):
        return cell_id(key["table"], key["row"], key["column"])
    return key.get("number")


def claims_by_id(result: Result) -> dict[str, ClaimResult]:
    """Claims by the name that findings have in their keys."""
    return {claim.id: claim for claim in result.claims}


def claim_of(finding: Finding, claims: dict[str, ClaimResult]) -> ClaimResult | None:
    key = finding.key or {}
    return claims.get(key.get("claim") or key.get("relation", ""))


def stays_inside(path: str) -> bool:
    """Whether a path is relative and goes nowhere but down."""
    return all(part not in ("", ".", "..") for part in path.split("/"))


def key_text(key: dict[str, str] | None) -> str:
    """A composite key in one line."""
    return " ".join(f"{name}={value}" for name, value in (key or {}).items())


SPOKEN = ("table.cells", "results.numbers")
"""Checks of printed numbers: what they say names both numbers."""


def finding_lines(finding: Finding) -> list[str]:
    """The place with the key, the message, what was expected and what was found; not yet made harmless."""
    place = finding.source or ("paper" if finding.check.startswith("results.") else "bundle")
    for part in (finding.line, finding.column):
        place += "" if part is None else f":{part}"
    whole = f"{place}  {key_text(finding.key)}".rstrip()
    both = finding.expected and finding.found and {finding.expected, finding.found}
    if finding.check in SPOKEN or (both and all(value in finding.message for value in both)):
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


def by_cause(result: Result) -> list[tuple[CheckResult, list[CheckResult]]]:
    """Failed checks that no other one explains, each with those that may follow from it.

    One explains another where the catalogue says so, or where it found fault with every record that the other names.
    Where a file is not what was sealed, all that was found in the records may follow from that.
    """
    failed = {check.id: check for check in result.checks if check.status == "fail"}
    caused = {
        consequence: cause
        for cause in failed
        for consequence in _consequences(cause)
        if consequence in failed and cause not in _consequences(consequence)
    }
    changed = next((check for check in failed if check == CHANGED), None)
    places = _places(result)
    for place, check in enumerate(failed):
        if check in caused or check == changed or check not in BY_ID:
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


def _consequences(check: str) -> tuple[str, ...]:
    """Of a check of the catalogue, those that may fail because of it; families of relations have none."""
    return BY_ID[check].consequences if check in BY_ID else ()


CHANGED = "identity.bytes"
"""The check that a file's bytes are those that were sealed."""


def _places(result: Result) -> dict[str, set[tuple[str, int]]]:
    """The records in which each check found an error; none where it names one without a place."""
    places: dict[str, set[tuple[str, int]]] = {}
    vague = set()
    for finding in result.findings:
        if finding.severity == "error":
            if finding.source and finding.line:
                places.setdefault(finding.check, set()).add((finding.source, finding.line))
            else:
                vague.add(finding.check)
    return {check.id: places.get(check.id, set()) if check.id not in vague else set() for check in result.checks}


def undecided_by_cause(result: Result) -> tuple[dict[str, list[str]], list[tuple[str, list[str]]]]:
    """Checks that could not be decided: by the failed cause that keeps them so, and by reason where no check failed."""
    failed = {check.id for check in result.checks if check.status == "fail"}
    missing = {check.id for check in result.checks if check.status == "missing"}
    cause_of = {check.id: cause.id for cause, others in by_cause(result) for check in (cause, *others)}
    kept: dict[str, list[str]] = {}
    for check in (one.id for one in result.checks if one.id in missing):
        if (blocking := _blocking(check, failed, missing)) is not None:
            kept.setdefault(cause_of[blocking], []).append(check)
    told = {check for ids in kept.values() for check in ids}
    rest = [(reason, [check for check in ids if check not in told]) for reason, ids in missing_by_reason(result)]
    return kept, [(reason, ids) for reason, ids in rest if ids]


def _blocking(check: str, failed: set[str], missing: set[str], seen: frozenset[str] = frozenset()) -> str | None:
    """The failed check that an undecided one waits for, itself or through others that are undecided."""
    for need in BY_ID[check].needs if check in BY_ID else ():
        if need in failed:
            return need
        if need in missing and need not in seen:
            found = _blocking(need, failed, missing, seen | {check})
            if found is not None:
                return found
    return None


def missing_by_reason(result: Result) -> list[tuple[str, list[str]]]:
    """Why evidence is missing, each reason with the checks that lack it."""
    reasons: dict[str, list[str]] = {}
    for check in result.checks:
        if check.status == "missing":
            reasons.setdefault(check.reason or "", []).append(check.id)
    return list(reasons.items())


def turned_off(result: Result) -> list[tuple[str, list[str]]]:
    """Why checks do not apply, each reason with them; a family that is turned off as a whole is written `name.*`."""
    families: dict[str, set[str]] = {}
    for check in result.checks:
        families.setdefault(check.id.partition(".")[0], set()).add(check.id)
    reasons: dict[str, list[str]] = {}
    for check in result.checks:
        if check.status == "not-applicable":
            reasons.setdefault(check.reason or "", []).append(check.id)
    told = []
    for reason, ids in reasons.items():
        whole = {name for name, members in families.items() if len(members) > 1 and members <= set(ids)}
        names = [f"{name}.*" if (name := check.partition(".")[0]) in whole else check for check in ids]
        told.append((reason, list(dict.fromkeys(names))))
    return told
