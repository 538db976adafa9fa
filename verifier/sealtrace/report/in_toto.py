"""The verdict as an in-toto Statement with a simple verification result: what held, for this root digest.

The format has no word for failure, so a property that did not pass is not listed, and where the root digest does not
stand for the records that were looked at, there is nothing to state.
"""

from __future__ import annotations

from typing import Any

from sealtrace.contract.report import NOT_SEALED, Report

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/svr/v0.1"
PREFIX = "SEALTRACE_"
VERIFIED = f"{PREFIX}VERIFIED"

_BINDING = ("identity.manifest", "identity.listing", "identity.bytes", "identity.root", "identity.expected-root")
"""What makes the root digest stand for the bytes that the other checks read, and for the bundle that was meant."""


def properties_of(report: Report) -> list[str]:
    """What passed: the verdict as a whole where it is `verified`, then each check."""
    whole = [VERIFIED] if report.verdict == "verified" else []
    return whole + [property_of(check.id) for check in report.checks if check.status == "pass"]


def property_of(check: str) -> str:
    """A check's id as the name of a property."""
    return PREFIX + check.upper().replace(".", "_").replace("-", "_")


def refusal_of(report: Report) -> str | None:
    """Why nothing can be stated of the root digest; None where something can."""
    for check in report.checks:
        if check.id in _BINDING and check.status not in ("pass", "not-applicable"):
            return f"the root digest does not stand for these records: {check.id} has the status {check.status}"
    if report.draft:
        return NOT_SEALED
    if report.bundle.root_sha256 is None:
        return "the bundle has no root digest"
    return None if properties_of(report) else "nothing passed"


def statement(report: Report, *, verifier: str, time: str) -> dict[str, Any]:
    """The statement of a report that nothing refuses."""
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": report.bundle.name, "digest": {"sha256": report.bundle.root_sha256}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {"verifier": {"id": verifier}, "timeCreated": time, "properties": properties_of(report)},
    }
