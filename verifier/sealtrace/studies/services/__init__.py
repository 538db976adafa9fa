"""Services: attempts at requests, and how they are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealtrace.contract.packs import Form, Kind, Pack, any_role
from sealtrace.studies.services.catalogue import CATALOGUE

if TYPE_CHECKING:
    from sealtrace.evidence import Evidence

_HERE = "sealtrace.studies.services"


def _absent(evidence: Evidence) -> str | None:
    held = {entry.kind for entry in evidence.bundle.entries} & {"service", "attempt"}
    return None if held else "the study measures no service"


def _unusable(evidence: Evidence) -> str | None:
    document = evidence.bundle.document("service")
    return None if document is not None and document.fits else "the service is not declared"


PACK = Pack(
    name="services",
    kinds=(
        Kind("service", Form.DOCUMENT, f"{_HERE}.records:Service", stages=any_role("declare")),
        Kind("attempt", Form.ROWS, f"{_HERE}.records:Attempt", ("request", "attempt"), any_role("report")),
    ),
    catalogue=CATALOGUE,
    checks=f"{_HERE}.checks",
    metrics=f"{_HERE}.metrics",
    evidence=f"{_HERE}.evidence:ServiceStudy",
    overview=f"{_HERE}.evidence",
    measured=("attempt",),
    absent=_absent,
    unusable=_unusable,
)
