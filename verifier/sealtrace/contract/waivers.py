"""Waivers: findings that a reader accepts for a while, with a reason. They stay findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from pydantic import ConfigDict, Field

from sealtrace.contract.result import CheckResult, Finding, NumberResult
from sealtrace.contract.scalars import Name, Record, Text

WAIVED = "its findings are waived, not settled"


class Waiver(Record):
    """One entry of `[[waivers]]` in the reader's settings. A bundle cannot waive anything."""

    check: Name = Field(description="The check's id.")
    place: Text | None = Field(None, description="Words of the finding's place, each of which it must have.")
    reason: Text = Field(description="Why it is accepted.")
    until: date = Field(description="The last day on which it is.")

    # The formats of TOML and of JSON differ in dates only.
    model_config = ConfigDict(strict=False)

    def covers(self, finding: Finding) -> bool:
        """Whether it is about this finding."""
        words = finding.name.split()
        return finding.check == self.check and all(word in words for word in (self.place or "").split())


def waive(
    findings: Sequence[Finding],
    checks: Sequence[CheckResult],
    errors: Mapping[str, int],
    waivers: Sequence[Waiver],
    today: date,
) -> tuple[list[Finding], list[CheckResult]]:
    """Findings with their waivers; checks whose every error is waived are missing.

    `errors` says how many each check has, listed or not. A waived error becomes a warning; one whose waiver has expired
    stays an error, and a waiver that covers nothing is a warning of its own.
    """
    said: list[Finding] = []
    settled: dict[str, int] = {}
    used: set[int] = set()
    for finding in findings:
        covering = [place for place, waiver in enumerate(waivers) if waiver.covers(finding)]
        used.update(covering)
        if not covering or finding.severity != "error":
            said.append(finding)
            continue
        last = max((waivers[place] for place in covering), key=lambda waiver: waiver.until)
        if last.until < today:
            note = f"Its waiver expired on {last.until}: settle it, or renew the waiver."
            said.append(finding.model_copy(update={"message": f"{finding.message} {note}"}))
            continue
        settled[finding.check] = settled.get(finding.check, 0) + 1
        note = f"Waived until {last.until}: {last.reason}"
        said.append(
            finding.model_copy(
                update={"severity": "warning", "message": f"{finding.message} {note}", "waived": last.reason}
            )
        )
    said += [
        Finding(check=idle.check, severity="warning", message=f"A waiver covers nothing ({idle.reason}). Remove it.")
        for place, idle in enumerate(waivers)
        if place not in used
    ]
    results = [
        result.model_copy(update={"status": "missing", "reason": WAIVED})
        if result.status == "fail" and settled.get(result.id) == errors.get(result.id)
        else result
        for result in checks
    ]
    return said, results


def accepted(numbers: Sequence[NumberResult], findings: Sequence[Finding]) -> list[NumberResult]:
    """Numbers with why the reader accepts them for now: those that a waived finding, or a waived relation, is about."""
    reasons = {tuple((finding.key or {}).items()): finding.waived for finding in findings if finding.waived is not None}
    if not reasons:
        return list(numbers)
    return [
        one.model_copy(update={"waived": reasons.get(address) or reasons.get((("relation", one.relation or ""),))})
        for one in numbers
        for address in [(("table", one.table or ""), ("row", one.row or ""), ("column", one.column or ""))]
    ]
