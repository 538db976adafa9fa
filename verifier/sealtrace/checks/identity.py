"""These are the bytes that were sealed."""

from __future__ import annotations

from sealtrace.bundle.identity import MANIFEST, SUMS
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.studies.policies.evidence.study import Study


@check("identity.manifest", "manifests")
def manifest(study: Study, outcome: Outcome) -> None:
    outcome.inspected = 1
    outcome.defects(study.bundle.manifest_defects)


@check("identity.listing", "files")
def listing(study: Study, outcome: Outcome) -> None:
    outcome.inspected = len(study.bundle.entries)
    outcome.defects(study.bundle.listing)


@check("identity.bytes", "files")
def byte_identity(study: Study, outcome: Outcome) -> None:
    bundle = study.bundle
    outcome.inspected = sum(entry.path in bundle.digests for entry in bundle.entries)
    outcome.defects(bundle.byte_defects)
    if outcome.inspected < len(bundle.entries):
        outcome.missing = f"{len(bundle.entries) - outcome.inspected} listed files could not be read"


@check("identity.sums", "files")
def sums(study: Study, outcome: Outcome) -> None:
    outcome.inspected = int(SUMS in study.bundle.digests)
    outcome.defects(study.bundle.sums)


@check("identity.content", "files")
def content(study: Study, outcome: Outcome) -> None:
    bundle = study.bundle
    wanted = [entry for entry in bundle.entries if entry.format != "bytes"]
    outcome.inspected = len(bundle.contents)
    outcome.defects(bundle.content_defects)
    if outcome.inspected < len(wanted):
        outcome.missing = f"{len(wanted) - outcome.inspected} record files could not be read whole"


@check("identity.root", "digests")
def root(study: Study, outcome: Outcome) -> None:
    outcome.inspected = 1
    if study.bundle.root_sha256 != study.bundle.declared_root:
        outcome.add(
            "the manifest is not the one that was sealed",
            source=MANIFEST,
            field="/root_sha256",
            expected=study.bundle.root_sha256,
            found=study.bundle.declared_root,
        )


@check("identity.expected-root", "digests")
def expected_root(study: Study, outcome: Outcome) -> None:
    if study.expected_root is None:
        outcome.not_applicable = "no root digest was named (--expect-root)"
        return
    outcome.inspected = 1
    if study.bundle.root_sha256 != study.expected_root:
        outcome.add(
            "this is not the bundle that was named; get the one with that root digest",
            source=MANIFEST,
            field="/root_sha256",
            expected=study.expected_root,
            found=study.bundle.root_sha256,
        )
