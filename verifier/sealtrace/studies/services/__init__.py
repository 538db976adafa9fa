"""Services: attempts at requests."""

from __future__ import annotations

from sealtrace.contract.kind import Form, Kind, any_role
from sealtrace.contract.packs import Pack

PACK = Pack(
    name="services",
    kinds=(
        Kind(
            "attempt",
            Form.ROWS,
            "sealtrace.studies.services.records:Attempt",
            ("request", "attempt"),
            any_role("report"),
        ),
    ),
)
