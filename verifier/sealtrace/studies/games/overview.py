"""What a study of games says of itself: its part of the summary, and what a page draws of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sealtrace.studies.games.evidence import GameStudy

if TYPE_CHECKING:
    from sealtrace.examination import Examination


def summary(study: GameStudy, __: Examination) -> dict[str, Any]:
    """What was there to inspect."""
    inspected = []
    if (rows := study.frame("profile").size) and study.rules and study.playable:
        _, names = study.frame("profile").texts("profile")
        inspected.append(f"{len(names)} profiles of {rows // len(names)} information sets")
    if students := study.bundle.documents_of("student"):
        inspected.append(f"{len(students)} students")
    if hands := study.frame("match").size:
        inspected.append(f"{hands} hands")
    return {"inspected": inspected, "tolerance": study.rules.get("tolerance")}


def details(_: GameStudy, __: Examination) -> dict[str, Any]:
    return {}
