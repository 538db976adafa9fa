"""Certified policies: a bank of candidates, their traces, certificates, partitions and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealtrace.contract.packs import Form, Kind, Opening, Pack, any_role
from sealtrace.studies.policies.catalogue import CATALOGUE

if TYPE_CHECKING:
    from sealtrace.evidence import Evidence

_HERE = "sealtrace.studies.policies"
_RECORDS = f"{_HERE}.records"
_TRACED = (("bank", "training"), ("bank", "structure"), ("trace", "calibration"), ("replay", "held-out"))
_SCORED = (("structure", "structure"), ("calibrate", "calibration"), ("report", "held-out"))
_IDENTITY = ("state", "arm", "scale", "split")

KINDS = (
    Kind(
        "observation",
        Form.ROWS,
        f"{_RECORDS}.states:Observation",
        ("state",),
        any_role("declare"),
        (Opening("observation", ("state", "split", "block", "legal")),),
    ),
    Kind("teacher", Form.ROWS, f"{_RECORDS}.states:Teacher", ("state",), any_role("bank")),
    Kind("candidate", Form.ROWS, f"{_RECORDS}.policies:Candidate", ("arm", "scale"), any_role("bank")),
    Kind("checkpoint", Form.DOCUMENT, f"{_RECORDS}.policies:Checkpoint", stages=any_role("bank")),
    Kind(
        "residual",
        Form.ROWS,
        f"{_RECORDS}.policies:Residual",
        ("family", "state"),
        (("bank", "*"), ("trace", "calibration"), ("replay", "held-out")),
    ),
    Kind("partition", Form.DOCUMENT, f"{_RECORDS}.certification:Partition", stages=any_role("structure")),
    Kind(
        "trace",
        Form.ROWS,
        f"{_RECORDS}.policies:Trace",
        _IDENTITY,
        _TRACED,
        (Opening("costs", ("event",), at="ledger"),),
    ),
    Kind("values", Form.ROWS, f"{_RECORDS}.states:Values", ("state", "evaluator"), (("bank", "training"), *_SCORED)),
    Kind("score", Form.ROWS, f"{_RECORDS}.states:Score", _IDENTITY, _SCORED),
    Kind(
        "certificate",
        Form.ROWS,
        f"{_RECORDS}.certification:Certificate",
        ("partition", "group", "arm", "scale"),
        any_role("calibrate"),
    ),
    Kind("selection", Form.DOCUMENT, f"{_RECORDS}.certification:Selection", stages=any_role("select")),
    Kind("map", Form.DOCUMENT, f"{_RECORDS}.certification:CandidateMap", stages=any_role("select")),
    Kind("summary", Form.ROWS, f"{_RECORDS}.states:Summary", ("population", "arm", "scale"), any_role("report")),
)


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
    metrics=f"{_HERE}.map_metrics",  # which imports those of single policies
    evidence=f"{_HERE}.evidence.study:Study",
    overview=f"{_HERE}.overview",
    streamed=("trace", "score"),
    streamer=f"{_HERE}.streaming:judge",
    reported=("score", "summary", "certificate"),
    absent=_absent,
    unusable=_unusable,
)
