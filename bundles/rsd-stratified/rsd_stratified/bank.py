"""The frozen candidates, and the checkpoints that learned families name."""

from __future__ import annotations

import json
from pathlib import Path

from rsd_stratified.protocol import ACTIONS, DIRECTION, FAMILIES, GRID
from rsd_stratified.states import Candidate, Row
from sealtrace.bundle.content import document_digest

LEARNED = FAMILIES[1:]
STUDENT_FREE = "student-free"
STUDENT_FREE_SPLITS = ["calibration", "held-out"]

CANDIDATES = [
    Candidate("anchor", None, "anchor", None, None),
    *(Candidate(family, scale, "tilt", family, index) for index, family in enumerate(FAMILIES) for scale in GRID),
    *(Candidate(STUDENT_FREE, scale, "student", "student", FAMILIES.index("student")) for scale in GRID),
]


def candidates_on(split: str) -> list[Candidate]:
    """The candidates that are traced on a split."""
    return [one for one in CANDIDATES if one.arm != STUDENT_FREE or split in STUDENT_FREE_SPLITS]


def checkpoints() -> dict[str, Row]:
    """Learned family to its stored checkpoint record."""
    folder = Path(__file__).parent / "weights"
    return {family: json.loads((folder / f"{family}.json").read_text(encoding="utf-8")) for family in LEARNED}


def candidate_row(one: Candidate, weights: dict[str, Row]) -> Row:
    """The bank's record of a candidate."""
    row: Row = {
        "arm": one.arm,
        "policy": one.policy,
        "interface": "teacher-free" if one.policy == "student" else "teacher-backed",
        "serializer": ACTIONS,
        "normalization": "none" if one.policy == "anchor" else "shifted-exponential",
    }
    if one.family is not None:
        row |= {"scale": one.scale, "family": one.family, "family_index": one.family_index}
        if one.family in weights:
            row["checkpoint_sha256"] = document_digest(weights[one.family])
        else:
            row["direction"] = DIRECTION
    if one.policy == "student":
        row["splits"] = STUDENT_FREE_SPLITS
    return row
