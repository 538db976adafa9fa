"""SARIF 2.1.0 for code scanning: a rule per check, a result per finding and per missing check.

A result points at the paper's line where its cell is printed, else at the record's line; rows of Parquet have no
lines and are named as logical locations. Fingerprints are made of the check, the file, the key and the field, so they
outlive changes of lines and of wording; equal ones are counted.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from urllib.parse import quote

from sealtrace.checks.catalogue import BY_ID
from sealtrace.contract.result import NOT_SEALED, CheckResult, Finding, Result
from sealtrace.report.findings import NO_PAPERS, FilePlace, Places, in_subject, key_text, of_paper, times
from sealtrace.report.inert import harmless, json_text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "sealtrace/v1"
_BASES = {
    "BUNDLE": "The root of the bundle that was verified.",
    "%SRCROOT%": "The directory that sealtrace was run in.",
    "PAPER": "The directory of the paper's sources.",
}

Object = dict[str, object]


def render(result: Result, *, exit_code: int, prefix: str | None = None, papers: Mapping[str, str] = NO_PAPERS) -> str:
    """`prefix` leads from the working directory to the bundle; None where the bundle's files are not below it."""
    return json_text(
        {"$schema": SCHEMA, "version": "2.1.0", "runs": [_Run(result, prefix, papers).document(exit_code)]}
    )


class _Run:
    """What the results of one report share."""

    def __init__(self, result: Result, prefix: str | None, papers: Mapping[str, str]) -> None:
        self.result = result
        self.base = "BUNDLE" if prefix is None else "%SRCROOT%"
        self.papers, self.places = papers, Places(result, prefix, papers)
        self.rules = {check.id: place for place, check in enumerate(result.checks)}
        self.seen: Counter[str] = Counter()
        named = result.subject.papers
        self.whole = FilePlace(named[0] if of_paper(result) and named else "manifest.json")
        """Where a finding stands that is about everything."""

    def document(self, exit_code: int) -> Object:
        """The one run of the log."""
        result = self.result
        results = [self.finding(finding) for finding in result.findings]
        results += [self.missing(check) for check in result.checks if check.status == "missing"]
        return {
            "tool": {
                "driver": {
                    "name": "sealtrace",
                    "version": harmless(result.sealtrace),
                    "rules": [_rule(check) for check in result.checks],
                }
            },
            "automationDetails": {"id": f"sealtrace/{_quoted(result.subject.name)}/"},
            "invocations": [
                {
                    "executionSuccessful": True,
                    "exitCode": exit_code,
                    "toolExecutionNotifications": _notifications(result),
                }
            ],
            "originalUriBaseIds": {name: {"description": {"text": text}} for name, text in _BASES.items()},
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {
                "verdict": result.as_draft(result.verdict),
                "bundle": harmless(result.subject.name),
                "root_sha256": harmless(result.subject.root_sha256 or ""),
            },
        }

    def finding(self, finding: Finding) -> Object:
        text = finding.message
        values = {"expected": finding.expected, "found": finding.found}
        text += "".join(f"; {name} {value}" for name, value in values.items() if value is not None)
        paper, record = self.places.in_paper(finding), self.record(finding)
        result = self.located(finding.check, finding.severity, text)
        result["locations"] = [record]
        if paper is not None:
            # The reader's eye goes to the paper first; the record stays at hand.
            result["locations"] = [{**_physical(paper, "PAPER"), "logicalLocations": record["logicalLocations"]}]
            result["relatedLocations"] = [{"id": 1, **record}]
        identity: list[object] = [finding.check, finding.source, finding.key, finding.field]
        result["partialFingerprints"] = {FINGERPRINT: self.fingerprint(identity)}
        result["properties"] = {name: harmless(value) for name, value in values.items() if value is not None}
        return result

    def missing(self, check: CheckResult) -> Object:
        """A check that lacks evidence: a warning, so that nobody takes its silence for a pass."""
        result = self.located(check.id, "warning", f"missing: {check.reason or 'no reason is known'}")
        result["locations"] = [_physical(self.places.in_workspace(self.whole), self.base)]
        result["partialFingerprints"] = {FINGERPRINT: self.fingerprint([check.id, "missing"])}
        result["properties"] = {"status": check.status}
        return result

    def located(self, check: str, level: str, text: str) -> Object:
        """What findings and missing checks have in common."""
        result: Object = {"ruleId": check, "level": level, "message": {"text": _message(text)}}
        if check in self.rules:
            result["ruleIndex"] = self.rules[check]
        return result

    def record(self, finding: Finding) -> Object:
        """The record's place, or the manifest's where the finding is about the bundle; key and field by name."""
        place = self.places.in_workspace(in_subject(finding) or self.whole)
        name = key_text(finding.key) or (f"row {finding.line}" if finding.line else "")
        path = ":".join(filter(None, (finding.source or "bundle", name)))
        logical = [{"name": harmless(name or path), "fullyQualifiedName": harmless(path), "kind": "object"}]
        if finding.field:
            pointer = f"{path}:{finding.field}"
            logical.append({"name": harmless(finding.field), "fullyQualifiedName": harmless(pointer), "kind": "value"})
        base = "%SRCROOT%" if finding.source in self.papers else self.base
        return {**_physical(place, base), "logicalLocations": logical}

    def fingerprint(self, identity: list[object]) -> str:
        """A digest of what a finding is about, and its number among those about the same."""
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True, ensure_ascii=True).encode("ascii")).hexdigest()
        self.seen[digest] += 1
        return f"{digest}:{self.seen[digest]}"


def _rule(check: CheckResult) -> Object:
    entry = BY_ID.get(check.id)
    rule: Object = {
        "id": check.id,
        "shortDescription": {"text": _message(check.title)},
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "tags": [check.id.partition(".")[0]],
            "status": check.status,
            "inspected": check.inspected,
            "findings": check.findings,
        },
    }
    if entry is not None:
        rule["fullDescription"] = {"text": _message(f"{entry.title}. It enforces {entry.source}.")}
        rule["help"] = {
            "text": _message(
                f"{entry.title}. It enforces {entry.source}. It breaks, for example, where {entry.breaks}. "
                "Correct the record that a result names, or the number that the paper prints, and seal the bundle "
                f"anew. `sealtrace checks {entry.id}` says what the check reads and needs."
            )
        }
    return rule


def _notifications(result: Result) -> list[Object]:
    """What results cannot say: findings beyond those listed, and checks that were left out."""
    listed = Counter(finding.check for finding in result.findings)
    texts = [
        f"{check.id}: {times(check.findings, 'finding')}, of which {listed[check.id]} are listed"
        for check in result.checks
        if check.findings > listed[check.id]
    ]
    if result.draft:
        texts.append(NOT_SEALED)
    if skipped := sum(check.status == "skipped" for check in result.checks):
        texts.append(f"{times(skipped, 'check')} skipped: the verdict covers only the others")
    return [{"level": "warning", "message": {"text": _message(text)}} for text in texts]


def _physical(place: FilePlace, base: str) -> Object:
    location: Object = {"artifactLocation": {"uri": _quoted(place.path), "uriBaseId": base}}
    if place.line:
        column = {"startColumn": place.column} if place.column else {}
        location["region"] = {"startLine": place.line, **column}
    return {"physicalLocation": location}


def _quoted(path: str) -> str:
    """A path as a relative reference: nothing in it can be taken for a scheme, a query or a fragment."""
    return quote(path.encode("utf-8", "surrogatepass"), safe="/")


def _message(text: str) -> str:
    """Text in which a reader of SARIF sees no placeholder and no link."""
    return harmless(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")
