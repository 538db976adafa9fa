"""Every record kind: its form, its key, and the stages that may seal it.

This module knows no pydantic, so that reading and hashing a bundle does not pay for the models.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sealtrace.contract.scalars import Record

STAGES = ("declare", "bank", "structure", "trace", "calibrate", "select", "replay", "report")
"""The freeze stages in their only order (the paper's algorithm table)."""

ROLES = ("training", "structure", "calibration", "held-out")
"""The four disjoint data roles."""


class Form(StrEnum):
    """How the records of a kind lie in a file."""

    DOCUMENT = "document"
    """One JSON object."""
    ROWS = "rows"
    """JSON lines or Parquet."""
    BYTES = "bytes"
    """Kept and hashed, not parsed."""


@dataclass(frozen=True)
class Kind:
    """One record kind of the contract."""

    name: str
    form: Form
    model: str
    """`module:Class` below `sealtrace.contract`, imported when first needed; empty for bytes."""
    key: tuple[str, ...] = ()
    """The fields that identify a row."""
    stages: tuple[tuple[str, str], ...] = ()
    """(stage, role) pairs that may seal it; role `*` for any, or for files without a split."""


def _any_role(*stages: str) -> tuple[tuple[str, str], ...]:
    return tuple((stage, "*") for stage in stages)


_TRACED = (("bank", "training"), ("bank", "structure"), ("trace", "calibration"), ("replay", "held-out"))
_SCORED = (("structure", "structure"), ("calibrate", "calibration"), ("report", "held-out"))
_LATE = _any_role("report")

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("protocol", Form.DOCUMENT, "protocol:Protocol", stages=_any_role("declare")),
        Kind("observation", Form.ROWS, "states:Observation", ("state",), _any_role("declare")),
        Kind("source", Form.ROWS, "provenance:Source", ("path",), _any_role(*STAGES)),
        Kind("run", Form.ROWS, "provenance:Run", ("run",), _any_role("bank", "report")),
        Kind("teacher", Form.ROWS, "states:Teacher", ("state",), _any_role("bank")),
        Kind("candidate", Form.ROWS, "policies:Candidate", ("arm", "scale"), _any_role("bank")),
        Kind("checkpoint", Form.DOCUMENT, "policies:Checkpoint", stages=_any_role("bank")),
        Kind(
            "residual",
            Form.ROWS,
            "policies:Residual",
            ("family", "state"),
            (("bank", "*"), ("trace", "calibration"), ("replay", "held-out")),
        ),
        Kind("partition", Form.DOCUMENT, "certification:Partition", stages=_any_role("structure")),
        Kind("trace", Form.ROWS, "policies:Trace", ("state", "arm", "scale", "split"), _TRACED),
        Kind("values", Form.ROWS, "scores:Values", ("state", "evaluator"), (("bank", "training"), *_SCORED)),
        Kind("score", Form.ROWS, "scores:Score", ("state", "arm", "scale", "split"), _SCORED),
        Kind(
            "certificate",
            Form.ROWS,
            "certification:Certificate",
            ("partition", "group", "arm", "scale"),
            _any_role("calibrate"),
        ),
        Kind("selection", Form.DOCUMENT, "certification:Selection", stages=_any_role("select")),
        Kind("map", Form.DOCUMENT, "certification:CandidateMap", stages=_any_role("select")),
        Kind("attempt", Form.ROWS, "service:Attempt", ("request", "attempt"), _LATE),
        Kind(
            "measurement",
            Form.ROWS,
            "service:Measurement",
            ("quantity", "subject", "repeat"),
            _any_role("structure", "select", "report"),
        ),
        Kind("match", Form.ROWS, "service:Match", ("match", "arm"), _LATE),
        Kind("profile", Form.ROWS, "games:Profile", ("profile", "information_set"), _any_role("bank", "report")),
        Kind("label", Form.ROWS, "labels:Label", ("item",), _any_role("declare", "report")),
        Kind("prediction", Form.ROWS, "labels:Prediction", ("item", "model"), _any_role("replay", "report")),
        Kind("dataset", Form.DOCUMENT, "dataset:Dataset", stages=_any_role(*STAGES)),
        Kind("rows", Form.ROWS, "", stages=_any_role(*STAGES)),
        Kind("summary", Form.ROWS, "scores:Summary", ("population", "arm", "scale"), _LATE),
        Kind("table", Form.DOCUMENT, "printed:PrintedTable", stages=_LATE),
        Kind("relation", Form.ROWS, "printed:Relation", ("relation",), _LATE),
        Kind("manuscript", Form.BYTES, "", stages=_LATE),
        Kind("attachment", Form.BYTES, "", stages=_any_role(*STAGES)),
        Kind("seal", Form.DOCUMENT, "sealing:Seal", stages=_any_role(*STAGES)),
        Kind("manifest", Form.DOCUMENT, "sealing:Manifest"),
        Kind("report", Form.DOCUMENT, "report:Report"),
        Kind("audit", Form.DOCUMENT, "audit:Audit"),
    )
}

SCHEMA_KINDS = tuple(name for name, kind in KINDS.items() if kind.model)
"""The kinds that have a published schema."""


def model_of(kind: str) -> type[Record]:
    """The pydantic model of a kind."""
    module, _, name = KINDS[kind].model.partition(":")
    model: type[Record] = getattr(import_module(f"sealtrace.contract.{module}"), name)
    return model


def may_seal(kind: str, stage: str, role: str | None) -> bool:
    """Whether a stage may hold a file of this kind for this role."""
    return any(stage == allowed and (needed == "*" or needed == role) for allowed, needed in KINDS[kind].stages)
