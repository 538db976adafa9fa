"""Games: strategies of whole games, and matches."""

from __future__ import annotations

from sealtrace.contract.kind import Form, Kind, any_role
from sealtrace.contract.packs import Pack

_RECORDS = "sealtrace.studies.games.records"

PACK = Pack(
    name="games",
    kinds=(
        Kind("profile", Form.ROWS, f"{_RECORDS}:Profile", ("profile", "information_set"), any_role("bank", "report")),
        Kind("match", Form.ROWS, f"{_RECORDS}:Match", ("match", "arm"), any_role("report")),
    ),
)
