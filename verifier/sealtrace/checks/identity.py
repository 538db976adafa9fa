"""These are the bytes that were sealed."""

from __future__ import annotations

from sealtrace.bundle.identity import MANIFEST, SUMS
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.evidence import Evidence


@check("identity.manifest", "manifests")
def manifest(_: Evidence, outcome: Outcome) -> None:
    outcome.inspected = 1


@check("identity.listing", "files")
def listing(evidence: Evidence, outcome: Outcome) -> None:
    outcome.inspected = len(evidence.bundle.entries)
    outcome.missing = evidence.bundle.unseen


@check("identity.bytes", "files")
def byte_identity(evidence: Evidence, outcome: Outcome) -> None:
    bundle = evidence.bundle
    outcome.inspected = sum(entry.path in bundle.digests for entry in bundle.entries)
    if outcome.inspected < len(bundle.entries):
        outcome.missing = f"files that could not be read: {len(bundle.entries) - outcome.inspected} of those listed"


@check("identity.sums", "files")
def sums(evidence: Evidence, outcome: Outcome) -> None:
    outcome.inspected = int(SUMS in evidence.bundle.digests)


@check("identity.content", "files")
def content(evidence: Evidence, outcome: Outcome) -> None:
    bundle = evidence.bundle
    wanted = [entry for entry in bundle.entries if entry.format != "bytes"]
    outcome.inspected = len(bundle.contents)
    if outcome.inspected < len(wanted):
        left = len(wanted) - outcome.inspected
        outcome.missing = f"{left} record file{'s' * (left > 1)} could not be read whole"


@check("identity.root", "digests")
def root(evidence: Evidence, outcome: Outcome) -> None:
    outcome.inspected = 1
    message = "The manifest changed after it was sealed. Restore it, or seal again."
    outcome.at(MANIFEST).expect("/root_sha256", message, evidence.bundle.root_sha256, evidence.bundle.declared_root)


@check("identity.expected-root", "digests")
def expected_root(evidence: Evidence, outcome: Outcome) -> None:
    if evidence.asked.root is None:
        outcome.not_applicable = "no root digest was named (--expect-root)"
        return
    outcome.inspected = 1
    message = "This is not the bundle whose root digest was named. Get the one with that digest, or check the digest."
    outcome.at(MANIFEST).expect("/root_sha256", message, evidence.asked.root, evidence.bundle.root_sha256)
