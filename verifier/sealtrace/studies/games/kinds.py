"""The record kinds of games."""

from __future__ import annotations

from sealtrace.contract.kind import Form, Kind, any_role

_RECORDS = "sealtrace.studies.games.records"

KINDS = (
    Kind("game", Form.DOCUMENT, f"{_RECORDS}:GameRules", stages=any_role("declare")),
    Kind("profile", Form.ROWS, f"{_RECORDS}:Profile", ("profile", "information_set"), any_role("bank", "report")),
    Kind("contest", Form.DOCUMENT, f"{_RECORDS}:Contest", stages=any_role("declare")),
    Kind("match", Form.ROWS, f"{_RECORDS}:Match", ("match", "arm", "opponent", "seat"), any_role("report")),
    Kind("distillation", Form.DOCUMENT, f"{_RECORDS}:Distillation", stages=any_role("declare")),
    Kind("student", Form.DOCUMENT, f"{_RECORDS}:Student", stages=any_role("bank")),
    Kind("hand", Form.ROWS, f"{_RECORDS}:Hand", ("entry", "hand"), any_role("declare")),
    Kind("behaviour", Form.DOCUMENT, f"{_RECORDS}:Behaviour", stages=any_role("declare")),
    Kind("snapshot", Form.ROWS, f"{_RECORDS}:Snapshot", ("entry", "hand", "action"), any_role("bank", "report")),
    Kind("scale", Form.ROWS, f"{_RECORDS}:Scale", ("run", "scale"), any_role("calibrate")),
)
