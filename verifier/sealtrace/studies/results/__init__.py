"""Results of any field: labelled items, predictions, measurements, and the runs that made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealtrace.contract.kind import Form, Kind, any_role
from sealtrace.contract.packs import Check, Pack

if TYPE_CHECKING:
    from sealtrace.evidence import Evidence

_HERE = "sealtrace.studies.results"

KINDS = (
    Kind("label", Form.ROWS, f"{_HERE}.records:Label", ("item",), any_role("declare", "report")),
    Kind("prediction", Form.ROWS, f"{_HERE}.records:Prediction", ("item", "model"), any_role("replay", "report")),
    Kind(
        "measurement",
        Form.ROWS,
        f"{_HERE}.records:Measurement",
        ("quantity", "subject", "repeat"),
        any_role("structure", "select", "report"),
    ),
    Kind("run", Form.ROWS, "sealtrace.contract.provenance:Run", ("run",), any_role("bank", "report")),
)

CATALOGUE = (
    Check(
        "result.predictions",
        "Every model predicts every labelled item of its splits exactly once, and nothing else",
        "bundle format: predictions join labels",
        "the wrong predictions of one model are deleted",
        reads=("label", "prediction"),
        consequences=("table.cells",),
    ),
    Check(
        "result.measurements",
        "Every measured quantity has one unit and the same repeats, from zero, for each subject",
        "bundle format: measurements",
        "all but one of the repeats of a subject are deleted",
        reads=("measurement",),
        consequences=("table.cells",),
    ),
    Check(
        "result.runs",
        "Every run that a record names is there, and the checkpoint that a run names is in the bundle",
        "bundle format: runs",
        "a run names a checkpoint that is not in the bundle",
        reads=("run",),
    ),
)


def _absent(evidence: Evidence) -> str | None:
    held = {kind.name for kind in KINDS}.intersection(entry.kind for entry in evidence.bundle.entries)
    return None if held else "the study records no predictions, measurements or runs"


PACK = Pack(
    name="results",
    kinds=KINDS,
    catalogue=CATALOGUE,
    checks=f"{_HERE}.checks",
    evidence=f"{_HERE}.evidence:Results",
    overview=f"{_HERE}.overview",
    measured=("measurement",),
    absent=_absent,
)
