"""The verdict as an in-toto Statement with a simple verification result: what held, for this root digest.

The format has no word for failure, so a property that did not pass is not listed, and where the root digest does not
stand for the records that were looked at, there is nothing to state.
"""

from __future__ import annotations

from sealtrace.contract.result import NOT_SEALED, Result

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/svr/v0.1"
PREFIX = "SEALTRACE_"
VERIFIED = f"{PREFIX}VERIFIED"

_BINDING = ("identity.manifest", "identity.listing", "identity.bytes", "identity.root", "identity.expected-root")
"""What makes the root digest stand for the bytes that the other checks read, and for the bundle that was meant."""


def properties_of(result: Result) -> list[str]:
    """What passed: the verdict as a whole where it is `verified`, then each check."""
    whole = [VERIFIED] if result.verdict == "verified" else []
    return whole + [property_of(check.id) for check in result.checks if check.status == "pass"]


def property_of(check: str) -> str:
    """A check's id as the name of a property."""
    return PREFIX + check.upper().replace(".", "_").replace("-", "_")


def refusal_of(result: Result) -> str | None:
    """Why nothing can be stated of the root digest; None where something can."""
    for check in result.checks:
        if check.id in _BINDING and check.status not in ("pass", "not-applicable"):
            return f"the root digest does not stand for these records: {check.id} has the status {check.status}"
    if result.draft:
        return NOT_SEALED
    if result.subject.root_sha256 is None:
        return "the bundle has no root digest"
    return None if properties_of(result) else "nothing passed"


def statement(result: Result, *, verifier: str, time: str) -> dict[str, object]:
    """The statement of a report that nothing refuses."""
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": result.subject.name, "digest": {"sha256": result.subject.root_sha256}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {"verifier": {"id": verifier}, "timeCreated": time, "properties": properties_of(result)},
    }
