"""The record kinds of a study of policies."""

from __future__ import annotations

from sealtrace.contract.kind import Form, Kind, Opening, any_role

_RECORDS = "sealtrace.studies.policies.records"
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
