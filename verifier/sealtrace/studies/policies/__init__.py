"""Certified policies: a bank of candidates, their traces, certificates, partitions and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealtrace.contract.packs import Form, Kind, Opening, Pack, any_role
from sealtrace.studies.policies.catalogue import CATALOGUE, METRICS

if TYPE_CHECKING:
    from sealtrace.evidence import Evidence

Stages = tuple[tuple[str, str], ...]

_HERE = "sealtrace.studies.policies"
_TRACED = (("bank", "training"), ("bank", "structure"), ("trace", "calibration"), ("replay", "held-out"))
_SCORED = (("structure", "structure"), ("calibrate", "calibration"), ("report", "held-out"))
_IDENTITY = ("state", "arm", "scale", "split")

_SHOWN = Opening("observation", ("state", "split", "block", "legal"))
_LEDGER = Opening("costs", ("event",), at="ledger")


def _rows(name: str, model: str, key: tuple[str, ...], stages: Stages, *openings: Opening) -> Kind:
    return Kind(name, Form.ROWS, f"{_HERE}.records.{model}", key, stages, openings)


def _document(name: str, model: str, stage: str) -> Kind:
    return Kind(name, Form.DOCUMENT, f"{_HERE}.records.{model}", stages=any_role(stage))


KINDS = (
    _rows("observation", "states:Observation", ("state",), any_role("declare"), _SHOWN),
    _rows("teacher", "states:Teacher", ("state",), any_role("bank")),
    _rows("candidate", "policies:CandidateRecord", ("arm", "scale"), any_role("bank")),
    _document("checkpoint", "policies:Checkpoint", "bank"),
    _rows("residual", "policies:Residual", ("family", "state"), (("bank", "*"), *_TRACED[2:])),
    _document("partition", "certification:Partition", "structure"),
    _rows("trace", "policies:Trace", _IDENTITY, _TRACED, _LEDGER),
    _rows("values", "states:Values", ("state", "evaluator"), (("bank", "training"), *_SCORED)),
    _rows("score", "states:Score", _IDENTITY, _SCORED),
    _rows("certificate", "certification:Certificate", ("partition", "group", "arm", "scale"), any_role("calibrate")),
    _document("selection", "certification:SelectionRecord", "select"),
    _document("map", "certification:CandidateMap", "select"),
    _rows("summary", "states:SummaryRecord", ("population", "arm", "scale"), any_role("report")),
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
    from sealtrace.studies.policies.records.protocol import POLICY_FIELDS  # start-up: pydantic

    absent = [name for name in ("actions", *POLICY_FIELDS) if evidence.protocol.get(name) is None]
    return f"the protocol declares no {absent[0]}" if absent else None


PACK = Pack(
    name="policies",
    kinds=KINDS,
    catalogue=CATALOGUE,
    checks=f"{_HERE}.checks",
    entities={
        **{name: name for name in ("action", "partition", "policy", "population")},
        **{name: name for name in ("selector", "state", "variant")},
        "risk": "risk?",
        "utility": "utility?",
        "subject": "variant",
        "base": "policy",
        "policies": "policy",
        "against": "selector",
    },
    metrics=f"{_HERE}.map_metrics",  # which imports those of single policies
    listed=METRICS,
    paper="RSD-Poker paper",
    evidence=f"{_HERE}.evidence.study:Study",
    overview=f"{_HERE}.overview",
    streamed=("trace", "score"),
    streamer=f"{_HERE}.streaming:judge",
    reported=("score", "summary", "certificate"),
    absent=_absent,
    unusable=_unusable,
)
