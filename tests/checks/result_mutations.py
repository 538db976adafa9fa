"""How each check of results is broken: shipped studies, changed and sealed anew."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sealtrace.bundle.sealing import seal
from support import ROOT, STRATIFIED, Row, edit_rows, unseal

PREDICTIONS, RUNS = "report/prediction.jsonl", "bank/run.jsonl"
MEASUREMENTS = "select/measurement.jsonl"


@dataclass(frozen=True)
class ResultMutation:
    """How to break a copy of a shipped study, and what must be found."""

    check: str
    study: str
    path: str
    edit: Callable[[list[Row]], None]
    pointer: str
    key: dict[str, str] | None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The file that the finding names."""
        return self.path

    def broken(self, directory: Path) -> Path:
        """A copy of the study, broken and sealed anew."""
        bundle = directory / "bundle"
        shutil.copytree(ROOT / "bundles" / self.study / "bundle", bundle)
        seals = [json.loads(one.read_text()) for one in (bundle / "seals").iterdir()]
        if not (
            bundle / self.path
        ).exists():  # A small study lends its place: the file's own is a hundred times as large.
            (bundle / self.path).parent.mkdir(exist_ok=True)
            shutil.copy(STRATIFIED / self.path, bundle / self.path)
        edit_rows(bundle / self.path, self.edit)
        unseal(bundle)
        empty = {
            one["stage"]: one["empty_reason"]
            for one in seals
            if one.get("empty_reason") and not (bundle / one["stage"]).exists()
        }
        seal(bundle, empty=empty, lenient=True)
        return bundle


def _delete_wrong_answers(rows: list[Row]) -> None:
    rows[:] = [row for row in rows if row["model"] != "centroid/seed-1" or row["item"] != "leaf-161"]


def _keep_one_repeat(rows: list[Row]) -> None:
    first = rows[0]
    rows[:] = [row for row in rows if row["subject"] != first["subject"] or row["repeat"] == 0]


def _name_a_lost_checkpoint(rows: list[Row]) -> None:
    rows[0]["checkpoint_sha256"] = "0" * 64


RESULT_MUTATIONS = {
    one.check: one
    for one in (
        ResultMutation(
            "result.predictions",
            "classification",
            PREDICTIONS,
            _delete_wrong_answers,
            "/item",
            {"model": "centroid/seed-1", "split": "test"},
        ),
        ResultMutation(
            "result.runs",
            "classification",
            RUNS,
            _name_a_lost_checkpoint,
            "/checkpoint_sha256",
            {"run": "centroid-1"},
        ),
        ResultMutation(
            "result.measurements",
            "classification",
            MEASUREMENTS,
            _keep_one_repeat,
            "/repeat",
            {"quantity": "map-search", "subject": "partition-depth-1"},
        ),
    )
}
