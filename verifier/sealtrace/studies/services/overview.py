"""What a study of a service says of itself: its part of the summary, and what a page draws of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sealtrace.studies.services.evidence import ServiceStudy

if TYPE_CHECKING:
    from sealtrace.examination import Examination


def summary(study: ServiceStudy, _: Examination) -> dict[str, Any]:
    """What was there to inspect."""
    attempts = study.frame("attempt").size
    return {"inspected": [f"{attempts} attempts at {int(study.first.sum())} requests"] if attempts else []}


def details(_: ServiceStudy, __: Examination) -> dict[str, Any]:
    return {}
