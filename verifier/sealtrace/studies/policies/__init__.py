"""Certified policies: a bank of candidates, their traces, certificates, partitions and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealtrace.contract.packs import Pack
from sealtrace.studies.policies.catalogue import CATALOGUE
from sealtrace.studies.policies.kinds import KINDS

if TYPE_CHECKING:
    from sealtrace.evidence import Evidence

_HERE = "sealtrace.studies.policies"


def _absent(evidence: Evidence) -> str | None:
    """A study has policies where its protocol declares actions, or where records say so that only policies leave."""
    held = {kind.name for kind in KINDS}.intersection(entry.kind for entry in evidence.bundle.entries)
    if held or evidence.protocol_document is None or evidence.protocol.get("actions"):
        return None
    return "the study declares no policies"


def _unusable(evidence: Evidence) -> str | None:
    if evidence.protocol_document is None:
        return "there is no protocol"
    from sealtrace.studies.policies.records.protocol import POLICY_FIELDS

    absent = [name for name in ("actions", *POLICY_FIELDS) if evidence.protocol.get(name) is None]
    return f"the protocol declares no {absent[0]}" if absent else None


PACK = Pack(
    name="policies",
    kinds=KINDS,
    catalogue=CATALOGUE,
    checks=f"{_HERE}.checks",
    metrics=f"{_HERE}.metrics",
    evidence=f"{_HERE}.evidence.study:Study",
    overview=f"{_HERE}.overview",
    streamed=("trace", "score"),
    streamer=f"{_HERE}.streaming:judge",
    reported=("score", "summary", "certificate"),
    absent=_absent,
    unusable=_unusable,
)
