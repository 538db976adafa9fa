"""What a study of results says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sealtrace.studies.results.evidence import Results

if TYPE_CHECKING:
    from sealtrace.examination import Examination


def summary(results: Results, _: Examination) -> dict[str, Any]:
    """What the study holds."""
    found = []
    if size := results.frame("label").size:
        found.append(f"{size} labelled items")
    if size := results.frame("prediction").size:
        found.append(f"{size} predictions of {len(results.predicted[0])} models")
    others = {kind: results.frame(kind).size for kind in ("measurement", "run")}
    return {"inspected": [*found, *(f"{size} {kind}s" for kind, size in others.items() if size)]}


def details(_: Results, __: Examination) -> dict[str, Any]:
    """A page draws nothing of its own for results."""
    return {}
